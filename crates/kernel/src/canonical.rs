//! Values as canonical JSON: the form that is hashed, digested and sent.
//!
//! Invariant: equal values have equal bytes (keys sorted, money in minor units, dates in ISO form, no floats), and an
//! integer beyond 2^53-1 is written as text, because JSON readers would round it.

use std::collections::BTreeMap;

use countersign_nlu::Value;
use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};

/// The largest integer JSON readers keep exactly.
pub const INTEGER_MAX: i64 = (1 << 53) - 1;

/// A value in canonical JSON.
#[must_use]
pub fn value(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(is_true) => Json::Bool(*is_true),
        Value::Int(number) => integer(*number),
        Value::Decimal(number) => Json::String(number.normalize().to_string()),
        Value::Money(money) => integer(money.minor),
        Value::Date(date) => Json::String(date.to_string()),
        Value::Time(time) => Json::String(time.strftime("%H:%M").to_string()),
        Value::Instant(at) => Json::String(at.to_string()),
        Value::Duration(seconds) => integer(*seconds),
        Value::Text(text) => Json::String(text.clone()),
        Value::List(values) => Json::Array(values.iter().map(self::value).collect()),
        Value::Record(fields) => record(fields),
    }
}

/// Named values in canonical JSON.
#[must_use]
pub fn record(fields: &BTreeMap<String, Value>) -> Json {
    Json::Object(fields.iter().map(|(name, field)| (name.clone(), value(field))).collect::<Map<_, _>>())
}

fn integer(number: i64) -> Json {
    if number.unsigned_abs() <= INTEGER_MAX.unsigned_abs() {
        Json::from(number)
    } else {
        Json::String(number.to_string())
    }
}

/// SHA-256 in lower-case hex.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use countersign_nlu::{Currency, Money};

    use super::*;

    #[test]
    fn money_is_minor_units_and_big_integers_are_text() {
        assert_eq!(value(&Value::Money(Money::new(15_000, Currency::BRL))), Json::from(15_000));
        assert_eq!(value(&Value::Int(INTEGER_MAX)), Json::from(INTEGER_MAX));
        assert_eq!(value(&Value::Int(INTEGER_MAX + 1)), Json::from("9007199254740992"));
        assert_eq!(value(&Value::Int(-INTEGER_MAX - 1)), Json::from("-9007199254740992"));
    }

    #[test]
    fn sha256_is_the_known_one() {
        assert!(sha256(b"abc").starts_with("ba7816bf8f01cfea"));
    }
}
