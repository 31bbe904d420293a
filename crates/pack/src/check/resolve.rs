//! A name becomes a record only where two records of that name would be noticed.

use countersign_kernel::policy::{Body, Parts, Read, Tool};

use super::{Check, Code, Context};
use crate::load::{JOURNEYS, TOOLS};
use crate::lower::expr_type;
use crate::notes::Notes;
use crate::raw::Text;
use crate::raw::journeys::Choose;

const SINGLE_ROW: Code = Code {
    code: "pack/resolve_single_row",
    help: "give the read `rows_max: 2` or more, so that a second match is seen and asked about",
};
const TYPE: Code = Code { code: "pack/resolve_type", help: "resolve to a field of the argument's own type" };
const NO_ROWS: Code = Code {
    code: "pack/choose_without_rows",
    help: "choose a slot that an argument with `resolve` of a tool called here uses, and a field of that read",
};

pub(super) const CHECK: Check = Check { codes: &[SINGLE_ROW, TYPE, NO_ROWS], needs_names: true, run };

fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    let parts = context.parts();
    for (name, raw) in context.raw.tools.tools.iter() {
        let Some(tool) = parts.tools.get(&name.value) else { continue };
        for (key, written) in raw.arguments.iter() {
            if let (Some(resolve), Some(read)) = (&written.resolve, resolved(parts, tool, &key.value)) {
                argument(parts, tool, (key, &resolve.field), read, notes);
            }
        }
    }
    for (name, written) in context.raw.journeys.journeys.iter() {
        for step in written.steps.iter() {
            if let Some(choose) = &step.choose {
                pick(parts, &name.value, choose, notes);
            }
        }
    }
}

/// The read behind an argument's `resolve`.
fn resolved<'p>(parts: &'p Parts, tool: &Tool, argument: &str) -> Option<&'p Read> {
    let resolve = tool.arguments.get(argument)?.resolve.as_ref()?;
    let fact = tool.facts.iter().find(|fact| fact.name == resolve.fact)?;
    parts.reads.get(&fact.read)
}

fn argument(parts: &Parts, tool: &Tool, (key, field): (&Text, &Text), read: &Read, notes: &mut Notes<'_>) {
    if read.rows_max < 2 {
        let message = format!("`{}` resolves `{}` and would never see a second match", read.name, key.value);
        notes.error(SINGLE_ROW.code, (TOOLS, field.span), message, SINGLE_ROW.help.to_owned());
    }
    let wanted = tool.arguments.get(&key.value).map(|argument| expr_type(argument.kind, parts.currency));
    let given = read.fields.get(&field.value).map(|ty| ty.plain().clone());
    if let (Some(wanted), Some(given)) = (wanted, given)
        && wanted != given
    {
        let message = format!("`{}` is {wanted}, the field `{}` is {given}", key.value, field.value);
        notes.error(TYPE.code, (TOOLS, field.span), message, TYPE.help.to_owned());
    }
}

/// A `choose` shows the rows behind a slot: some tool called in the journey must have brought them.
fn pick(parts: &Parts, journey: &str, choose: &Choose, notes: &mut Notes<'_>) {
    let reads = rows_behind(parts, journey, &choose.slot.value);
    if reads.is_empty() {
        let message = format!("no tool called in `{journey}` reads rows to choose `{}` from", choose.slot.value);
        notes.error(NO_ROWS.code, (JOURNEYS, choose.slot.span), message, NO_ROWS.help.to_owned());
    } else if !reads.iter().all(|read| read.fields.contains_key(&choose.field.value)) {
        let message = format!("the rows behind `{}` have no field `{}`", choose.slot.value, choose.field.value);
        notes.error(NO_ROWS.code, (JOURNEYS, choose.field.span), message, NO_ROWS.help.to_owned());
    }
}

/// The reads whose rows a `choose` of this slot can show.
pub(super) fn rows_behind<'p>(parts: &'p Parts, journey: &str, slot: &str) -> Vec<&'p Read> {
    let Some(journey) = parts.journeys.get(journey) else { return Vec::new() };
    let mut reads = Vec::new();
    for step in &journey.steps {
        let tools: Vec<&String> = match &step.body {
            Body::Call { tool, .. } => vec![tool],
            Body::Plan { tools } => tools.iter().collect(),
            Body::Collect { .. }
            | Body::Choose { .. }
            | Body::Say { .. }
            | Body::Answer { .. }
            | Body::Branch { .. }
            | Body::Handoff { .. }
            | Body::End => Vec::new(),
        };
        for tool in tools.into_iter().filter_map(|tool| parts.tools.get(tool)) {
            let of_slot = tool.arguments.values().filter(|argument| argument.slot.as_deref() == Some(slot));
            reads.extend(of_slot.filter_map(|argument| resolved(parts, tool, &argument.name)));
        }
    }
    reads
}
