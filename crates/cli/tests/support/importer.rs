//! An import that knows which edges were acknowledged, and when.

use bothways_client::{Client, Config};
use bothways_core::{Item, ValueRef};
use bothways_graph::Graph;
use bothways_graph::import::{ImportOptions, ImportSource, Unobserved};
use bothways_graph::model::shipped;
use bothways_protocol::{BoxFuture, Context, DynamoDb, Error, Request, Response};
use std::io::Cursor;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Keys of an edge in the base table.
pub type Key = (String, String);

/// One answered transaction.
#[derive(Debug, Clone)]
pub struct Acknowledgement {
    /// What the clock of the caller's choice showed when the answer came.
    pub at: u64,
    /// The edges that it put.
    pub edges: Vec<Key>,
}

/// Tells when an answer came, on any scale that only rises.
pub type Clock = Box<dyn Fn() -> u64 + Send + Sync>;

/// Remembers every edge whose transaction was answered with success.
struct Listening {
    inner: Client,
    heard: Arc<Mutex<Vec<Acknowledgement>>>,
    clock: Clock,
}

impl DynamoDb for Listening {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        let edges = edges_of(&request);
        Box::pin(async move {
            let answer = self.inner.call(cx, request).await?;
            let at = (self.clock)();
            let mut heard = self.heard.lock().unwrap();
            heard.push(Acknowledgement { at, edges });
            Ok(answer)
        })
    }
}

/// Keys of the edges that a transaction puts.
fn edges_of(request: &Request) -> Vec<Key> {
    let Request::TransactWriteItems(input) = request else {
        return Vec::new();
    };
    let actions = input.transact_items.iter().flatten();
    let items = actions.filter_map(|action| Some(&action.put.as_ref()?.item.as_ref()?.value));
    let text = |item: &Item, name| match item.get(name) {
        Some(ValueRef::S(text)) => text.to_owned(),
        other => panic!("{name} is {other:?}"),
    };
    items
        .map(|item| (text(item, "PK"), text(item, "SK")))
        .filter(|(_, sk)| sk.starts_with("TARGET#"))
        .collect()
}

/// Imports votes over HTTP, in small windows, until done or until no answer comes any more; what was acknowledged.
pub fn import_votes(
    runtime: &tokio::runtime::Runtime,
    endpoint: &str,
    file: &Path,
    patience: Duration,
    clock: Clock,
) -> Vec<Acknowledgement> {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let db = Arc::new(Listening {
        inner: Client::new(Config::new(endpoint.parse().unwrap())).unwrap(),
        heard: heard.clone(),
        clock,
    });
    let graph = Graph::new(db, shipped("follow").unwrap().model).unwrap();
    let text = std::fs::read(file).unwrap();
    let source = ImportSource {
        name: "votes".to_owned(),
        bytes: Some(text.len() as u64),
        reader: Box::new(Cursor::new(text)),
    };
    let cx = Context {
        deadline: Some(Instant::now() + patience),
        ..Context::default()
    };
    // Windows of a few transactions: checkpoints are written in between, so that resuming is met too.
    let options = ImportOptions {
        window: 2_000,
        ..ImportOptions::default()
    };
    // An error is what is wanted here: the server was killed.
    let _ = runtime.block_on(graph.import(&cx, "follows", source, &options, &mut Unobserved));
    heard.lock().unwrap().clone()
}

/// A small seeded generator (xorshift).
pub struct Random(u64);

impl Random {
    /// Seeded.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n.max(1)
    }
}
