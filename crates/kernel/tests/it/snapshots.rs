//! The codec: what was ever written is read, byte for byte, and what is not known is refused.
//!
//! The files in `tests/golden` are version 1 as it was first written. They change only together with `VERSION`: a
//! difference here means that conversations stored yesterday cannot be read today.

use std::collections::BTreeSet;

use countersign_kernel::event::Event;
use countersign_kernel::snapshot::{self, Fault, VERSION};
use countersign_kernel::state::{Phase, State};
use serde_json::{Value as Json, json};

use crate::bench_pack::policy;
use crate::moves;
use crate::script::START;

const EVENTS: &str = include_str!("../golden/events.v1.jsonl");
const STATES: &str = include_str!("../golden/states.v1.jsonl");

fn events() -> Vec<String> {
    let at = START.parse().expect("a time");
    let encode = |what| snapshot::encode_event(&Event { at, what });
    moves::one_event_per_kind().into_iter().map(encode).map(|bytes| String::from_utf8(bytes).expect("text")).collect()
}

fn phase(state: &State) -> &'static str {
    match state.phase {
        Phase::Idle => "idle",
        Phase::Sensing(_) => "sensing",
        Phase::Planning => "planning",
        Phase::Acting { .. } => "acting",
        Phase::Calling(_) => "calling",
        Phase::Verifying { .. } => "verifying",
    }
}

#[test]
fn golden_events_decode_and_encode_byte_for_byte() {
    let mut kinds = BTreeSet::new();
    for line in EVENTS.lines() {
        let event = snapshot::decode_event(line.as_bytes()).expect("version 1 can be read");
        assert_eq!(String::from_utf8(snapshot::encode_event(&event)).expect("text"), line);
        kinds.insert(event.what.name());
    }
    assert_eq!(kinds.len(), 14, "every kind of event is in the file: {kinds:?}");
}

#[test]
fn golden_states_decode_and_encode_byte_for_byte() {
    let (mut phases, mut waits) = (BTreeSet::new(), BTreeSet::new());
    for line in STATES.lines() {
        let state = snapshot::decode_state(line.as_bytes()).expect("version 1 can be read");
        assert_eq!(String::from_utf8(snapshot::encode_state(&state)).expect("text"), line);
        phases.insert(phase(&state));
        waits.insert(state.pending().is_some());
    }
    assert_eq!((phases.len(), waits.len()), (6, 2), "every phase is in the file, with and without a question");
}

#[test]
fn golden_states_go_on() {
    // A conversation stored by version 1 is answered, and its question still takes a yes.
    let policy = policy();
    for line in STATES.lines() {
        let mut script = crate::script::Script::with(policy.clone());
        script.state = snapshot::decode_state(line.as_bytes()).expect("version 1 can be read");
        let is_question = script.state.phase == Phase::Idle && script.state.pending().is_some();
        let turned = script.says("sim");
        assert!(!turned.decisions.is_empty());
        assert!(!is_question || !turned.calls.is_empty(), "{}", turned.trace());
    }
}

#[test]
fn the_golden_file_holds_every_event_as_it_is_written_today() {
    // What is new in a version has to be added to its file; nothing already in it may change.
    let golden: BTreeSet<&str> = EVENTS.lines().collect();
    for line in &events() {
        assert!(golden.contains(line.as_str()), "not in the golden file:\n{line}");
    }
}

#[test]
fn an_unknown_version_is_refused() {
    let state = State::new(crate::script::session(), countersign_nlu::language::Language::Pt);
    let mut sealed: Json = serde_json::from_slice(&snapshot::encode_state(&state)).expect("JSON");
    assert_eq!(sealed["v"], json!(VERSION));
    for version in [0, VERSION + 1, u32::MAX] {
        sealed["v"] = json!(version);
        let bytes = serde_json::to_vec(&sealed).expect("JSON");
        assert_eq!(snapshot::decode_state(&bytes), Err(Fault::Version(version)));
    }
}

#[test]
fn what_is_no_snapshot_is_refused() {
    for bytes in
        [&b""[..], b"{}", b"null", b"[1]", b"{\"v\":1}", b"{\"v\":1,\"body\":{}}", b"{\"v\":\"1\",\"body\":{}}"]
    {
        let state = snapshot::decode_state(bytes);
        assert!(matches!(state, Err(Fault::Malformed(_))), "{bytes:?}: {state:?}");
        let event = snapshot::decode_event(bytes);
        assert!(matches!(event, Err(Fault::Malformed(_))), "{bytes:?}: {event:?}");
    }
    let whole = STATES.lines().next().expect("a state");
    let cut = &whole.as_bytes()[..whole.len() - 1];
    assert!(matches!(snapshot::decode_state(cut), Err(Fault::Malformed(_))));
}
