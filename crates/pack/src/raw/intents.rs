//! `intents.yaml`: what people ask for, and what has to be known to do it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Entries, Items, PerLanguage, Text};

/// `intents.yaml`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IntentsFile {
    /// Things the agent has to be told.
    pub slots: Entries<Slot>,
    /// Things people ask for.
    pub intents: Entries<Intent>,
    /// Questions with a fixed answer: the sentence `faq.<topic>`.
    pub faq: Entries<Topic>,
}

/// Something the agent has to be told.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slot {
    /// number, money, date, time, duration, phone, email, id, name, text or flag.
    #[serde(rename = "type")]
    pub kind: Text,
    /// For ids: the prefix that makes `1001` into `BOL-1001`.
    pub id_prefix: Option<Text>,
    /// What to call it when asking.
    #[serde(default)]
    pub label: PerLanguage<Text>,
    /// Words that announce it.
    #[serde(default)]
    pub cues: PerLanguage<Items<Text>>,
    /// Rules about its value, in order.
    #[serde(default)]
    pub rules: Items<ValueRule>,
    /// An expression over `today`: a value to propose when asking.
    pub offer: Option<Text>,
}

/// A rule about one slot's value.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValueRule {
    /// An expression over the slot and `today` that must hold.
    pub check: Text,
    /// The reason code of the stop.
    pub reason: Text,
    /// The sentence said instead of going on.
    pub message: Text,
}

/// Something people ask for.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Intent {
    /// Slots that must be filled before its journey acts.
    pub requires: Items<Text>,
    /// What people write.
    pub examples: PerLanguage<Items<Text>>,
}

/// A question with a fixed answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    /// The intent it belongs to.
    pub intent: Text,
    /// What people write.
    #[serde(default)]
    pub examples: PerLanguage<Items<Text>>,
}
