//! The `sql` connector: reads and calls on the tenant's own business database.
//!
//! A call is a list of statements in one `BEGIN IMMEDIATE` transaction. Before anything else it inserts its key and the
//! hash of its arguments into `countersign_effects`, a table of the *business* database: so the mark that the call was
//! made and what the call changed become durable together or not at all, and a resend finds the saved result.
//! Invariant: a key changes the database at most once, whatever is resent, in whatever process.
//! Deliberately absent: any way to change rows without a `Permit`; the functions that do are private to `tools`.

pub(crate) mod bind;
mod check;
mod functions;
pub(crate) mod names;
pub(crate) mod rows;
pub(crate) mod run;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use countersign_kernel::canonical;
use countersign_kernel::event::{ReadOutcome, ToolOutcome};
use countersign_nlu::Value;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior, params};
use serde_json::json;

pub use check::{SqlProblem, prepare_check};
use names::EFFECTS_TABLE;
use run::{Access, Order, Stop};

use crate::issuer::Issuer;

/// How long a statement waits for another process that writes.
const BUSY_MS: u64 = 5_000;
/// Virtual-machine steps between two looks at the budget.
const STEPS_PER_LOOK: i32 = 10_000;
/// Looks before a call is stopped: fifty million steps, seconds of work, which a chat turn never needs.
const LOOKS_MAX: u64 = 5_000;
/// What may run without a thread of its own: about a millisecond.
const GLANCE_LOOKS: u64 = 10;
/// Longest text, blob or row in bytes.
const LENGTH_MAX: i32 = 1 << 20;

/// What a new business database is filled with: the pack's own SQL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackData {
    /// `data/schema.sql`.
    pub schema: String,
    /// `data/seed.sql`; may be empty.
    pub seed: String,
}

/// What went wrong with a business database.
#[derive(Debug, thiserror::Error)]
pub enum SqlError {
    /// The database refused.
    #[error("the business database failed while {doing}")]
    Failed {
        /// What was attempted.
        doing: &'static str,
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
}

fn failed(doing: &'static str) -> impl FnOnce(rusqlite::Error) -> SqlError {
    move |source| SqlError::Failed { doing, source }
}

/// One tenant's business database.
#[derive(Debug)]
pub struct Business {
    writer: Mutex<Session>,
    reader: Mutex<Session>,
}

/// A connection and how much work it has done for the current call.
#[derive(Debug)]
struct Session {
    connection: Connection,
    looks: Arc<AtomicU64>,
}

impl Business {
    /// Opens the database; a new one is made from the pack's schema and seed, in one transaction.
    ///
    /// # Errors
    /// The file cannot be opened, is no database, or the pack's SQL does not run.
    pub fn open(path: &Path, data: &PackData) -> Result<Self, SqlError> {
        let mut writer = Session::open(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        fill(&mut writer.connection, data)?;
        let reader = Session::open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        reader.connection.pragma_update(None, "query_only", true).map_err(failed("forbidding writes"))?;
        Ok(Self { writer: Mutex::new(writer), reader: Mutex::new(reader) })
    }

    /// Looks at once if nobody else is looking and the look is short; none if a thread must be found for it.
    pub(crate) fn glance<T>(&self, order: &Order, tell: impl Fn(Looked, &Order) -> T) -> Option<T> {
        let mut session = match self.reader.try_lock() {
            Ok(session) => session,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let looked = looking(&mut session, order, GLANCE_LOOKS);
        (!session.is_over()).then(|| tell(looked, order))
    }

    /// Looks, however long it takes within the bound.
    pub(crate) fn look<T>(&self, order: &Order, tell: impl Fn(Looked, &Order) -> T) -> T {
        tell(looking(&mut lock(&self.reader), order, LOOKS_MAX), order)
    }

    /// The rows of a read.
    pub(crate) fn rows(looked: Looked, order: &Order) -> ReadOutcome {
        match looked.and_then(|rows| order.shape.records(&rows.unwrap_or_default()).map_err(Stop::Failed)) {
            Ok(rows) => ReadOutcome::Rows(rows),
            Err(Stop::Refused(reason)) => ReadOutcome::Failed(reason.code().to_owned()),
            Err(Stop::Failed(message)) => ReadOutcome::Failed(message),
        }
    }

    /// The result of a tool that changes nothing.
    pub(crate) fn result(looked: Looked, order: &Order) -> ToolOutcome {
        match looked.and_then(|rows| order.shape.value(rows.as_deref()).map_err(Stop::Failed)) {
            Ok(value) => ToolOutcome::Done(value),
            Err(stop) => stop.into(),
        }
    }

    /// Makes a call, once per key.
    pub(crate) fn write(&self, order: &Order, issuer: &dyn Issuer, attempt: Attempt) -> ToolOutcome {
        let mut session = lock(&self.writer);
        session.begin(LOOKS_MAX);
        let transaction = match session.connection.transaction_with_behavior(TransactionBehavior::Immediate) {
            Ok(transaction) => transaction,
            Err(error) => return attempt.failed(format!("the database cannot be written to: {error}")),
        };
        match once(&transaction, order, issuer, attempt) {
            // Nobody can tell whether a commit that failed reached the disk; a resend with the same key can.
            Ok(value) => match transaction.commit() {
                Ok(()) => ToolOutcome::Done(value),
                Err(error) => ToolOutcome::Unknown(format!("the commit failed: {error}")),
            },
            Err(outcome) => match transaction.rollback() {
                Ok(()) => outcome,
                Err(error) => ToolOutcome::Unknown(format!("the call could not be undone: {error}")),
            },
        }
    }
}

/// Whether the call may have been made before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// It never was.
    First,
    /// Nobody knows.
    Again,
}

impl Attempt {
    /// A failure before the call's mark could be looked at says nothing about an earlier attempt.
    pub(crate) fn failed(self, message: String) -> ToolOutcome {
        match self {
            Attempt::First => ToolOutcome::Failed(message),
            Attempt::Again => ToolOutcome::Unknown(message),
        }
    }
}

/// A thread that died while holding the lock left a transaction that was rolled back as it unwound.
fn lock(session: &Mutex<Session>) -> MutexGuard<'_, Session> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a look saw.
pub(crate) type Looked = Result<Option<Vec<bind::Row>>, Stop>;

fn looking(session: &mut Session, order: &Order, looks: u64) -> Looked {
    session.begin(looks);
    // One snapshot for all statements of the list.
    let transaction = session.connection.transaction().map_err(|error| Stop::Failed(error.to_string()))?;
    run::run(&transaction, order, Access::Read)
}

/// The call's own mark first, then its statements, then its result beside the mark.
fn once(
    transaction: &Transaction<'_>,
    order: &Order,
    issuer: &dyn Issuer,
    attempt: Attempt,
) -> Result<Value, ToolOutcome> {
    let Some(key) = order.about.key.as_deref() else {
        return Err(ToolOutcome::Failed("the call has no key".to_owned()));
    };
    let hash = argument_hash(order);
    let is_new = mark(transaction, order, key, &hash).map_err(|error| attempt.failed(error.to_string()))?;
    if !is_new {
        return again(transaction, order, key, &hash, attempt);
    }
    // From here on an earlier attempt is ruled out: it would have left its mark.
    let value = act(transaction, order, issuer).map_err(ToolOutcome::from)?;
    let save = format!("update {EFFECTS_TABLE} set result = ?2 where key = ?1");
    let saved = transaction
        .prepare_cached(&save)
        .and_then(|mut update| update.execute(params![key, canonical::value(&value).to_string()]));
    saved.map_err(|error| ToolOutcome::Failed(error.to_string()))?;
    Ok(value)
}

/// True if the key was free.
fn mark(transaction: &Transaction<'_>, order: &Order, key: &str, hash: &str) -> rusqlite::Result<bool> {
    let mark = format!(
        "insert into {EFFECTS_TABLE} (key, tool, argument_hash, result, at) values (?1, ?2, ?3, null, ?4)
         on conflict (key) do nothing"
    );
    let mut insert = transaction.prepare_cached(&mark)?;
    Ok(insert.execute(params![key, order.name, hash, order.about.now.to_string()])? == 1)
}

fn act(transaction: &Transaction<'_>, order: &Order, issuer: &dyn Issuer) -> Result<Value, Stop> {
    let rows = run::run(transaction, order, Access::Write(issuer))?;
    order.shape.value(rows.as_deref()).map_err(Stop::Failed)
}

/// The key was used: the saved result if it was this very call, a failure if it was another.
fn again(
    transaction: &Transaction<'_>,
    order: &Order,
    key: &str,
    hash: &str,
    attempt: Attempt,
) -> Result<Value, ToolOutcome> {
    let find = format!("select tool, argument_hash, result from {EFFECTS_TABLE} where key = ?1");
    let found: (String, String, Option<String>) = transaction
        .query_row(&find, [key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .map_err(|error| attempt.failed(error.to_string()))?;
    let (tool, saved_hash, result) = found;
    if tool != order.name || saved_hash != hash {
        return Err(ToolOutcome::Failed("this key was used for another call".to_owned()));
    }
    // It was made. What cannot be read any more must not be told as a failure.
    let result = result.ok_or_else(|| ToolOutcome::Unknown("the saved result is missing".to_owned()))?;
    order.shape.restore(&result).map_err(ToolOutcome::Unknown)
}

/// What makes a resend the same call. The time is not part of it: a resend comes later.
fn argument_hash(order: &Order) -> String {
    let about = &order.about;
    let call = json!({
        "arguments": canonical::record(&order.arguments),
        "customer": about.customer,
        "tenant": about.tenant,
        "tool": order.name,
    });
    canonical::sha256(call.to_string().as_bytes())
}

impl Session {
    fn open(path: &Path, flags: OpenFlags) -> Result<Self, SqlError> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags).map_err(failed("opening the file"))?;
        settle(&connection).map_err(failed("setting up the connection"))?;
        let looks = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&looks);
        let is_over = move || counter.fetch_add(1, Ordering::Relaxed) >= LOOKS_MAX;
        connection.progress_handler(STEPS_PER_LOOK, Some(is_over)).map_err(failed("bounding the work"))?;
        Ok(Self { connection, looks })
    }

    /// A new call has its own budget.
    fn begin(&self, looks: u64) {
        self.looks.store(LOOKS_MAX.saturating_sub(looks), Ordering::Relaxed);
    }

    /// True if the budget ran out.
    fn is_over(&self) -> bool {
        self.looks.load(Ordering::Relaxed) > LOOKS_MAX
    }
}

fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_millis(BUSY_MS))?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // Without it SQLite compiles a statement again whenever the value bound to an indexed column changes.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LENGTH_MAX)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    functions::register(connection)
}

/// Makes the tables of a new database; a database that already has some only gets the connector's own.
fn fill(connection: &mut Connection, data: &PackData) -> Result<(), SqlError> {
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed("beginning to fill it"))?;
    let is_new: bool = transaction
        .query_row("select not exists (select 1 from sqlite_schema where type = 'table')", [], |row| row.get(0))
        .map_err(failed("looking for its tables"))?;
    if is_new {
        transaction.execute_batch(&data.schema).map_err(failed("making the pack's tables"))?;
        transaction.execute_batch(&data.seed).map_err(failed("filling the pack's tables"))?;
    }
    transaction.execute_batch(&effects_schema()).map_err(failed("making the effects table"))?;
    transaction.commit().map_err(failed("saving its tables"))
}

/// The connector's own table.
fn effects_schema() -> String {
    format!(
        "create table if not exists {EFFECTS_TABLE} (
           key text primary key,
           tool text not null,
           argument_hash text not null,
           result text,
           at text not null
         ) strict, without rowid"
    )
}
