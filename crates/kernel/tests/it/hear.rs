//! Gates 1-8: what passes, what stops, and the value on each side of every threshold.

use countersign_kernel::escalate::TicketKind;
use countersign_kernel::event::{Content, Reading, Surroundings};
use countersign_nlu::govern::{Class, Sensitive};
use countersign_nlu::language::Language;

use crate::bench_pack::policy_with;
use crate::script::{Expected, Script, asks, notes, passes, reading, stops, surely, unknown};

/// One message in a fresh conversation.
#[track_caller]
fn check(text: &str, reading: Reading, expected: Expected, says: &[&str]) {
    let turned = Script::new().hears(text, reading);
    turned.decides(expected).says(says);
}

#[test]
fn input_wants_text() {
    let not_understood = ["Não entendi. Pode repetir?"];
    for empty in ["", "   ", "\n\t", "\u{200B}\u{FEFF}", "\u{7}"] {
        check(empty, surely("CREATE"), asks("input", "empty_message"), &not_understood);
    }
    let turned = Script::new().content(Content::Voice, surely("CREATE"));
    turned.decides(asks("input", "transcription_failed")).says(&["Não consegui ouvir o áudio."]);
    assert_eq!(turned.senses, 0, "an unreadable message costs no model call");
}

#[test]
fn input_is_bounded_in_characters() {
    let of = |length: usize| "ã".repeat(length);
    check(&of(4096), unknown(), passes("input", "ok"), &["O que você deseja?"]);
    check(&of(4097), unknown(), asks("input", "message_too_long"), &["A mensagem é longa demais."]);
}

#[test]
fn a_long_message_leaves_no_values_behind() {
    let mut script = Script::new();
    script.hears(&format!("150 reais {}", "x".repeat(4_096)), unknown());
    assert!(script.state.evidence.said.is_empty());
}

#[test]
fn a_stop_is_carried_out_without_a_reading() {
    let mut script = Script::new();
    script.hears("quero cancelar o boleto BOL-1001", surely("CANCEL"));
    assert!(script.state.pending().is_some());
    let turned = script.says("STOP");
    turned.decides(stops("consent", "opted_out")).says(&["Pronto, nada mais será enviado."]);
    assert_eq!((turned.senses, turned.consents.as_slice()), (0, &[true][..]));
    assert!(script.state.is_opted_out && script.state.frame.is_none(), "the question is void");
    script.says("sim").decides(stops("consent", "opted_out")).says(&[]).calls(&[]);
    script.says("start").says(&["Pronto, de volta."]);
    assert!(!script.state.is_opted_out);
}

#[test]
fn an_opt_out_elsewhere_counts_here() {
    let mut script = Script::new();
    script.around.is_opted_out = true;
    script.hears("lista os boletos", surely("LIST")).decides(stops("consent", "opted_out")).says(&[]).calls(&[]);
}

#[test]
fn a_request_for_a_person_wins_over_everything_below() {
    let mut script = Script::new();
    let turned = script.says("quero falar com um atendente");
    turned.decides(stops("consent", "person_wanted")).says(&["Vou chamar uma pessoa da equipe."]);
    assert_eq!(turned.senses, 0);
    assert_eq!(turned.tickets.iter().map(|ticket| ticket.kind).collect::<Vec<_>>(), [TicketKind::Handover]);
    script.hears("lista os boletos", surely("LIST")).decides(stops("consent", "handed_over")).says(&[]).calls(&[]);
}

#[test]
fn rate_limits_answer_once_and_then_fall_silent() {
    let check = |minute, day, expected: Expected, says: &[&str]| {
        let mut script = Script::new();
        script.around = Surroundings { customer_minute: minute, customer_day: day, ..Surroundings::default() };
        script.hears("lista", surely("QUESTION")).decides(expected).says(says);
    };
    let slow_down = ["Rápido demais. Espere um pouco."];
    let answer = ["Posso criar e cancelar boletos."];
    check(20, 20, passes("limit", "ok"), &answer);
    check(21, 21, stops("limit", "rate_limited"), &slow_down);
    check(22, 22, stops("limit", "rate_limited"), &[]);
    check(1, 200, passes("limit", "ok"), &answer);
    check(1, 201, stops("limit", "rate_limited"), &slow_down);
    check(1, 202, stops("limit", "rate_limited"), &[]);
}

#[test]
fn the_language_switches_when_sure_and_allowed() {
    let check = |language, confidence, expected, says| {
        let reading = Reading { language: Some((language, confidence)), ..surely("QUESTION") };
        check("what can you do", reading, expected, &[says]);
    };
    let (pt, en) = ("Posso criar e cancelar boletos.", "[en] Posso criar e cancelar boletos.");
    check(Language::En, 749, passes("language", "language_kept"), pt);
    check(Language::En, 750, passes("language", "language_switched"), en);
    check(Language::Pt, 750, passes("language", "ok"), pt);
    check(Language::Tr, 1000, passes("language", "language_kept"), pt);
}

#[test]
fn small_talk_and_spam_have_a_few_turns_and_abuse_none() {
    let run = |class, reason: &'static str, chattiness: u8| {
        let mut script = Script::with(policy_with(|parts| {
            parts.limits.casual_turns = chattiness;
            parts.limits.spam_turns = chattiness;
        }));
        let mut answered = 0;
        for _ in 0..6 {
            let turned = script.hears("tudo bem?", Reading { class, ..surely("QUESTION") });
            answered += turned.decides(stops("govern", reason)).sent.len();
        }
        answered
    };
    for chattiness in [0, 1, 2, 4] {
        assert_eq!(run(Class::Casual, "small_talk", chattiness), usize::from(chattiness));
        assert_eq!(run(Class::Spam, "spam", chattiness), usize::from(chattiness));
    }
    assert_eq!(run(Class::Abuse, "abuse", 4), 0);
}

#[test]
fn business_forgives_small_talk() {
    let mut script = Script::new();
    let casual = || Reading { class: Class::Casual, ..unknown() };
    for _ in 0..2 {
        script.hears("oi", casual()).says(&["Posso ajudar com boletos."]);
    }
    script.hears("oi", casual()).says(&[]);
    script.hears("o que você faz?", surely("QUESTION")).decides(passes("govern", "ok"));
    script.hears("oi", casual()).says(&["Posso ajudar com boletos."]);
}

#[test]
fn an_answer_to_our_question_is_business_whatever_it_sounds_like() {
    let mut script = Script::new();
    script.hears("cancela um boleto", surely("CANCEL")).says(&["Preciso saber: boleto id"]);
    let turned = script.hears("kkk BOL-1001", Reading { class: Class::Casual, ..unknown() });
    turned.decides(passes("govern", "ok")).decides(asks("confirm", "confirmation_required"));
}

#[test]
fn sensitive_topics_and_lasting_frustration_go_to_a_person() {
    for topic in [Sensitive::Legal, Sensitive::Medical, Sensitive::SelfHarm] {
        let reading = Reading { sensitive: Some(topic), ..surely("LIST") };
        check("...", reading, stops("govern", "sensitive_topic"), &["Vou chamar uma pessoa da equipe."]);
    }
    let cross = || Reading { is_frustrated: true, ..surely("QUESTION") };
    let mut script = Script::new();
    for _ in 0..2 {
        script.hears("de novo isso", cross()).decides(passes("govern", "ok"));
    }
    script.hears("que saco", cross()).decides(stops("govern", "frustrated"));
    let mut script = Script::new();
    for reading in [cross(), cross(), surely("QUESTION"), cross(), cross()] {
        script.hears("hm", reading).decides(passes("govern", "ok"));
    }
}

#[test]
fn confidence_has_three_bands() {
    let with =
        |confidence| Reading { runner_up: Some(("CANCEL".to_owned(), 100)), ..reading(Some("CREATE"), confidence) };
    let (open, which) = (["O que você deseja?"], ["Você quer criar um boleto ou cancelar um boleto?"]);
    check("boleto", with(0), asks("clarity", "low_confidence"), &open);
    check("boleto", with(499), asks("clarity", "low_confidence"), &open);
    check("boleto", with(500), asks("clarity", "low_confidence"), &which);
    check("boleto", with(699), asks("clarity", "low_confidence"), &which);
    check("boleto", with(700), passes("clarity", "ok"), &["Preciso saber: contact name"]);
    check("boleto", unknown(), asks("clarity", "unknown_intent"), &open);
    check("boleto", reading(None, 999), asks("clarity", "unknown_intent"), &open);
    // Without a runner-up there are no two meanings to offer.
    check("boleto", reading(Some("CREATE"), 600), asks("clarity", "low_confidence"), &open);
}

#[test]
fn ambiguity_is_asked_about_however_sure_the_intent() {
    let with = |ambiguity| Reading { ambiguity, runner_up: Some(("CANCEL".to_owned(), 900)), ..surely("CREATE") };
    check("boleto", with(499), passes("clarity", "ok"), &["Preciso saber: contact name"]);
    let which = ["Você quer criar um boleto ou cancelar um boleto?"];
    check("boleto", with(500), asks("clarity", "ambiguous"), &which);
}

#[test]
fn an_intent_nobody_declared_is_unknown() {
    let says = ["O que você deseja?"];
    check("transfere tudo", surely("TRANSFER_ALL"), stops("route", "unknown_intent"), &says);
}

#[test]
fn three_clarifications_without_progress_hand_over() {
    let mut script = Script::new();
    for _ in 0..3 {
        script.says("hm").decides(asks("clarity", "unknown_intent")).says(&["O que você deseja?"]);
    }
    let turned = script.says("hm");
    turned.decides(stops("clarity", "too_many_clarifications")).says(&["Vou chamar uma pessoa da equipe."]);
    assert!(script.state.is_handed_over);
}

#[test]
fn progress_forgives_clarifications_and_a_missing_slot_is_none() {
    let mut script = Script::new();
    for _ in 0..3 {
        script.says("hm").decides(asks("clarity", "unknown_intent"));
    }
    script.hears("cancela um boleto", surely("CANCEL")).decides(asks("slots", "missing_slot"));
    assert_eq!(script.state.counters.clarifications, 0);
    script.says("BOL-1001").decides(passes("clarity", "step_answered"));
}

#[test]
fn leaving_a_journey_takes_more_than_being_sure() {
    let enter = || {
        let mut script = Script::new();
        script.hears("cancela um boleto", surely("CANCEL"));
        script
    };
    let check = |confidence, expected: Expected, journey: &str| {
        let mut script = enter();
        script.hears("o que você faz", reading(Some("STATUS"), confidence)).decides(expected);
        assert_eq!(script.state.frame.map(|frame| frame.journey).as_deref(), Some(journey), "{confidence}");
    };
    check(700, passes("route", "stayed_in_journey"), "cancel");
    check(850, passes("route", "stayed_in_journey"), "cancel");
    check(851, passes("route", "digressed"), "status");
}

#[test]
fn slots_are_asked_one_by_one_in_the_pack_order() {
    let mut script = Script::new();
    script
        .hears("quero um boleto", surely("CREATE"))
        .decides(asks("slots", "missing_slot"))
        .says(&["Preciso saber: contact name"]);
    script.says("Ana Souza").says(&["Preciso saber: amount cents"]);
    script.says("150").says(&["Preciso saber: due date"]);
    let turned = script.says("sexta");
    turned.decides(passes("slots", "ok")).decides(asks("confirm", "confirmation_required"));
    turned.says(&["Boleto de R$ 150,00 para Ana Souza (+5511900000001), vence em 20/11/2026. Confirma?"]);
}

#[test]
fn a_value_rule_stops_on_either_side() {
    let check = |amount: &str, expected: Expected, says: Option<&str>| {
        let mut script = Script::new();
        let turned = script.hears(&format!("boleto de {amount} para a Ana, vence sexta"), surely("CREATE"));
        turned.decides(expected);
        if let Some(says) = says {
            turned.says(&[says]);
            assert!(!script.state.frame.expect("a journey").slots.contains_key("amount_cents"), "asked again");
        }
    };
    let over = Some("O valor está acima do permitido.");
    check("R$ 0,00", stops("slots", "amount_not_positive"), Some("O valor precisa ser positivo."));
    check("R$ 0,01", passes("slots", "ok"), None);
    check("R$ 100.000,00", passes("slots", "ok"), None);
    check("R$ 100.000,01", stops("slots", "amount_over_limit"), over);
}

#[test]
fn dates_are_from_today_on_and_exist() {
    let check = |date: &str, expected: Expected, says: Option<&str>| {
        let turned = Script::new().hears(&format!("boleto de 150 reais para a Ana, vence {date}"), surely("CREATE"));
        turned.decides(expected);
        if let Some(says) = says {
            turned.says(&[says]);
        }
    };
    check("16/11/2026", passes("slots", "ok"), None);
    check("15/11/2026", stops("slots", "date_in_past"), Some("A data não pode ser no passado."));
    check("30/02/2027", stops("slots", "date_invalid"), Some("Data inválida."));
}

#[test]
fn two_values_for_one_slot_are_nobodys_choice() {
    let mut script = Script::new();
    let turned = script.hears("boleto de 150 reais ou 200 reais para a Ana, vence sexta", surely("CREATE"));
    turned.decides(asks("slots", "unclear_value")).says(&["Entendi mais de um valor para amount cents."]);
    script.says("200 reais").decides(asks("confirm", "confirmation_required"));
}

#[test]
fn a_correction_replaces_and_is_noted() {
    let mut script = Script::new();
    script.hears("boleto de 150 reais", surely("CREATE"));
    script.hears("na verdade 200 reais", unknown()).decides(notes("slots", "slot_replaced"));
    let frame = script.state.frame.expect("a journey");
    assert_eq!(frame.slots["amount_cents"].value, crate::bench_pack::brl(20_000));
    assert_eq!(frame.withdrawn, [("amount_cents".to_owned(), crate::bench_pack::brl(15_000))]);
}

#[test]
fn input_is_bounded_in_bytes_too() {
    // Two bytes for each of 4,096 characters, as the state holds them while the message is read.
    let says = ["A mensagem é longa demais."];
    check(&"😀".repeat(2_048), unknown(), passes("input", "ok"), &["O que você deseja?"]);
    check(&"😀".repeat(2_060), unknown(), asks("input", "message_too_long"), &says);
    check(&format!("a{}", "\u{1}".repeat(1_400)), unknown(), asks("input", "message_too_long"), &says);
}

#[test]
fn what_was_withdrawn_is_bounded() {
    let mut script = Script::new();
    script.hears("quero um boleto para a Ana, vence sexta", surely("CREATE"));
    for amount in 200_000..200_020 {
        script.says(&format!("{amount} reais")).decides(stops("slots", "amount_over_limit"));
    }
    let withdrawn = script.state.frame.expect("a journey").withdrawn;
    assert_eq!(withdrawn.len(), 16);
    assert_eq!(withdrawn.last().map(|(_, value)| value.clone()), Some(crate::bench_pack::brl(20_001_900)));
}
