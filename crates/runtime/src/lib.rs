//! Acts: owns ordering, journaling and retries. Everything outside is a port.
//!
//! The kernel decides and names what is to be done; this crate does it, in an order that a crash at any instant cannot
//! break: a message is durable before it is answered, an intent before a call, an outcome before anything is said.
//!
//! What leaves the process for a disk is sealed with the key of the person it belongs to:
//!
//! ```
//! use countersign_runtime::vault::{Purpose, Vault};
//!
//! let ana = Vault::new(&[1; 32])?;
//! let sealed = ana.seal(Purpose::Inbox, b"quero um boleto")?;
//! assert_eq!(ana.open(Purpose::Inbox, &sealed)?, b"quero um boleto");
//! assert!(Vault::new(&[2; 32])?.open(Purpose::Inbox, &sealed).is_err());
//! # Ok::<(), countersign_runtime::vault::VaultError>(())
//! ```

// The traits the outside implements.
pub mod ports;
// One tenant's agent: inbox and order.
pub mod engine;
// One turn: step, perform, commit, send.
mod turn;
// Intents and outcomes; Armed -> Permit.
mod journal;
// The second proof.
pub mod permit;
// Sends what was committed.
mod outbox;
// After an interruption.
mod recover;
// What one commit leaves in the log.
pub mod record;
// What a turn did, for whoever watches.
pub mod report;
// Verification of recorded conversations.
pub mod replay;
// Seals everything personal.
pub mod vault;

pub use engine::{Delivery, Engine, EngineError, Incoming, Ports};
pub use report::{Executed, Reply, TurnReport};

/// The named places of a turn where a crash is tried, in the order they are passed.
pub const CRASH_POINTS: &[&str] = &[
    "received",
    "ingested",
    "sensed",
    "before_intent",
    "intent_written",
    "called",
    "outcome_written",
    "before_commit",
    "committed",
    "sent",
    "marked",
];
