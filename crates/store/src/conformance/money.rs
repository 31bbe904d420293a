//! Money: a confirmation is spent once and covers one call; ceilings hold whatever runs at the same time.

use std::sync::Arc;

use countersign_runtime::ports::{Intended, IntentRow, Reservation, Store, TurnRow};

use super::build::{Bench, at, granted, refused};

pub(super) async fn run(store: &Arc<dyn Store>) {
    a_confirmation_is_spent_once(store).await;
    a_confirmation_covers_one_call(store).await;
    a_confirmation_expires(store).await;
    a_void_confirmation_is_none(store).await;
    ceilings_hold_at_the_same_time(store).await;
    ceilings_follow_their_window(store).await;
    what_did_not_happen_costs_nothing(store).await;
}

fn ceiling(bucket: &str, window_s: i64, max_minor: i64, amount_minor: i64) -> Reservation {
    Reservation { bucket: bucket.to_owned(), window_s, max_minor, amount_minor }
}

async fn a_confirmation_is_spent_once(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-once").await;
    let epoch = bench.load().await.epoch;
    bench.ask(epoch, &["n1"], 300).await;
    refused(&bench.intend(bench.intent(epoch, "k0", None)).await, "confirmation_required", "money needs a yes");
    granted(&bench.intend(bench.intent(epoch, "k1", Some("n1"))).await, "a yes to exactly this");
    bench.end("k1", "done", 1).await;
    bench.close(epoch).await;
    let again = bench.intend(bench.intent(epoch, "k2", Some("n1"))).await;
    refused(&again, "confirmation_used", "a yes is spent once");
    let records = bench.tenant.records(None, 0, 10).await.unwrap_or_default();
    assert_eq!(records.len(), 4, "question, intent, outcome, turn; refusals write nothing");
}

async fn a_confirmation_covers_one_call(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-covers").await;
    let other = Bench::in_tenant(Arc::clone(&bench.tenant), "web:ana", "c2").await;
    let epoch = bench.load().await.epoch;
    let other_epoch = other.load().await.epoch;
    bench.ask(epoch, &["n1"], 300).await;
    let row = || bench.intent(epoch, "k1", Some("n1"));
    let check = async |row: IntentRow, why: &str| refused(&bench.intend(row).await, "confirmation_required", why);
    check(IntentRow { digest: "other".to_owned(), ..row() }, "other arguments").await;
    check(IntentRow { tool: "refund".to_owned(), ..row() }, "another tool").await;
    check(other.intent(other_epoch, "k1", Some("n1")), "another conversation").await;
    check(bench.intent(epoch, "k1", Some("invented")), "an invented name").await;
    granted(&bench.intend(row()).await, "what it covers");
}

async fn a_confirmation_expires(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-expiry").await;
    let epoch = bench.load().await.epoch;
    bench.ask(epoch, &["n1"], 300).await;
    let row = |seconds: i64| IntentRow { at: at(seconds), ..bench.intent(epoch, "k1", Some("n1")) };
    refused(&bench.intend(row(301)).await, "confirmation_expired", "after its time");
    granted(&bench.intend(row(300)).await, "in its last moment");
    bench.end("k1", "refused", 301).await;
    bench.close(epoch).await;
    bench.ask(epoch, &["n2"], 300).await;
    bench.ask(epoch, &["n2"], 900).await;
    let row = IntentRow { at: at(900), ..bench.intent(epoch, "k2", Some("n2")) };
    granted(&bench.intend(row).await, "asked again under the same name, it lives longer");
}

async fn a_void_confirmation_is_none(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-void").await;
    let epoch = bench.load().await.epoch;
    bench.ask(epoch, &["n1", "n2"], 300).await;
    bench.commit(TurnRow { voided: vec!["n1".to_owned()], ..bench.turn(epoch, 0) }).await;
    let answer = bench.intend(bench.intent(epoch, "k1", Some("n1"))).await;
    refused(&answer, "confirmation_required", "a question that was withdrawn");
    granted(&bench.intend(bench.intent(epoch, "k2", Some("n2"))).await, "the other question stands");
}

async fn ceilings_hold_at_the_same_time(store: &Arc<dyn Store>) {
    let first = Bench::new(store, "conformance-spend").await;
    let second = Bench::in_tenant(Arc::clone(&first.tenant), "web:bruno", "c2").await;
    let third = Bench::in_tenant(Arc::clone(&first.tenant), "web:carla", "c3").await;
    let call = async |bench: &Bench, key: &str| {
        let epoch = bench.load().await.epoch;
        let reservations = vec![ceiling("tenant", 86_400, 200, 100)];
        bench.intend(IntentRow { reservations, ..bench.write(epoch, key, "book") }).await
    };
    let answers = tokio::join!(call(&first, "k1"), call(&second, "k2"), call(&third, "k3"));
    let answers = [answers.0, answers.1, answers.2];
    let grants = answers.iter().filter(|answer| **answer == Intended::Granted).count();
    assert_eq!(grants, 2, "room for two of three");
    let refusal = answers.iter().find(|answer| **answer != Intended::Granted);
    refusal.into_iter().for_each(|answer| refused(answer, "spend_limit", "no room for the third"));
}

async fn ceilings_follow_their_window(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-window").await;
    let epoch = bench.load().await.epoch;
    let mut number = 0;
    let mut call = async |seconds: i64, reservations: Vec<Reservation>| {
        number += 1;
        let key = format!("k{number}");
        let sameness = key.clone();
        let row = IntentRow { at: at(seconds), reservations, sameness, ..bench.write(epoch, &key, "book") };
        let answer = bench.intend(row).await;
        if answer == Intended::Granted {
            bench.end(&key, "done", seconds).await;
            bench.close(epoch).await;
        }
        answer
    };
    let each = |amount| vec![ceiling("each", 0, 50, amount)];
    granted(&call(0, each(50)).await, "each call by itself: up to its ceiling");
    granted(&call(0, each(50)).await, "and again");
    refused(&call(0, each(51)).await, "spend_limit", "but not beyond");
    let hour = |amount| vec![ceiling("hour", 3_600, 100, amount)];
    granted(&call(7, hour(60)).await, "60 of 100");
    granted(&call(100, hour(40)).await, "100 of 100");
    refused(&call(3_606, hour(1)).await, "spend_limit", "a second before the first leaves the window");
    granted(&call(3_607, hour(60)).await, "the first has left it, to the second");
    refused(&call(3_699, hour(1)).await, "spend_limit", "the second has not");
    granted(&call(3_700, hour(40)).await, "now it has");
    let both = |amount| vec![ceiling("two", 60, 100, amount), ceiling("two", 600, 150, amount)];
    granted(&call(0, both(100)).await, "two windows over one bucket are one expense");
    refused(&call(61, both(51)).await, "spend_limit", "the longer window has no room");
    granted(&call(61, both(50)).await, "but room for this");
    refused(&call(0, vec![ceiling("minus", 60, 100, -1)]).await, "spend_limit", "nothing is earned by spending");
}

async fn what_did_not_happen_costs_nothing(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-release").await;
    let epoch = bench.load().await.epoch;
    let call = async |key: &str, verdict: &'static str| {
        let reservations = vec![ceiling("tenant", 600, 100, 100)];
        let sameness = key.to_owned();
        let row = IntentRow { reservations, sameness, breaker: (99, 1), ..bench.write(epoch, key, "book") };
        let answer = bench.intend(row).await;
        if answer == Intended::Granted {
            bench.end(key, verdict, 1).await;
            bench.close(epoch).await;
        }
        answer
    };
    granted(&call("k1", "refused").await, "room");
    granted(&call("k2", "failed").await, "a refused call gave its room back");
    granted(&call("k3", "unknown").await, "a failed one, too");
    refused(&call("k4", "done").await, "spend_limit", "a call that may have happened keeps its room");
    bench.end("k3", "failed", 2).await;
    granted(&call("k5", "done").await, "until it is known that it did not");
    refused(&call("k6", "done").await, "spend_limit", "a call that happened keeps it");
}
