//! The import, against the bare store writing the same rows with the same number of syncs, in the same run.
//!
//! usage: import-rate FILE.tsv [DIR]   (a file of follows; DIR is on the disk to measure)

use bothways_bench::{Remembering, Rows, counted_sync, cpu_time, raw_sync};
use bothways_client::{Client, Config as ClientConfig};
use bothways_engine::{Engine, Options as EngineOptions};
use bothways_graph::Graph;
use bothways_graph::import::{ImportOptions, ImportReport, ImportSource, Unobserved};
use bothways_graph::model::shipped;
use bothways_protocol::{BoxFuture, Context, DynamoDb, Request, Response};
use bothways_server::{Config, Running, Service};
use bothways_store::{DiskStore, Options, Store};
use std::error::Error;
use std::io::Cursor;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Times that each is measured; the best counts, as the machine may be busy with other things.
const ROUNDS: usize = 3;

fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("usage: import-rate FILE.tsv [DIR]")?;
    let text = std::fs::read(&file)?;
    let root = match args.next() {
        Some(dir) => tempfile::tempdir_in(dir)?,
        None => tempfile::tempdir()?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    println!(
        "raw fdatasync, median     {:>9.3} ms",
        raw_sync(root.path())?.as_secs_f64() * 1e3
    );
    let names = [
        "import, embedded",
        "import, rows remembered",
        "bare store, same rows",
        "import over HTTP",
    ];
    let mut best = [Measured::default(); 4];
    for round in 0..ROUNDS {
        let dir = |name: &str| root.path().join(format!("{name}{round}"));
        let remembered = remembered(&runtime, &text, &dir("import"))?;
        let rounds = [
            embedded(&runtime, &text, &dir("plain"))?,
            remembered.measured,
            replayed(&remembered, &dir("bare"))?,
            over_http(&runtime, &text, &dir("http"))?,
        ];
        for (best, now) in best.iter_mut().zip(rounds) {
            *best = if now.rate > best.rate { now } else { *best };
        }
        println!(
            "round {}: {} transactions, {} syncs, {} rows",
            round + 1,
            remembered.batches.len(),
            remembered.syncs,
            remembered.batches.iter().map(Vec::len).sum::<usize>()
        );
    }
    for (name, best) in names.iter().zip(best) {
        println!(
            "{name:<25} {:>9.0} edges/s   {:>6.1} µs of processor an edge",
            best.rate, best.cpu
        );
    }
    println!(
        "import / bare store       {:>9.2}",
        best[0].rate / best[2].rate
    );
    Ok(())
}

/// Edges per second, and processor time an edge in microseconds.
#[derive(Debug, Clone, Copy, Default)]
struct Measured {
    rate: f64,
    cpu: f64,
}

/// Started now.
struct Watch(Instant, Duration);

impl Watch {
    fn start() -> Self {
        Self(Instant::now(), cpu_time())
    }
    fn stop(&self, edges: u64) -> Measured {
        let edges = edges as f64;
        Measured {
            rate: edges / self.0.elapsed().as_secs_f64(),
            cpu: (cpu_time().saturating_sub(self.1)).as_secs_f64() * 1e6 / edges,
        }
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

/// Imports into whatever answers; the table's making is not measured.
fn import(
    runtime: &tokio::runtime::Runtime,
    db: Arc<dyn DynamoDb>,
    text: &[u8],
) -> Outcome<(ImportReport, Measured)> {
    let model = shipped("follow").ok_or("the model follow ships")?.model;
    let graph = Graph::new(Arc::new(Spread(db)), model)?;
    let cx = Context::default();
    runtime.block_on(graph.apply(&cx))?;
    let source = ImportSource {
        name: "votes".to_owned(),
        bytes: Some(text.len() as u64),
        reader: Box::new(Cursor::new(text.to_vec())),
    };
    let watch = Watch::start();
    let options = ImportOptions::default();
    let report =
        runtime.block_on(graph.import(&cx, "follows", source, &options, &mut Unobserved))?;
    let measured = watch.stop(report.created);
    Ok((report, measured))
}

fn embedded(runtime: &tokio::runtime::Runtime, text: &[u8], dir: &Path) -> Outcome<Measured> {
    let store: Arc<dyn Store> = Arc::new(DiskStore::open(dir, Options::default())?);
    let engine = Engine::open(store, EngineOptions::default())?;
    Ok(import(runtime, Arc::new(engine), text)?.1)
}

fn over_http(runtime: &tokio::runtime::Runtime, text: &[u8], dir: &Path) -> Outcome<Measured> {
    let store: Arc<dyn Store> = Arc::new(DiskStore::open(dir, Options::default())?);
    let engine = Engine::open(store, EngineOptions::default())?;
    let server = Running::start(
        ("127.0.0.1", 0),
        Service::new(Arc::new(engine), Config::default()),
    )?;
    let client = Client::new(ClientConfig::new(server.url().parse()?))?;
    Ok(import(runtime, Arc::new(client), text)?.1)
}

/// An import with what it wrote.
struct Remembered {
    edges: u64,
    measured: Measured,
    syncs: u64,
    batches: Vec<Rows>,
    summaries: Vec<Rows>,
}

fn remembered(runtime: &tokio::runtime::Runtime, text: &[u8], dir: &Path) -> Outcome<Remembered> {
    let syncs = Arc::new(AtomicU64::new(0));
    let options = Options {
        sync: Some(counted_sync(&syncs, Duration::ZERO)),
        ..Options::default()
    };
    let store = Arc::new(Remembering::open(dir, options)?);
    let engine = Engine::open(store.clone(), EngineOptions::default())?;
    store.forget();
    let before = syncs.load(Ordering::Relaxed);
    let (report, measured) = import(runtime, Arc::new(engine), text)?;
    let syncs = syncs.load(Ordering::Relaxed) - before;
    let (batches, summaries) = store.written();
    Ok(Remembered {
        edges: report.created,
        measured,
        syncs,
        batches,
        summaries,
    })
}

/// The same rows into a fresh store: as many batches between two waits as the import had between two syncs, so that
/// it syncs as often.
fn replayed(import: &Remembered, dir: &Path) -> Outcome<Measured> {
    let store = DiskStore::open(dir, Options::default())?;
    let mut summaries = import.summaries.clone();
    summaries.reverse();
    let summaries = Mutex::new(summaries);
    store.on_group(Box::new(move |batch| {
        if let Ok(mut summaries) = summaries.lock() {
            batch.entries.extend(summaries.pop().unwrap_or_default());
        }
    }));
    let together = import
        .batches
        .len()
        .div_ceil(usize::try_from(import.syncs.max(1))?);
    let watch = Watch::start();
    for group in import.batches.chunks(together.max(1)) {
        let mut last = None;
        for rows in group {
            last = Some(store.submit(&mut |_, batch| batch.entries.extend(rows.iter().cloned()))?);
        }
        if let Some(ticket) = last {
            ticket.wait()?;
        }
    }
    Ok(watch.stop(import.edges))
}
