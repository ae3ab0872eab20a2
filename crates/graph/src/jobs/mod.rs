//! Jobs: work of many steps that stands in the table, so that any process can go on with it.
//!
//! A job is an item: what it is about, how far it is, who works on it and until when. Whoever works on it holds a lease
//! and a fence number that rises with each taking; how far it is is saved only under that number, so a worker that was
//! slow and lost its lease can save nothing. Every step can be repeated: a worker that dies is followed by another one
//! that repeats at most the last step. Invariant: killed after any request and run again, a job ends as if it had never been
//! killed.

mod fields;
mod item;
mod keep;
mod lease;
mod run;
mod work;

pub(crate) use fields::Fields;
pub(crate) use item::{imagined_job, job_key};
pub(crate) use keep::Plan;
pub(crate) use work::{Next, Work};

use std::time::Duration;

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobKind {
    /// Deletes an entity with all its edges.
    Cascade,
    /// Looks for what is wrong in the table, and repairs it where asked to.
    Verify,
    /// Gives edges the index attributes that they lack, and the table its index.
    Backfill,
    /// Makes edges of lists of ids.
    Lists,
    /// Removes second copies of edges.
    Twins,
}

impl JobKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [
        Self::Cascade,
        Self::Verify,
        Self::Backfill,
        Self::Lists,
        Self::Twins,
    ];

    /// Its word: `cascade`, `verify`, `backfill`, `lists`, `twins`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cascade => "cascade",
            Self::Verify => "verify",
            Self::Backfill => "backfill",
            Self::Lists => "lists",
            Self::Twins => "twins",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobState {
    /// It is to be worked on; somebody may be doing it ([`Job::lease`]).
    Open,
    /// Nobody works on it until it is resumed.
    Paused,
    /// Done.
    Done,
    /// Given up by the worker, for [`Job::failure`]; it may be resumed.
    Failed,
    /// Called off before it changed anything that stays.
    Cancelled,
}

impl JobState {
    /// Every state.
    pub const ALL: [Self; 5] = [
        Self::Open,
        Self::Paused,
        Self::Done,
        Self::Failed,
        Self::Cancelled,
    ];

    /// Its word: `open`, `paused`, `done`, `failed`, `cancelled`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Paused => "paused",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }
}

/// Capacity that a job may use, in units a second. `None`: as much as it gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    /// Write units a second.
    pub write: Option<u32>,
    /// Read units a second.
    pub read: Option<u32>,
}

/// Who works on a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The worker.
    pub holder: String,
    /// Until when, in milliseconds since 1970, by the worker's clock.
    pub until: u64,
}

/// A job as it stands in the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Its id.
    pub id: String,
    /// What it does.
    pub kind: JobKind,
    /// Where it stands.
    pub state: JobState,
    /// Its part: `close`, `edges`, … The kind says what they mean.
    pub phase: String,
    /// What it is about, in words: `actor alice`.
    pub about: String,
    /// What it has done so far, by name. Of a step that was repeated after a kill, a little may be missing.
    pub progress: Vec<(String, u64)>,
    /// Milliseconds since 1970.
    pub created_at: u64,
    /// Milliseconds since 1970.
    pub updated_at: u64,
    /// Who works on it, where somebody does or did until he died.
    pub lease: Option<Lease>,
    /// How often it was taken up.
    pub fence: u64,
    /// What it may use.
    pub budget: Budget,
    /// It can be called off: it has changed nothing yet that would stay.
    pub cancellable: bool,
    /// Why it failed.
    pub failure: Option<String>,
    /// What its kind needs to know; set once.
    pub(crate) spec: Fields,
    /// Where its kind is.
    pub(crate) place: Fields,
}

impl Job {
    /// One number of its progress; 0 where it has not come to it.
    #[must_use]
    pub fn tally(&self, name: &str) -> u64 {
        let found = self.progress.iter().find(|(n, _)| n == name);
        found.map_or(0, |(_, count)| *count)
    }
}

/// What steering a job did.
#[derive(Debug, Clone, PartialEq)]
pub enum Steered {
    /// It is as asked.
    Done(Job),
    /// It is in a state, or so far, that does not allow it.
    Refused(Job),
    /// There is no such job.
    NotFound,
}

/// How working on a job ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ran {
    /// The job is done, or called off.
    Ended(Job),
    /// The observer stopped the work; the job stays open.
    Stopped(Job),
    /// It was paused, or was not open to begin with.
    NotOpen(Job),
    /// Somebody else works on it.
    Taken(Job),
    /// There is no such job.
    NotFound,
}

/// Who watches the work on a job.
pub trait JobObserver: Send {
    /// After each step.
    fn progress(&mut self, job: &Job) {
        let _ = job;
    }
    /// Whether to stop after this step.
    fn stop(&mut self) -> bool {
        false
    }
}

/// Watches nothing.
impl JobObserver for () {}

/// How long a lease lasts without a step. A step takes a second or so; a worker that does not come back for this long is
/// taken for dead.
pub(crate) const LEASE: Duration = Duration::from_secs(30);
