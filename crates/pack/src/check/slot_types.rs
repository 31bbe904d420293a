//! A slot and the argument it fills are of one type.

use countersign_nlu::Kind;

use super::{Check, Code, Context};
use crate::load::{INTENTS, TOOLS};
use crate::lower::kind_name;
use crate::notes::Notes;

const TYPE: Code = Code { code: "pack/slot_type", help: "give both the same `type`" };
const PREFIX: Code = Code { code: "pack/prefix_without_id", help: "only `type: id` has an `id_prefix`" };

pub(super) const CHECK: Check = Check { codes: &[TYPE, PREFIX], needs_names: false, run };

fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    let parts = context.parts();
    for (name, raw) in context.raw.tools.tools.iter() {
        let Some(tool) = parts.tools.get(&name.value) else { continue };
        for (key, written) in raw.arguments.iter() {
            let argument = tool.arguments.get(&key.value);
            let slot = argument.and_then(|argument| parts.slots.get(argument.slot.as_ref()?));
            if let (Some(argument), Some(slot)) = (argument, slot)
                && argument.kind != slot.kind
            {
                let (wanted, given) = (kind_name(argument.kind), kind_name(slot.kind));
                let message = format!("`{}` is {wanted}, its slot `{}` is {given}", key.value, slot.name);
                notes.error(TYPE.code, (TOOLS, written.kind.span), message, TYPE.help.to_owned());
            }
        }
    }
    for (key, written) in context.raw.intents.slots.iter() {
        let is_id = parts.slots.get(&key.value).is_none_or(|slot| slot.kind == Kind::Id);
        if let Some(prefix) = written.id_prefix.as_ref().filter(|_| !is_id) {
            let message = format!("`{}` has an `id_prefix` and is no id", key.value);
            notes.error(PREFIX.code, (INTENTS, prefix.span), message, PREFIX.help.to_owned());
        }
    }
}
