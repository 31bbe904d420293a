//! Ends the process at a named point, the way a power cut does: no destructor runs, nothing is flushed.

use std::sync::atomic::{AtomicU32, Ordering};

use countersign_runtime::ports::Faults;

/// Kills this process when a point is reached for the n-th time.
#[derive(Debug)]
pub struct KillAt {
    point: String,
    left: AtomicU32,
}

impl KillAt {
    /// `point` for the first time it is reached, `point:3` for the third.
    ///
    /// # Errors
    /// The text behind the colon is not a number from 1.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (point, count) = match text.rsplit_once(':') {
            Some((point, count)) => (point, count.parse().ok().filter(|count| *count > 0)),
            None => (text, Some(1)),
        };
        let count: u32 = count.ok_or_else(|| format!("`{text}` does not end in a number from 1"))?;
        Ok(Self { point: point.to_owned(), left: AtomicU32::new(count) })
    }

    /// True when this visit of a point is the one to die at.
    fn is_due(&self, point: &str) -> bool {
        point == self.point && self.left.fetch_sub(1, Ordering::Relaxed) == 1
    }
}

impl Faults for KillAt {
    fn at(&self, point: &'static str) {
        if !self.is_due(point) {
            return;
        }
        let pid = std::process::id().to_string();
        // SIGKILL rather than `abort`: neither handlers nor buffers may get a last word.
        let _ = std::process::Command::new("kill").args(["-9", &pid]).status();
        loop {
            std::thread::park();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_visit_is_due_and_no_other() {
        let visits = |text: &str, point: &str| -> Vec<bool> {
            let kill = KillAt::parse(text).unwrap();
            (0..4).map(|_| kill.is_due(point)).collect()
        };
        assert_eq!(visits("intended", "intended"), [true, false, false, false]);
        assert_eq!(visits("intended:3", "intended"), [false, false, true, false]);
        assert_eq!(visits("intended:3", "ingested"), [false; 4]);
        for wrong in ["intended:", "intended:0", "intended:x", "intended:-1"] {
            assert!(KillAt::parse(wrong).is_err(), "{wrong}");
        }
    }
}
