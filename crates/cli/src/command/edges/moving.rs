//! `move`.

use super::{Subject, stays};
use crate::args::{Global, Move};
use crate::failure::{Exit, Failure};
use crate::print::{Paint, Screen, Tint, edge_json};
use crate::report::{Advice, Report};
use crate::session::{Session, attributes};
use bothways_graph::{ChangedType, Done, EdgeOptions, Receipt};
use serde_json::{Map, Value as Json, json};

/// `move`.
pub(crate) async fn move_edge(
    args: &Move,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let session = Session::open(&args.model, global, screen)?;
    let subject = |relation: &str| {
        let names = [args.model.as_str(), relation];
        Subject::of(&session.graph, names, &args.source, &args.target)
    };
    let (old, new) = (subject(&args.from)?, subject(&args.to)?);
    let changes = attributes(&new.relation.attributes, &args.attributes)?;
    let options = EdgeOptions {
        op_id: args.named.op_id.clone(),
        if_version: args.versioned.if_version,
        position: None,
    };
    let (from, to) = (&old.relation.name, &new.relation.name);
    let (source, target) = (&args.source, &args.target);
    let moved = session
        .graph
        .change_type(&session.cx, from, to, source, target, &changes, &options)
        .await;
    session.answer(moved.map(|done| MoveReport { old, new, done }))
}

struct MoveReport {
    old: Subject,
    new: Subject,
    done: Done<ChangedType>,
}

impl Report for MoveReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let (from, to) = (&self.old.relation.name, &self.new.relation.name);
        vec![match &self.done.value {
            ChangedType::Changed(_) => {
                let what = Some(format!("from {from} to {to}"));
                self.new.line(paint, Tint::Good, "Moved", what)
            }
            ChangedType::NotFound => {
                let why = Some(format!("in {from}"));
                self.old.line(paint, Tint::Warn, "Not there", why)
            }
            ChangedType::Occupied { .. } => {
                let why = Some(format!("{to} has this edge already"));
                self.old.line(paint, Tint::Warn, "Kept", why)
            }
            ChangedType::Kept { existing } => {
                let why = Some(stays(existing));
                self.old.line(paint, Tint::Warn, "Kept", why)
            }
            ChangedType::Outdated { removed_at } => {
                let why = Some(format!("it was removed from {to} at {removed_at}"));
                self.old.line(paint, Tint::Warn, "Outdated", why)
            }
        }]
    }

    fn members(&self) -> Map<String, Json> {
        let (word, edge) = match &self.done.value {
            ChangedType::Changed(edge) => ("moved", Some(edge)),
            ChangedType::NotFound => ("not found", None),
            ChangedType::Occupied { existing } => ("occupied", Some(existing)),
            ChangedType::Kept { existing } => ("kept", Some(existing)),
            ChangedType::Outdated { .. } => ("outdated", None),
        };
        let mut members = self.old.members(word);
        members.insert("to".to_owned(), json!(self.new.relation.name));
        members.insert("edge".to_owned(), edge.map_or(Json::Null, edge_json));
        members
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        match self.done.value {
            ChangedType::NotFound => vec![self.old.make_it()],
            _ => Vec::new(),
        }
    }

    fn exit(&self) -> Exit {
        match self.done.value {
            ChangedType::Changed(_) => Exit::Done,
            _ => Exit::No,
        }
    }
}
