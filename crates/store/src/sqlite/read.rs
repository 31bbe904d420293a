//! Questions that change nothing: due timers, unfinished work, records, checkpoints, tickets.
//!
//! Invariant: every answer is bounded; the caller asks again for more.

use countersign_runtime::ports::{StoreError, StoredRecord, TimerRow, Unfinished};
use jiff::Timestamp;
use rusqlite::{Row, params};

use super::file::File;
use super::rows::{moment, nanos};
use crate::error::Doing;

/// Due timers handed out at once; the rest is due at the next question.
const DUE_MAX: i64 = 1_000;
/// Unfinished conversations handed out at once; finished ones drop out, so asking again brings the rest.
const UNFINISHED_MAX: i64 = 10_000;
/// Records or tickets handed out at once.
const PAGE_MAX: u32 = 10_000;

/// A signed checkpoint, as stored.
pub(crate) struct Checkpoint {
    pub(crate) size: u64,
    pub(crate) root: String,
    pub(crate) signature: String,
}

/// Timers due at a moment, the earliest first.
pub(crate) fn due(file: &File, now: Timestamp) -> Result<Vec<TimerRow>, StoreError> {
    file.connection
        .prepare_cached(
            "SELECT conversation, subject, kind, reference, at FROM timer WHERE at <= ?1
             ORDER BY at, conversation, kind, reference LIMIT ?2",
        )
        .and_then(|mut statement| {
            let read = |row: &Row<'_>| {
                Ok(TimerRow {
                    conversation: row.get(0)?,
                    subject: row.get(1)?,
                    kind: row.get(2)?,
                    reference: row.get(3)?,
                    at: moment(4, row.get(4)?)?,
                })
            };
            statement.query_map([nanos(now), DUE_MAX], read).and_then(Iterator::collect)
        })
        .doing("looking for due timers")
}

/// Conversations with waiting messages or an open intent.
pub(crate) fn unfinished(file: &File) -> Result<Vec<Unfinished>, StoreError> {
    file.connection
        .prepare_cached(
            "SELECT conversation, subject FROM inbox WHERE state = 'new'
             UNION
             SELECT conversation, subject FROM conversation WHERE open_key IS NOT NULL AND subject IS NOT NULL
             ORDER BY conversation LIMIT ?1",
        )
        .and_then(|mut statement| {
            let read = |row: &Row<'_>| Ok(Unfinished { conversation: row.get(0)?, subject: row.get(1)? });
            statement.query_map([UNFINISHED_MAX], read).and_then(Iterator::collect)
        })
        .doing("looking for unfinished conversations")
}

/// Records after a number, of one conversation or of all.
pub(crate) fn records(
    file: &File,
    conversation: Option<&str>,
    after: u64,
    limit: u32,
) -> Result<Vec<StoredRecord>, StoreError> {
    const ALL: &str = "SELECT seq, header, body, conversation, subject, sealed FROM record
                       WHERE seq > ?1 ORDER BY seq LIMIT ?2";
    const ONE: &str = "SELECT seq, header, body, conversation, subject, sealed FROM record
                       WHERE conversation = ?3 AND seq > ?1 ORDER BY seq LIMIT ?2";
    let limit = limit.min(PAGE_MAX);
    let after = after.min(i64::MAX.unsigned_abs());
    let read = |row: &Row<'_>| {
        Ok(StoredRecord {
            seq: row.get(0)?,
            header: row.get(1)?,
            body: row.get(2)?,
            conversation: row.get(3)?,
            subject: row.get(4)?,
            sealed: row.get(5)?,
        })
    };
    let found = match conversation {
        None => file
            .connection
            .prepare_cached(ALL)
            .and_then(|mut statement| statement.query_map(params![after, limit], read).and_then(Iterator::collect)),
        Some(conversation) => file.connection.prepare_cached(ONE).and_then(|mut statement| {
            statement.query_map(params![after, limit, conversation], read).and_then(Iterator::collect)
        }),
    };
    found.doing("reading records")
}

/// Checkpoints after a size.
pub(crate) fn checkpoints(file: &File, after: u64) -> Result<Vec<Checkpoint>, StoreError> {
    file.connection
        .prepare_cached("SELECT size, root, signature FROM checkpoint WHERE size > ?1 ORDER BY size LIMIT ?2")
        .and_then(|mut statement| {
            let read = |row: &Row<'_>| Ok(Checkpoint { size: row.get(0)?, root: row.get(1)?, signature: row.get(2)? });
            statement.query_map(params![after, PAGE_MAX], read).and_then(Iterator::collect)
        })
        .doing("reading checkpoints")
}

/// Tickets, the newest first.
pub(crate) fn tickets(file: &File, limit: u32) -> Result<Vec<String>, StoreError> {
    file.connection
        .prepare_cached("SELECT body FROM ticket ORDER BY id DESC LIMIT ?1")
        .and_then(|mut statement| {
            statement.query_map([limit.min(PAGE_MAX)], |row| row.get(0)).and_then(Iterator::collect)
        })
        .doing("reading tickets")
}
