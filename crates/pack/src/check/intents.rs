//! Intents, journeys and tools belong together.

use std::collections::{BTreeMap, BTreeSet};

use countersign_kernel::policy::{Body, Journey, Parts, Tool};
use countersign_nlu::text::fold;

use super::{Check, Code, Context, arguments};
use crate::load::{INTENTS, JOURNEYS, TOOLS};
use crate::notes::Notes;
use crate::raw::Text;

const NO_JOURNEY: Code =
    Code { code: "pack/intent_without_journey", help: "name it in the `intents` of a journey, or remove it" };
const NO_INTENT: Code =
    Code { code: "pack/journey_without_intent", help: "name the intents that enter it: `intents: [..]`" };
const NOT_CALLED: Code = Code {
    code: "pack/tool_not_called",
    help: "call it in a journey, or remove it: what is not needed should not be possible",
};
const NOT_SERVING: Code = Code {
    code: "pack/tool_not_serving",
    help: "add one of the journey's intents to the tool's `serves`, or call another tool",
};
const SERVES_NOTHING: Code = Code {
    code: "pack/tool_serves_nothing",
    help: "name the intents it serves; a call that serves no open request is refused",
};
const REQUIRED: Code = Code { code: "pack/required_not_collected", help: "add the slot to a `collect` of the journey" };
const TWICE: Code = Code { code: "pack/example_twice", help: "the same words cannot mean two things; keep one" };

pub(super) const CHECK: Check = Check {
    codes: &[NO_JOURNEY, NO_INTENT, NOT_CALLED, NOT_SERVING, SERVES_NOTHING, REQUIRED, TWICE],
    needs_names: true,
    run,
};

fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    let parts = context.parts();
    for (name, _) in context.raw.intents.intents.iter().filter(|(name, _)| !parts.intents.contains_key(&name.value)) {
        let message = format!("no journey begins with the intent `{}`", name.value);
        notes.error(NO_JOURNEY.code, (INTENTS, name.span), message, NO_JOURNEY.help.to_owned());
    }
    for (name, _) in context.raw.journeys.journeys.iter().filter(|(_, journey)| journey.intents.is_empty()) {
        let message = format!("nothing enters the journey `{}`", name.value);
        notes.error(NO_INTENT.code, (JOURNEYS, name.span), message, NO_INTENT.help.to_owned());
    }
    tools(context, parts, notes);
    required(context, parts, notes);
    examples(context, notes);
}

fn tools(context: &Context<'_>, parts: &Parts, notes: &mut Notes<'_>) {
    let mut called: BTreeSet<&str> = BTreeSet::new();
    for (_, journey) in context.raw.journeys.journeys.iter() {
        for step in journey.steps.iter() {
            for tool in step.call.iter().chain(step.plan.iter().flat_map(|tools| tools.iter())) {
                called.insert(&tool.value);
                serving(parts, tool, &journey.intents.0, notes);
            }
        }
    }
    for (name, tool) in context.raw.tools.tools.iter() {
        if !called.contains(name.value.as_str()) && !notes.has_errors() {
            let message = format!("no journey calls the tool `{}`", name.value);
            notes.warning(NOT_CALLED.code, (TOOLS, name.span), message, NOT_CALLED.help);
        }
        if tool.serves.is_empty() {
            let message = format!("the tool `{}` serves no intent", name.value);
            notes.error(SERVES_NOTHING.code, (TOOLS, name.span), message, SERVES_NOTHING.help.to_owned());
        }
    }
}

fn serving(parts: &Parts, tool: &Text, intents: &[Text], notes: &mut Notes<'_>) {
    let Some(serves) = parts.tools.get(&tool.value).map(|tool| &tool.serves) else { return };
    if !serves.is_empty() && !intents.iter().any(|intent| serves.contains(&intent.value)) {
        let message = format!("`{}` serves none of this journey's intents", tool.value);
        notes.error(NOT_SERVING.code, (JOURNEYS, tool.span), message, NOT_SERVING.help.to_owned());
    }
}

fn required(context: &Context<'_>, parts: &Parts, notes: &mut Notes<'_>) {
    for (name, intent) in context.raw.intents.intents.iter() {
        let Some(journey) = parts.intents.get(&name.value).and_then(|journey| parts.journeys.get(journey)) else {
            continue;
        };
        let collects = |slot: &str| {
            journey
                .steps
                .iter()
                .any(|step| matches!(&step.body, Body::Collect { slots } if slots.iter().any(|s| s == slot)))
        };
        // A slot that a tool of the journey needs is told there.
        let is_needed =
            |slot: &str| called(parts, journey).any(|tool| arguments::needed(tool).any(|name| name == slot));
        for slot in intent.requires.iter().filter(|slot| !collects(slot) && !is_needed(slot)) {
            let message =
                format!("`{}` requires `{}`, which `{}` never collects", name.value, slot.value, journey.name);
            notes.error(REQUIRED.code, (INTENTS, slot.span), message, REQUIRED.help.to_owned());
        }
    }
}

fn called<'p>(parts: &'p Parts, journey: &'p Journey) -> impl Iterator<Item = &'p Tool> {
    journey.steps.iter().filter_map(|step| match &step.body {
        Body::Call { tool, .. } => parts.tools.get(tool),
        Body::Collect { .. }
        | Body::Choose { .. }
        | Body::Plan { .. }
        | Body::Say { .. }
        | Body::Answer { .. }
        | Body::Branch { .. }
        | Body::Handoff { .. }
        | Body::End => None,
    })
}

/// The same words under two meanings teach the sensor nothing.
fn examples(context: &Context<'_>, notes: &mut Notes<'_>) {
    let intents = context.raw.intents.intents.iter().map(|(name, intent)| (&name.value, &intent.examples));
    let topics = context.raw.intents.faq.iter().map(|(name, topic)| (&name.value, &topic.examples));
    let mut seen: BTreeMap<(String, String), &str> = BTreeMap::new();
    for (meaning, all) in intents.chain(topics) {
        for (language, texts) in all.iter() {
            for text in texts.iter() {
                let key = (language.value.clone(), fold(&text.value));
                if let Some(other) = seen.get(&key) {
                    let message = format!("`{}` is an example of `{other}` already", text.value);
                    notes.error(TWICE.code, (INTENTS, text.span), message, TWICE.help.to_owned());
                } else {
                    seen.insert(key, meaning);
                }
            }
        }
    }
}
