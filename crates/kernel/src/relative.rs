//! Values said relative to a slot: "um dia depois", "50 reais a mais".

use countersign_nlu::{Found, Kind, Money, Value, text};
use jiff::{Span as Period, ToSpan};

use crate::fill::Source;
use crate::origin::Witness;
use crate::policy::Slot;
use crate::state::Given;

/// Words that add, and words that take away, right before or after the value.
const MORE: &[&str] = &["depois", "mais tarde", "a mais", "mais", "later", "more", "after"];
const LESS: &[&str] = &["antes", "mais cedo", "a menos", "menos", "earlier", "less", "before"];

const DAY_S: i64 = 86_400;

/// The slot's new value, if the message changes it by an amount or a length of time.
pub(crate) fn read(source: &Source<'_>, slot: &Slot, given: Option<&Given>) -> Option<(Value, Witness)> {
    let given = given?;
    source.found.iter().find_map(|found| {
        let sign = direction(source.text, found)?;
        let value = apply(slot.kind, &given.value, &found.value, sign)?;
        let witness = Witness::Relative { message: source.message, span: found.span, slot: slot.name.clone() };
        Some((value, witness))
    })
}

fn direction(words: &str, found: &Found) -> Option<i64> {
    let before = text::fold(words.get(..found.span.start as usize).unwrap_or_default());
    let after = text::fold(words.get(found.span.end as usize..).unwrap_or_default());
    let (before, after) = (before.trim(), after.trim());
    let stands = |word: &&&str| {
        let leads = after.strip_prefix(**word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        let trails = before.strip_suffix(**word).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric));
        leads || trails
    };
    if MORE.iter().any(|word| stands(&word)) {
        return Some(1);
    }
    LESS.iter().any(|word| stands(&word)).then_some(-1)
}

fn apply(kind: Kind, current: &Value, change: &Value, sign: i64) -> Option<Value> {
    match (kind, current, change) {
        (Kind::Money, Value::Money(current), Value::Money(change)) if current.currency == change.currency => {
            let minor = current.minor.checked_add(change.minor.checked_mul(sign)?)?;
            Some(Value::Money(Money::new(minor, current.currency)))
        }
        (Kind::Date, Value::Date(current), Value::Duration(seconds)) if seconds % DAY_S == 0 => {
            let period: Period = (seconds / DAY_S).checked_mul(sign)?.days();
            current.checked_add(period).ok().map(Value::Date)
        }
        (Kind::Time, Value::Time(current), Value::Duration(seconds)) => {
            current.checked_add(seconds.checked_mul(sign)?.seconds()).ok().map(Value::Time)
        }
        (Kind::Number, Value::Int(current), Value::Int(change)) => {
            current.checked_add(change.checked_mul(sign)?).map(Value::Int)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use countersign_nlu::{Currency, Span};
    use jiff::civil::date;

    use super::*;

    #[test]
    fn changes_are_exact_and_have_a_direction() {
        let money = |minor| Value::Money(Money::new(minor, Currency::BRL));
        let check = |kind, current: &Value, change: &Value, sign, expected: Option<Value>| {
            assert_eq!(apply(kind, current, change, sign), expected);
        };
        check(Kind::Money, &money(15_000), &money(5_000), 1, Some(money(20_000)));
        check(Kind::Money, &money(15_000), &money(5_000), -1, Some(money(10_000)));
        check(Kind::Money, &money(i64::MAX), &money(1), 1, None);
        let friday = Value::Date(date(2026, 11, 20));
        check(Kind::Date, &friday, &Value::Duration(DAY_S), 1, Some(Value::Date(date(2026, 11, 21))));
        check(Kind::Date, &friday, &Value::Duration(3_600), 1, None);
        let words = "um dia depois";
        let found = Found { kind: Kind::Duration, value: Value::Duration(DAY_S), span: Span::new(0, 6) };
        assert_eq!(direction(words, &found), Some(1));
        assert_eq!(direction("um dia antes", &found), Some(-1));
        assert_eq!(direction("um dia depoisx", &found), None);
    }
}
