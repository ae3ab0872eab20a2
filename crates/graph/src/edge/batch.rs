//! Many edges at once: as few transactions as hold them, an answer for each.

use super::{Edge, Linked, Subject, Unlinked, failed};
use crate::changes::Changes;
use crate::ends::{Ends, Move};
use crate::env::operation_id;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::link::{self, EdgeItems};
use crate::model::Removal;
use crate::receipt::{Done, Receipt};
use crate::requests::{self, Key, OPERATION_ID};
use crate::send::{Attempts, Outcome};
use crate::shard::Route;
use bothways_core::Item;
use bothways_protocol as protocol;
use bothways_protocol::types::TransactWriteItem;
use bothways_protocol::{CancellationReason, Context, ErrorKind, Operation};
use std::collections::HashSet;

/// Actions of one transaction (API Reference, `TransactWriteItems`).
const ACTIONS: usize = 100;
/// Most bytes of edges in one transaction: well below its 4 MB, counters and keys added.
const BYTES: usize = 2 * 1024 * 1024;
/// Most edges of one batch: what one answer can reasonably hold.
const EDGES: usize = 10_000;

/// One edge of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchEdge {
    /// Relation.
    pub relation: String,
    /// Source.
    pub source: String,
    /// Target.
    pub target: String,
    /// Attributes of an edge to link; `None` unlinks.
    pub link: Option<Changes>,
}

/// What became of one edge of a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum BatchAnswer {
    /// It was to be linked.
    Linked(Linked),
    /// It was to be unlinked.
    Unlinked(Unlinked),
    /// It was refused, or is not known to be done; others of the batch are not concerned.
    Failed(Error),
}

/// An edge that waits for its transaction.
struct Waiting<'g> {
    at: usize,
    subject: Subject<'g>,
    link: Option<&'g Changes>,
}

impl Graph {
    /// Links and unlinks many edges, up to 10,000. As many as fit 100 actions go into one transaction, where edges at the
    /// same end share its counter's action. An edge that is refused (it is there, or not there, or an end is closed) is
    /// answered and the others of its transaction are sent again without it. Answers come in the order of the edges.
    ///
    /// The batch as a whole is not one transaction. Edges that come twice are done in their order. Relations whose
    /// removals leave tombstones are written edge by edge.
    ///
    /// # Errors
    /// Too many edges, and relations that are not there. All else is the answer of an edge.
    pub async fn batch(&self, cx: &Context, edges: &[BatchEdge]) -> Result<Done<Vec<BatchAnswer>>> {
        if edges.len() > EDGES {
            return Err(Error::Option {
                option: "edges",
                why: format!("are {}, and {EDGES} are allowed", edges.len()),
            });
        }
        let mut batch = Batch {
            graph: self,
            cx,
            answers: vec![None; edges.len()],
            receipt: Receipt::new(Operation::TransactWriteItems, &self.model.table),
            others: Vec::new(),
        };
        let mut waiting: Vec<Waiting<'_>> = Vec::new();
        for (at, edge) in edges.iter().enumerate() {
            let relation = self.relation(&edge.relation)?;
            match self.waiting(at, edge) {
                Ok(one) if relation.removal == Removal::Hard => waiting.push(one),
                Ok(_) => {
                    // What came before it may be about the same edge.
                    batch.send(std::mem::take(&mut waiting)).await;
                    batch.alone(at, edge).await;
                }
                Err(error) => batch.answers[at] = Some(BatchAnswer::Failed(error)),
            }
        }
        batch.send(waiting).await;
        let answers = batch
            .answers
            .into_iter()
            .map(|answer| answer.unwrap_or_else(|| BatchAnswer::Failed(nobody_at_fault())));
        let mut receipts = vec![batch.receipt];
        receipts.retain(|r| r.requests > 0);
        receipts.extend(batch.others);
        Ok(Done::new(answers.collect(), receipts))
    }

    fn waiting<'g>(&'g self, at: usize, edge: &'g BatchEdge) -> Result<Waiting<'g>> {
        let subject = self.subject(&edge.relation, &edge.source, &edge.target)?;
        if let Some(attributes) = &edge.link {
            requests::may_loop(subject.relation, subject.source, subject.target)?;
            self.may_change_edge(subject.relation, attributes)?;
        }
        Ok(Waiting {
            at,
            subject,
            link: edge.link.as_ref(),
        })
    }
}

/// The edges of the next transaction, and those that wait on: a transaction has no item twice, so what is about an edge
/// that waits already waits behind it.
fn group(waiting: Vec<Waiting<'_>>) -> (Vec<Waiting<'_>>, Vec<Waiting<'_>>) {
    let (mut group, mut rest) = (Vec::new(), Vec::new());
    let (mut edges, mut waits): (HashSet<Key>, HashSet<Key>) = Default::default();
    let mut ends: HashSet<(&str, &str)> = HashSet::new();
    let mut bytes = 0;
    for one in waiting {
        if edges.len() + ends.len() >= ACTIONS - 1 {
            rest.push(one);
            continue;
        }
        let Subject {
            relation,
            source,
            target,
            ref key,
        } = one.subject;
        let of_edge = [
            (relation.from.as_str(), source),
            (relation.to.as_str(), target),
        ];
        let mut new: Vec<_> = of_edge.iter().filter(|end| !ends.contains(*end)).collect();
        new.dedup();
        let size = one.link.map_or(0, size_of);
        let fits = edges.len() + ends.len() + 1 + new.len() <= ACTIONS && bytes + size <= BYTES;
        let again = edges.contains(key) || waits.contains(key);
        if group.is_empty() || (fits && !again) {
            ends.extend(of_edge);
            edges.insert(key.clone());
            bytes += size;
            group.push(one);
        } else {
            waits.insert(key.clone());
            rest.push(one);
        }
    }
    (group, rest)
}

fn nobody_at_fault() -> Error {
    let message = "a transaction was refused and none of its edges is at fault";
    protocol::Error::new(ErrorKind::TransactionCanceled, message).into()
}

/// A batch under way.
struct Batch<'g> {
    graph: &'g Graph,
    cx: &'g Context,
    answers: Vec<Option<BatchAnswer>>,
    receipt: Receipt,
    others: Vec<Receipt>,
}

impl<'g> Batch<'g> {
    /// One edge by itself.
    async fn alone(&mut self, at: usize, edge: &BatchEdge) {
        let (graph, cx) = (self.graph, self.cx);
        let (relation, source, target) = (&edge.relation, &edge.source, &edge.target);
        let done = match &edge.link {
            Some(attributes) => graph
                .link(cx, relation, source, target, attributes)
                .await
                .map(|done| done.map(BatchAnswer::Linked)),
            None => graph
                .unlink(cx, relation, source, target)
                .await
                .map(|done| done.map(BatchAnswer::Unlinked)),
        };
        self.answers[at] = Some(match done {
            Ok(done) => {
                self.others.extend(done.receipts);
                done.value
            }
            Err(error) => BatchAnswer::Failed(error),
        });
    }

    /// Edges in transactions, each as full as it can be.
    async fn send(&mut self, mut waiting: Vec<Waiting<'g>>) {
        while !waiting.is_empty() {
            let (group, rest) = group(waiting);
            waiting = rest;
            let mut left = group;
            while !left.is_empty() {
                left = self.attempt(left).await;
            }
        }
    }

    /// One transaction; answers the edges that are still to be done.
    async fn attempt(&mut self, group: Vec<Waiting<'g>>) -> Vec<Waiting<'g>> {
        let op_id = operation_id(&*self.graph.env);
        let (mut group, mut routes) = self.routed(group).await;
        if group.is_empty() {
            return group;
        }
        match self.outcome(&mut group, &mut routes, &op_id).await {
            Ok((items, Outcome::Committed, _, later)) => {
                for (one, item) in group.iter().zip(items) {
                    self.done(one, item);
                }
                later
            }
            Ok((items, Outcome::Refused(reasons), ends, later)) => {
                let own = |at: usize| {
                    let item = failed(&reasons, at).and_then(|r| r.item.as_ref());
                    item.and_then(|item| crate::read::text(item, OPERATION_ID)) == Some(&op_id)
                };
                let done = (0..group.len()).any(own);
                match self.misrouted(&ends, &reasons, group.len()).await {
                    Ok(wrong) if done || !wrong => {}
                    Ok(_) => {
                        group.extend(later);
                        return group;
                    }
                    Err(error) => {
                        for one in group {
                            self.answers[one.at] = Some(BatchAnswer::Failed(error.clone()));
                        }
                        return later;
                    }
                }
                let refusals = ends.refusals(&reasons, group.len());
                let mut left = self.refused(group, items, &reasons, &refusals, &op_id);
                left.extend(later);
                left
            }
            Err(error) => {
                for one in group {
                    self.answers[one.at] = Some(BatchAnswer::Failed(error.clone()));
                }
                Vec::new()
            }
        }
    }

    /// Where each edge goes. Edges that cannot be written are answered; an edge to be taken off the counter of a shard is
    /// taken off by itself, since its condition is more than its being there.
    async fn routed(&mut self, group: Vec<Waiting<'g>>) -> (Vec<Waiting<'g>>, Vec<Route>) {
        let (mut left, mut routes) = (Vec::with_capacity(group.len()), Vec::new());
        for one in group {
            let (graph, cx) = (self.graph, self.cx);
            let (relation, source, target) =
                (one.subject.relation, one.subject.source, one.subject.target);
            let mut attempts = Attempts::new(&*graph.env, cx);
            let others = &mut self.others;
            let route = if one.link.is_some() {
                graph
                    .route(cx, relation, source, target, &mut attempts, others)
                    .await
            } else {
                let key = &one.subject.key;
                graph
                    .route_back(cx, relation, key, target, &mut attempts, others)
                    .await
            };
            match route {
                Ok(Route::Mapped { counted: true, .. }) if one.link.is_none() => {
                    let edge = BatchEdge {
                        relation: relation.name.clone(),
                        source: source.to_owned(),
                        target: target.to_owned(),
                        link: None,
                    };
                    self.alone(one.at, &edge).await;
                }
                Ok(route) => {
                    left.push(one);
                    routes.push(route);
                }
                Err(error) => self.answers[one.at] = Some(BatchAnswer::Failed(error)),
            }
        }
        (left, routes)
    }

    async fn misrouted(
        &mut self,
        ends: &Ends<'g>,
        reasons: &[CancellationReason],
        before: usize,
    ) -> Result<bool> {
        let mut actions = Vec::new();
        let acting = ends.act(&mut actions);
        let (graph, cx) = (self.graph, self.cx);
        graph
            .misrouted_ends(cx, &acting, reasons, before, &mut self.others)
            .await
    }

    /// Sends one transaction. Where the counters of shards make too many actions, half of the edges are left for later.
    async fn outcome(
        &mut self,
        group: &mut Vec<Waiting<'g>>,
        routes: &mut Vec<Route>,
        op_id: &str,
    ) -> Result<(Vec<Option<Item>>, Outcome, Ends<'g>, Vec<Waiting<'g>>)> {
        let mut later = Vec::new();
        let (mut actions, mut items, mut ends) = self.actions(group, routes, op_id)?;
        while actions.len() > ACTIONS && group.len() > 1 {
            let half = group.len() / 2;
            let mut rest = group.split_off(half);
            routes.truncate(half);
            rest.append(&mut later);
            later = rest;
            (actions, items, ends) = self.actions(group, routes, op_id)?;
        }
        let input = requests::transaction(actions, op_id);
        let (graph, cx) = (self.graph, self.cx);
        self.receipt.count += group.len() as u64;
        self.receipt.scanned += group.len() as u64;
        let outcome = graph.transact(cx, &input, op_id, &mut self.receipt).await?;
        Ok((items, outcome, ends, later))
    }

    fn actions(
        &self,
        group: &[Waiting<'g>],
        routes: &[Route],
        op_id: &str,
    ) -> Result<(Vec<TransactWriteItem>, Vec<Option<Item>>, Ends<'g>)> {
        let model = &*self.graph.model;
        let mut actions: Vec<TransactWriteItem> = Vec::with_capacity(ACTIONS);
        let mut items = Vec::with_capacity(group.len());
        let mut ends = Ends::new(model);
        for (one, route) in group.iter().zip(routes) {
            let Subject {
                relation,
                source,
                target,
                ref key,
            } = one.subject;
            let (item, action, change) = match one.link {
                Some(attributes) => {
                    let makes = EdgeItems::new(model, relation, &*self.graph.env)?;
                    let part = route.part();
                    let item = makes.item_in(part, key, source, target, attributes, op_id);
                    (Some(item.clone()), link::put_edge(model, item), Move::Link)
                }
                None => (None, link::delete_edge(model, key), Move::Unlink),
            };
            items.push(item);
            actions.push(action);
            ends.add(relation, source, target, change, *route)?;
        }
        ends.act(&mut actions);
        Ok((actions, items, ends))
    }

    fn done(&mut self, one: &Waiting<'_>, item: Option<Item>) {
        let answer = match item.map(|item| self.graph.read_back(one.subject.relation, &item)) {
            Some(Ok(edge)) => BatchAnswer::Linked(Linked::Created(edge)),
            Some(Err(error)) => BatchAnswer::Failed(error),
            None => BatchAnswer::Unlinked(Unlinked::Removed),
        };
        self.answers[one.at] = Some(answer);
    }

    /// Answers the edges that are settled, and those that an end refuses.
    fn refused(
        &mut self,
        group: Vec<Waiting<'g>>,
        items: Vec<Option<Item>>,
        reasons: &[CancellationReason],
        refusals: &[(String, String, Error)],
        op_id: &str,
    ) -> Vec<Waiting<'g>> {
        let there = |at: usize| -> Option<Edge> {
            let item = failed(reasons, at)?.item.as_ref()?;
            crate::read::edge(&self.graph.model, group[at].subject.relation, item)
        };
        let own = (0..group.len())
            .filter_map(there)
            .any(|edge| edge.op_id.as_deref() == Some(op_id));
        if own {
            // An earlier attempt was done and its answer lost: a transaction is done as a whole.
            for (one, item) in group.iter().zip(items) {
                self.done(one, item);
            }
            return Vec::new();
        }
        let existing: Vec<Option<Edge>> = (0..group.len()).map(there).collect();
        let (count, mut left) = (group.len(), Vec::new());
        for ((at, one), existing) in group.into_iter().enumerate().zip(existing) {
            let Subject {
                relation,
                source,
                target,
                ..
            } = one.subject;
            let of_edge = [(&relation.from, source), (&relation.to, target)];
            let refusal = refusals.iter().find(|(entity, id, _)| {
                of_edge.iter().any(|(e, i)| e.as_str() == entity && i == id)
            });
            if failed(reasons, at).is_some() {
                self.answers[one.at] = Some(match (one.link, existing) {
                    (None, _) => BatchAnswer::Unlinked(Unlinked::NotFound),
                    (Some(_), Some(existing)) => {
                        BatchAnswer::Linked(Linked::Unchanged { existing })
                    }
                    (Some(_), None) => BatchAnswer::Linked(Linked::Unchanged {
                        existing: bare(source, target),
                    }),
                });
            } else if let (Some(_), Some((.., error))) = (one.link, refusal) {
                self.answers[one.at] = Some(BatchAnswer::Failed(error.clone()));
            } else {
                left.push(one);
            }
        }
        if left.len() == count {
            for one in left {
                self.answers[one.at] = Some(BatchAnswer::Failed(nobody_at_fault()));
            }
            return Vec::new();
        }
        left
    }
}

/// An edge of which no more is known than that it is there: the backend sends no item with a refusal.
fn bare(source: &str, target: &str) -> Edge {
    Edge {
        source: source.to_owned(),
        target: target.to_owned(),
        attributes: Item::default(),
        op_id: None,
        edited_by: None,
        version: None,
        position: None,
    }
}

/// About what attributes take in an item.
fn size_of(attributes: &Changes) -> usize {
    let mut json = Vec::new();
    for (_, value) in attributes.iter() {
        if let Some(value) = value {
            bothways_core::json::write_value(value.as_ref(), &mut json);
        }
    }
    json.len()
}
