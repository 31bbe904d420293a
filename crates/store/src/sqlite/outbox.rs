//! Messages to be sent: inserted as `sending` by the commit that decided them, marked when the channel answered.
//!
//! Invariant: a message whose send may have begun is known by its attempts, so recovery can tell a first resend from a
//! second.

use countersign_runtime::ports::{OutboxItem, Outgoing, SendOutcome, StoreError};
use jiff::Timestamp;
use rusqlite::{Row, params};

use super::file::File;
use super::rows::{nanos, outgoing, outgoing_word, send_word};
use crate::error::{Doing, failed};

/// Messages handed to recovery at once; the rest comes once these are marked.
const UNSENT_MAX: i64 = 1_000;

/// Adds messages; returns their numbers in order. A person who was erased meanwhile gets none.
pub(crate) fn insert(
    file: &File,
    messages: &[Outgoing],
    intent_key: Option<&str>,
    at: Timestamp,
    is_readable: bool,
) -> Result<Vec<u64>, StoreError> {
    let mut ids = Vec::with_capacity(messages.len());
    for message in messages {
        let state = if is_readable { "sending" } else { "cancelled" };
        let sealed = is_readable.then_some(&message.sealed);
        let id = file
            .connection
            .prepare_cached(
                "INSERT INTO outbox (conversation, subject, class, intent_key, sealed, at, state)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )
            .and_then(|mut statement| {
                statement.insert(params![
                    message.conversation,
                    message.subject,
                    outgoing_word(message.class),
                    intent_key,
                    sealed,
                    nanos(at),
                    state
                ])
            })
            .doing("adding a message to the outbox")?;
        ids.push(u64::try_from(id).doing("numbering a message of the outbox")?);
    }
    Ok(ids)
}

/// The messages a call's outcome brought.
pub(crate) fn of_intent(file: &File, key: &str) -> Result<Vec<u64>, StoreError> {
    file.connection
        .prepare_cached("SELECT id FROM outbox WHERE intent_key = ?1 ORDER BY id")
        .and_then(|mut statement| statement.query_map([key], |row| row.get(0)).and_then(Iterator::collect))
        .doing("reading a call's messages")
}

/// Marks a message. What was sent or cancelled stays so; its body is no longer needed.
pub(crate) fn mark(file: &File, id: u64, outcome: SendOutcome) -> Result<(), StoreError> {
    const DOING: &str = "marking a message of the outbox";
    let changed = file
        .connection
        .prepare_cached(
            "UPDATE outbox SET state = ?2, sealed = iif(?2 = 'unknown', sealed, NULL)
             WHERE id = ?1 AND state IN ('sending', 'unknown')",
        )
        .and_then(|mut statement| statement.execute(params![id, send_word(outcome)]))
        .doing(DOING)?;
    let is_known = changed > 0
        || file
            .connection
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM outbox WHERE id = ?1)")
            .and_then(|mut statement| statement.query_row([id], |row| row.get(0)))
            .doing(DOING)?;
    if is_known { Ok(()) } else { Err(failed(DOING, format!("there is no message {id}"))) }
}

/// Messages whose send was begun and not marked. Handing them out begins another attempt, so it is counted before
/// anything is sent; each item says how many were begun before.
pub(crate) fn unsent(file: &File) -> Result<Vec<OutboxItem>, StoreError> {
    let mut items: Vec<OutboxItem> = file
        .connection
        .prepare_cached(
            "UPDATE outbox SET attempts = attempts + 1
             WHERE id IN (SELECT id FROM outbox WHERE state = 'sending' ORDER BY id LIMIT ?1)
             RETURNING id, conversation, subject, class, sealed, attempts - 1",
        )
        .and_then(|mut statement| statement.query_map([UNSENT_MAX], read).and_then(Iterator::collect))
        .doing("reading unsent messages")?;
    items.sort_by_key(|item| item.id);
    Ok(items)
}

fn read(row: &Row<'_>) -> rusqlite::Result<OutboxItem> {
    Ok(OutboxItem {
        id: row.get(0)?,
        outgoing: Outgoing {
            conversation: row.get(1)?,
            subject: row.get(2)?,
            class: outgoing(3, &row.get::<_, String>(3)?)?,
            sealed: row.get(4)?,
        },
        attempts: row.get(5)?,
    })
}
