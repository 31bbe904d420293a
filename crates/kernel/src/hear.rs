//! The first walk: from a message to what the person wants, gates 1-8 in order.
//!
//! Invariant: it runs once per message and it alone moves the counters of understanding. While the reading is still
//! on its way it runs up to there, changes nothing, and runs again from its top when the reading arrives.

use countersign_nlu::{Found, yes_no};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::decision::Decision;
use crate::event::{Content, Heard, Reading};
use crate::gates::{clarity, confirm, consent, govern, input, language, limit, route, slots};
use crate::policy::Policy;
use crate::reason::Reason;
use crate::state::{Counters, State};

/// What the walk looks at.
#[derive(Debug)]
pub(crate) struct Hearing<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) state: &'a State,
    pub(crate) heard: &'a Heard,
    pub(crate) reading: Option<&'a Reading>,
    pub(crate) found: &'a [Found],
    pub(crate) now: Timestamp,
    pub(crate) today: Date,
    /// The words are read as an answer at most once a walk.
    pub(crate) said: std::cell::OnceCell<yes_no::Answer>,
}

impl Hearing<'_> {
    /// The words; a button has none of its own.
    pub(crate) fn text(&self) -> &str {
        match &self.heard.content {
            Content::Text(text) => text,
            Content::Button(_) | Content::Voice => "",
        }
    }

    /// How the words answer a yes-or-no question.
    pub(crate) fn answer(&self) -> yes_no::Answer {
        let read = || {
            let words = self.policy.words(self.state.language);
            yes_no::read(self.text(), &words.confirm, self.state.language)
        };
        *self.said.get_or_init(read)
    }
}

/// What the walk understood: the counters it moved, where the message leads, and what it says about the slots.
#[derive(Debug)]
pub(crate) struct Understood {
    pub(crate) counters: Counters,
    pub(crate) language: countersign_nlu::language::Language,
    pub(crate) route: route::Way,
    pub(crate) fit: slots::Fit,
    pub(crate) topic: Option<String>,
}

/// Why the walk ended early.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The reading is not there yet.
    Sense,
    /// A closed lexicon or a button answered the question; no reading is needed.
    Answered(confirm::Answered),
    /// A gate stopped.
    Stop(Stop),
}

/// A gate's refusal to go on with this message.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) reason: Reason,
    /// The sentence to say; none is silence.
    pub(crate) say: Option<&'static str>,
    /// What else follows.
    pub(crate) follow: Follow,
    pub(crate) counters: Option<Counters>,
}

/// What follows from a stop besides a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follow {
    /// Nothing.
    Nothing,
    /// The person opted out.
    OptOut,
    /// The person opted in again.
    OptIn,
    /// A person takes over.
    HandOver,
    /// The open question is asked again.
    AskAgain,
    /// The two likeliest meanings are offered.
    Offer,
}

impl Stop {
    pub(crate) fn new(reason: Reason, say: Option<&'static str>) -> Self {
        Self { reason, say, follow: Follow::Nothing, counters: None }
    }

    pub(crate) fn follow(mut self, follow: Follow) -> Self {
        self.follow = follow;
        self
    }

    pub(crate) fn counting(mut self, counters: Counters) -> Self {
        self.counters = Some(counters);
        self
    }
}

/// Gates 1-8, in order.
pub(crate) fn hear(walk: &Hearing<'_>, log: &mut Vec<Decision>) -> Result<Understood, Halt> {
    let present = input::check(walk, log)?;
    let willing = consent::check(walk, &present, log)?;
    let paced = limit::check(walk, &willing, log)?;
    let unanswered = confirm::answer(walk, &paced, log)?;
    let sensed = unanswered.sensed(walk.reading, log)?;
    let spoken = language::check(walk, &sensed, log)?;
    let governed = govern::check(walk, &spoken, log)?;
    let clear = clarity::check(walk, &governed, log)?;
    let routed = route::check(walk, &clear, log)?;
    Ok(slots::check(walk, &routed, log))
}
