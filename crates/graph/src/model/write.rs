//! A model to its file: what [`Model::parse`] reads back equal.

use super::parts::LOOPS;
use super::{
    Attribute, Counters, Entity, Index, IndexKeys, KeyTemplates, Loops, Model, Order, Pattern,
    Preset, Projection, Relation, Removal,
};
use std::fmt::Write as _;

/// A TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn line(out: &mut String, key: &str, value: &str) {
    let _ = writeln!(out, "{key} = {value}");
}

fn templates(keys: &KeyTemplates) -> String {
    let (pk, sk) = (quoted(keys.pk.as_str()), quoted(keys.sk.as_str()));
    format!("pk = {pk}, sk = {sk}")
}

fn index_keys(keys: &IndexKeys) -> String {
    format!(
        "{{ index = {}, {} }}",
        quoted(&keys.index),
        templates(&keys.keys)
    )
}

fn attributes(out: &mut String, attributes: &[Attribute]) {
    if attributes.is_empty() {
        return;
    }
    out.push_str("attributes = [\n");
    for attribute in attributes {
        let (name, kind) = (quoted(&attribute.name), quoted(attribute.kind.as_str()));
        let _ = write!(out, "  {{ name = {name}, type = {kind}");
        match &attribute.preset {
            None => {}
            Some(Preset::Now) => out.push_str(", default = \"now\""),
            Some(Preset::Value(value)) => {
                let _ = write!(out, ", value = {}", quoted(value));
            }
        }
        out.push_str(" },\n");
    }
    out.push_str("]\n");
}

impl Model {
    /// The model as a file.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        line(&mut out, "name", &quoted(&self.name));
        line(&mut out, "table", &quoted(&self.table));
        let (pk, sk) = (quoted(&self.keys.pk), quoted(&self.keys.sk));
        line(&mut out, "keys", &format!("{{ pk = {pk}, sk = {sk} }}"));
        for (key, set) in [
            ("upsert_entities", self.upsert_entities),
            ("referential", self.referential),
        ] {
            if set {
                line(&mut out, key, "true");
            }
        }
        if let Some(ttl) = &self.ttl {
            line(&mut out, "ttl", &quoted(ttl));
        }
        for index in &self.indexes {
            index.write(&mut out);
        }
        for entity in &self.entities {
            entity.write(&mut out);
        }
        for relation in &self.relations {
            relation.write(&mut out);
        }
        for pattern in &self.patterns {
            pattern.write(&mut out);
        }
        out
    }
}

impl Index {
    fn write(&self, out: &mut String) {
        out.push_str("\n[[index]]\n");
        line(out, "name", &quoted(&self.name));
        line(out, "pk", &quoted(&self.keys.pk));
        line(out, "sk", &quoted(&self.keys.sk));
        let projection = match &self.projection {
            Projection::All => quoted("ALL"),
            Projection::KeysOnly => quoted("KEYS_ONLY"),
            Projection::Include(names) => {
                let names: Vec<String> = names.iter().map(|n| quoted(n)).collect();
                format!("[{}]", names.join(", "))
            }
        };
        line(out, "projection", &projection);
        if self.local {
            line(out, "local", "true");
        }
    }
}

impl Entity {
    fn write(&self, out: &mut String) {
        out.push_str("\n[[entity]]\n");
        line(out, "name", &quoted(&self.name));
        line(out, "key", &format!("{{ {} }}", templates(&self.key)));
        if let Some(indexed) = &self.indexed {
            line(out, "indexed", &index_keys(indexed));
        }
        attributes(out, &self.attributes);
    }
}

impl Relation {
    fn write(&self, out: &mut String) {
        out.push_str("\n[[relation]]\n");
        line(out, "name", &quoted(&self.name));
        line(out, "from", &quoted(&self.from));
        line(out, "to", &quoted(&self.to));
        line(out, "out", &quoted(&self.out_label));
        line(out, "in", &quoted(&self.in_label));
        if self.undirected {
            line(out, "undirected", "true");
        }
        line(out, "key", &format!("{{ {} }}", templates(&self.key)));
        line(out, "inverse", &index_keys(&self.inverse));
        if let Some(forward) = &self.forward {
            line(out, "forward", &index_keys(forward));
        }
        if let Some(shard) = &self.shard {
            let pk = quoted(shard.pk.as_str());
            line(
                out,
                "shard",
                &format!("{{ pk = {pk}, max = {} }}", shard.max),
            );
        }
        let order = match self.order {
            Order::Id => "id",
            Order::Time => "time",
        };
        line(out, "order", &quoted(order));
        self.counters.write(out);
        if let Some((word, _)) = LOOPS.iter().find(|(_, l)| *l == self.loops)
            && self.loops != Loops::default()
        {
            line(out, "loops", &quoted(word));
        }
        if let Removal::Soft { keep } = self.removal {
            line(out, "removal", &quoted("soft"));
            line(out, "keep", &keep.to_string());
        }
        if self.peak > 0 {
            line(out, "peak", &self.peak.to_string());
        }
        attributes(out, &self.attributes);
    }
}

impl Counters {
    fn write(&self, out: &mut String) {
        let named = [("out", &self.out), ("in", &self.inward)];
        let parts: Vec<String> = named
            .iter()
            .filter_map(|(side, name)| Some(format!("{side} = {}", quoted(name.as_ref()?))))
            .collect();
        if !parts.is_empty() {
            line(out, "counters", &format!("{{ {} }}", parts.join(", ")));
        }
    }
}

impl Pattern {
    fn write(&self, out: &mut String) {
        out.push_str("\n[[pattern]]\n");
        line(out, "name", &quoted(&self.name));
        line(out, "read", &quoted(self.access.verb()));
        line(out, "of", &quoted(self.access.of()));
        if let super::Access::Find { by, .. } = &self.access {
            line(out, "by", &quoted(by));
        }
        line(out, "items", &self.items.to_string());
        line(out, "bytes", &self.bytes.to_string());
        if let Some(strong) = self.strong {
            let word = if strong { "strong" } else { "eventual" };
            line(out, "consistency", &quoted(word));
        }
    }
}
