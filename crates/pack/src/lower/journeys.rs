//! Journeys: names of steps become indices, and `end` becomes a step of its own.

use std::collections::{BTreeMap, BTreeSet};

use countersign_kernel::expr::{Scope, Type};
use countersign_kernel::policy::{Body, Ending, Journey, Slot, Step, Tool};
use countersign_kernel::reason::Reason;
use countersign_nlu::Span;

use super::{Lowerer, expr_type};
use crate::load::JOURNEYS;
use crate::raw::journeys::{Case, Journey as RawJourney, Step as RawStep};
use crate::raw::{Entries, Items, Spanned, Text};

/// Most steps of one journey.
const STEPS_MAX: usize = 200;

/// What a journey is lowered against.
struct Around<'a> {
    tools: &'a BTreeMap<String, Tool>,
    /// Step name -> index, with `end`.
    steps: BTreeMap<&'a str, usize>,
    scope: Scope,
}

impl Lowerer<'_, '_> {
    pub(super) fn journeys(
        &mut self,
        slots: &BTreeMap<String, Slot>,
        tools: &BTreeMap<String, Tool>,
    ) -> BTreeMap<String, Journey> {
        let mut journeys = BTreeMap::new();
        for (name, written) in self.raw.journeys.journeys.iter() {
            let journey = self.journey(name, written, slots, tools);
            journeys.insert(name.value.clone(), journey);
        }
        journeys
    }

    fn journey(
        &mut self,
        name: &Text,
        written: &RawJourney,
        slots: &BTreeMap<String, Slot>,
        tools: &BTreeMap<String, Tool>,
    ) -> Journey {
        if written.steps.is_empty() || written.steps.len() > STEPS_MAX {
            let message = format!("the journey `{}` needs 1 to {STEPS_MAX} steps", name.value);
            self.notes.error("pack/step", (JOURNEYS, name.span), message, None);
        }
        let steps = self.step_names(written);
        let used = used_slots(written, slots, tools);
        let scope = self.branch_scope(written, &used, slots, tools);
        let around = Around { tools, steps, scope };
        let end = written.steps.len();
        let mut lowered: Vec<Step> = Vec::new();
        for (index, step) in written.steps.iter().enumerate() {
            lowered.push(self.step(index, end, step, &around));
        }
        lowered.push(Step { name: "end".to_owned(), body: Body::End, forget: Vec::new(), next: end });
        let intents = written.intents.iter().map(|intent| intent.value.clone()).collect();
        Journey { name: name.value.clone(), intents, steps: lowered, slots: used }
    }

    fn step_names<'a>(&mut self, written: &'a RawJourney) -> BTreeMap<&'a str, usize> {
        let mut names: BTreeMap<&str, usize> = [("end", written.steps.len())].into();
        for (index, step) in written.steps.iter().enumerate() {
            let Some(name) = &step.name else { continue };
            if names.contains_key(name.value.as_str()) {
                let message = format!("two steps are called `{}`", name.value);
                let help = "`end` is the name of the last step of every journey".to_owned();
                self.notes.error("pack/duplicate_name", (JOURNEYS, name.span), message, help);
            } else {
                names.insert(&name.value, index);
            }
        }
        names
    }

    fn step(&mut self, index: usize, end: usize, written: &Spanned<RawStep>, around: &Around<'_>) -> Step {
        let step = &written.value;
        for slot in step.forget.iter() {
            self.slot_name(slot);
        }
        let next = step.next.as_ref().and_then(|next| self.target(next, around)).unwrap_or(index + 1).min(end);
        let body = self.body(written, next, around);
        // A branch leads where its cases say; `next` repeats its way out so that no step leads nowhere.
        let next = if let Body::Branch { otherwise, .. } = &body { *otherwise } else { next };
        Step {
            name: step.name.as_ref().map_or_else(|| format!("step_{}", index + 1), |name| name.value.clone()),
            body,
            forget: step.forget.iter().map(|slot| slot.value.clone()).collect(),
            next,
        }
    }

    fn body(&mut self, written: &Spanned<RawStep>, next: usize, around: &Around<'_>) -> Body {
        let step = &written.value;
        self.one_body(written);
        self.belongs(step, written.span);
        let names = |items: &Items<Text>| items.iter().map(|text| text.value.clone()).collect::<Vec<_>>();
        if let Some(slots) = &step.collect {
            slots.iter().for_each(|slot| self.slot_name(slot));
            return Body::Collect { slots: names(slots) };
        }
        if let Some(choose) = &step.choose {
            self.slot_name(&choose.slot);
            let [slot, field, message] = [&choose.slot, &choose.field, &choose.message].map(|text| text.value.clone());
            return Body::Choose { slot, field, message };
        }
        if let Some(tool) = &step.call {
            self.tool_name(tool, around);
            return Body::Call { tool: tool.value.clone(), on: self.endings(&step.on, around) };
        }
        if let Some(tools) = &step.plan {
            tools.iter().for_each(|tool| self.tool_name(tool, around));
            return Body::Plan { tools: names(tools) };
        }
        if let Some(message) = &step.say {
            return Body::Say { message: message.value.clone() };
        }
        if let Some(answer) = &step.answer {
            return Body::Answer { otherwise: answer.otherwise.value.clone() };
        }
        if let Some(cases) = &step.branch {
            return self.branch(cases, step.otherwise.as_ref(), next, written.span, around);
        }
        if let Some(message) = &step.handoff {
            return Body::Handoff { message: message.value.clone() };
        }
        Body::End
    }

    fn one_body(&mut self, written: &Spanned<RawStep>) {
        let step = &written.value;
        let bodies = [
            step.collect.is_some(),
            step.choose.is_some(),
            step.call.is_some(),
            step.plan.is_some(),
            step.say.is_some(),
            step.answer.is_some(),
            step.branch.is_some(),
            step.handoff.is_some(),
        ];
        if bodies.iter().filter(|is_there| **is_there).count() != 1 {
            let message = "a step does exactly one thing";
            let help = "one of collect, choose, call, plan, say, answer, branch, handoff".to_owned();
            self.notes.error("pack/step", (JOURNEYS, written.span), message, help);
        }
    }

    /// `on` belongs to `call`, `otherwise` to `branch`; elsewhere they would be silently ignored.
    fn belongs(&mut self, step: &RawStep, span: Span) {
        if let (None, Some((key, _))) = (&step.call, step.on.iter().next()) {
            let help = "only a `call` ends in more than one way".to_owned();
            self.notes.error("pack/step", (JOURNEYS, key.span), "`on` belongs to a `call`", help);
        }
        match (&step.branch, &step.otherwise) {
            (None, Some(otherwise)) => {
                let help = "use `next`".to_owned();
                self.notes.error("pack/step", (JOURNEYS, otherwise.span), "`otherwise` belongs to a `branch`", help);
            }
            (Some(_), None) => {
                let message = "a `branch` must say where to go when no case holds";
                self.notes.error("pack/step", (JOURNEYS, span), message, "add `otherwise: <step>`".to_owned());
            }
            (Some(_), Some(_)) => {
                if let Some(next) = &step.next {
                    let help = "use `otherwise`".to_owned();
                    self.notes.error("pack/step", (JOURNEYS, next.span), "a `branch` has no `next`", help);
                }
            }
            (None, None) => {}
        }
    }

    fn branch(
        &mut self,
        cases: &Items<Case>,
        otherwise: Option<&Text>,
        next: usize,
        span: Span,
        around: &Around<'_>,
    ) -> Body {
        if cases.is_empty() {
            self.notes.error("pack/step", (JOURNEYS, span), "a `branch` needs a case", None);
        }
        let mut lowered = Vec::new();
        for case in cases.iter() {
            let check = self.expr(JOURNEYS, &case.when, &around.scope, &Type::Bool);
            let target = self.target(&case.go, around);
            if let (Some(check), Some(target)) = (check, target) {
                lowered.push((check, target));
            }
        }
        let otherwise = otherwise.and_then(|step| self.target(step, around)).unwrap_or(next);
        Body::Branch { cases: lowered, otherwise }
    }

    fn endings(&mut self, on: &Entries<Text>, around: &Around<'_>) -> BTreeMap<Ending, usize> {
        let words = [
            ("done", Ending::Done),
            ("rejected", Ending::Rejected),
            ("failed", Ending::Failed),
            ("unknown", Ending::Unknown),
            ("expired", Ending::Expired),
        ];
        let mut endings = BTreeMap::new();
        for (key, step) in on.iter() {
            let word = words.iter().find(|(word, _)| *word == key.value).map(|(_, ending)| *ending);
            let ending = word.or_else(|| Reason::parse(&key.value).map(Ending::Refused));
            if ending.is_none() {
                let known = words.iter().map(|(word, _)| *word).chain(Reason::ALL.iter().map(|reason| reason.code()));
                self.unknown("pack/unknown_ending", "ending", JOURNEYS, key, known);
            }
            let target = self.target(step, around);
            if let (Some(ending), Some(target)) = (ending, target) {
                endings.insert(ending, target);
            }
        }
        endings
    }

    fn target(&mut self, step: &Text, around: &Around<'_>) -> Option<usize> {
        let known = around.steps.keys().copied();
        self.known("pack/unknown_step", "step", JOURNEYS, step, known);
        around.steps.get(step.value.as_str()).copied()
    }

    fn slot_name(&mut self, slot: &Text) {
        let known: Vec<&str> = self.raw.intents.slots.names().collect();
        self.known("pack/unknown_slot", "slot", JOURNEYS, slot, known.into_iter());
    }

    fn tool_name(&mut self, tool: &Text, around: &Around<'_>) {
        self.known("pack/unknown_tool", "tool", JOURNEYS, tool, around.tools.keys().map(String::as_str));
    }

    /// What branches may read: the journey's slots, and the one shape its tools return.
    fn branch_scope(
        &mut self,
        written: &RawJourney,
        used: &[String],
        slots: &BTreeMap<String, Slot>,
        tools: &BTreeMap<String, Tool>,
    ) -> Scope {
        let mut scope = Scope::new();
        for slot in used.iter().filter_map(|name| slots.get(name)) {
            scope.insert(slot.name.clone(), Type::Optional(Box::new(expr_type(slot.kind, self.currency))));
        }
        let called = written.steps.iter().filter_map(|step| tools.get(&step.call.as_ref()?.value));
        let mut shapes: Vec<Type> = Vec::new();
        for tool in called {
            let record = Type::Record(tool.result.fields.clone());
            let shape = if tool.result.is_list { Type::List(Box::new(record)) } else { record };
            if !shapes.contains(&shape) {
                shapes.push(shape);
            }
        }
        // With two shapes nobody could say what `result.x` is; the name is then unknown in branches.
        if let [shape] = shapes.as_slice() {
            scope.insert("result", shape.clone());
        }
        scope
    }
}

/// Every slot the steps collect, choose or call with, in the order of their first use.
fn used_slots(written: &RawJourney, slots: &BTreeMap<String, Slot>, tools: &BTreeMap<String, Tool>) -> Vec<String> {
    let mut used: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut add = |name: &str| {
        if slots.contains_key(name) && seen.insert(name.to_owned()) {
            used.push(name.to_owned());
        }
    };
    for step in written.steps.iter() {
        step.collect.iter().flat_map(|slots| slots.iter()).for_each(|slot| add(slot));
        step.choose.iter().for_each(|choose| add(&choose.slot));
        let called = step.call.iter().chain(step.plan.iter().flat_map(|tools| tools.iter()));
        for tool in called.filter_map(|tool| tools.get(&tool.value)) {
            tool.arguments.values().filter_map(|argument| argument.slot.as_deref()).for_each(&mut add);
        }
    }
    used
}
