//! Sentences show only what can be there when they are said.

use std::collections::BTreeMap;

use countersign_kernel::reason::Reason;
use countersign_nlu::Span;

use super::uses::{Holes, uses};
use super::{Check, Code, Context};
use crate::diagnostic::did_you_mean;
use crate::lower::Written;
use crate::notes::Notes;

const UNKNOWN: Code = Code {
    code: "pack/unknown_hole",
    help: "show a slot, an argument, a fact's field or, after the call, a field of the result",
};

pub(super) const CHECK: Check = Check { codes: &[UNKNOWN], needs_names: true, run };

fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    let mut said: BTreeMap<String, Vec<Holes>> = BTreeMap::new();
    for using in uses(context) {
        said.entry(using.message).or_default().extend(using.holes);
    }
    for (language, templates) in &context.parts().messages {
        for (name, template) in templates {
            let Some(written) = context.lowered.texts.get(language).and_then(|all| all.get(name)) else { continue };
            for path in template.paths() {
                match said.get(name) {
                    // Said in several places: it must be fillable in each.
                    Some(places) => {
                        if let Some(holes) = places.iter().find(|holes| !holes.allows(&path)) {
                            unknown(name, &path, holes, written, notes);
                        }
                    }
                    None => {
                        // Named after a reason: about a slot, or about nothing.
                        if path != "slot" && Reason::parse(name).is_some() || name.starts_with("label.") {
                            unknown(name, &path, &Holes::default(), written, notes);
                        }
                    }
                }
            }
        }
    }
}

fn unknown(name: &str, path: &str, holes: &Holes, written: &Written, notes: &mut Notes<'_>) {
    // Constants such as the last resort have a check of their own.
    if name == "safe" {
        return;
    }
    let inner = path.split_once(".*.").map_or(path, |(_, field)| field);
    let text = &written.text.value;
    let start = text.find(&format!("{{{inner}")).or_else(|| text.find(&format!("each {inner}"))).unwrap_or_default();
    let length = text.get(start..).and_then(|rest| rest.find('}')).map_or(0, |end| end + 1);
    let span = notes.inside(&written.file, &written.text, Span::new(start, start + length));
    let help = did_you_mean(path, holes.all()).unwrap_or_else(|| {
        let all: Vec<&str> = holes.all().take(SHOWN_MAX).collect();
        if all.is_empty() {
            "nothing can be filled in here".to_owned()
        } else {
            format!("there are: {}", all.join(", "))
        }
    });
    let message = format!("`{name}` shows `{{{inner}}}`, which is not there when it is said");
    notes.error(UNKNOWN.code, (&written.file, span), message, help);
}

/// A help line lists at most this many paths.
const SHOWN_MAX: usize = 12;
