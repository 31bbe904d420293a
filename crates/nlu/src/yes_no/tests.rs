use super::*;
use proptest::prelude::*;

fn pt(text: &str) -> Answer {
    read(text, &Lexicon::standard(Language::Pt), Language::Pt)
}

fn en(text: &str) -> Answer {
    read(text, &Lexicon::standard(Language::En), Language::En)
}

fn check(read: fn(&str) -> Answer, polarity: Polarity, is_plain: bool, texts: &[&str]) {
    let wrong: Vec<String> = texts
        .iter()
        .map(|text| (text, read(text)))
        .filter(|(_, answer)| (answer.polarity, answer.is_plain) != (polarity, is_plain))
        .map(|(text, answer)| format!("{text:?} {answer:?}"))
        .collect();
    assert!(wrong.is_empty(), "wanted {polarity:?} plain={is_plain}\n{}", wrong.join("\n"));
}

#[test]
fn plain_yes_in_portuguese() {
    let texts = [
        "sim",
        "sim!",
        "SIM",
        "👍",
        "👍🏽",
        "ok, pode",
        "pode sim",
        "confirmo, obrigado",
        "Sim, por favor",
        "simmm",
        "siiim",
        "confirmo",
        "isso mesmo",
        "é isso aí",
        "tá bom",
        "com certeza!",
        "sim sim",
        "sim. pode confirmar",
        "ＳＩＭ",
        "okk",
        "ok 👍",
        "claro que sim",
        "pode ser",
        "s",
        "oi, sim",
        "*sim*",
        "beleza, valeu",
        "sim 🙏",
        "s\u{200B}im",
        "Autorizo.",
    ];
    check(pt, Polarity::Yes, true, &texts);
}

#[test]
fn yes_with_more() {
    let texts = [
        "sim, quanto fica?",
        "ok mas muda o valor",
        "sim, se der desconto",
        "sim, manda pra ela",
        "pode, só que amanhã",
        "sim quanto custa",
    ];
    check(pt, Polarity::Yes, false, &texts[..2]);
    check(pt, Polarity::Yes, false, &texts[3..]);
    assert!(pt(texts[0]).has_question);
    assert!(pt(texts[1]).has_condition && pt(texts[1]).changes);
    assert!(pt(texts[2]).has_condition);
    assert!(pt("na verdade são 200").changes);
    check(
        en,
        Polarity::Yes,
        false,
        &["yes but 3 people", "ok, make it 20 instead", "sure, what time is it?", "yes, only if it's free"],
    );
    assert!(en("yes but 3 people").has_condition);
    assert!(en("ok, make it 20 instead").changes);
    assert!(en("sure, what time is it?").has_question);
}

#[test]
fn never_a_plain_yes() {
    let texts = [
        "ok mas muda o valor",
        "sim, se for amanhã",
        "sim se ele pagar",
        "não sei",
        "talvez",
        "sim?",
        "quem disse sim?",
        "acho que sim",
        "nao confirmo",
        "nem pode",
        "\"sim\"",
        "ele disse \"sim\" ontem",
        "ainda não",
        "sim não",
        "sim ou não?",
        "ok?",
        "pode?",
        "posso confirmar?",
        "pode confirmar o valor",
        "já confirmo",
        "vou confirmar",
        "não sei se sim",
        "sim, não",
        "claro que não",
        "👍👎",
        "sim 🤔",
        "quase sim",
        "depois eu confirmo",
        "confirmo depois",
        "ela falou que sim",
        "se sim, quanto?",
        "sim, 200",
        "sim 200",
        "será que sim",
        "nunca",
        "ok, depois",
        "sim, mas não agora",
        "não pode",
        "isso não",
        "quem confirma",
        "simples",
        "oksana",
        "simone",
        "claro?",
        "“sim”",
        "confirmado por quem",
        "sem confirmar",
        "a palavra é sim",
        "ok, na verdade troca",
        "pode cancelar não",
        "sim/não",
        "não não sim",
    ];
    for text in texts {
        let answer = pt(text);
        assert!(!(answer.polarity == Polarity::Yes && answer.is_plain), "{text:?} {answer:?}");
    }
}

#[test]
fn never_a_plain_yes_in_english() {
    for text in [
        "i don't know",
        "maybe",
        "yes?",
        "who said yes?",
        "i think so",
        "not yet",
        "yes no",
        "i do not confirm",
        "he said yes",
        "'yes'",
        "yes if it is cheap",
        "can you confirm",
        "confirm what?",
        "is it ok",
        "not ok",
        "ok wait",
        "no problem",
        "why not",
        "okra",
        "yesterday",
        "sure?",
        "yeah right, no",
        "never",
        "without confirm",
        "conformity",
        "yes unless it rains",
        "would be ok",
        "let me check, ok",
    ] {
        let answer = en(text);
        assert!(!(answer.polarity == Polarity::Yes && answer.is_plain), "{text:?} {answer:?}");
    }
}

#[test]
fn stories_and_doubts_are_neither() {
    let texts = [
        "quem disse sim?",
        "acho que sim",
        "sim?",
        "não sei",
        "talvez",
        "sim não",
        "\"sim\"",
        "",
        "👍👎",
        "boleto de 150",
        "pode confirmar o valor",
    ];
    check(pt, Polarity::Neither, false, &texts);
    check(en, Polarity::Neither, false, &["he said yes", "maybe", "yes?", "is it ok?", "no problem", "book a table"]);
}

#[test]
fn no_in_both_languages() {
    check(
        pt,
        Polarity::No,
        true,
        &[
            "não",
            "nao",
            "NÃO!",
            "não, obrigado",
            "cancela",
            "👎",
            "claro que não",
            "nao confirmo",
            "ainda não",
            "nãooo",
            "melhor não",
            "pare",
            "nem pode",
        ],
    );
    check(pt, Polarity::No, false, &["não, o valor é 200", "não quero esse boleto"]);
    check(
        en,
        Polarity::No,
        true,
        &["no", "nope", "No, thanks", "not now", "don't", "nooo", "cancel it please", "do not confirm"],
    );
}

#[test]
fn plain_yes_in_english() {
    check(
        en,
        Polarity::Yes,
        true,
        &[
            "yes",
            "Yes please",
            "yep!",
            "ok",
            "go ahead",
            "that's right",
            "that’s correct, thanks",
            "yesss",
            "sounds good",
            "i confirm",
            "yes, go ahead",
            "ok then",
        ],
    );
}

#[test]
fn a_pack_may_bring_its_own_lists() {
    let lexicon = Lexicon { yes: vec!["Fechou!".to_owned(), String::new()], no: vec!["Não rola".to_owned()] };
    let plain = |text| read(text, &lexicon, Language::Pt);
    assert_eq!(plain("fechou !").polarity, Polarity::Yes);
    assert_eq!(plain("sim").polarity, Polarity::Neither);
    assert_eq!(plain("nao rola").polarity, Polarity::No);
    assert_eq!(plain("").polarity, Polarity::Neither);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_plain_yes_has_no_word_outside_the_lists(word in "[a-z]{7,12}", text in prop::sample::select(vec!["sim", "ok", "pode", "claro"])) {
        for message in [format!("{word} {text}"), format!("{text} {word}"), format!("{text}, {word}")] {
            let answer = pt(&message);
            prop_assert!(!answer.is_plain || spelling::is_stretch_of_any(&word, &Lists::new(&Lexicon::standard(Language::Pt)).yes));
        }
    }

    #[test]
    fn anything_is_read_without_a_fault(text in any::<String>()) {
        pt(&text);
        en(&text);
    }
}
