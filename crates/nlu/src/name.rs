//! Names of people and things: finding them in a sentence, and comparing them with known ones.
//!
//! Invariant: a name never covers a typed value or a function word; where it is unclear, less is taken.
//! Deliberately absent: a list of first names. Cues, case and the words around decide, so `boleto pra ana` works in
//! lower case and a new customer's name works on the first day.

mod compare;
#[cfg(test)]
mod tests;

pub use compare::{Closeness, resembles};

use crate::language::Language;
use crate::lexicon::Cat;
use crate::page::Page;
use crate::text;
use crate::value::{Found, Kind, Span, Value};

/// More words than this are a sentence, not a name.
const WORDS_MAX: usize = 6;
/// In lower case nothing but stop words ends a name, so it is kept shorter.
const LOWER_WORDS_MAX: usize = 3;

/// The name that follows a cue such as "para a", "pra" or "do": words up to the next value, stop word or mark.
///
/// `taken` are spans of values already read from the text; a name never reaches into them.
#[must_use]
pub fn after_cue(text: &str, cues: &[String], taken: &[Span], language: Language) -> Option<Found> {
    let page = Page::new(text, language);
    let cues: Vec<Vec<String>> = cues.iter().map(|cue| words_of(cue)).filter(|cue| !cue.is_empty()).collect();
    (0..page.len()).find_map(|at| {
        let len = cues.iter().filter(|cue| stands(&page, at, cue)).map(Vec::len).max()?;
        let start = skip_lead(&page, at + len);
        let end = name_end(&page, start, taken)?;
        Some(found(&page, start, end))
    })
}

/// The name, if the whole message is one: `Ana Souza`, `é a Ana`, `pro João Silva por favor`.
#[must_use]
pub fn alone(text: &str, language: Language) -> Option<Found> {
    let page = Page::new(text, language);
    let mut start = 0;
    // "é o cliente", "oi, meu nome é": a greeting, a lead and a title at most.
    for _ in 0..4 {
        let lead =
            [Cat::NameLead, Cat::Title, Cat::Filler, Cat::Polite].into_iter().filter_map(|cat| page.sense(start, cat));
        let longest = lead.map(|sense| sense.len).max().filter(|len| start + len < page.len());
        match longest {
            Some(len) => start += len,
            None if matches!(page.word(start), "," | ":" | "." | "\"" | "'") => start += 1,
            None => break,
        }
    }
    let end = name_end(&page, start, &[])?;
    let mut rest = end;
    while rest < page.len() {
        let aside =
            [Cat::Polite, Cat::Filler].into_iter().filter_map(|cat| page.sense(rest, cat)).map(|sense| sense.len).max();
        let is_mark = !page.is_word(rest) && !page.is_digits(rest) && page.word(rest) != "?";
        rest += aside.or(is_mark.then_some(1))?;
    }
    let is_answer = [Cat::Yes, Cat::No, Cat::Hedge, Cat::Question, Cat::Casual, Cat::Change]
        .into_iter()
        .any(|cat| page.is(start, cat));
    (!is_answer).then(|| found(&page, start, end))
}

fn words_of(text: &str) -> Vec<String> {
    text::tokens(text).into_iter().map(|token| token.text).collect()
}

fn stands(page: &Page<'_>, at: usize, cue: &[String]) -> bool {
    cue.iter().enumerate().all(|(i, word)| page.word(at + i) == word)
}

/// Articles and titles between a cue and the name.
fn skip_lead(page: &Page<'_>, at: usize) -> usize {
    let mut at = at;
    for _ in 0..3 {
        let lead =
            [Cat::Article, Cat::Title].into_iter().filter_map(|cat| page.sense(at, cat)).map(|sense| sense.len).max();
        match lead {
            Some(len) if page.is_word(at + len) => at += len,
            Some(_) | None if page.word(at) == "." && page.touches_previous(at) => at += 1,
            Some(_) | None => break,
        }
    }
    at
}

/// One past the last word of the name that starts here.
fn name_end(page: &Page<'_>, start: usize, taken: &[Span]) -> Option<usize> {
    let is_taken = |at: usize| page.token(at).is_some_and(|token| taken.iter().any(|span| span.overlaps(&token.span)));
    if !is_first(page, start) || is_taken(start) {
        return None;
    }
    let is_capital = starts_capital(page, start);
    let words_max = if is_capital { WORDS_MAX } else { LOWER_WORDS_MAX };
    let mut end = start + 1;
    let mut words = 1;
    while words < words_max && !is_taken(end) {
        if page.sense(end, Cat::Particle).is_some() && is_next(page, end + 1, is_capital, true) && !is_taken(end + 1) {
            end += 2;
        } else if is_next(page, end, is_capital, false) {
            end += 1;
        } else {
            break;
        }
        words += 1;
    }
    Some(end)
}

/// A word a name may start with: no function word, no value, no number.
fn is_first(page: &Page<'_>, at: usize) -> bool {
    page.is_word(at)
        && !is_value(page, at)
        && !page.is(at, Cat::Stop)
        && !page.is(at, Cat::Polite)
        && !page.is(at, Cat::Negation)
}

/// A word a name may go on with. After a particle only a capital or a well-known surname will do.
fn is_next(page: &Page<'_>, at: usize, is_capital: bool, after_particle: bool) -> bool {
    if !page.is_word(at) {
        return false;
    }
    let is_surname = page.is(at, Cat::Surname);
    if is_capital {
        let is_stop = page.is(at, Cat::Stop) && !is_surname;
        return starts_capital(page, at) && (!shouts(page) || !is_stop) && !is_weekday(page, at);
    }
    if after_particle {
        return is_surname;
    }
    is_surname || (is_first(page, at) && !page.is(at, Cat::Particle))
}

fn is_value(page: &Page<'_>, at: usize) -> bool {
    let values =
        [Cat::Cardinal, Cat::WeakCardinal, Cat::Day, Cat::Scale, Cat::Period, Cat::DayCue, Cat::Clock, Cat::Currency];
    let is_glued_code = page.touches_next(at) && page.is_digits(at + 1);
    is_weekday(page, at) || is_glued_code || values.into_iter().any(|cat| page.is(at, cat)) || is_lone_month(page, at)
}

fn is_weekday(page: &Page<'_>, at: usize) -> bool {
    page.is(at, Cat::Weekday) || page.is(at, Cat::WeekdayOrOrdinal)
}

/// A month's full name; three letters of one are a name as often.
fn is_lone_month(page: &Page<'_>, at: usize) -> bool {
    page.is(at, Cat::Month) && page.word(at).len() > 3
}

fn starts_capital(page: &Page<'_>, at: usize) -> bool {
    page.raw(at).chars().next().is_some_and(char::is_uppercase)
}

/// A text all in capitals says nothing by its capitals.
fn shouts(page: &Page<'_>) -> bool {
    !page.text.chars().any(char::is_lowercase)
}

fn found(page: &Page<'_>, start: usize, end: usize) -> Found {
    let mut span = page.span(start, end);
    // "Ana's table" is about Ana.
    let words = span.of(page.text);
    let owner = words.strip_suffix("'s").or_else(|| words.strip_suffix("’s")).unwrap_or(words);
    span.end = span.start + u32::try_from(owner.len()).unwrap_or_default();
    Found { kind: Kind::Name, value: Value::text(owner), span }
}
