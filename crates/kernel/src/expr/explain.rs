//! Why an expression came out as it did: every condition that was looked at, with the values it saw.
//!
//! Invariant: the trace follows the evaluation, so a part that was skipped is not in it; it is bounded in entries and
//! in length.
//! Deliberately absent: redaction. Values appear as they are; what stores a trace decides who may read it.

use countersign_nlu::{Span, Value};

use super::eval::{Checked, Lookup, Op, Plan, run, truth};

/// Most entries of one trace: more than a reader follows.
pub const EXPLAINED_MAX: usize = 32;
/// Longest value in a trace, in characters.
const SHOWN_MAX: usize = 80;

/// One condition and what it saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// Its bytes in the source.
    pub span: Span,
    /// As it was written.
    pub source: String,
    /// The values it saw and what came out, such as `60.00 USD <= 50.00 USD is false`.
    pub value: String,
}

impl Checked {
    /// The trace of one evaluation, innermost conditions first, at most [`EXPLAINED_MAX`] entries.
    #[must_use]
    pub fn explain(&self, env: &dyn Lookup) -> Vec<Explained> {
        let mut trace = Trace { checked: self, env, entries: Vec::new() };
        trace.visit(&self.0.plan);
        if trace.entries.is_empty() {
            trace.note(&self.0.plan);
        }
        trace.entries
    }
}

struct Trace<'c> {
    checked: &'c Checked,
    env: &'c dyn Lookup,
    entries: Vec<Explained>,
}

impl<'c> Trace<'c> {
    fn visit(&mut self, plan: &'c Plan) {
        if self.entries.len() >= EXPLAINED_MAX {
            return;
        }
        match &plan.op {
            Op::All(plans) => self.visit_until(plans, false),
            Op::Any(plans) => self.visit_until(plans, true),
            Op::Choose(three) => {
                let [condition, yes, no] = &**three;
                self.visit_condition(condition);
                if let Ok(is_true) = truth(condition, self.env) {
                    self.visit(if is_true { yes } else { no });
                }
            }
            Op::Not(inner) => self.visit_condition(inner),
            Op::Has(_) | Op::Compare(..) | Op::Within(_) => {
                plan.children().iter().for_each(|child| self.visit(child));
                self.note(plan);
            }
            Op::Call(_) | Op::Negate(_) | Op::Widen(_) | Op::Arithmetic(..) | Op::List(_) => {
                plan.children().iter().for_each(|child| self.visit(child));
            }
            Op::Constant(_) | Op::Read(_) => {}
        }
    }

    /// Conditions up to the first that settles the chain or cannot be decided.
    fn visit_until(&mut self, plans: &'c [Plan], settles: bool) {
        for plan in plans {
            self.visit_condition(plan);
            match truth(plan, self.env) {
                Ok(is_true) if is_true != settles => {}
                Ok(_) | Err(_) => return,
            }
        }
    }

    /// A plain flag or a function is a condition of its own here, and is worth a line.
    fn visit_condition(&mut self, plan: &'c Plan) {
        self.visit(plan);
        if matches!(plan.op, Op::Read(_) | Op::Call(_)) {
            self.note(plan);
        }
    }

    fn note(&mut self, plan: &Plan) {
        if self.entries.len() >= EXPLAINED_MAX {
            return;
        }
        let source = clip(plan.span.of(self.checked.source()));
        self.entries.push(Explained { span: plan.span, source, value: self.words(plan) });
    }

    fn words(&self, plan: &Plan) -> String {
        let result = match run(plan, self.env) {
            Ok(value) => shown(&value),
            Err(stop) => return clip(&format!("cannot decide: {}", self.checked.missing(&stop))),
        };
        let side = |plan: &Plan| run(plan, self.env).map_or_else(|_| "?".to_owned(), |value| shown(&value));
        match &plan.op {
            Op::Compare(comparison, pair) => {
                let [left, right] = &**pair;
                format!("{} {} {} is {result}", side(left), comparison.symbol(), side(right))
            }
            Op::Within(pair) => {
                let [item, list] = &**pair;
                format!("{} in {} is {result}", side(item), side(list))
            }
            Op::Constant(_)
            | Op::Read(_)
            | Op::Has(_)
            | Op::List(_)
            | Op::Call(_)
            | Op::Not(_)
            | Op::Negate(_)
            | Op::Widen(_)
            | Op::All(_)
            | Op::Any(_)
            | Op::Arithmetic(..)
            | Op::Choose(_) => result,
        }
    }
}

/// A value as a person reads it, clipped.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(is_true) => is_true.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Decimal(n) => n.to_string(),
        Value::Money(money) => format!("{} {}", money.major(), money.currency.code()),
        Value::Date(date) => date.to_string(),
        Value::Time(time) => time.to_string(),
        Value::Instant(instant) => instant.to_string(),
        Value::Duration(seconds) => format!("{seconds}s"),
        Value::Text(text) => format!("'{}'", clip(text)),
        Value::List(values) => format!("a list of {}", values.len()),
        Value::Record(fields) => format!("a record of {} fields", fields.len()),
    }
}

fn clip(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}\u{2026}", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
