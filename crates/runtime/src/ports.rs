//! The traits the outside implements. Everything the runtime touches is one of these.
//!
//! Invariant: a store is only ever reached through a handle that belongs to one tenant, so a query without a tenant
//! cannot be written; a tool that changes anything takes a [`Permit`], which only the journal can make.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_kernel::event::{Content, ReadOutcome, Reading, Surroundings, ToolOutcome};
use countersign_kernel::gates::arm::Armed;
use countersign_kernel::policy::{Policy, Recovery};
use countersign_kernel::state::Session;
use countersign_nlu::Value;
use countersign_nlu::language::Language;
use jiff::Timestamp;

use crate::permit::{Permit, Resend};

/// What went wrong with the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk or database refused; the process must not go on as if nothing happened.
    #[error("the store failed while {doing}")]
    Failed {
        /// What was attempted.
        doing: &'static str,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Another process holds the data.
    #[error("`{path}` is in use by another process; stop it first, or choose another folder with --data")]
    InUse {
        /// The data folder.
        path: String,
    },
    /// A newer version wrote the data.
    #[error("`{path}` has schema version {found}, this program knows up to {known}; use the newer program")]
    FutureSchema {
        /// The file.
        path: String,
        /// The version found.
        found: i64,
        /// The newest version known.
        known: i64,
    },
    /// The file is damaged.
    #[error(
        "`{path}` is damaged ({what}); nothing was changed. Restore it from a backup, or move it away to start empty"
    )]
    Corrupt {
        /// The file.
        path: String,
        /// What the check said.
        what: String,
    },
    /// Another node owns the conversation, or the row was changed meanwhile.
    #[error("another process owns this conversation now")]
    Fenced,
}

/// A person, as the store knows them: a random name, and the key that makes their data readable.
#[derive(Clone)]
pub struct Subject {
    /// Random, stands for the person in every table and record.
    pub pseudonym: String,
    /// Seals everything personal; erased with the person.
    pub key: [u8; 32],
    /// Opted out.
    pub is_opted_out: bool,
}

impl std::fmt::Debug for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subject").field("pseudonym", &self.pseudonym).finish_non_exhaustive()
    }
}

/// A message as a channel delivered it, ready for the inbox.
#[derive(Debug, Clone)]
pub struct Arrival {
    /// The conversation it belongs to.
    pub conversation: String,
    /// The person's pseudonym.
    pub subject: String,
    /// The channel's name.
    pub channel: String,
    /// The channel's own id of the message: duplicates vanish by it.
    pub provider_id: String,
    /// The sealed content.
    pub sealed: Vec<u8>,
    /// When it arrived.
    pub at: Timestamp,
}

/// What the inbox made of an arrival.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ingested {
    /// Its number in the conversation; none for a duplicate.
    pub message: Option<u64>,
    /// Facts shared between conversations.
    pub around: Surroundings,
}

/// One chained record, ready for the writer: the body is canonical JSON without personal values.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The conversation.
    pub conversation: String,
    /// The person's pseudonym.
    pub subject: String,
    /// Canonical JSON (RFC 8785).
    pub body: String,
    /// SHA-256 of the body, lower-case hex, computed by the worker.
    pub body_hash: String,
    /// The personal values, sealed with the subject's key.
    pub sealed: Vec<u8>,
}

/// A message to be sent.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// The conversation it belongs to.
    pub conversation: String,
    /// The person's pseudonym.
    pub subject: String,
    /// Reply, notice or message to somebody else.
    pub class: OutgoingClass,
    /// The sealed body.
    pub sealed: Vec<u8>,
}

/// What kind of message it is; decides what recovery may do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutgoingClass {
    /// An answer to the person.
    Reply,
    /// A tool's message to somebody else.
    Message,
}

/// A ceiling to reserve with the intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    /// Whose spending: `customer:<pseudonym>` or `tenant`, with the tool.
    pub bucket: String,
    /// Window in seconds; 0 means each call by itself.
    pub window_s: i64,
    /// The most in it, minor units.
    pub max_minor: i64,
    /// This call's amount, minor units.
    pub amount_minor: i64,
}

/// The conditional transaction that makes a call real.
#[derive(Debug, Clone)]
pub struct IntentRow {
    /// The conversation.
    pub conversation: String,
    /// The person's pseudonym.
    pub subject: String,
    /// The conversation's epoch, from [`TenantStore::load`].
    pub epoch: u64,
    /// Idempotency key.
    pub key: String,
    /// The tool.
    pub tool: String,
    /// `money`, `write` or `message`.
    pub risk: &'static str,
    /// SHA-256 over tool, arguments and quote.
    pub digest: String,
    /// What makes two calls the same for this customer (a hash).
    pub sameness: String,
    /// A success with the same sameness within this many seconds refuses the call.
    pub repeat_s: i64,
    /// What may be done about an unknown outcome.
    pub class: Recovery,
    /// The confirmation row that is spent; required for `money`.
    pub nonce: Option<String>,
    /// Ceilings to reserve.
    pub reservations: Vec<Reservation>,
    /// Breaker: failures that open it, and seconds until a probe.
    pub breaker: (u8, i64),
    /// The newest message the decision saw; a newer one in the inbox refuses.
    pub last_message: u64,
    /// Now.
    pub at: Timestamp,
    /// The sealed call: what recovery needs to resend exactly these bytes.
    pub sealed_call: Vec<u8>,
    /// The sealed snapshot.
    pub sealed_state: Vec<u8>,
    /// The record of this commit.
    pub entry: Entry,
}

/// What the journal's transaction answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intended {
    /// The call may run.
    Granted,
    /// It may not; a reason code of the kernel, and the sealed result of the existing twin.
    Refused {
        /// Reason code.
        reason: String,
        /// The sealed result of the twin that succeeded, with the pseudonym it is sealed for.
        existing: Option<Vec<u8>>,
    },
}

/// How a call ended, as a fact. Not fenced: a node that lost its lease may be the only one that knows.
#[derive(Debug, Clone)]
pub struct OutcomeRow {
    /// The call's key.
    pub key: String,
    /// `done`, `refused`, `failed` or `unknown`.
    pub verdict: &'static str,
    /// The sealed outcome.
    pub sealed: Vec<u8>,
    /// The tool's messages to others.
    pub outgoing: Vec<Outgoing>,
    /// Now.
    pub at: Timestamp,
    /// The record of this commit.
    pub entry: Entry,
}

/// A question that was asked: the row a yes spends.
#[derive(Debug, Clone)]
pub struct ConfirmationRow {
    /// Its name and button payload.
    pub nonce: String,
    /// The tool.
    pub tool: String,
    /// What it covers.
    pub digest: String,
    /// Until when.
    pub expires_at: Timestamp,
}

/// A timer to set.
#[derive(Debug, Clone)]
pub struct TimerRow {
    /// The conversation.
    pub conversation: String,
    /// The person's pseudonym.
    pub subject: String,
    /// `confirmation`, `approval` or `query`.
    pub kind: String,
    /// What it refers to.
    pub reference: String,
    /// When.
    pub at: Timestamp,
}

/// The end of a turn: state, record, outbox and inbox in one transaction.
#[derive(Debug, Clone)]
pub struct TurnRow {
    /// The conversation.
    pub conversation: String,
    /// The person's pseudonym.
    pub subject: String,
    /// The conversation's epoch.
    pub epoch: u64,
    /// The sealed snapshot.
    pub sealed_state: Vec<u8>,
    /// Messages up to this number are done.
    pub done_until: u64,
    /// What to send; inserted as `sending`.
    pub outgoing: Vec<Outgoing>,
    /// Questions asked.
    pub confirmations: Vec<ConfirmationRow>,
    /// Questions no longer open.
    pub voided: Vec<String>,
    /// Timers to set.
    pub timers: Vec<TimerRow>,
    /// The timer this turn answered.
    pub timer_done: Option<(String, String)>,
    /// Tickets, as JSON.
    pub tickets: Vec<String>,
    /// The person opted out or in again.
    pub consent: Option<bool>,
    /// Breaker news: tool and whether the call went well.
    pub breaker: Option<(String, bool)>,
    /// Now.
    pub at: Timestamp,
    /// The record of this commit.
    pub entry: Entry,
}

/// What a conversation looks like in the store.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The epoch that fences this owner's writes.
    pub epoch: u64,
    /// The sealed snapshot, if the conversation has begun.
    pub sealed_state: Option<Vec<u8>>,
    /// Messages waiting: number, sealed content, arrival time, surroundings at arrival.
    pub waiting: Vec<Waiting>,
    /// A call without a committed turn: its key, tool, class, sealed call, sealed outcome if any.
    pub open_intent: Option<OpenIntentRow>,
}

/// A message waiting in the inbox.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// Its number.
    pub message: u64,
    /// The sealed content.
    pub sealed: Vec<u8>,
    /// When it arrived.
    pub at: Timestamp,
    /// Facts shared between conversations, when it arrived.
    pub around: Surroundings,
    /// How often it was handed out, this time included: a message that ends its process every time is known by it.
    pub attempts: u32,
}

/// An intent whose turn never ended.
#[derive(Debug, Clone)]
pub struct OpenIntentRow {
    /// Its key.
    pub key: String,
    /// The tool.
    pub tool: String,
    /// What may be done about it.
    pub class: Recovery,
    /// The sealed call.
    pub sealed_call: Vec<u8>,
    /// The sealed outcome, if that much was written.
    pub sealed_outcome: Option<Vec<u8>>,
}

/// A message in the outbox.
#[derive(Debug, Clone)]
pub struct OutboxItem {
    /// Its number.
    pub id: u64,
    /// What to send.
    pub outgoing: Outgoing,
    /// Sends that were begun and not marked.
    pub attempts: u32,
}

/// How a send ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendOutcome {
    /// The channel took it.
    Sent,
    /// Nobody knows.
    Unknown,
    /// Not to be sent any more.
    Cancelled,
}

/// A conversation with unfinished work after a restart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The conversation.
    pub conversation: String,
    /// The person's pseudonym.
    pub subject: String,
}

/// A stored record.
#[derive(Debug, Clone)]
pub struct StoredRecord {
    /// Its place in the tenant's chain, from 1.
    pub seq: u64,
    /// The chain header: canonical JSON.
    pub header: String,
    /// The body: canonical JSON.
    pub body: String,
    /// The conversation.
    pub conversation: String,
    /// The person's pseudonym.
    pub subject: String,
    /// The personal values, sealed; none once erased.
    pub sealed: Option<Vec<u8>>,
}

/// One tenant's data. There is no other way to reach any.
#[async_trait]
pub trait TenantStore: Send + Sync {
    /// Finds or makes the person behind a channel address; `None` in the key's place cannot happen: erased people
    /// come back as new ones.
    async fn subject(&self, address: &str) -> Result<Subject, StoreError>;
    /// A known person by pseudonym; none if erased.
    async fn subject_by_name(&self, pseudonym: &str) -> Result<Option<Subject>, StoreError>;
    /// The channel address behind a pseudonym; none if erased.
    async fn address(&self, pseudonym: &str) -> Result<Option<String>, StoreError>;
    /// Takes a message in, durably, once.
    async fn ingest(&self, arrival: Arrival) -> Result<Ingested, StoreError>;
    /// Claims a conversation (its epoch rises) and loads what is known of it.
    async fn load(&self, conversation: &str) -> Result<Loaded, StoreError>;
    /// Makes a call real, or refuses it, in one conditional transaction.
    async fn intend(&self, row: IntentRow) -> Result<Intended, StoreError>;
    /// Writes down how a call ended.
    async fn record_outcome(&self, row: OutcomeRow) -> Result<Vec<u64>, StoreError>;
    /// Ends a turn; returns the outbox numbers of `outgoing`, in order.
    async fn commit(&self, row: TurnRow) -> Result<Vec<u64>, StoreError>;
    /// Marks a message of the outbox, soon: a crash before then may send a reply once more, never lose one.
    async fn mark(&self, outbox: u64, outcome: SendOutcome) -> Result<(), StoreError>;
    /// Messages that were to be sent and are not marked.
    async fn unsent(&self) -> Result<Vec<OutboxItem>, StoreError>;
    /// Timers due at a moment.
    async fn due(&self, now: Timestamp) -> Result<Vec<TimerRow>, StoreError>;
    /// Conversations with waiting messages or open intents.
    async fn unfinished(&self) -> Result<Vec<Unfinished>, StoreError>;
    /// Records, in order, of one conversation or of all; bounded by `limit` from `after` (exclusive).
    async fn records(
        &self,
        conversation: Option<&str>,
        after: u64,
        limit: u32,
    ) -> Result<Vec<StoredRecord>, StoreError>;
    /// Forgets a person: their key and everything sealed with it; the chain stays whole.
    async fn erase(&self, pseudonym: &str, entry: Entry) -> Result<(), StoreError>;
    /// Open tickets, newest first, as JSON.
    async fn tickets(&self, limit: u32) -> Result<Vec<String>, StoreError>;
}

/// All tenants' data.
#[async_trait]
pub trait Store: Send + Sync {
    /// One tenant's handle; makes the tenant on first use.
    async fn tenant(&self, tenant: &str) -> Result<Arc<dyn TenantStore>, StoreError>;
}

/// What a tool answered, and the messages it wants sent.
#[derive(Debug, Clone)]
pub struct ToolReply {
    /// How it ended.
    pub outcome: ToolOutcome,
    /// Messages to others: address and text.
    pub messages: Vec<(String, String)>,
}

/// Carries out reads and calls.
#[async_trait]
pub trait Tools: Send + Sync {
    /// A read that a call needs.
    async fn read(
        &self,
        policy: &Policy,
        session: &Session,
        read: &str,
        params: &BTreeMap<String, Value>,
        at: Timestamp,
    ) -> ReadOutcome;
    /// A tool that changes nothing. Refuses anything else.
    async fn look(&self, policy: &Policy, session: &Session, armed: &Armed, at: Timestamp) -> ToolOutcome;
    /// Sends a written-down call of class A again: same key, same arguments.
    async fn resend(&self, policy: &Policy, session: &Session, call: &Resend, at: Timestamp) -> ToolReply;
    /// A tool that changes something. Refuses to start after the permit's deadline.
    async fn call(&self, policy: &Policy, session: &Session, permit: &Permit, at: Timestamp) -> ToolReply;
}

/// Reads messages.
#[async_trait]
pub trait Sensor: Send + Sync {
    /// What the message means.
    async fn sense(&self, text: &str, language: Language) -> Reading;
}

/// Delivers messages.
#[async_trait]
pub trait Channel: Send + Sync {
    /// Sends one message; `to` is none for the person of the conversation.
    ///
    /// # Errors
    /// Says why it was not taken.
    async fn send(
        &self,
        conversation: &str,
        to: Option<&str>,
        text: &str,
        buttons: &[(String, String)],
    ) -> Result<(), String>;
}

/// Turns voice into text.
#[async_trait]
pub trait Transcriber: Send + Sync {
    /// The words, or none if they could not be made out.
    async fn transcribe(&self, audio: &[u8]) -> Option<String>;
}

/// Tells the time and makes unguessable text.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
    /// Unguessable text for a button.
    fn nonce(&self) -> String;
}

/// Named places where a test may end the process; nothing happens there otherwise.
pub trait Faults: Send + Sync {
    /// The turn has come this far.
    fn at(&self, point: &'static str);
}

/// No faults.
#[derive(Debug, Clone, Copy)]
pub struct NoFaults;

impl Faults for NoFaults {
    fn at(&self, _: &'static str) {}
}

/// The content of a message, as it is sealed in the inbox.
#[must_use]
pub fn content_bytes(content: &Content) -> Vec<u8> {
    serde_json::to_vec(content).unwrap_or_default()
}
