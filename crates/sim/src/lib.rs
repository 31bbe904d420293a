//! A world of its own for an agent: scripted clock, its own folder, crashes on demand.
//!
//! Used by tests, benches and the commands that try an agent out; never by anything that serves customers.
//!
//! ```
//! use countersign_sim::world::{Agent, World, START};
//!
//! let agent = Agent::of_repository("iris").expect("the pack compiles");
//! let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
//! runtime.block_on(async {
//!     let mut world = World::new(&agent, START.parse().expect("a time")).await.expect("a world");
//!     let heard = world.says("bom dia").await.expect("a turn");
//!     assert!(!heard.replies.is_empty());
//! });
//! ```

// A clock that a script moves.
pub mod clock;
// Ends the process at a named point.
pub mod faults;
// A folder of one's own.
pub mod folder;
// An agent with a store, tools and a channel of its own.
pub mod world;
// Runs written conversations.
pub mod specs;
