//! Positions in a list: `o segundo`, `2º`, `the first one`, `o último`.
//!
//! Invariant: [`pick`] answers only if the message points at exactly one entry of the list.
//! Deliberately absent: picking by content ("the cheap one"); that is a question for the rows.

use crate::language::Language;
use crate::lexicon::Cat;
use crate::number::{self, Literal};
use crate::page::Page;

/// A position, 1-based from the front or -1 and down from the back, and one past its last token.
pub(crate) struct Place {
    pub(crate) place: i64,
    pub(crate) end: usize,
}

/// The 0-based entry a person picked from a list of `count`; none if it is unclear or outside the list.
///
/// Reads `2`, `a segunda`, `opção 2`, `the first one`, `o último`, also with politeness around it. A message with other
/// content picks only if an ordinal stands out (`quero a segunda opção`).
#[must_use]
pub fn pick(text: &str, count: usize, language: Language) -> Option<usize> {
    let page = Page::new(text, language);
    let mut picked = None;
    let mut others = 0;
    let mut at = 0;
    while at < page.len() {
        let place = read(&page, at, true).or_else(|| bare_number(&page, at));
        match place {
            Some(found) => {
                if picked.is_some_and(|place| place != found.place) {
                    return None;
                }
                picked = Some(found.place);
                at = found.end;
            }
            None => {
                let filler = [Cat::Polite, Cat::Filler, Cat::Article, Cat::OrdinalNoun, Cat::Of, Cat::Stop, Cat::Yes];
                let skipped = filler.into_iter().filter_map(|cat| page.sense(at, cat)).map(|sense| sense.len).max();
                others += usize::from(skipped.is_none() && page.is_word(at));
                at += skipped.unwrap_or(1);
            }
        }
    }
    if others > 2 || page.tokens.iter().any(|token| token.text == "?") || negates(&page) {
        return None;
    }
    match picked? {
        place @ 1.. => usize::try_from(place - 1).ok().filter(|index| *index < count),
        place => usize::try_from(-place).ok().and_then(|back| count.checked_sub(back)).filter(|index| *index < count),
    }
}

/// The position that starts here. A bare ordinal without article or noun counts only where a list was asked about.
pub(crate) fn read(page: &Page<'_>, at: usize, is_list: bool) -> Option<Place> {
    if page.is_digits(at) {
        return with_suffix(page, at);
    }
    let start = page.skip(at, Cat::Article);
    if page.is_digits(start) && start != at {
        return with_suffix(page, start).map(|place| with_noun(page, place));
    }
    if page.is(start, Cat::Skip) {
        return None;
    }
    let word = page.sense(start, Cat::Ordinal)?;
    let place = with_noun(page, Place { place: word.number, end: start + word.len });
    let has_noun = place.end > start + word.len;
    let is_alone = page.len() == word.len;
    // "the last friday", "the second week": the word counts time, not entries.
    let counts_time = page.is(place.end, Cat::Unit)
        || page.is(place.end, Cat::Weekday)
        || page.is(place.end, Cat::Month)
        || page.is(place.end, Cat::Day);
    let is_here = has_noun || is_alone || is_list || start != at;
    (is_here && !counts_time).then_some(place)
}

fn with_noun(page: &Page<'_>, place: Place) -> Place {
    Place { end: page.skip(place.end, Cat::OrdinalNoun), ..place }
}

/// `2º`, `2nd`, `3a`.
fn with_suffix(page: &Page<'_>, at: usize) -> Option<Place> {
    let place = page.word(at).parse::<i64>().ok().filter(|place| (1..1000).contains(place))?;
    if !page.touches_next(at) {
        return None;
    }
    let is_degree = page.raw(at + 1) == "°" && !matches!(page.word(at + 2), "c" | "f");
    let suffix =
        page.sense(at + 1, Cat::OrdinalSuffix).filter(|_| !(page.touches_next(at + 1) && page.is_digits(at + 2)));
    if is_degree {
        return Some(Place { place, end: at + 2 });
    }
    suffix.map(|suffix| Place { place, end: at + 1 + suffix.len })
}

/// A plain number that is a choice: nothing counted or paid stands after it.
fn bare_number(page: &Page<'_>, at: usize) -> Option<Place> {
    let (place, end) = match number::literal(page, at) {
        Some(Literal::Number(number)) => (number.value, number.end),
        Some(Literal::Unreadable(_)) => return None,
        None => {
            let number = number::read(page, at).filter(|number| !number.is_weak || page.len() == 1)?;
            (number.value, number.end)
        }
    };
    let is_counted = page.is(end, Cat::Unit)
        || page.is(end, Cat::Currency)
        || page.is(end, Cat::HourMark)
        || page.is(end, Cat::Measure);
    let whole = i64::try_from(place.mantissa()).ok().filter(|n| place.scale() == 0 && (1..1000).contains(n))?;
    (!is_counted).then_some(Place { place: whole, end })
}

fn negates(page: &Page<'_>) -> bool {
    (0..page.len()).any(|at| page.is(at, Cat::Negation))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: Language, text: &str, wanted: Option<usize>) {
        assert_eq!(pick(text, 3, language), wanted, "{text}");
    }

    #[test]
    fn picks_in_portuguese() {
        for (text, wanted) in [
            ("a segunda", Some(1)),
            ("2", Some(1)),
            ("o último", Some(2)),
            ("a primeira, por favor", Some(0)),
            ("opção 3", Some(2)),
            ("quero a segunda opção", Some(1)),
            ("número dois", Some(1)),
            ("o 2º", Some(1)),
            ("um", Some(0)),
            ("penúltimo", Some(1)),
            ("segunda", Some(1)),
            ("4", None),
            ("0", None),
            ("1,5", None),
            ("2 reais", None),
            ("a primeira ou a segunda", None),
            ("a segunda?", None),
            ("não quero a segunda", None),
            ("nenhuma", None),
            ("boleto de 2 para a ana sexta", None),
            ("", None),
        ] {
            check(Language::Pt, text, wanted);
        }
    }

    #[test]
    fn picks_in_english() {
        for (text, wanted) in [
            ("the first one", Some(0)),
            ("2", Some(1)),
            ("number 3 please", Some(2)),
            ("the last one", Some(2)),
            ("I'll take the 2nd", Some(1)),
            ("second", Some(1)),
            ("the fourth", None),
            ("2 people at 8", None),
            ("one", Some(0)),
        ] {
            check(Language::En, text, wanted);
        }
    }

    #[test]
    fn an_empty_list_has_nothing_to_pick() {
        assert_eq!(pick("o último", 0, Language::Pt), None);
        assert_eq!(pick("1", 0, Language::Pt), None);
    }
}
