//! Circuit breakers: a tool that fails too often rests, then exactly one call may try it.
//!
//! Invariants: a breaker lives in the file, so a crash loop cannot reset it; a half-open breaker has at most one probe,
//! and only an outcome ends the probe.

use countersign_runtime::ports::StoreError;
use rusqlite::{OptionalExtension, params};

use super::file::File;
use super::rows::SECOND;
use crate::error::Doing;

/// Where no call ever stated a limit (a tool that only reads), the general numbers hold.
const FAILURES_MAX: u8 = 3;
/// Seconds such a tool rests.
const OPEN_S: i64 = 60;

/// What a breaker says about a call that is about to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// Go ahead.
    Closed,
    /// Go ahead, as the one probe.
    Probe,
    /// Not now.
    Open,
}

/// Asks the breaker of a tool.
pub(crate) fn ask(file: &File, tool: &str, (failures_max, open_s): (u8, i64), at: i64) -> Result<Says, StoreError> {
    let row = file
        .connection
        .prepare_cached("SELECT failures, failed_at, probe FROM breaker WHERE tool = ?1")
        .and_then(|mut statement| {
            let read = |row: &rusqlite::Row<'_>| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, Option<String>>(2)?))
            };
            statement.query_row([tool], read).optional()
        })
        .doing("asking a breaker")?;
    let Some((failures, failed_at, probe)) = row else { return Ok(Says::Closed) };
    // A limit of zero would refuse the very first call.
    if failures < i64::from(failures_max.max(1)) {
        return Ok(Says::Closed);
    }
    let rests_until = failed_at.saturating_add(open_s.saturating_mul(SECOND));
    Ok(if at < rests_until || probe.is_some() { Says::Open } else { Says::Probe })
}

/// Names the one probe of a half-open breaker.
pub(crate) fn set_probe(file: &File, tool: &str, key: &str) -> Result<(), StoreError> {
    file.connection
        .prepare_cached("UPDATE breaker SET probe = ?2 WHERE tool = ?1")
        .and_then(|mut statement| statement.execute([tool, key]))
        .doing("naming a probe")
        .map(|_| ())
}

/// The tool did what it should: the count begins again.
pub(crate) fn went_well(file: &File, tool: &str) -> Result<(), StoreError> {
    file.connection
        .prepare_cached(
            "UPDATE breaker SET failures = 0, probe = NULL
             WHERE tool = ?1 AND (failures > 0 OR probe IS NOT NULL)",
        )
        .and_then(|mut statement| statement.execute([tool]))
        .doing("closing a breaker")
        .map(|_| ())
}

/// The tool answered with a refusal of its own: no failure, but no proof either; another call may probe.
pub(crate) fn refused(file: &File, tool: &str, key: &str) -> Result<(), StoreError> {
    file.connection
        .prepare_cached("UPDATE breaker SET probe = NULL WHERE tool = ?1 AND probe = ?2")
        .and_then(|mut statement| statement.execute([tool, key]))
        .doing("ending a probe")
        .map(|_| ())
}

/// The tool failed, or nobody knows: one more failure, and open once there are enough. `limit` is the call's own; a
/// failure reported without one keeps what the last call stated.
pub(crate) fn went_wrong(file: &File, tool: &str, limit: Option<(u8, i64)>, at: i64) -> Result<(), StoreError> {
    let (failures_max, open_s) = limit.unwrap_or((FAILURES_MAX, OPEN_S));
    file.connection
        .prepare_cached(
            "INSERT INTO breaker (tool, failures, failures_max, open_s, failed_at) VALUES (?1, 1, ?2, ?3, ?4)
             ON CONFLICT (tool) DO UPDATE SET
                 failures = failures + 1,
                 failures_max = iif(?5, excluded.failures_max, failures_max),
                 open_s = iif(?5, excluded.open_s, open_s),
                 failed_at = excluded.failed_at,
                 probe = NULL",
        )
        .and_then(|mut statement| {
            statement.execute(params![tool, i64::from(failures_max.max(1)), open_s, at, limit.is_some()])
        })
        .doing("counting a failure")
        .map(|_| ())
}
