//! Answers of a table that is only imagined.

use crate::jobs::imagined_job;
use crate::keys::Filling;
use crate::model::{Access, Direction, Model, Relation};
use crate::read;
use crate::requests::{self, Key, Place};
use crate::verify::{Kind, kind};
use bothways_core::{Item, ItemBuilder, Number, Value, ValueRef};
use bothways_protocol::types::{
    BatchGetItemInput, BatchGetItemOutput, CreateTableOutput, DeleteItemOutput,
    DescribeTableOutput, GetItemOutput, QueryInput, QueryOutput, StreamSpecification,
    TableDescription, TableStatus, TransactWriteItemsInput, UpdateItemOutput, UpdateTableOutput,
};
use bothways_protocol::{Error, ErrorKind, Request, Response};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Edges of a list of which the model's patterns say nothing.
const EDGES: u64 = 10;
/// Edges of the longest imagined list.
const MOST_EDGES: u64 = 100;

/// The table, and what the operation has made of it so far.
pub(super) struct Imagined {
    pub(super) model: Model,
    /// Whole items that were put.
    put: HashMap<Key, Item>,
    deleted: HashSet<Key>,
    /// Once it was made or changed.
    table: Option<TableDescription>,
}

/// The key of an item.
pub(super) fn key_of(model: &Model, item: &Item) -> Key {
    let text = |name: &str| read::text(item, name).unwrap_or_default().to_owned();
    Key {
        pk: text(&model.keys.pk),
        sk: text(&model.keys.sk),
    }
}

impl Imagined {
    pub(super) fn new(model: &Model) -> Self {
        Self {
            model: model.clone(),
            put: HashMap::new(),
            deleted: HashSet::new(),
            table: None,
        }
    }

    pub(super) fn answer(&mut self, request: &Request) -> Result<Response, Error> {
        Ok(match request {
            Request::GetItem(input) => {
                let key = input
                    .key
                    .as_ref()
                    .map(|key| key_of(&self.model, &key.value));
                Response::GetItem(Box::new(GetItemOutput {
                    item: key.and_then(|key| self.item(&key)),
                    ..GetItemOutput::default()
                }))
            }
            Request::BatchGetItem(input) => self.batch(input),
            Request::Query(input) => self.query(input),
            Request::Scan(_) => Response::Scan(Box::default()),
            Request::PutItem(input) => {
                if let Some(item) = &input.item {
                    self.put(&item.value);
                }
                Response::PutItem(Box::default())
            }
            Request::UpdateItem(input) => {
                let key = input
                    .key
                    .as_ref()
                    .map(|key| key_of(&self.model, &key.value));
                let there = |key: Key| {
                    self.item(&key)
                        .unwrap_or_else(|| key.item(&self.model.keys))
                };
                Response::UpdateItem(Box::new(UpdateItemOutput {
                    attributes: key.map(there),
                    ..UpdateItemOutput::default()
                }))
            }
            Request::DeleteItem(input) => {
                let key = input
                    .key
                    .as_ref()
                    .map(|key| key_of(&self.model, &key.value));
                let attributes = key.as_ref().and_then(|key| self.item(key));
                self.deleted.extend(key);
                Response::DeleteItem(Box::new(DeleteItemOutput {
                    attributes,
                    ..DeleteItemOutput::default()
                }))
            }
            Request::TransactWriteItems(input) => self.transact(input),
            Request::BatchWriteItem(_) => Response::BatchWriteItem(Box::default()),
            other => return self.of_table(other),
        })
    }

    /// The table as a whole: it is not there until it is made, since otherwise there would be little to explain.
    fn of_table(&mut self, request: &Request) -> Result<Response, Error> {
        match request {
            Request::DescribeTable(_) => match &self.table {
                Some(table) => Ok(Response::DescribeTable(Box::new(DescribeTableOutput {
                    table: Some(table.clone()),
                }))),
                None => Err(Error::new(
                    ErrorKind::ResourceNotFound,
                    "the table is imagined to be missing",
                )),
            },
            Request::CreateTable(input) => {
                self.table = Some(TableDescription {
                    table_name: input.table_name.clone(),
                    table_status: Some(TableStatus::Active),
                    ..TableDescription::default()
                });
                Ok(Response::CreateTable(Box::new(CreateTableOutput {
                    table_description: self.table.clone(),
                })))
            }
            Request::UpdateTable(input) => {
                let table = self.table.get_or_insert_with(|| TableDescription {
                    table_name: input.table_name.clone(),
                    table_status: Some(TableStatus::Active),
                    ..TableDescription::default()
                });
                let stream: Option<StreamSpecification> = input.stream_specification.clone();
                if stream.is_some() {
                    table.stream_specification = stream;
                    table.latest_stream_arn = Some("the table's stream".to_owned());
                }
                Ok(Response::UpdateTable(Box::new(UpdateTableOutput {
                    table_description: self.table.clone(),
                })))
            }
            Request::DescribeTimeToLive(_) => Ok(Response::DescribeTimeToLive(Box::default())),
            Request::UpdateTimeToLive(_) => Ok(Response::UpdateTimeToLive(Box::default())),
            _ => Err(Error::new(
                ErrorKind::Other("Explained".to_owned()),
                "nothing was sent, and what comes behind this request depends on its answer",
            )),
        }
    }

    fn put(&mut self, item: &Item) {
        let key = key_of(&self.model, item);
        self.deleted.remove(&key);
        self.put.insert(key, item.clone());
    }

    /// What stands under a key.
    fn item(&self, key: &Key) -> Option<Item> {
        if self.deleted.contains(key) {
            return None;
        }
        if let Some(item) = self.put.get(key) {
            return Some(item.clone());
        }
        let bare = key.item(&self.model.keys);
        match kind(&self.model, &bare) {
            Kind::Edge(relation, edge) => Some(self.edge(relation, &edge.source, &edge.target)),
            Kind::Entity(entity, id) => {
                let mut item = ItemBuilder::default();
                key.set_on(&self.model.keys, &mut item);
                for counter in self.model.counters_of(&entity.name) {
                    item.set(counter, ValueRef::N(Number::from(EDGES)));
                }
                if let Some(keys) = &entity.indexed {
                    requests::set_index_keys(
                        &self.model,
                        keys,
                        &Filling::entity(&id),
                        |name, v| {
                            item.set(name, ValueRef::S(&v));
                        },
                    );
                }
                Some(item.build())
            }
            Kind::Own => imagined_job(key, &self.model.keys),
            Kind::Misfit(_) | Kind::Foreign => None,
        }
    }

    fn edge(&self, relation: &Relation, source: &str, target: &str) -> Item {
        let mut item = ItemBuilder::default();
        let filling = Filling::edge(source, target);
        for (name, template) in [
            (&self.model.keys.pk, &relation.key.pk),
            (&self.model.keys.sk, &relation.key.sk),
        ] {
            item.set(name, ValueRef::S(&template.fill(&filling)));
        }
        for keys in requests::index_keys(relation) {
            requests::set_index_keys(&self.model, keys, &filling, |name, value| {
                item.set(name, ValueRef::S(&value));
            });
        }
        item.build()
    }

    fn batch(&self, input: &BatchGetItemInput) -> Response {
        let mut responses = BTreeMap::new();
        for (table, asked) in input.request_items.iter().flatten() {
            let keys = asked.keys.iter().flatten();
            let found = keys.filter_map(|key| self.item(&key_of(&self.model, &key.value)));
            responses.insert(table.clone(), found.collect::<Vec<Item>>());
        }
        Response::BatchGetItem(Box::new(BatchGetItemOutput {
            responses: Some(responses),
            ..BatchGetItemOutput::default()
        }))
    }

    /// A page of the list that stands under the partition key; nothing where it is no list of the model's.
    fn query(&self, input: &QueryInput) -> Response {
        let values = input.expression_attribute_values.as_ref();
        let text = |name: &str| match values.and_then(|values| values.value.get(name)) {
            Some(Value::S(text)) => text.as_str(),
            _ => "",
        };
        let (pk, sk) = (text(":pk"), text(":sk"));
        let limit = input.limit.and_then(|limit| u64::try_from(limit).ok());
        let mut items = Vec::new();
        for relation in &self.model.relations {
            for direction in [Direction::Out, Direction::In] {
                let place = Place::of(&self.model, relation, direction, None);
                let prefix = place.keys.sk.prefix();
                let asked = sk.is_empty() || sk.starts_with(prefix) || prefix.starts_with(sk);
                if place.index != input.index_name.as_deref() || !asked {
                    continue;
                }
                let Some(filling) = place.keys.pk.read(pk) else {
                    continue;
                };
                let node = match direction {
                    Direction::Out => filling.source,
                    Direction::In => filling.target,
                };
                let most = limit.map_or(MOST_EDGES, |limit| limit.min(MOST_EDGES));
                let count = self.stated(relation, direction).min(most);
                let edges = (1..=count).map(|i| {
                    let peer = format!("{node}-{i:03}");
                    match direction {
                        Direction::Out => self.edge(relation, &node, &peer),
                        Direction::In => self.edge(relation, &peer, &node),
                    }
                });
                let there = |item: &Item| !self.deleted.contains(&key_of(&self.model, item));
                items.extend(edges.filter(there));
            }
        }
        let count = i64::try_from(items.len()).ok();
        Response::Query(Box::new(QueryOutput {
            items: Some(items),
            count,
            scanned_count: count,
            ..QueryOutput::default()
        }))
    }

    /// How long the model's patterns say that a list is.
    fn stated(&self, relation: &Relation, direction: Direction) -> u64 {
        let of = |access: &Access| match (access, direction) {
            (Access::Out(name), Direction::Out) | (Access::In(name), Direction::In) => {
                *name == relation.name
            }
            _ => false,
        };
        let mut patterns = self.model.patterns.iter();
        patterns
            .find(|pattern| of(&pattern.access))
            .map_or(EDGES, |pattern| pattern.items)
    }

    fn transact(&mut self, input: &TransactWriteItemsInput) -> Response {
        for action in input.transact_items.iter().flatten() {
            if let Some(item) = action.put.as_ref().and_then(|put| put.item.as_ref()) {
                self.put(&item.value);
            }
            if let Some(key) = action
                .delete
                .as_ref()
                .and_then(|delete| delete.key.as_ref())
            {
                let key = key_of(&self.model, &key.value);
                self.put.remove(&key);
                self.deleted.insert(key);
            }
        }
        Response::TransactWriteItems(Box::default())
    }
}
