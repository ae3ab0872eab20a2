//! A model's table in memory, with a clock that several graphs share.

use super::mortal::Mortal;
use super::{cx, engine};
use bothways_graph::model::shipped;
use bothways_graph::{Changes, Environment, Graph, Job, JobState, Model, Ran, Result};
use bothways_lab::{Client, Clock};
use bothways_protocol::{BoxFuture, DynamoDb};
use std::sync::Arc;
use std::time::Duration;

/// A model, an engine, a clock: what several graphs of one test share.
pub struct World {
    pub model: Model,
    pub db: Arc<dyn DynamoDb>,
    pub clock: Clock,
}

impl World {
    pub fn new(model: &str, seed: u64) -> Self {
        Self::over(model, engine(), Clock::new(seed))
    }

    /// A world whose database can die.
    pub fn mortal(model: &str, seed: u64) -> (Self, Arc<Mortal>) {
        let clock = Clock::new(seed);
        let db = Mortal::new(&clock);
        (Self::over(model, db.clone(), clock), db)
    }

    fn over(model: &str, db: Arc<dyn DynamoDb>, clock: Clock) -> Self {
        let model = shipped(model).expect("a shipped model").model;
        let world = Self { model, db, clock };
        let graph = world.graph(world.db.clone());
        world.clock.run(graph.apply(&cx())).expect("a table");
        world
    }

    pub fn graph(&self, db: Arc<dyn DynamoDb>) -> Graph {
        let clock = Arc::new(self.clock.clone());
        Graph::with_environment(db, self.model.clone(), clock).expect("a good model")
    }

    pub fn link(&self, relation: &str, source: &str, target: &str) {
        let graph = self.graph(self.db.clone());
        let (cx, none) = (cx(), Changes::new());
        let linked = graph.link(&cx, relation, source, target, &none);
        self.clock.run(linked).expect("a link");
    }
}

/// Works on a job to its end; of one left by a dead worker, when its lease has run out.
pub async fn ended(graph: &Graph, id: &str) -> Job {
    for _ in 0..40 {
        match graph.run_job(&cx(), id, &mut ()).await {
            Ok(done) => match done.value {
                Ran::Ended(job) => return job,
                Ran::NotOpen(job) if job.state == JobState::Done => return job,
                Ran::Taken(_) => {}
                other => panic!("{other:?}"),
            },
            Err(error) => panic!("{error}"),
        }
        let env: Arc<dyn Environment> = graph.environment();
        env.sleep(Duration::from_secs(10)).await;
    }
    panic!("never ended");
}

/// Makes a job.
pub type Make<'m> = dyn Fn(Graph) -> BoxFuture<'static, Result<Job>> + Sync + 'm;

/// Lives that a job may take.
const LIVES: u32 = 600;

/// Makes a job and works on it to its end, by workers of whom each dies at some request, one after another, whatever the
/// line and what is behind it do meanwhile. The job of the world's that is there already is the one.
pub async fn ended_by_mortals(world: &World, line: &Arc<dyn DynamoDb>, make: &Make<'_>) -> Job {
    for _ in 0..LIVES {
        let (dies_at, unheard) = (world.clock.draw(60), world.clock.draw(2) == 0);
        let client = Client::dying_at(line.clone(), dies_at, unheard);
        let graph = world.graph(client.clone());
        let work = async {
            let known = graph.jobs(&cx()).await?.value.into_iter().next();
            let job = match known {
                Some(job) if job.state == JobState::Failed => {
                    graph.resume_job(&cx(), &job.id).await?;
                    job
                }
                Some(job) => job,
                None => make(graph.clone()).await?,
            };
            Result::Ok(graph.run_job(&cx(), &job.id, &mut ()).await?.value)
        };
        match client.life(work).await {
            Some(Ok(Ran::Ended(job))) => return job,
            Some(Ok(Ran::NotOpen(job))) if job.state == JobState::Done => return job,
            // Dead, cut off, or the lease is still a dead one's.
            _ => world.clock.sleep(Duration::from_secs(10)).await,
        }
    }
    panic!("never ended");
}
