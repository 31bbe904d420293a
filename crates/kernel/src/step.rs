//! Which event takes which path. No other entry into the kernel exists, besides `review`, which permits nothing.

use countersign_nlu::extract;

use crate::decision::{Decision, Gate, Verdict};
use crate::effect::Effect;
use crate::escalate::TicketKind;
use crate::event::{Content, Event, Happening, Heard, OpenIntent, OperatorDecision, Reading, Timer, ToolOutcome};
use crate::gates::input;
use crate::hear::{self, Follow, Halt, Hearing};
use crate::policy::Policy;
use crate::reason::Reason;
use crate::speak::{Author, Draft};
use crate::state::{Awaiting, Counters, Facts, Frame, Occasion, Phase, State};
use crate::turn::Turn;

/// What came of an event.
#[derive(Debug)]
pub struct Step {
    /// The conversation after it.
    pub state: State,
    /// What the outside is asked to do, in order.
    pub effects: Vec<Effect>,
    /// What the gates decided, in order.
    pub decisions: Vec<Decision>,
}

/// Decides: pure, total, synchronous.
#[must_use]
pub fn step(policy: &Policy, state: State, event: &Event) -> Step {
    let mut turn = Turn { policy, state, effects: Vec::new(), log: Vec::new() };
    turn.keep_time(event.at);
    match &event.what {
        Happening::Heard(heard) => turn.heard(heard),
        Happening::Sensed(reading) => turn.sensed(reading),
        Happening::Proposed(proposal) => turn.proposed(proposal),
        Happening::FactRead { read, outcome } => turn.fact_read(*read, outcome),
        Happening::ToolReturned { key, outcome } => turn.tool_returned(key, outcome),
        Happening::Refused(refused) => turn.journal_refused(refused),
        // No effect asks for a draft or a verdict yet, so either answers nothing.
        Happening::Drafted(_) | Happening::Judged(_) => turn.out_of_turn(),
        Happening::OperatorDecided(decision) => turn.operator_decided(decision),
        Happening::OperatorSaid { operator, text, is_handback } => turn.operator_said(operator, text, *is_handback),
        Happening::CalledBack { key } => turn.called_back(key),
        Happening::TimerFired(timer) => turn.timer_fired(timer),
        Happening::Delivered { .. } => turn.decide(Gate::Turn, Verdict::Note, Reason::Delivered),
        Happening::Resumed(open) => turn.resumed(open.as_ref()),
    }
    turn.hold();
    Step { state: turn.state, effects: turn.effects, decisions: turn.log }
}

impl Turn<'_> {
    pub(crate) fn out_of_turn(&mut self) {
        self.decide(Gate::Turn, Verdict::Note, Reason::OutOfTurn);
    }

    /// A new turn: the bounds begin anew.
    fn begin(&mut self) {
        let counters = &mut self.state.counters;
        *counters = Counters { effects: 0, reads: 0, rejected: 0, redrafts: 0, ..counters.clone() };
    }

    fn heard(&mut self, heard: &Heard) {
        if heard.message <= self.state.message {
            return self.out_of_turn();
        }
        self.begin();
        self.state.message = heard.message;
        self.state.nonce.clone_from(&heard.nonce);
        self.state.open_breakers.clone_from(&heard.around.open_breakers);
        if matches!(self.state.phase, Phase::Calling(_) | Phase::Verifying { .. }) {
            return self.heard_meanwhile(heard);
        }
        if let Content::Text(text) = &heard.content
            && !input::is_too_long(text, self.policy.limits.message_chars)
        {
            let found = extract(text, &self.context());
            self.state.evidence.hear(heard.message, found);
        }
        self.hear(heard, None);
    }

    /// A message while a call is on its way: a STOP or a wish for a person is carried out, everything else waits.
    fn heard_meanwhile(&mut self, heard: &Heard) {
        let walk = Hearing {
            policy: self.policy,
            state: &self.state,
            heard,
            reading: None,
            found: &[],
            now: self.state.now,
            today: self.today(),
            said: std::cell::OnceCell::new(),
        };
        let mut log = Vec::new();
        match hear::hear(&walk, &mut log) {
            Err(Halt::Stop(stop)) if matches!(stop.follow, Follow::OptOut | Follow::OptIn | Follow::HandOver) => {
                self.log.append(&mut log);
                self.stopped(&stop, None);
            }
            Ok(_) | Err(Halt::Sense | Halt::Answered(_) | Halt::Stop(_)) => {
                self.decide(Gate::Turn, Verdict::Wait, Reason::OutcomeUnknown);
                self.say("being_checked");
            }
        }
    }

    fn sensed(&mut self, reading: &Reading) {
        let phase = std::mem::take(&mut self.state.phase);
        let Phase::Sensing(heard) = phase else {
            // A reading that comes twice must not make the turn forget what it is waiting for.
            self.state.phase = phase;
            return self.out_of_turn();
        };
        self.hear(&heard, Some(reading));
    }

    /// Runs Hear, from its top.
    fn hear(&mut self, heard: &Heard, reading: Option<&Reading>) {
        let said = self.state.evidence.said.front().filter(|said| said.message == heard.message);
        let found = said.map(|said| said.found.clone()).unwrap_or_default();
        let walk = Hearing {
            policy: self.policy,
            state: &self.state,
            heard,
            reading,
            found: &found,
            now: self.state.now,
            today: self.today(),
            said: std::cell::OnceCell::new(),
        };
        let mut log = Vec::new();
        let ended = hear::hear(&walk, &mut log);
        if matches!(ended, Err(Halt::Sense)) {
            // Nothing was decided that will not be decided again; the log is written when the walk ends.
            let text = walk.text().to_owned();
            self.effects.push(Effect::Sense { message: heard.message, text });
            self.state.phase = Phase::Sensing(heard.clone());
            return;
        }
        self.log.append(&mut log);
        self.state.phase = Phase::Idle;
        match ended {
            Ok(understood) => self.understood(understood),
            Err(Halt::Answered(answered)) => self.answered(answered),
            Err(Halt::Stop(stop)) => self.stopped(&stop, reading),
            Err(Halt::Sense) => {}
        }
    }

    fn operator_decided(&mut self, decision: &OperatorDecision) {
        if matches!(self.state.phase, Phase::Calling(_) | Phase::Verifying { .. }) {
            return self.out_of_turn();
        }
        let Some(awaiting) = self.bring_back(&decision.digest) else { return self.out_of_turn() };
        self.begin();
        if !decision.is_approved {
            let stop = Decision::new(Gate::Approve, Verdict::Stop, Reason::ApprovalDenied);
            self.log.push(stop.detail(decision.why.clone()));
            self.say("approval_denied");
            return self.close();
        }
        if self.state.now > awaiting.expires_at {
            self.decide(Gate::Approve, Verdict::Stop, Reason::ApprovalExpired);
            self.say("confirm_expired");
            return self.close();
        }
        let occasion =
            Occasion::Approved { digest: awaiting.digest, nonce: awaiting.nonce, operator: decision.operator.clone() };
        self.act_on(awaiting.call, occasion, Facts::new());
    }

    /// Takes up the call that waits for this decision; the journey it belongs to may be waiting behind another.
    fn bring_back(&mut self, digest: &str) -> Option<Awaiting> {
        let is_it = |frame: &Frame| frame.awaiting.as_ref().is_some_and(|awaiting| awaiting.digest == digest);
        if !self.state.frame.as_ref().is_some_and(is_it) {
            let index = self.state.paused.iter().position(is_it)?;
            let frame = self.state.paused.remove(index);
            self.state.paused.extend(self.state.frame.replace(frame));
        }
        self.state.frame.as_mut()?.awaiting.take()
    }

    fn operator_said(&mut self, operator: &str, text: &str, is_handback: bool) {
        self.log.push(Decision::new(Gate::Turn, Verdict::Note, Reason::OperatorMessage).detail(operator));
        if !text.is_empty() && !self.state.is_opted_out {
            let draft =
                Draft { text: text.to_owned(), filled: Vec::new(), author: Author::Operator, buttons: Vec::new() };
            // An operator's own words pass grounding and rules unread; only their shape is the channel's.
            if let Err(reason) = self.speak(&draft, &std::collections::BTreeMap::new()) {
                self.decide(Gate::Shape, Verdict::Stop, reason);
            }
        }
        if is_handback {
            self.state.is_handed_over = false;
        }
    }

    /// A callback is a hint: what counts is the record, which the runtime reads before it reports an outcome.
    fn called_back(&mut self, key: &str) {
        let is_ours = self.state.unresolved.iter().any(|open| open.key == key);
        let reason = if is_ours { Reason::CallbackHint } else { Reason::OutOfTurn };
        self.decide(Gate::Result, Verdict::Note, reason);
    }

    fn timer_fired(&mut self, timer: &Timer) {
        match timer {
            Timer::Confirmation(nonce) => self.confirmation_timer(nonce),
            Timer::Approval(digest) => self.approval_timer(digest),
            Timer::Query(key) => {
                let about = self.state.unresolved.iter().find(|open| open.key == *key).map(|open| open.key.clone());
                match about {
                    Some(key) => self.ticket(TicketKind::Unknown, Reason::OutcomeUnknown, Some(key)),
                    None => self.out_of_turn(),
                }
            }
        }
    }

    fn confirmation_timer(&mut self, nonce: &str) {
        let now = self.state.now;
        let is_due = |frame: &Frame| {
            frame.pending.as_ref().is_some_and(|pending| pending.nonce == nonce && now >= pending.expires_at)
        };
        if self.state.frame.as_ref().is_some_and(is_due) {
            self.decide(Gate::Confirm, Verdict::Stop, Reason::ConfirmationExpired);
            return self.expired();
        }
        let before = self.state.paused.len();
        self.state.paused.retain(|frame| !is_due(frame));
        if self.state.paused.len() < before {
            self.decide(Gate::Confirm, Verdict::Stop, Reason::ConfirmationExpired);
        } else {
            self.out_of_turn();
        }
    }

    fn approval_timer(&mut self, digest: &str) {
        let now = self.state.now;
        let is_due = |frame: &Frame| {
            frame.awaiting.as_ref().is_some_and(|awaiting| awaiting.digest == digest && now >= awaiting.expires_at)
        };
        let is_current = self.state.frame.as_ref().is_some_and(is_due);
        if !is_current && !self.state.paused.iter().any(is_due) {
            return self.out_of_turn();
        }
        self.decide(Gate::Approve, Verdict::Stop, Reason::ApprovalExpired);
        self.state.paused.retain(|frame| !is_due(frame));
        if is_current {
            self.say("confirm_expired");
            self.close();
        }
    }

    /// After an interruption: what was decided before the intent is not decided again.
    fn resumed(&mut self, open: Option<&OpenIntent>) {
        self.decide(Gate::Turn, Verdict::Note, Reason::Resumed);
        let Some(open) = open else {
            // Without an intent nothing was done; the message is still in the inbox and is heard again.
            if !matches!(self.state.phase, Phase::Calling(_) | Phase::Verifying { .. }) {
                self.state.phase = Phase::Idle;
            }
            return;
        };
        let unknown = || ToolOutcome::Unknown("interrupted before an outcome was written".to_owned());
        let outcome = open.outcome.clone().unwrap_or_else(unknown);
        self.tool_returned(&open.key, &outcome);
    }
}
