//! How a call ended: a fact, written even by an owner that lost its conversation.
//!
//! Invariants: a call has at most one final outcome, and only `unknown` may come before it; the same outcome twice is
//! written once; what did not happen gives its reservation back, what may have happened keeps it.

use countersign_runtime::ports::{OutcomeRow, StoreError};
use rusqlite::{OptionalExtension, params};

use super::breaker;
use super::file::File;
use super::outbox;
use super::rows::nanos;
use super::spend;
use super::subject;
use crate::error::{Doing, failed};

const DOING: &str = "writing an outcome";

/// What the intent says that the outcome needs.
struct Intent {
    conversation: String,
    subject: String,
    tool: String,
    breaker: (u8, i64),
}

/// Writes down how a call ended; returns the outbox numbers of its messages.
pub(crate) fn record(file: &mut File, row: &OutcomeRow) -> Result<Vec<u64>, StoreError> {
    let Some(intent) = intent(file, &row.key)? else {
        return Err(failed(DOING, "no intent has this key"));
    };
    if row.entry.conversation != intent.conversation || row.entry.subject != intent.subject {
        return Err(failed(DOING, "its record names another conversation or person"));
    }
    let earlier = earlier(file, &row.key)?;
    let is_final_known = earlier.iter().any(|verdict| verdict != "unknown");
    if earlier.iter().any(|verdict| verdict == row.verdict) || (is_final_known && row.verdict == "unknown") {
        return outbox::of_intent(file, &row.key);
    }
    if is_final_known {
        return Err(failed(DOING, "the call already has another final outcome; a person has to look at it"));
    }
    let is_readable = subject::exists(file, &intent.subject)?;
    insert(file, row, earlier.len() + 1, is_readable)?;
    settle(file, row, &intent, !earlier.is_empty())?;
    let ids = outbox::insert(file, &row.outgoing, Some(&row.key), row.at, is_readable)?;
    file.append(&row.entry, is_readable.then_some(row.entry.sealed.as_slice()))?;
    Ok(ids)
}

/// A call's verdict: its final one if there is one.
pub(crate) fn verdict(file: &File, key: &str) -> Result<Option<String>, StoreError> {
    Ok(earlier(file, key)?.pop())
}

fn intent(file: &File, key: &str) -> Result<Option<Intent>, StoreError> {
    file.connection
        .prepare_cached("SELECT conversation, subject, tool, failures_max, open_s FROM intent WHERE key = ?1")
        .and_then(|mut statement| {
            let read = |row: &rusqlite::Row<'_>| {
                Ok(Intent {
                    conversation: row.get(0)?,
                    subject: row.get(1)?,
                    tool: row.get(2)?,
                    breaker: (row.get(3)?, row.get(4)?),
                })
            };
            statement.query_row([key], read).optional()
        })
        .doing("reading the intent of an outcome")
}

fn earlier(file: &File, key: &str) -> Result<Vec<String>, StoreError> {
    file.connection
        .prepare_cached("SELECT verdict FROM outcome WHERE key = ?1 ORDER BY k")
        .and_then(|mut statement| statement.query_map([key], |row| row.get(0)).and_then(Iterator::collect))
        .doing("reading earlier outcomes")
}

fn insert(file: &File, row: &OutcomeRow, k: usize, is_readable: bool) -> Result<(), StoreError> {
    file.connection
        .prepare_cached("INSERT INTO outcome (key, k, verdict, sealed, at) VALUES (?1, ?2, ?3, ?4, ?5)")
        .and_then(|mut statement| {
            let sealed = is_readable.then_some(&row.sealed);
            statement.execute(params![row.key, k, row.verdict, sealed, nanos(row.at)])
        })
        .doing(DOING)
        .map(|_| ())
}

/// Breaker and reservation. A call counts as one failure, even if `failed` follows `unknown`.
fn settle(file: &File, row: &OutcomeRow, intent: &Intent, was_unknown: bool) -> Result<(), StoreError> {
    match row.verdict {
        "done" => breaker::went_well(file, &intent.tool),
        "refused" => {
            breaker::refused(file, &intent.tool, &row.key)?;
            spend::release(file, &row.key)
        }
        "failed" => {
            if !was_unknown {
                breaker::went_wrong(file, &intent.tool, Some(intent.breaker), nanos(row.at))?;
            }
            spend::release(file, &row.key)
        }
        "unknown" => breaker::went_wrong(file, &intent.tool, Some(intent.breaker), nanos(row.at)),
        other => Err(failed(DOING, format!("`{other}` is not done, refused, failed or unknown"))),
    }
}
