//! A checked pack: what one agent may do, ask and say.
//!
//! Invariant: a [`Policy`] only exists whole. [`Policy::new`] refuses dangling references, so the walks never meet a
//! tool, slot, step or message that is not there.
//! Deliberately absent: the files and their syntax (`pack` reads them), and any way to change a policy.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use countersign_nlu::language::Language;
use countersign_nlu::yes_no::Lexicon;
use countersign_nlu::{Currency, Kind, Money, Region, Value};
use jiff::tz::TimeZone;

use crate::connector::Connector;
use crate::expr::{Checked, Type};
use crate::reason::Reason;
use crate::template::Template;

/// Confidence, similarity and thresholds in 1/1000; the kernel knows no floats.
pub type Milli = u16;

/// The numbers a pack or tenant may tune. Each default is a document's number, or a chosen one where they give none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thresholds {
    /// At or above: route the intent.
    pub route: Milli,
    /// At or above, and below `route`: ask a clarifying question; below: the open question.
    pub clarify: Milli,
    /// At or above: the message is ambiguous.
    pub ambiguity: Milli,
    /// At or above: the language may switch.
    pub language: Milli,
    /// Added to the current journey's candidates when ranking.
    pub sticky: Milli,
    /// Raw confidence must exceed this to leave the current journey.
    pub leave: Milli,
    /// Taken from global entry points while a journey is open.
    pub global_penalty: Milli,
    /// Clarifications without progress before a person takes over.
    pub clarifications_max: u8,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            route: 700,
            clarify: 500,
            ambiguity: 500,
            language: 750,
            sticky: 250,
            leave: 850,
            global_penalty: 100,
            clarifications_max: 3,
        }
    }
}

/// Limits of what comes in and goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Longest message in characters.
    pub message_chars: u32,
    /// Messages of one customer in a minute.
    pub per_minute: u32,
    /// Messages of one customer in a day.
    pub per_day: u32,
    /// Longest reply in characters.
    pub reply_chars: u32,
    /// How long a confirmation may be answered, in seconds.
    pub confirm_s: i64,
    /// How long an approval may be decided, in seconds.
    pub approve_s: i64,
    /// Small-talk turns before a redirect (from the pack's chattiness 0-3).
    pub casual_turns: u8,
    /// Spam turns before silence.
    pub spam_turns: u8,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_chars: 4096,
            per_minute: 20,
            per_day: 200,
            reply_chars: 4096,
            confirm_s: 300,
            approve_s: 86_400,
            casual_turns: 2,
            spam_turns: 2,
        }
    }
}

/// The closed word lists of one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// Yes and no.
    pub confirm: Lexicon,
    /// Opt out, at once and for good.
    pub stop: Vec<String>,
    /// Opt in again.
    pub start: Vec<String>,
    /// Call the open request off.
    pub cancel: Vec<String>,
    /// Say the last question again.
    pub repeat: Vec<String>,
}

/// Where an argument's value may come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OriginKind {
    /// Words of a message the person wrote.
    Span,
    /// An entry of a list that was shown.
    Choice,
    /// A value we proposed and the person accepted.
    Offer,
    /// A span plus a slot's current value.
    Relative,
    /// A path in a tool result of this conversation.
    Result,
    /// The argument's declared expression.
    Computed,
    /// A default declared in the pack.
    Default,
    /// Configuration of the pack or tenant.
    Configuration,
    /// Stored earlier with its own origin.
    Profile,
    /// Tenant, customer, phone: injected by the runtime.
    Session,
    /// A person on the operator's side.
    Operator,
}

/// How free text may come to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FreeText {
    /// The person's own words, byte for byte.
    Verbatim,
    /// A search text; reads only.
    Query,
    /// Written by a model or a template; walks 15-17 like a reply.
    Authored,
}

/// A rule about one slot's value, with its own sentence.
#[derive(Debug, Clone)]
pub struct ValueRule {
    /// Must hold; the scope is the slot itself and `today`, `now`.
    pub check: Checked,
    /// The code of the stop.
    pub reason: Reason,
    /// The sentence said instead of going on.
    pub message: String,
}

/// Something the agent has to be told.
#[derive(Debug, Clone)]
pub struct Slot {
    /// Name, as in the documents: `amount_cents`.
    pub name: String,
    /// What kind of value.
    pub kind: Kind,
    /// For ids: the prefix that makes `1001` into `BOL-1001`.
    pub id_prefix: Option<String>,
    /// What to call it when asking, per language.
    pub label: BTreeMap<Language, String>,
    /// Words that announce it ("para a", "vence"), per language.
    pub cues: BTreeMap<Language, Vec<String>>,
    /// Rules about its value, in order.
    pub rules: Vec<ValueRule>,
    /// A value we may propose when asking.
    pub offer: Option<Checked>,
}

/// A read that belongs to a call or stands alone: named parameters in, typed rows out.
#[derive(Debug, Clone)]
pub struct Read {
    /// Its name.
    pub name: String,
    /// Parameters with their types.
    pub params: BTreeMap<String, Type>,
    /// Fields of each row.
    pub fields: BTreeMap<String, Type>,
    /// Rows beyond this are not read.
    pub rows_max: u32,
    /// How it is carried out; the kernel never looks inside.
    pub connector: Connector,
}

/// A named fact a tool needs before it may run: the rows of one read.
#[derive(Debug, Clone)]
pub struct Fact {
    /// Name in expressions and templates; stands for the first row.
    pub name: String,
    /// Which read.
    pub read: String,
    /// Parameter -> argument name.
    pub with: BTreeMap<String, String>,
}

/// How a named thing becomes the record it names.
#[derive(Debug, Clone)]
pub struct Resolve {
    /// The fact whose rows are the candidates.
    pub fact: String,
    /// The field that becomes the argument's value.
    pub field: String,
}

/// One argument of a tool.
#[derive(Debug, Clone)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// What kind of value.
    pub kind: Kind,
    /// Filled from this slot, if there is one; the planner's value is only compared.
    pub slot: Option<String>,
    /// Admissible origins.
    pub origins: BTreeSet<OriginKind>,
    /// Named thing -> record.
    pub resolve: Option<Resolve>,
    /// For `result` origins: tool (or read) name and field.
    pub results: Vec<(String, String)>,
    /// Comes from the very row that this other argument's id names.
    pub of: Option<String>,
    /// The kernel computes it.
    pub computed: Option<Checked>,
    /// A declared default, shown in the question as such.
    pub default: Option<Value>,
    /// Free text, and how it may come to be.
    pub free_text: Option<FreeText>,
    /// Must be there.
    pub is_required: bool,
    /// The only values allowed, if it is a closed choice.
    pub allowed: Option<Vec<Value>>,
    /// Longest text in characters.
    pub chars_max: u32,
    /// Facts behind it older than this are read again, in seconds.
    pub lifetime_s: i64,
}

/// A condition on live data.
#[derive(Debug, Clone)]
pub struct Precondition {
    /// Must hold over arguments, facts, `today` and `now`.
    pub check: Checked,
    /// The code of the stop.
    pub reason: Reason,
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// Changes nothing.
    Read,
    /// Changes a record.
    Write,
    /// Moves or promises money.
    Money,
    /// Writes to somebody.
    Message,
}

/// What may be done about a call whose outcome is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Recovery {
    /// Resend with the same key.
    A,
    /// Look up by our reference after a quiet period.
    B,
    /// A person decides.
    C,
    /// Look up only by an id in the reply; never re-push.
    D,
    /// A read: run it again.
    R,
}

/// A ceiling on money over a window, reserved with the intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpendLimit {
    /// For one customer or for the whole tenant.
    pub scope: SpendScope,
    /// Window in seconds; 0 means each call by itself.
    pub window_s: i64,
    /// The most that may be spent in it.
    pub max: Money,
}

/// Whose spending a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpendScope {
    /// One customer.
    Customer,
    /// Everybody of the tenant.
    Tenant,
}

/// What the customer must say yes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirm {
    /// The question; the fields it shows are the quote.
    pub message: String,
}

/// When a person on the operator's side must approve.
#[derive(Debug, Clone)]
pub struct Approval {
    /// The expression that marks the call.
    pub when: Checked,
}

/// What the tool promises to return.
#[derive(Debug, Clone, Default)]
pub struct ResultSpec {
    /// Fields of the result (of each row where `is_list`).
    pub fields: BTreeMap<String, Type>,
    /// The result is a list of rows.
    pub is_list: bool,
    /// A fresh read from the system of record; parameters are bound from `result.<field>` or argument names.
    pub read_back: Option<Fact>,
    /// Must hold over arguments, `result` and the read-back fact.
    pub ensure: Vec<Precondition>,
}

/// When a tool that keeps failing is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerSpec {
    /// Failures in a row that open it.
    pub failures: u8,
    /// Seconds until one probe may try.
    pub open_s: i64,
}

/// A tool of the closed set.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does to the world.
    pub effect: EffectClass,
    /// The intents it serves.
    pub serves: Vec<String>,
    /// Its arguments, by name.
    pub arguments: BTreeMap<String, Argument>,
    /// Facts read before it may run, in order.
    pub facts: Vec<Fact>,
    /// Conditions on live data, in order.
    pub preconditions: Vec<Precondition>,
    /// The question, unless it needs none.
    pub confirm: Option<Confirm>,
    /// When a person must approve.
    pub approval: Option<Approval>,
    /// The argument that is the money moved, for limits.
    pub amount: Option<String>,
    /// Ceilings.
    pub spend: Vec<SpendLimit>,
    /// Arguments that make two calls the same.
    pub sameness: Vec<String>,
    /// A repeat of a success within this many seconds is refused.
    pub repeat_s: i64,
    /// What may be done about an unknown outcome.
    pub recovery: Recovery,
    /// When to leave it alone.
    pub breaker: BreakerSpec,
    /// What it returns.
    pub result: ResultSpec,
    /// How it is carried out; the kernel never looks inside.
    pub connector: Connector,
    /// Hash of the tool's own source: a change voids pending confirmations.
    pub hash: String,
}

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

/// Where a rule applies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Always.
    Global,
    /// Inside a journey.
    Journey(String),
    /// Inside one step of a journey.
    Step(String, String),
}

/// How a rule is enforced on a reply.
#[derive(Debug, Clone)]
pub enum Enforcement {
    /// The reply must not match this pattern.
    Forbid(regex::Regex),
    /// The expression must hold over the values read from the reply (`amount`, `percent`) and the state.
    Require(Checked),
    /// A judge decides; without one, a `block` rule falls back to the template.
    Subjective {
        /// Blocks the reply when violated or undecided.
        is_blocking: bool,
    },
}

/// A flat rule. No links to other rules exist.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// Where it applies.
    pub scope: Scope,
    /// Higher wins.
    pub priority: i32,
    /// Checked on every reply, retrieved or not.
    pub is_always: bool,
    /// How it is enforced.
    pub enforcement: Enforcement,
}

/// Training text of the embedded sensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The intent.
    pub intent: String,
    /// The question-and-answer topic inside it, if any.
    pub topic: Option<String>,
    /// What a person might write.
    pub text: String,
    /// In which language.
    pub language: Language,
}

/// The sentences the engine itself needs in every language; a pack words them.
pub const ENGINE_MESSAGES: &[&str] = &[
    "not_understood",
    "voice_retry",
    "open_question",
    "clarify",
    "ask_slot",
    "unclear_value",
    "confirm_again",
    "confirm_expired",
    "cancelled",
    "date_invalid",
    "too_long",
    "slow_down",
    "redirect",
    "opted_out",
    "opted_in",
    "handover",
    "not_possible",
    "being_checked",
    "try_later",
    "waiting_for_approval",
    "approval_denied",
    "safe",
];

/// Everything a policy is made of.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Pack name.
    pub name: String,
    /// Hash over pack, overlay and engine version.
    pub hash: String,
    /// Languages; the first is the default.
    pub languages: Vec<Language>,
    /// The pack's money.
    pub currency: Currency,
    /// The pack's country, for phones and the order of day and month.
    pub region: Region,
    /// The pack's calendar.
    pub zone: TimeZone,
    /// Tunable thresholds.
    pub thresholds: Thresholds,
    /// Tunable limits.
    pub limits: Limits,
    /// Closed word lists.
    pub words: BTreeMap<Language, Words>,
    /// Intent -> the journey it enters.
    pub intents: BTreeMap<String, String>,
    /// Slots by name.
    pub slots: BTreeMap<String, Slot>,
    /// Reads by name.
    pub reads: BTreeMap<String, Read>,
    /// Tools by name: the closed set.
    pub tools: BTreeMap<String, Tool>,
    /// Journeys by name.
    pub journeys: BTreeMap<String, Journey>,
    /// Rules, highest priority first.
    pub rules: Vec<Rule>,
    /// Sentences by language and name; `faq.<topic>` are answers, `label.<WORD>` words for enum values.
    pub messages: BTreeMap<Language, BTreeMap<String, Template>>,
    /// Training text.
    pub examples: Vec<Example>,
    /// What the documents call a decision, by (gate, reason): `confirm/confirmation_pending` -> `confirmation_pending`.
    pub log_names: BTreeMap<String, String>,
}

/// A checked pack. Read-only: it derefs to its [`Parts`].
#[derive(Debug, Clone)]
pub struct Policy(Parts);

impl Deref for Policy {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl Policy {
    /// Puts the parts together.
    ///
    /// # Errors
    /// Lists every dangling reference: a journey's unknown tool, a missing sentence, a tool's unknown read.
    pub fn new(parts: Parts) -> Result<Self, Vec<String>> {
        let mut broken = Vec::new();
        references::journeys(&parts, &mut broken);
        references::tools(&parts, &mut broken);
        references::messages(&parts, &mut broken);
        if parts.languages.is_empty() {
            broken.push("the pack names no language".to_owned());
        }
        if broken.is_empty() { Ok(Self(parts)) } else { Err(broken) }
    }

    /// The default language.
    #[must_use]
    pub fn language(&self) -> Language {
        self.languages.first().copied().unwrap_or(Language::En)
    }

    /// A sentence in a language, or in the default one.
    #[must_use]
    pub fn message(&self, language: Language, name: &str) -> Option<&Template> {
        let in_language = |language| self.messages.get(&language).and_then(|all| all.get(name));
        in_language(language).or_else(|| in_language(self.language()))
    }

    /// The word lists of a language, or empty ones.
    #[must_use]
    pub fn words(&self, language: Language) -> &Words {
        static NONE: Words = Words {
            confirm: Lexicon { yes: Vec::new(), no: Vec::new() },
            stop: Vec::new(),
            start: Vec::new(),
            cancel: Vec::new(),
            repeat: Vec::new(),
        };
        self.words.get(&language).or_else(|| self.words.get(&self.language())).unwrap_or(&NONE)
    }
}

/// What [`Policy::new`] looks up.
mod references {
    use super::{Body, ENGINE_MESSAGES, Parts};

    pub(super) fn journeys(parts: &Parts, broken: &mut Vec<String>) {
        for (intent, journey) in &parts.intents {
            if !parts.journeys.contains_key(journey) {
                broken.push(format!("intent `{intent}` enters the unknown journey `{journey}`"));
            }
        }
        for journey in parts.journeys.values() {
            for slot in journey.slots.iter().filter(|slot| !parts.slots.contains_key(*slot)) {
                broken.push(format!("journey `{}` uses the unknown slot `{slot}`", journey.name));
            }
            for step in &journey.steps {
                body(parts, &step.body, &format!("{}/{}", journey.name, step.name), broken);
                if step.next >= journey.steps.len() {
                    broken.push(format!("step `{}/{}` leads nowhere", journey.name, step.name));
                }
            }
        }
    }

    fn body(parts: &Parts, body: &Body, at: &str, broken: &mut Vec<String>) {
        let mut say = |message: &String| {
            for language in &parts.languages {
                if parts.messages.get(language).is_none_or(|all| !all.contains_key(message)) {
                    broken.push(format!("step `{at}` says `{message}`, which does not exist in `{}`", language.code()));
                }
            }
        };
        match body {
            Body::Choose { message, .. } | Body::Say { message } | Body::Handoff { message } => say(message),
            Body::Answer { otherwise } => say(otherwise),
            Body::Call { tool, .. } => {
                if !parts.tools.contains_key(tool) {
                    broken.push(format!("step `{at}` calls the unknown tool `{tool}`"));
                }
            }
            Body::Plan { tools } => {
                for tool in tools.iter().filter(|tool| !parts.tools.contains_key(*tool)) {
                    broken.push(format!("step `{at}` allows the unknown tool `{tool}`"));
                }
            }
            Body::Collect { .. } | Body::Branch { .. } | Body::End => {}
        }
    }

    pub(super) fn tools(parts: &Parts, broken: &mut Vec<String>) {
        for tool in parts.tools.values() {
            for fact in tool.facts.iter().chain(&tool.result.read_back) {
                if !parts.reads.contains_key(&fact.read) {
                    broken.push(format!("tool `{}` uses the unknown read `{}`", tool.name, fact.read));
                }
            }
            for argument in tool.arguments.values() {
                if let Some(slot) = argument.slot.as_ref().filter(|slot| !parts.slots.contains_key(*slot)) {
                    broken.push(format!("argument `{}.{}` uses the unknown slot `{slot}`", tool.name, argument.name));
                }
            }
        }
    }

    pub(super) fn messages(parts: &Parts, broken: &mut Vec<String>) {
        for language in &parts.languages {
            for name in ENGINE_MESSAGES {
                if parts.messages.get(language).is_none_or(|all| !all.contains_key(*name)) {
                    broken.push(format!("the sentence `{name}` does not exist in `{}`", language.code()));
                }
            }
        }
    }
}
