//! After erasing, no byte of a person's key or sealed values is left in any file.

use std::fs;
use std::sync::Arc;

use countersign_runtime::ports::Store;

use super::super::writer::Need;
use super::folder::Folder;
use crate::audit::verify_export;
use crate::conformance::Bench;
use crate::error::Doing;

const PEOPLE: usize = 60;

fn files(folder: &Folder) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in fs::read_dir(folder.path().join("tenants")).unwrap() {
        bytes.extend(fs::read(entry.unwrap().path()).unwrap());
    }
    bytes
}

/// SQLite's own search: this crate's tests run unoptimised, and there are megabytes to look through.
fn contains(bytes: &[u8], marker: &[u8]) -> bool {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    connection.query_row("SELECT instr(?1, ?2) > 0", [bytes, marker], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn nothing_of_an_erased_person_is_left_in_the_files() {
    let folder = Folder::new();
    let store = folder.open();
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let tenant = shared.tenant("shop").await.unwrap();
    let mut people = Vec::new();
    // Enough people that pages split and rows move, which is where copies would be left behind.
    for number in 0..PEOPLE {
        let bench = Bench::in_tenant(Arc::clone(&tenant), &format!("web:{number}"), &format!("c{number}")).await;
        bench.hear(&format!("marker-inbox-{number}-"), 0).await;
        let epoch = bench.load().await.epoch;
        let mut turn = bench.turn(epoch, 0);
        turn.sealed_state = format!("marker-state-{number}-").repeat(40).into_bytes();
        turn.entry.sealed = format!("marker-record-{number}-").repeat(20).into_bytes();
        turn.outgoing = vec![bench.outgoing(&format!("marker-outbox-{number}-"))];
        turn.tickets = vec![format!("marker-ticket-{number}-")];
        turn.consent = Some(number % 2 == 0);
        bench.commit(turn).await;
        people.push(bench);
    }
    let handle = store.existing("shop").unwrap();
    let keys: Vec<Vec<u8>> = handle
        .ask(Need::Read, |file| {
            let mut statement = file.connection.prepare("SELECT wrapped_key FROM subject").doing("reading")?;
            statement.query_map([], |row| row.get(0)).and_then(Iterator::collect).doing("reading")
        })
        .await
        .unwrap();
    let before = files(&folder);
    assert_eq!(keys.len(), PEOPLE);
    assert!(keys.iter().all(|key| contains(&before, key)), "the scan finds what is there");

    for bench in people.iter().skip(1) {
        let entry = bench.entry("erased", &[]);
        tenant.erase(&bench.subject.pseudonym, entry).await.unwrap();
    }
    let after = files(&folder);
    let left = keys.iter().filter(|key| contains(&after, key)).count();
    assert_eq!(left, 1, "only the key of the one who stays");
    for number in 0..PEOPLE {
        for what in ["inbox", "state", "record", "outbox", "ticket"] {
            let marker = format!("marker-{what}-{number}-");
            assert_eq!(contains(&after, marker.as_bytes()), number == 0, "{marker}");
        }
    }
    let mut export = Vec::new();
    store.export("shop", &mut export).await.unwrap();
    let report = verify_export(export.as_slice(), Some(&store.public_key("shop").unwrap()));
    assert_eq!((report.records, report.problems), (2 * PEOPLE as u64 - 1, vec![]));
}
