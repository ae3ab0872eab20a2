//! A celebrity: one target with many followers, 64 clients following it at once, with 1, 4 and 16 shards. First durably on
//! disk, as fast as it goes; then in a lab, where each key takes 1,000 write units a second and time is the lab's. At
//! last the whole list is read page by page while shards are added and while they are drained.
//!
//! usage: celebrity [FOLLOWERS [SECONDS [DIR]]]   (2000000, 10; DIR is on the disk to measure)

use bothways_bench::raw_sync;
use bothways_core::{Item, Number, Value};
use bothways_engine::{Engine, Options as EngineOptions};
use bothways_graph::model::shipped;
use bothways_graph::{Changes, Direction, Environment, Graph, ListOptions};
use bothways_lab::{Clock, Faults, KeyLimits, Lab};
use bothways_protocol::types::{BatchWriteItemInput, PutRequest, UpdateItemInput, WriteRequest};
use bothways_protocol::{BoxFuture, Context, DynamoDb, DynamoDbExt};
use bothways_store::{DiskStore, MemoryStore, Options, Store};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

const CLIENTS: usize = 64;
const STAR: &str = "star";
/// Items of one batch (API Reference, `BatchWriteItem`).
const BATCH: usize = 25;
/// Pause between readings of the whole list.
const PAUSE: Duration = Duration::from_secs(3);
/// What a key had saved is used up before the measuring begins.
const WARM_UP: Duration = Duration::from_secs(2);
/// Longest time of a request on its way in the lab, and of its answer.
const LATENCY: Duration = Duration::from_millis(5);

fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let followers: usize = args.next().map_or(Ok(2_000_000), |a| a.parse())?;
    let seconds: u64 = args.next().map_or(Ok(10), |a| a.parse())?;
    let root = match args.next() {
        Some(dir) => tempfile::tempdir_in(dir)?,
        None => tempfile::tempdir()?,
    };
    let time = Duration::from_secs(seconds);
    println!("{followers} followers, {CLIENTS} clients, {seconds} s each");
    durable(followers, time, root.path())?;
    in_the_lab(followers, time)
}

fn graph(db: Arc<dyn DynamoDb>) -> Outcome<Graph> {
    let model = shipped("follow").ok_or("the model ships")?.model;
    Ok(Graph::new(db, model)?)
}

/// A follower's edge as linking makes it.
fn edge(at: usize) -> Item {
    let source = format!("f{at:08}");
    Item::from_attributes([
        ("PK", Value::S(format!("ACTOR#{source}"))),
        ("SK", Value::S(format!("TARGET#{STAR}"))),
        ("GSI1PK", Value::S(format!("TARGET#{STAR}"))),
        ("GSI1SK", Value::S(format!("ACTOR#{source}"))),
        ("createdAt", Value::N(Number::from(1_718_900_000_i64))),
        ("edgeType", Value::S("FOLLOWS".into())),
        ("opId", Value::S("loaded".into())),
    ])
}

/// Loads the followers in batches, and the counter that they make.
async fn load(db: &Arc<dyn DynamoDb>, followers: usize) -> Outcome<()> {
    let started = Instant::now();
    let tasks = (0..8).map(|task| {
        let db = Arc::clone(db);
        tokio::spawn(async move {
            let cx = Context::default();
            let mut at = task * BATCH;
            while at < followers {
                let puts = (at..followers.min(at + BATCH)).map(|at| WriteRequest {
                    put_request: Some(PutRequest {
                        item: Some(edge(at).into()),
                    }),
                    ..WriteRequest::default()
                });
                let input = BatchWriteItemInput {
                    request_items: Some(BTreeMap::from([("follow".to_owned(), puts.collect())])),
                    ..BatchWriteItemInput::default()
                };
                db.batch_write_item(&cx, input).await?;
                at += 8 * BATCH;
            }
            Ok::<(), bothways_protocol::Error>(())
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await??;
    }
    let key = Item::from_attributes([
        ("PK", Value::S(format!("ACTOR#{STAR}"))),
        ("SK", Value::S("PROFILE".into())),
    ]);
    let count = Value::N(Number::from(followers));
    let input = UpdateItemInput {
        table_name: Some("follow".into()),
        key: Some(key.into()),
        update_expression: Some("SET followers = :n, followersOps = :n".into()),
        expression_attribute_values: Some(BTreeMap::from([(":n".to_owned(), count)]).into()),
        ..UpdateItemInput::default()
    };
    db.update_item(&Context::default(), input).await?;
    println!("  loaded in {:.1} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// On disk: how many follow in a second of the clock on the wall.
fn durable(followers: usize, time: Duration, dir: &std::path::Path) -> Outcome<()> {
    let raw = raw_sync(dir)?;
    println!(
        "on disk, raw fdatasync, median {:.3} ms",
        raw.as_secs_f64() * 1e3
    );
    let store: Arc<dyn Store> = Arc::new(DiskStore::open(&dir.join("db"), Options::default())?);
    let db: Arc<dyn DynamoDb> = Arc::new(Engine::open(store, EngineOptions::default())?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let cx = Context::default();
        let star = graph(Arc::clone(&db))?;
        star.apply(&cx).await?;
        load(&db, followers).await?;
        let mut made = followers;
        for shards in [1, 4, 16] {
            if shards > 1 {
                star.grow_shards(&cx, "follows", STAR, shards).await?;
            }
            let started = Instant::now();
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    let graph = star.clone();
                    tokio::spawn(async move {
                        let mut times = Vec::new();
                        while started.elapsed() < time {
                            let source = format!("d{shards}-{client}-{}", times.len());
                            let sent = Instant::now();
                            let cx = Context::default();
                            graph
                                .link(&cx, "follows", &source, STAR, &Changes::new())
                                .await?;
                            times.push(sent.elapsed());
                        }
                        Ok::<_, bothways_graph::Error>(times)
                    })
                })
                .collect();
            let mut times = Vec::new();
            for client in clients {
                times.extend(client.await??);
            }
            let took = started.elapsed();
            made += times.len();
            times.sort_unstable();
            let at = |part: usize| times[times.len() * part / 100].as_secs_f64() * 1e3;
            println!(
                "  {shards:>2} shards: {:>8.0} follows/s, median {:.2} ms, 99 of 100 within {:.2} ms",
                times.len() as f64 / took.as_secs_f64(),
                at(50),
                at(99)
            );
        }
        let counts = star.counts(&cx, "follows", STAR, Some(Direction::In)).await?;
        let count = counts.value.inward.unwrap_or_default();
        assert_eq!(usize::try_from(count)?, made, "the counter is the list");
        Ok(())
    })
}

/// In the lab's time: 1,000 write units a second and key, then without that limit.
fn in_the_lab(followers: usize, time: Duration) -> Outcome<()> {
    println!("in the lab, requests and answers each up to {LATENCY:?} on their way");
    let clock = Clock::new(1);
    let options = EngineOptions {
        clock: Arc::new(clock.clone()),
        background: false,
        ..EngineOptions::default()
    };
    let db: Arc<dyn DynamoDb> = Arc::new(Engine::open(Arc::new(MemoryStore::new()), options)?);
    let lab = Lab::by(Arc::clone(&db), clock.clone());
    let model = shipped("follow").ok_or("the model ships")?.model;
    let star = Graph::with_environment(Arc::new(lab.clone()), model, Arc::new(clock.clone()))?;
    let cx = Context::default();
    clock.run(star.apply(&cx))?;
    tokio::runtime::Builder::new_multi_thread()
        .build()?
        .block_on(load(&db, followers))?;
    let made = AtomicU64::new(followers as u64);
    for shards in [1, 4, 16] {
        if shards > 1 {
            clock.run(star.grow_shards(&cx, "follows", STAR, shards))?;
        }
        for limited in [true, false] {
            lab.set(Faults {
                key_limits: limited.then(KeyLimits::default),
                latency: LATENCY,
                ..Faults::default()
            });
            if limited {
                follow(&star, &clock, WARM_UP, &format!("w{shards}"), &made)?;
            }
            // Without a limit only the way to the table takes time: a tenth shows it.
            let time = if limited { time } else { time / 10 };
            let rate = follow(&star, &clock, time, &format!("{shards}{limited}"), &made)?;
            let limit = if limited { "1,000 units/s" } else { "no limit" };
            println!("  {shards:>2} shards, {limit:>13} a key: {rate:>7.0} follows/s");
        }
    }
    lab.set(Faults {
        latency: LATENCY,
        ..Faults::default()
    });
    paged(&star, &clock, followers, &made)
}

/// Clients that follow for a time of the lab's; how many followed in a second.
fn follow(
    star: &Graph,
    clock: &Clock,
    time: Duration,
    name: &str,
    made: &AtomicU64,
) -> Outcome<f64> {
    let started = clock.now();
    let clients = (0..CLIENTS).map(|client| {
        let task: BoxFuture<'_, Result<u64, bothways_graph::Error>> = Box::pin(async move {
            let mut count = 0;
            while clock.now() < started + time {
                let source = format!("l{name}-{client}-{count}");
                let cx = Context {
                    deadline: Some(clock.monotonic() + Duration::from_mins(5)),
                    ..Context::default()
                };
                star.link(&cx, "follows", &source, STAR, &Changes::new())
                    .await?;
                count += 1;
            }
            Ok(count)
        });
        task
    });
    let mut count = 0;
    for client in clock.run_all(clients.collect()) {
        count += client?;
    }
    made.fetch_add(count, Ordering::Relaxed);
    Ok(count as f64 / clock.now().saturating_sub(started).as_secs_f64())
}

/// Reads every page while shards come and while they go, with clients following: each loaded follower once, in order.
fn paged(star: &Graph, clock: &Clock, followers: usize, made: &AtomicU64) -> Outcome<()> {
    for (what, grow, to) in [("growing to 32", true, 32), ("shrinking to 1", false, 1)] {
        let over = AtomicU64::new(0);
        let over = &over;
        let change: BoxFuture<'_, Outcome<u64>> = Box::pin(async move {
            let cx = Context::default();
            if grow {
                star.grow_shards(&cx, "follows", STAR, to).await?;
            } else {
                star.shrink_shards(&cx, "follows", STAR, to).await?;
            }
            over.store(1, Ordering::Relaxed);
            Ok(0)
        });
        let read: BoxFuture<'_, Outcome<u64>> = Box::pin(async move {
            let mut passes = 0;
            while passes == 0 || over.load(Ordering::Relaxed) == 0 {
                whole(star, followers).await?;
                passes += 1;
                clock.sleep(PAUSE).await;
            }
            Ok(passes)
        });
        let write: BoxFuture<'_, Outcome<u64>> = Box::pin(async move {
            let mut count = 0;
            while over.load(Ordering::Relaxed) == 0 {
                let source = format!("p{to}-{count}");
                star.link(&Context::default(), "follows", &source, STAR, &Changes::new())
                    .await?;
                made.fetch_add(1, Ordering::Relaxed);
                count += 1;
            }
            Ok(count)
        });
        let mut answers = Vec::new();
        for answer in clock.run_all(vec![change, read, write]) {
            answers.push(answer?);
        }
        println!(
            "  {what}: {} readings of the whole list, each of the {followers} followers once and in order, {} follows meanwhile",
            answers[1], answers[2]
        );
    }
    let counts = clock.run(star.counts(&Context::default(), "follows", STAR, Some(Direction::In)))?;
    let count = u64::try_from(counts.value.inward.unwrap_or_default())?;
    assert_eq!(count, made.load(Ordering::Relaxed), "the counter is the list");
    println!("  the counter is the list: {count}");
    Ok(())
}

/// One reading of every page.
async fn whole(star: &Graph, followers: usize) -> Outcome<()> {
    let cx = Context::default();
    let mut pages = star.pages("follows", Direction::In, STAR, ListOptions::default());
    let mut next = 0;
    while let Some(page) = pages.next(&cx).await? {
        for edge in &page.value.edges {
            if let Some(number) = edge.source.strip_prefix('f') {
                let number: usize = number.parse()?;
                if number != next {
                    return Err(format!("after {next} follows {number}").into());
                }
                next += 1;
            }
        }
    }
    if next != followers {
        return Err(format!("{next} of {followers} followers").into());
    }
    Ok(())
}
