//! An agent in a folder of its own: real store, real tools, embedded sensor, scripted clock, a channel that keeps
//! what was sent.
//!
//! Invariant: nothing of a world outlives it, and two worlds share nothing but the compiled agent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use countersign_connect::channels::terminal::{Sent, TerminalChannel};
use countersign_connect::models::embedded::EmbeddedSensor;
use countersign_connect::tools::{PackData, Toolbox};
use countersign_connect::transcriber::NoTranscriber;
use countersign_kernel::policy::Policy;
use countersign_pack::{Diagnostic, Source, compile};
use countersign_runtime::ports::{Clock, NoFaults, Store, StoreError, TenantStore};
use countersign_runtime::{Delivery, Engine, EngineError, Incoming, Ports, TurnReport};
use countersign_store::sqlite::{Options, SqliteStore};
use jiff::{SignedDuration, Timestamp};

use crate::clock::ManualClock;
use crate::folder::TempFolder;

/// The time a world begins at unless it is told another: a Monday noon in São Paulo.
pub const START: &str = "2026-11-16T12:00:00-03:00";
/// The tenant of a world unless it is told another.
pub const TENANT: &str = "demo";
/// The conversation and the person in it.
pub const PERSON: &str = "person";

/// A compiled pack, ready to run many times.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Whose agent it is.
    pub tenant: String,
    /// What decides.
    pub policy: Arc<Policy>,
    /// What reads messages.
    pub sensor: Arc<EmbeddedSensor>,
    /// What a new business database is made of.
    pub data: PackData,
}

/// Why an agent or a world could not be made.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// The pack has mistakes.
    #[error("the pack has mistakes: {}", first(.0))]
    Pack(Vec<Diagnostic>),
    /// A file or folder could not be used.
    #[error("`{path}` cannot be used")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The store failed.
    #[error("the store cannot be used")]
    Store(#[source] StoreError),
    /// The business database cannot be used.
    #[error("the business database cannot be used: {0}")]
    Business(String),
    /// A turn failed.
    #[error("the turn failed")]
    Engine(#[source] EngineError),
}

fn first(diagnostics: &[Diagnostic]) -> String {
    let told = diagnostics.first().map_or_else(String::new, |d| format!("{}:{}: {}", d.file, d.line, d.message));
    format!("{told} ({} in all)", diagnostics.len())
}

impl Agent {
    /// Compiles a pack, with a tenant's overlay where the pack has one for it.
    ///
    /// # Errors
    /// Every mistake of the pack.
    pub fn new(source: &Source, tenant: &str) -> Result<Self, WorldError> {
        let has_overlay = source.get(&format!("tenants/{tenant}.yaml")).is_some();
        let outcome = compile(source, has_overlay.then_some(tenant));
        let policy = Arc::new(outcome.policy.ok_or(WorldError::Pack(outcome.diagnostics))?);
        let text = |path: &str| source.get(path).unwrap_or_default().to_owned();
        let data = PackData { schema: text("data/schema.sql"), seed: text("data/seed.sql") };
        Ok(Self { tenant: tenant.to_owned(), sensor: Arc::new(EmbeddedSensor::train(&policy)), policy, data })
    }

    /// A pack of this repository, by name.
    ///
    /// # Errors
    /// The folder cannot be read, or the pack has mistakes.
    pub fn of_repository(name: &str) -> Result<Self, WorldError> {
        Self::new(&repository_pack(name)?, TENANT)
    }
}

/// The files of a pack of this repository.
///
/// # Errors
/// The folder cannot be read.
pub fn repository_pack(name: &str) -> Result<Source, WorldError> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs").join(name);
    let mut files = BTreeMap::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        let fail = |path: &Path| {
            let path = path.to_owned();
            move |source| WorldError::File { path, source }
        };
        for entry in std::fs::read_dir(&folder).map_err(fail(&folder))? {
            let path = entry.map_err(fail(&folder))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Some(inside) = path.strip_prefix(&root).ok().and_then(Path::to_str) {
                files.insert(inside.to_owned(), std::fs::read_to_string(&path).map_err(fail(&path))?);
            }
        }
    }
    Ok(Source::new(files))
}

/// What one message or the passing of time led to.
#[derive(Debug, Clone, Default)]
pub struct Heard {
    /// What the turns did.
    pub reports: Vec<TurnReport>,
    /// What the person was told, in order.
    pub replies: Vec<String>,
    /// What others were sent: address and text.
    pub messages: Vec<(String, String)>,
}

impl Heard {
    /// Puts together what turns did and what the channel took.
    #[must_use]
    pub fn new(reports: Vec<TurnReport>, sent: Vec<Sent>) -> Self {
        let mut heard = Self { reports, ..Self::default() };
        for message in sent {
            match message.to {
                None => heard.replies.push(message.text),
                Some(to) => heard.messages.push((to, message.text)),
            }
        }
        heard
    }
}

/// An agent in a folder of its own.
pub struct World {
    agent: Agent,
    clock: Arc<ManualClock>,
    channel: Arc<TerminalChannel>,
    // Dropped before the folder: the store closes its files before they are removed.
    inside: Option<Inside>,
    folder: TempFolder,
    sent: u64,
    restarts: u64,
}

struct Inside {
    engine: Engine,
    store: Arc<dyn TenantStore>,
    sqlite: SqliteStore,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl World {
    /// A new world at a moment.
    ///
    /// # Errors
    /// No temporary folder can be made, or the store or the business database cannot be opened in it.
    pub async fn new(agent: &Agent, start: Timestamp) -> Result<Self, WorldError> {
        let folder = TempFolder::new().map_err(|source| WorldError::File { path: std::env::temp_dir(), source })?;
        let mut world = Self {
            agent: agent.clone(),
            clock: Arc::new(ManualClock::new(start, 0)),
            channel: Arc::new(TerminalChannel::new()),
            inside: None,
            folder,
            sent: 0,
            restarts: 0,
        };
        world.open().await?;
        Ok(world)
    }

    async fn open(&mut self) -> Result<(), WorldError> {
        let sqlite = SqliteStore::open(self.folder.path(), Options { threads: 1, ..Options::default() });
        let sqlite = sqlite.map_err(WorldError::Store)?;
        let tenant = self.agent.tenant.as_str();
        let store = sqlite.tenant(tenant).await.map_err(WorldError::Store)?;
        let tools = Toolbox::new(self.folder.path(), self.agent.data.clone());
        tools.prepare(tenant).map_err(WorldError::Business)?;
        let ports = Ports {
            store: Arc::clone(&store),
            tools: Arc::new(tools),
            sensor: Arc::clone(&self.agent.sensor) as _,
            channel: Arc::clone(&self.channel) as _,
            transcriber: Arc::new(NoTranscriber),
            clock: Arc::clone(&self.clock) as _,
            faults: Arc::new(NoFaults),
        };
        let engine = Engine::new(tenant, Arc::clone(&self.agent.policy), ports);
        self.inside = Some(Inside { engine, store, sqlite });
        Ok(())
    }

    /// Where its files are.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Its clock.
    #[must_use]
    pub fn clock(&self) -> &ManualClock {
        &self.clock
    }

    /// The tenant's data; none only after a failed restart.
    #[must_use]
    pub fn store(&self) -> Option<Arc<dyn TenantStore>> {
        self.inside.as_ref().map(|inside| Arc::clone(&inside.store))
    }

    /// The store itself, for exports.
    #[must_use]
    pub fn sqlite(&self) -> Option<&SqliteStore> {
        self.inside.as_ref().map(|inside| &inside.sqlite)
    }

    /// The agent at work; none only after a failed restart.
    #[must_use]
    pub fn engine(&self) -> Option<&Engine> {
        self.inside.as_ref().map(|inside| &inside.engine)
    }

    /// The person writes.
    ///
    /// # Errors
    /// The turn failed.
    pub async fn says(&mut self, text: &str) -> Result<Heard, WorldError> {
        self.receive(Incoming::Text(text.to_owned())).await
    }

    /// The person sends something.
    ///
    /// # Errors
    /// The turn failed.
    pub async fn receive(&mut self, content: Incoming) -> Result<Heard, WorldError> {
        self.sent += 1;
        let delivery = Delivery {
            conversation: PERSON.to_owned(),
            customer: PERSON.to_owned(),
            channel: "sim".to_owned(),
            provider_id: format!("sim-{}", self.sent),
            content,
        };
        self.deliver(delivery).await
    }

    /// A channel delivers something, from anybody and under any id: a second person, or the same message once more.
    ///
    /// # Errors
    /// The turn failed.
    pub async fn deliver(&mut self, delivery: Delivery) -> Result<Heard, WorldError> {
        let reports = match self.engine() {
            Some(engine) => engine.receive(delivery).await.map_err(WorldError::Engine)?,
            None => Vec::new(),
        };
        Ok(Heard::new(reports, self.channel.drain()))
    }

    /// Time passes, and timers fire.
    ///
    /// # Errors
    /// The turn failed.
    pub async fn wait(&mut self, by: SignedDuration) -> Result<Heard, WorldError> {
        self.clock.advance(by);
        self.tick().await
    }

    /// Timers that are due fire.
    ///
    /// # Errors
    /// The turn failed.
    pub async fn tick(&mut self) -> Result<Heard, WorldError> {
        let reports = match self.engine() {
            Some(engine) => engine.tick().await.map_err(WorldError::Engine)?,
            None => Vec::new(),
        };
        Ok(Heard::new(reports, self.channel.drain()))
    }

    /// The process ends and starts again on the same folder.
    ///
    /// # Errors
    /// The folder cannot be opened again.
    pub async fn restart(&mut self) -> Result<Heard, WorldError> {
        self.inside = None;
        // A new process draws new nonces; the old ones are still in the store.
        self.restarts += 1;
        self.clock = Arc::new(ManualClock::new(self.clock.now(), self.restarts));
        self.open().await?;
        let reports = match self.engine() {
            Some(engine) => engine.recover().await.map_err(WorldError::Engine)?,
            None => Vec::new(),
        };
        Ok(Heard::new(reports, self.channel.drain()))
    }
}
