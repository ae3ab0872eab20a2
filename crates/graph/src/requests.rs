//! Requests as pure functions of the model and ids. Operations send them, the check describes them: so what is proved
//! is what is sent.

use crate::error::{Error, IdError, Result};
use crate::keys::{Filling, Template, escape};
use crate::list::Range;
use crate::model::{
    Direction, Entity, IndexKeys, KeyNames, KeyTemplates, Loops, Model, Order, Relation,
};
use bothways_core::limits::{PARTITION_KEY_BYTES, SORT_KEY_BYTES};
use bothways_core::{Item, ItemBuilder, Value, ValueRef};
use bothways_protocol::types::{
    GetItemInput, QueryInput, ReturnConsumedCapacity, ReturnValue, Select, TransactWriteItem,
    TransactWriteItemsInput, UpdateItemInput,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Attribute of an edge: the operation that made it. A retry of that operation whose first answer was lost finds its
/// own id there.
pub(crate) const OPERATION_ID: &str = "opId";
/// Attribute of an edge that was changed: the operation that did so last.
pub(crate) const EDIT_ID: &str = "editId";
/// Attribute of an edge that was changed: how often, and one. An edge that was never changed has none and version 1.
pub(crate) const VERSION: &str = "edgeVersion";
/// Attribute of an edge that was written at a position of the caller's, or whose removal leaves a tombstone: that
/// position, or the moment of linking in milliseconds.
pub(crate) const POSITION: &str = "edgeAt";
/// The attributes that the layer keeps on an edge beside its keys.
pub(crate) const EDGE_OWN: [&str; 4] = [OPERATION_ID, EDIT_ID, VERSION, POSITION];
/// Attribute of an entity that is being deleted: nothing links to it any more.
pub(crate) const CLOSED: &str = "closed";
/// Attribute of an entity that is archived: since when, in milliseconds since 1970.
pub(crate) const ARCHIVED: &str = "archivedAt";

/// The values of a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    pub(crate) pk: String,
    pub(crate) sk: String,
}

impl Key {
    fn fill(templates: &KeyTemplates, filling: &Filling<'_>) -> Self {
        Self {
            pk: templates.pk.fill(filling),
            sk: templates.sk.fill(filling),
        }
    }

    /// Refuses keys longer than DynamoDB takes.
    fn checked(self, what: &str, names: &KeyNames) -> Result<Self> {
        for (attribute, bytes, limit) in [
            (&names.pk, self.pk.len(), PARTITION_KEY_BYTES),
            (&names.sk, self.sk.len(), SORT_KEY_BYTES),
        ] {
            if bytes > limit {
                return Err(Error::Id(IdError::TooLong {
                    what: what.to_owned(),
                    attribute: attribute.clone(),
                    bytes,
                    limit,
                }));
            }
        }
        Ok(self)
    }

    pub(crate) fn set_on(&self, names: &KeyNames, item: &mut ItemBuilder) {
        item.set(&names.pk, ValueRef::S(&self.pk));
        item.set(&names.sk, ValueRef::S(&self.sk));
    }

    pub(crate) fn item(&self, names: &KeyNames) -> Item {
        let mut item = ItemBuilder::default();
        self.set_on(names, &mut item);
        item.build()
    }
}

fn not_empty(what: &str, id: &str) -> Result<()> {
    if id.is_empty() {
        return Err(Error::Id(IdError::Empty {
            what: what.to_owned(),
        }));
    }
    Ok(())
}

/// Key of an entity's item.
pub(crate) fn entity_key(model: &Model, entity: &Entity, id: &str) -> Result<Key> {
    not_empty(&entity.name, id)?;
    Key::fill(&entity.key, &Filling::entity(id)).checked(&entity.name, &model.keys)
}

/// The ends of an edge in the order in which it is stored.
pub(crate) fn ends<'a>(
    relation: &Relation,
    source: &'a str,
    target: &'a str,
) -> (&'a str, &'a str) {
    if relation.undirected && escape(target) < escape(source) {
        (target, source)
    } else {
        (source, target)
    }
}

/// Refuses an edge from a node to itself where the relation does not take it.
pub(crate) fn may_loop(relation: &Relation, source: &str, target: &str) -> Result<()> {
    if relation.loops == Loops::Reject && source == target {
        return Err(Error::Loop {
            relation: relation.name.clone(),
            id: source.to_owned(),
        });
    }
    Ok(())
}

/// Key of an edge's item; the ends as [`ends`] gives them.
pub(crate) fn edge_key(
    model: &Model,
    relation: &Relation,
    source: &str,
    target: &str,
) -> Result<Key> {
    not_empty("source", source)?;
    not_empty("target", target)?;
    let what = "source or target";
    let filling = Filling::edge(source, target);
    // The index keys have the same limits: an edge that fits the table and not its index would be refused as a whole.
    for keys in index_keys(relation) {
        let names = model.index(&keys.index).map_or(&model.keys, |i| &i.keys);
        Key::fill(&keys.keys, &filling).checked(what, names)?;
    }
    Key::fill(&relation.key, &filling).checked(what, &model.keys)
}

/// The relation's keys in indexes.
pub(crate) fn index_keys(relation: &Relation) -> impl Iterator<Item = &IndexKeys> {
    std::iter::once(&relation.inverse).chain(&relation.forward)
}

/// Sets index keys on an item, leaving out attributes that are the table's own keys.
pub(crate) fn set_index_keys(
    model: &Model,
    keys: &IndexKeys,
    filling: &Filling<'_>,
    mut set: impl FnMut(&str, String),
) {
    let Some(index) = model.index(&keys.index) else {
        return;
    };
    for (name, template) in [
        (&index.keys.pk, &keys.keys.pk),
        (&index.keys.sk, &keys.keys.sk),
    ] {
        if *name != model.keys.pk && *name != model.keys.sk {
            set(name, template.fill(filling));
        }
    }
}

/// `GetItem` by a key.
pub(crate) fn get(model: &Model, key: &Key, strong: bool) -> GetItemInput {
    GetItemInput {
        table_name: Some(model.table.clone()),
        key: Some(key.item(&model.keys).into()),
        consistent_read: Some(strong),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..GetItemInput::default()
    }
}

/// `UpdateItem` that sets and removes attributes and answers with the item before.
pub(crate) fn update<'a>(
    model: &Model,
    key: &Key,
    changes: impl Iterator<Item = (&'a str, Option<&'a Value>)>,
) -> UpdateItemInput {
    let mut names = BTreeMap::from([("#pk".to_owned(), model.keys.pk.clone())]);
    let mut values = BTreeMap::new();
    let (mut sets, mut removes) = (Vec::new(), Vec::new());
    for (i, (name, value)) in changes.enumerate() {
        names.insert(format!("#a{i}"), name.to_owned());
        match value {
            Some(value) => {
                values.insert(format!(":a{i}"), value.clone());
                sets.push(format!("#a{i} = :a{i}"));
            }
            None => removes.push(format!("#a{i}")),
        }
    }
    let mut clauses = Vec::new();
    for (verb, parts) in [("SET", sets), ("REMOVE", removes)] {
        if !parts.is_empty() {
            clauses.push(format!("{verb} {}", parts.join(", ")));
        }
    }
    UpdateItemInput {
        table_name: Some(model.table.clone()),
        key: Some(key.item(&model.keys).into()),
        update_expression: (!clauses.is_empty()).then(|| clauses.join(" ")),
        expression_attribute_names: Some(names),
        expression_attribute_values: (!values.is_empty()).then(|| values.into()),
        return_values: Some(ReturnValue::AllOld),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..UpdateItemInput::default()
    }
}

/// A list's place: the index (none for the base table), its key attributes and the templates in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'m> {
    pub(crate) index: Option<&'m str>,
    pub(crate) names: &'m KeyNames,
    pub(crate) keys: &'m KeyTemplates,
}

impl<'m> Place<'m> {
    /// Where a relation's list is read.
    pub(crate) fn of(
        model: &'m Model,
        relation: &'m Relation,
        direction: Direction,
        order: Option<Order>,
    ) -> Self {
        let in_index = |keys: &'m IndexKeys| Self {
            index: Some(&keys.index),
            names: model.index(&keys.index).map_or(&model.keys, |i| &i.keys),
            keys: &keys.keys,
        };
        match (direction, order, &relation.forward) {
            (Direction::Out, Some(Order::Time), Some(forward)) => in_index(forward),
            (Direction::Out, ..) => Self {
                index: None,
                names: &model.keys,
                keys: &relation.key,
            },
            (Direction::In, ..) => in_index(&relation.inverse),
        }
    }
}

/// One page of what stands under a partition key, restricted to a prefix of the sort key where one is given.
pub(crate) fn query(model: &Model, place: &Place<'_>, pk: &str, prefix: &str) -> QueryInput {
    let mut names = BTreeMap::from([("#pk".to_owned(), place.names.pk.clone())]);
    let mut values = BTreeMap::from([(":pk".to_owned(), Value::S(pk.to_owned()))]);
    let mut condition = "#pk = :pk".to_owned();
    if !prefix.is_empty() {
        names.insert("#sk".to_owned(), place.names.sk.clone());
        values.insert(":sk".to_owned(), Value::S(prefix.to_owned()));
        condition.push_str(" AND begins_with(#sk, :sk)");
    }
    QueryInput {
        table_name: Some(model.table.clone()),
        index_name: place.index.map(str::to_owned),
        select: place.index.map(|_| Select::AllProjectedAttributes),
        consistent_read: place.index.is_none().then_some(true),
        key_condition_expression: Some(condition),
        expression_attribute_names: Some(names),
        expression_attribute_values: Some(values.into()),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..QueryInput::default()
    }
}

/// One page of a part of a list.
pub(crate) fn range(model: &Model, place: &Place<'_>, pk: &str, range: &Range) -> QueryInput {
    let (condition, bounds) = match range {
        Range::Prefix(prefix) => return query(model, place, pk, prefix),
        Range::Between(from, to) => ("BETWEEN :sk AND :to", [Some(from), Some(to)]),
        Range::From(from) => (">= :sk", [Some(from), None]),
        Range::To(to) => ("<= :to", [None, Some(to)]),
        Range::Nothing => ("< :sk", [None, None]),
    };
    let mut input = query(model, place, pk, "");
    if let Some(expression) = &mut input.key_condition_expression {
        let _ = write!(expression, " AND #sk {condition}");
    }
    if let Some(names) = &mut input.expression_attribute_names {
        names.insert("#sk".to_owned(), place.names.sk.clone());
    }
    if let Some(values) = &mut input.expression_attribute_values {
        for (name, bound) in [":sk", ":to"].into_iter().zip(bounds) {
            if let Some(bound) = bound {
                values
                    .value
                    .insert(name.to_owned(), Value::S(bound.clone()));
            }
        }
    }
    input
}

/// The partition key of an id's list.
pub(crate) fn list_partition(template: &Template, id: &str) -> String {
    template.fill(&Filling {
        id: id.into(),
        source: id.into(),
        target: id.into(),
        ..Filling::default()
    })
}

/// A relation's list of one id.
pub(crate) fn list(model: &Model, place: &Place<'_>, id: &str) -> QueryInput {
    let pk = list_partition(&place.keys.pk, id);
    query(model, place, &pk, place.keys.sk.prefix())
}

/// Where an entity is shown from: its own partition; or, where no edge leaves it, the index that holds it beside the
/// edges that reach it.
pub(crate) fn show_place<'m>(model: &'m Model, entity: &'m Entity) -> Place<'m> {
    let is_source = model.relations.iter().any(|r| r.from == entity.name);
    match &entity.indexed {
        Some(indexed) if !is_source => Place {
            index: Some(&indexed.index),
            names: model.index(&indexed.index).map_or(&model.keys, |i| &i.keys),
            keys: &indexed.keys,
        },
        _ => Place {
            index: None,
            names: &model.keys,
            keys: &entity.key,
        },
    }
}

/// An entity and what stands beside it.
pub(crate) fn show(model: &Model, entity: &Entity, id: &str) -> QueryInput {
    let place = show_place(model, entity);
    let pk = list_partition(&place.keys.pk, id);
    query(model, &place, &pk, "")
}

/// A transaction of these actions. The token makes sending it again harmless for ten minutes
/// (API Reference, `TransactWriteItems`, `ClientRequestToken`).
pub(crate) fn transaction(actions: Vec<TransactWriteItem>, token: &str) -> TransactWriteItemsInput {
    TransactWriteItemsInput {
        transact_items: Some(actions),
        client_request_token: Some(token.to_owned()),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..TransactWriteItemsInput::default()
    }
}

/// A key in words: `PK = ACTOR#alice, SK = PROFILE`.
pub(crate) fn key_words(key: &Item, names: &KeyNames) -> String {
    let text = |name: &str| match key.get(name) {
        Some(ValueRef::S(text)) => text.to_owned(),
        _ => "?".to_owned(),
    };
    format!(
        "{} = {}, {} = {}",
        names.pk,
        text(&names.pk),
        names.sk,
        text(&names.sk)
    )
}

/// A `Query`'s key condition in words: the partition, and the range where there is one.
pub(crate) fn query_words(input: &QueryInput) -> (String, Option<String>) {
    let name = |key: &str| {
        let names = input.expression_attribute_names.as_ref();
        names.and_then(|n| n.get(key)).cloned().unwrap_or_default()
    };
    let value = |key: &str| {
        let values = input.expression_attribute_values.as_ref();
        match values.and_then(|v| v.value.get(key)) {
            Some(Value::S(text)) => Some(text.clone()),
            _ => None,
        }
    };
    let partition = format!("{} = {}", name("#pk"), value(":pk").unwrap_or_default());
    let prefix = |sk: &str| sk.contains("begins_with");
    let by_prefix = input
        .key_condition_expression
        .as_deref()
        .is_some_and(prefix);
    let sk = name("#sk");
    let range = match (value(":sk"), value(":to")) {
        (Some(from), Some(to)) => Some(format!("{sk} between {from} and {to}")),
        (Some(prefix), None) if by_prefix => Some(format!("begins_with({sk}, {prefix})")),
        (Some(from), None) => Some(format!("{sk} >= {from}")),
        (None, Some(to)) => Some(format!("{sk} <= {to}")),
        (None, None) => None,
    };
    (partition, range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shipped;

    #[test]
    fn an_undirected_edge_has_one_key() {
        let model = shipped("friendships").unwrap().model;
        let friends = model.relation("friends").unwrap();
        let key = |a, b| {
            let (source, target) = ends(friends, a, b);
            edge_key(&model, friends, source, target).unwrap()
        };
        assert_eq!(key("zoe", "al"), key("al", "zoe"));
        assert_eq!(key("zoe", "al").sk, "FRIEND#zoe");
    }

    #[test]
    fn ids_that_no_key_holds_are_refused() {
        let model = shipped("follow").unwrap().model;
        let follows = model.relation("follows").unwrap();
        let long = "x".repeat(SORT_KEY_BYTES);
        for (source, target, message) in [
            ("", "bob", "source is empty"),
            ("alice", "", "target is empty"),
            (
                "alice",
                long.as_str(),
                "source or target is too long: its key SK would have 1031 bytes, and 1024 are allowed",
            ),
            (
                long.as_str(),
                "bob",
                "source or target is too long: its key GSI1SK would have 1030 bytes, and 1024 are allowed",
            ),
        ] {
            let error = edge_key(&model, follows, source, target).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn each_list_is_a_query_on_its_prefix() {
        let model = shipped("school").unwrap().model;
        let enrolled = model.relation("enrolled").unwrap();
        for (direction, id, index, partition, range) in [
            (
                Direction::Out,
                "a91",
                None,
                "PK = STU#a91",
                "begins_with(SK, ENROLL#CRS#)",
            ),
            (
                Direction::In,
                "m#1",
                Some("GSI1"),
                "GSI1PK = CRS#m%231",
                "begins_with(GSI1SK, STU#)",
            ),
        ] {
            let place = Place::of(&model, enrolled, direction, None);
            let input = list(&model, &place, id);
            assert_eq!(input.index_name.as_deref(), index);
            assert_eq!(input.consistent_read, index.is_none().then_some(true));
            assert_eq!(
                query_words(&input),
                (partition.to_owned(), Some(range.to_owned()))
            );
        }
    }
}
