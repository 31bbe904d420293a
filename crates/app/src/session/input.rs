//! Lines of input: with editing and history on a terminal, one after the other from a pipe.
//!
//! Invariant: a line from a pipe is taken whole up to what the runtime takes in at all; bytes that are no UTF-8 are
//! replaced and told about, and a line that is longer is refused and told about, never silently shortened.

use std::io::{self, BufRead, IsTerminal, StdinLock};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use countersign_runtime::engine::MESSAGE_BYTES_MAX;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::output::note;

/// Most lines of the history file; the file is read whole at the start.
const HISTORY_MAX: usize = 500;
/// The terminal's prompt, in the notation of specs.
const PROMPT: &str = "> ";

/// A line of input.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    /// What was wrong with its bytes.
    pub(super) problem: Option<String>,
}

/// Where lines come from.
pub(super) enum Input {
    Terminal { editor: Box<DefaultEditor>, history: PathBuf },
    Pipe { lines: Lines<StdinLock<'static>> },
}

/// True if a person sits at both ends.
pub(super) fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

impl Input {
    pub(super) fn new(is_terminal: bool, folder: &Path) -> Result<Self> {
        if !is_terminal {
            return Ok(Input::Pipe { lines: Lines { bytes: io::stdin().lock(), number: 0 } });
        }
        let config =
            rustyline::Config::builder().max_history_size(HISTORY_MAX).context("cannot set up line editing")?;
        let mut editor = DefaultEditor::with_config(config.build()).context("cannot set up line editing")?;
        let history = folder.join("history.txt");
        if history.exists()
            && let Err(error) = editor.load_history(&history)
        {
            note(&format!("the history in `{}` cannot be read: {error}", history.display()));
        }
        Ok(Input::Terminal { editor: Box::new(editor), history })
    }

    /// The next line; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Line>> {
        match self {
            Input::Pipe { lines } => lines.next().context("cannot read the standard input"),
            Input::Terminal { editor, history } => loop {
                match editor.readline(PROMPT) {
                    Ok(text) => {
                        // A line that cannot be remembered can still be sent.
                        let _ = editor.add_history_entry(&text);
                        let _ = editor.append_history(history);
                        return Ok(Some(Line { text, problem: None }));
                    }
                    Err(ReadlineError::Interrupted) => note("/quit or Ctrl-D ends the conversation"),
                    Err(ReadlineError::Eof) => return Ok(None),
                    Err(error) => return Err(error).context("cannot read from the terminal"),
                }
            },
        }
    }
}

/// Lines of a stream of bytes.
pub(super) struct Lines<R> {
    bytes: R,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> io::Result<Option<Line>> {
        let mut line = Vec::new();
        let mut left_out = 0;
        let mut is_any = false;
        loop {
            let available = match self.bytes.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                break;
            }
            is_any = true;
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
            // One byte more than may be sent, so that the runtime refuses what was cut here.
            let room = (MESSAGE_BYTES_MAX + 1).saturating_sub(line.len());
            let taken = part.get(..room.min(part.len())).unwrap_or_default();
            left_out += part.len() - taken.len();
            line.extend_from_slice(taken);
            let used = end.map_or(available.len(), |end| end + 1);
            self.bytes.consume(used);
            if end.is_some() {
                break;
            }
        }
        self.number += 1;
        Ok(is_any.then(|| self.line(line, left_out)))
    }

    fn line(&self, mut bytes: Vec<u8>, left_out: usize) -> Line {
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        let number = self.number;
        if left_out > 0 {
            let problem = format!("line {number} is longer than any message may be ({left_out} bytes were left out)");
            let text = String::from_utf8_lossy(&bytes).into_owned();
            return Line { text, problem: Some(problem) };
        }
        match String::from_utf8(bytes) {
            Ok(text) => Line { text, problem: None },
            Err(error) => {
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let problem = format!("line {number} is not UTF-8; the bytes that are not were replaced");
                Line { text, problem: Some(problem) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &[(&str, bool)]) {
        // A tiny buffer, so that every line is put together from parts.
        let mut lines = Lines { bytes: io::BufReader::with_capacity(3, bytes), number: 0 };
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push((line.text, line.problem.is_some()));
        }
        let found: Vec<(&str, bool)> = found.iter().map(|(text, problem)| (text.as_str(), *problem)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_of_a_pipe() {
        check(b"", &[]);
        check(b"oi\nsim", &[("oi", false), ("sim", false)]);
        check(b"oi\n\nsim\n", &[("oi", false), ("", false), ("sim", false)]);
        check(b"\n", &[("", false)]);
        check("ação\r\nJoão\r".as_bytes(), &[("ação", false), ("João", false)]);
        check(b"a\xffb\n", &[("a\u{fffd}b", true)]);
        check(b"a\x00\x1bb\n", &[("a\0\u{1b}b", false)]);
    }

    #[test]
    fn a_line_is_whole_up_to_the_limit_and_refusable_beyond() {
        let mut text = vec![b'x'; MESSAGE_BYTES_MAX + 3];
        let read = |bytes: &[u8]| Lines { bytes, number: 0 }.next().unwrap().unwrap();
        let line = read(&text);
        assert_eq!((line.text.len(), line.problem.is_some()), (MESSAGE_BYTES_MAX + 1, true));
        text.truncate(MESSAGE_BYTES_MAX);
        let line = read(&text);
        assert_eq!((line.text.len(), line.problem.is_some()), (MESSAGE_BYTES_MAX, false));
    }
}
