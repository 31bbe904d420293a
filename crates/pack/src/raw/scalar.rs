//! Scalars with a form of their own: durations, shares, amounts of money.
//!
//! Invariant: all are read from the text as written; none passes through a float.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};

/// A length of time: `90s`, `5m`, `2h`, `1d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seconds(pub i64);

/// A share from 0 to 1 with at most three places: `0.70`; kept in 1/1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share(pub u16);

/// A decimal amount as written: `"500.00"`; the currency is the pack's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amount {
    /// Units of the last written place.
    pub digits: i64,
    /// How many places were written.
    pub places: u32,
}

/// Longest duration: ten years, far beyond any window that still means something.
const SECONDS_MAX: i64 = 10 * 366 * 86_400;

impl Seconds {
    /// Reads a duration.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let unit = text.chars().last()?;
        let scale = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            _ => return None,
        };
        let digits = text.strip_suffix(unit)?;
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let seconds = digits.parse::<i64>().ok()?.checked_mul(scale)?;
        (seconds <= SECONDS_MAX).then_some(Self(seconds))
    }
}

impl Share {
    /// Reads a share.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, places) = text.split_once('.').unwrap_or((text, "0"));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !matches!(whole, "0" | "1") || !is_digits(places) || places.len() > 3 {
            return None;
        }
        let milli = format!("{places:0<3}").parse::<u16>().ok()?;
        let milli = if whole == "1" { milli.checked_add(1_000)? } else { milli };
        (milli <= 1_000).then_some(Self(milli))
    }
}

impl Amount {
    /// Reads an amount without a sign.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) || text.ends_with('.') {
            return None;
        }
        let places = u32::try_from(fraction.len()).ok()?;
        Some(Self { digits: format!("{whole}{fraction}").parse().ok()?, places })
    }

    /// The amount in minor units; none if it has more places than the currency or does not fit.
    #[must_use]
    pub fn minor(&self, exponent: u32) -> Option<i64> {
        let missing = exponent.checked_sub(self.places)?;
        self.digits.checked_mul(10_i64.checked_pow(missing)?)
    }
}

macro_rules! from_text {
    ($name:ident, $what:literal, $pattern:literal, $types:expr) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                $name::parse(&text).ok_or_else(|| D::Error::custom(format!(concat!("expected ", $what, ", found `{}`"), text)))
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": $types, "pattern": $pattern, "description": $what })
            }
        }
    };
}

from_text!(Seconds, "a duration such as 90s, 5m, 2h or 1d", "^[0-9]+[smhd]$", "string");
from_text!(Share, "a share from 0 to 1 with at most three places", r"^(0|1)(\.[0-9]{1,3})?$", ["string", "number"]);
from_text!(Amount, "an amount such as \"500.00\"", r"^[0-9]+(\.[0-9]+)?$", ["string", "number"]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let cases: [(&str, Option<i64>); 9] = [
            ("90s", Some(90)),
            ("5m", Some(300)),
            ("2h", Some(7_200)),
            ("1d", Some(86_400)),
            ("0s", Some(0)),
            ("5", None),
            ("m", None),
            ("-5m", None),
            ("99999999999999d", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Seconds::parse(text).map(|s| s.0), expected, "{text}");
        }
    }

    #[test]
    fn shares_are_exact() {
        let cases: [(&str, Option<u16>); 11] = [
            ("0.70", Some(700)),
            ("0.7", Some(700)),
            ("0.705", Some(705)),
            ("0", Some(0)),
            ("1", Some(1_000)),
            ("1.000", Some(1_000)),
            ("1.001", None),
            ("0.7005", None),
            (".7", None),
            ("-0.1", None),
            ("70%", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Share::parse(text).map(|s| s.0), expected, "{text}");
        }
    }

    #[test]
    fn amounts_are_exact() {
        let cases: [(&str, u32, Option<i64>); 8] = [
            ("500.00", 2, Some(50_000)),
            ("50.10", 2, Some(5_010)),
            ("500", 2, Some(50_000)),
            ("500", 0, Some(500)),
            ("500.5", 0, None),
            ("0.001", 2, None),
            ("1,000", 2, None),
            ("99999999999999999999", 2, None),
        ];
        for (text, exponent, expected) in cases {
            assert_eq!(Amount::parse(text).and_then(|a| a.minor(exponent)), expected, "{text}");
        }
    }
}
