//! `link`, `unlink`, and what the other commands about edges share.

mod batch;
mod moving;
mod read;
mod set;
mod upsert;

pub(crate) use batch::batch;
pub(crate) use moving::move_edge;
pub(crate) use read::edge;
pub(crate) use set::set;
pub(crate) use upsert::upsert;

use crate::args::{Edge as EdgeArgs, Global, Link, Unlink};
use crate::dynamo;
use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{Paint, Screen, Tint, arrow, attribute_cell, edge_json, since};
use crate::report::{Advice, Report};
use crate::session::{Session, attributes};
use bothways_core::Value;
use bothways_graph::model::Relation;
use bothways_graph::{Done, Edge, EdgeOptions, Graph, Linked, Receipt, Unlinked};
use serde_json::{Map, Value as Json, json};

/// Width of the outcome's word, so that edges stand in line.
const WORD: usize = 11;

/// Which edge a command is about.
struct Subject {
    model: String,
    relation: Relation,
    source: String,
    target: String,
}

impl Subject {
    fn new(graph: &Graph, args: &EdgeArgs) -> Result<Self, Failure> {
        let names = [args.model.as_str(), args.relation.as_str()];
        Self::of(graph, names, &args.source, &args.target)
    }

    /// Of a model and a relation by name.
    fn of(
        graph: &Graph,
        [model, relation]: [&str; 2],
        source: &str,
        target: &str,
    ) -> Result<Self, Failure> {
        Ok(Self {
            model: model.to_owned(),
            relation: models::relation(graph.model(), model, relation)?.clone(),
            source: source.to_owned(),
            target: target.to_owned(),
        })
    }

    /// `Created    alice → bob   at 2024-06-20 16:13:20`.
    fn line(&self, paint: Paint, tint: Tint, word: &str, rest: Option<String>) -> String {
        let pad = " ".repeat(WORD.saturating_sub(word.len()));
        let arrow = arrow(&self.relation, &self.source, &self.target);
        let rest = rest.map(|rest| format!("   {rest}")).unwrap_or_default();
        format!("{}{pad}{arrow}{rest}", paint.paint(tint, word))
    }

    fn members(&self, outcome: &str) -> Map<String, Json> {
        let json = json!({
            "model": self.model,
            "relation": self.relation.name,
            "source": self.source,
            "target": self.target,
            "outcome": outcome,
        });
        if let Json::Object(members) = json {
            members
        } else {
            Map::new()
        }
    }

    /// The advice to make the edge.
    fn make_it(&self) -> Advice {
        let words = [
            "link",
            &self.model,
            &self.relation.name,
            &self.source,
            &self.target,
        ];
        Advice::run("make it", &words)
    }
}

/// `link`.
pub(crate) async fn link(args: &Link, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    let session = Session::open(&args.edge.model, global, screen)?;
    let subject = Subject::new(&session.graph, &args.edge)?;
    let attributes = attributes(&subject.relation.attributes, &args.attributes)?;
    let (relation, cx) = (&subject.relation.name, &session.cx);
    let options = EdgeOptions {
        op_id: args.named.op_id.clone(),
        position: args.placed.at,
        if_version: None,
    };
    let (source, target) = (&subject.source, &subject.target);
    let linked = session
        .graph
        .create(cx, relation, source, target, &attributes, &options)
        .await;
    session.answer(linked.map(|done| LinkReport { subject, done }))
}

struct LinkReport {
    subject: Subject,
    done: Done<Linked>,
}

impl Report for LinkReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let relation = &self.subject.relation;
        vec![match &self.done.value {
            Linked::Created(edge) => {
                let at = since(relation, edge).map(|when| format!("at {when}"));
                self.subject.line(paint, Tint::Good, "Created", at)
            }
            Linked::Unchanged { existing } => {
                let since = since(relation, existing).map(|when| format!("since {when}"));
                self.subject.line(paint, Tint::Quiet, "Unchanged", since)
            }
            Linked::Outdated { removed_at } => {
                let why = format!("it was removed at {removed_at}");
                self.subject.line(paint, Tint::Warn, "Outdated", Some(why))
            }
        }]
    }

    fn members(&self) -> Map<String, Json> {
        let (word, edge) = match &self.done.value {
            Linked::Created(edge) => ("created", edge_json(edge)),
            Linked::Unchanged { existing } => ("unchanged", edge_json(existing)),
            Linked::Outdated { .. } => ("outdated", Json::Null),
        };
        let mut members = self.subject.members(word);
        members.insert("edge".to_owned(), edge);
        members
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn exit(&self) -> Exit {
        match self.done.value {
            Linked::Outdated { .. } => Exit::No,
            Linked::Created(_) | Linked::Unchanged { .. } => Exit::Done,
        }
    }
}

/// Why an edge was left as it is.
fn stays(existing: &Edge) -> String {
    let version = existing.version.unwrap_or(1);
    match existing.position {
        Some(at) => format!("it has version {version} and position {at}"),
        None => format!("it has version {version}"),
    }
}

/// `unlink`.
pub(crate) async fn unlink(
    args: &Unlink,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let session = Session::open(&args.edge.model, global, screen)?;
    let subject = Subject::new(&session.graph, &args.edge)?;
    let (relation, cx) = (&subject.relation.name, &session.cx);
    let options = EdgeOptions {
        op_id: args.named.op_id.clone(),
        position: args.placed.at,
        if_version: args.versioned.if_version,
    };
    let unlinked = session
        .graph
        .remove(cx, relation, &subject.source, &subject.target, &options)
        .await;
    session.answer(unlinked.map(|done| UnlinkReport { subject, done }))
}

struct UnlinkReport {
    subject: Subject,
    done: Done<Unlinked>,
}

impl Report for UnlinkReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        vec![match &self.done.value {
            Unlinked::Removed => self.subject.line(paint, Tint::Good, "Removed", None),
            Unlinked::NotFound => {
                let why = Some("there was no such edge".to_owned());
                self.subject.line(paint, Tint::Quiet, "Unchanged", why)
            }
            Unlinked::Kept { existing } => {
                let why = Some(stays(existing));
                self.subject.line(paint, Tint::Warn, "Kept", why)
            }
        }]
    }

    fn members(&self) -> Map<String, Json> {
        self.subject.members(match self.done.value {
            Unlinked::Removed => "removed",
            Unlinked::NotFound => "unchanged",
            Unlinked::Kept { .. } => "kept",
        })
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn exit(&self) -> Exit {
        match self.done.value {
            Unlinked::Kept { .. } => Exit::No,
            Unlinked::Removed | Unlinked::NotFound => Exit::Done,
        }
    }
}

/// What changed of an edge: name, before, after.
type Changed = [(String, Option<Value>, Option<Value>)];

/// `grade – → A, note x → –`.
fn changes_text(relation: &Relation, changes: &Changed) -> String {
    let changes = changes.iter().map(|(name, before, after)| {
        let declared = relation.attribute(name);
        let cell = |value: &Option<Value>| {
            let value = value.as_ref().map(|v| attribute_cell(declared, v.as_ref()));
            value.unwrap_or_else(|| "–".to_owned())
        };
        format!("{name} {} → {}", cell(before), cell(after))
    });
    changes.collect::<Vec<_>>().join(", ")
}

fn changes_json(changes: &Changed) -> Json {
    let document = |value: &Option<Value>| {
        value
            .as_ref()
            .map_or(Json::Null, |v| dynamo::document(v.as_ref()))
    };
    let changes = changes.iter().map(|(name, before, after)| {
        json!({"name": name, "before": document(before), "after": document(after)})
    });
    changes.collect()
}
