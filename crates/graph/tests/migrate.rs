//! Tables that something else wrote: examined, then made fit.

mod support;

use bothways_core::{Item, Number, Value};
use bothways_graph::model::shipped;
use bothways_graph::{
    Diagnosis, Direction, DoctorOptions, DoctorReport, Graph, Job, JobState, ListOptions,
    MigrateOptions, Migration, Orphans, Result, Trap, VerifyOptions, VerifyReport, doctor,
};
use bothways_lab::{Client, Faults, Lab};
use bothways_protocol::types::PutItemInput;
use bothways_protocol::{BoxFuture, DynamoDb, DynamoDbExt};
use std::sync::Arc;
use support::audit::{items, sound};
use support::world::{World, ended, ended_by_mortals};
use support::{campaign, cx, listed};

fn put(world: &World, attributes: &[(&str, Value)]) {
    let input = PutItemInput {
        table_name: Some(world.model.table.clone()),
        item: Some(Item::from_attributes(attributes.iter().cloned()).into()),
        ..PutItemInput::default()
    };
    let cx = cx();
    world
        .clock
        .run(world.db.put_item(&cx, input))
        .expect("a put");
}

fn key<'v>(pk: &str, sk: &str) -> Vec<(&'v str, Value)> {
    vec![("PK", Value::from(pk)), ("SK", Value::from(sk))]
}

async fn migrated(world: &World, db: Arc<dyn DynamoDb>, what: &Migration, dry_run: bool) -> Job {
    let graph = world.graph(db);
    let options = MigrateOptions {
        budget: bothways_graph::Budget::default(),
        dry_run,
    };
    let job = graph
        .migrate(&cx(), what, &options)
        .await
        .expect("a job")
        .value;
    let job = ended(&graph, &job.id).await;
    assert_eq!(job.state, JobState::Done);
    job
}

/// Counts what was never counted, and finds nothing else.
async fn counted(world: &World) -> VerifyReport {
    let graph = world.graph(world.db.clone());
    let options = VerifyOptions {
        repair: true,
        ..VerifyOptions::default()
    };
    let job = graph.verify(&cx(), &options).await.expect("a job").value;
    let report = VerifyReport::of(&ended(&graph, &job.id).await).expect("a report");
    assert!(report.is_mended(), "{report:#?}");
    report
}

fn examined(world: &World) -> DoctorReport {
    let (cx, env) = (cx(), Arc::new(world.clock.clone()));
    let options = DoctorOptions::default();
    let examined = doctor(world.db.clone(), env, &world.model, &cx, &options);
    world.clock.run(examined).expect("a report").value
}

fn of(report: &DoctorReport, trap: Trap) -> Vec<&Diagnosis> {
    report.diagnoses.iter().filter(|d| d.trap == trap).collect()
}

/// Edges as somebody wrote them who had no index.
fn bare_edges(world: &World) {
    for (source, target) in [("al", "bo"), ("al", "cy"), ("bo", "cy"), ("cy", "al")] {
        let mut item = key(&format!("ACTOR#{source}"), &format!("TARGET#{target}"));
        item.push(("createdAt", Value::N(Number::from(1_718_900_000_i64))));
        put(world, &item);
    }
}

#[test]
fn edges_without_index_attributes_are_filled_in() {
    let world = World::new("follow", 1);
    bare_edges(&world);
    let report = examined(&world);
    assert_eq!(of(&report, Trap::UnindexedEdges).len(), 1, "{report:#?}");
    assert_eq!(of(&report, Trap::DerivedCount).len(), 1, "{report:#?}");
    world.clock.run(async {
        let dry = migrated(&world, world.db.clone(), &Migration::Backfill, true).await;
        assert_eq!((dry.tally("edges"), dry.tally("would fill")), (4, 4));
        assert_eq!(
            of(&examined(&world), Trap::UnindexedEdges).len(),
            1,
            "nothing was changed"
        );
        let done = migrated(&world, world.db.clone(), &Migration::Backfill, false).await;
        assert_eq!((done.tally("edges"), done.tally("filled")), (4, 4));
        let report = counted(&world).await;
        assert_eq!(report.edges, 4);
    });
    assert_eq!(sound(&*world.db, &world.model).len(), 4);
    let graph = world.graph(world.db.clone());
    let (fans, _) = listed(
        &graph,
        "follows",
        Direction::In,
        "cy",
        ListOptions::default(),
    );
    assert_eq!(fans, ["al", "bo"]);
    assert!(
        examined(&world)
            .diagnoses
            .iter()
            .all(|d| d.trap == Trap::Model),
        "{:#?}",
        examined(&world)
    );
}

/// A student whose enrolments stand in attributes, in the three ways that one meets.
fn listed_enrolments(world: &World) {
    let text = |ids: &[&str]| Value::L(ids.iter().map(|id| Value::from(*id)).collect());
    let mut ann = key("STU#ann", "PROFILE");
    ann.push(("name", Value::from("Ann")));
    ann.push(("courseIds", text(&["math", "art"])));
    put(world, &ann);
    let mut bob = key("STU#bob", "PROFILE");
    bob.push(("courseIds", Value::Ss(["math".to_owned()].into())));
    put(world, &bob);
    let graded = Value::M(
        [
            ("courseId".to_owned(), Value::from("art")),
            ("grade".to_owned(), Value::from("A")),
        ]
        .into(),
    );
    let mut cas = key("STU#cas", "PROFILE");
    cas.push(("courseIds", Value::L(vec![graded])));
    cas.push(("hobbies", text(&["chess"])));
    put(world, &cas);
}

fn lists() -> Migration {
    Migration::Lists {
        entity: "student".into(),
        attribute: "courseIds".into(),
        relation: "enrolled".into(),
        direction: None,
    }
}

#[test]
fn lists_of_ids_become_edges() {
    let world = World::new("school", 1);
    listed_enrolments(&world);
    let report = examined(&world);
    let found = of(&report, Trap::ListAttribute);
    assert_eq!(found.len(), 1, "{report:#?}");
    assert_eq!(found[0].place, "student.courseIds");
    let command = found[0].command.as_ref().expect("a command").join(" ");
    assert_eq!(
        command,
        "model migrate MODEL lists student courseIds enrolled --side out --dry-run"
    );
    assert_eq!(of(&report, Trap::CopiedData).len(), 1, "{report:#?}");
    world.clock.run(async {
        let dry = migrated(&world, world.db.clone(), &lists(), true).await;
        assert_eq!((dry.tally("lists"), dry.tally("edges to make")), (3, 4));
        let done = migrated(&world, world.db.clone(), &lists(), false).await;
        assert_eq!((done.tally("lists"), done.tally("edges")), (3, 4));
    });
    assert_eq!(sound(&*world.db, &world.model).len(), 4);
    let all = items(&*world.db, &world.model.table);
    assert!(
        all.iter().all(|item| item.get("courseIds").is_none()),
        "{all:#?}"
    );
    let graph = world.graph(world.db.clone());
    let cx = cx();
    let edge = world
        .clock
        .run(graph.edge(&cx, "enrolled", "cas", "art"))
        .expect("an edge")
        .value;
    let edge = edge.expect("it is there");
    assert_eq!(
        edge.attributes
            .get("grade")
            .and_then(bothways_core::ValueRef::as_str),
        Some("A")
    );
    let (roster, _) = listed(
        &graph,
        "enrolled",
        Direction::In,
        "math",
        ListOptions::default(),
    );
    assert_eq!(roster, ["ann", "bob"]);
    assert!(of(&examined(&world), Trap::ListAttribute).is_empty());
}

/// Edges that somebody wrote twice: one copy is all that is left of `di` → `al`.
fn twins(world: &World) {
    bare_edges(world);
    for (source, target) in [("al", "bo"), ("al", "cy"), ("bo", "cy"), ("di", "al")] {
        put(
            world,
            &key(&format!("TARGET#{target}"), &format!("ACTOR#{source}")),
        );
    }
}

#[test]
fn edges_written_twice_are_kept_once() {
    for (orphans, edges, made, removed) in [
        (Orphans::Link, 5, 1, 4),
        (Orphans::Drop, 4, 0, 4),
        (Orphans::Keep, 4, 0, 3),
    ] {
        let world = World::new("follow", 1);
        twins(&world);
        let report = examined(&world);
        let found = of(&report, Trap::TwinEdges);
        assert_eq!(found.len(), 1, "{report:#?}");
        assert!(
            found[0].evidence.contains("4 second copies beside 4 edges"),
            "{}",
            found[0].evidence
        );
        assert!(
            found[0].evidence.contains("1 have no edge"),
            "{}",
            found[0].evidence
        );
        let migration = Migration::Twins {
            relation: "follows".into(),
            orphans,
        };
        world.clock.run(async {
            let dry = migrated(&world, world.db.clone(), &migration, true).await;
            assert_eq!(
                (
                    dry.tally("twins"),
                    dry.tally("orphans"),
                    dry.tally("removed")
                ),
                (4, 1, 0)
            );
            let done = migrated(&world, world.db.clone(), &migration, false).await;
            assert_eq!(
                (done.tally("edges made"), done.tally("removed")),
                (made, removed)
            );
            migrated(&world, world.db.clone(), &Migration::Backfill, false).await;
            counted(&world).await;
        });
        assert_eq!(sound(&*world.db, &world.model).len(), edges, "{orphans:?}");
    }
}

/// A migration: of which model's table, filled how, and how many edges there are in the end.
type Case = (&'static str, fn(&World), Migration, usize);

fn cases() -> [Case; 3] {
    let twin = Migration::Twins {
        relation: "follows".into(),
        orphans: Orphans::Link,
    };
    [
        ("follow", bare_edges, Migration::Backfill, 4),
        ("school", listed_enrolments, lists(), 4),
        ("follow", twins, twin, 5),
    ]
}

#[test]
fn killed_at_any_request_and_resumed_a_migration_ends_the_same() {
    for (model, before, migration, edges) in cases() {
        let requests = {
            let world = World::new(model, 1);
            before(&world);
            let client = Client::of(world.db.clone());
            world
                .clock
                .run(migrated(&world, client.clone(), &migration, false));
            client.sent()
        };
        for dies_at in 1..requests {
            for unheard in [false, true] {
                let world = World::new(model, dies_at);
                before(&world);
                let client = Client::dying_at(world.db.clone(), dies_at, unheard);
                let heir = world.graph(world.db.clone());
                world.clock.run(async {
                    let end = client
                        .life(migrated(&world, client.clone(), &migration, false))
                        .await;
                    assert!(end.is_none(), "it should have died at {dies_at}");
                    let jobs = heir.jobs(&cx()).await.expect("jobs").value;
                    assert_eq!(ended(&heir, &jobs[0].id).await.state, JobState::Done);
                    migrated(&world, world.db.clone(), &Migration::Backfill, false).await;
                    counted(&world).await;
                });
                let left = sound(&*world.db, &world.model).len();
                assert_eq!(left, edges, "{migration:?} {dies_at} {unheard}");
            }
        }
    }
}

#[test]
fn whoever_dies_a_migration_ends_the_same() {
    let mut deaths = 0;
    for seed in 0..campaign() * 2 {
        for (model, before, migration, edges) in cases() {
            let (world, db) = World::mortal(model, seed);
            before(&world);
            let lab = Lab::by(world.db.clone(), world.clock.clone()).with(Faults::stormy());
            let lab: Arc<dyn DynamoDb> = Arc::new(lab);
            db.dies_within(1_500);
            let make = |graph: Graph| -> BoxFuture<'static, Result<Job>> {
                let migration = migration.clone();
                Box::pin(async move {
                    let options = MigrateOptions {
                        budget: bothways_graph::Budget::default(),
                        dry_run: false,
                    };
                    let made = graph.migrate(&cx(), &migration, &options).await?;
                    Ok(made.value)
                })
            };
            let job = ended_by_mortals(&world, &lab, &make);
            assert_eq!(world.clock.run(job).state, JobState::Done);
            db.calm();
            world.clock.run(async {
                migrated(&world, world.db.clone(), &Migration::Backfill, false).await;
                counted(&world).await;
            });
            let left = sound(&*world.db, &world.model).len();
            assert_eq!(left, edges, "seed {seed} {migration:?}");
            deaths += db.deaths();
        }
    }
    assert!(deaths > 0, "the database never died");
}

#[test]
fn a_sound_table_and_its_model_are_healthy() {
    for model in ["follow", "school", "social"] {
        let world = World::new(model, 1);
        let relation = world.model.relations[0].name.clone();
        for (source, target) in [("al", "bo"), ("bo", "al"), ("cy", "bo")] {
            world.link(&relation, source, target);
        }
        let report = examined(&world);
        let only = |d: &Diagnosis| d.trap == Trap::Model;
        assert!(
            report.whole && report.diagnoses.iter().all(only),
            "{model}: {report:#?}"
        );
    }
}

#[test]
fn a_model_shows_its_traps_by_itself() {
    let mut model = shipped("follow").expect("it ships").model;
    model.relations[0].shard = None;
    model.relations[0].counters = bothways_graph::model::Counters::default();
    model.relations[0].attributes.clear();
    let world = World::new("school", 1);
    let (cx, env) = (cx(), Arc::new(world.clock.clone()));
    let options = DoctorOptions::default();
    let report = world
        .clock
        .run(doctor(world.db.clone(), env, &model, &cx, &options));
    let report = report.expect("a report").value;
    assert!(!report.table);
    for trap in [Trap::HotKey, Trap::DerivedCount, Trap::Projection] {
        assert_eq!(of(&report, trap).len(), 1, "{trap:?}: {report:#?}");
    }
}
