//! Edges: link, unlink, get, set.

use crate::changes::Changes;
use crate::error::Result;
use crate::graph::Graph;
use crate::receipt::Done;
use bothways_core::{Item, Value};
use bothways_protocol::Context;

/// An edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// Id of its source (of an undirected edge: the smaller one).
    pub source: String,
    /// Id of its target.
    pub target: String,
    /// Its attributes, without keys and the operation id.
    pub attributes: Item,
    /// The operation that made it.
    pub op_id: Option<String>,
}

/// What linking did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Linked {
    /// The edge is new.
    Created(Edge),
    /// It was there already and is as it was.
    Unchanged {
        /// The edge that is there.
        existing: Edge,
    },
}

/// What unlinking did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unlinked {
    /// The edge is gone.
    Removed,
    /// There was none.
    NotFound,
}

/// What setting attributes did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Set {
    /// Some changed: name, before, after.
    Updated(Vec<(String, Option<Value>, Option<Value>)>),
    /// All were so already.
    Unchanged,
    /// There is no such edge.
    NotFound,
}

impl Graph {
    /// Links two entities: the edge and both counters in one transaction. Linking again changes nothing.
    ///
    /// # Errors
    /// Ids and attributes that cannot be; [`crate::Error::MissingEntity`], [`crate::Error::Closed`]; and when the time is
    /// up [`crate::Error::Unknown`] or [`crate::Error::Contended`].
    pub async fn link(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
        attributes: &Changes,
    ) -> Result<Done<Linked>> {
        let _ = (cx, relation, source, target, attributes);
        todo!()
    }

    /// Removes an edge and takes it off both counters in one transaction.
    ///
    /// # Errors
    /// As [`Graph::link`].
    pub async fn unlink(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
    ) -> Result<Done<Unlinked>> {
        let _ = (cx, relation, source, target);
        todo!()
    }

    /// Reads one edge: one `GetItem`, strongly consistent.
    ///
    /// # Errors
    /// Ids that cannot be; what the database refuses.
    pub async fn edge(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
    ) -> Result<Done<Option<Edge>>> {
        let _ = (cx, relation, source, target);
        todo!()
    }

    /// Whether an edge exists: one `GetItem`, strongly consistent.
    ///
    /// # Errors
    /// As [`Graph::edge`].
    pub async fn exists(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
    ) -> Result<Done<bool>> {
        let _ = (cx, relation, source, target);
        todo!()
    }

    /// Changes attributes of an edge that exists: one `UpdateItem`.
    ///
    /// # Errors
    /// Attributes that are keys, counters or fixed by the model; what the database refuses.
    pub async fn set(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
        changes: &Changes,
    ) -> Result<Done<Set>> {
        let _ = (cx, relation, source, target, changes);
        todo!()
    }
}
