//! Reads, and how a tool is carried out.

use std::collections::BTreeMap;

use countersign_kernel::connector::{Action, Connector, Statement};
use countersign_kernel::expr::Type;
use countersign_kernel::policy::Read;
use countersign_kernel::reason::Reason;

use super::Lowerer;
use crate::load::TOOLS;
use crate::raw::tools::{Outbox, Read as RawRead, Statement as RawStatement, Tool as RawTool};
use crate::raw::{Entries, Text};

/// Most rows a read may ask for; the kernel keeps at most this many as evidence.
const ROWS_MAX: u32 = 50;
/// Most statements of one tool: they run in one transaction while others wait.
const STATEMENTS_MAX: usize = 16;

/// A native port: its name, inputs and outputs.
pub(crate) struct Port {
    pub(crate) name: &'static str,
    pub(crate) inputs: &'static [&'static str],
    pub(crate) outputs: &'static [&'static str],
}

/// The closed list of native ports a statement may ask.
pub(crate) const PORTS: &[Port] =
    &[Port { name: "boleto.issue", inputs: &["reference", "amount_cents", "due_date"], outputs: &["line", "barcode"] }];

impl Lowerer<'_, '_> {
    pub(super) fn reads(&mut self) -> BTreeMap<String, Read> {
        let mut reads = BTreeMap::new();
        for (name, written) in self.raw.tools.reads.iter() {
            reads.insert(name.value.clone(), self.read(name, written));
        }
        reads
    }

    fn read(&mut self, name: &Text, written: &RawRead) -> Read {
        let rows_max = written.rows_max.as_ref().map_or(1, |rows| rows.value);
        if let Some(rows) = written.rows_max.as_ref().filter(|rows| !(1..=ROWS_MAX).contains(&rows.value)) {
            let message = format!("`rows_max` is 1 to {ROWS_MAX}");
            let help = "a person cannot pick from more".to_owned();
            self.notes.error("pack/bad_value", (TOOLS, rows.span), message, help);
        }
        if written.fields.0.is_empty() {
            let message = format!("the read `{}` has no fields", name.value);
            self.notes.error("pack/bad_value", (TOOLS, name.span), message, "name the columns it returns".to_owned());
        }
        let statement = Statement {
            action: Action::Sql(written.sql.select.value.clone()),
            name: None,
            rows: None,
            otherwise: Reason::NotFound,
            public: written.sql.public.as_ref().map(|why| why.value.clone()),
        };
        Read {
            name: name.value.clone(),
            params: self.field_types(&written.params),
            fields: self.field_types(&written.fields),
            rows_max,
            connector: Connector::Sql(vec![statement]),
        }
    }

    pub(super) fn field_types(&mut self, written: &Entries<Text>) -> BTreeMap<String, Type> {
        let mut types = BTreeMap::new();
        for (name, word) in written.iter() {
            if let Some(ty) = self.field_type(TOOLS, word) {
                types.insert(name.value.clone(), ty);
            }
        }
        types
    }

    pub(super) fn connector(&mut self, name: &Text, tool: &RawTool, reads: &BTreeMap<String, Read>) -> Connector {
        match (&tool.sql, &tool.outbox) {
            (Some(statements), None) => {
                if statements.is_empty() || statements.len() > STATEMENTS_MAX {
                    let message = format!("`{}` needs 1 to {STATEMENTS_MAX} statements", name.value);
                    self.notes.error("pack/connector", (TOOLS, name.span), message, None);
                }
                Connector::Sql(statements.iter().filter_map(|written| self.statement(name, written)).collect())
            }
            (None, Some(outbox)) => self.outbox(tool, outbox, reads),
            (Some(_), Some(_)) | (None, None) => {
                let message = format!("the tool `{}` needs exactly one of `sql`, `outbox`", name.value);
                let help = "it says how the tool is carried out".to_owned();
                self.notes.error("pack/connector", (TOOLS, name.span), message, help);
                Connector::Sql(Vec::new())
            }
        }
    }

    fn statement(&mut self, tool: &Text, written: &RawStatement) -> Option<Statement> {
        let action = match (&written.run, &written.native) {
            (Some(run), None) => Action::Sql(run.value.clone()),
            (None, Some(native)) => self.native(native, written)?,
            (Some(_), Some(_)) | (None, None) => {
                let message = format!("a statement of `{}` needs exactly one of `run`, `native`", tool.value);
                self.notes.error("pack/connector", (TOOLS, tool.span), message, None);
                return None;
            }
        };
        let otherwise = written.otherwise.as_ref().and_then(|reason| self.reason(TOOLS, reason));
        Some(Statement {
            action,
            name: written.name.as_ref().map(|name| name.value.clone()),
            rows: written.rows.as_ref().map(|rows| rows.value),
            otherwise: otherwise.unwrap_or(Reason::StateConflict),
            public: written.public.as_ref().map(|why| why.value.clone()),
        })
    }

    fn native(&mut self, native: &Text, written: &RawStatement) -> Option<Action> {
        let names: Vec<&str> = PORTS.iter().map(|port| port.name).collect();
        if !self.known("pack/unknown_port", "native port", TOOLS, native, names.into_iter()) {
            return None;
        }
        let port = PORTS.iter().find(|port| port.name == native.value)?;
        for (input, _) in written.with.iter() {
            self.known("pack/unknown_param", "input", TOOLS, input, port.inputs.iter().copied());
        }
        for missing in port.inputs.iter().filter(|input| !written.with.contains(input)) {
            let message = format!("`{}` needs the input `{missing}`", port.name);
            let help = format!("inputs: {}", port.inputs.join(", "));
            self.notes.error("pack/missing_param", (TOOLS, native.span), message, help);
        }
        let with = written.with.iter().map(|(input, from)| (input.value.clone(), from.value.clone())).collect();
        Some(Action::Native { port: native.value.clone(), with })
    }

    fn outbox(&mut self, tool: &RawTool, outbox: &Outbox, reads: &BTreeMap<String, Read>) -> Connector {
        self.known("pack/unknown_argument", "argument", TOOLS, &outbox.text, tool.arguments.names());
        let (fact, field) = outbox.to.split_once('.').unwrap_or((outbox.to.value.as_str(), ""));
        let part = |name: &str| Text { value: name.to_owned(), span: outbox.to.span };
        if self.known("pack/unknown_fact", "fact", TOOLS, &part(fact), tool.facts.names()) {
            let read = tool.facts.get(fact).and_then(|fact| reads.get(&fact.read.value));
            let fields: Vec<&str> = read.iter().flat_map(|read| read.fields.keys().map(String::as_str)).collect();
            if read.is_some() {
                self.known("pack/unknown_field", "field", TOOLS, &part(field), fields.into_iter());
            }
        }
        Connector::Outbox { to: outbox.to.value.clone(), text: outbox.text.value.clone() }
    }
}
