//! A checked pack: what one agent may do, ask and say.
//!
//! Invariant: a [`Policy`] only exists whole. [`Policy::new`] refuses dangling references, so the walks never meet a
//! tool, slot, step or message that is not there.
//! Deliberately absent: the files and their syntax (`pack` reads them), and any way to change a policy.

mod journey;
mod references;
mod tool;

use std::collections::BTreeMap;
use std::ops::Deref;

use countersign_nlu::language::Language;
use countersign_nlu::yes_no::Lexicon;
use countersign_nlu::{Currency, Kind, Region};
use jiff::tz::TimeZone;

use crate::expr::Checked;
use crate::reason::Reason;
use crate::template::Template;

pub use journey::{Body, Ending, Journey, Step};
pub use tool::{
    Approval, Argument, BreakerSpec, Confirm, EffectClass, Fact, FreeText, OriginKind, Precondition, Read, Recovery,
    Resolve, ResultSpec, SpendLimit, SpendScope, Tool,
};

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
pub struct Policy {
    parts: Parts,
    /// The slots' cue words as they are compared, so that no message pays for folding them.
    cues: BTreeMap<String, BTreeMap<Language, Vec<String>>>,
}

impl Deref for Policy {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.parts
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
        if !broken.is_empty() {
            return Err(broken);
        }
        let fold = |cues: &Vec<String>| cues.iter().map(|cue| countersign_nlu::text::fold(cue)).collect();
        let of_slot = |slot: &Slot| slot.cues.iter().map(|(language, cues)| (*language, fold(cues))).collect();
        let cues = parts.slots.iter().map(|(name, slot)| (name.clone(), of_slot(slot))).collect();
        Ok(Self { parts, cues })
    }

    /// A slot's cue words in a language, folded.
    pub(crate) fn folded_cues(&self, slot: &str, language: Language) -> &[String] {
        self.cues.get(slot).and_then(|cues| cues.get(&language)).map_or(&[], Vec::as_slice)
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
