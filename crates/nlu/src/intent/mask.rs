//! Words with their values hidden: `boleto de 150 reais sexta` becomes `boleto de <money> <date>`.
//!
//! Works in all languages at once, because a classifier is not told which one a text is in.

use crate::language::Language;
use crate::lexicon::{Cat, Entry, Lexicon, WRITTEN};
use crate::text::{self, Token, TokenKind};

/// Longer messages are judged by their beginning.
pub(super) const WORDS_MAX: usize = 96;

pub(super) const MONEY: &str = "<money>";
pub(super) const DATE: &str = "<date>";
pub(super) const TIME: &str = "<time>";
pub(super) const NUMBER: &str = "<number>";
pub(super) const ID: &str = "<id>";

/// The words of a text, values replaced by what kind of value they are, marks dropped but for `?`.
///
/// Greetings and politeness are dropped too, unless the text is nothing else.
pub(super) fn words(text: &str) -> Vec<String> {
    let tokens = text::tokens(text);
    let business = masked(&tokens, true);
    if business.iter().all(|word| word == "?") { masked(&tokens, false) } else { business }
}

fn masked(tokens: &[Token], without_courtesy: bool) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() && out.len() < WORDS_MAX {
        if let Some(len) = courtesy(tokens, at).filter(|_| without_courtesy) {
            at += len;
            continue;
        }
        let (word, len) = word_at(tokens, at);
        if let Some(word) = word {
            // "mil e quinhentos" is one number however many words it takes.
            if !(word.starts_with('<') && out.last().is_some_and(|last| *last == word)) {
                out.push(word);
            }
        }
        at += len;
    }
    out
}

/// How many tokens of greeting or politeness stand here. A single word of small talk counts only if it is a filler too:
/// "show" and "top" praise in one language and mean business in the other.
fn courtesy(tokens: &[Token], at: usize) -> Option<usize> {
    let token = tokens.get(at).filter(|token| token.is_word())?;
    let stands = |rest: &[Box<str>]| {
        rest.iter().enumerate().all(|(i, word)| tokens.get(at + 1 + i).is_some_and(|t| t.text == **word))
    };
    let in_language = |language: Language| {
        let entries = Lexicon::of(language).starting_with(&token.text);
        let is_filler = entries.iter().any(|entry| entry.cat == Cat::Filler && entry.rest.is_empty());
        let is_talk = |entry: &Entry| {
            entry.cat == Cat::Casual && &*entry.value != "chat" && (is_filler || !entry.rest.is_empty())
        };
        let polite = entries.iter().filter(|entry| entry.cat == Cat::Polite || is_talk(entry));
        polite.filter(|entry| stands(&entry.rest)).map(|entry| entry.rest.len() + 1).max()
    };
    WRITTEN.into_iter().filter_map(in_language).max()
}

fn word_at(tokens: &[Token], at: usize) -> (Option<String>, usize) {
    let Some(token) = tokens.get(at) else { return (None, 1) };
    let run = run_length(tokens, at);
    match token.kind {
        TokenKind::Mark if token.text == "?" => (Some("?".to_owned()), 1),
        TokenKind::Mark if is_currency_mark(&token.text) && is_digits(tokens, at + 1) => {
            (Some(MONEY.to_owned()), 1 + run_length(tokens, at + 1))
        }
        TokenKind::Mark => (None, 1),
        TokenKind::Digits => number(tokens, at, run),
        TokenKind::Word if run > 1 && has_digits(tokens, at, run) => (Some(ID.to_owned()), run),
        TokenKind::Word if token.text == "r" && tokens.get(at + 1).is_some_and(|t| t.text == "$") => (None, 1),
        TokenKind::Word => (Some(kind_of(&token.text).map_or_else(|| token.text.clone(), str::to_owned)), 1),
    }
}

fn number(tokens: &[Token], at: usize, run: usize) -> (Option<String>, usize) {
    let part = tokens.get(at..at + run).unwrap_or_default();
    let has = |mark: &str| part.iter().any(|token| token.text == mark);
    let next = tokens.get(at + run).map_or("", |token| token.text.as_str());
    let is_hour = part.iter().any(|token| matches!(token.text.as_str(), "h" | "am" | "pm"));
    if is(next, Cat::Currency) {
        (Some(MONEY.to_owned()), run + 1)
    } else if has("/") || part.iter().filter(|token| token.text == "-").count() == 2 {
        (Some(DATE.to_owned()), run)
    } else if has(":") || is_hour {
        (Some(TIME.to_owned()), run)
    } else if part.iter().filter(|token| token.kind == TokenKind::Word).count() > 1 {
        (Some(ID.to_owned()), run)
    } else {
        (Some(NUMBER.to_owned()), run)
    }
}

/// How many tokens stand glued together from here, digits, letters and the marks numbers and ids are written with.
fn run_length(tokens: &[Token], at: usize) -> usize {
    let mut end = at + 1;
    while let (Some(left), Some(right)) = (tokens.get(end - 1), tokens.get(end)) {
        let is_joint = right.kind != TokenKind::Mark
            || (matches!(right.text.as_str(), "." | "," | "/" | ":" | "-" | "_") && is_glued_value(tokens, end));
        if !left.touches(right) || !is_joint {
            break;
        }
        end += 1;
    }
    end - at
}

fn is_glued_value(tokens: &[Token], mark: usize) -> bool {
    match (tokens.get(mark), tokens.get(mark + 1)) {
        (Some(mark), Some(next)) => mark.touches(next) && next.kind == TokenKind::Digits,
        (Some(_) | None, None) | (None, Some(_)) => false,
    }
}

fn is_digits(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.kind == TokenKind::Digits)
}

fn has_digits(tokens: &[Token], at: usize, run: usize) -> bool {
    tokens.get(at..at + run).unwrap_or_default().iter().any(|token| token.kind == TokenKind::Digits)
}

fn is_currency_mark(mark: &str) -> bool {
    matches!(mark, "$" | "€" | "£" | "₺" | "₹" | "¥")
}

/// Single words that are values in some language.
fn kind_of(word: &str) -> Option<&'static str> {
    for language in WRITTEN {
        for entry in Lexicon::of(language).starting_with(word) {
            let is_month = entry.cat == Cat::Month && word.len() > 3;
            let is_day = matches!(entry.cat, Cat::Day | Cat::Weekday) || is_month;
            if entry.rest.is_empty() && is_day {
                return Some(DATE);
            }
            if entry.rest.is_empty() && matches!(entry.cat, Cat::WeekdayOrOrdinal) {
                return Some(DATE);
            }
            if entry.rest.is_empty() && matches!(entry.cat, Cat::Cardinal) {
                return Some(NUMBER);
            }
        }
    }
    None
}

fn is(word: &str, cat: Cat) -> bool {
    WRITTEN.into_iter().any(|language| {
        Lexicon::of(language).starting_with(word).iter().any(|entry| entry.cat == cat && entry.rest.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_hidden() {
        for (text, wanted) in [
            ("boleto de 150 reais para Ana sexta", "boleto de <money> para ana <date>"),
            ("R$ 1.500,00 até 10/12/2026 às 20h30", "<money> ate <date> as <time>"),
            ("cancela o BOL-1001", "cancela o <id>"),
            ("mesa para duas pessoas às 20:30?", "mesa para <number> pessoas as <time> ?"),
            ("mil e quinhentos", "mil e <number>"),
            ("$20 tomorrow", "<money> <date>"),
            ("oi, bom dia, quero um boleto por favor", "quero um boleto"),
            ("bom dia", "bom dia"),
            ("oi?", "oi ?"),
        ] {
            assert_eq!(words(text).join(" "), wanted, "{text}");
        }
    }
}
