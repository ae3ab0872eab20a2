//! What running a model's patterns showed.

use crate::receipt::Receipt;
use serde::{Serialize, Serializer};

/// What was found for each pattern.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PatternsReport {
    /// The model's name.
    pub model: String,
    /// Its table.
    pub table: String,
    /// One for each pattern, in the model's order.
    pub patterns: Vec<PatternRun>,
}

impl PatternsReport {
    /// Whether every pattern that ran is as proved, and one ran at least: a sheet of which nothing ran shows nothing.
    #[must_use]
    pub fn holds(&self) -> bool {
        let mut ran = self.patterns.iter().filter(|run| run.skipped.is_none());
        (self.patterns.is_empty() || ran.clone().next().is_some())
            && ran.all(|run| run.differences.is_empty())
    }

    /// Whether a read was not run for lack of an example.
    #[must_use]
    pub fn lacks_example(&self) -> bool {
        let mut runs = self.patterns.iter();
        runs.any(|run| run.skipped == Some(Skip::NoExample))
    }
}

/// One pattern, as planned and as it was.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PatternRun {
    /// Its name.
    pub pattern: String,
    /// What it does: `in follows`.
    pub access: String,
    /// Why it was not run.
    pub skipped: Option<Skip>,
    /// The source of the edge that it was run with.
    pub source: Option<String>,
    /// The target of that edge.
    pub target: Option<String>,
    /// Which of the two it read, where it reads one of them alone.
    pub id: Option<String>,
    /// The proof's requests, priced for what was read or written.
    pub planned: Vec<Asked>,
    /// The requests that were sent.
    pub sent: Vec<Asked>,
    /// Whether the list goes on: only its first page is read, of the pattern's items or 1 MB.
    pub more: bool,
    /// How the two differ; empty where the proof holds.
    pub differences: Vec<String>,
    /// What the pattern's own requests cost; what was written around them is not in it.
    #[serde(skip)]
    pub receipts: Vec<Receipt>,
}

/// Why a pattern was not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    /// It writes, and only reads were asked for.
    Writes,
    /// A find is a request of the application's own.
    Find,
    /// No ids were given, and none stand among the first items of the table.
    NoExample,
}

impl Skip {
    /// In words: `no example was found; name one`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Writes => "it writes, and was not asked to",
            Self::Find => "a find is not sent by the layer",
            Self::NoExample => "no example was found; name one",
        }
    }
}

impl Serialize for Skip {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

/// A request, or the pages of one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Asked {
    /// Operation.
    pub operation: &'static str,
    /// Index.
    pub index: Option<String>,
    /// `strong` or `eventual`, of reads.
    pub consistency: Option<&'static str>,
    /// Requests: pages of a list.
    pub requests: u64,
    /// Items that it read or wrote, where that is known.
    pub items: Option<u64>,
    /// Their bytes.
    pub bytes: Option<u64>,
    /// Read units.
    pub read_units: f64,
    /// Write units, indexes included.
    pub write_units: f64,
}
