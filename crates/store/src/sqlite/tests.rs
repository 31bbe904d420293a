//! The store as a whole: the suite, group commit, damage, raw SQL, residue.

mod folder;
mod group;
mod open;
mod residue;
mod structure;

use std::sync::Arc;

use countersign_runtime::ports::Store;

use self::folder::Folder;
use crate::conformance;

#[tokio::test]
async fn the_suite_every_store_must_pass() {
    let folder = Folder::new();
    let store: Arc<dyn Store> = Arc::new(folder.open());
    conformance::run_all(store).await;
}
