//! Folds a transcript into a conversation's state, through the same step that runs in a turn.

use std::collections::BTreeMap;

use countersign_nlu::Value;
use countersign_nlu::govern::Class;
use jiff::Timestamp;

use super::Entry;
use crate::event::{Content, Event, Happening, Heard, ReadOutcome, Reading, Surroundings, ToolOutcome};
use crate::evidence::{Returned, Row};
use crate::policy::{EffectClass, Policy};
use crate::state::{Call, Counters, Phase, Session, State};

/// A conversation as far as a transcript tells it.
pub(super) struct Fold<'p> {
    policy: &'p Policy,
    pub(super) state: State,
    /// What tools returned since the person last wrote: this turn's evidence for a reply.
    pub(super) results: BTreeMap<String, Value>,
}

impl<'p> Fold<'p> {
    pub(super) fn new(policy: &'p Policy, transcript: &[Entry]) -> Self {
        let session = Session { tenant: String::new(), customer: String::new(), conversation: String::new() };
        let state = State::new(session, policy.language());
        let mut fold = Self { policy, state, results: BTreeMap::new() };
        for entry in transcript {
            match entry {
                Entry::Person { text, at, reading } => fold.person(text, *at, reading.clone()),
                Entry::Tool { tool, rows } => fold.tool(tool, rows),
                Entry::Agent { .. } => {}
            }
        }
        fold.settle();
        fold
    }

    /// What the kernel would ask of the outside is not done here; the transcript says what was.
    fn settle(&mut self) {
        self.state.phase = Phase::Idle;
        self.state.counters = Counters::default();
    }

    fn step(&mut self, what: Happening) {
        let event = Event { at: self.state.now, what };
        self.state = crate::step(self.policy, self.state.clone(), &event).state;
    }

    fn person(&mut self, text: &str, at: Timestamp, reading: Option<Reading>) {
        self.settle();
        self.results.clear();
        self.state.now = self.state.now.max(at);
        let message = self.state.message + 1;
        let (content, around) = (Content::Text(text.to_owned()), Surroundings::default());
        self.step(Happening::Heard(Heard { message, content, nonce: message.to_string(), around }));
        if matches!(self.state.phase, Phase::Sensing(_)) {
            self.step(Happening::Sensed(reading.unwrap_or_else(unread)));
        }
    }

    /// Rows answer what the conversation waits for, or are simply evidence.
    fn tool(&mut self, tool: &str, rows: &[Row]) {
        let declared = self.policy.tools.get(tool);
        let is_effect = declared.is_some_and(|declared| declared.effect != EffectClass::Read);
        let records = Value::List(rows.iter().cloned().map(Value::Record).collect());
        // Only something that was done is a `result`, which a reply may claim as done.
        self.results.insert(if is_effect { "result" } else { tool }.to_owned(), records.clone());
        let read_name = |call: &Call, fact: &str| {
            let facts = self.policy.tools.get(&call.tool).map(|tool| &tool.facts);
            facts.and_then(|facts| facts.iter().find(|known| known.name == fact)).map(|fact| fact.read.as_str())
        };
        let (awaited, returned) = match &self.state.phase {
            Phase::Acting { call, awaited, .. } => {
                let asked = awaited.iter().find(|(_, (fact, _))| read_name(call, fact) == Some(tool));
                (asked.map(|(number, _)| *number), None)
            }
            Phase::Verifying { read, running } => {
                let back = self.policy.tools.get(&running.call.tool).and_then(|tool| tool.result.read_back.as_ref());
                (back.filter(|fact| fact.read == tool).map(|_| *read), None)
            }
            Phase::Calling(running) => (None, (running.call.tool == tool).then(|| running.key.clone())),
            Phase::Idle | Phase::Sensing(_) | Phase::Planning => (None, None),
        };
        if let Some(read) = awaited {
            self.step(Happening::FactRead { read, outcome: ReadOutcome::Rows(rows.to_vec()) });
        } else if let Some(key) = returned {
            let is_list = declared.is_some_and(|declared| declared.result.is_list);
            let first = rows.first().cloned().map_or(Value::Null, Value::Record);
            let outcome = ToolOutcome::Done(if is_list { records } else { first });
            self.step(Happening::ToolReturned { key, outcome });
        } else {
            let (call, at) = (self.state.next_number(), self.state.now);
            self.state.evidence.receive(Returned { call, source: tool.to_owned(), at, rows: rows.to_vec() });
        }
    }
}

/// A message nobody read: it may answer a question, and opens nothing.
fn unread() -> Reading {
    Reading {
        intent: None,
        confidence: 0,
        runner_up: None,
        topic: None,
        language: None,
        class: Class::Business,
        ambiguity: 0,
        ambiguity_reason: String::new(),
        is_frustrated: false,
        sensitive: None,
    }
}
