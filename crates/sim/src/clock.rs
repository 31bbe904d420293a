//! A clock that a script moves: it starts where it is told and stands still until somebody moves it.
//!
//! Invariant: two clocks with the same start and seed tell the same times and make the same nonces, so a run repeats.

use std::sync::{Mutex, PoisonError};

use countersign_runtime::ports::Clock;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};

/// A clock that stands still until it is moved.
#[derive(Debug)]
pub struct ManualClock {
    seed: u64,
    hands: Mutex<Hands>,
}

#[derive(Debug)]
struct Hands {
    now: Timestamp,
    nonces: u64,
}

impl ManualClock {
    /// A clock that stands at `start`. The seed keeps the nonces of two runs on the same data apart.
    #[must_use]
    pub fn new(start: Timestamp, seed: u64) -> Self {
        Self { seed, hands: Mutex::new(Hands { now: start, nonces: 0 }) }
    }

    /// Moves the clock; a negative length moves it back. At the end of time it stops.
    pub fn advance(&self, by: SignedDuration) {
        let end = if by.is_negative() { Timestamp::MIN } else { Timestamp::MAX };
        self.with(|hands| hands.now = hands.now.checked_add(by).unwrap_or(end));
    }

    /// Puts the clock to another time.
    pub fn set(&self, now: Timestamp) {
        self.with(|hands| hands.now = now);
    }

    fn with<T>(&self, work: impl FnOnce(&mut Hands) -> T) -> T {
        // Two numbers are whole even if another thread died while holding the lock.
        work(&mut self.hands.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.with(|hands| hands.now)
    }

    fn nonce(&self) -> String {
        let number = self.with(|hands| {
            hands.nonces += 1;
            hands.nonces
        });
        let hash = Sha256::new().chain_update(self.seed.to_be_bytes()).chain_update(number.to_be_bytes()).finalize();
        hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stands_still_until_it_is_moved() {
        let start: Timestamp = "2026-11-16T15:00:00Z".parse().unwrap();
        let clock = ManualClock::new(start, 1);
        assert_eq!((clock.now(), clock.now()), (start, start));
        clock.advance(SignedDuration::from_mins(6));
        assert_eq!(clock.now().to_string(), "2026-11-16T15:06:00Z");
        clock.advance(SignedDuration::from_mins(-7));
        assert_eq!(clock.now().to_string(), "2026-11-16T14:59:00Z");
        clock.advance(SignedDuration::MAX);
        assert_eq!(clock.now(), Timestamp::MAX);
        clock.set(start);
        assert_eq!(clock.now(), start);
    }

    #[test]
    fn nonces_differ_within_a_run_and_repeat_between_equal_runs() {
        let nonces = |seed| {
            let clock = ManualClock::new(Timestamp::UNIX_EPOCH, seed);
            [clock.nonce(), clock.nonce(), clock.nonce()]
        };
        assert_eq!(nonces(7), nonces(7));
        assert_ne!(nonces(7), nonces(8));
        assert_ne!(nonces(7)[0], nonces(7)[1]);
        assert_eq!(nonces(7)[0].len(), 32);
    }
}
