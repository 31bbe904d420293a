//! `journeys.yaml`: flows of steps.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Entries, Items, Spanned, Text};

/// `journeys.yaml`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JourneysFile {
    /// The flows by name.
    pub journeys: Entries<Journey>,
}

/// One flow.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Journey {
    /// Intents that enter it.
    #[serde(default)]
    pub intents: Items<Text>,
    /// Its steps; the first is where it begins. Without `next`, a step leads to the one written after it.
    pub steps: Items<Spanned<Step>>,
}

/// One step: exactly one of `collect`, `choose`, `call`, `plan`, `say`, `answer`, `branch`, `handoff`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    /// What other steps call it; `end` is taken.
    pub name: Option<Text>,
    /// Ask for these slots until all are there and in range.
    pub collect: Option<Items<Text>>,
    /// Show a list and let the person pick.
    pub choose: Option<Choose>,
    /// Call this tool.
    pub call: Option<Text>,
    /// Let a model propose among these tools.
    pub plan: Option<Items<Text>>,
    /// Say this sentence.
    pub say: Option<Text>,
    /// Answer from the questions and answers.
    pub answer: Option<Answer>,
    /// Go on at the first case whose condition holds.
    pub branch: Option<Items<Case>>,
    /// Hand over to a person, with this sentence.
    pub handoff: Option<Text>,
    /// For `call`: how it ended -> step. `done`, `rejected`, `failed`, `unknown`, `expired` or a reason code.
    pub on: Entries<Text>,
    /// For `branch`: where to go when no case holds.
    pub otherwise: Option<Text>,
    /// Slots emptied when the step is left.
    pub forget: Items<Text>,
    /// The next step, or `end`.
    pub next: Option<Text>,
}

/// Show a list and let the person pick.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Choose {
    /// The slot the pick fills.
    pub slot: Text,
    /// The field of the row that becomes its value.
    pub field: Text,
    /// The sentence with the list.
    pub message: Text,
}

/// Answer from the questions and answers.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Said when no answer fits.
    pub otherwise: Text,
}

/// One case of a branch.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The condition.
    pub when: Text,
    /// Where it leads.
    pub go: Text,
}
