//! This project in the same process: a directory, an engine, a graph.

use super::drive::{Reply, Session, Sessions};
use super::mix::Request;
use super::model::{NODE, model, relation};
use super::shape::{Shape, TYPES};
use super::{Outcome, now_millis};
use bothways_core::{Item, Number, Value};
use bothways_engine::{Engine, Options as EngineOptions};
use bothways_graph::{
    Changes, Consistency, Direction, Done, EdgeOptions, Graph, ListOptions, Ran, Span, Unlinked,
    Upserted, VerifyOptions, VerifyReport,
};
use bothways_protocol::types::{BatchWriteItemInput, PutRequest, WriteRequest};
use bothways_protocol::{BoxFuture, Context, DynamoDb, DynamoDbExt};
use bothways_store::{DiskStore, Options, Store};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Items of one batch (API Reference, `BatchWriteItem`).
const BATCH: usize = 25;
/// Tasks that load.
const LOADERS: usize = 8;
/// Ids that a loading task takes at once (LinkBench: 2,048; fewer even out what many links there are of few ids).
const CHUNK: u64 = 256;

/// The project over a directory.
pub struct Embedded {
    /// The database.
    pub db: Arc<dyn DynamoDb>,
    graph: Graph,
    store: Arc<dyn Store>,
}

impl Embedded {
    /// Opens a directory, with the table made.
    ///
    /// # Errors
    /// What the directory or the database says.
    pub async fn open(dir: &Path, cache_bytes: u64) -> Outcome<Self> {
        let options = Options {
            cache_bytes,
            ..Options::default()
        };
        let store: Arc<dyn Store> = Arc::new(DiskStore::open(dir, options)?);
        let engine = Engine::open(Arc::clone(&store), EngineOptions::default())?;
        let db: Arc<dyn DynamoDb> = Arc::new(engine);
        let graph = Graph::new(Arc::clone(&db), model()?)?;
        graph.apply(&Context::default()).await?;
        Ok(Self { db, graph, store })
    }

    /// Loads nodes, links and counts; how many links.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn load(&self, shape: Shape) -> Outcome<u64> {
        let (next, now) = (Arc::new(AtomicU64::new(1)), now_millis());
        let tasks: Vec<_> = (0..LOADERS)
            .map(|_| {
                let (db, next) = (Arc::clone(&self.db), Arc::clone(&next));
                tokio::spawn(async move {
                    let mut loader = Loader::new(db);
                    let mut links = 0;
                    loop {
                        let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                        if first > shape.ids {
                            break;
                        }
                        for id in first..shape.ids.min(first + CHUNK - 1) + 1 {
                            links += loader.id(shape, id, now).await?;
                        }
                    }
                    loader.flush().await?;
                    Outcome::Ok(links)
                })
            })
            .collect();
        let mut links = 0;
        for task in tasks {
            links += task.await??;
        }
        Ok(links)
    }

    /// A session for each client.
    #[must_use]
    pub fn sessions(&self, clients: usize) -> Sessions {
        let session = |_| -> Box<dyn Session> {
            Box::new(Direct {
                graph: self.graph.clone(),
            })
        };
        (0..clients).map(session).collect()
    }

    /// Every counter compared with its links.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn verify(&self) -> Outcome<VerifyReport> {
        let cx = Context::default();
        let job = self.graph.verify(&cx, &VerifyOptions::default()).await?;
        let ran = self.graph.run_job(&cx, &job.value.id, &mut ()).await?;
        let Ran::Ended(job) = ran.value else {
            return Err("the verification did not end".into());
        };
        Ok(VerifyReport::of(&job).ok_or("it is a verification")?)
    }

    /// Closes the directory.
    ///
    /// # Errors
    /// What the store says.
    pub fn close(&self) -> Outcome<()> {
        Ok(self.store.close()?)
    }
}

/// Items on their way in batches.
struct Loader {
    db: Arc<dyn DynamoDb>,
    puts: Vec<WriteRequest>,
}

impl Loader {
    fn new(db: Arc<dyn DynamoDb>) -> Self {
        let puts = Vec::with_capacity(BATCH);
        Self { db, puts }
    }

    /// All that is loaded of an id, as the graph would have written it; how many links.
    async fn id(&mut self, shape: Shape, id: u64, now: u64) -> Outcome<u64> {
        let text = |text: String| Value::S(text);
        let number = |n: u64| Value::N(Number::from(n));
        self.put(Item::from_attributes([
            ("PK", text(format!("NODE#{id}"))),
            ("SK", text("DATA".into())),
            ("time", number(now / 1000)),
            ("data", Value::B(shape.node(id).into())),
        ]))
        .await?;
        let mut links = 0;
        for kind in 0..TYPES {
            let count = shape.links(id, kind);
            links += count;
            for k in 0..count {
                let link = shape.link(id, kind, k, now);
                let id2 = link.id2;
                self.put(Item::from_attributes([
                    ("PK", text(format!("END#{id2}"))),
                    ("SK", text(format!("LINK{kind}#{id}"))),
                    ("GSI1PK", text(format!("LINK{kind}#{id}"))),
                    ("GSI1SK", text(format!("{:020}#END#{id2}", link.time))),
                    ("data", Value::B(link.data.into())),
                    ("opId", text("loaded".into())),
                    ("edgeAt", number(link.time)),
                ]))
                .await?;
            }
        }
        if links > 0 {
            let mut attributes = vec![
                ("PK", text(format!("END#{id}"))),
                ("SK", text("COUNT".into())),
            ];
            for (kind, names) in [(0, ["count0", "count0Ops"]), (1, ["count1", "count1Ops"])] {
                let count = shape.links(id, kind);
                if count > 0 {
                    attributes.extend(names.map(|name| (name, number(count))));
                }
            }
            self.put(Item::from_attributes(attributes)).await?;
        }
        Ok(links)
    }

    async fn put(&mut self, item: Item) -> Outcome<()> {
        self.puts.push(WriteRequest {
            put_request: Some(PutRequest {
                item: Some(item.into()),
            }),
            ..WriteRequest::default()
        });
        if self.puts.len() == BATCH {
            self.flush().await?;
        }
        Ok(())
    }

    async fn flush(&mut self) -> Outcome<()> {
        if self.puts.is_empty() {
            return Ok(());
        }
        let puts = std::mem::take(&mut self.puts);
        let input = BatchWriteItemInput {
            request_items: Some(BTreeMap::from([("linkbench".to_owned(), puts)])),
            ..BatchWriteItemInput::default()
        };
        self.db.batch_write_item(&Context::default(), input).await?;
        Ok(())
    }
}

/// A client in this process.
struct Direct {
    graph: Graph,
}

impl Session for Direct {
    fn run<'a>(&'a mut self, request: &'a Request) -> BoxFuture<'a, Outcome<Reply>> {
        Box::pin(answer(&self.graph, request))
    }
}

/// What was paid.
fn paid<T>(done: &Done<T>, rows: u64) -> Reply {
    let mut reply = Reply {
        rows,
        ..Reply::default()
    };
    for receipt in &done.receipts {
        reply.read += receipt.read.0;
        reply.write += receipt.write.0;
        reply.index_write += receipt.index_write.values().map(|u| u.0).sum::<u64>();
        reply.retries += receipt.retries;
        reply.conflicts += receipt.conflicts;
    }
    reply
}

async fn answer(graph: &Graph, request: &Request) -> Outcome<Reply> {
    let cx = &Context::default();
    match request {
        Request::PutLink {
            id1,
            kind,
            id2,
            data,
        } => {
            let changes = Changes::new().set("data", Value::B(data.clone().into()));
            let options = EdgeOptions {
                position: Some(now_millis()),
                ..EdgeOptions::default()
            };
            let (source, target) = (id2.to_string(), id1.to_string());
            let done = graph
                .upsert(cx, relation(*kind), &source, &target, &changes, &options)
                .await?;
            let was_there = !matches!(done.value, Upserted::Created(_));
            Ok(paid(&done, u64::from(was_there)))
        }
        Request::DeleteLink { id1, kind, id2 } => {
            let (source, target) = (id2.to_string(), id1.to_string());
            let done = graph.unlink(cx, relation(*kind), &source, &target).await?;
            let removed = done.value == Unlinked::Removed;
            Ok(paid(&done, u64::from(removed)))
        }
        Request::CountLink { id1, kind } => {
            let id = id1.to_string();
            let side = Some(Direction::In);
            let done = graph.counts(cx, relation(*kind), &id, side).await?;
            Ok(paid(&done, 1))
        }
        Request::MultigetLink { id1, kind, id2s } => {
            let target = id1.to_string();
            let pairs: Vec<_> = id2s
                .iter()
                .map(|id2| (id2.to_string(), target.clone()))
                .collect();
            let done = graph.edges(cx, relation(*kind), &pairs).await?;
            let found = done.value.iter().flatten().count();
            Ok(paid(&done, found as u64))
        }
        Request::GetLinksList {
            id1,
            kind,
            before,
            limit,
        } => list(graph, cx, *id1, *kind, *before, *limit).await,
        Request::GetNode(id) => {
            let done = graph.get_entity(cx, NODE, &id.to_string()).await?;
            let found = done.value.is_some();
            Ok(paid(&done, u64::from(found)))
        }
        Request::PutNode { id, data, .. } => {
            let changes = Changes::new()
                .set("time", Value::N(Number::from(now_millis() / 1000)))
                .set("data", Value::B(data.clone().into()));
            let done = graph
                .put_entity(cx, NODE, &id.to_string(), &changes)
                .await?;
            Ok(paid(&done, 1))
        }
        Request::DeleteNode(id) => {
            let done = graph.remove_entity(cx, NODE, &id.to_string()).await?;
            let removed = done.value == bothways_graph::Removed::Removed;
            Ok(paid(&done, u64::from(removed)))
        }
    }
}

/// A list, page by page as far as it is asked for.
async fn list(
    graph: &Graph,
    cx: &Context,
    id1: u64,
    kind: u64,
    before: Option<u64>,
    limit: u32,
) -> Outcome<Reply> {
    let mut options = ListOptions {
        limit: Some(limit),
        reverse: true,
        consistency: Some(Consistency::Eventual),
        ..ListOptions::default()
    };
    if let Some(before) = before {
        options.span = Span::Time {
            from: None,
            to: before.checked_sub(1),
        };
    }
    let mut all = Reply::default();
    let id = id1.to_string();
    loop {
        let done = graph
            .list(cx, relation(kind), Direction::In, &id, &options)
            .await?;
        let page = paid(&done, done.value.edges.len() as u64);
        all.rows += page.rows;
        all.read += page.read;
        all.retries += page.retries;
        all.oldest = done
            .value
            .edges
            .last()
            .and_then(|e| e.position)
            .or(all.oldest);
        let left = u64::from(limit).saturating_sub(all.rows);
        options.after = done.value.next;
        options.limit = u32::try_from(left).ok();
        if left == 0 || options.after.is_none() {
            return Ok(all);
        }
    }
}
