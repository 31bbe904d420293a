//! Calendar days: `hoje`, `sexta que vem`, `dia 10`, `10/12`, `2026-12-10`, `March 8th`, `daqui a 3 dias`.
//!
//! How a day that can mean several is resolved, always from the context's `now`:
//! - a bare weekday, and one with "next", is the next such day strictly after today; "this" may be today; "last" is past;
//! - a day of the month, or a day and month without a year, is its next occurrence, today included;
//! - "next week" is its Monday, "next month" its first day, "end of the month" its last;
//! - a full date and a past word (`01/01/2020`, `ontem`) stay in the past.
//!
//! Invariant: a day the calendar does not have is never moved to a neighbour; [`malformed`] reports it.
//! Deliberately absent: working days and holidays.

mod named;
mod numeric;
mod relative;
#[cfg(test)]
mod tests;

use jiff::civil::Date;

use crate::Context;
use crate::page::Page;
use crate::value::Span;

/// What the words at a place say about a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DayRead {
    /// The day; none if the calendar has no such day.
    pub(crate) day: Option<Date>,
    /// One past the last token.
    pub(crate) end: usize,
    /// The words may be a position in a list instead ("a segunda", "the 2nd"); 1-based.
    pub(crate) or_ordinal: Option<i64>,
}

impl DayRead {
    fn sure(day: Option<Date>, end: usize) -> DayRead {
        DayRead { day, end, or_ordinal: None }
    }
}

/// Where a text looks like a date but names a day that does not exist: `31/02`, `2026-13-40`, `dia 32`.
#[must_use]
pub fn malformed(text: &str, ctx: &Context) -> Option<Span> {
    let page = Page::new(text, ctx.language);
    let mut at = 0;
    while at < page.len() {
        match crate::extract::step(&page, at, ctx) {
            crate::extract::Step::Impossible { end } => return Some(page.span(at, end)),
            crate::extract::Step::Found { end, .. } | crate::extract::Step::Nothing { end } => at = end.max(at + 1),
        }
    }
    None
}

/// The day that starts here; the longest reading wins.
pub(crate) fn read(page: &Page<'_>, at: usize, ctx: &Context) -> Option<DayRead> {
    let today = ctx.now.date();
    let readings = [numeric::read(page, at, ctx), named::read(page, at, today), relative::read(page, at, today)];
    readings.into_iter().flatten().reduce(|best, other| if other.end > best.end { other } else { best })
}

/// The next time the calendar shows this day and month, today included; none if it never does.
fn next_day_month(day: i8, month: i8, today: Date) -> Option<Date> {
    // Eight years cover every gap between leap days, 1896 to 1904 included.
    (0..=8).filter_map(|ahead| Date::new(today.year().checked_add(ahead)?, month, day).ok()).find(|date| *date >= today)
}

/// The next time the calendar shows this day of the month, today included.
fn next_day(day: i8, today: Date) -> Option<Date> {
    let mut month = today.first_of_month();
    // Every day up to 31 comes around within two months; three is slack.
    for _ in 0..4 {
        if let Ok(date) = Date::new(month.year(), month.month(), day)
            && date >= today
        {
            return Some(date);
        }
        month = month.last_of_month().tomorrow().ok()?;
    }
    None
}

/// Two digits mean the century that puts the year within fifty years ahead of now.
fn full_year(year: i64, digits: usize, today: Date) -> Option<i16> {
    let year = match digits {
        4 => year,
        2 => {
            let now = i64::from(today.year());
            let near = now - now.rem_euclid(100) + year;
            if near > now + 50 { near - 100 } else { near }
        }
        _ => return None,
    };
    i16::try_from(year).ok()
}
