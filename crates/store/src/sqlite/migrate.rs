//! Brings a file's tables to the version this program knows.
//!
//! Invariants: a migration that ran is never edited (its checksum is kept in the file and compared at every start); a
//! file of a newer program is refused before anything in it changes. Deliberately absent: going back.

use std::path::Path;

use countersign_runtime::ports::StoreError;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use crate::chain::hex;
use crate::error::Doing;

/// One numbered change of the tables.
pub(crate) struct Migration {
    version: i64,
    sql: &'static str,
}

/// The control file's migrations, in order.
pub(crate) const CONTROL: &[Migration] =
    &[Migration { version: 1, sql: include_str!("../../migrations/sqlite/control/0001_tenants.sql") }];

/// A tenant file's migrations, in order.
pub(crate) const TENANT: &[Migration] =
    &[Migration { version: 1, sql: include_str!("../../migrations/sqlite/tenant/0001_ledger.sql") }];

const DOING: &str = "bringing the tables up to date";

/// Compares what ran with what is known; changes nothing.
///
/// # Errors
/// `FutureSchema` for a newer file, `Corrupt` when a migration that ran is not the one known here.
pub(crate) fn check(connection: &Connection, path: &Path, known: &[Migration]) -> Result<i64, StoreError> {
    let is_begun = connection
        .query_row("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migration'", [], |_| Ok(()))
        .optional()
        .doing(DOING)?;
    if is_begun.is_none() {
        return Ok(0);
    }
    let mut statement =
        connection.prepare("SELECT version, checksum FROM schema_migration ORDER BY version").doing(DOING)?;
    let ran = statement
        .query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .doing(DOING)?;
    let newest = known.last().map_or(0, |migration| migration.version);
    let found = ran.last().map_or(0, |(version, _)| *version);
    if found > newest {
        return Err(StoreError::FutureSchema { path: path.display().to_string(), found, known: newest });
    }
    let is_ours = ran
        .iter()
        .zip(known)
        .all(|((version, sum), migration)| *version == migration.version && *sum == checksum(migration));
    if !is_ours || ran.len() != usize::try_from(found).unwrap_or(usize::MAX) {
        let what = format!("its tables are not those of version {found}");
        return Err(StoreError::Corrupt { path: path.display().to_string(), what });
    }
    Ok(found)
}

/// Runs what has not run yet, each in a transaction of its own.
pub(crate) fn run(connection: &mut Connection, path: &Path, known: &[Migration]) -> Result<(), StoreError> {
    let found = check(connection, path, known)?;
    for migration in known.iter().filter(|migration| migration.version > found) {
        let transaction = connection.transaction().doing_at(DOING, path)?;
        transaction
            .execute_batch(
                "CREATE TABLE IF NOT EXISTS schema_migration (version INTEGER PRIMARY KEY, checksum TEXT NOT NULL) STRICT",
            )
            .and_then(|()| transaction.execute_batch(migration.sql))
            .and_then(|()| {
                transaction.execute(
                    "INSERT INTO schema_migration (version, checksum) VALUES (?1, ?2)",
                    params![migration.version, checksum(migration)],
                )
            })
            .doing_at(DOING, path)?;
        transaction.commit().doing_at(DOING, path)?;
    }
    Ok(())
}

fn checksum(migration: &Migration) -> String {
    hex(&Sha256::digest(migration.sql))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbered_from_one_without_a_gap() {
        for list in [CONTROL, TENANT] {
            let versions: Vec<_> = list.iter().map(|migration| migration.version).collect();
            assert_eq!(versions, (1..=i64::try_from(list.len()).unwrap()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_edited_migration_and_a_newer_file_are_refused() {
        let path = Path::new("file.db");
        let mut connection = Connection::open_in_memory().unwrap();
        run(&mut connection, path, CONTROL).unwrap();
        run(&mut connection, path, CONTROL).unwrap();
        assert_eq!(check(&connection, path, CONTROL).unwrap(), 1);
        assert!(matches!(check(&connection, path, TENANT), Err(StoreError::Corrupt { .. })));
        connection.execute("INSERT INTO schema_migration VALUES (2, 'x')", []).unwrap();
        let newer = check(&connection, path, CONTROL);
        assert!(matches!(newer, Err(StoreError::FutureSchema { found: 2, known: 1, .. })));
    }
}
