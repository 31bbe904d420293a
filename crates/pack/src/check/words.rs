//! The closed word lists do not overlap where an overlap would be dangerous.
//!
//! A word that stops all messages must not also answer a question, in any language of the pack: a customer who
//! writes `pare` to a question would be cut off for good.

use countersign_nlu::text::fold;

use super::{Check, Code, Context};
use crate::load::PACK;
use crate::notes::Notes;
use crate::raw::pack::Words;
use crate::raw::{Items, Text};

const OVERLAP: Code = Code { code: "pack/words_overlap", help: "keep the word in one of the two lists" };
const EMPTY: Code = Code { code: "pack/words_empty", help: "list at least one word; without it nobody can say this" };

pub(super) const CHECK: Check = Check { codes: &[OVERLAP, EMPTY], needs_names: false, run };

fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    let all = &context.raw.pack.words;
    for (language, words) in all.iter() {
        for (name, list) in [("yes", &words.yes), ("no", &words.no), ("stop", &words.stop)] {
            if list.is_empty() || list.iter().any(|word| fold(&word.value).is_empty()) {
                let message = format!("the list `{name}` of `{}` is empty or has an empty word", language.value);
                notes.error(EMPTY.code, (PACK, language.span), message, EMPTY.help.to_owned());
            }
        }
        let here = Lists::of(words);
        overlap(("no", here.no), ("yes", here.yes), notes);
        overlap(("cancel", here.cancel), ("yes", here.yes), notes);
        overlap(("repeat", here.repeat), ("yes", here.yes), notes);
        overlap(("repeat", here.repeat), ("no", here.no), notes);
        overlap(("start", here.start), ("stop", here.stop), notes);
        for (_, other) in all.iter() {
            let there = Lists::of(other);
            overlap(("stop", here.stop), ("yes", there.yes), notes);
            overlap(("stop", here.stop), ("no", there.no), notes);
            overlap(("stop", here.stop), ("cancel", there.cancel), notes);
        }
    }
}

struct Lists<'w> {
    yes: &'w Items<Text>,
    no: &'w Items<Text>,
    stop: &'w Items<Text>,
    start: &'w Items<Text>,
    cancel: &'w Items<Text>,
    repeat: &'w Items<Text>,
}

impl<'w> Lists<'w> {
    fn of(words: &'w Words) -> Self {
        Self {
            yes: &words.yes,
            no: &words.no,
            stop: &words.stop,
            start: &words.start,
            cancel: &words.cancel,
            repeat: &words.repeat,
        }
    }
}

fn overlap((name, list): (&str, &Items<Text>), (other_name, other): (&str, &Items<Text>), notes: &mut Notes<'_>) {
    for word in list.iter() {
        if other.iter().any(|known| fold(&known.value) == fold(&word.value)) {
            let message = format!("`{}` is in the lists `{name}` and `{other_name}`", word.value);
            notes.error(OVERLAP.code, (PACK, word.span), message, OVERLAP.help.to_owned());
        }
    }
}
