//! `set`.

use super::{Subject, changes_json, changes_text, stays};
use crate::args::{Global, Set as SetArgs};
use crate::failure::{Exit, Failure};
use crate::print::{Paint, Screen, Tint};
use crate::report::{Advice, Report};
use crate::session::{Session, changes};
use bothways_graph::{Done, EdgeOptions, Receipt, Set};
use serde_json::{Map, Value as Json};

/// `set`.
pub(crate) async fn set(args: &SetArgs, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    if args.changes.attributes.is_empty() && args.changes.remove.is_empty() {
        return Err(
            Failure::usage("there is nothing to set").hint("write name=value, or --remove name")
        );
    }
    let session = Session::open(&args.edge.model, global, screen)?;
    let subject = Subject::new(&session.graph, &args.edge)?;
    let changes = changes(&subject.relation.attributes, &args.changes)?;
    let (relation, cx) = (&subject.relation.name, &session.cx);
    let options = EdgeOptions {
        op_id: args.named.op_id.clone(),
        if_version: args.versioned.if_version,
        position: None,
    };
    let (source, target) = (&subject.source, &subject.target);
    let set = session
        .graph
        .update(cx, relation, source, target, &changes, &options)
        .await;
    session.answer(set.map(|done| SetReport { subject, done }))
}

struct SetReport {
    subject: Subject,
    done: Done<Set>,
}

impl Report for SetReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let subject = &self.subject;
        vec![match &self.done.value {
            Set::Updated(changes) => {
                let changes = changes_text(&subject.relation, changes);
                subject.line(paint, Tint::Good, "Updated", Some(changes))
            }
            Set::Unchanged => subject.line(paint, Tint::Quiet, "Unchanged", None),
            Set::NotFound => subject.line(paint, Tint::Warn, "Not there", None),
            Set::Kept { existing } => {
                subject.line(paint, Tint::Warn, "Kept", Some(stays(existing)))
            }
        }]
    }

    fn members(&self) -> Map<String, Json> {
        let (word, changes) = match &self.done.value {
            Set::Updated(changes) => ("updated", changes.as_slice()),
            Set::Unchanged => ("unchanged", &[][..]),
            Set::NotFound => ("not found", &[][..]),
            Set::Kept { .. } => ("kept", &[][..]),
        };
        let mut members = self.subject.members(word);
        members.insert("changes".to_owned(), changes_json(changes));
        members
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        match self.done.value {
            Set::NotFound => vec![self.subject.make_it()],
            _ => Vec::new(),
        }
    }

    fn exit(&self) -> Exit {
        match self.done.value {
            Set::NotFound | Set::Kept { .. } => Exit::No,
            Set::Updated(_) | Set::Unchanged => Exit::Done,
        }
    }
}
