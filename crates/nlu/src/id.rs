//! Codes such as `BOL-1001`: one spelling for what people type in many.
//!
//! Invariant: [`canonical`] is idempotent, and [`same`] is an equivalence that never looks at separators or case.
//! Deliberately absent: any knowledge of a pack's patterns; whether `BOL-1001` exists is a question for a table.

use crate::lexicon::Cat;
use crate::page::Page;
use crate::text;
use crate::value::{Found, Kind, Value};

/// Fewer digits than this are a version or a paper size (`v2`, `A4`), not an id.
const DIGITS_MIN: usize = 2;
/// Letters before the digits of a spaced id (`BOL 1001`).
const PREFIX_LETTERS: std::ops::RangeInclusive<usize> = 2..=5;

/// Upper case, no spaces, `_` and every dash as `-`, a leading `#` dropped: `bol_1001` becomes `BOL-1001`.
#[must_use]
pub fn canonical(id: &str) -> String {
    let folded = text::fold(id);
    let body = folded.trim_start_matches('#');
    body.chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| if c == '_' { '-' } else { c })
        .flat_map(char::to_uppercase)
        .collect()
}

/// True if two ids differ only in case, spaces and separators: `BOL-1001`, `bol 1001` and `BOL1001` are the same.
///
/// Two texts without a single letter or digit are never the same id.
#[must_use]
pub fn same(left: &str, right: &str) -> bool {
    let (left, right) = (bare(left), bare(right));
    !left.is_empty() && left == right
}

/// Ids with one of these prefixes, however they are spaced: a pack that knows its ids finds `bol 1001` with `BOL`.
#[must_use]
pub fn with_prefix(text: &str, prefixes: &[String]) -> Vec<Found> {
    let wanted: Vec<String> = prefixes.iter().map(|prefix| bare(prefix)).filter(|prefix| !prefix.is_empty()).collect();
    let page = Page::new(text, crate::Language::En);
    let mut out = Vec::new();
    let mut at = 0;
    while at < page.len() {
        let is_prefix = wanted.iter().any(|prefix| prefix == page.word(at));
        match is_prefix.then(|| glued(&page, at).or_else(|| spaced(&page, at))).flatten() {
            Some(end) => {
                out.push(found(&page, at, end));
                at = end;
            }
            None => at += 1,
        }
    }
    out
}

/// The id that starts here: one past its last token.
pub(crate) fn read(page: &Page<'_>, at: usize) -> Option<usize> {
    if page.touches_previous(at) && !matches!(page.word(at - 1), "(" | "#" | "\"" | "'" | "[" | ":" | "," | ";" | "*") {
        return None;
    }
    if page.word(at) == "#" {
        return glued(page, at + 1)
            .or_else(|| (page.is_digits(at + 1) && page.word(at + 1).len() > DIGITS_MIN).then_some(at + 2))
            .filter(|_| page.touches_next(at));
    }
    glued(page, at).or_else(|| masked(page, at)).or_else(|| spaced(page, at).filter(|_| is_prefix(page, at)))
}

pub(crate) fn found(page: &Page<'_>, at: usize, end: usize) -> Found {
    let span = page.span(at, end);
    Found { kind: Kind::Id, value: Value::text(canonical(span.of(page.text))), span }
}

/// Letters and digits in one piece, with `-` or `_` inside: `BOL-1001`, `ORD-2026-00017`, `rest_123`, `550e8400-e29b`.
fn glued(page: &Page<'_>, at: usize) -> Option<usize> {
    let mut end = at;
    let (mut letters, mut digits, mut changes) = (0, 0, 0);
    loop {
        if page.is_word(end) && page.raw(end).is_ascii() && !page.word(end).contains('\'') {
            letters += page.word(end).len();
        } else if page.is_digits(end) {
            digits += page.word(end).len();
        } else {
            break;
        }
        changes += 1;
        end += 1;
        let is_joint = matches!(page.word(end), "-" | "_") && page.touches_previous(end) && page.touches_next(end);
        if is_joint && (page.is_word(end + 1) || page.is_digits(end + 1)) {
            end += 1;
        } else if !page.touches_previous(end) {
            break;
        }
    }
    // `20h30`, `500ml` and `10-dez` start with digits: only long mixtures are codes.
    let starts_with_digits = page.is_digits(at);
    let is_code = if starts_with_digits { changes >= 3 && letters + digits >= 8 } else { changes >= 2 };
    let is_glued_on = page.touches_previous(end) && (page.is_word(end) || matches!(page.word(end), "@" | "$"));
    (is_code && letters > 0 && digits >= DIGITS_MIN && !is_glued_on && !has_word(page, at, end)).then_some(end)
}

/// `sexta-10` and `das-20` are words with a number after them.
fn has_word(page: &Page<'_>, at: usize, end: usize) -> bool {
    let is_listed = page.is(at, Cat::IdPrefix);
    !is_listed && end - at == 3 && (page.is(at, Cat::Weekday) || page.is(at, Cat::Month) || page.is(at, Cat::Stop))
}

/// `529.982.247-25`: digits in a mask with dots and one dash or slash, as tax numbers are written.
fn masked(page: &Page<'_>, at: usize) -> Option<usize> {
    let lens: Vec<usize> =
        (0..5).map_while(|i| page.is_digits(at + 2 * i).then(|| page.word(at + 2 * i).len())).collect();
    let marks: Vec<&str> = (0..4).map(|i| page.word(at + 2 * i + 1)).collect();
    let len = match (lens.as_slice(), marks.as_slice()) {
        ([2, 3, 3, 4, 2, ..], [".", ".", "/", "-"]) => 9,
        ([3, 3, 3, 2, ..], [".", ".", "-", ..]) => 7,
        _ => return None,
    };
    (at..at + len - 1).all(|i| page.touches_next(i)).then_some(at + len)
}

/// A short word, one space, digits.
fn spaced(page: &Page<'_>, at: usize) -> Option<usize> {
    let fits = page.is_word(at)
        && PREFIX_LETTERS.contains(&page.word(at).len())
        && page.is_digits(at + 1)
        && page.word(at + 1).len() >= DIGITS_MIN;
    let ends =
        !(page.touches_next(at + 1) && (page.is_word(at + 2) || page.is_digits(at + 3) && page.touches_next(at + 2)));
    (fits && ends && !page.is(at + 2, Cat::Currency) && !page.is(at + 2, Cat::Unit)).then_some(at + 2)
}

/// A listed prefix, or capitals in a text that is not all capitals.
fn is_prefix(page: &Page<'_>, at: usize) -> bool {
    let is_capital = |raw: &str| raw.bytes().all(|b| b.is_ascii_uppercase());
    let shouts = || !page.tokens.iter().enumerate().any(|(i, token)| token.is_word() && !is_capital(page.raw(i)));
    let is_money = page.is(at, Cat::Currency) || page.is(at, Cat::CurrencySymbol);
    page.is(at, Cat::IdPrefix) || (is_capital(page.raw(at)) && !page.is(at, Cat::Stop) && !is_money && !shouts())
}

fn bare(id: &str) -> String {
    text::fold(id).chars().filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_spelling() {
        for (said, wanted) in [
            ("BOL-1001", "BOL-1001"),
            ("bol 1001", "BOL1001"),
            ("BOL1001", "BOL1001"),
            ("rest_123", "REST-123"),
            ("res–000001", "RES-000001"),
            ("#w12", "W12"),
            ("ＢＯＬ１", "BOL1"),
        ] {
            assert_eq!(canonical(said), wanted, "{said}");
            assert_eq!(canonical(&canonical(said)), wanted, "twice {said}");
        }
    }

    #[test]
    fn sameness_ignores_separators_only() {
        for (left, right, wanted) in [
            ("BOL-1001", "bol 1001", true),
            ("BOL1001", "bol_1001", true),
            ("BOL-1001", "BOL-1002", false),
            ("BOL-1001", "BOL-01001", false),
            ("RES-000001", "RES-1", false),
            ("", "", false),
            ("--", "-", false),
        ] {
            assert_eq!(same(left, right), wanted, "{left} {right}");
        }
    }
}
