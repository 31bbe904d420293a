//! No step is out of reach: a sentence nobody can ever hear is a mistake in the flow.

use super::{Check, Code, Context, flow};
use crate::load::JOURNEYS;
use crate::notes::Notes;

const UNREACHABLE: Code =
    Code { code: "pack/unreachable_step", help: "lead to it with `next`, `on` or a `branch`, or remove it" };

pub(super) const CHECK: Check = Check { codes: &[UNREACHABLE], needs_names: true, run };

fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    for (name, written) in context.raw.journeys.journeys.iter() {
        let Some(journey) = context.parts().journeys.get(&name.value) else { continue };
        let reached = flow::reach(journey, 0, &|_, _| true);
        for (index, step) in written.steps.iter().enumerate().filter(|(index, _)| !reached.contains(index)) {
            let shown = journey.steps.get(index).map_or("", |step| step.name.as_str());
            let message = format!("no path of `{}` leads to the step `{shown}`", name.value);
            notes.error(UNREACHABLE.code, (JOURNEYS, step.span), message, UNREACHABLE.help.to_owned());
        }
    }
}
