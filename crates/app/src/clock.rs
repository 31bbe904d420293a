//! The clock of a trial run: the system's, or a fixed one; `/wait` moves it.
//!
//! Invariant: nonces come from the operating system whatever the clock shows, so two runs on the same data never draw
//! the same one.

use std::sync::{Mutex, PoisonError};

use countersign_runtime::ports::Clock;
use jiff::{SignedDuration, Timestamp};
use ring::rand::{SecureRandom, SystemRandom};

/// A clock that can be moved.
#[derive(Debug)]
pub(crate) struct TrialClock {
    fixed: Option<Timestamp>,
    moved: Mutex<SignedDuration>,
    random: SystemRandom,
}

impl TrialClock {
    /// A clock that stands at a time, or runs with the system's.
    pub(crate) fn new(fixed: Option<Timestamp>) -> Self {
        Self { fixed, moved: Mutex::new(SignedDuration::ZERO), random: SystemRandom::new() }
    }

    /// Moves the clock on.
    pub(crate) fn advance(&self, by: SignedDuration) {
        let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        *moved = moved.saturating_add(by);
    }
}

impl Clock for TrialClock {
    fn now(&self) -> Timestamp {
        let moved = *self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        self.fixed.unwrap_or_else(Timestamp::now).saturating_add(moved).unwrap_or(Timestamp::MAX)
    }

    fn nonce(&self) -> String {
        let mut bytes = [0_u8; 16];
        // Without randomness the text stays guessable, but a press on a button still only answers the open question.
        let _ = self.random.fill(&mut bytes);
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_clock_moves_only_when_it_is_moved() {
        let start: Timestamp = "2026-11-16T15:00:00Z".parse().unwrap();
        let clock = TrialClock::new(Some(start));
        assert_eq!((clock.now(), clock.now()), (start, start));
        clock.advance(SignedDuration::from_mins(6));
        assert_eq!(clock.now().to_string(), "2026-11-16T15:06:00Z");
        clock.advance(SignedDuration::MAX);
        assert_eq!(clock.now(), Timestamp::MAX);
        assert_ne!(clock.nonce(), clock.nonce());
    }
}
