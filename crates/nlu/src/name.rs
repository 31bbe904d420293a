//! Names of people and things.
use crate::{Found, Language, Span};
use serde::{Deserialize, Serialize};

/// How close a said name is to a known one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closeness {
    /// The same, but for case and accents.
    Exact,
    /// Some of its words.
    Part,
    /// The same but for a typing mistake.
    Near,
}

/// How close `said` is to `candidate`, if at all.
#[must_use]
pub fn resembles(_candidate: &str, _said: &str) -> Option<Closeness> {
    None
}

/// The name that follows a cue such as "para a".
#[must_use]
pub fn after_cue(_text: &str, _cues: &[String], _taken: &[Span], _language: Language) -> Option<Found> {
    None
}

/// The name, if the whole message is one.
#[must_use]
pub fn alone(_text: &str, _language: Language) -> Option<Found> {
    None
}
