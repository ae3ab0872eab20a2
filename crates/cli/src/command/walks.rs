//! `near`, `path`, `suggest`.

use crate::args::{Global, Near as NearArgs, Path as PathArgs, Suggest as SuggestArgs};
use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{Paint, Screen, Table, Tint, plural, visible};
use crate::report::{Advice, Report};
use crate::session::Session;
use bothways_graph::model::Relation;
use bothways_graph::{
    Along, Cut, Done, Near, NearOptions, Path, PathOptions, Receipt, SuggestOptions, Suggestions,
};
use serde_json::{Map, Value as Json, json};

/// What to say where something ran out.
fn ran_out(cut: Option<Cut>) -> Vec<Advice> {
    let say = |cut: Cut| {
        let what = cut.as_str();
        Advice::Say(format!(
            "it ended early, out of {what}: there may be more to find"
        ))
    };
    cut.map(say).into_iter().collect()
}

fn object(json: Json) -> Map<String, Json> {
    if let Json::Object(members) = json {
        members
    } else {
        Map::new()
    }
}

/// `near`.
pub(crate) async fn near(
    args: &NearArgs,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let node = &args.node;
    let session = Session::open(&node.model, global, screen)?;
    models::relation(session.graph.model(), &node.model, &node.relation)?;
    let options = NearOptions {
        along: args.along.along(),
        depth: args.depth,
        limits: args.limits.limits(),
    };
    let near = session
        .graph
        .near(&session.cx, &node.relation, &node.id, &options)
        .await;
    session.answer(near.map(|done| NearReport {
        args: args.clone(),
        done,
    }))
}

struct NearReport {
    args: NearArgs,
    done: Done<Near>,
}

impl Report for NearReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let near = &self.done.value;
        let count = plural(near.nodes.len() as u64, "node", "nodes");
        let hops = plural(u64::from(self.args.depth), "hop", "hops");
        let id = paint.paint(Tint::Strong, &visible(&self.args.node.id));
        let mut lines = vec![format!("{count} within {hops} of {id}")];
        if !near.nodes.is_empty() {
            let mut table = Table::new().numbers("HOPS").column("NODE").column("VIA");
            for node in &near.nodes {
                let hops = node.distance.to_string();
                table.row([Some(hops), Some(node.id.clone()), Some(node.via.clone())]);
            }
            lines.push(String::new());
            lines.extend(table.lines(2, paint));
            lines.push(String::new());
        }
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let node = &self.args.node;
        let near = &self.done.value;
        let nodes = near.nodes.iter();
        let nodes = nodes.map(|n| json!({"id": n.id, "distance": n.distance, "via": n.via}));
        object(json!({
            "model": node.model,
            "relation": node.relation,
            "node": node.id,
            "along": self.args.along.along().as_str(),
            "depth": self.args.depth,
            "nodes": nodes.collect::<Vec<_>>(),
            "cut": near.cut.map(Cut::as_str),
        }))
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        ran_out(self.done.value.cut)
    }
}

/// `path`.
pub(crate) async fn path(
    args: &PathArgs,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let session = Session::open(&args.model, global, screen)?;
    let relation = models::relation(session.graph.model(), &args.model, &args.relation)?.clone();
    let options = PathOptions {
        along: args.along.along(),
        longest: args.longest,
        limits: args.limits.limits(),
    };
    let path = session
        .graph
        .path(&session.cx, &args.relation, &args.from, &args.to, &options)
        .await;
    session.answer(path.map(|done| PathReport {
        args: args.clone(),
        relation,
        done,
    }))
}

struct PathReport {
    args: PathArgs,
    relation: Relation,
    done: Done<Path>,
}

impl Report for PathReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let arrow = match self.args.along.along() {
            _ if self.relation.undirected => " ↔ ",
            Along::Out => " → ",
            Along::In => " ← ",
            Along::Both => " – ",
        };
        let (from, to) = (visible(&self.args.from), visible(&self.args.to));
        let path = &self.done.value;
        vec![match &path.nodes {
            Some(nodes) => {
                let hops = plural(nodes.len() as u64 - 1, "hop", "hops");
                let nodes: Vec<String> = nodes.iter().map(|node| visible(node)).collect();
                let nodes = paint.paint(Tint::Strong, &nodes.join(arrow));
                format!("{nodes}   {hops}")
            }
            None if path.cut.is_some() => format!("no path from {from} to {to} was found"),
            None => {
                let hops = plural(u64::from(self.args.longest), "hop", "hops");
                format!("there is no path from {from} to {to} of at most {hops}")
            }
        }]
    }

    fn members(&self) -> Map<String, Json> {
        let path = &self.done.value;
        object(json!({
            "model": self.args.model,
            "relation": self.args.relation,
            "from": self.args.from,
            "to": self.args.to,
            "along": self.args.along.along().as_str(),
            "hops": path.nodes.as_ref().map(|nodes| nodes.len() - 1),
            "nodes": path.nodes,
            "cut": path.cut.map(Cut::as_str),
        }))
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        ran_out(self.done.value.cut)
    }

    fn exit(&self) -> Exit {
        if self.done.value.nodes.is_some() {
            Exit::Done
        } else {
            Exit::No
        }
    }
}

/// `suggest`.
pub(crate) async fn suggest(
    args: &SuggestArgs,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let node = &args.node;
    let session = Session::open(&node.model, global, screen)?;
    let relation = models::relation(session.graph.model(), &node.model, &node.relation)?.clone();
    let options = SuggestOptions {
        limit: args.limit,
        friends: args.friends,
        each: args.each,
        limits: args.limits.limits(),
    };
    let found = session
        .graph
        .suggest(&session.cx, &node.relation, &node.id, &options)
        .await;
    session.answer(found.map(|done| SuggestReport {
        args: args.clone(),
        relation,
        done,
    }))
}

struct SuggestReport {
    args: SuggestArgs,
    relation: Relation,
    done: Done<Suggestions>,
}

impl Report for SuggestReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let id = paint.paint(Tint::Strong, &visible(&self.args.node.id));
        let found = &self.done.value.found;
        if found.is_empty() {
            return vec![format!("nobody to suggest to {id}")];
        }
        let what = plural(found.len() as u64, "suggestion", "suggestions");
        let mut lines = vec![format!("{what} for {id}"), String::new()];
        let mut table = Table::new()
            .column(self.relation.to.to_uppercase())
            .numbers("IN COMMON")
            .column("THROUGH");
        for suggestion in found {
            let more = suggestion.count - suggestion.through.len() as u64;
            let mut through = suggestion.through.join(", ");
            if more > 0 {
                through = format!("{through} and {more} more");
            }
            let count = suggestion.count.to_string();
            table.row([Some(suggestion.id.clone()), Some(count), Some(through)]);
        }
        lines.extend(table.lines(2, paint));
        lines.push(String::new());
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let node = &self.args.node;
        let suggestions = &self.done.value;
        let found = suggestions.found.iter();
        let found = found.map(|s| json!({"id": s.id, "count": s.count, "through": s.through}));
        object(json!({
            "model": node.model,
            "relation": node.relation,
            "node": node.id,
            "suggestions": found.collect::<Vec<_>>(),
            "capped": suggestions.capped,
            "cut": suggestions.cut.map(Cut::as_str),
        }))
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        let mut advice = ran_out(self.done.value.cut);
        if self.done.value.capped {
            let capped = "not every friend was asked, or not for all: see --friends and --each";
            advice.push(Advice::Say(capped.to_owned()));
        }
        advice
    }
}
