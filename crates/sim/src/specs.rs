//! Runs written conversations: each in a world of its own, from the first message to the last.
//!
//! Invariant: a spec passes only if every line of it was checked and the recorded conversation, decided once more,
//! comes out the same. Deliberately absent: order between specs.

mod expect;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use countersign_kernel::decision::Decision;
use countersign_pack::Source;
use countersign_pack::spec::{Line, LineKind, Spec};
use countersign_runtime::Incoming;
use countersign_runtime::replay::replay;
use jiff::{SignedDuration, Timestamp};

use crate::world::{Agent, Heard, PERSON, START, TENANT, World, WorldError};

/// A pack's agents, one per tenant, compiled when first needed.
#[derive(Debug)]
pub struct Agents {
    source: Source,
    ready: Mutex<BTreeMap<String, Arc<Agent>>>,
}

impl Agents {
    /// The agents of a pack.
    ///
    /// # Errors
    /// Every mistake of the pack.
    pub fn new(source: Source) -> Result<Self, WorldError> {
        let agent = Arc::new(Agent::new(&source, TENANT)?);
        Ok(Self { source, ready: Mutex::new(BTreeMap::from([(TENANT.to_owned(), agent)])) })
    }

    fn of(&self, tenant: &str) -> Result<Arc<Agent>, String> {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(agent) = ready.get(tenant) {
            return Ok(Arc::clone(agent));
        }
        if self.source.get(&format!("tenants/{tenant}.yaml")).is_none() {
            return Err(format!("the pack has no tenant `{tenant}`"));
        }
        let agent = Arc::new(Agent::new(&self.source, tenant).map_err(|error| error.to_string())?);
        ready.insert(tenant.to_owned(), Arc::clone(&agent));
        Ok(agent)
    }
}

/// A line of a spec that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The line in the file, from 1.
    pub line: u32,
    /// What the spec says.
    pub expected: String,
    /// What happened.
    pub got: String,
    /// What was decided in that turn.
    pub decisions: Vec<Decision>,
}

/// One turn as it happened, in the notation of specs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// What began it.
    pub said: String,
    /// What came of it.
    pub answers: Vec<String>,
}

/// How a spec ended.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// What does not hold; empty if the spec passed.
    pub failures: Vec<Failure>,
    /// The conversation as it happened.
    pub transcript: Vec<Told>,
}

/// Runs one spec. It ends with the first turn in which something does not hold: what follows would only repeat it.
pub async fn run(agents: &Agents, spec: &Spec) -> Run {
    let mut run = Run::default();
    if let Err(failure) = Runner::new(agents).play(spec, &mut run).await {
        run.failures.push(*failure);
    }
    run
}

struct Runner<'a> {
    agents: &'a Agents,
    tenant: String,
    start: Timestamp,
    world: Option<World>,
}

type Halted = Box<Failure>;

impl<'a> Runner<'a> {
    fn new(agents: &'a Agents) -> Self {
        let start = START.parse().unwrap_or(Timestamp::UNIX_EPOCH);
        Self { agents, tenant: TENANT.to_owned(), start, world: None }
    }

    async fn play(&mut self, spec: &Spec, run: &mut Run) -> Result<(), Halted> {
        let mut lines = spec.lines.iter().peekable();
        while let Some(line) = lines.next() {
            let Some(heard) = self.act(line).await? else { continue };
            run.transcript.push(told(line, &heard));
            let mut expected = Vec::new();
            while let Some(line) = lines.next_if(|line| is_expectation(&line.kind)) {
                expected.push(line);
            }
            let policy = &self.agents.of(&self.tenant).map_err(|why| broken(line, why))?.policy;
            run.failures.extend(expect::check(policy, &heard, &expected));
            if !run.failures.is_empty() {
                return Ok(());
            }
        }
        self.decide_again(spec.line).await
    }

    /// Carries out a line that makes something happen; none if it only sets the scene.
    async fn act(&mut self, line: &Line) -> Result<Option<Heard>, Halted> {
        let failed = |error: WorldError| broken(line, chain(&error));
        match &line.kind {
            LineKind::Now(at) => {
                let Some(world) = &mut self.world else {
                    self.start = *at;
                    return Ok(None);
                };
                world.clock().set(*at);
                world.tick().await.map(Some).map_err(failed)
            }
            LineKind::Tenant(tenant) if self.world.is_some() => {
                Err(broken(line, format!("tenant `{tenant}` comes after the conversation has begun")))
            }
            LineKind::Tenant(tenant) => {
                self.tenant.clone_from(tenant);
                Ok(None)
            }
            LineKind::Customer(text) => {
                let text = Incoming::Text(text.clone());
                self.world(line).await?.receive(text).await.map(Some).map_err(failed)
            }
            LineKind::Voice => {
                self.world(line).await?.receive(Incoming::Voice(Vec::new())).await.map(Some).map_err(failed)
            }
            LineKind::Wait(seconds) => {
                let by = SignedDuration::from_secs(*seconds);
                self.world(line).await?.wait(by).await.map(Some).map_err(failed)
            }
            LineKind::Restart => self.world(line).await?.restart().await.map(Some).map_err(failed),
            LineKind::Reply(_)
            | LineKind::Decision { .. }
            | LineKind::Effect { .. }
            | LineKind::NoEffect
            | LineKind::Refused { .. } => Err(broken(line, "nothing has happened yet".to_owned())),
        }
    }

    async fn world(&mut self, line: &Line) -> Result<&mut World, Halted> {
        if self.world.is_none() {
            let agent = self.agents.of(&self.tenant).map_err(|why| broken(line, why))?;
            let world = World::new(&agent, self.start).await.map_err(|error| broken(line, chain(&error)))?;
            self.world = Some(world);
        }
        self.world.as_mut().ok_or_else(|| broken(line, "there is no world".to_owned()))
    }

    /// INVARIANT: the recorded events lead to the recorded decisions, for every spec of every pack.
    async fn decide_again(&self, line: u32) -> Result<(), Halted> {
        let Some(store) = self.world.as_ref().and_then(World::store) else { return Ok(()) };
        let fail = |got: String| {
            let expected = "the recorded conversation, decided again, comes out the same".to_owned();
            Box::new(Failure { line, expected, got, decisions: Vec::new() })
        };
        let policy = Arc::clone(&self.agents.of(&self.tenant).map_err(fail)?.policy);
        let report = replay(&policy, None, store.as_ref(), &self.tenant, PERSON).await;
        let report = report.map_err(|error| fail(chain(&error)))?;
        match report.differences.first() {
            Some(first) => {
                let (what, seq) = (first.what, first.seq);
                Err(fail(format!(
                    "record {seq}, {what}: recorded {}, decided again {}",
                    first.recorded, first.replayed
                )))
            }
            None => Ok(()),
        }
    }
}

fn is_expectation(kind: &LineKind) -> bool {
    match kind {
        LineKind::Reply(_)
        | LineKind::Decision { .. }
        | LineKind::Effect { .. }
        | LineKind::NoEffect
        | LineKind::Refused { .. } => true,
        LineKind::Customer(_)
        | LineKind::Wait(_)
        | LineKind::Now(_)
        | LineKind::Voice
        | LineKind::Restart
        | LineKind::Tenant(_) => false,
    }
}

fn told(line: &Line, heard: &Heard) -> Told {
    let said = match &line.kind {
        LineKind::Customer(text) => format!("> {text}"),
        LineKind::Wait(seconds) => format!("@ wait {seconds}s"),
        LineKind::Now(at) => format!("@ now {at}"),
        LineKind::Voice => "@ voice".to_owned(),
        LineKind::Restart => "@ restart".to_owned(),
        LineKind::Tenant(tenant) => format!("@ tenant {tenant}"),
        LineKind::Reply(_)
        | LineKind::Decision { .. }
        | LineKind::Effect { .. }
        | LineKind::NoEffect
        | LineKind::Refused { .. } => String::new(),
    };
    let replies = heard.replies.iter().flat_map(|reply| reply.split('\n').map(|line| format!("< {line}")));
    let calls = heard.reports.iter().flat_map(|report| &report.executed).map(expect::call);
    Told { said, answers: calls.chain(replies).collect() }
}

fn broken(line: &Line, why: String) -> Halted {
    let expected = "the line can be carried out".to_owned();
    Box::new(Failure { line: line.number, expected, got: why, decisions: Vec::new() })
}

/// An error with its causes in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
