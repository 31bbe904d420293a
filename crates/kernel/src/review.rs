//! The same walks over a transcript: a verdict, never a permission.
//!
//! A transcript is folded through [`step`](crate::step()) into the same evidence a conversation would have; then the
//! call walks Act, or the draft walks Speak, and what comes out is a verdict with the gates' decisions.
//! Invariant: no `Armed` and no `Speakable` leaves this file; whatever the walks allow is dropped here.
//! Deliberately absent: what the agent said as evidence. What only a model said has no origin.

mod fold;

use std::collections::BTreeMap;

use countersign_nlu::Value;
use jiff::Timestamp;

use crate::act::{self, Acting, Halt};
use crate::decision::Decision;
use crate::event::Reading;
use crate::evidence::Row;
use crate::policy::Policy;
use crate::reason::Reason;
use crate::speak::{self, Author, Draft, Speaking};
use crate::state::{Call, Facts, Occasion, Proposer};
use crate::turn::Turn;

use self::fold::Fold;

/// Entries that are folded; of a longer transcript only the newest. The evidence of older ones has left the window.
pub const ENTRIES_MAX: usize = 1_000;

/// One thing that was said or done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// The person wrote.
    Person {
        /// What.
        text: String,
        /// When.
        at: Timestamp,
        /// What the sensor understood; without it the message still counts as evidence and as an answer.
        reading: Option<Reading>,
    },
    /// A tool or read of the policy returned.
    Tool {
        /// Which.
        tool: String,
        /// Its rows.
        rows: Vec<Row>,
    },
    /// The agent wrote.
    Agent {
        /// What.
        text: String,
    },
}

/// What is to be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A proposed call.
    Call {
        /// The tool.
        tool: String,
        /// Its arguments as proposed.
        arguments: BTreeMap<String, Value>,
        /// Facts the caller has read, by name, with the parameters they were read with.
        facts: Facts,
    },
    /// A proposed reply.
    Draft {
        /// Its words.
        text: String,
    },
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No gate objects; a call may still wait for a yes or an approval, as the reason says.
    Accept,
    /// A gate refused.
    Reject,
    /// Facts are missing: read them and ask again.
    Ask,
}

/// A verdict and how it came to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// The answer.
    pub verdict: Verdict,
    /// Why.
    pub reason: Reason,
    /// What the gates of the reviewed walk decided, in order, with their witnesses.
    pub decisions: Vec<Decision>,
}

/// Judges a call or a draft at the end of a transcript.
#[must_use]
pub fn review(policy: &Policy, transcript: &[Entry], subject: &Subject) -> Review {
    let newest = transcript.get(transcript.len().saturating_sub(ENTRIES_MAX)..).unwrap_or_default();
    let Fold { state, results, .. } = Fold::new(policy, newest);
    let turn = Turn { policy, state, effects: Vec::new(), log: Vec::new() };
    match subject {
        Subject::Call { tool, arguments, facts } => {
            let proposer = Proposer::Planner;
            let number = turn.state.number.saturating_add(1);
            judge_call(&turn, &Call { tool: tool.clone(), arguments: arguments.clone(), proposer, number }, facts)
        }
        Subject::Draft { text } => judge_draft(&turn, text.clone(), results),
    }
}

/// Gates 9-13. What they allow ends here.
fn judge_call(turn: &Turn<'_>, call: &Call, facts: &Facts) -> Review {
    let walk = Acting {
        policy: turn.policy,
        state: &turn.state,
        frame: turn.state.frame.as_ref(),
        call,
        occasion: &Occasion::Message,
        facts,
        now: turn.state.now,
        today: turn.today(),
    };
    let mut decisions = Vec::new();
    let (verdict, reason) = match act::act(&walk, &mut decisions) {
        Ok(armed) => {
            drop(armed);
            (Verdict::Accept, Reason::Armed)
        }
        Err(Halt::Ask(_)) => (Verdict::Accept, Reason::ConfirmationRequired),
        Err(Halt::Approve(_)) => (Verdict::Accept, Reason::ApprovalRequired),
        Err(Halt::Need(_)) => (Verdict::Ask, Reason::CannotDecide),
        Err(Halt::Stop(stop)) => (Verdict::Reject, stop.reason),
    };
    Review { verdict, reason, decisions }
}

/// Gates 15-17, for words of a model. What they allow ends here.
fn judge_draft(turn: &Turn<'_>, text: String, results: BTreeMap<String, Value>) -> Review {
    let mut scene = turn.scene();
    scene.extend(results);
    let draft = Draft { text, filled: Vec::new(), author: Author::Model, buttons: Vec::new() };
    let walk = Speaking {
        policy: turn.policy,
        state: &turn.state,
        draft: &draft,
        scene: &scene,
        language: turn.state.language,
        today: turn.today(),
    };
    let mut decisions = Vec::new();
    let (verdict, reason) = match speak::speak(&walk, &mut decisions) {
        Ok(said) => {
            drop(said);
            (Verdict::Accept, Reason::Ok)
        }
        Err(stop) => (Verdict::Reject, stop.reason),
    };
    Review { verdict, reason, decisions }
}
