//! Journeys: what happens when a message was understood, and what each step does.
//!
//! Invariant: a turn ends. Steps advance at most [`STEPS_MAX`] times; `check` refuses cycles that pass no message.

use std::collections::BTreeMap;

use countersign_nlu::Value;

use crate::calling::as_row;
use crate::decision::{Decision, Gate, Verdict};
use crate::effect::Effect;
use crate::event::Reading;
use crate::expr::{Outcome, Verdict as Held};
use crate::gates::confirm::Answered;
use crate::gates::route::Way;
use crate::gates::slots::{self, Fill, Fit, Lack};
use crate::hear::{Follow, Stop, Understood};
use crate::origin::Witness;
use crate::policy::{Body, Ending, Step};
use crate::reason::Reason;
use crate::state::{Asked, Call, Facts, Frame, Given, Occasion, PAUSED_MAX, Phase, Proposer};
use crate::turn::Turn;

/// Steps of one turn; the longest path without a message through a sane journey is far shorter.
const STEPS_MAX: usize = 32;

impl Turn<'_> {
    /// A message was understood: enter or go on, take in the values, advance.
    pub(crate) fn understood(&mut self, understood: Understood) {
        self.state.counters = understood.counters;
        self.state.language = understood.language;
        let had_question = self.state.pending().is_some();
        let is_staying = understood.route == Way::Stay;
        if let Way::Enter { intent, journey } = understood.route {
            self.enter(intent, journey, understood.topic);
        }
        if self.state.frame.is_none() {
            return self.say("open_question");
        }
        let is_silent =
            understood.fit.fills.is_empty() && understood.fit.unclear.is_none() && understood.fit.malformed.is_none();
        if is_staying && is_silent {
            return self.ask_again();
        }
        let is_changed = self.take(&understood.fit);
        if is_staying && had_question && is_changed {
            self.decide(Gate::Confirm, Verdict::Note, Reason::ConfirmationCorrected);
        }
        if let Some(slot) = understood.fit.malformed {
            self.log.push(Decision::new(Gate::Slots, Verdict::Stop, Reason::DateInvalid).about(&slot));
            return self.ask("date_invalid", &slot);
        }
        if let Some(slot) = understood.fit.unclear {
            self.log.push(Decision::new(Gate::Slots, Verdict::Ask, Reason::UnclearValue).about(&slot));
            return self.ask("unclear_value", &slot);
        }
        self.advance();
    }

    /// A journey begins; the current one, if any, waits.
    fn enter(&mut self, intent: String, journey: String, topic: Option<String>) {
        if let Some(frame) = self.state.frame.take() {
            self.state.paused.push(frame);
            if self.state.paused.len() > PAUSED_MAX {
                self.state.paused.remove(0);
            }
        }
        self.state.frame = Some(Frame {
            journey,
            step: 0,
            intent,
            opened_by: self.state.message,
            topic,
            slots: BTreeMap::new(),
            withdrawn: Vec::new(),
            asked: None,
            pending: None,
            awaiting: None,
            scene: BTreeMap::new(),
        });
    }

    /// Takes in what the message said about the slots; a replaced value is withdrawn and voids the question about it.
    fn take(&mut self, fit: &Fit) -> bool {
        let mut changed = Vec::new();
        for fill in &fit.fills {
            if self.put(fill) {
                changed.push(fill.slot.clone());
            }
        }
        let journeys = &self.policy.journeys;
        let Some(frame) = self.state.frame.as_mut() else { return false };
        if changed.is_empty() {
            return false;
        }
        frame.pending = None;
        frame.awaiting = None;
        let Some(journey) = journeys.get(&frame.journey) else { return false };
        if let Some(Asked::Pick { .. }) = &frame.asked {
            frame.step = journey.steps.get(frame.step).map_or(0, |step| step.next);
        } else {
            // Whatever was decided about the old value is decided again from where it was collected.
            let collects = |step: &Step| matches!(&step.body, Body::Collect { slots } if slots.iter().any(|slot| changed.contains(slot)));
            frame.step = journey.steps.iter().position(collects).unwrap_or(frame.step);
        }
        frame.asked = None;
        true
    }

    /// Puts one value into its slot.
    fn put(&mut self, fill: &Fill) -> bool {
        let Some(frame) = self.state.frame.as_mut() else { return false };
        let given = Given { value: fill.value.clone(), witness: fill.witness.clone() };
        frame.withdrawn.retain(|(slot, value)| *slot != fill.slot || *value != fill.value);
        let old = frame.slots.insert(fill.slot.clone(), given);
        if let Some(old) = old {
            frame.withdraw(fill.slot.clone(), old.value);
            self.log.push(Decision::new(Gate::Slots, Verdict::Note, Reason::SlotReplaced).about(&fill.slot));
        }
        true
    }

    /// A closed lexicon or a button answered.
    pub(crate) fn answered(&mut self, answered: Answered) {
        match answered {
            Answered::Yes { topic } => {
                self.state.answer_after = topic;
                self.confirmed();
            }
            Answered::No => self.rejected(),
            Answered::Expired => self.expired(),
            Answered::Stale => self.stale(),
            Answered::Cancel => {
                self.say("cancelled");
                self.close();
            }
            Answered::Repeat => self.ask_again(),
            Answered::Offer { slot, value } => {
                let witness = Witness::Offer { message: self.state.message };
                let fit = Fit { fills: vec![Fill { slot, value, witness }], ..Fit::default() };
                self.take(&fit);
                self.advance();
            }
        }
    }

    fn rejected(&mut self) {
        if let Some(step) = self.ending(Ending::Rejected) {
            if let Some(frame) = self.frame() {
                frame.pending = None;
                frame.step = step;
            }
            return self.advance();
        }
        self.say("cancelled");
        self.close();
    }

    /// A press on an old button decides nothing; the question that is open now is made the latest again.
    fn stale(&mut self) {
        match self.state.pending().cloned() {
            Some(pending) => {
                self.ask_question(&pending);
            }
            None => self.ask_again(),
        }
    }

    /// The question was not answered in time: where the pack says, or as the engine does.
    pub(crate) fn expired(&mut self) {
        if let Some(step) = self.ending(Ending::Expired) {
            if let Some(frame) = self.frame() {
                frame.pending = None;
                frame.step = step;
            }
            return self.advance();
        }
        self.say("confirm_expired");
        self.close();
    }

    /// A gate of Hear stopped.
    pub(crate) fn stopped(&mut self, stop: &Stop, reading: Option<&Reading>) {
        if let Some(counters) = &stop.counters {
            self.state.counters = counters.clone();
        }
        match stop.follow {
            Follow::Nothing => {
                if let Some(message) = stop.say {
                    self.say(message);
                }
            }
            Follow::OptOut | Follow::OptIn => {
                let is_opted_out = stop.follow == Follow::OptOut;
                self.effects.push(Effect::SetConsent { is_opted_out });
                self.state.frame = None;
                self.state.paused.clear();
                // The last sentence before, or the first one after.
                self.state.is_opted_out = false;
                if let Some(message) = stop.say {
                    self.say(message);
                }
                self.state.is_opted_out = is_opted_out;
            }
            Follow::HandOver => self.hand_over(stop.reason, stop.say.unwrap_or("handover")),
            Follow::AskAgain if self.state.frame.is_some() => self.ask_again(),
            Follow::Offer if self.state.frame.is_some() => self.ask_again(),
            Follow::AskAgain => self.say(stop.say.unwrap_or("open_question")),
            Follow::Offer => self.offer_meanings(reading),
        }
    }

    /// Asks which of the two likeliest meanings is meant.
    fn offer_meanings(&mut self, reading: Option<&Reading>) {
        let label = |intent: Option<&String>| {
            let name = format!("intent.{}", intent?);
            self.policy.message(self.state.language, &name).map(|label| Value::text(label.source()))
        };
        let first = label(reading.and_then(|reading| reading.intent.as_ref()));
        let second = label(reading.and_then(|reading| reading.runner_up.as_ref()).map(|(intent, _)| intent));
        match (first, second) {
            (Some(first), Some(second)) => {
                let fields = BTreeMap::from([("first".to_owned(), first), ("second".to_owned(), second)]);
                self.say_with("clarify", fields, Vec::new());
            }
            _ => self.say("open_question"),
        }
    }

    /// Asks for a slot, in the pack's words.
    pub(crate) fn ask(&mut self, message: &str, name: &str) {
        let language = self.state.language;
        let slot = self.policy.slots.get(name);
        let label = slot.and_then(|slot| slot.label.get(&language).or_else(|| slot.label.values().next()));
        let mut fields = BTreeMap::from([("slot".to_owned(), Value::text(label.map_or(name, String::as_str)))]);
        let today = BTreeMap::from([("today".to_owned(), Value::Date(self.today()))]);
        let offer = slot.and_then(|slot| slot.offer.as_ref()).and_then(|offer| match offer.eval(&today) {
            Outcome::Value(value) => Some(value),
            Outcome::CannotDecide(_) => None,
        });
        if let Some(value) = &offer {
            fields.insert("offer".to_owned(), value.clone());
        }
        if let Some(frame) = self.frame() {
            frame.asked = Some(Asked::Slot { slot: name.to_owned(), offer: offer.clone() });
        }
        let message = if offer.is_some() && message == "ask_slot" { "ask_slot_offer" } else { message };
        self.say_with(message, fields, Vec::new());
    }

    /// Asks the open question again.
    pub(crate) fn ask_again(&mut self) {
        let Some(frame) = &self.state.frame else { return self.say("open_question") };
        if let Some(pending) = &frame.pending {
            let nonce = pending.nonce.clone();
            self.decide(Gate::Confirm, Verdict::Ask, Reason::ConfirmationPending);
            let buttons = self.buttons(&nonce);
            self.say_with("confirm_again", BTreeMap::new(), buttons);
            return;
        }
        match frame.asked.clone() {
            Some(Asked::Slot { slot, .. }) => self.ask("ask_slot", &slot),
            Some(Asked::Pick { .. }) => self.advance(),
            None if frame.awaiting.is_some() => self.say("waiting_for_approval"),
            None => self.advance(),
        }
    }

    /// Goes on until the journey waits or ends.
    pub(crate) fn advance(&mut self) {
        let policy = self.policy;
        for _ in 0..STEPS_MAX {
            let Some(frame) = &self.state.frame else { return };
            let Some(step) = policy.journeys.get(&frame.journey).and_then(|journey| journey.steps.get(frame.step))
            else {
                return self.close();
            };
            if self.walk_step(step) == Pace::Wait {
                return;
            }
        }
        self.hand_over(Reason::TurnFailed, "handover");
    }

    fn walk_step(&mut self, step: &Step) -> Pace {
        match &step.body {
            Body::Collect { slots } => self.collect(slots, step.next),
            Body::Choose { slot, field, message } => self.choose(slot, field, message),
            Body::Call { tool, .. } => {
                let call = self.call(tool.clone(), BTreeMap::new(), Proposer::Journey);
                self.act_on(call, Occasion::Message, Facts::new());
                Pace::Wait
            }
            Body::Plan { tools } => {
                self.state.phase = Phase::Planning;
                self.effects.push(Effect::Propose { tools: tools.clone() });
                Pace::Wait
            }
            Body::Say { message } => {
                self.say(message);
                self.leave(step)
            }
            Body::Answer { otherwise } => {
                let topic = self.state.frame.as_ref().and_then(|frame| frame.topic.clone());
                self.answer(topic, otherwise);
                self.leave(step)
            }
            Body::Branch { cases, otherwise } => {
                let scene = self.scene();
                let case = cases.iter().find(|(when, _)| when.test(&scene) == Held::Holds);
                let next = case.map_or(*otherwise, |(_, next)| *next);
                self.go(next)
            }
            Body::Handoff { message } => {
                self.hand_over(Reason::PersonWanted, message);
                Pace::Wait
            }
            Body::End => {
                self.close();
                Pace::Wait
            }
        }
    }

    /// Answers from the pack's own questions and answers.
    pub(crate) fn answer(&mut self, topic: Option<String>, otherwise: &str) {
        let name = topic.map(|topic| format!("faq.{topic}"));
        match name.filter(|name| self.policy.message(self.state.language, name).is_some()) {
            Some(name) => self.say(&name),
            None => self.say(otherwise),
        }
    }

    pub(crate) fn call(&mut self, tool: String, arguments: BTreeMap<String, Value>, proposer: Proposer) -> Call {
        Call { tool, arguments, proposer, number: self.state.next_number() }
    }

    fn collect(&mut self, names: &[String], next: usize) -> Pace {
        let today = self.today();
        let Some(frame) = &self.state.frame else { return Pace::Wait };
        match slots::require(self.policy, frame, names, today, &mut self.log) {
            None => self.go(next),
            Some(Lack::Missing(slot)) => {
                self.ask("ask_slot", &slot);
                Pace::Wait
            }
            Some(Lack::Broken { slot, message, .. }) => {
                if let Some(frame) = self.frame()
                    && let Some(old) = frame.slots.remove(&slot)
                {
                    frame.withdraw(slot.clone(), old.value);
                }
                self.ask(&message, &slot);
                Pace::Wait
            }
        }
    }

    fn choose(&mut self, slot: &str, field: &str, message: &str) -> Pace {
        let rows = match self.state.frame.as_ref().and_then(|frame| frame.scene.get("choices")) {
            Some(Value::List(rows)) => rows.iter().filter_map(as_row),
            _ => {
                self.close();
                return Pace::Wait;
            }
        }
        .collect();
        self.state.evidence.show(self.state.message, rows);
        if let Some(frame) = self.frame() {
            frame.asked = Some(Asked::Pick { slot: slot.to_owned(), field: field.to_owned() });
        }
        self.say(message);
        Pace::Wait
    }

    /// Leaves a step for the next one.
    fn leave(&mut self, step: &Step) -> Pace {
        if let Some(frame) = self.frame() {
            for slot in &step.forget {
                frame.slots.remove(slot);
            }
        }
        self.go(step.next)
    }

    fn go(&mut self, next: usize) -> Pace {
        match self.frame() {
            Some(frame) => {
                frame.step = next;
                frame.asked = None;
                Pace::On
            }
            None => Pace::Wait,
        }
    }

    /// Where the current `call` step leads on an ending, if the pack says.
    pub(crate) fn ending(&self, ending: Ending) -> Option<usize> {
        let frame = self.state.frame.as_ref()?;
        let step = self.policy.journeys.get(&frame.journey)?.steps.get(frame.step)?;
        match &step.body {
            Body::Call { on, .. } => on.get(&ending).copied(),
            Body::Collect { .. }
            | Body::Choose { .. }
            | Body::Plan { .. }
            | Body::Say { .. }
            | Body::Answer { .. }
            | Body::Branch { .. }
            | Body::Handoff { .. }
            | Body::End => None,
        }
    }

    /// The request is closed; the journey that waited, if any, goes on with its own question.
    pub(crate) fn close(&mut self) {
        self.state.frame = None;
        if let Some(topic) = self.state.answer_after.take() {
            self.answer(Some(topic), "open_question");
        }
        let Some(frame) = self.state.paused.pop() else { return };
        let is_late = frame.pending.as_ref().is_some_and(|pending| self.state.now > pending.expires_at);
        self.state.frame = Some(frame);
        if is_late {
            self.decide(Gate::Confirm, Verdict::Stop, Reason::ConfirmationExpired);
            self.say("confirm_expired");
            return self.close_quietly();
        }
        match self.state.pending().cloned() {
            Some(pending) => {
                self.ask_question(&pending);
            }
            None => self.ask_again(),
        }
    }

    /// Closes without returning to anything: one return per turn is enough.
    fn close_quietly(&mut self) {
        self.state.frame = self.state.paused.pop();
    }
}

/// Whether the journey goes on or waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// The next step follows at once.
    On,
    /// Something from outside is awaited, or nothing is left.
    Wait,
}
