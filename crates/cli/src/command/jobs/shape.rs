//! A job as text and as JSON.

use crate::failure::Exit;
use crate::print::{Paint, Tint, thousands, utc, visible};
use crate::report::{Advice, Report};
use bothways_graph::{FindingKind, Job, JobState, Receipt, VerifyReport};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write as _;

/// `2026-11-30 17:00:00`, from milliseconds.
pub(super) fn moment(millis: u64) -> String {
    let seconds = i64::try_from(millis / 1000).unwrap_or(i64::MAX);
    utc(seconds).unwrap_or_else(|| millis.to_string())
}

/// `1,003 deleted, 3 passes`; of a verification `3 edges, 4 counters, 2 wrong`.
pub(super) fn progress(job: &Job) -> String {
    let verified = VerifyReport::of(job);
    let is_finding = |name: &str| {
        let mut kinds = FindingKind::ALL.iter();
        verified.is_some() && kinds.any(|kind| kind.as_str() == name)
    };
    let seen = job.progress.iter().filter(|(name, _)| !is_finding(name));
    let mut parts: Vec<String> = seen
        .filter(|(name, _)| *name != "repaired")
        .map(|(name, count)| format!("{} {}", thousands(*count), noun(name, *count)))
        .collect();
    if let Some(report) = verified {
        let found: u64 = report.found.iter().map(|(_, count)| *count).sum();
        let last = [(found, "wrong"), (report.repaired, "mended")];
        let last = last.iter().filter(|(count, _)| *count > 0);
        parts.extend(last.map(|(count, word)| format!("{} {word}", thousands(*count))));
    }
    parts.join(", ")
}

/// The name of what a job counts, for one of it or for several.
fn noun(name: &str, count: u64) -> &str {
    match name {
        "edges" if count == 1 => "edge",
        "entities" if count == 1 => "entity",
        "counters" if count == 1 => "counter",
        "passes" if count == 1 => "pass",
        _ => name,
    }
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

fn counted_words(count: u64, one: &str, more: &str) -> String {
    format!(
        "{} {}",
        thousands(count),
        if count == 1 { one } else { more }
    )
}

/// `3 s`, `0.4 s`, from milliseconds.
fn seconds(millis: u64) -> String {
    if millis < 1000 {
        format!("0.{} s", (millis / 100).max(1))
    } else {
        format!("{} s", thousands(millis / 1000))
    }
}

/// What a verification found, a line for each finding.
fn findings(report: &VerifyReport, paint: Paint) -> Vec<String> {
    let line = |finding: &bothways_graph::Finding| {
        let (word, tint) = if finding.repaired {
            ("Mended", Tint::Good)
        } else {
            ("Wrong", Tint::Warn)
        };
        let pad = " ".repeat(11 - word.len());
        let (key, what) = (visible(&finding.key), visible(&finding.what));
        format!("{}{pad}{key}   {what}", paint.paint(tint, word))
    };
    let mut lines: Vec<String> = report.findings.iter().map(line).collect();
    if report.streamed > 0 {
        let counters = counted_words(report.streamed, "counter comes", "counters come");
        let behind = match report.lag {
            Some(0) => "all of it counted".to_owned(),
            Some(lag) => format!("counted up to {} before", seconds(lag)),
            None => "and how far it was counted is not known".to_owned(),
        };
        lines.push(format!("           {counters} from the stream, {behind}"));
    }
    let all: u64 = report.found.iter().map(|(_, count)| *count).sum();
    let named = u64::try_from(report.findings.len()).unwrap_or(u64::MAX);
    if all > named {
        lines.push(format!("           and {} more", thousands(all - named)));
    }
    lines
}

/// One job.
pub(crate) struct JobReport {
    model: String,
    job: Job,
    receipts: Vec<Receipt>,
    /// The job stands in the table.
    kept: bool,
}

impl JobReport {
    /// One that stands nowhere.
    pub(crate) fn unsaved(model: &str, job: Job, receipts: Vec<Receipt>) -> Self {
        Self {
            kept: false,
            ..Self::new(model, job, receipts)
        }
    }

    pub(crate) fn new(model: &str, job: Job, receipts: Vec<Receipt>) -> Self {
        Self {
            model: model.to_owned(),
            job,
            receipts,
            kept: true,
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
            "{}{pad}{} of {}   ",
            paint.paint(tint, word),
            job.kind.as_str(),
            visible(&job.about),
        );
        if self.kept {
            let _ = write!(line, "job {}", job.id);
            if job.state != JobState::Done {
                let _ = write!(line, ", at {}", job.phase);
            }
        } else {
            line.push_str("no job kept");
        }
        let progress = progress(job);
        if !progress.is_empty() {
            line.push_str("   ");
            line.push_str(&progress);
        }
        let verified = VerifyReport::of(job);
        let verified = verified.iter().flat_map(|report| findings(report, paint));
        let failure = job
            .failure
            .iter()
            .map(|why| format!("           {}", visible(why)));
        std::iter::once(line)
            .chain(verified)
            .chain(failure)
            .collect()
    }

    fn members(&self) -> Map<String, Json> {
        let Json::Object(mut members) = job_json(&self.job) else {
            return Map::new();
        };
        if let Some(report) = VerifyReport::of(&self.job) {
            members.insert("verified".to_owned(), json!(report));
        }
        if !self.kept {
            members.insert("id".to_owned(), Json::Null);
        }
        members
    }

    fn receipts(&self) -> &[Receipt] {
        &self.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        let (model, id) = (self.model.as_str(), self.job.id.as_str());
        match self.job.state {
            JobState::Open | JobState::Paused | JobState::Failed if !self.kept => Vec::new(),
            JobState::Open => vec![Advice::run("go on", &["jobs", "run", model, id])],
            JobState::Paused | JobState::Failed => {
                vec![Advice::run("open it again", &["jobs", "resume", model, id])]
            }
            JobState::Done if VerifyReport::of(&self.job).is_some_and(|r| !r.is_mended()) => {
                vec![Advice::run("mend it", &["verify", model, "--repair"])]
            }
            JobState::Done | JobState::Cancelled => Vec::new(),
        }
    }

    fn exit(&self) -> Exit {
        let drift = VerifyReport::of(&self.job).is_some_and(|report| !report.is_mended());
        match self.job.state {
            JobState::Failed => Exit::No,
            JobState::Done if drift => Exit::No,
            _ => Exit::Done,
        }
    }
}
