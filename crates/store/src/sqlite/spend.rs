//! Ceilings on money over a window, reserved with the intent and released if the call did not happen.
//!
//! Invariants: the sum is exact to the nanosecond; a reservation counts from the moment of the intent, so concurrent
//! calls cannot share room; an amount below zero never makes room.

use std::collections::BTreeMap;

use countersign_runtime::ports::{Reservation, StoreError};
use rusqlite::params;

use super::file::File;
use super::rows::{MINUTE, before};
use crate::error::Doing;

/// True if every reservation fits.
pub(crate) fn has_room(file: &File, reservations: &[Reservation], at: i64) -> Result<bool, StoreError> {
    for reservation in reservations {
        let spent = if reservation.window_s > 0 { sum(file, reservation, at)? } else { 0 };
        let fits = spent.checked_add(reservation.amount_minor).is_some_and(|total| total <= reservation.max_minor);
        if reservation.amount_minor < 0 || !fits {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Takes the room. Two windows over one bucket are one expense, so each bucket gets one row.
pub(crate) fn reserve(file: &File, key: &str, reservations: &[Reservation], at: i64) -> Result<(), StoreError> {
    let mut amounts: BTreeMap<&str, i64> = BTreeMap::new();
    for reservation in reservations.iter().filter(|reservation| reservation.window_s > 0) {
        let amount = amounts.entry(&reservation.bucket).or_default();
        *amount = reservation.amount_minor.max(*amount);
    }
    for (bucket, amount) in amounts {
        file.connection
            .prepare_cached("INSERT INTO spend (key, bucket, at, amount) VALUES (?1, ?2, ?3, ?4)")
            .and_then(|mut statement| statement.execute(params![key, bucket, at, amount]))
            .doing("reserving an amount")?;
    }
    Ok(())
}

/// Gives the room back.
pub(crate) fn release(file: &File, key: &str) -> Result<(), StoreError> {
    file.connection
        .prepare_cached("DELETE FROM spend WHERE key = ?1")
        .and_then(|mut statement| statement.execute([key]))
        .doing("releasing an amount")
        .map(|_| ())
}

/// What was spent after the window's beginning: single rows up to the next full minute, minute sums from there.
fn sum(file: &File, reservation: &Reservation, at: i64) -> Result<i64, StoreError> {
    let since = before(at, reservation.window_s).max(0);
    let minute = since / MINUTE + 1;
    file.connection
        .prepare_cached(
            "SELECT (SELECT coalesce(sum(amount), 0) FROM spend WHERE bucket = ?1 AND at > ?2 AND at < ?3)
                  + (SELECT coalesce(sum(amount), 0) FROM spend_minute WHERE bucket = ?1 AND minute >= ?4)",
        )
        .and_then(|mut statement| {
            let edge = minute.saturating_mul(MINUTE);
            statement.query_row(params![reservation.bucket, since, edge, minute], |row| row.get(0))
        })
        .doing("summing a window")
}
