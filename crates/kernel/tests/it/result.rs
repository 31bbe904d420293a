//! Gate 14: only what the record shows is told as done.

use countersign_kernel::escalate::TicketKind;
use countersign_kernel::event::{Happening, OpenIntent, Timer, ToolOutcome};
use countersign_kernel::policy::{Parts, Recovery};
use countersign_kernel::reason::Reason;
use countersign_nlu::Value;

use crate::bench_pack::policy_with;
use crate::script::{Lie, Script, notes, passes, row, stops, surely, waits};

const CHECKED: &str = "O pedido está sendo verificado.";
const LATER: &str = "Não foi possível agora, e nada foi feito.";

fn asked() -> Script {
    let mut script = Script::new();
    script.hears("boleto de 150 reais para a Ana, vence sexta", surely("CREATE"));
    script
}

#[test]
fn an_honest_tool_is_believed_after_the_record_is_read() {
    let mut script = asked();
    let turned = script.says("sim");
    turned.decides(passes("result", "tool_done"));
    assert!(turned.claims_success());
    // The contact before, the record after.
    assert_eq!(turned.reads, 2);
}

#[test]
fn no_lie_leads_to_a_success_sentence() {
    for lie in Lie::ALL {
        let mut script = asked();
        script.world.lie = Some(lie);
        let turned = script.says("sim");
        let reason = match lie {
            Lie::Malformed | Lie::MissingField | Lie::WrongType => "result_malformed",
            Lie::OtherAmount | Lie::OtherDate => "result_mismatch",
            Lie::NothingWritten | Lie::OtherAmountWritten | Lie::OtherDateWritten => "read_back_mismatch",
        };
        turned.decides(stops("result", reason)).calls(&["create_boleto"]).says(&[CHECKED]);
        assert!(!turned.claims_success(), "{lie:?}: {}", turned.trace());
        assert_eq!(turned.tickets.iter().map(|ticket| ticket.kind).collect::<Vec<_>>(), [TicketKind::Incident]);
        assert_eq!(turned.tickets[0].about.as_ref(), Some(&turned.calls[0].key));
    }
}

#[test]
fn a_record_that_cannot_be_read_is_no_success() {
    let mut script = asked();
    script.world.read_backs_fail = true;
    let turned = script.says("sim");
    turned.decides(stops("result", "read_back_mismatch")).says(&[CHECKED]);
}

#[test]
fn an_empty_record_is_no_success_even_where_no_promise_looks_at_it() {
    let mut script = Script::with(policy_with(|parts: &mut Parts| {
        parts.tools.get_mut("cancel_boleto").expect("the tool").result.ensure.clear();
    }));
    script.hears("cancela o boleto BOL-1001", surely("CANCEL"));
    script.outcomes.push_back(ToolOutcome::Done(Value::Record(row(&[
        ("boleto_id", Value::text("BOL-1001")),
        ("status", Value::text("CANCELLED")),
    ]))));
    script.world.read_backs_fail = true;
    let turned = script.says("sim");
    turned.decides(stops("result", "read_back_mismatch")).says(&[CHECKED]);
    assert!(!turned.claims_success());
}

#[test]
fn a_cancellation_that_was_not_written_is_no_success() {
    let mut script = Script::new();
    script.world.lie = Some(Lie::NothingWritten);
    script.hears("cancela o boleto BOL-1001", surely("CANCEL"));
    script.says("sim").decides(stops("result", "read_back_mismatch")).says(&[CHECKED]);
}

#[test]
fn a_result_in_another_shape_is_malformed() {
    for result in [
        Value::Null,
        Value::Bool(true),
        Value::text("ok"),
        Value::List(Vec::new()),
        Value::List(vec![Value::Record(row(&[]))]),
        Value::Record(row(&[])),
        Value::Record(row(&[("boleto_id", Value::Int(1001)), ("status", Value::text("CANCELLED"))])),
        Value::Record(row(&[("boleto_id", Value::text("BOL-1001")), ("status", Value::Null)])),
    ] {
        let mut script = Script::new();
        script.hears("cancela o boleto BOL-1001", surely("CANCEL"));
        script.outcomes.push_back(ToolOutcome::Done(result));
        script.says("sim").decides(stops("result", "result_malformed")).says(&[CHECKED]);
    }
}

#[test]
fn a_tools_own_refusal_goes_where_the_pack_says() {
    let mut script = Script::new();
    script.hears("cancela o boleto BOL-1001", surely("CANCEL"));
    script.outcomes.push_back(ToolOutcome::Refused(Reason::StateConflict));
    let turned = script.says("sim");
    turned.decides(stops("result", "tool_refused")).says(&["O boleto BOL-1001 está em aberto."]);
    let mut script = asked();
    script.outcomes.push_back(ToolOutcome::Refused(Reason::CapacityTaken));
    script.says("sim").says(&["Não posso fazer isso. Nada foi feito."]);
}

#[test]
fn two_failures_in_a_row_hand_over() {
    let fail = || ToolOutcome::Failed("refused by the bank".to_owned());
    let mut script = asked();
    script.outcomes.push_back(fail());
    script.says("sim").decides(stops("result", "tool_failed")).says(&[LATER]);
    script.hears("boleto de 150 reais para a Ana, vence sexta", surely("CREATE"));
    script.outcomes.push_back(fail());
    let turned = script.says("sim");
    turned.decides(stops("result", "tool_errors_in_row")).says(&["Vou chamar uma pessoa da equipe."]);
    assert!(script.state.is_handed_over);
}

#[test]
fn a_success_between_failures_starts_the_count_again() {
    let mut script = Script::new();
    for fails in [true, false, true] {
        script.hears("status do boleto BOL-1001", surely("QUESTION"));
        if fails {
            script.outcomes.push_back(ToolOutcome::Failed("away".to_owned()));
        }
        script.hears("status do boleto BOL-1001", surely("STATUS"));
        assert!(!script.state.is_handed_over);
    }
}

#[test]
fn unknown_is_told_as_being_checked() {
    let mut script = asked();
    script.outcomes.push_back(ToolOutcome::Unknown("timeout".to_owned()));
    let turned = script.says("sim");
    turned.decides(waits("result", "outcome_unknown")).says(&[CHECKED]);
    assert_eq!(turned.tickets.iter().map(|ticket| ticket.kind).collect::<Vec<_>>(), [TicketKind::Unknown]);
    assert_eq!(script.state.unresolved.len(), 1);
    let key = turned.calls[0].key.clone();
    script.feed(Happening::CalledBack { key: key.clone() }).decides(notes("result", "callback_hint")).says(&[]);
    script.feed(Happening::CalledBack { key: "another".to_owned() }).decides(notes("result", "out_of_turn"));
    let query = script.feed(Happening::TimerFired(Timer::Query(key.clone())));
    assert_eq!(query.says(&[]).tickets.len(), 1);
    let again = ToolOutcome::Unknown("still".to_owned());
    script.feed(Happening::ToolReturned { key: key.clone(), outcome: again });
    assert_eq!(script.state.unresolved.len(), 1, "still nobody knows");
    let settled = script.feed(Happening::ToolReturned { key, outcome: ToolOutcome::Failed("rejected".to_owned()) });
    assert_eq!((settled.says(&[]).tickets.len(), script.state.unresolved.len()), (1, 0));
}

#[test]
fn an_unknown_read_is_only_a_failure() {
    let mut script = Script::new();
    script.outcomes.push_back(ToolOutcome::Unknown("timeout".to_owned()));
    let turned = script.hears("status do boleto BOL-1001", surely("STATUS"));
    turned.says(&[LATER]);
    assert!(script.state.unresolved.is_empty());
}

#[test]
fn endings_lead_where_the_pack_says() {
    for outcome in [ToolOutcome::Failed("away".to_owned()), ToolOutcome::Unknown("timeout".to_owned())] {
        let mut script = Script::new();
        script.hears("me lembra dia 23/11/2026", surely("REMIND"));
        script.outcomes.push_back(outcome);
        script.says("sim").says(&["Sem lembrete."]);
    }
}

#[test]
fn an_outcome_for_another_key_is_nobodys() {
    let mut script = asked();
    script.is_hanging = true;
    let key = script.says("sim").calls[0].key.clone();
    let done = ToolOutcome::Done(Value::Record(row(&[])));
    let stray = Happening::ToolReturned { key: format!("{key}x"), outcome: done };
    script.feed(stray).decides(notes("turn", "out_of_turn")).says(&[]);
}

#[test]
fn a_message_during_a_call_is_told_to_wait_and_starts_nothing() {
    let mut script = asked();
    script.is_hanging = true;
    script.says("sim").calls(&["create_boleto"]);
    let turned = script.hears("cancela o boleto BOL-1001", surely("CANCEL"));
    turned.decides(waits("turn", "outcome_unknown")).says(&[CHECKED]).calls(&[]);
}

#[test]
fn a_stop_during_a_call_is_carried_out_at_once() {
    let mut script = asked();
    script.is_hanging = true;
    let key = script.says("sim").calls[0].key.clone();
    let turned = script.says("stop");
    turned.decides(stops("consent", "opted_out"));
    assert_eq!(turned.consents, [true]);
    script.is_hanging = false;
    // The outcome is still verified and recorded, and nobody is written to.
    let outcome = ToolOutcome::Failed("away".to_owned());
    script.feed(Happening::ToolReturned { key, outcome }).decides(stops("result", "tool_failed")).says(&[]);
}

#[test]
fn after_a_crash_nothing_is_decided_again() {
    let open = |outcome| {
        let mut script = asked();
        script.is_hanging = true;
        let key = script.says("sim").calls[0].key.clone();
        let open = OpenIntent { key, tool: "create_boleto".to_owned(), class: Recovery::A, outcome };
        let turned = script.feed(Happening::Resumed(Some(open)));
        turned.decides(notes("turn", "resumed")).calls(&[]);
        turned
    };
    open(None).decides(waits("result", "outcome_unknown")).says(&[CHECKED]);
    open(Some(ToolOutcome::Failed("away".to_owned()))).says(&[LATER]);
    // Reported as done, but the record was never written.
    let mut script = asked();
    script.is_hanging = true;
    let made = script.says("sim").calls[0].clone();
    let mut reported = made.arguments.clone();
    reported.extend(row(&[("boleto_id", Value::text("BOL-7777")), ("status", Value::text("OPEN"))]));
    let outcome = Some(ToolOutcome::Done(Value::Record(reported)));
    let open = OpenIntent { key: made.key, tool: made.tool, class: Recovery::A, outcome };
    script.feed(Happening::Resumed(Some(open))).decides(stops("result", "read_back_mismatch")).says(&[CHECKED]);
}

#[test]
fn a_crash_before_the_intent_leaves_the_question_open() {
    let mut script = asked();
    script.feed(Happening::Resumed(None)).decides(notes("turn", "resumed")).says(&[]).calls(&[]);
    script.says("sim").calls(&["create_boleto"]);
}

#[test]
fn a_result_too_big_to_keep_is_cut_or_no_answer() {
    let mut script = Script::new();
    for number in 2000..2100 {
        let id = format!("BOL-{number}");
        script.world.boletos.insert(id.clone(), crate::script::boleto(&id, "Ana Souza", 100, "2026-12-01", "OPEN"));
    }
    // A list that was only read is shown as far as it fits.
    let turned = script.hears("lista os boletos", surely("LIST"));
    let lines = turned.sent[0].lines().count();
    assert!((10..100).contains(&lines), "{lines}");
    // An answer about something that was done is not.
    script.hears("cancela o boleto BOL-1001", surely("CANCEL"));
    let huge = Value::text("x".repeat(5_000));
    let result = row(&[("boleto_id", Value::text("BOL-1001")), ("status", Value::text("CANCELLED")), ("note", huge)]);
    script.outcomes.push_back(ToolOutcome::Done(Value::Record(result)));
    script.says("sim").decides(stops("result", "result_malformed")).says(&[CHECKED]);
}

#[test]
fn a_stray_reading_does_not_make_a_running_call_forgotten() {
    let mut script = asked();
    script.is_hanging = true;
    script.says("sim").calls(&["create_boleto"]);
    let running = script.state.phase.clone();
    script.feed(Happening::Sensed(surely("CREATE"))).decides(notes("turn", "out_of_turn"));
    assert_eq!(script.state.phase, running);
    script.says("sim").calls(&[]);
}
