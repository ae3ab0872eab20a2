//! What a file of edges says, and whether a database says the same.

use bothways_core::Item;
use bothways_engine::{Engine, Options as EngineOptions};
use bothways_graph::model::shipped;
use bothways_graph::{Direction, Graph, ListOptions};
use bothways_protocol::types::{ListTablesInput, ScanInput};
use bothways_protocol::{
    BoxFuture, Context, DynamoDb, DynamoDbExt, Error, Operation, Request, Response,
};
use bothways_store::{DiskStore, Options, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Peers of every node, one direction.
pub type Lists = BTreeMap<String, BTreeSet<String>>;

/// The edges of a file.
#[derive(Debug, Default)]
pub struct Edges {
    /// Source to targets.
    pub out: Lists,
    /// Target to sources.
    pub inward: Lists,
    /// Attributes by edge, by column name.
    pub cells: BTreeMap<(String, String), Vec<(String, String)>>,
}

impl Edges {
    /// Reads a TSV without a header or a CSV with one, by the plainest code there is: neither has quotes.
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("the data file can be read");
        let tabs = path.extension().is_some_and(|e| e == "tsv");
        let separator = if tabs { '\t' } else { ',' };
        let mut rows = text.lines().filter(|line| !line.starts_with('#'));
        let names: Vec<&str> = if tabs {
            Vec::new()
        } else {
            rows.next().expect("a header").split(',').skip(2).collect()
        };
        let mut edges = Self::default();
        for row in rows {
            let mut row = row.split(separator);
            let source = row.next().expect("a source");
            let target = row.next().expect("a target");
            edges.add(source, target);
            let cells = names
                .iter()
                .map(|n| (*n).to_owned())
                .zip(row.map(str::to_owned));
            let cells: Vec<_> = cells.filter(|(_, cell)| !cell.is_empty()).collect();
            edges
                .cells
                .insert((source.to_owned(), target.to_owned()), cells);
        }
        edges
    }

    /// Adds one edge.
    pub fn add(&mut self, source: &str, target: &str) {
        let insert = |lists: &mut Lists, a: &str, b: &str| {
            lists.entry(a.to_owned()).or_default().insert(b.to_owned())
        };
        insert(&mut self.out, source, target);
        insert(&mut self.inward, target, source);
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.out.values().map(BTreeSet::len).sum()
    }
}

/// Opens a directory as the binary does.
pub fn open(dir: &Path) -> (Arc<DiskStore>, Arc<Engine>) {
    let store = Arc::new(DiskStore::open(dir, Options::default()).expect("the store opens"));
    let shared: Arc<dyn Store> = store.clone();
    let engine = Engine::open(shared, EngineOptions::default()).expect("the database opens");
    (store, Arc::new(engine))
}

/// Counts what passes through the seam.
pub struct Counting {
    inner: Arc<dyn DynamoDb>,
    /// Queries.
    pub queries: AtomicU64,
    /// Scans.
    pub scans: AtomicU64,
    /// Requests that may write.
    pub writes: AtomicU64,
}

impl Counting {
    /// Counts from zero.
    pub fn new(inner: Arc<dyn DynamoDb>) -> Self {
        Self {
            inner,
            queries: AtomicU64::new(0),
            scans: AtomicU64::new(0),
            writes: AtomicU64::new(0),
        }
    }
}

impl DynamoDb for Counting {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        let counter = match request.operation() {
            Some(Operation::Query) => Some(&self.queries),
            Some(Operation::Scan) => Some(&self.scans),
            Some(
                Operation::PutItem
                | Operation::UpdateItem
                | Operation::DeleteItem
                | Operation::BatchWriteItem
                | Operation::TransactWriteItems
                | Operation::CreateTable
                | Operation::DeleteTable,
            ) => Some(&self.writes),
            _ => None,
        };
        if let Some(counter) = counter {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        self.inner.call(cx, request)
    }
}

/// Asserts that every node's out list, in list and both counters are the file's, through the graph's own reads,
/// each a Query a page and never a Scan.
pub async fn assert_equal(db: Arc<dyn DynamoDb>, model: &str, relation: &str, edges: &Edges) {
    let counting = Arc::new(Counting::new(db));
    let graph =
        Graph::new(counting.clone(), shipped(model).expect("it ships").model).expect("it checks");
    let cx = Context::default();
    let mut nodes: BTreeSet<&String> = edges.out.keys().collect();
    nodes.extend(edges.inward.keys());
    let none = BTreeSet::new();
    for id in nodes {
        let (out, inward) = (edges.out.get(id), edges.inward.get(id));
        for (direction, expected) in [(Direction::Out, out), (Direction::In, inward)] {
            let listed = list(&graph, &cx, relation, direction, id, edges).await;
            assert_eq!(
                listed,
                *expected.unwrap_or(&none),
                "{id} {}",
                direction.as_str()
            );
        }
        // Where the ends are of two kinds, an id of one kind has no counter of the other.
        let counts = graph
            .counts(&cx, relation, id, None)
            .await
            .expect("counts")
            .value;
        let count =
            |set: Option<&BTreeSet<String>>| i64::try_from(set.map_or(0, BTreeSet::len)).unwrap();
        assert_eq!(counts.out.unwrap_or(0), count(out), "{id} counter out");
        assert_eq!(counts.inward.unwrap_or(0), count(inward), "{id} counter in");
    }
    assert_eq!(counting.scans.load(Ordering::Relaxed), 0);
}

async fn list(
    graph: &Graph,
    cx: &Context,
    relation: &str,
    direction: Direction,
    id: &str,
    edges: &Edges,
) -> BTreeSet<String> {
    let mut pages = graph.pages(relation, direction, id, ListOptions::default());
    let mut listed = BTreeSet::new();
    while let Some(page) = pages.next(cx).await.expect("a page") {
        for edge in page.value.edges {
            let key = (edge.source.clone(), edge.target.clone());
            let empty = Vec::new();
            for (name, cell) in edges.cells.get(&key).unwrap_or(&empty) {
                let value = edge.attributes.get(name).map(|value| match value {
                    bothways_core::ValueRef::S(text) => text.to_owned(),
                    bothways_core::ValueRef::N(number) => number.to_string(),
                    other => panic!("{name} is a {}", other.type_name()),
                });
                assert_eq!(value.as_deref(), Some(cell.as_str()), "{key:?} {name}");
            }
            let peer = if direction == Direction::Out {
                edge.target
            } else {
                edge.source
            };
            assert!(listed.insert(peer), "{id} lists an edge twice");
        }
    }
    listed
}

/// What a whole table holds: its edges, their index rows, and the counters on its entities.
#[derive(Debug, Default)]
pub struct Contents {
    /// `(PK, SK)` of every edge in the base table.
    pub edges: BTreeSet<(String, String)>,
    /// `(PK, SK)` of every edge in the index.
    pub index: BTreeSet<(String, String)>,
    /// `(PK of the entity, counter)` to its value.
    pub counters: BTreeMap<(String, String), i64>,
}

impl Contents {
    /// The same, where the table is there.
    pub async fn if_there(db: &dyn DynamoDb) -> Option<Self> {
        let tables = db
            .list_tables(&Context::default(), ListTablesInput::default())
            .await;
        let tables = tables
            .expect("tables are listed")
            .table_names
            .unwrap_or_default();
        if tables.is_empty() {
            return None;
        }
        Some(Self::of_follow(db).await)
    }

    /// Reads the follow table and its index whole.
    pub async fn of_follow(db: &dyn DynamoDb) -> Self {
        let mut contents = Self::default();
        for item in scan(db, None).await {
            let (pk, sk) = key(&item);
            if sk.starts_with("TARGET#") {
                contents.edges.insert((pk, sk));
            } else if sk == "PROFILE" {
                for name in ["following", "followers"] {
                    if let Some(bothways_core::ValueRef::N(n)) = item.get(name) {
                        contents
                            .counters
                            .insert((pk.clone(), name.to_owned()), n.to_i64().unwrap());
                    }
                }
            }
        }
        contents.index = scan(db, Some("GSI1")).await.iter().map(key).collect();
        contents
    }

    /// Asserts that no edge is without its index row, no index row without its edge, and no counter off.
    pub fn assert_sound(&self) {
        assert_eq!(self.edges, self.index, "edges and index rows");
        let mut expected: BTreeMap<(String, String), i64> = BTreeMap::new();
        for (pk, sk) in &self.edges {
            let target = sk.replacen("TARGET#", "ACTOR#", 1);
            *expected
                .entry((pk.clone(), "following".to_owned()))
                .or_default() += 1;
            *expected
                .entry((target, "followers".to_owned()))
                .or_default() += 1;
        }
        let counters: BTreeMap<_, _> = self
            .counters
            .iter()
            .filter(|(_, n)| **n != 0)
            .map(|(k, n)| (k.clone(), *n))
            .collect();
        assert_eq!(counters, expected, "counters and edges");
    }
}

fn key(item: &Item) -> (String, String) {
    let text = |name| match item.get(name) {
        Some(bothways_core::ValueRef::S(text)) => text.to_owned(),
        other => panic!("{name} is {other:?}"),
    };
    (text("PK"), text("SK"))
}

async fn scan(db: &dyn DynamoDb, index: Option<&str>) -> Vec<Item> {
    let cx = Context::default();
    let mut items = Vec::new();
    let mut start = None;
    loop {
        let input = ScanInput {
            table_name: Some("follow".to_owned()),
            index_name: index.map(str::to_owned),
            exclusive_start_key: start,
            ..ScanInput::default()
        };
        let page = db.scan(&cx, input).await.expect("a scan's page");
        items.extend(page.items.unwrap_or_default());
        match page.last_evaluated_key {
            Some(key) => start = Some(key.into()),
            None => return items,
        }
    }
}
