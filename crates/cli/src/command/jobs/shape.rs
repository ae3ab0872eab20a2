//! A job as text and as JSON.

use crate::failure::Exit;
use crate::print::{Paint, Tint, thousands, utc, visible};
use crate::report::{Advice, Report};
use bothways_graph::{Job, JobState, Receipt};
use serde_json::{Map, Value as Json, json};

/// `2026-11-30 17:00:00`, from milliseconds.
pub(super) fn moment(millis: u64) -> String {
    let seconds = i64::try_from(millis / 1000).unwrap_or(i64::MAX);
    utc(seconds).unwrap_or_else(|| millis.to_string())
}

/// `1,003 deleted, 3 passes`.
pub(super) fn progress(job: &Job) -> String {
    let parts = job.progress.iter();
    let parts: Vec<String> = parts
        .map(|(name, count)| format!("{} {name}", thousands(*count)))
        .collect();
    parts.join(", ")
}

pub(super) fn job_json(job: &Job) -> Json {
    let progress: Map<String, Json> = job
        .progress
        .iter()
        .map(|(name, count)| (name.clone(), json!(count)))
        .collect();
    let lease = job.lease.as_ref();
    json!({
        "id": job.id,
        "kind": job.kind.as_str(),
        "state": job.state.as_str(),
        "phase": job.phase,
        "about": job.about,
        "progress": progress,
        "created_at": job.created_at,
        "updated_at": job.updated_at,
        "lease": lease.map(|l| json!({ "holder": l.holder, "until": l.until })),
        "taken": job.fence,
        "write_units": job.budget.write,
        "read_units": job.budget.read,
        "cancellable": job.cancellable,
        "failure": job.failure,
    })
}

/// One job.
pub(crate) struct JobReport {
    model: String,
    job: Job,
    receipts: Vec<Receipt>,
}

impl JobReport {
    pub(crate) fn new(model: &str, job: Job, receipts: Vec<Receipt>) -> Self {
        Self {
            model: model.to_owned(),
            job,
            receipts,
        }
    }
}

impl Report for JobReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let job = &self.job;
        let (word, tint) = match job.state {
            JobState::Open => ("Open", Tint::Strong),
            JobState::Paused => ("Paused", Tint::Warn),
            JobState::Done => ("Done", Tint::Good),
            JobState::Failed => ("Failed", Tint::Warn),
            JobState::Cancelled => ("Cancelled", Tint::Quiet),
        };
        let pad = " ".repeat(11 - word.len());
        let mut line = format!(
            "{}{pad}{} of {}   job {}, at {}",
            paint.paint(tint, word),
            job.kind.as_str(),
            visible(&job.about),
            job.id,
            job.phase
        );
        let progress = progress(job);
        if !progress.is_empty() {
            line.push_str("   ");
            line.push_str(&progress);
        }
        let failure = job
            .failure
            .iter()
            .map(|why| format!("           {}", visible(why)));
        std::iter::once(line).chain(failure).collect()
    }

    fn members(&self) -> Map<String, Json> {
        match job_json(&self.job) {
            Json::Object(members) => members,
            _ => Map::new(),
        }
    }

    fn receipts(&self) -> &[Receipt] {
        &self.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        let (model, id) = (self.model.as_str(), self.job.id.as_str());
        match self.job.state {
            JobState::Open => vec![Advice::run("go on", &["jobs", "run", model, id])],
            JobState::Paused | JobState::Failed => {
                vec![Advice::run("open it again", &["jobs", "resume", model, id])]
            }
            JobState::Done | JobState::Cancelled => Vec::new(),
        }
    }

    fn exit(&self) -> Exit {
        match self.job.state {
            JobState::Failed => Exit::No,
            _ => Exit::Done,
        }
    }
}
