//! One pass over a page: at each place the longest reading wins, then the pass goes on behind it.
//!
//! Invariant: findings come left to right and do not overlap, with one exception: words that are a weekday or a position
//! ("a segunda"), or a day of the month or a position ("the 2nd"), yield both a date and an ordinal with the same span.
//! Deliberately absent: choosing what a bare number is for; a slot or a cue decides that.

use rust_decimal::Decimal;

use crate::lexicon::Cat;
use crate::number::{self, Literal};
use crate::page::Page;
use crate::text::TokenKind;
use crate::value::{Found, Kind, Value};
use crate::{Context, date, duration, email, id, money, ordinal, phone, time};

/// What one place of a page holds.
pub(crate) enum Step {
    /// One or two readings of the same words.
    Found { found: Vec<Found>, end: usize },
    /// A day the calendar does not have.
    Impossible { end: usize },
    /// Nothing to read up to here.
    Nothing { end: usize },
}

/// All typed values of a text, left to right, without overlap.
///
/// The one exception is documented in the crate's overview: words that are a day or a position yield both.
#[must_use]
pub fn extract(text: &str, ctx: &Context) -> Vec<Found> {
    let page = Page::new(text, ctx.language);
    let mut out = Vec::new();
    let mut at = 0;
    while at < page.len() {
        match step(&page, at, ctx) {
            Step::Found { found, end } => {
                out.extend(found);
                at = end.max(at + 1);
            }
            Step::Impossible { end } | Step::Nothing { end } => at = end.max(at + 1),
        }
    }
    out
}

/// A reading and where it ends; on equal length the earlier kind of the list in [`step`] wins.
struct Candidate {
    kind: Kind,
    value: Option<Value>,
    or_ordinal: Option<i64>,
    end: usize,
}

impl Candidate {
    fn new(kind: Kind, value: Value, end: usize) -> Candidate {
        Candidate { kind, value: Some(value), or_ordinal: None, end }
    }
}

/// The best reading of the words at one place.
pub(crate) fn step(page: &Page<'_>, at: usize, ctx: &Context) -> Step {
    if let Some(end) = page.sense(at, Cat::Skip).map(|skip| at + skip.len).or_else(|| email::url_end(page, at)) {
        return Step::Nothing { end };
    }
    if is_idle(page, at) {
        return Step::Nothing { end: at + 1 };
    }
    let candidates = [
        email_at(page, at),
        phone_at(page, at, ctx),
        money::read(page, at, ctx).map(|amount| Candidate::new(Kind::Money, Value::Money(amount.money), amount.end)),
        date_at(page, at, ctx),
        time::read(page, at).map(|(time, end)| Candidate::new(Kind::Time, Value::Time(time), end)),
        duration::read(page, at).map(|(seconds, end)| Candidate::new(Kind::Duration, Value::Duration(seconds), end)),
        ordinal::read(page, at, false).map(|place| Candidate::new(Kind::Ordinal, Value::Int(place.place), place.end)),
        id_at(page, at),
        number_at(page, at),
    ];
    let best = candidates.into_iter().flatten().reduce(|best, other| if other.end > best.end { other } else { best });
    let Some(best) = best else { return Step::Nothing { end: unreadable_end(page, at) } };
    let best = with_twin(page, at, best, ctx);
    let Some(value) = best.value else { return Step::Impossible { end: best.end } };
    let span = page.span(at, best.end);
    let mut found = vec![Found { kind: best.kind, value, span }];
    found.extend(best.or_ordinal.map(|place| Found { kind: Kind::Ordinal, value: Value::Int(place), span }));
    Step::Found { found, end: best.end }
}

/// `sexta, 20/11` and `20 de novembro (sexta)` are one day if weekday and date agree; if not, both are left to see.
fn with_twin(page: &Page<'_>, at: usize, best: Candidate, ctx: &Context) -> Candidate {
    let Some(Value::Date(day)) = best.value else { return best };
    let mut next = best.end;
    while matches!(page.word(next), "," | "(") {
        next += 1;
    }
    let Some(twin) = date_at(page, next, ctx) else { return best };
    let Some(Value::Date(other)) = twin.value else { return best };
    let is_name =
        |from: usize, to: usize| (from..to).any(|at| page.is(at, Cat::Weekday) || page.is(at, Cat::WeekdayOrOrdinal));
    let (name_first, name_last) = (is_name(at, best.end), is_name(next, twin.end));
    match (name_first, name_last) {
        (true, false) if day.weekday() == other.weekday() => Candidate::new(Kind::Date, Value::Date(other), twin.end),
        (false, true) if day.weekday() == other.weekday() => Candidate::new(Kind::Date, Value::Date(day), twin.end),
        (true | false, true | false) => best,
    }
}

/// Most tokens are plain words no reader starts at; leaving them early is most of the speed.
fn is_idle(page: &Page<'_>, at: usize) -> bool {
    match page.kind(at) {
        Some(TokenKind::Word) => {
            let is_glued = page.touches_next(at) && !page.is_word(at + 1);
            page.is_plain(at) && !is_glued && !page.is_digits(at + 1) && !page.has_address
        }
        Some(TokenKind::Mark) => page.is_plain(at) && !matches!(page.word(at), "+" | "(" | "-" | "#" | "_"),
        Some(TokenKind::Digits) => false,
        None => true,
    }
}

fn email_at(page: &Page<'_>, at: usize) -> Option<Candidate> {
    email::read(page, at).map(|(address, end)| Candidate::new(Kind::Email, Value::Text(address), end))
}

fn phone_at(page: &Page<'_>, at: usize, ctx: &Context) -> Option<Candidate> {
    phone::read(page, at, ctx.region).map(|(number, end)| Candidate::new(Kind::Phone, Value::Text(number), end))
}

fn date_at(page: &Page<'_>, at: usize, ctx: &Context) -> Option<Candidate> {
    let read = date::read(page, at, ctx)?;
    Some(Candidate { kind: Kind::Date, value: read.day.map(Value::Date), or_ordinal: read.or_ordinal, end: read.end })
}

fn id_at(page: &Page<'_>, at: usize) -> Option<Candidate> {
    let end = id::read(page, at)?;
    Some(Candidate::new(Kind::Id, id::found(page, at, end).value, end))
}

/// A bare number: not glued to letters before it, and not an article that can also mean one.
fn number_at(page: &Page<'_>, at: usize) -> Option<Candidate> {
    let signed = number::minus(page, at);
    let start = signed.unwrap_or(at);
    let hangs_on =
        page.touches_previous(at) && at > 0 && (page.is_word(at - 1) || matches!(page.word(at - 1), "_" | "."));
    let number = number::read(page, start).filter(|number| !hangs_on && !is_fraction(page, number.end))?;
    if number.is_weak && !is_only_number(page, at, number.end) {
        return None;
    }
    let value = if signed.is_some() { -number.value } else { number.value };
    Some(Candidate::new(Kind::Number, number_value(value), number.end))
}

fn is_only_number(page: &Page<'_>, at: usize, end: usize) -> bool {
    let is_aside = |i: usize| !page.is_word(i) && !page.is_digits(i) || page.is(i, Cat::Polite) || page.is(i, Cat::Yes);
    page.word(at).len() > 1 && (0..at).all(is_aside) && (end..page.len()).all(is_aside)
}

/// Whole numbers as integers, everything else as exact decimals.
fn number_value(value: Decimal) -> Value {
    let value = value.normalize();
    match i64::try_from(value.mantissa()) {
        Ok(whole) if value.scale() == 0 => Value::Int(whole),
        Ok(_) | Err(_) => Value::Decimal(value),
    }
}

/// Digits that could mean two things are stepped over whole, so that no part of them is read on its own.
fn unreadable_end(page: &Page<'_>, at: usize) -> usize {
    match number::literal(page, at) {
        Some(Literal::Unreadable(end)) => end,
        Some(Literal::Number(number)) if is_fraction(page, number.end) => number.end + 2,
        Some(Literal::Number(_)) | None => at + 1,
    }
}

/// `3/4` of something: neither three nor four.
fn is_fraction(page: &Page<'_>, slash: usize) -> bool {
    page.word(slash) == "/" && page.touches_previous(slash) && page.touches_next(slash) && page.is_digits(slash + 1)
}

#[cfg(test)]
mod tests;
