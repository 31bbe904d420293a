//! The third walk: from a draft to a sentence that may be said, gates 15-17 in order.

use std::collections::BTreeMap;

use countersign_nlu::language::Language;
use countersign_nlu::{Context, Span, Value};
use jiff::civil::Date;

use crate::decision::Decision;
use crate::gates::shape::{self, Speakable};
use crate::gates::{enforce, ground};
use crate::policy::Policy;
use crate::reason::Reason;
use crate::state::State;

/// Where a draft's words came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// A template of the pack.
    Template,
    /// A model.
    Model,
    /// A person on the operator's side.
    Operator,
}

/// A proposed reply: plain data, says nothing yet.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) text: String,
    /// Bytes that were filled in; the rest is the author's own wording.
    pub(crate) filled: Vec<Span>,
    pub(crate) author: Author,
    /// Label and payload of each button.
    pub(crate) buttons: Vec<(String, String)>,
}

/// What the walk looks at.
#[derive(Debug)]
pub(crate) struct Speaking<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) state: &'a State,
    pub(crate) draft: &'a Draft,
    /// This turn's evidence: everything sentences may show.
    pub(crate) scene: &'a BTreeMap<String, Value>,
    pub(crate) language: Language,
    pub(crate) today: Date,
}

impl Speaking<'_> {
    /// What reading the draft depends on; the hour does not matter to what a reply says.
    pub(crate) fn context(&self) -> Context {
        Context {
            now: self.today.at(12, 0, 0, 0),
            language: self.language,
            currency: self.policy.currency,
            region: self.policy.region,
        }
    }
}

/// A gate's refusal of a draft.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) reason: Reason,
}

/// Gates 15-17, in order.
pub(crate) fn speak(walk: &Speaking<'_>, log: &mut Vec<Decision>) -> Result<Speakable, Stop> {
    let grounded = ground::check(walk, log)?;
    let enforced = enforce::check(grounded, log)?;
    Ok(shape::check(enforced, log))
}
