//! Who says which sentence, and what can be filled in there.

use std::collections::BTreeSet;

use countersign_kernel::policy::{Body, ENGINE_MESSAGES, Ending, Journey, Parts, Tool};
use countersign_kernel::reason::Reason;
use countersign_nlu::Span;

use super::{Context, flow, resolve};
use crate::load::{INTENTS, JOURNEYS, PACK, TOOLS};
use crate::raw::Text;

/// Paths a sentence may show at one place.
#[derive(Debug, Clone, Default)]
pub(super) struct Holes(BTreeSet<String>);

impl Holes {
    fn names<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self(names.into_iter().map(str::to_owned).collect())
    }

    fn add(&mut self, path: impl Into<String>) {
        self.0.insert(path.into());
    }

    fn row<'f>(&mut self, name: &str, fields: impl Iterator<Item = &'f String>) {
        fields.for_each(|field| self.add(format!("{name}.{field}")));
    }

    fn list<'f>(&mut self, name: &str, fields: impl Iterator<Item = &'f String>) {
        self.add(name);
        self.add(format!("{name}.*.number"));
        fields.for_each(|field| self.add(format!("{name}.*.{field}")));
    }

    /// True if the path can be filled; inside an `each`, what is around the list can be shown too.
    pub(super) fn allows(&self, path: &str) -> bool {
        let around = path.split_once(".*.").filter(|(list, _)| self.0.contains(*list)).map(|(_, field)| field);
        self.0.contains(path) || around.is_some_and(|field| self.0.contains(field))
    }

    /// Everything that can be shown, for help lines.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// One place where a sentence is said.
#[derive(Debug, Clone)]
pub(super) struct Use {
    /// The sentence.
    pub(super) message: String,
    /// Where it is named.
    pub(super) at: (String, Span),
    /// What can be filled in; none where nobody can ever hear it.
    pub(super) holes: Option<Holes>,
}

/// Every place where a sentence of the pack is said.
pub(super) fn uses(context: &Context<'_>) -> Vec<Use> {
    let mut uses = Vec::new();
    let pack = (PACK.to_owned(), context.raw.pack.pack.span);
    for name in ENGINE_MESSAGES {
        let holes = match *name {
            "ask_slot" | "unclear_value" | "date_invalid" => Holes::names(["slot"]),
            "clarify" => Holes::names(["first", "second"]),
            _ => Holes::default(),
        };
        uses.push(Use { message: (*name).to_owned(), at: pack.clone(), holes: Some(holes) });
    }
    for (_, slot) in context.raw.intents.slots.iter() {
        if let Some(offer) = &slot.offer {
            let at = (INTENTS.to_owned(), offer.span);
            uses.push(Use { message: "ask_slot_offer".to_owned(), at, holes: Some(Holes::names(["slot", "offer"])) });
        }
    }
    named(context, &mut uses);
    value_rules(context, &mut uses);
    for (name, raw) in context.raw.tools.tools.iter() {
        let message = raw.confirm.as_ref().and_then(|confirm| confirm.message.as_ref());
        if let (Some(message), Some(tool)) = (message, context.parts().tools.get(&name.value)) {
            uses.push(said(TOOLS, message, question(context.parts(), tool)));
        }
    }
    for (name, _) in context.raw.journeys.journeys.iter() {
        if let Some(journey) = context.parts().journeys.get(&name.value) {
            steps(context, journey, &mut uses);
        }
    }
    uses
}

fn said(file: &str, message: &Text, holes: Holes) -> Use {
    Use { message: message.value.clone(), at: (file.to_owned(), message.span), holes: Some(holes) }
}

/// Answers and labels: constants that are found by name.
fn named(context: &Context<'_>, uses: &mut Vec<Use>) {
    let mut add = |prefix: &str, name: &Text| {
        let message = format!("{prefix}.{}", name.value);
        uses.push(Use { message, at: (INTENTS.to_owned(), name.span), holes: Some(Holes::default()) });
    };
    context.raw.intents.faq.iter().for_each(|(name, _)| add("faq", name));
    context.raw.intents.intents.iter().for_each(|(name, _)| add("intent", name));
}

fn value_rules(context: &Context<'_>, uses: &mut Vec<Use>) {
    for (name, slot) in context.raw.intents.slots.iter() {
        for rule in slot.rules.iter() {
            uses.push(said(INTENTS, &rule.message, Holes::names([name.value.as_str(), "slot"])));
        }
    }
    let overlays = context.raw.tenant.iter().flat_map(|tenant| tenant.slots.iter());
    for (name, slot) in overlays {
        for rule in slot.rules.iter() {
            uses.push(said(&context.overlay, &rule.message, Holes::names([name.value.as_str(), "slot"])));
        }
    }
}

/// What a confirmation question may show: the call and the facts behind it.
fn question(parts: &Parts, tool: &Tool) -> Holes {
    let mut holes = Holes::names(tool.arguments.keys().map(String::as_str));
    facts(parts, tool, &mut holes);
    holes
}

fn facts(parts: &Parts, tool: &Tool, holes: &mut Holes) {
    for fact in &tool.facts {
        if let Some(read) = parts.reads.get(&fact.read) {
            holes.row(&fact.name, read.fields.keys());
        }
    }
}

fn steps(context: &Context<'_>, journey: &Journey, uses: &mut Vec<Use>) {
    let parts = context.parts();
    let Some(written) = context.raw.journeys.journeys.get(&journey.name) else { return };
    let reached = flow::reach(journey, 0, &|_, _| true);
    for (index, raw) in written.steps.iter().enumerate() {
        let mut holes = Holes::names(journey.slots.iter().map(String::as_str));
        came_from(parts, journey, index, &mut holes);
        if let Some(choose) = &raw.choose {
            let reads = resolve::rows_behind(parts, &journey.name, &choose.slot.value);
            reads.iter().for_each(|read| holes.list("choices", read.fields.keys()));
            let using = said(JOURNEYS, &choose.message, holes);
            uses.push(if reads.is_empty() { Use { holes: None, ..using } } else { using });
            continue;
        }
        let otherwise = raw.answer.as_ref().map(|answer| &answer.otherwise);
        if let Some(message) = raw.say.as_ref().or(raw.handoff.as_ref()).or(otherwise) {
            let using = said(JOURNEYS, message, holes);
            uses.push(if reached.contains(&index) { using } else { Use { holes: None, ..using } });
        }
    }
}

/// What calls on the way to a step can have left behind.
fn came_from(parts: &Parts, journey: &Journey, index: usize, holes: &mut Holes) {
    for step in &journey.steps {
        let Body::Call { tool, .. } = &step.body else { continue };
        let Some(tool) = parts.tools.get(tool) else { continue };
        for edge in flow::edges(step) {
            if !flow::reach(journey, edge.to, &|_, _| true).contains(&index) {
                continue;
            }
            tool.arguments.keys().for_each(|argument| holes.add(argument.clone()));
            facts(parts, tool, holes);
            match edge.ending {
                Some(Ending::Done) => result(parts, tool, holes),
                Some(Ending::Refused(Reason::RepeatWithinWindow)) => holes.row("existing", tool.result.fields.keys()),
                Some(Ending::Refused(_) | Ending::Rejected | Ending::Failed | Ending::Unknown | Ending::Expired)
                | None => {}
            }
        }
    }
}

fn result(parts: &Parts, tool: &Tool, holes: &mut Holes) {
    if tool.result.is_list {
        holes.list("result", tool.result.fields.keys());
    } else {
        holes.row("result", tool.result.fields.keys());
    }
    if let Some(back) = &tool.result.read_back
        && let Some(read) = parts.reads.get(&back.read)
    {
        holes.row(&back.name, read.fields.keys());
    }
}
