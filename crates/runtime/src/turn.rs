//! One turn: step, perform, step again until no effect is left; then one transaction and the sends.
//!
//! Durable points: the intent before a call that changes something, the outcome after it, and the end of the turn.
//! Sensing and reads run before durability and simply run again after a crash.

use std::collections::{BTreeSet, VecDeque};
use std::panic::AssertUnwindSafe;

use countersign_kernel::canonical;
use countersign_kernel::decision::{Decision, Gate};
use countersign_kernel::effect::{Effect, ReadRequest};
use countersign_kernel::escalate::{Ticket, TicketKind};
use countersign_kernel::event::{Event, Happening, Proposal, Timer, ToolOutcome};
use countersign_kernel::gates::arm::Armed;
use countersign_kernel::reason::Reason;
use countersign_kernel::state::{Phase, State};
use countersign_kernel::{snapshot, step};
use serde_json::{Value as Json, json};

use crate::engine::{Engine, EngineError, Seat};
use crate::journal::{self, Page};
use crate::ports::{ConfirmationRow, OutcomeRow, Outgoing, OutgoingClass, TimerRow, ToolReply, TurnRow};
use crate::record::{Draft, Facts, Whose};
use crate::report::{Executed, Reply, TurnReport};
use crate::vault::Purpose;

/// Events of one turn; the kernel's own bounds keep it far below.
const EVENTS_MAX: usize = 64;

/// What a turn has gathered since its beginning.
#[derive(Default)]
struct Gathered {
    draft: Draft,
    report: TurnReport,
    confirmations: Vec<ConfirmationRow>,
    timers: Vec<(Timer, jiff::Timestamp)>,
    consent: Option<bool>,
    spent: Option<String>,
    /// Outbox numbers of messages to others, with address and text.
    posted: Vec<(u64, String, String)>,
}

impl Engine {
    /// Runs one turn from its first event to the last send.
    pub(crate) async fn turn(
        &self,
        seat: &mut Seat,
        first: Event,
        timer_done: Option<(String, String)>,
    ) -> Result<TurnReport, EngineError> {
        let before = open_nonces(&seat.state);
        let mut gathered = Gathered::default();
        gathered.report.conversation.clone_from(&seat.conversation);
        let mut events = VecDeque::from([first]);
        for _ in 0..EVENTS_MAX {
            let Some(event) = events.pop_front() else { break };
            // The state moves through the kernel; what a bug there would lose is still in the store.
            let blank = State::new(seat.state.session.clone(), seat.state.language);
            let state = std::mem::replace(&mut seat.state, blank);
            let stepped = std::panic::catch_unwind(AssertUnwindSafe(|| step(&self.policy, state, &event)));
            let Ok(stepped) = stepped else { return self.hand_in(seat, &event).await };
            gathered.draft.add(event, &stepped.decisions, &stepped.effects);
            gathered.report.decisions.extend(stepped.decisions);
            seat.state = stepped.state;
            for effect in stepped.effects {
                if let Some(answer) = self.perform(seat, &mut gathered, effect).await? {
                    events.push_back(answer);
                }
            }
        }
        self.finish(seat, gathered, before, timer_done).await
    }

    /// A bug in the kernel ends the turn and is handed to a person; the process keeps serving.
    async fn hand_in(&self, seat: &mut Seat, event: &Event) -> Result<TurnReport, EngineError> {
        self.reload(seat).await?;
        let message = if let Happening::Heard(heard) = &event.what { heard.message } else { seat.state.message };
        self.park(seat, message.max(seat.state.message)).await
    }

    /// A message that ended the process again and again is left to a person; the conversation goes on without it.
    pub(crate) async fn park(&self, seat: &mut Seat, message: u64) -> Result<TurnReport, EngineError> {
        let before = open_nonces(&seat.state);
        let mut gathered = Gathered::default();
        gathered.report.conversation.clone_from(&seat.conversation);
        gathered.report.message = Some(message);
        seat.state.message = message;
        let ticket = Ticket::new(TicketKind::Incident, &seat.state, Reason::TurnFailed);
        gathered.report.tickets.push(ticket.describe());
        self.finish(seat, gathered, before, None).await
    }

    /// One match over the effects; each arm calls one port.
    async fn perform(
        &self,
        seat: &mut Seat,
        gathered: &mut Gathered,
        effect: Effect,
    ) -> Result<Option<Event>, EngineError> {
        match effect {
            Effect::Sense { text, .. } => {
                let reading = self.ports.sensor.sense(&text, seat.state.language).await;
                self.ports.faults.at("sensed");
                Ok(Some(self.event(Happening::Sensed(reading))))
            }
            // No planner is connected yet; unknown means no.
            Effect::Propose { .. } => Ok(Some(self.event(Happening::Proposed(Proposal::Nothing)))),
            Effect::Read(read) => Ok(Some(self.read(seat, gathered, &read).await)),
            Effect::CallTool(armed) => self.call(seat, gathered, armed).await.map(Some),
            Effect::Send(said) => {
                let (text, buttons) = (said.text().to_owned(), said.buttons().to_vec());
                gathered.report.replies.push(Reply { text, buttons });
                Ok(None)
            }
            Effect::OpenTicket(ticket) => {
                gathered.report.tickets.push(ticket.describe());
                Ok(None)
            }
            Effect::StartTimer { timer, at } => {
                if let (Timer::Confirmation(nonce), Some(pending)) = (&timer, seat.state.pending()) {
                    gathered.confirmations.push(ConfirmationRow {
                        nonce: nonce.clone(),
                        tool: pending.call.tool.clone(),
                        digest: pending.digest.clone(),
                        expires_at: pending.expires_at,
                    });
                }
                // A yes that was given in time stays good while an operator decides.
                let awaiting = seat.state.frame.as_ref().and_then(|frame| frame.awaiting.as_ref());
                if let (Timer::Approval(_), Some(awaiting)) = (&timer, awaiting)
                    && let Some(nonce) = &awaiting.nonce
                {
                    gathered.confirmations.push(ConfirmationRow {
                        nonce: nonce.clone(),
                        tool: awaiting.call.tool.clone(),
                        digest: awaiting.digest.clone(),
                        expires_at: awaiting.expires_at,
                    });
                }
                gathered.timers.push((timer, at));
                Ok(None)
            }
            Effect::SetConsent { is_opted_out } => {
                gathered.consent = Some(is_opted_out);
                Ok(None)
            }
        }
    }

    fn event(&self, what: Happening) -> Event {
        Event { at: self.ports.clock.now(), what }
    }

    async fn read(&self, seat: &Seat, gathered: &mut Gathered, read: &ReadRequest) -> Event {
        gathered.report.reads.push(read.read.clone());
        let (session, now) = (&seat.state.session, self.ports.clock.now());
        let outcome = self.ports.tools.read(&self.policy, session, &read.read, &read.params, now).await;
        self.event(Happening::FactRead { read: read.number, outcome })
    }

    /// A call: a look at once; anything else only after its intent is durable.
    async fn call(&self, seat: &mut Seat, gathered: &mut Gathered, armed: Armed) -> Result<Event, EngineError> {
        let (key, tool) = (armed.key().to_owned(), armed.call().tool.clone());
        let arguments = canonical::record(armed.arguments());
        if armed.is_read() {
            let now = self.ports.clock.now();
            let outcome = self.ports.tools.look(&self.policy, &seat.state.session, &armed, now).await;
            gathered.report.executed.extend(executed(tool, arguments, &outcome));
            return Ok(self.event(Happening::ToolReturned { key, outcome }));
        }
        self.ports.faults.at("before_intent");
        let now = self.ports.clock.now();
        let facts = Facts {
            kind: "intent",
            key: Some(key.clone()),
            tool: Some(tool.clone()),
            risk: Some(journal::risk(armed.effect())),
            nonce: armed.reservation().nonce.clone(),
            verdict: None,
        };
        let nonce = armed.reservation().nonce.clone();
        let kept = gathered.draft.clone();
        let entry = gathered.draft.close(self.whose(seat), &facts, &seat.person.vault)?;
        let page = Page {
            conversation: &seat.conversation,
            subject: &seat.person.pseudonym,
            epoch: seat.epoch,
            state: &seat.state,
            vault: &seat.person.vault,
            at: now,
        };
        let permit = match journal::intend(self.ports.store.as_ref(), &page, armed, entry).await? {
            Ok(permit) => permit,
            Err(refused) => {
                // Nothing was written: what this turn has gathered belongs to its next commit.
                gathered.draft = kept;
                return Ok(self.event(Happening::Refused(refused)));
            }
        };
        gathered.spent = nonce;
        self.ports.faults.at("intent_written");
        let reply = self.ports.tools.call(&self.policy, &seat.state.session, &permit, self.ports.clock.now()).await;
        self.ports.faults.at("called");
        self.settle_call(seat, gathered, &key, &tool, arguments, reply).await
    }

    /// Writes down how a call ended, with the messages it wants sent.
    pub(crate) async fn write_outcome(
        &self,
        seat: &Seat,
        key: &str,
        tool: &str,
        reply: &ToolReply,
    ) -> Result<Vec<u64>, EngineError> {
        let vault = &seat.person.vault;
        let facts = Facts {
            kind: "outcome",
            key: Some(key.to_owned()),
            tool: Some(tool.to_owned()),
            verdict: Some(journal::verdict(&reply.outcome)),
            ..Facts::default()
        };
        let outgoing = reply
            .messages
            .iter()
            .map(|(to, text)| {
                self.outgoing(seat, OutgoingClass::Message, &json!({"buttons": [], "text": text, "to": to}))
            })
            .collect::<Result<_, _>>()?;
        let row = OutcomeRow {
            key: key.to_owned(),
            verdict: journal::verdict(&reply.outcome),
            sealed: journal::seal_outcome(vault, &reply.outcome)?,
            outgoing,
            at: self.ports.clock.now(),
            entry: Draft::default().close(self.whose(seat), &facts, vault)?,
        };
        Ok(self.ports.store.record_outcome(row).await?)
    }

    async fn settle_call(
        &self,
        seat: &Seat,
        gathered: &mut Gathered,
        key: &str,
        tool: &str,
        arguments: Json,
        reply: ToolReply,
    ) -> Result<Event, EngineError> {
        let posted = self.write_outcome(seat, key, tool, &reply).await?;
        self.ports.faults.at("outcome_written");
        gathered.report.executed.extend(executed(tool.to_owned(), arguments, &reply.outcome));
        for (id, (to, text)) in posted.into_iter().zip(reply.messages) {
            gathered.report.messages.push((to.clone(), text.clone()));
            gathered.posted.push((id, to, text));
        }
        Ok(self.event(Happening::ToolReturned { key: key.to_owned(), outcome: reply.outcome }))
    }

    pub(crate) fn whose<'a>(&'a self, seat: &'a Seat) -> Whose<'a> {
        Whose { conversation: &seat.conversation, subject: &seat.person.pseudonym, policy: &self.policy.hash }
    }

    pub(crate) fn outgoing(&self, seat: &Seat, class: OutgoingClass, body: &Json) -> Result<Outgoing, EngineError> {
        Ok(Outgoing {
            conversation: seat.conversation.clone(),
            subject: seat.person.pseudonym.clone(),
            class,
            sealed: seat.person.vault.seal(Purpose::Outbox, body.to_string().as_bytes())?,
        })
    }

    /// The end of the turn: one transaction, then the sends.
    async fn finish(
        &self,
        seat: &mut Seat,
        mut gathered: Gathered,
        before: BTreeSet<String>,
        timer_done: Option<(String, String)>,
    ) -> Result<TurnReport, EngineError> {
        if !matches!(seat.state.phase, Phase::Idle) {
            // The bound on events was reached: nothing waits for this turn any more.
            seat.state.phase = Phase::Idle;
        }
        let after = open_nonces(&seat.state);
        let voided =
            before.into_iter().filter(|nonce| !after.contains(nonce) && gathered.spent.as_ref() != Some(nonce));
        let vault = &seat.person.vault;
        let outgoing = gathered
            .report
            .replies
            .iter()
            .map(|reply| {
                self.outgoing(
                    seat,
                    OutgoingClass::Reply,
                    &json!({"buttons": reply.buttons, "text": reply.text, "to": null}),
                )
            })
            .collect::<Result<_, _>>()?;
        let facts = Facts { kind: "turn", ..Facts::default() };
        let row = TurnRow {
            conversation: seat.conversation.clone(),
            subject: seat.person.pseudonym.clone(),
            epoch: seat.epoch,
            sealed_state: vault.seal(Purpose::State, &snapshot::encode_state(&seat.state))?,
            done_until: seat.state.message,
            outgoing,
            confirmations: gathered.confirmations,
            voided: voided.collect(),
            timers: gathered.timers.into_iter().map(|(timer, at)| timer_row(seat, &timer, at)).collect(),
            timer_done,
            tickets: gathered.report.tickets.iter().map(Json::to_string).collect(),
            consent: gathered.consent,
            breaker: lying_tool(&gathered.report.decisions).map(|tool| (tool, false)),
            at: self.ports.clock.now(),
            entry: gathered.draft.close(self.whose(seat), &facts, vault)?,
        };
        self.ports.faults.at("before_commit");
        let ids = self.ports.store.commit(row).await?;
        self.ports.faults.at("committed");
        for (id, to, text) in &gathered.posted {
            self.deliver(*id, &seat.conversation, Some(to), text, &[]).await?;
        }
        for (id, reply) in ids.into_iter().zip(&gathered.report.replies) {
            self.deliver(id, &seat.conversation, None, &reply.text, &reply.buttons).await?;
        }
        Ok(gathered.report)
    }
}

fn executed(tool: String, arguments: Json, outcome: &ToolOutcome) -> Option<Executed> {
    let result = match outcome {
        ToolOutcome::Done(value) => canonical::value(value),
        // A refusal did nothing, so nothing was executed.
        ToolOutcome::Refused(_) => return None,
        ToolOutcome::Failed(why) | ToolOutcome::Unknown(why) => Json::from(why.as_str()),
    };
    Some(Executed { tool, arguments, outcome: journal::verdict(outcome).to_owned(), result })
}

fn timer_row(seat: &Seat, timer: &Timer, at: jiff::Timestamp) -> TimerRow {
    TimerRow {
        conversation: seat.conversation.clone(),
        subject: seat.person.pseudonym.clone(),
        kind: timer.name().to_owned(),
        reference: timer.reference().to_owned(),
        at,
    }
}

/// Questions that wait for a yes, and yeses that wait for an operator, in the current journey and the paused ones.
fn open_nonces(state: &State) -> BTreeSet<String> {
    let frames = state.frame.iter().chain(&state.paused);
    let nonces = frames.flat_map(|frame| {
        let asked = frame.pending.as_ref().map(|pending| pending.nonce.clone());
        let given = frame.awaiting.as_ref().and_then(|awaiting| awaiting.nonce.clone());
        asked.into_iter().chain(given)
    });
    nonces.collect()
}

/// The tool whose answer did not match the record: for its breaker that is a failure, whatever it reported.
fn lying_tool(decisions: &[Decision]) -> Option<String> {
    let lies = [Reason::ResultMalformed, Reason::ResultMismatch, Reason::ReadBackMismatch];
    let lie = decisions.iter().find(|decision| decision.gate == Gate::Result && lies.contains(&decision.reason));
    lie.map(|decision| decision.about.clone())
}
