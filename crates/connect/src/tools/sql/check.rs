//! Prepares every statement of a pack on the pack's own schema, before anybody depends on it.
//!
//! Invariant: what passes here can be prepared and bound at run time, and a read only reads.
//! Deliberately absent: types of columns. SQLite does not know them for expressions; a wrong one fails the result.

use std::collections::{BTreeMap, BTreeSet};

use countersign_kernel::connector::{Action, Connector, Statement};
use countersign_kernel::policy::{EffectClass, Policy};
use rusqlite::Connection;

use super::bind::RESERVED;
use super::run::{ISSUE, ISSUED};
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
            return vec![SqlProblem { place: "data/schema.sql".to_owned(), message: error.to_string() }];
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
                report(error.to_string());
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
