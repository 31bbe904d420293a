//! The log: one record per commit, numbered without a gap, chained, readable per conversation; tickets beside it.

use std::sync::Arc;

use countersign_runtime::ports::{Entry, Store, TurnRow};
use sha2::{Digest, Sha256};

use super::build::Bench;

pub(super) async fn run(store: &Arc<dyn Store>) {
    records_are_chained(store).await;
    records_are_read_in_pages(store).await;
    a_record_belongs_to_its_commit(store).await;
    tickets_come_newest_first(store).await;
}

async fn records_are_chained(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-chain").await;
    let epoch = bench.load().await.epoch;
    for _ in 0..5 {
        bench.close(epoch).await;
    }
    let records = bench.tenant.records(None, 0, 100).await.unwrap_or_default();
    assert_eq!(records.len(), 5, "one record per commit");
    let mut prev = "0".repeat(64);
    for (record, seq) in records.iter().zip(1..) {
        assert_eq!(record.seq, seq, "numbered without a gap");
        let body = hex(&Sha256::digest(&record.body));
        let header = format!(r#"{{"body":"{body}","prev":"{prev}","seq":{seq},"tenant":"conformance-chain","v":1}}"#);
        assert_eq!(record.header, header, "the header names body, predecessor, number and tenant");
        prev = hex(&Sha256::new().chain_update([0]).chain_update(&header).finalize());
    }
}

async fn records_are_read_in_pages(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-pages").await;
    let other = Bench::in_tenant(Arc::clone(&bench.tenant), "web:bruno", "c2").await;
    let (epoch, theirs) = (bench.load().await.epoch, other.load().await.epoch);
    for _ in 0..3 {
        bench.close(epoch).await;
        other.close(theirs).await;
    }
    let check = async |conversation: Option<&str>, after: u64, limit: u32, expected: &[u64]| {
        let records = bench.tenant.records(conversation, after, limit).await.unwrap_or_default();
        let seen: Vec<_> = records.iter().map(|record| record.seq).collect();
        assert_eq!(seen, expected, "{conversation:?} after {after}, at most {limit}");
    };
    check(None, 0, 100, &[1, 2, 3, 4, 5, 6]).await;
    check(None, 2, 2, &[3, 4]).await;
    check(None, 6, 100, &[]).await;
    check(None, u64::MAX, 100, &[]).await;
    check(Some("c1"), 0, 100, &[1, 3, 5]).await;
    check(Some("c2"), 2, 1, &[4]).await;
    check(Some("nobody"), 0, 100, &[]).await;
    check(None, 0, 0, &[]).await;
}

async fn a_record_belongs_to_its_commit(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-entry").await;
    let epoch = bench.load().await.epoch;
    let entry = |entry: Entry| TurnRow { entry, ..bench.turn(epoch, 0) };
    let good = || bench.entry("turn", &[]);
    let foreign = Entry { conversation: "c9".to_owned(), ..good() };
    assert!(bench.tenant.commit(entry(foreign)).await.is_err(), "a record of another conversation");
    let unhashed = Entry { body_hash: "no hash".to_owned(), ..good() };
    assert!(bench.tenant.commit(entry(unhashed)).await.is_err(), "a hash that is none");
    let records = bench.tenant.records(None, 0, 10).await.unwrap_or_default();
    assert!(records.is_empty(), "a commit that failed left nothing");
    bench.commit(entry(good())).await;
}

async fn tickets_come_newest_first(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-tickets").await;
    let epoch = bench.load().await.epoch;
    for number in 1..=3 {
        let tickets = vec![format!(r#"{{"ticket":{number}}}"#)];
        bench.commit(TurnRow { tickets, ..bench.turn(epoch, 0) }).await;
    }
    let tickets = bench.tenant.tickets(2).await.unwrap_or_default();
    assert_eq!(tickets, [r#"{"ticket":3}"#, r#"{"ticket":2}"#]);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
