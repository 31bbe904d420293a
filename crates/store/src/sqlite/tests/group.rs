//! Group commit: what waits together is written together; a failure stays where it belongs.

use std::sync::Arc;

use countersign_runtime::ports::{Store, StoreError, TenantStore};

use super::super::writer::Need;
use super::super::{Options, SqliteStore};
use super::folder::Folder;
use crate::audit::verify_export;
use crate::conformance::Bench;
use crate::error::{Doing, failed};

const CLIENTS: usize = 200;

#[tokio::test]
async fn concurrent_turns_share_commits() {
    let folder = Folder::new();
    let store = folder.open();
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let tenant = shared.tenant("shop").await.unwrap();
    let mut turns = Vec::new();
    for number in 0..CLIENTS {
        let bench = Bench::in_tenant(Arc::clone(&tenant), &format!("web:{number}"), &format!("c{number}")).await;
        let epoch = bench.load().await.epoch;
        turns.push((bench, epoch));
    }
    let before = store.commits();
    let mut running = tokio::task::JoinSet::new();
    for (bench, epoch) in turns {
        running.spawn(async move { bench.commit(bench.turn(epoch, 0)).await });
    }
    assert_eq!(running.join_all().await.len(), CLIENTS);
    let commits = store.commits() - before;
    assert!(commits >= 1, "something was written");
    assert!(commits <= CLIENTS as u64 / 10, "{CLIENTS} turns took {commits} commits");
    let records = tenant.records(None, 0, 1_000).await.unwrap();
    assert_eq!(records.len(), CLIENTS, "every turn has its record");
    let mut conversations: Vec<_> = records.iter().map(|record| record.conversation.clone()).collect();
    conversations.sort();
    conversations.dedup();
    assert_eq!(conversations.len(), CLIENTS);
    let mut export = Vec::new();
    store.export("shop", &mut export).await.unwrap();
    let report = verify_export(export.as_slice(), Some(&store.public_key("shop").unwrap()));
    assert_eq!((report.records, report.problems), (CLIENTS as u64, vec![]));
}

#[tokio::test]
async fn a_failing_job_undoes_only_itself() {
    let folder = Folder::new();
    let store = folder.open();
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let bench = Bench::new(&shared, "shop").await;
    let epoch = bench.load().await.epoch;
    let handle = store.existing("shop").unwrap();
    let entry = bench.entry("turn", &[]);
    let fails = handle.ask(Need::Write, move |file| {
        file.append(&entry, None)?;
        file.connection.execute("DELETE FROM subject", []).doing("deleting")?;
        Err::<(), _>(failed("failing", "on purpose"))
    });
    // Usually one transaction for all three; the result must be the same if it is not.
    let (first, failed, last) =
        tokio::join!(bench.tenant.commit(bench.turn(epoch, 0)), fails, bench.tenant.commit(bench.turn(epoch, 0)));
    assert!(first.is_ok() && failed.is_err() && last.is_ok());
    let records = bench.tenant.records(None, 0, 10).await.unwrap();
    assert_eq!(records.iter().map(|record| record.seq).collect::<Vec<_>>(), [1, 2]);
    assert!(bench.tenant.subject_by_name(&bench.subject.pseudonym).await.unwrap().is_some());
}

#[tokio::test]
async fn after_a_failed_commit_the_file_is_left_alone() {
    let folder = Folder::new();
    let store = SqliteStore::open(folder.path(), Options { threads: 1, open_files: 1 }).unwrap();
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let bench = Bench::new(&shared, "shop").await;
    let epoch = bench.load().await.epoch;
    bench.close(epoch).await;
    let handle = store.existing("shop").unwrap();
    let broken = handle.ask(Need::Write, |file| {
        file.connection.commit_hook(Some(|| true)).doing("breaking the commit")?;
        Ok(())
    });
    let (broken, batch) = tokio::join!(broken, bench.tenant.commit(bench.turn(epoch, 0)));
    assert!(broken.is_err() && batch.is_err(), "what was to be committed with it fails with it");
    let later = bench.tenant.commit(bench.turn(epoch, 0)).await;
    assert!(matches!(later, Err(StoreError::Failed { .. })), "{later:?}");
    assert!(bench.tenant.records(None, 0, 10).await.is_err(), "nor is it read: its end is not known");
    let other = shared.tenant("other").await.unwrap();
    assert!(other.subject("web:ana").await.is_ok(), "other tenants go on, and the broken file is not opened again");
    assert!(bench.tenant.load("c1").await.is_err());
    drop((bench, handle, other, shared, store));
    let reopened = folder.open();
    let shop = reopened.tenant("shop").await.unwrap();
    assert_eq!(shop.records(None, 0, 10).await.unwrap().len(), 1, "the last good commit is the truth");
}

#[tokio::test]
async fn more_tenants_than_open_files() {
    let folder = Folder::new();
    let store = SqliteStore::open(folder.path(), Options { threads: 2, open_files: 2 }).unwrap();
    let mut tenants: Vec<Arc<dyn TenantStore>> = Vec::new();
    for number in 0..9 {
        tenants.push(store.tenant(&format!("t{number}")).await.unwrap());
    }
    for round in 1..=3 {
        for tenant in &tenants {
            assert_eq!(tenant.load("c1").await.unwrap().epoch, round);
        }
    }
}
