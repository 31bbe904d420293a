//! Totality: no text breaks the parser, no expression breaks the evaluation.

use std::collections::BTreeMap;

use countersign_nlu::{Currency, Money, Value};
use proptest::prelude::*;

use super::super::{CODES, Outcome, SOURCE_MAX, Type, compile, parse};
use super::{facts, list, scope};

/// Pieces from which anything that looks like an expression can be built.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    ",",
    ".",
    "?",
    ":",
    "!",
    "-",
    "+",
    "*",
    "/",
    "&&",
    "||",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "=",
    " in ",
    "has",
    "size",
    "min",
    "max",
    "abs",
    "days",
    "date",
    "matches",
    "lower",
    "minor",
    "major",
    "weekday",
    "same_text",
    "boleto_amount",
    "true",
    "false",
    "null",
    "amount",
    "fee",
    "count",
    "largest",
    "smallest",
    "rate",
    "name",
    "vip",
    "due",
    "today",
    "at",
    "now",
    "created",
    "age",
    "tags",
    "sizes",
    "scores",
    "coupon",
    "points",
    "booking",
    "guests",
    "customer",
    "email",
    "lost",
    "0",
    "1",
    "50.10",
    "9223372036854775807",
    "'a'",
    "\"é\"",
    "r'\\d'",
    "'2026-12-10'",
    "'",
    "\\",
    "é",
    "\n",
    "nope",
    "1.",
    "0.0000000000000000000000000001",
];

fn types() -> Vec<Type> {
    vec![
        Type::Bool,
        Type::Int,
        Type::Decimal,
        Type::Money(Currency::BRL),
        Type::Text,
        Type::Date,
        Type::Time,
        Type::Instant,
        Type::Duration,
        list(Type::Int),
    ]
}

/// Compiles for every type; where it compiles, the value has that type and the trace exists.
fn total(source: &str, facts: &BTreeMap<String, Value>) {
    for ty in types() {
        match compile(source, &scope(), &ty) {
            Ok(expression) => {
                if let Outcome::Value(value) = expression.eval(facts) {
                    assert!(ty.fits(&value), "{source}: {value:?} is not {ty}");
                }
                assert!(!expression.explain(facts).is_empty());
                assert!(expression.names().iter().all(|name| source.contains(name.split('.').next().unwrap())));
            }
            Err(faults) => {
                assert!(!faults.is_empty());
                for fault in faults {
                    assert!(CODES.contains(&fault.code), "{fault}");
                    assert!(source.get(fault.span.start as usize..fault.span.end as usize).is_some(), "{fault:?}");
                }
            }
        }
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        any::<i64>().prop_map(Value::Duration),
        (any::<i64>(), any::<bool>())
            .prop_map(|(n, brl)| Value::Money(Money::new(n, if brl { Currency::BRL } else { Currency::USD }))),
        ".{0,8}".prop_map(Value::Text),
        (any::<i64>(), 0..28_u32).prop_map(|(n, scale)| Value::Decimal(rust_decimal::Decimal::new(n, scale))),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            prop::collection::btree_map("guests|note|customer", inner, 0..3).prop_map(Value::Record),
        ]
    })
}

/// Well-typed conditions and numbers over the common scope, missing facts included.
fn whole(depth: u32) -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        Just("count".to_owned()),
        Just("points".to_owned()),
        Just("largest".to_owned()),
        Just("booking.guests".to_owned()),
        Just("minor(amount)".to_owned()),
        Just("size(tags)".to_owned()),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let (n, c) = (whole(depth - 1), condition(depth - 1));
    prop_oneof![
        2 => leaf,
        1 => (n.clone(), prop::sample::select(vec!["+", "-", "*"]), n.clone())
            .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
        1 => n.clone().prop_map(|a| format!("-({a})")),
        1 => (c, n.clone(), n.clone()).prop_map(|(c, a, b)| format!("({c} ? {a} : {b})")),
        1 => (n.clone(), n).prop_map(|(a, b)| format!("min({a}, abs({b}))")),
    ]
    .boxed()
}

fn condition(depth: u32) -> BoxedStrategy<String> {
    let leaf =
        prop::sample::select(vec!["true", "vip", "has(points)", "coupon == 'x'", "due + age > today", "1 in scores"])
            .prop_map(str::to_owned);
    if depth == 0 {
        return leaf.boxed();
    }
    let (n, c) = (whole(depth - 1), condition(depth - 1));
    prop_oneof![
        1 => leaf,
        2 => (n.clone(), prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]), n.clone())
            .prop_map(|(a, op, b)| format!("{a} {op} {b}")),
        1 => (c.clone(), prop::sample::select(vec!["&&", "||"]), c.clone())
            .prop_map(|(a, op, b)| format!("({a}) {op} ({b})")),
        1 => c.prop_map(|a| format!("!({a})")),
        1 => (n.clone(), n.clone(), n).prop_map(|(a, b, c)| format!("{a} in [{b}, {c}]")),
    ]
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_parsed_or_refused(source in any::<String>()) {
        total(&source, &facts());
    }

    #[test]
    fn token_soup_is_parsed_or_refused(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24)) {
        total(&pieces.concat(), &facts());
        total(&pieces.join(" "), &facts());
    }

    #[test]
    fn long_and_deep_soup_is_parsed_or_refused(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 1..4), times in 1..2000_usize,
    ) {
        let source = pieces.concat().repeat(times);
        let faults = parse(&source).err();
        if source.len() > SOURCE_MAX {
            prop_assert_eq!(faults.map(|fault| fault.code), Some("expr/too_long"));
        }
    }

    #[test]
    fn well_typed_conditions_compile_and_end(source in condition(4)) {
        let expression = compile(&source, &scope(), &Type::Bool);
        // The generator may exceed no limit; everything it writes is well-typed.
        let expression = expression.map_err(|faults| TestCaseError::fail(format!("{source}: {faults:?}")))?;
        let facts = facts();
        let _ = expression.test(&facts);
        let _ = expression.explain(&facts);
    }

    #[test]
    fn any_facts_are_survived(source in condition(3), values in prop::collection::btree_map(
        prop::sample::select(vec!["count", "points", "vip", "booking", "amount", "tags", "scores", "due", "age"])
            .prop_map(str::to_owned), any_value(), 0..9)) {
        total(&source, &values);
    }
}
