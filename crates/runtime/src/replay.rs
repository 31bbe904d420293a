//! Replay: the recorded events walk the kernel again and must lead to the recorded decisions. Verification, not recovery.

use countersign_kernel::event::Event;
use countersign_kernel::policy::Policy;
use countersign_kernel::snapshot;
use countersign_kernel::state::{Session, State};
use countersign_kernel::step;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::engine::EngineError;
use crate::ports::{StoredRecord, TenantStore};
use crate::record::{self, Personal};
use crate::vault::{Purpose, Vault};

/// Records read at a time.
const PAGE: u32 = 256;

/// A place where replay and record differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The record.
    pub seq: u64,
    /// What differs.
    pub what: &'static str,
    /// As recorded.
    pub recorded: String,
    /// As replayed.
    pub replayed: String,
}

/// What a replay found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplayReport {
    /// Records of the conversation.
    pub records: u64,
    /// Events replayed.
    pub events: u64,
    /// Places that differ.
    pub differences: Vec<Difference>,
    /// Records whose person was erased.
    pub erased: u64,
}

#[derive(Deserialize)]
struct Body {
    decisions: Vec<Json>,
    effects: String,
    events: Vec<Committed>,
    kind: String,
}

#[derive(Deserialize)]
struct Committed {
    commit: String,
}

/// Replays a conversation under the policy that ran it, and, with `other`, asks what that one would have decided.
///
/// Each record is replayed under `other` from the state that was really there, so that one difference does not hide
/// or make up the next.
///
/// # Errors
/// The store failed, or stored data cannot be read.
pub async fn replay(
    policy: &Policy,
    other: Option<&Policy>,
    store: &dyn TenantStore,
    tenant: &str,
    conversation: &str,
) -> Result<ReplayReport, EngineError> {
    let mut report = ReplayReport::default();
    let session = Session { tenant: tenant.to_owned(), customer: String::new(), conversation: conversation.to_owned() };
    let mut state = State::new(session, policy.language());
    let mut after = 0;
    loop {
        let records = store.records(Some(conversation), after, PAGE).await?;
        let Some(last) = records.last() else { return Ok(report) };
        after = last.seq;
        for record in &records {
            report.records += 1;
            let Some((personal, vault)) = open(store, record).await? else {
                report.erased += 1;
                continue;
            };
            if state.session.customer.is_empty() {
                state.session.customer = store.address(&record.subject).await?.unwrap_or_default();
            }
            state = Replayed { policy, other, record, personal, vault: &vault }.run(state, &mut report)?;
        }
    }
}

async fn open(store: &dyn TenantStore, record: &StoredRecord) -> Result<Option<(Personal, Vault)>, EngineError> {
    let subject = store.subject_by_name(&record.subject).await?;
    let (Some(subject), Some(sealed)) = (subject, &record.sealed) else { return Ok(None) };
    let vault = Vault::new(&subject.key)?;
    let plain = vault.open(Purpose::Record, sealed)?;
    let personal =
        serde_json::from_slice(&plain).map_err(|source| EngineError::Unreadable { what: "a record", source })?;
    Ok(Some((personal, vault)))
}

struct Replayed<'a> {
    policy: &'a Policy,
    other: Option<&'a Policy>,
    record: &'a StoredRecord,
    personal: Personal,
    vault: &'a Vault,
}

impl Replayed<'_> {
    fn run(&self, state: State, report: &mut ReplayReport) -> Result<State, EngineError> {
        let body: Body = serde_json::from_str(&self.record.body)
            .map_err(|source| EngineError::Unreadable { what: "a record's body", source })?;
        if body.kind != "turn" && body.kind != "intent" {
            return Ok(state);
        }
        let mut events = Vec::new();
        for (at, text) in self.personal.events.iter().enumerate() {
            let is_committed =
                body.events.get(at).is_some_and(|event| event.commit == self.vault.commit("event", text.as_bytes()));
            if !is_committed {
                self.differ(report, "an event is not the one committed to", "", "");
            }
            let fault = |source| EngineError::Snapshot { conversation: self.record.conversation.clone(), source };
            events.push(snapshot::decode_event(text.as_bytes()).map_err(fault)?);
        }
        report.events += events.len() as u64;
        let compared = self.other.unwrap_or(self.policy);
        let (_, decisions, effects) = walk(compared, state.clone(), &events);
        self.compare(report, &body.decisions, &decisions);
        if record::effects_commitment(self.vault, &effects) != body.effects {
            let replayed = Json::Array(effects).to_string();
            self.differ(report, "effects", &format!("commitment {}", body.effects), &replayed);
        }
        let (state, ..) = walk(self.policy, state, &events);
        Ok(state)
    }

    fn compare(&self, report: &mut ReplayReport, recorded: &[Json], replayed: &[Json]) {
        for at in 0..recorded.len().max(replayed.len()) {
            let (old, new) = (recorded.get(at), replayed.get(at));
            if old != new {
                let shown = |decision: Option<&Json>| decision.map_or_else(|| "nothing".to_owned(), Json::to_string);
                return self.differ(report, "decisions", &shown(old), &shown(new));
            }
        }
    }

    fn differ(&self, report: &mut ReplayReport, what: &'static str, recorded: &str, replayed: &str) {
        let (recorded, replayed) = (recorded.to_owned(), replayed.to_owned());
        report.differences.push(Difference { seq: self.record.seq, what, recorded, replayed });
    }
}

/// Feeds events to the kernel; what came out, in the form of records.
fn walk(policy: &Policy, mut state: State, events: &[Event]) -> (State, Vec<Json>, Vec<Json>) {
    let (mut decisions, mut effects) = (Vec::new(), Vec::new());
    for event in events {
        let stepped = step(policy, state, event);
        decisions.extend(stepped.decisions.iter().map(record::decision));
        effects.extend(stepped.effects.iter().map(countersign_kernel::effect::Effect::describe));
        state = stepped.state;
    }
    (state, decisions, effects)
}
