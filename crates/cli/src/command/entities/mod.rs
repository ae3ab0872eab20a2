//! `get`, `put`, `rm`.

mod several;

use super::count::grouped;
use super::jobs;
use crate::args::{Entity as EntityArgs, Get, Global, Put as PutArgs, Rm};
use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{Paint, Screen, Table, Tint, attribute_cell, columns, item_json, visible};
use crate::report::{Advice, Report};
use crate::session::{Session, changes};
use bothways_graph::model::Entity;
use bothways_graph::{CascadeOptions, Done, EntityItem, Put, Receipt, Removed};
use serde_json::{Map, Value as Json, json};

/// The members that every answer about an entity begins with.
pub(super) fn members(args: &EntityArgs, outcome: &str) -> Map<String, Json> {
    let json = json!({
        "model": args.model,
        "entity": args.kind,
        "id": args.id,
        "outcome": outcome,
    });
    if let Json::Object(members) = json {
        members
    } else {
        Map::new()
    }
}

fn counters_json(counters: &[(String, i64)]) -> Json {
    Json::Object(
        counters
            .iter()
            .map(|(name, n)| (name.clone(), json!(n)))
            .collect(),
    )
}

/// `Created    student a91`.
pub(super) fn line(paint: Paint, tint: Tint, word: &str, args: &EntityArgs) -> String {
    format!(
        "{}{} {} {}",
        paint.paint(tint, word),
        " ".repeat(10 - word.len()),
        args.kind,
        visible(&args.id)
    )
}

/// `get`.
pub(crate) async fn get(args: &Get, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    let session = Session::open(&args.model, global, screen)?;
    let entity = models::entity(session.graph.model(), &args.model, &args.kind)?.clone();
    let [id] = args.ids.as_slice() else {
        return several::get(args, entity, session).await;
    };
    let found = session.graph.get_entity(&session.cx, &args.kind, id).await;
    session.answer(found.map(|done| GetReport {
        args: EntityArgs {
            model: args.model.clone(),
            kind: args.kind.clone(),
            id: id.clone(),
        },
        entity,
        done,
    }))
}

struct GetReport {
    args: EntityArgs,
    entity: Entity,
    done: Done<Option<EntityItem>>,
}

impl GetReport {
    /// The entity, unless it is archived.
    fn shown(&self) -> Option<&EntityItem> {
        let found = self.done.value.as_ref();
        found.filter(|item| item.archived.is_none())
    }
}

impl Report for GetReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        if self.done.value.is_some() && self.shown().is_none() {
            let id = visible(&self.args.id);
            return vec![format!("{} {id} is archived", self.args.kind)];
        }
        let Some(item) = self.shown() else {
            return vec![format!(
                "there is no {} {}",
                self.args.kind,
                visible(&self.args.id)
            )];
        };
        let title = format!(
            "{} {}",
            self.args.kind,
            paint.paint(Tint::Strong, &self.args.id)
        );
        let mut rows: Vec<(&str, String)> = Vec::new();
        for (name, declared) in columns(&self.entity.attributes, &[&item.attributes], 0) {
            if let Some(value) = item.attributes.get(name) {
                rows.push((name, attribute_cell(declared, value)));
            }
        }
        rows.extend(
            item.counters
                .iter()
                .map(|(name, n)| (name.as_str(), grouped(*n))),
        );
        let mut lines = vec![title];
        lines.extend(Table::pairs(&rows, 2, paint));
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let item = self.shown();
        let word = match (item, &self.done.value) {
            (Some(_), _) => "found",
            (None, Some(_)) => "archived",
            (None, None) => "not found",
        };
        let mut members = members(&self.args, word);
        if let Some(item) = item {
            members.insert("attributes".to_owned(), item_json(&item.attributes));
            members.insert("counters".to_owned(), counters_json(&item.counters));
        }
        members
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        let EntityArgs { model, kind, id } = &self.args;
        let put = |what| vec![Advice::run(what, &["put", model, kind, id, "name=VALUE"])];
        match &self.done.value {
            None => put("put it"),
            Some(item) if item.archived.is_some() => {
                vec![Advice::run("take it back", &["unarchive", model, kind, id])]
            }
            Some(item) if item.bare => put("only counters so far; put it"),
            Some(_) => Vec::new(),
        }
    }

    fn exit(&self) -> Exit {
        if self.shown().is_some() {
            Exit::Done
        } else {
            Exit::No
        }
    }
}

/// `put`.
pub(crate) async fn put(args: &PutArgs, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    let named = &args.entity;
    let session = Session::open(&named.model, global, screen)?;
    let entity = models::entity(session.graph.model(), &named.model, &named.kind)?;
    let changes = changes(&entity.attributes, &args.changes)?;
    let put = session
        .graph
        .put_entity(&session.cx, &named.kind, &named.id, &changes)
        .await;
    session.answer(put.map(|done| PutReport {
        args: named.clone(),
        done,
    }))
}

struct PutReport {
    args: EntityArgs,
    done: Done<Put>,
}

impl Report for PutReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        vec![match self.done.value {
            Put::Created => line(paint, Tint::Good, "Created", &self.args),
            Put::Updated => line(paint, Tint::Good, "Updated", &self.args),
            Put::Unchanged => line(paint, Tint::Quiet, "Unchanged", &self.args),
        }]
    }

    fn members(&self) -> Map<String, Json> {
        let outcome = match self.done.value {
            Put::Created => "created",
            Put::Updated => "updated",
            Put::Unchanged => "unchanged",
        };
        members(&self.args, outcome)
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }
}

/// `rm`.
pub(crate) async fn rm(args: &Rm, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    if args.cascade {
        return cascade(args, global, screen).await;
    }
    let args = &args.entity;
    let session = Session::open(&args.model, global, screen)?;
    models::entity(session.graph.model(), &args.model, &args.kind)?;
    let removed = session
        .graph
        .remove_entity(&session.cx, &args.kind, &args.id)
        .await;
    session.answer(removed.map(|done| RmReport {
        args: args.clone(),
        done,
    }))
}

/// `rm --cascade`.
async fn cascade(args: &Rm, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    let entity = &args.entity;
    let session = Session::open(&entity.model, global, screen)?;
    models::entity(session.graph.model(), &entity.model, &entity.kind)?;
    let usual = CascadeOptions::default();
    let options = CascadeOptions {
        budget: jobs::budget(&args.pace),
        grace: jobs::wait(&session, args.grace, usual.grace),
        hold: jobs::wait(&session, args.hold, usual.hold),
    };
    let (cx, kind, id) = (&session.cx, &entity.kind, &entity.id);
    let made = session.graph.cascade(cx, kind, id, &options).await;
    jobs::begin(session, &entity.model, &args.pace, made).await
}

struct RmReport {
    args: EntityArgs,
    done: Done<Removed>,
}

impl Report for RmReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        vec![match &self.done.value {
            Removed::Removed => line(paint, Tint::Good, "Removed", &self.args),
            Removed::NotFound => {
                line(paint, Tint::Quiet, "Unchanged", &self.args) + "   there was none"
            }
            Removed::HasEdges(counters) => {
                let counters: Vec<String> = counters
                    .iter()
                    .map(|(name, n)| format!("{name} {}", grouped(*n)))
                    .collect();
                let kept = line(paint, Tint::Warn, "Kept", &self.args);
                format!("{kept}   it has edges: {}", counters.join(", "))
            }
        }]
    }

    fn members(&self) -> Map<String, Json> {
        match &self.done.value {
            Removed::Removed => members(&self.args, "removed"),
            Removed::NotFound => members(&self.args, "unchanged"),
            Removed::HasEdges(counters) => {
                let mut members = members(&self.args, "has edges");
                members.insert("counters".to_owned(), counters_json(counters));
                members
            }
        }
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        let EntityArgs { model, kind, id } = &self.args;
        match self.done.value {
            Removed::HasEdges(_) => {
                let cascade = ["rm", model, kind, id, "--cascade"];
                vec![Advice::run("remove them too", &cascade)]
            }
            _ => Vec::new(),
        }
    }

    fn exit(&self) -> Exit {
        match self.done.value {
            Removed::HasEdges(_) => Exit::No,
            Removed::Removed | Removed::NotFound => Exit::Done,
        }
    }
}
