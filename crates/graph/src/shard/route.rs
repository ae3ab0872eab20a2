//! Where a writer puts an edge and counts it.

use super::map::Map;
use super::part::Part;
use crate::ends::End;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::model::Relation;
use crate::receipt::Receipt;
use crate::requests::Key;
use crate::send::{Attempts, Verdict};
use bothways_core::Item;
use bothways_protocol as protocol;
use bothways_protocol::{CancellationReason, Context, ErrorKind, Operation};

/// Why a counter item is closed: the way of counting is being changed, and not even unlinks pass.
pub(crate) const SWITCHING: &str = "switching";

/// Where an edge's target has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Route {
    /// In the plain key, counted on the entity's item, on condition that no map is there.
    #[default]
    Plain,
    /// As the target's map says.
    Mapped {
        part: Part,
        /// Counted on the part's counter item; otherwise not by the writer.
        counted: bool,
    },
}

impl Route {
    /// The part that the edge stands in.
    pub(crate) fn part(self) -> Part {
        match self {
            Self::Plain => Part::Plain,
            Self::Mapped { part, .. } => part,
        }
    }
}

impl Relation {
    /// Whether its targets may have maps.
    pub(crate) fn may_map(&self) -> bool {
        !self.undirected && (self.shard.is_some() || self.counters.inward.is_some())
    }

    /// Whether a writer who knows of no map is told of one by the condition on the counter.
    fn is_guarded(&self) -> bool {
        self.counters.inward.is_some()
    }
}

impl Graph {
    /// Where a new edge goes.
    pub(crate) async fn route(
        &self,
        cx: &Context,
        relation: &Relation,
        source: &str,
        target: &str,
        attempts: &mut Attempts<'_>,
        receipts: &mut Vec<Receipt>,
    ) -> Result<Route> {
        let Some(map) = self
            .map_to_write(cx, relation, target, true, attempts, receipts)
            .await?
        else {
            return Ok(Route::Plain);
        };
        Ok(Route::Mapped {
            part: map.part_of(source),
            counted: map.counts_parts(),
        })
    }

    /// Where an edge that is to be removed is: what it says itself. An edge that is not there is nowhere, which its
    /// condition tells.
    pub(crate) async fn route_back(
        &self,
        cx: &Context,
        relation: &Relation,
        key: &Key,
        target: &str,
        attempts: &mut Attempts<'_>,
        receipts: &mut Vec<Receipt>,
    ) -> Result<Route> {
        let Some(map) = self
            .map_to_write(cx, relation, target, false, attempts, receipts)
            .await?
        else {
            return Ok(Route::Plain);
        };
        if !map.counts_parts() {
            return Ok(Route::Mapped {
                part: Part::Plain,
                counted: false,
            });
        }
        let (item, receipt) = self.get_item(cx, key, true).await?;
        receipts.push(receipt);
        let part = item.map_or(Part::Plain, |item| Part::of(&self.model, relation, &item));
        Ok(Route::Mapped {
            part,
            counted: true,
        })
    }

    /// The map to write by; `None`: go by the condition that there is none. Waits while the way of counting changes.
    async fn map_to_write(
        &self,
        cx: &Context,
        relation: &Relation,
        target: &str,
        links: bool,
        attempts: &mut Attempts<'_>,
        receipts: &mut Vec<Receipt>,
    ) -> Result<Option<Map>> {
        if !relation.may_map() {
            return Ok(None);
        }
        loop {
            let known = if let Some(known) = self.known_map(relation, target) {
                known
            } else {
                let mapped = self.maps.last(relation, target).and_then(|k| k.map);
                if mapped.is_none() && relation.is_guarded() {
                    return Ok(None);
                }
                let (known, receipt) = self.fetch_map(cx, relation, target).await?;
                receipts.push(receipt);
                known
            };
            let Some(map) = known.map else {
                // Without a counter there is no condition to go by, and no map is as good as the plain one.
                let plain = Map {
                    counting: super::Counting::Counted,
                    ..Map::PLAIN
                };
                return Ok((!relation.is_guarded()).then_some(plain));
            };
            if links && known.closed {
                return Err(Error::Closed {
                    entity: relation.to.clone(),
                    id: target.to_owned(),
                });
            }
            if !map.gated {
                if !map.counts_parts() {
                    // No counter tells such a writer that the map is another by now.
                    attempts.end_by(known.until());
                }
                return Ok(Some(map));
            }
            self.maps.forget(relation, target);
            let message = format!("the way of counting {target:?} is being changed");
            let error = protocol::Error::new(ErrorKind::TransactionConflict, message);
            let mut receipt = Receipt::new(Operation::GetItem, &self.model.table);
            attempts
                .again(Verdict::Conflict, error, "", &mut receipt)
                .await?;
        }
    }

    /// What a refusal by a target's item or counter means: `true` where the writer went by the wrong map, and has to look
    /// again.
    pub(crate) async fn misrouted(
        &self,
        cx: &Context,
        relation: &Relation,
        target: &str,
        route: Route,
        item: Option<&Item>,
        receipts: &mut Vec<Receipt>,
    ) -> Result<bool> {
        if !relation.may_map() {
            return Ok(false);
        }
        if route == Route::Plain {
            // The refusal carries the item, unless the backend sends none.
            if let Some(item) = item {
                return Ok(Map::of(relation, item).is_some_and(|_| {
                    let at = self.env.monotonic();
                    self.learn_map(relation, target, Some(item), at);
                    // It is as old as the attempt: good for knowing that there is one.
                    self.maps.forget(relation, target);
                    true
                }));
            }
            let (known, receipt) = self.fetch_map(cx, relation, target).await?;
            receipts.push(receipt);
            return Ok(known.map.is_some());
        }
        self.maps.forget(relation, target);
        let (known, receipt) = self.fetch_map(cx, relation, target).await?;
        receipts.push(receipt);
        Ok(!known.closed)
    }

    /// Whether ends refused because their writer went by the wrong map, where `before` actions stood before theirs.
    pub(crate) async fn misrouted_ends(
        &self,
        cx: &Context,
        acting: &[&End<'_>],
        reasons: &[CancellationReason],
        before: usize,
        receipts: &mut Vec<Receipt>,
    ) -> Result<bool> {
        let mut misrouted = false;
        for (end, reason) in acting.iter().zip(reasons.iter().skip(before)) {
            if reason.code != "ConditionalCheckFailed" {
                continue;
            }
            for (relation, route) in end.routes() {
                let item = reason.item.as_ref();
                misrouted |= self
                    .misrouted(cx, relation, &end.id, *route, item, receipts)
                    .await?;
            }
        }
        Ok(misrouted)
    }
}
