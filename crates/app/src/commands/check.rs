//! `countersign check`: every mistake of a pack in one run, with file, line, caret, code and help.
//!
//! Invariant: a pack that passes here can be run and its specs can be read. The connectors' own checks are made only
//! on packs that compile: before that there is nothing to prepare.

use std::io::Write;

use anyhow::Result;
use countersign_connect::tools::{SqlProblem, prepare_check};
use countersign_nlu::Span;
use countersign_pack::{Diagnostic, Severity, Source, compile, render, spec, tenants, to_json};

use crate::Ending;
use crate::config::CheckArgs;
use crate::output::{BAD, GOOD, WARN, count, paint};
use crate::packs;

/// The pack's tables.
const SCHEMA: &str = "data/schema.sql";
/// What the `sql` connector found.
const SQL_CODE: &str = "connect/sql";

pub(crate) fn run(args: &CheckArgs) -> Result<Ending> {
    let source = packs::read(&args.pack)?;
    let diagnostics = everything(&source, args.tenant.as_deref());
    let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
    let mut out = anstream::stdout();
    if args.json {
        writeln!(out, "{}", to_json(&diagnostics))?;
    } else {
        if !diagnostics.is_empty() {
            // The stream takes the colours away again where there is no terminal.
            writeln!(out, "{}\n", render(&diagnostics, &source, true))?;
        }
        writeln!(out, "{}", summary(&source, errors, diagnostics.len() - errors))?;
    }
    Ok(if errors == 0 { Ending::Fine } else { Ending::Findings })
}

/// What is wrong with a pack: its files, its SQL, its specs.
pub(crate) fn everything(source: &Source, tenant: Option<&str>) -> Vec<Diagnostic> {
    let overlays: Vec<Option<String>> = match tenant {
        Some(tenant) => vec![Some(tenant.to_owned())],
        None => std::iter::once(None).chain(tenants(source).into_iter().map(Some)).collect(),
    };
    let mut found = Vec::new();
    for overlay in overlays {
        let outcome = compile(source, overlay.as_deref());
        found.extend(outcome.diagnostics);
        if let Some(policy) = outcome.policy {
            let schema = source.get(SCHEMA).unwrap_or_default();
            found.extend(prepare_check(&policy, schema).iter().map(|problem| located(problem, source)));
        }
    }
    for (file, text) in source.files.iter().filter(|(file, _)| is_spec(file)) {
        found.extend(spec::parse(file, text).1);
    }
    let place = |d: &Diagnostic| (d.file.clone(), d.line, d.column, d.code, d.message.clone());
    found.sort_by_key(place);
    // A mistake of the pack itself is found once more with every overlay.
    found.dedup();
    found
}

/// True for `specs/*.md`.
pub(crate) fn is_spec(file: &str) -> bool {
    file.starts_with("specs/") && file.ends_with(".md")
}

fn summary(source: &Source, errors: usize, warnings: usize) -> String {
    let files = count(source.files.len(), "file");
    let warned = if warnings == 0 { String::new() } else { format!(", {}", paint(WARN, &count(warnings, "warning"))) };
    match errors {
        0 => format!("{}: {files} checked{warned}", paint(GOOD, "ok")),
        _ => format!("{}{warned} in {files}", paint(BAD, &count(errors, "error"))),
    }
}

/// A connector's finding as a diagnostic at the place in the file where the statement stands.
fn located(problem: &SqlProblem, source: &Source) -> Diagnostic {
    let file = if problem.place == SCHEMA { SCHEMA } else { "tools.yaml" };
    let text = source.get(file).unwrap_or_default();
    let found = if file == SCHEMA { None } else { find(text, &problem.place) };
    Diagnostic {
        code: SQL_CODE,
        severity: Severity::Error,
        file: file.to_owned(),
        span: found.map(|place| place.span),
        line: found.map_or(0, |place| place.line),
        column: found.map_or(0, |place| place.column),
        message: match file {
            SCHEMA => problem.message.clone(),
            _ => format!("`{}`: {}", problem.place, problem.message),
        },
        help: Some(format!("statements are prepared on `{SCHEMA}`; mend the one that is wrong")),
    }
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    span: Span,
    line: u32,
    column: u32,
}

/// Finds `tools.create_boleto.sql[2]` in a YAML text by the indentation of its keys: good enough to point at a line
/// of a file that has already been read without a mistake.
fn find(text: &str, path: &str) -> Option<Place> {
    let (path, index) = match path.strip_suffix(']').and_then(|path| path.rsplit_once('[')) {
        Some((path, index)) => (path, index.parse::<usize>().ok()),
        None => (path, None),
    };
    let mut keys = path.split('.').peekable();
    let (mut start, mut found) = (0, None);
    let (mut indent, mut items) = (0, 0);
    for (number, line) in text.split('\n').enumerate() {
        let trimmed = line.trim_start();
        let here = line.len() - trimmed.len();
        let at = Place {
            span: Span::new(start + here, start + line.trim_end().len()),
            line: u32::try_from(number + 1).unwrap_or(u32::MAX),
            column: u32::try_from(here + 1).unwrap_or(u32::MAX),
        };
        start += line.len() + 1;
        match keys.peek() {
            Some(key) if trimmed.strip_prefix(*key).is_some_and(|rest| rest.starts_with(':')) => {
                if found.is_none() || here > indent {
                    (found, indent) = (Some(at), here);
                    keys.next();
                }
            }
            Some(_) => {}
            None => match index {
                Some(index) if here > indent && trimmed.starts_with("- ") => {
                    if items == index {
                        return Some(at);
                    }
                    items += 1;
                }
                Some(_) if here <= indent && !trimmed.is_empty() => return found,
                Some(_) => {}
                None => return found,
            },
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_found_by_its_path() {
        let text = "reads:\n  a:\n    sql:\n      select: x\ntools:\n  a:\n    sql:\n      - run: one\n        rows: 1\n      \
                    - run: two\n  b:\n    sql:\n      - run: three\n";
        let check = |path: &str, line: Option<u32>| assert_eq!(find(text, path).map(|at| at.line), line, "{path}");
        check("reads.a.sql[0]", Some(3));
        check("tools.a", Some(6));
        check("tools.a.sql[0]", Some(8));
        check("tools.a.sql[1]", Some(10));
        check("tools.a.sql[2]", Some(7));
        check("tools.b.sql[0]", Some(13));
        check("nothing", None);
        let place = find(text, "tools.a.sql[1]").unwrap();
        assert_eq!((place.span.of(text), place.column), ("- run: two", 7));
    }
}
