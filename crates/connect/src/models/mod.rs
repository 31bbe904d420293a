//! Models: what understands, plans and writes. Each works without a network or has a fallback that does.

// Trained at load from the pack's own examples.
pub mod embedded;
