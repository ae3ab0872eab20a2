//! Deleting an entity with all its edges: whole, exact, and the same whatever dies on the way.

mod support;

use bothways_graph::{
    Budget, CascadeOptions, Changes, Direction, Environment, Error, Graph, Job, JobObserver,
    JobState, ListOptions, Ran, Steered, Unlinked,
};
use bothways_lab::{Client, Faults, Lab};
use bothways_protocol::{BoxFuture, DynamoDb};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::audit::{items, sound};
use support::world::{World, ended, ended_by_mortals};
use support::{campaign, cx};

/// What these tests do to a world.
trait Star {
    fn star(&self, edges: usize);
    fn is_gone(&self, id: &str);
}

impl Star for World {
    /// A star with edges of every kind, among others that stay.
    fn star(&self, edges: usize) {
        for i in 0..edges {
            self.link("follows", &format!("fan{i}"), "star");
            self.link("follows", "star", &format!("idol{i}"));
            self.link("friends", "star", &format!("a{i}"));
            self.link("friends", &format!("zz{i}"), "star");
        }
        self.link("follows", "star", "star");
        self.link("friends", "star", "star");
        self.link("likes", "star", "post");
        self.link("follows", "fan0", "idol0");
        self.link("friends", "fan0", "idol0");
        self.link("likes", "fan0", "post");
    }

    /// What is left when the star is gone: three edges that are not its own, and right counters everywhere.
    fn is_gone(&self, id: &str) {
        let edges = sound(&*self.db, &self.model);
        assert_eq!(edges.len(), 3, "{edges:?}");
        let key = format!("PERSON#{id}");
        for item in items(&*self.db, &self.model.table) {
            let pk = item.get("PK").and_then(bothways_core::ValueRef::as_str);
            assert_ne!(pk, Some(key.as_str()), "{item:?}");
        }
    }
}

fn quick() -> CascadeOptions {
    CascadeOptions {
        grace: Duration::from_secs(2),
        hold: Duration::from_mins(1),
        ..CascadeOptions::default()
    }
}

#[test]
fn an_entity_goes_with_all_its_edges_and_its_peers_stay() {
    let world = World::new("social", 1);
    world.star(130);
    let graph = world.graph(world.db.clone());
    let job = world.clock.run(async {
        let job = graph
            .cascade(&cx(), "person", "star", &quick())
            .await
            .expect("a job")
            .value;
        let again = graph
            .cascade(&cx(), "person", "star", &quick())
            .await
            .expect("a job")
            .value;
        assert_eq!(
            (again.id == job.id, job.fence),
            (false, 0),
            "nothing has begun"
        );
        ended(&graph, &job.id).await
    });
    assert_eq!(job.state, JobState::Done);
    assert_eq!(job.tally("deleted"), 4 * 130 + 3);
    assert_eq!(job.tally("miscounted"), 0);
    world.is_gone("star");
    // The id may be used again.
    world.link("follows", "fan0", "star");
}

#[test]
fn while_it_goes_it_takes_no_link_and_its_job_is_found() {
    struct Look<'w>(&'w World, u32);
    impl JobObserver for Look<'_> {
        fn progress(&mut self, job: &Job) {
            self.1 += 1;
            if job.state != JobState::Open || job.phase == "close" {
                return;
            }
            let graph = self.0.graph(self.0.db.clone());
            let linked =
                support::wait(graph.link(&cx(), "follows", "late", "star", &Changes::new()));
            if matches!(job.phase.as_str(), "edges" | "tombstone" | "hold") && self.1 < 3 {
                assert!(
                    matches!(linked, Err(Error::Closed { .. })),
                    "{}: {linked:?}",
                    job.phase
                );
            }
            let same = support::wait(graph.cascade(&cx(), "person", "star", &quick()));
            if self.1 < 3 {
                assert_eq!(same.expect("a job").value.id, job.id);
            }
        }
    }
    let world = World::new("social", 1);
    world.star(3);
    let graph = world.graph(world.db.clone());
    world.clock.run(async {
        let job = graph
            .cascade(&cx(), "person", "star", &quick())
            .await
            .expect("a job")
            .value;
        let mut look = Look(&world, 0);
        let ran = graph
            .run_job(&cx(), &job.id, &mut look)
            .await
            .expect("an end")
            .value;
        assert!(matches!(ran, Ran::Ended(_)), "{ran:?}");
        assert!(look.1 > 4, "{} steps", look.1);
    });
}

#[test]
fn killed_at_any_request_and_resumed_it_ends_the_same() {
    let requests = {
        let world = World::new("social", 1);
        world.star(3);
        let client = Client::of(world.db.clone());
        let graph = world.graph(client.clone());
        world.clock.run(async {
            let job = graph
                .cascade(&cx(), "person", "star", &quick())
                .await
                .expect("a job")
                .value;
            ended(&graph, &job.id).await;
        });
        client.sent()
    };
    assert!(requests > 30, "{requests}");
    // A sample here, every request in the campaign.
    let every = if std::env::var_os("BOTHWAYS_CAMPAIGN").is_some() {
        1
    } else {
        3
    };
    for dies_at in 2..requests {
        for unheard in [false, true] {
            if (dies_at + u64::from(unheard)) % every != 0 {
                continue;
            }
            let world = World::new("social", dies_at);
            world.star(3);
            let client = Client::dying_at(world.db.clone(), dies_at, unheard);
            let (doomed, heir) = (world.graph(client.clone()), world.graph(world.db.clone()));
            world.clock.run(async {
                let job = client
                    .life(async {
                        let made = doomed.cascade(&cx(), "person", "star", &quick()).await;
                        let id = made.expect("a job").value.id;
                        doomed.run_job(&cx(), &id, &mut ()).await
                    })
                    .await;
                assert!(job.is_none(), "it should have died at {dies_at}");
                let jobs = heir.jobs(&cx()).await.expect("jobs").value;
                let job = ended(&heir, &jobs[0].id).await;
                assert_eq!(job.state, JobState::Done, "{dies_at} {unheard}");
            });
            world.is_gone("star");
        }
    }
}

/// A racer's life: links and unlinks around the star.
async fn racing(world: &World, racer: &Graph, number: usize) {
    let clock = &world.clock;
    for _ in 0..20 {
        let peer = format!("r{number}-{}", clock.draw(4));
        let (relation, source, target) = match clock.draw(6) {
            0 => ("follows", peer.as_str(), "star"),
            1 => ("follows", "star", peer.as_str()),
            2 => ("friends", "star", peer.as_str()),
            3 => ("likes", "star", peer.as_str()),
            _ => ("follows", peer.as_str(), "idol0"),
        };
        // Whatever it answers: what is done is found afterwards.
        if clock.draw(3) == 0 {
            let _ = racer.unlink(&cx(), relation, source, target).await;
        } else {
            let none = Changes::new();
            let _ = racer.link(&cx(), relation, source, target, &none).await;
        }
    }
}

/// Clients that go on linking and unlinking around a star that is deleted meanwhile, in all weathers; they, the job's
/// workers and the database die again and again.
fn race(seed: u64) -> u64 {
    let (world, db) = World::mortal("social", seed);
    world.star(4);
    let lab = Lab::by(world.db.clone(), world.clock.clone()).with(Faults::stormy());
    let lab: Arc<dyn DynamoDb> = Arc::new(lab);
    db.dies_within(2_000);
    let mut work: Vec<BoxFuture<'_, ()>> = vec![Box::pin(async {
        let job = ended_by_mortals(&world, &lab, &|graph| {
            Box::pin(async move {
                let made = graph.cascade(&cx(), "person", "star", &quick()).await?;
                Ok(made.value)
            })
        });
        let job = job.await;
        assert_eq!((job.state, job.tally("miscounted")), (JobState::Done, 0));
    })];
    for number in 0..4 {
        let (world, lab) = (&world, &lab);
        work.push(Box::pin(async move {
            for _ in 0..4 {
                let (dies_at, unheard) = (world.clock.draw(80), world.clock.draw(2) == 0);
                let client = Client::dying_at(lab.clone(), dies_at, unheard);
                let racer = world.graph(client.clone());
                client.life(racing(world, &racer, number)).await;
            }
        }));
    }
    let _: Vec<()> = world.clock.run_all(work);
    db.calm();
    let edges = sound(&*world.db, &world.model);
    let of_star = |key: &str| key.split('#').nth(1) == Some("star");
    let left: Vec<_> = edges
        .iter()
        .filter(|(pk, sk)| of_star(pk) || of_star(sk))
        .collect();
    assert!(left.is_empty(), "seed {seed}: {left:?}");
    db.deaths()
}

#[test]
fn links_that_race_it_never_survive() {
    let seeds = std::env::var("BOTHWAYS_CAMPAIGN").map_or(6, |n| n.parse().expect("a number"));
    let deaths: u64 = (0..seeds).map(race).sum();
    assert!(deaths > 0, "the database never died");
}

#[test]
fn it_can_be_called_off_before_it_deletes_and_not_after() {
    let world = World::new("social", 1);
    world.star(2);
    let before = sound(&*world.db, &world.model);
    let graph = world.graph(world.db.clone());
    world.clock.run(async {
        let job = graph
            .cascade(&cx(), "person", "star", &quick())
            .await
            .expect("a job")
            .value;
        let steered = graph
            .cancel_job(&cx(), &job.id)
            .await
            .expect("an answer")
            .value;
        assert!(matches!(steered, Steered::Done(_)), "{steered:?}");
        assert_eq!(ended(&graph, &job.id).await.state, JobState::Cancelled);
        graph
            .link(&cx(), "follows", "star", "idol0", &Changes::new())
            .await
            .expect("open again");

        let job = graph
            .cascade(&cx(), "person", "star", &quick())
            .await
            .expect("a job")
            .value;
        assert_eq!(ended(&graph, &job.id).await.state, JobState::Done);
        let steered = graph
            .cancel_job(&cx(), &job.id)
            .await
            .expect("an answer")
            .value;
        assert!(matches!(steered, Steered::Refused(_)), "{steered:?}");
    });
    assert_eq!(before.len(), 14);
    world.is_gone("star");
}

/// Stops after some steps.
struct Steps(u32);
impl JobObserver for Steps {
    fn stop(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 == 0
    }
}

#[test]
fn it_pauses_resumes_and_has_one_worker_at_a_time() {
    let world = World::new("social", 1);
    world.star(5);
    let graph = world.graph(world.db.clone());
    world.clock.run(async {
        let job = graph
            .cascade(&cx(), "person", "star", &quick())
            .await
            .expect("a job")
            .value;
        let ran = graph
            .run_job(&cx(), &job.id, &mut Steps(3))
            .await
            .expect("a stop")
            .value;
        let Ran::Stopped(stopped) = ran else {
            panic!("{ran:?}")
        };
        assert_eq!((stopped.phase.as_str(), stopped.fence), ("edges", 1));
        graph.pause_job(&cx(), &job.id).await.expect("an answer");
        let ran = graph
            .run_job(&cx(), &job.id, &mut ())
            .await
            .expect("an answer")
            .value;
        assert!(matches!(ran, Ran::NotOpen(_)), "{ran:?}");
        let steered = graph
            .resume_job(&cx(), &job.id)
            .await
            .expect("an answer")
            .value;
        assert!(matches!(steered, Steered::Done(_)));
        // One that died keeps its lease for a while.
        let client = Client::dying_at(world.db.clone(), 3, false);
        let doomed = world.graph(client.clone());
        assert!(
            client
                .life(doomed.run_job(&cx(), &job.id, &mut ()))
                .await
                .is_none()
        );
        let ran = graph
            .run_job(&cx(), &job.id, &mut ())
            .await
            .expect("an answer")
            .value;
        assert!(matches!(ran, Ran::Taken(_)), "{ran:?}");
        assert_eq!(ended(&graph, &job.id).await.state, JobState::Done);
    });
    world.is_gone("star");
}

#[test]
fn it_keeps_to_its_budget() {
    let world = World::new("social", 1);
    world.star(60);
    let graph = world.graph(world.db.clone());
    let budget = Budget {
        write: Some(50),
        read: None,
    };
    let options = CascadeOptions {
        budget,
        hold: Duration::ZERO,
        grace: Duration::ZERO,
    };
    let started = world.clock.now();
    let receipts = world.clock.run(async {
        let job = graph
            .cascade(&cx(), "person", "star", &options)
            .await
            .expect("a job")
            .value;
        graph
            .run_job(&cx(), &job.id, &mut ())
            .await
            .expect("an end")
            .receipts
    });
    let written: u64 = receipts.iter().map(|r| r.write.0 / 2).sum();
    let passed = world.clock.now().saturating_sub(started).as_secs();
    assert!(written > 1000, "{written} units");
    assert!(
        (written / 50 - 5..=written / 50 + 5).contains(&passed),
        "{written} units in {passed} s"
    );
    world.is_gone("star");
}

/// A target with shards, counted part by part.
fn spread(world: &World, fans: usize) {
    for i in 0..fans {
        world.link("follows", &format!("early{i}"), "star");
    }
    let (graph, cx) = (world.graph(world.db.clone()), cx());
    world
        .clock
        .run(graph.grow_shards(&cx, "follows", "star", 4))
        .expect("shards");
    for i in 0..fans {
        world.link("follows", &format!("late{i}"), "star");
    }
}

#[test]
fn a_target_with_shards_goes_with_all_of_them() {
    let requests = {
        let world = World::new("follow", 1);
        spread(&world, 5);
        let client = Client::of(world.db.clone());
        let graph = world.graph(client.clone());
        world.clock.run(async {
            let job = graph
                .cascade(&cx(), "actor", "star", &quick())
                .await
                .expect("a job")
                .value;
            let job = ended(&graph, &job.id).await;
            assert_eq!((job.tally("deleted"), job.tally("miscounted")), (10, 0));
        });
        assert!(sound(&*world.db, &world.model).is_empty());
        client.sent()
    };
    for dies_at in (2..requests).step_by(4) {
        let world = World::new("follow", dies_at);
        spread(&world, 5);
        let client = Client::dying_at(world.db.clone(), dies_at, dies_at % 8 == 2);
        let (doomed, heir) = (world.graph(client.clone()), world.graph(world.db.clone()));
        world.clock.run(async {
            let work = async {
                let made = doomed.cascade(&cx(), "actor", "star", &quick()).await;
                doomed
                    .run_job(&cx(), &made.expect("a job").value.id, &mut ())
                    .await
            };
            assert!(
                client.life(work).await.is_none(),
                "it should have died at {dies_at}"
            );
            let jobs = heir.jobs(&cx()).await.expect("jobs").value;
            assert_eq!(ended(&heir, &jobs[0].id).await.state, JobState::Done);
        });
        // Nothing of the star is left: no edge, no counter, no mark.
        let left = items(&*world.db, &world.model.table);
        let of_star = |item: &&bothways_core::Item| {
            let pk = item
                .get("PK")
                .and_then(bothways_core::ValueRef::as_str)
                .unwrap_or_default();
            pk.contains("star")
        };
        assert_eq!(
            left.iter().filter(of_star).count(),
            0,
            "{dies_at}: {left:#?}"
        );
        assert!(sound(&*world.db, &world.model).is_empty());
    }
}

#[test]
fn an_id_that_is_used_again_at_once_is_counted_by_nobodys_old_map() {
    let world = World::new("follow", 1);
    spread(&world, 5);
    let graph = world.graph(world.db.clone());
    // One that tries all the time has always read the target's map a moment ago, for as long as there is one.
    let tireless = world.graph(world.db.clone());
    let over = AtomicBool::new(false);
    let job: BoxFuture<'_, ()> = Box::pin(async {
        let made = graph.cascade(&cx(), "actor", "star", &quick()).await;
        ended(&graph, &made.expect("a job").value.id).await;
        for fan in ["ann", "ben"] {
            let again = world.graph(world.db.clone());
            let none = Changes::new();
            let linked = again.link(&cx(), "follows", fan, "star", &none).await;
            linked.expect("it may be used again");
        }
        let unlinked = tireless.unlink(&cx(), "follows", "ann", "star").await;
        assert_eq!(unlinked.expect("an answer").value, Unlinked::Removed);
        over.store(true, Ordering::Relaxed);
    });
    let trying: BoxFuture<'_, ()> = Box::pin(async {
        while !over.load(Ordering::Relaxed) {
            let _ = tireless.unlink(&cx(), "follows", "nobody", "star").await;
            let _ = tireless
                .list(
                    &cx(),
                    "follows",
                    Direction::In,
                    "star",
                    &ListOptions::default(),
                )
                .await;
            world.clock.sleep(Duration::from_millis(300)).await;
        }
    });
    let _: Vec<()> = world.clock.run_all(vec![job, trying]);
    assert_eq!(sound(&*world.db, &world.model).len(), 1);
}

#[test]
fn links_to_shards_that_race_it_never_survive() {
    for seed in 0..3 * campaign() {
        let world = World::new("follow", seed);
        spread(&world, 4);
        let lab = Lab::by(world.db.clone(), world.clock.clone()).with(Faults::stormy());
        let lab: Arc<dyn DynamoDb> = Arc::new(lab);
        let graph = world.graph(lab.clone());
        let racers: Vec<Graph> = (0..4).map(|_| world.graph(lab.clone())).collect();
        let mut work: Vec<BoxFuture<'_, ()>> = vec![Box::pin(async {
            let job = graph
                .cascade(&cx(), "actor", "star", &quick())
                .await
                .expect("a job")
                .value;
            let job = ended(&graph, &job.id).await;
            assert_eq!(
                (job.state, job.tally("miscounted")),
                (JobState::Done, 0),
                "seed {seed}"
            );
        })];
        for (number, racer) in racers.iter().enumerate() {
            let clock = world.clock.clone();
            work.push(Box::pin(async move {
                for _ in 0..40 {
                    let source = format!("r{number}-{}", clock.draw(8));
                    if clock.draw(3) == 0 {
                        let _ = racer.unlink(&cx(), "follows", &source, "star").await;
                    } else {
                        let none = Changes::new();
                        let _ = racer.link(&cx(), "follows", &source, "star", &none).await;
                    }
                }
            }));
        }
        let _: Vec<()> = world.clock.run_all(work);
        let edges = sound(&*world.db, &world.model);
        let left: Vec<_> = edges.iter().filter(|(_, sk)| sk == "TARGET#star").collect();
        assert!(left.is_empty(), "seed {seed}: {left:?}");
    }
}
