//! The pack's own sentences pass the pack's own patterns.

use countersign_kernel::policy::{Enforcement, Scope};

use super::{Check, Code, Context};
use crate::notes::Notes;

const BREAKS: Code = Code {
    code: "pack/message_breaks_rule",
    help: "reword the sentence or narrow the pattern; as it is, the sentence could never be said",
};

pub(super) const CHECK: Check = Check { codes: &[BREAKS], needs_names: false, run };

fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    for texts in context.lowered.texts.values() {
        for (name, written) in texts {
            let literal = literal(&written.text.value);
            for rule in &context.parts().rules {
                let is_everywhere = rule.is_always || rule.scope == Scope::Global;
                let Enforcement::Forbid(pattern) = &rule.enforcement else { continue };
                if is_everywhere && pattern.is_match(&literal) {
                    let message = format!("`{name}` says what the rule `{}` forbids", rule.name);
                    notes.error(BREAKS.code, (&written.file, written.text.span), message, BREAKS.help.to_owned());
                }
            }
        }
    }
}

/// The text between the holes; a hole becomes a character no pattern is about.
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        out.push('\u{fffc}');
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}
