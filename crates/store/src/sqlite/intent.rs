//! Making a call real, or refusing it, in one conditional transaction.
//!
//! Invariants: the checks run in the order below and read only; the first that objects ends it, so a refusal writes
//! nothing; a money call spends a confirmation of exactly this conversation, tool and digest, once, which the tables
//! enforce again (`sqlite/tests/structure.rs`).

use countersign_runtime::ports::{Intended, IntentRow, StoreError};
use rusqlite::{OptionalExtension, params};

use super::breaker::{self, Says};
use super::file::File;
use super::rows::{before, class_word, nanos};
use super::{spend, turn};
use crate::error::{Doing, failed};

/// The checks' answer: a reason to refuse, or none.
type Objection = Option<Intended>;

/// Makes a call real, or says why not.
pub(crate) fn intend(file: &mut File, row: &IntentRow) -> Result<Intended, StoreError> {
    if row.entry.conversation != row.conversation || row.entry.subject != row.subject {
        return Err(failed("writing an intent", "its record names another conversation or person"));
    }
    let at = nanos(row.at);
    check_owner(file, row)?;
    if has_newer_message(file, row)? {
        return Ok(refused("newer_message"));
    }
    if let Some(refused) = twin(file, row, at)? {
        return Ok(refused);
    }
    if has_call_under_way(file, row)? {
        return Ok(refused("one_effect_per_turn"));
    }
    let says = breaker::ask(file, &row.tool, row.breaker, at)?;
    if says == Says::Open {
        return Ok(refused("breaker_open"));
    }
    if let Some(refused) = confirmation(file, row, at)? {
        return Ok(refused);
    }
    if !spend::has_room(file, &row.reservations, at)? {
        return Ok(refused("spend_limit"));
    }
    grant(file, row, at)?;
    if says == Says::Probe {
        breaker::set_probe(file, &row.tool, &row.key)?;
    }
    Ok(Intended::Granted)
}

fn refused(reason: &str) -> Intended {
    Intended::Refused { reason: reason.to_owned(), existing: None }
}

fn check_owner(file: &File, row: &IntentRow) -> Result<(), StoreError> {
    let owns: bool = file
        .connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM conversation
             WHERE conversation = ?1 AND epoch = ?2 AND (subject IS NULL OR subject = ?3))",
        )
        .and_then(|mut statement| {
            statement.query_row(params![row.conversation, row.epoch, row.subject], |found| found.get(0))
        })
        .doing("checking a conversation's owner")?;
    if owns { Ok(()) } else { Err(StoreError::Fenced) }
}

/// A key is used once, and a turn that has a call under way does not start another.
fn has_call_under_way(file: &File, row: &IntentRow) -> Result<bool, StoreError> {
    file.connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM intent WHERE key = ?1)
                 OR EXISTS (SELECT 1 FROM conversation c WHERE c.conversation = ?2 AND c.open_key IS NOT NULL
                            AND NOT EXISTS (SELECT 1 FROM outcome o WHERE o.key = c.open_key))",
        )
        .and_then(|mut statement| statement.query_row([&row.key, &row.conversation], |found| found.get(0)))
        .doing("looking for an earlier intent")
}

fn has_newer_message(file: &File, row: &IntentRow) -> Result<bool, StoreError> {
    file.connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM inbox WHERE conversation = ?1 AND state = 'new' AND message > ?2)",
        )
        .and_then(|mut statement| {
            statement.query_row(params![row.conversation, row.last_message], |found| found.get(0))
        })
        .doing("looking for a newer message")
}

/// The same call for this person, in any conversation: still open, or done a moment ago.
fn twin(file: &File, row: &IntentRow, at: i64) -> Result<Objection, StoreError> {
    let is_open: bool = file
        .connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM intent i WHERE subject = ?1 AND tool = ?2 AND sameness = ?3
                 AND NOT EXISTS (SELECT 1 FROM outcome o WHERE o.key = i.key AND o.verdict <> 'unknown'))",
        )
        .and_then(|mut statement| statement.query_row([&row.subject, &row.tool, &row.sameness], |found| found.get(0)))
        .doing("looking for an unresolved twin")?;
    if is_open {
        return Ok(Some(refused("twin_unresolved")));
    }
    if row.repeat_s <= 0 {
        return Ok(None);
    }
    let existing: Option<Option<Vec<u8>>> = file
        .connection
        .prepare_cached(
            "SELECT o.sealed FROM intent i JOIN outcome o ON o.key = i.key
             WHERE i.subject = ?1 AND i.tool = ?2 AND i.sameness = ?3 AND o.verdict = 'done' AND o.at > ?4
             ORDER BY o.at DESC LIMIT 1",
        )
        .and_then(|mut statement| {
            let since = before(at, row.repeat_s);
            statement.query_row(params![row.subject, row.tool, row.sameness, since], |found| found.get(0)).optional()
        })
        .doing("looking for a recent twin")?;
    Ok(existing.map(|existing| Intended::Refused { reason: "repeat_within_window".to_owned(), existing }))
}

fn confirmation(file: &File, row: &IntentRow, at: i64) -> Result<Objection, StoreError> {
    let Some(nonce) = &row.nonce else {
        return Ok((row.risk == "money").then(|| refused("confirmation_required")));
    };
    let found: Option<(String, i64, bool)> = file
        .connection
        .prepare_cached(
            "SELECT state, expires_at, conversation = ?2 AND tool = ?3 AND digest = ?4
             FROM confirmation WHERE nonce = ?1",
        )
        .and_then(|mut statement| {
            let covers = params![nonce, row.conversation, row.tool, row.digest];
            statement.query_row(covers, |found| Ok((found.get(0)?, found.get(1)?, found.get(2)?))).optional()
        })
        .doing("reading a confirmation")?;
    let reason = match found {
        None | Some((_, _, false)) => Some("confirmation_required"),
        Some((state, expires_at, true)) => match state.as_str() {
            "pending" => (at > expires_at).then_some("confirmation_expired"),
            "consumed" => Some("confirmation_used"),
            _ => Some("confirmation_required"),
        },
    };
    Ok(reason.map(refused))
}

fn grant(file: &mut File, row: &IntentRow, at: i64) -> Result<(), StoreError> {
    if let Some(nonce) = &row.nonce {
        file.connection
            .prepare_cached("UPDATE confirmation SET state = 'consumed' WHERE nonce = ?1")
            .and_then(|mut statement| statement.execute([nonce]))
            .doing("spending a confirmation")?;
        turn::forget_timer(file, &row.conversation, nonce)?;
    }
    insert(file, row, at)?;
    spend::reserve(file, &row.key, &row.reservations, at)?;
    file.connection
        .prepare_cached(
            "UPDATE conversation SET sealed_state = ?3, open_key = ?4, subject = ?5
             WHERE conversation = ?1 AND epoch = ?2",
        )
        .and_then(|mut statement| {
            statement.execute(params![row.conversation, row.epoch, row.sealed_state, row.key, row.subject])
        })
        .doing("saving the state with an intent")?;
    file.append(&row.entry, Some(&row.entry.sealed))
}

fn insert(file: &File, row: &IntentRow, at: i64) -> Result<(), StoreError> {
    file.connection
        .prepare_cached(
            "INSERT INTO intent (key, conversation, subject, epoch, tool, risk, digest, sameness, class, nonce,
                                 failures_max, open_s, at, sealed_call)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )
        .and_then(|mut statement| {
            statement.execute(params![
                row.key,
                row.conversation,
                row.subject,
                row.epoch,
                row.tool,
                row.risk,
                row.digest,
                row.sameness,
                class_word(row.class),
                row.nonce,
                row.breaker.0,
                row.breaker.1,
                at,
                row.sealed_call
            ])
        })
        .doing("writing an intent")
        .map(|_| ())
}
