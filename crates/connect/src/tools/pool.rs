//! The business databases that are open: one file per tenant, opened when first needed.
//!
//! Invariant: a tenant's name is only ever a file name inside the folder, never a path.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::sql::{Business, PackData};

/// Databases that are open at once; each holds a handful of file handles, and a process has about a thousand.
pub(crate) const OPEN_MAX: usize = 64;
/// Longest tenant name; longer ones do not fit a file name on every system.
const TENANT_MAX: usize = 64;

/// Opens and keeps business databases.
#[derive(Debug)]
pub(crate) struct Pool {
    dir: PathBuf,
    data: PackData,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    tenants: BTreeMap<String, (u64, Arc<Business>)>,
    uses: u64,
}

impl Pool {
    /// Databases in the folder `business` of `dir`.
    pub(crate) fn new(dir: PathBuf, data: PackData) -> Self {
        Self { dir: dir.join("business"), data, open: Mutex::default() }
    }

    /// A tenant's database if it is open and nobody is opening another; never blocks.
    pub(crate) fn ready(&self, tenant: &str) -> Option<Arc<Business>> {
        let mut open = self.open.try_lock().ok()?;
        open.uses += 1;
        let now = open.uses;
        let (used, business) = open.tenants.get_mut(tenant)?;
        *used = now;
        Some(Arc::clone(business))
    }

    /// A tenant's database. Blocks while it is opened for the first time.
    pub(crate) fn get(&self, tenant: &str) -> Result<Arc<Business>, String> {
        if !is_file_name(tenant) {
            return Err(format!("`{tenant}` is not a tenant: letters, digits, `-` and `_`, at most {TENANT_MAX}"));
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.uses += 1;
        let now = open.uses;
        if let Some((used, business)) = open.tenants.get_mut(tenant) {
            *used = now;
            return Ok(Arc::clone(business));
        }
        std::fs::create_dir_all(&self.dir).map_err(|error| format!("the data folder cannot be made: {error}"))?;
        let path = self.dir.join(format!("{tenant}.db"));
        let business = Arc::new(Business::open(&path, &self.data).map_err(|error| explain(&error))?);
        if open.tenants.len() >= OPEN_MAX {
            let oldest = open.tenants.iter().min_by_key(|(_, (used, _))| *used).map(|(name, _)| name.clone());
            oldest.and_then(|name| open.tenants.remove(&name));
        }
        open.tenants.insert(tenant.to_owned(), (now, Arc::clone(&business)));
        Ok(business)
    }
}

fn is_file_name(tenant: &str) -> bool {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !tenant.is_empty() && tenant.len() <= TENANT_MAX && tenant.chars().all(is_legal)
}

/// An error with its causes in one line.
fn explain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tests::folder;

    #[test]
    fn a_tenant_is_a_file_name_and_never_a_path() {
        let folder = folder("pool-names");
        let pool = Pool::new(folder.path(), PackData::default());
        assert!(pool.get("acme-2_BR").is_ok());
        assert!(pool.get(&"a".repeat(TENANT_MAX)).is_ok());
        for wrong in ["", "../acme", "a/b", "a.b", "ação", "a b", &"a".repeat(TENANT_MAX + 1)] {
            assert!(pool.get(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_same_tenant_is_opened_once_and_the_number_is_bounded() {
        let folder = folder("pool-bound");
        let pool = Pool::new(folder.path(), PackData::default());
        let first = pool.get("t0").unwrap();
        assert!(Arc::ptr_eq(&first, &pool.get("t0").unwrap()));
        for number in 1..=OPEN_MAX {
            pool.get(&format!("t{number}")).unwrap();
        }
        assert_eq!(pool.open.lock().unwrap().tenants.len(), OPEN_MAX);
        assert!(!Arc::ptr_eq(&first, &pool.get("t0").unwrap()), "the least recently used one was closed");
    }

    #[test]
    fn broken_sql_is_explained_and_leaves_no_tables() {
        let folder = folder("pool-broken");
        let data = PackData { schema: "create table a (x)".to_owned(), seed: "insert into b values (1)".to_owned() };
        let message = Pool::new(folder.path(), data.clone()).get("t").unwrap_err();
        assert!(message.contains("filling the pack's tables") && message.contains("no such table"), "{message}");
        let mended = PackData { seed: "insert into a values (1)".to_owned(), ..data };
        assert!(Pool::new(folder.path(), mended).get("t").is_ok(), "the first try left nothing behind");
    }
}
