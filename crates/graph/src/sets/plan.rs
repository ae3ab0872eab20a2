//! How each list takes part in a set operation.

use super::{Operand, Part, SetOperation};
use crate::entity::Counts;
use crate::error::Result;
use crate::graph::Graph;
use crate::keys::Slot;
use crate::limits::Spent;
use crate::model::Direction;
use crate::receipt::Consistency;
use crate::requests::Place;
use bothways_protocol::Context;

/// From how many times the first list's length on a list is cheaper to look into than to read. A read unit reads 8 KB of an
/// index, 80 edges of 100 bytes, or looks up two (API Reference, "Read request units"; eventually consistent).
const PROBE: u64 = 40;

/// How a set operation is done.
pub(super) struct Plan {
    /// The operands in the order in which they are done; the first one is read in any case.
    pub(super) order: Vec<usize>,
    /// How each takes part.
    pub(super) parts: Vec<Part>,
    /// Whether each comes in the order of ids.
    pub(super) by_id: Vec<bool>,
    pub(super) consistency: Consistency,
}

impl Graph {
    pub(super) async fn plan(
        &self,
        cx: &Context,
        operation: SetOperation,
        operands: &[Operand],
        part: Option<Part>,
        spent: &mut Spent<'_>,
    ) -> Result<Plan> {
        let mut by_id = Vec::with_capacity(operands.len());
        let mut strong = true;
        for operand in operands {
            let relation = self.relation(&operand.relation)?;
            let place = Place::of(&self.model, relation, operand.direction, None);
            by_id.push(!place.keys.sk.has(Slot::Position));
            strong &= place.index.is_none() && !relation.undirected;
        }
        let counts = operation != SetOperation::Union && operands.len() > 1;
        let sizes = if counts && part.is_none() {
            self.sizes(cx, operands, spent).await?
        } else {
            vec![None; operands.len()]
        };
        let mut order: Vec<usize> = (0..operands.len()).collect();
        if operation == SetOperation::Intersect {
            // The smallest first; of those whose size is not known, the ones that come by id.
            order.sort_by_key(|at| (sizes[*at].unwrap_or(u64::MAX), !by_id[*at], *at));
        }
        let first = sizes[order[0]];
        let mut parts = vec![Part::Merged; operands.len()];
        for at in order.iter().skip(1) {
            let cheaper = match (first, sizes[*at]) {
                (Some(first), Some(size)) => first.saturating_mul(PROBE) < size,
                _ => false,
            };
            if operation != SetOperation::Union {
                let chosen = if cheaper || !by_id[*at] {
                    Part::Probed
                } else {
                    Part::Merged
                };
                parts[*at] = part.unwrap_or(chosen);
            }
        }
        strong &= !parts.contains(&Part::Probed);
        Ok(Plan {
            order,
            parts,
            by_id,
            consistency: if strong {
                Consistency::Strong
            } else {
                Consistency::Eventual
            },
        })
    }

    /// How long the lists are, where a counter says so.
    pub(super) async fn sizes(
        &self,
        cx: &Context,
        operands: &[Operand],
        spent: &mut Spent<'_>,
    ) -> Result<Vec<Option<u64>>> {
        let mut sizes = Vec::with_capacity(operands.len());
        // Both counters of a node are on one item where both ends are of one kind.
        let mut read: Vec<(&Operand, Counts)> = Vec::new();
        for operand in operands {
            let relation = self.relation(&operand.relation)?;
            let counter = match operand.direction {
                Direction::Out => &relation.counters.out,
                Direction::In => &relation.counters.inward,
            };
            if counter.is_none() {
                sizes.push(None);
                continue;
            }
            let same = |(other, _): &&(&Operand, Counts)| {
                other.relation == operand.relation && other.id == operand.id
            };
            let one_kind = relation.from == relation.to;
            let counts = if let Some((_, counts)) = read.iter().find(same).filter(|_| one_kind) {
                *counts
            } else {
                let direction = (!one_kind).then_some(operand.direction);
                let done = self
                    .counts(cx, &operand.relation, &operand.id, direction)
                    .await?;
                spent.add(done.receipts);
                read.push((operand, done.value));
                done.value
            };
            let count = match operand.direction {
                Direction::Out => counts.out,
                Direction::In => counts.inward,
            };
            sizes.push(count.map(|n| u64::try_from(n).unwrap_or(0)));
        }
        Ok(sizes)
    }
}
