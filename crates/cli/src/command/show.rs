//! `show`.

use crate::args::{DEFAULT_LIMIT, Entity as EntityArgs, Global};
use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{
    Paint, Screen, Tint, attribute_cell, edge_json, edge_table, item_json, plural, thousands,
};
use crate::report::{Advice, Report};
use crate::session::Session;
use bothways_graph::model::{Entity, Model, Relation};
use bothways_graph::{Direction, Done, Edge, Receipt, Shown, ShownEdges};
use serde_json::{Map, Value as Json, json};

/// Most edges of a relation that `show` prints; JSON has all of them.
const SHOWN_ROWS: usize = DEFAULT_LIMIT as usize;

/// `show`.
pub(crate) async fn show(
    args: &EntityArgs,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let session = Session::open(&args.model, global, screen)?;
    let entity = models::entity(session.graph.model(), &args.model, &args.kind)?.clone();
    let model = session.graph.model().clone();
    let shown = session.graph.show(&session.cx, &args.kind, &args.id).await;
    session.answer(shown.map(|done| ShowReport {
        args: args.clone(),
        entity,
        model,
        done,
    }))
}

struct ShowReport {
    args: EntityArgs,
    entity: Entity,
    model: Model,
    done: Done<Shown>,
}

impl ShowReport {
    fn is_there(&self) -> bool {
        self.done.value.entity.is_some()
            || self.done.value.edges.iter().any(|e| !e.edges.is_empty())
    }

    /// `1 course`, `follows 2`.
    fn sum(&self, shown: &ShownEdges, relation: &Relation) -> String {
        let n = shown.edges.len() as u64;
        let more = if self.done.value.more {
            " and more"
        } else {
            ""
        };
        if relation.from == relation.to || self.model.relations.len() > 1 {
            format!("{} {}{more}", relation.label(shown.direction), thousands(n))
        } else {
            let peer = match shown.direction {
                Direction::Out => &relation.to,
                Direction::In => &relation.from,
            };
            format!("{}{more}", plural(n, peer, &format!("{peer}s")))
        }
    }
}

impl Report for ShowReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let shown = &self.done.value;
        let id = paint.paint(Tint::Strong, &self.args.id);
        if !self.is_there() {
            return vec![format!("there is no {} {id}", self.args.kind)];
        }
        let mut heading = vec![id];
        for (name, value) in shown
            .entity
            .iter()
            .flat_map(|entity| entity.attributes.iter())
        {
            let declared = self.entity.attributes.iter().find(|a| a.name == name);
            heading.push(format!("{name} {}", attribute_cell(declared, value)));
        }
        let lists: Vec<(&ShownEdges, &Relation)> = shown
            .edges
            .iter()
            .filter_map(|edges| Some((edges, self.model.relation(&edges.relation)?)))
            .collect();
        for (edges, relation) in &lists {
            heading.push(self.sum(edges, relation));
        }
        let mut lines = vec![heading.join("   ")];
        for (edges, relation) in lists.iter().filter(|(edges, _)| !edges.edges.is_empty()) {
            lines.push(String::new());
            if self.model.relations.len() > 1 {
                let label = relation.label(edges.direction);
                lines.push(format!("  {}", paint.paint(Tint::Quiet, label)));
            }
            let rows: Vec<&Edge> = edges.edges.iter().take(SHOWN_ROWS).collect();
            let table = edge_table(relation, edges.direction, &rows, &self.args.id);
            lines.extend(table.lines(2, paint));
        }
        if lines.len() > 1 {
            lines.push(String::new());
        }
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let shown = &self.done.value;
        let counters = |counters: &[(String, i64)]| {
            let members = counters.iter().map(|(name, n)| (name.clone(), json!(n)));
            Json::Object(members.collect::<Map<String, Json>>())
        };
        let edges = shown.edges.iter().map(|list| {
            json!({
                "relation": list.relation,
                "direction": list.direction.as_str(),
                "edges": list.edges.iter().map(edge_json).collect::<Vec<_>>(),
            })
        });
        let json = json!({
            "model": self.args.model,
            "entity": self.args.kind,
            "id": self.args.id,
            "found": self.is_there(),
            "attributes": shown.entity.as_ref().map(|e| item_json(&e.attributes)),
            "counters": shown.entity.as_ref().map(|e| counters(&e.counters)),
            "lists": edges.collect::<Vec<_>>(),
            "more": shown.more,
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

    fn advice(&self) -> Vec<Advice> {
        let EntityArgs { model, kind, id } = &self.args;
        if !self.is_there() {
            let put = ["put", model, kind, id, "name=VALUE"];
            return vec![Advice::run("put it", &put)];
        }
        let shown = &self.done.value;
        let cut = |list: &&ShownEdges| shown.more || list.edges.len() > SHOWN_ROWS;
        let more = shown.edges.iter().filter(cut);
        more.map(|list| {
            let verb = list.direction.as_str();
            let list = [verb, model, &list.relation, id, "--all"];
            Advice::run("all", &list)
        })
        .collect()
    }

    fn exit(&self) -> Exit {
        if self.is_there() {
            Exit::Done
        } else {
            Exit::No
        }
    }
}
