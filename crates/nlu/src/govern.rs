//! What sort of message this is.
use crate::Language;
use serde::{Deserialize, Serialize};

/// What sort of message this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Anything that may be about the business; the default.
    Business,
    /// Small talk.
    Casual,
    /// Advertising, chain letters, noise.
    Spam,
    /// Insults and threats.
    Abuse,
}

/// A topic a person should handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sensitive {
    /// Lawyers, courts, consumer protection.
    Legal,
    /// Illness and emergencies.
    Medical,
    /// A person may hurt themselves.
    SelfHarm,
}

/// What sort of message this is.
#[must_use]
pub fn classify(_text: &str, _language: Language) -> Class {
    Class::Business
}

/// True if the person is losing patience.
#[must_use]
pub fn is_frustrated(_text: &str, _language: Language) -> bool {
    false
}

/// A topic a person should handle, if the text touches one.
#[must_use]
pub fn sensitive(_text: &str, _language: Language) -> Option<Sensitive> {
    None
}
