//! Linking: an edge and its counters in one transaction.

use super::{Edge, EdgeOptions, Linked, Op, Subject, failed, no_option};
use crate::changes::Changes;
use crate::ends::{self, Ends, Move};
use crate::error::Result;
use crate::graph::Graph;
use crate::link::{self, EdgeItems};
use crate::model::Removal;
use crate::receipt::{Done, Receipt};
use crate::requests;
use crate::send::{Attempts, Outcome};
use crate::tombstone::{self, Stone};
use bothways_core::Item;
use bothways_protocol as protocol;
use bothways_protocol::types::TransactWriteItem;
use bothways_protocol::{Context, ErrorKind};

/// What an attempt to make an edge ended in.
pub(super) enum Made {
    Created(Edge),
    /// An edge is there.
    There(Item),
    Outdated {
        removed_at: u64,
    },
}

impl Graph {
    /// Links two entities: the edge and both counters in one transaction. Linking again changes nothing.
    ///
    /// # Errors
    /// Ids and attributes that cannot be; [`Error::MissingEntity`], [`Error::Closed`], [`Error::Loop`]; and when the time
    /// is up [`Error::Unknown`] or [`Error::Contended`].
    ///
    /// [`Error::MissingEntity`]: crate::Error::MissingEntity
    /// [`Error::Closed`]: crate::Error::Closed
    /// [`Error::Loop`]: crate::Error::Loop
    /// [`Error::Unknown`]: crate::Error::Unknown
    /// [`Error::Contended`]: crate::Error::Contended
    pub async fn link(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
        attributes: &Changes,
    ) -> Result<Done<Linked>> {
        let options = EdgeOptions::default();
        self.create(cx, relation, source, target, attributes, &options)
            .await
    }

    /// Links under an operation id or at a position of the caller's. At a position, the edge's times by default and its
    /// place in lists by time are that position. An edge that is there is left as it is, whatever its position: [`Graph::upsert`]
    /// replaces it. Repeated under its id, it reports `Created` again.
    ///
    /// # Errors
    /// As [`Graph::link`]; options that cannot be.
    pub async fn create(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
        attributes: &Changes,
        options: &EdgeOptions,
    ) -> Result<Done<Linked>> {
        let given = options.if_version.is_some();
        no_option(given, "version", "has no meaning for an edge that is made")?;
        let subject = self.subject(relation, source, target)?;
        self.may_change_edge(subject.relation, attributes)?;
        let mut op = Op::new(self, options)?;
        let mut attempts = Attempts::new(&*self.env, cx);
        let mut receipts = Vec::new();
        let made = self
            .make(
                cx,
                &subject,
                attributes,
                &mut op,
                &mut attempts,
                &mut receipts,
            )
            .await?;
        let linked = match made {
            Made::Created(edge) => Linked::Created(edge),
            Made::Outdated { removed_at } => Linked::Outdated { removed_at },
            Made::There(item) => {
                let existing = self.read_back(subject.relation, &item)?;
                let own = existing.op_id.as_deref() == Some(&op.id);
                note(&mut receipts, || {
                    if own {
                        "made by this operation before".into()
                    } else {
                        format!(
                            "settled by attribute_not_exists({}) · counters unmoved",
                            self.model.keys.pk
                        )
                    }
                });
                if own {
                    Linked::Created(existing)
                } else {
                    Linked::Unchanged { existing }
                }
            }
        };
        Ok(Done::new(linked, receipts))
    }

    /// The actions that make an edge: the edge, and its tombstone away where the relation has any. The ends come behind.
    pub(super) fn making(
        &self,
        subject: &Subject<'_>,
        at: u64,
        item: Item,
    ) -> Vec<TransactWriteItem> {
        let model = &*self.model;
        let mut actions = vec![link::put_edge(model, item)];
        if subject.relation.removal != Removal::Hard {
            let Subject {
                relation,
                source,
                target,
                ..
            } = subject;
            actions.push(tombstone::clear(model, relation, source, target, at));
        }
        actions
    }

    /// Makes an edge unless it is there. Without a position of the caller's, this is a new wish: where nothing of it can have
    /// been done before, it goes behind a removal that stands.
    pub(super) async fn make(
        &self,
        cx: &Context,
        subject: &Subject<'_>,
        attributes: &Changes,
        op: &mut Op,
        attempts: &mut Attempts<'_>,
        receipts: &mut Vec<Receipt>,
    ) -> Result<Made> {
        let model = &*self.model;
        let relation = subject.relation;
        requests::may_loop(relation, subject.source, subject.target)?;
        loop {
            let (source, target) = (subject.source, subject.target);
            let route = self
                .route(cx, relation, source, target, attempts, receipts)
                .await?;
            let items = EdgeItems::at(model, relation, op.at, op.placed)?;
            let (key, part) = (&subject.key, route.part());
            let item = items.item_in(part, key, source, target, attributes, &op.id);
            let mut actions = self.making(subject, op.at, item.clone());
            let before_ends = actions.len();
            let mut ends = Ends::new(model);
            ends.add(relation, source, target, Move::Link, route)?;
            // Reasons come by action: remember which end each action is about.
            let acting = ends.act(&mut actions);
            let input = requests::transaction(actions, &op.token);
            receipts.push(self.writing(&input));
            let Some(receipt) = receipts.last_mut() else {
                continue;
            };
            let outcome = self
                .transact_in(attempts, cx, &input, &op.id, receipt)
                .await;
            let (hot, now) = (attempts.throttled_key(), self.env.epoch_millis());
            self.heat.note(relation, target, hot, now);
            let reasons = match outcome? {
                Outcome::Committed => return self.read_back(relation, &item).map(Made::Created),
                Outcome::Refused(reasons) => reasons,
            };
            if let Some(reason) = failed(&reasons, 0) {
                let sent = reason.item.clone();
                if let Some(item) = self.refused_item(cx, &subject.key, sent, receipts).await? {
                    return Ok(Made::There(item));
                }
            } else if let Some(reason) = failed(&reasons, 1).filter(|_| before_ends == 2) {
                let key = tombstone::key(relation, source, target);
                let sent = reason.item.clone();
                if let Some(stone) = self.refused_item(cx, &key, sent, receipts).await? {
                    let removed_at = Stone::read(&stone).at;
                    if op.placed || attempts.ambiguous() {
                        return Ok(Made::Outdated { removed_at });
                    }
                    op.at = op.at.max(removed_at.saturating_add(1));
                }
            } else if !self
                .misrouted_ends(cx, &acting, &reasons, before_ends, receipts)
                .await?
            {
                let mut of_ends = acting.iter().enumerate();
                let refusing =
                    of_ends.find_map(|(i, end)| Some((failed(&reasons, before_ends + i)?, end)));
                return Err(match refusing {
                    Some((reason, end)) => ends::refusal(model, reason, end),
                    None => protocol::Error::new(
                        ErrorKind::TransactionCanceled,
                        "the transaction was refused and no action says why",
                    )
                    .into(),
                });
            }
            op.again(self)?;
        }
    }
}

/// Notes something on the last write of an operation.
pub(super) fn note(receipts: &mut [Receipt], text: impl FnOnce() -> String) {
    if let Some(receipt) = receipts.iter_mut().rev().find(|r| !r.is_read()) {
        receipt.note = Some(text());
    }
}
