//! Calls: walking Act, asking, arming, and what follows from how the tool ended.

use std::collections::BTreeMap;

use countersign_nlu::{Kind, Money, Value};
use jiff::ToSpan;

use crate::act::{self, Acting, Appeal, Halt, Question, Stop};
use crate::bound;
use crate::decision::{Decision, Gate, Verdict};
use crate::effect::{Effect, ReadRequest};
use crate::escalate::TicketKind;
use crate::event::{Proposal, ReadOutcome, Refused, Timer, ToolOutcome};
use crate::evidence::{Returned, Row};
use crate::gates::result::{self, Returning, Told};
use crate::policy::{EffectClass, Ending, Tool};
use crate::reason::Reason;
use crate::state::{
    Awaiting, Call, FactRows, Facts, Occasion, Pending, Phase, Proposer, Running, UNRESOLVED_MAX, Unresolved,
};
use crate::turn::Turn;

/// Proposals of a planner that may be refused in one turn.
const REJECTED_MAX: u8 = 2;
/// Tool errors in a row before a person takes over.
const TOOL_ERRORS_MAX: u8 = 2;

impl Turn<'_> {
    /// Walks Act from its top and does what it says.
    pub(crate) fn act_on(&mut self, call: Call, occasion: Occasion, facts: Facts) {
        let walk = Acting {
            policy: self.policy,
            state: &self.state,
            frame: self.state.frame.as_ref(),
            call: &call,
            occasion: &occasion,
            facts: &facts,
            now: self.state.now,
            today: self.today(),
        };
        let mut log = Vec::new();
        let ended = act::act(&walk, &mut log);
        if let Err(Halt::Need(wants)) = ended {
            // The walk runs again from its top when the facts are there; its log is written when it ends.
            return self.need(call, occasion, facts, wants);
        }
        self.log.append(&mut log);
        match ended {
            Ok(armed) => {
                if !armed.is_read() {
                    self.state.counters.effects = self.state.counters.effects.saturating_add(1);
                }
                self.state.phase = Phase::Calling(Running {
                    call: armed.call().clone(),
                    key: armed.key().to_owned(),
                    sameness: armed.reservation().sameness.clone(),
                    outcome: None,
                    scene: armed.scene().clone(),
                });
                self.effects.push(Effect::CallTool(armed));
            }
            Err(Halt::Ask(question)) => self.question(call, question),
            Err(Halt::Approve(appeal)) => self.appeal(call, appeal),
            Err(Halt::Stop(stop)) => self.refused(call.proposer, stop),
            Err(Halt::Need(_)) => {}
        }
    }

    fn need(&mut self, call: Call, occasion: Occasion, facts: Facts, wants: Vec<act::Want>) {
        let mut awaited = BTreeMap::new();
        for want in wants {
            let number = self.state.next_number();
            self.state.counters.reads = self.state.counters.reads.saturating_add(1);
            awaited.insert(number, (want.fact, want.params.clone()));
            self.effects.push(Effect::Read(ReadRequest { number, read: want.read, params: want.params }));
        }
        self.state.phase = Phase::Acting { call, occasion, facts, awaited };
    }

    /// A read ended: a fact for the walk, or the record after the tool.
    pub(crate) fn fact_read(&mut self, read: u64, outcome: &ReadOutcome) {
        match std::mem::take(&mut self.state.phase) {
            Phase::Acting { call, occasion, mut facts, mut awaited } if awaited.contains_key(&read) => {
                let Some((name, params)) = awaited.remove(&read) else { return };
                let Some(rows) = fitting(outcome) else {
                    self.decide(Gate::Permit, Verdict::Stop, Reason::FactUnavailable);
                    let stop = Stop { reason: Reason::FactUnavailable, scene: BTreeMap::new(), choices: Vec::new() };
                    return self.refused(call.proposer, stop);
                };
                self.receive(read, &call.tool, &name, rows);
                facts.insert(name, FactRows { number: read, at: self.state.now, params, rows: rows.to_vec() });
                if awaited.is_empty() {
                    self.act_on(call, occasion, facts);
                } else {
                    self.state.phase = Phase::Acting { call, occasion, facts, awaited };
                }
            }
            Phase::Verifying { running, read: number } if number == read => {
                self.verify(running, Some(fitting(outcome).unwrap_or_default()));
            }
            other @ (Phase::Idle
            | Phase::Sensing(_)
            | Phase::Planning
            | Phase::Acting { .. }
            | Phase::Calling(_)
            | Phase::Verifying { .. }) => {
                self.state.phase = other;
                self.out_of_turn();
            }
        }
    }

    /// Keeps rows as evidence, under the name of the read that brought them.
    fn receive(&mut self, call: u64, tool: &str, fact: &str, rows: &[Row]) {
        let read = self.policy.tools.get(tool).and_then(|tool| tool.facts.iter().find(|known| known.name == fact));
        let source = read.map_or(fact, |fact| fact.read.as_str()).to_owned();
        self.state.evidence.receive(Returned { call, source, at: self.state.now, rows: rows.to_vec() });
    }

    /// Asks the customer; the call waits as plain data with the very arguments that will run.
    fn question(&mut self, call: Call, question: Question) {
        let seconds = self.policy.limits.confirm_s;
        let expires_at = self.state.now.checked_add(seconds.seconds()).unwrap_or(self.state.now);
        let number = self.state.next_number();
        let pending = Pending {
            call: Call { arguments: question.arguments, ..call },
            digest: question.digest,
            tool_hash: question.tool_hash,
            nonce: format!("{}-{number}", self.state.nonce),
            asked_after: self.state.message,
            expires_at,
            question: question.message,
        };
        if let Some(frame) = self.frame() {
            frame.scene.extend(question.scene);
            frame.pending = Some(pending.clone());
            frame.asked = None;
        }
        if self.ask_question(&pending) {
            self.effects.push(Effect::StartTimer { timer: Timer::Confirmation(pending.nonce), at: expires_at });
        }
    }

    /// Says the question, with its buttons. One that could not be shown whole cannot be answered: no yes will count.
    pub(crate) fn ask_question(&mut self, pending: &Pending) -> bool {
        let buttons = self.buttons(&pending.nonce);
        let is_said = self.say_with(&pending.question, BTreeMap::new(), buttons)
            && self.log.last().is_none_or(|decision| decision.reason != Reason::ReplyReshaped);
        if !is_said && let Some(frame) = self.frame() {
            frame.pending = None;
        }
        is_said
    }

    /// The yes and no buttons of a question: the first words of the lexicon.
    pub(crate) fn buttons(&self, nonce: &str) -> Vec<(String, String)> {
        let words = &self.policy.words(self.state.language).confirm;
        let (Some(yes), Some(no)) = (words.yes.first(), words.no.first()) else { return Vec::new() };
        vec![(yes.clone(), format!("yes:{nonce}")), (no.clone(), format!("no:{nonce}"))]
    }

    /// The customer said yes: the stored call walks Act again on fresh facts.
    pub(crate) fn confirmed(&mut self) {
        let Some(pending) = self.state.pending().cloned() else { return self.out_of_turn() };
        let is_same_tool = self.policy.tools.get(&pending.call.tool).is_some_and(|tool| tool.hash == pending.tool_hash);
        let occasion = if is_same_tool {
            Occasion::Yes { digest: pending.digest, nonce: pending.nonce, message: self.state.message }
        } else {
            self.decide(Gate::Confirm, Verdict::Note, Reason::QuoteChanged);
            Occasion::Message
        };
        self.act_on(pending.call, occasion, Facts::new());
    }

    /// Queues the call for an operator, after the customer's yes.
    fn appeal(&mut self, call: Call, appeal: Appeal) {
        let seconds = self.policy.limits.approve_s;
        let expires_at = self.state.now.checked_add(seconds.seconds()).unwrap_or(self.state.now);
        self.ticket(TicketKind::Approval, Reason::ApprovalRequired, Some(appeal.digest.clone()));
        self.effects.push(Effect::StartTimer { timer: Timer::Approval(appeal.digest.clone()), at: expires_at });
        if let Some(frame) = self.frame() {
            frame.scene.extend(appeal.scene);
            frame.pending = None;
            frame.awaiting = Some(Awaiting {
                call: Call { arguments: appeal.arguments, ..call },
                digest: appeal.digest,
                nonce: appeal.nonce,
                expires_at,
            });
        }
        self.say("waiting_for_approval");
    }

    /// A planner answered.
    pub(crate) fn proposed(&mut self, proposal: &Proposal) {
        if self.state.phase != Phase::Planning {
            return self.out_of_turn();
        }
        self.state.phase = Phase::Idle;
        match proposal {
            Proposal::Call { tool, arguments } => match self.decode(tool, arguments) {
                Ok(arguments) => {
                    let call = self.call(tool.clone(), arguments, Proposer::Planner);
                    self.act_on(call, Occasion::Message, Facts::new());
                }
                Err(reason) => {
                    self.decide(Gate::Permit, Verdict::Stop, reason);
                    self.refused(Proposer::Planner, Stop { reason, scene: BTreeMap::new(), choices: Vec::new() });
                }
            },
            Proposal::FreeText => {
                self.decide(Gate::Turn, Verdict::Stop, Reason::FreeTextInsteadOfCall);
                self.hand_over(Reason::FreeTextInsteadOfCall, "handover");
            }
            Proposal::Nothing => {
                self.decide(Gate::Turn, Verdict::Stop, Reason::UnknownIntent);
                self.say("open_question");
            }
        }
    }

    /// A planner's JSON as typed values; anything that does not fit is refused, never repaired.
    fn decode(&self, tool: &str, arguments: &str) -> Result<BTreeMap<String, Value>, Reason> {
        let tool = self.policy.tools.get(tool).ok_or(Reason::ToolUnknown)?;
        let json: serde_json::Value = serde_json::from_str(arguments).map_err(|_| Reason::ArgumentInvalid)?;
        let fields = json.as_object().ok_or(Reason::ArgumentInvalid)?;
        fields
            .iter()
            .map(|(name, json)| {
                let argument = tool.arguments.get(name).ok_or(Reason::ArgumentUnknown)?;
                let value = from_json(argument.kind, json, self.policy.currency).ok_or(Reason::ArgumentInvalid)?;
                Ok((name.clone(), value))
            })
            .collect()
    }

    /// A call was refused by a gate: where the pack says, or as the engine does.
    pub(crate) fn refused(&mut self, proposer: Proposer, stop: Stop) {
        self.state.phase = Phase::Idle;
        if let Some(frame) = self.frame() {
            frame.scene.extend(stop.scene);
            if !stop.choices.is_empty() {
                let rows = stop.choices.into_iter().map(Value::Record).collect();
                frame.scene.insert("choices".to_owned(), Value::List(rows));
            }
        }
        if proposer == Proposer::Planner {
            return self.rejected_proposal();
        }
        if let Some(step) = self.ending(Ending::Refused(stop.reason)) {
            if let Some(frame) = self.frame() {
                frame.pending = None;
                frame.step = step;
            }
            return self.advance();
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "most reasons say the same; a pack names its own endings")]
        match stop.reason {
            // The newer message is heard next and decides; the question stays as it was.
            Reason::NewerMessage | Reason::LeaseLost => {}
            Reason::BreakerOpen => {
                self.ticket(TicketKind::Incident, Reason::BreakerOpen, None);
                self.end_with("try_later");
            }
            Reason::TwinUnresolved => self.end_with("being_checked"),
            Reason::FactUnavailable => self.tool_error("try_later"),
            Reason::ConfirmationExpired | Reason::ConfirmationUsed | Reason::ConfirmationRequired => {
                self.end_with("confirm_expired");
            }
            _ => self.end_with("not_possible"),
        }
    }

    /// A refused proposal goes back to the planner, at most twice; then the person is asked.
    fn rejected_proposal(&mut self) {
        self.state.counters.rejected = self.state.counters.rejected.saturating_add(1);
        if self.state.counters.rejected < REJECTED_MAX {
            return self.advance();
        }
        self.decide(Gate::Turn, Verdict::Ask, Reason::TooManyProposals);
        self.say("open_question");
    }

    fn end_with(&mut self, message: &str) {
        self.say(message);
        self.close();
    }

    /// A tool error; two in a row hand over.
    fn tool_error(&mut self, message: &str) {
        self.state.counters.tool_errors = self.state.counters.tool_errors.saturating_add(1);
        if self.state.counters.tool_errors >= TOOL_ERRORS_MAX {
            self.state.counters.tool_errors = 0;
            self.decide(Gate::Result, Verdict::Stop, Reason::ToolErrorsInRow);
            return self.hand_over(Reason::ToolErrorsInRow, "handover");
        }
        self.end_with(message);
    }

    /// The journal refused: the law that the gates could only anticipate.
    pub(crate) fn journal_refused(&mut self, refused: &Refused) {
        let phase = std::mem::take(&mut self.state.phase);
        let Phase::Calling(running) = phase else {
            self.state.phase = phase;
            return self.out_of_turn();
        };
        if running.key != refused.key {
            self.state.phase = Phase::Calling(running);
            return self.out_of_turn();
        }
        self.state.counters.effects = 0;
        self.log.push(Decision::new(Gate::Arm, Verdict::Stop, refused.reason).about(&running.call.tool));
        let mut scene = running.scene;
        if let Some(existing) = &refused.existing {
            scene.insert("existing".to_owned(), existing.clone());
        }
        self.refused(running.call.proposer, Stop { reason: refused.reason, scene, choices: Vec::new() });
    }

    /// The tool ended.
    pub(crate) fn tool_returned(&mut self, key: &str, outcome: &ToolOutcome) {
        match std::mem::take(&mut self.state.phase) {
            Phase::Calling(mut running) | Phase::Verifying { mut running, .. } if running.key == key => {
                let is_read = self.policy.tools.get(&running.call.tool).is_some_and(|t| t.effect == EffectClass::Read);
                running.outcome = Some(bounded(outcome, is_read));
                self.verify(running, None);
            }
            other @ (Phase::Idle
            | Phase::Sensing(_)
            | Phase::Planning
            | Phase::Acting { .. }
            | Phase::Calling(_)
            | Phase::Verifying { .. }) => {
                self.state.phase = other;
                if self.state.unresolved.iter().any(|open| open.key == key) {
                    return self.settled_late(key, outcome);
                }
                self.out_of_turn();
            }
        }
    }

    /// An outcome that was being checked is known now; a person tells the customer, with the record at hand.
    fn settled_late(&mut self, key: &str, outcome: &ToolOutcome) {
        if matches!(outcome, ToolOutcome::Unknown(_)) {
            return;
        }
        self.state.unresolved.retain(|open| open.key != key);
        self.ticket(TicketKind::Unknown, Reason::Resumed, Some(key.to_owned()));
    }

    /// Gate 14, and what follows from it.
    fn verify(&mut self, running: Running, recorded: Option<&[Row]>) {
        let Some(tool) = self.policy.tools.get(&running.call.tool) else {
            self.ticket(TicketKind::Incident, Reason::ToolUnknown, Some(running.key));
            return self.end_with("being_checked");
        };
        let walk = Returning { tool, running: &running, recorded, now: self.state.now, today: self.today() };
        let told = result::check(&walk, &mut self.log);
        if let Some(frame) = self.frame() {
            frame.pending = None;
        }
        match told {
            Told::Need(want) => {
                let number = self.state.next_number();
                self.state.counters.reads = self.state.counters.reads.saturating_add(1);
                self.effects.push(Effect::Read(ReadRequest { number, read: want.read, params: want.params }));
                self.state.phase = Phase::Verifying { running, read: number };
            }
            Told::Done(scene) => self.done(tool, &running, scene),
            Told::Refused(reason) => {
                self.refused(running.call.proposer, Stop { reason, scene: running.scene, choices: Vec::new() });
            }
            Told::Failed => self.failed(),
            Told::Unknown => self.unknown(tool, running),
            Told::Mismatch(reason) => {
                self.ticket(TicketKind::Incident, reason, Some(running.key));
                self.end_with("being_checked");
            }
        }
    }

    fn done(&mut self, tool: &Tool, running: &Running, scene: BTreeMap<String, Value>) {
        self.state.counters.tool_errors = 0;
        let rows: Vec<Row> = match scene.get("result") {
            Some(Value::List(rows)) => rows.iter().filter_map(as_row).collect(),
            Some(row) => as_row(row).into_iter().collect(),
            None => Vec::new(),
        };
        if tool.result.is_list {
            self.state.evidence.show(self.state.message, rows.clone());
        }
        let returned = Returned { call: running.call.number, source: tool.name.clone(), at: self.state.now, rows };
        self.state.evidence.receive(returned);
        let next = self.ending(Ending::Done);
        let steps = self.state.frame.as_ref().and_then(|frame| self.policy.journeys.get(&frame.journey));
        let after = self.state.frame.as_ref().and_then(|frame| steps?.steps.get(frame.step)).map(|step| step.next);
        let Some(frame) = self.frame() else { return };
        frame.scene.extend(scene);
        frame.step = next.or(after).unwrap_or(frame.step);
        self.advance();
    }

    fn failed(&mut self) {
        if let Some(step) = self.ending(Ending::Failed) {
            if let Some(frame) = self.frame() {
                frame.step = step;
            }
            return self.advance();
        }
        self.tool_error("try_later");
    }

    /// Nobody knows: the customer is told that it is being checked, and a person is told to find out.
    fn unknown(&mut self, tool: &Tool, running: Running) {
        if tool.effect == EffectClass::Read {
            return self.tool_error("try_later");
        }
        self.ticket(TicketKind::Unknown, Reason::OutcomeUnknown, Some(running.key.clone()));
        self.state.unresolved.push(Unresolved {
            key: running.key,
            tool: tool.name.clone(),
            sameness: running.sameness,
        });
        if self.state.unresolved.len() > UNRESOLVED_MAX {
            self.state.unresolved.remove(0);
        }
        match self.ending(Ending::Unknown) {
            Some(step) => {
                if let Some(frame) = self.frame() {
                    frame.step = step;
                }
                self.advance();
            }
            None => self.end_with("being_checked"),
        }
    }
}

/// The rows of a read. More than fit are none: a cut list of namesakes would make a name look unique.
fn fitting(outcome: &ReadOutcome) -> Option<&[Row]> {
    match outcome {
        ReadOutcome::Rows(rows) => (rows.iter().map(bound::record).sum::<usize>() <= bound::ROWS_MAX).then_some(rows),
        ReadOutcome::Failed(_) => None,
    }
}

/// What a tool answered, as far as it is kept. A list that was only read is cut; anything else too big is no answer.
fn bounded(outcome: &ToolOutcome, is_read: bool) -> ToolOutcome {
    match outcome {
        ToolOutcome::Done(Value::List(rows)) if is_read => {
            let mut left = bound::ROWS_MAX;
            let fits = |row: &&Value| {
                let rest = left.checked_sub(bound::value(row));
                left = rest.unwrap_or_default();
                rest.is_some()
            };
            ToolOutcome::Done(Value::List(rows.iter().take_while(fits).cloned().collect()))
        }
        ToolOutcome::Done(result) if bound::value(result) > bound::ROWS_MAX => ToolOutcome::Done(Value::Null),
        ToolOutcome::Done(_) | ToolOutcome::Refused(_) | ToolOutcome::Failed(_) | ToolOutcome::Unknown(_) => {
            outcome.clone()
        }
    }
}

/// A record as a row.
pub(crate) fn as_row(value: &Value) -> Option<Row> {
    if let Value::Record(fields) = value { Some(fields.clone()) } else { None }
}

/// A JSON value as an argument of a kind.
pub(crate) fn from_json(kind: Kind, json: &serde_json::Value, currency: countersign_nlu::Currency) -> Option<Value> {
    match kind {
        Kind::Number | Kind::Ordinal => json.as_i64().map(Value::Int),
        Kind::Money => json.as_i64().map(|minor| Value::Money(Money::new(minor, currency))),
        Kind::Date => json.as_str()?.parse().ok().map(Value::Date),
        Kind::Time => json.as_str()?.parse().ok().map(Value::Time),
        Kind::Duration => json.as_i64().map(Value::Duration),
        Kind::Flag => json.as_bool().map(Value::Bool),
        Kind::Phone | Kind::Email | Kind::Id | Kind::Name | Kind::Text => json.as_str().map(Value::text),
    }
}
