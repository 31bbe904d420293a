//! Claims that something was done.
use crate::{Language, Span};

/// Where a text claims that an action was done.
#[must_use]
pub fn actions(_text: &str, _language: Language) -> Vec<Span> {
    Vec::new()
}
