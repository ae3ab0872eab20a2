//! What a store can fail with.

use std::path::Path;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What a store can fail with. Cheap to clone, because one failed sync answers every commit of its group.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused or broke an operation.
    #[error("{context}: {message}")]
    Io {
        /// What was being done, with the file.
        context: String,
        /// What kind of failure it is.
        kind: std::io::ErrorKind,
        /// The system's words.
        message: String,
    },
    /// Bytes on disk are not what was written.
    #[error("{file} is damaged{}: {detail}", at_byte(*offset))]
    Corrupt {
        /// File.
        file: String,
        /// Offset in it; 0 also where it is not known.
        offset: u64,
        /// What is wrong.
        detail: String,
    },
    /// The directory was written by a newer version, or by something else.
    #[error("{path} cannot be opened: {detail}")]
    Format {
        /// The marker file.
        path: String,
        /// What it says and what is understood.
        detail: String,
    },
    /// Another process has the data directory open.
    #[error("{path} is open in another process{}", in_brackets(*pid))]
    InUse {
        /// The directory.
        path: String,
        /// Its holder; 0 when it could not be told.
        pid: u32,
        /// Where its holder said that it can be talked to.
        address: Option<String>,
    },
    /// An earlier write or sync failed, or there was no room to begin with writing; the store only reads until it is
    /// opened anew.
    #[error("the store is read-only since a write failed: {0}")]
    Poisoned(String),
    /// Keys have at least one byte.
    #[error("a key is empty")]
    EmptyKey,
    /// A key, value or batch over the store's limit.
    #[error("{0}")]
    TooLarge(String),
    /// The store has been closed.
    #[error("the store is closed")]
    Closed,
    /// Nobody was ever given this commit number.
    #[error("commit {0} was never given out")]
    UnknownCommit(u64),
    /// Writes wait for space that does not come: merging cannot keep up, or has failed.
    #[error("the store cannot take writes now: {0}")]
    Stalled(String),
}

fn at_byte(offset: u64) -> String {
    match offset {
        0 => String::new(),
        offset => format!(" at byte {offset}"),
    }
}

fn in_brackets(pid: u32) -> String {
    match pid {
        0 => String::new(),
        pid => format!(" (pid {pid})"),
    }
}

/// Whether a failure says that there is no room.
pub(crate) fn is_full(kind: std::io::ErrorKind) -> bool {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    matches!(kind, StorageFull | QuotaExceeded)
}

impl Error {
    /// Whether there was no room for a write: only more room can help.
    pub(crate) fn is_full(&self) -> bool {
        matches!(self, Self::Io { kind, .. } if is_full(*kind))
    }

    /// Wraps an operating system error with what was being done to which file.
    pub(crate) fn io(doing: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::Io {
            context: format!("{doing} {}", path.display()),
            kind: error.kind(),
            message: error.to_string(),
        }
    }
}
