//! What one conversation remembers between turns: plain data, bounded.
//!
//! Invariant: nothing in here is a proof. Calls, facts and drafts wait as plain proposals and walk the gates again
//! when the answer comes; tickets borrow the walk and cannot be stored (held by `tests/compile_fail`).
//! Deliberately absent: history. It lives in the log, so turn 1000 costs what turn 1 costs.

use std::collections::BTreeMap;

use countersign_nlu::Value;
use countersign_nlu::language::Language;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::event::{Heard, ToolOutcome};
use crate::evidence::Evidence;
use crate::origin::Witness;

/// Journeys waiting for the current one to end; deeper digressions forget the oldest.
pub const PAUSED_MAX: usize = 3;
/// Values a person has withdrawn, kept so that they cannot come back as a witness.
pub const WITHDRAWN_MAX: usize = 16;
/// Calls whose outcome is being checked.
pub const UNRESOLVED_MAX: usize = 8;

/// Who the conversation is with; injected by the runtime, never by a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The tenant.
    pub tenant: String,
    /// The customer.
    pub customer: String,
    /// The conversation.
    pub conversation: String,
}

/// A value that was given for a slot, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// The current value.
    pub value: Value,
    /// Where it came from.
    pub witness: Witness,
}

/// A proposed tool call: plain data, authorises nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// Arguments as proposed; empty where the kernel is to fill all of them from the slots.
    pub arguments: BTreeMap<String, Value>,
    /// Who proposed it.
    pub proposer: Proposer,
    /// Its number in the conversation.
    pub number: u64,
}

/// Who proposed a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proposer {
    /// The journey's step.
    Journey,
    /// A model, or anything else that is not trusted.
    Planner,
}

/// What makes a call run now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    /// The person's message.
    Message,
    /// A yes to the call with this digest.
    Yes {
        /// What the question covered.
        digest: String,
        /// The question's nonce: the row that is spent.
        nonce: String,
        /// The message that said it.
        message: u64,
    },
    /// An operator's approval of the call with this digest, after the customer's yes.
    Approved {
        /// What was approved.
        digest: String,
        /// The question's nonce, if one was asked.
        nonce: Option<String>,
        /// Who approved.
        operator: String,
    },
}

/// The rows a read brought, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactRows {
    /// The read's number in the conversation.
    pub number: u64,
    /// When it was read.
    pub at: Timestamp,
    /// What it was asked with.
    pub params: BTreeMap<String, Value>,
    /// The rows.
    pub rows: Vec<BTreeMap<String, Value>>,
}

/// Facts of the call being walked, by name. They die with the turn.
pub type Facts = BTreeMap<String, FactRows>;

/// A question that waits for a yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The call, with the very arguments that will run.
    pub call: Call,
    /// Digest over tool, arguments and quote.
    pub digest: String,
    /// The tool's hash when the question was asked.
    pub tool_hash: String,
    /// Button payload, and the name of the row that is spent.
    pub nonce: String,
    /// The message after which it was asked.
    pub asked_after: u64,
    /// Until when a yes counts.
    pub expires_at: Timestamp,
    /// The question as it was said, for repeating it.
    pub question: String,
}

/// A call that waits for an operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Awaiting {
    /// The call, with the very arguments that will run.
    pub call: Call,
    /// Digest over tool, arguments and quote.
    pub digest: String,
    /// The nonce of the yes already given.
    pub nonce: Option<String>,
    /// Until when it may be decided.
    pub expires_at: Timestamp,
}

/// What the last turn asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// A slot's value; with the value we proposed, if any.
    Slot {
        /// Which slot.
        slot: String,
        /// What we proposed.
        offer: Option<Value>,
    },
    /// A pick from the list last shown.
    Pick {
        /// The slot it fills.
        slot: String,
        /// The field of the row.
        field: String,
    },
}

/// One journey in progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Which journey.
    pub journey: String,
    /// Which step, by index.
    pub step: usize,
    /// The open request: the intent the person asked for ...
    pub intent: String,
    /// ... and the message that opened it.
    pub opened_by: u64,
    /// The question-and-answer topic of that message.
    pub topic: Option<String>,
    /// Current values.
    pub slots: BTreeMap<String, Given>,
    /// Values the person replaced or withdrew, by slot.
    pub withdrawn: Vec<(String, Value)>,
    /// What was asked last.
    pub asked: Option<Asked>,
    /// The question that waits for a yes.
    pub pending: Option<Pending>,
    /// The call that waits for an operator.
    pub awaiting: Option<Awaiting>,
    /// What templates may show: arguments, facts and result of the last call of this journey.
    pub scene: BTreeMap<String, Value>,
}

impl Frame {
    /// Remembers that a value no longer counts.
    pub(crate) fn withdraw(&mut self, slot: String, value: Value) {
        self.withdrawn.push((slot, value));
        if self.withdrawn.len() > WITHDRAWN_MAX {
            self.withdrawn.remove(0);
        }
    }
}

/// Counters; only Hear and the result gate move them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counters {
    /// Small-talk turns in a row.
    pub casual: u8,
    /// Spam turns in a row.
    pub spam: u8,
    /// Clarifications without progress.
    pub clarifications: u8,
    /// Tool errors in a row.
    pub tool_errors: u8,
    /// Frustrated turns in a row.
    pub frustrated: u8,
    /// Authorised effects in this turn.
    pub effects: u8,
    /// Reads made for calls in this turn.
    pub reads: u8,
    /// Rejected proposals in this turn.
    pub rejected: u8,
    /// Redrafts in this turn.
    pub redrafts: u8,
}

/// A call whose outcome is not known yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unresolved {
    /// Its key.
    pub key: String,
    /// The tool.
    pub tool: String,
    /// What makes two calls the same.
    pub sameness: String,
}

/// A call that is running or being verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// The call with the arguments that were armed.
    pub call: Call,
    /// Its key.
    pub key: String,
    /// What makes two calls the same.
    pub sameness: String,
    /// What it answered, once it has.
    pub outcome: Option<ToolOutcome>,
    /// Facts as they were when it was armed.
    pub scene: BTreeMap<String, Value>,
}

/// What the turn in progress is waiting for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing: between turns.
    #[default]
    Idle,
    /// The sensor.
    Sensing(Heard),
    /// A planner's proposal.
    Planning,
    /// Reads that a call needs.
    Acting {
        /// The call.
        call: Call,
        /// What makes it run now.
        occasion: Occasion,
        /// Facts so far.
        facts: Facts,
        /// Reads asked for: number -> fact name and parameters.
        awaited: BTreeMap<u64, (String, BTreeMap<String, Value>)>,
    },
    /// The tool.
    Calling(Running),
    /// The read-back after the tool.
    Verifying {
        /// The call and its outcome.
        running: Running,
        /// The read's number.
        read: u64,
    },
}

/// Everything one conversation remembers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Who it is with.
    pub session: Session,
    /// The conversation's own time: never runs backwards.
    pub now: Timestamp,
    /// The last message taken in.
    pub message: u64,
    /// The next number for a call or read.
    pub number: u64,
    /// The language spoken.
    pub language: Language,
    /// Counters.
    pub counters: Counters,
    /// The person opted out.
    pub is_opted_out: bool,
    /// A person on the operator's side has taken over.
    pub is_handed_over: bool,
    /// The current journey.
    pub frame: Option<Frame>,
    /// Journeys to return to, the latest last.
    pub paused: Vec<Frame>,
    /// The bounded window of values with origins.
    pub evidence: Evidence,
    /// What the turn in progress waits for.
    pub phase: Phase,
    /// Calls being checked.
    pub unresolved: Vec<Unresolved>,
    /// Facts shared between conversations, as the last message brought them.
    pub open_breakers: Vec<String>,
    /// Nonce of the message in progress.
    pub nonce: String,
    /// A question to answer once the confirmed call has ended: its topic.
    pub answer_after: Option<String>,
}

impl State {
    /// A conversation that has not begun.
    #[must_use]
    pub fn new(session: Session, language: Language) -> Self {
        Self {
            session,
            now: Timestamp::UNIX_EPOCH,
            message: 0,
            number: 0,
            language,
            counters: Counters::default(),
            is_opted_out: false,
            is_handed_over: false,
            frame: None,
            paused: Vec::new(),
            evidence: Evidence::default(),
            phase: Phase::Idle,
            unresolved: Vec::new(),
            open_breakers: Vec::new(),
            nonce: String::new(),
            answer_after: None,
        }
    }

    /// The current question, if one waits for a yes.
    #[must_use]
    pub fn pending(&self) -> Option<&Pending> {
        self.frame.as_ref().and_then(|frame| frame.pending.as_ref())
    }

    /// The next number for a call or a read.
    pub(crate) fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }
}
