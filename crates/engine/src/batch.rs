//! BatchGetItem and BatchWriteItem.

use crate::capacity::{Meters, ReadMode, Side};
use crate::catalog::Table;
use crate::engine::Inner;
use crate::error::Fault;
use crate::insights::Heat;
use crate::pending::Pending;
use crate::write::{Action, Applied, Manner, Refusal, Write, check_key, check_put};
use bothways_core::{Item, limits};
use bothways_protocol::types::{
    BatchGetItemInput, BatchGetItemOutput, BatchWriteItemInput, BatchWriteItemOutput,
    KeysAndAttributes,
};
use bothways_protocol::validate;
use bothways_protocol::{Context, Message, Response};
use bytes::Bytes;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most keys of a BatchWriteItem, and usual ones of a BatchGetItem.
const USUAL_KEYS: usize = 25;

impl Inner {
    /// Reads every key in one snapshot. Keys beyond 16 MB of items come back unprocessed.
    pub(crate) fn batch_get_item(
        &self,
        cx: &Context,
        input: &BatchGetItemInput,
    ) -> Result<Pending, Fault> {
        let plan = validate::batch_get_item(input)?;
        let mut located = Vec::with_capacity(plan.len());
        for request in &plan {
            let table = self.table(cx, Some(request.table_name))?;
            let keys = request.keys.iter().map(|key| check_key(&table, key));
            let keys = keys.collect::<Result<Vec<Bytes>, Fault>>()?;
            if has_duplicates(keys.iter()) {
                return Err(Message::DuplicateKeys.into());
            }
            located.push((table, keys));
        }
        let snapshot = self.store.snapshot()?;
        let mut meters = Meters::new(Side::Plain);
        let (mut responses, mut unprocessed) = (BTreeMap::new(), BTreeMap::new());
        let mut room = limits::BATCH_BYTES;
        for (request, (table, keys)) in plan.iter().zip(&located) {
            let mode = ReadMode::of(request.given.consistent_read);
            let mut items = Vec::new();
            let mut read = 0;
            for (key, given) in keys.iter().zip(&request.keys) {
                let item = snapshot.get(key)?.map(Item::from_bytes).transpose()?;
                let size = item.as_ref().map_or(0, Item::size);
                let Some(left) = room.checked_sub(size) else {
                    // Whatever comes after does not fit either: the rest is one piece.
                    room = 0;
                    break;
                };
                room = left;
                read += 1;
                table.count_read(given, Heat::reading(mode.units(size)));
                meters.of(table).charge_table(mode.units(size));
                items.extend(item.map(|item| match &request.projection {
                    Some(projection) => projection.apply(&item),
                    None => item,
                }));
            }
            if read < keys.len() {
                let rest = rest_of(request.given, read);
                unprocessed.insert(request.table_name.to_owned(), rest);
            }
            responses.insert(request.table_name.to_owned(), items);
        }
        let output = BatchGetItemOutput {
            responses: Some(responses),
            unprocessed_keys: Some(unprocessed),
            consumed_capacity: meters.report(input.return_consumed_capacity),
        };
        Ok(Pending::ready(Response::BatchGetItem(Box::new(output))))
    }

    /// Checks the whole batch, then applies it in one commit: stronger than AWS, where each write is its own.
    pub(crate) fn batch_write_item(
        &self,
        cx: &Context,
        input: &BatchWriteItemInput,
    ) -> Result<Pending, Fault> {
        let plan = validate::batch_write_item(input)?;
        let mut writes = Vec::new();
        for request in &plan {
            let table = self.table(cx, Some(request.table_name))?;
            for write in &request.writes {
                writes.push(batch_write(&table, write)?);
            }
        }
        if has_duplicates(writes.iter().map(|write| &write.key)) {
            return Err(Message::DuplicateKeys.into());
        }
        let (applied, ticket) = self.apply(&writes)?;
        let outcomes = match applied {
            Applied::Done(outcomes) => outcomes,
            Applied::Refused(refusals) => {
                let answer = Err(first_fault(refusals));
                return Ok(Pending::after(ticket, answer));
            }
        };
        let mut meters = Meters::new(Side::Plain);
        for (write, outcome) in writes.iter().zip(&outcomes) {
            outcome.charge(meters.of(&write.table), 1);
        }
        let output = BatchWriteItemOutput {
            unprocessed_items: Some(BTreeMap::new()),
            item_collection_metrics: self
                .collections_of(&writes, input.return_item_collection_metrics),
            consumed_capacity: meters.report(input.return_consumed_capacity),
        };
        Ok(Pending::after(
            ticket,
            Ok(Response::BatchWriteItem(Box::new(output))),
        ))
    }
}

fn batch_write<'a>(
    table: &Arc<Table>,
    request: &validate::BatchWrite<'a>,
) -> Result<Write<'a>, Fault> {
    let (given, action, key) = match *request {
        validate::BatchWrite::Put(item) => {
            (item, Action::Put, check_put(table, item, Manner::Batch)?)
        }
        validate::BatchWrite::Delete(key) => (key, Action::Delete, check_key(table, key)?),
    };
    Ok(Write {
        table: Arc::clone(table),
        key,
        given,
        action,
        condition: None,
    })
}

/// The keys from `position` on, with everything that was said about them.
fn rest_of(given: &KeysAndAttributes, position: usize) -> KeysAndAttributes {
    let mut rest = given.clone();
    if let Some(keys) = &mut rest.keys {
        keys.drain(..position.min(keys.len()));
    }
    rest
}

fn has_duplicates<'a>(keys: impl Iterator<Item = &'a Bytes>) -> bool {
    let mut keys: SmallVec<[&Bytes; USUAL_KEYS]> = keys.collect();
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}

/// Writes of a batch have no conditions, so what refuses one is a fault of the request.
fn first_fault(refusals: Vec<Option<Refusal>>) -> Fault {
    let fault = refusals
        .into_iter()
        .flatten()
        .find_map(|refusal| match refusal {
            Refusal::Invalid(fault) => Some(fault),
            Refusal::Condition(_) => None,
        });
    fault.unwrap_or_else(|| Message::ConditionFailed.into())
}
