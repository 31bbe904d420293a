//! The static checks: what can be proven about a pack before anybody talks to it.
//!
//! Invariant: a check only reads. It notes what it finds and leaves the parts as they are.
//! Adding a check is one file and one line in [`CHECKS`], plus its row in `docs/reference/checks.md` (held by a test).

mod arguments;
mod contradictions;
mod cycles;
mod flow;
mod free_text;
mod guarded;
mod holes;
mod intents;
mod lane_one;
mod messages;
mod questions;
mod reachable;
mod resolve;
mod slot_types;
mod sql;
mod uses;
mod value_rules;
mod words;

use countersign_kernel::policy::Parts;

use crate::lower::Lowered;
use crate::notes::Notes;
use crate::raw::Pack;

/// A code a diagnostic can carry, and how the mistake is mended in general.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The stable code.
    pub code: &'static str,
    /// The help line where nothing more special can be said.
    pub help: &'static str,
}

/// One static check: the codes it can note, and its work.
pub(crate) struct Check {
    pub(crate) codes: &'static [Code],
    /// It follows names from file to file, so it waits until every name leads somewhere.
    needs_names: bool,
    run: fn(&Context<'_>, &mut Notes<'_>),
}

/// What a check may look at.
pub(crate) struct Context<'c> {
    pub(crate) raw: &'c Pack,
    pub(crate) lowered: &'c Lowered,
    /// The overlay's file name, or an empty text.
    pub(crate) overlay: String,
}

impl Context<'_> {
    fn parts(&self) -> &Parts {
        &self.lowered.parts
    }
}

/// Every check, in the order of the reference page.
pub(crate) const CHECKS: &[Check] = &[
    guarded::CHECK,
    questions::CHECK,
    arguments::CHECK,
    resolve::CHECK,
    slot_types::CHECK,
    free_text::CHECK,
    value_rules::CHECK,
    contradictions::CHECK,
    sql::CHECK,
    intents::CHECK,
    reachable::CHECK,
    cycles::CHECK,
    messages::CHECK,
    holes::CHECK,
    lane_one::CHECK,
    words::CHECK,
];

/// Runs every check.
pub(crate) fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    let has_open_names = notes.has_open_names();
    for check in CHECKS.iter().filter(|check| !(check.needs_names && has_open_names)) {
        (check.run)(context, notes);
    }
}
