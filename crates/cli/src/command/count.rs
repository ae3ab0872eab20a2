//! `count`.

use crate::args::{Count as CountArgs, Global, Side};
use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{Paint, Screen, Tint, thousands, utc};
use crate::report::Report;
use crate::session::Session;
use bothways_graph::model::Relation;
use bothways_graph::{Counts, Direction, Done, Receipt};
use serde_json::{Map, Value as Json, json};

/// `count`.
pub(crate) async fn count(
    args: &CountArgs,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let session = Session::open(&args.node.model, global, screen)?;
    let relation = models::relation(session.graph.model(), &args.node.model, &args.node.relation)?;
    let relation = relation.clone();
    let only = args.only.map(|side| match side {
        Side::Out => Direction::Out,
        Side::In => Direction::In,
    });
    let (cx, node) = (&session.cx, &args.node);
    let counts = session
        .graph
        .counts(cx, &node.relation, &node.id, only)
        .await;
    session.answer(counts.map(|done| CountReport {
        args: args.clone(),
        relation,
        done,
    }))
}

struct CountReport {
    args: CountArgs,
    relation: Relation,
    done: Done<Counts>,
}

impl Report for CountReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let id = paint.paint(Tint::Strong, &self.args.node.id);
        let line = |direction, count: i64| {
            let label = self.relation.label(direction);
            format!("{id} {label} {}", grouped(count))
        };
        let Counts {
            out,
            inward,
            inward_at,
        } = self.done.value;
        let as_of = inward_at.map_or_else(String::new, |at| {
            let at = i64::try_from(at / 1000).unwrap_or(i64::MAX);
            utc(at).map_or_else(String::new, |at| format!("   as of {at}"))
        });
        let out = out.map(|n| line(Direction::Out, n));
        // An undirected relation has one counter, seen from both sides.
        let inward = inward
            .filter(|_| !self.relation.undirected)
            .map(|n| format!("{}{as_of}", line(Direction::In, n)));
        out.into_iter().chain(inward).collect()
    }

    fn members(&self) -> Map<String, Json> {
        let node = &self.args.node;
        let json = json!({
            "model": node.model,
            "relation": node.relation,
            "node": node.id,
            "out": self.done.value.out,
            "in": self.done.value.inward,
            "in_as_of": self.done.value.inward_at,
        });
        if let Json::Object(members) = json {
            members
        } else {
            Map::new()
        }
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }
}

/// A counter's text. A counter below zero is an alarm, so it is shown as it is.
pub(crate) fn grouped(count: i64) -> String {
    let sign = if count < 0 { "-" } else { "" };
    format!("{sign}{}", thousands(count.unsigned_abs()))
}
