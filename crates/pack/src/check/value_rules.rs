//! A rule that can never hold stops everybody; one that always holds stops nobody.

use countersign_kernel::expr::{self, Checked, Verdict};
use std::collections::BTreeMap;

use super::{Check, Code, Context};
use crate::load::{INTENTS, JOURNEYS, TOOLS};
use crate::notes::Notes;
use crate::raw::Text;

const NEVER: Code =
    Code { code: "pack/never_holds", help: "the expression does not depend on anything; mend or remove it" };
const ALWAYS: Code =
    Code { code: "pack/always_holds", help: "the expression does not depend on anything; mend or remove it" };

pub(super) const CHECK: Check = Check { codes: &[NEVER, ALWAYS], needs_names: false, run };

fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    for (_, slot) in context.raw.intents.slots.iter() {
        slot.rules.iter().for_each(|rule| constant(INTENTS, &rule.check, notes));
    }
    if let Some(tenant) = &context.raw.tenant {
        for (_, slot) in tenant.slots.iter() {
            slot.rules.iter().for_each(|rule| constant(&context.overlay, &rule.check, notes));
        }
    }
    for (_, tool) in context.raw.tools.tools.iter() {
        let conditions = tool.preconditions.iter().chain(tool.result.ensure.iter());
        conditions.filter_map(|condition| condition.check.as_ref()).for_each(|check| constant(TOOLS, check, notes));
    }
    for (_, journey) in context.raw.journeys.journeys.iter() {
        let cases = journey.steps.iter().filter_map(|step| step.branch.as_ref()).flat_map(|cases| cases.iter());
        cases.for_each(|case| constant(JOURNEYS, &case.when, notes));
    }
}

/// An expression that compiles without any names reads nothing, and so always gives the same answer.
fn constant(file: &str, written: &Text, notes: &mut Notes<'_>) {
    let nothing = expr::Scope::new();
    let Ok(checked) = expr::compile(&written.value, &nothing, &expr::Type::Bool) else { return };
    let (code, word) = match truth(&checked) {
        Verdict::Holds => (ALWAYS, "always"),
        Verdict::Fails | Verdict::CannotDecide(_) => (NEVER, "never"),
    };
    let message = format!("`{}` {word} holds", written.value);
    notes.error(code.code, (file, written.span), message, code.help.to_owned());
}

fn truth(checked: &Checked) -> Verdict {
    checked.test(&BTreeMap::new())
}
