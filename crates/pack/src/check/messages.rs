//! Every sentence the agent can say exists in every language, and fits into a message.

use std::collections::BTreeSet;

use countersign_kernel::reason::Reason;

use super::uses::{Use, uses};
use super::{Check, Code, Context};
use crate::diagnostic::did_you_mean;
use crate::notes::Notes;

const MISSING: Code = Code { code: "pack/missing_message", help: "add it to the language's file in `messages/`" };
const UNUSED: Code = Code { code: "pack/unused_message", help: "nothing says it; remove it or mend its name" };
const TOO_LONG: Code =
    Code { code: "pack/message_too_long", help: "shorten it, or raise `limits.reply_chars` if the channel allows" };
const SAFE: Code = Code {
    code: "pack/safe_has_holes",
    help: "the last resort must not need anything that can be missing; write a constant",
};

pub(super) const CHECK: Check = Check { codes: &[MISSING, UNUSED, TOO_LONG, SAFE], needs_names: false, run };

fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    let uses = uses(context);
    for (language, texts) in &context.lowered.texts {
        for Use { message, at, .. } in &uses {
            if !texts.contains_key(message) {
                let file = format!("messages/{language}.yaml");
                let help = did_you_mean(message, texts.keys().map(String::as_str));
                let help = help.unwrap_or_else(|| format!("add it to `{file}`"));
                let text = format!("the sentence `{message}` does not exist in `{language}`");
                notes.error(MISSING.code, (&at.0, at.1), text, help);
            }
        }
    }
    let said: BTreeSet<&str> = uses.iter().map(|using| using.message.as_str()).collect();
    let limit = context.parts().limits.reply_chars as usize;
    for texts in context.lowered.texts.values() {
        for (name, written) in texts {
            let place = (written.file.as_str(), written.text.span);
            // A sentence may be named after a reason: it is said when that reason stops a turn.
            let is_named = name.starts_with("label.") || Reason::parse(name).is_some();
            if !said.contains(name.as_str()) && !is_named && !notes.has_errors() {
                notes.warning(UNUSED.code, place, format!("nothing says `{name}`"), UNUSED.help);
            }
            if written.text.chars().count() > limit {
                let message = format!("`{name}` is longer than {limit} characters before anything is filled in");
                notes.error(TOO_LONG.code, place, message, TOO_LONG.help.to_owned());
            }
            if name == "safe" && written.text.contains('{') {
                notes.error(SAFE.code, place, "`safe` has a hole", SAFE.help.to_owned());
            }
        }
    }
}
