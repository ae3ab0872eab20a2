//! `link`, `unlink`, `edge`, `set`.

use crate::args::{Edge as EdgeArgs, Global, Link, Set as SetArgs};
use crate::dynamo;
use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{Paint, Screen, Table, Tint, arrow, attribute_cell, columns, edge_json, since};
use crate::report::{Advice, Report};
use crate::session::{Session, attributes, changes};

use bothways_graph::model::Relation;
use bothways_graph::{Done, Edge, Filling, Graph, Linked, Receipt, Set, Unlinked};
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
        Ok(Self {
            model: args.model.clone(),
            relation: models::relation(graph.model(), &args.model, &args.relation)?.clone(),
            source: args.source.clone(),
            target: args.target.clone(),
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
    let linked = session
        .graph
        .link(cx, relation, &subject.source, &subject.target, &attributes);
    let linked = linked.await;
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
    args: &EdgeArgs,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let session = Session::open(&args.model, global, screen)?;
    let subject = Subject::new(&session.graph, args)?;
    let (relation, cx) = (&subject.relation.name, &session.cx);
    let unlinked = session
        .graph
        .unlink(cx, relation, &subject.source, &subject.target)
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
}

/// `edge`.
pub(crate) async fn edge(
    args: &EdgeArgs,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let session = Session::open(&args.model, global, screen)?;
    let subject = Subject::new(&session.graph, args)?;
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
    // With a position in the key, the index key depends on when the edge was made: the partition is enough.
    if let Some(index) = index {
        let templates = &relation.inverse.keys;
        let mut place = vec![format!(
            "{} · {} = {}",
            index.name,
            index.keys.pk,
            templates.pk.fill(&filling)
        )];
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
    let set = session
        .graph
        .set(cx, relation, &subject.source, &subject.target, &changes)
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
                let changes = changes.iter().map(|(name, before, after)| {
                    let declared = subject.relation.attribute(name);
                    let cell = |value: &Option<bothways_core::Value>| {
                        let value = value.as_ref().map(|v| attribute_cell(declared, v.as_ref()));
                        value.unwrap_or_else(|| "–".to_owned())
                    };
                    format!("{name} {} → {}", cell(before), cell(after))
                });
                let changes = changes.collect::<Vec<_>>().join(", ");
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
        let document = |value: &Option<bothways_core::Value>| {
            value
                .as_ref()
                .map_or(Json::Null, |v| dynamo::document(v.as_ref()))
        };
        let changes = changes.iter().map(|(name, before, after)| {
            json!({"name": name, "before": document(before), "after": document(after)})
        });
        let mut members = self.subject.members(word);
        members.insert("changes".to_owned(), changes.collect());
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
