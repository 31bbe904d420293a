//! Opening: what is refused, with which error, and that nothing changes then.

use std::error::Error;
use std::fs;

use countersign_runtime::ports::{Store, StoreError};
use rusqlite::Connection;

use super::super::{Options, SqliteStore};
use super::folder::Folder;
use crate::conformance::Bench;

async fn filled() -> Folder {
    let folder = Folder::new();
    let store: std::sync::Arc<dyn Store> = std::sync::Arc::new(folder.open());
    let bench = Bench::new(&store, "shop").await;
    let epoch = bench.load().await.epoch;
    bench.close(epoch).await;
    folder
}

/// The error of opening a folder and a tenant of it.
async fn refusal(folder: &Folder) -> StoreError {
    match SqliteStore::open(folder.path(), Options::default()) {
        Err(error) => error,
        Ok(store) => store.tenant("shop").await.err().expect("the tenant is refused"),
    }
}

#[tokio::test]
async fn everything_is_there_after_closing_and_opening() {
    let folder = filled().await;
    let store = folder.open();
    let shop = store.tenant("shop").await.unwrap();
    assert_eq!(shop.records(None, 0, 10).await.unwrap().len(), 1);
    assert_eq!(shop.load("c1").await.unwrap().epoch, 2);
    assert_eq!(store.tenants().unwrap(), ["shop"]);
}

#[tokio::test]
async fn one_process_at_a_time() {
    let folder = Folder::new();
    let store = folder.open();
    let shop = store.tenant("shop").await.unwrap();
    let second = SqliteStore::open(folder.path(), Options::default());
    assert!(matches!(second, Err(StoreError::InUse { .. })));
    drop(store);
    let second = SqliteStore::open(folder.path(), Options::default());
    assert!(matches!(second, Err(StoreError::InUse { .. })), "a handle still holds the folder");
    drop(shop);
    folder.open();
}

#[tokio::test]
async fn a_damaged_file_is_refused_and_left_alone() {
    for (file, from) in
        [("tenants/shop.db", 100), ("tenants/shop.db", 4_096), ("tenants/shop.db", 8_192), ("control.db", 0)]
    {
        let folder = filled().await;
        let path = folder.path().join(file);
        let mut bytes = fs::read(&path).unwrap();
        assert!(bytes.len() > from + 600);
        bytes[from..from + 600].fill(0x5a);
        fs::write(&path, &bytes).unwrap();
        let error = refusal(&folder).await;
        assert!(matches!(error, StoreError::Corrupt { .. }), "{file} from {from}: {error:?}");
        assert_eq!(fs::read(&path).unwrap(), bytes, "nothing was changed");
    }
}

#[tokio::test]
async fn a_cut_chain_is_noticed_at_once() {
    let folder = filled().await;
    let connection = Connection::open(folder.path().join("tenants/shop.db")).unwrap();
    connection.execute_batch("DROP TRIGGER record_stays; DELETE FROM record").unwrap();
    drop(connection);
    let error = refusal(&folder).await;
    assert!(matches!(&error, StoreError::Corrupt { what, .. } if what.contains("record 1")), "{error:?}");
}

#[tokio::test]
async fn a_newer_file_and_a_foreign_file_are_refused() {
    let folder = filled().await;
    let path = folder.path().join("tenants/shop.db");
    let connection = Connection::open(&path).unwrap();
    connection.execute("INSERT INTO schema_migration VALUES (2, 'x')", []).unwrap();
    drop(connection);
    let error = refusal(&folder).await;
    assert!(matches!(error, StoreError::FutureSchema { found: 2, known: 1, .. }), "{error:?}");

    let folder = Folder::new();
    let connection = Connection::open(folder.path().join("control.db")).unwrap();
    connection.execute_batch("CREATE TABLE somebody_elses (a)").unwrap();
    drop(connection);
    let error = refusal(&folder).await;
    assert!(matches!(&error, StoreError::Corrupt { what, .. } if what.contains("another program")), "{error:?}");
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_says_where() {
    let folder = Folder::new();
    let blocked = folder.path().join("a file, not a folder");
    fs::write(&blocked, "").unwrap();
    let error = SqliteStore::open(&blocked, Options::default()).unwrap_err();
    assert!(matches!(error, StoreError::Failed { .. }));
    assert!(error.source().unwrap().to_string().contains("a file, not a folder"), "{error:?}");
}

#[tokio::test]
async fn a_tenants_name_is_checked_and_a_missing_tenant_is_not_made_by_reading() {
    let folder = Folder::new();
    let store = folder.open();
    assert!(store.tenant("../shop").await.is_err());
    assert!(store.export("nobody", Vec::new()).await.is_err());
    assert!(store.public_key("nobody").is_err());
    assert!(store.checkpoint_now("nobody").await.is_err());
    assert!(store.tenants().unwrap().is_empty());
}
