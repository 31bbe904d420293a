//! Free text is declared: whose words they are.

use countersign_kernel::policy::{EffectClass, FreeText};
use countersign_nlu::Kind;

use super::{Check, Code, Context};
use crate::load::TOOLS;
use crate::notes::Notes;

const QUERY: Code = Code {
    code: "pack/query_on_effect",
    help: "`query` is for reads; use `verbatim` for the person's own words or `authored` for a model's",
};
const UNDECLARED: Code =
    Code { code: "pack/free_text_undeclared", help: "add `free_text: verbatim`, `query` or `authored`" };
const MISPLACED: Code = Code { code: "pack/free_text_misplaced", help: "only `type: text` is free text" };

pub(super) const CHECK: Check = Check { codes: &[QUERY, UNDECLARED, MISPLACED], needs_names: false, run };

fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    for (name, raw) in context.raw.tools.tools.iter() {
        let Some(tool) = context.parts().tools.get(&name.value) else { continue };
        for (key, written) in raw.arguments.iter() {
            let Some(argument) = tool.arguments.get(&key.value) else { continue };
            let place = written.free_text.as_ref().map_or(key.span, |free| free.span);
            let place = (TOOLS, place);
            match argument.free_text {
                Some(_) if argument.kind != Kind::Text => {
                    let message = format!("`{}` is not of type text", key.value);
                    notes.error(MISPLACED.code, place, message, MISPLACED.help.to_owned());
                }
                Some(FreeText::Query) if tool.effect != EffectClass::Read => {
                    let message = format!("`{}` acts, and a search text is nobody's instruction", name.value);
                    notes.error(QUERY.code, place, message, QUERY.help.to_owned());
                }
                None if argument.kind == Kind::Text => {
                    let message = format!("`{}.{}` is free text of undeclared origin", name.value, key.value);
                    notes.error(UNDECLARED.code, place, message, UNDECLARED.help.to_owned());
                }
                Some(FreeText::Verbatim | FreeText::Query | FreeText::Authored) | None => {}
            }
        }
    }
}
