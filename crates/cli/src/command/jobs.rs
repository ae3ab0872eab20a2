//! `jobs …`, and the work on a job that other commands start.

mod shape;
mod work;

pub(crate) use shape::JobReport;
pub(crate) use work::{Watch, begin, budget, end_unsaved, wait, work};

use crate::args::{Global, JobArgs, Jobs};
use crate::failure::{Exit, Failure};
use crate::print::{Paint, Screen, Table, visible};
use crate::refusal;
use crate::report::Report;
use crate::session::Session;
use bothways_graph::{Done, Job, Receipt, Steered};
use serde_json::{Map, Value as Json};
use shape::{job_json, moment, progress};

/// `jobs …`.
pub(crate) async fn jobs(args: &Jobs, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    match args {
        Jobs::List { model } => list(model, global, screen).await,
        Jobs::Show(args) => show(args, global, screen).await,
        Jobs::Run { job, take_over } => {
            let session = Session::open(&job.model, global, screen)?;
            work(session, &job.model, &job.job, *take_over).await
        }
        Jobs::Pause(args) => {
            let session = Session::open(&args.model, global, screen)?;
            let steered = session.graph.pause_job(&session.cx, &args.job).await;
            steer(session, args, "paused", steered)
        }
        Jobs::Resume(args) => {
            let session = Session::open(&args.model, global, screen)?;
            let steered = session.graph.resume_job(&session.cx, &args.job).await;
            steer(session, args, "resumed", steered)
        }
        Jobs::Cancel(args) => {
            let session = Session::open(&args.model, global, screen)?;
            let steered = session.graph.cancel_job(&session.cx, &args.job).await;
            match steered {
                // What it had prepared is taken back at once.
                Ok(Done {
                    value: Steered::Done(_),
                    ..
                }) => work(session, &args.model, &args.job, false).await,
                steered => steer(session, args, "cancelled", steered),
            }
        }
    }
}

async fn list(model: &str, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    let session = Session::open(model, global, screen)?;
    let jobs = session.graph.jobs(&session.cx).await;
    session.answer(jobs.map(ListReport))
}

struct ListReport(Done<Vec<Job>>);

impl Report for ListReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let mut table = Table::new();
        for title in [
            "JOB", "KIND", "STATE", "PHASE", "ABOUT", "PROGRESS", "UPDATED",
        ] {
            table = table.column(title);
        }
        for job in &self.0.value {
            table.row([
                Some(job.id.clone()),
                Some(job.kind.as_str().to_owned()),
                Some(job.state.as_str().to_owned()),
                Some(job.phase.clone()),
                Some(visible(&job.about)),
                Some(progress(job)),
                Some(moment(job.updated_at)),
            ]);
        }
        if self.0.value.is_empty() {
            return vec!["no jobs".to_owned()];
        }
        table.lines(0, paint)
    }

    fn members(&self) -> Map<String, Json> {
        let jobs = self.0.value.iter().map(job_json).collect();
        Map::from_iter([("jobs".to_owned(), Json::Array(jobs))])
    }

    fn receipts(&self) -> &[Receipt] {
        &self.0.receipts
    }
}

async fn show(args: &JobArgs, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    let session = Session::open(&args.model, global, screen)?;
    let job = session.graph.job(&session.cx, &args.job).await;
    if session.explains() {
        return session.explain();
    }
    match job {
        Ok(Done {
            value: Some(job),
            receipts,
        }) => session.answer(Ok(JobReport::new(&args.model, job, receipts))),
        Ok(_) => Err(unknown(args, session.screen)),
        Err(error) => Err(refusal::of_graph(error, &session.subject)),
    }
}

fn unknown(args: &JobArgs, screen: &Screen) -> Failure {
    let list = format!("bothways jobs list {}{}", args.model, screen.place());
    Failure::no(format!("there is no job {:?}", args.job)).hint(list)
}

fn steer(
    session: Session<'_>,
    args: &JobArgs,
    verb: &str,
    steered: bothways_graph::Result<Done<Steered>>,
) -> Result<Exit, Failure> {
    if session.explains() {
        return session.explain();
    }
    match steered {
        Ok(Done {
            value: Steered::Done(job),
            receipts,
        }) => session.answer(Ok(JobReport::new(&args.model, job, receipts))),
        Ok(Done {
            value: Steered::Refused(job),
            ..
        }) => {
            let (id, state, phase) = (&job.id, job.state.as_str(), &job.phase);
            Err(Failure::no(format!(
                "job {id} is {state}, at {phase}: it cannot be {verb} now"
            )))
        }
        Ok(_) => Err(unknown(args, session.screen)),
        Err(error) => Err(refusal::of_graph(error, &session.subject)),
    }
}
