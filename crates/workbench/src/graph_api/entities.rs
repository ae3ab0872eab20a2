//! Entities.

use super::edges::{Attributes, body};
use super::problem::{Code, Problem};
use super::{Answer, Call, Result, value};
use bothways_graph::{EntityItem, Put, Removed};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Ids {
    ids: Vec<String>,
}

/// An entity as it is answered.
#[derive(Serialize)]
pub(crate) struct Shape<'e> {
    entity: &'e str,
    id: &'e str,
    attributes: value::Members<'e>,
    counters: BTreeMap<&'e str, i64>,
    bare: bool,
    closed: bool,
}

pub(crate) fn shape(entity: &EntityItem) -> Shape<'_> {
    let counters = entity.counters.iter();
    Shape {
        entity: &entity.entity,
        id: &entity.id,
        attributes: value::Members(&entity.attributes),
        counters: counters.map(|(name, n)| (name.as_str(), *n)).collect(),
        bare: entity.bare,
        closed: entity.closed,
    }
}

#[derive(Serialize)]
struct One<'e> {
    item: Shape<'e>,
}

#[derive(Serialize)]
struct Several<'e> {
    items: Vec<Option<Shape<'e>>>,
}

pub(crate) async fn get(call: &Call<'_>, entity: &str, id: &str) -> Result<Answer> {
    let done = call.graph.get_entity(&call.cx, entity, id).await?;
    let found = done.value.ok_or_else(|| none(entity, id))?;
    Ok(Answer::of(
        One {
            item: shape(&found),
        },
        &done.receipts,
    ))
}

pub(crate) async fn many(call: &Call<'_>, entity: &str) -> Result<Answer> {
    let Ids { ids } = body(call)?;
    let done = call.graph.get_entities(&call.cx, entity, &ids).await?;
    let items = done.value.iter().map(|e| e.as_ref().map(shape)).collect();
    Ok(Answer::of(Several { items }, &done.receipts))
}

pub(crate) async fn put(call: &Call<'_>, entity: &str, id: &str) -> Result<Answer> {
    let Attributes { attributes } = body(call)?;
    let changes = value::changes(&attributes)?;
    let done = call
        .graph
        .put_entity(&call.cx, entity, id, &changes)
        .await?;
    let (result, status) = match done.value {
        Put::Created => ("created", StatusCode::CREATED),
        Put::Updated => ("updated", StatusCode::OK),
        Put::Unchanged => ("unchanged", StatusCode::OK),
    };
    Ok(Answer::of(json!({"result": result}), &done.receipts).status(status))
}

/// Removes an entity without edges; with `cascade`, makes the job that deletes it with all its edges.
pub(crate) async fn remove(call: &Call<'_>, entity: &str, id: &str) -> Result<Answer> {
    if call.yes("cascade")? {
        return super::start::cascade(call, entity, id).await;
    }
    let done = call.graph.remove_entity(&call.cx, entity, id).await?;
    match done.value {
        Removed::Removed => Ok(Answer::of(json!({"result": "removed"}), &done.receipts)),
        Removed::NotFound => Ok(Answer::of(json!({"result": "not_found"}), &done.receipts)),
        Removed::HasEdges(counters) => {
            let words: Vec<String> = counters
                .iter()
                .map(|(name, n)| format!("{name} {n}"))
                .collect();
            let detail = format!("{entity} {id:?} has edges: {}", words.join(", "));
            let problem = Problem::new(Code::HasEdges, detail);
            Err(problem.hint("delete it together with them: ?cascade=true"))
        }
    }
}

fn none(entity: &str, id: &str) -> Problem {
    Problem::new(Code::NoItem, format!("there is no {entity} {id:?}"))
}
