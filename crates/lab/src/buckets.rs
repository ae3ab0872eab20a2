//! Units that each partition key has left.

use crate::faults::KeyLimits;
use crate::replica::describe;
use crate::touched::Touch;
use bothways_core::{Item, Value, ValueRef};
use bothways_protocol::types::{
    GetItemInput, KeyRole, KeySchemaElement, ReturnConsumedCapacity, Units,
};
use bothways_protocol::{
    CancellationReason, Context, DynamoDb, DynamoDbExt, Error, ErrorKind, Message, Request,
    Response,
};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Bytes in one write unit.
const WRITE_UNIT: usize = 1024;
/// Keys whose level is remembered; beyond it those that are full again are let go.
const KEYS: usize = 1 << 16;

/// A partition key of a table or an index.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct HotKey {
    arn: Arc<str>,
    index: bool,
    write: bool,
    value: Vec<u8>,
}

/// Units, in halves, that a request takes of a key, and the action of a transaction that does.
pub(crate) struct Charge {
    key: HotKey,
    halves: u64,
    action: usize,
}

/// Where items of a table stand: the table, then its global indexes.
struct Places(Vec<Place>);

struct Place {
    index: Option<String>,
    arn: Arc<str>,
    hash: String,
    names: Vec<String>,
}

/// Token buckets by key.
#[derive(Default)]
pub(crate) struct Buckets {
    levels: Mutex<HashMap<HotKey, (i64, Duration)>>,
    places: Mutex<HashMap<String, Arc<Places>>>,
}

impl Buckets {
    /// What a write will take. Items that it changes are read first, for their size and index keys; that read is the
    /// lab's own and takes nothing.
    pub(crate) async fn charges(
        &self,
        cx: &Context,
        db: &dyn DynamoDb,
        touched: &[Touch],
        transaction: bool,
    ) -> Result<Vec<Charge>, Error> {
        let mut charges = Vec::new();
        for (action, touch) in touched.iter().enumerate() {
            let places = self.places(cx, db, &touch.table).await?;
            let before = places.item(cx, db, touch).await?;
            let after = if touch.whole {
                Some(&touch.key)
            } else {
                before.as_ref()
            };
            let size = before.iter().chain(after).map(Item::size).max();
            let units = u64::try_from(size.unwrap_or(0).div_ceil(WRITE_UNIT).max(1)).unwrap_or(1);
            let mut keys = places.of(after.unwrap_or(&touch.key));
            for key in before.iter().flat_map(|item| places.of(item)) {
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
            for key in keys {
                // Of a transaction only the table's part counts twice: measured of AWS.
                let doubled = transaction && !key.index;
                let halves = units * if doubled { 4 } else { 2 };
                charges.push(Charge {
                    key,
                    halves,
                    action,
                });
            }
        }
        Ok(charges)
    }

    /// The key that a read is about, where it is about one.
    pub(crate) async fn read_key(
        &self,
        cx: &Context,
        db: &dyn DynamoDb,
        request: &Request,
    ) -> Result<Option<HotKey>, Error> {
        let (table, index) = match request {
            Request::GetItem(input) => (input.table_name.as_deref(), None),
            Request::Query(input) => (input.table_name.as_deref(), input.index_name.as_deref()),
            _ => return Ok(None),
        };
        let places = self.places(cx, db, table.unwrap_or_default()).await?;
        let Some(place) = places.0.iter().find(|p| p.index.as_deref() == index) else {
            return Ok(None);
        };
        let value = match request {
            Request::GetItem(input) => {
                let key = input.key.as_ref();
                key.and_then(|k| k.value.get(&place.hash))
                    .map(ValueRef::to_value)
            }
            Request::Query(input) => partition(input, &place.hash),
            _ => None,
        };
        Ok(value.map(|value| HotKey {
            arn: Arc::clone(&place.arn),
            index: place.index.is_some(),
            write: false,
            value: bytes(&value),
        }))
    }

    /// Takes the units of all charges, or none where a key has too few left: then the charge that did not fit.
    pub(crate) fn take<'c>(
        &self,
        charges: &'c [Charge],
        limits: KeyLimits,
        now: Duration,
    ) -> Option<&'c Charge> {
        let mut levels = self.levels.lock();
        let mut wanted: HashMap<&HotKey, i64> = HashMap::new();
        for charge in charges {
            let sum = wanted.entry(&charge.key).or_default();
            *sum = sum.saturating_add(i64::try_from(charge.halves).unwrap_or(i64::MAX));
            let (level, full) = level(&levels, &charge.key, limits, now);
            // More than the whole bucket is let through when it is full: it would never fit.
            if level < (*sum).min(full) {
                return Some(charge);
            }
        }
        if levels.len() >= KEYS {
            levels.retain(|key, (left, at)| {
                refilled(*left, *at, key, limits, now).0 < refilled(0, now, key, limits, now).1
            });
        }
        for (key, halves) in wanted {
            let left = level(&levels, key, limits, now).0 - halves;
            levels.insert(key.clone(), (left, now));
        }
        None
    }

    /// Whether a key has units left to read.
    pub(crate) fn may_read(&self, key: &HotKey, limits: KeyLimits, now: Duration) -> bool {
        level(&self.levels.lock(), key, limits, now).0 > 0
    }

    /// Takes what a read took; a key may owe units afterwards.
    pub(crate) fn took(&self, key: HotKey, units: Units, limits: KeyLimits, now: Duration) {
        let mut levels = self.levels.lock();
        let left = level(&levels, &key, limits, now).0;
        let taken = i64::try_from(units.0).unwrap_or(i64::MAX);
        levels.insert(key, (left.saturating_sub(taken), now));
    }

    pub(crate) fn forget(&self, table: &str) {
        self.places.lock().remove(table);
    }

    async fn places(
        &self,
        cx: &Context,
        db: &dyn DynamoDb,
        table: &str,
    ) -> Result<Arc<Places>, Error> {
        if let Some(known) = self.places.lock().get(table) {
            return Ok(Arc::clone(known));
        }
        let described = describe(cx, db, table).await?;
        let arn = described
            .table_arn
            .unwrap_or_else(|| format!("table/{table}"));
        let mut places = vec![Place::of(None, &arn, described.key_schema)];
        for index in described.global_secondary_indexes.into_iter().flatten() {
            let name = index.index_name.unwrap_or_default();
            let arn = format!("{arn}/index/{name}");
            places.push(Place::of(Some(name), &arn, index.key_schema));
        }
        let places = Arc::new(Places(places));
        self.places
            .lock()
            .insert(table.to_owned(), Arc::clone(&places));
        Ok(places)
    }
}

impl Place {
    fn of(index: Option<String>, arn: &str, schema: Option<Vec<KeySchemaElement>>) -> Self {
        let schema = schema.unwrap_or_default();
        let hash = schema.iter().find(|e| e.key_type == Some(KeyRole::Hash));
        Self {
            index,
            arn: arn.into(),
            hash: hash
                .and_then(|e| e.attribute_name.clone())
                .unwrap_or_default(),
            names: schema
                .into_iter()
                .filter_map(|e| e.attribute_name)
                .collect(),
        }
    }
}

impl Places {
    fn of(&self, item: &Item) -> Vec<HotKey> {
        let standing = self
            .0
            .iter()
            .filter(|place| place.names.iter().all(|name| item.get(name).is_some()));
        let keys = standing.filter_map(|place| {
            Some(HotKey {
                arn: Arc::clone(&place.arn),
                index: place.index.is_some(),
                write: true,
                value: bytes(&item.get(&place.hash)?.to_value()),
            })
        });
        keys.collect()
    }

    async fn item(
        &self,
        cx: &Context,
        db: &dyn DynamoDb,
        touch: &Touch,
    ) -> Result<Option<Item>, Error> {
        let Some(table) = self.0.first() else {
            return Ok(None);
        };
        let names: Vec<&str> = table.names.iter().map(String::as_str).collect();
        let input = GetItemInput {
            table_name: Some(touch.table.clone()),
            key: Some(touch.key.only(&names).into()),
            consistent_read: Some(true),
            ..GetItemInput::default()
        };
        Ok(db.get_item(cx, input).await?.item)
    }
}

fn level(
    levels: &HashMap<HotKey, (i64, Duration)>,
    key: &HotKey,
    limits: KeyLimits,
    now: Duration,
) -> (i64, i64) {
    let known = levels.get(key).copied();
    let (left, at) = known.unwrap_or((i64::MAX, now));
    refilled(left, at, key, limits, now)
}

/// What is left of a bucket now, and what a full one holds, in half units.
fn refilled(left: i64, at: Duration, key: &HotKey, limits: KeyLimits, now: Duration) -> (i64, i64) {
    let rate = if key.write { limits.write } else { limits.read };
    let full = i64::try_from(rate.saturating_mul(2).saturating_mul(limits.burst.max(1)));
    let full = full.unwrap_or(i64::MAX);
    let passed = now.saturating_sub(at).as_micros();
    let new = passed.saturating_mul(u128::from(rate) * 2) / 1_000_000;
    let new = i64::try_from(new).unwrap_or(i64::MAX);
    (left.saturating_add(new).min(full), full)
}

/// The value that a Query's key condition wants the partition attribute to equal.
fn partition(input: &bothways_protocol::types::QueryInput, hash: &str) -> Option<Value> {
    let condition = input.key_condition_expression.as_deref()?;
    let names = input.expression_attribute_names.as_ref();
    let part = condition.split(" AND ").find_map(|part| {
        let (name, value) = part.trim_matches(['(', ')', ' ']).split_once('=')?;
        let name = name.trim();
        let real = names.and_then(|n| n.get(name)).map_or(name, String::as_str);
        (real == hash).then(|| value.trim().to_owned())
    })?;
    input
        .expression_attribute_values
        .as_ref()?
        .value
        .get(&part)
        .cloned()
}

/// A value as bytes that differ where values do.
fn bytes(value: &Value) -> Vec<u8> {
    Item::from_attributes([("k", value.clone())])
        .bytes()
        .to_vec()
}

/// Asks a read for its units; answers whether the caller had not.
pub(crate) fn ask_units(request: &mut Request) -> bool {
    let wanted = match request {
        Request::GetItem(input) => &mut input.return_consumed_capacity,
        Request::Query(input) => &mut input.return_consumed_capacity,
        _ => return false,
    };
    let silent = matches!(wanted, None | Some(ReturnConsumedCapacity::None));
    if silent {
        *wanted = Some(ReturnConsumedCapacity::Total);
    }
    silent
}

/// The units of a read's answer, taken off it where the caller did not ask.
pub(crate) fn told_units(response: &mut Response, silent: bool) -> Units {
    let told = match response {
        Response::GetItem(output) => &mut output.consumed_capacity,
        Response::Query(output) => &mut output.consumed_capacity,
        _ => return Units::default(),
    };
    let units = told.as_ref().and_then(|c| c.capacity_units);
    if silent {
        *told = None;
    }
    units.unwrap_or_default()
}

impl HotKey {
    /// The refusal of a request of one item: what was exceeded, and where.
    pub(crate) fn refusal(&self) -> Error {
        let place = if self.index { "Index" } else { "Table" };
        let kind = if self.write { "Write" } else { "Read" };
        let reason = format!("{place}{kind}KeyRangeThroughputExceeded");
        Error::from(Message::Throttled).throttled_by(reason, &*self.arn)
    }
}

impl Charge {
    /// The refusal of the request: of a transaction, by a reason.
    pub(crate) fn refusal(&self, actions: Option<usize>) -> Error {
        let error = self.key.refusal();
        match actions {
            Some(actions) => because(actions, self.action, "ThrottlingError", &error.message),
            None => error,
        }
    }
}

/// A cancelled transaction, with a reason at one action.
pub(crate) fn because(actions: usize, at: usize, code: &str, message: &str) -> Error {
    let reason = |action| CancellationReason {
        code: if action == at { code } else { "None" }.to_owned(),
        message: (action == at).then(|| message.to_owned()),
        item: None,
    };
    Error::canceled((0..actions).map(reason).collect())
}

/// No answer came.
pub(crate) fn no_answer() -> Error {
    Error::new(
        ErrorKind::NoAnswer,
        "the connection was lost before an answer came",
    )
}
