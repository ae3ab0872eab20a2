//! Archiving: an entity that reads hide until it is taken back. Its edges and counters stay.

use crate::env::operation_id;
use crate::error::Result;
use crate::graph::Graph;
use crate::read;
use crate::receipt::{Done, Receipt};
use crate::requests::{self, ARCHIVED};
use crate::send::Attempts;
use bothways_core::{Item, Number, Value};
use bothways_protocol::types::{
    ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure, UpdateItemInput,
};
use bothways_protocol::{Context, DynamoDbExt, Operation};
use std::collections::BTreeMap;

/// What archiving or taking back did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Archived {
    /// Done.
    Changed,
    /// It was so already.
    Unchanged,
    /// There is no such entity.
    NotFound,
}

impl Graph {
    /// Archives an entity: reads of it and of peers hide it, its edges and counters stay. One `UpdateItem`.
    ///
    /// An entity that is shown from an index is hidden there only where the index copies `archivedAt`.
    ///
    /// # Errors
    /// Ids that cannot be; what the database refuses.
    pub async fn archive(&self, cx: &Context, entity: &str, id: &str) -> Result<Done<Archived>> {
        self.set_archived(cx, entity, id, true).await
    }

    /// Takes an archived entity back. One `UpdateItem`.
    ///
    /// # Errors
    /// Ids that cannot be; what the database refuses.
    pub async fn unarchive(&self, cx: &Context, entity: &str, id: &str) -> Result<Done<Archived>> {
        self.set_archived(cx, entity, id, false).await
    }

    async fn set_archived(
        &self,
        cx: &Context,
        entity: &str,
        id: &str,
        archive: bool,
    ) -> Result<Done<Archived>> {
        let entity = self.entity(entity)?;
        let (model, names) = (&*self.model, &self.model.keys);
        let key = requests::entity_key(model, entity, id)?;
        let now = Value::N(Number::from(self.env.epoch_millis()));
        let (update, condition) = if archive {
            (
                "SET #a = :now",
                "attribute_exists(#pk) AND attribute_not_exists(#a)",
            )
        } else {
            (
                "REMOVE #a",
                "attribute_exists(#pk) AND attribute_exists(#a)",
            )
        };
        let placeholders = [("#pk", names.pk.as_str()), ("#a", ARCHIVED)];
        let placeholders = placeholders.map(|(name, attribute)| (name.into(), attribute.into()));
        let input = UpdateItemInput {
            table_name: Some(model.table.clone()),
            key: Some(key.item(names).into()),
            update_expression: Some(update.into()),
            condition_expression: Some(condition.into()),
            expression_attribute_names: Some(placeholders.into()),
            expression_attribute_values: archive
                .then(|| BTreeMap::from([(":now".to_owned(), now.clone())]).into()),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            return_values_on_condition_check_failure: Some(
                ReturnValuesOnConditionCheckFailure::AllOld,
            ),
            ..UpdateItemInput::default()
        };
        let mut receipt = Receipt::new(Operation::UpdateItem, &model.table);
        receipt.key = Some(requests::key_words(&key.item(names), names));
        let op_id = operation_id(&*self.env);
        let mut attempts = Attempts::new(&*self.env, cx);
        let send = || self.db.update_item(cx, input.clone());
        let refused = match self
            .decide_in(&mut attempts, &op_id, &mut receipt, send)
            .await?
        {
            Ok(output) => {
                receipt.consumed(output.consumed_capacity.as_ref());
                return Ok(Done::new(Archived::Changed, vec![receipt]));
            }
            Err(error) => error.item,
        };
        let mut receipts = vec![receipt];
        let there = if refused.is_some() {
            refused
        } else {
            let (item, read) = self.get_item(cx, &key, true).await?;
            receipts.push(read);
            item
        };
        let archived = match there {
            None => Archived::NotFound,
            // Of an answer that was lost: the moment is this one's, or what was there is gone.
            Some(item) if attempts.ambiguous() && (!archive || is_since(&item, &now)) => {
                Archived::Changed
            }
            Some(_) => Archived::Unchanged,
        };
        Ok(Done::new(archived, receipts))
    }
}

fn is_since(item: &Item, moment: &Value) -> bool {
    item.get(ARCHIVED)
        .is_some_and(|at| at.to_value() == *moment)
}

/// When an item was archived, in milliseconds since 1970.
pub(crate) fn archived_at(item: &Item) -> Option<u64> {
    item.get(ARCHIVED)?;
    Some(read::unsigned(item, ARCHIVED).unwrap_or(0))
}
