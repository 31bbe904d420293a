//! Where a value came from: the witness that goes into the record.
//!
//! Invariant: a witness holds positions (message 4, bytes 12-19; call 7, row 0, `name`), never the value, so the
//! chain can keep it for ever. What only a model said has no witness, and no variant here could hold it.

use countersign_nlu::Span;
use serde::{Deserialize, Serialize};

use crate::policy::OriginKind;

/// Evidence for one value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Witness {
    /// Words of a message.
    Span {
        /// Which message of the conversation.
        message: u64,
        /// Which bytes.
        span: Span,
    },
    /// An entry of a list that was shown.
    Choice {
        /// The message that picked it.
        message: u64,
        /// The list, by the message after which it was shown.
        list: u64,
        /// The entry.
        row: u32,
    },
    /// A value we proposed and the person accepted.
    Offer {
        /// The message that accepted it.
        message: u64,
    },
    /// Words of a message applied to a slot's value.
    Relative {
        /// Which message.
        message: u64,
        /// Which bytes.
        span: Span,
        /// The slot it changed.
        slot: String,
    },
    /// A field of a tool's or read's row.
    Result {
        /// The call or read, by its number in the conversation.
        call: u64,
        /// The row.
        row: u32,
        /// The field.
        field: String,
    },
    /// A named thing and the row that bears the name.
    Linked {
        /// Where the name was said.
        said: Box<Witness>,
        /// The row's field.
        found: Box<Witness>,
    },
    /// The argument's declared expression over values with origins.
    Computed {
        /// The witnesses of what it read.
        of: Vec<Witness>,
    },
    /// A default declared in the pack.
    Default,
    /// Configuration of the pack or tenant.
    Configuration,
    /// Stored with the customer's profile.
    Profile,
    /// Injected by the runtime.
    Session,
    /// A person on the operator's side.
    Operator,
}

impl Witness {
    /// The kind of origin, for comparing with what an argument allows.
    #[must_use]
    pub fn kind(&self) -> OriginKind {
        match self {
            Witness::Span { .. } => OriginKind::Span,
            Witness::Choice { .. } => OriginKind::Choice,
            Witness::Offer { .. } => OriginKind::Offer,
            Witness::Relative { .. } => OriginKind::Relative,
            Witness::Result { .. } => OriginKind::Result,
            Witness::Linked { said, .. } => said.kind(),
            Witness::Computed { .. } => OriginKind::Computed,
            Witness::Default => OriginKind::Default,
            Witness::Configuration => OriginKind::Configuration,
            Witness::Profile => OriginKind::Profile,
            Witness::Session => OriginKind::Session,
            Witness::Operator => OriginKind::Operator,
        }
    }

    /// The message it points at, if it points at one.
    #[must_use]
    pub fn message(&self) -> Option<u64> {
        match self {
            Witness::Span { message, .. }
            | Witness::Choice { message, .. }
            | Witness::Offer { message }
            | Witness::Relative { message, .. } => Some(*message),
            Witness::Linked { said, .. } => said.message(),
            Witness::Result { .. }
            | Witness::Computed { .. }
            | Witness::Default
            | Witness::Configuration
            | Witness::Profile
            | Witness::Session
            | Witness::Operator => None,
        }
    }
}
