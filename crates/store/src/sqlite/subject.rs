//! People: found by a keyed hash of their address, named by a random pseudonym, readable by a key of their own.
//!
//! Invariant: the address and the key are in the file only sealed; without the key row nothing leads back to a person.

use countersign_runtime::ports::{Entry, StoreError, Subject};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};

use super::file::File;
use super::keys::{fresh_person, open_address, seal_address};
use super::rows::nanos;
use crate::error::Doing;

/// The person behind an address, made if they are new.
pub(crate) fn find_or_make(file: &File, address: &str) -> Result<Subject, StoreError> {
    let hmac = file.tenant.address_hmac(address);
    let known = file
        .connection
        .prepare_cached("SELECT pseudonym, wrapped_key, is_opted_out FROM subject WHERE address_hmac = ?1")
        .and_then(|mut statement| {
            statement.query_row([&hmac], |row| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?, row.get(2)?))).optional()
        })
        .doing("looking up a person")?;
    if let Some((pseudonym, wrapped, is_opted_out)) = known {
        return open(file, pseudonym, &wrapped, is_opted_out);
    }
    let (pseudonym, key) = fresh_person()?;
    let wrapped = file.tenant.wrap(&pseudonym, &key)?;
    let sealed = seal_address(&pseudonym, &key, address)?;
    file.connection
        .prepare_cached(
            "INSERT INTO subject (pseudonym, address_hmac, wrapped_key, address, created) VALUES (?1, ?2, ?3, ?4, ?5)",
        )
        .and_then(|mut statement| statement.execute(params![pseudonym, hmac, wrapped, sealed, nanos(Timestamp::now())]))
        .doing("adding a person")?;
    Ok(Subject { pseudonym, key, is_opted_out: false })
}

/// A known person.
pub(crate) fn by_name(file: &File, pseudonym: &str) -> Result<Option<Subject>, StoreError> {
    let known = file
        .connection
        .prepare_cached("SELECT wrapped_key, is_opted_out FROM subject WHERE pseudonym = ?1")
        .and_then(|mut statement| {
            statement.query_row([pseudonym], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get(1)?))).optional()
        })
        .doing("looking up a person by pseudonym")?;
    known.map(|(wrapped, is_opted_out)| open(file, pseudonym.to_owned(), &wrapped, is_opted_out)).transpose()
}

/// The address behind a pseudonym.
pub(crate) fn address(file: &File, pseudonym: &str) -> Result<Option<String>, StoreError> {
    let known = file
        .connection
        .prepare_cached("SELECT wrapped_key, address FROM subject WHERE pseudonym = ?1")
        .and_then(|mut statement| {
            let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?));
            statement.query_row([pseudonym], read).optional()
        })
        .doing("looking up an address")?;
    let Some((wrapped, sealed)) = known else { return Ok(None) };
    let key = file.tenant.unwrap(pseudonym, &wrapped)?;
    open_address(pseudonym, &key, &sealed).map(Some)
}

/// True while the person has not been erased.
pub(crate) fn exists(file: &File, pseudonym: &str) -> Result<bool, StoreError> {
    file.connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM subject WHERE pseudonym = ?1)")
        .and_then(|mut statement| statement.query_row([pseudonym], |row| row.get(0)))
        .doing("looking for a person")
}

/// Forgets a person: their key, everything sealed with it, and what led to them. The chain stays whole.
///
/// INVARIANT: nothing of a person is left readable, and no epoch falls back (`conformance::people`).
pub(crate) fn erase(file: &mut File, pseudonym: &str, entry: &Entry) -> Result<(), StoreError> {
    const STATEMENTS: &[&str] = &[
        // Records are found through their conversations, whose rows are never deleted.
        "UPDATE record SET sealed = NULL WHERE subject = ?1 AND sealed IS NOT NULL
             AND conversation IN (SELECT conversation FROM conversation WHERE subject = ?1)",
        "UPDATE outcome SET sealed = NULL WHERE sealed IS NOT NULL
             AND key IN (SELECT key FROM intent WHERE subject = ?1)",
        "UPDATE intent SET sealed_call = NULL WHERE subject = ?1 AND sealed_call IS NOT NULL",
        // A probe that nobody will report on any more must not keep a breaker half-open for ever.
        "UPDATE breaker SET probe = NULL WHERE probe IN (SELECT key FROM intent WHERE subject = ?1)",
        "UPDATE outbox SET sealed = NULL, state = iif(state = 'sent', 'sent', 'cancelled')
             WHERE subject = ?1 AND sealed IS NOT NULL",
        "UPDATE confirmation SET state = 'void' WHERE state = 'pending'
             AND conversation IN (SELECT conversation FROM conversation WHERE subject = ?1)",
        "DELETE FROM timer WHERE subject = ?1",
        "DELETE FROM ticket WHERE subject = ?1",
        "DELETE FROM inbox WHERE subject = ?1",
        "UPDATE conversation SET subject = NULL, sealed_state = NULL, open_key = NULL, epoch = epoch + 1
             WHERE subject = ?1",
        "DELETE FROM subject WHERE pseudonym = ?1",
    ];
    if !exists(file, pseudonym)? {
        return Ok(());
    }
    for sql in STATEMENTS {
        file.connection.execute(sql, [pseudonym]).doing("erasing a person")?;
    }
    // Whatever was sealed for this record was sealed with the key that is gone.
    file.append(entry, None)
}

fn open(file: &File, pseudonym: String, wrapped: &[u8], is_opted_out: bool) -> Result<Subject, StoreError> {
    let key = file.tenant.unwrap(&pseudonym, wrapped)?;
    Ok(Subject { pseudonym, key, is_opted_out })
}
