//! Calls: never twice, never while a newer message waits, never into a tool that rests; outcomes are facts.

use std::sync::Arc;

use countersign_runtime::ports::{Intended, IntentRow, OutcomeRow, Store, TurnRow};

use super::build::{Bench, at, granted, refused};

pub(super) async fn run(store: &Arc<dyn Store>) {
    a_newer_message_wins(store).await;
    a_twin_is_refused_until_it_is_resolved(store).await;
    a_repeat_quotes_the_first(store).await;
    one_call_at_a_time(store).await;
    a_breaker_opens_probes_and_closes(store).await;
    a_payment_breaker_opens_at_one(store).await;
    news_of_a_turn_counts_once(store).await;
    an_outcome_is_written_once(store).await;
    an_open_intent_comes_back(store).await;
}

async fn a_newer_message_wins(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-newer").await;
    bench.hear("m1", 0).await;
    let epoch = bench.load().await.epoch;
    bench.hear("m2", 1).await;
    let row = |last_message: u64| IntentRow { last_message, ..bench.write(epoch, "k1", "book") };
    refused(&bench.intend(row(1)).await, "newer_message", "message 2 has not been read");
    granted(&bench.intend(row(2)).await, "now it has");
}

async fn a_twin_is_refused_until_it_is_resolved(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-twin").await;
    let elsewhere = Bench::in_tenant(Arc::clone(&bench.tenant), "web:ana", "c2").await;
    let somebody = Bench::in_tenant(Arc::clone(&bench.tenant), "web:bruno", "c3").await;
    let epoch = bench.load().await.epoch;
    let there = elsewhere.load().await.epoch;
    let theirs = somebody.load().await.epoch;
    granted(&bench.intend(bench.write(epoch, "k1", "book")).await, "the first");
    refused(&elsewhere.intend(elsewhere.write(there, "k2", "book")).await, "twin_unresolved", "in any conversation");
    bench.end("k1", "unknown", 1).await;
    refused(&elsewhere.intend(elsewhere.write(there, "k2", "book")).await, "twin_unresolved", "unknown is not final");
    granted(&somebody.intend(somebody.write(theirs, "k3", "book")).await, "another person is no twin");
    let other = IntentRow { sameness: "else".to_owned(), ..elsewhere.write(there, "k4", "book") };
    granted(&elsewhere.intend(other).await, "another call is no twin");
    elsewhere.end("k4", "done", 1).await;
    elsewhere.close(there).await;
    bench.end("k1", "failed", 2).await;
    granted(&elsewhere.intend(elsewhere.write(there, "k5", "book")).await, "the first is resolved");
}

async fn a_repeat_quotes_the_first(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-repeat").await;
    let epoch = bench.load().await.epoch;
    let row = |key: &str, seconds: i64| IntentRow { repeat_s: 600, at: at(seconds), ..bench.write(epoch, key, "book") };
    granted(&bench.intend(row("k1", 0)).await, "the first");
    bench.end("k1", "done", 10).await;
    bench.close(epoch).await;
    let existing = Some(b"done k1".to_vec());
    let quoted = Intended::Refused { reason: "repeat_within_window".to_owned(), existing };
    assert_eq!(bench.intend(row("k2", 609)).await, quoted, "within the window, with the first one's result");
    let no_window = IntentRow { repeat_s: 0, ..row("k3", 11) };
    granted(&bench.intend(no_window).await, "a tool without a window may repeat");
    bench.end("k3", "refused", 11).await;
    bench.close(epoch).await;
    granted(&bench.intend(row("k4", 610)).await, "after the window; a refused call is no success");
}

async fn one_call_at_a_time(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-one").await;
    let epoch = bench.load().await.epoch;
    granted(&bench.intend(bench.write(epoch, "k1", "book")).await, "the first");
    refused(&bench.intend(bench.write(epoch, "k2", "tell")).await, "one_effect_per_turn", "the first has not ended");
    bench.end("k1", "done", 1).await;
    granted(&bench.intend(bench.write(epoch, "k2", "tell")).await, "a follow-up of a call that ended");
    bench.end("k2", "refused", 1).await;
    refused(&bench.intend(bench.write(epoch, "k2", "tell")).await, "one_effect_per_turn", "a key is used once");
}

/// Makes a call that can have no twin, and ends it.
async fn call(bench: &Bench, key: &str, limit: (u8, i64), seconds: i64, verdict: Option<&'static str>) -> Intended {
    let epoch = bench.load().await.epoch;
    let (sameness, at) = (key.to_owned(), at(seconds));
    let answer = bench.intend(IntentRow { sameness, at, breaker: limit, ..bench.write(epoch, key, "book") }).await;
    if answer == Intended::Granted
        && let Some(verdict) = verdict
    {
        bench.end(key, verdict, seconds).await;
        bench.close(epoch).await;
    }
    answer
}

async fn a_breaker_opens_probes_and_closes(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-breaker").await;
    let other = Bench::in_tenant(Arc::clone(&bench.tenant), "web:bruno", "c2").await;
    let listener = Bench::in_tenant(Arc::clone(&bench.tenant), "web:carla", "c3").await;
    let limit = (3, 60);
    let open = async |seconds: i64| listener.hear(&format!("at {seconds}"), seconds).await.around.open_breakers;
    granted(&call(&bench, "k1", limit, 0, Some("failed")).await, "closed");
    granted(&call(&bench, "k2", limit, 1, Some("unknown")).await, "one failure of three");
    granted(&call(&bench, "k3", limit, 2, Some("refused")).await, "two; a refusal is no failure");
    assert!(open(2).await.is_empty());
    granted(&call(&bench, "k4", limit, 3, Some("failed")).await, "still two");
    refused(&call(&bench, "k5", limit, 62, None).await, "breaker_open", "three failures, and not rested yet");
    assert_eq!(open(62).await, ["book"], "others are told");
    assert!(open(63).await.is_empty());
    granted(&call(&bench, "k5", limit, 63, None).await, "rested: one probe");
    refused(&call(&other, "k6", limit, 64, None).await, "breaker_open", "and only one");
    bench.end("k5", "failed", 70).await;
    let epoch = bench.load().await.epoch;
    bench.close(epoch).await;
    refused(&call(&other, "k6", limit, 129, None).await, "breaker_open", "the failed probe opened it again");
    granted(&call(&other, "k6", limit, 130, Some("refused")).await, "the next probe");
    granted(&call(&other, "k7", limit, 131, Some("done")).await, "a refused probe makes way for another");
    granted(&call(&bench, "k8", limit, 132, Some("failed")).await, "a good one closes it");
    granted(&call(&bench, "k9", limit, 133, Some("done")).await, "and the count began again");
}

async fn a_payment_breaker_opens_at_one(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-breaker-one").await;
    granted(&call(&bench, "k1", (1, 60), 0, Some("unknown")).await, "closed");
    refused(&call(&bench, "k2", (1, 60), 59, None).await, "breaker_open", "one failure is enough");
    granted(&call(&bench, "k2", (1, 60), 60, Some("done")).await, "the probe");
    granted(&call(&bench, "k3", (1, 60), 60, Some("done")).await, "closed again");
}

async fn news_of_a_turn_counts_once(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-breaker-news").await;
    let epoch = bench.load().await.epoch;
    let row = |key: &str| IntentRow { breaker: (2, 60), ..bench.write(epoch, key, "book") };
    let news = |went_well: bool| TurnRow { breaker: Some(("book".to_owned(), went_well)), ..bench.turn(epoch, 0) };
    granted(&bench.intend(row("k1")).await, "closed");
    bench.end("k1", "failed", 0).await;
    bench.commit(news(false)).await;
    granted(&bench.intend(row("k2")).await, "the outcome and the turn told the same failure");
    bench.end("k2", "done", 0).await;
    bench.commit(news(false)).await;
    granted(&bench.intend(row("k3")).await, "done, but the result was wrong: one failure");
    bench.end("k3", "refused", 0).await;
    bench.commit(news(false)).await;
    refused(&bench.intend(row("k4")).await, "breaker_open", "and another");
    bench.commit(news(true)).await;
    granted(&bench.intend(row("k4")).await, "good news closes it");
}

async fn an_outcome_is_written_once(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-outcome").await;
    let stale = bench.load().await.epoch;
    granted(&bench.intend(bench.write(stale, "k1", "book")).await, "the call");
    bench.load().await;
    let row = || OutcomeRow { outgoing: vec![bench.outgoing("to the kitchen")], ..bench.outcome("k1", "done") };
    let first = bench.tenant.record_outcome(row()).await.unwrap_or_default();
    assert_eq!(first.len(), 1, "a fact is taken from an owner that lost the conversation");
    let again = bench.tenant.record_outcome(row()).await.unwrap_or_default();
    assert_eq!(first, again, "told again, it is the same fact");
    assert!(bench.end("k1", "unknown", 9).await == first, "what is known does not become unknown");
    assert!(bench.tenant.record_outcome(bench.outcome("k1", "failed")).await.is_err(), "nor another");
    assert!(bench.tenant.record_outcome(bench.outcome("k9", "done")).await.is_err(), "no outcome without an intent");
    let unsent = bench.tenant.unsent().await.unwrap_or_default();
    assert_eq!(unsent.len(), 1, "its message is there once");
    let records = bench.tenant.records(None, 0, 10).await.unwrap_or_default();
    assert_eq!(records.len(), 2, "one intent, one outcome");
}

async fn an_open_intent_comes_back(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-open").await;
    let epoch = bench.load().await.epoch;
    assert!(bench.load().await.open_intent.is_none());
    let epoch = epoch + 1;
    granted(&bench.intend(bench.write(epoch, "k1", "book")).await, "the call");
    let open = async || bench.load().await.open_intent;
    let seen = open().await;
    let shown = seen.as_ref().map(|open| (open.key.as_str(), open.tool.as_str(), open.sealed_call.as_slice()));
    assert_eq!(shown, Some(("k1", "book", b"call".as_slice())), "recovery gets the exact call");
    assert_eq!(seen.and_then(|open| open.sealed_outcome), None);
    assert_eq!(bench.load().await.sealed_state.as_deref(), Some(b"state with a call".as_slice()));
    bench.end("k1", "unknown", 1).await;
    assert_eq!(open().await.and_then(|open| open.sealed_outcome).as_deref(), Some(b"unknown k1".as_slice()));
    bench.end("k1", "done", 2).await;
    assert_eq!(open().await.and_then(|open| open.sealed_outcome).as_deref(), Some(b"done k1".as_slice()));
    let epoch = bench.load().await.epoch;
    bench.close(epoch).await;
    assert!(open().await.is_none(), "a turn that ended leaves nothing open");
}
