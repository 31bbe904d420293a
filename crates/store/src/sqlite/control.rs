//! The control file: which tenants exist, and their secrets.
//!
//! Invariant: a tenant's name is a safe file name, because it becomes one.

use std::path::{Path, PathBuf};

use countersign_runtime::ports::StoreError;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::file;
use super::keys::{self, Secrets, Tenant};
use super::migrate;
use super::rows::nanos;
use crate::error::{Doing, failed};

/// The longest tenant name: it is part of a file name and of every record's header.
const NAME_MAX: usize = 64;

/// The control file, open.
pub(crate) struct Control {
    folder: PathBuf,
    connection: Connection,
}

impl Control {
    /// Opens the control file of a data folder.
    pub(crate) fn open(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join("control.db");
        let connection = file::open(&path, migrate::CONTROL, false)?;
        Ok(Self { folder: folder.to_owned(), connection })
    }

    /// A tenant that exists.
    pub(crate) fn find(&self, name: &str) -> Result<Option<Tenant>, StoreError> {
        let row = self
            .connection
            .query_row("SELECT key, signing_key FROM tenant WHERE name = ?1", [name], |row| {
                Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?))
            })
            .optional()
            .doing("looking up a tenant")?;
        row.map(|(key, signing_key)| Tenant::new(name, &key, &signing_key)).transpose()
    }

    /// A tenant, made if it is missing.
    pub(crate) fn find_or_make(&self, name: &str) -> Result<Tenant, StoreError> {
        check_name(name)?;
        if let Some(tenant) = self.find(name)? {
            return Ok(tenant);
        }
        // A tenant is known here before its file is made. The other way round its keys were lost, and new ones would
        // only hide that.
        let data = path(&self.folder, name);
        if data.exists() {
            let what = "its keys are not in `control.db`, which was replaced or lost".to_owned();
            return Err(StoreError::Corrupt { path: data.display().to_string(), what });
        }
        let Secrets { key, signing_key, public_key } = keys::fresh()?;
        self.connection
            .execute(
                "INSERT INTO tenant (name, key, signing_key, public_key, created) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![name, key, signing_key, public_key, nanos(Timestamp::now())],
            )
            .doing("making a tenant")?;
        Tenant::new(name, &key, &signing_key)
    }

    /// A tenant's public key.
    pub(crate) fn public_key(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.connection
            .query_row("SELECT public_key FROM tenant WHERE name = ?1", [name], |row| row.get(0))
            .optional()
            .doing("looking up a public key")
    }

    /// All tenants, by name.
    pub(crate) fn names(&self) -> Result<Vec<String>, StoreError> {
        let mut statement =
            self.connection.prepare("SELECT name FROM tenant ORDER BY name").doing("listing the tenants")?;
        statement.query_map([], |row| row.get(0)).and_then(Iterator::collect).doing("listing the tenants")
    }
}

/// Where a tenant's file lies.
pub(crate) fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join("tenants").join(format!("{name}.db"))
}

fn check_name(name: &str) -> Result<(), StoreError> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    if name.is_empty() || name.len() > NAME_MAX || !name.bytes().all(is_plain) {
        let because = format!("`{name}` is not 1 to {NAME_MAX} of the characters a-z, 0-9, `_` and `-`");
        return Err(failed("naming a tenant", because));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_safe_file_name() {
        let check = |name: &str, is_fine: bool| assert_eq!(check_name(name).is_ok(), is_fine, "`{name}`");
        check("shop", true);
        check("a-b_9", true);
        check(&"a".repeat(NAME_MAX), true);
        check(&"a".repeat(NAME_MAX + 1), false);
        for name in ["", "Shop", "a.b", "../a", "a/b", "a b", "ação", "a\0"] {
            check(name, false);
        }
    }
}
