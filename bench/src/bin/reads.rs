//! Reads where others work beside them, durably on disk: two readers against one, a reader under writers at full speed, and
//! the first page of a partition whose 100,000 items have just been deleted.
//!
//! usage: reads [DIR]

use bothways_bench::linkbench::{Outcome, Random, Times};
use bothways_bench::raw_sync;
use bothways_bench::versus::Op;
use bothways_engine::{Engine, Options as EngineOptions};
use bothways_protocol::{Context, DynamoDb, Operation, Request, Response};
use bothways_store::{DiskStore, Options};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long each is measured.
const TIME: Duration = Duration::from_secs(3);
/// Writers that keep the disk busy.
const WRITERS: usize = 16;
/// Items that are deleted, and of one BatchWriteItem.
const DELETED: u64 = 100_000;
const BATCH: u64 = 25;
/// How long the first page is looked at after the deletes.
const LOOKED: Duration = Duration::from_secs(6);

fn main() -> Outcome<()> {
    let root = match std::env::args().nth(1) {
        Some(dir) => tempfile::tempdir_in(dir)?,
        None => tempfile::tempdir()?,
    };
    let raw = raw_sync(root.path())?.as_secs_f64() * 1e3;
    println!("raw fdatasync, median {raw:.3} ms");
    let store = DiskStore::open(&root.path().join("data"), Options::default())?;
    let engine = Arc::new(Engine::open(Arc::new(store), EngineOptions::default())?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(load(&engine))?;
    let one = read(&engine, 1)?;
    let two = read(&engine, 2)?;
    println!(
        "one reader {:.0}/s, two {:.0}/s: {:.2} times",
        rate(&one),
        rate(&two),
        rate(&two) / rate(&one)
    );
    say("a reader alone", &one);
    let (under, writes) = under_writers(&engine, &runtime)?;
    say("a reader under writers", &under);
    println!(
        "  {:.0} writes/s meanwhile; 99 of 100 within {:.1} times what it is alone",
        writes as f64 / TIME.as_secs_f64(),
        under.at(0.99) / one.at(0.99)
    );
    runtime.block_on(deleted(&engine))
}

fn rate(times: &Times) -> f64 {
    times.count() as f64 / TIME.as_secs_f64()
}

fn say(who: &str, times: &Times) {
    println!(
        "{who}: median {:.4} ms, 99 of 100 within {:.4}, 999 of 1,000 within {:.4}, worst {:.2}",
        times.at(0.5),
        times.at(0.99),
        times.at(0.999),
        times.max()
    );
}

fn request(target: &str, body: &str) -> Outcome<Request> {
    let operation = Operation::ALL.iter().find(|op| op.name() == target);
    let operation = *operation.ok_or("no such operation")?;
    Request::decode(operation, body.as_bytes()).map_err(|error| error.to_string().into())
}

async fn ask(engine: &Engine, target: &str, body: &str) -> Outcome<Response> {
    let request = request(target, body)?;
    let answer = engine.call(&Context::default(), request).await;
    answer.map_err(|error| error.to_string().into())
}

async fn load(engine: &Engine) -> Outcome<()> {
    ask(engine, "CreateTable", bothways_bench::versus::CREATE).await?;
    let mut random = Random::new(1);
    for partition in 0..bothways_bench::versus::PARTITIONS {
        let body =
            bothways_bench::versus::puts(partition, 0..bothways_bench::versus::ITEMS, &mut random);
        ask(engine, "BatchWriteItem", &body).await?;
    }
    Ok(())
}

/// So many threads reading items, one after another each.
fn read(engine: &Arc<Engine>, readers: u64) -> Outcome<Times> {
    let threads = (0..readers).map(|seed| {
        let engine = Arc::clone(engine);
        std::thread::spawn(move || -> Outcome<Times> {
            let runtime = tokio::runtime::Builder::new_current_thread().build()?;
            let (mut times, mut random) = (Times::default(), Random::new(seed));
            let begun = Instant::now();
            while begun.elapsed() < TIME {
                let request = request("GetItem", &Op::Get.body(&mut random))?;
                let asked = Instant::now();
                let answer = runtime.block_on(engine.call(&Context::default(), request));
                answer.map_err(|error| error.to_string())?;
                times.add(asked.elapsed());
            }
            Ok(times)
        })
    });
    let mut all = Times::default();
    for thread in threads.collect::<Vec<_>>() {
        all.absorb(&thread.join().map_err(|_| "a reader broke off")??);
    }
    Ok(all)
}

/// A reader while others write as fast as it goes; what they wrote.
fn under_writers(engine: &Arc<Engine>, runtime: &tokio::runtime::Runtime) -> Outcome<(Times, u64)> {
    let stop = Arc::new(AtomicBool::new(false));
    let writers = (0..WRITERS as u64).map(|seed| {
        let (engine, stop) = (Arc::clone(engine), Arc::clone(&stop));
        runtime.spawn(async move {
            let (mut writes, mut random) = (0, Random::new(1000 + seed));
            while !stop.load(Ordering::Relaxed) {
                ask(&engine, "PutItem", &Op::Put.body(&mut random)).await?;
                writes += 1;
            }
            Outcome::Ok(writes)
        })
    });
    let writers: Vec<_> = writers.collect();
    let times = read(engine, 1)?;
    stop.store(true, Ordering::Relaxed);
    let mut writes = 0;
    for writer in writers {
        writes += runtime.block_on(writer)??;
    }
    Ok((times, writes))
}

/// The first page of a partition, from its last delete on.
async fn deleted(engine: &Engine) -> Outcome<()> {
    let key = |n: u64| format!(r#"{{"pk":{{"S":"gone"}},"sk":{{"S":"order#{n:06}"}}}}"#);
    let batch = |from: u64, kind: &str, member: &str| {
        let mut all = String::new();
        for n in from..from + BATCH {
            let comma = if n == from { "" } else { "," };
            let _ = write!(all, r#"{comma}{{"{kind}":{{"{member}":{}}}}}"#, key(n));
        }
        format!(r#"{{"RequestItems":{{"bench":[{all}]}}}}"#)
    };
    for (kind, member) in [("PutRequest", "Item"), ("DeleteRequest", "Key")] {
        for from in (0..DELETED).step_by(BATCH as usize) {
            ask(engine, "BatchWriteItem", &batch(from, kind, member)).await?;
        }
    }
    let query = r#"{"TableName":"bench","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"gone"}}}"#;
    let begun = Instant::now();
    while begun.elapsed() < LOOKED {
        let asked = Instant::now();
        let Response::Query(page) = ask(engine, "Query", query).await? else {
            return Err("an answer of another kind".into());
        };
        println!(
            "{:.1} s after {DELETED} deletes: first page, of {} items, in {:.2} ms",
            begun.elapsed().as_secs_f64(),
            page.count.unwrap_or(0),
            asked.elapsed().as_secs_f64() * 1e3
        );
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}
