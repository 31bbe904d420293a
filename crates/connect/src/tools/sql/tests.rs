//! The connector on a real file: once per key, all or nothing, data stays data.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use countersign_kernel::connector::{Action, Statement};
use countersign_kernel::event::{ReadOutcome, ToolOutcome};
use countersign_kernel::expr::Type;
use countersign_kernel::reason::Reason;
use countersign_nlu::{Currency, Money, Value, boleto};
use jiff::civil::date;
use rusqlite::Connection;

use super::bind::About;
use super::rows::{RESULT_ROWS_MAX, Shape};
use super::run::Order;
use super::{Attempt, Business, PackData};
use crate::issuer::{FaultyIssuer, IssueRequest, Issued, Issuer, IssuerFault, LocalIssuer};
use crate::tools::tests::{Folder, folder, iris};

const ISSUER: LocalIssuer = LocalIssuer { bank: 1 };

struct World {
    folder: Folder,
    business: Business,
}

impl World {
    fn new(name: &str) -> Self {
        let folder = folder(name);
        let data = PackData { schema: iris("data/schema.sql"), seed: iris("data/seed.sql") };
        let business = Business::open(&folder.path().join("t.db"), &data).unwrap();
        Self { folder, business }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("t.db")
    }

    fn write(&self, order: &Order) -> ToolOutcome {
        self.business.write(order, &ISSUER, Attempt::First)
    }

    /// One number, asked from outside the connector.
    fn count(&self, from: &str) -> i64 {
        let connection = Connection::open(self.path()).unwrap();
        connection.query_row(&format!("select count(*) from {from}"), [], |row| row.get(0)).unwrap()
    }
}

fn sql(text: &str) -> Statement {
    Statement {
        action: Action::Sql(text.to_owned()),
        name: None,
        rows: None,
        otherwise: Reason::StateConflict,
        public: Some("a test".to_owned()),
    }
}

fn guarded(text: &str, rows: u64) -> Statement {
    Statement { rows: Some(rows), ..sql(text) }
}

fn named(name: &str, statement: Statement) -> Statement {
    Statement { name: Some(name.to_owned()), ..statement }
}

fn order(name: &str, key: &str, statements: Vec<Statement>) -> Order {
    Order {
        name: name.to_owned(),
        statements,
        shape: Shape { fields: BTreeMap::new(), is_list: false, rows_max: RESULT_ROWS_MAX },
        arguments: BTreeMap::new(),
        about: About {
            tenant: "t".to_owned(),
            customer: "c-1".to_owned(),
            key: Some(key.to_owned()),
            now: "2026-11-15T12:00:00Z".parse().unwrap(),
        },
        currency: Currency::BRL,
    }
}

impl Order {
    fn given(mut self, name: &str, value: Value) -> Self {
        self.arguments.insert(name.to_owned(), value);
        self
    }

    fn returns(mut self, fields: &[(&str, Type)]) -> Self {
        self.shape.fields = fields.iter().map(|(name, ty)| ((*name).to_owned(), ty.clone())).collect();
        self
    }

    fn list(mut self) -> Self {
        self.shape.is_list = true;
        self
    }
}

fn brl(minor: i64) -> Value {
    Value::Money(Money::new(minor, Currency::BRL))
}

/// The shape of the pack's own create tool.
fn create(key: &str, contact: &str) -> Order {
    let insert = "insert into boletos
        select 'BOL-' || (select coalesce(max(cast(substr(boleto_id, 5) as integer)), 1000) + 1 from boletos),
               contact_id, name, :amount_cents, :due_date, 'OPEN', '', '', :now
        from contacts where name = :contact_name
        returning boleto_id, amount_cents";
    let with = [("reference", ":row.boleto_id"), ("amount_cents", ":amount_cents"), ("due_date", ":due_date")];
    let issue = Statement {
        action: Action::Native {
            port: "boleto.issue".to_owned(),
            with: with.map(|(name, path)| (name.to_owned(), path.to_owned())).into(),
        },
        ..sql("")
    };
    let update = "update boletos set line = :slip.line, barcode = :slip.barcode where boleto_id = :row.boleto_id";
    let statements = vec![
        named("row", Statement { otherwise: Reason::NotFound, ..guarded(insert, 1) }),
        named("slip", issue),
        guarded(update, 1),
        guarded("select boleto_id, line, amount_cents, due_date from boletos where boleto_id = :row.boleto_id", 1),
    ];
    order("create_boleto", key, statements)
        .given("contact_name", Value::text(contact))
        .given("amount_cents", brl(15_000))
        .given("due_date", Value::Date(date(2026, 12, 4)))
        .returns(&[
            ("boleto_id", Type::Text),
            ("line", Type::Text),
            ("amount_cents", Type::Money(Currency::BRL)),
            ("due_date", Type::Date),
        ])
}

fn add(key: &str, name: &str) -> Order {
    let insert = "insert into contacts (name, phone, document) values (:name, '+5511990000009', '') returning name";
    order("add", key, vec![sql(insert)]).given("name", Value::text(name)).returns(&[("name", Type::Text)])
}

fn done(outcome: &ToolOutcome) -> &Value {
    match outcome {
        ToolOutcome::Done(value) => value,
        other @ (ToolOutcome::Refused(_) | ToolOutcome::Failed(_) | ToolOutcome::Unknown(_)) => {
            panic!("not done: {other:?}")
        }
    }
}

fn failure(outcome: &ToolOutcome) -> &str {
    match outcome {
        ToolOutcome::Failed(message) => message,
        other @ (ToolOutcome::Done(_) | ToolOutcome::Refused(_) | ToolOutcome::Unknown(_)) => {
            panic!("not failed: {other:?}")
        }
    }
}

#[test]
fn a_call_runs_and_its_result_is_typed() {
    let world = World::new("typed");
    let outcome = world.write(&create("k-1", "Ana Souza"));
    let result = done(&outcome);
    assert_eq!(result.field("boleto_id"), Some(&Value::text("BOL-1008")));
    assert_eq!(result.field("amount_cents"), Some(&brl(15_000)));
    assert_eq!(result.field("due_date"), Some(&Value::Date(date(2026, 12, 4))));
    let line = result.field("line").and_then(Value::as_text).unwrap();
    let slip = boleto::parse_line(line, date(2026, 11, 15)).unwrap();
    assert_eq!((slip.amount_minor, slip.due), (15_000, Some(date(2026, 12, 4))));
}

#[test]
fn a_resend_returns_the_saved_result_and_does_nothing() {
    let world = World::new("resend");
    let first = world.write(&create("k-1", "Ana Souza"));
    done(&first);
    let mut later = create("k-1", "Ana Souza");
    later.about.now = "2026-11-15T12:05:00Z".parse().unwrap();
    assert_eq!(world.write(&later), first);
    // A process that comes back after a crash opens the file anew.
    let reopened = Business::open(&world.path(), &PackData::default()).unwrap();
    assert_eq!(reopened.write(&later, &ISSUER, Attempt::Again), first);
    assert_eq!(world.count("boletos"), 8);
    assert_eq!(world.count("countersign_effects"), 1);
}

#[test]
fn a_key_belongs_to_one_call() {
    let world = World::new("reuse");
    done(&world.write(&create("k-1", "Ana Souza")));
    let others = [
        create("k-1", "Bruno Lima"),
        create("k-1", "Ana Souza").given("amount_cents", brl(15_001)),
        Order { name: "another_tool".to_owned(), ..create("k-1", "Ana Souza") },
        {
            let mut other = create("k-1", "Ana Souza");
            other.about.customer = "c-2".to_owned();
            other
        },
    ];
    for other in others {
        assert!(failure(&world.write(&other)).contains("another call"));
    }
    assert_eq!(world.count("boletos"), 8);
    done(&world.write(&create("k-2", "Bruno Lima")));
    assert_eq!(world.count("boletos"), 9);
}

#[test]
fn what_was_made_is_never_told_as_a_failure() {
    let world = World::new("unknown");
    done(&world.write(&add("k-1", "Extra")));
    // The promised fields changed between the call and the resend.
    let changed = add("k-1", "Extra").returns(&[("name", Type::Text), ("phone", Type::Text)]);
    assert!(matches!(world.business.write(&changed, &ISSUER, Attempt::Again), ToolOutcome::Unknown(_)));
    // The mark cannot even be looked at: a first attempt failed, a second one knows nothing.
    let locked = Connection::open(world.path()).unwrap();
    locked.execute_batch("drop table countersign_effects").unwrap();
    let check = |attempt, is_unknown: bool| {
        let outcome = world.business.write(&add("k-2", "Other"), &ISSUER, attempt);
        assert_eq!(matches!(outcome, ToolOutcome::Unknown(_)), is_unknown, "{outcome:?}");
        assert_eq!(matches!(outcome, ToolOutcome::Failed(_)), !is_unknown);
    };
    check(Attempt::First, false);
    check(Attempt::Again, true);
    assert_eq!(world.count("contacts"), 6);
}

#[test]
fn a_resend_of_what_was_never_made_makes_it_once() {
    let world = World::new("lost");
    let first = world.business.write(&create("k-1", "Ana Souza"), &ISSUER, Attempt::Again);
    done(&first);
    assert_eq!(world.business.write(&create("k-1", "Ana Souza"), &ISSUER, Attempt::Again), first);
    assert_eq!(world.count("boletos"), 8);
    let refused = world.business.write(&create("k-2", "Unknown"), &ISSUER, Attempt::Again);
    assert_eq!(refused, ToolOutcome::Refused(Reason::NotFound), "no mark, so nothing was ever done");
}

#[test]
fn a_call_without_a_key_is_never_made() {
    let world = World::new("keyless");
    let mut keyless = add("", "Nobody");
    keyless.about.key = None;
    assert!(failure(&world.write(&keyless)).contains("no key"));
    assert_eq!(world.count("contacts"), 5);
}

#[test]
fn a_missed_rows_guard_undoes_everything() {
    let world = World::new("guard");
    let cancel = |id: &str| {
        let statements = vec![
            sql("insert into contacts (name, phone, document) values ('Extra', '', '')"),
            guarded("update boletos set status = 'CANCELLED' where boleto_id = :id and status = 'OPEN'", 1),
        ];
        order("cancel", "k-1", statements).given("id", Value::text(id))
    };
    assert_eq!(world.write(&cancel("BOL-1002")), ToolOutcome::Refused(Reason::StateConflict), "it is paid");
    assert_eq!(world.count("contacts where name = 'Extra'"), 0, "the first statement was undone");
    assert_eq!(world.count("countersign_effects"), 0, "the key is free again");
    done(&world.write(&cancel("BOL-1001")));
    assert_eq!(world.count("boletos where status = 'CANCELLED'"), 2);
    assert_eq!(world.write(&create("k-2", "Unknown")), ToolOutcome::Refused(Reason::NotFound));
}

#[test]
fn a_guard_counts_returned_or_changed_rows_exactly() {
    let world = World::new("count");
    let check = |number: u64, text: &str, rows: u64, is_done: bool| {
        let outcome = world.write(&order("t", &format!("k-{number}-{rows}"), vec![guarded(text, rows)]));
        assert_eq!(matches!(outcome, ToolOutcome::Done(_)), is_done, "{text} {rows}: {outcome:?}");
        assert_eq!(matches!(outcome, ToolOutcome::Refused(_)), !is_done);
    };
    let changed = "update boletos set created_at = created_at where status = 'OPEN'";
    let returned = "update boletos set created_at = created_at where status = 'OPEN' returning boleto_id";
    for (number, text) in [(1, changed), (2, returned), (3, "select 1 from boletos where status = 'OPEN'")] {
        check(number, text, 1, false);
        check(number, text, 2, true);
        check(number, text, 3, false);
    }
    check(4, "update boletos set created_at = '' where 0", 0, true);
    let many = "with recursive n (x) as (select 1 union all select x + 1 from n limit 60) select x from n";
    check(5, many, 60, true);
}

#[test]
fn a_failure_anywhere_undoes_everything() {
    let world = World::new("failure");
    let first = || sql("insert into contacts (name, phone, document) values ('Extra', '', '')");
    let check = |last: Statement, part: &str| {
        let outcome = world.write(&order("t", "k-1", vec![first(), last]).returns(&[("id", Type::Int)]));
        assert!(failure(&outcome).contains(part), "{outcome:?}");
        assert_eq!(world.count("contacts"), 5);
        assert_eq!(world.count("countersign_effects"), 0);
    };
    check(sql("select :nobody as id"), "`:nobody` has no value");
    check(sql("select :row.id as id"), "`:row.id` has no value");
    check(sql("select nonsense as id"), "no such column");
    check(sql("select 'text' as id"), "does not hold int");
    check(sql("select 1 as other"), "`id` is missing");
    check(sql("select 1 as id where 0"), "no row");
    check(sql("select 1 as id union select 2"), "more than one row");
    check(sql("update boletos set amount_cents = 0"), "CHECK constraint");
    check(sql("update boletos set contact_id = 99"), "FOREIGN KEY");
    check(sql("commit"), "a statement begins with");
    check(sql("delete from countersign_effects"), "belongs to the connector");
    check(sql("select 1 as id; select 2 as id"), "more than one statement");
}

#[test]
fn text_in_an_argument_stays_data() {
    let world = World::new("injection");
    let evil = [
        "'); drop table boletos; --",
        "Ana Souza' or '1'='1",
        ":customer",
        "x'; update boletos set status = 'PAID'; --",
        "\u{0}nul and \"quotes\" and `ticks`",
    ];
    for (number, text) in evil.iter().enumerate() {
        let outcome = world.write(&add(&format!("k-{number}"), text));
        assert_eq!(done(&outcome).field("name"), Some(&Value::text(*text)));
        assert_eq!(
            world.write(&create(&format!("c-{number}"), &format!("{text}x"))),
            ToolOutcome::Refused(Reason::NotFound)
        );
    }
    assert_eq!(world.count("boletos"), 7);
    assert_eq!(world.count("boletos where status = 'PAID'"), 1);
    assert_eq!(world.count("contacts"), 10);
}

#[test]
fn the_same_key_from_many_threads_and_two_processes_happens_once() {
    let world = World::new("race");
    let other = Business::open(&world.path(), &PackData::default()).unwrap();
    let businesses = [&world.business, &other];
    let outcomes: Vec<ToolOutcome> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|number| {
                let business = businesses[number % 2];
                scope.spawn(move || business.write(&create("k-1", "Ana Souza"), &ISSUER, Attempt::First))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(outcomes.iter().all(|outcome| outcome == &outcomes[0]), "{outcomes:?}");
    done(&outcomes[0]);
    assert_eq!(world.count("boletos"), 8);
}

#[test]
fn different_keys_from_many_threads_each_happen() {
    let world = World::new("many");
    std::thread::scope(|scope| {
        for number in 0..8 {
            let business = &world.business;
            scope.spawn(move || {
                done(&business.write(&create(&format!("k-{number}"), "Ana Souza"), &ISSUER, Attempt::First)).clone()
            });
        }
    });
    assert_eq!(world.count("boletos"), 15);
}

#[test]
fn a_wrong_issuer_is_reported_as_it_is() {
    let world = World::new("issuer");
    let today = date(2026, 11, 15);
    let issue = |key: &str, fault| {
        let outcome =
            world.business.write(&create(key, "Ana Souza"), &FaultyIssuer { inner: ISSUER, fault }, Attempt::First);
        done(&outcome).field("line").and_then(Value::as_text).map(|line| boleto::parse_line(line, today)).unwrap()
    };
    assert_eq!(issue("k-1", IssuerFault::OtherAmount).unwrap().amount_minor, 15_001);
    assert_eq!(issue("k-2", IssuerFault::OtherDate).unwrap().due, Some(date(2026, 12, 5)));
    assert!(issue("k-3", IssuerFault::WrongDigits).is_err());
    let failing = FaultyIssuer { inner: ISSUER, fault: IssuerFault::Fails };
    assert!(
        failure(&world.business.write(&create("k-4", "Ana Souza"), &failing, Attempt::First))
            .contains("does not answer")
    );
    assert_eq!(world.count("boletos"), 10, "the failed one left nothing");
}

struct Panics;

impl Issuer for Panics {
    fn issue(&self, _: &IssueRequest) -> Result<Issued, String> {
        panic!("a bug in a port")
    }
}

#[test]
fn a_thread_that_dies_leaves_nothing_and_blocks_nobody() {
    let world = Arc::new(World::new("panic"));
    let doomed = Arc::clone(&world);
    let died =
        std::thread::spawn(move || doomed.business.write(&create("k-1", "Ana Souza"), &Panics, Attempt::First)).join();
    assert!(died.is_err());
    assert_eq!(world.count("boletos"), 7);
    done(&world.write(&create("k-1", "Ana Souza")));
    assert_eq!(world.count("boletos"), 8);
}

fn read(world: &World, text: &str, rows_max: usize, fields: &[(&str, Type)]) -> ReadOutcome {
    let mut order = order("read", "", vec![sql(text)]).returns(fields).list();
    order.about.key = None;
    order.shape.rows_max = rows_max;
    world.business.look(&order, Business::rows)
}

#[test]
fn a_read_reads_and_is_cut() {
    let world = World::new("read");
    let text = "select boleto_id, amount_cents from boletos order by boleto_id";
    let fields = [("boleto_id", Type::Text), ("amount_cents", Type::Money(Currency::BRL))];
    let length = |rows_max| match read(&world, text, rows_max, &fields) {
        ReadOutcome::Rows(rows) => rows.len(),
        ReadOutcome::Failed(message) => panic!("{message}"),
    };
    assert_eq!((length(1), length(6), length(7), length(50)), (1, 6, 7, 7));
    assert_eq!(read(&world, "select 1 as id where 0", 1, &[("id", Type::Int)]), ReadOutcome::Rows(Vec::new()));
}

#[test]
fn a_read_cannot_change_anything() {
    let world = World::new("readonly");
    let fields = [("name", Type::Text)];
    let check = |text: &str| {
        assert!(matches!(read(&world, text, 1, &fields), ReadOutcome::Failed(_)), "{text}");
        let looked =
            world.business.look(&order("look", "k-1", vec![sql(text)]).returns(&fields).list(), Business::result);
        assert!(matches!(looked, ToolOutcome::Failed(_)), "{text}");
    };
    check("delete from boletos returning boleto_id as name");
    check("update contacts set name = 'x' returning name");
    check("with x as (select 1) insert into contacts (name, phone, document) values ('x', '', '') returning name");
    check("pragma query_only = 0");
    // Even past our own check the connection refuses.
    let session = world.business.reader.lock().unwrap();
    assert!(session.connection.execute("delete from boletos", []).is_err());
    assert_eq!((world.count("boletos"), world.count("contacts")), (7, 5));
}

#[test]
fn a_look_is_a_record_a_list_or_a_refusal() {
    let world = World::new("look");
    let text = "select status from boletos where boleto_id = :id";
    let look = |id: &str| {
        let statement = Statement { otherwise: Reason::NotFound, ..guarded(text, 1) };
        let order = order("status", "k-1", vec![statement]).given("id", Value::text(id));
        world.business.look(&order.returns(&[("status", Type::Text)]), Business::result)
    };
    assert_eq!(done(&look("BOL-1001")).field("status"), Some(&Value::text("OPEN")));
    assert_eq!(look("BOL-9999"), ToolOutcome::Refused(Reason::NotFound));
    let list = order("list", "k-1", vec![sql("select boleto_id from boletos")]).returns(&[("boleto_id", Type::Text)]);
    let Value::List(rows) = done(&world.business.look(&list.list(), Business::result)).clone() else {
        panic!("not a list")
    };
    assert_eq!(rows.len(), 7);
    assert_eq!(world.count("countersign_effects"), 0, "looking leaves no mark");
}

#[test]
fn a_name_finds_people_as_the_gates_would() {
    let world = World::new("name");
    let find = |said: &str| {
        let text = "select name from contacts where resembles(name, :said) order by name";
        let mut order = order("find", "", vec![sql(text)]).given("said", Value::text(said)).list();
        order.about.key = None;
        match world.business.look(&order.returns(&[("name", Type::Text)]), Business::rows) {
            ReadOutcome::Rows(rows) => {
                rows.into_iter().filter_map(|row| row["name"].as_text().map(str::to_owned)).collect::<Vec<_>>()
            }
            ReadOutcome::Failed(message) => panic!("{message}"),
        }
    };
    assert_eq!(find("ana"), ["Ana Souza"]);
    assert_eq!(find("joao"), ["João Pereira", "João Silva"]);
    assert!(find("Zuleica").is_empty());
}

#[test]
fn work_without_end_is_stopped_and_the_next_call_runs() {
    let world = World::new("budget");
    let endless = "with recursive n (x) as (select 1 union all select x + 1 from n) select max(x) as id from n";
    assert!(matches!(read(&world, endless, 1, &[("id", Type::Int)]), ReadOutcome::Failed(_)));
    assert!(matches!(read(&world, "select 1 as id", 1, &[("id", Type::Int)]), ReadOutcome::Rows(_)));
    failure(&world.write(&order("t", "k-1", vec![sql(endless)]).returns(&[("id", Type::Int)])));
    done(&world.write(&add("k-1", "Extra")));
}

#[test]
fn a_database_that_exists_keeps_its_own_tables() {
    let folder = folder("existing");
    let path = folder.path().join("t.db");
    Connection::open(&path).unwrap().execute_batch("create table own (x); insert into own values (1)").unwrap();
    let data = PackData { schema: iris("data/schema.sql"), seed: iris("data/seed.sql") };
    Business::open(&path, &data).unwrap();
    let tables = |name: &str| {
        let find = "select count(*) from sqlite_schema where name = ?1";
        Connection::open(&path).unwrap().query_row(find, [name], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!((tables("own"), tables("boletos"), tables("countersign_effects")), (1, 0, 1));
}

#[test]
fn the_file_is_durable_and_strict() {
    let world = World::new("pragmas");
    let session = world.business.writer.lock().unwrap();
    let pragma = |name: &str| {
        session.connection.pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0)).unwrap()
    };
    assert_eq!(pragma("journal_mode"), "wal".to_owned().into());
    assert_eq!(pragma("synchronous"), 2.into());
    assert_eq!(pragma("foreign_keys"), 1.into());
}

#[test]
fn every_seeded_slip_says_what_its_row_says() {
    let world = World::new("seed");
    let connection = Connection::open(world.path()).unwrap();
    let mut find = connection.prepare("select boleto_id, amount_cents, due_date, line, barcode from boletos").unwrap();
    let mut rows = find.query([]).unwrap();
    let today = date(2026, 11, 15);
    let mut seen = 0;
    while let Some(row) = rows.next().unwrap() {
        let id: String = row.get(0).unwrap();
        let due: String = row.get(2).unwrap();
        let (amount, due): (i64, jiff::civil::Date) = (row.get(1).unwrap(), due.parse().unwrap());
        let slip = boleto::parse_line(&row.get::<_, String>(3).unwrap(), today).unwrap();
        assert_eq!((slip.amount_minor, slip.due), (amount, Some(due)), "{id}");
        assert_eq!(boleto::parse_barcode(&row.get::<_, String>(4).unwrap(), today).unwrap(), slip, "{id}");
        let request = IssueRequest { reference: id, amount: Money::new(amount, Currency::BRL), due };
        assert_eq!(ISSUER.issue(&request).unwrap().line, row.get::<_, String>(3).unwrap());
        seen += 1;
    }
    assert_eq!(seen, 7);
    assert_eq!(world.count("(select distinct status from boletos)"), 6, "one of each state");
}

#[test]
fn every_seeded_document_is_a_cpf() {
    let world = World::new("cpf");
    let connection = Connection::open(world.path()).unwrap();
    let mut find = connection.prepare("select document from contacts").unwrap();
    let documents: Vec<String> = find.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(documents.len(), 5);
    for document in documents {
        let digits: Vec<u32> = document.chars().map(|c| c.to_digit(10).unwrap()).collect();
        assert_eq!(digits.len(), 11);
        for length in [9, 10] {
            let sum: u32 = digits[..length].iter().zip((2..=length as u32 + 1).rev()).map(|(d, w)| d * w).sum();
            let check = if sum % 11 < 2 { 0 } else { 11 - sum % 11 };
            assert_eq!(digits[length], check, "{document}");
        }
    }
}
