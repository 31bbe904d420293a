//! `pack.yaml`: who the agent is and the numbers it goes by.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalar::{Seconds, Share};
use super::{Entries, Items, PerLanguage, Spanned, Text};

/// `pack.yaml`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackFile {
    /// The agent's name: lower-case letters, digits, `_`, `-`.
    pub pack: Text,
    /// The version of this file format; 1.
    pub format: Spanned<u32>,
    /// One line that says what the agent does.
    pub summary: Option<Text>,
    /// Language codes; the first is the default.
    pub languages: Items<Text>,
    /// Three letters: `BRL`.
    pub currency: Text,
    /// Two letters: `BR`.
    pub region: Text,
    /// An IANA name: `America/Sao_Paulo`.
    pub time_zone: Text,
    /// When to act, ask or stay.
    #[serde(default)]
    pub thresholds: Thresholds,
    /// How much comes in and goes out.
    #[serde(default)]
    pub limits: Limits,
    /// Small talk.
    #[serde(default)]
    pub governance: Governance,
    /// The closed word lists, per language.
    #[serde(default)]
    pub words: PerLanguage<Words>,
    /// `gate/reason` or `gate/*` -> the name a log shows.
    #[serde(default)]
    pub log_names: Entries<Text>,
}

/// When to act, ask or stay.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Thresholds {
    /// At or above: route the intent.
    pub route: Option<Spanned<Share>>,
    /// At or above, and below `route`: ask a clarifying question.
    pub clarify: Option<Spanned<Share>>,
    /// At or above: the message is ambiguous.
    pub ambiguity: Option<Spanned<Share>>,
    /// At or above: the language may switch.
    pub language: Option<Spanned<Share>>,
    /// Added to the current journey's candidates.
    pub sticky: Option<Spanned<Share>>,
    /// Raw confidence must exceed this to leave the current journey.
    pub leave: Option<Spanned<Share>>,
    /// Taken from global entry points while a journey is open.
    pub global_penalty: Option<Spanned<Share>>,
    /// Clarifications without progress before a person takes over.
    pub clarifications_max: Option<Spanned<u8>>,
}

/// How much comes in and goes out.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Longest message in characters.
    pub message_chars: Option<Spanned<u32>>,
    /// Messages of one customer in a minute.
    pub per_minute: Option<Spanned<u32>>,
    /// Messages of one customer in a day.
    pub per_day: Option<Spanned<u32>>,
    /// Longest reply in characters.
    pub reply_chars: Option<Spanned<u32>>,
    /// How long a confirmation may be answered.
    pub confirm: Option<Spanned<Seconds>>,
    /// How long an approval may be decided.
    pub approve: Option<Spanned<Seconds>>,
    /// Spam turns before silence.
    pub spam_turns: Option<Spanned<u8>>,
}

/// Small talk.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Governance {
    /// 0 none, 1 a greeting, 2 two turns, 3 four turns.
    pub chattiness: Option<Spanned<u8>>,
}

/// The closed word lists of one language.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// What counts as yes.
    pub yes: Items<Text>,
    /// What counts as no.
    pub no: Items<Text>,
    /// Opt out.
    pub stop: Items<Text>,
    /// Opt in again.
    #[serde(default)]
    pub start: Items<Text>,
    /// Call the open request off.
    #[serde(default)]
    pub cancel: Items<Text>,
    /// Say the last question again.
    #[serde(default)]
    pub repeat: Items<Text>,
}
