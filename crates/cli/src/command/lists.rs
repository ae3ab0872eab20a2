//! `out`, `in`, `count`, `show`.

use crate::args::{Count as CountArgs, DEFAULT_LIMIT, Entity as EntityArgs, Global, List, Side};
use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{
    Paint, Screen, Tint, attribute_cell, edge_json, edge_table, item_json, plural, thousands,
};
use crate::report::{Advice, Report};
use crate::session::Session;
use bothways_graph::model::{Entity, Model, Relation};
use bothways_graph::{
    Counts, Direction, Done, Edge, EdgePage, ListOptions, Receipt, Result, Shown, ShownEdges,
};
use serde_json::{Map, Value as Json, json};

/// `out` and `in`.
pub(crate) async fn list(
    args: &List,
    direction: Direction,
    global: &Global,
    screen: &Screen,
) -> std::result::Result<Exit, Failure> {
    let session = Session::open(&args.node.model, global, screen)?;
    let relation = models::relation(session.graph.model(), &args.node.model, &args.node.relation)?;
    let relation = relation.clone();
    let read = read(args, direction, &session).await;
    session.answer(read.map(|(edges, next, receipts)| ListReport {
        args: args.clone(),
        direction,
        relation,
        edges,
        next,
        receipts,
    }))
}

type Read = (Vec<Edge>, Option<String>, Vec<Receipt>);

/// One page, or every page with the receipts of the same request added up.
async fn read(args: &List, direction: Direction, session: &Session<'_>) -> Result<Read> {
    let limit = (!args.page.all).then(|| args.page.limit.unwrap_or(DEFAULT_LIMIT));
    let options = ListOptions {
        limit,
        after: args.page.after.clone(),
        reverse: args.page.reverse,
        ..ListOptions::default()
    };
    let (node, cx) = (&args.node, &session.cx);
    if !args.page.all {
        let page = session
            .graph
            .list(cx, &node.relation, direction, &node.id, &options)
            .await?;
        return Ok((page.value.edges, page.value.next, page.receipts));
    }
    let mut pages = session
        .graph
        .pages(&node.relation, direction, &node.id, options);
    let (mut edges, mut receipts): (Vec<Edge>, Vec<Receipt>) = (Vec::new(), Vec::new());
    while let Some(Done {
        value,
        receipts: page,
    }) = pages.next(cx).await?
    {
        let EdgePage { edges: more, .. } = value;
        edges.extend(more);
        for receipt in page {
            let same =
                |r: &&mut Receipt| r.operation == receipt.operation && r.index == receipt.index;
            match receipts.iter_mut().find(same) {
                Some(sum) => sum.absorb(&receipt),
                None => receipts.push(receipt),
            }
        }
    }
    Ok((edges, None, receipts))
}

struct ListReport {
    args: List,
    direction: Direction,
    relation: Relation,
    edges: Vec<Edge>,
    next: Option<String>,
    receipts: Vec<Receipt>,
}

impl ListReport {
    /// The entity at the other end.
    fn peer(&self) -> &str {
        match self.direction {
            Direction::Out => &self.relation.to,
            Direction::In => &self.relation.from,
        }
    }

    /// `bob is followed by 2`; where the page is not all there is, which part it is.
    fn heading(&self, paint: Paint) -> String {
        let id = paint.paint(Tint::Strong, &self.args.node.id);
        let label = self.relation.label(self.direction);
        let n = thousands(self.edges.len() as u64);
        match (self.edges.is_empty(), &self.args.page.after, &self.next) {
            (true, None, None) => format!("{id} {label} no {} yet", self.peer()),
            (true, Some(_), None) => format!("{id} {label} no more"),
            (_, Some(_), _) => format!("{id} {label} {n} more"),
            (_, None, Some(_)) => format!("{id} {label} more than {n}"),
            (false, None, None) => format!("{id} {label} {n}"),
        }
    }
}

impl Report for ListReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let mut lines = vec![self.heading(paint)];
        if !self.edges.is_empty() {
            let edges: Vec<&Edge> = self.edges.iter().collect();
            let table = edge_table(&self.relation, self.direction, &edges, &self.args.node.id);
            lines.push(String::new());
            lines.extend(table.lines(2, paint));
            lines.push(String::new());
        }
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let node = &self.args.node;
        let json = json!({
            "model": node.model,
            "relation": node.relation,
            "direction": self.direction.as_str(),
            "node": node.id,
            "edges": self.edges.iter().map(edge_json).collect::<Vec<_>>(),
            "next": self.next,
        });
        if let Json::Object(members) = json {
            members
        } else {
            Map::new()
        }
    }

    fn receipts(&self) -> &[Receipt] {
        &self.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        let node = &self.args.node;
        let list = format!(
            "{} {} {} {}",
            self.direction.as_str(),
            node.model,
            node.relation,
            node.id
        );
        if let Some(next) = &self.next {
            let reverse = if self.args.page.reverse {
                " --reverse"
            } else {
                ""
            };
            return vec![
                Advice::Run("more", format!("{list}{reverse} --after {next}")),
                Advice::Run("all", format!("{list}{reverse} --all")),
            ];
        }
        if self.edges.is_empty() && self.args.page.after.is_none() {
            let peer = self.peer().to_uppercase();
            let (source, target) = match self.direction {
                Direction::Out => (node.id.as_str(), peer.as_str()),
                Direction::In => (peer.as_str(), node.id.as_str()),
            };
            let link = format!("link {} {} {source} {target}", node.model, node.relation);
            return vec![Advice::Run("add one", link)];
        }
        Vec::new()
    }
}

/// `count`.
pub(crate) async fn count(
    args: &CountArgs,
    global: &Global,
    screen: &Screen,
) -> std::result::Result<Exit, Failure> {
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
        let Counts { out, inward } = self.done.value;
        let out = out.map(|n| line(Direction::Out, n));
        // An undirected relation has one counter, seen from both sides.
        let inward = inward
            .filter(|_| !self.relation.undirected)
            .map(|n| line(Direction::In, n));
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

/// Most edges of a relation that `show` prints; JSON has all of them.
const SHOWN_ROWS: usize = DEFAULT_LIMIT as usize;

/// `show`.
pub(crate) async fn show(
    args: &EntityArgs,
    global: &Global,
    screen: &Screen,
) -> std::result::Result<Exit, Failure> {
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
            let put = format!("put {model} {kind} {id} name=VALUE");
            return vec![Advice::Run("put it", put)];
        }
        let shown = &self.done.value;
        let cut = |list: &&ShownEdges| shown.more || list.edges.len() > SHOWN_ROWS;
        let more = shown.edges.iter().filter(cut);
        more.map(|list| {
            let verb = list.direction.as_str();
            let list = format!("{verb} {model} {} {id} --all", list.relation);
            Advice::Run("all", list)
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
