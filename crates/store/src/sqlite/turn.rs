//! The end of a turn: state, inbox, outbox, questions, timers, tickets and the record, all or nothing.
//!
//! Invariant: only the conversation's current owner ends a turn; anybody else changes nothing and is told so.

use countersign_runtime::ports::{StoreError, TurnRow};
use rusqlite::{OptionalExtension, params};

use super::breaker;
use super::file::File;
use super::outbox;
use super::outcome;
use super::rows::nanos;
use crate::error::{Doing, failed};

/// Ends a turn; returns the outbox numbers of its messages.
pub(crate) fn commit(file: &mut File, row: &TurnRow) -> Result<Vec<u64>, StoreError> {
    if row.entry.conversation != row.conversation || row.entry.subject != row.subject {
        return Err(failed("ending a turn", "its record names another conversation or person"));
    }
    if let Some((tool, went_well)) = &row.breaker {
        tell_breaker(file, row, tool, *went_well)?;
    }
    save_state(file, row)?;
    end_messages(file, row)?;
    let ids = outbox::insert(file, &row.outgoing, None, row.at, true)?;
    settle_questions(file, row)?;
    settle_timers(file, row)?;
    add_tickets(file, row)?;
    if let Some(is_opted_out) = row.consent {
        file.connection
            .prepare_cached("UPDATE subject SET is_opted_out = ?2 WHERE pseudonym = ?1")
            .and_then(|mut statement| statement.execute(params![row.subject, is_opted_out]))
            .doing("writing a person's consent")?;
    }
    file.append(&row.entry, Some(&row.entry.sealed))?;
    Ok(ids)
}

fn save_state(file: &File, row: &TurnRow) -> Result<(), StoreError> {
    let changed = file
        .connection
        .prepare_cached(
            "UPDATE conversation SET sealed_state = ?4, open_key = NULL, subject = ?3
             WHERE conversation = ?1 AND epoch = ?2 AND (subject IS NULL OR subject = ?3)",
        )
        .and_then(|mut statement| {
            statement.execute(params![row.conversation, row.epoch, row.subject, row.sealed_state])
        })
        .doing("saving a conversation's state")?;
    if changed == 1 { Ok(()) } else { Err(StoreError::Fenced) }
}

/// The content of a finished message is in the record; the row stays, because a provider may deliver it again.
fn end_messages(file: &File, row: &TurnRow) -> Result<(), StoreError> {
    file.connection
        .prepare_cached(
            "UPDATE inbox SET state = 'done', sealed = NULL
             WHERE conversation = ?1 AND state = 'new' AND message <= ?2",
        )
        .and_then(|mut statement| statement.execute(params![row.conversation, row.done_until]))
        .doing("ending messages")
        .map(|_| ())
}

/// Questions that were asked again with the same name only live longer.
fn settle_questions(file: &File, row: &TurnRow) -> Result<(), StoreError> {
    for nonce in &row.voided {
        file.connection
            .prepare_cached(
                "UPDATE confirmation SET state = 'void' WHERE nonce = ?1 AND conversation = ?2 AND state = 'pending'",
            )
            .and_then(|mut statement| statement.execute([nonce, &row.conversation]))
            .doing("voiding a question")?;
        forget_timer(file, &row.conversation, nonce)?;
    }
    for question in &row.confirmations {
        file.connection
            .prepare_cached(
                "INSERT INTO confirmation (nonce, conversation, tool, digest, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (nonce) DO UPDATE SET expires_at = excluded.expires_at, conversation = excluded.conversation,
                     tool = excluded.tool, digest = excluded.digest",
            )
            .and_then(|mut statement| {
                let (tool, digest) = (&question.tool, &question.digest);
                statement.execute(params![question.nonce, row.conversation, tool, digest, nanos(question.expires_at)])
            })
            .doing("writing a question")?;
    }
    Ok(())
}

/// A question that is decided needs no reminder.
pub(crate) fn forget_timer(file: &File, conversation: &str, nonce: &str) -> Result<(), StoreError> {
    file.connection
        .prepare_cached("DELETE FROM timer WHERE conversation = ?1 AND kind = 'confirmation' AND reference = ?2")
        .and_then(|mut statement| statement.execute([conversation, nonce]))
        .doing("ending a question's timer")
        .map(|_| ())
}

fn settle_timers(file: &File, row: &TurnRow) -> Result<(), StoreError> {
    if let Some((kind, reference)) = &row.timer_done {
        file.connection
            .prepare_cached("DELETE FROM timer WHERE conversation = ?1 AND kind = ?2 AND reference = ?3")
            .and_then(|mut statement| statement.execute([&row.conversation, kind, reference]))
            .doing("ending a timer")?;
    }
    for timer in &row.timers {
        file.connection
            .prepare_cached(
                "INSERT INTO timer (conversation, kind, reference, subject, at) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (conversation, kind, reference) DO UPDATE SET at = excluded.at, subject = excluded.subject",
            )
            .and_then(|mut statement| {
                let (kind, reference) = (&timer.kind, &timer.reference);
                statement.execute(params![timer.conversation, kind, reference, timer.subject, nanos(timer.at)])
            })
            .doing("setting a timer")?;
    }
    Ok(())
}

fn add_tickets(file: &File, row: &TurnRow) -> Result<(), StoreError> {
    for body in &row.tickets {
        file.connection
            .prepare_cached("INSERT INTO ticket (conversation, subject, body, at) VALUES (?1, ?2, ?3, ?4)")
            .and_then(|mut statement| statement.execute(params![row.conversation, row.subject, body, nanos(row.at)]))
            .doing("adding a ticket")?;
    }
    Ok(())
}

/// News that the open call's own outcome already told must not count twice.
fn tell_breaker(file: &File, row: &TurnRow, tool: &str, went_well: bool) -> Result<(), StoreError> {
    let open: Option<String> = file
        .connection
        .prepare_cached(
            "SELECT i.key FROM conversation c JOIN intent i ON i.key = c.open_key
             WHERE c.conversation = ?1 AND i.tool = ?2",
        )
        .and_then(|mut statement| {
            statement.query_row([row.conversation.as_str(), tool], |found| found.get(0)).optional()
        })
        .doing("reading the open call")?;
    let told = match open {
        Some(key) => outcome::verdict(file, &key)?,
        None => None,
    };
    match (told.as_deref(), went_well) {
        (Some("done"), true) | (Some("failed" | "unknown"), false) => Ok(()),
        (_, true) => breaker::went_well(file, tool),
        (_, false) => breaker::went_wrong(file, tool, None, nanos(row.at)),
    }
}
