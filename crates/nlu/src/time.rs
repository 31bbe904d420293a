//! Times of day: `20h`, `20:30`, `às 8 da noite`, `meio-dia`, `8pm`, `half past seven`.
//!
//! Invariant: an hour without a part of the day is read as written (`às 8` is 08:00); the reader never guesses evening.
//! Deliberately absent: seconds in words, zones, and ranges (each end of a range is found on its own).

use jiff::civil::Time;
use rust_decimal::Decimal;

use crate::lexicon::Cat;
use crate::number;
use crate::page::Page;

/// The time that starts here and one past its last token.
pub(crate) fn read(page: &Page<'_>, at: usize) -> Option<(Time, usize)> {
    if let Some(clock) = page.sense(at, Cat::Clock) {
        let (hour, minute) = clock.value.split_once(':')?;
        return Some((time(hour.parse().ok()?, minute.parse().ok()?)?, at + clock.len));
    }
    let cue = page.sense(at, Cat::TimeCue).map(|cue| at + cue.len);
    let found = relative(page, cue.unwrap_or(at), cue.is_some())
        .or_else(|| digital(page, cue.unwrap_or(at)))
        .or_else(|| marked(page, cue.unwrap_or(at), cue.is_some()))
        .or_else(|| spoken(page, at, cue));
    let found = found.or_else(|| cue.and_then(|after| read_clock_after(page, after)))?;
    Some((in_evening(page, at, found.0), found.1))
}

/// "tonight at 8", "hoje à noite às 8": a part of the day just before the time counts if none stands after it.
fn in_evening(page: &Page<'_>, at: usize, time: Time) -> Time {
    let part = page.before(at, Cat::DayPart).and_then(|back| page.sense(at - back, Cat::DayPart));
    let is_pm = part.is_some_and(|part| part.value == "pm") && (1..12).contains(&time.hour());
    if is_pm { Time::new(time.hour() + 12, time.minute(), time.second(), 0).unwrap_or(time) } else { time }
}

/// "até meio-dia": a cue before a named time.
fn read_clock_after(page: &Page<'_>, at: usize) -> Option<(Time, usize)> {
    let clock = page.sense(at, Cat::Clock)?;
    let (hour, minute) = clock.value.split_once(':')?;
    Some((time(hour.parse().ok()?, minute.parse().ok()?)?, at + clock.len))
}

/// `20:30`, `8:30pm`, `20:30:15`.
fn digital(page: &Page<'_>, at: usize) -> Option<(Time, usize)> {
    let (hour, mut end) = short(page, at, 23)?;
    if page.word(end) != ":" || !page.touches_previous(end) || !page.touches_next(end) {
        return None;
    }
    let minute = two_digits(page, end + 1)?;
    end += 2;
    let mut second = 0;
    if page.word(end) == ":" && page.touches_previous(end) && page.touches_next(end) {
        second = two_digits(page, end + 1)?;
        end += 2;
    }
    if page.word(end) == "h" && page.touches_previous(end) {
        end += 1;
    }
    let (hour, end) = with_part(page, hour, end)?;
    let plain = time(hour, minute)?;
    Some((Time::new(plain.hour(), plain.minute(), i8::try_from(second).ok()?, 0).ok()?, end))
}

/// `20h`, `20h30`, `8 horas` after a cue, `8pm`, `8 o'clock`.
fn marked(page: &Page<'_>, at: usize, has_cue: bool) -> Option<(Time, usize)> {
    if let Some(found) = compact(page, at) {
        return Some(found);
    }
    let (hour, end) = short(page, at, 24).or_else(|| hour_word(page, at))?;
    if page.is(end, Cat::Meridiem) {
        let (hour, end) = with_part(page, hour, end)?;
        return Some((time(hour, 0)?, end));
    }
    let mark = page.sense(end, Cat::HourMark)?;
    let word = page.word(end);
    let is_glued = word == "h" && page.is_digits(at);
    let is_clock = word.starts_with("o'") || word == "oclock";
    let has_minutes = two_digits(page, end + mark.len).is_some() && page.touches_next(end);
    if !(is_glued || is_clock || has_cue) || (is_glued && !has_minutes && is_length(page, at)) {
        return None;
    }
    let mut end = end + mark.len;
    let mut minute = 0;
    if let Some((value, after)) = two_digits(page, end).map(|m| (m, end + 1)).filter(|_| page.touches_previous(end)) {
        minute = value;
        end = after;
        if page.word(end) == "min" || (page.word(end) == "m" && page.touches_previous(end)) {
            end += 1;
        }
    } else if let Some((value, after)) = minutes_after(page, end) {
        (minute, end) = (value, after);
    }
    let (hour, end) = with_part(page, hour, end).unwrap_or((hour, end));
    Some((time(hour % 24, minute)?, end))
}

/// `330 p.m.`: hour and minutes in one run, only with a half of the day behind it.
fn compact(page: &Page<'_>, at: usize) -> Option<(Time, usize)> {
    let digits = page.word(at);
    let is_fit = page.is_digits(at) && matches!(digits.len(), 3 | 4) && page.is(at + 1, Cat::Meridiem);
    let (hour, minute) = digits.split_at_checked(digits.len().checked_sub(2)?).filter(|_| is_fit)?;
    let (hour, end) = with_part(page, hour.parse().ok().filter(|hour| (1..=12).contains(hour))?, at + 1)?;
    Some((time(hour, minute.parse().ok()?)?, end))
}

/// `2h` is a length after "por" or "daqui a", and wherever the language has no 24-hour habit.
fn is_length(page: &Page<'_>, at: usize) -> bool {
    page.before(at, Cat::DurationCue).is_some() || page.lexicon.decimal == '.'
}

/// `às 8`, `at 8`, `8 da noite`, `às sete e meia`, `seven thirty pm`.
fn spoken(page: &Page<'_>, at: usize, cue: Option<usize>) -> Option<(Time, usize)> {
    let start = cue.unwrap_or(at);
    let (hour, end) = short(page, start, 24).or_else(|| hour_word(page, start))?;
    let (minute, end) = minutes_after(page, end).unwrap_or((0, end));
    if let Some((hour, after)) = with_part(page, hour, end).filter(|(_, after)| *after != end) {
        let is_loose = cue.is_none() && page.word(end).len() > 2 && !is_part_phrase(page, end);
        return if is_loose { None } else { Some((time(hour, minute)?, after)) };
    }
    cue.filter(|_| cue_is_strong(page, at, start, end))?;
    Some((time(hour % 24, minute)?, end))
}

/// `da noite` may follow a bare hour, `noite` alone may not.
fn is_part_phrase(page: &Page<'_>, at: usize) -> bool {
    page.sense(at, Cat::Meridiem).is_some() || page.sense(at, Cat::DayPart).is_some_and(|part| part.len > 1)
}

/// `as 8 pessoas` is an article: without its accent the cue counts only if no thing is counted after the number.
fn cue_is_strong(page: &Page<'_>, at: usize, start: usize, end: usize) -> bool {
    let is_time_word = matches!(
        page.word(at),
        "as" | "at" | "a" | "das" | "ate" | "pelas" | "pras" | "depois" | "antes" | "la" | "por"
    );
    if !is_time_word || page.is(end, Cat::Unit) || page.is(end, Cat::Measure) || page.is(end, Cat::Currency) {
        return false;
    }
    if page.word(at) == "a" && start == at + 1 {
        // "à 1", with its accent, is a time; "a 1" counts or selects.
        return page.raw(at).contains(['à', 'À']) && page.word(start) == "1";
    }
    let is_accented = page.raw(at).contains(['à', 'À']);
    let is_function = page.is(end, Cat::Stop) && page.word(end).len() <= 4;
    let goes_on = [Cat::Day, Cat::Polite, Cat::WeekdayCue, Cat::Weekday, Cat::Joiner, Cat::Ahead]
        .into_iter()
        .any(|cat| page.is(end, cat));
    let counts = page.is_word(end) && !is_function && !goes_on;
    is_accented || !counts || page.word(at) == "at"
}

/// `half past seven`, `quarter to eight`, `ten past nine`, `quinze para as oito`.
fn relative(page: &Page<'_>, at: usize, has_cue: bool) -> Option<(Time, usize)> {
    let mut is_sure = has_cue;
    let mut has_unit = false;
    let (minutes, after) = if let Some(half) = page.sense(at, Cat::Half) {
        (30, at + half.len)
    } else if let Some(quarter) = page.sense(at, Cat::Quarter) {
        is_sure = true;
        (15, at + quarter.len)
    } else {
        let (minutes, after) = small(page, at, 59)?;
        let unit = page.sense(after, Cat::Unit).filter(|unit| unit.value == "min");
        has_unit = unit.is_some();
        (minutes, after + unit.map_or(0, |unit| unit.len))
    };
    let is_past = page.sense(after, Cat::PastHour);
    let to = page.sense(after, Cat::ToHour);
    let (cue, offset) = match (is_past, to) {
        (Some(past), _) => (past.len, minutes),
        (None, Some(to)) if minutes % 5 == 0 && minutes <= 30 => (to.len, -minutes),
        (None, Some(_) | None) => return None,
    };
    // "five to eight" counts people as often as minutes: one plain word for "to" needs other evidence.
    let noon = page.sense(after + cue, Cat::Clock).filter(|clock| clock.value.ends_with(":00"));
    is_sure |= cue > 1 || noon.is_some() || page.word(after) == "past";
    let named = noon.and_then(|clock| Some((clock.value.get(..2)?.parse().ok()?, after + cue + clock.len)));
    let (hour, end) = named.or_else(|| short(page, after + cue, 12)).or_else(|| hour_word(page, after + cue))?;
    let is_loose = page.is_digits(after + cue) && page.is_digits(at) && !has_unit;
    if is_loose || (offset < 0 && page.is(end, Cat::Unit)) {
        return None;
    }
    let bare_end = end;
    let (hour, end) = with_part(page, hour, end).unwrap_or((hour, end));
    if !is_sure && end == bare_end {
        return None;
    }
    let total = (hour * 60 + offset).rem_euclid(24 * 60);
    Some((time(total / 60, total % 60)?, end))
}

/// `e meia`, `e quinze`, `thirty`, `e 15`: minutes after an hour.
fn minutes_after(page: &Page<'_>, at: usize) -> Option<(i64, usize)> {
    let joined = page.skip(at, Cat::Joiner);
    if joined != at
        && let Some(half) = page.sense(joined, Cat::Half).filter(|_| !page.is(joined, Cat::Clock))
    {
        return Some((30, joined + half.len));
    }
    let (minute, end) = small(page, joined, 59)?;
    let is_word = page.is_word(joined);
    let fits = minute >= 5 && (is_word || joined != at) && !page.is(end, Cat::Currency) && !page.is(end, Cat::Unit);
    (fits && !page.is(end, Cat::OrdinalNoun)).then_some((minute, end))
}

/// Applies `pm`, `da noite` and the like, if one follows; fails on `15am`.
fn with_part(page: &Page<'_>, hour: i64, at: usize) -> Option<(i64, usize)> {
    let meridiem = page.sense(at, Cat::Meridiem);
    let part = meridiem.or_else(|| page.sense(at, Cat::DayPart));
    let Some(part) = part else { return Some((hour, at)) };
    // The final stop of `p.m.` ends a sentence more often than an abbreviation; either reading is right.
    let end = at + part.len;
    let is_night = part.value == "pm" && matches!(page.word(end - 1), "noite" | "night");
    let hour = match (part.value, hour) {
        ("am", 12) => 0,
        ("am", 0..=11) => hour,
        ("pm", 12) if is_night => 0,
        ("pm", 1..=4) if is_night => hour,
        ("pm", 1..=11) => hour + 12,
        ("pm", 12) => 12,
        ("pm", 13..=23) => hour,
        _ if meridiem.is_some() => return None,
        _ => return Some((hour, at)),
    };
    Some((hour, end))
}

/// One or two digits, not part of a longer number.
fn short(page: &Page<'_>, at: usize, max: i64) -> Option<(i64, usize)> {
    if !page.is_digits(at) || page.word(at).len() > 2 {
        return None;
    }
    let is_part = |mark: usize, digits: usize| {
        matches!(page.word(mark), "." | "," | "/" | "-")
            && page.touches_next(mark)
            && page.touches_previous(mark)
            && page.is_digits(digits)
    };
    if is_part(at + 1, at + 2) || (at >= 2 && is_part(at - 1, at - 2)) {
        return None;
    }
    let value = page.word(at).parse().ok()?;
    (0..=max).contains(&value).then_some((value, at + 1))
}

fn two_digits(page: &Page<'_>, at: usize) -> Option<i64> {
    let word = page.word(at);
    let value = word.parse().ok().filter(|_| page.is_digits(at) && word.len() == 2)?;
    (0..=59).contains(&value).then_some(value)
}

/// An hour in words, one to twelve (and up to 24 where the language counts on).
fn hour_word(page: &Page<'_>, at: usize) -> Option<(i64, usize)> {
    if !page.is_word(at) || matches!(page.word(at), "a" | "an" | "um") {
        return None;
    }
    let sense = page.sense(at, Cat::Cardinal).or_else(|| page.sense(at, Cat::WeakCardinal))?;
    let mut hour = sense.number;
    let mut end = at + sense.len;
    if hour == 20 {
        let joined = page.skip(end, Cat::Joiner);
        let unit = page.sense(joined, Cat::Cardinal).or_else(|| page.sense(joined, Cat::WeakCardinal));
        if let Some(unit) = unit.filter(|unit| (1..=3).contains(&unit.number)) {
            hour += unit.number;
            end = joined + unit.len;
        }
    }
    (0..=24).contains(&hour).then_some((hour, end))
}

/// A small whole number in digits or words.
fn small(page: &Page<'_>, at: usize, max: i64) -> Option<(i64, usize)> {
    if page.is_digits(at) {
        return short(page, at, max);
    }
    let number = number::read(page, at).filter(|number| !number.is_weak && number.value.scale() == 0)?;
    let value = i64::try_from(number.value.mantissa()).ok()?;
    (number.value <= Decimal::from(max)).then_some((value, number.end))
}

fn time(hour: i64, minute: i64) -> Option<Time> {
    Time::new(i8::try_from(hour).ok()?, i8::try_from(minute).ok()?, 0, 0).ok()
}
