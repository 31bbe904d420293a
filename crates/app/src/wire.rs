//! Pack, data folder and ports -> a running agent.
//!
//! Invariant: the only place that knows which store, which tools, which sensor and which channel are used together.
//! Deliberately absent: decisions about any of what they do.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use countersign_connect::channels::terminal::TerminalChannel;
use countersign_connect::tools::Toolbox;
use countersign_connect::transcriber::NoTranscriber;
use countersign_pack::{Source, render, tenants};
use countersign_runtime::ports::{Faults, NoFaults, Store, TenantStore};
use countersign_runtime::{CRASH_POINTS, Engine, Ports};
use countersign_sim::faults::KillAt;
use countersign_sim::world::{Agent, TENANT, WorldError};
use countersign_store::sqlite::{Options, SqliteStore};

use crate::clock::TrialClock;
use crate::packs;

/// A running agent and what the terminal needs of it.
pub(crate) struct Wired {
    pub(crate) engine: Engine,
    pub(crate) agent: Agent,
    pub(crate) channel: Arc<TerminalChannel>,
    pub(crate) clock: Arc<TrialClock>,
}

/// Letters by which a name may differ from a known one and still be taken for a misspelling of it.
const MISSPELT_MAX: usize = 2;

/// Compiles a pack for a tenant. One without an overlay runs with the pack's own settings and is told so; a name that
/// looks like a misspelt one is refused, because it would quietly lose its limits.
pub(crate) fn agent(source: &Source, tenant: Option<&str>) -> Result<Agent> {
    let known = tenants(source);
    if let Some(named) = tenant.filter(|named| !known.is_empty() && !known.iter().any(|known| known == named)) {
        let near = known.iter().find(|known| strsim::osa_distance(known, named) <= MISSPELT_MAX);
        if let Some(near) = near {
            bail!("the pack has no tenant `{named}`; did you mean `{near}`?");
        }
        crate::output::note(&format!("the pack has no overlay for `{named}`; it runs with the pack's own settings"));
    }
    Agent::new(source, tenant.unwrap_or(TENANT)).map_err(|error| explain(source, error))
}

/// Why an agent could not be made, with the pack's mistakes spelled out.
pub(crate) fn explain(source: &Source, error: WorldError) -> anyhow::Error {
    match error {
        WorldError::Pack(diagnostics) => {
            let count = diagnostics.len();
            anyhow!("the pack has {count} mistakes; mend them first\n{}", render(&diagnostics, source, false))
        }
        other @ (WorldError::File { .. } | WorldError::Store(_) | WorldError::Business(_) | WorldError::Engine(_)) => {
            other.into()
        }
    }
}

/// Starts an agent on a data folder and keeps the pack's sources there.
pub(crate) async fn start(
    agent: Agent,
    source: &Source,
    data: &Path,
    clock: TrialClock,
    crash_at: Option<&str>,
) -> Result<Wired> {
    let faults = faults(crash_at)?;
    let store = open(data)?.tenant(&agent.tenant).await?;
    packs::keep(data, &agent.policy.hash, source)?;
    let tools = Toolbox::new(data, agent.data.clone());
    tools.prepare(&agent.tenant).map_err(|why| anyhow!("the business database cannot be used: {why}"))?;
    let (channel, clock) = (Arc::new(TerminalChannel::new()), Arc::new(clock));
    let ports = Ports {
        store,
        tools: Arc::new(tools),
        sensor: Arc::clone(&agent.sensor) as _,
        channel: Arc::clone(&channel) as _,
        transcriber: Arc::new(NoTranscriber),
        clock: Arc::clone(&clock) as _,
        faults,
    };
    let engine = Engine::new(&agent.tenant, Arc::clone(&agent.policy), ports);
    Ok(Wired { engine, agent, channel, clock })
}

/// The store of a data folder, made if it is missing.
fn open(data: &Path) -> Result<SqliteStore> {
    Ok(SqliteStore::open(data, Options::default())?)
}

/// A tenant's data as an earlier run left it; nothing is made.
pub(crate) struct Existing {
    pub(crate) sqlite: SqliteStore,
    pub(crate) store: Arc<dyn TenantStore>,
    pub(crate) data: PathBuf,
    pub(crate) tenant: String,
}

/// Opens data that must be there already.
pub(crate) async fn existing(data: &Path, tenant: &str) -> Result<Existing> {
    if !data.join("control.db").is_file() {
        bail!("`{}` holds no data; give the folder that `chat --data` was given", data.display());
    }
    let sqlite = open(data)?;
    let known = sqlite.tenants()?;
    if !known.iter().any(|known| known == tenant) {
        bail!("`{}` has no tenant `{tenant}`; it has `{}`", data.display(), known.join("`, `"));
    }
    let store = sqlite.tenant(tenant).await?;
    Ok(Existing { sqlite, store, data: data.to_owned(), tenant: tenant.to_owned() })
}

/// A runtime for one command.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_time().build().context("cannot start the async runtime")
}

fn faults(crash_at: Option<&str>) -> Result<Arc<dyn Faults>> {
    let Some(text) = crash_at else { return Ok(Arc::new(NoFaults)) };
    let point = text.split(':').next().unwrap_or(text);
    if !CRASH_POINTS.contains(&point) {
        bail!("unknown crash point `{point}`; there are `{}`", CRASH_POINTS.join("`, `"));
    }
    Ok(Arc::new(KillAt::parse(text).map_err(|why| anyhow!(why))?))
}
