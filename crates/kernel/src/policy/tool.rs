//! Tools and reads: the closed set of what an agent can do, and under which conditions.

use std::collections::{BTreeMap, BTreeSet};

use countersign_nlu::{Kind, Money, Value};

use crate::connector::Connector;
use crate::expr::{Checked, Type};
use crate::reason::Reason;

/// Where an argument's value may come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OriginKind {
    /// Words of a message the person wrote.
    Span,
    /// An entry of a list that was shown.
    Choice,
    /// A value we proposed and the person accepted.
    Offer,
    /// A span plus a slot's current value.
    Relative,
    /// A path in a tool result of this conversation.
    Result,
    /// The argument's declared expression.
    Computed,
    /// A default declared in the pack.
    Default,
    /// Configuration of the pack or tenant.
    Configuration,
    /// Stored earlier with its own origin.
    Profile,
    /// Tenant, customer, phone: injected by the runtime.
    Session,
    /// A person on the operator's side.
    Operator,
}

/// How free text may come to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FreeText {
    /// The person's own words, byte for byte.
    Verbatim,
    /// A search text; reads only.
    Query,
    /// Written by a model or a template; walks 15-17 like a reply.
    Authored,
}

/// A read that belongs to a call or stands alone: named parameters in, typed rows out.
#[derive(Debug, Clone)]
pub struct Read {
    /// Its name.
    pub name: String,
    /// Parameters with their types.
    pub params: BTreeMap<String, Type>,
    /// Fields of each row.
    pub fields: BTreeMap<String, Type>,
    /// Rows beyond this are not read.
    pub rows_max: u32,
    /// How it is carried out; the kernel never looks inside.
    pub connector: Connector,
}

/// A named fact a tool needs before it may run: the rows of one read.
#[derive(Debug, Clone)]
pub struct Fact {
    /// Name in expressions and templates; stands for the first row.
    pub name: String,
    /// Which read.
    pub read: String,
    /// Parameter -> argument name.
    pub with: BTreeMap<String, String>,
}

/// How a named thing becomes the record it names.
#[derive(Debug, Clone)]
pub struct Resolve {
    /// The fact whose rows are the candidates.
    pub fact: String,
    /// The field that becomes the argument's value.
    pub field: String,
}

/// One argument of a tool.
#[derive(Debug, Clone)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// What kind of value.
    pub kind: Kind,
    /// Filled from this slot, if there is one; the planner's value is only compared.
    pub slot: Option<String>,
    /// Admissible origins.
    pub origins: BTreeSet<OriginKind>,
    /// Named thing -> record.
    pub resolve: Option<Resolve>,
    /// For `result` origins: tool (or read) name and field.
    pub results: Vec<(String, String)>,
    /// Comes from the very row that this other argument's id names.
    pub of: Option<String>,
    /// The kernel computes it.
    pub computed: Option<Checked>,
    /// A declared default, shown in the question as such.
    pub default: Option<Value>,
    /// Free text, and how it may come to be.
    pub free_text: Option<FreeText>,
    /// Must be there.
    pub is_required: bool,
    /// The only values allowed, if it is a closed choice.
    pub allowed: Option<Vec<Value>>,
    /// Longest text in characters.
    pub chars_max: u32,
    /// Facts behind it older than this are read again, in seconds.
    pub lifetime_s: i64,
}

/// A condition on live data.
#[derive(Debug, Clone)]
pub struct Precondition {
    /// Must hold over arguments, facts, `today` and `now`.
    pub check: Checked,
    /// The code of the stop.
    pub reason: Reason,
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// Changes nothing.
    Read,
    /// Changes a record.
    Write,
    /// Moves or promises money.
    Money,
    /// Writes to somebody.
    Message,
}

/// What may be done about a call whose outcome is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Recovery {
    /// Resend with the same key.
    A,
    /// Look up by our reference after a quiet period.
    B,
    /// A person decides.
    C,
    /// Look up only by an id in the reply; never re-push.
    D,
    /// A read: run it again.
    R,
}

/// A ceiling on money over a window, reserved with the intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpendLimit {
    /// For one customer or for the whole tenant.
    pub scope: SpendScope,
    /// Window in seconds; 0 means each call by itself.
    pub window_s: i64,
    /// The most that may be spent in it.
    pub max: Money,
}

/// Whose spending a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpendScope {
    /// One customer.
    Customer,
    /// Everybody of the tenant.
    Tenant,
}

/// What the customer must say yes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirm {
    /// The question; the fields it shows are the quote.
    pub message: String,
}

/// When a person on the operator's side must approve.
#[derive(Debug, Clone)]
pub struct Approval {
    /// The expression that marks the call.
    pub when: Checked,
}

/// What the tool promises to return.
#[derive(Debug, Clone, Default)]
pub struct ResultSpec {
    /// Fields of the result (of each row where `is_list`).
    pub fields: BTreeMap<String, Type>,
    /// The result is a list of rows.
    pub is_list: bool,
    /// A fresh read from the system of record; parameters are bound from `result.<field>` or argument names.
    pub read_back: Option<Fact>,
    /// Must hold over arguments, `result` and the read-back fact.
    pub ensure: Vec<Precondition>,
}

/// When a tool that keeps failing is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerSpec {
    /// Failures in a row that open it.
    pub failures: u8,
    /// Seconds until one probe may try.
    pub open_s: i64,
}

/// A tool of the closed set.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does to the world.
    pub effect: EffectClass,
    /// The intents it serves.
    pub serves: Vec<String>,
    /// Its arguments, by name.
    pub arguments: BTreeMap<String, Argument>,
    /// Facts read before it may run, in order.
    pub facts: Vec<Fact>,
    /// Conditions on live data, in order.
    pub preconditions: Vec<Precondition>,
    /// The question, unless it needs none.
    pub confirm: Option<Confirm>,
    /// When a person must approve.
    pub approval: Option<Approval>,
    /// The argument that is the money moved, for limits.
    pub amount: Option<String>,
    /// Ceilings.
    pub spend: Vec<SpendLimit>,
    /// Arguments that make two calls the same.
    pub sameness: Vec<String>,
    /// A repeat of a success within this many seconds is refused.
    pub repeat_s: i64,
    /// What may be done about an unknown outcome.
    pub recovery: Recovery,
    /// When to leave it alone.
    pub breaker: BreakerSpec,
    /// What it returns.
    pub result: ResultSpec,
    /// How it is carried out; the kernel never looks inside.
    pub connector: Connector,
    /// Hash of the tool's own source: a change voids pending confirmations.
    pub hash: String,
}
