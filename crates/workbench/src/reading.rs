//! Access patterns as what a person fills in: a place, and key templates with the ids left open.

use crate::shapes::Reading;
use bothways_graph::Model;
use bothways_graph::model::{Access, Entity, IndexKeys, KeyTemplates};

/// What a read asks for; `None` for a write, and for what the model does not hold.
pub(crate) fn reading(model: &Model, access: &Access) -> Option<Reading> {
    match access {
        Access::Out(name) => {
            let relation = model.relation(name)?;
            Some(list(None, &relation.key))
        }
        Access::In(name) => {
            let IndexKeys { index, keys } = &model.relation(name)?.inverse;
            Some(list(Some(index), keys))
        }
        Access::Edge(name) => Some(one(&model.relation(name)?.key)),
        Access::Count(name) => Some(one(&model.entity(&model.relation(name)?.to)?.key)),
        Access::Entity(name) => Some(one(&model.entity(name)?.key)),
        Access::Show(name) => Some(show(model, model.entity(name)?)),
        Access::Find { .. } | Access::Set(_) | Access::Link(_) | Access::Unlink(_) => None,
    }
}

/// A `Query` of a partition, from where the sort keys of one relation begin.
fn list(index: Option<&str>, keys: &KeyTemplates) -> Reading {
    let prefix = keys.sk.prefix();
    Reading {
        index: index.map(str::to_owned),
        pk: keys.pk.to_string(),
        sk: (!prefix.is_empty()).then(|| prefix.to_owned()),
        exact: false,
    }
}

fn one(keys: &KeyTemplates) -> Reading {
    Reading {
        index: None,
        pk: keys.pk.to_string(),
        sk: Some(keys.sk.to_string()),
        exact: true,
    }
}

/// An entity with its edges: beside it in an index where it only is a target.
fn show(model: &Model, entity: &Entity) -> Reading {
    let is_source = model.relations.iter().any(|r| r.from == entity.name);
    let (index, pk) = match &entity.indexed {
        Some(indexed) if !is_source => (Some(indexed.index.clone()), &indexed.keys.pk),
        _ => (None, &entity.key.pk),
    };
    Reading {
        index,
        pk: pk.to_string(),
        sk: None,
        exact: false,
    }
}
