//! Drives a conversation through `step`: answers what the kernel asks for from a small world in memory, and keeps
//! every event, decision and effect for assertions, replay and golden files.

use std::collections::{BTreeMap, VecDeque};

use countersign_kernel::decision::Decision;
use countersign_kernel::effect::Effect;
use countersign_kernel::escalate::Ticket;
use countersign_kernel::event::{
    Content, Event, Happening, Heard, Proposal, ReadOutcome, Reading, Surroundings, Timer, ToolOutcome,
};
use countersign_kernel::policy::{EffectClass, Policy};
use countersign_kernel::state::{Session, State};
use countersign_kernel::step;
use countersign_nlu::govern::Class;
use countersign_nlu::language::Language;
use countersign_nlu::{Currency, Money, Value};
use jiff::{Timestamp, ToSpan};

use crate::bench_pack;

/// Steps of one driven turn; more would be a loop.
const STEPS_MAX: usize = 64;

/// A Monday, noon in the pack's zone.
pub(crate) const START: &str = "2026-11-16T15:00:00Z";

/// A row of a table.
pub(crate) type Row = BTreeMap<String, Value>;

/// How a tool lies about what it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lie {
    /// It reports success and writes nothing.
    NothingWritten,
    /// It reports and writes another amount.
    OtherAmount,
    /// It reports what was asked and writes another amount.
    OtherAmountWritten,
    /// It reports and writes another date.
    OtherDate,
    /// It reports what was asked and writes another date.
    OtherDateWritten,
    /// It answers with something else entirely.
    Malformed,
    /// It leaves a field out.
    MissingField,
    /// It leaves the id out, so the record cannot be found.
    WrongType,
}

impl Lie {
    pub(crate) const ALL: [Lie; 8] = [
        Lie::NothingWritten,
        Lie::OtherAmount,
        Lie::OtherAmountWritten,
        Lie::OtherDate,
        Lie::OtherDateWritten,
        Lie::Malformed,
        Lie::MissingField,
        Lie::WrongType,
    ];
}

/// What the outside holds.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) contacts: Vec<(&'static str, &'static str)>,
    pub(crate) boletos: BTreeMap<String, Row>,
    pub(crate) lie: Option<Lie>,
    pub(crate) reads_fail: bool,
    pub(crate) read_backs_fail: bool,
}

pub(crate) fn row(fields: &[(&str, Value)]) -> Row {
    fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

pub(crate) fn boleto(id: &str, contact: &str, minor: i64, due: &str, status: &str) -> Row {
    row(&[
        ("boleto_id", Value::text(id)),
        ("contact_name", Value::text(contact)),
        ("amount_cents", bench_pack::brl(minor)),
        ("due_date", Value::Date(due.parse().expect("a date"))),
        ("status", Value::text(status)),
    ])
}

impl World {
    pub(crate) fn new() -> Self {
        let boletos = [
            boleto("BOL-1001", "Ana Souza", 15_000, "2026-11-20", "OPEN"),
            boleto("BOL-1002", "Bruno Lima", 20_000, "2026-11-25", "PAID"),
            boleto("BOL-1003", "Carla Dias", 30_000, "2026-12-01", "OPEN"),
        ];
        Self {
            contacts: vec![
                ("Ana Souza", "+5511900000001"),
                ("Bruno Lima", "+5511900000002"),
                ("João Silva", "+5511900000003"),
                ("João Pereira", "+5511900000004"),
            ],
            boletos: boletos
                .into_iter()
                .map(|row| (row["boleto_id"].as_text().expect("an id").to_owned(), row))
                .collect(),
            lie: None,
            reads_fail: false,
            read_backs_fail: false,
        }
    }

    fn read(&self, name: &str, params: &Row) -> ReadOutcome {
        if self.reads_fail {
            return ReadOutcome::Failed("the database is away".to_owned());
        }
        match name {
            // Deliberately unfiltered: which row bears the name is the kernel's decision.
            "find_contact" => ReadOutcome::Rows(
                self.contacts
                    .iter()
                    .map(|(name, phone)| row(&[("name", Value::text(*name)), ("phone", Value::text(*phone))]))
                    .collect(),
            ),
            "find_boleto" => {
                let id = params.get("boleto_id").and_then(Value::as_text).unwrap_or_default();
                ReadOutcome::Rows(self.boletos.get(id).cloned().into_iter().collect())
            }
            other => ReadOutcome::Failed(format!("no read `{other}`")),
        }
    }

    fn call(&mut self, tool: &str, arguments: &Row) -> ToolOutcome {
        match tool {
            "create_boleto" => self.create(arguments),
            "cancel_boleto" => {
                let id = arguments["boleto_id"].as_text().expect("an id").to_owned();
                if self.lie != Some(Lie::NothingWritten)
                    && let Some(row) = self.boletos.get_mut(&id)
                {
                    row.insert("status".to_owned(), Value::text("CANCELLED"));
                }
                let status = Value::text("CANCELLED");
                ToolOutcome::Done(Value::Record(row(&[("boleto_id", Value::text(id)), ("status", status)])))
            }
            "check_status" => {
                let id = arguments["boleto_id"].as_text().expect("an id");
                let found = self.boletos.get(id).cloned();
                ToolOutcome::Done(found.map_or(Value::Null, Value::Record))
            }
            "list_boletos" => {
                ToolOutcome::Done(Value::List(self.boletos.values().cloned().map(Value::Record).collect()))
            }
            _ => ToolOutcome::Done(Value::Record(arguments.clone())),
        }
    }

    fn create(&mut self, arguments: &Row) -> ToolOutcome {
        let id = format!("BOL-{}", 1001 + self.boletos.len());
        let mut reported = arguments.clone();
        reported.insert("boleto_id".to_owned(), Value::text(id.clone()));
        reported.insert("status".to_owned(), Value::text("OPEN"));
        let mut written = reported.clone();
        let other_amount = bench_pack::brl(1);
        let other_date = Value::Date("2027-01-01".parse().expect("a date"));
        match self.lie {
            Some(Lie::OtherAmount) => {
                written.insert("amount_cents".to_owned(), other_amount.clone());
                reported.insert("amount_cents".to_owned(), other_amount);
            }
            Some(Lie::OtherAmountWritten) => {
                written.insert("amount_cents".to_owned(), other_amount);
            }
            Some(Lie::OtherDate) => {
                written.insert("due_date".to_owned(), other_date.clone());
                reported.insert("due_date".to_owned(), other_date);
            }
            Some(Lie::OtherDateWritten) => {
                written.insert("due_date".to_owned(), other_date);
            }
            Some(Lie::Malformed) => return ToolOutcome::Done(Value::text("created!")),
            Some(Lie::MissingField) => {
                reported.remove("boleto_id");
            }
            Some(Lie::WrongType) => {
                let money = Money::new(15_000, Currency::USD);
                reported.insert("amount_cents".to_owned(), Value::Money(money));
            }
            Some(Lie::NothingWritten) => return ToolOutcome::Done(Value::Record(reported)),
            None => {}
        }
        self.boletos.insert(id, written);
        ToolOutcome::Done(Value::Record(reported))
    }
}

/// A call that was let through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Made {
    pub(crate) tool: String,
    pub(crate) effect: EffectClass,
    pub(crate) arguments: Row,
    pub(crate) key: String,
    pub(crate) nonce: Option<String>,
}

/// What came of one driven turn.
#[derive(Debug, Default)]
pub(crate) struct Turned {
    pub(crate) decisions: Vec<Decision>,
    pub(crate) sent: Vec<String>,
    pub(crate) buttons: Vec<(String, String)>,
    pub(crate) calls: Vec<Made>,
    pub(crate) tickets: Vec<Ticket>,
    pub(crate) timers: Vec<(Timer, Timestamp)>,
    pub(crate) reads: usize,
    pub(crate) proposals: usize,
    pub(crate) senses: usize,
    pub(crate) consents: Vec<bool>,
    pub(crate) effects: Vec<serde_json::Value>,
}

/// A decision a test demands: gate, verdict and reason by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) gate: &'static str,
    pub(crate) verdict: &'static str,
    pub(crate) reason: &'static str,
}

pub(crate) fn stops(gate: &'static str, reason: &'static str) -> Expected {
    Expected { gate, verdict: "stop", reason }
}

pub(crate) fn asks(gate: &'static str, reason: &'static str) -> Expected {
    Expected { gate, verdict: "ask", reason }
}

pub(crate) fn passes(gate: &'static str, reason: &'static str) -> Expected {
    Expected { gate, verdict: "pass", reason }
}

pub(crate) fn notes(gate: &'static str, reason: &'static str) -> Expected {
    Expected { gate, verdict: "note", reason }
}

pub(crate) fn waits(gate: &'static str, reason: &'static str) -> Expected {
    Expected { gate, verdict: "wait", reason }
}

impl Turned {
    pub(crate) fn has(&self, expected: &Expected) -> bool {
        self.decisions.iter().any(|decision| {
            decision.gate.name() == expected.gate
                && decision.verdict.name() == expected.verdict
                && decision.reason.code() == expected.reason
        })
    }

    /// The decisions, one a line, for failures.
    pub(crate) fn trace(&self) -> String {
        let line = |d: &Decision| format!("  {} {} {} {} {}", d.gate, d.verdict.name(), d.reason, d.about, d.detail);
        let lines: Vec<String> = self.decisions.iter().map(line).collect();
        format!("{}\nsaid {:?}\ncalled {:?}", lines.join("\n"), self.sent, self.calls)
    }

    #[track_caller]
    pub(crate) fn decides(&self, expected: Expected) -> &Self {
        assert!(self.has(&expected), "expected {expected:?} among\n{}", self.trace());
        self
    }

    #[track_caller]
    pub(crate) fn never_decides(&self, gate: &str, reason: &str) -> &Self {
        let found = self.decisions.iter().any(|d| d.gate.name() == gate && d.reason.code() == reason);
        assert!(!found, "unexpected {gate} {reason} among\n{}", self.trace());
        self
    }

    /// Exactly these sentences, in order.
    #[track_caller]
    pub(crate) fn says(&self, sentences: &[&str]) -> &Self {
        assert_eq!(self.sent, sentences, "{}", self.trace());
        self
    }

    #[track_caller]
    pub(crate) fn calls(&self, tools: &[&str]) -> &Self {
        let made: Vec<&str> = self.calls.iter().map(|made| made.tool.as_str()).collect();
        assert_eq!(made, tools, "{}", self.trace());
        self
    }

    pub(crate) fn claims_success(&self) -> bool {
        self.sent.iter().any(|text| text.contains("SUCESSO"))
    }
}

/// One conversation being driven.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) policy: Policy,
    pub(crate) state: State,
    pub(crate) now: Timestamp,
    pub(crate) world: World,
    /// What tools answer instead of doing their work, in order.
    pub(crate) outcomes: VecDeque<ToolOutcome>,
    /// What the planner answers, in order; none left is no answer yet.
    pub(crate) proposals: VecDeque<Proposal>,
    pub(crate) around: Surroundings,
    /// Leaves a call running instead of answering it.
    pub(crate) is_hanging: bool,
    pub(crate) events: Vec<Event>,
}

pub(crate) fn session() -> Session {
    Session { tenant: "acme".to_owned(), customer: "customer-1".to_owned(), conversation: "conversation-1".to_owned() }
}

pub(crate) fn reading(intent: Option<&str>, confidence: u16) -> Reading {
    Reading {
        intent: intent.map(str::to_owned),
        confidence,
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

pub(crate) fn surely(intent: &str) -> Reading {
    reading(Some(intent), 950)
}

/// A reading that knows nothing; what a sensor gives for "sim" or a bare name.
pub(crate) fn unknown() -> Reading {
    reading(None, 0)
}

impl Script {
    pub(crate) fn new() -> Self {
        Self::with(bench_pack::policy())
    }

    pub(crate) fn with(policy: Policy) -> Self {
        let state = State::new(session(), Language::Pt);
        let now = START.parse().expect("a time");
        let (world, around) = (World::new(), Surroundings::default());
        let (outcomes, proposals, events) = (VecDeque::new(), VecDeque::new(), Vec::new());
        Self { policy, state, now, world, outcomes, proposals, around, is_hanging: false, events }
    }

    pub(crate) fn wait(&mut self, seconds: i64) -> &mut Self {
        self.now = self.now.checked_add(seconds.seconds()).expect("a later time");
        self
    }

    /// A message with its reading.
    pub(crate) fn hears(&mut self, text: &str, reading: Reading) -> Turned {
        self.content(Content::Text(text.to_owned()), reading)
    }

    /// A message that only the lexicons or the step can make sense of.
    pub(crate) fn says(&mut self, text: &str) -> Turned {
        self.hears(text, unknown())
    }

    pub(crate) fn presses(&mut self, payload: &str) -> Turned {
        self.content(Content::Button(payload.to_owned()), unknown())
    }

    pub(crate) fn content(&mut self, content: Content, reading: Reading) -> Turned {
        let message = self.state.message + 1;
        let heard = Heard { message, content, nonce: format!("n{message}"), around: self.around.clone() };
        self.drive(Happening::Heard(heard), Some(reading))
    }

    /// Any other event.
    pub(crate) fn feed(&mut self, what: Happening) -> Turned {
        self.drive(what, None)
    }

    fn drive(&mut self, first: Happening, reading: Option<Reading>) -> Turned {
        let mut turned = Turned::default();
        let mut queue = VecDeque::from([first]);
        let mut reading = reading;
        for _ in 0..STEPS_MAX {
            let Some(what) = queue.pop_front() else { return turned };
            let event = Event { at: self.now, what };
            let done = step(&self.policy, self.state.clone(), &event);
            self.events.push(event);
            self.state = done.state;
            turned.decisions.extend(done.decisions);
            for effect in done.effects {
                turned.effects.push(effect.describe());
                let answer = self.perform(effect, &mut reading, &mut turned);
                queue.extend(answer);
            }
        }
        panic!("the turn does not end:\n{}", turned.trace());
    }

    fn perform(&mut self, effect: Effect, reading: &mut Option<Reading>, turned: &mut Turned) -> Option<Happening> {
        match effect {
            Effect::Sense { .. } => {
                turned.senses += 1;
                reading.take().map(Happening::Sensed)
            }
            Effect::Propose { .. } => {
                turned.proposals += 1;
                self.proposals.pop_front().map(Happening::Proposed)
            }
            Effect::Read(read) => {
                turned.reads += 1;
                let is_read_back = !turned.calls.is_empty();
                let outcome = if is_read_back && self.world.read_backs_fail {
                    ReadOutcome::Failed("the database is away".to_owned())
                } else {
                    self.world.read(&read.read, &read.params)
                };
                Some(Happening::FactRead { read: read.number, outcome })
            }
            Effect::CallTool(armed) => {
                turned.calls.push(Made {
                    tool: armed.call().tool.clone(),
                    effect: armed.effect(),
                    arguments: armed.arguments().clone(),
                    key: armed.key().to_owned(),
                    nonce: armed.reservation().nonce.clone(),
                });
                if self.is_hanging {
                    return None;
                }
                let scripted = self.outcomes.pop_front();
                let outcome = scripted.unwrap_or_else(|| self.world.call(&armed.call().tool, armed.arguments()));
                Some(Happening::ToolReturned { key: armed.key().to_owned(), outcome })
            }
            Effect::Send(speakable) => {
                turned.sent.push(speakable.text().to_owned());
                turned.buttons = speakable.buttons().to_vec();
                None
            }
            Effect::OpenTicket(ticket) => {
                turned.tickets.push(ticket);
                None
            }
            Effect::StartTimer { timer, at } => {
                turned.timers.push((timer, at));
                None
            }
            Effect::SetConsent { is_opted_out } => {
                turned.consents.push(is_opted_out);
                None
            }
        }
    }
}
