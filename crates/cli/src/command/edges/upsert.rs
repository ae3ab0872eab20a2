//! `upsert`.

use super::{Subject, changes_json, changes_text, stays};
use crate::args::{Global, Upsert};
use crate::failure::{Exit, Failure};
use crate::print::{Paint, Screen, Tint, edge_json, since};
use crate::report::{Advice, Report};
use crate::session::{Session, changes};
use bothways_core::{Value, ValueRef};
use bothways_graph::{Done, Edge, EdgeOptions, Receipt, Upserted};
use serde_json::{Map, Value as Json, json};

/// `upsert`.
pub(crate) async fn upsert(
    args: &Upsert,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let session = Session::open(&args.edge.model, global, screen)?;
    let subject = Subject::new(&session.graph, &args.edge)?;
    let changes = changes(&subject.relation.attributes, &args.changes)?;
    let options = EdgeOptions {
        op_id: args.named.op_id.clone(),
        if_version: args.versioned.if_version,
        position: args.placed.at,
    };
    let (source, target) = (&subject.source, &subject.target);
    let upserted = session
        .graph
        .upsert(
            &session.cx,
            &subject.relation.name,
            source,
            target,
            &changes,
            &options,
        )
        .await;
    session.answer(upserted.map(|done| UpsertReport { subject, done }))
}

struct UpsertReport {
    subject: Subject,
    done: Done<Upserted>,
}

/// What differs between an edge before and after.
fn differences(before: &Edge, after: &Edge) -> Vec<(String, Option<Value>, Option<Value>)> {
    let value = |edge: &Edge, name: &str| edge.attributes.get(name).map(ValueRef::to_value);
    let mut names: Vec<&str> = before.attributes.iter().map(|(name, _)| name).collect();
    names.extend(after.attributes.iter().map(|(name, _)| name));
    names.sort_unstable();
    names.dedup();
    names
        .into_iter()
        .map(|name| (name.to_owned(), value(before, name), value(after, name)))
        .filter(|(_, before, after)| before != after)
        .collect()
}

impl Report for UpsertReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let subject = &self.subject;
        let relation = &subject.relation;
        vec![match &self.done.value {
            Upserted::Created(edge) => {
                let at = since(relation, edge).map(|when| format!("at {when}"));
                subject.line(paint, Tint::Good, "Created", at)
            }
            Upserted::Updated { edge, before } => {
                let changes = before
                    .as_ref()
                    .map(|before| changes_text(relation, &differences(before, edge)));
                subject.line(paint, Tint::Good, "Updated", changes)
            }
            Upserted::Unchanged { existing } => {
                let since = since(relation, existing).map(|when| format!("since {when}"));
                subject.line(paint, Tint::Quiet, "Unchanged", since)
            }
            Upserted::Kept { existing } => {
                subject.line(paint, Tint::Warn, "Kept", Some(stays(existing)))
            }
            Upserted::Outdated { removed_at } => {
                let why = format!("it was removed at {removed_at}");
                subject.line(paint, Tint::Warn, "Outdated", Some(why))
            }
            Upserted::NotFound => subject.line(paint, Tint::Warn, "Not there", None),
        }]
    }

    fn members(&self) -> Map<String, Json> {
        let (word, edge) = match &self.done.value {
            Upserted::Created(edge) => ("created", Some(edge)),
            Upserted::Updated { edge, .. } => ("updated", Some(edge)),
            Upserted::Unchanged { existing } => ("unchanged", Some(existing)),
            Upserted::Kept { existing } => ("kept", Some(existing)),
            Upserted::Outdated { .. } => ("outdated", None),
            Upserted::NotFound => ("not found", None),
        };
        let mut members = self.subject.members(word);
        members.insert("edge".to_owned(), edge.map_or(Json::Null, edge_json));
        members.insert("version".to_owned(), json!(edge.and_then(|e| e.version)));
        if let Upserted::Updated {
            edge,
            before: Some(before),
        } = &self.done.value
        {
            let changes = changes_json(&differences(before, edge));
            members.insert("changes".to_owned(), changes);
        }
        members
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        match self.done.value {
            Upserted::NotFound => vec![self.subject.make_it()],
            _ => Vec::new(),
        }
    }

    fn exit(&self) -> Exit {
        match self.done.value {
            Upserted::Created(_) | Upserted::Updated { .. } | Upserted::Unchanged { .. } => {
                Exit::Done
            }
            Upserted::Kept { .. } | Upserted::Outdated { .. } | Upserted::NotFound => Exit::No,
        }
    }
}
