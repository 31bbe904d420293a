//! One suite that every store must pass: what the runtime relies on, asked through the ports alone.
//!
//! Each check panics with a sentence when the store breaks a promise. Checks use tenants of their own, so one store can
//! run them all, in any order and at the same time.

mod build;
mod calls;
mod log;
mod messages;
mod money;
mod people;

pub use self::build::{Bench, at};

use std::sync::Arc;

use countersign_runtime::ports::Store;

/// Runs every check.
pub async fn run_all(store: Arc<dyn Store>) {
    messages::run(&store).await;
    money::run(&store).await;
    calls::run(&store).await;
    log::run(&store).await;
    people::run(&store).await;
}
