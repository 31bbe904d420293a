//! Numbers in digits and in words: `1.500,00`, `2k`, `mil e quinhentos`, `two and a half`.
//!
//! Invariant: a literal that could mean one thing or a thousand times it is not read at all ([`Literal::Unreadable`]).
//! Deliberately absent: roman numerals, and digits grouped by spaces (too close to phone numbers and lists).

use rust_decimal::Decimal;

use crate::lexicon::Cat;
use crate::page::Page;
use crate::text::TokenKind;

/// More digits than this are a code, not a quantity.
const DIGITS_MAX: usize = 15;
/// A number has at most this many groups; longer chains of digits and dots are addresses or versions.
const GROUPS_MAX: usize = 8;

/// A number that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    /// What it is.
    pub(crate) value: Decimal,
    /// One past its last token.
    pub(crate) end: usize,
    /// Digits after the decimal separator, if it was written with one and nothing multiplied it.
    pub(crate) places: Option<usize>,
    /// Only an article that can also mean one.
    pub(crate) is_weak: bool,
}

/// What a run of digits turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Literal {
    /// A number.
    Number(Number),
    /// Digits and separators up to here that are no number or an ambiguous one.
    Unreadable(usize),
}

/// A minus before a number or a currency symbol: the position after it, if there is one.
pub(crate) fn minus(page: &Page<'_>, at: usize) -> Option<usize> {
    if page.word(at) == "-" {
        let hangs_on = at > 0 && page.touches_previous(at) && page.kind(at - 1) != Some(TokenKind::Mark);
        return (page.touches_next(at) && !hangs_on).then_some(at + 1);
    }
    page.sense(at, Cat::Minus).map(|sense| at + sense.len)
}

/// The unsigned number that starts here, in digits, words or both.
pub(crate) fn read(page: &Page<'_>, at: usize) -> Option<Number> {
    if let Some(half) = page.sense(at, Cat::Half) {
        // "meio milhão", "half a million"; half of anything smaller is a length or a time.
        let after = page.skip(at + half.len, Cat::WeakCardinal);
        let scale = page.sense(after, Cat::Scale).filter(|scale| scale.number >= 1_000_000)?;
        let value = Decimal::from(scale.number / 2);
        return Some(Number { value, end: after + scale.len, places: None, is_weak: false });
    }
    let mut sum = Sum::default();
    let mut end = at;
    let mut places = None;
    let mut next = at;
    let mut is_weak = false;
    loop {
        if page.is_digits(next) {
            let Some(Literal::Number(literal)) = literal(page, next) else { break };
            if !sum.add_literal(literal.value) {
                break;
            }
            places = if end == at { literal.places } else { None };
            next = literal.end;
        } else if let Some(scale) = page.sense(next, Cat::Scale).filter(|_| scale_fits(page, at, next)) {
            if !sum.scale(scale.number) {
                break;
            }
            (places, is_weak) = (None, false);
            next += scale.len;
        } else if let Some(word) = page.sense(next, Cat::Cardinal) {
            if !sum.add(word.number) {
                break;
            }
            (places, is_weak) = (None, false);
            next += word.len;
        } else if let Some(word) = page.sense(next, Cat::WeakCardinal) {
            if !sum.add(word.number) {
                break;
            }
            is_weak = end == at;
            next += word.len;
        } else {
            break;
        }
        end = next;
        let joined = page.skip(next, Cat::Joiner);
        if joined != next {
            if !sum.may_continue(page, joined) {
                break;
            }
            next = joined;
        }
    }
    if end == at {
        return None;
    }
    let number = Number { value: sum.total()?, end, places, is_weak };
    let unit = if sum.group.is_none() { sum.last_scale.unwrap_or(1) } else { 1 };
    Some(with_half(page, number, unit))
}

/// Digits with separators, starting here; none if this is no digit.
pub(crate) fn literal(page: &Page<'_>, at: usize) -> Option<Literal> {
    if !page.is_digits(at) {
        return None;
    }
    let mut groups = vec![page.word(at)];
    let mut separators: Vec<char> = Vec::new();
    let mut end = at + 1;
    while groups.len() <= GROUPS_MAX {
        let separator = match page.word(end) {
            "." => '.',
            "," => ',',
            _ => break,
        };
        if !(page.touches_previous(end) && page.touches_next(end) && page.is_digits(end + 1)) {
            break;
        }
        separators.push(separator);
        groups.push(page.word(end + 1));
        end += 2;
    }
    let read = interpret(&groups, &separators, page.lexicon.decimal);
    Some(match read {
        Some((value, places)) => Literal::Number(Number { value, end, places, is_weak: false }),
        None => Literal::Unreadable(end),
    })
}

/// The number that digit groups and their separators mean, with its decimal places.
fn interpret(groups: &[&str], separators: &[char], decimal: char) -> Option<(Decimal, Option<usize>)> {
    if groups.iter().map(|group| group.len()).sum::<usize>() > DIGITS_MAX {
        return None;
    }
    let (whole, fraction) = groups.split_at_checked(groups.len() - 1)?;
    let as_whole = || Some((groups.concat().parse().ok()?, None));
    let as_decimal = || {
        let last = fraction.first()?;
        Some((format!("{}.{last}", whole.concat()).parse().ok()?, Some(last.len())))
    };
    let Some((last, others)) = separators.split_last() else { return as_whole() };
    let first_other = others.first();
    if let Some(other) = first_other {
        if others.iter().any(|separator| separator != other) {
            return None;
        }
        return match (other == last, is_grouped(whole), is_grouped(groups)) {
            (true, _, true) => as_whole(),
            (true, _, false) if *other == ',' && is_lakh(groups) => as_whole(),
            (false, true, _) => as_decimal(),
            (true | false, _, _) => None,
        };
    }
    let looks_grouped = is_grouped(groups);
    match (*last == decimal, looks_grouped) {
        // `1,500` where the comma is the decimal mark: one and a half, or a thousand times that.
        (true, true) => None,
        (false, true) => as_whole(),
        (true | false, false) => as_decimal(),
    }
}

/// `1`, `1.500`, `12.345.678`: a first group of one to three digits without a leading zero, then groups of three.
fn is_grouped(groups: &[&str]) -> bool {
    let Some((first, rest)) = groups.split_first() else { return false };
    (1..=3).contains(&first.len()) && !first.starts_with('0') && rest.iter().all(|group| group.len() == 3)
}

/// `1,00,000`: the grouping of lakh and crore.
fn is_lakh(groups: &[&str]) -> bool {
    let Some((last, rest)) = groups.split_last() else { return false };
    last.len() == 3 && rest.iter().enumerate().all(|(i, group)| group.len() == 2 || (i == 0 && group.len() == 1))
}

/// `k` counts only glued to digits and with nothing glued after it.
fn scale_fits(page: &Page<'_>, start: usize, at: usize) -> bool {
    if page.word(at) != "k" {
        return true;
    }
    at > start
        && page.is_digits(at - 1)
        && page.touches_previous(at)
        && !(page.touches_next(at) && page.is_digits(at + 1))
}

/// `dois e meio`, `two and a half`, `2 milhões e meio`: half of the last scale.
fn with_half(page: &Page<'_>, number: Number, unit: i64) -> Number {
    let joined = page.skip(number.end, Cat::Joiner);
    if joined == number.end || number.places.is_some() || number.value.scale() != 0 {
        return number;
    }
    let Some(half) = page.sense(joined, Cat::Half) else { return number };
    let after = joined + half.len;
    // "duas e meia hora" does not exist, but "dez e meia noite" is two times, not a fraction.
    if page.is(joined, Cat::Clock) {
        return number;
    }
    match number.value.checked_add(Decimal::new(5, 1) * Decimal::from(unit)).map(|sum| sum.normalize()) {
        Some(value) => Number { value, end: after, places: None, is_weak: false },
        None => number,
    }
}

/// Adds number words the way people stack them: falling size inside a group, falling scales between groups.
#[derive(Default)]
struct Sum {
    total: Decimal,
    group: Option<Decimal>,
    last_scale: Option<i64>,
}

impl Sum {
    fn add(&mut self, value: i64) -> bool {
        let fits = self.accepts(value);
        if fits {
            self.group = Some(self.group.unwrap_or_default() + Decimal::from(value));
        }
        fits
    }

    /// Twenty takes one to nine, a hundred takes one to ninety-nine, nothing takes anything.
    fn accepts(&self, value: i64) -> bool {
        let Some(group) = self.group else { return self.last_scale.is_none_or(|scale| value < scale && value > 0) };
        let rest = |unit: i64| (group % Decimal::from(unit)).is_zero();
        match value {
            1..=9 => rest(10) && group >= Decimal::from(20),
            10..=99 => rest(100) && group >= Decimal::from(100),
            _ => false,
        }
    }

    fn add_literal(&mut self, value: Decimal) -> bool {
        if self.group.is_some() || self.last_scale.is_some_and(|scale| value >= Decimal::from(scale)) {
            return false;
        }
        self.group = Some(value);
        true
    }

    fn scale(&mut self, scale: i64) -> bool {
        if scale == 100 {
            let group = self.group.unwrap_or(Decimal::ONE);
            if group.is_zero() || group >= Decimal::from(100) || group.scale() != 0 {
                return false;
            }
            self.group = Some(group * Decimal::from(100));
            return true;
        }
        if self.last_scale.is_some_and(|last| scale >= last) {
            return false;
        }
        let group = self.group.take().unwrap_or(Decimal::ONE);
        let Some(sum) = group.checked_mul(Decimal::from(scale)).and_then(|part| self.total.checked_add(part)) else {
            return false;
        };
        self.total = sum;
        self.last_scale = Some(scale);
        true
    }

    /// True if what stands after "e"/"and" still belongs to this number.
    fn may_continue(&self, page: &Page<'_>, at: usize) -> bool {
        if page.is_digits(at) {
            return self.group.is_none()
                && matches!(literal(page, at), Some(Literal::Number(n))
                    if self.last_scale.is_some_and(|scale| n.value < Decimal::from(scale)));
        }
        let word = page.sense(at, Cat::Cardinal).or_else(|| page.sense(at, Cat::WeakCardinal));
        word.is_some_and(|word| self.accepts(word.number))
    }

    fn total(&self) -> Option<Decimal> {
        self.total.checked_add(self.group.unwrap_or_default()).map(|sum| sum.normalize())
    }
}
