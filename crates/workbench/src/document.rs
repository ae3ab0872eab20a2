//! A model as a document: its text read and checked, with the place of every part, so that a form can change the text.

use crate::answer::{Refusal, Result};
use crate::models;
use crate::shapes::{
    CheckedDocument, DocumentBody, Evidence, Finding, InferBody, InferredDocument, KeepBody,
    Receipt,
};
use crate::{Connection, Shown, Workbench};
use bothways_graph::model::{Loaded, Problem};
use bothways_graph::{Graph, Model, SAMPLE_ITEMS};
use bothways_protocol::Context;
use http::StatusCode;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Largest body with a model's text, or two of them, bytes. A choice: a hundred times the shipped ones.
const BODY_BYTES: usize = 1024 * 1024;
/// What a file is called in messages, where it has no name.
const FILE: &str = "model.toml";

/// Reads and checks a text.
pub(crate) fn check(body: &[u8]) -> Result<CheckedDocument> {
    let text = read::<DocumentBody>(body)?.toml;
    Ok(match Model::parse(FILE, &text) {
        Ok(loaded) => checked(&loaded, &text),
        Err(error) => CheckedDocument {
            model: None,
            check: None,
            problem: Some(finding("error", &error.problem)),
            places: BTreeMap::new(),
        },
    })
}

fn checked(Loaded { model, source }: &Loaded, text: &str) -> CheckedDocument {
    let units = Utf16::of(text);
    let places = source
        .places()
        .map(|(path, span)| (path.to_owned(), [units.at(span.start), units.at(span.end)]));
    CheckedDocument {
        check: Some(models::check_with(model, Some(source))),
        places: places.collect(),
        model: Some(models::shape(&Shown {
            model: model.clone(),
            firsts: Vec::new(),
        })),
        problem: None,
    }
}

/// A problem with its place in the text.
pub(crate) fn finding(level: &'static str, problem: &Problem) -> Finding {
    let spot = problem.spot.as_ref();
    Finding {
        level,
        title: problem.place.clone(),
        detail: problem.message.clone(),
        hint: problem.hint.clone(),
        line: spot.map(|s| s.line),
        column: spot.map(|s| s.column),
        width: spot.map(|s| s.width),
    }
}

/// Keeps a model in this process, under its own name, in place of the text that it was made from: another that was
/// kept meanwhile is not lost.
pub(crate) fn keep(bench: &Workbench, name: &str, body: &[u8]) -> Result<CheckedDocument> {
    let KeepBody { toml: text, was } = read(body)?;
    let loaded =
        Model::parse(FILE, &text).map_err(|e| Refusal::bad_request(e.problem.to_string()))?;
    if loaded.model.name != name {
        return Err(Refusal::bad_request(format!(
            "the text is of model {:?}, and the address says {name:?}",
            loaded.model.name
        )));
    }
    let report = loaded.model.check(None);
    if let Some(problem) = report.problems.first() {
        return Err(Refusal::bad_request(problem.to_string()));
    }
    let answer = checked(&loaded, &text);
    let shown = Shown {
        model: loaded.model,
        firsts: Vec::new(),
    };
    if bench.keep(shown, was.as_deref()) {
        return Ok(answer);
    }
    let refusal = Refusal::new(
        StatusCode::CONFLICT,
        "ModelChanged",
        format!("model {name} is no longer the one that this text was made from"),
    );
    Err(refusal.hint("read it again, and decide between what is there now and what you have"))
}

/// Makes the model's table where it is missing.
pub(crate) async fn apply(
    connection: &Connection,
    shown: &Shown,
) -> Result<crate::shapes::Applied> {
    let graph = Graph::new(Arc::clone(&connection.db), shown.model.clone())?;
    let done = graph.apply(&Context::default()).await?;
    let (outcome, differences) = match done.value {
        bothways_graph::Applied::Created => ("created", Vec::new()),
        bothways_graph::Applied::Unchanged => ("unchanged", Vec::new()),
        bothways_graph::Applied::Differs(found) => ("differs", found),
    };
    Ok(crate::shapes::Applied {
        outcome,
        differences: differences
            .into_iter()
            .map(|d| {
                format!(
                    "{}: the model says {}, the table has {}",
                    d.what, d.model, d.table
                )
            })
            .collect(),
        receipt: Receipt::of(done.receipts, &[]),
    })
}

/// Proposes a model of a table that is there.
pub(crate) async fn infer(connection: &Connection, body: &[u8]) -> Result<InferredDocument> {
    let body: InferBody = serde_json::from_slice(body)
        .map_err(|e| Refusal::bad_request(format!("the body names no table: {e}")))?;
    let items = body.items.unwrap_or(SAMPLE_ITEMS);
    let cx = Context::default();
    let done = bothways_graph::infer(connection.db.as_ref(), &cx, &body.table, items).await?;
    let evidence = done.value.evidence.into_iter();
    Ok(InferredDocument {
        toml: done.value.model.to_toml(),
        evidence: evidence
            .map(|e| Evidence {
                place: e.place,
                text: e.text,
                assumed: e.assumed,
            })
            .collect(),
        sampled: done.value.sampled,
        whole: done.value.whole,
        receipt: Receipt::of(done.receipts, &[]),
    })
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    if body.len() > BODY_BYTES {
        return Err(Refusal::bad_request(format!(
            "the body has {} bytes, and {BODY_BYTES} are allowed",
            body.len()
        )));
    }
    serde_json::from_slice(body)
        .map_err(|e| Refusal::bad_request(format!("the body holds no model: {e}")))
}

/// Byte offsets as a browser counts them.
struct Utf16 {
    /// Bytes before each character, and code units before it.
    steps: Vec<(usize, usize)>,
    end: usize,
}

impl Utf16 {
    fn of(text: &str) -> Self {
        let mut units = 0;
        let steps = text.char_indices().map(|(at, c)| {
            let step = (at, units);
            units += c.len_utf16();
            step
        });
        Self {
            steps: steps.collect(),
            end: units,
        }
    }

    fn at(&self, byte: usize) -> usize {
        let found = self.steps.binary_search_by_key(&byte, |(at, _)| *at);
        found.map_or(self.end, |at| self.steps[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::Utf16;

    #[test]
    fn places_are_counted_as_a_browser_counts() {
        let text = "a日😀b";
        let units = Utf16::of(text);
        let counted = [0, 1, 4, 8, 9].map(|byte| units.at(byte));
        assert_eq!(counted, [0, 1, 2, 4, 5]);
    }
}
