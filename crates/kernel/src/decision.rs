//! One gate's verdict, with its reason and, where there is any, its evidence.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::origin::Witness;
use crate::reason::Reason;

macro_rules! gates {
    ($($variant:ident = $name:literal,)+) => {
        /// The gates, in the order of the walks; `Turn` is for what belongs to no single gate.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Gate {
            $(#[doc = concat!("The gate `", $name, "`.")] $variant,)+
        }

        impl Gate {
            /// Every gate, in order.
            pub const ALL: &'static [Gate] = &[$(Gate::$variant,)+];

            /// Its name in records and specs.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Gate::$variant => $name,)+ }
            }
        }
    };
}

gates! {
    Input = "input",
    Consent = "consent",
    Limit = "limit",
    Language = "language",
    Govern = "govern",
    Clarity = "clarity",
    Route = "route",
    Slots = "slots",
    Trace = "trace",
    Permit = "permit",
    Confirm = "confirm",
    Approve = "approve",
    Arm = "arm",
    Result = "result",
    Ground = "ground",
    Enforce = "enforce",
    Shape = "shape",
    Turn = "turn",
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a gate answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing to object to.
    Pass,
    /// Passed, and something was noted.
    Note,
    /// The person is asked something.
    Ask,
    /// Waiting for somebody.
    Wait,
    /// Refused.
    Stop,
}

impl Verdict {
    /// Its name in records and specs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Note => "note",
            Verdict::Ask => "ask",
            Verdict::Wait => "wait",
            Verdict::Stop => "stop",
        }
    }
}

/// One gate's verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Which gate.
    pub gate: Gate,
    /// Its answer.
    pub verdict: Verdict,
    /// Why.
    pub reason: Reason,
    /// What it is about: a slot, argument, tool or rule of the pack. Never a person's value.
    pub about: String,
    /// Where the values came from; positions only, never values.
    pub witnesses: Vec<Witness>,
    /// For a person reading the trace; may hold values and is stored beside the chain, never in it.
    pub detail: String,
}

impl Decision {
    /// A verdict without evidence.
    #[must_use]
    pub fn new(gate: Gate, verdict: Verdict, reason: Reason) -> Self {
        Self { gate, verdict, reason, about: String::new(), witnesses: Vec::new(), detail: String::new() }
    }

    /// Names what it is about.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = about.into();
        self
    }

    /// Adds a sentence for a person.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Adds where the values came from.
    #[must_use]
    pub fn witnessed(mut self, witnesses: Vec<Witness>) -> Self {
        self.witnesses = witnesses;
        self
    }
}
