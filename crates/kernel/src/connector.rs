//! How a tool or read is carried out, as the pack declared it.
//!
//! The kernel carries these to the runtime and never looks inside: what a connector does cannot influence a gate.
//! Deliberately absent: credentials. They come from the environment of the process that connects.

use std::collections::BTreeMap;

use crate::reason::Reason;

/// One entry of a connector's statement list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What it does.
    pub action: Action,
    /// What later statements call its first row: `:row.id` is the column `id` of the statement named `row`.
    pub name: Option<String>,
    /// Exactly this many rows must be returned or changed ...
    pub rows: Option<u64>,
    /// ... or the whole transaction is undone and the call refused with this reason.
    pub otherwise: Reason,
    /// Why it may run without `:customer`, if it does.
    pub public: Option<String>,
}

/// What one entry of a statement list does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Runs one SQL statement with named parameters.
    Sql(String),
    /// Asks a native port, such as the boleto issuer; input name -> parameter (`:row.id`, `:amount_cents`).
    Native {
        /// Which port and operation: `boleto.issue`.
        port: String,
        /// Its inputs.
        with: BTreeMap<String, String>,
    },
}

/// How a tool or read is carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connector {
    /// Statements in one transaction on the tenant's business database.
    Sql(Vec<Statement>),
    /// A message to somebody, through the outbox: argument names of recipient and text.
    Outbox {
        /// The fact whose row names the recipient, and its address field: `contact.phone`.
        to: String,
        /// The argument that is the text.
        text: String,
    },
}
