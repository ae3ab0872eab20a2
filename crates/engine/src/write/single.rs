//! PutItem, UpdateItem, DeleteItem.

use super::check::{Manner, check_key, check_put};
use super::{Action, Applied, Outcome, Refusal, Write};
use crate::capacity::{Meter, Side};
use crate::engine::Inner;
use crate::error::Fault;
use crate::pending::Pending;
use bothways_core::Item;
use bothways_protocol::types::{
    ConsumedCapacity, DeleteItemInput, DeleteItemOutput, PutItemInput, PutItemOutput,
    ReturnConsumedCapacity, ReturnValue, ReturnValuesOnConditionCheckFailure, UpdateItemInput,
    UpdateItemOutput,
};
use bothways_protocol::validate;
use bothways_protocol::{Context, Error, Message, Response};

impl Inner {
    pub(crate) fn put_item(&self, cx: &Context, input: &PutItemInput) -> Result<Pending, Fault> {
        let plan = validate::put_item(input)?;
        let table = self.table(cx, input.table_name.as_deref())?;
        let write = Write {
            key: check_put(&table, plan.item, Manner::Put)?,
            table,
            given: plan.item,
            action: Action::Put,
            condition: plan.condition,
        };
        self.single(
            &write,
            input.return_values_on_condition_check_failure,
            |outcome| {
                Response::PutItem(Box::new(PutItemOutput {
                    consumed_capacity: consumed(&write, &outcome, input.return_consumed_capacity),
                    item_collection_metrics: self
                        .collection(&write, input.return_item_collection_metrics),
                    attributes: returned_old(outcome, input.return_values),
                }))
            },
        )
    }

    pub(crate) fn delete_item(
        &self,
        cx: &Context,
        input: &DeleteItemInput,
    ) -> Result<Pending, Fault> {
        let plan = validate::delete_item(input)?;
        let table = self.table(cx, input.table_name.as_deref())?;
        let write = Write {
            key: check_key(&table, plan.key)?,
            table,
            given: plan.key,
            action: Action::Delete,
            condition: plan.condition,
        };
        self.single(
            &write,
            input.return_values_on_condition_check_failure,
            |outcome| {
                Response::DeleteItem(Box::new(DeleteItemOutput {
                    consumed_capacity: consumed(&write, &outcome, input.return_consumed_capacity),
                    item_collection_metrics: self
                        .collection(&write, input.return_item_collection_metrics),
                    attributes: returned_old(outcome, input.return_values),
                }))
            },
        )
    }

    pub(crate) fn update_item(
        &self,
        cx: &Context,
        input: &UpdateItemInput,
    ) -> Result<Pending, Fault> {
        let plan = validate::update_item(input)?;
        let table = self.table(cx, input.table_name.as_deref())?;
        super::check::check_update(&table, plan.update.as_ref())?;
        let write = Write {
            key: check_key(&table, plan.key)?,
            table,
            given: plan.key,
            action: Action::Update(plan.update),
            condition: plan.condition,
        };
        self.single(
            &write,
            input.return_values_on_condition_check_failure,
            |outcome| {
                Response::UpdateItem(Box::new(UpdateItemOutput {
                    consumed_capacity: consumed(&write, &outcome, input.return_consumed_capacity),
                    item_collection_metrics: self
                        .collection(&write, input.return_item_collection_metrics),
                    attributes: returned(outcome, &write.action, input.return_values),
                }))
            },
        )
    }

    /// Applies one action and answers for it.
    fn single(
        &self,
        write: &Write<'_>,
        on_failure: Option<ReturnValuesOnConditionCheckFailure>,
        answer: impl FnOnce(Outcome) -> Response,
    ) -> Result<Pending, Fault> {
        let (applied, ticket) = self.apply(std::slice::from_ref(write))?;
        let answer = match applied {
            Applied::Done(outcomes) => {
                let mut outcomes = outcomes.into_iter();
                outcomes.next().map(answer).ok_or(Fault::Dangling)
            }
            Applied::Refused(refusals) => Err(refused(refusals.into_iter().flatten(), on_failure)),
        };
        Ok(Pending::after(ticket, answer))
    }
}

/// The error of a single action's refusal.
fn refused(
    mut refusals: impl Iterator<Item = Refusal>,
    on_failure: Option<ReturnValuesOnConditionCheckFailure>,
) -> Fault {
    match refusals.next() {
        Some(Refusal::Invalid(fault)) => fault,
        Some(Refusal::Condition(item)) => {
            let wanted = on_failure == Some(ReturnValuesOnConditionCheckFailure::AllOld);
            let mut error = Error::from(Message::ConditionFailed);
            error.item = item.filter(|_| wanted);
            error.into()
        }
        None => Message::ConditionFailed.into(),
    }
}

fn consumed(
    write: &Write<'_>,
    outcome: &Outcome,
    wanted: Option<ReturnConsumedCapacity>,
) -> Option<ConsumedCapacity> {
    wanted.filter(|w| *w != ReturnConsumedCapacity::None)?;
    let mut meter = Meter::new(Side::Plain);
    outcome.charge(&mut meter, 1);
    meter.report(&write.table, wanted)
}

fn returned_old(outcome: Outcome, wanted: Option<ReturnValue>) -> Option<Item> {
    match wanted {
        Some(ReturnValue::AllOld) => outcome.before,
        _ => None,
    }
}

/// What UpdateItem returns. Where the wanted side or the updated attributes are absent, so is the member.
fn returned(outcome: Outcome, action: &Action<'_>, wanted: Option<ReturnValue>) -> Option<Item> {
    let touched = |item: Item| match action {
        Action::Update(Some(update)) => Some(update.touched(&item)).filter(|part| !part.is_empty()),
        _ => None,
    };
    match wanted {
        Some(ReturnValue::AllOld) => outcome.before,
        Some(ReturnValue::AllNew) => outcome.after,
        Some(ReturnValue::UpdatedOld) => outcome.before.and_then(touched),
        Some(ReturnValue::UpdatedNew) => outcome.after.and_then(touched),
        Some(ReturnValue::None) | None => None,
    }
}
