//! Turns library errors into the port's `StoreError`, saying what was attempted and where.
//!
//! Invariant: the cause is kept as the source, never folded into the message.

use std::error::Error;
use std::path::Path;

use countersign_runtime::ports::StoreError;
use rusqlite::ErrorCode;

/// A cause with the file it happened in.
#[derive(Debug, thiserror::Error)]
#[error("in `{path}`")]
struct At {
    path: String,
    #[source]
    source: Box<dyn Error + Send + Sync>,
}

/// A refusal of our own, where no library error exists.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Because(String);

/// Names what was attempted.
pub(crate) trait Doing<T> {
    /// The same result, as a `StoreError`.
    fn doing(self, doing: &'static str) -> Result<T, StoreError>;
    /// The same, with the file.
    fn doing_at(self, doing: &'static str, path: &Path) -> Result<T, StoreError>;
}

impl<T, E: Into<Box<dyn Error + Send + Sync>>> Doing<T> for Result<T, E> {
    fn doing(self, doing: &'static str) -> Result<T, StoreError> {
        self.map_err(|error| StoreError::Failed { doing, source: error.into() })
    }

    fn doing_at(self, doing: &'static str, path: &Path) -> Result<T, StoreError> {
        self.map_err(|error| StoreError::Failed {
            doing,
            source: Box::new(At { path: path.display().to_string(), source: error.into() }),
        })
    }
}

/// A failure with a reason of our own.
pub(crate) fn failed(doing: &'static str, because: impl Into<String>) -> StoreError {
    StoreError::Failed { doing, source: Box::new(Because(because.into())) }
}

/// The same, in a file.
pub(crate) fn failed_at(doing: &'static str, path: &Path, because: impl Into<String>) -> StoreError {
    let source = Box::new(Because(because.into()));
    StoreError::Failed { doing, source: Box::new(At { path: path.display().to_string(), source }) }
}

/// The same error once more, for the other jobs of a batch.
pub(crate) fn again(error: &StoreError) -> StoreError {
    match error {
        StoreError::Failed { doing, source } => failed(doing, causes(source.as_ref())),
        StoreError::InUse { path } => StoreError::InUse { path: path.clone() },
        StoreError::FutureSchema { path, found, known } => {
            StoreError::FutureSchema { path: path.clone(), found: *found, known: *known }
        }
        StoreError::Corrupt { path, what } => StoreError::Corrupt { path: path.clone(), what: what.clone() },
        StoreError::Fenced => StoreError::Fenced,
    }
}

/// True when the disk or the file itself is at fault: nothing more may be written to it.
pub(crate) fn is_fatal(error: &StoreError) -> bool {
    match error {
        StoreError::Failed { source, .. } => source.downcast_ref::<rusqlite::Error>().is_some_and(is_fatal_code),
        StoreError::Corrupt { .. } => true,
        StoreError::InUse { .. } | StoreError::FutureSchema { .. } | StoreError::Fenced => false,
    }
}

/// True when SQLite says that the file's content is not what it should be.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

fn is_fatal_code(error: &rusqlite::Error) -> bool {
    is_damage(error) || matches!(error.sqlite_error_code(), Some(ErrorCode::SystemIoFailure))
}

fn causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}
