//! The store on SQLite: a folder with one control file, one file per tenant, and a lock.
//!
//! Invariants: one process at a time; a tenant's data is reached only through that tenant's handle; nothing is
//! acknowledged before its commit is on the disk. Deliberately absent: a query over several tenants.

mod breaker;
mod control;
mod file;
mod handle;
mod inbox;
mod intent;
mod keys;
mod migrate;
mod outbox;
mod outcome;
mod read;
mod rows;
mod spend;
mod subject;
mod turn;
mod writer;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use async_trait::async_trait;
use countersign_runtime::ports::{Store, StoreError, TenantStore};
use tokio::sync::mpsc;

use self::control::Control;
pub(crate) use self::handle::Handle;
use self::keys::Tenant;
use self::writer::{QUEUE_MAX, Request, Writer};
use crate::audit::export;
use crate::error::{Doing, failed};

/// Threads at most: beyond this the disk is the limit, not the threads.
const THREADS_MAX: usize = 64;

/// How a store is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Writer threads; each tenant's file belongs to one of them.
    pub threads: usize,
    /// Files each thread keeps open.
    pub open_files: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { threads: 2, open_files: 64 }
    }
}

/// A signed statement about the log: its size and the root of the tree over all its records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedCheckpoint {
    /// How many records it covers.
    pub size: u64,
    /// The text that was signed.
    pub note: String,
    /// The Ed25519 signature, base64.
    pub signature: String,
}

/// What an export wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exported {
    /// Records written.
    pub records: u64,
    /// Checkpoints written.
    pub checkpoints: u64,
}

/// The store: all tenants of one data folder.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    inner: Arc<Inner>,
}

impl SqliteStore {
    /// Opens a data folder, making it if it is missing.
    ///
    /// # Errors
    /// `InUse` while another process holds the folder, `Corrupt` or `FutureSchema` for a control file that cannot be
    /// used (nothing is changed then), `Failed` when the folder cannot be written.
    pub fn open(folder: &Path, options: Options) -> Result<Self, StoreError> {
        make_folder(&folder.join("tenants"))?;
        // An absolute path, so that a later change of the working folder changes nothing.
        let folder = folder.canonicalize().doing_at("finding the data folder", folder)?;
        let lock = lock(&folder)?;
        let control = Control::open(&folder)?;
        let commits = Arc::new(AtomicU64::new(0));
        let (mut senders, mut threads) = (Vec::new(), Vec::new());
        for number in 0..options.threads.clamp(1, THREADS_MAX) {
            let (sender, requests) = mpsc::channel(QUEUE_MAX);
            let writer = Writer::new(folder.clone(), options.open_files, Arc::clone(&commits));
            let thread = std::thread::Builder::new()
                .name(format!("store-{number}"))
                .spawn(move || writer.run(requests))
                .doing("starting a writer thread")?;
            senders.push(sender);
            threads.push(thread);
        }
        let (control, tenants) = (Mutex::new(control), Mutex::new(BTreeMap::new()));
        Ok(Self { inner: Arc::new(Inner { folder, control, tenants, senders, threads, commits, _lock: lock }) })
    }

    /// Commits that changed something since the store was opened, over all tenants: each is one wait for the disk.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.inner.commits.load(Ordering::Relaxed)
    }

    /// All tenants, by name.
    ///
    /// # Errors
    /// `Failed` when the control file cannot be read.
    pub fn tenants(&self) -> Result<Vec<String>, StoreError> {
        lock_anyway(&self.inner.control).names()
    }

    /// A tenant's public key: what a verifier needs besides the export.
    ///
    /// # Errors
    /// `Failed` when the tenant does not exist.
    pub fn public_key(&self, tenant: &str) -> Result<Vec<u8>, StoreError> {
        let key = lock_anyway(&self.inner.control).public_key(tenant)?;
        key.ok_or_else(|| unknown_tenant(tenant))
    }

    /// Signs a tenant's log as it is now; none while the log is empty. The same size is signed once.
    ///
    /// # Errors
    /// `Failed` when the tenant does not exist or the file cannot be written.
    pub async fn checkpoint_now(&self, tenant: &str) -> Result<Option<SignedCheckpoint>, StoreError> {
        self.existing(tenant)?.checkpoint_now().await
    }

    /// Writes a tenant's log as JSON lines, with a fresh checkpoint over its end. What it says can be checked by
    /// [`crate::audit::verify_export`] with the public key alone.
    ///
    /// # Errors
    /// `Failed` when the tenant does not exist, the log cannot be read or `out` cannot be written.
    pub async fn export(&self, tenant: &str, out: impl Write) -> Result<Exported, StoreError> {
        export::write(&self.existing(tenant)?, out).await
    }

    fn existing(&self, tenant: &str) -> Result<Handle, StoreError> {
        let known = lock_anyway(&self.inner.tenants).get(tenant).cloned();
        let tenant = match known {
            Some(known) => known,
            None => {
                let found = lock_anyway(&self.inner.control).find(tenant)?;
                Arc::new(found.ok_or_else(|| unknown_tenant(tenant))?)
            }
        };
        self.inner.handle(tenant)
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn tenant(&self, tenant: &str) -> Result<Arc<dyn TenantStore>, StoreError> {
        let known = lock_anyway(&self.inner.tenants).get(tenant).cloned();
        let tenant = match known {
            Some(known) => known,
            // Waits for the disk, but only at a tenant's first use in this process.
            None => {
                let control = lock_anyway(&self.inner.control);
                let found = Arc::new(control.find_or_make(tenant)?);
                lock_anyway(&self.inner.tenants).entry(tenant.to_owned()).or_insert(found).clone()
            }
        };
        let handle = self.inner.handle(tenant)?;
        // A damaged or newer file is found here, not at the first message.
        handle.touch().await?;
        Ok(Arc::new(handle))
    }
}

/// What the store and its handles share. Dropping the last of them ends the threads, then lets go of the folder.
struct Inner {
    folder: PathBuf,
    control: Mutex<Control>,
    tenants: Mutex<BTreeMap<String, Arc<Tenant>>>,
    senders: Vec<mpsc::Sender<Request>>,
    threads: Vec<JoinHandle<()>>,
    commits: Arc<AtomicU64>,
    _lock: File,
}

impl Inner {
    fn handle(self: &Arc<Self>, tenant: Arc<Tenant>) -> Result<Handle, StoreError> {
        let mut hasher = DefaultHasher::new();
        tenant.name.hash(&mut hasher);
        // INVARIANT: a tenant always goes to the same thread, so its file has one writer.
        let number = hasher.finish().checked_rem(self.senders.len() as u64).unwrap_or(0);
        let sender = usize::try_from(number).ok().and_then(|number| self.senders.get(number)).cloned();
        let sender = sender.ok_or_else(|| failed("finding a tenant's thread", "there is none"))?;
        Ok(Handle::new(tenant, sender, Arc::clone(self)))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.senders.clear();
        for thread in self.threads.drain(..) {
            // A thread that panicked has already failed its jobs.
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner").field("folder", &self.folder).finish_non_exhaustive()
    }
}

fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    // The control file holds keys: nobody else has business in the folder.
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).doing_at("making the data folder", folder)
}

fn lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join("lock");
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.doing_at("opening the lock file", &path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse { path: folder.display().to_string() }),
        Err(TryLockError::Error(error)) => Err(error).doing_at("locking the data folder", &path),
    }
}

/// A thread that panicked while holding a lock leaves data that is whole: both guarded values change in one step.
fn lock_anyway<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unknown_tenant(tenant: &str) -> StoreError {
    failed("looking up a tenant", format!("there is no tenant `{tenant}`"))
}
