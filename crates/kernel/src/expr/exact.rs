//! Arithmetic on values: exact, or refused.
//!
//! Invariant: a result is the true result. What does not fit is [`Why::Overflow`] or [`Why::OutOfRange`]; nothing is
//! rounded, wrapped or saturated.
//! Deliberately absent: `Decimal`'s own operators, because they round beyond 28 places.

use std::cmp::Ordering;

use countersign_nlu::{Money, Value};
use jiff::civil::Date;
use jiff::{SignedDuration, Span as Shift, Timestamp};
use rust_decimal::Decimal;

use super::TEXT_MAX;
use super::ast::Arithmetic;
use super::eval::Why;

/// Seconds of a calendar day; dates move by whole days only.
pub(super) const DAY_SECONDS: i64 = 86_400;

/// Applies an operator to two values that the checker has brought together.
pub(super) fn apply(operator: Arithmetic, left: &Value, right: &Value) -> Result<Value, Why> {
    match operator {
        Arithmetic::Add => add(left, right),
        Arithmetic::Subtract => subtract(left, right),
        Arithmetic::Multiply => multiply(left, right),
    }
}

fn add(left: &Value, right: &Value) -> Result<Value, Why> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => a.checked_add(*b).map(Value::Int).ok_or(Why::Overflow),
        (Value::Decimal(a), Value::Decimal(b)) => decimal_sum(*a, *b).map(Value::Decimal),
        (Value::Money(a), Value::Money(b)) => money(*a, *b, a.minor.checked_add(b.minor)),
        (Value::Duration(a), Value::Duration(b)) => a.checked_add(*b).map(Value::Duration).ok_or(Why::Overflow),
        (Value::Date(date), Value::Duration(seconds)) | (Value::Duration(seconds), Value::Date(date)) => {
            shift_date(*date, *seconds)
        }
        (Value::Instant(instant), Value::Duration(seconds)) | (Value::Duration(seconds), Value::Instant(instant)) => {
            shift_instant(*instant, *seconds)
        }
        (Value::Text(a), Value::Text(b)) => concat(a, b),
        (_, _) => Err(Why::WrongType),
    }
}

fn subtract(left: &Value, right: &Value) -> Result<Value, Why> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => a.checked_sub(*b).map(Value::Int).ok_or(Why::Overflow),
        (Value::Decimal(a), Value::Decimal(b)) => decimal_sum(*a, -*b).map(Value::Decimal),
        (Value::Money(a), Value::Money(b)) => money(*a, *b, a.minor.checked_sub(b.minor)),
        (Value::Duration(a), Value::Duration(b)) => a.checked_sub(*b).map(Value::Duration).ok_or(Why::Overflow),
        (Value::Date(date), Value::Duration(seconds)) => shift_date(*date, seconds.checked_neg().ok_or(Why::Overflow)?),
        (Value::Instant(instant), Value::Duration(seconds)) => {
            shift_instant(*instant, seconds.checked_neg().ok_or(Why::Overflow)?)
        }
        (Value::Date(a), Value::Date(b)) => Ok(Value::Duration(a.duration_since(*b).as_secs())),
        (Value::Instant(a), Value::Instant(b)) => Ok(Value::Duration(a.duration_since(*b).as_secs())),
        (_, _) => Err(Why::WrongType),
    }
}

fn multiply(left: &Value, right: &Value) -> Result<Value, Why> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => a.checked_mul(*b).map(Value::Int).ok_or(Why::Overflow),
        (Value::Decimal(a), Value::Decimal(b)) => decimal_product(*a, *b).map(Value::Decimal),
        (Value::Money(money), Value::Int(times)) | (Value::Int(times), Value::Money(money)) => money
            .minor
            .checked_mul(*times)
            .map(|minor| Value::Money(Money::new(minor, money.currency)))
            .ok_or(Why::Overflow),
        (Value::Duration(seconds), Value::Int(times)) | (Value::Int(times), Value::Duration(seconds)) => {
            seconds.checked_mul(*times).map(Value::Duration).ok_or(Why::Overflow)
        }
        (_, _) => Err(Why::WrongType),
    }
}

/// The value with the opposite sign.
pub(super) fn negate(value: &Value) -> Result<Value, Why> {
    match value {
        Value::Int(n) => n.checked_neg().map(Value::Int).ok_or(Why::Overflow),
        Value::Decimal(n) => Ok(Value::Decimal(-*n)),
        Value::Money(money) => negated_money(*money),
        Value::Duration(seconds) => seconds.checked_neg().map(Value::Duration).ok_or(Why::Overflow),
        Value::Null
        | Value::Bool(_)
        | Value::Date(_)
        | Value::Time(_)
        | Value::Instant(_)
        | Value::Text(_)
        | Value::List(_)
        | Value::Record(_) => Err(Why::WrongType),
    }
}

fn negated_money(money: Money) -> Result<Value, Why> {
    let minor = money.minor.checked_neg().ok_or(Why::Overflow)?;
    Ok(Value::Money(Money::new(minor, money.currency)))
}

/// The order of two values of one type; none if they are not comparable.
pub(super) fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Decimal(a), Value::Decimal(b)) => Some(a.cmp(b)),
        (Value::Money(a), Value::Money(b)) => (a.currency == b.currency).then(|| a.minor.cmp(&b.minor)),
        (Value::Duration(a), Value::Duration(b)) => Some(a.cmp(b)),
        (Value::Date(a), Value::Date(b)) => Some(a.cmp(b)),
        (Value::Time(a), Value::Time(b)) => Some(a.cmp(b)),
        (Value::Instant(a), Value::Instant(b)) => Some(a.cmp(b)),
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (_, _) => None,
    }
}

/// Whole numbers as decimals, also inside a list; anything else stays as it is.
pub(super) fn widen(value: &Value) -> Value {
    match value {
        Value::Int(n) => Value::Decimal(Decimal::from(*n)),
        Value::List(values) => Value::List(values.iter().map(widen_element).collect()),
        Value::Null
        | Value::Bool(_)
        | Value::Decimal(_)
        | Value::Money(_)
        | Value::Date(_)
        | Value::Time(_)
        | Value::Instant(_)
        | Value::Duration(_)
        | Value::Text(_)
        | Value::Record(_) => value.clone(),
    }
}

/// One level only: lists of lists are never compared, so they are never widened.
fn widen_element(value: &Value) -> Value {
    if let Value::Int(n) = value { Value::Decimal(Decimal::from(*n)) } else { value.clone() }
}

fn money(a: Money, b: Money, minor: Option<i64>) -> Result<Value, Why> {
    if a.currency != b.currency {
        return Err(Why::WrongType);
    }
    minor.map(|minor| Value::Money(Money::new(minor, a.currency))).ok_or(Why::Overflow)
}

fn concat(a: &str, b: &str) -> Result<Value, Why> {
    if a.len().saturating_add(b.len()) > TEXT_MAX {
        return Err(Why::TooLong);
    }
    Ok(Value::Text([a, b].concat()))
}

fn shift_date(date: Date, seconds: i64) -> Result<Value, Why> {
    if seconds % DAY_SECONDS != 0 {
        return Err(Why::NotWholeDays);
    }
    let days = Shift::new().try_days(seconds / DAY_SECONDS).map_err(|_| Why::OutOfRange)?;
    date.checked_add(days).map(Value::Date).map_err(|_| Why::OutOfRange)
}

fn shift_instant(instant: Timestamp, seconds: i64) -> Result<Value, Why> {
    instant.checked_add(SignedDuration::from_secs(seconds)).map(Value::Instant).map_err(|_| Why::OutOfRange)
}

fn decimal_sum(a: Decimal, b: Decimal) -> Result<Decimal, Why> {
    let (a, b) = (a.normalize(), b.normalize());
    let scale = a.scale().max(b.scale());
    let sum =
        mantissa_at(a, scale).zip(mantissa_at(b, scale)).and_then(|(a, b)| a.checked_add(b)).ok_or(Why::Overflow)?;
    Decimal::try_from_i128_with_scale(sum, scale).map_err(|_| Why::Overflow)
}

fn mantissa_at(n: Decimal, scale: u32) -> Option<i128> {
    let places = scale.checked_sub(n.scale())?;
    n.mantissa().checked_mul(10_i128.checked_pow(places)?)
}

fn decimal_product(a: Decimal, b: Decimal) -> Result<Decimal, Why> {
    let (a, b) = (a.normalize(), b.normalize());
    let mantissa = a.mantissa().checked_mul(b.mantissa()).ok_or(Why::Overflow)?;
    Decimal::try_from_i128_with_scale(mantissa, a.scale() + b.scale()).map_err(|_| Why::Overflow)
}
