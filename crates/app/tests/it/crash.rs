//! SIGKILL at every named point of a boleto's creation, then a restart: exactly one boleto in the end, never two,
//! and a log that verifies and decides the same again.

use std::os::unix::process::ExitStatusExt;

use countersign_runtime::CRASH_POINTS;
use serde_json::Value as Json;

use crate::support::{Data, REQUEST, replies};

/// A conversation passes a point a handful of times; more would be a loop.
const VISITS_MAX: u32 = 12;

/// Ends a conversation at a point; true if it was reached.
fn crash(data: &Data, point: &str, lines: &[&str]) -> bool {
    let ran = data.chat(&["--crash-at", point], lines);
    if ran.status.signal() == Some(9) {
        return true;
    }
    assert_eq!(ran.code(), Some(0), "{point}: {}", ran.err);
    false
}

/// Restarts, goes on, and checks what must hold however far it came. Nothing deletes a boleto, so one in the end means
/// that there never were two.
fn goes_on(data: &Data, point: &str) {
    assert!(data.boletos() <= 1, "{point}: two before the restart");
    let turns = data.chat(&[], &["sim"]).ends(0).objects();
    assert!(turns.iter().any(|turn| !replies(turn).is_empty()), "{point}: silence");
    // The call was made and nobody knows yet; this restart is the first chance to say so.
    if point == "called:1" {
        assert_eq!(turns[0]["command"], "recover");
        assert!(replies(&turns[0])[0].contains("BOL-1008"), "{point}: nobody was told: {}", turns[0]);
    }
    let lines: &[&str] =
        if data.boletos() == 0 { &[REQUEST, "sim", "lista os boletos"] } else { &["lista os boletos"] };
    let turns = data.chat(&[], lines).ends(0).objects();
    assert_eq!(data.boletos(), 1, "{point}");
    let listed = turns.last().map(replies).unwrap_or_default();
    assert!(listed.iter().any(|reply| reply.matches("BOL-1008").count() == 1), "{point}: {listed:?}");
    data.run(&["audit", "verify"], "").ends(0);
    data.run(&["replay", "terminal"], "").ends(0);
}

#[test]
fn killed_at_any_point_there_is_one_boleto_in_the_end() {
    let mut reached = Vec::new();
    for point in CRASH_POINTS {
        for visit in 1..=VISITS_MAX {
            let data = Data::new();
            let at = format!("{point}:{visit}");
            if !crash(&data, &at, &[REQUEST, "sim"]) {
                assert_eq!(data.boletos(), 1, "{at}: undisturbed");
                break;
            }
            reached.push(*point);
            goes_on(&data, &at);
            assert!(visit < VISITS_MAX, "{point} is passed again and again");
        }
    }
    let missed: Vec<_> = CRASH_POINTS.iter().filter(|point| !reached.contains(point)).collect();
    assert!(missed.is_empty(), "never reached: {missed:?}");
}

#[test]
fn killed_again_while_recovering_there_is_still_one() {
    for first in ["intent_written", "called", "outcome_written"] {
        for second in CRASH_POINTS {
            let data = Data::new();
            assert!(crash(&data, first, &[REQUEST, "sim"]), "{first} is reached");
            // A point that recovery does not pass leaves the run to end by itself.
            crash(&data, second, &[]);
            goes_on(&data, &format!("{first}, then {second}"));
        }
    }
}

#[test]
fn a_message_that_was_taken_in_is_answered_after_the_restart() {
    let data = Data::new();
    assert!(crash(&data, "ingested", &[REQUEST]));
    let resumed = data.chat(&[], &[]).ends(0).objects();
    assert_eq!(resumed.len(), 1);
    assert_eq!(resumed[0]["command"], "recover");
    assert!(replies(&resumed[0])[0].ends_with("Confirma? (Sim/Não)"), "{}", resumed[0]);
    let turns: Vec<Json> = data.chat(&[], &["sim"]).ends(0).objects();
    assert_eq!(turns[0]["effects"][0]["outcome"], "done");
}

#[test]
fn a_message_to_somebody_else_leaves_after_the_restart() {
    for point in ["intent_written", "called", "outcome_written", "before_commit", "committed"] {
        let data = Data::new();
        assert!(crash(&data, point, &["manda uma mensagem para o Bruno: seu boleto chegou"]), "{point} is reached");
        let resumed = data.chat(&[], &[]).ends(0).objects();
        let sent: Vec<&Json> = resumed.iter().flat_map(|turn| turn["messages"].as_array().unwrap()).collect();
        assert_eq!(sent.len(), 1, "{point}: {resumed:?}");
        assert_eq!(sent[0]["text"], "seu boleto chegou", "{point}");
        let again = data.chat(&[], &["oi"]).ends(0).objects();
        assert!(again.iter().all(|turn| turn["messages"].as_array().unwrap().is_empty()), "{point}: {again:?}");
    }
}

#[test]
fn a_point_that_does_not_exist_is_told() {
    let ran = Data::new().chat(&["--crash-at", "nowhere"], &[]).ends(2);
    assert!(ran.err.contains("unknown crash point `nowhere`") && ran.err.contains("intent_written"), "{}", ran.err);
}
