//! Relations over one DynamoDB table: each edge written once, read both ways.
//!
//! A [`Model`] says how entities and edges become keys; a [`Graph`] is a model over anything that answers
//! DynamoDB requests. Invariants: every list is one `Query` a page and every check one `GetItem`; an edge and the
//! counters that it moves change in one transaction; a write whose fate is not known is never reported as failed;
//! nothing here knows what is behind [`bothways_protocol::DynamoDb`].
//!
//! ```
//! use bothways_engine::{Engine, Options};
//! use bothways_graph::{Changes, Direction, Graph, Linked, ListOptions, model};
//! use bothways_protocol::Context;
//! use bothways_store::MemoryStore;
//! use std::sync::Arc;
//! # fn wait<T>(future: impl Future<Output = T>) -> T {
//! #     let mut future = std::pin::pin!(future);
//! #     let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
//! #     loop {
//! #         if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut cx) { return value; }
//! #         std::thread::yield_now();
//! #     }
//! # }
//! # wait(async {
//!
//! // Any backend will do: this one lives in memory.
//! let db = Engine::open(Arc::new(MemoryStore::new()), Options::default())?;
//! let follow = model::shipped("follow").expect("it comes with the crate").model;
//! let graph = Graph::new(Arc::new(db), follow)?;
//! let cx = Context::default();
//! graph.apply(&cx).await?;
//!
//! let linked = graph.link(&cx, "follows", "alice", "bob", &Changes::new()).await?;
//! assert!(matches!(linked.value, Linked::Created(_)));
//! let again = graph.link(&cx, "follows", "alice", "bob", &Changes::new()).await?;
//! assert!(matches!(again.value, Linked::Unchanged { .. }));
//!
//! let options = ListOptions::default();
//! let followers = graph.list(&cx, "follows", Direction::In, "bob", &options).await?;
//! assert_eq!(followers.value.edges[0].source, "alice");
//! assert_eq!(followers.receipts[0].key.as_deref(), Some("GSI1PK = TARGET#bob"));
//!
//! let counts = graph.counts(&cx, "follows", "bob", None).await?.value;
//! assert_eq!((counts.out, counts.inward), (Some(0), Some(1)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```

mod apply;
mod cascade;
mod changes;
mod check;
mod counting;
mod cursor;
mod doctor;
mod edge;
mod ends;
mod entity;
mod env;
mod error;
mod explain;
mod export;
mod fetch;
mod flight;
mod graph;
mod guard;
pub mod import;
mod infer;
mod jobs;
mod keys;
mod limits;
mod link;
mod list;
mod migrate;
pub mod model;
mod patterns;
mod read;
mod receipt;
mod requests;
mod sample;
mod send;
mod sets;
mod shard;
mod tombstone;
mod verify;
mod walk;

pub use apply::{Applied, Difference};
pub use cascade::CascadeOptions;
pub use changes::Changes;
pub use check::{CheckReport, Plan, Proof};
pub use counting::{Consumed, ConsumerOptions};
pub use cursor::CursorError;
pub use doctor::{Diagnosis, DoctorOptions, DoctorReport, Trap, doctor};
pub use edge::{
    BatchAnswer, BatchEdge, ChangedType, Edge, EdgeOptions, Linked, Set, Unlinked, Upserted,
};
pub use entity::{Archived, Counts, EntityItem, Put, Removed, Shown, ShownEdges};
pub use env::{Environment, SystemEnvironment};
pub use error::{Error, IdError, Result};
pub use explain::{EXPLAINED_AS_IF, Explained, ExplainedKind, Explainer, MOST_EXPLAINED};
pub use export::{ExportFormat, ExportReport};
pub use flight::Flight;
pub use graph::Graph;
pub use infer::{Evidence, Inferred, MOST_SAMPLE_ITEMS, SAMPLE_ITEMS, infer};
pub use jobs::{Budget, Job, JobKind, JobObserver, JobState, Lease, Ran, Steered};
pub use keys::{Filling, Slot, Template, TemplateError, escape};
pub use limits::{Cut, Limits};
pub use list::{EdgePage, ListOptions, MAX_OFFSET, Pages, Span};
pub use migrate::{MigrateOptions, Migration, Orphans};
pub use model::{Direction, Model};
pub use patterns::{Asked, PatternOptions, PatternRun, PatternsReport, Skip};
pub use receipt::{Consistency, Done, Receipt, units_text};
pub use sample::{Sampled, sample_edges, sample_summary};
pub use sets::{Estimate, Operand, Part, SetOperation, SetOptions, SetPage};
pub use shard::{Counting, HotTarget, KeyKind, KeyName, ListKey, ShardMap};
pub use verify::{Finding, FindingKind, MOST_FINDINGS, VerifyOptions, VerifyReport};
pub use walk::{
    Along, MAX_DEPTH, MAX_LENGTH, Near, NearOptions, Path, PathOptions, Reached, SuggestOptions,
    Suggestion, Suggestions,
};
