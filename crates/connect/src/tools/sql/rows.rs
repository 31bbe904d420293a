//! Columns become typed values by the tool's declaration, and only by it.
//!
//! Invariant: a field is of its declared type or the whole result fails: nothing is guessed, rounded or defaulted.
//! What `bind::to_sql` writes, `from_sql` reads back. Columns nobody declared are dropped.

use std::collections::BTreeMap;

use countersign_kernel::expr::Type;
use countersign_nlu::{Money, Value};
use jiff::Timestamp;
use jiff::civil::{Date, Time};
use rusqlite::types::Value as Sql;
use serde_json::Value as Json;

use super::bind::Row;

/// Rows a result may have: as many as the evidence keeps of one result.
pub(crate) const RESULT_ROWS_MAX: usize = 50;
/// Deepest declared type that is read from JSON.
const DEPTH_MAX: usize = 8;

/// What the tool or read promised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Fields of each row.
    pub(crate) fields: BTreeMap<String, Type>,
    /// The result is a list of rows.
    pub(crate) is_list: bool,
    /// Rows beyond this are not read.
    pub(crate) rows_max: usize,
}

impl Shape {
    /// The rows as declared: one record, or a list. A record needs exactly one row.
    pub(crate) fn value(&self, rows: Option<&[Row]>) -> Result<Value, String> {
        if self.is_list {
            let rows = self.records(rows.unwrap_or_default())?;
            return Ok(Value::List(rows.into_iter().map(Value::Record).collect()));
        }
        if self.fields.is_empty() {
            return Ok(Value::Record(BTreeMap::new()));
        }
        match rows {
            Some([row]) => Ok(Value::Record(self.record(row)?)),
            Some([]) => Err("the call returned no row".to_owned()),
            Some(_) => Err("the call returned more than one row where one was promised".to_owned()),
            None => Err("no statement returns the promised fields".to_owned()),
        }
    }

    /// Every row as a typed record.
    pub(crate) fn records(&self, rows: &[Row]) -> Result<Vec<BTreeMap<String, Value>>, String> {
        rows.iter().take(self.rows_max).map(|row| self.record(row)).collect()
    }

    fn record(&self, row: &Row) -> Result<BTreeMap<String, Value>, String> {
        let field = |(name, ty): (&String, &Type)| {
            let column = row.get(name).ok_or_else(|| format!("the column `{name}` is missing"))?;
            let value = from_sql(ty, column).ok_or_else(|| wrong(name, ty))?;
            Ok((name.clone(), value))
        };
        self.fields.iter().map(field).collect()
    }

    /// A result that was saved as canonical JSON.
    pub(crate) fn restore(&self, saved: &str) -> Result<Value, String> {
        let json: Json = serde_json::from_str(saved).map_err(|_| "the saved result is not JSON".to_owned())?;
        let record = Type::Record(self.fields.clone());
        let ty = if self.is_list { Type::List(Box::new(record)) } else { record };
        from_json(&ty, &json, DEPTH_MAX).ok_or_else(|| "the saved result does not have the promised shape".to_owned())
    }
}

fn wrong(name: &str, ty: &Type) -> String {
    format!("the column `{name}` does not hold {ty}")
}

/// A column's value as the declared type; none if it is not one.
pub(crate) fn from_sql(ty: &Type, column: &Sql) -> Option<Value> {
    match (ty, column) {
        (Type::Optional(_), Sql::Null) => Some(Value::Null),
        (Type::Optional(inner), column) => from_sql(inner, column),
        (Type::Bool, Sql::Integer(0)) => Some(Value::Bool(false)),
        (Type::Bool, Sql::Integer(1)) => Some(Value::Bool(true)),
        (Type::Int, Sql::Integer(number)) => Some(Value::Int(*number)),
        (Type::Duration, Sql::Integer(seconds)) => Some(Value::Duration(*seconds)),
        (Type::Money(currency), Sql::Integer(minor)) => Some(Value::Money(Money::new(*minor, *currency))),
        (Type::Decimal, Sql::Integer(number)) => number.to_string().parse().ok().map(Value::Decimal),
        (Type::Decimal, Sql::Text(text)) => text.parse().ok().map(Value::Decimal),
        (Type::Text, Sql::Text(text)) => Some(Value::Text(text.clone())),
        (Type::Date, Sql::Text(text)) => date(text).map(Value::Date),
        (Type::Time, Sql::Text(text)) => time(text).map(Value::Time),
        (Type::Instant, Sql::Text(text)) => text.parse::<Timestamp>().ok().map(Value::Instant),
        (Type::List(_) | Type::Record(_), Sql::Text(text)) => {
            from_json(ty, &serde_json::from_str(text).ok()?, DEPTH_MAX)
        }
        (_, _) => None,
    }
}

/// Only `2026-12-04`: the parser would also take a date with a time behind it and forget the time.
fn date(text: &str) -> Option<Date> {
    text.parse::<Date>().ok().filter(|date| date.to_string() == text)
}

/// Only `09:30` or `09:30:00`, for the same reason.
fn time(text: &str) -> Option<Time> {
    let is_time = text.chars().all(|c| c.is_ascii_digit() || c == ':');
    is_time.then(|| text.parse::<Time>().ok()).flatten()
}

/// JSON as the declared type; none if it is not. The depth is bounded by the declaration, which is bounded here.
fn from_json(ty: &Type, json: &Json, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    match (ty, json) {
        (Type::Optional(_), Json::Null) => Some(Value::Null),
        (Type::Optional(inner), json) => from_json(inner, json, depth),
        (Type::List(element), Json::Array(items)) => {
            let items = items.iter().map(|item| from_json(element, item, depth));
            items.collect::<Option<Vec<_>>>().map(Value::List)
        }
        (Type::Record(fields), Json::Object(map)) => {
            let field = |(name, ty): (&String, &Type)| {
                let value = from_json(ty, map.get(name).unwrap_or(&Json::Null), depth)?;
                Some((name.clone(), value))
            };
            fields.iter().map(field).collect::<Option<_>>().map(Value::Record)
        }
        (Type::Bool, Json::Bool(is_true)) => Some(Value::Bool(*is_true)),
        (Type::Bool, _) => None,
        (ty, Json::Number(number)) => from_sql(ty, &Sql::Integer(number.as_i64()?)),
        // Canonical JSON writes integers beyond 2^53-1 as text.
        (Type::Int | Type::Duration | Type::Money(_), Json::String(text)) => {
            from_sql(ty, &Sql::Integer(text.parse().ok()?))
        }
        (Type::Decimal | Type::Text | Type::Date | Type::Time | Type::Instant, Json::String(text)) => {
            from_sql(ty, &Sql::Text(text.clone()))
        }
        (_, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use countersign_kernel::canonical;
    use countersign_nlu::Currency;

    use super::super::bind::to_sql;
    use super::*;

    fn text(text: &str) -> Sql {
        Sql::Text(text.to_owned())
    }

    #[test]
    fn a_column_is_of_its_type_or_fails() {
        let check = |ty: Type, column: Sql, expected: Option<Value>| {
            assert_eq!(from_sql(&ty, &column), expected, "{ty} from {column:?}");
        };
        let brl = Type::Money(Currency::BRL);
        check(brl.clone(), Sql::Integer(15_000), Some(Value::Money(Money::new(15_000, Currency::BRL))));
        check(brl.clone(), Sql::Real(150.0), None);
        check(brl.clone(), text("15000"), None);
        check(brl, Sql::Null, None);
        check(Type::Date, text("2026-12-04"), Some(Value::Date("2026-12-04".parse().unwrap())));
        check(Type::Date, text("2026-02-30"), None);
        check(Type::Date, text("2026-12-04T10:00:00"), None);
        check(Type::Date, text("04/12/2026"), None);
        check(Type::Date, Sql::Integer(20_261_204), None);
        check(Type::Time, text("09:30"), Some(Value::Time("09:30:00".parse().unwrap())));
        check(Type::Time, text("2026-12-04T09:30"), None);
        check(
            Type::Instant,
            text("2026-11-15T12:00:00Z"),
            Some(Value::Instant("2026-11-15T12:00:00Z".parse().unwrap())),
        );
        check(Type::Instant, text("2026-11-15 12:00:00"), None);
        check(Type::Int, Sql::Integer(7), Some(Value::Int(7)));
        check(Type::Int, Sql::Real(7.0), None);
        check(Type::Bool, Sql::Integer(1), Some(Value::Bool(true)));
        check(Type::Bool, Sql::Integer(2), None);
        check(Type::Decimal, text("12.10"), Some(Value::Decimal("12.10".parse().unwrap())));
        check(Type::Decimal, Sql::Integer(12), Some(Value::Decimal("12".parse().unwrap())));
        check(Type::Decimal, Sql::Real(12.1), None);
        check(Type::Text, text("x"), Some(Value::text("x")));
        check(Type::Text, Sql::Integer(1), None);
        check(Type::Text, Sql::Blob(vec![120]), None);
        check(Type::Text, Sql::Null, None);
        check(Type::Optional(Box::new(Type::Text)), Sql::Null, Some(Value::Null));
        check(Type::Optional(Box::new(Type::Text)), text("x"), Some(Value::text("x")));
        check(Type::Optional(Box::new(Type::Text)), Sql::Integer(1), None);
        check(Type::Duration, Sql::Integer(90), Some(Value::Duration(90)));
        let ints = Type::List(Box::new(Type::Int));
        check(ints.clone(), text("[1,2]"), Some(Value::List(vec![Value::Int(1), Value::Int(2)])));
        check(ints.clone(), text("[1,\"a\"]"), None);
        check(ints, text("nonsense"), None);
    }

    fn samples() -> Vec<(Type, Value)> {
        let record = Type::Record([("id".to_owned(), Type::Int), ("note".to_owned(), optional(Type::Text))].into());
        let fields = [("id".to_owned(), Value::Int(1)), ("note".to_owned(), Value::Null)];
        vec![
            (Type::Bool, Value::Bool(false)),
            (Type::Int, Value::Int(i64::MIN + 1)),
            (Type::Int, Value::Int(i64::MAX)),
            (Type::Decimal, Value::Decimal("12.1".parse().unwrap())),
            (Type::Money(Currency::BRL), Value::Money(Money::new(9_007_199_254_740_993, Currency::BRL))),
            (Type::Text, Value::text("'); drop table boletos; --")),
            (Type::Date, Value::Date("2026-12-04".parse().unwrap())),
            (Type::Time, Value::Time("23:59:00".parse().unwrap())),
            (Type::Instant, Value::Instant("2026-11-15T12:00:00.5Z".parse().unwrap())),
            (Type::Duration, Value::Duration(-5)),
            (optional(Type::Date), Value::Null),
            (Type::List(Box::new(Type::Text)), Value::List(vec![Value::text("é")])),
            (record, Value::Record(fields.into())),
        ]
    }

    fn optional(ty: Type) -> Type {
        Type::Optional(Box::new(ty))
    }

    #[test]
    fn what_is_written_is_read_back() {
        for (ty, value) in samples() {
            let column = to_sql(&value, Currency::BRL).unwrap();
            assert_eq!(from_sql(&ty, &column), Some(value.clone()), "{ty} through a column");
            let json = canonical::value(&value);
            assert_eq!(from_json(&ty, &json, DEPTH_MAX), Some(value), "{ty} through JSON");
        }
    }

    fn shape(is_list: bool) -> Shape {
        let fields = [("id".to_owned(), Type::Text), ("amount".to_owned(), Type::Money(Currency::BRL))];
        Shape { fields: fields.into(), is_list, rows_max: 2 }
    }

    fn row(id: &str) -> Row {
        [("id".to_owned(), text(id)), ("amount".to_owned(), Sql::Integer(100)), ("extra".to_owned(), Sql::Null)].into()
    }

    #[test]
    fn a_record_needs_exactly_one_row() {
        let Value::Record(fields) = shape(false).value(Some(&[row("A")])).unwrap() else { panic!("not a record") };
        assert_eq!(fields.keys().collect::<Vec<_>>(), ["amount", "id"], "extra columns are dropped");
        assert!(shape(false).value(Some(&[])).unwrap_err().contains("no row"));
        assert!(shape(false).value(Some(&[row("A"), row("B")])).unwrap_err().contains("more than one"));
        assert!(shape(false).value(None).is_err());
    }

    #[test]
    fn a_list_is_cut_and_may_be_empty() {
        let length = |rows: &[Row]| match shape(true).value(Some(rows)) {
            Ok(Value::List(rows)) => rows.len(),
            other => panic!("{other:?}"),
        };
        assert_eq!(length(&[]), 0);
        assert_eq!(length(&[row("A"), row("B")]), 2);
        assert_eq!(length(&[row("A"), row("B"), row("C")]), 2);
    }

    #[test]
    fn a_missing_column_is_named() {
        let mut broken = row("A");
        broken.remove("amount");
        assert_eq!(shape(false).value(Some(&[broken])), Err("the column `amount` is missing".to_owned()));
        let mut broken = row("A");
        broken.insert("amount".to_owned(), Sql::Null);
        assert_eq!(shape(true).value(Some(&[broken])), Err("the column `amount` does not hold money(BRL)".to_owned()));
    }

    #[test]
    fn a_saved_result_has_the_promised_shape() {
        assert!(shape(false).restore(r#"{"amount":100,"id":"A"}"#).is_ok());
        assert!(shape(false).restore(r#"{"amount":100}"#).is_err());
        assert!(shape(false).restore(r#"[]"#).is_err());
        assert!(shape(true).restore(r#"[]"#).is_ok());
        assert!(shape(true).restore("nonsense").is_err());
    }
}
