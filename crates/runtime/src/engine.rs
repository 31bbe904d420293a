//! One tenant's agent at work: takes messages in, runs turns in order, sends what was said.
//!
//! Invariant: a message is answered only after it is durably in the inbox; turns of one conversation run one after the
//! other, of different conversations side by side.

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign_kernel::event::{Content, Event, Happening, Heard, OperatorDecision, Surroundings};
use countersign_kernel::policy::Policy;
use countersign_kernel::snapshot;
use countersign_kernel::state::{Session, State};
use jiff::Timestamp;
use tokio::sync::Mutex;

use crate::ports::{
    Arrival, Channel, Clock, Faults, Sensor, StoreError, Subject, TenantStore, Tools, Transcriber, Waiting,
    content_bytes,
};
use crate::report::TurnReport;
use crate::vault::{Purpose, Vault, VaultError};

/// Largest message taken in at all, in bytes. The gate's own limit is far lower and answers politely.
pub const MESSAGE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Conversations kept ready in memory; the rest is loaded when needed.
pub const READY_MAX: usize = 1024;

/// Times a message may end the process before it is left to a person.
const ATTEMPTS_MAX: u32 = 3;

/// What went wrong around a turn.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something could not be sealed or opened.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// A stored snapshot cannot be read.
    #[error("the conversation `{conversation}` cannot be loaded")]
    Snapshot {
        /// Which.
        conversation: String,
        /// Why.
        #[source]
        source: snapshot::Fault,
    },
    /// Stored data cannot be read.
    #[error("{what} cannot be read")]
    Unreadable {
        /// What.
        what: &'static str,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// A message is larger than anything that is taken in.
    #[error("the message has {bytes} bytes, at most {MESSAGE_BYTES_MAX} are taken in")]
    TooLarge {
        /// How large.
        bytes: usize,
    },
}

/// Everything outside.
#[derive(Clone)]
pub struct Ports {
    /// The tenant's data.
    pub store: Arc<dyn TenantStore>,
    /// Carries out reads and calls.
    pub tools: Arc<dyn Tools>,
    /// Reads messages.
    pub sensor: Arc<dyn Sensor>,
    /// Delivers messages.
    pub channel: Arc<dyn Channel>,
    /// Turns voice into text.
    pub transcriber: Arc<dyn Transcriber>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Named places where a test may end the process.
    pub faults: Arc<dyn Faults>,
}

/// What a channel delivered.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// The conversation; a name without personal data.
    pub conversation: String,
    /// The person's address on the channel.
    pub customer: String,
    /// The channel.
    pub channel: String,
    /// The channel's own id of the message.
    pub provider_id: String,
    /// What was sent.
    pub content: Incoming,
}

/// The content of a delivery.
#[derive(Debug, Clone)]
pub enum Incoming {
    /// Words.
    Text(String),
    /// A press on one of our buttons.
    Button(String),
    /// A voice note.
    Voice(Vec<u8>),
}

/// A person with their working keys.
pub(crate) struct Person {
    pub(crate) pseudonym: String,
    pub(crate) vault: Vault,
}

/// A conversation ready in memory.
pub(crate) struct Seat {
    pub(crate) conversation: String,
    pub(crate) person: Arc<Person>,
    pub(crate) epoch: u64,
    pub(crate) state: State,
}

type Chair = Arc<Mutex<Option<Seat>>>;

/// One tenant's agent.
pub struct Engine {
    tenant: String,
    pub(crate) policy: Arc<Policy>,
    pub(crate) ports: Ports,
    chairs: Mutex<BTreeMap<String, Chair>>,
    people: Mutex<BTreeMap<String, Arc<Person>>>,
}

impl Engine {
    /// An agent for one tenant.
    #[must_use]
    pub fn new(tenant: &str, policy: Arc<Policy>, ports: Ports) -> Self {
        Self {
            tenant: tenant.to_owned(),
            policy,
            ports,
            chairs: Mutex::new(BTreeMap::new()),
            people: Mutex::new(BTreeMap::new()),
        }
    }

    /// Takes a message in, durably and once, and runs the turn it leads to. A duplicate leads to none.
    ///
    /// # Errors
    /// The store failed, or the message is larger than anything that is taken in.
    pub async fn receive(&self, delivery: Delivery) -> Result<Vec<TurnReport>, EngineError> {
        self.ports.faults.at("received");
        let content = self.content(delivery.content).await?;
        let person = self.person(&delivery.customer).await?;
        let chair = self.chair(&delivery.conversation).await;
        let mut seat = chair.lock().await;
        let now = self.ports.clock.now();
        let arrival = Arrival {
            conversation: delivery.conversation.clone(),
            subject: person.pseudonym.clone(),
            channel: delivery.channel,
            provider_id: delivery.provider_id,
            sealed: person.vault.seal(Purpose::Inbox, &content_bytes(&content))?,
            at: now,
        };
        let ingested = self.ports.store.ingest(arrival).await?;
        let Some(message) = ingested.message else { return Ok(Vec::new()) };
        self.ports.faults.at("ingested");
        if seat.is_none() {
            // Loading finds this message, and any before it, still waiting.
            let (fresh, reports) = self.sit(&delivery.conversation, &delivery.customer, &person).await?;
            *seat = Some(fresh);
            return Ok(reports);
        }
        let Some(ready) = seat.as_mut() else { return Ok(Vec::new()) };
        let report = self.hear(ready, Letter { message, content, at: now, around: ingested.around }).await;
        self.settle(&mut seat, report).map(|report| vec![report])
    }

    /// A turn that failed leaves no half-decided state in memory: the next one loads what is durable.
    fn settle(
        &self,
        seat: &mut Option<Seat>,
        report: Result<TurnReport, EngineError>,
    ) -> Result<TurnReport, EngineError> {
        if report.is_err() {
            *seat = None;
        }
        report
    }

    /// Runs what timers are due.
    ///
    /// # Errors
    /// The store failed.
    pub async fn tick(&self) -> Result<Vec<TurnReport>, EngineError> {
        let now = self.ports.clock.now();
        let mut reports = Vec::new();
        for row in self.ports.store.due(now).await? {
            let Some(timer) = countersign_kernel::event::Timer::parse(&row.kind, &row.reference) else { continue };
            let chair = self.chair(&row.conversation).await;
            let mut seat = chair.lock().await;
            if !self.seat_by_name(&mut seat, &row.conversation, &row.subject).await? {
                continue;
            }
            let Some(ready) = seat.as_mut() else { continue };
            let event = Event { at: now, what: Happening::TimerFired(timer) };
            let report = self.turn(ready, event, Some((row.kind, row.reference))).await;
            reports.push(self.settle(&mut seat, report)?);
        }
        Ok(reports)
    }

    /// An operator writes to the person, or hands the conversation back to the agent.
    ///
    /// # Errors
    /// The store failed.
    pub async fn operator_says(
        &self,
        conversation: &str,
        customer: &str,
        operator: &str,
        text: &str,
        is_handback: bool,
    ) -> Result<TurnReport, EngineError> {
        let what = Happening::OperatorSaid { operator: operator.to_owned(), text: text.to_owned(), is_handback };
        self.operator_event(conversation, customer, what).await
    }

    /// An operator approves or denies a call that waits for it.
    ///
    /// # Errors
    /// The store failed, or the person was erased.
    pub async fn operator_decides(
        &self,
        conversation: &str,
        customer: &str,
        decision: OperatorDecision,
    ) -> Result<TurnReport, EngineError> {
        self.operator_event(conversation, customer, Happening::OperatorDecided(decision)).await
    }

    async fn operator_event(
        &self,
        conversation: &str,
        customer: &str,
        what: Happening,
    ) -> Result<TurnReport, EngineError> {
        let person = self.person(customer).await?;
        let chair = self.chair(conversation).await;
        let mut seat = chair.lock().await;
        if seat.is_none() {
            let (fresh, _) = self.sit(conversation, customer, &person).await?;
            *seat = Some(fresh);
        }
        let Some(ready) = seat.as_mut() else { return Ok(TurnReport::default()) };
        let report = self.turn(ready, Event { at: self.ports.clock.now(), what }, None).await;
        self.settle(&mut seat, report)
    }

    async fn content(&self, incoming: Incoming) -> Result<Content, EngineError> {
        let bytes = match &incoming {
            Incoming::Text(text) | Incoming::Button(text) => text.len(),
            Incoming::Voice(audio) => audio.len(),
        };
        if bytes > MESSAGE_BYTES_MAX {
            return Err(EngineError::TooLarge { bytes });
        }
        Ok(match incoming {
            Incoming::Text(text) => Content::Text(text),
            Incoming::Button(payload) => Content::Button(payload),
            Incoming::Voice(audio) => match self.ports.transcriber.transcribe(&audio).await {
                Some(text) => Content::Text(text),
                None => Content::Voice,
            },
        })
    }

    /// The person behind an address, with their keys.
    async fn person(&self, address: &str) -> Result<Arc<Person>, EngineError> {
        if let Some(person) = self.people.lock().await.get(address) {
            return Ok(Arc::clone(person));
        }
        let person = Arc::new(Person::new(self.ports.store.subject(address).await?)?);
        let mut people = self.people.lock().await;
        if people.len() >= READY_MAX {
            people.pop_first();
        }
        people.insert(address.to_owned(), Arc::clone(&person));
        Ok(person)
    }

    /// The place where turns of one conversation wait for each other.
    pub(crate) async fn chair(&self, conversation: &str) -> Chair {
        let mut chairs = self.chairs.lock().await;
        if chairs.len() >= READY_MAX {
            // Only chairs nobody holds may go; what they remember is in the store.
            chairs.retain(|_, chair| Arc::strong_count(chair) > 1);
        }
        Arc::clone(chairs.entry(conversation.to_owned()).or_default())
    }

    /// Seats a conversation known to the store; false if the person was erased.
    pub(crate) async fn seat_by_name(
        &self,
        seat: &mut Option<Seat>,
        conversation: &str,
        subject: &str,
    ) -> Result<bool, EngineError> {
        if seat.is_some() {
            return Ok(true);
        }
        let Some(known) = self.ports.store.subject_by_name(subject).await? else { return Ok(false) };
        let person = Arc::new(Person::new(known)?);
        let (fresh, _) = self.sit(conversation, "", &person).await?;
        *seat = Some(fresh);
        Ok(true)
    }

    /// Claims and loads a conversation, finishes what an interruption left open, and hears what waits.
    pub(crate) async fn sit(
        &self,
        conversation: &str,
        customer: &str,
        person: &Arc<Person>,
    ) -> Result<(Seat, Vec<TurnReport>), EngineError> {
        let loaded = self.ports.store.load(conversation).await?;
        let session = Session {
            tenant: self.tenant.clone(),
            customer: customer.to_owned(),
            conversation: conversation.to_owned(),
        };
        let state = self.state(loaded.sealed_state.as_deref(), session, person)?;
        let mut seat =
            Seat { conversation: conversation.to_owned(), person: Arc::clone(person), epoch: loaded.epoch, state };
        let mut reports = Vec::new();
        if let Some(open) = loaded.open_intent {
            reports.push(self.resume(&mut seat, open).await?);
        }
        // The message behind an open call was heard before the interruption, and its turn has just ended.
        let heard = seat.state.message;
        let waiting = loaded.waiting.into_iter().filter(|waiting| waiting.message > heard).collect();
        reports.extend(self.hear_waiting(&mut seat, waiting).await?);
        Ok((seat, reports))
    }

    /// The stored state, or that of a conversation that has not begun.
    fn state(&self, sealed: Option<&[u8]>, session: Session, person: &Person) -> Result<State, EngineError> {
        let Some(sealed) = sealed else { return Ok(State::new(session, self.policy.language())) };
        let plain = person.vault.open(Purpose::State, sealed)?;
        let fault = |source| EngineError::Snapshot { conversation: session.conversation.clone(), source };
        snapshot::decode_state(&plain).map_err(fault)
    }

    /// Goes back to what is durable.
    pub(crate) async fn reload(&self, seat: &mut Seat) -> Result<(), EngineError> {
        let loaded = self.ports.store.load(&seat.conversation).await?;
        seat.epoch = loaded.epoch;
        seat.state = self.state(loaded.sealed_state.as_deref(), seat.state.session.clone(), &seat.person)?;
        Ok(())
    }

    /// Hears the messages that wait in the inbox.
    async fn hear_waiting(&self, seat: &mut Seat, letters: Vec<Waiting>) -> Result<Vec<TurnReport>, EngineError> {
        let mut reports = Vec::new();
        for waiting in letters {
            if waiting.attempts > ATTEMPTS_MAX {
                reports.push(self.park(seat, waiting.message).await?);
                continue;
            }
            let plain = seat.person.vault.open(Purpose::Inbox, &waiting.sealed)?;
            let content = serde_json::from_slice(&plain)
                .map_err(|source| EngineError::Unreadable { what: "a waiting message", source })?;
            let letter =
                Letter { message: waiting.message, content, at: self.ports.clock.now(), around: waiting.around };
            reports.push(self.hear(seat, letter).await?);
        }
        Ok(reports)
    }

    async fn hear(&self, seat: &mut Seat, letter: Letter) -> Result<TurnReport, EngineError> {
        let heard = Heard {
            message: letter.message,
            content: letter.content,
            nonce: self.ports.clock.nonce(),
            around: letter.around,
        };
        let mut report = self.turn(seat, Event { at: letter.at, what: Happening::Heard(heard) }, None).await?;
        report.message = Some(letter.message);
        Ok(report)
    }
}

/// A message on its way into the kernel.
struct Letter {
    message: u64,
    content: Content,
    at: Timestamp,
    around: Surroundings,
}

impl Person {
    pub(crate) fn new(subject: Subject) -> Result<Self, EngineError> {
        Ok(Self { vault: Vault::new(&subject.key)?, pseudonym: subject.pseudonym })
    }
}
