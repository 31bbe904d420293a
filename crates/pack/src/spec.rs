//! Reads `specs/*.md`: conversations that must hold, written so that people can read them.
//!
//! Invariant: a line that cannot be understood is a diagnostic, never skipped; a spec that silently checked less than
//! it says would be worse than none.
//! Deliberately absent: running them. This file only says what is written.

mod line;

use countersign_kernel::decision::Verdict;
use countersign_kernel::reason::Reason;
use countersign_nlu::Span;

use crate::diagnostic::{self, Diagnostic};

/// Longest spec in lines, and most specs of one file: a conversation longer than this tests nothing in particular.
pub const LINES_MAX: usize = 2_000;

/// One written conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    /// The file it stands in.
    pub file: String,
    /// The line of its heading, from 1.
    pub line: u32,
    /// Its heading.
    pub title: String,
    /// Why it must hold.
    pub why: String,
    /// The conversation.
    pub lines: Vec<Line>,
}

/// One entry of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its line in the file, from 1.
    pub number: u32,
    /// What it is.
    pub kind: LineKind,
}

/// What an entry of a conversation is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineKind {
    /// `> text`: the customer writes.
    Customer(String),
    /// `< text`: the agent answers; consecutive lines are one reply.
    Reply(Reply),
    /// `! verdict reason`: among this turn's decisions.
    Decision {
        /// How the gate answered.
        verdict: Verdict,
        /// Why.
        reason: Reason,
    },
    /// `! effect tool name=value`: a tool was carried out with at least these arguments.
    Effect {
        /// Which tool.
        tool: String,
        /// Arguments and their values, as written.
        arguments: Vec<(String, String)>,
    },
    /// `! no effect`: no tool that changes something was carried out in this turn.
    NoEffect,
    /// `! refused tool`: the tool was proposed and not carried out; with a reason, for that reason.
    Refused {
        /// Which tool.
        tool: String,
        /// For which reason, if stated.
        reason: Option<Reason>,
    },
    /// `@ wait 6m`: time passes.
    Wait(i64),
    /// `@ now 2026-11-15T12:00:00-03:00`: it is this time.
    Now(jiff::Timestamp),
    /// `@ voice`: a voice note that could not be transcribed.
    Voice,
    /// `@ restart`: the process ends and starts again.
    Restart,
    /// `@ tenant id`: the conversation is with this tenant.
    Tenant(String),
}

/// An expected reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Exactly this text.
    Exact(String),
    /// The text begins like this; written with `...` at its end.
    Prefix(String),
    /// The text contains this; written with `<~`.
    Contains(String),
}

impl Reply {
    /// True if a reply is what was expected.
    #[must_use]
    pub fn matches(&self, reply: &str) -> bool {
        match self {
            Reply::Exact(text) => reply == text,
            Reply::Prefix(text) => reply.starts_with(text.as_str()),
            Reply::Contains(text) => reply.contains(text.as_str()),
        }
    }
}

/// Reads one file of specs. What cannot be understood is left out and told.
#[must_use]
pub fn parse(file: &str, text: &str) -> (Vec<Spec>, Vec<Diagnostic>) {
    let mut reader = Reader { file, text, specs: Vec::new(), notes: Vec::new(), place: Place::Outside };
    let mut start = 0;
    for (index, written) in text.split('\n').enumerate() {
        if index >= LINES_MAX {
            let span = Span::new(start, start);
            reader.note("spec/shape", span, format!("more than {LINES_MAX} lines"), "split the file");
            break;
        }
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        reader.line(number, start, written.trim_end());
        start += written.len() + 1;
    }
    reader.finish();
    let mut notes = reader.notes;
    diagnostic::sort(&mut notes);
    (reader.specs, notes)
}

/// Where in a file we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the first `##`.
    Outside,
    /// Behind a heading, before its block.
    Why,
    /// Inside the `chat` block.
    Chat,
    /// Inside some other block.
    Other,
    /// Behind the block.
    Done,
}

struct Reader<'t> {
    file: &'t str,
    text: &'t str,
    specs: Vec<Spec>,
    notes: Vec<Diagnostic>,
    place: Place,
}

impl Reader<'_> {
    fn note(&mut self, code: &'static str, span: Span, message: String, help: &str) {
        self.notes.push(Diagnostic::error(code, self.file, message).at(span, self.text).help(help));
    }

    fn line(&mut self, number: u32, start: usize, written: &str) {
        let span = Span::new(start, start + written.len());
        match self.place {
            Place::Chat if written == "```" => self.place = Place::Done,
            Place::Chat => self.entry(number, span, written),
            Place::Other if written == "```" => self.place = Place::Done,
            Place::Other => {}
            Place::Outside | Place::Why | Place::Done => self.prose(number, span, written),
        }
    }

    fn prose(&mut self, number: u32, span: Span, written: &str) {
        if let Some(title) = written.strip_prefix("## ") {
            self.finish_one();
            let title = title.trim().to_owned();
            let (file, why, lines) = (self.file.to_owned(), String::new(), Vec::new());
            self.specs.push(Spec { file, line: number, title, why, lines });
            self.place = Place::Why;
        } else if let Some(block) = written.strip_prefix("```") {
            if block.trim() != "chat" {
                self.place = Place::Other;
            } else if self.place == Place::Why {
                self.place = Place::Chat;
            } else {
                let help = "each `## title` has exactly one `chat` block";
                self.note("spec/shape", span, "a `chat` block without its own heading".to_owned(), help);
                self.place = Place::Other;
            }
        } else if let Some(spec) = self.specs.last_mut().filter(|_| self.place == Place::Why) {
            let words = written.trim();
            let gap = if spec.why.is_empty() || words.is_empty() { "" } else { " " };
            spec.why.push_str(gap);
            spec.why.push_str(words);
        }
    }

    fn entry(&mut self, number: u32, span: Span, written: &str) {
        if written.trim().is_empty() {
            return;
        }
        let Some(spec) = self.specs.last_mut() else { return };
        match line::parse(written) {
            Ok(LineKind::Reply(reply)) => line::join(&mut spec.lines, number, reply),
            Ok(kind) => spec.lines.push(Line { number, kind }),
            Err(fault) => self.note(fault.code, span, fault.message, &fault.help),
        }
    }

    /// Looks at the spec that ends here.
    fn finish_one(&mut self) {
        let Some(spec) = self.specs.last() else { return };
        let start = self.text.split('\n').take(spec.line.saturating_sub(1) as usize).map(|line| line.len() + 1).sum();
        let span = Span::new(start, start + 3 + spec.title.len());
        let problem = if self.place == Place::Chat {
            Some("its `chat` block is not closed")
        } else if spec.lines.is_empty() {
            Some("it has no conversation")
        } else {
            None
        };
        let (title, has_why) = (spec.title.clone(), !spec.why.is_empty());
        if let Some(problem) = problem {
            let message = format!("the spec `{title}`: {problem}");
            self.note("spec/shape", span, message, "write `## title`, a sentence of why, then a `chat` block");
        } else if !has_why {
            let message = format!("the spec `{title}` does not say why it must hold");
            let note = Diagnostic::error("spec/no_why", self.file, message).at(span, self.text).warning();
            self.notes.push(note.help("write a sentence between the heading and the block"));
        }
    }

    fn finish(&mut self) {
        self.finish_one();
        self.specs.retain(|spec| !spec.lines.is_empty());
    }
}

#[cfg(test)]
mod tests;
