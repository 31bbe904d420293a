//! Channels: where messages come from and go to. One provider is one file.

// The terminal.
pub mod terminal;
