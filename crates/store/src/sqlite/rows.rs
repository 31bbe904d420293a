//! How the ports' values look in a row, and back.
//!
//! Invariant: a moment survives the trip to the nanosecond; a word in a row that this program does not know is an
//! error, never a guess.

use countersign_kernel::policy::Recovery;
use countersign_runtime::ports::{OutgoingClass, SendOutcome};
use jiff::Timestamp;
use rusqlite::types::Type;

/// Nanoseconds in a second.
pub(crate) const SECOND: i64 = 1_000_000_000;
/// Nanoseconds in a minute: the width of a `spend_minute` row.
pub(crate) const MINUTE: i64 = 60 * SECOND;

/// A moment as nanoseconds since 1970, kept inside what a column holds (1970 to 2262).
pub(crate) fn nanos(at: Timestamp) -> i64 {
    i64::try_from(at.as_nanosecond().max(0)).unwrap_or(i64::MAX)
}

/// The moment again.
pub(crate) fn moment(column: usize, nanos: i64) -> rusqlite::Result<Timestamp> {
    Timestamp::from_nanosecond(i128::from(nanos)).map_err(|error| foreign(column, Box::new(error)))
}

/// This many seconds before a moment; a span too long to count reaches back to the beginning.
pub(crate) fn before(at: i64, seconds: i64) -> i64 {
    at.saturating_sub(seconds.saturating_mul(SECOND))
}

/// A recovery class as its letter.
pub(crate) fn class_word(class: Recovery) -> &'static str {
    match class {
        Recovery::A => "A",
        Recovery::B => "B",
        Recovery::C => "C",
        Recovery::D => "D",
        Recovery::R => "R",
    }
}

/// The class again.
pub(crate) fn class(column: usize, word: &str) -> rusqlite::Result<Recovery> {
    [Recovery::A, Recovery::B, Recovery::C, Recovery::D, Recovery::R]
        .into_iter()
        .find(|class| class_word(*class) == word)
        .ok_or_else(|| unknown(column, word))
}

/// A message's class as its word.
pub(crate) fn outgoing_word(class: OutgoingClass) -> &'static str {
    match class {
        OutgoingClass::Reply => "reply",
        OutgoingClass::Message => "message",
    }
}

/// The class again.
pub(crate) fn outgoing(column: usize, word: &str) -> rusqlite::Result<OutgoingClass> {
    [OutgoingClass::Reply, OutgoingClass::Message]
        .into_iter()
        .find(|class| outgoing_word(*class) == word)
        .ok_or_else(|| unknown(column, word))
}

/// How a send ended, as its word.
pub(crate) fn send_word(outcome: SendOutcome) -> &'static str {
    match outcome {
        SendOutcome::Sent => "sent",
        SendOutcome::Unknown => "unknown",
        SendOutcome::Cancelled => "cancelled",
    }
}

/// A column that holds something this program cannot read.
pub(crate) fn foreign(column: usize, error: Box<dyn std::error::Error + Send + Sync>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error)
}

fn unknown(column: usize, word: &str) -> rusqlite::Error {
    foreign(column, format!("unknown word `{word}`").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_survive_and_spans_do_not_overflow() {
        let at: Timestamp = "2026-11-15T10:00:00.123456789Z".parse().unwrap();
        assert_eq!(moment(0, nanos(at)).unwrap(), at);
        assert_eq!(nanos(Timestamp::MAX), i64::MAX);
        assert_eq!(nanos(Timestamp::MIN), 0);
        assert_eq!(before(5 * SECOND, 2), 3 * SECOND);
        assert!(before(0, i64::MAX) < 0);
    }

    #[test]
    fn every_word_comes_back_and_no_other() {
        for each in [Recovery::A, Recovery::B, Recovery::C, Recovery::D, Recovery::R] {
            assert_eq!(class(0, class_word(each)).unwrap(), each);
        }
        for each in [OutgoingClass::Reply, OutgoingClass::Message] {
            assert_eq!(outgoing(0, outgoing_word(each)).unwrap(), each);
        }
        assert!(class(0, "E").is_err());
        assert!(outgoing(0, "shout").is_err());
    }
}
