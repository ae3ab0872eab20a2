//! What became of a transaction's edges.

use super::{Batch, BatchAnswer, Waiting, nobody_at_fault};
use crate::edge::{Edge, Linked, Subject, Unlinked, failed};
use crate::error::Error;
use crate::read;
use bothways_core::Item;
use bothways_protocol::CancellationReason;

impl<'g> Batch<'g> {
    pub(super) fn done(&mut self, one: &Waiting<'_>, item: Option<Item>) {
        let answer = match item.map(|item| self.graph.read_back(one.subject.relation, &item)) {
            Some(Ok(edge)) => BatchAnswer::Linked(Linked::Created(edge)),
            Some(Err(error)) => BatchAnswer::Failed(error),
            None => BatchAnswer::Unlinked(Unlinked::Removed),
        };
        self.answers[one.at] = Some(answer);
    }

    /// Answers the edges that are settled, and those that an end refuses.
    pub(super) fn refused(
        &mut self,
        group: Vec<Waiting<'g>>,
        items: Vec<Option<Item>>,
        reasons: &[CancellationReason],
        refusals: &[(String, String, Error)],
        op_id: &str,
    ) -> Vec<Waiting<'g>> {
        let there = |at: usize| -> Option<Edge> {
            let item = failed(reasons, at)?.item.as_ref()?;
            read::edge(&self.graph.model, group[at].subject.relation, item)
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
        shard: None,
    }
}
