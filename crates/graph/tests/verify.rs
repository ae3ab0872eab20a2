//! Verifying and repairing: what is wrong is found, what is right is never touched.

mod support;

use bothways_core::{Item, Number, Value};
use bothways_graph::{
    Changes, Environment, FindingKind, Graph, JobState, Ran, VerifyOptions, VerifyReport,
};
use bothways_lab::{Client, Faults, Lab};
use bothways_protocol::types::PutItemInput;
use bothways_protocol::{BoxFuture, DynamoDb, DynamoDbExt};
use std::sync::Arc;
use std::time::Duration;
use support::audit::{items, sound};
use support::world::{World, ended, ended_by_mortals};
use support::{campaign, cx};

fn options(repair: bool) -> VerifyOptions {
    VerifyOptions {
        grace: Duration::from_secs(2),
        repair,
        ..VerifyOptions::default()
    }
}

async fn verified(graph: &Graph, repair: bool) -> VerifyReport {
    let job = graph
        .verify(&cx(), &options(repair))
        .await
        .expect("a job")
        .value;
    let job = ended(graph, &job.id).await;
    assert_eq!(job.state, JobState::Done);
    VerifyReport::of(&job).expect("a report")
}

/// A repair that is taken up again whenever the database fails it.
async fn verified_through(graph: &Graph) -> VerifyReport {
    let env: Arc<dyn Environment> = graph.environment();
    let mut made = None;
    for _ in 0..200 {
        if made.is_none() {
            let job = graph.verify(&cx(), &options(true)).await;
            made = job.ok().map(|done| done.value.id);
        }
        if let Some(id) = &made
            && let Ok(done) = graph.run_job(&cx(), id, &mut ()).await
        {
            match done.value {
                Ran::Ended(job) => return VerifyReport::of(&job).expect("a report"),
                Ran::NotOpen(job) if job.state == JobState::Done => {
                    return VerifyReport::of(&job).expect("a report");
                }
                Ran::NotOpen(_) => drop(graph.resume_job(&cx(), id).await),
                _ => {}
            }
        }
        env.sleep(Duration::from_secs(10)).await;
    }
    panic!("never ended");
}

fn small(world: &World) {
    for (relation, source, target) in [
        ("follows", "al", "bo"),
        ("follows", "al", "cy"),
        ("follows", "bo", "al"),
        ("follows", "al", "al"),
        ("likes", "al", "post"),
        ("friends", "al", "bo"),
        ("friends", "bo", "bo"),
    ] {
        world.link(relation, source, target);
    }
}

/// Changes an item behind the layer's back.
fn tamper(world: &World, pk: &str, sk: &str, changes: &[(&str, Option<Value>)]) {
    let all = items(&*world.db, &world.model.table);
    let text = |item: &Item, name: &str| item.get(name).and_then(|v| v.as_str().map(str::to_owned));
    let found = all.into_iter().find(|item| {
        text(item, "PK").as_deref() == Some(pk) && text(item, "SK").as_deref() == Some(sk)
    });
    let item = found.unwrap_or_else(|| {
        Item::from_attributes([("PK", Value::from(pk)), ("SK", Value::from(sk))])
    });
    let changes: Vec<_> = changes
        .iter()
        .map(|(name, value)| (*name, value.as_ref().map(Value::as_ref)))
        .collect();
    let input = PutItemInput {
        table_name: Some(world.model.table.clone()),
        item: Some(item.with(&changes).into()),
        ..PutItemInput::default()
    };
    let cx = cx();
    world
        .clock
        .run(world.db.put_item(&cx, input))
        .expect("a put");
}

fn number(n: i64) -> Value {
    Value::N(Number::from(n))
}

/// Everything that can be repaired, wrong at once.
fn damage(world: &World) {
    tamper(
        world,
        "PERSON#al",
        "PROFILE",
        &[("following", Some(number(7)))],
    );
    tamper(
        world,
        "PERSON#bo",
        "PROFILE",
        &[("friends", Some(number(-1)))],
    );
    tamper(
        world,
        "POST#post",
        "META",
        &[("likes", None), ("likesOps", None)],
    );
    tamper(
        world,
        "PERSON#al",
        "FOLLOWS#cy",
        &[("GSI1PK", None), ("GSI1SK", None)],
    );
    tamper(world, "PERSON#al", "LIKES#post", &[("GSI1SK", None)]);
    tamper(
        world,
        "PERSON#bo",
        "FOLLOWS#al",
        &[("GSI1PK", Some(Value::from("FOLLOWS#dee")))],
    );
}

#[test]
fn a_sound_table_is_clean() {
    let world = World::new("social", 1);
    small(&world);
    let report = world
        .clock
        .run(verified(&world.graph(world.db.clone()), false));
    assert!(report.is_clean() && report.is_mended(), "{report:?}");
    assert_eq!(
        (report.edges, report.entities, report.foreign, report.busy),
        (7, 4, 0, 0)
    );
}

#[test]
fn what_is_wrong_is_found_and_only_repaired_when_asked() {
    let world = World::new("social", 1);
    small(&world);
    damage(&world);
    tamper(&world, "PERSON#al", "FOLLOWS#", &[]);
    tamper(
        &world,
        "PERSON#zed",
        "FRIEND#amy",
        &[("GSI1PK", Some(Value::from("FRIEND#amy")))],
    );
    tamper(&world, "SOMETHING", "ELSE", &[]);
    let graph = world.graph(world.db.clone());
    let report = world.clock.run(verified(&graph, false));
    let count = |kind: FindingKind| {
        report
            .found
            .iter()
            .find(|(k, _)| *k == kind)
            .map_or(0, |f| f.1)
    };
    assert_eq!(report.foreign, 1);
    assert_eq!(count(FindingKind::MissingIndex), 4, "{report:#?}");
    assert_eq!(count(FindingKind::WrongIndex), 1, "{report:#?}");
    assert_eq!(count(FindingKind::Key), 2, "{report:#?}");
    assert_eq!((report.repaired, report.is_mended()), (0, false));
    let words: Vec<&str> = report.findings.iter().map(|f| f.what.as_str()).collect();
    assert!(
        words.contains(&"following is 7, and the number of its edges is 3"),
        "{words:#?}"
    );
    assert!(
        words.contains(&"GSI1PK is FOLLOWS#dee; FOLLOWS#al belongs there"),
        "{words:#?}"
    );
    assert_eq!(words, {
        let again = world.clock.run(verified(&graph, false));
        again
            .findings
            .iter()
            .map(|f| f.what.clone())
            .collect::<Vec<_>>()
    });
}

#[test]
fn a_repaired_table_is_sound() {
    let world = World::new("social", 1);
    small(&world);
    damage(&world);
    let graph = world.graph(world.db.clone());
    let report = world.clock.run(verified(&graph, true));
    assert!(!report.is_clean() && report.is_mended(), "{report:#?}");
    assert_eq!(sound(&*world.db, &world.model).len(), 7);
    let again = world.clock.run(verified(&graph, true));
    assert!(again.is_clean(), "{again:#?}");
}

/// A counter may be met on a page of the table long before the edges that its list lacks.
#[test]
fn a_right_counter_of_edges_that_a_list_lacks_stays() {
    const EDGES: usize = 620;
    let world = World::new("social", 1);
    for at in 0..EDGES {
        world.link("follows", &format!("p{at}"), "star");
    }
    for at in 0..EDGES {
        let lacks = [("GSI1PK", None), ("GSI1SK", None)];
        let (pk, sk) = (format!("PERSON#p{at}"), "FOLLOWS#star");
        if at % 3 == 0 {
            tamper(&world, &pk, sk, &lacks);
        }
    }
    let report = world
        .clock
        .run(verified(&world.graph(world.db.clone()), true));
    assert!(report.is_mended(), "{report:#?}");
    let kinds: Vec<FindingKind> = report.found.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [FindingKind::MissingIndex], "{report:#?}");
    assert_eq!(report.edges, EDGES as u64);
    assert_eq!(sound(&*world.db, &world.model).len(), EDGES);
}

#[test]
fn killed_at_any_request_and_resumed_it_leaves_the_table_sound() {
    let requests = {
        let world = World::new("social", 1);
        small(&world);
        damage(&world);
        let client = Client::of(world.db.clone());
        world
            .clock
            .run(verified(&world.graph(client.clone()), true));
        client.sent()
    };
    let every = if std::env::var_os("BOTHWAYS_CAMPAIGN").is_some() {
        1
    } else {
        5
    };
    for dies_at in (1..requests).step_by(every) {
        for unheard in [false, true] {
            let world = World::new("social", dies_at);
            small(&world);
            damage(&world);
            let client = Client::dying_at(world.db.clone(), dies_at, unheard);
            let (doomed, heir) = (world.graph(client.clone()), world.graph(world.db.clone()));
            world.clock.run(async {
                let end = client.life(verified(&doomed, true)).await;
                assert!(end.is_none(), "it should have died at {dies_at}");
                let jobs = heir.jobs(&cx()).await.expect("jobs").value;
                assert_eq!(ended(&heir, &jobs[0].id).await.state, JobState::Done);
            });
            assert_eq!(
                sound(&*world.db, &world.model).len(),
                7,
                "{dies_at} {unheard}"
            );
        }
    }
}

#[test]
fn whoever_dies_a_repair_leaves_the_table_sound() {
    let mut deaths = 0;
    for seed in 0..campaign() * 3 {
        let (world, db) = World::mortal("social", seed);
        small(&world);
        damage(&world);
        let lab = Lab::by(world.db.clone(), world.clock.clone()).with(Faults::stormy());
        let lab: Arc<dyn DynamoDb> = Arc::new(lab);
        db.dies_within(700);
        let job = ended_by_mortals(&world, &lab, &|graph| {
            Box::pin(async move { Ok(graph.verify(&cx(), &options(true)).await?.value) })
        });
        let job = world.clock.run(job);
        db.calm();
        let report = VerifyReport::of(&job).expect("a report");
        assert!(report.is_mended(), "seed {seed}: {report:#?}");
        assert_eq!(sound(&*world.db, &world.model).len(), 7, "seed {seed}");
        deaths += db.deaths();
    }
    assert!(deaths > 0, "the database never died");
}

/// Clients that write while a table is verified and repaired, in all weathers, over a database that dies now and then.
fn live(seed: u64) -> u64 {
    let (world, db) = World::mortal("social", seed);
    small(&world);
    let lab = Lab::by(world.db.clone(), world.clock.clone()).with(Faults::stormy());
    let lab: Arc<dyn DynamoDb> = Arc::new(lab);
    let writers: Vec<Graph> = (0..4).map(|_| world.graph(lab.clone())).collect();
    db.dies_within(4_000);
    let graph = world.graph(lab.clone());
    let mut work: Vec<BoxFuture<'_, ()>> = vec![Box::pin(async {
        for _ in 0..3 {
            let report = verified_through(&graph).await;
            assert!(report.is_clean(), "seed {seed}: {report:#?}");
        }
    })];
    for writer in &writers {
        let clock = world.clock.clone();
        work.push(Box::pin(async move {
            for _ in 0..60 {
                let peers = ["al", "bo", "cy", "di"];
                let draw = || peers[usize::try_from(clock.draw(4)).expect("small")];
                let (source, target) = (draw(), draw());
                let relation =
                    ["follows", "likes", "friends"][usize::try_from(clock.draw(3)).expect("small")];
                if clock.draw(2) == 0 {
                    let _ = writer.unlink(&cx(), relation, source, target).await;
                } else {
                    let _ = writer
                        .link(&cx(), relation, source, target, &Changes::new())
                        .await;
                }
                let pause = clock.draw_time(Duration::from_secs(3));
                bothways_graph::Environment::sleep(&clock, pause).await;
            }
        }));
    }
    let _: Vec<()> = world.clock.run_all(work);
    db.calm();
    sound(&*world.db, &world.model);
    db.deaths()
}

#[test]
fn a_correct_counter_is_never_reported_and_never_repaired() {
    let seeds = std::env::var("BOTHWAYS_CAMPAIGN").map_or(5, |n| n.parse().expect("a number"));
    let deaths: u64 = (0..seeds).map(live).sum();
    assert!(deaths > 0, "the database never died");
}

#[test]
fn counters_of_shards_are_compared_part_by_part() {
    let world = World::new("follow", 1);
    for i in 0..3 {
        world.link("follows", &format!("early{i}"), "star");
    }
    let graph = world.graph(world.db.clone());
    let cx = cx();
    world
        .clock
        .run(graph.grow_shards(&cx, "follows", "star", 2))
        .expect("shards");
    for i in 0..6 {
        world.link("follows", &format!("late{i}"), "star");
    }
    let clean = world.clock.run(verified(&graph, true));
    assert!(clean.is_clean(), "{clean:#?}");
    tamper(
        &world,
        "BOTHWAYS#COUNT#follows#star#1",
        "COUNT",
        &[("n", Some(number(9)))],
    );
    tamper(
        &world,
        "ACTOR#late0",
        "TARGET#star",
        &[("GSI1PK", Some(Value::from("TARGET#star#7")))],
    );
    let found = world.clock.run(verified(&graph, true));
    let kinds: Vec<FindingKind> = found.found.iter().map(|(kind, _)| *kind).collect();
    assert!(
        kinds.contains(&FindingKind::Counter) && kinds.contains(&FindingKind::Shard),
        "{found:#?}"
    );
    assert!(found.is_mended(), "{found:#?}");
    let clean = world.clock.run(verified(&graph, false));
    assert!(clean.is_clean(), "{clean:#?}");
}

/// A target whose map is gone, as when its profile was written over: its shards' edges are out of sight until they are taken
/// in, each with its count.
#[test]
fn edges_of_a_lost_map_are_taken_back_into_the_plain_list() {
    let world = World::new("follow", 1);
    let graph = world.graph(world.db.clone());
    let cx = cx();
    world
        .clock
        .run(graph.grow_shards(&cx, "follows", "star", 4))
        .expect("shards");
    for i in 0..9 {
        world.link("follows", &format!("fan{i}"), "star");
    }
    let gone = ["followsShards", "followsBase", "followers", "followersOps"];
    tamper(
        &world,
        "ACTOR#star",
        "PROFILE",
        &gone.map(|name| (name, None)),
    );
    let count = |repair| {
        let report = world
            .clock
            .run(verified(&world.graph(world.db.clone()), repair));
        let shards = report.found.iter().find(|f| f.0 == FindingKind::Shard);
        (shards.map_or(0, |f| f.1), report.is_mended())
    };
    assert_eq!(count(false), (9, false));
    assert_eq!(count(true), (9, true));
    assert_eq!(count(false), (0, true));
    assert_eq!(sound(&*world.db, &world.model).len(), 9);
    let graph = world.graph(world.db.clone());
    let list = bothways_graph::ListOptions::default();
    let page = world
        .clock
        .run(graph.list(&cx, "follows", bothways_graph::Direction::In, "star", &list))
        .expect("a page");
    assert_eq!(page.value.edges.len(), 9);
}

#[test]
fn a_counter_that_nothing_can_be_added_to_is_named_and_set() {
    let large: Number = "1E+40".parse().expect("a number");
    let broken: Number = "2.5".parse().expect("a number");
    for (value, words) in [
        (Value::N(large), "following was 1"),
        (Value::N(broken), "following was 2.5,"),
        (Value::from("three"), "following was of type S,"),
    ] {
        let world = World::new("social", 1);
        small(&world);
        let wrong = [
            ("following", Some(value)),
            ("followingOps", Some(Value::from("x"))),
        ];
        tamper(&world, "PERSON#al", "PROFILE", &wrong);
        let report = world
            .clock
            .run(verified(&world.graph(world.db.clone()), true));
        let what: Vec<&str> = report.findings.iter().map(|f| f.what.as_str()).collect();
        assert_eq!(what.len(), 1, "{what:?}");
        assert!(
            what[0].starts_with(words)
                && what[0]
                    .ends_with("to which nothing can be added, and the number of its edges is 3"),
            "{what:?}"
        );
        assert!(report.is_mended());
        sound(&*world.db, &world.model);
    }
}

#[test]
fn those_who_may_only_read_verify_without_a_job() {
    let world = World::new("social", 1);
    small(&world);
    damage(&world);
    let recorder = support::Recorder::new(world.db.clone());
    let graph = world.graph(recorder.clone());
    let cx = cx();
    let kept = world.clock.run(verified(&graph, false));
    recorder.take();
    recorder.reset();
    let ran = world
        .clock
        .run(graph.verify_unsaved(&cx, &options(false), &mut ()))
        .expect("an end");
    let bothways_graph::Ran::Ended(job) = ran.value else {
        panic!("{ran:?}");
    };
    let report = VerifyReport::of(&job).expect("a report");
    assert_eq!(report, kept);
    assert_eq!(recorder.writes(), 0);
    let refused = world
        .clock
        .run(graph.verify_unsaved(&cx, &options(true), &mut ()));
    assert!(refused.is_err());
}
