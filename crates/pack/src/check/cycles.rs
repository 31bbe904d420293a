//! Every cycle waits for the customer: this is the proof that a turn ends.
//!
//! What waits: a `choose`; a `call` that asks for confirmation, on the ways out that lie behind the question (a
//! refusal can come before it); a `collect`, if every way round empties one of its slots, because a `collect` whose
//! slots are all filled asks nothing.

use std::collections::BTreeSet;

use countersign_kernel::policy::{Body, Ending, Journey, Parts};

use super::flow::{self, Edge};
use super::{Check, Code, Context};
use crate::load::JOURNEYS;
use crate::notes::Notes;

const CYCLE: Code = Code {
    code: "pack/silent_cycle",
    help: "pass a `choose`, a confirmed `call`, or a `collect` whose slot is emptied with `forget` on the way",
};

pub(super) const CHECK: Check = Check { codes: &[CYCLE], needs_names: true, run };

fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    for (name, written) in context.raw.journeys.journeys.iter() {
        let Some(journey) = context.parts().journeys.get(&name.value) else { continue };
        let asking = asking(context.parts(), journey);
        let is_silent =
            |at: usize, edge: &Edge| !asking.contains(&at) && !is_behind_question(context.parts(), journey, at, edge);
        let silent = (0..written.steps.len()).find(|at| flow::is_on_cycle(journey, *at, &is_silent));
        if let Some((at, step)) = silent.and_then(|at| Some((at, written.steps.get(at)?))) {
            let shown = journey.steps.get(at).map_or("", |step| step.name.as_str());
            let message = format!("`{}` can go round through `{shown}` without waiting for the customer", name.value);
            notes.error(CYCLE.code, (JOURNEYS, step.span), message, CYCLE.help.to_owned());
        }
    }
}

/// Steps that cannot be passed twice without a message of the customer in between.
fn asking(parts: &Parts, journey: &Journey) -> BTreeSet<usize> {
    let mut asking: BTreeSet<usize> = BTreeSet::new();
    for (at, step) in journey.steps.iter().enumerate() {
        match &step.body {
            Body::Choose { .. } => {
                asking.insert(at);
            }
            Body::Collect { slots } => {
                let forgets = |at: usize| {
                    let step = journey.steps.get(at);
                    step.is_some_and(|step| step.forget.iter().any(|slot| slots.contains(slot)))
                };
                let keeps = |from: usize, edge: &Edge| {
                    !forgets(from) && !is_choose(journey, from) && !is_behind_question(parts, journey, from, edge)
                };
                if !flow::is_on_cycle(journey, at, &keeps) {
                    asking.insert(at);
                }
            }
            Body::Call { .. }
            | Body::Plan { .. }
            | Body::Say { .. }
            | Body::Answer { .. }
            | Body::Branch { .. }
            | Body::Handoff { .. }
            | Body::End => {}
        }
    }
    asking
}

fn is_choose(journey: &Journey, at: usize) -> bool {
    journey.steps.get(at).is_some_and(|step| matches!(step.body, Body::Choose { .. }))
}

fn is_behind_question(parts: &Parts, journey: &Journey, at: usize, edge: &Edge) -> bool {
    let Some(Body::Call { tool, .. }) = journey.steps.get(at).map(|step| &step.body) else { return false };
    let is_asked = parts.tools.get(tool).is_some_and(|tool| tool.confirm.is_some());
    is_asked
        && match edge.ending {
            Some(Ending::Done | Ending::Rejected | Ending::Failed | Ending::Unknown | Ending::Expired) => true,
            Some(Ending::Refused(_)) | None => false,
        }
}
