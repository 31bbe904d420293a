//! `tenants/<id>.yaml`: the closed list of knobs one tenant may turn.

use schemars::JsonSchema;
use serde::Deserialize;

use super::intents::ValueRule;
use super::pack::{Governance, Limits, Thresholds};
use super::tools::Spend;
use super::{Entries, Items, PerLanguage, Text};

/// `tenants/<id>.yaml`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TenantFile {
    /// Replaces the pack's numbers.
    pub thresholds: Thresholds,
    /// Replaces the pack's numbers.
    pub limits: Limits,
    /// Replaces the pack's number.
    pub governance: Governance,
    /// Replaces sentences, per language; only sentences the pack has.
    pub messages: PerLanguage<Entries<Text>>,
    /// Replaces the value rules of slots.
    pub slots: Entries<SlotOverlay>,
    /// Adds ceilings to tools; a ceiling for the same scope and window may only be lower.
    pub spend: Entries<Items<Spend>>,
    /// Tools this tenant does not have.
    pub tools_off: Items<Text>,
}

/// What a tenant may change about a slot.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlotOverlay {
    /// The rules that hold instead of the pack's.
    pub rules: Items<ValueRule>,
}
