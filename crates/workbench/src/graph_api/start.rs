//! Jobs made and worked on. The work goes on beside the requests, in this process, under the job's lease: whoever asks looks
//! at how far it is.

use super::edges::body;
use super::problem::{Code, Problem};
use super::{Answer, Call, Result, jobs};
use crate::Workbench;
use bothways_graph::{
    Budget, CascadeOptions, Direction, Done, Graph, Job, MigrateOptions, Migration, Orphans,
    VerifyOptions,
};
use bothways_protocol::Context;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Jobs that are worked on here at once. A choice: each takes throughput from the requests.
const MOST_WORKING: usize = 4;
/// The kinds that can be started.
const KINDS: &str = "verify, cascade, backfill, lists or twins";

/// The body that starts a job.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    kind: String,
    repair: Option<bool>,
    dry_run: Option<bool>,
    entity: Option<String>,
    id: Option<String>,
    attribute: Option<String>,
    relation: Option<String>,
    side: Option<String>,
    orphans: Option<String>,
    grace_seconds: Option<u64>,
    hold_seconds: Option<u64>,
    write_units: Option<u32>,
    read_units: Option<u32>,
    work: Option<bool>,
}

fn bad(detail: String) -> Problem {
    Problem::new(Code::BadRequest, detail)
}

impl Start {
    /// Refuses members that are of another kind's jobs.
    fn only(&self, allowed: &[&str]) -> Result<()> {
        for (name, given) in [
            ("repair", self.repair.is_some()),
            ("dry_run", self.dry_run.is_some()),
            ("entity", self.entity.is_some()),
            ("id", self.id.is_some()),
            ("attribute", self.attribute.is_some()),
            ("relation", self.relation.is_some()),
            ("side", self.side.is_some()),
            ("orphans", self.orphans.is_some()),
            ("grace_seconds", self.grace_seconds.is_some()),
            ("hold_seconds", self.hold_seconds.is_some()),
        ] {
            if given && !allowed.contains(&name) {
                let takes = allowed.join(", ");
                let problem = bad(format!("{name} is nothing that a {} job takes", self.kind));
                return Err(
                    problem.hint(format!("it takes {takes}, write_units, read_units, work"))
                );
            }
        }
        for (name, units) in [
            ("write_units", self.write_units),
            ("read_units", self.read_units),
        ] {
            if units == Some(0) {
                return Err(bad(format!("{name} is 0; it is 1 or more")));
            }
        }
        Ok(())
    }

    fn need<'s>(&'s self, name: &str, value: Option<&'s String>) -> Result<&'s str> {
        let lacks = || bad(format!("a {} job needs {name}", self.kind));
        value.map(String::as_str).ok_or_else(lacks)
    }

    fn budget(&self) -> Budget {
        Budget {
            write: self.write_units,
            read: self.read_units,
        }
    }

    fn migrating(&self) -> MigrateOptions {
        MigrateOptions {
            budget: self.budget(),
            dry_run: self.dry_run.unwrap_or(false),
        }
    }
}

fn seconds(given: Option<u64>, usual: Duration) -> Duration {
    given.map_or(usual, Duration::from_secs)
}

/// Makes a job, and works on it unless asked not to.
pub(super) async fn start(call: &Call<'_>) -> Result<Answer> {
    let wanted: Start = body(call)?;
    let place = match wanted.work {
        Some(false) => None,
        _ => place(call)?,
    };
    let made = make(call, &wanted).await?;
    Ok(began(call, made, false, place))
}

/// The answer about a job, which is worked on from now on where there is a place for it.
fn began(call: &Call<'_>, job: Done<Job>, take_over: bool, place: Option<Place>) -> Answer {
    let worked_on = place.is_some();
    let body = json!({"result": "job", "job": jobs::shape(&job.value), "worked_on": worked_on});
    if let Some(place) = place {
        work(call, job.value.id, take_over, place);
    }
    Answer::of(body, &job.receipts).status(StatusCode::ACCEPTED)
}

/// Deletes an entity with all its edges.
pub(super) async fn cascade(call: &Call<'_>, entity: &str, id: &str) -> Result<Answer> {
    let place = place(call)?;
    let options = CascadeOptions::default();
    let made = call.graph.cascade(&call.cx, entity, id, &options).await?;
    Ok(began(call, made, false, place))
}

/// A place for one more job, where jobs are worked on here.
fn place(call: &Call<'_>) -> Result<Option<Place>> {
    let works = call.bench.spawn.is_some() && call.explainer.is_none();
    works.then(|| Place::take(call.bench)).transpose()
}

async fn make(call: &Call<'_>, wanted: &Start) -> Result<Done<Job>> {
    let (graph, cx) = (&call.graph, &call.cx);
    match wanted.kind.as_str() {
        "verify" => {
            wanted.only(&["repair", "grace_seconds"])?;
            let usual = VerifyOptions::default();
            let options = VerifyOptions {
                budget: wanted.budget(),
                grace: seconds(wanted.grace_seconds, usual.grace),
                repair: wanted.repair.unwrap_or(false),
            };
            Ok(graph.verify(cx, &options).await?)
        }
        "cascade" => {
            wanted.only(&["entity", "id", "grace_seconds", "hold_seconds"])?;
            let usual = CascadeOptions::default();
            let options = CascadeOptions {
                budget: wanted.budget(),
                grace: seconds(wanted.grace_seconds, usual.grace),
                hold: seconds(wanted.hold_seconds, usual.hold),
            };
            let entity = wanted.need("entity", wanted.entity.as_ref())?;
            let id = wanted.need("id", wanted.id.as_ref())?;
            Ok(graph.cascade(cx, entity, id, &options).await?)
        }
        "backfill" => {
            wanted.only(&["dry_run"])?;
            let options = wanted.migrating();
            Ok(graph.migrate(cx, &Migration::Backfill, &options).await?)
        }
        "lists" => {
            wanted.only(&["entity", "attribute", "relation", "side", "dry_run"])?;
            let direction = match wanted.side.as_deref() {
                None => None,
                Some("out") => Some(Direction::Out),
                Some("in") => Some(Direction::In),
                Some(other) => return Err(bad(format!("side is {other:?}; it is out or in"))),
            };
            let migration = Migration::Lists {
                entity: wanted.need("entity", wanted.entity.as_ref())?.to_owned(),
                attribute: wanted
                    .need("attribute", wanted.attribute.as_ref())?
                    .to_owned(),
                relation: wanted
                    .need("relation", wanted.relation.as_ref())?
                    .to_owned(),
                direction,
            };
            Ok(graph.migrate(cx, &migration, &wanted.migrating()).await?)
        }
        "twins" => {
            wanted.only(&["relation", "orphans", "dry_run"])?;
            let asked = wanted.orphans.as_deref().unwrap_or("link");
            let all = [Orphans::Link, Orphans::Drop, Orphans::Keep];
            let orphans = all.into_iter().find(|orphans| orphans.as_str() == asked);
            let orphans = orphans
                .ok_or_else(|| bad(format!("orphans is {asked:?}; it is link, drop or keep")))?;
            let relation = wanted
                .need("relation", wanted.relation.as_ref())?
                .to_owned();
            let migration = Migration::Twins { relation, orphans };
            Ok(graph.migrate(cx, &migration, &wanted.migrating()).await?)
        }
        other => Err(bad(format!("kind is {other:?}; it is {KINDS}"))),
    }
}

/// Works on a job that is open: one that was made by somebody else, was resumed, or whose worker died.
pub(super) async fn run(call: &Call<'_>, id: &str) -> Result<Answer> {
    let take_over = call.yes("take_over")?;
    if call.bench.spawn.is_none() {
        let problem = Problem::new(Code::Conflict, "nothing goes on beside requests here");
        return Err(problem.hint("work on it with: bothways jobs run"));
    }
    let found = call.graph.job(&call.cx, id).await?;
    let job = found.value.ok_or_else(|| jobs::none(id))?;
    if job.state != bothways_graph::JobState::Open {
        let state = job.state.as_str();
        let problem = Problem::new(Code::Conflict, format!("job {id} is {state}, and not open"));
        return Err(problem);
    }
    let place = place(call)?;
    let job = Done {
        value: job,
        receipts: found.receipts,
    };
    Ok(began(call, job, take_over, place))
}

/// One of the places for jobs, as long as it is held.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(bench: &Workbench) -> Result<Self> {
        let working = Arc::clone(&bench.working);
        let free = |n: usize| (n < MOST_WORKING).then_some(n + 1);
        if working
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, free)
            .is_ok()
        {
            return Ok(Self(working));
        }
        let detail = format!("{MOST_WORKING} jobs are worked on here, and no more at once");
        let hint = "wait for one to end, or make it with work = false and: bothways jobs run";
        Err(Problem::new(Code::Busy, detail).hint(hint))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Lets the work on a job go on by itself. How it ends stands in the job.
fn work(call: &Call<'_>, id: String, take_over: bool, place: Place) {
    let Some(spawn) = &call.bench.spawn else {
        return;
    };
    let graph: Graph = call.graph.clone();
    spawn(Box::pin(async move {
        let cx = Context::default();
        // A job that fails says so itself; what cannot be written down is found by the next worker.
        let _ = if take_over {
            graph.take_over_job(&cx, &id, &mut ()).await
        } else {
            graph.run_job(&cx, &id, &mut ()).await
        };
        drop(place);
    }));
}
