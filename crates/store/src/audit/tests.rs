//! The check against every small change of a log: each must be noticed.

use std::sync::Arc;

use countersign_runtime::ports::Store;

use super::{PROBLEMS_MAX, Report, verify_export};
use crate::conformance::Bench;
use crate::sqlite::{Options, SqliteStore};

struct Log {
    text: String,
    key: Vec<u8>,
}

impl Log {
    /// Two calls and their turns, with a checkpoint in the middle and one at the end.
    async fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("countersign-audit-{}", unique()));
        let store = SqliteStore::open(&folder, Options::default()).unwrap();
        let shared: Arc<dyn Store> = Arc::new(store.clone());
        let bench = Bench::new(&shared, "shop").await;
        let epoch = bench.load().await.epoch;
        bench.ask(epoch, &["n1"], 300).await;
        bench.intend(bench.intent(epoch, "k1", Some("n1"))).await;
        bench.end("k1", "unknown", 1).await;
        let first = store.checkpoint_now("shop").await.unwrap().unwrap();
        assert_eq!(store.checkpoint_now("shop").await.unwrap(), Some(first.clone()), "one size is signed once");
        assert_eq!(first.size, 3);
        bench.end("k1", "done", 2).await;
        bench.close(epoch).await;
        let mut export = Vec::new();
        let exported = store.export("shop", &mut export).await.unwrap();
        assert_eq!((exported.records, exported.checkpoints), (5, 2));
        let key = store.public_key("shop").unwrap();
        drop((bench, shared, store));
        std::fs::remove_dir_all(folder).unwrap();
        let log = Self { text: String::from_utf8(export).unwrap(), key };
        // Without this, every change below would be "noticed" for the wrong reason.
        assert_eq!(log.check(log.text.as_bytes()).problems, []);
        log
    }

    fn check(&self, text: &[u8]) -> Report {
        verify_export(text, Some(&self.key))
    }

    fn lines(&self) -> Vec<&str> {
        self.text.lines().collect()
    }

    fn notices(&self, what: &str, lines: &[&str]) {
        let report = self.check(format!("{}\n", lines.join("\n")).as_bytes());
        assert!(!report.is_good(), "{what} went unnoticed");
    }
}

fn unique() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

#[tokio::test]
async fn a_whole_log_is_good() {
    let log = Log::new().await;
    let report = log.check(log.text.as_bytes());
    assert_eq!(report.problems, []);
    assert_eq!((report.records, report.checkpoints, report.signatures, report.unbound), (5, 2, 2, 0));
    assert!(report.head.is_some());
    let unsigned = verify_export(log.text.as_bytes(), None);
    assert!(unsigned.is_good());
    assert_eq!(unsigned.signatures, 0, "without a key nothing is said about signatures");
    let other = Log::new().await;
    assert!(!verify_export(log.text.as_bytes(), Some(&other.key)).is_good(), "another key is no key");
}

#[tokio::test]
async fn every_changed_byte_is_noticed() {
    let log = Log::new().await;
    let mut bytes = log.text.clone().into_bytes();
    for index in 0..bytes.len() {
        // The lowest bit makes a neighbouring letter or digit, the sixth changes upper and lower case.
        for flip in [0x01, 0x20] {
            bytes[index] ^= flip;
            // Signatures only where nothing else noticed: what is wrong without a key is wrong with one.
            let is_noticed = !verify_export(bytes.as_slice(), None).is_good() || !log.check(&bytes).is_good();
            assert!(is_noticed, "byte {index} changed by {flip:#04x} went unnoticed");
            bytes[index] ^= flip;
        }
    }
    assert!(log.check(&bytes).is_good());
}

#[tokio::test]
async fn every_deleted_doubled_or_moved_line_is_noticed() {
    let log = Log::new().await;
    let lines = log.lines();
    for index in 0..lines.len() {
        let mut less = lines.clone();
        less.remove(index);
        log.notices(&format!("line {index} deleted"), &less);
        let mut more = lines.clone();
        more.insert(index, lines[index]);
        log.notices(&format!("line {index} doubled"), &more);
        for other in 0..index {
            let mut moved = lines.clone();
            moved.swap(index, other);
            log.notices(&format!("lines {index} and {other} exchanged"), &moved);
        }
    }
}

#[tokio::test]
async fn every_truncation_is_noticed() {
    let log = Log::new().await;
    for length in 0..log.text.len() {
        assert!(!log.check(&log.text.as_bytes()[..length]).is_good(), "cut at {length} went unnoticed");
    }
    // A cut made to look whole: the records after the first checkpoint are gone, and the last line says so.
    let lines = log.lines();
    let end = r#"{"checkpoints":2,"kind":"end","records":4}"#;
    log.notices("a record cut below a checkpoint", &[lines[0], lines[1], lines[2], lines[3], lines[5], lines[6], end]);
}

#[tokio::test]
async fn rules_are_checked_inside_a_whole_log() {
    // A log can be whole and signed and still break the rules: a writer that was told so wrote it.
    let folder = std::env::temp_dir().join(format!("countersign-audit-{}", unique()));
    let store = SqliteStore::open(&folder, Options::default()).unwrap();
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let bench = Bench::new(&shared, "shop").await;
    let epoch = bench.load().await.epoch;
    let mut turn = bench.turn(epoch, 0);
    turn.entry = bench.entry("intent", &[("key", "k1"), ("risk", "money")]);
    bench.commit(turn.clone()).await;
    turn.entry = bench.entry("outcome", &[("key", "k2")]);
    bench.commit(turn).await;
    let mut export = Vec::new();
    store.export("shop", &mut export).await.unwrap();
    let report = verify_export(export.as_slice(), Some(&store.public_key("shop").unwrap()));
    let found: Vec<_> = report.problems.iter().map(|problem| (problem.seq, problem.what.as_str())).collect();
    let expected = [(1, "money without a confirmation"), (2, "an outcome of `k2`, which has no earlier intent")];
    assert_eq!(found, expected);
    drop((bench, shared, store));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn nonsense_is_reported_and_bounded() {
    let check = |text: &[u8], problems: usize| {
        assert_eq!(verify_export(text, None).problems.len(), problems, "{:?}", String::from_utf8_lossy(text));
    };
    check(b"", 1);
    check(b"\n", 2);
    check(b"\xff\n", 2);
    check(b"{\"checkpoints\":0,\"kind\":\"end\",\"records\":0}\n", 0);
    check(b"{\"kind\":\"other\"}\n", 2);
    check(&b"x\n".repeat(PROBLEMS_MAX * 2), PROBLEMS_MAX);
}
