//! Where diagnostics are collected while a pack is read, lowered and checked.
//!
//! Invariant: noting a mistake never ends the work, so one run shows everything.

use countersign_kernel::expr;
use countersign_nlu::Span;

use crate::codes;
use crate::diagnostic::{Diagnostic, Severity};
use crate::raw::Text;
use crate::source::Source;

/// The list so far.
#[derive(Debug)]
pub(crate) struct Notes<'s> {
    source: &'s Source,
    pub(crate) list: Vec<Diagnostic>,
}

impl<'s> Notes<'s> {
    pub(crate) fn new(source: &'s Source) -> Self {
        Self { source, list: Vec::new() }
    }

    /// Notes an error at a place of a file.
    pub(crate) fn error(
        &mut self,
        code: &'static str,
        (file, span): (&str, Span),
        message: impl Into<String>,
        help: impl Into<Option<String>>,
    ) {
        let text = self.source.get(file).unwrap_or_default();
        let help = help.into().or_else(|| codes::help(code).map(str::to_owned));
        self.list.push(Diagnostic::error(code, file, message).at(span, text).maybe_help(help));
    }

    /// Notes a warning at a place of a file.
    pub(crate) fn warning(&mut self, code: &'static str, place: (&str, Span), message: String, help: &str) {
        self.error(code, place, message, help.to_owned());
        if let Some(last) = self.list.pop() {
            self.list.push(last.warning());
        }
    }

    /// Notes an error about a file as a whole.
    pub(crate) fn file(&mut self, code: &'static str, file: &str, message: impl Into<String>, help: &str) {
        self.list.push(Diagnostic::error(code, file, message).help(help));
    }

    /// Notes what is wrong with an expression, each fault under its own words.
    pub(crate) fn faults(&mut self, file: &str, written: &Text, faults: Vec<expr::Fault>) {
        for fault in faults {
            let span = self.inside(file, written, fault.span);
            self.error(fault.code, (file, span), fault.message, fault.help);
        }
    }

    /// Moves a span of a scalar's value to the file. Escapes and folded lines can shift the words: then the words
    /// themselves are looked for, and failing that the whole scalar is meant.
    pub(crate) fn inside(&self, file: &str, written: &Text, inner: Span) -> Span {
        let raw = written.span.of(self.source.get(file).unwrap_or_default());
        let start = written.span.start as usize;
        let words = inner.of(&written.value);
        let offset = raw.find(&written.value).map(|at| at + inner.start as usize);
        let offset =
            offset.or_else(|| raw.find(words).filter(|_| raw.matches(words).count() == 1 && !words.is_empty()));
        match offset {
            Some(offset) if !words.is_empty() => Span::new(start + offset, start + offset + words.len()),
            Some(_) | None => written.span,
        }
    }

    /// True if a name was noted that leads nowhere. What depends on names is then judged in the next run: until
    /// they are mended it would only repeat the same mistake in other words.
    pub(crate) fn has_open_names(&self) -> bool {
        const OPEN: [&str; 11] = [
            "pack/unknown_slot",
            "pack/unknown_intent",
            "pack/unknown_journey",
            "pack/unknown_step",
            "pack/unknown_ending",
            "pack/unknown_tool",
            "pack/unknown_read",
            "pack/unknown_fact",
            "pack/unknown_field",
            "pack/unknown_argument",
            "pack/unknown_type",
        ];
        self.list.iter().any(|diagnostic| OPEN.contains(&diagnostic.code))
    }

    /// True if something was noted for which the pack is refused.
    pub(crate) fn has_errors(&self) -> bool {
        self.list.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}
