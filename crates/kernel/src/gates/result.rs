//! Gate 14, result: the promised shape, and postconditions against the request *and* a fresh read of the record.
//!
//! Invariant: only [`Told::Done`] is ever told as success. A tool that lies (success, but nothing or something else was
//! written) ends in [`Told::Mismatch`] and goes to a person; an unknown outcome is never told as success or failure.

use std::collections::BTreeMap;

use countersign_nlu::Value;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::act::{Want, lookup};
use crate::decision::{Decision, Gate, Verdict};
use crate::event::ToolOutcome;
use crate::expr::{Type, Verdict as Held};
use crate::policy::{ResultSpec, Tool};
use crate::reason::Reason;
use crate::state::Running;

/// What may be told about a call.
#[derive(Debug)]
pub(crate) enum Told {
    /// It was done, and the record shows it; what sentences may show.
    Done(BTreeMap<String, Value>),
    /// The record must be read first.
    Need(Want),
    /// The tool refused; nothing was done.
    Refused(Reason),
    /// The tool failed; nothing was done.
    Failed,
    /// Nobody knows.
    Unknown,
    /// Something was done that was not asked for, or cannot be shown.
    Mismatch(Reason),
}

/// What the gate looks at.
#[derive(Debug)]
pub(crate) struct Returning<'a> {
    pub(crate) tool: &'a Tool,
    pub(crate) running: &'a Running,
    /// Rows of the read-back, once made.
    pub(crate) recorded: Option<&'a [BTreeMap<String, Value>]>,
    pub(crate) now: Timestamp,
    pub(crate) today: Date,
}

pub(crate) fn check(walk: &Returning<'_>, log: &mut Vec<Decision>) -> Told {
    let name = &walk.tool.name;
    let mut decide = |verdict, reason| log.push(Decision::new(Gate::Result, verdict, reason).about(name));
    let result = match &walk.running.outcome {
        Some(ToolOutcome::Done(result)) => result,
        Some(ToolOutcome::Refused(reason)) => {
            decide(Verdict::Stop, Reason::ToolRefused);
            return Told::Refused(*reason);
        }
        Some(ToolOutcome::Failed(_)) => {
            decide(Verdict::Stop, Reason::ToolFailed);
            return Told::Failed;
        }
        Some(ToolOutcome::Unknown(_)) | None => {
            decide(Verdict::Wait, Reason::OutcomeUnknown);
            return Told::Unknown;
        }
    };
    let spec = &walk.tool.result;
    if !has_shape(spec, result) {
        decide(Verdict::Stop, Reason::ResultMalformed);
        return Told::Mismatch(Reason::ResultMalformed);
    }
    let mut scene = walk.running.scene.clone();
    scene.insert("result".to_owned(), result.clone());
    if let Some(fact) = &spec.read_back {
        let Some(rows) = walk.recorded else {
            let bind =
                |(param, path): (&String, &String)| lookup(&scene, path).map(|value| (param.clone(), value.clone()));
            return match fact.with.iter().map(bind).collect::<Option<BTreeMap<_, _>>>() {
                Some(params) => Told::Need(Want { fact: fact.name.clone(), read: fact.read.clone(), params }),
                None => Told::Mismatch(Reason::ResultMalformed),
            };
        };
        // An empty record shows nothing, whether or not a promise looks at it.
        let Some(row) = rows.first() else {
            decide(Verdict::Stop, Reason::ReadBackMismatch);
            return Told::Mismatch(Reason::ReadBackMismatch);
        };
        scene.insert(fact.name.clone(), Value::Record(row.clone()));
    }
    let mut env = scene.clone();
    env.insert("today".to_owned(), Value::Date(walk.today));
    env.insert("now".to_owned(), Value::Instant(walk.now));
    for promise in &spec.ensure {
        if promise.check.test(&env) != Held::Holds {
            let decision = Decision::new(Gate::Result, Verdict::Stop, promise.reason).about(name);
            log.push(decision.detail(promise.check.source()));
            return Told::Mismatch(promise.reason);
        }
    }
    log.push(Decision::new(Gate::Result, Verdict::Pass, Reason::ToolDone).about(name));
    Told::Done(scene)
}

fn has_shape(spec: &ResultSpec, result: &Value) -> bool {
    match result {
        Value::List(rows) => spec.is_list && rows.iter().all(|row| is_row(spec, row)),
        Value::Record(_) => !spec.is_list && is_row(spec, result),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Decimal(_)
        | Value::Money(_)
        | Value::Date(_)
        | Value::Time(_)
        | Value::Instant(_)
        | Value::Duration(_)
        | Value::Text(_) => false,
    }
}

fn is_row(spec: &ResultSpec, row: &Value) -> bool {
    spec.fields.iter().all(|(name, kind)| row.field(name).is_some_and(|value| has_type(kind, value)))
}

/// True if a value has a declared type.
pub(crate) fn has_type(kind: &Type, value: &Value) -> bool {
    match (kind, value) {
        (Type::Bool, Value::Bool(_))
        | (Type::Int, Value::Int(_))
        | (Type::Decimal, Value::Decimal(_) | Value::Int(_))
        | (Type::Text, Value::Text(_))
        | (Type::Date, Value::Date(_))
        | (Type::Time, Value::Time(_))
        | (Type::Instant, Value::Instant(_))
        | (Type::Duration, Value::Duration(_)) => true,
        (Type::Money(currency), Value::Money(money)) => *currency == money.currency,
        (Type::Optional(inner), value) => *value == Value::Null || has_type(inner, value),
        (Type::List(inner), Value::List(values)) => values.iter().all(|value| has_type(inner, value)),
        (Type::Record(fields), Value::Record(values)) => {
            fields.iter().all(|(name, kind)| values.get(name).is_some_and(|value| has_type(kind, value)))
        }
        _ => false,
    }
}
