//! Changing an edge's attributes.

use super::create::note;
use super::{EdgeOptions, Op, Set, Subject, no_option, unknown};
use crate::changes::Changes;
use crate::error::Result;
use crate::graph::Graph;
use crate::guard::Guard;
use crate::receipt::{Done, Receipt};
use crate::requests;
use crate::send::Attempts;
use bothways_core::{Item, ValueRef};
use bothways_protocol::types::{
    ReturnConsumedCapacity, ReturnValue, ReturnValuesOnConditionCheckFailure, UpdateItemInput,
};
use bothways_protocol::{Context, DynamoDbExt, Operation};

/// What one `UpdateItem` on an edge ended in.
pub(super) enum Edited {
    /// Done; the item before.
    Done(Item),
    /// Its condition did not hold; the item that is there.
    Refused(Option<Item>),
}

impl Graph {
    /// Changes attributes of an edge that exists: one `UpdateItem`. Its version counts up where something changes.
    ///
    /// # Errors
    /// Attributes that are keys, counters or fixed by the model; what the database refuses.
    pub async fn set(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
        changes: &Changes,
    ) -> Result<Done<Set>> {
        let options = EdgeOptions::default();
        self.update(cx, relation, source, target, changes, &options)
            .await
    }

    /// Changes attributes of an edge of a version, or under an operation id of the caller's.
    ///
    /// Sent again after a lost answer, the change is found by its operation id. If the edge was changed by others since, it
    /// is made again; where a version was asked for, that is an [`Error::Unknown`].
    ///
    /// # Errors
    /// As [`Graph::set`]; a position: parts of edges have no order of their own, [`Graph::upsert`] writes whole ones.
    ///
    /// [`Error::Unknown`]: crate::Error::Unknown
    pub async fn update(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
        changes: &Changes,
        options: &EdgeOptions,
    ) -> Result<Done<Set>> {
        let why = "orders whole edges: upsert writes them";
        no_option(options.position.is_some(), "position", why)?;
        let subject = self.subject(relation, source, target)?;
        self.may_change_edge(subject.relation, changes)?;
        let mut op = Op::new(self, options)?;
        let mut receipts = Vec::new();
        if changes.is_empty() {
            let (item, receipt) = self.get_item(cx, &subject.key, true).await?;
            let set = item.map_or(Set::NotFound, |_| Set::Unchanged);
            return Ok(Done::new(set, vec![receipt]));
        }
        let mut attempts = Attempts::new(&*self.env, cx);
        let set = loop {
            let mut guard = Guard::exists(&self.model);
            if let Some(version) = options.if_version {
                guard = guard.version(version);
            }
            let guard = guard.differs(changes).change(changes).edit(&op.id);
            let edited = self
                .edit(cx, &subject, guard, &op.id, &mut attempts, &mut receipts)
                .await?;
            let item = match edited {
                Edited::Done(before) => break Set::Updated(changed(&before, changes)),
                Edited::Refused(None) => break Set::NotFound,
                Edited::Refused(Some(item)) => item,
            };
            let existing = self.read_back(subject.relation, &item)?;
            let version = existing.version.unwrap_or(1);
            if existing.edited_by.as_deref() == Some(&op.id) {
                note(&mut receipts, || "made by this operation before".into());
                break Set::Updated(Vec::new());
            }
            if options.if_version.is_some_and(|asked| asked != version) {
                if attempts.ambiguous() {
                    return Err(unknown(&op.id));
                }
                break Set::Kept { existing };
            }
            if changed(&item, changes).is_empty() {
                break Set::Unchanged;
            }
            // It has come since the refusal.
            op.again(self)?;
        };
        Ok(Done::new(set, receipts))
    }

    /// One `UpdateItem` on an edge, sent until it is decided.
    pub(super) async fn edit(
        &self,
        cx: &Context,
        subject: &Subject<'_>,
        guard: Guard,
        op_id: &str,
        attempts: &mut Attempts<'_>,
        receipts: &mut Vec<Receipt>,
    ) -> Result<Edited> {
        let keys = &self.model.keys;
        let key = subject.key.item(keys);
        let mut receipt = Receipt::new(Operation::UpdateItem, &self.model.table);
        receipt.key = Some(requests::key_words(&key, keys));
        let (update_expression, condition_expression) = (guard.update(), guard.condition());
        let (names, values) = guard.placeholders();
        let input = UpdateItemInput {
            table_name: Some(self.model.table.clone()),
            key: Some(key.into()),
            update_expression,
            condition_expression,
            expression_attribute_names: Some(names),
            expression_attribute_values: values,
            return_values: Some(ReturnValue::AllOld),
            return_values_on_condition_check_failure: Some(
                ReturnValuesOnConditionCheckFailure::AllOld,
            ),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            ..UpdateItemInput::default()
        };
        let send = || self.db.update_item(cx, input.clone());
        let decided = self.decide_in(attempts, op_id, &mut receipt, send).await?;
        match decided {
            Ok(output) => {
                receipt.consumed(output.consumed_capacity.as_ref());
                receipts.push(receipt);
                Ok(Edited::Done(output.attributes.unwrap_or_default()))
            }
            Err(refused) => {
                receipts.push(receipt);
                let there = self
                    .refused_item(cx, &subject.key, refused.item, receipts)
                    .await?;
                Ok(Edited::Refused(there))
            }
        }
    }
}

/// Which changes made a difference.
pub(super) fn changed(
    old: &Item,
    changes: &Changes,
) -> Vec<(
    String,
    Option<bothways_core::Value>,
    Option<bothways_core::Value>,
)> {
    let mut updated = Vec::new();
    for (name, new) in changes.iter() {
        let before = old.get(name).map(ValueRef::to_value);
        if before.as_ref() != new {
            updated.push((name.to_owned(), before, new.cloned()));
        }
    }
    updated
}
