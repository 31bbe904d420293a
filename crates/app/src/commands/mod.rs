//! One file per subcommand. A command reads its arguments, wires what it needs, prints, and says how it ended.

pub(crate) mod audit;
pub(crate) mod chat;
pub(crate) mod check;
pub(crate) mod demo;
pub(crate) mod replay;
pub(crate) mod schema;
pub(crate) mod test;
