//! Lists: one `Query` a page.

use crate::cursor::{self, Stop};
use crate::edge::Edge;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::keys::{Filling, escape};
use crate::model::{Direction, Order, Relation};
use crate::read;
use crate::receipt::{Consistency, Done, Receipt};
use crate::requests::{self, Key, Place};
use bothways_core::{Item, ItemBuilder};
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

/// A list that is being read: what its requests and its cursor are made of.
struct Reading<'g> {
    graph: &'g Graph,
    relation: &'g Relation,
    id: &'g str,
    reverse: bool,
    limit: Option<u32>,
    strong: bool,
}

/// What one `Query` gave of one side.
struct Side {
    /// Edges with their positions, in order.
    edges: Vec<(u64, Edge)>,
    /// Where the page ended; `None` where the side did.
    end: Option<Stop>,
    foreign: u64,
    receipt: Receipt,
}

impl Reading<'_> {
    /// What ties a cursor to this list. Both readings of an undirected list are the same list.
    fn fingerprint(&self, direction: Direction, index: Option<&str>) -> u64 {
        let undirected = self.relation.undirected;
        cursor::fingerprint(&[
            &self.graph.model.table,
            &self.relation.name,
            if undirected {
                "both"
            } else {
                direction.as_str()
            },
            if undirected { "" } else { index.unwrap_or("") },
            self.id,
            if self.reverse {
                "descending"
            } else {
                "ascending"
            },
        ])
    }

    /// The key at which a side goes on behind a place. The item itself need not exist any more.
    fn start_key(&self, direction: Direction, place: &Place<'_>, stop: &Stop) -> Item {
        let model = &*self.graph.model;
        let (sort, base) = match stop {
            Stop::Raw { sort, pk, sk } => {
                let (pk, sk) = (pk.clone(), sk.clone());
                (sort.clone(), Key { pk, sk })
            }
            Stop::Edge { position, peer } => {
                let filling = match direction {
                    Direction::Out => Filling::edge(self.id, peer),
                    Direction::In => Filling::edge(peer, self.id),
                };
                let filling = filling.at(*position);
                let base = Key {
                    pk: self.relation.key.pk.fill(&filling),
                    sk: self.relation.key.sk.fill(&filling),
                };
                (place.keys.sk.fill(&filling), base)
            }
        };
        let mut key = ItemBuilder::default();
        let pk = requests::list_partition(&place.keys.pk, self.id);
        Key { pk, sk: sort }.set_on(place.names, &mut key);
        base.set_on(&model.keys, &mut key);
        key.build()
    }

    /// One page of one side: one `Query`.
    async fn side(
        &self,
        cx: &Context,
        direction: Direction,
        place: &Place<'_>,
        after: Option<&Stop>,
    ) -> Result<Side> {
        let mut input = requests::list(&self.graph.model, place, self.id);
        // One more than asked for tells whether there is a next page, so none is ever promised and empty.
        input.limit = self
            .limit
            .map(|limit| limit.saturating_add(1).try_into().unwrap_or(i32::MAX));
        input.scan_index_forward = self.reverse.then_some(false);
        input.exclusive_start_key = after.map(|stop| self.start_key(direction, place, stop).into());
        if place.index.is_none() {
            input.consistent_read = Some(self.strong);
        }
        let (output, receipt) = self.graph.query(cx, input).await?;
        let mut side = Side {
            edges: Vec::new(),
            end: None,
            foreign: 0,
            receipt,
        };
        for item in output.items.iter().flatten() {
            match self.position_and_edge(place, item) {
                Some(edge) => side.edges.push(edge),
                None => side.foreign += 1,
            }
        }
        if let Some(last) = &output.last_evaluated_key {
            side.end = self.stop_at(direction, place, last);
        }
        Ok(side)
    }

    fn position_and_edge(&self, place: &Place<'_>, item: &Item) -> Option<(u64, Edge)> {
        let sort = place.keys.sk.read(read::text(item, &place.names.sk)?)?;
        let edge = read::edge(&self.graph.model, self.relation, item)?;
        Some((sort.position, edge))
    }

    /// Where a page ended, from its last evaluated key.
    fn stop_at(&self, direction: Direction, place: &Place<'_>, last: &Item) -> Option<Stop> {
        if let Some((position, edge)) = self.position_and_edge(place, last) {
            let peer = peer(direction, edge);
            return Some(Stop::Edge { position, peer });
        }
        let keys = &self.graph.model.keys;
        Some(Stop::Raw {
            sort: read::text(last, &place.names.sk)?.to_owned(),
            pk: read::text(last, &keys.pk)?.to_owned(),
            sk: read::text(last, &keys.sk)?.to_owned(),
        })
    }

    /// A directed list: one side.
    async fn one_way(
        &self,
        cx: &Context,
        direction: Direction,
        order: Option<Order>,
        after: Option<&Stop>,
    ) -> Result<(Vec<Edge>, Option<Stop>, u64, Vec<Receipt>)> {
        let place = Place::of(&self.graph.model, self.relation, direction, order);
        let mut side = self.side(cx, direction, &place, after).await?;
        let limit = self.limit.map_or(usize::MAX, |l| l as usize);
        let mut end = side.end;
        if side.edges.len() > limit {
            side.edges.truncate(limit);
            end = side.edges.last().map(|(position, edge)| Stop::Edge {
                position: *position,
                peer: peer(direction, edge.clone()),
            });
        }
        let edges = side.edges.into_iter().map(|(_, edge)| edge).collect();
        Ok((edges, end, side.foreign, vec![side.receipt]))
    }

    /// An undirected list: the edges that start here and those that end here, merged by peer.
    async fn both_ways(
        &self,
        cx: &Context,
        after: Option<&Stop>,
    ) -> Result<(Vec<Edge>, Option<Stop>, u64, Vec<Receipt>)> {
        let mut rows: Vec<(String, Edge)> = Vec::new();
        // Behind the end of a side that has more, the merge knows nothing.
        let mut known_to: Option<String> = None;
        let (mut foreign, mut receipts) = (0, Vec::new());
        for direction in [Direction::Out, Direction::In] {
            let place = Place::of(&self.graph.model, self.relation, direction, None);
            let side = self.side(cx, direction, &place, after).await?;
            if let Some(Stop::Raw { pk, sk, .. }) = side.end {
                // Its place among the peers is not known, so nothing can be merged past it.
                return Err(Error::Foreign {
                    key: format!("{pk}, {sk}"),
                    what: format!("it is no edge of {}", self.relation.name),
                });
            }
            if let Some(Stop::Edge { peer, .. }) = side.end {
                let at = escape(&peer).into_owned();
                let nearer = known_to
                    .as_ref()
                    .is_none_or(|known| self.before(&at, known));
                if nearer {
                    known_to = Some(at);
                }
            }
            foreign += side.foreign;
            receipts.push(side.receipt);
            let with_peer = |(_, edge): (u64, Edge)| (peer(direction, edge.clone()), edge);
            rows.extend(side.edges.into_iter().map(with_peer));
        }
        rows.sort_by(|(a, _), (b, _)| {
            let order = escape(a).cmp(&escape(b));
            if self.reverse { order.reverse() } else { order }
        });
        // Linked to oneself: the one item stands on both sides.
        rows.dedup_by(|(a, _), (b, _)| a == b);
        let mut more = false;
        if let Some(known) = &known_to {
            more = true;
            rows.retain(|(peer, _)| !self.before(known, &escape(peer)));
        }
        let limit = self.limit.map_or(usize::MAX, |l| l as usize);
        more |= rows.len() > limit;
        rows.truncate(limit);
        let end = rows.last().filter(|_| more).map(|(peer, _)| Stop::Edge {
            position: 0,
            peer: peer.clone(),
        });
        Ok((
            rows.into_iter().map(|(_, edge)| edge).collect(),
            end,
            foreign,
            receipts,
        ))
    }

    /// Whether one escaped id comes before another in this list.
    fn before(&self, a: &str, b: &str) -> bool {
        if self.reverse { a > b } else { a < b }
    }
}

/// The other end.
fn peer(direction: Direction, edge: Edge) -> String {
    match direction {
        Direction::Out => edge.target,
        Direction::In => edge.source,
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
        let relation = self.relation(relation)?;
        // The key that an edge of this id would have is refused where no list could have the id.
        requests::edge_key(&self.model, relation, id, id)?;
        let place = Place::of(&self.model, relation, direction, options.order);
        let index = place.index.or_else(|| {
            relation
                .undirected
                .then_some(relation.inverse.index.as_str())
        });
        let consistency = match (index, options.consistency) {
            (Some(index), Some(Consistency::Strong | Consistency::Transactional)) => {
                return Err(Error::NeverStrong {
                    relation: relation.name.clone(),
                    direction: direction.as_str(),
                    index: index.to_owned(),
                });
            }
            (Some(_), _) | (None, Some(Consistency::Eventual)) => Consistency::Eventual,
            (None, _) => Consistency::Strong,
        };
        let reading = Reading {
            graph: self,
            relation,
            id,
            reverse: options.reverse,
            limit: options.limit.map(|l| l.max(1)),
            strong: consistency == Consistency::Strong,
        };
        let fingerprint = reading.fingerprint(direction, place.index);
        let after = match &options.after {
            Some(cursor) => Some(cursor::read(cursor, fingerprint)?),
            None => None,
        };
        let (edges, end, foreign, receipts) = if relation.undirected {
            reading.both_ways(cx, after.as_ref()).await?
        } else {
            reading
                .one_way(cx, direction, options.order, after.as_ref())
                .await?
        };
        let page = EdgePage {
            edges,
            next: end.map(|stop| cursor::write(fingerprint, &stop)),
            consistency,
            foreign,
        };
        Ok(Done::new(page, receipts))
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
