//! Jobs as items.

use super::{Budget, Fields, Job, JobKind, JobState, Lease};
use crate::model::{KeyNames, Model};
use crate::read;
use crate::requests::Key;
use bothways_core::{Item, ItemBuilder, Number, Value, ValueRef};
use bothways_protocol::types::{QueryInput, ReturnConsumedCapacity};
use std::collections::BTreeMap;

/// Partition of all jobs of a table: few, and listed by one `Query`.
const PARTITION: &str = "BOTHWAYS#JOBS";

/// Key of a job's item.
pub(crate) fn job_key(id: &str) -> Key {
    Key {
        pk: PARTITION.into(),
        sk: id.to_owned(),
    }
}

/// The item of a job that is only imagined; `None` for a key that is no job's.
pub(crate) fn imagined_job(key: &Key, names: &KeyNames) -> Option<Item> {
    if key.pk != PARTITION {
        return None;
    }
    let job = Job {
        id: key.sk.clone(),
        kind: JobKind::Verify,
        state: JobState::Open,
        phase: "scan".to_owned(),
        about: "the table".to_owned(),
        progress: Vec::new(),
        created_at: 0,
        updated_at: 0,
        lease: None,
        fence: 0,
        budget: Budget::default(),
        cancellable: true,
        failure: None,
        spec: Fields::default(),
        place: Fields::default(),
    };
    Some(job.write(names))
}

/// One page of all jobs.
pub(super) fn all(model: &Model, start: Option<Item>) -> QueryInput {
    QueryInput {
        table_name: Some(model.table.clone()),
        consistent_read: Some(true),
        key_condition_expression: Some("#pk = :pk".into()),
        expression_attribute_names: Some(BTreeMap::from([("#pk".into(), model.keys.pk.clone())])),
        expression_attribute_values: Some(
            BTreeMap::from([(":pk".to_owned(), Value::from(PARTITION))]).into(),
        ),
        exclusive_start_key: start.map(Item::into),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..QueryInput::default()
    }
}

fn number(item: &Item, name: &str) -> Option<u64> {
    match item.get(name) {
        Some(ValueRef::N(number)) => u64::try_from(number.to_i64()?).ok(),
        _ => None,
    }
}

fn fields(item: &Item, name: &str) -> Fields {
    Fields::of(item.get(name).map(ValueRef::to_value))
}

impl Job {
    /// A job from its item; `None` for an item that is none, or of a kind that this program does not know.
    pub(super) fn read(item: &Item, names: &KeyNames) -> Option<Self> {
        let holder = read::text(item, "lease").map(str::to_owned);
        let until = number(item, "leaseUntil").unwrap_or(0);
        let budget = |name| number(item, name).and_then(|units| u32::try_from(units).ok());
        Some(Self {
            id: read::text(item, &names.sk)?.to_owned(),
            kind: JobKind::of_word(read::text(item, "kind")?)?,
            state: JobState::of_word(read::text(item, "state")?)?,
            phase: read::text(item, "phase")?.to_owned(),
            about: read::text(item, "about").unwrap_or_default().to_owned(),
            progress: fields(item, "progress").numbers().collect(),
            created_at: number(item, "createdAt").unwrap_or(0),
            updated_at: number(item, "updatedAt").unwrap_or(0),
            lease: holder.map(|holder| Lease { holder, until }),
            fence: number(item, "fence").unwrap_or(0),
            budget: Budget {
                write: budget("writeUnits"),
                read: budget("readUnits"),
            },
            cancellable: item.get("cancellable") == Some(ValueRef::Bool(true)),
            failure: read::text(item, "failure").map(str::to_owned),
            spec: fields(item, "spec"),
            place: fields(item, "place"),
        })
    }

    /// The item of a job that is new.
    pub(super) fn write(&self, names: &KeyNames) -> Item {
        let mut item = ItemBuilder::default();
        job_key(&self.id).set_on(names, &mut item);
        for (name, text) in [
            ("kind", self.kind.as_str()),
            ("state", self.state.as_str()),
            ("phase", &self.phase),
            ("about", &self.about),
        ] {
            item.set(name, ValueRef::S(text));
        }
        let budget = [
            ("writeUnits", self.budget.write),
            ("readUnits", self.budget.read),
        ];
        let budget = budget
            .into_iter()
            .filter_map(|(name, units)| Some((name, u64::from(units?))));
        let times = [
            ("createdAt", self.created_at),
            ("updatedAt", self.updated_at),
        ];
        for (name, number) in times
            .into_iter()
            .chain([("fence", self.fence)])
            .chain(budget)
        {
            item.set(name, ValueRef::N(Number::from(number)));
        }
        item.set("cancellable", ValueRef::Bool(self.cancellable));
        for (name, fields) in [("spec", &self.spec), ("place", &self.place)] {
            item.set(name, fields.value().as_ref());
        }
        item.set("progress", self.progress_fields().value().as_ref());
        item.build()
    }

    pub(super) fn progress_fields(&self) -> Fields {
        let mut fields = Fields::default();
        for (name, count) in &self.progress {
            fields.set_number(name, *count);
        }
        fields
    }
}
