//! What stream records change: counters, and by how much.

use super::stream::millis;
use crate::error::Result;
use crate::fetch::Fetch;
use crate::graph::Graph;
use crate::link::key_name;
use crate::model::{Model, Relation, companion};
use crate::read;
use crate::requests::{self, CLOSED, Key};
use crate::shard::{COUNT, Counting, Map, Part, SWITCHING, counted_at, map_attribute};
use bothways_core::{Item, Number, Value};
use bothways_protocol::Context;
use bothways_protocol::types::{OperationType, Record, TransactWriteItem, Update};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

/// Who removes expired items, as a record says it (Developer Guide, "DynamoDB Streams and Time to Live").
const SERVICE: &str = "dynamodb.amazonaws.com";

/// An edge that came or went without its writer having counted it, if its target's map says so.
#[derive(Debug, Clone)]
pub(super) struct Event<'m> {
    pub(super) relation: &'m Relation,
    source: String,
    pub(super) target: String,
    part: Part,
    pub(super) by: i64,
    /// It went because it had expired: nobody's transaction counted that.
    expired: bool,
    pub(super) at: u64,
    pub(super) sequence: String,
}

impl<'m> Event<'m> {
    /// What a record tells of an edge; `None` for anything else.
    pub(super) fn of(model: &'m Model, record: &Record) -> Option<Self> {
        let change = record.dynamodb.as_ref()?;
        let (image, by) = match record.event_name? {
            OperationType::Insert => (change.new_image.as_ref()?, 1),
            OperationType::Remove => (change.old_image.as_ref()?, -1),
            OperationType::Modify => return None,
        };
        let item = image;
        let (relation, edge) = model
            .relations
            .iter()
            .find_map(|r| Some((r, read::edge(model, r, item)?)))?;
        let by_service = record.user_identity.as_ref().is_some_and(|who| {
            who.principal_id.as_deref() == Some(SERVICE)
                && who.identity_type.as_deref() == Some("Service")
        });
        Some(Self {
            part: Part::of(model, relation, item),
            relation,
            source: edge.source,
            target: edge.target,
            by,
            expired: by < 0 && by_service,
            at: millis(change.approximate_creation_date_time),
            sequence: change.sequence_number.clone()?,
        })
    }
}

/// What has to hold of a counter's item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Must {
    /// Be there.
    Exist,
    /// Have no map of this attribute.
    HaveNoMap(String),
    /// Have a map of this epoch.
    HaveMap(String, u64),
    /// Not be closed for a switch.
    CountOn,
}

/// One counter's item, and what is added to it.
#[derive(Debug, Default)]
struct Add {
    by: BTreeMap<String, i64>,
    must: Vec<Must>,
    /// Attributes that say when their counter was true.
    dated: Vec<String>,
}

/// What a number of records adds, by item.
#[derive(Debug, Default)]
pub(super) struct Adds(BTreeMap<Key, Add>);

impl Adds {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    fn add(&mut self, key: Key, attribute: &str, by: i64, must: Must) -> &mut Add {
        let add = self.0.entry(key).or_default();
        *add.by.entry(attribute.to_owned()).or_default() += by;
        if !add.must.contains(&must) {
            add.must.push(must);
        }
        add
    }

    /// The actions, in the order of keys.
    pub(super) fn actions(self, model: &Model, now: u64) -> Vec<TransactWriteItem> {
        let actions = self.0.into_iter();
        actions
            .map(|(key, add)| add.action(model, &key, now))
            .collect()
    }
}

impl Add {
    fn action(self, model: &Model, key: &Key, now: u64) -> TransactWriteItem {
        let mut names = BTreeMap::new();
        let mut values = BTreeMap::from([(":one".to_owned(), Value::N(Number::from(1_i64)))]);
        let mut expression = String::new();
        for (i, attribute) in self.dated.iter().enumerate() {
            names.insert(format!("#at{i}"), attribute.clone());
            values.insert(":now".to_owned(), Value::N(Number::from(now)));
            let _ = write!(
                expression,
                "{} #at{i} = :now",
                if i == 0 { "SET" } else { "," }
            );
        }
        for (i, (attribute, by)) in self.by.iter().enumerate() {
            names.insert(format!("#c{i}"), attribute.clone());
            names.insert(format!("#o{i}"), companion(attribute));
            values.insert(format!(":c{i}"), Value::N(Number::from(*by)));
            let verb = if i == 0 { " ADD" } else { "," };
            let _ = write!(expression, "{verb} #c{i} :c{i}, #o{i} :one");
        }
        let mut conditions = Vec::new();
        for (i, must) in self.must.iter().enumerate() {
            conditions.push(match must {
                Must::Exist => {
                    names.extend(key_name(model));
                    "attribute_exists(#pk)".to_owned()
                }
                Must::HaveNoMap(map) => {
                    names.extend(key_name(model));
                    names.insert(format!("#m{i}"), map.clone());
                    format!("attribute_exists(#pk) AND attribute_not_exists(#m{i})")
                }
                Must::HaveMap(map, epoch) => {
                    names.insert(format!("#m{i}"), map.clone());
                    names.insert("#epoch".to_owned(), "epoch".to_owned());
                    values.insert(format!(":m{i}"), Value::N(Number::from(*epoch)));
                    format!("#m{i}.#epoch = :m{i}")
                }
                Must::CountOn => {
                    names.insert("#closed".to_owned(), CLOSED.to_owned());
                    values.insert(":switching".to_owned(), Value::S(SWITCHING.to_owned()));
                    "(attribute_not_exists(#closed) OR #closed <> :switching)".to_owned()
                }
            });
        }
        TransactWriteItem {
            update: Some(Update {
                key: Some(key.item(&model.keys).into()),
                table_name: Some(model.table.clone()),
                update_expression: Some(expression.trim_start().to_owned()),
                condition_expression: (!conditions.is_empty()).then(|| conditions.join(" AND ")),
                expression_attribute_names: Some(names),
                expression_attribute_values: Some(values.into()),
                ..Update::default()
            }),
            ..TransactWriteItem::default()
        }
    }
}

/// The entities' items that events are about, read after the events.
pub(super) struct Ends(HashMap<Key, Item>);

impl Graph {
    /// Reads the items at the ends of events: their maps decide what counts.
    pub(super) async fn ends_of(&self, cx: &Context, events: &[Event<'_>]) -> Result<Ends> {
        let mut keys = Vec::new();
        for event in events {
            let to = self.entity(&event.relation.to)?;
            keys.push(requests::entity_key(&self.model, to, &event.target)?);
            if event.expired {
                let from = self.entity(&event.relation.from)?;
                keys.push(requests::entity_key(&self.model, from, &event.source)?);
            }
        }
        let how = Fetch {
            strong: true,
            keys_only: false,
        };
        let mut receipt = self.fetching();
        self.fetch(cx, &keys, how, &mut receipt).await.map(Ends)
    }

    /// Adds what an event changes.
    pub(super) fn tally(&self, event: &Event<'_>, ends: &Ends, adds: &mut Adds) -> Result<()> {
        let (model, relation) = (&*self.model, event.relation);
        let at = |entity: &str, id: &str| requests::entity_key(model, self.entity(entity)?, id);
        if event.expired
            && let Some(counter) = &relation.counters.out
        {
            let key = at(&relation.from, &event.source)?;
            if ends.0.contains_key(&key) {
                adds.add(key, counter, event.by, Must::Exist);
            }
        }
        let Some(counter) = &relation.counters.inward else {
            return Ok(());
        };
        if relation.undirected
            && event.source == event.target
            && relation.loops != crate::model::Loops::Twice
        {
            return Ok(());
        }
        let key = at(&relation.to, &event.target)?;
        let Some(item) = ends.0.get(&key) else {
            return Ok(());
        };
        let map = relation
            .may_map()
            .then(|| Map::of(relation, item))
            .flatten();
        let attribute = map_attribute(relation);
        // A recount has seen what came before it.
        let recounted = match map {
            Some(map) => map.since,
            None => u64::try_from(read::integer(item, &counted_at(relation))).unwrap_or(0),
        };
        if event.at < recounted {
            return Ok(());
        }
        match map {
            Some(map) if map.counting == Counting::Async => {
                let must = Must::HaveMap(attribute, map.epoch);
                let add = adds.add(key, counter, event.by, must);
                let dated = counted_at(relation);
                if !add.dated.contains(&dated) {
                    add.dated.push(dated);
                }
            }
            Some(map) if event.expired && map.counting == Counting::Exact => {
                let key = event.part.counter(relation, &event.target);
                adds.add(key, COUNT, event.by, Must::CountOn);
            }
            None if event.expired && relation.may_map() => {
                adds.add(key, counter, event.by, Must::HaveNoMap(attribute));
            }
            None if event.expired => {
                adds.add(key, counter, event.by, Must::Exist);
            }
            _ => {}
        }
        Ok(())
    }
}
