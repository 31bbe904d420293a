//! A mistake in a pack: what, where, and how to mend it.
//!
//! Invariant: the order of diagnostics depends on the pack alone: file, place, code.
//! Deliberately absent: any stop at the first mistake. Everything is collected, then shown.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use countersign_nlu::Span;
use serde_json::json;

use crate::source::Source;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The pack is refused.
    Error,
    /// The pack is accepted; somebody should look.
    Warning,
}

impl Severity {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable code such as `pack/unknown_tool`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The file, relative to the pack.
    pub file: String,
    /// The bytes of the file, where the mistake has a place.
    pub span: Option<Span>,
    /// The line, from 1; 0 where the mistake has no place.
    pub line: u32,
    /// The column in characters, from 1; 0 where the mistake has no place.
    pub column: u32,
    /// What is wrong, in one sentence without a final stop.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error in a file, without a place and without advice.
    pub(crate) fn error(code: &'static str, file: &str, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            file: file.to_owned(),
            span: None,
            line: 0,
            column: 0,
            message: message.into(),
            help: None,
        }
    }

    /// The same, as a warning.
    pub(crate) fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// The same, with advice.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same, with advice if there is any.
    pub(crate) fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    /// The same, at bytes of the file's text.
    pub(crate) fn at(mut self, span: Span, text: &str) -> Self {
        let before = text.get(..span.start as usize).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        self.span = Some(span);
        self.line = count(before.matches('\n').count() + 1);
        self.column = count(before.get(line_start..).unwrap_or_default().chars().count() + 1);
        self
    }
}

/// Puts diagnostics in their order and drops exact repetitions.
pub(crate) fn sort(diagnostics: &mut Vec<Diagnostic>) {
    let key = |d: &Diagnostic| (d.file.clone(), d.line, d.column, d.code, d.message.clone());
    diagnostics.sort_by_key(key);
    diagnostics.dedup();
}

/// Draws the diagnostics for a terminal: code, file, line, the words under a caret, help.
#[must_use]
pub fn render(diagnostics: &[Diagnostic], source: &Source, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() }.decor_style(DecorStyle::Ascii);
    let drawn: Vec<String> = diagnostics.iter().map(|diagnostic| draw(diagnostic, source, &renderer)).collect();
    drawn.join("\n\n")
}

fn draw(diagnostic: &Diagnostic, source: &Source, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(&diagnostic.message).id(diagnostic.code);
    let text = source.get(&diagnostic.file).unwrap_or_default();
    let help = diagnostic.help.as_deref().map(|help| Level::HELP.message(help));
    let Some(span) = diagnostic.span.filter(|span| span.end as usize <= text.len()) else {
        let note = Level::NOTE.message(format!("in {}", diagnostic.file));
        let group = title.element(note);
        let report = match help {
            Some(help) => [group.element(help)],
            None => [group],
        };
        return renderer.render(&report);
    };
    let range = first_line(span, text);
    let snippet = Snippet::source(text).path(&diagnostic.file).annotation(AnnotationKind::Primary.span(range));
    let group = title.element(snippet);
    let report = match help {
        Some(help) => [group.element(help)],
        None => [group],
    };
    renderer.render(&report)
}

/// Only the first line of a span is underlined: a block of forty lines under a caret shows nothing.
fn first_line(span: Span, text: &str) -> std::ops::Range<usize> {
    let start = span.start as usize;
    let line = span.of(text).lines().next().unwrap_or_default().trim_end();
    start..start + line.len()
}

/// The diagnostics as JSON, for editors and pipelines.
#[must_use]
pub fn to_json(diagnostics: &[Diagnostic]) -> serde_json::Value {
    diagnostics
        .iter()
        .map(|d| {
            json!({
                "code": d.code,
                "severity": d.severity.word(),
                "file": d.file,
                "line": d.line,
                "column": d.column,
                "start": d.span.map(|span| span.start),
                "end": d.span.map(|span| span.end),
                "message": d.message,
                "help": d.help,
            })
        })
        .collect()
}

/// ``; did you mean `x`?`` for the known name nearest to a wrong one, as a help line.
pub(crate) fn did_you_mean<'n>(wrong: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    // One slip in three characters, so that `mesage` finds `message` and `day` does not find `due`.
    let slips_max = (wrong.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(wrong, name), name))
        .filter(|(slips, _)| *slips <= slips_max)
        .min()
        .map(|(_, name)| format!("did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let text = "é: 1\nção: wrong\n";
        let start = text.find("wrong").unwrap();
        let diagnostic = Diagnostic::error("pack/shape", "a.yaml", "x").at(Span::new(start, start + 5), text);
        assert_eq!((diagnostic.line, diagnostic.column), (2, 6));
    }

    #[test]
    fn near_names_are_offered_and_far_ones_are_not() {
        assert_eq!(did_you_mean("mesage", ["message", "never"]), Some("did you mean `message`?".to_owned()));
        assert_eq!(did_you_mean("colour", ["message", "never"]), None);
    }
}
