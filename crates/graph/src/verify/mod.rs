//! Verifying a table while it is written to, and repairing it.
//!
//! One pass over the table looks at every item: edges for their keys, index attributes and ends; entities for their
//! counters. A repair takes two, the edges first: a counter is compared with what its list holds. A counter is compared with its edges like this: the counter is read, after a grace the edges are counted, the counter is
//! read again. If its companion (`…Ops`, which every transaction that moves the counter raises) has not moved meanwhile, no edge of it came
//! or went, and the grace has let indexes and half-seen transactions come to rest: the count is that of the counter's moment. Only
//! the same mismatch twice is drift, and a repair is conditional on the companion, so a correct counter is never
//! reported and never changed. A counter that does not hold still long enough is reported as busy.
//!
//! A counter that comes from the stream is behind its edges by what its consumer has not counted yet. That is read from the
//! stream behind the consumer's checkpoints, before and after the grace: where it is the same both times, the counter and what
//! waits for it have to be the edges together.

mod counter;
mod edge;
mod repair;
mod scan;
mod waiting;

pub(crate) use edge::{IndexAttribute, index_attributes};
pub(crate) use scan::{Kind, key_of, kind, page, step};

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::jobs::{Budget, Fields, Job, JobKind, JobObserver, Plan, Ran};
use crate::receipt::Done;
use bothways_core::Value;
use bothways_protocol::Context;
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::collections::BTreeMap;
use std::time::Duration;

/// How to verify.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyOptions {
    /// Capacity that it may use.
    pub budget: Budget,
    /// Time for which a counter must hold still before its edges are counted: longer than the index usually lags.
    pub grace: Duration,
    /// Repair what is found, as far as it can be.
    pub repair: bool,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        Self {
            budget: Budget::default(),
            grace: Duration::from_secs(5),
            repair: false,
        }
    }
}

/// What can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// A counter is not the number of its edges.
    Counter,
    /// An edge's end is not there, where the model wants it.
    Dangling,
    /// An item among the edges whose key names no edge.
    Key,
    /// An edge lacks attributes of an index, so that it is missing in a list.
    MissingIndex,
    /// An edge stands under another key of an index than its ends say.
    WrongIndex,
    /// An edge stands in a shard that no list reads.
    Shard,
}

impl FindingKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::Counter,
        Self::Dangling,
        Self::Key,
        Self::MissingIndex,
        Self::WrongIndex,
        Self::Shard,
    ];

    /// `counter`, `dangling`, `key`, `missing-index`, `wrong-index` or `shard`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Dangling => "dangling",
            Self::Key => "key",
            Self::MissingIndex => "missing-index",
            Self::WrongIndex => "wrong-index",
            Self::Shard => "shard",
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

impl Serialize for FindingKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// The item: `PK = ACTOR#bob, SK = PROFILE`.
    pub key: String,
    /// What is wrong with it: `followers is 4, and the number of its edges is 3`; repaired, `followers was 4, …`.
    pub what: String,
    /// It was repaired.
    pub repaired: bool,
}

/// What a verification has found so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerifyReport {
    /// Edges looked at.
    pub edges: u64,
    /// Entities looked at.
    pub entities: u64,
    /// Counters compared.
    pub counters: u64,
    /// Counters that never held still. They are not known to be wrong.
    pub busy: u64,
    /// Of the counters, those that come from the stream.
    pub streamed: u64,
    /// How far these were behind at most: the age of the oldest change that was not counted yet, in milliseconds. `None`
    /// where nothing was known of it: there are none, or the stream was not read for longer than it keeps records.
    pub lag: Option<u64>,
    /// Items that are neither entities nor edges of the model.
    pub foreign: u64,
    /// How much is wrong, by kind, in the order of [`FindingKind::ALL`]; kinds without findings are left out.
    pub found: Vec<(FindingKind, u64)>,
    /// How much of that was repaired.
    pub repaired: u64,
    /// The first findings, at most [`MOST_FINDINGS`].
    pub findings: Vec<Finding>,
}

/// As the command line and the HTTP API give it: with whether it is clean and mended, and what was found by kind.
impl Serialize for VerifyReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let found: BTreeMap<&str, u64> = self
            .found
            .iter()
            .map(|(kind, count)| (kind.as_str(), *count))
            .collect();
        let mut out = serializer.serialize_struct("VerifyReport", 12)?;
        out.serialize_field("clean", &self.is_clean())?;
        out.serialize_field("mended", &self.is_mended())?;
        out.serialize_field("edges", &self.edges)?;
        out.serialize_field("entities", &self.entities)?;
        out.serialize_field("counters", &self.counters)?;
        out.serialize_field("busy", &self.busy)?;
        out.serialize_field("streamed", &self.streamed)?;
        out.serialize_field("lag_milliseconds", &self.lag)?;
        out.serialize_field("foreign", &self.foreign)?;
        out.serialize_field("found", &found)?;
        out.serialize_field("repaired", &self.repaired)?;
        out.serialize_field("findings", &self.findings)?;
        out.end()
    }
}

/// Findings that a report names; of others it has the number.
pub const MOST_FINDINGS: usize = 100;

impl VerifyReport {
    /// Nothing is wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.found.is_empty()
    }

    /// Nothing is wrong any more.
    #[must_use]
    pub fn is_mended(&self) -> bool {
        self.repaired == self.found.iter().map(|(_, count)| *count).sum::<u64>()
    }

    /// The report of a verifying job, as far as it is; `None` for a job of another kind.
    #[must_use]
    pub fn of(job: &Job) -> Option<Self> {
        if job.kind != JobKind::Verify {
            return None;
        }
        let found = FindingKind::ALL.map(|kind| (kind, job.tally(kind.as_str())));
        Some(Self {
            edges: job.tally("edges"),
            entities: job.tally("entities"),
            counters: job.tally("counters"),
            busy: job.tally("busy"),
            streamed: job.tally("streamed"),
            lag: job.place.number("lag"),
            foreign: job.tally("foreign"),
            found: found.into_iter().filter(|(_, count)| *count > 0).collect(),
            repaired: job.tally("repaired"),
            findings: findings(&job.place),
        })
    }
}

fn findings(place: &Fields) -> Vec<Finding> {
    let read = |value: &Value| {
        let Value::M(map) = value else { return None };
        let text = |name: &str| match map.get(name) {
            Some(Value::S(text)) => Some(text.clone()),
            _ => None,
        };
        Some(Finding {
            kind: FindingKind::of_word(&text("kind")?)?,
            key: text("key")?,
            what: text("what")?,
            repaired: map.get("repaired") == Some(&Value::Bool(true)),
        })
    };
    place.list("findings").iter().filter_map(read).collect()
}

impl Finding {
    fn value(&self) -> Value {
        Value::M(BTreeMap::from([
            ("kind".to_owned(), Value::from(self.kind.as_str())),
            ("key".to_owned(), Value::from(self.key.as_str())),
            ("what".to_owned(), Value::from(self.what.as_str())),
            ("repaired".to_owned(), Value::Bool(self.repaired)),
        ]))
    }
}

impl Graph {
    /// Makes the job that verifies the model's table; [`Graph::run_job`] does it, and [`VerifyReport::of`] reads what it found.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn verify(&self, cx: &Context, options: &VerifyOptions) -> Result<Done<Job>> {
        self.make_job(cx, self.verify_plan(options)).await
    }

    /// Verifies the model's table and writes nothing, not even a job: for those who may only read. Stopped, it cannot be taken
    /// up again.
    ///
    /// # Errors
    /// [`Error::Option`] where it is to repair; what the database refuses.
    pub async fn verify_unsaved(
        &self,
        cx: &Context,
        options: &VerifyOptions,
        observer: &mut dyn JobObserver,
    ) -> Result<Done<Ran>> {
        if options.repair {
            return Err(Error::Option {
                option: "repair",
                why: "it writes, and without a job nothing is written".to_owned(),
            });
        }
        let job = self.new_job(self.verify_plan(options));
        self.run_unsaved(cx, job, observer).await
    }

    fn verify_plan(&self, options: &VerifyOptions) -> Plan {
        let mut spec = Fields::default();
        let grace = u64::try_from(options.grace.as_millis()).unwrap_or(u64::MAX);
        spec.set_number("grace", grace);
        spec.set("repair", Value::Bool(options.repair));
        Plan {
            kind: JobKind::Verify,
            about: format!("table {}", self.model.table),
            phase: if options.repair { scan::EDGES } else { "scan" },
            cancellable: !options.repair,
            budget: options.budget,
            spec,
        }
    }
}
