//! Runs a list of statements inside a transaction that somebody else began and will end.
//!
//! Invariant: the first statement that misses its `rows` ends the list with its reason, and the caller undoes all.
//! Deliberately absent: beginning, committing and the effects table; `super` does that around this.

use std::collections::BTreeMap;

use countersign_kernel::connector::{Action, Connector, Statement};
use countersign_kernel::event::ToolOutcome;
use countersign_kernel::policy::{Read, Tool};
use countersign_kernel::reason::Reason;
use countersign_nlu::{Currency, Money, Value};
use rusqlite::types::Value as Sql;
use rusqlite::{CachedStatement, Connection};

use super::bind::{About, Binds, Row};
use super::names::{self, Named};
use super::rows::{RESULT_ROWS_MAX, Shape};
use crate::issuer::{IssueRequest, Issuer};

/// The one native operation: its name and its inputs.
pub(crate) const ISSUE: (&str, &[&str]) = ("boleto.issue", &["reference", "amount_cents", "due_date"]);
/// What it answers.
pub(crate) const ISSUED: &[&str] = &["line", "barcode"];

/// One call or read, ready to run: plain data, taken from a proof by `tools` and never built elsewhere.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    /// The tool or read.
    pub(crate) name: String,
    /// What to run.
    pub(crate) statements: Vec<Statement>,
    /// What it promised.
    pub(crate) shape: Shape,
    /// Its arguments; a declared one that was not given is `Null`.
    pub(crate) arguments: BTreeMap<String, Value>,
    /// Who calls, and when.
    pub(crate) about: About,
    /// The money of the database.
    pub(crate) currency: Currency,
}

impl Order {
    /// A tool's call.
    pub(crate) fn of_tool(
        tool: &Tool,
        given: &BTreeMap<String, Value>,
        about: About,
        currency: Currency,
    ) -> Result<Self, String> {
        let mut arguments = given.clone();
        for argument in tool.arguments.values() {
            if !arguments.contains_key(&argument.name) {
                if argument.is_required {
                    return Err(format!("the argument `{}` is missing", argument.name));
                }
                arguments.insert(argument.name.clone(), Value::Null);
            }
        }
        let shape =
            Shape { fields: tool.result.fields.clone(), is_list: tool.result.is_list, rows_max: RESULT_ROWS_MAX };
        Ok(Self { name: tool.name.clone(), statements: sql(&tool.connector)?, shape, arguments, about, currency })
    }

    /// A read that belongs to a call.
    pub(crate) fn of_read(
        read: &Read,
        given: &BTreeMap<String, Value>,
        about: About,
        currency: Currency,
    ) -> Result<Self, String> {
        if let Some(missing) = read.params.keys().find(|name| !given.contains_key(*name)) {
            return Err(format!("the parameter `{missing}` is missing"));
        }
        let rows_max = usize::try_from(read.rows_max).unwrap_or(usize::MAX);
        let shape = Shape { fields: read.fields.clone(), is_list: true, rows_max };
        let statements = sql(&read.connector)?;
        Ok(Self { name: read.name.clone(), statements, shape, arguments: given.clone(), about, currency })
    }
}

fn sql(connector: &Connector) -> Result<Vec<Statement>, String> {
    match connector {
        Connector::Sql(statements) => Ok(statements.clone()),
        Connector::Outbox { .. } => Err("a message cannot run on the database".to_owned()),
    }
}

/// Why a list ended early. Either way nothing was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A statement missed its `rows`.
    Refused(Reason),
    /// Something is wrong.
    Failed(String),
}

impl From<Stop> for ToolOutcome {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Refused(reason) => ToolOutcome::Refused(reason),
            Stop::Failed(message) => ToolOutcome::Failed(message),
        }
    }
}

/// What the list may do.
#[derive(Clone, Copy)]
pub(crate) enum Access<'i> {
    /// Only look.
    Read,
    /// Change rows and ask native ports.
    Write(&'i dyn Issuer),
}

/// What one statement did.
struct Done {
    /// Rows returned, or none if the statement returns no columns.
    rows: Option<Vec<Row>>,
    /// Rows returned or changed.
    count: u64,
}

/// Runs the statements in order; the rows of the last one that returns any are the result.
pub(crate) fn run(connection: &Connection, order: &Order, access: Access<'_>) -> Result<Option<Vec<Row>>, Stop> {
    let mut binds = Binds::new(&order.about, &order.arguments, order.currency).map_err(Stop::Failed)?;
    let mut last = None;
    for (index, statement) in order.statements.iter().enumerate() {
        let at = |message: String| Stop::Failed(format!("{}[{index}]: {message}", order.name));
        let done = match &statement.action {
            Action::Sql(text) => one(connection, text, &binds, access, order.shape.rows_max).map_err(at)?,
            Action::Native { port, with } => native(port, with, &binds, access, order.currency).map_err(at)?,
        };
        if statement.rows.is_some_and(|rows| rows != done.count) {
            return Err(Stop::Refused(statement.otherwise));
        }
        let Some(rows) = done.rows else { continue };
        if let Some(name) = &statement.name {
            binds.add_row(name, rows.first().cloned().unwrap_or_default());
        }
        last = Some(rows);
    }
    Ok(last)
}

fn one(
    connection: &Connection,
    text: &str,
    binds: &Binds,
    access: Access<'_>,
    rows_max: usize,
) -> Result<Done, String> {
    let named = names::name(text)?;
    let mut statement = connection.prepare_cached(&named.sql).map_err(|error| explain(&error))?;
    if matches!(access, Access::Read) && !statement.readonly() {
        return Err("a read may not change anything".to_owned());
    }
    bind(&mut statement, &named, binds)?;
    if statement.column_count() == 0 {
        let count = statement.raw_execute().map_err(|error| explain(&error))?;
        return Ok(Done { rows: None, count: u64::try_from(count).unwrap_or(u64::MAX) });
    }
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = Vec::new();
    let mut count = 0;
    let mut found = statement.raw_query();
    while let Some(row) = found.next().map_err(|error| explain(&error))? {
        count += 1;
        // A write runs to its end to be counted; rows beyond one too many are not kept.
        if rows.len() > rows_max {
            continue;
        }
        let mut values = Row::new();
        for (index, column) in columns.iter().enumerate() {
            let value: Sql = row.get(index).map_err(|error| explain(&error))?;
            values.entry(column.clone()).or_insert(value);
        }
        rows.push(values);
        // One too many is enough to see that a record has more than one row.
        if rows.len() > rows_max && matches!(access, Access::Read) {
            break;
        }
    }
    Ok(Done { rows: Some(rows), count })
}

/// What SQLite said, without the statement, which the place names already.
pub(crate) fn explain(error: &rusqlite::Error) -> String {
    if let rusqlite::Error::SqlInputError { msg, .. } = error { msg.clone() } else { error.to_string() }
}

fn bind(statement: &mut CachedStatement<'_>, named: &Named, binds: &Binds) -> Result<(), String> {
    for (legal, path) in &named.binds {
        let value = binds.get(path).ok_or_else(|| format!("`:{path}` has no value"))?;
        statement.raw_bind_parameter(legal.as_str(), value).map_err(|error| explain(&error))?;
    }
    Ok(())
}

fn native(
    port: &str,
    with: &BTreeMap<String, String>,
    binds: &Binds,
    access: Access<'_>,
    currency: Currency,
) -> Result<Done, String> {
    let Access::Write(issuer) = access else { return Err(format!("a read may not use `{port}`")) };
    if port != ISSUE.0 {
        return Err(format!("unknown native operation `{port}`; there is `{}`", ISSUE.0));
    }
    let input = |name: &str| {
        let path = with.get(name).ok_or_else(|| format!("`{port}` needs `{name}`"))?;
        let value = binds.get(path.trim_start_matches(':'));
        value.ok_or_else(|| format!("`{path}` has no value"))
    };
    let Sql::Text(reference) = input("reference")? else { return Err("`reference` is not a text".to_owned()) };
    let Sql::Integer(minor) = input("amount_cents")? else {
        return Err("`amount_cents` is not a whole number of minor units".to_owned());
    };
    let Sql::Text(due) = input("due_date")? else { return Err("`due_date` is not a date".to_owned()) };
    let due = due.parse().map_err(|_| "`due_date` is not a date".to_owned())?;
    let request = IssueRequest { reference: reference.clone(), amount: Money::new(*minor, currency), due };
    let issued = issuer.issue(&request)?;
    let row = ISSUED.iter().map(|name| (*name).to_owned()).zip([issued.line, issued.barcode].map(Sql::Text)).collect();
    Ok(Done { rows: Some(vec![row]), count: 1 })
}
