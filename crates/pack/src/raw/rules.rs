//! `rules.yaml`: a flat list. No rule names another.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Items, Spanned, Text};

/// `rules.yaml`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RulesFile {
    /// The rules; their order has no meaning, their priority has.
    pub rules: Items<Rule>,
}

/// One rule.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its name.
    pub name: Text,
    /// `global`, `journey:<name>` or `step:<journey>/<step>`.
    pub scope: Text,
    /// Checked on every reply, retrieved or not.
    #[serde(default)]
    pub always: bool,
    /// Higher wins.
    #[serde(default)]
    pub priority: i32,
    /// When it applies, in words.
    pub when: Text,
    /// What then has to be so, in words.
    pub then: Text,
    /// A pattern no reply may match.
    pub forbid: Option<Text>,
    /// An expression over the values read from a reply that must hold.
    pub require: Option<Text>,
    /// A judge decides; this says what happens when the rule is broken or nobody can judge.
    pub judge: Option<Spanned<Judge>>,
}

/// What a judged rule does when it is broken or undecided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    /// The reply is not sent.
    Block,
    /// The reply is sent and the verdict recorded.
    Note,
}
