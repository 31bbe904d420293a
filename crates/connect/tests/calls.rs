//! Calls with a real permit: the iris pack, the runtime, the store and the connectors together.
//!
//! A permit cannot be made here, so every call comes from a conversation, as it would in production.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use countersign_connect::channels::terminal::{Sent, TerminalChannel};
use countersign_connect::issuer::{FaultyIssuer, Issuer, IssuerFault, LocalIssuer};
use countersign_connect::models::embedded::EmbeddedSensor;
use countersign_connect::tools::{PackData, Toolbox};
use countersign_connect::transcriber::NoTranscriber;
use countersign_kernel::policy::Policy;
use countersign_pack::{Source, compile};
use countersign_runtime::ports::{Clock, Faults, Store, TenantStore};
use countersign_runtime::{Delivery, Engine, Incoming, Ports, TurnReport};
use countersign_store::sqlite::{Options, SqliteStore};
use jiff::{SignedDuration, Timestamp};
use rusqlite::Connection;

const TENANT: &str = "acme";

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/iris").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn policy() -> Policy {
    let files = ["pack.yaml", "tools.yaml", "intents.yaml", "journeys.yaml", "rules.yaml", "messages/pt.yaml"];
    let source = Source::new(files.map(|file| (file.to_owned(), text(file))));
    compile(&source, None).policy.unwrap()
}

/// A clock that moves only when told.
struct Hands(Mutex<(Timestamp, u64)>);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        self.0.lock().unwrap().0
    }

    fn nonce(&self) -> String {
        let mut hands = self.0.lock().unwrap();
        hands.1 += 1;
        format!("nonce-{}", hands.1)
    }
}

/// What goes wrong, and where.
#[derive(Clone, Copy)]
enum Trouble {
    Nothing,
    /// The process sleeps this long at a place.
    Sleeps(&'static str, i64),
    /// The process ends at a place.
    Dies(&'static str),
}

struct Place {
    trouble: Trouble,
    clock: Arc<Hands>,
}

impl Faults for Place {
    fn at(&self, point: &'static str) {
        match self.trouble {
            Trouble::Sleeps(place, seconds) if place == point => {
                let mut hands = self.clock.0.lock().unwrap();
                hands.0 += SignedDuration::from_secs(seconds);
            }
            Trouble::Dies(place) if place == point => panic!("the process ends at `{place}`"),
            Trouble::Nothing | Trouble::Sleeps(..) | Trouble::Dies(_) => {}
        }
    }
}

struct World {
    folder: PathBuf,
    store: Arc<dyn TenantStore>,
    channel: Arc<TerminalChannel>,
    clock: Arc<Hands>,
    policy: Arc<Policy>,
    issuer: Arc<dyn Issuer>,
    count: u64,
}

impl World {
    async fn new(name: &str, issuer: Arc<dyn Issuer>) -> Self {
        let folder = std::env::temp_dir().join(format!("countersign-calls-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let options = Options { threads: 1, ..Options::default() };
        let store = SqliteStore::open(&folder, options).unwrap().tenant(TENANT).await.unwrap();
        let clock = Arc::new(Hands(Mutex::new(("2026-11-16T15:00:00Z".parse().unwrap(), 0))));
        let (channel, policy) = (Arc::new(TerminalChannel::new()), Arc::new(policy()));
        Self { folder, store, channel, clock, policy, issuer, count: 0 }
    }

    /// A process: everything in memory is new, everything on disk is what it was.
    fn process(&self, trouble: Trouble) -> Arc<Engine> {
        let data = PackData { schema: text("data/schema.sql"), seed: text("data/seed.sql") };
        let tools = Toolbox::new(&self.folder, data).with_issuer(Arc::clone(&self.issuer));
        let ports = Ports {
            store: Arc::clone(&self.store),
            tools: Arc::new(tools),
            sensor: Arc::new(EmbeddedSensor::train(&self.policy)),
            channel: Arc::clone(&self.channel) as _,
            transcriber: Arc::new(NoTranscriber),
            clock: Arc::clone(&self.clock) as _,
            faults: Arc::new(Place { trouble, clock: Arc::clone(&self.clock) }),
        };
        Arc::new(Engine::new(TENANT, Arc::clone(&self.policy), ports))
    }

    fn delivery(&mut self, words: &str) -> Delivery {
        self.count += 1;
        Delivery {
            conversation: "v-1".to_owned(),
            customer: "+5511990000009".to_owned(),
            channel: "terminal".to_owned(),
            provider_id: format!("m-{}", self.count),
            content: Incoming::Text(words.to_owned()),
        }
    }

    async fn say(&mut self, engine: &Engine, words: &str) -> TurnReport {
        let delivery = self.delivery(words);
        engine.receive(delivery).await.unwrap().pop().unwrap()
    }

    fn number(&self, from: &str) -> i64 {
        let connection = Connection::open(self.folder.join("business").join(format!("{TENANT}.db"))).unwrap();
        connection.query_row(&format!("select count(*) from {from}"), [], |row| row.get(0)).unwrap()
    }

    /// Asks for a slip and says yes.
    async fn create(&mut self, trouble: Trouble) -> TurnReport {
        let engine = self.process(trouble);
        self.say(&engine, CREATE).await;
        self.say(&engine, "sim").await
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

const CREATE: &str = "quero um boleto de 150 reais para a Ana Souza com vencimento 04/12/2026";

fn local() -> Arc<dyn Issuer> {
    Arc::new(LocalIssuer { bank: 1 })
}

fn outcomes(report: &TurnReport) -> Vec<(&str, &str)> {
    report.executed.iter().map(|call| (call.tool.as_str(), call.outcome.as_str())).collect()
}

fn said(report: &TurnReport) -> String {
    report.replies.iter().map(|reply| reply.text.as_str()).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_yes_makes_the_slip_once() {
    let mut world = World::new("create", local()).await;
    let report = world.create(Trouble::Nothing).await;
    assert_eq!(outcomes(&report), [("create_boleto", "done")], "{}", said(&report));
    assert!(said(&report).contains("BOL-1008"), "{}", said(&report));
    assert_eq!((world.number("boletos"), world.number("countersign_effects")), (8, 1));
}

#[tokio::test]
async fn a_no_makes_nothing() {
    let mut world = World::new("no", local()).await;
    let engine = world.process(Trouble::Nothing);
    world.say(&engine, CREATE).await;
    let report = world.say(&engine, "não").await;
    assert_eq!(outcomes(&report), []);
    assert_eq!((world.number("boletos"), world.number("countersign_effects")), (7, 0));
}

#[tokio::test]
async fn a_permit_is_good_until_its_deadline_and_not_a_second_longer() {
    for (seconds, outcome, boletos) in [(30, "done", 8), (31, "failed", 7)] {
        let mut world = World::new(&format!("late-{seconds}"), local()).await;
        let report = world.create(Trouble::Sleeps("intent_written", seconds)).await;
        assert_eq!(outcomes(&report), [("create_boleto", outcome)], "after {seconds} s");
        assert_eq!(world.number("boletos"), boletos, "after {seconds} s");
    }
}

#[tokio::test]
async fn a_crash_around_the_call_leaves_exactly_one_slip() {
    for place in ["intent_written", "called", "outcome_written", "before_commit"] {
        let mut world = World::new(&format!("crash-{place}"), local()).await;
        let doomed = world.process(Trouble::Dies(place));
        if place == "before_commit" {
            // The question's own turn has to end; only the turn of the yes is interrupted.
            let first = world.process(Trouble::Nothing);
            world.say(&first, CREATE).await;
        } else {
            world.say(&doomed, CREATE).await;
        }
        let delivery = world.delivery("sim");
        let died = tokio::spawn(async move { doomed.receive(delivery).await }).await;
        assert!(died.is_err(), "the process did not end at `{place}`");
        let reports = world.process(Trouble::Nothing).recover().await.unwrap();
        let told = reports.iter().map(said).collect::<Vec<_>>().join("\n");
        assert!(told.contains("BOL-1008"), "{place}: {told}");
        assert_eq!((world.number("boletos"), world.number("countersign_effects")), (8, 1), "{place}");
        assert!(world.process(Trouble::Nothing).recover().await.unwrap().is_empty(), "{place}: nothing is left open");
    }
}

#[tokio::test]
async fn a_wrong_slip_is_caught_after_the_call_and_never_told_as_success() {
    for fault in [IssuerFault::OtherAmount, IssuerFault::OtherDate, IssuerFault::WrongDigits] {
        let issuer = Arc::new(FaultyIssuer { inner: LocalIssuer { bank: 1 }, fault });
        let mut world = World::new(&format!("wrong-{fault:?}"), issuer).await;
        let report = world.create(Trouble::Nothing).await;
        assert_eq!(outcomes(&report), [("create_boleto", "done")], "the connector reports what the issuer did");
        let reasons: Vec<_> = report.decisions.iter().map(|decision| decision.reason.code()).collect();
        assert!(reasons.contains(&"result_mismatch"), "{fault:?}: {reasons:?}");
        assert!(!said(&report).contains("criado"), "{fault:?}: {}", said(&report));
        assert!(!report.tickets.is_empty(), "{fault:?}: a person has to look at it");
    }
}

#[tokio::test]
async fn an_issuer_that_fails_leaves_nothing() {
    let issuer = Arc::new(FaultyIssuer { inner: LocalIssuer { bank: 1 }, fault: IssuerFault::Fails });
    let mut world = World::new("fails", issuer).await;
    let report = world.create(Trouble::Nothing).await;
    assert_eq!(outcomes(&report), [("create_boleto", "failed")]);
    assert_eq!((world.number("boletos"), world.number("countersign_effects")), (7, 0));
}

#[tokio::test]
async fn a_message_goes_to_the_address_of_the_record() {
    let mut world = World::new("message", local()).await;
    let engine = world.process(Trouble::Nothing);
    let report = world.say(&engine, "manda uma mensagem para a Ana Souza dizendo que o boleto chegou").await;
    assert_eq!(outcomes(&report), [("send_message", "done")], "{}", said(&report));
    let to_ana = |sent: &Sent| sent.to.as_deref() == Some("+5511990000001");
    let posted: Vec<_> = world.channel.drain().into_iter().filter(to_ana).map(|sent| sent.text).collect();
    assert_eq!(posted, ["o boleto chegou"]);
}
