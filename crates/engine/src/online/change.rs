//! What UpdateTable asks for: an index to make, one to drop, throughput.

use crate::catalog::record::{Billing, IndexRecord, Phase, TableRecord};
use crate::catalog::{self, describe, global, units};
use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::Meta;
use crate::pending::Pending;
use crate::settings::updated;
use crate::throughput;
use crate::vectors;
use bothways_core::limits;
use bothways_protocol::types::{
    CreateGlobalSecondaryIndexAction, GlobalSecondaryIndex, GlobalSecondaryIndexUpdate,
    TableStatus, UpdateGlobalSecondaryIndexAction, UpdateTableInput, UpdateTableOutput,
};
use bothways_protocol::validate;
use bothways_protocol::{Context, Message, Response};
use std::sync::Arc;

fn updates(input: &UpdateTableInput) -> &[GlobalSecondaryIndexUpdate] {
    input
        .global_secondary_index_updates
        .as_deref()
        .unwrap_or_default()
}

/// Whether the request makes or drops an index.
pub(crate) fn changes_indexes(input: &UpdateTableInput) -> bool {
    let online = |u: &GlobalSecondaryIndexUpdate| u.create.is_some() || u.delete.is_some();
    let vectors = input.vector_index_updates.as_deref();
    updates(input).iter().any(online) || vectors.is_some_and(|updates| !updates.is_empty())
}

impl Inner {
    /// Makes or drops an index, and switches what may be switched along. The background does the rest.
    pub(crate) fn change_indexes(
        &self,
        cx: &Context,
        input: &UpdateTableInput,
    ) -> Result<Pending, Fault> {
        let mut turn = self.catalog.change();
        let table = self.changeable_table(cx, input.table_name.as_deref())?;
        let mut record = table.record.clone();
        let now = self.options.clock.now_millis();
        updated(&mut record, input, now)?;
        let new_id = turn.next_id();
        let next_id = new_id.checked_add(1).ok_or(Fault::IdsExhausted)?;
        let id = changed(&mut record, &table.name, input, new_id)?;
        let next = table.with_settings(record).ok_or(Message::KeyUndefined)?;
        let (key, value) = catalog::row(&next)?;
        let next = Arc::new(next);
        let held = self.stripes.lock_all();
        let held = held.ok_or_else(|| Message::TableBeingUpdated {
            name: table.name.clone(),
        })?;
        let mut made_at = 0;
        let ticket = self.store.submit(&mut |seq, batch| {
            batch.put(key.clone(), value.clone());
            batch.put(Meta::NextId.key(), next_id.to_be_bytes().to_vec());
            batch.put(Meta::IndexJob.key_of(id), Vec::new());
            // The totals' row names the new index from the start, so that nobody has to count.
            self.ledger.touch(&next);
            made_at = seq;
        })?;
        turn.ids_taken(next_id);
        turn.publish(Arc::clone(&next));
        drop(held);
        self.sweep.wake(made_at);
        let output = UpdateTableOutput {
            table_description: Some(describe(&next, TableStatus::Updating, now)),
        };
        let answer = Response::UpdateTable(Box::new(output));
        Ok(Pending::after(ticket, Ok(answer)))
    }
}

/// Notes the change of an index in the table's record; the id of that index.
fn changed(
    record: &mut TableRecord,
    table: &str,
    input: &UpdateTableInput,
    new_id: u32,
) -> Result<u32, Fault> {
    for update in updates(input) {
        if let Some(create) = &update.create {
            added(record, input, create, new_id)?;
            return Ok(new_id);
        }
        if let Some(delete) = &update.delete {
            return dropped(
                record,
                table,
                delete.index_name.as_deref().unwrap_or_default(),
            );
        }
    }
    for update in input.vector_index_updates.iter().flatten() {
        if let Some(create) = &update.create {
            vectors::added(record, input, create, new_id)?;
            return Ok(new_id);
        }
        if let Some(delete) = &update.delete {
            let name = delete.index_name.as_deref().unwrap_or_default();
            return dropped(record, table, name);
        }
    }
    // Only called for a request that makes or drops one.
    Err(Message::IndexUpdateEmpty.into())
}

/// In AWS's order: that the index exists counts before its schema is looked at.
/// Source: ack-api-quirks, services/dynamodb DDB-TABLE-159, -162, -169.
fn added(
    record: &mut TableRecord,
    input: &UpdateTableInput,
    create: &CreateGlobalSecondaryIndexAction,
    id: u32,
) -> Result<(), Message> {
    if record.indexes.iter().any(|index| index.phase.is_some()) {
        return Err(Message::UpdateTableOneIndex);
    }
    let name = create.index_name.as_deref().unwrap_or_default();
    if record.indexes.iter().any(|index| index.name == name) {
        return Err(Message::IndexExists);
    }
    validate::index_creation(input, create)?;
    if record
        .indexes
        .iter()
        .filter(|index| index.is_global())
        .count()
        >= limits::GLOBAL_INDEXES
    {
        return Err(Message::IndexTooMany);
    }
    let throughput = create.provisioned_throughput.as_ref().map(units);
    match (&record.billing, throughput) {
        (Billing::Provisioned(..), None) => {
            return Err(Message::IndexThroughputMissing { name: name.into() });
        }
        (Billing::OnDemand(_), Some(_)) => {
            return Err(Message::IndexThroughputForbidden { name: name.into() });
        }
        _ => {}
    }
    define(record, input, create)?;
    let on_demand = record.is_on_demand();
    validate::throughput::ceilings(create.on_demand_throughput.as_ref(), on_demand, Some(name))?;
    let provisioned = create.provisioned_throughput.as_ref();
    validate::throughput::warm(create.warm_throughput.as_ref(), provisioned, Some(name))?;
    let mut new = global(id, &as_created(create), on_demand);
    new.phase = Some(Phase::Creating);
    record.indexes.push(new);
    Ok(())
}

/// The same as CreateTable has it.
fn as_created(create: &CreateGlobalSecondaryIndexAction) -> GlobalSecondaryIndex {
    GlobalSecondaryIndex {
        index_name: create.index_name.clone(),
        key_schema: create.key_schema.clone(),
        projection: create.projection.clone(),
        provisioned_throughput: create.provisioned_throughput.clone(),
        on_demand_throughput: create.on_demand_throughput.clone(),
        warm_throughput: create.warm_throughput.clone(),
    }
}

/// Adds the definitions that the new key needs. What else the request defines is ignored, as on AWS.
fn define(
    record: &mut TableRecord,
    input: &UpdateTableInput,
    create: &CreateGlobalSecondaryIndexAction,
) -> Result<(), Message> {
    for element in create.key_schema.iter().flatten() {
        let mut definitions = input.attribute_definitions.iter().flatten();
        let found = definitions.find(|d| d.attribute_name == element.attribute_name);
        let Some((name, scalar)) =
            found.and_then(|d| Some((d.attribute_name.clone()?, d.attribute_type?)))
        else {
            continue;
        };
        let known = record.attributes.iter().find(|(known, _)| *known == name);
        match known {
            None => record.attributes.push((name, scalar.as_str().to_owned())),
            Some((_, was)) if was == scalar.as_str() => {}
            Some((_, was)) => {
                return Err(Message::AttributeRedefined {
                    was: was.clone(),
                    was_key: role(record, &name),
                    is: scalar.as_str().to_owned(),
                    is_key: element.key_type.map_or("HASH", |role| role.as_str()),
                    name,
                });
            }
        }
    }
    Ok(())
}

/// What an attribute is in the first key that has it.
fn role(record: &TableRecord, name: &str) -> &'static str {
    let indexes = record.indexes.iter().map(|index| &index.key);
    let mut keys = std::iter::once(&record.key).chain(indexes);
    let found = keys.find_map(|key| {
        let is = |names: &[String]| names.iter().any(|own| own == name);
        (is(&key.hash) || is(&key.range)).then(|| is(&key.hash))
    });
    if found == Some(false) {
        "RANGE"
    } else {
        "HASH"
    }
}

/// Marks an index as being dropped. Source: ack-api-quirks, services/dynamodb DDB-TABLE-137, -149, -159, -161.
fn dropped(record: &mut TableRecord, table: &str, name: &str) -> Result<u32, Fault> {
    let busy = |index: &IndexRecord| index.phase.is_some() && index.name != name;
    let other = record.indexes.iter().any(busy);
    let (table, name) = (table.to_owned(), name.to_owned());
    let Some(index) = record.indexes.iter_mut().find(|index| index.name == name) else {
        return Err(Message::IndexOfTableNotFound { name, table }.into());
    };
    if index.local {
        return Err(Message::IndexDropLocal { name }.into());
    }
    match index.phase {
        Some(Phase::Creating) => Err(Message::IndexAllocating { table, name }.into()),
        Some(Phase::Deleting) => Err(Message::IndexBeingDeleted { table, name }.into()),
        _ if other => Err(Message::UpdateTableOneIndex.into()),
        Some(Phase::Backfilling) | None => {
            index.phase = Some(Phase::Deleting);
            Ok(index.id)
        }
    }
}

/// Gives indexes the throughput asked for, and holds it against how the table `was` billed and is from now on.
/// Source: ack-api-quirks, services/dynamodb DDB-TABLE-152, -161, -164, -375, -376.
pub(crate) fn update_throughputs(
    record: &mut TableRecord,
    was: &Billing,
    input: &UpdateTableInput,
    now: u64,
) -> Result<(), Message> {
    let table = validate::table_name(input.table_name.as_deref().unwrap_or_default());
    for update in updates(input) {
        if let Some(own) = &update.update {
            throughput_updated(record, table, own, now)?;
        }
        throughput::index_updated(record, update)?;
    }
    let deleting = |index: &&IndexRecord| index.phase == Some(Phase::Deleting);
    let names = record
        .indexes
        .iter()
        .filter(deleting)
        .map(|index| index.name.as_str());
    let names: Vec<&str> = names.collect();
    if !names.is_empty() && record.billing != *was {
        return Err(Message::ThroughputWhileDeleting {
            table: table.to_owned(),
            names: names.join(", "),
        });
    }
    let on_demand = record.is_on_demand();
    let warm: Vec<_> = record
        .indexes
        .iter()
        .map(|i| record.index_warm(i))
        .collect();
    for (index, warm) in record.indexes.iter_mut().zip(warm) {
        if index.local {
            continue;
        }
        if index.vector.is_some() {
            if !on_demand {
                return Err(Message::VectorOnDemandOnly);
            }
            continue;
        }
        index.warm = Some(warm);
        if !on_demand {
            index.on_demand = None;
        }
        match record.billing {
            Billing::OnDemand(_) => index.throughput = None,
            Billing::Provisioned(..) if index.throughput.is_none() => {
                return Err(Message::GsiThroughputRequired {
                    name: index.name.clone(),
                });
            }
            Billing::Provisioned(..) => {}
        }
    }
    Ok(())
}

fn throughput_updated(
    record: &mut TableRecord,
    table: &str,
    update: &UpdateGlobalSecondaryIndexAction,
    now: u64,
) -> Result<(), Message> {
    let name = update.index_name.clone().unwrap_or_default();
    let table = table.to_owned();
    let Some(index) = record.indexes.iter_mut().find(|index| index.name == name) else {
        return Err(Message::IndexOfTableNotFound { name, table });
    };
    if index.local {
        return Err(Message::IndexUpdateLocal { name });
    }
    match index.phase {
        Some(Phase::Deleting) => return Err(Message::IndexBeingDeleted { table, name }),
        Some(Phase::Creating | Phase::Backfilling) => {
            return Err(Message::IndexBeingCreated { table, name });
        }
        None => {}
    }
    let Some(wanted) = update.provisioned_throughput.as_ref().map(units) else {
        let says = update.on_demand_throughput.is_some() || update.warm_throughput.is_some();
        return if says || matches!(record.billing, Billing::Provisioned(..)) {
            Ok(())
        } else {
            Err(Message::IndexThroughputOnDemand { name })
        };
    };
    if matches!(record.billing, Billing::OnDemand(_)) {
        return Err(Message::IndexThroughputOnDemand { name });
    }
    if index.throughput == Some(wanted) {
        let (reads, writes) = wanted;
        return Err(Message::IndexThroughputUnchanged {
            name,
            reads,
            writes,
        });
    }
    if let Some(was) = index.throughput {
        index.history.note(was, wanted, now);
    }
    index.throughput = Some(wanted);
    Ok(())
}
