//! The gates, one file each, in the order of the walks. A gate passes with a ticket or stops with a reason.

pub(crate) mod clarity;
pub(crate) mod consent;
pub(crate) mod govern;
pub(crate) mod input;
pub(crate) mod language;
pub(crate) mod limit;
pub(crate) mod route;
pub(crate) mod slots;

pub(crate) mod approve;
pub mod arm;
pub(crate) mod confirm;
pub(crate) mod permit;
pub(crate) mod trace;

pub(crate) mod result;

pub(crate) mod enforce;
pub(crate) mod ground;
pub mod shape;
