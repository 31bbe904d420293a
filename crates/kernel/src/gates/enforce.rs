//! Gate 16, enforce: the pack's rules on the reply itself.
//!
//! Lane 1 (patterns and expressions) runs on every reply; rules marked `always` whether or not their scope is active.
//! Lane 2 (a judge model for subjective rules) is not connected yet: a blocking subjective rule refuses a model's
//! draft, so that the template is said instead, and has nothing to say about a template.

use std::collections::BTreeMap;

use countersign_nlu::{Kind, Value, extract};

use crate::decision::{Decision, Gate, Verdict};
use crate::expr::Verdict as Held;
use crate::gates::ground::Grounded;
use crate::policy::{Enforcement, Rule, Scope};
use crate::reason::Reason;
use crate::speak::{Author, Speaking, Stop};

/// Proof that no rule forbids the draft. Borrows the walk, so no state can hold it.
#[derive(Debug)]
pub(crate) struct Enforced<'w> {
    pub(crate) walk: &'w Speaking<'w>,
}

pub(crate) fn check<'w>(grounded: Grounded<'w>, log: &mut Vec<Decision>) -> Result<Enforced<'w>, Stop> {
    let walk = grounded.walk;
    if walk.draft.author == Author::Operator {
        return Ok(Enforced { walk });
    }
    for rule in walk.policy.rules.iter().filter(|rule| rule.is_always || is_in_scope(walk, &rule.scope)) {
        if let Some(reason) = violation(walk, rule) {
            log.push(Decision::new(Gate::Enforce, Verdict::Stop, reason).about(&rule.name));
            return Err(Stop { reason });
        }
    }
    log.push(Decision::new(Gate::Enforce, Verdict::Pass, Reason::Ok));
    Ok(Enforced { walk })
}

fn is_in_scope(walk: &Speaking<'_>, scope: &Scope) -> bool {
    let frame = walk.state.frame.as_ref();
    match scope {
        Scope::Global => true,
        Scope::Journey(journey) => frame.is_some_and(|frame| frame.journey == *journey),
        Scope::Step(journey, step) => frame.is_some_and(|frame| {
            let current = walk.policy.journeys.get(&frame.journey).and_then(|journey| journey.steps.get(frame.step));
            frame.journey == *journey && current.is_some_and(|current| current.name == *step)
        }),
    }
}

fn violation(walk: &Speaking<'_>, rule: &Rule) -> Option<Reason> {
    match &rule.enforcement {
        Enforcement::Forbid(pattern) => pattern.is_match(&walk.draft.text).then_some(Reason::RuleViolated),
        Enforcement::Require(expression) => is_broken(walk, expression).then_some(Reason::RuleViolated),
        Enforcement::Subjective { is_blocking } => {
            (*is_blocking && walk.draft.author == Author::Model).then_some(Reason::JudgeUnavailable)
        }
    }
}

/// The expression is tried with each amount the reply names as `amount`; a reply without one is not its business.
fn is_broken(walk: &Speaking<'_>, expression: &crate::expr::Checked) -> bool {
    let mut env: BTreeMap<String, Value> = walk.scene.clone();
    env.insert("today".to_owned(), Value::Date(walk.today));
    let found = extract(&walk.draft.text, &walk.context());
    found.into_iter().filter(|found| found.kind == Kind::Money).any(|found| {
        env.insert("amount".to_owned(), found.value);
        expression.test(&env) != Held::Holds
    })
}
