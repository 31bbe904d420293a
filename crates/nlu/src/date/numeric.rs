//! Days in digits: `10/12`, `10/12/2026`, `10-12-26`, `10.12.2026`, `2026-12-10`.
//!
//! Day and month stand in the order of the region; `12/31/2026` is read in any, because it can mean only one day.

use jiff::civil::Date;

use super::{DayRead, full_year, next_day_month};
use crate::Context;
use crate::lexicon::Cat;
use crate::page::Page;

/// The numeric date that starts here, with a "dia" before it if there is one.
pub(super) fn read(page: &Page<'_>, at: usize, ctx: &Context) -> Option<DayRead> {
    let start = page.skip(at, Cat::DayCue);
    let shape = shape(page, start)?;
    let today = ctx.now.date();
    match shape {
        Shape::YearFirst { year, month, day, end } => {
            Some(DayRead::sure(full_year(year, 4, today).and_then(|y| date(y, month, day)), end))
        }
        Shape::YearLast { first, second, year, year_digits, end } => {
            let year = full_year(year, year_digits, today);
            let (day, month) = ordered(first, second, ctx);
            let plain = year.and_then(|y| date(y, month, day));
            // Four digits of year make the other order unambiguous when the usual one is impossible.
            let swapped = year.filter(|_| year_digits == 4 && month > 12).and_then(|y| date(y, day, month));
            Some(DayRead::sure(plain.or(swapped), end))
        }
        Shape::NoYear { first, second, end } => {
            let (day, month) = ordered(first, second, ctx);
            let usual = next(day, month, today);
            let swapped = if ctx.region.is_month_first() { next(month, day, today) } else { None };
            Some(DayRead::sure(usual.or(swapped), end))
        }
    }
}

fn ordered(first: i64, second: i64, ctx: &Context) -> (i64, i64) {
    if ctx.region.is_month_first() { (second, first) } else { (first, second) }
}

fn next(day: i64, month: i64, today: Date) -> Option<Date> {
    next_day_month(i8::try_from(day).ok()?, i8::try_from(month).ok()?, today)
}

fn date(year: i16, month: i64, day: i64) -> Option<Date> {
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

enum Shape {
    YearFirst { year: i64, month: i64, day: i64, end: usize },
    YearLast { first: i64, second: i64, year: i64, year_digits: usize, end: usize },
    NoYear { first: i64, second: i64, end: usize },
}

/// Digits with `/`, `-` or `.` between them that look like a date, whether or not such a day exists.
fn shape(page: &Page<'_>, at: usize) -> Option<Shape> {
    let (first, separator) = (digits(page, at)?, page.word(at + 1));
    let second = part(page, at + 1, separator)?;
    let third = part(page, at + 3, separator);
    let hangs_on = page.touches_previous(at)
        && at >= 1
        && (page.is_word(at - 1) || matches!(page.word(at - 1), "/" | "-" | "." | "_"));
    let goes_on = third.is_some() && part(page, at + 5, separator).is_some();
    if hangs_on || goes_on || second.len > 2 {
        return None;
    }
    let Some(third) = third else {
        // A fraction bar is the only separator two numbers share with nothing else common.
        let fits = separator == "/" && first.len <= 2 && !follows(page, at + 3);
        return fits.then_some(Shape::NoYear { first: first.value, second: second.value, end: at + 3 });
    };
    let end = at + 5;
    if first.len == 4 && third.len <= 2 && separator != "." {
        return Some(Shape::YearFirst { year: first.value, month: second.value, day: third.value, end });
    }
    let fits = match (separator, third.len) {
        (_, 4) => first.len <= 2,
        ("/", 2) => first.len <= 2,
        ("/", 3 | 5 | 6) => first.len <= 2,
        (_, 2) => first.len == 2 && second.len == 2,
        _ => false,
    };
    fits.then_some(Shape::YearLast {
        first: first.value,
        second: second.value,
        year: third.value,
        year_digits: third.len,
        end,
    })
}

struct Part {
    value: i64,
    len: usize,
}

fn digits(page: &Page<'_>, at: usize) -> Option<Part> {
    let word = page.word(at);
    if !page.is_digits(at) || word.len() > 6 {
        return None;
    }
    Some(Part { value: word.parse().ok()?, len: word.len() })
}

/// The digits after a separator at `at`, all glued together.
fn part(page: &Page<'_>, at: usize, separator: &str) -> Option<Part> {
    let is_separator = matches!(separator, "/" | "-" | ".") && page.word(at) == separator;
    if !is_separator || !page.touches_previous(at) || !page.touches_next(at) {
        return None;
    }
    digits(page, at + 1)
}

/// True if something is glued on that makes `10/12` a fraction, a path or a measure.
fn follows(page: &Page<'_>, at: usize) -> bool {
    page.touches_previous(at) && (page.is_word(at) || matches!(page.word(at), "/" | "_" | "%"))
        || page.is(at, Cat::Measure)
        || page.is(at, Cat::Unit)
}
