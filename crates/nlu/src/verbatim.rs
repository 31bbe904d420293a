//! A person's own words.
use crate::Found;

/// The words in quotes, after a colon or after a cue.
#[must_use]
pub fn after_cue(_text: &str, _cues: &[String]) -> Option<Found> {
    None
}
