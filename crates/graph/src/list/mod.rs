//! Lists: one `Query` a page; where a hot target has shards, one for each of them, merged.

mod hydrate;
mod reading;
mod sharded;
mod source;
mod span;

pub use span::Span;
pub(crate) use span::{HIGHEST, Range};

use crate::cursor::{self, Mark};
use crate::edge::Edge;
use crate::entity::EntityItem;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::keys::Slot;
use crate::model::{Direction, Order, Relation};
use crate::read::EdgeReader;
use crate::receipt::{Consistency, Done};
use crate::requests::{self, Place};
use bothways_protocol::Context;
use reading::{Merged, Reading};
use source::Row;

/// Most edges that a list skips: what is skipped is read and paid for (the cap of TAO's `assoc_range`, USENIX ATC 2013).
pub const MAX_OFFSET: u32 = 6000;

/// How to list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListOptions {
    /// Most edges of a page; `None`: what one `Query` reads (1 MB).
    pub limit: Option<u32>,
    /// Go on where this cursor says: `next` of a page, or `previous`.
    pub after: Option<String>,
    /// Descending.
    pub reverse: bool,
    /// Order; `None`: the list's own.
    pub order: Option<Order>,
    /// Freshness; `None`: strong from the base table, eventual from an index.
    pub consistency: Option<Consistency>,
    /// Which part.
    pub span: Span,
    /// Edges to skip at the start, at most [`MAX_OFFSET`]; ignored where a cursor is given.
    pub skip: u32,
    /// Read the peers too, by `BatchGetItem`; edges to a peer that is archived or being deleted are left out.
    pub hydrate: bool,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgePage {
    /// Its edges, in order.
    pub edges: Vec<Edge>,
    /// The peers of `edges`, one each, where asked for; `None` where no item is there.
    pub peers: Vec<Option<EntityItem>>,
    /// Where the next page starts; `None` at the end.
    pub next: Option<String>,
    /// Where the page before starts; `None` at the beginning.
    pub previous: Option<String>,
    /// Freshness.
    pub consistency: Consistency,
    /// Items in the list's key range that the model's templates do not read; they are left out.
    pub foreign: u64,
}

/// A list page by page.
#[derive(Debug)]
pub struct Pages<'g> {
    graph: &'g Graph,
    relation: String,
    direction: Direction,
    id: String,
    options: ListOptions,
    ended: bool,
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

/// What ties a cursor to its list. Both readings of an undirected list are the same list.
fn fingerprint(
    graph: &Graph,
    relation: &Relation,
    direction: Direction,
    place: &Place<'_>,
    id: &str,
    options: &ListOptions,
) -> u64 {
    let undirected = relation.undirected;
    cursor::fingerprint(&[
        &graph.model.table,
        &relation.name,
        if undirected {
            "both"
        } else {
            direction.as_str()
        },
        if undirected {
            ""
        } else {
            place.index.unwrap_or("")
        },
        id,
        if options.reverse {
            "descending"
        } else {
            "ascending"
        },
        &options.span.words(),
    ])
}

/// Refuses an order or a range that the list's keys do not have.
fn ordered(
    relation: &Relation,
    direction: Direction,
    place: &Place<'_>,
    options: &ListOptions,
) -> Result<()> {
    let by_time = place.keys.sk.has(Slot::Position);
    let asked = options.order.map(|order| order == Order::Time);
    for wanted in [asked, options.span.by_time()].into_iter().flatten() {
        if wanted != by_time {
            return Err(Error::NoOrder {
                relation: relation.name.clone(),
                direction: direction.as_str(),
                order: if wanted { "time" } else { "id" },
            });
        }
    }
    if options.skip > MAX_OFFSET {
        return Err(Error::Offset {
            skip: options.skip,
            most: MAX_OFFSET,
        });
    }
    Ok(())
}

impl Graph {
    /// One page of an id's edges in a relation: one `Query` (two for an undirected relation, whose lists merge the base
    /// table and the index; one for each shard of a target that has shards).
    ///
    /// Edges that nobody changes meanwhile appear exactly once on the pages of a list, also while shards are added or
    /// drained; others appear at most twice.
    ///
    /// # Errors
    /// Ids that cannot be, a cursor of another list, an order or a range that the list does not have, a strong read of
    /// an index, what the database refuses.
    pub async fn list(
        &self,
        cx: &Context,
        relation: &str,
        direction: Direction,
        id: &str,
        options: &ListOptions,
    ) -> Result<Done<EdgePage>> {
        let relation = self.relation(relation)?;
        // The key that an edge of this id would have is refused where no list could have the id.
        requests::edge_key(&self.model, relation, id, id)?;
        let place = Place::of(&self.model, relation, direction, options.order);
        ordered(relation, direction, &place, options)?;
        let consistency = freshness(relation, direction, &place, options)?;
        let fingerprint = fingerprint(self, relation, direction, &place, id, options);
        let mark = match &options.after {
            Some(cursor) => Some(self.signer.read(cursor, fingerprint)?),
            None => None,
        };
        let first = mark.is_none();
        let (after, back) = mark.map_or((None, false), |mark| (mark.stop, mark.back));
        let reading = Reading {
            graph: self,
            relation,
            edges: EdgeReader::new(&self.model, relation),
            id,
            span: &options.span,
            descending: options.reverse != back,
            limit: options.limit.map(|l| l.max(1) as usize),
            skip: if first { options.skip as usize } else { 0 },
            strong: consistency == Consistency::Strong,
        };
        let merged = self
            .read_list(cx, &reading, direction, place, after.as_ref())
            .await?;
        let ends = Ends {
            back,
            begun: after.is_some() || reading.skip > 0,
        };
        let mut done = self.page(fingerprint, merged, consistency, ends);
        if options.hydrate {
            self.hydrate(cx, relation, direction, id, &mut done).await?;
        }
        Ok(done)
    }

    /// A page with its cursors.
    fn page(
        &self,
        fingerprint: u64,
        merged: Merged,
        consistency: Consistency,
        ends: Ends,
    ) -> Done<EdgePage> {
        let write = |stop, back| self.signer.write(fingerprint, &Mark { stop, back });
        let Merged { mut rows, more, .. } = merged;
        if ends.back {
            rows.reverse();
        }
        // A page without edges is as long as its list goes on, or lies at its end: whatever was before it still is.
        let first = rows.first().map(Row::stop).or_else(|| more.clone());
        let last = rows.last().map(Row::stop).or_else(|| more.clone());
        let (next, previous) = if ends.back {
            let previous = more.map(|stop| write(Some(stop), true));
            (Some(write(last, false)), previous)
        } else {
            let next = more.map(|stop| write(Some(stop), false));
            (next, ends.begun.then(|| write(first, true)))
        };
        let page = EdgePage {
            edges: rows.into_iter().map(|row| row.edge).collect(),
            peers: Vec::new(),
            next,
            previous,
            consistency,
            foreign: merged.foreign,
        };
        Done::new(page, merged.receipts)
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

/// How a page lies in its list.
#[derive(Clone, Copy)]
struct Ends {
    /// It was read backwards.
    back: bool,
    /// Something lies before it.
    begun: bool,
}

/// How fresh the list is, or why it cannot be as fresh as asked.
fn freshness(
    relation: &Relation,
    direction: Direction,
    place: &Place<'_>,
    options: &ListOptions,
) -> Result<Consistency> {
    let both = relation.undirected.then_some(&*relation.inverse.index);
    match (place.index.or(both), options.consistency) {
        (Some(index), Some(Consistency::Strong | Consistency::Transactional)) => {
            Err(Error::NeverStrong {
                relation: relation.name.clone(),
                direction: direction.as_str(),
                index: index.to_owned(),
            })
        }
        (Some(_), _) | (None, Some(Consistency::Eventual)) => Ok(Consistency::Eventual),
        (None, _) => Ok(Consistency::Strong),
    }
}
