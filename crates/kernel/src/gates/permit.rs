//! Gate 10, permit: allowed in this step, arguments in form, preconditions hold on live data, under the ceilings.
//!
//! Amounts over the threshold do not stop here: they *mark* the call, and gate 12 asks a person after the yes.

use std::collections::BTreeMap;

use countersign_nlu::{Kind, Value};

use crate::act::{Acting, Halt, Stop};
use crate::decision::{Decision, Gate, Verdict};
use crate::expr::Verdict as Held;
use crate::gates::trace::Traced;
use crate::policy::{Argument, Body, Tool};
use crate::reason::Reason;

/// Proof that the call may be asked about. Borrows the walk, so no state can hold it.
#[derive(Debug)]
pub(crate) struct Permitted<'w> {
    traced: Traced<'w>,
    arguments: BTreeMap<String, Value>,
    is_marked: bool,
}

impl<'w> Permitted<'w> {
    pub(crate) fn walk(&self) -> &'w Acting<'w> {
        self.traced.walk()
    }

    pub(crate) fn tool(&self) -> &'w Tool {
        self.traced.tool()
    }

    pub(crate) fn arguments(&self) -> &BTreeMap<String, Value> {
        &self.arguments
    }

    pub(crate) fn scene(&self) -> &BTreeMap<String, Value> {
        self.traced.scene()
    }

    /// A person on the operator's side must approve.
    pub(crate) fn is_marked(&self) -> bool {
        self.is_marked
    }
}

pub(crate) fn check<'w>(traced: Traced<'w>, log: &mut Vec<Decision>) -> Result<Permitted<'w>, Halt> {
    let (walk, tool) = (traced.walk(), traced.tool());
    let stop = |log: &mut Vec<Decision>, reason, about: &str, detail: String| {
        log.push(Decision::new(Gate::Permit, Verdict::Stop, reason).about(about).detail(detail));
        Halt::Stop(Stop { reason, scene: traced.scene().clone(), choices: Vec::new() })
    };
    if !is_allowed_here(walk, tool) {
        return Err(stop(log, Reason::ToolNotAllowedHere, &tool.name, String::new()));
    }
    for (name, bound) in traced.arguments() {
        let argument = tool.arguments.get(name);
        if !argument.is_some_and(|argument| is_in_form(argument, &bound.value)) {
            return Err(stop(log, Reason::ArgumentInvalid, name, String::new()));
        }
    }
    let env = environment(&traced);
    for condition in &tool.preconditions {
        let (reason, why) = match condition.check.test(&env) {
            Held::Holds => continue,
            Held::Fails => (condition.reason, String::new()),
            Held::CannotDecide(missing) => (Reason::CannotDecide, format!("{missing:?}")),
        };
        return Err(stop(log, reason, &tool.name, format!("{} {why}", condition.check.source())));
    }
    if let Some(max) = over_ceiling(tool, &env) {
        return Err(stop(log, Reason::SpendLimit, &tool.name, format!("at most {max} minor units a call")));
    }
    let is_marked = tool.approval.as_ref().is_some_and(|approval| approval.when.test(&env) != Held::Fails);
    log.push(Decision::new(Gate::Permit, Verdict::Pass, Reason::Ok).about(&tool.name));
    let arguments = traced.arguments().iter().map(|(name, bound)| (name.clone(), bound.value.clone())).collect();
    Ok(Permitted { traced, arguments, is_marked })
}

/// What expressions of a tool may read.
fn environment(traced: &Traced<'_>) -> BTreeMap<String, Value> {
    let mut env = traced.scene().clone();
    env.insert("today".to_owned(), Value::Date(traced.walk().today));
    env.insert("now".to_owned(), Value::Instant(traced.walk().now));
    env
}

fn is_allowed_here(walk: &Acting<'_>, tool: &Tool) -> bool {
    let Some(frame) = walk.frame else { return false };
    let step = walk.policy.journeys.get(&frame.journey).and_then(|journey| journey.steps.get(frame.step));
    match step.map(|step| &step.body) {
        Some(Body::Call { tool: name, .. }) => *name == tool.name,
        Some(Body::Plan { tools }) => tools.contains(&tool.name),
        Some(
            Body::Collect { .. }
            | Body::Choose { .. }
            | Body::Say { .. }
            | Body::Answer { .. }
            | Body::Branch { .. }
            | Body::Handoff { .. }
            | Body::End,
        )
        | None => false,
    }
}

fn is_in_form(argument: &Argument, value: &Value) -> bool {
    let is_kind = match (argument.kind, value) {
        (Kind::Number, Value::Int(_) | Value::Decimal(_))
        | (Kind::Ordinal, Value::Int(_))
        | (Kind::Money, Value::Money(_))
        | (Kind::Date, Value::Date(_))
        | (Kind::Time, Value::Time(_))
        | (Kind::Duration, Value::Duration(_))
        | (Kind::Flag, Value::Bool(_)) => true,
        (Kind::Phone | Kind::Email | Kind::Id | Kind::Name | Kind::Text, Value::Text(text)) => {
            !text.trim().is_empty() && text.chars().count() <= argument.chars_max as usize
        }
        _ => false,
    };
    is_kind && argument.allowed.as_ref().is_none_or(|allowed| allowed.contains(value))
}

/// The per-call ceiling that the amount exceeds. Windows over time are law in the journal's transaction.
fn over_ceiling(tool: &Tool, env: &BTreeMap<String, Value>) -> Option<i64> {
    let Some(Value::Money(amount)) = tool.amount.as_ref().and_then(|name| env.get(name)) else { return None };
    tool.spend
        .iter()
        .find(|limit| amount.currency != limit.max.currency || amount.minor > limit.max.minor)
        .map(|l| l.max.minor)
}
