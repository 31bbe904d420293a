//! The second proof: a call that the journal has written down and may now be made, once, before its deadline.

use countersign_kernel::gates::arm::Armed;
use jiff::Timestamp;

/// How long a call may be started after its intent was written; a node that slept through it must not send.
pub const SEND_WITHIN_S: i64 = 30;

/// Permission to make one call. Private, not `Clone`, not serialisable: only `journal::intend` makes one.
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
