//! One tenant's handle: turns every question of the port into a job for the tenant's writer thread.
//!
//! Invariant: a handle holds one tenant and nothing else, so a query cannot reach another one's file.

use std::sync::Arc;

use async_trait::async_trait;
use countersign_runtime::ports::{
    Arrival, Entry, Ingested, Intended, IntentRow, Loaded, OutboxItem, OutcomeRow, SendOutcome, StoreError,
    StoredRecord, Subject, TenantStore, TimerRow, TurnRow, Unfinished,
};
use jiff::Timestamp;
use tokio::sync::mpsc;

use super::file::File;
use super::keys::Tenant;
use super::read::{self, Checkpoint};
use super::writer::{Need, Request};
use super::{Inner, SignedCheckpoint};
use super::{inbox, intent, outbox, outcome, subject, turn};
use crate::chain::checkpoint_text;
use crate::error::failed;

/// One tenant's data.
pub(crate) struct Handle {
    tenant: Arc<Tenant>,
    // Before `inner`: the threads end only when the last sender is gone, and dropping `inner` waits for them.
    sender: mpsc::Sender<Request>,
    _inner: Arc<Inner>,
}

impl Handle {
    pub(super) fn new(tenant: Arc<Tenant>, sender: mpsc::Sender<Request>, inner: Arc<Inner>) -> Self {
        Self { tenant, sender, _inner: inner }
    }

    /// Whose handle it is.
    pub(crate) fn name(&self) -> &str {
        &self.tenant.name
    }

    /// Opens the file, if it is not open.
    pub(super) async fn touch(&self) -> Result<(), StoreError> {
        self.ask(Need::Read, |_| Ok(())).await
    }

    /// Signs the log as it is.
    pub(crate) async fn checkpoint_now(&self) -> Result<Option<SignedCheckpoint>, StoreError> {
        self.ask(Need::Write, |file| {
            let root = file.chain.root();
            let signed = file.checkpoint()?;
            Ok(signed.zip(root).map(|((size, _, signature), root)| SignedCheckpoint {
                size,
                note: checkpoint_text(&file.tenant.name, size, &root),
                signature,
            }))
        })
        .await
    }

    /// Checkpoints after a size.
    pub(crate) async fn checkpoints(&self, after: u64) -> Result<Vec<Checkpoint>, StoreError> {
        self.ask(Need::Read, move |file| read::checkpoints(file, after)).await
    }

    /// Runs work on the tenant's thread and waits for the commit that contains it.
    pub(super) async fn ask<T, F>(&self, need: Need, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut File) -> Result<T, StoreError> + Send + 'static,
    {
        let gone = || failed("reaching a writer thread", "it has stopped");
        let (request, answer) = Request::new(Arc::clone(&self.tenant), need, work);
        self.sender.send(request).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// Has something written soon, without waiting for it. A crash before then loses it, so only what may be done
    /// twice is told.
    async fn tell<F>(&self, work: F) -> Result<(), StoreError>
    where
        F: FnOnce(&mut File) -> Result<(), StoreError> + Send + 'static,
    {
        let (request, _) = Request::new(Arc::clone(&self.tenant), Need::Soon, work);
        self.sender.send(request).await.map_err(|_| failed("reaching a writer thread", "it has stopped"))
    }
}

#[async_trait]
impl TenantStore for Handle {
    async fn subject(&self, address: &str) -> Result<Subject, StoreError> {
        let address = address.to_owned();
        self.ask(Need::Write, move |file| subject::find_or_make(file, &address)).await
    }

    async fn subject_by_name(&self, pseudonym: &str) -> Result<Option<Subject>, StoreError> {
        let pseudonym = pseudonym.to_owned();
        self.ask(Need::Read, move |file| subject::by_name(file, &pseudonym)).await
    }

    async fn address(&self, pseudonym: &str) -> Result<Option<String>, StoreError> {
        let pseudonym = pseudonym.to_owned();
        self.ask(Need::Read, move |file| subject::address(file, &pseudonym)).await
    }

    async fn ingest(&self, arrival: Arrival) -> Result<Ingested, StoreError> {
        self.ask(Need::Write, move |file| inbox::ingest(file, &arrival)).await
    }

    async fn load(&self, conversation: &str) -> Result<Loaded, StoreError> {
        let conversation = conversation.to_owned();
        self.ask(Need::Write, move |file| inbox::load(file, &conversation)).await
    }

    async fn intend(&self, row: IntentRow) -> Result<Intended, StoreError> {
        self.ask(Need::Write, move |file| intent::intend(file, &row)).await
    }

    async fn record_outcome(&self, row: OutcomeRow) -> Result<Vec<u64>, StoreError> {
        self.ask(Need::Write, move |file| outcome::record(file, &row)).await
    }

    async fn commit(&self, row: TurnRow) -> Result<Vec<u64>, StoreError> {
        self.ask(Need::Write, move |file| turn::commit(file, &row)).await
    }

    async fn mark(&self, outbox: u64, outcome: SendOutcome) -> Result<(), StoreError> {
        self.tell(move |file| outbox::mark(file, outbox, outcome)).await
    }

    async fn unsent(&self) -> Result<Vec<OutboxItem>, StoreError> {
        self.ask(Need::Write, |file| outbox::unsent(file)).await
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<TimerRow>, StoreError> {
        self.ask(Need::Read, move |file| read::due(file, now)).await
    }

    async fn unfinished(&self) -> Result<Vec<Unfinished>, StoreError> {
        self.ask(Need::Read, |file| read::unfinished(file)).await
    }

    async fn records(
        &self,
        conversation: Option<&str>,
        after: u64,
        limit: u32,
    ) -> Result<Vec<StoredRecord>, StoreError> {
        let conversation = conversation.map(str::to_owned);
        self.ask(Need::Read, move |file| read::records(file, conversation.as_deref(), after, limit)).await
    }

    async fn erase(&self, pseudonym: &str, entry: Entry) -> Result<(), StoreError> {
        let pseudonym = pseudonym.to_owned();
        self.ask(Need::WriteAndEmptyWal, move |file| subject::erase(file, &pseudonym, &entry)).await
    }

    async fn tickets(&self, limit: u32) -> Result<Vec<String>, StoreError> {
        self.ask(Need::Read, move |file| read::tickets(file, limit)).await
    }
}
