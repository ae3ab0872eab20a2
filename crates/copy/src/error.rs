//! Why a copy stopped.

use bothways_protocol::Error;

/// Which of the two places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Where the table is.
    Source,
    /// Where it goes.
    Destination,
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Source => "source",
            Self::Destination => "destination",
        })
    }
}

/// Why a copy stopped. What was copied stays, and the next run goes on from there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// A place refused, or did not answer.
    #[error("{side}: {error}")]
    Database {
        /// Which.
        side: Side,
        /// What it said.
        error: Error,
    },
    /// The source has no such table.
    #[error("the source has no table {0}")]
    NoTable(String),
    /// The destination's table is there and has items.
    #[error("table {0} has items at the destination already")]
    NotEmpty(String),
    /// The destination's table is there and is another kind of table.
    #[error("table {table} is there and differs in its {what}")]
    Differs {
        /// Its name.
        table: String,
        /// Keys, an index, …
        what: String,
    },
    /// The destination holds an unfinished copy of another table.
    #[error("the destination holds an unfinished copy of another source: {0}")]
    OtherCopy(String),
    /// The destination took nothing for so long that it was given up.
    #[error("the destination takes nothing: {0}")]
    Stalled(String),
    /// The caller said stop.
    #[error("stopped; the next run goes on from here")]
    Stopped,
}

pub(crate) type Result<T> = std::result::Result<T, CopyError>;

/// Says which side an error is of.
pub(crate) fn at(side: Side) -> impl Fn(Error) -> CopyError {
    move |error| CopyError::Database { side, error }
}
