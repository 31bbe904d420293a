use super::*;
use crate::{Context, Currency, Region, extract};
use proptest::prelude::*;

#[test]
fn closeness() {
    for (candidate, said, wanted) in [
        ("João Silva", "joao silva", Some(Closeness::Exact)),
        ("Ana Souza", "ANA  SOUZA", Some(Closeness::Exact)),
        ("João Silva", "joao", Some(Closeness::Part)),
        ("João Silva", "Silva", Some(Closeness::Part)),
        ("Maria da Silva", "maria silva", Some(Closeness::Part)),
        ("Ana Souza", "Anna Sousa", Some(Closeness::Near)),
        ("Ana Souza", "Ana Sousa", Some(Closeness::Near)),
        ("João Pereira", "Joao Perera", Some(Closeness::Near)),
        ("Bruno Lima", "Burno", Some(Closeness::Near)),
        ("Ana Souza", "Eva", None),
        ("Ana Souza", "Ane", None),
        ("Ana Souza", "Bruno Lima", None),
        ("Ana Souza", "Ana Lima", None),
        ("Maria da Silva", "da", None),
        ("João Silva", "j", None),
        ("João Silva", "", None),
        ("", "João", None),
        ("Carla Dias", "Karla", Some(Closeness::Near)),
        ("João Silva", "João João", Some(Closeness::Part)),
    ] {
        assert_eq!(resembles(candidate, said), wanted, "{candidate} ~ {said}");
    }
}

fn cue_check(language: Language, cues: &[&str], cases: &[(&str, Option<&str>)]) {
    let cues: Vec<String> = cues.iter().map(|cue| (*cue).to_owned()).collect();
    let ctx = Context {
        now: jiff::civil::date(2026, 11, 15).at(10, 0, 0, 0),
        language,
        currency: Currency::BRL,
        region: Region::BR,
    };
    for (text, wanted) in cases {
        let taken: Vec<Span> = extract(text, &ctx).iter().map(|found| found.span).collect();
        let found = after_cue(text, &cues, &taken, language);
        assert_eq!(found.as_ref().and_then(|f| f.value.as_text()), *wanted, "{text}");
        if let Some(found) = found {
            assert_eq!(Some(found.span.of(text)), *wanted, "{text}");
        }
    }
}

#[test]
fn names_after_cues() {
    let cues = ["para", "para a", "para o", "pra", "pro", "do", "da", "no nome de", "em nome de", "cobrar"];
    cue_check(
        Language::Pt,
        &cues,
        &[
            ("boleto pra ana de 150 vence sexta", Some("ana")),
            ("quero um boleto de 150 reais para a Ana Souza, vence sexta", Some("Ana Souza")),
            ("boleto de 150 reais pro João Silva por favor", Some("João Silva")),
            ("boleto para amanhã", None),
            ("boleto para sexta", None),
            ("boleto para 150", None),
            ("boleto para amanhã para a Ana", Some("Ana")),
            ("manda para o cliente João Pereira hoje", Some("João Pereira")),
            ("boleto pra maria da silva de 20 reais", Some("maria da silva")),
            ("boleto pra Maria da Silva de 20 reais", Some("Maria da Silva")),
            ("cancela o boleto do joao", Some("joao")),
            ("boleto pra carla dias vence dia 10", Some("carla dias")),
            ("boleto para Carla Dias de 100", Some("Carla Dias")),
            ("BOLETO PRA ANA DE 150 VENCE SEXTA", Some("ANA")),
            ("gera pra mim um boleto pra Ana", Some("Ana")),
            ("mesa para duas pessoas no nome de Bruno Lima", Some("Bruno Lima")),
            ("cobrar ana 150", Some("ana")),
            ("pra dona Ana", Some("Ana")),
            ("", None),
        ],
    );
    cue_check(
        Language::En,
        &["for", "to", "under"],
        &[
            ("invoice for Ana Souza of $20", Some("Ana Souza")),
            ("table for two under Bruno Lima at 8pm", Some("Bruno Lima")),
            ("table for tomorrow", None),
            ("send it to Ana's account", Some("Ana")),
        ],
    );
}

#[test]
fn names_alone() {
    for (text, wanted) in [
        ("Ana Souza", Some("Ana Souza")),
        ("é a Ana", Some("Ana")),
        ("pro João Silva por favor", Some("João Silva")),
        ("ana", Some("ana")),
        ("oi, meu nome é Bruno Lima", Some("Bruno Lima")),
        ("Para a Carla Dias.", Some("Carla Dias")),
        ("sim", None),
        ("não", None),
        ("sexta", None),
        ("150", None),
        ("quero um boleto", None),
        ("para amanhã", None),
        ("Ana?", None),
        ("oi", None),
        ("", None),
    ] {
        assert_eq!(
            alone(text, Language::Pt).and_then(|f| f.value.as_text().map(str::to_owned)).as_deref(),
            wanted,
            "{text}"
        );
    }
    for (text, wanted) in
        [("it's Ana Souza", Some("Ana Souza")), ("my name is bruno", Some("bruno")), ("tomorrow", None), ("yes", None)]
    {
        assert_eq!(
            alone(text, Language::En).and_then(|f| f.value.as_text().map(str::to_owned)).as_deref(),
            wanted,
            "{text}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn anything_is_read_without_a_fault(text in any::<String>(), other in any::<String>()) {
        for language in Language::ALL {
            for found in [alone(&text, language), after_cue(&text, &["para".to_owned(), other.clone()], &[], language)].into_iter().flatten() {
                prop_assert_eq!(Some(found.span.of(&text)), found.value.as_text());
            }
        }
        let _ = resembles(&text, &other);
    }
}
