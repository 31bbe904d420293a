//! The same expressions in this language and in CEL give the same answers, on the part that both have.
//!
//! Outside the shared part on purpose: overflow, missing names, money, dates, decimals.

use std::collections::BTreeMap;

use countersign_nlu::Value;
use proptest::prelude::*;

use super::super::{Outcome, Scope, Type, compile};
use super::list;

/// The facts of one comparison.
#[derive(Debug, Clone)]
struct Facts {
    n: i64,
    m: i64,
    is_open: bool,
    word: String,
    sizes: Vec<i64>,
}

fn scope() -> Scope {
    Scope::new()
        .with("n", Type::Int)
        .with("m", Type::Int)
        .with("is_open", Type::Bool)
        .with("word", Type::Text)
        .with("sizes", list(Type::Int))
}

fn ours(source: &str, ty: &Type, facts: &Facts) -> Value {
    let values = BTreeMap::from([
        ("n".to_owned(), Value::Int(facts.n)),
        ("m".to_owned(), Value::Int(facts.m)),
        ("is_open".to_owned(), Value::Bool(facts.is_open)),
        ("word".to_owned(), Value::text(&facts.word)),
        ("sizes".to_owned(), Value::List(facts.sizes.iter().copied().map(Value::Int).collect())),
    ]);
    let expression = compile(source, &scope(), ty).unwrap_or_else(|faults| panic!("{source}: {faults:?}"));
    match expression.eval(&values) {
        Outcome::Value(value) => value,
        Outcome::CannotDecide(missing) => panic!("{source}: {missing}"),
    }
}

fn theirs(source: &str, facts: &Facts) -> Value {
    let program = cel::Program::compile(source).unwrap_or_else(|error| panic!("{source}: {error}"));
    let mut context = cel::Context::default();
    context.add_variable_from_value("n", facts.n);
    context.add_variable_from_value("m", facts.m);
    context.add_variable_from_value("is_open", facts.is_open);
    context.add_variable_from_value("word", facts.word.clone());
    context.add_variable_from_value("sizes", facts.sizes.clone());
    match program.execute(&context) {
        Ok(cel::Value::Bool(is_true)) => Value::Bool(is_true),
        Ok(cel::Value::Int(n)) => Value::Int(n),
        Ok(cel::Value::String(text)) => Value::text(text.as_str()),
        other => panic!("{source}: {other:?}"),
    }
}

fn pair(side: BoxedStrategy<String>, operators: &'static [&'static str]) -> impl Strategy<Value = String> {
    (side.clone(), prop::sample::select(operators), side).prop_map(|(a, op, b)| format!("{a} {op} {b}"))
}

/// Parenthesised or bare, so that precedence and associativity are compared too.
fn maybe_wrapped(inner: impl Strategy<Value = String> + 'static) -> BoxedStrategy<String> {
    (inner, any::<bool>()).prop_map(|(a, wrap)| if wrap { format!("({a})") } else { a }).boxed()
}

/// Small numbers: at most 4 levels of products stay far from overflow.
fn whole(depth: u32) -> BoxedStrategy<String> {
    let leaf = prop_oneof![(-9..100_i64).prop_map(|n| n.to_string()), Just("n".to_owned()), Just("m".to_owned())];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = whole(depth - 1);
    let choice =
        (condition(depth - 1), inner.clone(), inner.clone()).prop_map(|(c, a, b)| format!("(({c}) ? {a} : {b})"));
    let negated = inner.clone().prop_map(|a| format!("-({a})"));
    prop_oneof![2 => leaf, 3 => maybe_wrapped(pair(inner, &["+", "-", "*"])), 1 => choice, 1 => negated].boxed()
}

fn text(depth: u32) -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        Just("word".to_owned()),
        "[a-cé]{0,3}".prop_map(|text| format!("'{text}'")),
        Just(r#""it's""#.to_owned()),
        Just(r"'a\n\\b'".to_owned()),
        Just(r"r'\d'".to_owned()),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let joined = pair(text(depth - 1), &["+"]);
    prop_oneof![2 => leaf, 1 => joined].boxed()
}

fn condition(depth: u32) -> BoxedStrategy<String> {
    let leaf = prop::sample::select(vec!["true", "false", "is_open"]).prop_map(str::to_owned);
    if depth == 0 {
        return leaf.boxed();
    }
    let (numbers, inner) = (whole(depth - 1), condition(depth - 1));
    let listed = prop::collection::vec(numbers.clone(), 1..4).prop_map(|items| format!("[{}]", items.join(", ")));
    let haystack = prop_oneof![Just("sizes".to_owned()), listed];
    let within = (numbers.clone(), haystack).prop_map(|(item, list)| format!("{item} in {list}"));
    prop_oneof![
        1 => leaf,
        2 => maybe_wrapped(pair(numbers, &["<", "<=", ">", ">=", "==", "!="])),
        1 => maybe_wrapped(pair(text(depth - 1), &["<", "<=", ">", ">=", "==", "!="])),
        3 => maybe_wrapped(pair(inner.clone(), &["&&", "||"])),
        1 => inner.clone().prop_map(|a| format!("!({a})")),
        1 => maybe_wrapped(within),
        1 => (inner.clone(), inner.clone(), inner).prop_map(|(c, a, b)| format!("(({c}) ? ({a}) : ({b}))")),
    ]
    .boxed()
}

fn facts() -> impl Strategy<Value = Facts> {
    (-99..99_i64, 0..9_i64, any::<bool>(), "[a-cé]{0,3}", prop::collection::vec(-9..99_i64, 0..4))
        .prop_map(|(n, m, is_open, word, sizes)| Facts { n, m, is_open, word, sizes })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn conditions_agree(source in condition(3), facts in facts()) {
        prop_assert_eq!(ours(&source, &Type::Bool, &facts), theirs(&source, &facts), "{}", source);
    }

    #[test]
    fn numbers_agree(source in whole(3), facts in facts()) {
        prop_assert_eq!(ours(&source, &Type::Int, &facts), theirs(&source, &facts), "{}", source);
    }

    #[test]
    fn texts_agree(source in text(3), facts in facts()) {
        prop_assert_eq!(ours(&source, &Type::Text, &facts), theirs(&source, &facts), "{}", source);
    }
}

#[test]
fn the_difference_is_deliberate() {
    let program = cel::Program::compile("nope <= 50 || true").unwrap();
    assert_eq!(program.execute(&cel::Context::default()).unwrap(), cel::Value::Bool(true));
    let scope = Scope::new().with("nope", Type::Int);
    let ours = compile("nope <= 50 || true", &scope, &Type::Bool).unwrap();
    assert!(matches!(ours.eval(&BTreeMap::new()), Outcome::CannotDecide(_)));
}
