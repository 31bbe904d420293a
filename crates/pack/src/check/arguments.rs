//! Every argument can be filled from an origin it accepts.

use std::collections::BTreeSet;

use countersign_kernel::policy::{Argument, Body, Journey, OriginKind, Parts, Tool};

use super::{Check, Code, Context};
use crate::load::{JOURNEYS, TOOLS};
use crate::notes::Notes;
use crate::raw::Text;
use crate::raw::tools::Argument as RawArgument;

const UNFILLABLE: Code = Code {
    code: "pack/argument_unfillable",
    help: "give it a `slot` with origins such as span, choice, offer; or `computed`, `default`, `results`; or session",
};
const SOURCE: Code = Code {
    code: "pack/origin_without_source",
    help: "an origin and the key that feeds it go together: computed, default, result with `results`",
};
const UNCOLLECTED: Code = Code {
    code: "pack/slot_not_collected",
    help: "add it to a `collect` of the journey, or it could never be asked for",
};

pub(super) const CHECK: Check = Check { codes: &[UNFILLABLE, SOURCE, UNCOLLECTED], needs_names: true, run };

/// Origins by which a slot is filled.
const BY_SLOT: [OriginKind; 6] = [
    OriginKind::Span,
    OriginKind::Choice,
    OriginKind::Offer,
    OriginKind::Relative,
    OriginKind::Profile,
    OriginKind::Operator,
];
/// Origins that need no slot and no declaration.
const BY_ITSELF: [OriginKind; 4] =
    [OriginKind::Session, OriginKind::Configuration, OriginKind::Profile, OriginKind::Operator];

fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    let parts = context.parts();
    for (name, raw) in context.raw.tools.tools.iter() {
        let Some(tool) = parts.tools.get(&name.value) else { continue };
        let is_planned = parts.journeys.values().any(|journey| plans(journey, &tool.name));
        for (key, written) in raw.arguments.iter() {
            let Some(argument) = tool.arguments.get(&key.value) else { continue };
            // An unknown slot was noted already; whether it fills the argument cannot be said.
            let has_slot = written.slot.is_some();
            sources(key, argument, written, notes);
            if !is_fillable(argument, has_slot, is_planned) {
                let message = format!("`{}.{}` cannot be filled from any origin it accepts", name.value, key.value);
                notes.error(UNFILLABLE.code, (TOOLS, key.span), message, UNFILLABLE.help.to_owned());
            }
        }
    }
    collected(context, parts, notes);
}

fn plans(journey: &Journey, tool: &str) -> bool {
    journey.steps.iter().any(|step| matches!(&step.body, Body::Plan { tools } if tools.iter().any(|name| name == tool)))
}

fn is_fillable(argument: &Argument, has_slot: bool, is_planned: bool) -> bool {
    let accepts = |origin: &OriginKind| argument.origins.contains(origin);
    (has_slot || is_planned) && BY_SLOT.iter().any(accepts)
        || BY_ITSELF.iter().any(accepts)
        || [OriginKind::Computed, OriginKind::Default, OriginKind::Result].iter().any(accepts)
        || !argument.is_required && argument.origins.is_empty()
}

/// `computed`, `default` and `result` name something that must be declared, and the other way round.
fn sources(key: &Text, argument: &Argument, written: &RawArgument, notes: &mut Notes<'_>) {
    let pairs = [
        (OriginKind::Computed, "computed", written.computed.is_some(), "computed"),
        (OriginKind::Default, "default", written.default.is_some(), "default"),
        (OriginKind::Result, "result", !written.results.is_empty(), "results"),
    ];
    for (origin, word, is_declared, declared_by) in pairs {
        let accepts = argument.origins.contains(&origin);
        if accepts == is_declared {
            continue;
        }
        let message = if accepts {
            format!("`{}` accepts the origin `{word}` and has no `{declared_by}`", key.value)
        } else {
            format!("`{}` has `{declared_by}` and does not accept the origin `{word}`", key.value)
        };
        notes.error(SOURCE.code, (TOOLS, key.span), message, SOURCE.help.to_owned());
    }
}

/// A required argument's slot is asked for somewhere in every journey that calls the tool.
fn collected(context: &Context<'_>, parts: &Parts, notes: &mut Notes<'_>) {
    for (name, written) in context.raw.journeys.journeys.iter() {
        let Some(journey) = parts.journeys.get(&name.value) else { continue };
        let asked: BTreeSet<&str> = journey.steps.iter().flat_map(|step| asked(&step.body)).collect();
        for step in written.steps.iter() {
            let Some(call) = &step.call else { continue };
            let Some(tool) = parts.tools.get(&call.value) else { continue };
            for slot in needed(tool).filter(|slot| !asked.contains(slot)) {
                let message = format!("`{}` needs the slot `{slot}`, which `{}` never collects", tool.name, name.value);
                notes.error(UNCOLLECTED.code, (JOURNEYS, call.span), message, UNCOLLECTED.help.to_owned());
            }
        }
    }
}

fn asked(body: &Body) -> Vec<&str> {
    match body {
        Body::Collect { slots } => slots.iter().map(String::as_str).collect(),
        Body::Choose { .. }
        | Body::Call { .. }
        | Body::Plan { .. }
        | Body::Say { .. }
        | Body::Answer { .. }
        | Body::Branch { .. }
        | Body::Handoff { .. }
        | Body::End => Vec::new(),
    }
}

/// Slots without which the tool cannot run.
pub(super) fn needed(tool: &Tool) -> impl Iterator<Item = &str> {
    let fills_itself = |argument: &&Argument| {
        argument.computed.is_some() || argument.default.is_some() || !argument.results.is_empty()
    };
    tool.arguments
        .values()
        .filter(move |argument| argument.is_required && !fills_itself(argument))
        .filter_map(|argument| argument.slot.as_deref())
}
