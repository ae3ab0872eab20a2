//! Import: rows of a file to edges, in packed transactions; exact after any crash, and nothing is written twice.

mod checkpoint;
mod chunk;
mod columns;
mod lease;
mod lines;
mod pack;
mod rows;
mod run;
mod skew;

pub use skew::{SkewReport, Skewed};

use crate::receipt::Receipt;
use std::io::BufRead;
use std::time::Duration;

/// A file that cannot be read, or whose columns do not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// The operating system's word.
    #[error("{file}: {message}")]
    Io {
        /// File.
        file: String,
        /// What kind of fault it is.
        kind: std::io::ErrorKind,
        /// Its words.
        message: String,
    },
    /// A column that the header does not have.
    #[error("{file}: there is no column {column:?} in the header")]
    NoColumn {
        /// File.
        file: String,
        /// Asked for.
        column: String,
        /// What there is.
        header: Vec<String>,
    },
    /// More columns than the two ends, and nothing says what they are.
    #[error("{file}: {columns} columns and no header: which attributes are they?")]
    Unnamed {
        /// File.
        file: String,
        /// Columns.
        columns: usize,
    },
    /// A text that no field of a tab-separated file can hold.
    #[error(
        "{text:?} holds a tab or a line end or begins like a comment, and a tab-separated file cannot hold that"
    )]
    Unwritable {
        /// The text.
        text: String,
    },
    /// An import that was stopped half-way goes on with the file that it began with.
    #[error("{file}: its first {rows} rows are not those that an earlier import read")]
    Changed {
        /// File.
        file: String,
        /// Rows that the earlier import had finished.
        rows: u64,
    },
    /// Another process is importing the same file.
    #[error("{file}: another process is importing it")]
    Taken {
        /// File.
        file: String,
    },
}

/// How columns are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// `,`, with quoting.
    Comma,
    /// Tabs.
    Tab,
}

/// A column, by its name in the header or by its position from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// By name.
    Named(String),
    /// By position.
    At(usize),
}

/// How to read a file and how to send it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOptions {
    /// Separator; `None`: by the first line (a tab in it means tabs).
    pub separator: Option<Separator>,
    /// Whether the first line that is no comment names the columns; `None`: it does when it has the named columns, or
    /// names of the relation's entities or attributes.
    pub header: Option<bool>,
    /// Lines that start so are comments.
    pub comment: Option<char>,
    /// Source column; `None`: named like the source entity, `source`, `src` or `from`, else the first.
    pub source: Option<Column>,
    /// Target column; `None`: named like the target entity, `target`, `dst` or `to`, else the second.
    pub target: Option<Column>,
    /// Columns to attributes; `None`: every other column under its header's name.
    pub attributes: Option<Vec<(Column, String)>>,
    /// Transactions in flight.
    pub in_flight: usize,
    /// Rows held, sorted and packed at a time.
    pub window: usize,
    /// The file is nobody else's: whoever began to import it is dead. Otherwise an import that somebody else began is waited
    /// for until its lease has run out.
    pub take_over: bool,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            separator: None,
            header: None,
            comment: Some('#'),
            source: None,
            target: None,
            attributes: None,
            in_flight: 8,
            window: 131_072,
            take_over: false,
        }
    }
}

impl ImportOptions {
    /// Rows of a window, at least one.
    fn window_rows(&self) -> u64 {
        self.window.max(1) as u64
    }
}

/// Where rows come from.
pub struct ImportSource<'r> {
    /// Name, for messages and the checkpoint.
    pub name: String,
    /// The bytes, from the start.
    pub reader: Box<dyn BufRead + Send + 'r>,
    /// Bytes in all, where known (for progress).
    pub bytes: Option<u64>,
}

/// A row that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    /// Line in the file, from 1.
    pub line: u64,
    /// `target is empty`.
    pub reason: String,
    /// The line as it stands in the file.
    pub row: String,
}

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Bytes of the file read.
    pub bytes_read: u64,
    /// Bytes of the file, where known.
    pub bytes_total: Option<u64>,
    /// Rows read.
    pub rows: u64,
    /// Edges made.
    pub created: u64,
    /// Edges that were there.
    pub existing: u64,
    /// Rows rejected.
    pub rejected: u64,
    /// Time since the start.
    pub elapsed: Duration,
}

/// Told what happens during an import.
pub trait ImportObserver: Send {
    /// Something was done; called after every transaction.
    fn progress(&mut self, progress: &Progress) {
        let _ = progress;
    }
    /// A row was not taken.
    fn rejected(&mut self, reject: &Reject) {
        let _ = reject;
    }
    /// Another process holds the import of this file, or did until it died: it is waited for, so long at most.
    fn waiting(&mut self, most: Duration) {
        let _ = most;
    }
    /// Asked after every transaction: `true` ends the import after those in flight, resumable.
    fn stop(&mut self) -> bool {
        false
    }
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;
impl ImportObserver for Unobserved {}

/// What an import did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportReport {
    /// Rows read, comments and header not counted.
    pub rows: u64,
    /// Edges made.
    pub created: u64,
    /// Edges that were there already.
    pub existing: u64,
    /// Rows that repeat an edge of the same file.
    pub repeated: u64,
    /// Rows rejected.
    pub rejected: u64,
    /// Rows skipped because an earlier run had finished them.
    pub resumed_rows: u64,
    /// Writing transactions answered with success.
    pub transactions: u64,
    /// Every write request sent, refused ones and the checkpoint's included: 0 when everything was there.
    pub writes: u64,
    /// Stopped before the end.
    pub stopped: bool,
    /// Time.
    pub elapsed: Duration,
    /// Requests by kind.
    pub receipts: Vec<Receipt>,
}
