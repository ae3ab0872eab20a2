//! One transaction of a batch.

use super::{ACTIONS, Batch, BatchAnswer, BatchEdge, Waiting};
use crate::edge::{Subject, failed};
use crate::ends::{Ends, Move};
use crate::env::operation_id;
use crate::error::Result;
use crate::link::{self, EdgeItems};
use crate::read;
use crate::requests::{self, OPERATION_ID};
use crate::send::{Attempts, Outcome};
use crate::shard::Route;
use bothways_core::Item;
use bothways_protocol::CancellationReason;
use bothways_protocol::types::TransactWriteItem;

impl<'g> Batch<'g> {
    /// One transaction; answers the edges that are still to be done.
    pub(super) async fn attempt(&mut self, group: Vec<Waiting<'g>>) -> Vec<Waiting<'g>> {
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
                    item.and_then(|item| read::text(item, OPERATION_ID)) == Some(&op_id)
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
}
