//! The workbench in the browser: its documented HTTP API and its embedded pages.
//!
//! A pure function from requests to responses ([`Workbench::answer`]): no socket, no file, no knowledge of what is
//! behind a connection's [`DynamoDb`]. The API is `openapi.json`, served at `/api/v1/openapi.json`; every answer
//! carries a receipt of the requests behind it. The graph for programs is beside it, at `/graph/v1`.

mod answer;
mod api;
mod audit;
mod build;
mod data;
mod document;
mod edges;
mod graph_api;
mod guides;
mod heat;
mod live;
mod models;
mod naming;
mod pages;
mod patterns;
mod raw;
mod reading;
mod record;
mod shapes;
mod shards;

pub use data::{Data, Spool};
pub use graph_api::explained_json;
pub use guides::{Printed, Step, Terminal};
pub use live::Live;
pub use naming::ModelNames;

use bothways_graph::{Graph, Model};
use bothways_protocol::{BoxFuture, DynamoDb, Operator};
use bytes::Bytes;
use http::{Request, Response};
use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

/// A place where tables live, by a name that stands in URLs.
pub struct Connection {
    /// Name in URLs.
    pub name: String,
    /// What is behind it.
    pub kind: ConnectionKind,
    /// Directory or URL, for people.
    pub detail: String,
    /// Region, for people.
    pub region: String,
    /// Whether writes are refused here.
    pub read_only: bool,
    /// Whether writes survive a restart.
    pub durable: bool,
    /// The backend.
    pub db: Arc<dyn DynamoDb>,
    /// What there is beside it.
    pub beside: Beside,
}

/// What a place offers beside DynamoDB. Nothing, by default: what it lacks, the pages do not show.
#[derive(Default)]
pub struct Beside {
    /// What applications send to it over the wire.
    pub live: Option<Live>,
    /// What it tells of its keys.
    pub operator: Option<Arc<dyn Operator>>,
    /// Its imports, exports and resets.
    pub data: Option<Data>,
}

impl Beside {
    /// The pages' names for what there is.
    fn offers(&self) -> Vec<&'static str> {
        let all = [
            ("live", self.live.is_some()),
            ("heat", self.operator.is_some()),
            ("data", self.data.is_some()),
        ];
        all.into_iter()
            .filter_map(|(name, there)| there.then_some(name))
            .collect()
    }
}

/// What is behind a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionKind {
    /// The database in this process.
    Embedded,
    /// Another endpoint.
    Endpoint,
}

/// A model, and the edge that is shown first.
pub struct Shown {
    /// The model.
    pub model: Model,
    /// Edges that are known to be there: the first of all is what a person sees first, the first of a relation what it
    /// opens on.
    pub firsts: Vec<FirstEdge>,
}

/// An edge by its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstEdge {
    /// Relation.
    pub relation: String,
    /// Source id.
    pub source: String,
    /// Target id.
    pub target: String,
}

/// Lets a job's work go on beside the requests.
pub type Spawn = Arc<dyn Fn(BoxFuture<'static, ()>) + Send + Sync>;

/// The workbench over some connections and models.
pub struct Workbench {
    connections: Vec<Connection>,
    models: RwLock<Vec<Arc<Shown>>>,
    /// Of models that programs have asked for, over the first connection.
    graphs: RwLock<Vec<(Arc<Shown>, Graph)>>,
    /// What runs the guides' commands; none where they are only read.
    guides: Option<guides::Guides>,
    /// Works on jobs; none where nothing goes on beside requests.
    spawn: Option<Spawn>,
    /// Jobs that are worked on here.
    working: Arc<AtomicUsize>,
}

impl Workbench {
    /// A workbench. The first connection is the one that opens.
    #[must_use]
    pub fn new(connections: Vec<Connection>, models: Vec<Shown>) -> Self {
        Self {
            connections,
            models: RwLock::new(models.into_iter().map(Arc::new).collect()),
            graphs: RwLock::default(),
            guides: None,
            spawn: None,
            working: Arc::default(),
        }
    }

    /// The same, which also works on the jobs that are started in its API.
    #[must_use]
    pub fn with_jobs(mut self, spawn: Spawn) -> Self {
        self.spawn = Some(spawn);
        self
    }

    /// The same, which also runs the commands of its guides.
    #[must_use]
    pub fn with_guides(mut self, terminal: Arc<dyn Terminal>) -> Self {
        self.guides = Some(guides::Guides::new(terminal));
        self
    }

    /// Answers a request for a page or for the API; `None` where there is nothing at its address.
    pub async fn answer(&self, request: Request<Bytes>) -> Option<Response<Bytes>> {
        if let Some(path) = request.uri().path().strip_prefix(graph_api::ROOT)
            && (path.is_empty() || path.starts_with('/'))
        {
            return Some(graph_api::answer(self, path, &request).await);
        }
        match request.uri().path().strip_prefix("/api/v1") {
            Some(path) if path.is_empty() || path.starts_with('/') => {
                Some(api::answer(self, path, &request).await)
            }
            _ => pages::answer(&request),
        }
    }

    fn connection(&self, name: &str) -> Option<&Connection> {
        self.connections.iter().find(|c| c.name == name)
    }

    fn model(&self, name: &str) -> Option<Arc<Shown>> {
        let models = self.models.read();
        models.iter().find(|m| m.model.name == name).cloned()
    }

    fn shown(&self) -> Vec<Arc<Shown>> {
        self.models.read().clone()
    }

    /// The graph of a model over the first connection. It is checked once, and what it learns of shards serves later
    /// requests too.
    fn graph(&self, first: &Connection, shown: &Arc<Shown>) -> bothways_graph::Result<Graph> {
        let graphs = self.graphs.read();
        let known = graphs.iter().find(|(of, _)| Arc::ptr_eq(of, shown));
        if let Some((_, graph)) = known {
            return Ok(graph.clone());
        }
        drop(graphs);
        let graph = Graph::new(Arc::clone(&first.db), shown.model.clone())?;
        let mut graphs = self.graphs.write();
        // A model that was shown under this name before is not asked for again.
        graphs.retain(|(of, _)| of.model.name != shown.model.name);
        graphs.push((Arc::clone(shown), graph.clone()));
        Ok(graph)
    }

    /// Shows a model from now on, until this process ends: in place of the one of its name whose text is `was`, or as a
    /// new one where there is no `was`. False, and nothing is done, where that is not what is shown now.
    fn keep(&self, shown: Shown, was: Option<&str>) -> bool {
        let mut models = self.models.write();
        let at = models.iter().position(|m| m.model.name == shown.model.name);
        let now = at.and_then(|at| models.get_mut(at));
        if now.as_ref().map(|known| known.model.to_toml()).as_deref() != was {
            return false;
        }
        match now {
            Some(known) => {
                *known = Arc::new(Shown {
                    firsts: known.firsts.clone(),
                    ..shown
                });
            }
            None => models.push(Arc::new(shown)),
        }
        true
    }
}
