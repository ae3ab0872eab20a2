//! `edge`.

use super::Subject;
use crate::args::{EdgeRead, Global};
use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{
    Paint, Screen, Table, Tint, arrow, attribute_cell, columns, edge_json, edge_table, plural,
    visible,
};
use crate::report::{Advice, Report};
use crate::session::Session;
use bothways_graph::model::Relation;
use bothways_graph::{Direction, Done, Edge, Filling, Receipt};
use serde_json::{Map, Value as Json, json};

/// `edge`.
pub(crate) async fn edge(
    args: &EdgeRead,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let session = Session::open(&args.model, global, screen)?;
    if args.targets.len() > 1 {
        return edges(args, session).await;
    }
    let subject = Subject::of(
        &session.graph,
        [&args.model, &args.relation],
        &args.source,
        args.targets.first().map_or("", String::as_str),
    )?;
    let (relation, cx) = (&subject.relation.name, &session.cx);
    let found = session
        .graph
        .edge(cx, relation, &subject.source, &subject.target)
        .await;
    let keys = session.graph.model().keys.clone();
    let index = session
        .graph
        .model()
        .index(&subject.relation.inverse.index)
        .cloned();
    session.answer(found.map(|done| EdgeReport {
        places: places(
            &subject.relation,
            &keys,
            index.as_ref(),
            done.value.as_ref(),
        ),
        subject,
        done,
    }))
}

/// Several edges of a source.
async fn edges(args: &EdgeRead, session: Session<'_>) -> Result<Exit, Failure> {
    let relation = models::relation(session.graph.model(), &args.model, &args.relation)?.clone();
    let pair = |target: &String| (args.source.clone(), target.clone());
    let pairs: Vec<_> = args.targets.iter().map(pair).collect();
    let found = session
        .graph
        .edges(&session.cx, &relation.name, &pairs)
        .await;
    session.answer(found.map(|done| EdgesReport {
        args: args.clone(),
        relation,
        done,
    }))
}

struct EdgesReport {
    args: EdgeRead,
    relation: Relation,
    done: Done<Vec<Option<Edge>>>,
}

impl Report for EdgesReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let found: Vec<&Edge> = self.done.value.iter().flatten().collect();
        let count = plural(found.len() as u64, "edge", "edges");
        let mut lines = vec![format!(
            "{}: {count} of {}",
            paint.paint(Tint::Strong, &visible(&self.args.source)),
            self.done.value.len()
        )];
        if !found.is_empty() {
            let table = edge_table(&self.relation, Direction::Out, &found, &self.args.source);
            lines.push(String::new());
            lines.extend(table.lines(2, paint));
            lines.push(String::new());
        }
        for (target, edge) in self.args.targets.iter().zip(&self.done.value) {
            if edge.is_none() {
                let arrow = arrow(&self.relation, &self.args.source, target);
                lines.push(format!("{}  {arrow}", paint.paint(Tint::Warn, "Not there")));
            }
        }
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let edges = self.args.targets.iter().zip(&self.done.value);
        let edges = edges
            .map(|(target, edge)| json!({"target": target, "edge": edge.as_ref().map(edge_json)}));
        let mut members = Map::new();
        members.insert("model".to_owned(), json!(self.args.model));
        members.insert("relation".to_owned(), json!(self.relation.name));
        members.insert("source".to_owned(), json!(self.args.source));
        members.insert("edges".to_owned(), edges.collect());
        members
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn exit(&self) -> Exit {
        if self.done.value.iter().all(Option::is_some) {
            Exit::Done
        } else {
            Exit::No
        }
    }
}

/// The two places where one edge item can be read.
fn places(
    relation: &Relation,
    keys: &bothways_graph::model::KeyNames,
    index: Option<&bothways_graph::model::Index>,
    edge: Option<&Edge>,
) -> Vec<(String, String)> {
    let Some(edge) = edge else {
        return Vec::new();
    };
    let filling = Filling::edge(&edge.source, &edge.target);
    let mut places = vec![(
        relation.out_label.clone(),
        format!(
            "{} = {} · {} = {}",
            keys.pk,
            relation.key.pk.fill(&filling),
            keys.sk,
            relation.key.sk.fill(&filling)
        ),
    )];
    if let Some(index) = index {
        let templates = &relation.inverse.keys;
        let partition = match relation.shard.as_ref().zip(edge.shard) {
            Some((rule, shard)) => rule.pk.fill(&Filling {
                shard,
                ..filling.clone()
            }),
            None => templates.pk.fill(&filling),
        };
        let mut place = vec![format!("{} · {} = {partition}", index.name, index.keys.pk)];
        // A sort key with the moment of linking in it is not known from the ends alone: the partition is enough.
        if !relation.has_position() {
            place.push(format!(
                "{} = {}",
                index.keys.sk,
                templates.sk.fill(&filling)
            ));
        }
        places.push((relation.in_label.clone(), place.join(" · ")));
    }
    places
}

struct EdgeReport {
    subject: Subject,
    done: Done<Option<Edge>>,
    places: Vec<(String, String)>,
}

impl Report for EdgeReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let relation = &self.subject.relation;
        let Some(edge) = &self.done.value else {
            return vec![self.subject.line(paint, Tint::Warn, "Not there", None)];
        };
        let arrow = arrow(relation, &edge.source, &edge.target);
        let mut lines = vec![paint.paint(Tint::Strong, &arrow)];
        let mut rows: Vec<(&str, String)> = Vec::new();
        for (name, declared) in columns(&relation.attributes, &[&edge.attributes], 0) {
            if let Some(value) = edge.attributes.get(name) {
                rows.push((name, attribute_cell(declared, value)));
            }
        }
        rows.extend(
            self.places
                .iter()
                .map(|(label, place)| (label.as_str(), place.clone())),
        );
        lines.extend(Table::pairs(&rows, 2, paint));
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let found = self.done.value.as_ref();
        let mut members = self.subject.members(if found.is_some() {
            "found"
        } else {
            "not found"
        });
        members.insert("edge".to_owned(), found.map_or(Json::Null, edge_json));
        members
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        match self.done.value {
            Some(_) => Vec::new(),
            None => vec![self.subject.make_it()],
        }
    }

    fn exit(&self) -> Exit {
        if self.done.value.is_some() {
            Exit::Done
        } else {
            Exit::No
        }
    }
}
