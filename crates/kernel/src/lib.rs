//! Decides. The kernel is one pure function, [`step()`], from (policy, state, event) to (state, effects, decisions),
//! built from three walks over seventeen gates:
//!
//! ```text
//! hear   1 input  2 consent  3 limit  (sense)  4 language  5 govern  6 clarity  7 route  8 slots
//! act    9 trace  10 permit  11 confirm  12 approve  13 arm  (the tool runs)  14 result
//! speak  15 ground  16 enforce  17 shape
//! ```
//!
//! No clock, no randomness, no IO, no async, no floats: time and ids arrive in events. A model's output is never an
//! instruction; it is one more untrusted event that has to pass the gates.

// The closed list of reason codes.
pub mod reason;
// One gate's verdict.
pub mod decision;
// Everything that can happen to a conversation.
pub mod event;
// Everything the outside may be asked to do.
pub mod effect;
// What one conversation remembers.
pub mod state;
// The bounded window of values with origins.
pub mod evidence;
// Where a value came from.
pub mod origin;
// A checked pack.
pub mod policy;
// How tools are carried out; opaque to the kernel.
pub mod connector;
// Which event takes which path.
pub mod step;
// The three walks: the order of the gates, readable top to bottom.
mod act;
mod hear;
mod speak;
// The gates, one file each.
pub mod gates;
// Journeys: what a step does.
mod journey;
// Calls: asking, arming, verifying.
mod calling;
// What one step works on.
mod turn;
// How words become a slot's value.
mod fill;
mod relative;
// The same walks over a transcript: a verdict, never a permission.
pub mod review;
// How memory is kept under its limit.
mod bound;
// When a person takes over.
pub mod escalate;
// The expression language.
pub mod expr;
// Sentences with holes.
pub mod template;
// Values as canonical JSON.
pub mod canonical;
// State and events as versioned plain records.
pub mod snapshot;

pub use step::{Step, step};
