//! Turns the files people write into a checked policy: YAML text in, diagnostics and a policy out.
//!
//! ```
//! use countersign_pack::{Source, compile, render};
//!
//! let source = Source::new([("pack.yaml".to_owned(), "pack: demo\nformatt: 1\n".to_owned())]);
//! let outcome = compile(&source, None);
//! assert!(outcome.policy.is_none());
//! assert!(render(&outcome.diagnostics, &source, false).contains("did you mean `format`?"));
//! ```
//!
//! Invariant: a policy comes out only when nothing was found that a person must mend; what is found is found in one
//! run, with file, line, code and help.
//! Deliberately absent: files, clocks and databases. The caller hands in texts; the connector prepares SQL.

// The files of a pack as text.
pub mod source;
// The file format, exactly as written by people.
pub mod raw;
// Code, severity, place, message, help.
pub mod diagnostic;
// Every code.
pub mod codes;
// Written conversations that must hold.
pub mod spec;

// YAML text -> a tree of texts with places.
mod yaml;
// The tree -> raw structs.
mod read;
// Which file is what.
mod load;
// Where mistakes are collected.
mod notes;
// Raw structs -> parts of a policy.
mod lower;
// What can be proven.
mod check;

use countersign_kernel::policy::Policy;

pub use check::Code;
pub use codes::codes;
pub use diagnostic::{Diagnostic, Severity, render, to_json};
pub use load::tenants;
pub use lower::ENGINE;
pub use raw::schema;
pub use source::Source;

use crate::notes::Notes;

/// What became of a pack.
#[derive(Debug)]
pub struct Outcome {
    /// The policy, if there is no error.
    pub policy: Option<Policy>,
    /// Everything that was found, by file and place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads, lowers and checks a pack, with a tenant's overlay if one is named.
#[must_use]
pub fn compile(source: &Source, tenant: Option<&str>) -> Outcome {
    let mut notes = Notes::new(source);
    let loaded = load::load(source, tenant, &mut notes);
    let mut policy = None;
    if loaded.is_whole {
        let lowered = lower::lower(source, tenant, &loaded, &mut notes);
        let overlay = tenant.map(|tenant| format!("tenants/{tenant}.yaml")).unwrap_or_default();
        check::run(&check::Context { raw: &loaded.raw, lowered: &lowered, overlay }, &mut notes);
        if !notes.has_errors() {
            policy = finish(lowered.parts, &mut notes);
        }
    }
    let mut diagnostics = notes.list;
    diagnostic::sort(&mut diagnostics);
    Outcome { policy, diagnostics }
}

/// Puts the policy together. The kernel looks for dangling references once more; finding one here means that a check
/// is missing, and is told as such.
fn finish(parts: countersign_kernel::policy::Parts, notes: &mut Notes<'_>) -> Option<Policy> {
    match Policy::new(parts) {
        Ok(policy) => Some(policy),
        Err(broken) => {
            for reference in broken {
                notes.file("pack/policy", load::PACK, reference, "a reference leads nowhere");
            }
            None
        }
    }
}
