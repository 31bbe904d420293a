//! Typed values: what a piece of text, a tool result or a configured number *means*.
//!
//! Invariant: two values are equal exactly when they mean the same thing, so `150 reais`, `R$ 150,00` and the
//! integer 15000 of a column in cents all become the same [`Value::Money`].
//! Deliberately absent: floats. Money is minor units with a currency, other fractions are exact decimals.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// Bytes of a text, always on character boundaries; `end` is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span from byte offsets; offsets beyond 4 GiB saturate, which no bounded message reaches.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let clip = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { start: clip(start), end: clip(end) }
    }

    /// The words this span points at, or an empty text if it does not fit.
    #[must_use]
    pub fn of<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// True if the two spans share at least one byte.
    #[must_use]
    pub fn overlaps(&self, other: &Span) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// An ISO 4217 currency code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Currency([u8; 3]);

impl Currency {
    /// Brazilian real.
    pub const BRL: Currency = Currency(*b"BRL");
    /// US dollar.
    pub const USD: Currency = Currency(*b"USD");
    /// Euro.
    pub const EUR: Currency = Currency(*b"EUR");
    /// Pound sterling.
    pub const GBP: Currency = Currency(*b"GBP");
    /// Kenyan shilling.
    pub const KES: Currency = Currency(*b"KES");
    /// Turkish lira.
    pub const TRY: Currency = Currency(*b"TRY");

    /// Reads a three-letter code, in any case.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        let bytes: [u8; 3] = code.as_bytes().try_into().ok()?;
        bytes.iter().all(u8::is_ascii_alphabetic).then(|| Self(bytes.map(|b| b.to_ascii_uppercase())))
    }

    /// The three letters.
    #[must_use]
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("XXX")
    }

    /// How many decimal places the minor unit has (ISO 4217; two unless listed here).
    #[must_use]
    pub fn exponent(&self) -> u32 {
        match &self.0 {
            b"BIF" | b"CLP" | b"DJF" | b"GNF" | b"ISK" | b"JPY" | b"KMF" | b"KRW" | b"PYG" | b"RWF" | b"UGX"
            | b"VND" | b"VUV" | b"XAF" | b"XOF" | b"XPF" => 0,
            b"BHD" | b"IQD" | b"JOD" | b"KWD" | b"LYD" | b"OMR" | b"TND" => 3,
            _ => 2,
        }
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl TryFrom<String> for Currency {
    type Error = String;
    fn try_from(code: String) -> Result<Self, Self::Error> {
        Currency::parse(&code).ok_or_else(|| format!("`{code}` is not a three-letter currency code"))
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> String {
        currency.code().to_owned()
    }
}

/// An amount in minor units (cents) with its currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Money {
    /// Minor units: 15000 is R$ 150,00.
    pub minor: i64,
    /// Which money.
    pub currency: Currency,
}

impl Money {
    /// An amount of minor units.
    #[must_use]
    pub fn new(minor: i64, currency: Currency) -> Self {
        Self { minor, currency }
    }

    /// From major units (reais, dollars); none if it has more places than the currency or does not fit.
    #[must_use]
    pub fn from_major(major: Decimal, currency: Currency) -> Option<Self> {
        let scale = Decimal::from(10_i64.pow(currency.exponent()));
        let minor = major.checked_mul(scale)?.normalize();
        if minor.scale() != 0 {
            return None;
        }
        Some(Self { minor: i64::try_from(minor.mantissa()).ok()?, currency })
    }

    /// The amount in major units, exact.
    #[must_use]
    pub fn major(&self) -> Decimal {
        Decimal::new(self.minor, self.currency.exponent())
    }
}

/// A value that means something; the one currency of slots, arguments, facts, results and expressions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// Nothing there: a column that was NULL, an optional field that was absent.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A whole number: a count, a party size, an ordinal.
    Int(i64),
    /// An exact fraction.
    Decimal(Decimal),
    /// An amount of money.
    Money(Money),
    /// A calendar day.
    Date(Date),
    /// A time of day.
    Time(Time),
    /// An instant.
    Instant(Timestamp),
    /// A length of time in seconds.
    Duration(i64),
    /// Text, an id, a phone in E.164, an e-mail, a name.
    Text(String),
    /// Several values.
    List(Vec<Value>),
    /// Named values: one row of a result.
    Record(BTreeMap<String, Value>),
}

impl Value {
    /// Text from anything that can become a string.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Value::Text(text.into())
    }

    /// A named field, if this is a record that has it.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Record(fields) => fields.get(name),
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Decimal(_)
            | Value::Money(_)
            | Value::Date(_)
            | Value::Time(_)
            | Value::Instant(_)
            | Value::Duration(_)
            | Value::Text(_)
            | Value::List(_) => None,
        }
    }

    /// The text, if this is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }
}

/// What kind of value a place expects or an extractor found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A whole number or fraction without a unit.
    Number,
    /// A position in a list ("the second one"); the value is `Int`, 1-based, -1 for the last.
    Ordinal,
    /// Money; the value is `Money`.
    Money,
    /// A calendar day.
    Date,
    /// A time of day.
    Time,
    /// A length of time.
    Duration,
    /// A phone number; the value is E.164 text.
    Phone,
    /// An e-mail address, lower case.
    Email,
    /// A code or id such as `BOL-1001`; upper case, every separator written as `-` (see [`crate::id::same`]).
    Id,
    /// A person's or thing's name.
    Name,
    /// Free words.
    Text,
    /// Yes or no.
    Flag,
}

/// A value read from a text, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// What kind of thing it is.
    pub kind: Kind,
    /// What it means.
    pub value: Value,
    /// The words it was read from.
    pub span: Span,
}
