//! `batch`.

use super::WORD;
use crate::args::{Assignment, Batch, Global};
use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{Paint, Screen, Tint, arrow, visible};
use crate::report::Report;
use crate::session::{Session, attributes};
use bothways_graph::model::Relation;
use bothways_graph::{BatchAnswer, BatchEdge, Done, Linked, Receipt, Unlinked};
use serde_json::{Map, Value as Json, json};
use std::io::Read;
use std::path::Path;

/// Most bytes of a file of lines: a batch has at most 10,000 edges, and larger loads are an import's.
const LARGEST: u64 = 16 * 1024 * 1024;

/// `batch`.
pub(crate) async fn batch(args: &Batch, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    let text = read(&args.file)?;
    let model = &args.relation.model;
    let session = Session::open(model, global, screen)?;
    let relation = models::relation(session.graph.model(), model, &args.relation.relation)?;
    let relation = relation.clone();
    let mut edges = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let edge = parse(&relation, line)
            .map_err(|why| Failure::usage(format!("line {}: {why}", at + 1)))?;
        edges.push(edge);
    }
    if edges.is_empty() {
        return Err(Failure::usage("there are no lines").hint("write: link SRC DST"));
    }
    let answers = session.graph.batch(&session.cx, &edges).await;
    session.answer(answers.map(|done| BatchReport {
        model: model.clone(),
        relation,
        edges,
        done,
    }))
}

fn read(file: &Path) -> Result<String, Failure> {
    let failed = |e| Failure::usage(format!("cannot read {}: {e}", file.display()));
    let reader: Box<dyn Read> = if file == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(std::fs::File::open(file).map_err(failed)?)
    };
    let mut text = String::new();
    reader
        .take(LARGEST + 1)
        .read_to_string(&mut text)
        .map_err(failed)?;
    if text.len() as u64 > LARGEST {
        return Err(Failure::usage("the lines are more than 16 MB")
            .hint("load them as a file: bothways import"));
    }
    Ok(text)
}

/// A line as an edge.
fn parse(relation: &Relation, text: &str) -> Result<BatchEdge, String> {
    let words: Vec<&str> = if text.contains('\t') {
        text.split('\t').collect()
    } else {
        text.split_whitespace().collect()
    };
    let usage = "write link SRC DST [NAME=VALUE…] or unlink SRC DST";
    let [verb, source, target, rest @ ..] = words.as_slice() else {
        return Err(usage.into());
    };
    let link = match *verb {
        "link" => {
            let given = rest.iter().map(|word| word.parse());
            let given: Vec<Assignment> = given.collect::<Result<_, _>>()?;
            Some(attributes(&relation.attributes, &given).map_err(|e| e.message)?)
        }
        "unlink" if rest.is_empty() => None,
        _ => return Err(usage.into()),
    };
    Ok(BatchEdge {
        relation: relation.name.clone(),
        source: (*source).to_owned(),
        target: (*target).to_owned(),
        link,
    })
}

struct BatchReport {
    model: String,
    relation: Relation,
    edges: Vec<BatchEdge>,
    done: Done<Vec<BatchAnswer>>,
}

/// An answer's word, and why where it needs one.
fn words(answer: &BatchAnswer) -> (Tint, &'static str, Option<String>) {
    match answer {
        BatchAnswer::Linked(Linked::Created(_)) => (Tint::Good, "Created", None),
        BatchAnswer::Linked(Linked::Unchanged { .. }) => (Tint::Quiet, "Unchanged", None),
        BatchAnswer::Linked(Linked::Outdated { removed_at }) => {
            let why = format!("it was removed at {removed_at}");
            (Tint::Warn, "Outdated", Some(why))
        }
        BatchAnswer::Unlinked(Unlinked::Removed) => (Tint::Good, "Removed", None),
        BatchAnswer::Unlinked(Unlinked::NotFound) => {
            let why = "there was no such edge".to_owned();
            (Tint::Quiet, "Unchanged", Some(why))
        }
        BatchAnswer::Unlinked(Unlinked::Kept { .. }) => (Tint::Warn, "Kept", None),
        BatchAnswer::Failed(error) => (Tint::Bad, "Failed", Some(error.to_string())),
    }
}

impl Report for BatchReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let answers = self.edges.iter().zip(&self.done.value);
        let line = |(edge, answer): (&BatchEdge, &BatchAnswer)| {
            let (tint, word, why) = words(answer);
            let pad = " ".repeat(WORD.saturating_sub(word.len()));
            let arrow = arrow(&self.relation, &edge.source, &edge.target);
            let why = why.map(|why| format!("   {}", visible(&why)));
            format!(
                "{}{pad}{arrow}{}",
                paint.paint(tint, word),
                why.unwrap_or_default()
            )
        };
        answers.map(line).collect()
    }

    fn members(&self) -> Map<String, Json> {
        let answers = self.edges.iter().zip(&self.done.value);
        let answers = answers.map(|(edge, answer)| {
            let (_, word, why) = words(answer);
            json!({
                "source": edge.source,
                "target": edge.target,
                "outcome": word.to_lowercase(),
                "why": why,
            })
        });
        let mut members = Map::new();
        members.insert("model".to_owned(), json!(self.model));
        members.insert("relation".to_owned(), json!(self.relation.name));
        members.insert("edges".to_owned(), answers.collect());
        members
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn exit(&self) -> Exit {
        let failed = |answer: &BatchAnswer| matches!(answer, BatchAnswer::Failed(_));
        if self.done.value.iter().any(failed) {
            Exit::No
        } else {
            Exit::Done
        }
    }
}
