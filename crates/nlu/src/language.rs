//! Which language a text is in, by closed word lists first and letter statistics after.
//!
//! Invariant: no evidence, no answer; a short text never gets a high confidence from statistics alone.
//! Deliberately absent: languages no lexicon exists for.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::lexicon::{Cat, Lexicon, WRITTEN};
use crate::text;

/// A language this crate has a name for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Language {
    /// English.
    #[serde(rename = "en")]
    En,
    /// Portuguese, as spoken in Brazil.
    #[serde(rename = "pt")]
    Pt,
    /// Swahili.
    #[serde(rename = "sw")]
    Sw,
    /// Turkish.
    #[serde(rename = "tr")]
    Tr,
}

impl Language {
    /// Every language, in the order of their codes.
    pub const ALL: [Language; 4] = [Language::En, Language::Pt, Language::Sw, Language::Tr];

    /// Reads a code; a region after it is ignored (`pt-BR`, `en_US`).
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        let base = code.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        Language::ALL.into_iter().find(|language| language.code() == base)
    }

    /// The two-letter code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Language::En => "en",
            Language::Pt => "pt",
            Language::Sw => "sw",
            Language::Tr => "tr",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// A language and how sure we are, in 1/1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detected {
    /// The most likely language.
    pub language: Language,
    /// 0 to 1000.
    pub confidence: u16,
}

/// How many words of evidence make half of full confidence; short texts stay doubtful.
const DOUBT: f32 = 0.5;
/// Less evidence than this is none.
const EVIDENCE_MIN: f32 = 0.45;
/// What letters alone may add per word, against one for a word of the list.
const LETTERS_WEIGHT: f32 = 0.5;
/// Longer texts are judged by their beginning.
const WORDS_MAX: usize = 200;

/// The language of a text, or none if nothing in it speaks for one.
///
/// Words of a closed list per language count most; words no list knows count by their letter groups. Confidence grows
/// with the number of words: one word of a list is worth about 600, three make about 850.
#[must_use]
pub fn detect(text: &str) -> Option<Detected> {
    let mut scores = [0.0_f32; WRITTEN.len()];
    let mut words = 0.0_f32;
    let tokens = text::tokens(text);
    for token in tokens.iter().filter(|token| token.is_word()).take(WORDS_MAX) {
        words += 1.0;
        for (score, share) in scores.iter_mut().zip(evidence(&token.text)) {
            *score += share;
        }
    }
    let total: f32 = scores.iter().sum();
    let (at, best) =
        scores.iter().copied().enumerate().fold((0, 0.0), |top, now| if now.1 > top.1 { now } else { top });
    if best < EVIDENCE_MIN {
        return None;
    }
    // Words that speak for no language at all make the rest less telling.
    let share = best / total;
    let spoken = (total / words).min(1.0);
    let confidence = share * (best / (best + DOUBT)) * (0.4 + 0.6 * (spoken / 0.35).min(1.0));
    let language = *WRITTEN.get(at)?;
    Some(Detected { language, confidence: per_mille(confidence) })
}

/// How much one word speaks for each known language; at most one in all.
fn evidence(word: &str) -> [f32; WRITTEN.len()] {
    let is_common = |language: &Language| {
        let entries = Lexicon::of(*language).starting_with(word);
        entries.iter().any(|entry| entry.rest.is_empty() && entry.cat == Cat::Common)
    };
    let listed = WRITTEN.map(|language| if is_common(&language) { 1.0 } else { 0.0 });
    let hits: f32 = listed.iter().sum();
    if hits > 0.0 {
        // A word of several languages speaks for none of them much.
        return listed.map(|hit| hit / (hits * hits));
    }
    letters(word)
}

/// Letter groups of a word no list knows: the language whose lexicon has more of them gets the difference.
fn letters(word: &str) -> [f32; WRITTEN.len()] {
    let known = WRITTEN.map(|language| Lexicon::of(language).letter_share(word));
    let total: f32 = known.iter().sum();
    let best = known.iter().copied().fold(0.0, f32::max);
    if total <= 0.0 || word.chars().count() < 3 {
        return [0.0; WRITTEN.len()];
    }
    known.map(|share| {
        let lead = (2.0 * share - total).max(0.0) / total;
        if share >= best { LETTERS_WEIGHT * lead * best } else { 0.0 }
    })
}

fn per_mille(share: f32) -> u16 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=1000 first")]
    let value = (share * 1000.0).clamp(0.0, 1000.0).round() as u16;
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn codes_go_both_ways() {
        for language in Language::ALL {
            assert_eq!(Language::parse(language.code()), Some(language));
        }
        assert_eq!(Language::parse("pt-BR"), Some(Language::Pt));
        assert_eq!(Language::parse("EN_us"), Some(Language::En));
        assert_eq!(Language::parse("xx"), None);
    }

    fn check(text: &str, wanted: Option<Language>, confidence: std::ops::RangeInclusive<u16>) {
        let found = detect(text);
        assert_eq!(found.map(|found| found.language), wanted, "{text} {found:?}");
        assert!(confidence.contains(&found.map_or(0, |found| found.confidence)), "{text} {found:?}");
    }

    #[test]
    fn long_texts_are_clear() {
        check("quero um boleto de 150 reais para a Ana", Some(Language::Pt), 750..=1000);
        check("I would like to book a table for two", Some(Language::En), 750..=1000);
        check("bom dia, você pode me ajudar com uma reserva?", Some(Language::Pt), 750..=1000);
        check("can you please send me the invoice", Some(Language::En), 750..=1000);
    }

    #[test]
    fn short_texts_are_doubtful() {
        check("obrigado", Some(Language::Pt), 300..=749);
        check("hello", Some(Language::En), 300..=749);
    }

    #[test]
    fn nothing_says_nothing() {
        for text in ["", "150", "👍", "...", "BOL-1001", "12/10/2026"] {
            check(text, None, 0..=0);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn anything_is_read_without_a_fault(text in any::<String>()) {
            prop_assert!(detect(&text).is_none_or(|found| found.confidence <= 1000));
        }
    }
}
