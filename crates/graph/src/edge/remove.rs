//! Unlinking: an edge off, and off its counters, in one transaction; a tombstone where the relation asks for one.

use super::create::note;
use super::{EdgeOptions, Op, Subject, Unlinked, failed, unknown};
use crate::ends::{Ends, Move};
use crate::error::Result;
use crate::graph::Graph;
use crate::guard::Guard;
use crate::link;
use crate::model::Removal;
use crate::receipt::{Done, Receipt};
use crate::requests;
use crate::send::{Attempts, Outcome};
use crate::shard::{Part, Route};
use crate::tombstone::{self, Stone};
use bothways_core::Item;
use bothways_protocol::Context;
use bothways_protocol::types::{ConditionCheck, TransactWriteItem};

impl Graph {
    /// Removes an edge and takes it off both counters in one transaction.
    ///
    /// Sent again after a lost answer, the same token keeps it from being done twice; it is not sent again once the token's
    /// ten minutes are nearly over. On a backend that forgets tokens sooner, a removal that had been done may be reported
    /// as `NotFound`, except where the relation leaves tombstones.
    ///
    /// # Errors
    /// Ids that cannot be; and when the time is up [`Error::Unknown`] or [`Error::Contended`].
    ///
    /// [`Error::Unknown`]: crate::Error::Unknown
    /// [`Error::Contended`]: crate::Error::Contended
    pub async fn unlink(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
    ) -> Result<Done<Unlinked>> {
        let options = EdgeOptions::default();
        self.remove(cx, relation, source, target, &options).await
    }

    /// Removes an edge of a version, at a position, or under an operation id of the caller's.
    ///
    /// A relation with `removal = "soft"` leaves a tombstone with the removal's position, also where no edge was there: until
    /// it expires, no write at an earlier position makes the edge.
    ///
    /// # Errors
    /// As [`Graph::unlink`]; options that cannot be.
    pub async fn remove(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
        options: &EdgeOptions,
    ) -> Result<Done<Unlinked>> {
        let subject = self.subject(relation, source, target)?;
        let op = Op::new(self, options)?;
        let soft = subject.relation.removal != Removal::Hard;
        let mut removing = Removing {
            graph: self,
            cx,
            subject,
            soft,
            stone_stands: false,
            if_version: options.if_version,
            op,
            attempts: Attempts::new(&*self.env, cx),
            receipts: Vec::new(),
        };
        let unlinked = removing.run().await?;
        let mut receipts = removing.receipts;
        if unlinked == Unlinked::NotFound {
            note(&mut receipts, || {
                format!(
                    "settled by attribute_exists({}) · counters unmoved",
                    self.model.keys.pk
                )
            });
        }
        Ok(Done::new(unlinked, receipts))
    }

    /// The tombstone that a removal puts.
    pub(super) fn stone(&self, removal: Removal, at: u64, op_id: Option<&str>) -> Stone {
        let keep = match removal {
            Removal::Soft { keep } => keep,
            Removal::Hard => 0,
        };
        Stone {
            at,
            op_id: op_id.map(str::to_owned),
            expires: (self.env.epoch_millis() / 1000).saturating_add(keep),
        }
    }
}

/// A removal under way.
struct Removing<'g> {
    graph: &'g Graph,
    cx: &'g Context,
    subject: Subject<'g>,
    soft: bool,
    /// A newer tombstone stands, so none is put.
    stone_stands: bool,
    if_version: Option<u64>,
    op: Op,
    attempts: Attempts<'g>,
    receipts: Vec<Receipt>,
}

impl Removing<'_> {
    /// What has to hold of the edge, and whether that is more than its being there.
    fn guard(&self) -> (Guard, bool) {
        let mut guard = Guard::exists(&self.graph.model);
        let ordered = self.soft || self.op.placed;
        if ordered {
            guard = guard.not_after(self.op.at);
        }
        if let Some(version) = self.if_version {
            guard = guard.version(version);
        }
        (guard, ordered || self.if_version.is_some())
    }

    fn put_stone(&self, op_id: Option<&str>) -> TransactWriteItem {
        let Subject {
            relation,
            source,
            target,
            ..
        } = &self.subject;
        let stone = self.graph.stone(relation.removal, self.op.at, op_id);
        tombstone::put(&self.graph.model, relation, source, target, &stone)
    }

    async fn send(&mut self, actions: Vec<TransactWriteItem>) -> Result<Outcome> {
        let input = requests::transaction(actions, &self.op.token);
        let mut receipt = self.graph.writing(&input);
        let outcome = self
            .graph
            .transact_in(
                &mut self.attempts,
                self.cx,
                &input,
                &self.op.id,
                &mut receipt,
            )
            .await;
        self.receipts.push(receipt);
        outcome
    }

    async fn run(&mut self) -> Result<Unlinked> {
        loop {
            let model = &*self.graph.model;
            let (mut guard, mut more) = self.guard();
            let route = self
                .graph
                .route_back(
                    self.cx,
                    self.subject.relation,
                    &self.subject.key,
                    self.subject.target,
                    &mut self.attempts,
                    &mut self.receipts,
                )
                .await?;
            let in_part = matches!(route, Route::Mapped { counted: true, .. });
            if in_part {
                // What is taken off a counter must have been counted there.
                guard = guard.in_part(
                    model,
                    self.subject.relation,
                    self.subject.target,
                    route.part(),
                );
                more = true;
            }
            let mut actions = vec![if more {
                link::delete_guarded(model, &self.subject.key, guard)
            } else {
                link::delete_edge(model, &self.subject.key)
            }];
            let stone = self.soft && !self.stone_stands;
            if stone {
                actions.push(self.put_stone(Some(&self.op.id)));
            }
            let mut ends = Ends::new(model);
            let Subject {
                relation,
                source,
                target,
                ..
            } = self.subject;
            let before_ends = actions.len();
            ends.add(relation, source, target, Move::Unlink, route)?;
            let acting = ends.act(&mut actions);
            let reasons = match self.send(actions).await? {
                Outcome::Committed => return Ok(Unlinked::Removed),
                Outcome::Refused(reasons) => reasons,
            };
            let of_stone = failed(&reasons, 1).filter(|_| stone);
            let of_stone = of_stone.and_then(|r| r.item.as_ref()).map(Stone::read);
            if let Some(reason) = failed(&reasons, 0) {
                let mut there = reason.item.clone();
                if more && there.is_none() {
                    let key = &self.subject.key;
                    there = self
                        .graph
                        .refused_item(self.cx, key, None, &mut self.receipts)
                        .await?;
                }
                let ended = match there {
                    Some(item) if in_part && Part::of(model, relation, &item) != route.part() => {
                        None
                    }
                    Some(item) => self.stays(&item)?,
                    None => self.nothing_there(of_stone).await?,
                };
                if let Some(unlinked) = ended {
                    return Ok(unlinked);
                }
            } else if self
                .graph
                .misrouted_ends(self.cx, &acting, &reasons, before_ends, &mut self.receipts)
                .await?
            {
                // Another route.
            } else if !stone {
                return Ok(Unlinked::NotFound);
            } else if self.op.placed || self.attempts.ambiguous() {
                self.stone_stands = true;
            } else {
                let newer = of_stone.map_or(self.op.at, |stone| stone.at);
                self.op.at = self.op.at.max(newer).saturating_add(1);
            }
            self.op.again(self.graph)?;
        }
    }

    /// The edge is there and does not fulfil the guard: it stays, or the removal goes behind it.
    fn stays(&mut self, item: &Item) -> Result<Option<Unlinked>> {
        let existing = self.graph.read_back(self.subject.relation, item)?;
        let other = self
            .if_version
            .is_some_and(|version| existing.version.unwrap_or(1) != version);
        if other && self.attempts.ambiguous() {
            // It may be another edge, made behind a removal whose answer was lost.
            return Err(unknown(&self.op.id));
        }
        let at = existing.position.unwrap_or(0);
        let later = (self.soft || self.op.placed) && at > self.op.at;
        if other || (later && (self.op.placed || self.attempts.ambiguous())) {
            return Ok(Some(Unlinked::Kept { existing }));
        }
        // Later than this clock says, or come since the refusal.
        self.op.at = self.op.at.max(at);
        Ok(None)
    }

    /// There is no edge: an earlier attempt removed it, or there was none and the tombstone is put alone.
    async fn nothing_there(&mut self, stone: Option<Stone>) -> Result<Option<Unlinked>> {
        if !self.soft {
            return Ok(Some(Unlinked::NotFound));
        }
        if let Some(stone) = stone {
            let own = stone.op_id.as_deref() == Some(&self.op.id);
            return Ok(Some(if own {
                Unlinked::Removed
            } else {
                Unlinked::NotFound
            }));
        }
        self.op.again(self.graph)?;
        let model = &*self.graph.model;
        let guard = Guard::absent(model);
        let condition_expression = guard.condition();
        let (names, _) = guard.placeholders();
        let no_edge = TransactWriteItem {
            condition_check: Some(ConditionCheck {
                key: Some(self.subject.key.item(&model.keys).into()),
                table_name: Some(model.table.clone()),
                condition_expression,
                expression_attribute_names: Some(names),
                ..ConditionCheck::default()
            }),
            ..TransactWriteItem::default()
        };
        let outcome = self.send(vec![no_edge, self.put_stone(None)]).await?;
        Ok(match outcome {
            // An edge has come meanwhile.
            Outcome::Refused(reasons) if failed(&reasons, 0).is_some() => None,
            Outcome::Committed | Outcome::Refused(_) => Some(Unlinked::NotFound),
        })
    }
}
