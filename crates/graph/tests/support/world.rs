//! A model's table in memory, with a clock that several graphs share.

use super::{cx, engine};
use bothways_graph::model::shipped;
use bothways_graph::{Changes, Graph, Job, JobState, Model, Ran};
use bothways_lab::Clock;
use bothways_protocol::DynamoDb;
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
        let world = Self {
            model: shipped(model).expect("a shipped model").model,
            db: engine(),
            clock: Clock::new(seed),
        };
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
        let env: Arc<dyn bothways_graph::Environment> = graph.environment();
        env.sleep(Duration::from_secs(10)).await;
    }
    panic!("never ended");
}
