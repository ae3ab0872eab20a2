//! Processes that know an old map, or sleep over a change of it.

use super::{World, cx, process, support};
use bothways_graph::Graph;
use bothways_lab::Clock;
use bothways_protocol::{BoxFuture, Context, DynamoDb, Operation, Request, Response};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Lets one request of a kind sleep before it is passed on, as a process does that is stopped and goes on later.
struct Sleeper {
    inner: Arc<dyn DynamoDb>,
    clock: Clock,
    next: Mutex<Option<(Operation, Duration)>>,
}

impl DynamoDb for Sleeper {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, bothways_protocol::Error>> {
        Box::pin(async move {
            let asked = support::operation(&request);
            let sleep = {
                let mut next = self.next.lock().expect("a lock");
                next.take_if(|(operation, _)| *operation == asked)
            };
            if let Some((_, time)) = sleep {
                bothways_graph::Environment::sleep(&self.clock, time).await;
            }
            self.inner.call(cx, request).await
        })
    }
}

fn sleeper(world: &World, operation: Operation, time: Duration) -> (Graph, Arc<Sleeper>) {
    let sleeper = Arc::new(Sleeper {
        inner: Arc::new(world.lab.clone()),
        clock: world.clock.clone(),
        next: Mutex::new(None),
    });
    let graph = process(sleeper.clone(), world.model, &world.clock);
    // What it knows is fresh when it falls asleep.
    world.clock.run(world.listed(&graph, None, false));
    world.clock.run(world.link(&graph, "before"));
    *sleeper.next.lock().expect("a lock") = Some((operation, time));
    (graph, sleeper)
}

#[test]
fn a_reader_who_knows_the_old_map_misses_nothing() {
    let world = World::new(4, "follow", "follows");
    world.clock.run(world.link(&world.graph(), "al"));
    for to in [2, 8, 64] {
        let reader = world.graph();
        let growing = async {
            let grown = world
                .graph()
                .grow_shards(&cx(), "follows", "star", to)
                .await;
            grown.expect("grown");
            for at in 0..20 {
                let new = format!("new{to}-{at}");
                world.link(&world.graph(), &new).await;
                let listed = world.listed(&reader, None, false).await;
                assert!(listed.contains(&new), "{to} shards");
            }
        };
        // So that the reader always has a map, up to the oldest that it may go by.
        let reading = async {
            for _ in 0..40 {
                world.listed(&reader, None, false).await;
                bothways_graph::Environment::sleep(&world.clock, Duration::from_millis(400)).await;
            }
        };
        let tasks: Vec<BoxFuture<'_, ()>> = vec![Box::pin(growing), Box::pin(reading)];
        drop(world.clock.run_all(tasks));
    }
}

#[test]
fn who_sleeps_over_a_change_of_the_map_wakes_to_the_new_one() {
    let long = Duration::from_mins(2);
    for operation in [Operation::TransactWriteItems, Operation::Query] {
        let world = World::new(6, "follow", "follows");
        let operator = world.graph();
        let run = |grow: bool, to| {
            let (operator, cx) = (&operator, cx());
            async move {
                if grow {
                    operator.grow_shards(&cx, "follows", "star", to).await
                } else {
                    operator.shrink_shards(&cx, "follows", "star", to).await
                }
                .expect("a map")
            }
        };
        world.clock.run(run(true, 8));
        let (graph, _sleeper) = sleeper(&world, operation, long);
        let sleeping = async {
            if operation == Operation::Query {
                let listed = world.listed(&graph, None, false).await;
                assert!(listed.contains(&"late".to_owned()));
            } else {
                for at in 0..8 {
                    world.link(&graph, &format!("asleep{at}")).await;
                }
            }
        };
        let changing = async {
            if operation == Operation::Query {
                run(true, 32).await;
                world.link(&world.graph(), "late").await;
            } else {
                run(false, 1).await;
            }
        };
        let tasks: Vec<BoxFuture<'_, ()>> = vec![Box::pin(sleeping), Box::pin(changing)];
        drop(world.clock.run_all(tasks));
        let graph = world.graph();
        let listed = world.clock.run(world.listed(&graph, None, false));
        let count = world.clock.run(world.count(&graph));
        assert_eq!(i64::try_from(listed.len()).expect("small"), count);
        let all = if operation == Operation::Query { 2 } else { 9 };
        assert_eq!(listed.len(), all, "{listed:?}");
    }
}
