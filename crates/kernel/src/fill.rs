//! How words become a slot's value: the agreement of *role*.
//!
//! The question that was asked comes first, then cue words, then the only candidate of the right kind. Two candidates
//! for one slot are nobody's choice but the person's: the slot stays empty and is asked about.
//! Deliberately absent: guessing. A number is money only after a question or a cue that makes it money.

use countersign_nlu::language::Language;
use countersign_nlu::yes_no::{Answer, Polarity};
use countersign_nlu::{Found, Kind, Money, Span, Value, date, id, name, ordinal, text, verbatim};
use jiff::civil::Date;

use crate::evidence::Shown;
use crate::gates::slots::{Fill, Fit, asked};
use crate::origin::Witness;
use crate::policy::{Policy, Slot};
use crate::relative;
use crate::state::{Asked, Frame};

/// Tokens of a message that may name something new while a question waits for a yes.
const NAME_CORRECTION_TOKENS_MAX: usize = 4;

/// Longest word that carries no request of its own: articles, prepositions, "é".
const SMALL_WORD_MAX: usize = 3;

/// A message and what is known around it.
pub(crate) struct Source<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) language: Language,
    pub(crate) message: u64,
    pub(crate) text: &'a str,
    pub(crate) found: &'a [Found],
    pub(crate) today: Date,
    /// How the words answer a yes-or-no question; read when first needed.
    pub(crate) answer: &'a dyn Fn() -> Answer,
    pub(crate) shown: Option<&'a Shown>,
}

/// Candidates for one slot.
enum Pick {
    None,
    One(Value, Witness),
    Several,
}

/// Reads a message against slots, the asked one first.
pub(crate) fn read(source: &Source<'_>, names: &[String], frame: Option<&Frame>) -> Fit {
    let asked = frame.and_then(asked);
    let mut fit = Fit::default();
    let mut taken: Vec<Span> = Vec::new();
    if let Some(fill) = frame.and_then(|frame| picked(source, frame)) {
        fit.answers_question = true;
        fit.fills.push(fill);
        return fit;
    }
    // Verbatim words first: values inside them belong to the message, not to the other slots.
    let ordered = ordered(source.policy, names, asked);
    for slot in &ordered {
        let has_sibling = ordered.iter().filter(|other| other.kind == slot.kind).count() > 1;
        let is_asked = asked == Some(slot.name.as_str());
        let given = frame.and_then(|frame| frame.slots.get(&slot.name));
        let pick = match slot.kind {
            Kind::Text => words(source, slot, is_asked),
            Kind::Name => named(source, slot, is_asked, frame, &taken),
            Kind::Number
            | Kind::Ordinal
            | Kind::Money
            | Kind::Date
            | Kind::Time
            | Kind::Duration
            | Kind::Phone
            | Kind::Email
            | Kind::Id
            | Kind::Flag => relative::read(source, slot, given)
                .map_or_else(|| typed(source, slot, is_asked, has_sibling, &taken), |(v, w)| Pick::One(v, w)),
        };
        match pick {
            Pick::One(value, witness) => {
                if let Witness::Span { span, .. } = &witness {
                    taken.push(*span);
                }
                if given.is_some_and(|given| given.value == value) {
                    continue;
                }
                fit.answers_question |= is_asked;
                fit.is_bare |= is_asked && is_bare(source, slot, &witness);
                fit.corrects |= given.is_some();
                fit.fills.push(Fill { slot: slot.name.clone(), value, witness });
            }
            Pick::Several => {
                fit.answers_question |= is_asked;
                fit.unclear = fit.unclear.or_else(|| Some(slot.name.clone()));
            }
            Pick::None if slot.kind == Kind::Date && (is_asked || frame.is_none() || given.is_some()) => {
                if is_malformed(source) {
                    fit.answers_question |= is_asked;
                    fit.malformed = Some(slot.name.clone());
                }
            }
            Pick::None => {}
        }
    }
    fit
}

fn ordered<'p>(policy: &'p Policy, names: &[String], asked: Option<&str>) -> Vec<&'p Slot> {
    let mut slots: Vec<&Slot> = names.iter().filter_map(|name| policy.slots.get(name)).collect();
    slots.sort_by_key(|slot| (slot.kind != Kind::Text, asked != Some(slot.name.as_str())));
    slots
}

fn context(source: &Source<'_>) -> countersign_nlu::Context {
    countersign_nlu::Context {
        now: source.today.at(12, 0, 0, 0),
        language: source.language,
        currency: source.policy.currency,
        region: source.policy.region,
    }
}

fn is_malformed(source: &Source<'_>) -> bool {
    date::malformed(source.text, &context(source)).is_some()
}

/// True if a message holds the value and, besides it, only the slot's own words and small ones.
fn is_bare(source: &Source<'_>, slot: &Slot, witness: &Witness) -> bool {
    let Witness::Span { span, .. } = witness else { return false };
    let cues = slot.cues.values().flatten().chain(slot.label.values());
    let own: Vec<String> = cues.flat_map(|cue| text::tokens(cue)).map(|token| token.text).collect();
    let rest = text::tokens(source.text).into_iter().filter(|token| !token.span.overlaps(span));
    rest.into_iter().all(|token| token.text.chars().count() <= SMALL_WORD_MAX || own.contains(&token.text))
}

/// A pick from the list last shown: by ordinal, or by a name that fits exactly one row best.
fn picked(source: &Source<'_>, frame: &Frame) -> Option<Fill> {
    let Some(Asked::Pick { slot, field }) = &frame.asked else { return None };
    let shown = source.shown?;
    let by_name = || {
        let labels: Vec<_> =
            shown.rows.iter().map(|row| row.get(field).and_then(Value::as_text).unwrap_or("")).collect();
        let said = name::alone(source.text, source.language);
        let said = said.as_ref().and_then(|found| found.value.as_text()).unwrap_or(source.text);
        best_match(&labels, said).filter(|rows| rows.len() == 1).and_then(|rows| rows.first().copied())
    };
    let index = ordinal::pick(source.text, shown.rows.len(), source.language).or_else(by_name)?;
    let value = shown.rows.get(index)?.get(field)?.clone();
    let row = u32::try_from(index).ok()?;
    let witness = Witness::Choice { message: source.message, list: shown.list, row };
    Some(Fill { slot: slot.clone(), value, witness })
}

/// The rows whose label fits what was said best; none if nothing fits.
pub(crate) fn best_match(labels: &[&str], said: &str) -> Option<Vec<usize>> {
    let fits = |label: &&str| name::resembles(label, said);
    let best = labels.iter().filter_map(fits).min()?;
    Some((0..labels.len()).filter(|index| labels.get(*index).and_then(fits) == Some(best)).collect())
}

fn words(source: &Source<'_>, slot: &Slot, is_asked: bool) -> Pick {
    let found = verbatim::after_cue(source.text, cues(slot, source.language));
    let found = found.or_else(|| {
        let whole = source.text.trim();
        let start = source.text.len() - source.text.trim_start().len();
        (is_asked && !whole.is_empty()).then(|| Found {
            kind: Kind::Text,
            value: Value::text(whole),
            span: Span::new(start, start + whole.len()),
        })
    });
    found.map_or(Pick::None, |found| one(source, found))
}

fn named(source: &Source<'_>, slot: &Slot, is_asked: bool, frame: Option<&Frame>, taken: &[Span]) -> Pick {
    let mut blocked: Vec<Span> = source.found.iter().map(|found| found.span).collect();
    blocked.extend_from_slice(taken);
    let alone = || is_asked.then(|| name::alone(source.text, source.language)).flatten();
    let found =
        alone().or_else(|| name::after_cue(source.text, cues(slot, source.language), &blocked, source.language));
    // While a question waits for a yes, only words that clearly correct may name somebody else; a message that brings
    // other values is a new version of the request, and half of it would mix two.
    let is_waiting = frame.is_some_and(|frame| frame.pending.is_some());
    let corrects = || {
        let answer = (source.answer)();
        !source.found.is_empty()
            || answer.changes
            || answer.polarity != Polarity::Neither
            || text::tokens(source.text).len() <= NAME_CORRECTION_TOKENS_MAX
    };
    found.filter(|_| !is_waiting || corrects()).map_or(Pick::None, |found| one(source, found))
}

fn typed(source: &Source<'_>, slot: &Slot, is_asked: bool, has_sibling: bool, taken: &[Span]) -> Pick {
    let is_free = |found: &&Found| !taken.iter().any(|span| span.overlaps(&found.span));
    let mut candidates: Vec<(Value, Span, bool)> = Vec::new();
    for found in source.found.iter().filter(is_free) {
        let is_cued = is_cued(source, slot, found.span);
        if let Some(value) = accept(source, slot, found, is_asked || is_cued) {
            candidates.push((value, found.span, is_cued));
        }
    }
    // A cue tells two slots of one kind apart; where there is only one slot, a second value is a second thought.
    if has_sibling && !is_asked && candidates.iter().any(|(_, _, is_cued)| *is_cued) {
        candidates.retain(|(_, _, is_cued)| *is_cued);
    }
    let Some((first, ..)) = candidates.first() else { return chosen(source, slot) };
    let all_same = candidates.iter().all(|(value, ..)| value == first);
    // "não 150, 200" and "na verdade 200": the last one is meant.
    let is_correction = || {
        let answer = (source.answer)();
        answer.changes || answer.polarity == Polarity::No
    };
    if !all_same && !is_correction() {
        return Pick::Several;
    }
    match candidates.pop() {
        Some((value, span, _)) => Pick::One(value, Witness::Span { message: source.message, span }),
        None => Pick::None,
    }
}

/// "cancela o segundo": an entry of the list last shown, where its rows have a field of the slot's name.
fn chosen(source: &Source<'_>, slot: &Slot) -> Pick {
    let Some(shown) = source.shown.filter(|_| slot.kind == Kind::Id) else { return Pick::None };
    let mut places = source.found.iter().filter(|found| found.kind == Kind::Ordinal).map(|found| &found.value);
    let (Some(Value::Int(place)), None) = (places.next(), places.next()) else { return Pick::None };
    let count = i64::try_from(shown.rows.len()).unwrap_or(i64::MAX);
    let index = if *place < 0 { count + place } else { place - 1 };
    let row = usize::try_from(index).ok().and_then(|index| shown.rows.get(index));
    match (row.and_then(|row| row.get(&slot.name)), u32::try_from(index)) {
        (Some(value), Ok(row)) => {
            Pick::One(value.clone(), Witness::Choice { message: source.message, list: shown.list, row })
        }
        _ => Pick::None,
    }
}

/// The slot's value in a found one, if kinds agree; a bare number needs a question or a cue.
fn accept(source: &Source<'_>, slot: &Slot, found: &Found, has_role: bool) -> Option<Value> {
    match (slot.kind, found.kind, &found.value) {
        (Kind::Money, Kind::Money, Value::Money(money)) => {
            (money.currency == source.policy.currency).then(|| found.value.clone())
        }
        (Kind::Money, Kind::Number, value) if has_role => {
            let whole = if let Value::Int(number) = value { Some(rust_decimal::Decimal::from(*number)) } else { None };
            let major = if let Value::Decimal(number) = value { Some(*number) } else { whole };
            Money::from_major(major?, source.policy.currency).map(Value::Money)
        }
        (Kind::Id, Kind::Id, Value::Text(written)) => identified(slot, written),
        (Kind::Id, Kind::Number, Value::Int(number)) if has_role && *number >= 0 => {
            slot.id_prefix.as_ref().map(|prefix| Value::Text(format!("{prefix}-{number}")))
        }
        (expected, actual, _) if expected == actual => Some(found.value.clone()),
        _ => None,
    }
}

/// An id in canonical form, if it has the slot's prefix.
fn identified(slot: &Slot, written: &str) -> Option<Value> {
    let canonical = id::canonical(written);
    let Some(prefix) = &slot.id_prefix else { return Some(Value::Text(canonical)) };
    let rest = canonical.strip_prefix(prefix.as_str())?;
    Some(Value::Text(format!("{prefix}-{}", rest.trim_start_matches('-'))))
}

/// True if a cue of the slot stands right before the words.
fn is_cued(source: &Source<'_>, slot: &Slot, span: Span) -> bool {
    let before = text::fold(source.text.get(..span.start as usize).unwrap_or_default());
    let before = before.trim_end_matches([' ', ':', '=', ',', '(']);
    source
        .policy
        .folded_cues(&slot.name, source.language)
        .iter()
        .any(|cue| before.strip_suffix(cue.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with(' ')))
}

fn cues(slot: &Slot, language: Language) -> &[String] {
    slot.cues.get(&language).map_or(&[], Vec::as_slice)
}

fn one(source: &Source<'_>, found: Found) -> Pick {
    Pick::One(found.value, Witness::Span { message: source.message, span: found.span })
}
