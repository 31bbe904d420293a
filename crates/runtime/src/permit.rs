//! The second proof: a call that the journal has written down and may now be made, once, before its deadline.
//!
//! Invariant: a [`Permit`] comes only from `journal::intend`, a [`Resend`] only from an intent row that recovery read
//! back. Neither can be cloned, serialised or made elsewhere (held by `tests/compile_fail`).

use std::collections::BTreeMap;

use countersign_kernel::gates::arm::Armed;
use countersign_nlu::Value;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How long a call may be started after its intent was written; a node that slept through it must not send.
pub const SEND_WITHIN_S: i64 = 30;

/// Permission to make one call.
#[derive(Debug)]
pub struct Permit {
    armed: Armed,
    deadline: Timestamp,
}

impl Permit {
    pub(crate) fn new(armed: Armed, deadline: Timestamp) -> Self {
        Self { armed, deadline }
    }

    /// The call.
    #[must_use]
    pub fn armed(&self) -> &Armed {
        &self.armed
    }

    /// True once the call may no longer be started.
    #[must_use]
    pub fn is_late(&self, now: Timestamp) -> bool {
        now > self.deadline
    }
}

/// What an intent row keeps of a call, sealed: enough to send exactly the same again.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WrittenCall {
    pub(crate) tool: String,
    pub(crate) arguments: BTreeMap<String, Value>,
    pub(crate) scene: BTreeMap<String, Value>,
}

/// Permission to send a written-down call again, with the same key.
#[derive(Debug)]
pub struct Resend {
    key: String,
    call: WrittenCall,
}

impl Resend {
    pub(crate) fn new(key: String, call: WrittenCall) -> Self {
        Self { key, call }
    }

    /// The idempotency key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.call.tool
    }

    /// The arguments that were written down.
    #[must_use]
    pub fn arguments(&self) -> &BTreeMap<String, Value> {
        &self.call.arguments
    }

    /// Arguments, and the row each fact stood for.
    #[must_use]
    pub fn scene(&self) -> &BTreeMap<String, Value> {
        &self.call.scene
    }
}
