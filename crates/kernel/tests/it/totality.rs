//! Hostile runs: any event in any phase, with lying tools, wild planners and mad readings, breaks no promise.

use std::collections::{BTreeMap, BTreeSet};

use countersign_kernel::decision::{Gate, Verdict};
use countersign_kernel::effect::Effect;
use countersign_kernel::event::{Content, Event, Happening};
use countersign_kernel::policy::Policy;
use countersign_kernel::reason::Reason;
use countersign_kernel::snapshot::{self, STATE_MAX};
use countersign_kernel::state::{Phase, State};
use countersign_kernel::{Step, step};
use countersign_nlu::language::Language;
use countersign_nlu::yes_no::{self, Polarity};
use jiff::{Timestamp, ToSpan};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

use crate::bench_pack;
use crate::moves::{self, Move};
use crate::script::{START, session};

/// Runs of the hostile test, and events of each.
const CASES: u32 = 256;
const EVENTS: usize = 40;
/// How often a run goes on from a snapshot as well; every step would cost more than it finds.
const SNAPSHOT_EVERY: usize = 5;
/// Runs that are played twice and searched for what they reached.
const REACHING: u32 = 96;

/// What a run has seen, to judge what comes next by.
#[derive(Debug, Default)]
struct Watch {
    /// Questions that were shown: nonce -> the message after which.
    shown: BTreeMap<String, u64>,
    /// Questions that a later message said yes to.
    agreed: BTreeSet<String>,
    /// Nonces of calls that were let through and not refused by the journal.
    spent: BTreeMap<String, String>,
    /// Effects since the last message or decision.
    effects: usize,
}

impl Watch {
    /// Before the step: whether the event is a yes to the question that waits.
    fn hear(&mut self, policy: &Policy, state: &State, event: &Event) {
        let Happening::Heard(heard) = &event.what else { return };
        if heard.message > state.message {
            self.effects = 0;
        }
        let Some(pending) = state.pending() else { return };
        let says_yes = match &heard.content {
            Content::Text(text) => {
                let words = &policy.words(state.language).confirm;
                yes_no::read(text, words, state.language).polarity == Polarity::Yes
            }
            Content::Button(payload) => *payload == format!("yes:{}", pending.nonce),
            Content::Voice => false,
        };
        let is_later = self.shown.get(&pending.nonce).is_some_and(|shown| heard.message > *shown);
        if says_yes && is_later {
            self.agreed.insert(pending.nonce.clone());
        }
    }

    /// After the step: whether what it asks for was earned.
    fn judge(&mut self, policy: &Policy, before: &State, event: &Event, done: &Step) -> Result<(), String> {
        if let Happening::Refused(refused) = &event.what
            && self.spent.remove(&refused.key).is_some()
        {
            self.effects = self.effects.saturating_sub(1);
        }
        let is_decision = matches!(event.what, Happening::OperatorDecided(_));
        if is_decision && !done.decisions.iter().any(|decision| decision.reason == Reason::OutOfTurn) {
            self.effects = 0;
        }
        let is_done = done.decisions.iter().any(|d| d.gate == Gate::Result && d.reason == Reason::ToolDone);
        for effect in &done.effects {
            match effect {
                Effect::CallTool(armed) => {
                    let tool = &policy.tools[&armed.call().tool];
                    if !armed.is_read() {
                        self.effects += 1;
                    }
                    if tool.confirm.is_some() {
                        let nonce = armed.reservation().nonce.clone().ok_or("a call without a yes")?;
                        if !self.agreed.contains(&nonce) {
                            return Err(format!("{nonce} was never agreed to"));
                        }
                        if self.spent.values().any(|spent| *spent == nonce) {
                            return Err(format!("{nonce} was spent twice"));
                        }
                        self.spent.insert(armed.key().to_owned(), nonce);
                    } else if !armed.is_read() {
                        self.spent.insert(armed.key().to_owned(), String::from(armed.key()));
                    }
                    if policy.tools[&armed.call().tool].approval.is_some()
                        && !done.decisions.iter().any(|d| d.gate == Gate::Approve && d.verdict == Verdict::Pass)
                    {
                        return Err("a call past the approval gate".to_owned());
                    }
                }
                Effect::Send(speakable) => {
                    for (_, payload) in speakable.buttons() {
                        let nonce = payload.strip_prefix("yes:").or_else(|| payload.strip_prefix("no:"));
                        let nonce = nonce.ok_or("an unknown button")?.to_owned();
                        self.shown.entry(nonce).or_insert(done.state.message);
                    }
                    if speakable.text().contains("SUCESSO") && !is_done {
                        return Err(format!("success without a result: {}", speakable.text()));
                    }
                    // A second STOP is confirmed once more, and that is all.
                    let is_stop = done.effects.iter().any(|effect| matches!(effect, Effect::SetConsent { .. }));
                    if before.is_opted_out && done.state.is_opted_out && !is_stop {
                        return Err(format!("written to after an opt-out: {}", speakable.text()));
                    }
                }
                Effect::Sense { .. }
                | Effect::Propose { .. }
                | Effect::Read(_)
                | Effect::OpenTicket(_)
                | Effect::StartTimer { .. }
                | Effect::SetConsent { .. } => {}
            }
        }
        if self.effects > 1 {
            return Err(format!("{} effects in one turn", self.effects));
        }
        Ok(())
    }
}

fn describe(done: &Step) -> Vec<serde_json::Value> {
    done.effects.iter().map(Effect::describe).collect()
}

/// A state that was written down and read again takes the same step.
fn same_from_snapshot(policy: &Policy, before: &State, event: &Event, done: &Step) -> Result<(), String> {
    let restored = snapshot::decode_state(&snapshot::encode_state(before)).map_err(|fault| fault.to_string())?;
    if restored != *before {
        return Err("the snapshot does not come back".to_owned());
    }
    let again = step(policy, restored, event);
    if (&again.state, &again.decisions, describe(&again)) != (&done.state, &done.decisions, describe(done)) {
        return Err("the step from a snapshot differs".to_owned());
    }
    Ok(())
}

/// Plays moves and checks every promise after every step; returns everything that was decided and asked for.
fn play(policy: &Policy, moves: &[Move]) -> Result<Vec<String>, String> {
    let mut state = State::new(session(), Language::Pt);
    let mut now: Timestamp = START.parse().expect("a time");
    let (mut watch, mut trail, mut key) = (Watch::default(), Vec::new(), String::new());
    for (index, next) in moves.iter().enumerate() {
        if let Move::Wait(seconds) = next {
            now = now.checked_add(seconds.seconds()).expect("a time");
            continue;
        }
        let event = Event { at: now, what: moves::resolve(next, &state, &key) };
        watch.hear(policy, &state, &event);
        let before = state.clone();
        let done = step(policy, state, &event);
        let fail = |why: String| format!("{why}, at {index}: {event:?}\ndecided {:?}\nin {before:?}", done.decisions);
        watch.judge(policy, &before, &event, &done).map_err(fail)?;
        if done.state.now < before.now {
            return Err(fail("the conversation's time ran backwards".to_owned()));
        }
        let bytes = snapshot::encode_state(&done.state);
        if bytes.len() > STATE_MAX {
            return Err(fail(format!("{} bytes of state", bytes.len())));
        }
        if index % SNAPSHOT_EVERY == 0 {
            same_from_snapshot(policy, &before, &event, &done).map_err(fail)?;
        }
        for effect in &done.effects {
            if let Effect::CallTool(armed) = effect {
                armed.key().clone_into(&mut key);
            }
        }
        trail.push(format!("{:?} {:?}", done.decisions, describe(&done)));
        state = done.state;
    }
    Ok(trail)
}

fn run(cases: u32, moves: &BoxedStrategy<Vec<Move>>) {
    let policy = bench_pack::policy();
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 64, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(moves, |moves| {
        play(&policy, &moves).map_err(TestCaseError::fail)?;
        Ok(())
    });
    // The moves themselves are pages long; the message names the event and the state it broke in.
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(why, _)) => panic!("{why}"),
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
}

#[test]
fn hostile_runs_keep_every_promise() {
    run(CASES, &prop::collection::vec(moves::any_move(), EVENTS).boxed());
}

#[test]
fn plausible_runs_keep_every_promise() {
    // Mostly answers to what was asked for, so that the runs reach the far ends of the walks.
    run(CASES, &prop::collection::vec(moves::likely_move(), EVENTS).boxed());
}

#[test]
fn replays_are_exact_and_reach_what_they_are_meant_to_test() {
    let policy = bench_pack::policy();
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let strategy = prop::collection::vec(moves::likely_move(), EVENTS);
    let mut all = String::new();
    for _ in 0..REACHING {
        let moves = strategy.new_tree(&mut runner).expect("a run").current();
        let trail = play(&policy, &moves).expect("no promise is broken").join("\n");
        // The same events, decided again from the beginning.
        assert_eq!(play(&policy, &moves).expect("no promise is broken").join("\n"), trail);
        all.push_str(&trail);
    }
    for wanted in [
        "ConfirmationConfirmed",
        "QuoteChanged",
        "ApprovalRequired",
        "ToolDone",
        "ReadBackMismatch",
        "OutcomeUnknown",
        "TooManyProposals",
        "AmbiguousMatch",
        "ConfirmationExpired",
        "ConfirmationCorrected",
        "call_tool",
    ] {
        assert!(all.contains(wanted), "no run reached {wanted}: the generator is too weak");
    }
}

#[test]
fn every_event_is_answered_in_every_phase() {
    let policy = bench_pack::policy();
    let states = moves::one_state_per_phase(&policy);
    let mut phases = BTreeSet::new();
    for state in &states {
        phases.insert(match state.phase {
            Phase::Idle => "idle",
            Phase::Sensing(_) => "sensing",
            Phase::Planning => "planning",
            Phase::Acting { .. } => "acting",
            Phase::Calling(_) => "calling",
            Phase::Verifying { .. } => "verifying",
        });
        for what in moves::one_event_per_kind() {
            let event = Event { at: state.now, what };
            let done = step(&policy, state.clone(), &event);
            assert!(snapshot::encode_state(&done.state).len() <= STATE_MAX);
            let is_waiting = done.effects.iter().any(|effect| matches!(effect, Effect::Sense { .. } | Effect::Read(_)));
            assert!(!done.decisions.is_empty() || is_waiting, "{event:?} in {state:?} left no trace");
        }
    }
    assert_eq!(phases.len(), 6, "{phases:?}");
}
