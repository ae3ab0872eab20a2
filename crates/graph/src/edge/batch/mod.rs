//! Many edges at once: as few transactions as hold them, an answer for each.

mod answer;
mod attempt;
mod group;

use super::{Linked, Subject, Unlinked};
use crate::changes::Changes;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::model::Removal;
use crate::receipt::{Done, Receipt};
use crate::requests;
use bothways_protocol as protocol;
use bothways_protocol::{Context, ErrorKind, Operation};
use group::group;

/// Actions of one transaction (API Reference, `TransactWriteItems`).
const ACTIONS: usize = 100;
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
}
