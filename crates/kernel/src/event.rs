//! Everything that can happen to a conversation: a closed list.
//!
//! Invariant: time, ids and everything else from outside enters the kernel here and nowhere else, so the same events
//! give the same decisions. Events are plain data; `snapshot` is their only codec.

use std::collections::BTreeMap;

use countersign_nlu::Value;
use countersign_nlu::govern::{Class, Sensitive};
use countersign_nlu::language::Language;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::policy::{Milli, Recovery};
use crate::reason::Reason;

/// What a person sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Words.
    Text(String),
    /// A press on one of our buttons: its payload.
    Button(String),
    /// A voice note that nobody could transcribe.
    Voice,
}

/// Facts shared between conversations, as the inbox saw them when the message was taken in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Surroundings {
    /// Messages of this customer in the last minute, this one included.
    pub customer_minute: u32,
    /// Messages of this customer in the last day, this one included.
    pub customer_day: u32,
    /// Tools whose breaker is open.
    pub open_breakers: Vec<String>,
    /// The customer has opted out in another conversation.
    pub is_opted_out: bool,
}

/// A message from the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// Its number in the conversation, rising.
    pub message: u64,
    /// What was sent.
    pub content: Content,
    /// Unguessable text for the button of a question this message may lead to.
    pub nonce: String,
    /// Facts shared between conversations.
    pub around: Surroundings,
}

/// What the sensor understood. Values are not in it: the kernel reads them from the text itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// The likeliest intent; none is UNKNOWN.
    pub intent: Option<String>,
    /// How sure.
    pub confidence: Milli,
    /// The second likeliest.
    pub runner_up: Option<(String, Milli)>,
    /// The question-and-answer topic inside the intent.
    pub topic: Option<String>,
    /// The language and how sure.
    pub language: Option<(Language, Milli)>,
    /// Business, small talk, spam, abuse.
    pub class: Class,
    /// How ambiguous.
    pub ambiguity: Milli,
    /// Why.
    pub ambiguity_reason: String,
    /// The person is frustrated.
    pub is_frustrated: bool,
    /// A topic that belongs to a person.
    pub sensitive: Option<Sensitive>,
}

/// What a planner answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proposal {
    /// A call: tool and arguments as it wrote them.
    Call {
        /// The tool's name.
        tool: String,
        /// Arguments as JSON text.
        arguments: String,
    },
    /// Prose where a call was demanded.
    FreeText,
    /// Nothing usable: a timeout, an unparsable reply.
    Nothing,
}

/// How a read ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadOutcome {
    /// Rows, possibly none.
    Rows(Vec<BTreeMap<String, Value>>),
    /// It failed.
    Failed(String),
}

/// How a tool call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    /// It answered: a record, or a list of records.
    Done(Value),
    /// It refused, and nothing was done.
    Refused(Reason),
    /// It failed, and nothing was done.
    Failed(String),
    /// Nobody knows.
    Unknown(String),
}

/// A refusal by the journal: the law that the gates could only anticipate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The call's key.
    pub key: String,
    /// Why.
    pub reason: Reason,
    /// The result of the existing twin, where there is one.
    pub existing: Option<Value>,
}

/// A decision by a person on the operator's side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorDecision {
    /// Who.
    pub operator: String,
    /// The digest of the call it is about.
    pub digest: String,
    /// Approved or denied.
    pub is_approved: bool,
    /// Why.
    pub why: String,
}

/// What a timer is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timer {
    /// A confirmation may no longer be answered; by its nonce.
    Confirmation(String),
    /// An approval may no longer be decided; by its digest.
    Approval(String),
    /// Time to ask again how a call ended; by its key.
    Query(String),
}

/// What was found of an interrupted call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenIntent {
    /// Its key.
    pub key: String,
    /// The tool.
    pub tool: String,
    /// What may be done about it.
    pub class: Recovery,
    /// Its outcome, if that much was written.
    pub outcome: Option<ToolOutcome>,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Happening {
    /// A message arrived.
    Heard(Heard),
    /// The sensor read the message.
    Sensed(Reading),
    /// The planner answered.
    Proposed(Proposal),
    /// A read ended.
    FactRead {
        /// Which, by the number the kernel gave it.
        read: u64,
        /// How.
        outcome: ReadOutcome,
    },
    /// A tool call ended.
    ToolReturned {
        /// The call's key.
        key: String,
        /// How.
        outcome: ToolOutcome,
    },
    /// The journal refused a call.
    Refused(Refused),
    /// A model drafted a reply; none if it failed.
    Drafted(Option<String>),
    /// A judge decided on a draft: the names of violated rules; none if it failed.
    Judged(Option<Vec<String>>),
    /// An operator decided.
    OperatorDecided(OperatorDecision),
    /// An operator wrote to the person.
    OperatorSaid {
        /// Who.
        operator: String,
        /// What.
        text: String,
        /// The conversation goes back to the agent.
        is_handback: bool,
    },
    /// A provider called back about a call: a hint.
    CalledBack {
        /// The call's key.
        key: String,
    },
    /// A timer fired.
    TimerFired(Timer),
    /// The channel reported on a message we sent.
    Delivered {
        /// Which, by its number in the outbox.
        outbox: u64,
        /// It arrived.
        is_delivered: bool,
    },
    /// The process came back after an interruption.
    Resumed(Option<OpenIntent>),
}

impl Happening {
    /// Its name in records.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Happening::Heard(_) => "heard",
            Happening::Sensed(_) => "sensed",
            Happening::Proposed(_) => "proposed",
            Happening::FactRead { .. } => "fact_read",
            Happening::ToolReturned { .. } => "tool_returned",
            Happening::Refused(_) => "refused",
            Happening::Drafted(_) => "drafted",
            Happening::Judged(_) => "judged",
            Happening::OperatorDecided(_) => "operator_decided",
            Happening::OperatorSaid { .. } => "operator_said",
            Happening::CalledBack { .. } => "called_back",
            Happening::TimerFired(_) => "timer_fired",
            Happening::Delivered { .. } => "delivered",
            Happening::Resumed(_) => "resumed",
        }
    }
}

/// Something that happened, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When, by the runtime's clock.
    pub at: Timestamp,
    /// What.
    pub what: Happening,
}

impl Timer {
    /// Its name in the timer table.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Timer::Confirmation(_) => "confirmation",
            Timer::Approval(_) => "approval",
            Timer::Query(_) => "query",
        }
    }

    /// What it refers to.
    #[must_use]
    pub fn reference(&self) -> &str {
        match self {
            Timer::Confirmation(reference) | Timer::Approval(reference) | Timer::Query(reference) => reference,
        }
    }

    /// A timer from its two columns.
    #[must_use]
    pub fn parse(name: &str, reference: &str) -> Option<Self> {
        match name {
            "confirmation" => Some(Timer::Confirmation(reference.to_owned())),
            "approval" => Some(Timer::Approval(reference.to_owned())),
            "query" => Some(Timer::Query(reference.to_owned())),
            _ => None,
        }
    }
}
