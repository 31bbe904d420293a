//! Days counted from today: `amanhã`, `sexta que vem`, `daqui a 3 dias`, `next week`, `fim do mês`.

use jiff::ToSpan;
use jiff::civil::Date;

use super::DayRead;
use crate::duration::{self, Quantity, Unit};
use crate::lexicon::Cat;
use crate::page::Page;

/// The relative day that starts here.
pub(super) fn read(page: &Page<'_>, at: usize, today: Date) -> Option<DayRead> {
    let word =
        page.sense(at, Cat::Day).map(|day| DayRead::sure(today.checked_add(day.number.days()).ok(), at + day.len));
    // "last week of September" is another week.
    let is_whole = |end: usize| page.skip(end, Cat::Of) == end || !page.is(page.skip(end, Cat::Of), Cat::Month);
    let period = page
        .sense(at, Cat::Period)
        .filter(|period| is_whole(at + period.len))
        .and_then(|period| Some(DayRead::sure(Some(period_day(period.value, today)?), at + period.len)));
    [word, period, counted(page, at, today), weekday(page, at, today)]
        .into_iter()
        .flatten()
        .reduce(|best, other| if other.end > best.end { other } else { best })
}

/// `daqui a 3 dias`, `in two weeks`, `3 days from now`, `há 2 dias`, `two weeks ago`.
fn counted(page: &Page<'_>, at: usize, today: Date) -> Option<DayRead> {
    if let Some(cue) = page.sense(at, Cat::Ahead) {
        let quantity = duration::quantity(page, at + cue.len)?;
        let end = page.skip(quantity.end, Cat::AheadAfter);
        return Some(DayRead::sure(Some(shifted(today, &quantity, 1)?), end));
    }
    if let Some(cue) = page.sense(at, Cat::AgoBefore) {
        let quantity = duration::quantity(page, at + cue.len)?;
        let end = page.skip(quantity.end, Cat::AgoAfter);
        return Some(DayRead::sure(Some(shifted(today, &quantity, -1)?), end));
    }
    let quantity = duration::quantity(page, at)?;
    if let Some(cue) = page.sense(quantity.end, Cat::AheadAfter) {
        return Some(DayRead::sure(Some(shifted(today, &quantity, 1)?), quantity.end + cue.len));
    }
    let cue = page.sense(quantity.end, Cat::AgoAfter)?;
    Some(DayRead::sure(Some(shifted(today, &quantity, -1)?), quantity.end + cue.len))
}

/// A whole number of days or more from today; hours and working days are no dates.
fn shifted(today: Date, quantity: &Quantity, sign: i64) -> Option<Date> {
    let count = quantity.whole()?.checked_mul(sign)?;
    let span = match quantity.unit {
        Unit::Day => count.days(),
        Unit::Week => count.weeks(),
        Unit::Fortnight => (count * 15).days(),
        // A hundred thousand years would overflow the span type itself, so far counts are no dates.
        Unit::Month if count.abs() < 12_000 => count.months(),
        Unit::HalfYear if count.abs() < 2_000 => (count * 6).months(),
        Unit::Year if count.abs() < 1_000 => count.years(),
        Unit::Month | Unit::HalfYear | Unit::Year | Unit::Second | Unit::Minute | Unit::Hour | Unit::Work => {
            return None;
        }
    };
    today.checked_add(span).ok()
}

fn period_day(period: &str, today: Date) -> Option<Date> {
    let monday = monday_of(today)?;
    let next_month = today.last_of_month().tomorrow().ok()?;
    match period {
        "month_end" => Some(today.last_of_month()),
        "next_month" => Some(next_month),
        "next_month_end" => Some(next_month.last_of_month()),
        "next_week" => monday.checked_add(7.days()).ok(),
        "last_week" => monday.checked_sub(7.days()).ok(),
        "last_month" => today.first_of_month().checked_sub(1.month()).ok(),
        "weekend" => {
            let saturday = monday.checked_add(5.days()).ok()?;
            if saturday >= today { Some(saturday) } else { saturday.checked_add(7.days()).ok() }
        }
        "year_end" => Date::new(today.year(), 12, 31).ok(),
        "next_year" => Date::new(today.year().checked_add(1)?, 1, 1).ok(),
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Next,
    This,
    Last,
}

/// `sexta`, `próxima sexta`, `sexta que vem`, `this friday`, `sexta passada`, `friday next week`.
fn weekday(page: &Page<'_>, at: usize, today: Date) -> Option<DayRead> {
    let article = page.skip(at, Cat::Article);
    let mut start = at;
    let mut turn = None;
    let modifiers = [(Cat::NextBefore, Turn::Next), (Cat::LastBefore, Turn::Last), (Cat::ThisBefore, Turn::This)];
    for from in [at, article] {
        for (cat, meaning) in modifiers {
            if let Some(sense) = page.sense(from, cat).filter(|_| turn.is_none()) {
                (start, turn) = (from + sense.len, Some(meaning));
            }
        }
    }
    let (day, mut end, sure) = day_name(page, start)
        .or_else(|| if turn.is_none() && article != at { day_name(page, article) } else { None })?;
    let name_at = if turn.is_none() && day_name(page, start).is_none() { article } else { start };
    let of = page.skip(end, Cat::Of);
    if of != end && page.is(of, Cat::Month) {
        // "the first Monday of March" counts weeks of a month; reading its Monday alone would be wrong.
        return None;
    }
    if let Some((monday, after)) = in_week(page, end, today) {
        return Some(DayRead::sure(monday.checked_add((day - 1).days()).ok(), after));
    } else if let Some(after) = page.sense(end, Cat::NextAfter) {
        (turn, end) = (Some(Turn::Next), end + after.len);
    } else if let Some(after) = page.sense(end, Cat::LastAfter) {
        (turn, end) = (Some(Turn::Last), end + after.len);
    }
    let or_ordinal = match sure {
        Name::Sure => None,
        Name::Weak => {
            page.before(start, Cat::WeekdayCue).or(turn.map(|_| 0))?;
            None
        }
        Name::OrOrdinal(n) => ordinal_too(page, name_at, end, turn, n)?,
    };
    // An article belongs to the words only while they may still be a position in a list.
    let starts_here = name_at == at || turn.is_some() || or_ordinal.is_some();
    starts_here.then_some(DayRead { day: turned(day, turn, today), end, or_ordinal })
}

#[derive(Clone, Copy)]
enum Name {
    Sure,
    Weak,
    OrOrdinal(i64),
}

fn day_name(page: &Page<'_>, at: usize) -> Option<(i64, usize, Name)> {
    if let Some(sense) = page.sense(at, Cat::Weekday) {
        return Some((sense.number, at + sense.len, Name::Sure));
    }
    if let Some(sense) = page.sense(at, Cat::WeekdayOrOrdinal) {
        let place = page.sense(at, Cat::Ordinal).map_or(0, |ordinal| ordinal.number);
        return Some((sense.number, at + sense.len, Name::OrOrdinal(place)));
    }
    let sense = page.sense(at, Cat::WeakWeekday)?;
    Some((sense.number, at + sense.len, Name::Weak))
}

/// `segunda` is Monday and "second": none if it counts things here, the position if it may be either.
#[expect(clippy::option_option, reason = "outer: is it a day at all; inner: may it be a position too")]
fn ordinal_too(page: &Page<'_>, at: usize, end: usize, turn: Option<Turn>, place: i64) -> Option<Option<i64>> {
    if page.is(end, Cat::OrdinalNoun) && turn != Some(Turn::Next) {
        return None;
    }
    let is_day =
        turn.is_some_and(|turn| turn != Turn::This) || page.is(end, Cat::DayPart) || page.is(end, Cat::TimeCue);
    if is_day {
        return Some(None);
    }
    let has_article = page.before(at, Cat::Article).is_some();
    let is_all =
        at == 0 && (end..page.len()).all(|i| page.is(i, Cat::Polite) || !page.is_word(i) && !page.is_digits(i));
    if has_article || is_all {
        let near_cue = page.before(at, Cat::WeekdayCue).is_some() && !has_article;
        return Some((!near_cue).then_some(place));
    }
    Some(None)
}

/// `da semana que vem`, `next week`, `of this week`: the Monday of that week.
fn in_week(page: &Page<'_>, at: usize, today: Date) -> Option<(Date, usize)> {
    let start = page.skip(at, Cat::Of);
    let period = page.sense(start, Cat::Period)?;
    let monday = match period.value {
        "next_week" | "last_week" => period_day(period.value, today)?,
        "this_week" => monday_of(today)?,
        _ => return None,
    };
    Some((monday, start + period.len))
}

fn monday_of(day: Date) -> Option<Date> {
    day.checked_sub(day.weekday().to_monday_zero_offset().days()).ok()
}

fn turned(day: i64, turn: Option<Turn>, today: Date) -> Option<Date> {
    let now = i64::from(today.weekday().to_monday_one_offset());
    let ahead = (day - now).rem_euclid(7);
    let shift = match turn {
        None | Some(Turn::Next) => {
            if ahead == 0 {
                7
            } else {
                ahead
            }
        }
        Some(Turn::This) => ahead,
        Some(Turn::Last) => {
            let back = (now - day).rem_euclid(7);
            if back == 0 { -7 } else { -back }
        }
    };
    today.checked_add(shift.days()).ok()
}
