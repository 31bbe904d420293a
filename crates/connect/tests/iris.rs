//! The iris pack on the real connectors: its SQL prepares, its reads read, its sensor understands.
//!
//! What needs a `Permit` is tested where one can be made: in the runtime, and end to end.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use countersign_connect::models::embedded::EmbeddedSensor;
use countersign_connect::tools::{PackData, Toolbox, prepare_check};
use countersign_kernel::connector::{Action, Connector};
use countersign_kernel::effect::Effect;
use countersign_kernel::event::{Content, Event, Happening, Heard, ReadOutcome, Reading, Surroundings, ToolOutcome};
use countersign_kernel::gates::arm::Armed;
use countersign_kernel::policy::{Parts, Policy};
use countersign_kernel::reason::Reason;
use countersign_kernel::state::{Session, State};
use countersign_kernel::step;
use countersign_nlu::govern::Class;
use countersign_nlu::language::Language;
use countersign_nlu::{Currency, Money, Value};
use countersign_pack::{Source, compile};
use countersign_runtime::ports::Tools;
use jiff::Timestamp;

const FILES: &[&str] = &[
    "pack.yaml",
    "tools.yaml",
    "intents.yaml",
    "journeys.yaml",
    "rules.yaml",
    "messages/pt.yaml",
    "data/schema.sql",
    "data/seed.sql",
];

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/iris").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn policy() -> Policy {
    let source = Source::new(FILES.iter().map(|file| ((*file).to_owned(), text(file))));
    let outcome = compile(&source, None);
    let rendered = countersign_pack::render(&outcome.diagnostics, &source, false);
    outcome.policy.unwrap_or_else(|| panic!("{rendered}"))
}

fn at() -> Timestamp {
    "2026-11-15T15:00:00Z".parse().unwrap()
}

fn session() -> Session {
    Session { tenant: "acme".to_owned(), customer: "c-1".to_owned(), conversation: "v-1".to_owned() }
}

/// A toolbox on a new folder, removed afterwards.
struct World {
    policy: Policy,
    toolbox: Toolbox,
    folder: PathBuf,
}

impl World {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("countersign-iris-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let data = PackData { schema: text("data/schema.sql"), seed: text("data/seed.sql") };
        Self { policy: policy(), toolbox: Toolbox::new(&folder, data), folder }
    }

    async fn read(&self, read: &str, name: &str, value: &str) -> ReadOutcome {
        let params = BTreeMap::from([(name.to_owned(), Value::text(value))]);
        self.ask(read, &params).await
    }

    async fn ask(&self, read: &str, params: &BTreeMap<String, Value>) -> ReadOutcome {
        self.toolbox.read(&self.policy, &session(), read, params, at()).await
    }

    /// Says sentences with what each means, answers every read, and returns the call it ends in.
    async fn armed(&self, said: &[(&str, Option<&str>)]) -> Armed {
        let mut state = State::new(session(), Language::Pt);
        for (number, (words, intent)) in (1..).zip(said) {
            let mut queue = vec![heard(number, words)];
            while let Some(what) = queue.pop() {
                let done = step(&self.policy, state, &Event { at: at(), what });
                state = done.state;
                for effect in done.effects {
                    match effect {
                        Effect::Sense { .. } => queue.push(Happening::Sensed(reading(*intent))),
                        Effect::Read(wanted) => {
                            let outcome = self.ask(&wanted.read, &wanted.params).await;
                            queue.push(Happening::FactRead { read: wanted.number, outcome });
                        }
                        Effect::CallTool(armed) => return armed,
                        Effect::Propose { .. }
                        | Effect::Send(_)
                        | Effect::OpenTicket(_)
                        | Effect::StartTimer { .. }
                        | Effect::SetConsent { .. } => {}
                    }
                }
            }
        }
        panic!("{said:?} did not end in a call")
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn heard(message: u64, words: &str) -> Happening {
    let content = Content::Text(words.to_owned());
    Happening::Heard(Heard { message, content, nonce: format!("n-{message}"), around: Surroundings::default() })
}

fn reading(intent: Option<&str>) -> Reading {
    Reading {
        intent: intent.map(str::to_owned),
        confidence: if intent.is_some() { 950 } else { 0 },
        runner_up: None,
        topic: None,
        language: None,
        class: Class::Business,
        ambiguity: 0,
        ambiguity_reason: String::new(),
        is_frustrated: false,
        sensitive: None,
    }
}

fn rows(outcome: ReadOutcome) -> Vec<BTreeMap<String, Value>> {
    match outcome {
        ReadOutcome::Rows(rows) => rows,
        ReadOutcome::Failed(message) => panic!("{message}"),
    }
}

#[tokio::test]
async fn reads_are_typed_rows() {
    let world = World::new("reads");
    let found = rows(world.read("find_boleto", "boleto_id", "BOL-1001").await);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["contact_name"], Value::text("Ana Souza"));
    assert_eq!(found[0]["amount_cents"], Value::Money(Money::new(15_000, Currency::BRL)));
    assert_eq!(found[0]["due_date"], Value::Date("2026-12-04".parse().unwrap()));
    assert!(rows(world.read("find_boleto", "boleto_id", "BOL-1001' or '1'='1").await).is_empty());
    let names = |rows: Vec<BTreeMap<String, Value>>| {
        rows.iter().map(|row| row["name"].as_text().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(rows(world.read("find_contact", "name", "joão").await)), ["João Pereira", "João Silva"]);
    assert_eq!(names(rows(world.read("find_contact", "name", "ana").await)), ["Ana Souza"]);
}

#[tokio::test]
async fn a_read_that_cannot_be_made_fails_and_is_not_empty() {
    let world = World::new("broken-reads");
    assert!(matches!(world.read("find_nothing", "name", "x").await, ReadOutcome::Failed(_)));
    assert!(matches!(world.read("find_contact", "nome", "x").await, ReadOutcome::Failed(_)));
    let elsewhere = Session { tenant: "../acme".to_owned(), ..session() };
    let params = BTreeMap::from([("name".to_owned(), Value::text("ana"))]);
    let outcome = world.toolbox.read(&world.policy, &elsewhere, "find_contact", &params, at()).await;
    assert!(matches!(outcome, ReadOutcome::Failed(_)));
}

#[tokio::test]
async fn tenants_share_nothing() {
    let world = World::new("tenants");
    let other = Session { tenant: "other".to_owned(), ..session() };
    let params = BTreeMap::from([("boleto_id".to_owned(), Value::text("BOL-1001"))]);
    rows(world.toolbox.read(&world.policy, &other, "find_boleto", &params, at()).await);
    rows(world.read("find_boleto", "boleto_id", "BOL-1001").await);
    for tenant in ["acme", "other"] {
        assert!(world.folder.join("business").join(format!("{tenant}.db")).exists());
    }
}

#[tokio::test]
async fn a_read_tool_is_looked_at_with_its_proof() {
    let world = World::new("look");
    let armed = world.armed(&[("lista os boletos", Some("LIST_BOLETOS"))]).await;
    let ToolOutcome::Done(Value::List(rows)) = world.toolbox.look(&world.policy, &session(), &armed, at()).await else {
        panic!("not a list");
    };
    assert_eq!(rows.len(), 7);
    assert_eq!(rows[0].field("boleto_id"), Some(&Value::text("BOL-1007")));
    let armed = world.armed(&[("qual o status do boleto BOL-1002?", Some("CHECK_STATUS"))]).await;
    let outcome = world.toolbox.look(&world.policy, &session(), &armed, at()).await;
    let ToolOutcome::Done(result) = outcome else { panic!("{outcome:?}") };
    assert_eq!(result.field("status"), Some(&Value::text("PAID")));
}

#[tokio::test]
async fn a_tool_that_changes_something_is_not_looked_at() {
    let world = World::new("look-write");
    let armed = world.armed(&[("cancela o boleto BOL-1001", Some("CANCEL_BOLETO")), ("sim", None)]).await;
    assert_eq!(armed.call().tool, "cancel_boleto");
    let outcome = world.toolbox.look(&world.policy, &session(), &armed, at()).await;
    assert!(matches!(outcome, ToolOutcome::Failed(_)), "{outcome:?}");
    let found = rows(world.read("find_boleto", "boleto_id", "BOL-1001").await);
    assert_eq!(found[0]["status"], Value::text("OPEN"));
}

#[test]
fn the_packs_sql_prepares() {
    assert_eq!(prepare_check(&policy(), &text("data/schema.sql")), []);
}

/// The pack with one statement's text changed.
fn changed(subject: &str, index: usize, change: impl Fn(&str) -> String) -> Policy {
    let mut parts: Parts = (*policy()).clone();
    let connector = match subject.split_once('.') {
        Some(("reads", name)) => &mut parts.reads.get_mut(name).unwrap().connector,
        Some(("tools", name)) => &mut parts.tools.get_mut(name).unwrap().connector,
        other => panic!("{other:?}"),
    };
    let Connector::Sql(statements) = connector else { panic!("{subject} is not sql") };
    let Action::Sql(sql) = &mut statements[index].action else { panic!("{subject} is native") };
    *sql = change(sql);
    Policy::new(parts).unwrap()
}

#[test]
fn mistakes_in_sql_are_found_with_their_place() {
    let check = |policy: Policy, schema: &str, place: &str, part: &str| {
        let found = prepare_check(&policy, schema);
        let is_found = found.iter().any(|problem| problem.place == place && problem.message.contains(part));
        assert!(is_found, "{place}: {part} is not in {found:?}");
    };
    let schema = text("data/schema.sql");
    let without = schema.replace("  line text not null,\n", "");
    check(policy(), &without, "reads.find_boleto.sql[0]", "no such column: line");
    check(policy(), &without, "tools.create_boleto.sql[1]", "no column named line");
    check(policy(), "create tabel", "data/schema.sql", "syntax error");
    let unknown = changed("tools.cancel_boleto", 0, |sql| sql.replace(":boleto_id", ":boleto"));
    check(unknown, &schema, "tools.cancel_boleto.sql[0]", "unknown parameter `:boleto`");
    let writes = changed("reads.find_contact", 0, |_| {
        "update contacts set name = :name returning contact_id, name, phone, document".to_owned()
    });
    check(writes, &schema, "reads.find_contact.sql[0]", "a read may not change anything");
    let lacking = changed("tools.create_boleto", 4, |sql| sql.replace("barcode,", ""));
    check(lacking, &schema, "tools.create_boleto.sql[4]", "`barcode` is not among the columns");
    let two = changed("tools.list_boletos", 0, |sql| format!("{sql}; delete from boletos"));
    check(two, &schema, "tools.list_boletos.sql[0]", "more than one statement");
}

#[test]
fn a_refusal_of_the_pack_has_the_packs_own_reason() {
    let Connector::Sql(statements) = &policy().tools["cancel_boleto"].connector else { panic!("not sql") };
    assert_eq!((statements[0].rows, statements[0].otherwise), (Some(1), Reason::StateConflict));
}

#[test]
fn the_sensor_understands_sentences_it_never_saw() {
    let sensor = EmbeddedSensor::train(&policy());
    let check = |words: &str, intent: &str, topic: Option<&str>| {
        let reading = sensor.read(words, Language::Pt);
        assert_eq!(reading.intent.as_deref(), Some(intent), "{words}: {reading:?}");
        assert_eq!(reading.topic.as_deref(), topic, "{words}: {reading:?}");
        assert!(reading.confidence >= 500, "{words}: {reading:?}");
    };
    check("preciso de um boleto novo de 90 reais para o Bruno", "CREATE_BOLETO", None);
    check("por favor cancele o boleto BOL-1007", "CANCEL_BOLETO", None);
    check("qual é a situação do boleto 1006?", "CHECK_STATUS", None);
    check("mande uma mensagem para o João", "SEND_MESSAGE", None);
    check("quero ver meus boletos", "LIST_BOLETOS", None);
    check("qual é o limite de valor de um boleto?", "GENERAL_QUESTION", Some("limit"));
    check("o que é boleto?", "GENERAL_QUESTION", Some("what_is_boleto"));
}

#[test]
fn the_sensor_is_the_same_every_time() {
    let (first, second) = (EmbeddedSensor::train(&policy()), EmbeddedSensor::train(&policy()));
    for words in ["quero um boleto", "", "xyzzy", "cancela ou consulta o boleto 1001?"] {
        let reading = first.read(words, Language::Pt);
        assert_eq!(reading, second.read(words, Language::Pt));
        assert!(reading.confidence <= 1000 && reading.ambiguity <= 1000);
        let sum = reading.confidence + reading.runner_up.as_ref().map_or(0, |(_, confidence)| *confidence);
        assert!(sum <= 1001, "{words}: {reading:?}");
    }
}
