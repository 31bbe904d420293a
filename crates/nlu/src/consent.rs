//! Two wishes that win over everything else: to be left alone, and to talk to a person.
//!
//! Invariant: a stop word stops only when it is the whole message; inside a sentence it is business.
//! Deliberately absent: deciding what happens then.

use crate::language::Language;
use crate::lexicon::{Cat, WRITTEN};
use crate::page::Page;
use crate::text;

/// Words of politeness around a stop word.
const ASIDE_MAX: usize = 5;

/// True if the whole message is one of the words, politeness, punctuation and case aside.
#[must_use]
pub fn is_stop(text: &str, words: &[String]) -> bool {
    // A sentence is never a stop word, and most messages are sentences: they cost nothing here.
    let longest = words.iter().map(|word| word.split_whitespace().count()).max().unwrap_or(0);
    if text.split_whitespace().take(longest + ASIDE_MAX + 1).count() > longest + ASIDE_MAX {
        return false;
    }
    let folded = text::fold(text);
    let begins = |word: &String| text::fold(word).split(' ').next().is_some_and(|first| folded.contains(first));
    if !words.iter().any(begins) {
        return false;
    }
    // Opting out must work in whatever language a person is polite in.
    WRITTEN.into_iter().any(|language| {
        let said = bare_words(&Page::new(text, language));
        !said.is_empty() && words.iter().any(|word| text_words(word) == said)
    })
}

/// True if the person asks for a human being: "quero falar com um atendente", "agent", "call me".
///
/// The words for such people inside other business ("o atendente me cobrou errado") do not count.
#[must_use]
pub fn wants_person(text: &str, language: Language) -> bool {
    let page = Page::new(text, language);
    is_alone(&page) || (0..page.len()).any(|at| asks_at(&page, at))
}

/// Nothing but a word for such a person.
fn is_alone(page: &Page<'_>) -> bool {
    let mut seen = false;
    let mut at = 0;
    while at < page.len() {
        let aside = [Cat::Polite, Cat::Filler, Cat::Article, Cat::WeakCardinal]
            .into_iter()
            .filter_map(|cat| page.sense(at, cat));
        if let Some(person) = page.sense(at, Cat::PersonAlone) {
            seen = true;
            at += person.len;
        } else if let Some(len) = aside.map(|sense| sense.len).max() {
            at += len;
        } else if page.is_word(at) || page.is_digits(at) {
            return false;
        } else {
            at += 1;
        }
    }
    seen
}

fn asks_at(page: &Page<'_>, at: usize) -> bool {
    if is_negated(page, at) {
        return false;
    }
    if let Some(phrase) = page.sense(at, Cat::Person) {
        // "call me Ana" names, "call me" asks.
        let after = at + phrase.len;
        let names = page.word(after - 1) == "me" && page.is_word(after) && !is_loose(page, after);
        return !names;
    }
    let lead = page.sense(at, Cat::PersonLead).and_then(|lead| person_after(page, at + lead.len));
    if lead.is_some() {
        return true;
    }
    let want = page.sense(at, Cat::PersonWant).and_then(|want| person_after(page, at + want.len));
    want.is_some_and(|end| !page.is_word(end) || is_polite(page, end))
}

/// "a", "um", "an": then the word for a person; one past it.
fn person_after(page: &Page<'_>, at: usize) -> Option<usize> {
    // "com o seu gerente", "to your manager": two small words at most.
    let small = |at: usize| page.is(at, Cat::Article) || page.is(at, Cat::WeakCardinal) || page.is(at, Cat::Stop);
    let start = (at..at + 3).find(|i| page.is(*i, Cat::PersonAlone) || !small(*i))?;
    page.sense(start, Cat::PersonAlone).map(|person| start + person.len)
}

/// "não preciso falar com ninguém": a negation among the three words before.
fn is_negated(page: &Page<'_>, at: usize) -> bool {
    (at.saturating_sub(3)..at).any(|i| page.is(i, Cat::Negation) && !page.is(i, Cat::Person))
}

fn is_loose(page: &Page<'_>, at: usize) -> bool {
    page.is(at, Cat::Stop) || page.is(at, Cat::Day) || page.is(at, Cat::Weekday) || is_polite(page, at)
}

fn is_polite(page: &Page<'_>, at: usize) -> bool {
    page.is(at, Cat::Polite) || page.is(at, Cat::Filler)
}

fn bare_words(page: &Page<'_>) -> Vec<String> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < page.len() {
        match page.sense(at, Cat::Polite) {
            Some(polite) => at += polite.len,
            None => {
                let is_content = page.is_word(at) || page.is_digits(at);
                out.extend(is_content.then(|| page.word(at).to_owned()));
                at += 1;
            }
        }
    }
    out
}

fn text_words(text: &str) -> Vec<String> {
    text::tokens(text).into_iter().filter(|token| token.kind != text::TokenKind::Mark).map(|token| token.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_the_whole_message() {
        let words = ["STOP", "UNSUBSCRIBE", "sair", "não quero mais"].map(str::to_owned);
        for (text, wanted) in [
            ("stop", true),
            ("STOP!", true),
            ("Stop please", true),
            ("SAIR, por favor", true),
            ("nao quero mais", true),
            ("ｓｔｏｐ", true),
            ("stop the order", false),
            ("quero sair na sexta", false),
            ("", false),
            ("please", false),
        ] {
            assert_eq!(is_stop(text, &words), wanted, "{text}");
        }
        assert!(!is_stop("stop", &[]));
        assert!(!is_stop("!!", &["??".to_owned()]));
    }

    #[test]
    fn asking_for_a_person_in_portuguese() {
        for (text, wanted) in [
            ("quero falar com um atendente", true),
            ("Atendente", true),
            ("humano por favor", true),
            ("me liga", true),
            ("posso falar com o gerente?", true),
            ("quero um atendente", true),
            ("não quero falar com robô", true),
            ("me passa pra alguém", true),
            ("preciso falar com uma pessoa de verdade", true),
            ("o atendente me cobrou errado", false),
            ("boleto pro agente de viagens", false),
            ("mesa para uma pessoa", false),
            ("quero uma pessoa a mais na reserva", false),
            ("não precisa falar com atendente", false),
            ("oi", false),
            ("", false),
        ] {
            assert_eq!(wants_person(text, Language::Pt), wanted, "{text}");
        }
    }

    #[test]
    fn asking_for_a_person_in_english() {
        for (text, wanted) in [
            ("human", true),
            ("agent please", true),
            ("call me", true),
            ("can you call me tomorrow?", true),
            ("I want to talk to a real person", true),
            ("let me speak to your manager", true),
            ("I need a human", true),
            ("call me Ana", false),
            ("book a table for one person", false),
            ("my travel agent booked it", false),
            ("I don't want to talk to a human", false),
        ] {
            assert_eq!(wants_person(text, Language::En), wanted, "{text}");
        }
    }
}
