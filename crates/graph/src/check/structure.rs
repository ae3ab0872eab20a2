//! Whether names fit together and every key can name what it must.

use super::Findings;
use crate::keys::{Slot, Template};
use crate::model::{
    Entity, IndexKeys, KeyTemplates, Loops, MAX_SHARDS, Model, Order, Preset, Projection, Relation,
    companion,
};
use crate::requests::{CLOSED, EDGE_OWN, index_keys};
use crate::shard;

/// Transactional changes that one counter takes in a second: 2 write units each of the 1,000 of a partition
/// (Developer Guide, "Burst and adaptive capacity"; "Managing complex workflows with transactions").
const COUNTER_WRITES: u32 = 500;
/// Writes that one index key takes in a second (same source).
const KEY_WRITES: u32 = 1000;

pub(super) fn check(model: &Model, found: &mut Findings<'_>) {
    for index in &model.indexes {
        let same_partition = index.keys.pk == model.keys.pk;
        if index.local != same_partition {
            let message = if index.local {
                "a local index has the table's own partition key"
            } else {
                "an index with the table's partition key lists nothing by target"
            };
            found.problem(&format!("index.{}.pk", index.name), message, None);
        }
    }
    for entity in &model.entities {
        entity_keys(model, entity, found);
    }
    for relation in &model.relations {
        relation_ends(model, relation, found);
        relation_keys(model, relation, found);
        inverse(model, relation, found);
        shards(model, relation, found);
        names(model, relation, found);
        if relation.undirected {
            undirected(relation, found);
        } else if relation.loops == Loops::Twice {
            let path = format!("relation.{}.loops", relation.name);
            let message =
                "each end of a directed edge has a counter of its own: nothing counts twice";
            found.problem(&path, message, None);
        }
        left_out(model, relation, found);
    }
    counters(model, found);
    expiry(model, found);
}

/// An attribute for time to live is nothing else.
fn expiry(model: &Model, found: &mut Findings<'_>) {
    let Some(ttl) = &model.ttl else { return };
    let entities = model.entities.iter();
    let counted = entities.flat_map(|e| model.counters_of(&e.name));
    let mut taken = model.key_attributes();
    taken.extend(counted);
    taken.extend(EDGE_OWN);
    if taken.contains(&ttl.as_str()) {
        let message = format!("{ttl} is another attribute's name");
        found.problem("ttl", message, "ttl = \"expiresAt\"".to_owned());
    }
}

/// Wants exactly these slots in a template.
fn slots(path: &str, template: &Template, want: &[Slot], found: &mut Findings<'_>) -> bool {
    let have: Vec<Slot> = template.slots().collect();
    if let Some(twice) = have
        .iter()
        .enumerate()
        .find(|(i, s)| have[..*i].contains(s))
    {
        found.problem(path, format!("{{{}}} stands twice", twice.1.name()), None);
        return false;
    }
    if let Some(extra) = have.iter().find(|s| !want.contains(s)) {
        found.problem(
            path,
            format!("{{{}}} has no place here", extra.name()),
            None,
        );
        return false;
    }
    if let Some(missing) = want.iter().find(|s| !have.contains(s)) {
        found.problem(path, format!("{{{}}} is missing", missing.name()), None);
        return false;
    }
    true
}

fn entity_keys(model: &Model, entity: &Entity, found: &mut Findings<'_>) {
    let path = format!("entity.{}", entity.name);
    slots(
        &format!("{path}.key.pk"),
        &entity.key.pk,
        &[Slot::Id],
        found,
    );
    for attribute in entity.attributes.iter().filter(|a| a.preset.is_some()) {
        let path = format!("{path}.attributes.{}", attribute.name);
        found.problem(&path, "only an edge's attributes fill themselves", None);
    }
    let own = |t: &Template| t.slots().all(|s| s == Slot::Id);
    if !own(&entity.key.sk) {
        found.problem(
            &format!("{path}.key.sk"),
            "only {id} has a place here",
            None,
        );
    }
    if let Some(indexed) = &entity.indexed {
        known_index(model, &format!("{path}.indexed"), indexed, found);
        slots(
            &format!("{path}.indexed.pk"),
            &indexed.keys.pk,
            &[Slot::Id],
            found,
        );
        own_keys(
            model,
            &format!("{path}.indexed"),
            &entity.key,
            indexed,
            found,
        );
        counters_in_index(model, entity, indexed, found);
    }
}

fn known_index(model: &Model, path: &str, keys: &IndexKeys, found: &mut Findings<'_>) -> bool {
    if model.index(&keys.index).is_some() {
        return true;
    }
    let names: Vec<&str> = model.indexes.iter().map(|i| i.name.as_str()).collect();
    let hint = format!("there are {}", names.join(", "));
    let message = format!("there is no index {:?}", keys.index);
    found.problem(
        &format!("{path}.index"),
        message,
        (!names.is_empty()).then_some(hint),
    );
    false
}

/// An index key attribute that is the table's own key holds what the table's key holds.
fn own_keys(
    model: &Model,
    path: &str,
    base: &KeyTemplates,
    keys: &IndexKeys,
    found: &mut Findings<'_>,
) {
    let Some(index) = model.index(&keys.index) else {
        return;
    };
    for (part, name, template) in [
        ("pk", &index.keys.pk, &keys.keys.pk),
        ("sk", &index.keys.sk, &keys.keys.sk),
    ] {
        let own = if *name == model.keys.pk {
            &base.pk
        } else if *name == model.keys.sk {
            &base.sk
        } else {
            continue;
        };
        if own != template {
            let message = format!("{name} is the table's own key, so it holds {own}");
            found.problem(
                &format!("{path}.{part}"),
                message,
                format!("{part} = \"{own}\""),
            );
        }
    }
}

/// Prices counters that an index copies: each edge then rewrites an index row under the hot key.
fn counters_in_index(model: &Model, entity: &Entity, keys: &IndexKeys, found: &mut Findings<'_>) {
    let Some(index) = model.index(&keys.index) else {
        return;
    };
    let copied: Vec<String> = model
        .counters_of(&entity.name)
        .into_iter()
        .flat_map(|c| [c.to_owned(), companion(c)])
        .filter(|name| match &index.projection {
            Projection::All => true,
            Projection::KeysOnly => false,
            Projection::Include(names) => names.contains(name),
        })
        .collect();
    if !copied.is_empty() {
        let message = format!(
            "{} copies {}: every edge of a {} rewrites its index row, 1 more write unit on the key of the list",
            index.name,
            copied.join(", "),
            entity.name
        );
        let hint = format!(
            "projection = [\"…\"] on {} without the counters",
            index.name
        );
        found.warning(&format!("entity.{}.indexed", entity.name), message, hint);
    }
}

fn relation_ends(model: &Model, relation: &Relation, found: &mut Findings<'_>) {
    for (side, entity) in [("from", &relation.from), ("to", &relation.to)] {
        if model.entity(entity).is_none() {
            let known: Vec<&str> = model.entities.iter().map(|e| e.name.as_str()).collect();
            let path = format!("relation.{}.{side}", relation.name);
            let hint = format!("there are {}", known.join(", "));
            found.problem(&path, format!("there is no entity {entity:?}"), hint);
        }
    }
}

fn relation_keys(model: &Model, relation: &Relation, found: &mut Findings<'_>) {
    let path = format!("relation.{}", relation.name);
    slots(
        &format!("{path}.key.pk"),
        &relation.key.pk,
        &[Slot::Source],
        found,
    );
    slots(
        &format!("{path}.key.sk"),
        &relation.key.sk,
        &[Slot::Target],
        found,
    );
    if let Some(forward) = &relation.forward {
        let path = format!("{path}.forward");
        if known_index(model, &path, forward, found) {
            slots(
                &format!("{path}.pk"),
                &forward.keys.pk,
                &[Slot::Source],
                found,
            );
            let want = [Slot::Position, Slot::Target];
            slots(&format!("{path}.sk"), &forward.keys.sk, &want, found);
            own_keys(model, &path, &relation.key, forward, found);
        }
    }
}

fn inverse(model: &Model, relation: &Relation, found: &mut Findings<'_>) {
    let path = format!("relation.{}.inverse", relation.name);
    let keys = &relation.inverse;
    if !known_index(model, &path, keys, found) {
        return;
    }
    let Some(index) = model.index(&keys.index) else {
        return;
    };
    if index.local {
        let message = format!(
            "{} is a local index: its partition key is the table's, so it cannot list by target",
            index.name
        );
        let hint = "a global index: local = false, with key attributes of its own".to_owned();
        found.problem(&path, message, hint);
        return;
    }
    if keys.keys.pk.has(Slot::Target) {
        slots(&format!("{path}.pk"), &keys.keys.pk, &[Slot::Target], found);
    } else {
        let message = format!(
            "the target is missing, so no list belongs to one {}",
            relation.to
        );
        let hint = format!("pk = \"{}\"", target_key(relation));
        found.problem(&format!("{path}.pk"), message, hint);
    }
    let sk = format!("{path}.sk");
    if !keys.keys.sk.has(Slot::Source) {
        let message = format!(
            "the source is missing, so a list by {} cannot name its {}s",
            relation.to, relation.from
        );
        found.problem(&sk, message, format!("sk = \"{}\"", relation.key.pk));
        return;
    }
    match relation.order {
        Order::Id => slots(&sk, &keys.keys.sk, &[Slot::Source], found),
        Order::Time => {
            let want = [Slot::Position, Slot::Source];
            let ordered = slots(&sk, &keys.keys.sk, &want, found);
            if ordered && keys.keys.sk.slots().next() != Some(Slot::Position) {
                let hint = format!("sk = \"{{pos}}#{}\"", relation.key.pk);
                found.problem(&sk, "{pos} orders by time only before {src}", hint);
            }
            ordered
        }
    };
    own_keys(model, &path, &relation.key, keys, found);
}

/// How a target would be written as a partition key, for a hint.
fn target_key(relation: &Relation) -> String {
    format!("{}#{{dst}}", relation.to.to_uppercase())
}

fn shards(model: &Model, relation: &Relation, found: &mut Findings<'_>) {
    let path = format!("relation.{}", relation.name);
    let plain = model
        .index(&relation.inverse.index)
        .is_some_and(|i| model.is_plain_inverted(i));
    if let Some(shard) = &relation.shard {
        let here = format!("{path}.shard");
        if plain {
            let message = format!(
                "{} is the table's key turned round, so it has no attribute that a shard could go into",
                relation.inverse.index
            );
            found.problem(
                &here,
                message,
                "an index with key attributes of its own".to_owned(),
            );
        }
        slots(
            &format!("{here}.pk"),
            &shard.pk,
            &[Slot::Target, Slot::Shard],
            found,
        );
        if shard.max == 0 || shard.max > MAX_SHARDS {
            let message = format!("1 to {MAX_SHARDS} shards: a list reads every one");
            found.problem(&format!("{here}.max"), message, None);
        }
    }
    let one_key = if relation.counters.inward.is_some() {
        COUNTER_WRITES
    } else {
        KEY_WRITES
    };
    let needed = relation.peak.div_ceil(one_key);
    let peak = format!("{path}.peak");
    match &relation.shard {
        None if needed > 1 => {
            let message = format!(
                "a target that takes {} links a second is hot: one key takes {one_key}, and there is no shard rule",
                relation.peak
            );
            let hint = format!(
                "shard = {{ pk = \"{}#{{k}}\", max = {} }}",
                relation.inverse.keys.pk,
                needed.next_power_of_two().min(MAX_SHARDS)
            );
            found.problem(&peak, message, hint);
        }
        Some(shard) if needed > shard.max => {
            let message = format!(
                "{} links a second need {needed} shards, and the rule allows {}",
                relation.peak, shard.max
            );
            found.problem(&peak, message, None);
        }
        _ => {}
    }
}

/// Attribute names that something else needs, and fixed values that are none.
fn names(model: &Model, relation: &Relation, found: &mut Findings<'_>) {
    let taken = model.key_attributes();
    for attribute in &relation.attributes {
        let name = attribute.name.as_str();
        let path = format!("relation.{}.attributes.{name}", relation.name);
        if taken.contains(&name) || EDGE_OWN.contains(&name) {
            found.problem(&path, format!("{name} is taken by the layer itself"), None);
        }
        if let Some(Preset::Value(fixed)) = &attribute.preset
            && let Err(error) = attribute.parse(fixed)
        {
            found.problem(&path, error.to_string(), None);
        }
    }
}

fn undirected(relation: &Relation, found: &mut Findings<'_>) {
    let path = format!("relation.{}", relation.name);
    if relation.from != relation.to {
        let message = "an undirected relation joins entities of one kind";
        found.problem(&format!("{path}.undirected"), message, None);
    }
    if relation.order != Order::Id || relation.forward.is_some() {
        let message = "an undirected relation lists by id: its lists merge the table and the index";
        found.problem(&format!("{path}.order"), message, None);
    }
    if relation.shard.is_some() {
        let message = "an undirected relation has no hot side to shard";
        found.problem(&format!("{path}.shard"), message, None);
    }
    if relation.counters.out != relation.counters.inward {
        let message = "both ends of an undirected relation have the same counter";
        let hint = format!("counters = {{ both = \"{}\" }}", relation.name);
        found.problem(&format!("{path}.counters"), message, hint);
    }
}

/// Attributes that the inverse list does not carry.
fn left_out(model: &Model, relation: &Relation, found: &mut Findings<'_>) {
    for keys in index_keys(relation) {
        let Some(index) = model.index(&keys.index) else {
            continue;
        };
        let carried = |name: &String| match &index.projection {
            Projection::All => true,
            Projection::KeysOnly => false,
            Projection::Include(names) => names.contains(name),
        };
        let names = relation.attributes.iter().map(|a| &a.name);
        let missing: Vec<&str> = names.filter(|n| !carried(n)).map(String::as_str).collect();
        if !missing.is_empty() {
            let message = format!(
                "{} does not copy {}: lists by {} come without",
                index.name,
                missing.join(", "),
                relation.to
            );
            found.warning(&format!("index.{}.projection", index.name), message, None);
        }
    }
}

/// Counter names: one counter, one relation; nothing else under the same name.
fn counters(model: &Model, found: &mut Findings<'_>) {
    let keys = model.key_attributes();
    for entity in &model.entities {
        for name in shard::attributes_of(model, &entity.name) {
            if entity.attributes.iter().any(|a| a.name == name) || keys.contains(&name.as_str()) {
                let path = format!("entity.{}.attributes.{name}", entity.name);
                found.problem(&path, format!("{name} is taken by the layer itself"), None);
            }
        }
        let mut seen: Vec<(&str, &str)> = Vec::new();
        for relation in &model.relations {
            let out = (relation.from == entity.name).then_some(&relation.counters.out);
            let inward = (relation.to == entity.name && !relation.undirected)
                .then_some(&relation.counters.inward);
            for name in [out, inward].into_iter().flatten().flatten() {
                let path = format!("relation.{}.counters", relation.name);
                if let Some((_, other)) = seen.iter().find(|(n, _)| n == name) {
                    let message = format!("{name} counts {other} on the {} already", entity.name);
                    found.problem(&path, message, None);
                }
                seen.push((name, &relation.name));
                let declared = entity.attributes.iter().any(|a| a.name == *name);
                if keys.contains(&name.as_str()) || name == CLOSED || declared {
                    found.problem(&path, format!("{name} is another attribute's name"), None);
                }
            }
        }
    }
}
