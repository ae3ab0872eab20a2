//! Relations over one DynamoDB table: each edge written once, read both ways.
//!
//! A [`Model`] says how entities and edges become keys; a [`Graph`] is a model over anything that answers
//! DynamoDB requests. Invariants: every list is one `Query` a page and every check one `GetItem`; an edge and the
//! counters that it moves change in one transaction; a write whose fate is not known is never reported as failed;
//! nothing here knows what is behind [`bothways_protocol::DynamoDb`].

mod apply;
mod changes;
mod check;
mod cursor;
mod edge;
mod entity;
mod env;
mod error;
mod export;
mod graph;
pub mod import;
mod keys;
mod link;
mod list;
pub mod model;
mod read;
mod receipt;
mod requests;
mod sample;
mod send;

pub use apply::{Applied, Difference};
pub use changes::Changes;
pub use check::{CheckReport, Plan, Proof};
pub use cursor::CursorError;
pub use edge::{Edge, Linked, Set, Unlinked};
pub use entity::{Counts, EntityItem, Put, Removed, Shown, ShownEdges};
pub use env::{Environment, SystemEnvironment};
pub use error::{Error, IdError, Result};
pub use export::{ExportFormat, ExportReport};
pub use graph::Graph;
pub use keys::{Filling, Slot, Template, TemplateError, escape};
pub use list::{EdgePage, ListOptions, Pages};
pub use model::{Direction, Model};
pub use receipt::{Consistency, Done, Receipt, units_text};
pub use sample::{Sampled, sample_edge, sample_summary};
