//! Days with a month's name or a bare day of the month: `10 de dezembro`, `March 8th`, `dia 10`, `the 8th`.

use jiff::civil::Date;

use super::{DayRead, full_year, next_day, next_day_month};
use crate::lexicon::Cat;
use crate::number;
use crate::page::Page;

/// The named date that starts here.
pub(super) fn read(page: &Page<'_>, at: usize, today: Date) -> Option<DayRead> {
    let start = page.skip(at, Cat::DayCue);
    day_month(page, start, today)
        .or_else(|| month_day(page, at, today))
        .or_else(|| day_of_period(page, start, today))
        .or_else(|| if start == at { None } else { day_alone(page, at, start, today) })
        .or_else(|| day_after_cue(page, at, today))
}

/// `dia 20 do mês que vem`, `the 5th of this month`.
fn day_of_period(page: &Page<'_>, start: usize, today: Date) -> Option<DayRead> {
    let day = said(page, start)?;
    let of = page.skip(day.end, Cat::Of);
    let period = page.sense(of, Cat::Period)?;
    let month = match period.value {
        "this_month" => today.first_of_month(),
        "next_month" => today.last_of_month().tomorrow().ok()?,
        _ => return None,
    };
    let date = i8::try_from(day.day).ok().and_then(|day| Date::new(month.year(), month.month(), day).ok());
    Some(DayRead::sure(date, of + period.len))
}

/// `on 24th`, `by 5th`: a day with its suffix right after a word that asks for a date.
fn day_after_cue(page: &Page<'_>, at: usize, today: Date) -> Option<DayRead> {
    let day = said(page, at).filter(|day| day.is_digits && day.has_suffix)?;
    let is_cue = at > 0 && matches!(page.word(at - 1), "on" | "by" | "until" | "till");
    let date = i8::try_from(day.day).ok().and_then(|day| next_day(day, today))?;
    (is_cue && !page.is(day.end, Cat::OrdinalNoun)).then_some(DayRead::sure(Some(date), day.end))
}

/// A day of the month as said: its number, where it ends, whether it was written `8th` or in words.
struct Said {
    day: i64,
    end: usize,
    has_suffix: bool,
    is_digits: bool,
}

fn said(page: &Page<'_>, at: usize) -> Option<Said> {
    if page.is_digits(at) {
        let day = page.word(at).parse().ok().filter(|_| page.word(at).len() <= 2)?;
        let suffix = page.sense(at + 1, Cat::OrdinalSuffix).filter(|_| page.touches_next(at));
        let is_glued_word = page.touches_next(at) && page.is_word(at + 1) && suffix.is_none();
        let is_fraction = matches!(page.word(at + 1), "." | ",")
            && page.touches_next(at)
            && page.touches_next(at + 1)
            && page.is_digits(at + 2);
        let end = at + 1 + suffix.map_or(0, |suffix| suffix.len);
        return (!is_glued_word && !is_fraction).then_some(Said {
            day,
            end,
            has_suffix: suffix.is_some(),
            is_digits: true,
        });
    }
    if let Some(ordinal) = page.sense(at, Cat::Ordinal).filter(|ordinal| ordinal.number > 0) {
        return Some(Said { day: ordinal.number, end: at + ordinal.len, has_suffix: true, is_digits: false });
    }
    let is_article = |number: &number::Number| number.is_weak && page.word(at).len() < 2;
    let number = number::read(page, at).filter(|number| !is_article(number) && number.value.scale() == 0)?;
    let day = i64::try_from(number.value.mantissa()).ok().filter(|day| *day <= 99)?;
    Some(Said { day, end: number.end, has_suffix: false, is_digits: false })
}

/// `10 de dezembro de 2027`, `8 March`, `8th of March, 2027`, `10/dez/26`.
fn day_month(page: &Page<'_>, at: usize, today: Date) -> Option<DayRead> {
    let day = said(page, at)?;
    let between = if matches!(page.word(day.end), "/" | "-" | ".") { day.end + 1 } else { page.skip(day.end, Cat::Of) };
    let month = page.sense(between, Cat::Month)?;
    let end = between + month.len;
    Some(finish(page, Parts { day: day.day, month: month.number, end, today }))
}

/// `March 8`, `March 8th, 2027`.
fn month_day(page: &Page<'_>, at: usize, today: Date) -> Option<DayRead> {
    let month = page.sense(at, Cat::Month)?;
    let mut start = at + month.len;
    if page.word(start) == "." && page.touches_previous(start) {
        start += 1;
    }
    start = page.skip(start, Cat::DayCue);
    let day = said(page, start)?;
    // "dez" is also ten and "mar" also the sea: only a full name or digits with a suffix count from this side.
    let is_clear = page.word(at).len() > 3 || day.has_suffix || page.lexicon.decimal == '.';
    let is_count = page.is(day.end, Cat::Unit)
        || page.is(day.end, Cat::Currency)
        || page.is(day.end, Cat::Measure)
        || page.is(day.end, Cat::Meridiem);
    let is_wild = day.day > 31 && (page.is_word(day.end) || !day.is_digits);
    if !is_clear || is_count || is_wild || page.word(day.end) == ":" {
        return None;
    }
    Some(finish(page, Parts { day: day.day, month: month.number, end: day.end, today }))
}

struct Parts {
    day: i64,
    month: i64,
    end: usize,
    today: Date,
}

/// Adds a year if one follows, else finds the next such day.
fn finish(page: &Page<'_>, parts: Parts) -> DayRead {
    let Parts { day, month, end, today } = parts;
    let (day, month) = (i8::try_from(day).unwrap_or(0), i8::try_from(month).unwrap_or(0));
    match year(page, end, today) {
        Some((year, end)) => DayRead::sure(Date::new(year, month, day).ok(), end),
        None => DayRead::sure(next_day_month(day, month, today), end),
    }
}

/// `de 2027`, `, 2027`, `2027`, `/26`.
fn year(page: &Page<'_>, at: usize, today: Date) -> Option<(i16, usize)> {
    let is_slash = matches!(page.word(at), "/" | "-") && page.touches_previous(at) && page.touches_next(at);
    let start = if is_slash || page.word(at) == "," { at + 1 } else { page.skip(at, Cat::Of) };
    let word = page.word(start);
    let is_year = page.is_digits(start) && (word.len() == 4 || (is_slash && word.len() == 2));
    let is_count =
        page.is(start + 1, Cat::Currency) || page.is(start + 1, Cat::Unit) || page.is(start + 1, Cat::Measure);
    let value: i64 = word.parse().ok().filter(|_| is_year && !is_count)?;
    let is_plausible = word.len() == 2 || (1900..2200).contains(&value);
    Some((full_year(value, word.len(), today).filter(|_| is_plausible)?, start + 1))
}

/// `dia 10`; `the 8th`, which may also be a position in a list.
fn day_alone(page: &Page<'_>, at: usize, start: usize, today: Date) -> Option<DayRead> {
    let day = said(page, start)?;
    let is_english = page.word(start - 1) == "the";
    if page.is_word(start) && page.is(start, Cat::WeakCardinal) && page.is_word(day.end) {
        return None;
    }
    if is_english && !(day.is_digits && day.has_suffix) {
        return None;
    }
    let is_count = page.is(day.end, Cat::Unit) || page.is(day.end, Cat::Currency) || page.is(day.end, Cat::OrdinalNoun);
    if is_count || (!is_english && page.word(day.end) == ":") {
        return None;
    }
    let date = i8::try_from(day.day).ok().and_then(|day| next_day(day, today));
    let has_cue = start - at > 1 || page.before(at, Cat::WeekdayCue).is_some();
    let or_ordinal = (is_english && !has_cue).then_some(day.day);
    if is_english && date.is_none() {
        return None;
    }
    Some(DayRead { day: date, end: day.end, or_ordinal })
}
