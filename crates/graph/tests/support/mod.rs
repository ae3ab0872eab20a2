//! What the tests of the graph stand on: an engine in memory, a recorder of requests, an unreliable line.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses its part of this module"
)]

pub mod audit;
pub mod mortal;
pub mod storm;
pub mod world;

mod peer;

use bothways_core::{Number, Value};
use bothways_engine::{Engine, Options};
use bothways_graph::model::shipped;
use bothways_graph::{Changes, Direction, EdgePage, Environment, Graph, ListOptions};
use bothways_protocol::{
    BoxFuture, Context, DynamoDb, Error, ErrorKind, Operation, Request, Response,
};
use bothways_store::{MemoryStore, Store};
use std::collections::HashMap;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::time::{Duration, Instant};

struct Unpark(std::thread::Thread);
impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future on this thread.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut cx = TaskContext::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// An engine over a store, without threads of its own.
pub fn engine_over(store: Arc<dyn Store>) -> Arc<dyn DynamoDb> {
    let options = Options {
        background: false,
        ..Options::default()
    };
    Arc::new(Engine::open(store, options).expect("an engine"))
}

/// An engine in memory, or a part of the server that `BOTHWAYS_PEER` names.
pub fn engine() -> Arc<dyn DynamoDb> {
    peer::peer().unwrap_or_else(|| engine_over(Arc::new(MemoryStore::new())))
}

/// A clock that moves only by waiting, numbers from a seed; waiting takes no time.
pub struct Seeded {
    state: AtomicU64,
    started: Instant,
    passed_micros: AtomicU64,
}

impl Seeded {
    pub fn new(seed: u64) -> Arc<Self> {
        Arc::new(Self {
            state: AtomicU64::new(seed),
            started: Instant::now(),
            passed_micros: AtomicU64::new(0),
        })
    }
    /// Lets time pass.
    pub fn pass(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).expect("short");
        self.passed_micros.fetch_add(micros, Ordering::Relaxed);
    }
    fn passed(&self) -> Duration {
        Duration::from_micros(self.passed_micros.load(Ordering::Relaxed))
    }
}

/// One step of a splitmix generator.
pub fn split_mix(state: u64) -> u64 {
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Environment for Seeded {
    fn epoch_millis(&self) -> u64 {
        1_718_900_000_000 + u64::try_from(self.passed().as_millis()).expect("short")
    }
    fn monotonic(&self) -> Instant {
        self.started + self.passed()
    }
    fn random(&self) -> u64 {
        split_mix(self.state.fetch_add(STEP, Ordering::Relaxed))
    }
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        self.pass(time);
        Box::pin(std::future::ready(()))
    }
}

/// A random number below `below`, from a state that moves on.
pub fn draw(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_add(STEP);
    split_mix(*state) % below
}

/// A graph of a shipped model over a backend, its table made.
pub fn graph_over(db: Arc<dyn DynamoDb>, model: &str, seed: u64) -> Graph {
    let model = shipped(model).expect("a shipped model").model;
    let graph = Graph::with_environment(db, model, Seeded::new(seed)).expect("a good model");
    wait(graph.apply(&Context::default())).expect("a table");
    graph
}

/// A graph of a shipped model in memory.
pub fn graph(model: &str) -> Graph {
    graph_over(engine(), model, 1)
}

pub fn cx() -> Context {
    Context::default()
}

pub fn created_at(seconds: i64) -> Changes {
    Changes::new().set("createdAt", Value::N(Number::from(seconds)))
}

/// Whole list: peers in order, and the pages that it took.
pub fn listed(
    graph: &Graph,
    relation: &str,
    direction: Direction,
    id: &str,
    options: ListOptions,
) -> (Vec<String>, u64) {
    let mut pages = graph.pages(relation, direction, id, options);
    let (mut peers, mut count) = (Vec::new(), 0);
    while let Some(page) = wait(pages.next(&cx())).expect("a page") {
        count += 1;
        peers.extend(peers_of(&page.value, direction));
    }
    (peers, count)
}

pub fn peers_of(page: &EdgePage, direction: Direction) -> Vec<String> {
    let peer = |e: &bothways_graph::Edge| match direction {
        Direction::Out => e.target.clone(),
        Direction::In => e.source.clone(),
    };
    page.edges.iter().map(peer).collect()
}

/// Counts the requests that pass, and keeps them unless told to count only.
pub struct Recorder {
    inner: Arc<dyn DynamoDb>,
    keeps: bool,
    requests: Mutex<Vec<Request>>,
    counts: Mutex<HashMap<Operation, u64>>,
}

impl Recorder {
    pub fn new(inner: Arc<dyn DynamoDb>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            keeps: true,
            requests: Mutex::default(),
            counts: Mutex::default(),
        })
    }
    pub fn counting(inner: Arc<dyn DynamoDb>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            keeps: false,
            requests: Mutex::default(),
            counts: Mutex::default(),
        })
    }
    /// The requests since the last time.
    pub fn take(&self) -> Vec<Request> {
        std::mem::take(&mut self.requests.lock().expect("a lock"))
    }
    /// Their operations.
    pub fn operations(&self) -> Vec<Operation> {
        self.take().iter().map(operation).collect()
    }
    pub fn reset(&self) {
        self.counts.lock().expect("a lock").clear();
    }
    pub fn count(&self, operation: Operation) -> u64 {
        self.counts
            .lock()
            .expect("a lock")
            .get(&operation)
            .copied()
            .unwrap_or(0)
    }
    /// Writing requests since the reset.
    pub fn writes(&self) -> u64 {
        let counts = self.counts.lock().expect("a lock");
        counts
            .iter()
            .filter(|(o, _)| is_write(**o))
            .map(|(_, n)| n)
            .sum()
    }
}

pub fn operation(request: &Request) -> Operation {
    match request {
        Request::CreateTable(_) => Operation::CreateTable,
        Request::DescribeTable(_) => Operation::DescribeTable,
        Request::DeleteTable(_) => Operation::DeleteTable,
        Request::DescribeTimeToLive(_) => Operation::DescribeTimeToLive,
        Request::UpdateTimeToLive(_) => Operation::UpdateTimeToLive,
        Request::GetItem(_) => Operation::GetItem,
        Request::PutItem(_) => Operation::PutItem,
        Request::UpdateItem(_) => Operation::UpdateItem,
        Request::DeleteItem(_) => Operation::DeleteItem,
        Request::Query(_) => Operation::Query,
        Request::Scan(_) => Operation::Scan,
        Request::BatchGetItem(_) => Operation::BatchGetItem,
        Request::TransactWriteItems(_) => Operation::TransactWriteItems,
        other => panic!("the graph does not send {other:?}"),
    }
}

pub fn is_write(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::PutItem
            | Operation::UpdateItem
            | Operation::DeleteItem
            | Operation::TransactWriteItems
    )
}

impl DynamoDb for Recorder {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        let mut counts = self.counts.lock().expect("a lock");
        *counts.entry(operation(&request)).or_default() += 1;
        drop(counts);
        if self.keeps {
            self.requests.lock().expect("a lock").push(request.clone());
        }
        self.inner.call(cx, request)
    }
}

/// A line that loses requests before and answers after, from a seed: in `percent` of calls that write or read items.
pub struct BadLine {
    inner: Arc<dyn DynamoDb>,
    state: AtomicU64,
    percent: AtomicU64,
}

impl BadLine {
    pub fn new(inner: Arc<dyn DynamoDb>, seed: u64, percent: u64) -> Arc<Self> {
        Arc::new(Self {
            inner,
            state: AtomicU64::new(seed),
            percent: AtomicU64::new(percent),
        })
    }
    pub fn mend(&self) {
        self.percent.store(0, Ordering::Relaxed);
    }
}

impl DynamoDb for BadLine {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let lost = || Error::new(ErrorKind::NoAnswer, "the line is down");
            let drawn = split_mix(self.state.fetch_add(STEP, Ordering::Relaxed)) % 200;
            let percent = self.percent.load(Ordering::Relaxed);
            let unsafe_call = is_write(operation(&request));
            if unsafe_call && drawn < percent {
                return Err(lost());
            }
            let answer = self.inner.call(cx, request).await?;
            if unsafe_call && drawn >= 200 - percent {
                return Err(lost());
            }
            Ok(answer)
        })
    }
}

/// The real data where it is, beside the checkout or one level up.
pub fn shared(file: &str) -> Option<String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    ["../shared/data", "../../shared/data"]
        .iter()
        .find_map(|folder| std::fs::read_to_string(root.join(folder).join(file)).ok())
}

/// How many times the usual count of seeds: 1, or what `BOTHWAYS_CAMPAIGN` says.
pub fn campaign() -> u64 {
    let asked = std::env::var("BOTHWAYS_CAMPAIGN").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(1)
}
