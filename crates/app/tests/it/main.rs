//! The real binary, end to end, from the outside: what goes in, what comes out, what is left on the disk.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "helpers of tests stop at the first surprise, like the tests themselves"
)]

mod audit;
mod bad_input;
mod chat;
mod commands;
// A kill that no handler sees is a matter of Unix.
#[cfg(unix)]
mod crash;
mod docs;
mod support;
