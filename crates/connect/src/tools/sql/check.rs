//! Prepares every statement of a pack on the pack's own schema, before anybody depends on it.
//!
//! Invariant: what passes here can be prepared and bound at run time, and a read only reads.
//! Deliberately absent: types of columns. SQLite does not know them for expressions; a wrong one fails the result.

use std::collections::{BTreeMap, BTreeSet};

use countersign_kernel::connector::{Action, Connector, Statement};
use countersign_kernel::policy::{EffectClass, Policy};
use rusqlite::Connection;

use super::bind::RESERVED;
use super::run::{ISSUE, ISSUED, explain};
use super::{effects_schema, functions, names};

/// A mistake in a pack's SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlProblem {
    /// Where: `tools.create_boleto.sql[0]`, `reads.find_boleto.sql[0]`, `data/schema.sql`.
    pub place: String,
    /// What.
    pub message: String,
}

/// Prepares every statement of every tool and read; returns every mistake.
#[must_use]
pub fn prepare_check(policy: &Policy, schema_sql: &str) -> Vec<SqlProblem> {
    let connection = match trial(schema_sql) {
        Ok(connection) => connection,
        Err(error) => {
            return vec![SqlProblem { place: "data/schema.sql".to_owned(), message: explain(&error) }];
        }
    };
    let mut problems = Vec::new();
    for read in policy.reads.values() {
        let subject = Subject {
            place: format!("reads.{}", read.name),
            inputs: read.params.keys().cloned().collect(),
            fields: read.fields.keys().cloned().collect(),
            is_read: true,
            has_key: false,
        };
        subject.check(&connection, &read.connector, &mut problems);
    }
    for tool in policy.tools.values() {
        let subject = Subject {
            place: format!("tools.{}", tool.name),
            inputs: tool.arguments.keys().cloned().collect(),
            fields: tool.result.fields.keys().cloned().collect(),
            is_read: tool.effect == EffectClass::Read,
            has_key: true,
        };
        subject.check(&connection, &tool.connector, &mut problems);
    }
    problems
}

/// An empty database with the pack's tables.
fn trial(schema_sql: &str) -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    functions::register(&connection)?;
    connection.execute_batch(schema_sql)?;
    connection.execute_batch(&effects_schema())?;
    Ok(connection)
}

/// The tool or read that is checked.
struct Subject {
    place: String,
    inputs: BTreeSet<String>,
    fields: BTreeSet<String>,
    is_read: bool,
    has_key: bool,
}

impl Subject {
    fn check(&self, connection: &Connection, connector: &Connector, problems: &mut Vec<SqlProblem>) {
        let Connector::Sql(statements) = connector else { return };
        let mut report = |place: String, message: String| problems.push(SqlProblem { place, message });
        for name in self.inputs.iter().filter(|name| RESERVED.contains(&name.as_str())) {
            report(self.place.clone(), format!("`{name}` is bound by the runtime; rename the argument"));
        }
        if self.is_read && !self.has_key && statements.len() != 1 {
            report(self.place.clone(), "a read is one statement".to_owned());
        }
        let mut rows = BTreeMap::new();
        let mut last: Option<(String, Vec<String>)> = None;
        for (index, statement) in statements.iter().enumerate() {
            let place = format!("{}.sql[{index}]", self.place);
            let known = Known { subject: self, rows: &rows };
            let columns = match &statement.action {
                Action::Sql(text) => known.sql(connection, text, statement, &mut |m| report(place.clone(), m)),
                Action::Native { port, with } => known.native(port, with, &mut |m| report(place.clone(), m)),
            };
            // After a mistake the columns are unknown, and a second message about them would only repeat it.
            let Some(columns) = columns else { return };
            if let Some(name) = &statement.name {
                rows.insert(name.clone(), columns.iter().cloned().collect());
            }
            if !columns.is_empty() {
                last = Some((place, columns));
            }
        }
        self.covers(last, &mut report);
    }

    /// Every declared field is a column of the last statement that returns rows, once.
    fn covers(&self, last: Option<(String, Vec<String>)>, report: &mut dyn FnMut(String, String)) {
        let (place, columns) = last.unwrap_or_else(|| (self.place.clone(), Vec::new()));
        for field in &self.fields {
            match columns.iter().filter(|column| *column == field).count() {
                0 => report(place.clone(), format!("the declared field `{field}` is not among the columns")),
                1 => {}
                _ => report(place.clone(), format!("the column `{field}` is returned more than once")),
            }
        }
    }
}

/// The names a statement may bind.
struct Known<'a> {
    subject: &'a Subject,
    rows: &'a BTreeMap<String, BTreeSet<String>>,
}

impl Known<'_> {
    /// The columns a statement returns; none if it cannot be prepared.
    fn sql(
        &self,
        connection: &Connection,
        text: &str,
        statement: &Statement,
        report: &mut dyn FnMut(String),
    ) -> Option<Vec<String>> {
        let named = match names::name(text) {
            Ok(named) => named,
            Err(message) => {
                report(message);
                return None;
            }
        };
        for path in named.binds.values() {
            self.bind(path, report);
        }
        if statement.public.is_none() && !named.binds.contains_key(":customer") {
            report("the statement neither uses `:customer` nor says `public: <why>`".to_owned());
        }
        let prepared = match connection.prepare(&named.sql) {
            Ok(prepared) => prepared,
            Err(error) => {
                report(explain(&error));
                return None;
            }
        };
        if self.subject.is_read && !prepared.readonly() {
            report("a read may not change anything".to_owned());
        }
        Some(prepared.column_names().map(str::to_owned).collect())
    }

    fn native(
        &self,
        port: &str,
        with: &BTreeMap<String, String>,
        report: &mut dyn FnMut(String),
    ) -> Option<Vec<String>> {
        if self.subject.is_read {
            report(format!("a read may not use `{port}`"));
        }
        let (issue, inputs) = ISSUE;
        if port != issue {
            report(format!("unknown native operation `{port}`; there is `{issue}`"));
            return None;
        }
        for input in inputs.iter().filter(|input| !with.contains_key(**input)) {
            report(format!("`{port}` needs `{input}`"));
        }
        for input in with.keys().filter(|input| !inputs.contains(&input.as_str())) {
            report(format!("`{port}` has no input `{input}`"));
        }
        for path in with.values() {
            match path.strip_prefix(':') {
                Some(path) => self.bind(path, report),
                None => report(format!("`{path}` is not a parameter; write `:{path}`")),
            }
        }
        Some(ISSUED.iter().map(|column| (*column).to_owned()).collect())
    }

    fn bind(&self, path: &str, report: &mut dyn FnMut(String)) {
        let is_known = match path.split_once('.') {
            Some((row, column)) => self.rows.get(row).is_some_and(|columns| columns.contains(column)),
            None if path == "key" => self.subject.has_key,
            None => RESERVED.contains(&path) || self.subject.inputs.contains(path),
        };
        if !is_known {
            report(format!("unknown parameter `:{path}`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use countersign_kernel::reason::Reason;

    use super::*;

    const SCHEMA: &str = "create table items (id integer primary key, name text not null, owner text not null) strict";

    fn statement(action: Action) -> Statement {
        Statement { action, name: None, rows: None, otherwise: Reason::NotFound, public: Some("a test".to_owned()) }
    }

    fn sql(text: &str) -> Statement {
        statement(Action::Sql(text.to_owned()))
    }

    fn native(port: &str, with: &[(&str, &str)]) -> Statement {
        let with = with.iter().map(|(name, path)| ((*name).to_owned(), (*path).to_owned())).collect();
        statement(Action::Native { port: port.to_owned(), with })
    }

    fn named(name: &str, statement: Statement) -> Statement {
        Statement { name: Some(name.to_owned()), ..statement }
    }

    /// A tool `t` with the argument `said` that promises `id` and `name`.
    fn problems(is_read: bool, statements: Vec<Statement>) -> Vec<String> {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let subject = Subject {
            place: "tools.t".to_owned(),
            inputs: set(&["said"]),
            fields: set(&["id", "name"]),
            is_read,
            has_key: true,
        };
        let mut found = Vec::new();
        subject.check(&trial(SCHEMA).unwrap(), &Connector::Sql(statements), &mut found);
        found.into_iter().map(|problem| format!("{}: {}", problem.place, problem.message)).collect()
    }

    fn check(is_read: bool, statements: Vec<Statement>, expected: &[&str]) {
        let found = problems(is_read, statements);
        assert_eq!(found.len(), expected.len(), "{found:?} instead of {expected:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "`{found}` does not say `{expected}`");
        }
    }

    const GOOD: &str = "select id, name from items where resembles(name, :said) and owner = :customer";

    #[test]
    fn what_can_run_passes() {
        check(true, vec![sql(GOOD)], &[]);
        check(true, vec![Statement { public: None, ..sql(GOOD) }], &[]);
        check(true, vec![sql("select *, fold(name) from items where :tenant <> :key and :now <> ''")], &[]);
        let insert = "insert into items (name, owner) values (:said, :customer) returning id";
        check(false, vec![named("row", sql(insert)), sql("select id, name from items where id = :row.id")], &[]);
    }

    #[test]
    fn mistakes_are_found_where_they_are() {
        let column = "select id, nam from items";
        check(true, vec![sql(column)], &["tools.t.sql[0]: no such column: nam"]);
        check(true, vec![sql("select id from items")], &["tools.t.sql[0]: the declared field `name` is not among"]);
        check(true, vec![sql("select id, id, name from items")], &["the column `id` is returned more than once"]);
        check(true, vec![sql("select id, name from items where id = :who")], &["unknown parameter `:who`"]);
        check(true, vec![sql("select id, name from items; select 1")], &["more than one statement"]);
        check(true, vec![sql("select id, name from ?")], &["a parameter is written `:name`"]);
        check(true, vec![sql("delete from items returning id, name")], &["a read may not change anything"]);
        check(false, vec![sql("delete from items returning id, name")], &[]);
        check(false, vec![sql("drop table items")], &["a statement begins with"]);
        check(false, vec![sql("delete from items")], &["`id` is not among", "`name` is not among"]);
        check(
            true,
            vec![Statement { public: None, ..sql("select id, name from items") }],
            &["neither uses `:customer`"],
        );
    }

    #[test]
    fn a_later_statement_may_only_use_earlier_rows() {
        let insert = "insert into items (name, owner) values (:said, :customer) returning id";
        let select = |path: &str| sql(&format!("select id, name from items where id = :{path}"));
        check(
            false,
            vec![named("row", sql(insert)), select("row.name")],
            &["tools.t.sql[1]: unknown parameter `:row.name`"],
        );
        check(false, vec![sql(insert), select("row.id")], &["unknown parameter `:row.id`"]);
        check(
            false,
            vec![select("row.id"), named("row", sql(insert))],
            &["tools.t.sql[0]: unknown", "`name` is not among"],
        );
    }

    #[test]
    fn native_operations_are_a_closed_list() {
        let with = [("reference", ":said"), ("amount_cents", ":said"), ("due_date", ":said")];
        let last = || sql("select id, name from items where name = :slip.line");
        check(false, vec![named("slip", native("boleto.issue", &with)), last()], &[]);
        check(true, vec![named("slip", native("boleto.issue", &with)), last()], &["a read may not use"]);
        check(false, vec![native("boleto.cancel", &with)], &["unknown native operation `boleto.cancel`"]);
        let wrong = [("reference", "said"), ("amount_cents", ":who"), ("colour", ":said")];
        check(
            false,
            vec![named("slip", native("boleto.issue", &wrong)), last()],
            &["needs `due_date`", "no input `colour`", "unknown parameter `:who`", "write `:said`"],
        );
    }

    #[test]
    fn names_of_the_runtime_are_reserved() {
        let subject = Subject {
            place: "reads.r".to_owned(),
            inputs: [("customer".to_owned())].into(),
            fields: BTreeSet::new(),
            is_read: true,
            has_key: false,
        };
        let mut found = Vec::new();
        let connector = Connector::Sql(vec![sql("select :key")]);
        subject.check(&trial(SCHEMA).unwrap(), &connector, &mut found);
        let messages: Vec<_> = found.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(messages, ["`customer` is bound by the runtime; rename the argument", "unknown parameter `:key`"]);
    }

    #[test]
    fn a_broken_schema_is_reported() {
        assert!(trial("create table items (id integer").is_err());
    }
}
