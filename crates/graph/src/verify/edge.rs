//! What can be wrong with one edge.

use super::FindingKind;
use crate::edge::Edge;
use crate::keys::{Filling, Template, escape};
use crate::model::{AttributeType, IndexKeys, Model, Relation};
use crate::read;
use crate::requests::{POSITION, index_keys};
use bothways_core::{Item, ValueRef};

/// The position of an edge: as stored, else its moment, else 0.
pub(crate) fn position_of(relation: &Relation, item: &Item) -> u64 {
    if let Some(at) = read::unsigned(item, POSITION) {
        return at;
    }
    let times = relation
        .attributes
        .iter()
        .filter(|a| a.kind == AttributeType::Time);
    let mut times = times.filter_map(|a| read::unsigned(item, &a.name));
    times
        .next()
        .map_or(0, |seconds| seconds.saturating_mul(1000))
}

/// An index attribute that an edge should have: name, and the value where it is missing or wrong.
pub(crate) struct IndexAttribute<'m> {
    pub(crate) name: &'m str,
    pub(crate) value: String,
    /// What is there, where it is wrong.
    pub(crate) wrong: Option<String>,
}

/// The index attributes that an edge lacks or has wrong.
pub(crate) fn index_attributes<'m>(
    model: &'m Model,
    relation: &'m Relation,
    edge: &Edge,
    item: &Item,
) -> Vec<IndexAttribute<'m>> {
    let mut out: Vec<IndexAttribute<'m>> = Vec::new();
    for (number, keys) in index_keys(relation).enumerate() {
        let Some(index) = model.index(&keys.index) else {
            continue;
        };
        let at = standing(model, keys, item).unwrap_or_else(|| position_of(relation, item));
        let filling = Filling::edge(&edge.source, &edge.target).at(at);
        // The first is the inverse list, which may be spread.
        let rule = relation.shard.as_ref().filter(|_| number == 0);
        let shards = rule.map(|rule| &rule.pk);
        for (name, template, shards) in [
            (&index.keys.pk, &keys.keys.pk, shards),
            (&index.keys.sk, &keys.keys.sk, None),
        ] {
            let known = out.iter().any(|a| a.name == name);
            if known || *name == model.keys.pk || *name == model.keys.sk {
                continue;
            }
            let there = item.get(name).map(|value| match value {
                ValueRef::S(text) => text.to_owned(),
                other => format!("of type {}", other.type_name()),
            });
            let fits = |text: &String| {
                let by = |template: &Template| {
                    let filled = template.read(text);
                    filled.is_some_and(|f| names(template, &f, edge))
                };
                by(template) || shards.is_some_and(by)
            };
            if there.as_ref().is_none_or(|text| !fits(text)) {
                let value = template.fill(&filling);
                out.push(IndexAttribute {
                    name,
                    value,
                    wrong: there,
                });
            }
        }
    }
    out
}

/// Whether what was read from a key are the ends of the edge.
fn names(template: &Template, filled: &Filling<'_>, edge: &Edge) -> bool {
    use crate::keys::Slot;
    (!template.has(Slot::Source) || filled.source == edge.source)
        && (!template.has(Slot::Target) || filled.target == edge.target)
}

/// The position that stands in an edge's index key already.
fn standing(model: &Model, keys: &IndexKeys, item: &Item) -> Option<u64> {
    let index = model.index(&keys.index)?;
    let at = keys
        .keys
        .sk
        .read(read::text(item, &index.keys.sk)?)?
        .position;
    (at > 0).then_some(at)
}

/// What is wrong with an edge by itself.
pub(super) fn faults(
    model: &Model,
    relation: &Relation,
    edge: &Edge,
    item: &Item,
) -> Vec<(FindingKind, String)> {
    let mut faults = Vec::new();
    if edge.source.is_empty() || edge.target.is_empty() {
        faults.push((FindingKind::Key, "one of its ends has no id".to_owned()));
    } else if relation.undirected && escape(&edge.target) < escape(&edge.source) {
        let what = "its ends are in the wrong order, so no read finds it";
        faults.push((FindingKind::Key, what.to_owned()));
    }
    for attribute in index_attributes(model, relation, edge, item) {
        let IndexAttribute { name, value, wrong } = attribute;
        faults.push(match wrong {
            None => (
                FindingKind::MissingIndex,
                format!("it has no {name}; {value} belongs there"),
            ),
            Some(wrong) => {
                let what = format!("{name} is {wrong}; {value} belongs there");
                (FindingKind::WrongIndex, what)
            }
        });
    }
    faults
}
