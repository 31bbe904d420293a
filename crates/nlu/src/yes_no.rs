//! Yes, no, or neither: read by closed word lists, never by a model.
//!
//! Invariant: a plain yes is a message that starts with a yes and holds nothing else but politeness. A negation, a doubt,
//! a quote, a story or a question around the yes makes it neither: asking again is cheap, a false yes is not.
//! Deliberately absent: sentiment, sarcasm, and any yes that has to be inferred.

mod spelling;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::language::Language;
use crate::lexicon::{self, Cat};
use crate::page::Page;
use crate::text::{self, TokenKind};

/// The closed lists of a pack; phrases of one or more words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lexicon {
    /// What counts as yes.
    pub yes: Vec<String>,
    /// What counts as no.
    pub no: Vec<String>,
}

impl Lexicon {
    /// The lists of a language, folded.
    #[must_use]
    pub fn standard(language: Language) -> Lexicon {
        let words = lexicon::Lexicon::of(language);
        let list = |cat| words.phrases(cat).iter().map(|phrase| plain(phrase).into_owned()).collect();
        Lexicon { yes: list(Cat::Yes), no: list(Cat::No) }
    }
}

/// Which way an answer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Polarity {
    /// Starts with a yes, and nothing takes it back.
    Yes,
    /// Starts with a no, or negates a yes.
    No,
    /// Neither, both, or a doubt.
    Neither,
}

/// What an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Which way it goes.
    pub polarity: Polarity,
    /// Nothing but words of the lists, politeness, emoji and punctuation.
    pub is_plain: bool,
    /// It also asks something.
    pub has_question: bool,
    /// It sets a condition: "mas", "só se", "only if".
    pub has_condition: bool,
    /// It corrects something: "na verdade", "troca", "make it".
    pub changes: bool,
}

/// Reads an answer with a pack's lists; doubts, conditions, corrections and politeness come from the language.
///
/// Stretched words (`simmm`) still count; a wrong letter is forgiven in a no only, because a false yes is not.
#[must_use]
pub fn read(text: &str, lexicon: &Lexicon, language: Language) -> Answer {
    let page = Page::new(text, language);
    let parts = parts(&page, lexicon);
    let has = |wanted: Part| parts.contains(&wanted);
    let has_question = has(Part::Asked) || has(Part::Question);
    let polarity = polarity(&parts);
    let is_clean =
        !(has(Part::Other) || has(Part::Condition) || has(Part::Change) || has(Part::Quote) || has(Part::Hedge));
    Answer {
        polarity,
        is_plain: polarity != Polarity::Neither && is_clean && !has_question,
        has_question,
        has_condition: has(Part::Condition),
        changes: has(Part::Change),
    }
}

/// What one stretch of an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Yes,
    No,
    /// Turns a yes after it around, but is no answer itself: "nem", "without".
    Negation,
    Hedge,
    Condition,
    Change,
    /// A word that asks.
    Question,
    Polite,
    /// Ends a clause.
    Break,
    /// A question mark: ends a clause and makes it a question.
    Asked,
    Quote,
    /// Other marks and emoji, which say nothing.
    Aside,
    /// A word no list knows, or a number.
    Other,
}

fn parts(page: &Page<'_>, lexicon: &Lexicon) -> Vec<Part> {
    let lists = Lists::new(lexicon);
    let mut out = Vec::with_capacity(page.len());
    let mut at = 0;
    while at < page.len() {
        let (part, len) = part_at(page, at, &lists);
        out.push(part);
        at += len.max(1);
    }
    out
}

/// The longest phrase wins; on equal length the more careful meaning does.
fn part_at(page: &Page<'_>, at: usize, lists: &Lists<'_>) -> (Part, usize) {
    let from_language = [(Cat::Hedge, Part::Hedge), (Cat::Condition, Part::Condition), (Cat::Change, Part::Change)];
    let after_lists = [
        (Cat::Negation, Part::Negation),
        (Cat::Question, Part::Question),
        (Cat::Polite, Part::Polite),
        (Cat::Filler, Part::Polite),
    ];
    let sense = |(cat, part): (Cat, Part)| page.sense(at, cat).map(|sense| (part, sense.len));
    let found = from_language
        .into_iter()
        .map(sense)
        .chain([lists.longest(page, at, Part::No), lists.longest(page, at, Part::Yes)])
        .chain(after_lists.into_iter().map(sense))
        .flatten()
        .reduce(|best, other| if other.1 > best.1 { other } else { best });
    found.unwrap_or_else(|| (mark_at(page, at), 1))
}

fn mark_at(page: &Page<'_>, at: usize) -> Part {
    match page.kind(at) {
        Some(TokenKind::Mark) => match page.word(at) {
            "?" | "¿" => Part::Asked,
            "." | "," | ";" | "!" | ":" | "\n" | "…" => Part::Break,
            "\"" | "`" | "'" => Part::Quote,
            "<" | ">" | "@" | "#" | "$" | "%" | "/" | "=" => Part::Other,
            _ => Part::Aside,
        },
        Some(TokenKind::Word | TokenKind::Digits) | None => Part::Other,
    }
}

fn polarity(parts: &[Part]) -> Polarity {
    let is_aside = |part: &&Part| matches!(part, Part::Polite | Part::Aside | Part::Break);
    let has = |wanted: Part| parts.contains(&wanted);
    if has(Part::Hedge) || has(Part::Quote) {
        return Polarity::Neither;
    }
    let first = parts.iter().find(|part| !is_aside(part));
    match first {
        Some(Part::Yes) if !has(Part::No) && !has(Part::Negation) && yes_stands(parts) => Polarity::Yes,
        Some(Part::No) if !has(Part::Yes) => Polarity::No,
        Some(Part::No | Part::Negation) if negates(parts) => Polarity::No,
        Some(
            Part::Yes
            | Part::No
            | Part::Negation
            | Part::Hedge
            | Part::Condition
            | Part::Change
            | Part::Question
            | Part::Polite
            | Part::Break
            | Part::Asked
            | Part::Quote
            | Part::Aside
            | Part::Other,
        )
        | None => Polarity::Neither,
    }
}

/// The clause of the first yes holds no other words and is not a question: "pode confirmar o valor" asks, "sim?" doubts.
fn yes_stands(parts: &[Part]) -> bool {
    let from_yes = parts.iter().skip_while(|part| **part != Part::Yes);
    for part in from_yes {
        match part {
            Part::Yes | Part::Polite | Part::Aside => {}
            Part::Break | Part::Condition | Part::Change | Part::Question => return true,
            Part::Asked | Part::Other | Part::Quote | Part::No | Part::Negation | Part::Hedge => return false,
        }
    }
    true
}

/// "não confirmo": the only yes stands right behind the negation, in the same clause, and nothing follows that says yes.
fn negates(parts: &[Part]) -> bool {
    let mut after = parts.iter().skip_while(|part| !matches!(part, Part::No | Part::Negation)).skip(1);
    let mut is_turned = false;
    let mut is_open = true;
    after.all(|part| match part {
        Part::Yes => {
            is_turned = true;
            is_open
        }
        Part::Break | Part::Condition | Part::Change | Part::Question | Part::Asked => {
            is_open = false;
            true
        }
        Part::No | Part::Negation | Part::Polite | Part::Aside | Part::Other | Part::Hedge | Part::Quote => true,
    }) && is_turned
}

/// A pack's phrases, folded once per reading and sorted, so that those with one first letter stand together.
struct Lists<'l> {
    yes: Vec<Cow<'l, str>>,
    no: Vec<Cow<'l, str>>,
}

impl<'l> Lists<'l> {
    fn new(lexicon: &'l Lexicon) -> Lists<'l> {
        let list = |phrases: &'l [String]| {
            let mut list: Vec<Cow<'l, str>> = phrases.iter().map(|phrase| plain(phrase)).collect();
            list.sort_unstable_by_key(|phrase| first_byte(phrase));
            list
        };
        Lists { yes: list(&lexicon.yes), no: list(&lexicon.no) }
    }

    /// The longest phrase of one list that starts here.
    fn longest(&self, page: &Page<'_>, at: usize, part: Part) -> Option<(Part, usize)> {
        let all = if part == Part::Yes { &self.yes } else { &self.no };
        let first = first_byte(page.word(at));
        let from = all.partition_point(|phrase| first_byte(phrase) < first);
        let to = all.partition_point(|phrase| first_byte(phrase) <= first);
        let alike = all.get(from..to).unwrap_or_default();
        let exact = alike.iter().filter_map(|phrase| matched(page, at, phrase)).max();
        let word = page.word(at);
        let is_near =
            || spelling::is_stretch_of_any(word, alike) || part == Part::No && spelling::is_typo_of_any(word, alike);
        let len = exact.or_else(|| is_near().then_some(1))?;
        Some((part, len))
    }
}

fn first_byte(word: &str) -> u8 {
    word.as_bytes().first().copied().unwrap_or(0)
}

/// How many tokens a folded phrase covers here, if it stands here.
fn matched(page: &Page<'_>, at: usize, phrase: &str) -> Option<usize> {
    let mut len = 0;
    for word in phrase.split(' ') {
        if page.word(at + len) != word {
            return None;
        }
        len += 1;
    }
    Some(len)
}

/// A phrase as tokens joined by spaces; lists from [`Lexicon::standard`] already are.
fn plain(phrase: &str) -> Cow<'_, str> {
    let is_plain = !phrase.is_empty() && phrase.bytes().all(|b| b.is_ascii_lowercase() || b == b' ');
    if is_plain && !phrase.starts_with(' ') && !phrase.ends_with(' ') && !phrase.contains("  ") {
        return Cow::Borrowed(phrase);
    }
    let words: Vec<String> = text::tokens(phrase).into_iter().map(|token| token.text).collect();
    // An empty phrase must match nothing; no token is ever a lone space.
    Cow::Owned(if words.is_empty() { "  ".to_owned() } else { words.join(" ") })
}
