//! The expression language of packs: CEL's syntax, our own types, checked once and evaluated often.
//!
//! ```
//! use std::collections::BTreeMap;
//! use countersign_kernel::expr::{self, Scope, Type, Verdict};
//! use countersign_nlu::{Currency, Money, Value};
//!
//! let scope = Scope::new().with("refund_amount", Type::Money(Currency::USD));
//! let rule = expr::compile("refund_amount <= 50", &scope, &Type::Bool).expect("it type-checks");
//! let mut facts = BTreeMap::new();
//! assert!(matches!(rule.test(&facts), Verdict::CannotDecide(_)));
//! facts.insert("refund_amount".to_owned(), Value::Money(Money::new(5_000, Currency::USD)));
//! assert_eq!(rule.test(&facts), Verdict::Holds);
//! ```
//!
//! Invariant: evaluation is total. It ends in a value of the checked type or in "cannot decide" with the place and
//! the reason; it never panics, and its cost is bounded by the length of the source.
//! Unlike CEL, a missing fact is never absorbed: `nope <= 50 || true` cannot be decided, because a guard that was
//! written to read a fact must not pass without it.
//! Deliberately absent: loops, comprehensions, user functions, division, floats, null, clocks.

mod ast;
mod check;
mod eval;
mod exact;
mod explain;
mod fault;
mod functions;
mod lexer;
mod parse;
mod types;

#[cfg(test)]
mod tests;

pub use ast::{Arithmetic, Ast, Comparison, Node, NodeKind, Part};
pub use check::check;
pub use eval::{Checked, Lookup, Missing, Outcome, Verdict, Why};
pub use explain::{EXPLAINED_MAX, Explained};
pub use fault::{CODES, Fault};
pub use functions::functions;
pub use parse::parse;
pub use types::{Scope, Type};

/// Longest source in bytes: a rule longer than a page is a program, and belongs in a tool.
pub const SOURCE_MAX: usize = 4 * 1024;
/// Deepest nesting: keeps every recursion far below the smallest thread stack, and no reader follows more.
pub const DEPTH_MAX: usize = 64;
/// Most parts of one expression: bounds the work of one evaluation.
pub const NODES_MAX: usize = 1024;
/// Longest text that an expression may build, in bytes: four times the longest message.
pub const TEXT_MAX: usize = 16 * 1024;
/// Most faults reported for one expression: after these the rest is noise.
pub const FAULTS_MAX: usize = 16;

/// Parses and checks in one go.
///
/// # Errors
/// Every fault found, at least one: a source that does not parse has exactly one, otherwise up to [`FAULTS_MAX`].
pub fn compile(source: &str, scope: &Scope, expected: &Type) -> Result<Checked, Vec<Fault>> {
    let ast = parse(source).map_err(|fault| vec![fault])?;
    check(&ast, scope, expected)
}
