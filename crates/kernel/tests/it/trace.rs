//! Gate 9: origins, and agreement with the open request, for a planner that may say anything.

use countersign_kernel::decision::{Gate, Verdict};
use countersign_kernel::event::Proposal;
use countersign_kernel::origin::Witness;
use countersign_kernel::policy::{Body, OriginKind};
use countersign_nlu::Value;
use serde_json::json;

use crate::bench_pack::{brl, policy_with};
use crate::script::{Script, Turned, asks, passes, stops, surely};

fn propose(tool: &str, arguments: &serde_json::Value) -> Proposal {
    Proposal::Call { tool: tool.to_owned(), arguments: arguments.to_string() }
}

/// A conversation in the planner's journey, opened with these words, and one proposal.
fn plan(words: &str, tool: &str, arguments: &serde_json::Value) -> (Script, Turned) {
    let mut script = Script::new();
    script.proposals.push_back(propose(tool, arguments));
    let turned = script.hears(words, surely("ASSIST"));
    (script, turned)
}

#[track_caller]
fn accepted(words: &str, tool: &str, arguments: &serde_json::Value) -> Turned {
    let (_, turned) = plan(words, tool, arguments);
    turned.decides(passes("trace", "ok"));
    turned
}

#[track_caller]
fn refused(words: &str, tool: &str, arguments: &serde_json::Value, reason: &'static str) {
    let (_, turned) = plan(words, tool, arguments);
    turned.decides(stops("trace", reason)).calls(&[]);
    assert!(!turned.decisions.iter().any(|d| d.gate == Gate::Arm), "{}", turned.trace());
}

#[test]
fn a_call_with_its_values_in_the_message_is_traced() {
    let words = "cobra 150 reais vence sexta";
    for arguments in [
        json!({}),
        json!({"amount_cents": 15_000}),
        json!({"amount_cents": 15_000, "due_date": "2026-11-20"}),
        json!({"amount_cents": 15_000, "twice": 30_000, "channel": "app"}),
    ] {
        let turned = accepted(words, "charge", &arguments);
        turned.decides(asks("confirm", "confirmation_required"));
        turned.says(&["Cobrar R$ 150,00 pelo canal app. Confirma?"]);
    }
}

#[test]
fn what_only_a_model_said_has_no_origin() {
    let words = "cobra 150 reais vence sexta";
    for (arguments, reason) in [
        (json!({"amount_cents": 99_900}), "no_origin"),
        (json!({"due_date": "2026-11-21"}), "no_origin"),
        (json!({"guests": 4}), "no_origin"),
        (json!({"channel": "web"}), "no_origin"),
        (json!({"twice": 1}), "no_origin"),
    ] {
        refused(words, "charge", &arguments, reason);
    }
    // A required slot nobody filled.
    refused("cobra alguma coisa", "charge", &json!({}), "argument_missing");
    refused("cobra alguma coisa", "charge", &json!({"amount_cents": 15_000}), "no_origin");
}

#[test]
fn forms_that_do_not_fit_are_refused_and_never_repaired() {
    for (arguments, reason) in [
        (json!({"amount_cents": "15000"}), "argument_invalid"),
        (json!({"amount_cents": 150.0}), "argument_invalid"),
        (json!({"amount_cents": null}), "argument_invalid"),
        (json!({"due_date": "sexta"}), "argument_invalid"),
        (json!({"due_date": "2026-02-30"}), "argument_invalid"),
        (json!({"sudo": true}), "argument_unknown"),
        (json!([]), "argument_invalid"),
        (json!("charge"), "argument_invalid"),
    ] {
        let (_, turned) = plan("cobra 150 reais", "charge", &arguments);
        turned.decides(stops("permit", reason)).calls(&[]);
    }
    let mut script = Script::new();
    let broken = Proposal::Call { tool: "charge".to_owned(), arguments: "{\"amount_cents\": 15000".to_owned() };
    script.proposals.push_back(broken);
    script.hears("cobra 150 reais", surely("ASSIST")).decides(stops("permit", "argument_invalid")).calls(&[]);
}

#[test]
fn act_the_call_serves_the_open_request() {
    refused("cobra 150 reais", "cancel_boleto", &json!({"boleto_id": "BOL-1001"}), "act_mismatch");
    refused("cobra 150 reais", "create_boleto", &json!({}), "act_mismatch");
    let (_, turned) = plan("cobra 150 reais", "refund_all", &json!({}));
    turned.decides(stops("permit", "tool_unknown")).calls(&[]);
}

#[test]
fn act_a_tool_must_be_allowed_in_the_step() {
    let mut script = Script::with(policy_with(|parts| {
        let plan = &mut parts.journeys.get_mut("assist").expect("the journey").steps[0];
        plan.body = Body::Plan { tools: vec!["search".to_owned()] };
    }));
    script.proposals.push_back(propose("charge", &json!({})));
    let turned = script.hears("cobra 150 reais", surely("ASSIST"));
    turned.decides(stops("permit", "tool_not_allowed_here")).calls(&[]);
}

#[test]
fn act_nobody_asked_for_anything() {
    let mut script = Script::new();
    let what = countersign_kernel::event::Happening::Proposed(propose("charge", &json!({})));
    script.feed(what).decides(crate::script::notes("turn", "out_of_turn")).calls(&[]);
}

#[test]
fn latest_a_replaced_value_is_no_witness() {
    let check = |arguments: serde_json::Value, expected| {
        let mut script = Script::new();
        script.hears("cobra 150 reais vence sexta", surely("ASSIST"));
        script.proposals.push_back(propose("charge", &arguments));
        script.hears("na verdade 200 reais", surely("ASSIST")).decides(expected).calls(&[]);
    };
    check(json!({"amount_cents": 15_000}), stops("trace", "value_withdrawn"));
    check(json!({"amount_cents": 20_000}), passes("trace", "ok"));
}

#[test]
fn latest_counts_for_arguments_without_a_slot_too() {
    let check = |limit: i64, expected| {
        let mut script = Script::new();
        script.hears("lista os boletos", surely("LIST"));
        script.hears("segura o BOL-1001 até 150 reais", surely("ASSIST"));
        script.proposals.push_back(propose("hold_row", &json!({"boleto_id": "BOL-1001", "limit": limit})));
        script.hears("na verdade 200 reais", surely("ASSIST")).decides(expected);
    };
    check(15_000, stops("trace", "value_withdrawn"));
    check(20_000, passes("trace", "ok"));
}

#[test]
fn role_a_value_counts_only_for_its_own_field() {
    accepted("cobra 150 reais para 4 pessoas, vence sexta", "charge", &json!({"guests": 4}));
    // Said, but as the due date and not as the day to remind.
    refused("cobra 150 reais, vence sexta", "charge", &json!({"remind_on": "2026-11-20"}), "role_mismatch");
    let words = "cobra 150 reais, vence sexta, lembrar quinta";
    accepted(words, "charge", &json!({"due_date": "2026-11-20", "remind_on": "2026-11-19"}));
    refused(words, "charge", &json!({"due_date": "2026-11-19"}), "role_mismatch");
    refused(words, "charge", &json!({"due_date": "2026-11-19", "remind_on": "2026-11-20"}), "role_mismatch");
}

#[test]
fn unit_the_number_keeps_its_unit() {
    let words = "cobra 150 reais vence sexta";
    refused(words, "charge", &json!({"amount_cents": 150}), "unit_mismatch");
    refused(words, "charge", &json!({"amount_cents": 1_500_000}), "unit_mismatch");
    refused(words, "charge", &json!({"amount_cents": 15_001}), "no_origin");
    // Another currency is no amount of this pack.
    refused("cobra 150 euros", "charge", &json!({"amount_cents": 15_000}), "no_origin");
}

#[test]
fn link_the_id_belongs_to_the_thing_that_was_named() {
    let words = "cobra 150 reais para a Ana";
    for name in ["Ana", "Ana Souza"] {
        accepted(words, "charge", &json!({"contact_name": name}));
    }
    refused(words, "charge", &json!({"contact_name": "Bruno Lima"}), "link_mismatch");
    refused(words, "charge", &json!({"contact_name": "ana"}), "link_mismatch");
    refused("cobra 150 reais", "charge", &json!({"contact_name": "Ana Souza"}), "no_origin");
    refused("cobra 150 reais para o João", "charge", &json!({}), "ambiguous_match");
    refused("cobra 150 reais para o Zeferino", "charge", &json!({}), "not_found");
}

/// A list was read, then the planner proposes about it.
fn about_rows(arguments: &serde_json::Value, seconds: i64) -> Turned {
    let mut script = Script::new();
    script.hears("lista os boletos", surely("LIST")).calls(&["list_boletos"]);
    script.wait(seconds);
    script.proposals.push_back(propose("hold_row", arguments));
    script.hears("segura esse", surely("ASSIST"))
}

#[test]
fn row_arguments_of_one_thing_come_from_one_row() {
    for (arguments, expected) in [
        (json!({"boleto_id": "BOL-1001"}), passes("trace", "ok")),
        (json!({"boleto_id": "BOL-1001", "holder": "Ana Souza"}), passes("trace", "ok")),
        (json!({"boleto_id": "BOL-1001", "amount": 15_000}), passes("trace", "ok")),
        (json!({"boleto_id": "BOL-1001", "holder": "Bruno Lima"}), stops("trace", "row_mismatch")),
        // `amount` stands before `boleto_id` in the alphabet; the row counts all the same.
        (json!({"boleto_id": "BOL-1001", "amount": 20_000}), stops("trace", "row_mismatch")),
        (json!({"boleto_id": "BOL-9999"}), stops("trace", "no_origin")),
        (json!({"boleto_id": "OPEN"}), stops("trace", "origin_not_allowed")),
        (json!({"holder": "Ana Souza"}), stops("trace", "argument_missing")),
    ] {
        about_rows(&arguments, 1).decides(expected);
    }
}

#[test]
fn row_the_second_of_two_equal_values_is_found_in_its_row() {
    let mut script = Script::new();
    let twin = crate::script::boleto("BOL-1004", "Ana Souza", 30_000, "2026-12-01", "OPEN");
    script.world.boletos.insert("BOL-1004".to_owned(), twin);
    script.hears("lista os boletos", surely("LIST"));
    let same = json!({"boleto_id": "BOL-1004", "holder": "Ana Souza", "amount": 30_000});
    script.proposals.push_back(propose("hold_row", &same));
    script.hears("segura esse", surely("ASSIST")).decides(passes("trace", "ok"));
}

#[test]
fn freshness_a_fact_older_than_its_lifetime_is_stale() {
    let arguments = json!({"boleto_id": "BOL-1001"});
    about_rows(&arguments, 60).decides(passes("trace", "ok"));
    about_rows(&arguments, 61).decides(stops("trace", "fact_stale"));
}

#[test]
fn a_person_saying_an_id_is_not_a_row() {
    let mut script = Script::new();
    script.proposals.push_back(propose("hold_row", &json!({"boleto_id": "BOL-1001"})));
    // Said, never read: this argument accepts results only.
    script.hears("segura o BOL-1001", surely("ASSIST")).decides(stops("trace", "origin_not_allowed"));
}

/// The witness the trace gate recorded for the only argument of a kind.
fn witnesses(turned: &Turned) -> Vec<Witness> {
    let traced = turned.decisions.iter().find(|d| d.gate == Gate::Trace && d.verdict == Verdict::Pass);
    traced.expect("a traced call").witnesses.clone()
}

fn kinds(turned: &Turned) -> Vec<OriginKind> {
    witnesses(turned).iter().map(Witness::kind).collect()
}

#[test]
fn every_origin_leaves_its_witness() {
    let turned = accepted("cobra 150 reais para a Ana", "charge", &json!({}));
    // amount_cents, channel, contact_name, twice.
    let expected = [OriginKind::Span, OriginKind::Default, OriginKind::Span, OriginKind::Computed];
    assert_eq!(kinds(&turned), expected);
    let [amount, _, contact, twice] = &witnesses(&turned)[..] else { panic!("four arguments") };
    assert_eq!(amount.message(), Some(1));
    assert!(matches!(contact, Witness::Linked { .. }), "{contact:?}");
    assert_eq!(*twice, Witness::Computed { of: vec![amount.clone()] });

    let turned = about_rows(&json!({"boleto_id": "BOL-1003"}), 1);
    let [Witness::Result { row: 2, field, .. }] = &witnesses(&turned)[..] else { panic!("{}", turned.trace()) };
    assert_eq!(field, "boleto_id");
}

#[test]
fn a_relative_value_points_at_its_words_and_slot() {
    let mut script = Script::new();
    script.hears("boleto de 150 reais para a Ana, vence sexta", surely("CREATE"));
    let turned = script.says("50 reais a mais");
    turned.decides(asks("confirm", "confirmation_required"));
    let relative = witnesses(&turned).into_iter().find(|witness| witness.kind() == OriginKind::Relative);
    let Some(Witness::Relative { message: 2, slot, .. }) = relative else { panic!("{}", turned.trace()) };
    assert_eq!(slot, "amount_cents");
    let pending = script.state.pending().expect("a question");
    assert_eq!(pending.call.arguments["amount_cents"], brl(20_000));
}

#[test]
fn an_offer_counts_where_the_argument_takes_offers() {
    let run = |allow: bool| {
        let mut script = Script::with(policy_with(|parts| {
            let tool = parts.tools.get_mut("set_reminder").expect("the tool");
            let argument = tool.arguments.get_mut("remind_on").expect("the argument");
            if !allow {
                argument.origins.remove(&OriginKind::Offer);
            }
        }));
        let asked = script.hears("me lembra", surely("REMIND"));
        asked.says(&["Preciso saber: remind on. Pode ser 23/11/2026?"]);
        script.says("sim")
    };
    let turned = run(true);
    turned.says(&["Lembrar em 23/11/2026. Confirma?"]).calls(&[]);
    assert_eq!(witnesses(&turned), [Witness::Offer { message: 2 }]);
    run(false).decides(stops("trace", "origin_not_allowed")).says(&["Não posso fazer isso. Nada foi feito."]);
}

#[test]
fn a_choice_points_at_the_list_and_row() {
    let mut script = Script::new();
    let turned = script.hears("boleto de 150 reais para o João, vence sexta", surely("CREATE"));
    turned.decides(stops("trace", "ambiguous_match")).says(&["Qual deles?\n1. João Silva\n2. João Pereira"]);
    let turned = script.says("o segundo");
    turned.decides(asks("confirm", "confirmation_required"));
    let said = witnesses(&turned).into_iter().find(|witness| witness.kind() == OriginKind::Choice);
    let Some(Witness::Linked { said, .. }) = said else { panic!("{}", turned.trace()) };
    assert_eq!(*said, Witness::Choice { message: 2, list: 1, row: 1 });
}

#[test]
fn a_default_is_shown_and_only_its_own_value_passes() {
    accepted("cobra 150 reais", "charge", &json!({"channel": "app"}));
    let policy = policy_with(|parts| {
        let tool = parts.tools.get_mut("charge").expect("the tool");
        let channel = tool.arguments.get_mut("channel").expect("the argument");
        channel.default = Some(Value::text("fax"));
    });
    let mut script = Script::with(policy);
    script.proposals.push_back(propose("charge", &json!({})));
    // The default itself must be one of the allowed values.
    script.hears("cobra 150 reais", surely("ASSIST")).decides(stops("permit", "argument_invalid")).calls(&[]);
}

#[test]
fn values_leave_the_window_after_twenty_messages() {
    let run = |messages: u64| {
        let mut script = Script::new();
        script.hears("lista os boletos", surely("LIST"));
        script.hears("segura até 170 reais", surely("ASSIST"));
        for _ in 0..messages {
            script.hears("e então", surely("ASSIST"));
        }
        // The slot would witness it; this argument has none.
        script.proposals.push_back(propose("hold_row", &json!({"boleto_id": "BOL-1001", "limit": 17_000})));
        script.hears("segura", surely("ASSIST"))
    };
    run(18).decides(passes("trace", "ok"));
    run(19).decides(stops("trace", "no_origin"));
}

#[test]
fn a_status_question_never_becomes_a_cancellation() {
    let mut script = Script::new();
    script.hears("quero cancelar", surely("CANCEL"));
    let turned = script.hears("qual o status do BOL-1001?", surely("STATUS"));
    turned.calls(&["check_status"]);
    assert_eq!(script.world.boletos["BOL-1001"]["status"], Value::text("OPEN"));
    // Back in the suspended request, the id of the other one was not taken over.
    assert!(script.state.frame.expect("the cancellation").slots.is_empty());
    assert_eq!(turned.sent.last().map(String::as_str), Some("Preciso saber: boleto id"));
}

#[test]
fn free_text_instead_of_a_call_is_escalated() {
    let mut script = Script::new();
    script.proposals.push_back(Proposal::FreeText);
    let turned = script.hears("cobra 150 reais", surely("ASSIST"));
    turned.decides(stops("turn", "free_text_instead_of_call")).says(&["Vou chamar uma pessoa da equipe."]);
    let mut script = Script::new();
    script.proposals.push_back(Proposal::Nothing);
    script.hears("cobra 150 reais", surely("ASSIST")).says(&["O que você deseja?"]).calls(&[]);
}
