//! Explanations, names and the small accessors.

use countersign_nlu::Value;

use super::super::{EXPLAINED_MAX, Type};
use super::{compiled, facts};

/// The trace as lines of `source: value`.
fn check(source: &str, wanted: &[&str]) {
    let trace = compiled(source, &Type::Bool).explain(&facts());
    let lines: Vec<String> = trace.iter().map(|entry| format!("{}: {}", entry.source, entry.value)).collect();
    assert_eq!(lines, wanted, "{source}");
}

#[test]
fn explains_what_was_looked_at() {
    check("amount <= 100", &["amount <= 100: 150.00 BRL <= 100.00 BRL is false"]);
    check(
        "minor(amount) <= 20000 && due >= today",
        &["minor(amount) <= 20000: 15000 <= 20000 is true", "due >= today: 2026-12-10 >= 2026-12-07 is true"],
    );
    check("count > 5 && due >= today", &["count > 5: 3 > 5 is false"]);
    check("vip || count > 5", &["vip: true"]);
    check("!vip", &["vip: true"]);
    check("vip ? count == 3 : count == 4", &["vip: true", "count == 3: 3 == 3 is true"]);
    check("has(points) && points > 1", &["has(points): false"]);
    check("points > 1 || vip", &["points > 1: cannot decide: `points` is missing"]);
    check("name in ['a', 'b']", &["name in ['a', 'b']: 'João Silva' in a list of 2 is false"]);
    check("starts_with(name, 'J') && vip", &["starts_with(name, 'J'): true", "vip: true"]);
    check("true", &["true: true"]);
    check("(count > 1) == vip", &["(count > 1): 3 > 1 is true", "(count > 1) == vip: true == true is true"]);
}

#[test]
fn a_trace_is_bounded() {
    let source = vec!["count == 3"; 100].join(" && ");
    assert_eq!(compiled(&source, &Type::Bool).explain(&facts()).len(), EXPLAINED_MAX);
    let mut facts = facts();
    facts.insert("name".to_owned(), Value::Text("é".repeat(10_000)));
    let trace = compiled("name == 'a'", &Type::Bool).explain(&facts);
    assert!(trace.iter().all(|entry| entry.value.chars().count() < 200), "{trace:?}");
}

#[test]
fn names_are_the_paths_that_are_read() {
    let expression = compiled("booking.guests > 1 && has(booking.note) && count in [count, size(name)]", &Type::Bool);
    let names: Vec<String> = expression.names().into_iter().collect();
    assert_eq!(names, ["booking.guests", "booking.note", "count", "name"]);
}

#[test]
fn a_checked_expression_is_plain_to_keep() {
    let expression = compiled("count > 1", &Type::Bool);
    let twin = expression.clone();
    assert_eq!((twin.source(), twin.ty()), ("count > 1", &Type::Bool));
    assert!(format!("{twin:?}").contains("count > 1"));
    fn keepable<T: Clone + Send + Sync + 'static>(_: &T) {}
    keepable(&expression);
}
