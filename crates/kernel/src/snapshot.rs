//! State and events as versioned plain records: the only codec.
//!
//! Invariant: `decode(encode(s)) == s`, and the decoded state takes the same next step. The version is the first thing
//! read, and an unknown one is refused: a snapshot is never guessed at.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::state::State;

/// The version written; golden files in `tests/golden` hold every version ever written.
pub const VERSION: u32 = 1;
/// Largest encoded state in bytes.
pub const STATE_MAX: usize = 16 * 1024;

/// Why a snapshot could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is not a snapshot.
    Malformed(String),
    /// A newer program wrote it.
    Version(u32),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::Malformed(what) => write!(f, "the snapshot cannot be read: {what}"),
            Fault::Version(version) => write!(f, "the snapshot has version {version}, this program knows {VERSION}"),
        }
    }
}

impl std::error::Error for Fault {}

#[derive(Serialize)]
struct Sealed<'a, T> {
    v: u32,
    body: &'a T,
}

#[derive(Deserialize)]
struct Opened<T> {
    body: T,
}

#[derive(Deserialize)]
struct Versioned {
    v: u32,
}

/// A state as bytes.
#[must_use]
pub fn encode_state(state: &State) -> Vec<u8> {
    encode(state)
}

/// A state from bytes.
///
/// # Errors
/// The bytes are no snapshot, or a newer program's.
pub fn decode_state(bytes: &[u8]) -> Result<State, Fault> {
    decode(bytes)
}

/// An event as bytes.
#[must_use]
pub fn encode_event(event: &Event) -> Vec<u8> {
    encode(event)
}

/// An event from bytes.
///
/// # Errors
/// The bytes are no event, or a newer program's.
pub fn decode_event(bytes: &[u8]) -> Result<Event, Fault> {
    decode(bytes)
}

fn encode<T: Serialize>(body: &T) -> Vec<u8> {
    // Plain data with text keys always encodes; an empty answer would be refused by `decode`.
    serde_json::to_vec(&Sealed { v: VERSION, body }).unwrap_or_default()
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    let malformed = |error: serde_json::Error| Fault::Malformed(error.to_string());
    let version: Versioned = serde_json::from_slice(bytes).map_err(malformed)?;
    if version.v != VERSION {
        return Err(Fault::Version(version.v));
    }
    serde_json::from_slice::<Opened<T>>(bytes).map(|opened| opened.body).map_err(malformed)
}
