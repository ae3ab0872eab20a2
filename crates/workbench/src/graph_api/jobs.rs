//! Jobs: looked at and steered here; worked on by `bothways jobs run`, so that no request has to wait for one.

use super::problem::{Code, Problem};
use super::{Answer, Call, Result};
use bothways_graph::{Job, Steered};
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
    })
}

pub(crate) async fn list(call: &Call<'_>) -> Result<Answer> {
    let done = call.graph.jobs(&call.cx).await?;
    let jobs: Vec<Json> = done.value.iter().map(shape).collect();
    Ok(Answer::of(json!({"jobs": jobs}), &done.receipts))
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
            let detail = format!("a job is told to pause, resume or cancel, and not to {how:?}");
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

fn none(id: &str) -> Problem {
    Problem::new(Code::NoJob, format!("there is no job {id:?}"))
}
