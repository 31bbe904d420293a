//! Messages: taken once, in order, by one owner at a time; timers and the outbox around them.

use std::sync::Arc;

use countersign_runtime::ports::{SendOutcome, Store, TimerRow, TurnRow, Unfinished};

use super::build::{Bench, at, fenced};

pub(super) async fn run(store: &Arc<dyn Store>) {
    duplicates_vanish(store).await;
    order_is_kept(store).await;
    counts_are_exact(store).await;
    a_stale_owner_changes_nothing(store).await;
    timers_come_due(store).await;
    unsent_messages_are_known(store).await;
    unfinished_work_is_known(store).await;
}

async fn duplicates_vanish(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-duplicates").await;
    assert_eq!(bench.hear("m1", 0).await.message, Some(1), "the first delivery is taken");
    assert_eq!(bench.hear("m1", 1).await.message, None, "the same id is a duplicate");
    assert_eq!(bench.hear("m2", 2).await.message, Some(2), "another id is another message");
    let loaded = bench.load().await;
    bench.commit(bench.turn(loaded.epoch, 2)).await;
    assert_eq!(bench.hear("m1", 3).await.message, None, "a duplicate stays one after its turn");
    assert!(bench.load().await.waiting.is_empty(), "finished messages do not come back");
}

async fn order_is_kept(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-order").await;
    for number in 1..=5 {
        bench.hear(&format!("m{number}"), 10 - number).await;
    }
    let loaded = bench.load().await;
    let seen: Vec<_> = loaded.waiting.iter().map(|message| (message.message, message.attempts)).collect();
    assert_eq!(seen, [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)], "in the order of arrival, whatever the clock says");
    assert_eq!(loaded.waiting.first().map(|first| (first.sealed.clone(), first.at)), Some((b"m1".to_vec(), at(9))));
    bench.commit(bench.turn(loaded.epoch, 3)).await;
    let loaded = bench.load().await;
    let seen: Vec<_> = loaded.waiting.iter().map(|message| (message.message, message.attempts)).collect();
    assert_eq!(seen, [(4, 2), (5, 2)], "what was not done is still there, and has been tried once more");
    assert_eq!(loaded.sealed_state.as_deref(), Some(b"state".as_slice()), "the state is the last one written");
}

async fn counts_are_exact(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-counts").await;
    let other = Bench::in_tenant(Arc::clone(&bench.tenant), "web:bruno", "c2").await;
    let check = async |who: &Bench, id: &str, seconds: i64, minute: u32, day: u32| {
        let around = who.hear(id, seconds).await.around;
        assert_eq!((around.customer_minute, around.customer_day), (minute, day), "{id}");
    };
    check(&bench, "a", 0, 1, 1).await;
    check(&bench, "b", 59, 2, 2).await;
    check(&bench, "c", 60, 2, 3).await;
    check(&other, "d", 60, 1, 1).await;
    check(&bench, "e", 86_399, 1, 4).await;
    check(&bench, "f", 86_400, 2, 4).await;
    let loaded = bench.load().await;
    let first = loaded.waiting.first().map(|message| message.around.customer_day);
    assert_eq!(first, Some(1), "a waiting message keeps the counts of its arrival");
}

async fn a_stale_owner_changes_nothing(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-fence").await;
    bench.hear("m1", 0).await;
    let old = bench.load().await.epoch;
    let new = bench.load().await.epoch;
    assert!(new > old, "every claim raises the epoch");
    fenced(&bench.tenant.commit(bench.turn(old, 1)).await, "an old owner ends no turn");
    fenced(&bench.tenant.intend(bench.write(old, "k", "book")).await, "an old owner starts no call");
    fenced(&bench.tenant.commit(bench.turn(new + 1, 1)).await, "an epoch nobody has is no owner either");
    let stranger = Bench::in_tenant(Arc::clone(&bench.tenant), "web:bruno", "c1").await;
    fenced(&stranger.tenant.commit(stranger.turn(new, 1)).await, "a conversation belongs to one person");
    let loaded = bench.load().await;
    assert_eq!(loaded.waiting.len(), 1, "the message still waits");
    assert_eq!(loaded.sealed_state, None, "no state was written");
    let records = bench.tenant.records(None, 0, 10).await.unwrap_or_default();
    assert!(records.is_empty(), "no record was written");
    bench.commit(bench.turn(loaded.epoch, 1)).await;
}

async fn timers_come_due(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-timers").await;
    let timer = |kind: &str, seconds: i64| TimerRow {
        conversation: bench.conversation.clone(),
        subject: bench.subject.pseudonym.clone(),
        kind: kind.to_owned(),
        reference: "r".to_owned(),
        at: at(seconds),
    };
    let due = async |seconds: i64| -> Vec<String> {
        let timers = bench.tenant.due(at(seconds)).await.unwrap_or_default();
        timers.into_iter().map(|timer| timer.kind).collect()
    };
    let epoch = bench.load().await.epoch;
    bench.commit(TurnRow { timers: vec![timer("query", 20), timer("approval", 10)], ..bench.turn(epoch, 0) }).await;
    assert!(due(9).await.is_empty(), "not before its moment");
    assert_eq!(due(10).await, ["approval"], "at its moment");
    assert_eq!(due(30).await, ["approval", "query"], "the earliest first, and until it is answered");
    bench.commit(TurnRow { timers: vec![timer("query", 40)], ..bench.turn(epoch, 0) }).await;
    assert_eq!(due(30).await, ["approval"], "set again is moved, not doubled");
    let timer_done = Some(("approval".to_owned(), "r".to_owned()));
    bench.commit(TurnRow { timer_done, ..bench.turn(epoch, 0) }).await;
    assert_eq!(due(99).await, ["query"], "an answered timer is gone");
    let question = TimerRow { reference: "n".to_owned(), ..timer("confirmation", 50) };
    bench.commit(TurnRow { timers: vec![question], ..bench.turn(epoch, 0) }).await;
    assert_eq!(due(99).await, ["query", "confirmation"], "a question has its own");
    bench.commit(TurnRow { voided: vec!["n".to_owned()], ..bench.turn(epoch, 0) }).await;
    assert_eq!(due(99).await, ["query"], "a question that is decided needs no reminder");
}

async fn unsent_messages_are_known(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-outbox").await;
    let epoch = bench.load().await.epoch;
    let outgoing = ["one", "two", "three", "four"].map(|text| bench.outgoing(text)).to_vec();
    let ids = bench.commit(TurnRow { outgoing, ..bench.turn(epoch, 0) }).await;
    assert_eq!(ids.len(), 4, "one number per message");
    assert!(ids.is_sorted(), "numbers rise");
    let marks = [SendOutcome::Sent, SendOutcome::Unknown, SendOutcome::Cancelled];
    for (id, outcome) in ids.iter().zip(marks) {
        assert!(bench.tenant.mark(*id, outcome).await.is_ok(), "a message can be marked");
        assert!(bench.tenant.mark(*id, outcome).await.is_ok(), "and marked the same way again");
    }
    // A mark is written soon, and before anything that is asked after it.
    assert!(bench.tenant.mark(9_999_999, SendOutcome::Sent).await.is_ok(), "a message nobody has harms nobody");
    for attempts in 1..=2 {
        let unsent = bench.tenant.unsent().await.unwrap_or_default();
        let seen: Vec<_> = unsent.iter().map(|item| (Some(&item.id), item.attempts)).collect();
        assert_eq!(seen, [(ids.last(), attempts)], "only what is not marked, with the sends begun before");
        assert_eq!(unsent.first().map(|item| item.outgoing.sealed.clone()), Some(b"four".to_vec()));
    }
}

async fn unfinished_work_is_known(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-unfinished").await;
    let caller = Bench::in_tenant(Arc::clone(&bench.tenant), "web:bruno", "c2").await;
    let names = |bench: &Bench| Unfinished {
        conversation: bench.conversation.clone(),
        subject: bench.subject.pseudonym.clone(),
    };
    let unfinished = async || bench.tenant.unfinished().await.unwrap_or_default();
    assert!(unfinished().await.is_empty());
    bench.hear("m1", 0).await;
    let epoch = caller.load().await.epoch;
    caller.intend(caller.write(epoch, "k1", "book")).await;
    assert_eq!(unfinished().await, [names(&bench), names(&caller)], "a waiting message and an open call");
    caller.end("k1", "done", 1).await;
    assert_eq!(unfinished().await.len(), 2, "an outcome does not end the turn");
    caller.close(epoch).await;
    let epoch = bench.load().await.epoch;
    bench.commit(bench.turn(epoch, 1)).await;
    assert!(unfinished().await.is_empty(), "finished is finished");
}
