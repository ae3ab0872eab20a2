//! The doctor: each trap of the pattern, looked for in a model and in its table, with evidence and a repair.
//!
//! It reads and never writes. What it advises are commands: migrations, which have a dry run, `verify --repair`, or a change
//! of the model.

mod model;
mod table;

use crate::env::Environment;
use crate::error::Result;
use crate::graph::Graph;
use crate::model::Model;
use crate::receipt::{Done, Receipt};
use bothways_protocol::{Context, DynamoDb};
use std::sync::Arc;

/// A trap of the pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Trap {
    /// Ids in a list on the entity instead of edges: 400 KB at most, and whoever writes last wins.
    ListAttribute,
    /// Data of edges or peers copied onto the entity: it goes stale.
    CopiedData,
    /// Edges written twice, with their ids swapped: the copies drift apart.
    TwinEdges,
    /// Edges without the attributes of the index that should list them.
    UnindexedEdges,
    /// A count that has to be taken from the list.
    DerivedCount,
    /// A key that takes more than a partition gives.
    HotKey,
    /// An index that copies more, or less, than is read from it.
    Projection,
    /// A list by an index, read as if it were consistent.
    ConsistentList,
    /// A local index where the partition key has to change.
    LocalIndex,
    /// A read that only a Scan could serve.
    Scan,
    /// A table that is not as the model says.
    Table,
    /// Anything else that the check of the model finds.
    Model,
}

impl Trap {
    /// `list-attribute`, `copied-data`, `twin-edges`, …
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ListAttribute => "list-attribute",
            Self::CopiedData => "copied-data",
            Self::TwinEdges => "twin-edges",
            Self::UnindexedEdges => "unindexed-edges",
            Self::DerivedCount => "derived-count",
            Self::HotKey => "hot-key",
            Self::Projection => "projection",
            Self::ConsistentList => "consistent-list",
            Self::LocalIndex => "local-index",
            Self::Scan => "scan",
            Self::Table => "table",
            Self::Model => "model",
        }
    }
}

/// A trap that a model or a table is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// The trap.
    pub trap: Trap,
    /// Where: `student.courseIds`, `relation follows`.
    pub place: String,
    /// What shows it.
    pub evidence: String,
    /// What to do.
    pub repair: String,
    /// A command that does it, as words behind `bothways`, with `MODEL` for the model.
    pub command: Option<Vec<String>>,
}

/// How to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DoctorOptions {
    /// Items of the table to look at; `None`: all.
    pub sample: Option<u64>,
}

impl Default for DoctorOptions {
    fn default() -> Self {
        Self {
            sample: Some(10_000),
        }
    }
}

/// What the doctor found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DoctorReport {
    /// Traps, those of the table first.
    pub diagnoses: Vec<Diagnosis>,
    /// Items looked at.
    pub sampled: u64,
    /// Whether that was all of the table.
    pub whole: bool,
    /// Whether there is a table.
    pub table: bool,
}

impl DoctorReport {
    /// The traps that a model shows by itself; it need not pass its check.
    #[must_use]
    pub fn of_model(model: &Model) -> Self {
        Self {
            diagnoses: model::examine(model),
            ..Self::default()
        }
    }

    /// Nothing was found.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.diagnoses.is_empty()
    }
}

/// Looks for every trap in a model, which need not pass its check, and in its table.
///
/// # Errors
/// What the database refuses. A table that is not there is no error.
pub async fn doctor(
    db: Arc<dyn DynamoDb>,
    env: Arc<dyn Environment>,
    model: &Model,
    cx: &Context,
    options: &DoctorOptions,
) -> Result<Done<DoctorReport>> {
    let graph = Graph::unchecked(db, model.clone(), env);
    let mut report = DoctorReport::default();
    let mut receipts: Vec<Receipt> = Vec::new();
    table::examine(&graph, cx, options, &mut report, &mut receipts).await?;
    report.diagnoses.extend(model::examine(model));
    Ok(Done::new(report, receipts))
}

impl Graph {
    /// The same for this graph's model and table.
    ///
    /// # Errors
    /// As [`doctor`].
    pub async fn doctor(
        &self,
        cx: &Context,
        options: &DoctorOptions,
    ) -> Result<Done<DoctorReport>> {
        let (db, env) = (Arc::clone(&self.db), Arc::clone(&self.env));
        doctor(db, env, &self.model, cx, options).await
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
