//! Tables of what the language accepts, refuses and answers.

mod bounds;
mod faults;
mod oracle;
mod page;
mod traces;
mod values;

use std::collections::BTreeMap;

use countersign_nlu::{Currency, Money, Value};
use jiff::civil::{date, time};

use super::{Checked, Scope, Type, compile};

/// A slip of R$ 150,00 due on 2026-12-10.
fn line() -> String {
    use countersign_nlu::boleto::{Slip, encode, line_of};
    let slip = Slip { bank: 1, due: Some(date(2026, 12, 10)), amount_minor: 15_000, free_field: "1".repeat(25) };
    line_of(&encode(&slip).unwrap())
}

fn record(fields: &[(&str, Type)]) -> Type {
    Type::Record(fields.iter().map(|(name, ty)| ((*name).to_owned(), ty.clone())).collect())
}

fn list(element: Type) -> Type {
    Type::List(Box::new(element))
}

fn optional(inner: Type) -> Type {
    Type::Optional(Box::new(inner))
}

fn scope() -> Scope {
    let customer = record(&[("email", Type::Text), ("phone", optional(Type::Text))]);
    let booking = record(&[
        ("total", Type::Money(Currency::BRL)),
        ("guests", Type::Int),
        ("note", optional(Type::Text)),
        ("customer", customer),
    ]);
    Scope::new()
        .with("amount", Type::Money(Currency::BRL))
        .with("fee", Type::Money(Currency::BRL))
        .with("refund_amount", Type::Money(Currency::USD))
        .with("yen", Type::Money(Currency::parse("JPY").unwrap()))
        .with("count", Type::Int)
        .with("largest", Type::Int)
        .with("smallest", Type::Int)
        .with("rate", Type::Decimal)
        .with("name", Type::Text)
        .with("line", Type::Text)
        .with("vip", Type::Bool)
        .with("due", Type::Date)
        .with("today", Type::Date)
        .with("at", Type::Time)
        .with("now", Type::Instant)
        .with("created", Type::Instant)
        .with("age", Type::Duration)
        .with("tags", list(Type::Text))
        .with("sizes", list(Type::Int))
        .with("rates", list(Type::Decimal))
        .with("prices", list(Type::Money(Currency::BRL)))
        .with("scores", list(optional(Type::Int)))
        .with("coupon", optional(Type::Text))
        .with("points", optional(Type::Int))
        .with("booking", booking)
        .with("lost", optional(record(&[("id", Type::Text)])))
}

fn brl(minor: i64) -> Value {
    Value::Money(Money::new(minor, Currency::BRL))
}

fn texts(words: &[&str]) -> Value {
    Value::List(words.iter().map(|word| Value::text(*word)).collect())
}

/// Every name of the scope has a value, except `coupon`, `points`, `lost` and the optional fields.
fn facts() -> BTreeMap<String, Value> {
    let customer = BTreeMap::from([("email".to_owned(), Value::text("ana@example.com"))]);
    let booking = BTreeMap::from([
        ("total".to_owned(), brl(48_000)),
        ("guests".to_owned(), Value::Int(4)),
        ("note".to_owned(), Value::Null),
        ("customer".to_owned(), Value::Record(customer)),
    ]);
    let instant = |text: &str| Value::Instant(text.parse().unwrap());
    let facts = [
        ("amount", brl(15_000)),
        ("fee", brl(250)),
        ("refund_amount", Value::Money(Money::new(5_010, Currency::USD))),
        ("yen", Value::Money(Money::new(900, Currency::parse("JPY").unwrap()))),
        ("count", Value::Int(3)),
        ("largest", Value::Int(i64::MAX)),
        ("smallest", Value::Int(i64::MIN)),
        ("rate", Value::Decimal("0.10".parse().unwrap())),
        ("name", Value::text("João Silva")),
        ("line", Value::Text(line())),
        ("vip", Value::Bool(true)),
        ("due", Value::Date(date(2026, 12, 10))),
        ("today", Value::Date(date(2026, 12, 7))),
        ("at", Value::Time(time(18, 30, 0, 0))),
        ("now", instant("2026-12-07T12:00:00.5Z")),
        ("created", instant("2026-12-07T11:00:00Z")),
        ("age", Value::Duration(7_200)),
        ("tags", texts(&["new", "gift"])),
        ("sizes", Value::List(vec![Value::Int(1), Value::Int(2)])),
        ("rates", Value::List(vec![Value::Int(1), Value::Decimal("2.5".parse().unwrap())])),
        ("prices", Value::List(vec![brl(5_000), brl(10_000)])),
        ("scores", Value::List(vec![Value::Int(1), Value::Null])),
        ("coupon", Value::Null),
        ("booking", Value::Record(booking)),
    ];
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Compiles against the common scope or fails the test with what was wrong.
fn compiled(source: &str, ty: &Type) -> Checked {
    compile(source, &scope(), ty).unwrap_or_else(|faults| panic!("{source}: {faults:?}"))
}
