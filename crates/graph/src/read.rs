//! Reads with their receipts, and items back to edges and entities.

use crate::edge::Edge;
use crate::entity::{EntityItem, archived_at};
use crate::error::Result;
use crate::graph::Graph;
use crate::keys::Template;
use crate::model::{Entity, Model, Relation, companion};
use crate::receipt::{Consistency, Receipt};
use crate::requests::{
    self, ARCHIVED, CLOSED, EDGE_OWN, EDIT_ID, Key, OPERATION_ID, POSITION, VERSION,
};
use crate::send::{Attempts, Verdict, classify};
use crate::shard;
use bothways_core::{Item, Number, ValueRef};
use bothways_protocol as protocol;
use bothways_protocol::types::{QueryInput, QueryOutput};
use bothways_protocol::{BoxFuture, Context, DynamoDbExt, Operation};

/// A text attribute.
pub(crate) fn text<'i>(item: &'i Item, name: &str) -> Option<&'i str> {
    match item.get(name) {
        Some(ValueRef::S(text)) => Some(text),
        _ => None,
    }
}

/// An integer attribute; 0 where there is none.
pub(crate) fn integer(item: &Item, name: &str) -> i64 {
    match item.get(name) {
        Some(ValueRef::N(number)) => number.to_i64().unwrap_or(0),
        _ => 0,
    }
}

/// A counter as it stands, where it is nothing that can be counted with: a number that is not whole or too large, or no
/// number at all; with what it is, in words.
pub(crate) fn uncountable(item: &Item, name: &str) -> Option<String> {
    match item.get(name)? {
        ValueRef::N(number) if number.to_i64().is_some() => None,
        ValueRef::N(number) => Some(number.to_string()),
        other => Some(format!("of type {}", other.type_name())),
    }
}

/// An integer attribute that is not negative.
pub(crate) fn unsigned(item: &Item, name: &str) -> Option<u64> {
    match item.get(name) {
        Some(ValueRef::N(number)) => natural(&number),
        _ => None,
    }
}

fn natural(number: &Number) -> Option<u64> {
    number.to_i64().and_then(|n| u64::try_from(n).ok())
}

/// An item without these attributes.
fn without(item: &Item, names: &[&str]) -> Item {
    let gone: Vec<(&str, Option<ValueRef<'_>>)> = names
        .iter()
        .filter(|n| item.get(n).is_some())
        .map(|n| (*n, None))
        .collect();
    item.with(&gone)
}

/// What reads items of the table as edges of one relation.
#[derive(Debug)]
pub(crate) struct EdgeReader<'m> {
    relation: &'m Relation,
    /// The attributes that an edge does not show, in ascending order.
    hidden: Vec<&'m str>,
    pk: usize,
    sk: usize,
    op_id: usize,
    edited_by: usize,
    version: usize,
    position: usize,
    /// Where the index key is that says the shard, and how it is read.
    shard: Option<(usize, &'m Template)>,
}

impl<'m> EdgeReader<'m> {
    pub(crate) fn new(model: &'m Model, relation: &'m Relation) -> Self {
        let mut hidden = model.key_attributes();
        hidden.extend(EDGE_OWN);
        hidden.sort_unstable();
        hidden.dedup();
        let place = |name| hidden.partition_point(|h| *h < name);
        let index = model.index(&relation.inverse.index);
        let shard = index.zip(relation.shard.as_ref());
        Self {
            relation,
            shard: shard.map(|(index, rule)| (place(index.keys.pk.as_str()), &rule.pk)),
            pk: place(model.keys.pk.as_str()),
            sk: place(model.keys.sk.as_str()),
            op_id: place(OPERATION_ID),
            edited_by: place(EDIT_ID),
            version: place(VERSION),
            position: place(POSITION),
            hidden,
        }
    }

    /// The item as an edge; `None` when its key is another's.
    pub(crate) fn read(&self, item: &Item) -> Option<Edge> {
        let (mut pk, mut sk) = (None, None);
        let (mut op_id, mut edited_by) = (None, None);
        let (mut version, mut position) = (None, None);
        let mut shard = None;
        let attributes = item.split(&self.hidden, |place, value| match value {
            ValueRef::S(text) if place == self.pk => pk = Some(text),
            ValueRef::S(text) if place == self.sk => sk = Some(text),
            ValueRef::S(text) if place == self.op_id => op_id = Some(text),
            ValueRef::S(text) if place == self.edited_by => edited_by = Some(text),
            ValueRef::S(text) => {
                if let Some((_, template)) = self.shard.filter(|(key, _)| place == *key) {
                    shard = template.read(text).map(|filling| filling.shard);
                }
            }
            ValueRef::N(number) if place == self.version => version = natural(&number),
            ValueRef::N(number) if place == self.position => position = natural(&number),
            _ => {}
        });
        let source = self.relation.key.pk.read(pk?)?.source;
        let target = self.relation.key.sk.read(sk?)?.target;
        Some(Edge {
            version: version.or(op_id.map(|_| 1)),
            position,
            edited_by: edited_by.map(str::to_owned),
            source: source.into_owned(),
            target: target.into_owned(),
            attributes,
            op_id: op_id.map(str::to_owned),
            shard,
        })
    }
}

/// An item of the table as an edge of this relation; `None` when its key is another's.
pub(crate) fn edge(model: &Model, relation: &Relation, item: &Item) -> Option<Edge> {
    EdgeReader::new(model, relation).read(item)
}

/// An item of the table as this entity; `None` when its key is another's.
pub(crate) fn entity(model: &Model, entity: &Entity, item: &Item) -> Option<EntityItem> {
    let id = entity.key.pk.read(text(item, &model.keys.pk)?)?.id;
    let sk = entity.key.sk.read(text(item, &model.keys.sk)?)?.id;
    if !sk.is_empty() && sk != id {
        return None;
    }
    let names = model.counters_of(&entity.name);
    let companions: Vec<String> = names.iter().map(|n| companion(n)).collect();
    let mut hidden = model.key_attributes();
    hidden.extend(&names);
    hidden.extend(companions.iter().map(String::as_str));
    let of_maps = shard::attributes_of(model, &entity.name);
    hidden.extend(of_maps.iter().map(String::as_str));
    hidden.extend([CLOSED, ARCHIVED]);
    let attributes = without(item, &hidden);
    let lenient = !model.upsert_entities && !model.referential;
    let counted = companions.iter().any(|c| item.get(c).is_some());
    Some(EntityItem {
        entity: entity.name.clone(),
        id: id.into_owned(),
        counters: names
            .iter()
            .map(|n| ((*n).to_owned(), integer(item, n)))
            .collect(),
        bare: lenient && counted && attributes.iter().next().is_none(),
        closed: item.get(CLOSED).is_some(),
        archived: archived_at(item),
        attributes,
    })
}

impl Graph {
    /// Sends a read, again where that may help, until it is answered.
    pub(crate) async fn reading<'a, T>(
        &'a self,
        cx: &'a Context,
        receipt: &mut Receipt,
        mut send: impl FnMut() -> BoxFuture<'a, std::result::Result<T, protocol::Error>>,
    ) -> Result<T> {
        let mut attempts = Attempts::new(&*self.env, cx);
        loop {
            let started = self.env.monotonic();
            let answer = send().await;
            receipt.requests += 1;
            receipt.elapsed += self.env.monotonic().saturating_duration_since(started);
            match answer {
                Ok(output) => return Ok(output),
                Err(error) => match classify(&error) {
                    Verdict::Settled | Verdict::Failed | Verdict::Lost => return Err(error.into()),
                    verdict => attempts.read_again(verdict, error, receipt).await?,
                },
            }
        }
    }

    /// One `GetItem`.
    pub(crate) async fn get_item(
        &self,
        cx: &Context,
        key: &Key,
        strong: bool,
    ) -> Result<(Option<Item>, Receipt)> {
        let input = requests::get(&self.model, key, strong);
        let mut receipt = Receipt::new(Operation::GetItem, &self.model.table);
        receipt.key = input
            .key
            .as_ref()
            .map(|k| requests::key_words(&k.value, &self.model.keys));
        receipt.consistency = Some(if strong {
            Consistency::Strong
        } else {
            Consistency::Eventual
        });
        let send = || self.db.get_item(cx, input.clone());
        let output = self.reading(cx, &mut receipt, send).await?;
        receipt.count = u64::from(output.item.is_some());
        receipt.scanned = receipt.count;
        receipt.consumed(output.consumed_capacity.as_ref());
        Ok((output.item, receipt))
    }

    /// One `Query`.
    pub(crate) async fn query(
        &self,
        cx: &Context,
        input: QueryInput,
    ) -> Result<(QueryOutput, Receipt)> {
        let mut receipt = Receipt::new(Operation::Query, &self.model.table);
        receipt.index.clone_from(&input.index_name);
        let (partition, range) = requests::query_words(&input);
        receipt.key = Some(partition);
        receipt.range = range;
        let strong = input.consistent_read == Some(true);
        receipt.consistency = Some(if strong {
            Consistency::Strong
        } else {
            Consistency::Eventual
        });
        let send = || self.db.query(cx, input.clone());
        let output = self.reading(cx, &mut receipt, send).await?;
        let number = |n: Option<i64>| n.and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
        receipt.count = number(output.count);
        receipt.scanned = number(output.scanned_count);
        receipt.consumed(output.consumed_capacity.as_ref());
        Ok((output, receipt))
    }
}
