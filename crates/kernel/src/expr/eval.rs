//! Evaluation of a checked expression.
//!
//! Invariant: total. Depth and work were bounded by the parser, arithmetic refuses instead of wrapping, and a value
//! that is absent or not of the type the scope promised stops the evaluation with its path.
//! Left to right: `false && x` is false without looking at `x`, so `has(x) && x > 1` works; an undecided left side
//! makes the whole undecided, whatever stands on the right.
//! Deliberately absent: error absorption, clocks, caches.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use countersign_nlu::{Span, Value};
use regex::Regex;

use super::ast::{Arithmetic, Comparison};
use super::exact;
use super::functions::{ARGS_MAX, Function, Given};
use super::types::Type;

/// Where an evaluation finds the values of names.
pub trait Lookup {
    /// The value of a name, if there is one.
    fn get(&self, name: &str) -> Option<&Value>;
}

impl Lookup for BTreeMap<String, Value> {
    fn get(&self, name: &str) -> Option<&Value> {
        BTreeMap::get(self, name)
    }
}

/// What an evaluation came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A value of the checked type.
    Value(Value),
    /// Something the result depends on is not there.
    CannotDecide(Missing),
}

/// What a condition came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is true.
    Holds,
    /// It is false.
    Fails,
    /// Something it depends on is not there; a guard treats this as a no.
    CannotDecide(Missing),
}

/// Why an evaluation stopped, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The dotted path that could not be read, or the source of the part that could not be computed.
    pub path: String,
    /// Its bytes in the source.
    pub span: Span,
    /// What was wrong with it.
    pub why: Why,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.path, self.why.words())
    }
}

/// What keeps an evaluation from deciding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A name or field is absent or null.
    Absent,
    /// A value is not of the type the scope promised.
    WrongType,
    /// A number does not fit.
    Overflow,
    /// A date or an instant lies outside the calendar.
    OutOfRange,
    /// A date was moved by something that is not a whole number of days.
    NotWholeDays,
    /// A text would grow beyond [`super::TEXT_MAX`].
    TooLong,
    /// A text does not hold what the function reads from it.
    Unreadable,
}

impl Why {
    /// The reason as the end of a sentence.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Why::Absent => "is missing",
            Why::WrongType => "is not of the declared type",
            Why::Overflow => "does not fit into a number",
            Why::OutOfRange => "is outside the calendar",
            Why::NotWholeDays => "is not a whole number of days",
            Why::TooLong => "is too long",
            Why::Unreadable => "cannot be read",
        }
    }
}

/// An expression that parsed and type-checked; cloning shares it.
#[derive(Clone)]
pub struct Checked(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) source: String,
    pub(super) plan: Plan,
    pub(super) ty: Type,
}

impl Checked {
    /// Computes the value.
    pub fn eval(&self, env: &dyn Lookup) -> Outcome {
        match run(&self.0.plan, env) {
            Ok(value) => Outcome::Value(value.into_owned()),
            Err(stop) => Outcome::CannotDecide(self.missing(&stop)),
        }
    }

    /// Decides a condition; an expression that is not one cannot be decided.
    pub fn test(&self, env: &dyn Lookup) -> Verdict {
        match truth(&self.0.plan, env) {
            Ok(true) => Verdict::Holds,
            Ok(false) => Verdict::Fails,
            Err(stop) => Verdict::CannotDecide(self.missing(&stop)),
        }
    }

    /// The text it was compiled from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// The type of its value.
    #[must_use]
    pub fn ty(&self) -> &Type {
        &self.0.ty
    }

    /// Every dotted path it reads or asks about with `has`.
    #[must_use]
    pub fn names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        self.0.plan.collect_names(&mut names);
        names
    }

    pub(super) fn missing(&self, stop: &Stop<'_>) -> Missing {
        let path = stop.path.unwrap_or_else(|| stop.span.of(&self.0.source)).to_owned();
        Missing { path, span: stop.span, why: stop.why }
    }
}

impl fmt::Debug for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checked").field("source", &self.0.source).field("ty", &self.0.ty).finish_non_exhaustive()
    }
}

/// A typed node, ready to run.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) span: Span,
    pub(super) op: Op,
}

/// What a typed node does.
#[derive(Debug, Clone)]
pub(super) enum Op {
    Constant(Value),
    Read(Box<Path>),
    Has(Box<Path>),
    List(Vec<Plan>),
    Call(Box<Call>),
    Not(Box<Plan>),
    Negate(Box<Plan>),
    /// A whole number where a decimal is wanted.
    Widen(Box<Plan>),
    All(Vec<Plan>),
    Any(Vec<Plan>),
    Compare(Comparison, Box<[Plan; 2]>),
    Within(Box<[Plan; 2]>),
    Arithmetic(Arithmetic, Box<[Plan; 2]>),
    Choose(Box<[Plan; 3]>),
}

/// A name and its fields, with the type that is promised there.
#[derive(Debug, Clone)]
pub(super) struct Path {
    pub(super) dotted: String,
    pub(super) name: String,
    pub(super) fields: Vec<String>,
    pub(super) ty: Type,
}

#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) function: &'static Function,
    pub(super) args: Vec<Plan>,
    pub(super) pattern: Option<Regex>,
}

/// A stopped evaluation, before its path is copied out.
pub(super) struct Stop<'v> {
    path: Option<&'v str>,
    span: Span,
    why: Why,
}

type Found<'v> = Result<Cow<'v, Value>, Stop<'v>>;

impl Plan {
    fn stop(&self, why: Why) -> Stop<'_> {
        Stop { path: None, span: self.span, why }
    }

    /// The children, in the order they are evaluated.
    pub(super) fn children(&self) -> &[Plan] {
        match &self.op {
            Op::Constant(_) | Op::Read(_) | Op::Has(_) => &[],
            Op::List(plans) | Op::All(plans) | Op::Any(plans) => plans,
            Op::Call(call) => &call.args,
            Op::Not(inner) | Op::Negate(inner) | Op::Widen(inner) => std::slice::from_ref(inner),
            Op::Compare(_, pair) | Op::Within(pair) | Op::Arithmetic(_, pair) => pair.as_slice(),
            Op::Choose(three) => three.as_slice(),
        }
    }

    fn collect_names(&self, names: &mut BTreeSet<String>) {
        if let Op::Read(path) | Op::Has(path) = &self.op {
            names.insert(path.dotted.clone());
        }
        for child in self.children() {
            child.collect_names(names);
        }
    }
}

/// Computes a node.
pub(super) fn run<'v>(plan: &'v Plan, env: &'v dyn Lookup) -> Found<'v> {
    let owned = |result: Result<Value, Why>| result.map(Cow::Owned).map_err(|why| plan.stop(why));
    match &plan.op {
        Op::Constant(value) => Ok(Cow::Borrowed(value)),
        Op::Read(path) => read(plan, path, env),
        Op::Negate(inner) => owned(exact::negate(&*run(inner, env)?)),
        Op::Widen(inner) => Ok(Cow::Owned(exact::widen(&*run(inner, env)?))),
        Op::Arithmetic(operator, pair) => {
            let [left, right] = &**pair;
            let (left, right) = (run(left, env)?, run(right, env)?);
            owned(exact::apply(*operator, &left, &right))
        }
        Op::Choose(three) => {
            let [condition, yes, no] = &**three;
            run(if truth(condition, env)? { yes } else { no }, env)
        }
        Op::List(plans) => {
            let values = plans.iter().map(|plan| run(plan, env).map(Cow::into_owned)).collect::<Result<_, _>>()?;
            Ok(Cow::Owned(Value::List(values)))
        }
        Op::Call(call) => invoke(plan, call, env),
        Op::Has(_) | Op::Not(_) | Op::All(_) | Op::Any(_) | Op::Compare(..) | Op::Within(_) => {
            truth(plan, env).map(|is_true| Cow::Owned(Value::Bool(is_true)))
        }
    }
}

/// Decides a node that is a condition.
pub(super) fn truth<'v>(plan: &'v Plan, env: &'v dyn Lookup) -> Result<bool, Stop<'v>> {
    match &plan.op {
        Op::Has(path) => Ok(walk(path, env).is_some()),
        Op::Not(inner) => truth(inner, env).map(|is_true| !is_true),
        Op::All(plans) => {
            for plan in plans {
                if !truth(plan, env)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Op::Any(plans) => {
            for plan in plans {
                if truth(plan, env)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Op::Compare(comparison, pair) => {
            let [left, right] = &**pair;
            let (left, right) = (run(left, env)?, run(right, env)?);
            compare(*comparison, &left, &right).map_err(|why| plan.stop(why))
        }
        Op::Within(pair) => {
            let [item, list] = &**pair;
            let (item, list) = (run(item, env)?, run(list, env)?);
            within(&item, &list).map_err(|why| plan.stop(why))
        }
        Op::Constant(_)
        | Op::Read(_)
        | Op::List(_)
        | Op::Call(_)
        | Op::Negate(_)
        | Op::Widen(_)
        | Op::Arithmetic(..)
        | Op::Choose(_) => {
            if let Value::Bool(is_true) = *run(plan, env)? {
                Ok(is_true)
            } else {
                Err(plan.stop(Why::WrongType))
            }
        }
    }
}

/// The value at a path, unless some part of it is absent or null.
fn walk<'v>(path: &Path, env: &'v dyn Lookup) -> Option<&'v Value> {
    let mut value = env.get(&path.name)?;
    for field in &path.fields {
        value = value.field(field)?;
    }
    (!matches!(value, Value::Null)).then_some(value)
}

fn read<'v>(plan: &Plan, path: &'v Path, env: &'v dyn Lookup) -> Found<'v> {
    let stop = |why| Stop { path: Some(&path.dotted), span: plan.span, why };
    let value = walk(path, env).ok_or_else(|| stop(Why::Absent))?;
    if !path.ty.fits(value) {
        return Err(stop(Why::WrongType));
    }
    // A whole number is a fine decimal, but from here on values have exactly their type.
    Ok(match (&path.ty, value) {
        (Type::Decimal, Value::Int(_)) => Cow::Owned(exact::widen(value)),
        (Type::List(element), Value::List(_)) if *element.plain() == Type::Decimal => Cow::Owned(exact::widen(value)),
        (_, _) => Cow::Borrowed(value),
    })
}

fn invoke<'v>(plan: &'v Plan, call: &'v Call, env: &'v dyn Lookup) -> Found<'v> {
    let mut values = [const { Cow::Owned(Value::Null) }; ARGS_MAX];
    for (place, arg) in values.iter_mut().zip(&call.args) {
        *place = run(arg, env)?;
    }
    let given = Given { values: &values, pattern: call.pattern.as_ref() };
    (call.function.run)(&given).map(Cow::Owned).map_err(|why| plan.stop(why))
}

fn compare(comparison: Comparison, left: &Value, right: &Value) -> Result<bool, Why> {
    if comparison.is_equality() {
        let is_equal = equal(left, right)?;
        return Ok(is_equal == (comparison == Comparison::Equal));
    }
    let order = exact::order(left, right).ok_or(Why::WrongType)?;
    Ok(match comparison {
        Comparison::Equal => order == Ordering::Equal,
        Comparison::Unequal => order != Ordering::Equal,
        Comparison::Less => order == Ordering::Less,
        Comparison::LessOrEqual => order != Ordering::Greater,
        Comparison::Greater => order == Ordering::Greater,
        Comparison::GreaterOrEqual => order != Ordering::Less,
    })
}

/// Equality of scalars, or of lists of scalars; a null element leaves it open.
fn equal(left: &Value, right: &Value) -> Result<bool, Why> {
    let (Value::List(left), Value::List(right)) = (left, right) else {
        return exact::order(left, right).map(|order| order == Ordering::Equal).ok_or(Why::WrongType);
    };
    if left.iter().chain(right).any(|value| matches!(value, Value::Null)) {
        return Err(Why::Absent);
    }
    Ok(left == right)
}

/// A null element might be the one that is looked for, so it leaves a miss open.
fn within(item: &Value, list: &Value) -> Result<bool, Why> {
    let Value::List(values) = list else { return Err(Why::WrongType) };
    if values.contains(item) {
        return Ok(true);
    }
    if values.iter().any(|value| matches!(value, Value::Null)) { Err(Why::Absent) } else { Ok(false) }
}
