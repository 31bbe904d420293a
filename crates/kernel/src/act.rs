//! The second walk: from a proposed call to permission, gates 9-13 in order.
//!
//! Invariant: it is pure and changes nothing. Whenever a missing fact, a yes or an approval arrives it runs again from
//! its top, so what executes was decided in one uninterrupted run over recorded facts.

use std::collections::BTreeMap;

use countersign_nlu::Value;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::decision::Decision;
use crate::gates::arm::{self, Armed};
use crate::gates::{approve, confirm, permit, trace};
use crate::policy::Policy;
use crate::reason::Reason;
use crate::state::{Call, Facts, Frame, Occasion, State};

/// What the walk looks at.
#[derive(Debug)]
pub(crate) struct Acting<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) state: &'a State,
    pub(crate) frame: Option<&'a Frame>,
    pub(crate) call: &'a Call,
    pub(crate) occasion: &'a Occasion,
    pub(crate) facts: &'a Facts,
    pub(crate) now: Timestamp,
    pub(crate) today: Date,
}

/// A read the walk needs before it can go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Want {
    pub(crate) fact: String,
    pub(crate) read: String,
    pub(crate) params: BTreeMap<String, Value>,
}

/// A question to the customer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) message: String,
    pub(crate) digest: String,
    pub(crate) arguments: BTreeMap<String, Value>,
    pub(crate) scene: BTreeMap<String, Value>,
    pub(crate) tool_hash: String,
}

/// A call that an operator must approve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Appeal {
    pub(crate) digest: String,
    pub(crate) arguments: BTreeMap<String, Value>,
    pub(crate) scene: BTreeMap<String, Value>,
    pub(crate) nonce: Option<String>,
}

/// A gate's refusal of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stop {
    pub(crate) reason: Reason,
    /// What sentences about it may show.
    pub(crate) scene: BTreeMap<String, Value>,
    /// Rows that matched more than once.
    pub(crate) choices: Vec<BTreeMap<String, Value>>,
}

/// Why the walk ended before a permission.
#[derive(Debug)]
pub(crate) enum Halt {
    /// Facts are missing.
    Need(Vec<Want>),
    /// The customer must say yes.
    Ask(Question),
    /// An operator must approve.
    Approve(Appeal),
    /// A gate refused.
    Stop(Stop),
}

/// Gates 9-13, in order.
pub(crate) fn act(walk: &Acting<'_>, log: &mut Vec<Decision>) -> Result<Armed, Halt> {
    let traced = trace::check(walk, log)?;
    let permitted = permit::check(traced, log)?;
    let confirmed = confirm::check(permitted, log)?;
    let approved = approve::check(confirmed, log)?;
    arm::check(approved, log)
}

/// A dotted path in named values.
pub(crate) fn lookup<'v>(values: &'v BTreeMap<String, Value>, path: &str) -> Option<&'v Value> {
    let mut names = path.split('.');
    let mut value = values.get(names.next()?)?;
    for name in names {
        value = value.field(name)?;
    }
    Some(value)
}
