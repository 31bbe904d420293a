//! Raw structs -> the parts of a policy.
//!
//! Invariant: every mistake is noted and the work goes on with what is left, so that one run shows them all; a
//! policy is only put together when nothing was noted.
//! Deliberately absent: judgement. Whether a pack is *safe* is asked in `check`; here names and types are settled.

mod arguments;
mod connector;
mod examples;
mod journeys;
mod messages;
mod pack;
mod rules;
mod slots;
mod tools;
mod types;

use std::collections::{BTreeMap, BTreeSet};

use countersign_kernel::expr::{self, Checked, Scope, Type};
use countersign_kernel::policy::Parts;
use countersign_kernel::reason::Reason;
use countersign_nlu::{Currency, Language};

use crate::diagnostic::did_you_mean;
use crate::load::Loaded;
use crate::notes::Notes;
use crate::raw::{Pack, Text};
use crate::source::Source;

pub(crate) use connector::PORTS;
pub(crate) use messages::Written;
pub(crate) use types::{expr_type, kind_name};

/// The version of everything besides the pack that decides what a policy means; a change renames every policy.
pub const ENGINE: &str = concat!("countersign ", env!("CARGO_PKG_VERSION"), " format 1");

/// A lowered pack and what the checks need besides its parts.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) parts: Parts,
    /// Every sentence as written, with its file.
    pub(crate) texts: BTreeMap<Language, BTreeMap<String, Written>>,
}

/// What every part of lowering needs.
pub(crate) struct Lowerer<'l, 's> {
    raw: &'l Pack,
    loaded: &'l Loaded,
    notes: &'l mut Notes<'s>,
    languages: Vec<Language>,
    currency: Currency,
    /// The overlay's file name, if there is an overlay.
    overlay: String,
}

/// Lowers a pack with its overlay.
pub(crate) fn lower(source: &Source, tenant: Option<&str>, loaded: &Loaded, notes: &mut Notes<'_>) -> Lowered {
    let mut lowerer = Lowerer {
        raw: &loaded.raw,
        loaded,
        notes,
        languages: Vec::new(),
        currency: Currency::USD,
        overlay: tenant.map(|tenant| format!("tenants/{tenant}.yaml")).unwrap_or_default(),
    };
    lowerer.run(source.policy_hash(tenant, ENGINE))
}

impl Lowerer<'_, '_> {
    fn run(&mut self, hash: String) -> Lowered {
        self.languages = self.read_languages();
        self.currency = self.read_currency();
        let (texts, messages) = self.messages();
        let slots = self.slots();
        let reads = self.reads();
        let tools = self.tools(&slots, &reads);
        let journeys = self.journeys(&slots, &tools);
        let parts = Parts {
            name: self.name(),
            hash,
            languages: self.languages.clone(),
            currency: self.currency,
            region: self.region(),
            zone: self.zone(),
            thresholds: self.thresholds(),
            limits: self.limits(),
            words: self.words(),
            intents: self.intents(),
            rules: self.rules(&slots),
            examples: self.examples(),
            log_names: self.log_names(),
            slots,
            reads,
            tools,
            journeys,
            messages,
        };
        Lowered { parts, texts }
    }

    /// Checks an expression; what is wrong with it is noted under its own words.
    fn expr(&mut self, file: &str, written: &Text, scope: &Scope, expected: &Type) -> Option<Checked> {
        match expr::compile(&written.value, scope, expected) {
            Ok(checked) => Some(checked),
            Err(faults) => {
                self.notes.faults(file, written, faults);
                None
            }
        }
    }

    /// A reason code from the closed list.
    fn reason(&mut self, file: &str, written: &Text) -> Option<Reason> {
        let reason = Reason::parse(&written.value);
        if reason.is_none() {
            let known = Reason::ALL.iter().map(|reason| reason.code());
            self.unknown("pack/unknown_reason", "reason", file, written, known);
        }
        reason
    }

    /// True if the name is known; otherwise it is noted, with the nearest known one.
    fn known<'k>(
        &mut self,
        code: &'static str,
        what: &str,
        file: &str,
        written: &Text,
        known: impl Iterator<Item = &'k str>,
    ) -> bool {
        let known: BTreeSet<&str> = known.collect();
        let is_known = known.contains(written.value.as_str());
        if !is_known {
            self.unknown(code, what, file, written, known.into_iter());
        }
        is_known
    }

    fn unknown<'k>(
        &mut self,
        code: &'static str,
        what: &str,
        file: &str,
        written: &Text,
        known: impl Iterator<Item = &'k str>,
    ) {
        let known: Vec<&str> = known.collect();
        let help = did_you_mean(&written.value, known.iter().copied());
        let help = help.or_else(|| (known.len() <= KNOWN_SHOWN_MAX).then(|| format!("known: {}", known.join(", "))));
        self.notes.error(code, (file, written.span), format!("unknown {what} `{}`", written.value), help);
    }
}

/// A help line lists the known names only up to this many; more is no help.
const KNOWN_SHOWN_MAX: usize = 12;
