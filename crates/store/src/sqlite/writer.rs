//! Writer threads: each tenant's file belongs to exactly one; what waits is committed together.
//!
//! Invariants: a job is answered only after the commit that contains it; a job that fails undoes only itself; after a
//! failed commit the file is not touched again by this process, because a failed fsync must not be retried.
//! Deliberately absent: a second connection. Reads run here too, so they see every answered write.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use countersign_runtime::ports::StoreError;
use tokio::sync::{mpsc, oneshot};

use super::control;
use super::file::File;
use super::keys::Tenant;
use crate::error::{Doing, again, failed, is_fatal};

/// Jobs committed together at most: enough to share an fsync, few enough that none waits long.
pub(crate) const BATCH_MAX: usize = 256;
/// Jobs that may wait for a thread; further senders wait their turn.
pub(crate) const QUEUE_MAX: usize = 1_024;

/// How long a job nobody waits for may wait for company.
const SOON: Duration = Duration::from_millis(20);
/// How often a thread that holds such jobs looks for new ones.
const GLANCE: Duration = Duration::from_millis(1);

/// What a job needs of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Changes nothing.
    Read,
    /// Changes rows, but nobody waits for it: it joins the next commit, or is written after a moment.
    Soon,
    /// May change rows.
    Write,
    /// Changes rows, and the write-ahead log is emptied before the answer; never shares a commit.
    WriteAndEmptyWal,
}

/// Something to do on a tenant's file.
pub(crate) struct Request {
    tenant: Arc<Tenant>,
    need: Need,
    job: Box<dyn Job>,
    since: Instant,
}

impl Request {
    /// A request and the place where its answer arrives.
    pub(crate) fn new<T, F>(tenant: Arc<Tenant>, need: Need, work: F) -> (Self, Answer<T>)
    where
        T: Send + 'static,
        F: FnOnce(&mut File) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Call { work: Some(work), result: None, reply });
        (Self { tenant, need, job, since: Instant::now() }, answer)
    }

    /// Nothing else will come: it waits no longer.
    fn ripen(&mut self) {
        self.need = Need::Write;
    }

    /// True once a job nobody waits for has waited long enough.
    fn is_ripe(&self) -> bool {
        self.since.elapsed() >= SOON
    }
}

/// Where a job's answer arrives.
pub(crate) type Answer<T> = oneshot::Receiver<Result<T, StoreError>>;

trait Job: Send {
    /// Runs inside the transaction; false if it failed and must be undone, an error if the file is at fault.
    fn run(&mut self, file: &mut File) -> Result<bool, StoreError>;
    /// Answers, after the commit or its failure.
    fn finish(self: Box<Self>, end: Result<(), &StoreError>);
}

struct Call<T, F> {
    work: Option<F>,
    result: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T: Send, F: FnOnce(&mut File) -> Result<T, StoreError> + Send> Job for Call<T, F> {
    fn run(&mut self, file: &mut File) -> Result<bool, StoreError> {
        let Some(work) = self.work.take() else { return Ok(false) };
        let result = work(file);
        let ended = match &result {
            Err(error) if is_fatal(error) => Err(again(error)),
            Err(_) => Ok(false),
            Ok(_) => Ok(true),
        };
        self.result = Some(result);
        ended
    }

    fn finish(self: Box<Self>, end: Result<(), &StoreError>) {
        let answer = match (end, self.result) {
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => Err(failed("running a job", "it was skipped")),
            // Its own error says more than the batch's.
            (Err(_), Some(Err(own))) => Err(own),
            (Err(error), Some(Ok(_)) | None) => Err(again(error)),
        };
        // Nobody may be waiting any more; the work is done all the same.
        let _ = self.reply.send(answer);
    }
}

/// The next jobs: those held back, with the first new one or once they are ripe; none when nobody can ask any more.
fn wait(requests: &mut mpsc::Receiver<Request>, mut held: Vec<Request>) -> Option<Vec<Request>> {
    if held.is_empty() {
        return requests.blocking_recv().map(|first| vec![first]);
    }
    while !held.iter().any(Request::is_ripe) {
        match requests.try_recv() {
            Ok(next) => {
                held.push(next);
                return Some(held);
            }
            Err(mpsc::error::TryRecvError::Empty) => std::thread::sleep(GLANCE),
            Err(mpsc::error::TryRecvError::Disconnected) => {
                held.iter_mut().for_each(Request::ripen);
                return Some(held);
            }
        }
    }
    Some(held)
}

/// One writer thread's own data.
pub(crate) struct Writer {
    folder: PathBuf,
    open_max: usize,
    commits: Arc<AtomicU64>,
    files: BTreeMap<String, (u64, File)>,
    uses: u64,
    checked: BTreeSet<String>,
    broken: BTreeSet<String>,
}

impl Writer {
    /// A writer for files in a folder, keeping at most `open_max` of them open.
    pub(crate) fn new(folder: PathBuf, open_max: usize, commits: Arc<AtomicU64>) -> Self {
        let (files, checked, broken) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
        Self { folder, open_max: open_max.max(1), commits, files, uses: 0, checked, broken }
    }

    /// Serves until nobody can ask any more.
    pub(crate) fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        let mut held = Vec::new();
        while let Some(mut waiting) = wait(&mut requests, std::mem::take(&mut held)) {
            while waiting.len() < BATCH_MAX
                && let Ok(next) = requests.try_recv()
            {
                waiting.push(next);
            }
            if waiting.iter().all(|request| request.need == Need::Soon && !request.is_ripe()) {
                held = waiting;
                continue;
            }
            for (tenant, requests) in by_tenant(waiting) {
                self.serve(&tenant, requests);
            }
        }
    }

    fn serve(&mut self, tenant: &Arc<Tenant>, requests: Vec<Request>) {
        let mut together = Vec::new();
        for request in requests {
            if request.need == Need::WriteAndEmptyWal {
                self.commit(tenant, std::mem::take(&mut together));
                self.commit(tenant, vec![request]);
            } else {
                together.push(request);
            }
        }
        self.commit(tenant, together);
    }

    fn commit(&mut self, tenant: &Arc<Tenant>, mut requests: Vec<Request>) {
        if requests.is_empty() {
            return;
        }
        let end = self.try_commit(tenant, &mut requests);
        for request in requests {
            request.job.finish(end.as_ref().copied());
        }
    }

    fn try_commit(&mut self, tenant: &Arc<Tenant>, requests: &mut [Request]) -> Result<(), StoreError> {
        if self.broken.contains(&tenant.name) {
            let because = "a commit to this tenant's file failed before; restart once the disk is in order";
            return Err(failed("writing", because));
        }
        let file = self.file(tenant)?;
        file.connection.execute_batch("BEGIN IMMEDIATE").doing("beginning a transaction")?;
        let before = file.connection.total_changes();
        let ended = run_all(file, requests);
        let has_changed = file.connection.total_changes() != before;
        if let Err(error) = ended {
            self.give_up(&tenant.name);
            return Err(error);
        }
        if has_changed {
            self.commits.fetch_add(1, Ordering::Relaxed);
        }
        if requests.iter().any(|request| request.need == Need::WriteAndEmptyWal) {
            return self.empty_wal(tenant);
        }
        Ok(())
    }

    fn empty_wal(&mut self, tenant: &Arc<Tenant>) -> Result<(), StoreError> {
        let emptied = self.file(tenant)?.empty_wal();
        if emptied.as_ref().is_err_and(is_fatal) {
            self.give_up(&tenant.name);
        }
        emptied
    }

    /// Closes a file whose transaction was lost and never opens it again: what is on the disk is not known.
    fn give_up(&mut self, name: &str) {
        self.files.remove(name);
        self.broken.insert(name.to_owned());
    }

    fn file(&mut self, tenant: &Arc<Tenant>) -> Result<&mut File, StoreError> {
        self.uses += 1;
        if !self.files.contains_key(&tenant.name) {
            self.make_room();
            let path = control::path(&self.folder, &tenant.name);
            let file = File::open(&path, Arc::clone(tenant), self.checked.contains(&tenant.name))?;
            self.checked.insert(tenant.name.clone());
            self.files.insert(tenant.name.clone(), (self.uses, file));
        }
        let entry = self.files.get_mut(&tenant.name).ok_or_else(|| failed("opening a file", "it vanished"))?;
        entry.0 = self.uses;
        Ok(&mut entry.1)
    }

    fn make_room(&mut self) {
        while self.files.len() >= self.open_max {
            let oldest = self.files.iter().min_by_key(|(_, (used, _))| *used).map(|(name, _)| name.clone());
            match oldest {
                Some(name) => self.files.remove(&name),
                None => return,
            };
        }
    }
}

fn run_all(file: &mut File, requests: &mut [Request]) -> Result<(), StoreError> {
    for request in requests {
        run_one(file, request)?;
        // Some failures make SQLite drop the whole transaction; what ran before is gone then, too.
        if file.connection.is_autocommit() {
            return Err(failed("running a job", "the transaction was rolled back under it"));
        }
    }
    file.save_chain()?;
    run_sql(file, "COMMIT", "committing")
}

fn run_one(file: &mut File, request: &mut Request) -> Result<(), StoreError> {
    if request.need == Need::Read {
        return request.job.run(file).map(|_| ());
    }
    let chain = file.chain.clone();
    run_sql(file, "SAVEPOINT job", "beginning a job")?;
    if !request.job.run(file)? && !file.connection.is_autocommit() {
        run_sql(file, "ROLLBACK TO job", "undoing a job")?;
        file.chain = chain;
    }
    if file.connection.is_autocommit() {
        return Ok(());
    }
    run_sql(file, "RELEASE job", "ending a job")
}

fn run_sql(file: &File, sql: &'static str, doing: &'static str) -> Result<(), StoreError> {
    file.connection.prepare_cached(sql).and_then(|mut statement| statement.execute([])).doing(doing).map(|_| ())
}

/// Groups requests by tenant, keeping each tenant's order.
fn by_tenant(requests: Vec<Request>) -> Vec<(Arc<Tenant>, Vec<Request>)> {
    let mut groups: BTreeMap<String, (Arc<Tenant>, Vec<Request>)> = BTreeMap::new();
    for request in requests {
        let tenant = Arc::clone(&request.tenant);
        groups.entry(tenant.name.clone()).or_insert_with(|| (tenant, Vec::new())).1.push(request);
    }
    groups.into_values().collect()
}
