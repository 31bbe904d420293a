//! Gate 11: a yes counts once, for exactly the call and quote that were shown, and nothing else is a yes.

use countersign_kernel::event::{Content, Happening, Refused, Timer};
use countersign_kernel::policy::{EffectClass, Parts, Policy};
use countersign_kernel::reason::Reason;
use countersign_nlu::Value;

use crate::bench_pack::{brl, policy_with};
use crate::script::{Expected, Script, Turned, asks, notes, passes, stops, surely, unknown};
use countersign_kernel::event::Reading;

const REQUEST: &str = "boleto de 150 reais para a Ana, vence sexta";
const QUESTION: &str = "Boleto de R$ 150,00 para Ana Souza (+5511900000001), vence em 20/11/2026. Confirma?";
const SUCCESS: &str = "SUCESSO: BOL-1004 criado, R$ 150,00 para Ana Souza.";
const EXPIRED: &str = "A confirmação expirou e nada foi feito.";
const AGAIN: &str = "Confirma? (Sim/Não)";
const OPEN_QUESTION: &str = "O que você deseja?";

/// A conversation that waits for a yes.
fn asked() -> Script {
    asked_with(crate::bench_pack::policy())
}

fn asked_with(policy: Policy) -> Script {
    let mut script = Script::with(policy);
    script.hears(REQUEST, surely("CREATE")).says(&[QUESTION]).calls(&[]);
    script
}

fn nonce(script: &Script) -> String {
    script.state.pending().expect("a question").nonce.clone()
}

#[test]
fn the_question_shows_the_call_and_starts_a_timer() {
    let mut script = Script::new();
    let turned = script.hears(REQUEST, surely("CREATE"));
    turned.decides(asks("confirm", "confirmation_required")).says(&[QUESTION]);
    let pending = script.state.pending().expect("a question");
    let timer = Timer::Confirmation(pending.nonce.clone());
    assert_eq!(turned.timers, [(timer, pending.expires_at)]);
    assert_eq!(pending.expires_at.duration_since(script.now).as_secs(), 300);
    let payloads: Vec<&str> = turned.buttons.iter().map(|(_, payload)| payload.as_str()).collect();
    assert_eq!(payloads, [format!("yes:{}", pending.nonce), format!("no:{}", pending.nonce)]);
}

#[test]
fn a_yes_runs_the_stored_call_once() {
    let mut script = asked();
    let pending = script.state.pending().expect("a question").clone();
    let turned = script.says("sim");
    turned.decides(passes("confirm", "confirmation_confirmed")).calls(&["create_boleto"]).says(&[SUCCESS]);
    assert_eq!(turned.senses, 0, "a yes is read without a model");
    assert_eq!(turned.calls[0].arguments, pending.call.arguments);
    assert_eq!(turned.calls[0].nonce.as_deref(), Some(pending.nonce.as_str()), "the yes is spent with the call");
    assert_eq!(turned.calls[0].effect, EffectClass::Money);
    script.says("sim").calls(&[]);
    assert!(script.state.frame.is_none());
}

#[test]
fn what_counts_as_a_yes_a_no_or_neither() {
    for yes in ["sim", "Sim!", "SIM", "ok", "confirmo", "pode", "sim, por favor", "ok 👍"] {
        asked().says(yes).calls(&["create_boleto"]);
    }
    for no in ["não", "Não!", "cancela", "pare"] {
        let mut script = asked();
        let turned = script.says(no);
        turned.decides(stops("confirm", "confirmation_rejected")).says(&["Operação cancelada."]).calls(&[]);
        assert!(script.state.frame.is_none());
        script.says("sim").calls(&[]);
    }
    for neither in ["talvez", "acho que sim", "hm", "sim não", "não sei", "\"sim\"", "sim?", "ele disse sim", "👍?"]
    {
        let mut script = asked();
        script.says(neither).says(&[AGAIN]).calls(&[]);
        assert!(script.state.pending().is_some(), "{neither}: the question stays");
    }
}

#[test]
fn neither_is_recorded_as_pending_and_does_not_hand_over() {
    let mut script = asked();
    for _ in 0..6 {
        script.says("hm").decides(asks("confirm", "confirmation_pending")).says(&[AGAIN]);
    }
    script.says("sim").calls(&["create_boleto"]);
}

#[test]
fn a_yes_in_the_message_that_asks_confirms_nothing() {
    for text in ["sim, boleto de 150 reais para a Ana, vence sexta", "boleto de 150 reais para a Ana, vence sexta, sim"]
    {
        let mut script = Script::new();
        script.hears(text, surely("CREATE")).decides(asks("confirm", "confirmation_required")).calls(&[]);
    }
    // A yes before there is a question.
    let mut script = Script::new();
    script.hears("boleto de 150 reais, vence sexta", surely("CREATE"));
    script.says("sim").calls(&[]);
    script.says("Ana Souza").calls(&[]).says(&[QUESTION]);
}

#[test]
fn a_redelivered_message_is_no_second_yes() {
    let mut script = asked();
    let first = script.events[0].what.clone();
    assert_eq!(first.name(), "heard");
    script.feed(first).decides(notes("turn", "out_of_turn")).calls(&[]).says(&[]);
    assert!(script.state.pending().is_some());
}

#[test]
fn a_yes_with_a_change_is_a_correction() {
    for text in ["sim, mas 200 reais", "sim mas de 200 reais", "na verdade 200 reais", "não, 200 reais", "200 reais"] {
        let mut script = asked();
        let old = nonce(&script);
        let turned = script.says(text);
        turned.decides(notes("confirm", "confirmation_corrected")).calls(&[]);
        turned.says(&["Boleto de R$ 200,00 para Ana Souza (+5511900000001), vence em 20/11/2026. Confirma?"]);
        assert_ne!(nonce(&script), old, "a new question has a new row");
        let done = script.says("sim");
        assert_eq!(done.calls[0].arguments["amount_cents"], brl(20_000), "{text}");
    }
}

#[test]
fn a_yes_with_a_condition_asks_again() {
    for text in ["sim, mas só se for hoje à noite", "sim, se ele pagar"] {
        asked().says(text).calls(&[]);
    }
}

#[test]
fn a_yes_with_a_question_that_names_no_value_is_a_yes() {
    let ask = |topic: Option<&str>| Reading { topic: topic.map(str::to_owned), ..surely("QUESTION") };
    let mut script = asked();
    let turned = script.hears("sim. e como funciona?", ask(Some("weekend")));
    turned.calls(&["create_boleto"]);
    turned.says(&[SUCCESS, "Em fim de semana vale o próximo dia útil."]);
    // The model's topic alone is no yes, and a question about another value is none either.
    asked().hears("e como funciona?", ask(Some("weekend"))).calls(&[]);
    asked().hears("sim, e se for 200 reais?", ask(Some("weekend"))).calls(&[]);
    asked().hears("sim, ou não?", ask(Some("weekend"))).calls(&[]);
}

#[test]
fn a_question_is_answered_within_five_minutes() {
    let check = |seconds, expected: Expected, calls: &[&str]| {
        let mut script = asked();
        script.wait(seconds).says("sim").decides(expected).calls(calls);
    };
    check(0, passes("confirm", "confirmation_confirmed"), &["create_boleto"]);
    check(299, passes("confirm", "confirmation_confirmed"), &["create_boleto"]);
    check(300, passes("confirm", "confirmation_confirmed"), &["create_boleto"]);
    check(301, stops("confirm", "confirmation_expired"), &[]);
    let mut late = asked();
    late.wait(301).says("sim").says(&[EXPIRED]);
    assert!(late.state.frame.is_none());
}

#[test]
fn a_yes_button_expires_like_a_yes() {
    let mut script = asked();
    let payload = format!("yes:{}", nonce(&script));
    script.wait(301).presses(&payload).decides(stops("confirm", "confirmation_expired")).calls(&[]);
}

#[test]
fn the_timer_expires_the_question_it_was_started_for() {
    let mut script = asked();
    let timer = Happening::TimerFired(Timer::Confirmation(nonce(&script)));
    script.wait(299).feed(timer.clone()).decides(notes("turn", "out_of_turn")).says(&[]);
    assert!(script.state.pending().is_some(), "early: the runtime's clock is ahead");
    let turned = script.wait(1).feed(timer.clone());
    turned.decides(stops("confirm", "confirmation_expired")).says(&[EXPIRED]);
    assert!(script.state.frame.is_none());
    script.feed(timer).decides(notes("turn", "out_of_turn")).says(&[]);
    let mut other = asked();
    let stale = Happening::TimerFired(Timer::Confirmation("another".to_owned()));
    other.wait(400).feed(stale).decides(notes("turn", "out_of_turn")).says(&[]);
}

#[test]
fn a_paused_question_expires_quietly() {
    let mut script = asked();
    let timer = Happening::TimerFired(Timer::Confirmation(nonce(&script)));
    script.hears("cancela um boleto", surely("CANCEL"));
    assert_eq!(script.state.paused.len(), 1);
    script.wait(300).feed(timer).decides(stops("confirm", "confirmation_expired")).says(&[]);
    assert!(script.state.paused.is_empty());
}

#[test]
fn buttons_answer_only_their_own_question() {
    let mut script = asked();
    let payload = format!("yes:{}", nonce(&script));
    script.presses(&payload).calls(&["create_boleto"]);
    // It was done: nothing may say that it was not.
    script.presses(&payload).decides(stops("confirm", "confirmation_expired")).calls(&[]).says(&[OPEN_QUESTION]);

    let mut script = asked();
    let old = format!("yes:{}", nonce(&script));
    script.says("200 reais").calls(&[]);
    let turned = script.presses(&old);
    turned.decides(stops("confirm", "confirmation_expired")).calls(&[]);
    assert!(turned.sent.iter().any(|text| text.contains("R$ 200,00")), "the newer question is asked again in full");
    assert!(script.state.pending().is_some(), "the newer question stays");
    let no = format!("no:{}", nonce(&script));
    script.presses(&no).decides(stops("confirm", "confirmation_rejected")).calls(&[]);

    for payload in ["", "yes:", "yes", "sim", "yes:n1", "YES:n1-2"] {
        asked().presses(payload).calls(&[]);
    }
}

/// Asked, then something behind the question changes, then yes.
#[track_caller]
fn changed(change: impl FnOnce(&mut Script)) -> (Script, Turned) {
    let mut script = asked();
    change(&mut script);
    let turned = script.says("sim");
    (script, turned)
}

#[test]
fn a_changed_fact_asks_again_and_the_new_yes_counts() {
    let (mut script, turned) = changed(|script| script.world.contacts[0].1 = "+5511911111111");
    turned.decides(notes("confirm", "quote_changed")).calls(&[]);
    turned.says(&["Boleto de R$ 150,00 para Ana Souza (+5511911111111), vence em 20/11/2026. Confirma?"]);
    script.says("sim").calls(&["create_boleto"]);
}

#[test]
fn a_fact_the_question_does_not_show_changes_nothing() {
    changed(|script| script.world.contacts[1].1 = "+5511922222222").1.calls(&["create_boleto"]);
}

#[test]
fn a_thing_that_vanished_is_refused() {
    let (_, turned) = changed(|script| script.world.contacts.clear());
    turned.decides(stops("trace", "not_found")).calls(&[]);
    let mut script = Script::new();
    script.hears("cancela o boleto BOL-1001", surely("CANCEL"));
    script.world.boletos.get_mut("BOL-1001").expect("the row").insert("status".to_owned(), Value::text("PAID"));
    let turned = script.says("sim");
    turned.decides(stops("permit", "state_conflict")).calls(&[]).says(&["O boleto BOL-1001 está pago."]);
}

#[test]
fn a_new_namesake_asks_which_one() {
    let (_, turned) = changed(|script| script.world.contacts.push(("Ana Prado", "+5511933333333")));
    turned.decides(stops("trace", "ambiguous_match")).calls(&[]);
    assert!(!turned.claims_success());
}

#[test]
fn a_changed_tool_voids_the_question() {
    let mut script = asked();
    script.policy = policy_with(|parts: &mut Parts| {
        parts.tools.get_mut("create_boleto").expect("the tool").hash = "create_boleto-2".to_owned();
    });
    let turned = script.says("sim");
    turned.decides(notes("confirm", "quote_changed")).calls(&[]).says(&[QUESTION]);
    script.says("sim").calls(&["create_boleto"]);
}

#[test]
fn a_tool_that_was_switched_off_does_nothing() {
    let mut script = asked();
    script.policy = policy_with(|parts: &mut Parts| {
        parts.journeys.remove("create");
        parts.intents.remove("CREATE");
        parts.tools.remove("create_boleto");
    });
    script.says("sim").calls(&[]);
}

#[test]
fn a_confirmation_used_elsewhere_ends_the_question() {
    let mut script = asked();
    script.is_hanging = true;
    let key = script.says("sim").calls[0].key.clone();
    let refused = Refused { key, reason: Reason::ConfirmationUsed, existing: None };
    let turned = script.feed(Happening::Refused(refused));
    turned.decides(stops("arm", "confirmation_used")).says(&[EXPIRED]).calls(&[]);
    assert!(script.state.frame.is_none());
}

#[test]
fn a_newer_message_keeps_the_question() {
    let mut script = asked();
    script.is_hanging = true;
    let key = script.says("sim").calls[0].key.clone();
    let refused = Refused { key, reason: Reason::NewerMessage, existing: None };
    script.feed(Happening::Refused(refused)).decides(stops("arm", "newer_message")).says(&[]);
    script.is_hanging = false;
    script.says("não").decides(stops("confirm", "confirmation_rejected")).calls(&[]);
}

#[test]
fn a_planner_cannot_alter_what_was_confirmed() {
    let mut script = Script::new();
    script.proposals.push_back(countersign_kernel::event::Proposal::Call {
        tool: "charge".to_owned(),
        arguments: r#"{"amount_cents": 15000}"#.to_owned(),
    });
    script.hears("cobra 150 reais", surely("ASSIST")).decides(asks("confirm", "confirmation_required"));
    let swap = countersign_kernel::event::Proposal::Call {
        tool: "charge".to_owned(),
        arguments: r#"{"amount_cents": 99900}"#.to_owned(),
    };
    script.feed(Happening::Proposed(swap)).decides(notes("turn", "out_of_turn")).calls(&[]);
    let turned = script.says("sim");
    turned.calls(&["charge"]);
    assert_eq!(turned.calls[0].arguments["amount_cents"], brl(15_000));
}

#[test]
fn a_no_may_lead_where_the_pack_says() {
    let mut script = Script::new();
    script.hears("me lembra dia 23/11/2026", surely("REMIND")).says(&["Lembrar em 23/11/2026. Confirma?"]);
    script.says("não").says(&["Sem lembrete."]).calls(&[]);
}

#[test]
fn a_voice_note_or_a_stop_is_no_yes() {
    let mut script = asked();
    script.content(Content::Voice, unknown()).calls(&[]);
    script.says("stop").calls(&[]);
    assert!(script.state.pending().is_none());
    script.says("sim").calls(&[]);
}

#[test]
fn an_early_clock_does_not_reopen_an_expired_question() {
    let mut script = asked();
    script.wait(301).hears("   ", unknown());
    script.wait(-200);
    let turned = script.says("sim");
    turned.decides(notes("turn", "clock_went_back")).decides(stops("confirm", "confirmation_expired")).calls(&[]);
}
