//! Gates 10, 12, 13, and the bounds of a turn.

use std::collections::BTreeMap;

use countersign_kernel::escalate::TicketKind;
use countersign_kernel::event::{Happening, OperatorDecision, Proposal, Refused, Timer, ToolOutcome};
use countersign_kernel::policy::{Body, EffectClass, Fact, Parts, Policy};
use countersign_kernel::reason::Reason;
use countersign_nlu::Value;

use crate::bench_pack::{APPROVE_OVER, CALL_MAX, SLOT_MAX, policy_with, tool};
use crate::script::{Expected, Script, asks, notes, passes, row, stops, surely, unknown, waits};

fn request(minor: i64) -> String {
    format!("boleto de R$ {},{:02} para a Ana, vence sexta", minor / 100, minor % 100)
}

fn asked(minor: i64) -> Script {
    let mut script = Script::new();
    script.hears(&request(minor), surely("CREATE")).decides(asks("confirm", "confirmation_required"));
    script
}

#[test]
fn one_call_spends_at_most_its_ceiling() {
    let check = |minor, expected: Expected, says: Option<&str>| {
        let turned = Script::new().hears(&request(minor), surely("CREATE"));
        turned.decides(expected).calls(&[]);
        if let Some(says) = says {
            turned.says(&[says]);
        }
    };
    check(CALL_MAX, passes("permit", "ok"), None);
    check(CALL_MAX + 1, stops("permit", "spend_limit"), Some("Não posso fazer isso. Nada foi feito."));
    check(SLOT_MAX, stops("permit", "spend_limit"), None);
    check(SLOT_MAX + 1, stops("slots", "amount_over_limit"), None);
}

#[test]
fn preconditions_hold_on_live_data() {
    let check = |id: &str, expected: Expected, says: &str| {
        let turned = Script::new().hears(&format!("cancela o boleto {id}"), surely("CANCEL"));
        turned.decides(expected).says(&[says]).calls(&[]);
    };
    let question = "Cancelar BOL-1001: R$ 150,00 para Ana Souza. Confirma?";
    check("BOL-1001", passes("permit", "ok"), question);
    check("BOL-1002", stops("permit", "state_conflict"), "O boleto BOL-1002 está pago.");
    check("BOL-9999", stops("permit", "not_found"), "Não encontrei o boleto BOL-9999.");
}

#[test]
fn a_precondition_that_cannot_be_decided_stops() {
    let mut script = Script::new();
    script.world.boletos.get_mut("BOL-1001").expect("the row").remove("status");
    let turned = script.hears("cancela o boleto BOL-1001", surely("CANCEL"));
    turned.decides(stops("permit", "cannot_decide")).says(&["Não posso fazer isso. Nada foi feito."]).calls(&[]);
}

#[test]
fn a_read_that_fails_stops_and_two_hand_over() {
    let mut script = Script::new();
    script.world.reads_fail = true;
    let turned = script.hears("cancela o boleto BOL-1001", surely("CANCEL"));
    turned.decides(stops("permit", "fact_unavailable")).says(&["Não foi possível agora, e nada foi feito."]);
    let turned = script.hears("cancela o boleto BOL-1001", surely("CANCEL"));
    turned.decides(stops("result", "tool_errors_in_row")).says(&["Vou chamar uma pessoa da equipe."]).calls(&[]);
    assert!(script.state.is_handed_over);
}

fn decide(script: &Script, is_approved: bool) -> Happening {
    let awaiting = script.state.frame.as_ref().and_then(|frame| frame.awaiting.as_ref()).expect("an approval");
    Happening::OperatorDecided(OperatorDecision {
        operator: "operator-7".to_owned(),
        digest: awaiting.digest.clone(),
        is_approved,
        why: "checked by phone".to_owned(),
    })
}

fn appealed() -> Script {
    let mut script = asked(APPROVE_OVER + 1);
    let turned = script.says("sim");
    turned.decides(waits("approve", "approval_required")).calls(&[]);
    turned.says(&["O pedido aguarda a aprovação da equipe."]);
    assert_eq!(turned.tickets.iter().map(|ticket| ticket.kind).collect::<Vec<_>>(), [TicketKind::Approval]);
    script
}

#[test]
fn amounts_over_the_threshold_need_an_operator_after_the_yes() {
    asked(APPROVE_OVER).says("sim").decides(passes("approve", "ok")).calls(&["create_boleto"]);
    let mut script = appealed();
    let turned = script.feed(decide(&script, true));
    turned.decides(passes("approve", "approval_given")).calls(&["create_boleto"]);
    assert!(turned.claims_success(), "{}", turned.trace());
}

#[test]
fn an_approval_is_used_once() {
    let mut script = appealed();
    let decision = decide(&script, true);
    script.feed(decision.clone()).calls(&["create_boleto"]);
    script.feed(decision).decides(notes("turn", "out_of_turn")).calls(&[]);
}

#[test]
fn a_denial_ends_the_request() {
    let mut script = appealed();
    let turned = script.feed(decide(&script, false));
    turned.decides(stops("approve", "approval_denied")).calls(&[]);
    turned.says(&["A equipe não aprovou. Nada foi feito."]);
    assert!(script.state.frame.is_none());
}

#[test]
fn an_approval_of_another_digest_is_nobodys() {
    let mut script = appealed();
    let other = Happening::OperatorDecided(OperatorDecision {
        operator: "operator-7".to_owned(),
        digest: "0".repeat(64),
        is_approved: true,
        why: String::new(),
    });
    script.feed(other).decides(notes("turn", "out_of_turn")).calls(&[]);
}

#[test]
fn approvals_live_a_day() {
    let run = |seconds| {
        let mut script = appealed();
        let decision = decide(&script, true);
        script.wait(seconds).feed(decision)
    };
    run(86_399).calls(&["create_boleto"]);
    // On the second day the request's own date is still ahead.
    run(86_400).calls(&["create_boleto"]);
    run(86_401).decides(stops("approve", "approval_expired")).calls(&[]);
}

#[test]
fn the_approval_timer_expires_it() {
    let mut script = appealed();
    let digest = script.state.frame.as_ref().and_then(|f| f.awaiting.as_ref()).expect("an approval").digest.clone();
    let timer = Happening::TimerFired(Timer::Approval(digest));
    script.wait(86_399).feed(timer.clone()).decides(notes("turn", "out_of_turn")).says(&[]);
    script.wait(1).feed(timer).decides(stops("approve", "approval_expired")).calls(&[]);
    assert!(script.state.frame.is_none());
}

#[test]
fn a_fact_that_changed_before_the_approval_asks_the_customer_again() {
    let mut script = appealed();
    script.world.contacts[0].1 = "+5511911111111";
    let turned = script.feed(decide(&script, true));
    turned.decides(notes("confirm", "quote_changed")).decides(asks("confirm", "confirmation_required")).calls(&[]);
    // The new yes needs a new approval.
    script.says("sim").decides(waits("approve", "approval_required")).calls(&[]);
}

#[test]
fn a_correction_withdraws_what_waits_for_approval() {
    let mut script = appealed();
    let decision = decide(&script, true);
    script.says("na verdade 200 reais").decides(asks("confirm", "confirmation_required"));
    script.feed(decision).decides(notes("turn", "out_of_turn")).calls(&[]);
}

#[test]
fn a_decision_finds_its_request_although_the_person_digressed() {
    let mut script = appealed();
    let decision = decide(&script, true);
    script.hears("cancela um boleto", surely("CANCEL")).says(&["Preciso saber: boleto id"]);
    let turned = script.feed(decision);
    turned.decides(passes("approve", "approval_given")).calls(&["create_boleto"]);
    assert!(turned.claims_success(), "{}", turned.trace());
    assert_eq!(script.state.frame.as_ref().map(|frame| frame.journey.as_str()), Some("cancel"), "and back");
}

#[test]
fn an_open_breaker_stops_before_the_call() {
    let mut script = asked(15_000);
    script.around.open_breakers = vec!["create_boleto".to_owned()];
    let turned = script.says("sim");
    turned.decides(stops("arm", "breaker_open")).says(&["Não foi possível agora, e nada foi feito."]).calls(&[]);
    assert_eq!(turned.tickets.iter().map(|ticket| ticket.kind).collect::<Vec<_>>(), [TicketKind::Incident]);
    script.around.open_breakers = vec!["cancel_boleto".to_owned()];
    script.hears(&request(15_000), surely("CREATE"));
    script.says("sim").calls(&["create_boleto"]);
}

#[test]
fn the_same_call_is_refused_while_its_twin_is_being_checked() {
    let mut script = asked(15_000);
    script.outcomes.push_back(ToolOutcome::Unknown("timeout".to_owned()));
    let turned = script.says("sim");
    turned.decides(waits("result", "outcome_unknown")).says(&["O pedido está sendo verificado."]);
    script.hears(&request(15_000), surely("CREATE"));
    let turned = script.says("sim");
    turned.decides(stops("arm", "twin_unresolved")).says(&["O pedido está sendo verificado."]).calls(&[]);
    // Another amount is another call.
    script.hears(&request(15_001), surely("CREATE"));
    script.says("sim").calls(&["create_boleto"]);
}

#[test]
fn a_repeat_quotes_the_existing_one() {
    let mut script = asked(15_000);
    script.is_hanging = true;
    let key = script.says("sim").calls[0].key.clone();
    let existing = Some(Value::Record(row(&[("boleto_id", Value::text("BOL-1001"))])));
    let refused = Refused { key, reason: Reason::RepeatWithinWindow, existing };
    script.feed(Happening::Refused(refused)).says(&["Um boleto igual já existe: BOL-1001."]).calls(&[]);
}

#[test]
fn what_the_journal_refuses_is_not_told_as_done() {
    for (reason, says) in [
        (Reason::SpendLimit, "Não posso fazer isso. Nada foi feito."),
        (Reason::BreakerOpen, "Não foi possível agora, e nada foi feito."),
        (Reason::TwinUnresolved, "O pedido está sendo verificado."),
    ] {
        let mut script = asked(15_000);
        script.is_hanging = true;
        let key = script.says("sim").calls[0].key.clone();
        let wrong = Refused { key: "another".to_owned(), reason, existing: None };
        script.feed(Happening::Refused(wrong)).decides(notes("turn", "out_of_turn")).says(&[]);
        let refused = Refused { key, reason, existing: None };
        script.feed(Happening::Refused(refused)).decides(stops("arm", reason.code())).says(&[says]);
    }
}

#[test]
fn keys_are_stable_and_distinct() {
    let key = |conversation: &str| {
        let mut script = asked(15_000);
        script.state.session.conversation = conversation.to_owned();
        script.says("sim").calls[0].key.clone()
    };
    assert_eq!(key("one"), key("one"));
    assert_ne!(key("one"), key("two"));
}

/// A journey that would do two things in one turn.
fn twice() -> Policy {
    policy_with(|parts: &mut Parts| {
        let write = tool("write_down", EffectClass::Write, "ASSIST", Vec::new());
        parts.tools.insert("write_down".to_owned(), write);
        let journey = parts.journeys.get_mut("assist").expect("the journey");
        for step in &mut journey.steps[..2] {
            step.body = Body::Call { tool: "write_down".to_owned(), on: BTreeMap::new() };
        }
    })
}

#[test]
fn one_effect_a_turn() {
    let mut script = Script::with(twice());
    let turned = script.hears("anota", surely("ASSIST"));
    turned.decides(stops("arm", "one_effect_per_turn")).calls(&["write_down"]);
}

#[test]
fn a_stray_decision_or_message_does_not_buy_a_second_effect() {
    let mut script = Script::with(twice());
    script.is_hanging = true;
    let key = script.hears("anota", surely("ASSIST")).calls(&["write_down"]).calls[0].key.clone();
    let stray = OperatorDecision {
        operator: "operator-7".to_owned(),
        digest: "0".repeat(64),
        is_approved: true,
        why: String::new(),
    };
    script.feed(Happening::OperatorDecided(stray)).calls(&[]);
    let turned = script.feed(Happening::ToolReturned { key, outcome: ToolOutcome::Done(Value::Record(row(&[]))) });
    turned.decides(stops("arm", "one_effect_per_turn")).calls(&[]);
}

#[test]
fn reads_do_not_count_as_effects() {
    let mut script = Script::with(policy_with(|parts: &mut Parts| {
        let look = tool("look", EffectClass::Read, "ASSIST", Vec::new());
        let write = tool("write_down", EffectClass::Write, "ASSIST", Vec::new());
        parts.tools.insert("look".to_owned(), look);
        parts.tools.insert("write_down".to_owned(), write);
        let journey = parts.journeys.get_mut("assist").expect("the journey");
        journey.steps[0].body = Body::Call { tool: "look".to_owned(), on: BTreeMap::new() };
        journey.steps[1].body = Body::Call { tool: "write_down".to_owned(), on: BTreeMap::new() };
    }));
    script.hears("anota", surely("ASSIST")).calls(&["look", "write_down"]);
}

#[test]
fn a_call_makes_at_most_eight_reads() {
    let with = |reads: usize| {
        let mut script = Script::with(policy_with(|parts: &mut Parts| {
            let status = parts.tools.get_mut("check_status").expect("the tool");
            let extra = status.facts[0].clone();
            status.facts.extend((1..reads).map(|number| Fact { name: format!("extra_{number}"), ..extra.clone() }));
        }));
        script.hears("status do boleto BOL-1001", surely("STATUS"))
    };
    let turned = with(8);
    turned.calls(&["check_status"]);
    assert_eq!(turned.reads, 8);
    let turned = with(9);
    turned.decides(stops("trace", "too_many_reads")).calls(&[]);
    assert_eq!(turned.reads, 0);
}

#[test]
fn two_refused_proposals_end_in_a_question() {
    let wrong = || Proposal::Call { tool: "charge".to_owned(), arguments: r#"{"amount_cents": 1}"#.to_owned() };
    let mut script = Script::new();
    script.proposals.extend([wrong(), wrong(), wrong()]);
    let turned = script.hears("cobra 150 reais", surely("ASSIST"));
    turned.decides(asks("turn", "too_many_proposals")).says(&["O que você deseja?"]).calls(&[]);
    assert_eq!(turned.proposals, 2);
    // The next message begins anew.
    script.proposals.clear();
    script.proposals.push_back(Proposal::Call { tool: "charge".to_owned(), arguments: "{}".to_owned() });
    script.hears("cobra", surely("ASSIST")).decides(asks("confirm", "confirmation_required"));
}

#[test]
fn a_second_proposal_may_be_right() {
    let mut script = Script::new();
    script.proposals.push_back(Proposal::Call { tool: "charge".to_owned(), arguments: "[]".to_owned() });
    script.proposals.push_back(Proposal::Call { tool: "charge".to_owned(), arguments: "{}".to_owned() });
    script.hears("cobra 150 reais", surely("ASSIST")).decides(asks("confirm", "confirmation_required"));
}

#[test]
fn a_text_argument_has_a_longest_length() {
    let with = |length: usize| {
        let mut script = Script::new();
        script.hears("manda uma mensagem para a Ana", surely("MESSAGE"));
        script.hears(&"x".repeat(length), unknown())
    };
    with(40).calls(&["send_message"]);
    with(41).decides(stops("permit", "argument_invalid")).calls(&[]);
}

#[test]
fn a_paused_approval_expires_quietly() {
    let mut script = appealed();
    let digest = script.state.frame.as_ref().and_then(|f| f.awaiting.as_ref()).expect("an approval").digest.clone();
    script.hears("cancela um boleto", surely("CANCEL"));
    let timer = Happening::TimerFired(Timer::Approval(digest));
    script.wait(86_400).feed(timer).decides(stops("approve", "approval_expired")).says(&[]);
    assert!(script.state.paused.is_empty());
}

#[test]
fn a_decision_during_a_call_waits_for_its_outcome() {
    let mut script = appealed();
    let decision = decide(&script, true);
    script.hears("status do BOL-1001", surely("STATUS"));
    script.is_hanging = true;
    let mut busy = script;
    let turned = busy.hears("status do BOL-1001", surely("STATUS"));
    let key = turned.calls(&["check_status"]).calls[0].key.clone();
    busy.feed(decision.clone()).decides(notes("turn", "out_of_turn")).calls(&[]);
    let outcome = ToolOutcome::Done(Value::Record(busy.world.boletos["BOL-1001"].clone()));
    busy.is_hanging = false;
    busy.feed(Happening::ToolReturned { key, outcome });
    busy.feed(decision).calls(&["create_boleto"]);
}

#[test]
fn more_rows_than_fit_are_no_fact() {
    // Cutting them would make one of two namesakes look like the only one.
    let with = |contacts: usize| {
        let mut script = Script::new();
        script.world.contacts.extend(std::iter::repeat_n(("Bruno Lima", "+5511900000002"), contacts));
        script.hears("boleto de 150 reais para a Ana, vence sexta", surely("CREATE"))
    };
    with(20).decides(asks("confirm", "confirmation_required"));
    with(60).decides(stops("permit", "fact_unavailable")).calls(&[]);
}
