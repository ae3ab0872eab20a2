//! Lists: one `Query` a page.

use crate::edge::Edge;
use crate::error::Result;
use crate::graph::Graph;
use crate::model::{Direction, Order};
use crate::receipt::{Consistency, Done};
use bothways_protocol::Context;

/// How to list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListOptions {
    /// Most edges of a page; `None`: what one `Query` reads (1 MB).
    pub limit: Option<u32>,
    /// Go on behind this cursor.
    pub after: Option<String>,
    /// Descending.
    pub reverse: bool,
    /// Order; `None`: the list's own.
    pub order: Option<Order>,
    /// Freshness; `None`: strong from the base table, eventual from an index.
    pub consistency: Option<Consistency>,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgePage {
    /// Its edges, in order.
    pub edges: Vec<Edge>,
    /// Where the next page starts; `None` at the end.
    pub next: Option<String>,
    /// Freshness.
    pub consistency: Consistency,
    /// Items in the list's key range that the model's templates do not read; they are left out.
    pub foreign: u64,
}

/// A list page by page.
#[derive(Debug)]
pub struct Pages<'g> {
    pub(crate) graph: &'g Graph,
    pub(crate) relation: String,
    pub(crate) direction: Direction,
    pub(crate) id: String,
    pub(crate) options: ListOptions,
    pub(crate) ended: bool,
}

impl Pages<'_> {
    /// The next page; `None` behind the last.
    ///
    /// # Errors
    /// As [`Graph::list`].
    pub async fn next(&mut self, cx: &Context) -> Result<Option<Done<EdgePage>>> {
        if self.ended {
            return Ok(None);
        }
        let page = self
            .graph
            .list(cx, &self.relation, self.direction, &self.id, &self.options)
            .await?;
        self.options.after.clone_from(&page.value.next);
        self.ended = page.value.next.is_none();
        Ok(Some(page))
    }
}

impl Graph {
    /// One page of an id's edges in a relation: one `Query` (two for an undirected relation, whose lists merge the base
    /// table and the index).
    ///
    /// # Errors
    /// Ids that cannot be, a cursor of another list, a strong read of an index, what the database refuses.
    pub async fn list(
        &self,
        cx: &Context,
        relation: &str,
        direction: Direction,
        id: &str,
        options: &ListOptions,
    ) -> Result<Done<EdgePage>> {
        let _ = (cx, relation, direction, id, options);
        todo!()
    }

    /// The same, page by page.
    #[must_use]
    pub fn pages(
        &self,
        relation: &str,
        direction: Direction,
        id: &str,
        options: ListOptions,
    ) -> Pages<'_> {
        Pages {
            graph: self,
            relation: relation.to_owned(),
            direction,
            id: id.to_owned(),
            options,
            ended: false,
        }
    }
}
