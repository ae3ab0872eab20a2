//! `archive` and `unarchive`.

use super::entities;
use crate::args::{Entity as EntityArgs, Global};
use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{Paint, Screen, Tint};
use crate::report::Report;
use crate::session::Session;
use bothways_graph::{Archived, Done, Receipt};
use serde_json::{Map, Value as Json};

/// `archive`, or `unarchive`.
pub(crate) async fn archive(
    args: &EntityArgs,
    archive: bool,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let session = Session::open(&args.model, global, screen)?;
    models::entity(session.graph.model(), &args.model, &args.kind)?;
    let (graph, cx) = (&session.graph, &session.cx);
    let archived = if archive {
        graph.archive(cx, &args.kind, &args.id).await
    } else {
        graph.unarchive(cx, &args.kind, &args.id).await
    };
    session.answer(archived.map(|done| ArchiveReport {
        args: args.clone(),
        archive,
        done,
    }))
}

struct ArchiveReport {
    args: EntityArgs,
    archive: bool,
    done: Done<Archived>,
}

impl ArchiveReport {
    fn word(&self) -> (Tint, &'static str) {
        match (self.done.value, self.archive) {
            (Archived::Changed, true) => (Tint::Good, "Archived"),
            (Archived::Changed, false) => (Tint::Good, "Back"),
            (Archived::Unchanged, _) => (Tint::Quiet, "Unchanged"),
            (Archived::NotFound, _) => (Tint::Warn, "Not there"),
        }
    }
}

impl Report for ArchiveReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let (tint, word) = self.word();
        vec![entities::line(paint, tint, word, &self.args)]
    }

    fn members(&self) -> Map<String, Json> {
        entities::members(&self.args, &self.word().1.to_lowercase())
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn exit(&self) -> Exit {
        if self.done.value == Archived::NotFound {
            Exit::No
        } else {
            Exit::Done
        }
    }
}
