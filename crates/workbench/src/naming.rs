//! A model's names for keys: "bob's followers" for `GSI1PK = TARGET#bob`.

use bothways_codegen::Naming;
use bothways_core::{Item, Value, ValueRef};
use bothways_graph::model::{KeyTemplates, Model, Order, Relation};

/// Names what the model describes.
pub struct ModelNames<'m>(pub &'m Model);

impl Naming for ModelNames<'_> {
    fn collection(
        &self,
        index: Option<&str>,
        partition: &Value,
        prefix: Option<&str>,
    ) -> Option<(String, String)> {
        let Value::S(partition) = partition else {
            return None;
        };
        self.0.relations.iter().find_map(|relation| {
            let lists = [
                (None, &relation.key, true),
                (
                    Some(relation.inverse.index.as_str()),
                    &relation.inverse.keys,
                    false,
                ),
            ];
            let (_, keys, out) = lists.into_iter().find(|(own, keys, _)| {
                *own == index && keys.pk.read(partition).is_some() && covers(keys, prefix)
            })?;
            let filling = keys.pk.read(partition)?;
            let id = if out {
                &filling.source
            } else {
                &filling.target
            };
            Some((list_name(relation, id, out), order_name(relation, out)))
        })
    }

    fn item(&self, key: &Item) -> Option<String> {
        let keys = &self.0.keys;
        let (Some(ValueRef::S(pk)), Some(ValueRef::S(sk))) = (key.get(&keys.pk), key.get(&keys.sk))
        else {
            return None;
        };
        let entity = self.0.entities.iter().find_map(|entity| {
            let filling = entity.key.pk.read(pk)?;
            entity.key.sk.read(sk)?;
            Some(format!("{} {}", entity.name, filling.id))
        });
        entity.or_else(|| {
            self.0.relations.iter().find_map(|relation| {
                let (source, target) = (relation.key.pk.read(pk)?, relation.key.sk.read(sk)?);
                let (source, target) = (source.source, target.target);
                Some(format!("the edge {source} {} {target}", relation.out_label))
            })
        })
    }
}

/// Whether a list over this prefix is the whole relation's.
fn covers(keys: &KeyTemplates, prefix: Option<&str>) -> bool {
    prefix.is_some_and(|prefix| prefix == keys.sk.prefix())
}

fn list_name(relation: &Relation, id: &str, out: bool) -> String {
    let counter = if out {
        &relation.counters.out
    } else {
        &relation.counters.inward
    };
    match counter {
        Some(counter) => format!("{id}'s {counter}"),
        None if out => format!("what {id} {}", relation.out_label),
        None => format!("what {id} {}", relation.in_label),
    }
}

fn order_name(relation: &Relation, out: bool) -> String {
    let by_time = relation.order == Order::Time && !out;
    (if by_time { "by time" } else { "by id" }).to_owned()
}
