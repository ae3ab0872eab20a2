//! `out` and `in`.

use crate::args::{By, DEFAULT_LIMIT, Global, List, Page, Seconds};
use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{Paint, Screen, Tint, edge_json, edge_table, thousands};
use crate::report::{Advice, Report};
use crate::session::Session;
use bothways_graph::model::{Order, Relation};
use bothways_graph::{Direction, Done, Edge, EdgePage, ListOptions, Receipt, Result, Span};
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
    session.answer(read.map(|(edges, [next, previous], receipts)| ListReport {
        args: args.clone(),
        direction,
        relation,
        edges,
        next,
        previous,
        receipts,
    }))
}

type Read = (Vec<Edge>, [Option<String>; 2], Vec<Receipt>);

/// The options that say which list it is.
fn part_words(page: &Page) -> Vec<String> {
    let mut words = Vec::new();
    if page.reverse {
        words.push("--reverse".to_owned());
    }
    let by = page.by.map(|by| match by {
        By::Id => "id".to_owned(),
        By::Time => "time".to_owned(),
    });
    let seconds = |s: Seconds| format!("{}.{:03}", s.0 / 1000, s.0 % 1000);
    for (name, value) in [
        ("--by", by),
        ("--prefix", page.prefix.clone()),
        ("--since", page.since.map(seconds)),
        ("--until", page.until.map(seconds)),
    ] {
        if let Some(value) = value {
            words.extend([name.to_owned(), value]);
        }
    }
    words
}

/// Which part of the list.
fn span(page: &Page) -> Span {
    match (&page.prefix, page.since, page.until) {
        (Some(start), ..) => Span::Prefix(start.clone()),
        (None, None, None) => Span::All,
        (None, from, to) => Span::Time {
            from: from.map(|s| s.0),
            to: to.map(|s| s.0),
        },
    }
}

/// One page, or every page with the receipts of the same request added up.
async fn read(args: &List, direction: Direction, session: &Session<'_>) -> Result<Read> {
    let limit = (!args.page.all).then(|| args.page.limit.unwrap_or(DEFAULT_LIMIT));
    let options = ListOptions {
        limit,
        after: args.page.after.clone(),
        reverse: args.page.reverse,
        order: args.page.by.map(|by| match by {
            By::Id => Order::Id,
            By::Time => Order::Time,
        }),
        span: span(&args.page),
        skip: args.page.skip,
        ..ListOptions::default()
    };
    let (node, cx) = (&args.node, &session.cx);
    if !args.page.all {
        let page = session
            .graph
            .list(cx, &node.relation, direction, &node.id, &options)
            .await?;
        let ends = [page.value.next, page.value.previous];
        return Ok((page.value.edges, ends, page.receipts));
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
    Ok((edges, [None, None], receipts))
}

struct ListReport {
    args: List,
    direction: Direction,
    relation: Relation,
    edges: Vec<Edge>,
    next: Option<String>,
    previous: Option<String>,
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
            "previous": self.previous,
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
        if let Some(next) = &self.next {
            let verb = self.direction.as_str();
            let mut list = vec![verb, &node.model, &node.relation, &node.id];
            // A cursor goes on in its own list: the same order, the same part.
            let part = part_words(&self.args.page);
            list.extend(part.iter().map(String::as_str));
            return vec![
                Advice::run("more", &[&list[..], &["--after", next]].concat()),
                Advice::run("all", &[&list[..], &["--all"]].concat()),
            ];
        }
        if self.edges.is_empty() && self.args.page.after.is_none() {
            let peer = self.peer().to_uppercase();
            let (source, target) = match self.direction {
                Direction::Out => (node.id.as_str(), peer.as_str()),
                Direction::In => (peer.as_str(), node.id.as_str()),
            };
            let link = ["link", &node.model, &node.relation, source, target];
            return vec![Advice::run("add one", &link)];
        }
        Vec::new()
    }
}
