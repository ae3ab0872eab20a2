//! Clients, readers and an operator at once: no page has a gap or a repeat, and counters equal lists.

use super::World;
use super::support::draw;
use bothways_graph::Error;
use bothways_lab::Faults;
use bothways_protocol::{BoxFuture, Context};
use std::collections::BTreeSet;
use std::time::Duration;

/// Follows and unfollows at random; answers who follows in the end.
async fn churn(world: &World, client: u64, steps: u64) -> Vec<String> {
    let graph = world.graph();
    let mut state = client * 7919;
    let mut follows = [false; 6];
    for _ in 0..steps {
        let at = usize::try_from(draw(&mut state, 6)).expect("small");
        let source = format!("c{client}-{at}");
        if draw(&mut state, 3) > 0 {
            assert_eq!(world.link(&graph, &source).await, !follows[at], "{source}");
            follows[at] = true;
        } else {
            assert_eq!(world.unlink(&graph, &source).await, follows[at], "{source}");
            follows[at] = false;
        }
        let pause = Duration::from_millis(draw(&mut state, 4_000));
        bothways_graph::Environment::sleep(&world.clock, pause).await;
    }
    let named = follows.iter().enumerate().filter(|(_, f)| **f);
    named.map(|(at, _)| format!("c{client}-{at}")).collect()
}

/// Pages through the list again and again: whoever nobody touches is there each time, once, in order.
async fn pager(world: &World, untouched: &BTreeSet<String>, seed: u64, rounds: u64) -> Vec<String> {
    let graph = world.graph();
    let mut state = seed;
    for _ in 0..rounds {
        let limit = 1 + u32::try_from(draw(&mut state, 9)).expect("small");
        let reverse = draw(&mut state, 2) == 0;
        let listed = world.listed(&graph, Some(limit), reverse).await;
        let mut found: Vec<String> = listed
            .into_iter()
            .filter(|peer| untouched.contains(peer))
            .collect();
        if reverse {
            found.reverse();
        }
        let want: Vec<String> = untouched.iter().cloned().collect();
        assert_eq!(found, want, "seed {seed}, limit {limit}, reverse {reverse}");
        let pause = Duration::from_millis(draw(&mut state, 3_000));
        bothways_graph::Environment::sleep(&world.clock, pause).await;
    }
    Vec::new()
}

/// Grows and shrinks, each time as a process that knows nothing.
async fn operator(world: &World, steps: &[(bool, u32)]) -> Vec<String> {
    for (grow, to) in steps {
        let cx = Context::default();
        loop {
            let graph = world.graph();
            let changed = if *grow {
                graph.grow_shards(&cx, world.relation, "star", *to).await
            } else {
                graph.shrink_shards(&cx, world.relation, "star", *to).await
            };
            match changed {
                Ok(done) => {
                    assert_eq!(done.value.write, *to);
                    break;
                }
                // A storm cut it off: it goes on when it is run again.
                Err(Error::Contended { .. } | Error::Unknown { .. } | Error::Database(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
    Vec::new()
}

/// Everything that a seed does: clients, pagers and an operator at once, under these faults.
fn interleaved(seed: u64, faults: Faults, steps: u64, deaths: bool) -> u64 {
    let world = World::new(seed, "follow", "follows");
    let first = world.graph();
    let untouched: BTreeSet<String> = (0..25).map(|i| format!("u{i:02}")).collect();
    for peer in &untouched {
        assert!(world.clock.run(world.link(&first, peer)));
    }
    world.lab.set(faults);
    if deaths {
        world.db.dies_within(4_000);
    }
    let changes = [(true, 4), (true, 8), (false, 2), (true, 4), (false, 1)];
    let mut tasks: Vec<BoxFuture<'_, Vec<String>>> = Vec::new();
    for client in 1..=4 {
        tasks.push(Box::pin(churn(&world, client + seed * 16, steps)));
    }
    for at in 0..2 {
        tasks.push(Box::pin(pager(&world, &untouched, seed * 31 + at, steps)));
    }
    tasks.push(Box::pin(operator(&world, &changes)));
    let ends = world.clock.run_all(tasks);
    world.db.calm();
    world.lab.set(Faults::default());
    world.clock.run(world.lab.catch_up());

    let mut want: Vec<String> = ends.into_iter().flatten().chain(untouched).collect();
    want.sort();
    let graph = world.graph();
    let listed = world.clock.run(world.listed(&graph, Some(7), false));
    assert_eq!(listed, want, "seed {seed}");
    let len = i64::try_from(want.len()).expect("small");
    assert_eq!(world.clock.run(world.count(&graph)), len, "seed {seed}");
    world.db.deaths()
}

#[test]
fn counters_equal_lists_and_pages_stay_whole_while_shards_come_and_go() {
    for seed in 0..seeds(3) {
        interleaved(
            seed,
            Faults {
                latency: Duration::from_millis(30),
                ..Faults::default()
            },
            40,
            false,
        );
    }
}

#[test]
fn the_same_holds_in_a_storm_over_a_database_that_dies() {
    let deaths: u64 = (100..100 + seeds(3))
        .map(|seed| interleaved(seed, Faults::stormy(), 20, true))
        .sum();
    assert!(deaths > 0, "the database never died");
}

/// Seeds of a test; `BOTHWAYS_CAMPAIGN` multiplies them.
fn seeds(few: u64) -> u64 {
    let times = std::env::var("BOTHWAYS_CAMPAIGN").ok();
    few * times.and_then(|t| t.parse().ok()).unwrap_or(1)
}
