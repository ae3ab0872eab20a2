//! `model show`.

use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{Paint, Screen, Table, Tint};
use crate::report::{self, Advice, Report};
use bothways_graph::model::{
    Attribute, Entity, Index, KeyNames, KeyTemplates, Loaded, Model, Order, Preset, Projection,
    Relation,
};
use serde_json::{Map, Value as Json, json};

/// Prints a model, or its file.
pub(crate) fn show(argument: &str, toml: bool, screen: &Screen) -> Result<Exit, Failure> {
    let loaded = models::load(argument)?;
    if toml {
        screen.line(loaded.source.text.trim_end())?;
        return Ok(Exit::Done);
    }
    let argument = argument.to_owned();
    report::print(screen, &ShowReport { argument, loaded })
}

struct ShowReport {
    argument: String,
    loaded: Loaded,
}

/// `PK = ACTOR#{id} · SK = PROFILE`.
fn keys(names: &KeyNames, templates: &KeyTemplates) -> String {
    let (pk, sk) = (templates.pk.as_str(), templates.sk.as_str());
    format!("{} = {pk} · {} = {sk}", names.pk, names.sk)
}

fn attributes(attributes: &[Attribute]) -> String {
    let one = |a: &Attribute| {
        let preset = match &a.preset {
            Some(Preset::Now) => ", now".to_owned(),
            Some(Preset::Value(value)) => format!(", always {value}"),
            None => String::new(),
        };
        format!("{} ({}{preset})", a.name, a.kind.as_str())
    };
    attributes.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn index(index: &Index) -> String {
    let projection = match &index.projection {
        Projection::All => "all attributes".to_owned(),
        Projection::KeysOnly => "keys only".to_owned(),
        Projection::Include(names) => format!("keys and {}", names.join(", ")),
    };
    format!("{}, {}: {projection}", index.keys.pk, index.keys.sk)
}

impl ShowReport {
    fn model(&self) -> &Model {
        &self.loaded.model
    }

    fn entity(&self, entity: &Entity) -> Vec<(&str, String)> {
        let mut rows = vec![("item", keys(&self.model().keys, &entity.key))];
        if let Some(indexed) = &entity.indexed
            && let Some(index) = self.model().index(&indexed.index)
        {
            rows.push(("in its index", keys(&index.keys, &indexed.keys)));
        }
        let counters = self.model().counters_of(&entity.name);
        if !counters.is_empty() {
            rows.push(("counters", counters.join(", ")));
        }
        if !entity.attributes.is_empty() {
            rows.push(("attributes", attributes(&entity.attributes)));
        }
        rows
    }

    fn relation<'m>(&'m self, relation: &'m Relation) -> Vec<(&'m str, String)> {
        let mut rows = vec![(
            relation.out_label.as_str(),
            keys(&self.model().keys, &relation.key),
        )];
        if let Some(index) = self.model().index(&relation.inverse.index) {
            let order = match relation.order {
                Order::Id => "by id",
                Order::Time => "by time",
            };
            let keys = keys(&index.keys, &relation.inverse.keys);
            rows.push((&relation.in_label, format!("{keys} · {order}")));
        }
        let counters = [&relation.counters.out, &relation.counters.inward];
        let mut counters: Vec<&str> = counters.into_iter().flatten().map(String::as_str).collect();
        counters.dedup();
        if !counters.is_empty() {
            rows.push(("counters", counters.join(", ")));
        }
        if !relation.attributes.is_empty() {
            rows.push(("attributes", attributes(&relation.attributes)));
        }
        if let Some(shard) = &relation.shard {
            rows.push((
                "hot targets",
                format!("{}, up to {} shards", shard.pk.as_str(), shard.max),
            ));
        }
        rows
    }
}

impl Report for ShowReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let model = self.model();
        let name = paint.paint(Tint::Strong, &model.name);
        let mut lines = vec![format!(
            "{name}   table {} ({}, {})",
            model.table, model.keys.pk, model.keys.sk
        )];
        for each in &model.indexes {
            lines.push(format!("  index {} ({})", each.name, index(each)));
        }
        for entity in &model.entities {
            lines.push(String::new());
            lines.push(format!("  {}", paint.paint(Tint::Strong, &entity.name)));
            lines.extend(Table::pairs(&self.entity(entity), 4, paint));
        }
        for relation in &model.relations {
            lines.push(String::new());
            let name = paint.paint(Tint::Strong, &relation.name);
            let arrow = if relation.undirected { "↔" } else { "→" };
            lines.push(format!(
                "  {name}: {} {arrow} {}",
                relation.from, relation.to
            ));
            lines.extend(Table::pairs(&self.relation(relation), 4, paint));
        }
        lines.push(String::new());
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let model = self.model();
        let entities: Vec<Json> = model
            .entities
            .iter()
            .map(|e| {
                json!({
                    "name": e.name,
                    "pk": e.key.pk.as_str(),
                    "sk": e.key.sk.as_str(),
                    "counters": model.counters_of(&e.name),
                    "attributes": e.attributes.iter().map(|a| &a.name).collect::<Vec<_>>(),
                })
            })
            .collect();
        let relations: Vec<Json> = model
            .relations
            .iter()
            .map(|r| {
                json!({
                    "name": r.name,
                    "from": r.from,
                    "to": r.to,
                    "out": r.out_label,
                    "in": r.in_label,
                    "undirected": r.undirected,
                    "pk": r.key.pk.as_str(),
                    "sk": r.key.sk.as_str(),
                    "index": r.inverse.index,
                    "index_pk": r.inverse.keys.pk.as_str(),
                    "index_sk": r.inverse.keys.sk.as_str(),
                    "attributes": r.attributes.iter().map(|a| &a.name).collect::<Vec<_>>(),
                })
            })
            .collect();
        Map::from_iter([
            ("name".to_owned(), json!(model.name)),
            ("table".to_owned(), json!(model.table)),
            ("entities".to_owned(), json!(entities)),
            ("relations".to_owned(), json!(relations)),
        ])
    }

    fn advice(&self) -> Vec<Advice> {
        match self.model().patterns.len() {
            0 => Vec::new(),
            _ => vec![Advice::run(
                "its reads and writes, proved",
                &["model", "check", &self.argument],
            )],
        }
    }
}
