//! Journeys: flows as containers of state, with their steps.

use std::collections::BTreeMap;

use crate::expr::Checked;
use crate::reason::Reason;

/// How a `call` step may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// The tool did it.
    Done,
    /// A gate or the tool refused for this reason.
    Refused(Reason),
    /// The person said no.
    Rejected,
    /// The tool failed.
    Failed,
    /// Nobody knows.
    Unknown,
    /// The question expired.
    Expired,
}

/// What a step does.
#[derive(Debug, Clone)]
pub enum Body {
    /// Ask for slots until all are there and in range.
    Collect {
        /// Which, in the order they are asked.
        slots: Vec<String>,
    },
    /// Show the rows of a fact that matched more than once and let the person pick.
    Choose {
        /// The slot the pick fills.
        slot: String,
        /// The field of the row that becomes the slot's value.
        field: String,
        /// The sentence with the list.
        message: String,
    },
    /// Call a tool with the journey's slots.
    Call {
        /// Which tool.
        tool: String,
        /// Where each ending leads; an ending not named here has the engine's own handling.
        on: BTreeMap<Ending, usize>,
    },
    /// A model proposes among these tools.
    Plan {
        /// Which tools it may propose.
        tools: Vec<String>,
    },
    /// Say a sentence.
    Say {
        /// Which.
        message: String,
    },
    /// Answer from the pack's own questions and answers, or say what the agent can do.
    Answer {
        /// Said when no answer fits.
        otherwise: String,
    },
    /// Go on at the first step whose condition holds.
    Branch {
        /// Conditions and where they lead.
        cases: Vec<(Checked, usize)>,
        /// Where to go when none holds or one cannot be decided.
        otherwise: usize,
    },
    /// Hand the conversation to a person.
    Handoff {
        /// Said to the customer.
        message: String,
    },
    /// The request is complete.
    End,
}

/// One step of a journey.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its name, for records.
    pub name: String,
    /// What it does.
    pub body: Body,
    /// Slots emptied when the step is left, so that they are asked again.
    pub forget: Vec<String>,
    /// The next step, by index.
    pub next: usize,
}

/// A flow: a container of state with steps.
#[derive(Debug, Clone)]
pub struct Journey {
    /// Its name.
    pub name: String,
    /// Intents that enter it.
    pub intents: Vec<String>,
    /// Its steps; the first is where it begins.
    pub steps: Vec<Step>,
    /// All slots its steps use.
    pub slots: Vec<String>,
}
