//! Carries out reads and calls: the runtime's `Tools` port.
//!
//! Invariant: `look` runs only what an `Armed` read vouches for, `call` only what a `Permit` vouches for and only
//! before its deadline, `resend` only a written-down call that may be sent again; all check before anything is
//! touched. Everything below them takes plain data and is private.
//! Deliberately absent: decisions. Whether a call may run was decided before it came here.

mod outbox;
mod pool;
pub mod sql;

#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_kernel::connector::Connector;
use countersign_kernel::event::{ReadOutcome, ToolOutcome};
use countersign_kernel::gates::arm::Armed;
use countersign_kernel::policy::{EffectClass, Policy, Recovery, Tool};
use countersign_kernel::state::Session;
use countersign_nlu::{Currency, Value};
use countersign_runtime::permit::{Permit, Resend};
use countersign_runtime::ports::{ToolReply, Tools};
use jiff::Timestamp;

use crate::issuer::{Issuer, LocalIssuer};
use pool::Pool;
use sql::bind::About;
use sql::run::Order;
use sql::{Attempt, Looked};

pub use sql::{Business, PackData, SqlError, SqlProblem, prepare_check};

/// The bank code of slips that no bank has registered.
const TRIAL_BANK: u16 = 1;

/// Every tool of a pack, on every tenant's own business database.
#[derive(Clone)]
pub struct Toolbox {
    pool: Arc<Pool>,
    issuer: Arc<dyn Issuer>,
}

impl std::fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Toolbox").field("pool", &self.pool).finish_non_exhaustive()
    }
}

impl Toolbox {
    /// Databases are `business/<tenant>.db` inside `dir`; each is made from the pack's SQL when first needed.
    #[must_use]
    pub fn new(dir: impl Into<PathBuf>, data: PackData) -> Self {
        Self { pool: Arc::new(Pool::new(dir.into(), data)), issuer: Arc::new(LocalIssuer { bank: TRIAL_BANK }) }
    }

    /// The same toolbox with another issuer of slips.
    #[must_use]
    pub fn with_issuer(mut self, issuer: Arc<dyn Issuer>) -> Self {
        self.issuer = issuer;
        self
    }

    /// Makes a tenant's database if it does not exist, so that the first message need not wait for it.
    ///
    /// # Errors
    /// Says why the database cannot be opened.
    pub fn prepare(&self, tenant: &str) -> Result<(), String> {
        self.pool.get(tenant).map(|_| ())
    }

    async fn change(&self, order: Order, attempt: Attempt) -> ToolOutcome {
        let (pool, issuer) = (Arc::clone(&self.pool), Arc::clone(&self.issuer));
        let work = move || match pool.get(&order.about.tenant) {
            Ok(business) => business.write(&order, issuer.as_ref(), attempt),
            Err(message) => attempt.failed(message),
        };
        let done = tokio::task::spawn_blocking(work).await;
        // A thread that died may have died after its commit.
        done.unwrap_or_else(|error| ToolOutcome::Unknown(format!("the call was interrupted: {error}")))
    }

    async fn carry_out(
        &self,
        tool: &Tool,
        currency: Currency,
        about: About,
        given: Given<'_>,
        attempt: Attempt,
    ) -> ToolReply {
        match &tool.connector {
            Connector::Sql(_) => match Order::of_tool(tool, given.arguments, about, currency) {
                Ok(order) => ToolReply { outcome: self.change(order, attempt).await, messages: Vec::new() },
                Err(message) => ToolReply { outcome: attempt.failed(message), messages: Vec::new() },
            },
            Connector::Outbox { to, text } => outbox::post(tool, to, text, given.arguments, given.scene),
        }
    }

    /// Looks: at once where the database is open, free and quick; on a thread of its own otherwise.
    async fn look_up<T: Send + 'static>(&self, order: Order, tell: fn(Looked, &Order) -> T) -> Result<T, String> {
        let seen = self.pool.ready(&order.about.tenant).and_then(|business| business.glance(&order, tell));
        if let Some(seen) = seen {
            return Ok(seen);
        }
        let pool = Arc::clone(&self.pool);
        let work = move || pool.get(&order.about.tenant).map(|business| business.look(&order, tell));
        let done = tokio::task::spawn_blocking(work).await;
        done.unwrap_or_else(|error| Err(format!("the read was interrupted: {error}")))
    }
}

#[async_trait]
impl Tools for Toolbox {
    async fn read(
        &self,
        policy: &Policy,
        session: &Session,
        read: &str,
        params: &BTreeMap<String, Value>,
        at: Timestamp,
    ) -> ReadOutcome {
        let Some(read) = policy.reads.get(read) else {
            return ReadOutcome::Failed(format!("the pack has no read `{read}`"));
        };
        let order = match Order::of_read(read, params, about(session, None, at), policy.currency) {
            Ok(order) => order,
            Err(message) => return ReadOutcome::Failed(message),
        };
        self.look_up(order, Business::rows).await.unwrap_or_else(ReadOutcome::Failed)
    }

    async fn look(&self, policy: &Policy, session: &Session, armed: &Armed, at: Timestamp) -> ToolOutcome {
        let order = tool_of(policy, armed).and_then(|tool| {
            if !armed.is_read() || tool.effect != EffectClass::Read {
                return Err(format!("`{}` changes something and needs a permit", tool.name));
            }
            Order::of_tool(tool, armed.arguments(), about(session, Some(armed.key()), at), policy.currency)
        });
        match order {
            Ok(order) => self.look_up(order, Business::result).await.unwrap_or_else(ToolOutcome::Failed),
            Err(message) => ToolOutcome::Failed(message),
        }
    }

    async fn resend(&self, policy: &Policy, session: &Session, call: &Resend, at: Timestamp) -> ToolReply {
        let given = Given { key: call.key(), arguments: call.arguments(), scene: call.scene() };
        match policy.tools.get(call.tool()) {
            Some(tool) if tool.recovery == Recovery::A && tool.effect != EffectClass::Read => {
                self.carry_out(tool, policy.currency, about(session, Some(given.key), at), given, Attempt::Again).await
            }
            // The first attempt may have done it, so this is no failure.
            Some(_) | None => unknown(format!("`{}` cannot be sent again", call.tool())),
        }
    }

    async fn call(&self, policy: &Policy, session: &Session, permit: &Permit, at: Timestamp) -> ToolReply {
        let armed = permit.armed();
        let tool = match tool_of(policy, armed) {
            Ok(tool) => tool,
            Err(message) => return failed(message),
        };
        if permit.is_late(at) {
            return failed("the permit's deadline has passed".to_owned());
        }
        if armed.is_read() || tool.effect == EffectClass::Read {
            return failed(format!("`{}` changes nothing and needs no permit", tool.name));
        }
        let given = Given { key: armed.key(), arguments: armed.arguments(), scene: armed.scene() };
        self.carry_out(tool, policy.currency, about(session, Some(given.key), at), given, Attempt::First).await
    }
}

/// What a proof vouches for.
#[derive(Clone, Copy)]
struct Given<'g> {
    key: &'g str,
    arguments: &'g BTreeMap<String, Value>,
    scene: &'g BTreeMap<String, Value>,
}

fn tool_of<'p>(policy: &'p Policy, armed: &Armed) -> Result<&'p Tool, String> {
    let name = &armed.call().tool;
    policy.tools.get(name).ok_or_else(|| format!("the pack has no tool `{name}`"))
}

fn about(session: &Session, key: Option<&str>, now: Timestamp) -> About {
    let (tenant, customer) = (session.tenant.clone(), session.customer.clone());
    About { tenant, customer, key: key.map(str::to_owned), now }
}

/// Nobody knows.
fn unknown(message: String) -> ToolReply {
    ToolReply { outcome: ToolOutcome::Unknown(message), messages: Vec::new() }
}

/// Nothing was done.
fn failed(message: String) -> ToolReply {
    ToolReply { outcome: ToolOutcome::Failed(message), messages: Vec::new() }
}
