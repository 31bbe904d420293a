//! The closed list of functions: one table, one entry per function.
//!
//! Invariant: a function is pure and total; it answers with a value of the type it promises or says why it cannot.
//! Deliberately absent: anything that reads a clock, and anything whose cost is more than linear in its arguments.
//! `has` is not here, because it asks about a name and not about a value.

use std::borrow::Cow;

use countersign_nlu::boleto::{BoletoError, Slip, parse_barcode, parse_line};
use countersign_nlu::text::fold;
use countersign_nlu::{Currency, Money, Value};
use jiff::civil::{Date, Time, date};
use regex::Regex;

use super::TEXT_MAX;
use super::eval::Why;
use super::exact;

/// Most arguments of any function: they are evaluated into an array of this length.
pub(super) const ARGS_MAX: usize = 3;

/// What one argument must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// A whole number.
    Int,
    /// An amount of money in any currency.
    Money,
    /// A text.
    Text,
    /// A text written in the expression itself, checked with it.
    Written,
    /// A pattern written in the expression itself, compiled with it.
    Pattern,
    /// A date.
    Date,
    /// A list or a text.
    Sized,
    /// Something with a sign: a number, money, a duration.
    Signed,
    /// Something with an order; all such arguments are brought to one type.
    Ordered,
}

/// What a function answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    /// Yes or no.
    Bool,
    /// A whole number.
    Int,
    /// An exact fraction.
    Decimal,
    /// A text.
    Text,
    /// A calendar day.
    Date,
    /// A time of day.
    Time,
    /// A length of time.
    Duration,
    /// Brazilian reais.
    Real,
    /// The type of the arguments.
    Same,
}

/// One function of the language.
#[derive(Debug)]
pub(super) struct Function {
    /// Its name.
    pub(super) name: &'static str,
    /// How it is called, for help lines and the reference page.
    pub(super) usage: &'static str,
    /// Its arguments.
    pub(super) takes: &'static [Takes],
    /// Its answer.
    pub(super) gives: Gives,
    /// The work.
    pub(super) run: fn(&Given<'_>) -> Result<Value, Why>,
}

/// The arguments of one call.
pub(super) struct Given<'a> {
    /// The values, as many as the function takes; a pattern's place holds its text.
    pub(super) values: &'a [Cow<'a, Value>],
    /// The compiled pattern, if the function takes one.
    pub(super) pattern: Option<&'a Regex>,
}

macro_rules! entry {
    ($name:literal, $usage:literal, [$($takes:ident),*] -> $gives:ident, $run:expr) => {
        Function { name: $name, usage: $usage, takes: &[$(Takes::$takes),*], gives: Gives::$gives, run: $run }
    };
}

/// Every function, in the order of the reference page.
pub(super) const FUNCTIONS: &[Function] = &[
    entry!("minor", "minor(money) -> int", [Money] -> Int, |g| Ok(Value::Int(g.money(0)?.minor))),
    entry!("major", "major(money) -> decimal", [Money] -> Decimal, |g| Ok(Value::Decimal(g.money(0)?.major()))),
    entry!("abs", "abs(number, money or duration) -> same", [Signed] -> Same, absolute),
    entry!("min", "min(a, b) -> same", [Ordered, Ordered] -> Same, |g| g.pick(std::cmp::Ordering::Less)),
    entry!("max", "max(a, b) -> same", [Ordered, Ordered] -> Same, |g| g.pick(std::cmp::Ordering::Greater)),
    entry!("days", "days(int) -> duration", [Int] -> Duration, |g| g.seconds(exact::DAY_SECONDS)),
    entry!("hours", "hours(int) -> duration", [Int] -> Duration, |g| g.seconds(3_600)),
    entry!("minutes", "minutes(int) -> duration", [Int] -> Duration, |g| g.seconds(60)),
    entry!("date", "date('2026-12-10') -> date", [Written] -> Date, read_date),
    entry!("time", "time('18:30') -> time", [Written] -> Time, read_time),
    entry!("weekday", "weekday(date) -> int, 1 is Monday", [Date] -> Int, weekday),
    entry!("size", "size(list or text) -> int", [Sized] -> Int, size),
    entry!("lower", "lower(text) -> text", [Text] -> Text, lower),
    entry!("starts_with", "starts_with(text, text) -> bool", [Text, Text] -> Bool, |g| {
        Ok(Value::Bool(g.text(0)?.starts_with(g.text(1)?)))
    }),
    entry!("contains", "contains(text, text) -> bool", [Text, Text] -> Bool, |g| {
        Ok(Value::Bool(g.text(0)?.contains(g.text(1)?)))
    }),
    entry!("matches", "matches(text, 'pattern') -> bool", [Text, Pattern] -> Bool, |g| {
        let pattern = g.pattern.ok_or(Why::WrongType)?;
        Ok(Value::Bool(pattern.is_match(g.text(0)?)))
    }),
    entry!("same_text", "same_text(text, text) -> bool", [Text, Text] -> Bool, same_text),
    entry!("boleto_amount", "boleto_amount(text) -> money(BRL)", [Text] -> Real, boleto_amount),
    entry!("boleto_due", "boleto_due(text, today) -> date", [Text, Date] -> Date, boleto_due),
    entry!("boleto_is_valid", "boleto_is_valid(text, today) -> bool", [Text, Date] -> Bool, |g| {
        Ok(Value::Bool(slip(g.text(0)?, g.date(1)?).is_ok()))
    }),
];

/// Every function as (name, how it is called), for reference pages and editors; `has` comes first.
pub fn functions() -> impl Iterator<Item = (&'static str, &'static str)> {
    std::iter::once(("has", "has(path) -> bool"))
        .chain(FUNCTIONS.iter().map(|function| (function.name, function.usage)))
}

/// The function of that name.
pub(super) fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

impl Given<'_> {
    fn value(&self, at: usize) -> Result<&Value, Why> {
        self.values.get(at).map(AsRef::as_ref).ok_or(Why::WrongType)
    }

    fn money(&self, at: usize) -> Result<Money, Why> {
        if let Value::Money(money) = self.value(at)? { Ok(*money) } else { Err(Why::WrongType) }
    }

    fn text(&self, at: usize) -> Result<&str, Why> {
        self.value(at)?.as_text().ok_or(Why::WrongType)
    }

    fn date(&self, at: usize) -> Result<Date, Why> {
        if let Value::Date(date) = self.value(at)? { Ok(*date) } else { Err(Why::WrongType) }
    }

    /// A duration of so many units.
    fn seconds(&self, unit: i64) -> Result<Value, Why> {
        let Value::Int(count) = self.value(0)? else { return Err(Why::WrongType) };
        count.checked_mul(unit).map(Value::Duration).ok_or(Why::Overflow)
    }

    /// The second value if it stands in that order to the first, otherwise the first.
    fn pick(&self, wanted: std::cmp::Ordering) -> Result<Value, Why> {
        let (first, second) = (self.value(0)?, self.value(1)?);
        let order = exact::order(second, first).ok_or(Why::WrongType)?;
        Ok(if order == wanted { second.clone() } else { first.clone() })
    }
}

fn absolute(given: &Given<'_>) -> Result<Value, Why> {
    let value = given.value(0)?;
    let is_negative = match value {
        Value::Int(n) | Value::Duration(n) => *n < 0,
        Value::Decimal(n) => n.is_sign_negative(),
        Value::Money(money) => money.minor < 0,
        Value::Null
        | Value::Bool(_)
        | Value::Date(_)
        | Value::Time(_)
        | Value::Instant(_)
        | Value::Text(_)
        | Value::List(_)
        | Value::Record(_) => return Err(Why::WrongType),
    };
    if is_negative { exact::negate(value) } else { Ok(value.clone()) }
}

fn read_date(given: &Given<'_>) -> Result<Value, Why> {
    given.text(0)?.parse::<Date>().map(Value::Date).map_err(|_| Why::Unreadable)
}

fn read_time(given: &Given<'_>) -> Result<Value, Why> {
    given.text(0)?.parse::<Time>().map(Value::Time).map_err(|_| Why::Unreadable)
}

fn weekday(given: &Given<'_>) -> Result<Value, Why> {
    Ok(Value::Int(i64::from(given.date(0)?.weekday().to_monday_one_offset())))
}

/// Elements of a list, characters of a text.
fn size(given: &Given<'_>) -> Result<Value, Why> {
    let size = match given.value(0)? {
        Value::List(values) => values.len(),
        Value::Text(text) => text.chars().count(),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Decimal(_)
        | Value::Money(_)
        | Value::Date(_)
        | Value::Time(_)
        | Value::Instant(_)
        | Value::Duration(_)
        | Value::Record(_) => return Err(Why::WrongType),
    };
    i64::try_from(size).map(Value::Int).map_err(|_| Why::Overflow)
}

fn lower(given: &Given<'_>) -> Result<Value, Why> {
    let text = given.text(0)?;
    if text.len() > TEXT_MAX {
        return Err(Why::TooLong);
    }
    Ok(Value::Text(text.to_lowercase()))
}

/// Equal without regard to case, accents and spacing.
fn same_text(given: &Given<'_>) -> Result<Value, Why> {
    let (a, b) = (given.text(0)?, given.text(1)?);
    if a.len().max(b.len()) > TEXT_MAX {
        return Err(Why::TooLong);
    }
    Ok(Value::Bool(a == b || fold(a) == fold(b)))
}

/// The amount does not depend on the day, but the reader refuses a due date too far from it. The window of acceptance
/// is 8,500 days of a cycle of 9,000, so two days four years apart accept every slip between them.
fn boleto_amount(given: &Given<'_>) -> Result<Value, Why> {
    let text = given.text(0)?;
    let slip = slip(text, date(2026, 1, 1)).or_else(|_| slip(text, date(2030, 1, 1)))?;
    // Zero is how a slip says that the payer chooses the amount.
    if slip.amount_minor == 0 {
        return Err(Why::Absent);
    }
    Ok(Value::Money(Money::new(slip.amount_minor, Currency::BRL)))
}

fn boleto_due(given: &Given<'_>) -> Result<Value, Why> {
    slip(given.text(0)?, given.date(1)?)?.due.map(Value::Date).ok_or(Why::Absent)
}

/// A typed line, or the digits of a barcode.
fn slip(text: &str, today: Date) -> Result<Slip, Why> {
    if text.len() > TEXT_MAX {
        return Err(Why::TooLong);
    }
    let read = parse_line(text, today).or_else(|error| match error {
        BoletoError::WrongLength => parse_barcode(text, today),
        BoletoError::NotBilling
        | BoletoError::WrongCurrency
        | BoletoError::WrongField(_)
        | BoletoError::WrongDigit
        | BoletoError::WrongFreeField
        | BoletoError::WrongBank
        | BoletoError::WrongAmount
        | BoletoError::WrongDate => Err(error),
    });
    read.map_err(|_| Why::Unreadable)
}
