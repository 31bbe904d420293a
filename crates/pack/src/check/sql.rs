//! SQL that can be judged without a database: parameters, scope, guards.
//!
//! Whether a statement fits the schema, and whether a read only reads, is asked by the connector, which prepares it.

mod scan;

use std::collections::{BTreeMap, BTreeSet};

use countersign_kernel::policy::{EffectClass, Tool};

use super::{Check, Code, Context};
use crate::diagnostic::did_you_mean;
use crate::load::TOOLS;
use crate::lower::PORTS;
use crate::notes::Notes;
use crate::raw::Text;
use crate::raw::tools::{Statement, Tool as RawTool};

const PARAMETER: Code = Code {
    code: "pack/sql_parameter",
    help: "a parameter is an argument, `:tenant`, `:customer`, `:key`, `:now`, or `:<statement>.<column>` of an earlier named statement",
};
const UNSCOPED: Code = Code {
    code: "pack/sql_not_scoped",
    help: "use `:customer` in the statement, or say why it concerns everybody: `public: <why>`",
};
const NOT_A_READ: Code =
    Code { code: "pack/sql_not_a_read", help: "a read is one statement that begins with `select` or `with`" };
const STATEMENT: Code = Code {
    code: "pack/sql_statement",
    help: "one `select`, `with`, `insert`, `update` or `delete` per entry, without `;`",
};
const UNGUARDED: Code = Code {
    code: "pack/sql_no_guard",
    help: "repeat the condition in the statement's `where` and demand `rows: 1`: what was read may have changed",
};

pub(super) const CHECK: Check =
    Check { codes: &[PARAMETER, UNSCOPED, NOT_A_READ, STATEMENT, UNGUARDED], needs_names: false, run };

/// Bound by the runtime, never by a pack.
const RESERVED: [&str; 4] = ["tenant", "customer", "key", "now"];

/// Parameters a statement may use.
struct Known<'k> {
    names: BTreeSet<&'k str>,
    /// Earlier statement -> its columns, where they are known.
    rows: BTreeMap<&'k str, Option<&'static [&'static str]>>,
}

fn run(context: &Context<'_>, notes: &mut Notes<'_>) {
    for (name, read) in context.raw.tools.reads.iter() {
        let known = Known { names: read.params.names().chain(RESERVED).collect(), rows: BTreeMap::new() };
        let select = &read.sql.select;
        statement(select, read.sql.public.as_ref(), &known, notes);
        only_reads(&name.value, select, notes);
    }
    for (name, raw) in context.raw.tools.tools.iter() {
        if let Some(tool) = context.parts().tools.get(&name.value) {
            self::tool(name, raw, tool, notes);
        }
    }
}

fn tool(name: &Text, raw: &RawTool, tool: &Tool, notes: &mut Notes<'_>) {
    let Some(statements) = &raw.sql else { return };
    let mut known = Known { names: raw.arguments.names().chain(RESERVED).collect(), rows: BTreeMap::new() };
    for written in statements.iter() {
        if let Some(run) = &written.run {
            statement(run, written.public.as_ref(), &known, notes);
            if tool.effect == EffectClass::Read {
                only_reads(&name.value, run, notes);
            }
        }
        for (_, from) in written.with.iter() {
            native_input(from, &known, notes);
        }
        if let Some(row) = &written.name {
            known.rows.insert(&row.value, columns(written));
        }
    }
    let facts: BTreeSet<&str> = tool.facts.iter().map(|fact| fact.name.as_str()).collect();
    let reads_facts =
        tool.preconditions.iter().any(|condition| condition.check.names().iter().any(|n| facts.contains(n.as_str())));
    let is_guarded = statements.iter().any(|statement| statement.rows.is_some());
    if tool.effect != EffectClass::Read && reads_facts && !is_guarded {
        let message = format!("`{}` acts on what it read before, and no statement repeats the condition", name.value);
        notes.error(UNGUARDED.code, (TOOLS, name.span), message, UNGUARDED.help.to_owned());
    }
}

/// The columns of a statement's row, where they are known without a database.
fn columns(written: &Statement) -> Option<&'static [&'static str]> {
    let native = written.native.as_ref()?;
    PORTS.iter().find(|port| port.name == native.value).map(|port| port.outputs)
}

fn statement(written: &Text, public: Option<&Text>, known: &Known<'_>, notes: &mut Notes<'_>) {
    let scanned = scan::scan(&written.value);
    if scanned.has_semicolon || !matches!(scanned.verb.as_str(), "select" | "with" | "insert" | "update" | "delete") {
        let message = if scanned.has_semicolon { "more than one statement" } else { "not a statement a tool may run" };
        notes.error(STATEMENT.code, (TOOLS, written.span), message, STATEMENT.help.to_owned());
    }
    if public.is_none() && !scanned.parameters.iter().any(|parameter| parameter.name == "customer") {
        let message = "the statement does not say whose rows it means";
        notes.error(UNSCOPED.code, (TOOLS, written.span), message, UNSCOPED.help.to_owned());
    }
    for parameter in &scanned.parameters {
        if let Some(problem) = unknown(&parameter.name, known) {
            let span = notes.inside(TOOLS, written, parameter.span);
            notes.error(PARAMETER.code, (TOOLS, span), problem.0, problem.1);
        }
    }
}

fn native_input(from: &Text, known: &Known<'_>, notes: &mut Notes<'_>) {
    let problem = match from.strip_prefix(':') {
        Some(name) => unknown(name, known),
        None => Some((format!("`{}` is not a parameter", from.value), format!("write `:{}`", from.value))),
    };
    if let Some((message, help)) = problem {
        notes.error(PARAMETER.code, (TOOLS, from.span), message, help);
    }
}

/// What is wrong with a parameter, and how to mend it.
fn unknown(name: &str, known: &Known<'_>) -> Option<(String, String)> {
    let help = |near: Option<String>| near.unwrap_or_else(|| PARAMETER.help.to_owned());
    let Some((row, column)) = name.split_once('.') else {
        let near = did_you_mean(name, known.names.iter().copied());
        return (!known.names.contains(name)).then(|| (format!("unknown parameter `:{name}`"), help(near)));
    };
    match known.rows.get(row) {
        None => {
            let near = did_you_mean(row, known.rows.keys().copied());
            Some((format!("no earlier statement is called `{row}`"), help(near)))
        }
        Some(Some(columns)) if !columns.contains(&column) => {
            let near = did_you_mean(column, columns.iter().copied());
            Some((format!("`{row}` has no `{column}`"), help(near)))
        }
        Some(Some(_) | None) => None,
    }
}

fn only_reads(name: &str, written: &Text, notes: &mut Notes<'_>) {
    let verb = scan::scan(&written.value).verb;
    if !matches!(verb.as_str(), "select" | "with") {
        let message = format!("`{name}` reads, and this statement begins with `{verb}`");
        notes.error(NOT_A_READ.code, (TOOLS, written.span), message, NOT_A_READ.help.to_owned());
    }
}
