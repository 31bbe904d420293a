//! When a person takes over, and with what context.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::reason::Reason;
use crate::state::State;

/// What is handed to a person. The transcript is found by the conversation; the ticket does not copy it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// Takes the conversation over, or only asks for a look or a decision.
    pub kind: TicketKind,
    /// The tenant.
    pub tenant: String,
    /// The customer.
    pub customer: String,
    /// The conversation.
    pub conversation: String,
    /// The journey, if one is open.
    pub journey: Option<String>,
    /// The step, by index.
    pub step: Option<usize>,
    /// Why.
    pub reason: Reason,
    /// The message the conversation stood at.
    pub message: u64,
    /// The call's key or digest it is about.
    pub about: Option<String>,
}

/// What a ticket asks of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TicketKind {
    /// Take the conversation over.
    Handover,
    /// Approve or deny a call.
    Approval,
    /// Find out how a call ended.
    Unknown,
    /// Look at something that went wrong.
    Incident,
}

impl Ticket {
    /// A ticket about where the conversation stands.
    #[must_use]
    pub fn new(kind: TicketKind, state: &State, reason: Reason) -> Self {
        Self {
            kind,
            tenant: state.session.tenant.clone(),
            customer: state.session.customer.clone(),
            conversation: state.session.conversation.clone(),
            journey: state.frame.as_ref().map(|frame| frame.journey.clone()),
            step: state.frame.as_ref().map(|frame| frame.step),
            reason,
            message: state.message,
            about: None,
        }
    }

    /// The ticket as plain JSON.
    #[must_use]
    pub fn describe(&self) -> Json {
        json!({
            "about": self.about,
            "journey": self.journey,
            "kind": match self.kind {
                TicketKind::Handover => "handover",
                TicketKind::Approval => "approval",
                TicketKind::Unknown => "unknown",
                TicketKind::Incident => "incident",
            },
            "message": self.message,
            "reason": self.reason.code(),
            "step": self.step,
        })
    }
}
