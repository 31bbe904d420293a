//! What people do in the middle of a request: digress, cancel, repeat, pick, correct, come back.

use countersign_nlu::Value;

use crate::bench_pack::brl;
use crate::script::{Script, asks, notes, passes, stops, surely};

const QUESTION: &str = "Boleto de R$ 150,00 para Ana Souza (+5511900000001), vence em 20/11/2026. Confirma?";

fn asked() -> Script {
    let mut script = Script::new();
    script.hears("boleto de 150 reais para a Ana, vence sexta", surely("CREATE")).says(&[QUESTION]);
    script
}

#[test]
fn a_digression_returns_to_the_open_question() {
    let mut script = Script::new();
    script.hears("quero um boleto", surely("CREATE")).says(&["Preciso saber: contact name"]);
    let turned = script.hears("qual o status do BOL-1001?", surely("STATUS"));
    turned.decides(passes("route", "digressed")).calls(&["check_status"]);
    turned.says(&["Boleto BOL-1001: R$ 150,00 para Ana Souza, em aberto.", "Preciso saber: contact name"]);
    script.says("Ana Souza").says(&["Preciso saber: amount cents"]);
}

#[test]
fn a_digression_from_a_question_asks_it_again_and_the_yes_counts() {
    let mut script = asked();
    let turned = script.hears("o que você faz?", surely("QUESTION"));
    turned.says(&["Posso criar e cancelar boletos.", QUESTION]).calls(&[]);
    assert_eq!(turned.buttons.len(), 2, "the repeated question has its buttons");
    script.says("sim").calls(&["create_boleto"]);
}

#[test]
fn a_yes_answers_the_question_asked_last_and_no_other() {
    let mut script = asked();
    script.hears("cancela o boleto BOL-1001", surely("CANCEL"));
    let turned = script.says("sim");
    turned.calls(&["cancel_boleto"]);
    turned.says(&["SUCESSO: BOL-1001 cancelado.", QUESTION]);
    script.says("sim").calls(&["create_boleto"]);
}

#[test]
fn coming_back_too_late_finds_the_question_expired() {
    let mut script = asked();
    script.hears("cancela um boleto", surely("CANCEL"));
    script.wait(301);
    let turned = script.says("desisto");
    turned.decides(stops("confirm", "confirmation_expired"));
    turned.says(&["Operação cancelada.", "A confirmação expirou e nada foi feito."]);
    assert!(script.state.frame.is_none());
}

#[test]
fn digressions_are_bounded_and_forget_the_oldest() {
    let mut script = Script::new();
    for intent in ["CREATE", "CANCEL", "STATUS", "MESSAGE", "REMIND"] {
        script.hears("outra coisa", surely(intent));
    }
    let paused: Vec<&str> = script.state.paused.iter().map(|frame| frame.journey.as_str()).collect();
    assert_eq!(paused, ["cancel", "status", "message"]);
}

#[test]
fn cancel_calls_the_open_request_off() {
    let mut script = Script::new();
    script.hears("quero um boleto", surely("CREATE"));
    script.says("esquece").decides(stops("slots", "cancelled_by_person")).says(&["Operação cancelada."]);
    assert!(script.state.frame.is_none());
    let mut script = asked();
    script.says("desisto").says(&["Operação cancelada."]).calls(&[]);
    script.says("sim").calls(&[]);
}

#[test]
fn cancel_with_nothing_open_is_no_cancellation_of_anything() {
    let mut script = Script::new();
    script.says("esquece").says(&["O que você deseja?"]).calls(&[]);
}

#[test]
fn repeat_says_the_question_again() {
    let mut script = Script::new();
    script.hears("quero um boleto", surely("CREATE"));
    let turned = script.says("repete");
    turned.decides(asks("slots", "repeated_question")).says(&["Preciso saber: contact name"]);
    let mut script = asked();
    script.says("de novo").decides(asks("confirm", "confirmation_pending")).calls(&[]);
    script.says("sim").calls(&["create_boleto"]);
}

#[test]
fn an_offer_is_taken_by_a_yes_which_confirms_nothing() {
    let mut script = Script::new();
    script.hears("me lembra", surely("REMIND")).says(&["Preciso saber: remind on. Pode ser 23/11/2026?"]);
    script.says("sim").says(&["Lembrar em 23/11/2026. Confirma?"]).calls(&[]);
    script.says("sim").calls(&["set_reminder"]).says(&["SUCESSO: lembrete em 23/11/2026."]);
}

#[test]
fn an_offer_may_be_answered_with_another_value() {
    let mut script = Script::new();
    script.hears("me lembra", surely("REMIND"));
    script.says("24/11/2026").says(&["Lembrar em 24/11/2026. Confirma?"]);
    let mut script = Script::new();
    script.hears("me lembra", surely("REMIND"));
    script.says("não").calls(&[]);
    assert!(script.state.pending().is_none());
}

#[test]
fn a_relative_value_moves_the_slot() {
    let mut script = asked();
    let turned = script.says("um dia depois");
    turned.decides(notes("slots", "slot_replaced")).decides(notes("confirm", "confirmation_corrected"));
    turned.says(&["Boleto de R$ 150,00 para Ana Souza (+5511900000001), vence em 21/11/2026. Confirma?"]);
    let turned = script.says("50 reais a menos");
    turned.says(&["Boleto de R$ 100,00 para Ana Souza (+5511900000001), vence em 21/11/2026. Confirma?"]);
}

fn ambiguous() -> Script {
    let mut script = Script::new();
    let turned = script.hears("boleto de 150 reais para o João, vence sexta", surely("CREATE"));
    turned.decides(stops("trace", "ambiguous_match")).says(&["Qual deles?\n1. João Silva\n2. João Pereira"]);
    script
}

#[test]
fn an_ambiguous_name_is_picked_by_position_or_name() {
    for (said, name) in [
        ("1", "João Silva"),
        ("o primeiro", "João Silva"),
        ("2", "João Pereira"),
        ("o segundo", "João Pereira"),
        ("o último", "João Pereira"),
        ("Pereira", "João Pereira"),
        ("João Silva", "João Silva"),
        ("joao pereira", "João Pereira"),
    ] {
        let mut script = ambiguous();
        let turned = script.says(said);
        turned.decides(asks("confirm", "confirmation_required")).calls(&[]);
        let pending = script.state.pending().expect("a question");
        assert_eq!(pending.call.arguments["contact_name"], Value::text(name), "{said}");
        assert_eq!(script.says("sim").calls(&["create_boleto"]).calls[0].arguments["contact_name"], Value::text(name));
    }
}

#[test]
fn what_picks_nothing_is_asked_again() {
    for said in ["3", "João", "o décimo", "tanto faz"] {
        let mut script = ambiguous();
        let turned = script.says(said);
        turned.calls(&[]);
        assert!(script.state.pending().is_none(), "{said}: {}", turned.trace());
    }
}

#[test]
fn an_unknown_name_is_asked_for_again() {
    let mut script = Script::new();
    let turned = script.hears("boleto de 150 reais para a Zenaide, vence sexta", surely("CREATE"));
    turned.decides(stops("trace", "not_found"));
    turned.says(&["Não encontrei esse contato.", "Preciso saber: contact name"]);
    script.says("Ana Souza").says(&[QUESTION]);
}

#[test]
fn a_malformed_date_is_asked_for_again() {
    let mut script = Script::new();
    script.hears("boleto de 150 reais para a Ana", surely("CREATE")).says(&["Preciso saber: due date"]);
    script.says("31/02/2027").decides(stops("slots", "date_invalid")).says(&["Data inválida."]);
    script.says("20/11/2026").says(&[QUESTION]);
}

#[test]
fn a_bare_number_is_money_only_where_money_was_asked() {
    let mut script = Script::new();
    script.hears("boleto para a Ana, vence sexta", surely("CREATE")).says(&["Preciso saber: amount cents"]);
    script.says("150").says(&[QUESTION]);
    let mut script = Script::new();
    script.hears("boleto 150 para a Ana, vence sexta", surely("CREATE")).says(&["Preciso saber: amount cents"]);
}

#[test]
fn lists_branch_on_what_they_hold() {
    let mut script = Script::new();
    let turned = script.hears("lista os boletos", surely("LIST"));
    turned.calls(&["list_boletos"]);
    turned.says(&["Seus boletos:\nBOL-1001: R$ 150,00\nBOL-1002: R$ 200,00\nBOL-1003: R$ 300,00"]);
    script.world.boletos.clear();
    script.hears("lista os boletos", surely("LIST")).says(&["Você ainda não tem boletos."]);
}

#[test]
fn a_message_is_sent_in_the_persons_own_words() {
    let mut script = Script::new();
    script.hears("manda uma mensagem para a Ana", surely("MESSAGE")).says(&["Preciso saber: message content"]);
    let words = "Já paguei os R$ 150,00 ontem!";
    let turned = script.says(words);
    turned.calls(&["send_message"]);
    assert_eq!(turned.calls[0].arguments["message_content"], Value::text(words));
    // The success sentence shows them, although the amount is in nobody's record.
    turned.says(&["SUCESSO: mensagem para Ana Souza: Já paguei os R$ 150,00 ontem!"]);
}

#[test]
fn a_handoff_step_hands_over() {
    let mut script = Script::new();
    let turned = script.hears("alguém aí?", surely("PERSON"));
    turned.says(&["Vou chamar uma pessoa da equipe."]);
    assert!(script.state.is_handed_over && turned.tickets.len() == 1);
}

#[test]
fn corrections_work_at_any_point() {
    let mut script = Script::new();
    script.hears("boleto de 150 reais para a Ana", surely("CREATE")).says(&["Preciso saber: due date"]);
    let turned = script.says("na verdade 200 reais");
    turned.decides(notes("slots", "slot_replaced")).says(&["Preciso saber: due date"]);
    script.says("sexta");
    assert_eq!(script.state.pending().expect("a question").call.arguments["amount_cents"], brl(20_000));
}
