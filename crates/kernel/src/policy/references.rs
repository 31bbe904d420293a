//! What [`super::Policy::new`] looks up: every name must lead somewhere.

use super::{Body, ENGINE_MESSAGES, Parts};

pub(super) fn journeys(parts: &Parts, broken: &mut Vec<String>) {
    for (intent, journey) in &parts.intents {
        if !parts.journeys.contains_key(journey) {
            broken.push(format!("intent `{intent}` enters the unknown journey `{journey}`"));
        }
    }
    for journey in parts.journeys.values() {
        for slot in journey.slots.iter().filter(|slot| !parts.slots.contains_key(*slot)) {
            broken.push(format!("journey `{}` uses the unknown slot `{slot}`", journey.name));
        }
        for step in &journey.steps {
            body(parts, &step.body, &format!("{}/{}", journey.name, step.name), broken);
            if step.next >= journey.steps.len() {
                broken.push(format!("step `{}/{}` leads nowhere", journey.name, step.name));
            }
        }
    }
}

fn body(parts: &Parts, body: &Body, at: &str, broken: &mut Vec<String>) {
    let mut say = |message: &String| {
        for language in &parts.languages {
            if parts.messages.get(language).is_none_or(|all| !all.contains_key(message)) {
                broken.push(format!("step `{at}` says `{message}`, which does not exist in `{}`", language.code()));
            }
        }
    };
    match body {
        Body::Choose { message, .. } | Body::Say { message } | Body::Handoff { message } => say(message),
        Body::Answer { otherwise } => say(otherwise),
        Body::Call { tool, .. } => {
            if !parts.tools.contains_key(tool) {
                broken.push(format!("step `{at}` calls the unknown tool `{tool}`"));
            }
        }
        Body::Plan { tools } => {
            for tool in tools.iter().filter(|tool| !parts.tools.contains_key(*tool)) {
                broken.push(format!("step `{at}` allows the unknown tool `{tool}`"));
            }
        }
        Body::Collect { .. } | Body::Branch { .. } | Body::End => {}
    }
}

pub(super) fn tools(parts: &Parts, broken: &mut Vec<String>) {
    for tool in parts.tools.values() {
        for fact in tool.facts.iter().chain(&tool.result.read_back) {
            if !parts.reads.contains_key(&fact.read) {
                broken.push(format!("tool `{}` uses the unknown read `{}`", tool.name, fact.read));
            }
        }
        for argument in tool.arguments.values() {
            if let Some(slot) = argument.slot.as_ref().filter(|slot| !parts.slots.contains_key(*slot)) {
                broken.push(format!("argument `{}.{}` uses the unknown slot `{slot}`", tool.name, argument.name));
            }
        }
    }
}

pub(super) fn messages(parts: &Parts, broken: &mut Vec<String>) {
    for language in &parts.languages {
        for name in ENGINE_MESSAGES {
            if parts.messages.get(language).is_none_or(|all| !all.contains_key(*name)) {
                broken.push(format!("the sentence `{name}` does not exist in `{}`", language.code()));
            }
        }
    }
}
