//! One open SQLite file, checked and set up so that it can be trusted, and the end of its chain.
//!
//! Invariants: a file is served only if every setting that safety rests on reads back as set; a damaged, foreign or
//! newer file is refused before anything in it changes.

use std::path::Path;
use std::sync::Arc;

use countersign_runtime::ports::{Entry, StoreError};
use jiff::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, params};

use super::keys::Tenant;
use super::migrate::{self, Migration};
use super::rows::nanos;
use crate::chain::{CHECKPOINT_EVERY, Chain, base64, checkpoint_text};
use crate::error::{Doing, failed, failed_at, is_damage};

/// Marks our files ("CSGN").
const APPLICATION_ID: i64 = 0x4353_474E;
/// The largest value in any row: far above a sealed snapshot, far below what would hurt.
const LENGTH_MAX: i32 = 16 << 20;
/// Prepared statements kept per file; there are about forty.
const STATEMENTS_MAX: usize = 64;
/// How long to wait for a lock. Only a person's own tool can hold one: the folder is locked.
const BUSY_MS: i64 = 2_000;

/// What is set on every connection, and what it must read back as.
const SETTINGS: &[(&str, &str, &str)] = &[
    ("journal_mode", "WAL", "wal"),
    ("synchronous", "FULL", "2"),
    // 16 MB of log before pages are copied back: the same few pages change in every turn, and are copied once.
    ("wal_autocheckpoint", "4000", "4000"),
    ("foreign_keys", "ON", "1"),
    ("recursive_triggers", "ON", "1"),
    ("trusted_schema", "OFF", "0"),
    ("secure_delete", "ON", "1"),
    ("cell_size_check", "ON", "1"),
    ("temp_store", "MEMORY", "2"),
    ("mmap_size", "0", "0"),
    // KiB of pages kept in memory per open file: the busy part of some hundred conversations.
    ("cache_size", "-4096", "-4096"),
];

/// A tenant's file, open.
pub(crate) struct File {
    /// The only connection to it.
    pub(crate) connection: Connection,
    /// Whose it is.
    pub(crate) tenant: Arc<Tenant>,
    /// The end of the log, ahead of the file until [`File::save_chain`].
    pub(crate) chain: Chain,
    saved: u64,
}

impl File {
    /// Opens a tenant's file and makes it if it is missing. `is_checked` skips the page check, which reads it all.
    pub(crate) fn open(path: &Path, tenant: Arc<Tenant>, is_checked: bool) -> Result<Self, StoreError> {
        let connection = open(path, migrate::TENANT, is_checked)?;
        let chain = load_chain(&connection, path)?;
        Ok(Self { connection, tenant, saved: chain.seq, chain })
    }

    /// Adds a record to the log, and a checkpoint when one is due.
    pub(crate) fn append(&mut self, entry: &Entry, sealed: Option<&[u8]>) -> Result<(), StoreError> {
        const DOING: &str = "adding a record";
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if entry.body_hash.len() != 64 || !entry.body_hash.bytes().all(is_hex) {
            return Err(failed(DOING, "the body's hash is not lower-case hex of SHA-256"));
        }
        let header = self.chain.append(&self.tenant.name, &entry.body_hash);
        self.connection
            .prepare_cached(
                "INSERT INTO record (seq, header, body, conversation, subject, sealed) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )
            .and_then(|mut statement| {
                statement.execute(params![
                    self.chain.seq,
                    header,
                    entry.body,
                    entry.conversation,
                    entry.subject,
                    sealed
                ])
            })
            .doing(DOING)?;
        if self.chain.seq.is_multiple_of(CHECKPOINT_EVERY) {
            self.checkpoint()?;
        }
        Ok(())
    }

    /// Signs the log as it is now, once per size; returns the size, root and signature.
    pub(crate) fn checkpoint(&self) -> Result<Option<(u64, String, String)>, StoreError> {
        const DOING: &str = "signing a checkpoint";
        let Some(root) = self.chain.root() else { return Ok(None) };
        let size = self.chain.seq;
        let signature = base64(&self.tenant.sign(&checkpoint_text(&self.tenant.name, size, &root)));
        let root = base64(&root);
        // INVARIANT: one root per size. An existing row must be the very same, or the log was rewritten.
        self.connection
            .prepare_cached(
                "INSERT INTO checkpoint (size, root, signature, at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            )
            .and_then(|mut statement| statement.execute(params![size, root, signature, nanos(Timestamp::now())]))
            .doing(DOING)?;
        let stored: String = self
            .connection
            .prepare_cached("SELECT root FROM checkpoint WHERE size = ?1")
            .and_then(|mut statement| statement.query_row([size], |row| row.get(0)))
            .doing(DOING)?;
        if stored != root {
            return Err(failed(DOING, "another root was signed for this size before"));
        }
        Ok(Some((size, root, signature)))
    }

    /// Writes the end of the chain; once per transaction, before its commit.
    pub(crate) fn save_chain(&mut self) -> Result<(), StoreError> {
        if self.saved == self.chain.seq {
            return Ok(());
        }
        self.connection
            .prepare_cached("UPDATE head SET seq = ?1, leaf = ?2, frontier = ?3 WHERE id = 1")
            .and_then(|mut statement| {
                statement.execute(params![self.chain.seq, self.chain.leaf, self.chain.frontier_bytes()])
            })
            .doing("saving the end of the chain")?;
        self.saved = self.chain.seq;
        Ok(())
    }

    /// Moves the write-ahead log into the file and empties it, so that nothing erased is left in it.
    pub(crate) fn empty_wal(&self) -> Result<(), StoreError> {
        const DOING: &str = "emptying the write-ahead log";
        let is_busy: i64 =
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).doing(DOING)?;
        if is_busy != 0 {
            return Err(failed(DOING, "another program is reading the file; close it and erase once more"));
        }
        Ok(())
    }
}

/// Opens a file, refuses what cannot be trusted, and brings its tables up to date.
pub(crate) fn open(path: &Path, known: &[Migration], is_checked: bool) -> Result<Connection, StoreError> {
    const DOING: &str = "opening a file";
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).doing_at(DOING, path)?;
    harden(&connection).doing_at("limiting a file's powers", path)?;
    // SQLite falls back to reading when it may not write, and would fail at the first message instead of here.
    if connection.is_readonly("main").doing_at(DOING, path)? {
        return Err(failed_at(DOING, path, "it may only be read; check its permissions and the disk"));
    }
    inspect(&connection, path, known, is_checked)?;
    settle(&connection, path)?;
    migrate::run(&mut connection, path, known)?;
    let id: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0)).doing_at(DOING, path)?;
    if id != APPLICATION_ID {
        connection.pragma_update(None, "application_id", APPLICATION_ID).doing_at(DOING, path)?;
    }
    Ok(connection)
}

fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LENGTH_MAX)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    // Without this, SQLite compiles a statement again whenever a value bound to an indexed column changes, which is
    // every time; measured, that is nearly half of the work of a turn.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    connection.pragma_update(None, "busy_timeout", BUSY_MS)
}

/// Reads only: damage, foreign files and newer versions are found here.
fn inspect(connection: &Connection, path: &Path, known: &[Migration], is_checked: bool) -> Result<(), StoreError> {
    let corrupt = |what: String| StoreError::Corrupt { path: path.display().to_string(), what };
    let read = |error: rusqlite::Error| match is_damage(&error) {
        true => corrupt(error.to_string()),
        false => failed_at("inspecting a file", path, error.to_string()),
    };
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0)).map_err(read)?;
    if pages == 0 {
        return Ok(());
    }
    if !is_checked {
        let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(read)?;
        if verdict != "ok" {
            return Err(corrupt(verdict));
        }
    }
    let id: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(read)?;
    let version = migrate::check(connection, path, known)?;
    if id != APPLICATION_ID && version == 0 && has_tables(connection).map_err(read)? {
        return Err(corrupt("it is a database of another program".to_owned()));
    }
    Ok(())
}

fn has_tables(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
}

fn settle(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    const DOING: &str = "setting up a file";
    for (name, value, _) in SETTINGS {
        connection.execute_batch(&format!("PRAGMA {name} = {value}")).doing_at(DOING, path)?;
    }
    for (name, _, expected) in SETTINGS {
        let found = connection
            .pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0))
            .doing_at(DOING, path)?;
        let found = match found {
            rusqlite::types::Value::Integer(number) => number.to_string(),
            rusqlite::types::Value::Text(text) => text,
            other @ (rusqlite::types::Value::Null
            | rusqlite::types::Value::Real(_)
            | rusqlite::types::Value::Blob(_)) => format!("{other:?}"),
        };
        if found != *expected {
            return Err(failed_at(DOING, path, format!("`{name}` is {found}, it must be {expected}")));
        }
    }
    let attached = connection.limit(Limit::SQLITE_LIMIT_ATTACHED).doing_at(DOING, path)?;
    let is_defensive = connection.db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE).doing_at(DOING, path)?;
    if attached != 0 || !is_defensive {
        return Err(failed_at(DOING, path, "the file's powers could not be limited"));
    }
    Ok(())
}

fn load_chain(connection: &Connection, path: &Path) -> Result<Chain, StoreError> {
    const DOING: &str = "reading the end of the chain";
    let (seq, leaf, frontier, last) = connection
        .query_row("SELECT seq, leaf, frontier, (SELECT coalesce(max(seq), 0) FROM record) FROM head", [], |row| {
            Ok((row.get::<_, u64>(0)?, row.get(1)?, row.get::<_, Vec<u8>>(2)?, row.get::<_, u64>(3)?))
        })
        .doing_at(DOING, path)?;
    let chain = Chain::from_parts(seq, leaf, &frontier).filter(|chain| chain.seq == last);
    chain.ok_or_else(|| StoreError::Corrupt {
        path: path.display().to_string(),
        what: format!("the chain ends at record {seq}, the log at {last}"),
    })
}
