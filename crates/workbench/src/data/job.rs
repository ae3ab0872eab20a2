//! One job: what it is to do, how far it is, and who may say what to it.

use super::{Shared, export, import, reset};
use crate::answer::{Refusal, Result};
use http::StatusCode;
use parking_lot::Mutex;
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Rejected rows that are told one by one; the others are counted.
const REJECTS: usize = 100;

/// What a job does.
pub(super) enum Work {
    /// Rows of a file into a table.
    Import(import::Import),
    /// A table's items into a file.
    Export(export::Export),
    /// A table back to what a backup has.
    Reset(reset::Reset),
}

/// Where a job is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Phase {
    /// At work.
    Running,
    /// It has done all that has arrived of its file.
    Waiting,
    /// Told to pause.
    Paused,
    /// All done.
    Done,
    /// It cannot go on.
    Failed,
    /// Told to stop for good.
    Cancelled,
}

/// A row that was not taken.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Reject {
    /// The line or record of the file, from 1.
    pub(super) line: u64,
    pub(super) why: String,
}

/// How far a job is.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Progress {
    pub(super) phase: Phase,
    /// Bytes of the file, and how many have arrived and are done. Of an export: bytes written so far.
    pub(super) size: u64,
    pub(super) received: u64,
    pub(super) done: u64,
    /// Rows read, items written, rows not taken.
    pub(super) rows: u64,
    pub(super) written: u64,
    pub(super) rejected: u64,
    pub(super) rejects: Vec<Reject>,
    /// Items that there are about, where that is known.
    pub(super) estimate: Option<u64>,
    pub(super) error: Option<String>,
    /// Time at work, milliseconds.
    pub(super) millis: u64,
}

/// A job as the API shows it.
#[derive(Serialize)]
pub(crate) struct JobView {
    id: String,
    kind: &'static str,
    table: String,
    name: String,
    format: Option<&'static str>,
    #[serde(flatten)]
    progress: Progress,
}

/// What a step came to.
pub(super) enum Step {
    /// There is more to do.
    More,
    /// All that has arrived is done.
    Wait,
    /// All is done.
    End,
}

/// What somebody wants of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Run,
    Pause,
    Cancel,
}

struct State {
    progress: Progress,
    wanted: Wanted,
    /// Whether a task is at it.
    taken: bool,
}

pub(crate) struct Job {
    pub(super) id: String,
    pub(super) table: String,
    name: String,
    work: Work,
    state: Mutex<State>,
}

impl Job {
    pub(super) fn new(id: String, table: &str, name: &str, size: u64, work: Work) -> Self {
        let progress = Progress {
            phase: Phase::Waiting,
            size,
            received: 0,
            done: 0,
            rows: 0,
            written: 0,
            rejected: 0,
            rejects: Vec::new(),
            estimate: None,
            error: None,
            millis: 0,
        };
        Self {
            id,
            table: table.to_owned(),
            name: name.to_owned(),
            work,
            state: Mutex::new(State {
                progress,
                wanted: Wanted::Run,
                taken: false,
            }),
        }
    }

    pub(super) fn progress(&self) -> Progress {
        self.state.lock().progress.clone()
    }

    pub(super) fn view(&self) -> JobView {
        let (kind, format) = match &self.work {
            Work::Import(import) => ("import", Some(import.format.name())),
            Work::Export(export) => ("export", Some(export.format.name())),
            Work::Reset(_) => ("reset", None),
        };
        JobView {
            id: self.id.clone(),
            kind,
            table: self.table.clone(),
            name: self.name.clone(),
            format,
            progress: self.progress(),
        }
    }

    pub(super) fn is_export(&self) -> bool {
        matches!(self.work, Work::Export(_))
    }

    pub(super) fn is_over(&self) -> bool {
        let state = self.state.lock();
        !state.taken && state.progress.phase.is_over()
    }

    /// Changes what is known of how far it is.
    pub(super) fn note(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut self.state.lock().progress);
    }

    /// Notes a row that was not taken.
    pub(super) fn reject(&self, line: u64, why: String) {
        self.note(|progress| {
            progress.rejected += 1;
            if progress.rejects.len() < REJECTS {
                progress.rejects.push(Reject { line, why });
            }
        });
    }

    /// More of the file has arrived.
    pub(super) fn received(&self, bytes: u64) {
        self.note(|progress| progress.received += bytes);
    }

    /// Whether the caller is to run it: it wants to run, and nobody is at it.
    pub(super) fn take_up(&self) -> bool {
        let mut state = self.state.lock();
        let free = !state.taken && !state.progress.phase.is_over();
        if free && state.wanted == Wanted::Run {
            state.taken = true;
            state.progress.phase = Phase::Running;
            return true;
        }
        false
    }

    pub(super) fn pause(&self) {
        self.want(Wanted::Pause, Phase::Paused);
    }

    pub(super) fn resume(&self) -> Result<()> {
        let mut state = self.state.lock();
        if state.progress.phase.is_over() && state.progress.phase != Phase::Failed {
            return Err(over());
        }
        state.wanted = Wanted::Run;
        if state.progress.phase == Phase::Failed {
            state.progress.phase = Phase::Waiting;
            state.progress.error = None;
        }
        Ok(())
    }

    pub(super) fn cancel(&self) {
        self.want(Wanted::Cancel, Phase::Cancelled);
    }

    fn want(&self, wanted: Wanted, phase: Phase) {
        let mut state = self.state.lock();
        if state.progress.phase.is_over() {
            return;
        }
        state.wanted = wanted;
        if !state.taken {
            state.progress.phase = phase;
        }
    }

    /// Steps until the end, until it waits, or until somebody wants something else.
    pub(super) async fn run(self: Arc<Self>, shared: Arc<Shared>) {
        loop {
            let before = self.progress().received;
            let began = Instant::now();
            let step = match &self.work {
                Work::Import(import) => import.step(&self, &shared).await,
                Work::Export(export) => export.step(&self, &shared).await,
                Work::Reset(reset) => reset.step(&self, &shared).await,
            };
            if !self.go_on(step, before, began.elapsed()) {
                return;
            }
        }
    }

    fn go_on(
        &self,
        step: std::result::Result<Step, String>,
        received: u64,
        took: Duration,
    ) -> bool {
        let mut state = self.state.lock();
        state.progress.millis += u64::try_from(took.as_millis()).unwrap_or(0);
        // What arrived during the step is not waited for.
        let arrived = state.progress.received > received;
        let phase = match step {
            Err(error) => {
                state.progress.error = Some(error);
                Phase::Failed
            }
            Ok(Step::End) => Phase::Done,
            Ok(_) if state.wanted == Wanted::Cancel => Phase::Cancelled,
            Ok(_) if state.wanted == Wanted::Pause => Phase::Paused,
            Ok(Step::Wait) if !arrived => Phase::Waiting,
            Ok(_) => return true,
        };
        state.progress.phase = phase;
        state.taken = false;
        false
    }
}

impl Phase {
    pub(super) fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

pub(super) fn over() -> Refusal {
    Refusal::new(StatusCode::CONFLICT, "JobOver", "the job is over")
}
