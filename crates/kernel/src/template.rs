//! Sentences with holes: `Boleto de {amount_cents} para {contact_name}`.
//!
//! A hole names a dotted path; `{x:label}` shows the pack's word for an enum value; `{each rows}..{end}` repeats for
//! each row. A hole that cannot be filled is an error, never an empty string, so a sentence is said whole or not.
//! Deliberately absent: conditions, filters, nesting of `each`. A sentence that needs them is two sentences.

use std::collections::{BTreeMap, BTreeSet};

use countersign_nlu::language::Language;
use countersign_nlu::{Span, Value, format};

/// Longest template in bytes; WhatsApp's own text limit is 4,096 characters.
pub const TEMPLATE_MAX: usize = 16 * 1024;
/// Rows shown by one `each`; a chat message is not a report.
pub const ROWS_SHOWN_MAX: usize = 50;

/// A mistake in a template, with the bytes it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub span: Span,
    /// What.
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    Hole { path: String, is_label: bool },
    Each { path: String, body: Vec<Part> },
}

/// A parsed sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    source: String,
    parts: Vec<Part>,
}

/// A piece of a rendered text that was filled in, and from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// Bytes of the rendered text.
    pub span: Span,
    /// The path it came from, with row numbers: `result.0.boleto_id`.
    pub path: String,
    /// The value that was written.
    pub value: Value,
}

/// A rendered text and what was filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// What was filled in, left to right.
    pub filled: Vec<Filled>,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// An unclosed hole, an `each` without `end`, a nested `each`, or a text over [`TEMPLATE_MAX`].
    pub fn parse(source: &str) -> Result<Self, Fault> {
        if source.len() > TEMPLATE_MAX {
            let message = format!("the text is longer than {TEMPLATE_MAX} bytes");
            return Err(Fault { span: Span::new(0, source.len()), message });
        }
        let mut reader = Reader { source, at: 0, parts: Vec::new(), each: None };
        reader.run()?;
        Ok(Self { source: source.to_owned(), parts: reader.parts })
    }

    /// The text as written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The paths it needs; inside an `each`, a row's field is `<list>.*.<field>`.
    #[must_use]
    pub fn paths(&self) -> BTreeSet<String> {
        let mut paths = BTreeSet::new();
        for part in &self.parts {
            match part {
                Part::Literal(_) => {}
                Part::Hole { path, .. } => {
                    paths.insert(path.clone());
                }
                Part::Each { path, body } => {
                    paths.insert(path.clone());
                    for inner in body {
                        if let Part::Hole { path: field, .. } = inner {
                            paths.insert(format!("{path}.*.{field}"));
                        }
                    }
                }
            }
        }
        paths
    }

    /// Fills the holes.
    ///
    /// # Errors
    /// Names the first path that has no value.
    pub fn render(&self, fields: &Fields<'_>) -> Result<Rendered, String> {
        let mut out = Rendered { text: String::new(), filled: Vec::new() };
        for part in &self.parts {
            match part {
                Part::Literal(text) => out.text.push_str(text),
                Part::Hole { path, is_label } => {
                    let value = fields.get(path).ok_or_else(|| path.clone())?;
                    fields.write(&mut out, path.clone(), value, *is_label);
                }
                Part::Each { path, body } => each(&mut out, fields, path, body)?,
            }
        }
        out.text.truncate(out.text.trim_end().len());
        Ok(out)
    }
}

fn each(out: &mut Rendered, fields: &Fields<'_>, path: &str, body: &[Part]) -> Result<(), String> {
    let Some(Value::List(rows)) = fields.get(path) else { return Err(path.to_owned()) };
    for (index, row) in rows.iter().take(ROWS_SHOWN_MAX).enumerate() {
        for part in body {
            match part {
                Part::Literal(text) => out.text.push_str(text),
                Part::Hole { path: field, .. } if field == "number" => out.text.push_str(&(index + 1).to_string()),
                Part::Hole { path: field, is_label } => {
                    let value = row.field(field).or_else(|| fields.get(field));
                    let value = value.ok_or_else(|| format!("{path}.*.{field}"))?;
                    fields.write(out, format!("{path}.{index}.{field}"), value, *is_label);
                }
                Part::Each { path: inner, .. } => return Err(inner.clone()),
            }
        }
    }
    Ok(())
}

/// Where the holes are filled from.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    /// Values by their first name.
    pub values: &'a BTreeMap<String, Value>,
    /// Words for enum values: `OPEN` -> `em aberto`.
    pub labels: &'a dyn Labels,
    /// How money and dates are written.
    pub language: Language,
}

/// The pack's words for enum values.
pub trait Labels: std::fmt::Debug {
    /// The word for an enum value, if the pack has one.
    fn label(&self, word: &str) -> Option<String>;
}

impl Labels for () {
    fn label(&self, _: &str) -> Option<String> {
        None
    }
}

impl Fields<'_> {
    fn get(&self, path: &str) -> Option<&Value> {
        let mut names = path.split('.');
        let mut value = self.values.get(names.next()?)?;
        for name in names {
            value = value.field(name)?;
        }
        (*value != Value::Null).then_some(value)
    }

    fn write(&self, out: &mut Rendered, path: String, value: &Value, is_label: bool) {
        let text = show(value, self.language);
        let text = if is_label { self.labels.label(&text).unwrap_or(text) } else { text };
        let start = out.text.len();
        out.text.push_str(&text);
        out.filled.push(Filled { span: Span::new(start, out.text.len()), path, value: value.clone() });
    }
}

/// A value as a person reads it.
#[must_use]
pub fn show(value: &Value, language: Language) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(is_true) => is_true.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Decimal(number) => number.to_string(),
        Value::Money(money) => format::money(*money, language),
        Value::Date(date) => format::date(*date, language),
        Value::Time(time) => format::time(*time, language),
        Value::Instant(at) => at.to_string(),
        Value::Duration(seconds) => format!("{seconds} s"),
        Value::Text(text) => text.clone(),
        Value::List(values) => values.iter().map(|value| show(value, language)).collect::<Vec<_>>().join(", "),
        Value::Record(fields) => fields.values().map(|value| show(value, language)).collect::<Vec<_>>().join(" "),
    }
}

struct Reader<'s> {
    source: &'s str,
    at: usize,
    parts: Vec<Part>,
    each: Option<(String, Vec<Part>)>,
}

impl Reader<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        while let Some(rest) = self.source.get(self.at..).filter(|rest| !rest.is_empty()) {
            let Some(open) = rest.find('{') else {
                self.push(Part::Literal(rest.to_owned()));
                break;
            };
            if open > 0 {
                self.push(Part::Literal(rest.get(..open).unwrap_or_default().to_owned()));
            }
            let start = self.at + open;
            let Some(length) = rest.get(open..).and_then(|hole| hole.find('}')) else {
                return Err(self.fault(start, self.source.len(), "this `{` has no closing `}`"));
            };
            let inside = rest.get(open + 1..open + length).unwrap_or_default().trim();
            self.at = start + length + 1;
            self.hole(inside, start)?;
        }
        if self.each.is_some() {
            return Err(self.fault(0, self.source.len(), "an `{each ..}` has no `{end}`"));
        }
        Ok(())
    }

    fn hole(&mut self, inside: &str, start: usize) -> Result<(), Fault> {
        if inside == "end" {
            let Some((path, body)) = self.each.take() else {
                return Err(self.fault(start, self.at, "an `{end}` without `{each ..}`"));
            };
            self.parts.push(Part::Each { path, body });
            return Ok(());
        }
        if let Some(path) = inside.strip_prefix("each ") {
            if self.each.is_some() {
                return Err(self.fault(start, self.at, "an `{each ..}` inside another"));
            }
            self.each = Some((path.trim().to_owned(), Vec::new()));
            return Ok(());
        }
        let (path, is_label) = match inside.strip_suffix(":label") {
            Some(path) => (path, true),
            None => (inside, false),
        };
        let is_path = !path.is_empty() && path.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        if !is_path {
            return Err(self.fault(start, self.at, "a hole holds a path such as `{amount}` or `{result.id}`"));
        }
        self.push(Part::Hole { path: path.to_owned(), is_label });
        Ok(())
    }

    fn push(&mut self, part: Part) {
        match &mut self.each {
            Some((_, body)) => body.push(part),
            None => self.parts.push(part),
        }
    }

    fn fault(&self, start: usize, end: usize, message: &str) -> Fault {
        Fault { span: Span::new(start, end), message: message.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use countersign_nlu::{Currency, Money};

    use super::*;

    fn check(source: &str, expected: Result<&str, &str>) {
        let mut values = BTreeMap::new();
        values.insert("amount".to_owned(), Value::Money(Money::new(15_000, Currency::BRL)));
        values.insert("name".to_owned(), Value::text("Ana Souza"));
        values.insert("nothing".to_owned(), Value::Null);
        let row = |id: &str| Value::Record([("id".to_owned(), Value::text(id))].into());
        values.insert("rows".to_owned(), Value::List(vec![row("A"), row("B")]));
        values.insert("row".to_owned(), row("A"));
        let fields = Fields { values: &values, labels: &(), language: Language::Pt };
        let rendered =
            Template::parse(source).map_err(|fault| fault.message).and_then(|template| template.render(&fields));
        assert_eq!(rendered.as_ref().map(|r| r.text.as_str()).map_err(String::as_str), expected, "{source}");
        for filled in rendered.iter().flat_map(|rendered| &rendered.filled) {
            assert!(!filled.span.of(&rendered.as_ref().unwrap().text).is_empty());
        }
    }

    #[test]
    fn holes_are_filled_whole_or_not_at_all() {
        check("Boleto de {amount} para {name}.", Ok("Boleto de R$ 150,00 para Ana Souza."));
        check("{row.id}", Ok("A"));
        check("{each rows}{number}. {id}\n{end}", Ok("1. A\n2. B"));
        check("{each rows}{id} {name};{end}", Ok("A Ana Souza;B Ana Souza;"));
        check("{missing}", Err("missing"));
        check("{nothing}", Err("nothing"));
        check("{row.missing}", Err("row.missing"));
        check("{each rows}{missing}{end}", Err("rows.*.missing"));
    }

    #[test]
    fn broken_templates_are_refused() {
        check("{amount", Err("this `{` has no closing `}`"));
        check("{each rows}{id}", Err("an `{each ..}` has no `{end}`"));
        check("{end}", Err("an `{end}` without `{each ..}`"));
        check("{a b}", Err("a hole holds a path such as `{amount}` or `{result.id}`"));
    }
}
