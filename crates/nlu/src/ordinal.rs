//! Positions in a list.
use crate::Language;

/// The 0-based entry a person picked from a list of `count`.
#[must_use]
pub fn pick(_text: &str, _count: usize, _language: Language) -> Option<usize> {
    None
}
