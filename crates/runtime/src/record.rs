//! What one commit leaves in the log: the body that is chained, and the personal part that lies sealed beside it.
//!
//! Invariant: the body is canonical JSON without personal values. Decisions name gates, reasons, the pack's own words
//! and positions of evidence; events and effects stand there as commitments under the person's key.

use std::collections::BTreeMap;

use countersign_kernel::canonical;
use countersign_kernel::decision::Decision;
use countersign_kernel::effect::Effect;
use countersign_kernel::event::Event;
use countersign_kernel::snapshot;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::ports::Entry;
use crate::vault::{Purpose, Vault, VaultError};

/// What happened and was decided since the last commit of a turn.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    events: Vec<Event>,
    decisions: Vec<Decision>,
    effects: Vec<Json>,
}

/// The public facts of a commit that the verifier's cross-checks need.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// `turn`, `intent`, `outcome` or `erased`.
    pub kind: &'static str,
    /// The call's key.
    pub key: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// `money`, `write` or `message`.
    pub risk: Option<&'static str>,
    /// The confirmation that was spent.
    pub nonce: Option<String>,
    /// How the call ended.
    pub verdict: Option<&'static str>,
}

/// Whose log it is.
#[derive(Debug, Clone, Copy)]
pub struct Whose<'a> {
    /// The conversation.
    pub conversation: &'a str,
    /// The person's pseudonym.
    pub subject: &'a str,
    /// The policy's hash.
    pub policy: &'a str,
}

/// The personal part of a record.
#[derive(Debug, Serialize, Deserialize)]
pub struct Personal {
    /// Encoded events, as text.
    pub events: Vec<String>,
    /// The details of the decisions, in order. Effects are not kept: replay makes them again from the events.
    pub details: Vec<String>,
}

impl Draft {
    /// Adds one step.
    pub fn add(&mut self, event: Event, decisions: &[Decision], effects: &[Effect]) {
        self.events.push(event);
        self.decisions.extend_from_slice(decisions);
        self.effects.extend(effects.iter().map(Effect::describe));
    }

    /// Closes the draft into an entry and begins the next.
    ///
    /// # Errors
    /// The personal part could not be sealed.
    pub fn close(&mut self, whose: Whose<'_>, facts: &Facts, vault: &Vault) -> Result<Entry, VaultError> {
        let draft = std::mem::take(self);
        let encoded: Vec<String> = draft
            .events
            .iter()
            .map(|event| String::from_utf8_lossy(&snapshot::encode_event(event)).into_owned())
            .collect();
        let events: Vec<Json> = draft
            .events
            .iter()
            .zip(&encoded)
            .map(|(event, text)| {
                json!({"at": event.at.to_string(), "commit": vault.commit("event", text.as_bytes()), "kind": event.what.name()})
            })
            .collect();
        let mut body: BTreeMap<&str, Json> = BTreeMap::from([
            ("conversation", json!(whose.conversation)),
            ("decisions", Json::Array(draft.decisions.iter().map(decision).collect())),
            ("effects", json!(effects_commitment(vault, &draft.effects))),
            ("events", Json::Array(events)),
            ("kind", json!(facts.kind)),
            ("policy", json!(whose.policy)),
            ("subject", json!(whose.subject)),
        ]);
        let optional = [
            ("key", facts.key.as_deref()),
            ("nonce", facts.nonce.as_deref()),
            ("risk", facts.risk),
            ("tool", facts.tool.as_deref()),
            ("verdict", facts.verdict),
        ];
        body.extend(optional.into_iter().filter_map(|(name, value)| value.map(|value| (name, json!(value)))));
        // A map of text keys always serialises.
        let body = serde_json::to_string(&body).unwrap_or_default();
        let personal = Personal {
            events: encoded,
            details: draft.decisions.into_iter().map(|decision| decision.detail).collect(),
        };
        let sealed = vault.seal(Purpose::Record, &serde_json::to_vec(&personal).unwrap_or_default())?;
        Ok(Entry {
            conversation: whose.conversation.to_owned(),
            subject: whose.subject.to_owned(),
            body_hash: canonical::sha256(body.as_bytes()),
            body,
            sealed,
        })
    }
}

/// A decision as it stands in the chain: no detail, no value.
#[must_use]
pub fn decision(decision: &Decision) -> Json {
    // Witnesses are plain positions and always serialise.
    let witnesses = serde_json::to_value(&decision.witnesses).unwrap_or_default();
    json!([decision.gate.name(), decision.verdict.name(), decision.reason.code(), decision.about, witnesses])
}

/// The commitment to a commit's effects.
#[must_use]
pub fn effects_commitment(vault: &Vault, effects: &[Json]) -> String {
    vault.commit("effects", Json::Array(effects.to_vec()).to_string().as_bytes())
}
