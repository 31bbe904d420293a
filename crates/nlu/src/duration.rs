//! Lengths of time: `2 horas e meia`, `45 min`, `three weeks`.
//!
//! A month counts 30 days and a year 365: a duration is a length, not a calendar walk (dates do that in `date`).
//! Deliberately absent: working days, whose length depends on holidays nobody here knows.

use rust_decimal::Decimal;

use crate::lexicon::Cat;
use crate::number;
use crate::page::Page;

/// One unit of calendar or clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Fortnight,
    Month,
    HalfYear,
    Year,
    /// Working days: recognised so that nobody reads them as days.
    Work,
}

impl Unit {
    fn named(value: &str) -> Option<Unit> {
        Some(match value {
            "sec" => Unit::Second,
            "min" => Unit::Minute,
            "hour" => Unit::Hour,
            "day" => Unit::Day,
            "week" => Unit::Week,
            "fortnight" => Unit::Fortnight,
            "month" => Unit::Month,
            "half_year" => Unit::HalfYear,
            "year" => Unit::Year,
            "work" => Unit::Work,
            _ => return None,
        })
    }

    fn seconds(self) -> Option<i64> {
        match self {
            Unit::Second => Some(1),
            Unit::Minute => Some(60),
            Unit::Hour => Some(3600),
            Unit::Day => Some(86_400),
            Unit::Week => Some(7 * 86_400),
            Unit::Fortnight => Some(15 * 86_400),
            Unit::Month => Some(30 * 86_400),
            Unit::HalfYear => Some(182 * 86_400),
            Unit::Year => Some(365 * 86_400),
            Unit::Work => None,
        }
    }
}

/// A number of one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quantity {
    pub(crate) count: Decimal,
    pub(crate) unit: Unit,
    pub(crate) end: usize,
}

impl Quantity {
    /// The count, if it is whole and small enough for a calendar.
    pub(crate) fn whole(&self) -> Option<i64> {
        let count = self.count.normalize();
        if count.scale() == 0 { i64::try_from(count.mantissa()).ok().filter(|n| *n < 100_000) } else { None }
    }
}

/// `3 dias`, `meia hora`, `half an hour`, `a week`.
pub(crate) fn quantity(page: &Page<'_>, at: usize) -> Option<Quantity> {
    if let Some(half) = page.sense(at, Cat::Half) {
        let after = page.skip(at + half.len, Cat::WeakCardinal);
        let (unit, end) = unit(page, after)?;
        return Some(Quantity { count: Decimal::new(5, 1), unit, end });
    }
    let number = number::read(page, at)?;
    let (unit, end) = unit(page, number.end)?;
    // `5 m` is metres or minutes and `3 s` a plural; single letters count only glued to digits.
    let is_letter = page.word(number.end).len() == 1;
    if is_letter && !(page.touches_next(number.end - 1) && page.is_digits(number.end - 1)) {
        return None;
    }
    Some(Quantity { count: number.value, unit, end })
}

/// The length that starts here, in seconds, and one past its last token.
pub(crate) fn read(page: &Page<'_>, at: usize) -> Option<(i64, usize)> {
    let first = quantity(page, at)?;
    let mut seconds = seconds_of(first.count, first.unit)?;
    let mut end = first.end;
    let mut last = first.unit;
    // "2 horas e 30 minutos", "1h30min", "uma hora e meia".
    loop {
        let joined = page.skip(end, Cat::Joiner);
        if let Some(next) = quantity(page, joined).filter(|next| next.unit.seconds() < last.seconds()) {
            seconds = seconds.checked_add(seconds_of(next.count, next.unit)?)?;
            (end, last) = (next.end, next.unit);
            continue;
        }
        if joined != end
            && let Some(half) = page.sense(joined, Cat::Half).filter(|_| !page.is(joined, Cat::Clock))
        {
            seconds = seconds.checked_add(seconds_of(Decimal::new(5, 1), last)?)?;
            end = joined + half.len;
        }
        return Some((seconds, end));
    }
}

fn unit(page: &Page<'_>, at: usize) -> Option<(Unit, usize)> {
    let sense = page.sense(at, Cat::Unit)?;
    Some((Unit::named(sense.value)?, at + sense.len))
}

fn seconds_of(count: Decimal, unit: Unit) -> Option<i64> {
    let seconds = count.checked_mul(Decimal::from(unit.seconds()?))?.normalize();
    if seconds.scale() == 0 { i64::try_from(seconds.mantissa()).ok() } else { None }
}
