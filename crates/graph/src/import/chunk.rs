//! One chunk: what is there already is left out, the rest is written in one transaction.

use super::Reject;
use super::lease::Lease;
use super::pack::Chunk;
use super::rows::Row;
use crate::ends::{End, Ends, Move};
use crate::env::operation_id;
use crate::error::{Error, Result};
use crate::fetch::Fetch;
use crate::graph::Graph;
use crate::link::{self, EdgeItems};
use crate::model::{Model, Relation};
use crate::read;
use crate::receipt::Receipt;
use crate::requests::{self, CLOSED, Key, OPERATION_ID};
use crate::send::{Attempts, Outcome};
use crate::shard::Route;
use bothways_protocol as protocol;
use bothways_protocol::types::TransactWriteItem;
use bothways_protocol::{CancellationReason, Context, ErrorKind, Operation};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// Actions of one transaction (API Reference, `TransactWriteItems`).
const ACTIONS: usize = 100;

/// What all chunks of an import share.
pub(super) struct Writing<'g> {
    pub(super) graph: &'g Graph,
    pub(super) relation: &'g Relation,
    pub(super) items: EdgeItems<'g>,
    /// Look before writing. On at first, so that a second run of a file writes nothing; off once a look found nothing, so
    /// that a first run does not look in vain; on again when a transaction met an edge that is there.
    pub(super) look: AtomicBool,
    /// Held while something is written.
    pub(super) lease: &'g Lease<'g>,
}

/// What became of a chunk.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) created: u64,
    pub(super) existing: u64,
    pub(super) rejects: Vec<Reject>,
    pub(super) transactions: u64,
    pub(super) receipts: [Receipt; 2],
}

impl Writing<'_> {
    pub(super) async fn write(&self, cx: &Context, chunk: Chunk) -> Result<Written> {
        let table = &self.graph.model.table;
        let mut written = Written {
            created: 0,
            existing: 0,
            rejects: Vec::new(),
            transactions: 0,
            receipts: [Operation::TransactWriteItems, Operation::BatchGetItem]
                .map(|operation| Receipt::new(operation, table)),
        };
        let mut rows = chunk.rows;
        if self.look.load(Ordering::Relaxed) {
            let there = self.look_for(cx, &rows, &mut written.receipts[1]).await?;
            self.look.store(!there.is_empty(), Ordering::Relaxed);
            written.existing += there.len() as u64;
            let model = &*self.graph.model;
            rows.retain(|row| {
                row_key(model, self.relation, row).is_ok_and(|k| !there.contains(&k))
            });
        }
        while !rows.is_empty() {
            self.lease.hold(cx).await?;
            rows = self.attempt(cx, rows, &mut written).await?;
        }
        Ok(written)
    }

    /// Which edges are there.
    async fn look_for(
        &self,
        cx: &Context,
        rows: &[Row],
        receipt: &mut Receipt,
    ) -> Result<HashSet<Key>> {
        let model = &*self.graph.model;
        let keys: Result<Vec<Key>> = rows
            .iter()
            .map(|row| row_key(model, self.relation, row))
            .collect();
        let how = Fetch {
            strong: true,
            keys_only: true,
        };
        let there = self.graph.fetch(cx, &keys?, how, receipt).await?;
        Ok(there.into_keys().collect())
    }

    /// One transaction; answers the rows that are still to be written.
    async fn attempt(
        &self,
        cx: &Context,
        mut rows: Vec<Row>,
        written: &mut Written,
    ) -> Result<Vec<Row>> {
        let op_id = operation_id(&*self.graph.env);
        let mut routes = self.routes(cx, &rows).await?;
        let mut later = Vec::new();
        let (mut actions, mut ends) = self.actions(&rows, &routes, &op_id)?;
        while actions.len() > ACTIONS && rows.len() > 1 {
            // The rows were packed for one counter a target, and some target has shards.
            let mut rest = rows.split_off(rows.len() / 2);
            routes.truncate(rows.len());
            rest.append(&mut later);
            later = rest;
            (actions, ends) = self.actions(&rows, &routes, &op_id)?;
        }
        let input = requests::transaction(actions, &op_id);
        let receipt = &mut written.receipts[0];
        match self.graph.transact(cx, &input, &op_id, receipt).await? {
            Outcome::Committed => {
                written.transactions += 1;
                written.created += rows.len() as u64;
                Ok(later)
            }
            Outcome::Refused(reasons) => {
                let (graph, edges) = (self.graph, rows.len());
                let acting = ends.act(&mut Vec::new());
                let done = (0..edges).any(|at| own(&reasons, at, &op_id));
                let mut left = if !done
                    && graph
                        .misrouted_ends(cx, &acting, &reasons, edges, &mut Vec::new())
                        .await?
                {
                    rows
                } else {
                    self.refused(rows, &acting, &reasons, &op_id, written)?
                };
                left.extend(later);
                Ok(left)
            }
        }
    }

    /// Where each row's edge goes. The maps that this may have to read are few, and remembered.
    async fn routes(&self, cx: &Context, rows: &[Row]) -> Result<Vec<Route>> {
        let mut routes = Vec::with_capacity(rows.len());
        let mut attempts = Attempts::new(&*self.graph.env, cx);
        let mut receipts = Vec::new();
        for row in rows {
            let (source, target) = (&row.source, &row.target);
            let route = self
                .graph
                .route(
                    cx,
                    self.relation,
                    source,
                    target,
                    &mut attempts,
                    &mut receipts,
                )
                .await?;
            routes.push(route);
        }
        Ok(routes)
    }

    fn actions(
        &self,
        rows: &[Row],
        routes: &[Route],
        op_id: &str,
    ) -> Result<(Vec<TransactWriteItem>, Ends<'_>)> {
        let model = &*self.graph.model;
        let mut actions = Vec::with_capacity(ACTIONS);
        let mut ends = Ends::new(model);
        for (row, route) in rows.iter().zip(routes) {
            let (source, target) = (&row.source, &row.target);
            let key = row_key(model, self.relation, row)?;
            let part = route.part();
            let item = self
                .items
                .item_in(part, &key, source, target, &row.attributes, op_id);
            actions.push(link::put_edge(model, item));
            ends.add(self.relation, source, target, Move::Link, *route)?;
        }
        ends.act(&mut actions);
        Ok((actions, ends))
    }

    /// Drops the edges that are there and those that an entity refuses.
    fn refused(
        &self,
        rows: Vec<Row>,
        acting: &[&End<'_>],
        reasons: &[CancellationReason],
        op_id: &str,
        written: &mut Written,
    ) -> Result<Vec<Row>> {
        let failed = |at: usize| {
            reasons
                .get(at)
                .filter(|r| r.code == "ConditionalCheckFailed")
        };
        if (0..rows.len()).any(|at| own(reasons, at, op_id)) {
            // An earlier attempt was done and its answer lost: a transaction is done as a whole.
            written.transactions += 1;
            written.created += rows.len() as u64;
            return Ok(Vec::new());
        }
        let edges = rows.len();
        let mut shut: HashMap<(&str, &str), &'static str> = HashMap::new();
        for (i, end) in acting.iter().enumerate() {
            if let Some(reason) = failed(edges + i) {
                let closed = reason
                    .item
                    .as_ref()
                    .is_some_and(|i| i.get(CLOSED).is_some());
                let why = if closed || !self.graph.model.referential {
                    "is closed: it is being deleted"
                } else {
                    "does not exist"
                };
                shut.insert((&end.entity.name, &end.id), why);
            }
        }
        let mut left = Vec::with_capacity(edges);
        for (at, row) in rows.into_iter().enumerate() {
            let ends = [
                (&self.relation.from, &row.source),
                (&self.relation.to, &row.target),
            ];
            let refusing = ends
                .iter()
                .find_map(|(entity, id)| Some((id, shut.get(&(entity.as_str(), id.as_str()))?)));
            if failed(at).is_some() {
                self.look.store(true, Ordering::Relaxed);
                written.existing += 1;
            } else if let Some((id, why)) = refusing {
                written.rejects.push(row.reject(format!("{id} {why}")));
            } else {
                left.push(row);
            }
        }
        if left.len() == edges {
            return Err(Error::Database(Box::new(protocol::Error::new(
                ErrorKind::TransactionCanceled,
                "a transaction was refused and none of its edges is at fault",
            ))));
        }
        Ok(left)
    }
}

/// Whether the edge of an action is there because this very operation made it.
fn own(reasons: &[CancellationReason], at: usize, op_id: &str) -> bool {
    let failed = reasons
        .get(at)
        .filter(|r| r.code == "ConditionalCheckFailed");
    let item = failed.and_then(|r| r.item.as_ref());
    item.and_then(|item| read::text(item, OPERATION_ID)) == Some(op_id)
}

fn row_key(model: &Model, relation: &Relation, row: &Row) -> Result<Key> {
    requests::edge_key(model, relation, &row.source, &row.target)
}
