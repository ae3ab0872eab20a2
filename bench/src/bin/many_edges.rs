//! Ten million edges with their counters: how fast they come in, in how much memory, what they take on disk, what a read, a
//! page and a follow cost at each power of ten, and how soon a server answers from them, after a clean stop and after a kill.
//!
//! usage: many-edges [EDGES [DIR [SERVER]]]   (10000000; DIR is on the disk to measure; SERVER is target/release/bothways)

use bothways_bench::linkbench::{Random, Zipf};
use bothways_bench::versus::{ITEMS, Program, Server, puts};
use bothways_bench::{cpu_time, raw_sync};
use bothways_engine::{Engine, Options as EngineOptions};
use bothways_graph::import::{ImportObserver, ImportOptions, ImportSource, Progress};
use bothways_graph::model::shipped;
use bothways_graph::{Changes, Direction, Graph, ListOptions};
use bothways_protocol::types::DescribeTableInput;
use bothways_protocol::{BoxFuture, Context, DynamoDb, DynamoDbExt, Request, Response};
use bothways_store::{DiskStore, Options, Store};
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Who can follow, and be followed.
const PEOPLE: u64 = 2_000_000;
/// How unevenly they are followed.
const SKEW: f64 = 0.8;
/// How many of each operation are timed.
const TIMED: usize = 2_000;
/// Links of a page.
const PAGE: u32 = 20;
/// How long is written before the server is killed.
const WRITING: Duration = Duration::from_secs(3);
/// Starts of each kind; the median counts.
const STARTS: usize = 5;

fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let edges: u64 = args.next().map_or(Ok(10_000_000), |a| a.parse())?;
    let root = match args.next() {
        Some(dir) => tempfile::tempdir_in(dir)?,
        None => tempfile::tempdir()?,
    };
    let server = args.next();
    let server = server.unwrap_or_else(|| "target/release/bothways".to_owned());
    println!("raw fdatasync {:.3} ms", millis(raw_sync(root.path())?));
    let program = Program::bothways(Path::new(&server))
        .durable(root.path())
        .ok_or("this project's server keeps its data")?;
    load(edges, &root.path().join(program.name))?;
    openings(&program)
}

/// Imports up to each power of ten, and times operations there.
fn load(edges: u64, dir: &Path) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let store: Arc<dyn Store> = Arc::new(DiskStore::open(dir, Options::default())?);
    let engine = Arc::new(Engine::open(store, EngineOptions::default())?);
    let model = shipped("follow").ok_or("the model follow ships")?.model;
    let graph = Graph::new(Arc::new(Spread(engine.clone())), model)?;
    let cx = Context::default();
    runtime.block_on(graph.apply(&cx))?;
    let mut watched = Watched {
        before: 0,
        counted: 0,
        next: Watched::STEP,
        since: Instant::now(),
        processor: cpu_time(),
    };
    let mut from = 0;
    let mut to = 10_000.min(edges);
    while from < to {
        let source = ImportSource {
            name: format!("follows {from} to {to}"),
            bytes: None,
            reader: Box::new(BufReader::new(Follows::new(from, to))),
        };
        watched.begin(from);
        let options = ImportOptions::default();
        let report =
            runtime.block_on(graph.import(&cx, "follows", source, &options, &mut watched))?;
        println!(
            "{to} rows: {} edges made, {} repeated",
            report.created,
            report.repeated + report.existing
        );
        runtime.block_on(timed(&graph, &cx, to))?;
        (from, to) = (to, (to * 10).min(edges));
    }
    println!("peak memory {} MB", peak_memory() >> 20);
    let input = DescribeTableInput {
        table_name: Some("follow".into()),
    };
    let table = runtime.block_on(engine.describe_table(&cx, input))?.table;
    let table = table.ok_or("a table that is there is described")?;
    let indexes = table.global_secondary_indexes.unwrap_or_default();
    let indexes = indexes.iter().filter_map(|index| index.index_size_bytes);
    let described = table.table_size_bytes.unwrap_or(0) + indexes.sum::<i64>();
    drop((graph, engine, runtime));
    let stored = size_of(dir)?;
    println!(
        "described {} MB, on disk {} MB, {:.2} times",
        described / 1_000_000,
        stored / 1_000_000,
        stored as f64 / described as f64
    );
    Ok(())
}

/// What a read of an edge, a page of followers and a follow take.
async fn timed(graph: &Graph, cx: &Context, rows: u64) -> Outcome<()> {
    let mut random = Random::new(rows);
    let page = ListOptions {
        limit: Some(PAGE),
        ..ListOptions::default()
    };
    let mut times: [Vec<Duration>; 3] = Default::default();
    for at in 0..TIMED {
        let (source, target) = follow(random.below(rows));
        let begun = Instant::now();
        graph.edge(cx, "follows", &source, &target).await?;
        times[0].push(begun.elapsed());
        let begun = Instant::now();
        graph
            .list(cx, "follows", Direction::In, &target, &page)
            .await?;
        times[1].push(begun.elapsed());
        let begun = Instant::now();
        let visitor = format!("visitor{rows}x{at}");
        graph
            .link(cx, "follows", &visitor, &target, &Changes::new())
            .await?;
        times[2].push(begun.elapsed());
    }
    for (name, times) in ["edge", "page of 20", "follow"].iter().zip(&mut times) {
        times.sort_unstable();
        let at = |part: usize| times[TIMED * part / 1000].as_secs_f64() * 1e6;
        println!(
            "  {name:<12} median {:>7.0} µs, 99 of 100 within {:>7.0} µs",
            at(500),
            at(990)
        );
    }
    Ok(())
}

/// How soon a server answers: after a clean stop, and after it was killed while it wrote.
fn openings(program: &Program) -> Outcome<()> {
    let mut clean = Vec::new();
    let mut killed = Vec::new();
    for round in 0..STARTS {
        let server = Server::start(program, 0)?;
        clean.push(server.start);
        if round == 0 {
            println!("server's memory idle {} MB", server.idle >> 20);
            server.make_table()?;
        }
        let mut random = Random::new(round as u64);
        let begun = Instant::now();
        let mut partition = 0;
        while begun.elapsed() < WRITING {
            server.ask("BatchWriteItem", &puts(partition, 0..ITEMS, &mut random))?;
            partition += 1;
        }
        server.kill()?;
        let server = Server::start(program, 0)?;
        killed.push(server.start);
    }
    for (name, times) in [("clean stop", &mut clean), ("kill", &mut killed)] {
        times.sort_unstable();
        println!(
            "first answer after a {name}: median {:.0} ms, at most {:.0} ms",
            millis(times[STARTS / 2]),
            millis(times[STARTS - 1])
        );
    }
    Ok(())
}

/// The ends of a follow; the same number has the same ones.
fn follow(number: u64) -> (String, String) {
    let mut random = Random::new(number);
    let source = random.below(PEOPLE);
    let target = Zipf::new(PEOPLE, SKEW).draw(&mut random);
    (format!("p{source:07}"), format!("p{target:07}"))
}

/// A file of follows that is nowhere.
struct Follows {
    next: u64,
    end: u64,
    line: Vec<u8>,
    read: usize,
}

impl Follows {
    const fn new(next: u64, end: u64) -> Self {
        Self {
            next,
            end,
            line: Vec::new(),
            read: 0,
        }
    }
}

impl Read for Follows {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.read == self.line.len() && self.next < self.end {
            let (source, target) = follow(self.next);
            self.line = format!("{source}\t{target}\n").into_bytes();
            self.read = 0;
            self.next += 1;
        }
        let rest = &self.line[self.read..];
        let taken = rest.len().min(out.len());
        out[..taken].copy_from_slice(&rest[..taken]);
        self.read += taken;
        Ok(taken)
    }
}

/// Says at every million how fast the last one came.
struct Watched {
    before: u64,
    counted: u64,
    next: u64,
    since: Instant,
    processor: Duration,
}

impl Watched {
    const STEP: u64 = 1_000_000;

    fn begin(&mut self, before: u64) {
        self.before = before;
        self.counted = before;
        self.since = Instant::now();
        self.processor = cpu_time();
    }
}

impl ImportObserver for Watched {
    fn progress(&mut self, progress: &Progress) {
        let done = self.before + progress.created + progress.existing;
        if done < self.next {
            return;
        }
        let fresh = (done - self.counted) as f64;
        let spent = cpu_time().saturating_sub(self.processor);
        println!(
            "  {done:>9}: {:>6.0} edges/s, {:>5.1} µs of processor an edge, peak memory {} MB",
            fresh / self.since.elapsed().as_secs_f64(),
            spent.as_secs_f64() * 1e6 / fresh,
            peak_memory() >> 20
        );
        self.next += Self::STEP;
        self.counted = done;
        self.since = Instant::now();
        self.processor = cpu_time();
    }
}

/// Each request in a task of its own, as the binary's importer has it.
struct Spread(Arc<dyn DynamoDb>);

impl DynamoDb for Spread {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, bothways_protocol::Error>> {
        let (db, cx) = (Arc::clone(&self.0), cx.clone());
        let task = tokio::spawn(async move { db.call(&cx, request).await });
        Box::pin(async move { task.await.expect("a request does not panic") })
    }
}

/// The most memory that this process ever had resident, bytes (Linux).
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}

/// Bytes of all files in a directory.
fn size_of(dir: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let about = entry.metadata()?;
        bytes += if about.is_dir() {
            size_of(&entry.path())?
        } else {
            about.len()
        };
    }
    Ok(bytes)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
