//! Entities: put, get, remove, show with their edges, counts.

use crate::changes::Changes;
use crate::edge::Edge;
use crate::error::Result;
use crate::graph::Graph;
use crate::model::Direction;
use crate::receipt::Done;
use bothways_core::Item;
use bothways_protocol::Context;

/// An entity as it stands in the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityItem {
    /// Its entity's name in the model.
    pub entity: String,
    /// Its id.
    pub id: String,
    /// Its attributes, without keys and counters.
    pub attributes: Item,
    /// Its counters, each with its name, in the model's order. A counter that never moved is 0.
    pub counters: Vec<(String, i64)>,
    /// Nothing but counters is there: edges reached an entity that nobody put.
    pub bare: bool,
    /// It is being deleted.
    pub closed: bool,
}

/// What putting an entity did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Put {
    /// It is new (or was bare).
    Created,
    /// It was there and changed.
    Updated,
    /// It was so already.
    Unchanged,
}

/// What removing an entity did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removed {
    /// It is gone.
    Removed,
    /// There was none.
    NotFound,
    /// It still has edges, so it stays: its counters.
    HasEdges(Vec<(String, i64)>),
}

/// The edges of one relation beside an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownEdges {
    /// Relation.
    pub relation: String,
    /// Which way they are read.
    pub direction: Direction,
    /// The edges.
    pub edges: Vec<Edge>,
}

/// An entity with its edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The entity; `None` when no item of its own is there.
    pub entity: Option<EntityItem>,
    /// Its edges by relation, in the model's order; a relation without edges is listed empty.
    pub edges: Vec<ShownEdges>,
    /// There are more than one page: read the lists for the rest.
    pub more: bool,
}

/// Counters of one id in one relation. `None` where that side has no counter in the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Edges that leave it.
    pub out: Option<i64>,
    /// Edges that reach it.
    pub inward: Option<i64>,
}

impl Graph {
    /// Puts an entity or changes it; counters stay as they are. One `UpdateItem`.
    ///
    /// # Errors
    /// Ids and attributes that cannot be; what the database refuses.
    pub async fn put_entity(
        &self,
        cx: &Context,
        entity: &str,
        id: &str,
        changes: &Changes,
    ) -> Result<Done<Put>> {
        let _ = (cx, entity, id, changes);
        todo!()
    }

    /// Reads an entity: one `GetItem`, strongly consistent.
    ///
    /// # Errors
    /// Ids that cannot be; what the database refuses.
    pub async fn get_entity(
        &self,
        cx: &Context,
        entity: &str,
        id: &str,
    ) -> Result<Done<Option<EntityItem>>> {
        let _ = (cx, entity, id);
        todo!()
    }

    /// Removes an entity that has no edges: one `DeleteItem`, conditional on its counters.
    ///
    /// # Errors
    /// Ids that cannot be; what the database refuses.
    pub async fn remove_entity(
        &self,
        cx: &Context,
        entity: &str,
        id: &str,
    ) -> Result<Done<Removed>> {
        let _ = (cx, entity, id);
        todo!()
    }

    /// An entity and its edges: one `Query`. Where they are more than a page, the entity is read by a `GetItem` beside it,
    /// and the receipt says so.
    ///
    /// # Errors
    /// Ids that cannot be; what the database refuses.
    pub async fn show(&self, cx: &Context, entity: &str, id: &str) -> Result<Done<Shown>> {
        let _ = (cx, entity, id);
        todo!()
    }

    /// Counters of an id in a relation: a `GetItem` of its entity (of both entities where they differ and no direction is given).
    ///
    /// # Errors
    /// Ids that cannot be; what the database refuses.
    pub async fn counts(
        &self,
        cx: &Context,
        relation: &str,
        id: &str,
        direction: Option<Direction>,
    ) -> Result<Done<Counts>> {
        let _ = (cx, relation, id, direction);
        todo!()
    }
}
