//! What sort of message this is, by word lists: business, small talk, spam, abuse; moods and topics for a person.
//!
//! Invariant: what no list knows is business; a doubt never costs a customer the conversation.
//! Deliberately absent: reading between the lines, and any judgement of the person instead of the words.

use serde::{Deserialize, Serialize};

use crate::email;
use crate::language::Language;
use crate::lexicon::Cat;
use crate::page::Page;

/// What sort of message this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Anything that may be about the business; the default.
    Business,
    /// Small talk.
    Casual,
    /// Advertising, chain letters, noise.
    Spam,
    /// Insults and threats.
    Abuse,
}

/// A topic a person should handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sensitive {
    /// Lawyers, courts, fraud, consumer protection.
    Legal,
    /// Illness and emergencies.
    Medical,
    /// A person may hurt themselves.
    SelfHarm,
}

/// Points that make a message spam; a link is worth one if anything else is.
const SPAM_POINTS: i64 = 2;
/// A shout is at least this many words in capitals.
const SHOUT_WORDS_MIN: usize = 4;
/// And this many exclamation marks.
const SHOUT_MARKS_MIN: usize = 2;

/// What sort of message this is; abuse before spam before small talk.
#[must_use]
pub fn classify(text: &str, language: Language) -> Class {
    let page = Page::new(text, language);
    if has(&page, Cat::Abuse) {
        Class::Abuse
    } else if is_spam(&page) {
        Class::Spam
    } else if is_casual(&page) {
        Class::Casual
    } else {
        Class::Business
    }
}

/// True if the person is losing patience: by words, or by shouting a whole sentence.
#[must_use]
pub fn is_frustrated(text: &str, language: Language) -> bool {
    let page = Page::new(text, language);
    has(&page, Cat::Frustration) || shouts(&page)
}

/// The gravest topic the text touches that a person should handle, if any.
#[must_use]
pub fn sensitive(text: &str, language: Language) -> Option<Sensitive> {
    let page = Page::new(text, language);
    [(Cat::SelfHarm, Sensitive::SelfHarm), (Cat::Medical, Sensitive::Medical), (Cat::Legal, Sensitive::Legal)]
        .into_iter()
        .find(|(cat, _)| has(&page, *cat))
        .map(|(_, topic)| topic)
}

fn has(page: &Page<'_>, cat: Cat) -> bool {
    (0..page.len()).any(|at| page.is(at, cat))
}

fn is_spam(page: &Page<'_>) -> bool {
    let mut points = 0;
    let mut has_link = false;
    let mut at = 0;
    while at < page.len() {
        has_link |= email::url_end(page, at).is_some();
        match page.sense(at, Cat::Spam) {
            Some(phrase) => {
                points += phrase.number.max(1);
                at += phrase.len;
            }
            None => at += 1,
        }
    }
    points + i64::from(has_link && points > 0) >= SPAM_POINTS
}

/// Small talk and nothing else, or a phrase that is small talk wherever it stands.
fn is_casual(page: &Page<'_>) -> bool {
    let mut seen = false;
    let mut is_only = true;
    let mut at = 0;
    while at < page.len() {
        let casual = page.sense(at, Cat::Casual);
        if casual.is_some_and(|phrase| phrase.value == "chat") {
            return !page.tokens.iter().enumerate().any(|(i, _)| page.is_digits(i));
        }
        let aside =
            [Cat::Polite, Cat::Filler].into_iter().filter_map(|cat| page.sense(at, cat)).map(|sense| sense.len).max();
        let len = casual.map(|phrase| phrase.len).max(aside);
        seen |= casual.is_some();
        is_only &= len.is_some() || !(page.is_word(at) || page.is_digits(at));
        at += len.unwrap_or(1);
    }
    seen && is_only
}

fn shouts(page: &Page<'_>) -> bool {
    let words: Vec<&str> = (0..page.len()).filter(|at| page.is_word(*at)).map(|at| page.raw(at)).collect();
    let marks = page.tokens.iter().filter(|token| token.text == "!").count();
    let is_upper = |word: &&str| word.chars().all(|c| !c.is_lowercase()) && word.chars().count() > 1;
    marks >= SHOUT_MARKS_MIN && words.iter().filter(|word| is_upper(word)).count() >= SHOUT_WORDS_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: Language, class: Class, texts: &[&str]) {
        for text in texts {
            assert_eq!(classify(text, language), class, "{text}");
        }
    }

    #[test]
    fn classes_in_portuguese() {
        let pt = Language::Pt;
        check(
            pt,
            Class::Business,
            &[
                "quero um boleto",
                "sim",
                "oi, quero um boleto de 150",
                "cancela o BOL-1001",
                "150",
                "",
                "qualquer coisa",
            ],
        );
        check(
            pt,
            Class::Casual,
            &["oi", "oi, tudo bem?", "bom dia!", "obrigado", "kkkk", "conta uma piada de papagaio", "valeu, abraço 🙏"],
        );
        check(
            pt,
            Class::Spam,
            &[
                "GANHE DINHEIRO em casa",
                "clique aqui https://example.com/x",
                "renda extra, clique aqui",
                "você foi premiado, foi sorteado",
            ],
        );
        check(pt, Class::Abuse, &["seu idiota", "vai se foder", "VOCÊ É BURRO"]);
        check(pt, Class::Business, &["aceita bitcoin?", "veja https://example.com/nota"]);
    }

    #[test]
    fn classes_in_english() {
        let en = Language::En;
        check(en, Class::Business, &["book a table", "yes", "hi, I need an invoice", "my order is late"]);
        check(
            en,
            Class::Casual,
            &["hi", "hello there, how are you?", "thanks!", "tell me a joke please", "good morning"],
        );
        check(
            en,
            Class::Spam,
            &["You have won a cash prize", "click here www.example.com/win", "limited time offer, act now"],
        );
        check(en, Class::Abuse, &["you stupid bot", "fuck off"]);
    }

    #[test]
    fn patience() {
        for text in ["isso é um absurdo", "já falei três vezes", "QUERO MEU BOLETO AGORA MESMO!!"] {
            assert!(is_frustrated(text, Language::Pt), "{text}");
        }
        for text in ["quero um boleto", "SIM!!", "OK", "QUERO MEU BOLETO AGORA"] {
            assert!(!is_frustrated(text, Language::Pt), "{text}");
        }
        assert!(is_frustrated("this is ridiculous", Language::En));
        assert!(!is_frustrated("this is fine", Language::En));
    }

    #[test]
    fn topics() {
        for (text, wanted) in [
            ("vou chamar meu advogado", Some(Sensitive::Legal)),
            ("estou passando mal", Some(Sensitive::Medical)),
            ("quero morrer", Some(Sensitive::SelfHarm)),
            ("quero morrer, chama a ambulância e o advogado", Some(Sensitive::SelfHarm)),
            ("quero um boleto", None),
        ] {
            assert_eq!(sensitive(text, Language::Pt), wanted, "{text}");
        }
        assert_eq!(sensitive("I will sue you", Language::En), Some(Sensitive::Legal));
    }
}
