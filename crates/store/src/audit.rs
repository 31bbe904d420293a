//! Checks an exported log: is it whole, in order, unchanged, signed, and does it keep the rules of acting once?
//!
//! Invariant: it needs only the exported file and the public key, and shares no code with the writer beyond the hash
//! libraries; headers, leaves, tree and canonical form are worked out here again. Deliberately absent: trust in any
//! number the export states about itself.

mod canonical;
pub(crate) mod export;
mod rules;
mod tree;
mod verify;

#[cfg(test)]
mod tests;

use std::io::BufRead;

/// Problems listed at most; a wholly foreign file must not fill the memory.
pub const PROBLEMS_MAX: usize = 1_000;

/// Something that is wrong with a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The record it was found at (for a checkpoint, its size); 0 where there is none.
    pub seq: u64,
    /// What is wrong.
    pub what: String,
}

/// What the check found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Records read.
    pub records: u64,
    /// Checkpoints read.
    pub checkpoints: u64,
    /// Checkpoints whose signature was checked and is good.
    pub signatures: u64,
    /// The last record's leaf hash, in hex.
    pub head: Option<String>,
    /// Records that name neither their conversation nor their person inside the hashed body, so that the export's
    /// own words are all there is for it.
    pub unbound: u64,
    /// Everything that is wrong, in the order of the file; at most [`PROBLEMS_MAX`].
    pub problems: Vec<Problem>,
}

impl Report {
    /// True if nothing is wrong.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.problems.is_empty()
    }

    fn add(&mut self, seq: u64, what: impl Into<String>) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(Problem { seq, what: what.into() });
        }
    }
}

/// Checks an export. Without a public key the signatures are left out and [`Report::signatures`] stays 0.
#[must_use]
pub fn verify_export(export: impl BufRead, public_key: Option<&[u8]>) -> Report {
    verify::run(export, public_key)
}
