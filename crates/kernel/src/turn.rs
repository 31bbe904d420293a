//! What one step works on: the state it changes, the effects it asks for, the decisions it records.
//!
//! Every sentence leaves through [`Turn::say`], which walks gates 15-17 and falls back to the pack's safe sentence,
//! and to silence and a ticket when even that may not be said.

use std::collections::BTreeMap;

use countersign_nlu::language::Language;
use countersign_nlu::{Context, Span, Value};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::decision::{Decision, Gate, Verdict};
use crate::effect::Effect;
use crate::escalate::{Ticket, TicketKind};
use crate::policy::Policy;
use crate::reason::Reason;
use crate::speak::{self, Author, Draft, Speaking};
use crate::state::{Frame, State};
use crate::template::{Fields, Labels};

/// One step in progress.
#[derive(Debug)]
pub(crate) struct Turn<'p> {
    pub(crate) policy: &'p Policy,
    pub(crate) state: State,
    pub(crate) effects: Vec<Effect>,
    pub(crate) log: Vec<Decision>,
}

#[derive(Debug)]
struct PackLabels<'p> {
    policy: &'p Policy,
    language: Language,
}

impl Labels for PackLabels<'_> {
    fn label(&self, word: &str) -> Option<String> {
        self.policy.message(self.language, &format!("label.{word}")).map(|label| label.source().to_owned())
    }
}

impl Turn<'_> {
    /// Records a verdict.
    pub(crate) fn decide(&mut self, gate: Gate, verdict: Verdict, reason: Reason) {
        self.log.push(Decision::new(gate, verdict, reason));
    }

    /// The conversation's own time never runs backwards.
    pub(crate) fn keep_time(&mut self, at: Timestamp) {
        if at < self.state.now {
            self.decide(Gate::Turn, Verdict::Note, Reason::ClockWentBack);
        } else {
            self.state.now = at;
        }
    }

    /// Today in the pack's calendar.
    pub(crate) fn today(&self) -> Date {
        self.state.now.to_zoned(self.policy.zone.clone()).date()
    }

    /// What reading a text depends on.
    pub(crate) fn context(&self) -> Context {
        Context {
            now: self.state.now.to_zoned(self.policy.zone.clone()).datetime(),
            language: self.state.language,
            currency: self.policy.currency,
            region: self.policy.region,
        }
    }

    /// The current journey, to change it.
    pub(crate) fn frame(&mut self) -> Option<&mut Frame> {
        self.state.frame.as_mut()
    }

    /// Everything a sentence may show now.
    pub(crate) fn scene(&self) -> BTreeMap<String, Value> {
        let mut scene = BTreeMap::new();
        if let Some(frame) = &self.state.frame {
            scene.extend(frame.slots.iter().map(|(name, given)| (name.clone(), given.value.clone())));
            scene.extend(frame.scene.clone());
        }
        scene
    }

    /// Says one of the pack's sentences.
    pub(crate) fn say(&mut self, message: &str) {
        self.say_with(message, BTreeMap::new(), Vec::new());
    }

    /// Says one of the pack's sentences with more fields and buttons; false if the safe one was said instead.
    ///
    /// Who opted out is not written to, whatever is still on its way.
    pub(crate) fn say_with(
        &mut self,
        message: &str,
        more: BTreeMap<String, Value>,
        buttons: Vec<(String, String)>,
    ) -> bool {
        if self.state.is_opted_out {
            self.log.push(Decision::new(Gate::Turn, Verdict::Note, Reason::OptedOut).about(message));
            return false;
        }
        let mut scene = self.scene();
        scene.extend(more);
        let draft = self.fill(message, &scene, buttons);
        let said = draft.map(|draft| self.speak(&draft, &scene));
        let refusal = match said {
            Some(Ok(())) => return true,
            Some(Err(reason)) => reason,
            None => Reason::Ungrounded,
        };
        let fallback = Decision::new(Gate::Turn, Verdict::Note, Reason::FallbackUsed).about(message);
        self.log.push(fallback.detail(refusal.code()));
        let safe = self.fill("safe", &BTreeMap::new(), Vec::new());
        if safe.is_none_or(|safe| self.speak(&safe, &BTreeMap::new()).is_err()) {
            self.decide(Gate::Turn, Verdict::Stop, Reason::Silence);
            self.ticket(TicketKind::Incident, Reason::Silence, None);
        }
        false
    }

    /// Fills a template; none if a field is missing, which is recorded.
    fn fill(
        &mut self,
        message: &str,
        scene: &BTreeMap<String, Value>,
        buttons: Vec<(String, String)>,
    ) -> Option<Draft> {
        let language = self.state.language;
        let labels = PackLabels { policy: self.policy, language };
        let fields = Fields { values: scene, labels: &labels, language };
        let rendered = self.policy.message(language, message).map(|template| template.render(&fields));
        match rendered {
            Some(Ok(rendered)) => {
                let filled: Vec<Span> = rendered.filled.iter().map(|filled| filled.span).collect();
                Some(Draft { text: rendered.text, filled, author: Author::Template, buttons })
            }
            Some(Err(missing)) => {
                let decision = Decision::new(Gate::Ground, Verdict::Stop, Reason::Ungrounded).about(message);
                self.log.push(decision.detail(format!("`{missing}` has no value")));
                None
            }
            None => None,
        }
    }

    /// Walks gates 15-17 and sends, or says why not.
    pub(crate) fn speak(&mut self, draft: &Draft, scene: &BTreeMap<String, Value>) -> Result<(), Reason> {
        let walk = Speaking {
            policy: self.policy,
            state: &self.state,
            draft,
            scene,
            language: self.state.language,
            today: self.today(),
        };
        let speakable = speak::speak(&walk, &mut self.log).map_err(|stop| stop.reason)?;
        self.effects.push(Effect::Send(speakable));
        Ok(())
    }

    /// Hands something to a person.
    pub(crate) fn ticket(&mut self, kind: TicketKind, reason: Reason, about: Option<String>) {
        let mut ticket = Ticket::new(kind, &self.state, reason);
        ticket.about = about;
        self.effects.push(Effect::OpenTicket(ticket));
    }

    /// Hands the conversation to a person; everything open is called off.
    pub(crate) fn hand_over(&mut self, reason: Reason, message: &str) {
        self.ticket(TicketKind::Handover, reason, None);
        self.say(message);
        self.state.is_handed_over = true;
        self.state.frame = None;
        self.state.paused.clear();
    }
}
