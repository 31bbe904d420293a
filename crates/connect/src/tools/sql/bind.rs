//! The values a statement may bind: the call's arguments, four names of the runtime, and rows of earlier statements.
//!
//! Invariant: a value goes to SQLite as a bound value. `:tenant`, `:customer`, `:key` and `:now` are the runtime's and
//! cannot be replaced by an argument of the same name.

use std::collections::BTreeMap;

use countersign_kernel::canonical;
use countersign_nlu::{Currency, Value};
use jiff::Timestamp;
use rusqlite::types::Value as Sql;

/// Names bound by the runtime.
pub(crate) const RESERVED: &[&str] = &["tenant", "customer", "key", "now"];

/// One row as SQLite returned it.
pub(crate) type Row = BTreeMap<String, Sql>;

/// Who calls, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct About {
    /// The tenant.
    pub(crate) tenant: String,
    /// The customer.
    pub(crate) customer: String,
    /// The call's idempotency key; none for a read that belongs to a call.
    pub(crate) key: Option<String>,
    /// Now.
    pub(crate) now: Timestamp,
}

/// What parameters stand for.
#[derive(Debug, Default)]
pub(crate) struct Binds {
    values: Row,
    rows: BTreeMap<String, Row>,
}

impl Binds {
    /// The names a list of statements begins with; fails on money of another currency than the database's, because
    /// the column holds bare minor units.
    pub(crate) fn new(about: &About, arguments: &BTreeMap<String, Value>, currency: Currency) -> Result<Self, String> {
        let mut values = Row::new();
        for (name, value) in arguments {
            values.insert(name.clone(), to_sql(value, currency).map_err(|error| format!("`:{name}`: {error}"))?);
        }
        values.insert("tenant".to_owned(), Sql::Text(about.tenant.clone()));
        values.insert("customer".to_owned(), Sql::Text(about.customer.clone()));
        values.insert("now".to_owned(), Sql::Text(about.now.to_string()));
        match &about.key {
            Some(key) => values.insert("key".to_owned(), Sql::Text(key.clone())),
            None => values.remove("key"),
        };
        Ok(Self { values, rows: BTreeMap::new() })
    }

    /// Lets later statements use a row by the statement's name.
    pub(crate) fn add_row(&mut self, name: &str, row: Row) {
        self.rows.insert(name.to_owned(), row);
    }

    /// What a path such as `amount_cents` or `row.id` stands for.
    pub(crate) fn get(&self, path: &str) -> Option<&Sql> {
        match path.split_once('.') {
            Some((row, column)) => self.rows.get(row)?.get(column),
            None => self.values.get(path),
        }
    }
}

/// A value as SQLite stores it: money in minor units, dates in ISO form, lists and records as canonical JSON.
pub(crate) fn to_sql(value: &Value, currency: Currency) -> Result<Sql, String> {
    Ok(match value {
        Value::Null => Sql::Null,
        Value::Bool(is_true) => Sql::Integer(i64::from(*is_true)),
        Value::Int(number) | Value::Duration(number) => Sql::Integer(*number),
        Value::Money(money) if money.currency == currency => Sql::Integer(money.minor),
        Value::Money(money) => {
            return Err(format!("the database holds {}, not {}", currency.code(), money.currency.code()));
        }
        Value::Text(text) => Sql::Text(text.clone()),
        Value::Decimal(number) => Sql::Text(number.normalize().to_string()),
        Value::Date(date) => Sql::Text(date.to_string()),
        Value::Time(time) => Sql::Text(time.strftime("%H:%M").to_string()),
        Value::Instant(at) => Sql::Text(at.to_string()),
        Value::List(_) | Value::Record(_) => Sql::Text(canonical::value(value).to_string()),
    })
}

#[cfg(test)]
mod tests {
    use countersign_nlu::Money;

    use super::*;

    fn about(key: Option<&str>) -> About {
        About {
            tenant: "acme".to_owned(),
            customer: "c-1".to_owned(),
            key: key.map(str::to_owned),
            now: "2026-11-15T12:00:00Z".parse().unwrap(),
        }
    }

    #[test]
    fn reserved_names_cannot_be_replaced() {
        let arguments: BTreeMap<_, _> =
            RESERVED.iter().map(|name| ((*name).to_owned(), Value::text("forged"))).collect();
        let with_key = Binds::new(&about(Some("k-1")), &arguments, Currency::BRL).unwrap();
        let without = Binds::new(&about(None), &arguments, Currency::BRL).unwrap();
        let text = |binds: &Binds, name: &str| binds.get(name).cloned();
        assert_eq!(text(&with_key, "tenant"), Some(Sql::Text("acme".to_owned())));
        assert_eq!(text(&with_key, "customer"), Some(Sql::Text("c-1".to_owned())));
        assert_eq!(text(&with_key, "now"), Some(Sql::Text("2026-11-15T12:00:00Z".to_owned())));
        assert_eq!(text(&with_key, "key"), Some(Sql::Text("k-1".to_owned())));
        assert_eq!(text(&without, "key"), None);
    }

    #[test]
    fn rows_are_reached_by_name_and_column() {
        let mut binds = Binds::new(&about(None), &BTreeMap::new(), Currency::BRL).unwrap();
        binds.add_row("row", [("id".to_owned(), Sql::Integer(7))].into());
        assert_eq!(binds.get("row.id"), Some(&Sql::Integer(7)));
        assert_eq!(binds.get("row.other"), None);
        assert_eq!(binds.get("row"), None);
        assert_eq!(binds.get("other.id"), None);
    }

    #[test]
    fn values_become_what_a_column_holds() {
        let check = |value: Value, expected: Sql| assert_eq!(to_sql(&value, Currency::BRL), Ok(expected));
        let text = |text: &str| Sql::Text(text.to_owned());
        check(Value::Null, Sql::Null);
        check(Value::Bool(true), Sql::Integer(1));
        check(Value::Int(i64::MAX), Sql::Integer(i64::MAX));
        check(Value::Money(Money::new(15_000, Currency::BRL)), Sql::Integer(15_000));
        check(Value::Date("2026-12-04".parse().unwrap()), text("2026-12-04"));
        check(Value::Time("09:30:00".parse().unwrap()), text("09:30"));
        check(Value::Instant("2026-11-15T12:00:00Z".parse().unwrap()), text("2026-11-15T12:00:00Z"));
        check(Value::Duration(90), Sql::Integer(90));
        check(Value::List(vec![Value::Int(1), Value::text("a")]), text("[1,\"a\"]"));
        assert!(to_sql(&Value::Money(Money::new(1, Currency::USD)), Currency::BRL).is_err());
    }
}
