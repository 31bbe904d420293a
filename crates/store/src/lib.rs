//! Keeps conversations, intents and the audit log: the `Store` port on SQLite, one file per tenant.
//!
//! Invariants: nothing is acknowledged before it is on the disk; what money needs (a confirmation spent once, a
//! ceiling, a closed breaker) is checked inside the transaction that writes the intent and again by the database's own
//! constraints; the log is append-only, chained and signed, and can be checked without this crate's writer.
//!
//! ```
//! # use countersign_runtime::ports::Store;
//! # use countersign_store::sqlite::{Options, SqliteStore};
//! # let folder = std::env::temp_dir().join(format!("countersign-example-{}", std::process::id()));
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! let store = SqliteStore::open(&folder, Options::default())?;
//! let shop = store.tenant("shop").await?;
//! let person = shop.subject("whatsapp:+5511999990000").await?;
//! assert_eq!(shop.subject("whatsapp:+5511999990000").await?.pseudonym, person.pseudonym);
//! # Ok::<(), countersign_runtime::ports::StoreError>(())
//! # })?;
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Errors with what was attempted.
mod error;
// The end of the log: headers, leaves, the tree's frontier, checkpoint texts.
mod chain;
// The store itself: folder, files, writer threads, statements.
pub mod sqlite;
// Reads an exported log and says what is wrong with it; shares nothing with the writer.
pub mod audit;
// One suite that every store must pass.
pub mod conformance;
