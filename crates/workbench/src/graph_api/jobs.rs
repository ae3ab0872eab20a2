//! Jobs looked at and steered.

use super::problem::{Code, Problem};
use super::{Answer, Call, Result, lists};
use bothways_graph::{Job, Steered, VerifyReport};
use serde_json::{Map, Value as Json, json};

pub(crate) fn shape(job: &Job) -> Json {
    let progress = job
        .progress
        .iter()
        .map(|(name, n)| (name.clone(), json!(n)));
    json!({
        "id": job.id,
        "kind": job.kind.as_str(),
        "state": job.state.as_str(),
        "phase": job.phase,
        "about": job.about,
        "progress": Json::Object(progress.collect::<Map<_, _>>()),
        "created_at": job.created_at,
        "updated_at": job.updated_at,
        "cancellable": job.cancellable,
        "failure": job.failure,
        "lease": job.lease.as_ref().map(|l| json!({"holder": l.holder, "until": l.until})),
        "write_units": job.budget.write,
        "read_units": job.budget.read,
        "verified": VerifyReport::of(job),
    })
}

/// A page of the jobs, newest first. They are few, so all are read.
pub(crate) async fn list(call: &Call<'_>) -> Result<Answer> {
    let limit = usize::try_from(lists::limit(call)?).unwrap_or(usize::MAX);
    let done = call.graph.jobs(&call.cx).await?;
    let jobs = &done.value;
    let from = match call.query.get("after") {
        None => 0,
        Some(id) => {
            1 + jobs.iter().position(|job| job.id == id).ok_or_else(|| {
                let detail = format!("after is {id:?}, and there is no such job");
                Problem::new(Code::BadRequest, detail)
            })?
        }
    };
    let page = &jobs[from..jobs.len().min(from + limit)];
    let more = from + page.len() < jobs.len();
    let next = page.last().filter(|_| more).map(|job| job.id.clone());
    let shown: Vec<Json> = page.iter().map(shape).collect();
    Ok(Answer::of(
        json!({"jobs": shown, "next": next}),
        &done.receipts,
    ))
}

pub(crate) async fn get(call: &Call<'_>, id: &str) -> Result<Answer> {
    let done = call.graph.job(&call.cx, id).await?;
    let job = done.value.ok_or_else(|| none(id))?;
    Ok(Answer::of(json!({"job": shape(&job)}), &done.receipts))
}

pub(crate) async fn steer(call: &Call<'_>, id: &str, how: &str) -> Result<Answer> {
    let done = match how {
        "pause" => call.graph.pause_job(&call.cx, id).await?,
        "resume" => call.graph.resume_job(&call.cx, id).await?,
        "cancel" => call.graph.cancel_job(&call.cx, id).await?,
        _ => {
            let detail =
                format!("a job is told to run, pause, resume or cancel, and not to {how:?}");
            return Err(Problem::new(Code::NotFound, detail));
        }
    };
    match done.value {
        Steered::Done(job) => Ok(Answer::of(json!({"job": shape(&job)}), &done.receipts)),
        Steered::Refused(job) => {
            let state = job.state.as_str();
            Err(Problem::new(
                Code::Conflict,
                format!("job {id} is {state} and cannot {how}"),
            ))
        }
        Steered::NotFound => Err(none(id)),
    }
}

pub(super) fn none(id: &str) -> Problem {
    Problem::new(Code::NoJob, format!("there is no job {id:?}"))
}
