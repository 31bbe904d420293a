//! People: known by a pseudonym, seen by one tenant only, and gone when they are erased.

use std::sync::Arc;

use countersign_runtime::ports::{Arrival, IntentRow, Store, TimerRow, TurnRow};

use super::build::{Bench, at, fenced, granted, refused};

pub(super) async fn run(store: &Arc<dyn Store>) {
    a_person_is_found_again(store).await;
    consent_is_known_everywhere(store).await;
    tenants_never_see_each_other(store).await;
    an_erased_person_is_gone(store).await;
    a_late_fact_about_an_erased_person_is_kept_unreadable(store).await;
}

async fn a_person_is_found_again(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-people").await;
    let again = Bench::in_tenant(Arc::clone(&bench.tenant), "web:ana", "c1").await;
    let other = Bench::in_tenant(Arc::clone(&bench.tenant), "web:bruno", "c2").await;
    assert_eq!(bench.subject.pseudonym, again.subject.pseudonym, "one address, one person");
    assert_eq!(bench.subject.key, again.subject.key, "and one key");
    assert_ne!(bench.subject.pseudonym, other.subject.pseudonym);
    assert_ne!(bench.subject.key, other.subject.key);
    let named = bench.tenant.subject_by_name(&bench.subject.pseudonym).await.ok().flatten();
    assert_eq!(named.map(|named| named.key), Some(bench.subject.key), "found by pseudonym, too");
    let address = bench.tenant.address(&bench.subject.pseudonym).await.ok().flatten();
    assert_eq!(address.as_deref(), Some("web:ana"), "and can be written to");
    assert!(matches!(bench.tenant.subject_by_name("nobody").await, Ok(None)));
    assert!(matches!(bench.tenant.address("nobody").await, Ok(None)));
}

async fn consent_is_known_everywhere(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-consent").await;
    let elsewhere = Bench::in_tenant(Arc::clone(&bench.tenant), "web:ana", "c2").await;
    let epoch = bench.load().await.epoch;
    for (number, is_opted_out) in [true, false].into_iter().enumerate() {
        bench.commit(TurnRow { consent: Some(is_opted_out), ..bench.turn(epoch, 0) }).await;
        let around = elsewhere.hear(&format!("m{number}"), 1).await.around;
        assert_eq!(around.is_opted_out, is_opted_out, "in another conversation");
        let named = bench.tenant.subject_by_name(&bench.subject.pseudonym).await.ok().flatten();
        assert_eq!(named.map(|named| named.is_opted_out), Some(is_opted_out));
    }
}

/// Leaves something of every kind with a tenant.
async fn fill(bench: &Bench) -> u64 {
    bench.hear("m1", 0).await;
    let epoch = bench.load().await.epoch;
    bench.ask(epoch, &["n1", "n2"], 300).await;
    let row = IntentRow { last_message: 1, ..bench.intent(epoch, "k1", Some("n1")) };
    granted(&bench.intend(row).await, "a call");
    bench.end("k1", "unknown", 1).await;
    let timer = TimerRow {
        conversation: bench.conversation.clone(),
        subject: bench.subject.pseudonym.clone(),
        kind: "query".to_owned(),
        reference: "k1".to_owned(),
        at: at(5),
    };
    bench
        .commit(TurnRow {
            outgoing: vec![bench.outgoing("hello")],
            timers: vec![timer],
            tickets: vec!["{}".to_owned()],
            ..bench.turn(epoch, 0)
        })
        .await;
    epoch
}

async fn tenants_never_see_each_other(store: &Arc<dyn Store>) {
    let ours = Bench::new(store, "conformance-ours").await;
    let theirs = Bench::new(store, "conformance-theirs").await;
    fill(&ours).await;
    assert_ne!(ours.subject.pseudonym, theirs.subject.pseudonym, "the same address is another person");
    let tenant = &theirs.tenant;
    assert!(matches!(tenant.subject_by_name(&ours.subject.pseudonym).await, Ok(None)), "people");
    assert_eq!(tenant.records(None, 0, 10).await.map(|all| all.len()).ok(), Some(0), "records");
    assert_eq!(tenant.unsent().await.map(|all| all.len()).ok(), Some(0), "outbox");
    assert_eq!(tenant.due(at(99)).await.map(|all| all.len()).ok(), Some(0), "timers");
    assert_eq!(tenant.unfinished().await.map(|all| all.len()).ok(), Some(0), "unfinished work");
    assert_eq!(tenant.tickets(10).await.map(|all| all.len()).ok(), Some(0), "tickets");
    assert_eq!(theirs.hear("m1", 0).await.message, Some(1), "the same provider id is another message");
    let loaded = theirs.load().await;
    assert_eq!((loaded.epoch, loaded.sealed_state, loaded.waiting.len()), (1, None, 1), "conversations");
    let row = theirs.intent(1, "k1", Some("n2"));
    refused(&theirs.intend(row).await, "newer_message", "first its own message");
    theirs.commit(theirs.turn(1, 1)).await;
    let row = theirs.intent(1, "k1", Some("n2"));
    refused(&theirs.intend(row).await, "confirmation_required", "another tenant's question is none here");
    granted(&theirs.intend(theirs.write(1, "k1", "pay")).await, "another tenant's call is no twin");
}

async fn an_erased_person_is_gone(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-erase").await;
    let other = Bench::in_tenant(Arc::clone(&bench.tenant), "web:bruno", "c2").await;
    let epoch = fill(&bench).await;
    other.hear("b1", 0).await;
    let theirs = other.load().await.epoch;
    other.close(theirs).await;
    let before = bench.tenant.records(None, 0, 100).await.unwrap_or_default();
    let erase = || bench.tenant.erase(&bench.subject.pseudonym, bench.entry("erased", &[]));
    assert!(erase().await.is_ok());
    assert!(erase().await.is_ok(), "erasing twice is erasing once");
    assert!(matches!(bench.tenant.subject_by_name(&bench.subject.pseudonym).await, Ok(None)), "no key");
    assert!(matches!(bench.tenant.address(&bench.subject.pseudonym).await, Ok(None)), "no address");
    let after = bench.tenant.records(None, 0, 100).await.unwrap_or_default();
    assert_eq!(after.len(), before.len() + 1, "the erasure itself is recorded, once");
    for (old, new) in before.iter().zip(&after) {
        assert_eq!((&old.header, &old.body), (&new.header, &new.body), "the chain stays whole");
        assert_eq!(new.sealed.is_some(), new.subject == other.subject.pseudonym, "record {}", new.seq);
    }
    assert_eq!(bench.tenant.unsent().await.map(|all| all.len()).ok(), Some(0), "nothing is sent to them any more");
    assert_eq!(bench.tenant.due(at(99)).await.map(|all| all.len()).ok(), Some(0), "no timers");
    assert_eq!(bench.tenant.tickets(9).await.map(|all| all.len()).ok(), Some(0), "no tickets");
    let left: Vec<_> = bench.tenant.unfinished().await.unwrap_or_default();
    assert_eq!(left.iter().map(|each| each.conversation.as_str()).collect::<Vec<_>>(), ["c2"], "others go on");
    fenced(&bench.tenant.commit(bench.turn(epoch, 1)).await, "a turn that was under way ends nothing");
    let arrival = Arrival {
        conversation: "c1".to_owned(),
        subject: bench.subject.pseudonym.clone(),
        channel: "web".to_owned(),
        provider_id: "late".to_owned(),
        sealed: Vec::new(),
        at: at(9),
    };
    assert!(bench.tenant.ingest(arrival).await.is_err(), "nothing is taken in for a person who is gone");
    let again = Bench::in_tenant(Arc::clone(&bench.tenant), "web:ana", "c1").await;
    assert_ne!(again.subject.pseudonym, bench.subject.pseudonym, "they come back as somebody new");
    again.hear("m9", 10).await;
    let loaded = again.load().await;
    assert!(loaded.epoch > epoch + 1, "the epoch never falls back");
    assert!(loaded.sealed_state.is_none() && loaded.open_intent.is_none(), "and begin anew");
}

async fn a_late_fact_about_an_erased_person_is_kept_unreadable(store: &Arc<dyn Store>) {
    let bench = Bench::new(store, "conformance-erase-late").await;
    fill(&bench).await;
    let entry = bench.entry("erased", &[]);
    assert!(bench.tenant.erase(&bench.subject.pseudonym, entry).await.is_ok());
    let mut row = bench.outcome("k1", "done");
    row.outgoing = vec![bench.outgoing("too late")];
    let ids = bench.tenant.record_outcome(row).await;
    assert_eq!(ids.map(|ids| ids.len()).ok(), Some(1), "the fact is written");
    assert_eq!(bench.tenant.unsent().await.map(|all| all.len()).ok(), Some(0), "and nothing is sent");
    let records = bench.tenant.records(None, 0, 100).await.unwrap_or_default();
    assert!(records.iter().all(|record| record.sealed.is_none()), "nothing about them can be read");
}
