//! Everything the outside may be asked to do: a closed list.
//!
//! Invariant: `CallTool` takes an [`Armed`] and `Send` a [`Speakable`]; neither can be made outside its gate, cloned
//! or stored, so each call comes from one uninterrupted run of gates 9-13 and each sentence from one of 15-17.

use std::collections::BTreeMap;

use countersign_nlu::Value;
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use crate::canonical;
use crate::escalate::Ticket;
use crate::event::Timer;
use crate::gates::arm::Armed;
use crate::gates::shape::Speakable;

/// A read that a call needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRequest {
    /// Its number in the conversation; the answer carries it.
    pub number: u64,
    /// Which read of the pack.
    pub read: String,
    /// What it is asked with.
    pub params: BTreeMap<String, Value>,
}

/// Something the outside is asked to do.
#[derive(Debug)]
pub enum Effect {
    /// Read a message.
    Sense {
        /// Which message.
        message: u64,
        /// Its text.
        text: String,
    },
    /// Propose a call among these tools.
    Propose {
        /// The allowed tools.
        tools: Vec<String>,
    },
    /// Read facts.
    Read(ReadRequest),
    /// Call a tool.
    CallTool(Armed),
    /// Say something.
    Send(Speakable),
    /// Hand something to a person.
    OpenTicket(Ticket),
    /// Come back later.
    StartTimer {
        /// What for.
        timer: Timer,
        /// When.
        at: Timestamp,
    },
    /// Remember that the person opted out, or in again.
    SetConsent {
        /// Opted out.
        is_opted_out: bool,
    },
}

impl Effect {
    /// The effect as plain JSON, for hashing and for showing.
    #[must_use]
    pub fn describe(&self) -> Json {
        match self {
            Effect::Sense { message, .. } => json!({"sense": message}),
            Effect::Propose { tools } => json!({"propose": tools}),
            Effect::Read(read) => {
                json!({"read": {"name": read.read, "number": read.number, "params": canonical::record(&read.params)}})
            }
            Effect::CallTool(armed) => json!({"call_tool": armed.describe()}),
            Effect::Send(speakable) => json!({"send": speakable.describe()}),
            Effect::OpenTicket(ticket) => json!({"open_ticket": ticket.describe()}),
            Effect::StartTimer { timer, at } => {
                json!({"start_timer": {"at": at.to_string(), "for": timer.name(), "ref": timer.reference()}})
            }
            Effect::SetConsent { is_opted_out } => json!({"set_consent": {"is_opted_out": is_opted_out}}),
        }
    }
}
