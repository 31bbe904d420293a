//! Stop words and requests for a person.
use crate::Language;

/// True if the whole message is one of the words, politeness aside.
#[must_use]
pub fn is_stop(_text: &str, _words: &[String]) -> bool {
    false
}

/// True if the person asks for a human being.
#[must_use]
pub fn wants_person(_text: &str, _language: Language) -> bool {
    false
}
