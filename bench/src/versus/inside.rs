//! The same operations without HTTP: by the engine in this process, and by the bare store on the same rows.

use super::requests::{CREATE, ITEMS, Op, PARTITIONS, puts};
use crate::linkbench::{Outcome, Random, median};
use bothways_engine::{Engine, Options};
use bothways_protocol::{Context, DynamoDb, Operation, Request};
use bothways_store::{MemoryStore, Store};
use bytes::Bytes;
use std::hint::black_box;
use std::ops::Bound;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

/// Operations between two looks at the clock.
const ROUND: usize = 256;
/// How long each is repeated.
const TIME: Duration = Duration::from_secs(1);

/// Microseconds an operation.
#[derive(Debug, Clone, Copy)]
pub struct Inside {
    /// Which.
    pub op: Op,
    /// By the engine, request and answer as types.
    pub engine: f64,
    /// By the store alone: the same rows read or written.
    pub store: f64,
}

/// Measures every operation, in memory.
///
/// # Errors
/// What the engine or the store fails with.
pub fn measure() -> Outcome<Vec<Inside>> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let engine = Engine::open(Arc::clone(&store), Options::default())?;
    call(&engine, decoded("CreateTable", CREATE)?)?;
    let mut random = Random::new(1);
    for partition in 0..PARTITIONS {
        let body = puts(partition, 0..ITEMS, &mut random);
        call(&engine, decoded("BatchWriteItem", &body)?)?;
    }
    let rows = rows(&*store)?;
    let mut all = Vec::new();
    for op in Op::ALL {
        all.push(Inside {
            op,
            engine: by_engine(&engine, op, &mut random)?,
            store: by_store(&rows, op, &mut random)?,
        });
    }
    Ok(all)
}

fn decoded(target: &str, body: &str) -> Outcome<Request> {
    let operation = Operation::ALL.iter().find(|op| op.name() == target);
    let operation = *operation.ok_or("no such operation")?;
    Request::decode(operation, body.as_bytes()).map_err(|error| error.to_string().into())
}

/// In memory every answer is there at once.
fn call(engine: &Engine, request: Request) -> Outcome<()> {
    let cx = Context::default();
    let mut future = pin!(engine.call(&cx, request));
    match future
        .as_mut()
        .poll(&mut std::task::Context::from_waker(Waker::noop()))
    {
        Poll::Ready(Ok(response)) => {
            black_box(response);
            Ok(())
        }
        Poll::Ready(Err(error)) => Err(error.to_string().into()),
        Poll::Pending => Err("an answer in memory that waits".into()),
    }
}

/// The median of rounds, in microseconds an operation: a round that was interrupted does not count.
fn timed(mut round: impl FnMut() -> Outcome<Duration>) -> Outcome<f64> {
    let (begun, mut rounds) = (Instant::now(), Vec::new());
    while begun.elapsed() < TIME {
        rounds.push(round()?.as_secs_f64() * 1e6 / ROUND as f64);
    }
    Ok(median(rounds))
}

fn by_engine(engine: &Engine, op: Op, random: &mut Random) -> Outcome<f64> {
    let bodies: Vec<String> = (0..ROUND).map(|_| op.body(random)).collect();
    let requests: Vec<Request> = bodies
        .iter()
        .map(|body| decoded(op.target(), body))
        .collect::<Outcome<_>>()?;
    timed(|| {
        let requests = requests.clone();
        let begun = Instant::now();
        for request in requests {
            call(engine, request)?;
        }
        Ok(begun.elapsed())
    })
}

/// The items' rows, in order: the items of a partition are side by side.
fn rows(store: &dyn Store) -> Outcome<Vec<(Bytes, Bytes)>> {
    let snapshot = store.snapshot()?;
    let all = snapshot.range(Bound::Unbounded, Bound::Unbounded, false);
    let rows = all.collect::<Result<Vec<_>, _>>()?;
    let is_item = |key: &Bytes| key.windows(6).any(|part| part == b"order#");
    Ok(rows.into_iter().filter(|(key, _)| is_item(key)).collect())
}

fn by_store(rows: &[(Bytes, Bytes)], op: Op, random: &mut Random) -> Outcome<f64> {
    let store = MemoryStore::new();
    let count = ITEMS as usize;
    for part in rows.chunks(count) {
        write(&store, part)?;
    }
    let partitions: Vec<&[(Bytes, Bytes)]> = rows.chunks(count).collect();
    timed(|| {
        let mut took = Duration::ZERO;
        for _ in 0..ROUND {
            let partition = partitions[random.below(PARTITIONS) as usize];
            let one = random.below(ITEMS) as usize;
            let begun = Instant::now();
            match op {
                Op::Get => drop(black_box(store.get(&partition[one].0)?)),
                Op::Query => {
                    let (from, to) = (&partition[0].0[..], &partition[count - 1].0[..]);
                    let snapshot = store.snapshot()?;
                    for row in snapshot.range(Bound::Included(from), Bound::Included(to), false) {
                        black_box(row?);
                    }
                }
                Op::Put => write(&store, &partition[one..=one])?,
                Op::Update => {
                    black_box(store.latest(&partition[one].0)?);
                    write(&store, &partition[one..=one])?;
                }
                // Of the 25 items of a batch, so many as a partition has.
                Op::Batch => write(&store, partition)?,
            }
            took += begun.elapsed();
        }
        Ok(took)
    })
}

fn write(store: &MemoryStore, rows: &[(Bytes, Bytes)]) -> Outcome<()> {
    let ticket = store.submit(&mut |_, batch| {
        for (key, value) in rows {
            batch.put(key.clone(), value.clone());
        }
    })?;
    Ok(ticket.wait()?)
}
