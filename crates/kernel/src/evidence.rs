//! The bounded window of values with origins: what may still serve as a witness.
//!
//! Search order is fixed: newest message first, lowest byte first; newest result first, lowest row first. Outside
//! the window nothing is found: the agent asks or reads again, and never searches the log.

use std::collections::{BTreeMap, VecDeque};

use countersign_nlu::{Found, Value};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::origin::Witness;

/// Messages whose values are kept.
pub const MESSAGES_MAX: usize = 20;
/// Values kept of one message; more than this is not a request but a document.
pub const VALUES_PER_MESSAGE_MAX: usize = 16;
/// Lists kept.
pub const LISTS_MAX: usize = 2;
/// Results kept.
pub const RESULTS_MAX: usize = 8;
/// Rows kept of one result.
pub const ROWS_MAX: usize = 50;
/// Fields kept over all results, so that the whole state stays under 16 KiB.
pub const FIELDS_MAX: usize = 120;

/// A row: named values.
pub type Row = BTreeMap<String, Value>;

/// The values of one message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// Which message.
    pub message: u64,
    /// What was read from it.
    pub found: Vec<Found>,
}

/// A list that was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The message after which it was shown.
    pub list: u64,
    /// Its rows, in order.
    pub rows: Vec<Row>,
}

/// What a tool or read returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned {
    /// The call's or read's number.
    pub call: u64,
    /// The tool or read.
    pub source: String,
    /// When.
    pub at: Timestamp,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// The window.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Evidence {
    /// Values of the last messages, newest first.
    pub said: VecDeque<Said>,
    /// The last lists, newest first.
    pub shown: VecDeque<Shown>,
    /// The last results, newest first.
    pub returned: VecDeque<Returned>,
}

impl Evidence {
    /// Takes in a message's values.
    pub fn hear(&mut self, message: u64, mut found: Vec<Found>) {
        found.truncate(VALUES_PER_MESSAGE_MAX);
        self.said.push_front(Said { message, found });
        self.said.truncate(MESSAGES_MAX);
    }

    /// Takes in a list that was shown.
    pub fn show(&mut self, list: u64, mut rows: Vec<Row>) {
        rows.truncate(ROWS_MAX);
        self.shown.push_front(Shown { list, rows });
        self.shown.truncate(LISTS_MAX);
    }

    /// Takes in what a tool or read returned.
    pub fn receive(&mut self, returned: Returned) {
        let mut returned = returned;
        returned.rows.truncate(ROWS_MAX);
        self.returned.push_front(returned);
        self.returned.truncate(RESULTS_MAX);
        let fields = |r: &Returned| r.rows.iter().map(BTreeMap::len).sum::<usize>();
        while self.returned.len() > 1 && self.returned.iter().map(fields).sum::<usize>() > FIELDS_MAX {
            self.returned.pop_back();
        }
    }

    /// The newest message that said this value.
    pub fn said(&self, value: &Value) -> Option<Witness> {
        self.said.iter().find_map(|said| {
            let found = said.found.iter().find(|found| found.value == *value)?;
            Some(Witness::Span { message: said.message, span: found.span })
        })
    }

    /// The newest result of `source` whose `field` is this value.
    pub fn returned(&self, source: &str, field: &str, value: &Value) -> Option<(Witness, &Returned)> {
        self.returned.iter().filter(|returned| returned.source == source).find_map(|returned| {
            let row = returned.rows.iter().position(|row| row.get(field) == Some(value))?;
            let row = u32::try_from(row).unwrap_or(u32::MAX);
            Some((Witness::Result { call: returned.call, row, field: field.to_owned() }, returned))
        })
    }
}
