//! `get` of several entities.

use super::counters_json;
use crate::args::Get;
use crate::failure::{Exit, Failure};
use crate::print::{
    Paint, Table, Tint, attribute_cell, columns, item_json, plural, title, visible,
};
use crate::report::Report;
use crate::session::Session;
use bothways_core::Item;
use bothways_graph::model::Entity;
use bothways_graph::{Done, EntityItem, Receipt};
use serde_json::{Map, Value as Json, json};

/// Several entities of a kind.
pub(super) async fn get(args: &Get, entity: Entity, session: Session<'_>) -> Result<Exit, Failure> {
    let found = session
        .graph
        .get_entities(&session.cx, &args.kind, &args.ids)
        .await;
    session.answer(found.map(|done| SeveralReport {
        args: args.clone(),
        entity,
        done,
    }))
}

struct SeveralReport {
    args: Get,
    entity: Entity,
    done: Done<Vec<Option<EntityItem>>>,
}

impl Report for SeveralReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let kind = &self.args.kind;
        let found: Vec<&EntityItem> = self.done.value.iter().flatten().collect();
        let count = plural(found.len() as u64, kind, &format!("{kind}s"));
        let mut lines = vec![format!("{count} of {}", self.done.value.len())];
        if !found.is_empty() {
            let items: Vec<&Item> = found.iter().map(|entity| &entity.attributes).collect();
            let columns = columns(&self.entity.attributes, &items, 1);
            let counters = found.first().map_or(&[][..], |entity| &entity.counters);
            let mut table = Table::new().column(title(kind));
            for (name, _) in &columns {
                table = table.column(title(name));
            }
            for (name, _) in counters {
                table = table.numbers(title(name));
            }
            for entity in &found {
                let cells = columns.iter().map(|(name, declared)| {
                    Some(attribute_cell(*declared, entity.attributes.get(name)?))
                });
                let counters = entity.counters.iter();
                let counters = counters.map(|(_, n)| Some(crate::command::count::grouped(*n)));
                let id = std::iter::once(Some(entity.id.clone()));
                table.row(id.chain(cells).chain(counters));
            }
            lines.push(String::new());
            lines.extend(table.lines(2, paint));
            lines.push(String::new());
        }
        for (id, entity) in self.args.ids.iter().zip(&self.done.value) {
            if entity.is_none() {
                let id = visible(id);
                lines.push(format!(
                    "{}  {kind} {id}",
                    paint.paint(Tint::Warn, "Not there")
                ));
            }
        }
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let entities = self.args.ids.iter().zip(&self.done.value);
        let entities = entities.map(|(id, entity)| {
            json!({
                "id": id,
                "attributes": entity.as_ref().map(|e| item_json(&e.attributes)),
                "counters": entity.as_ref().map(|e| counters_json(&e.counters)),
            })
        });
        let mut members = Map::new();
        members.insert("model".to_owned(), json!(self.args.model));
        members.insert("entity".to_owned(), json!(self.args.kind));
        members.insert("entities".to_owned(), entities.collect());
        members
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn exit(&self) -> Exit {
        if self.done.value.iter().all(Option::is_some) {
            Exit::Done
        } else {
            Exit::No
        }
    }
}
