//! A folder of one's own that goes away with its owner.
//!
//! Invariant: the folder did not exist before, so nothing of anybody else is ever removed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Names tried before giving up: more than one collision means that something else is wrong.
const TRIES_MAX: u32 = 16;

/// A new, empty folder below the system's temporary one.
#[derive(Debug)]
pub struct TempFolder {
    path: PathBuf,
}

impl TempFolder {
    /// Makes the folder.
    ///
    /// # Errors
    /// The temporary folder of the system cannot be written to.
    pub fn new() -> io::Result<Self> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let base = std::env::temp_dir();
        let mut tries = 0;
        loop {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let now = jiff::Timestamp::now().as_nanosecond();
            let path = base.join(format!("countersign-{}-{now:x}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES_MAX => tries += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed is litter, not an error anybody could act on here.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_separate_and_go_away() {
        let (one, two) = (TempFolder::new().unwrap(), TempFolder::new().unwrap());
        assert_ne!(one.path(), two.path());
        std::fs::write(one.path().join("file"), "x").unwrap();
        let path = one.path().to_owned();
        drop(one);
        assert!(!path.exists() && two.path().exists());
    }
}
