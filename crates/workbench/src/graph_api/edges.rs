//! Edges.

use super::problem::{Code, Problem};
use super::{Answer, Call, Result, value};
use bothways_graph::{
    BatchAnswer, BatchEdge, Changes, Edge, EdgeOptions, Linked, Set, Unlinked, Upserted,
};
use http::StatusCode;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// A body of attributes; null removes one where that makes sense.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct Attributes {
    #[serde(default)]
    pub(crate) attributes: BTreeMap<String, Box<RawValue>>,
}

#[derive(Deserialize)]
struct Pairs {
    edges: Vec<Pair>,
}

#[derive(Deserialize)]
struct Pair {
    source: String,
    target: String,
}

#[derive(Deserialize)]
struct Batch {
    edges: Vec<BatchMember>,
}

#[derive(Deserialize)]
struct BatchMember {
    #[serde(rename = "do")]
    what: Do,
    relation: String,
    source: String,
    target: String,
    #[serde(default)]
    attributes: BTreeMap<String, Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Do {
    Link,
    Unlink,
}

/// A request's body; an empty one says nothing.
pub(crate) fn body<T: DeserializeOwned>(call: &Call<'_>) -> Result<T> {
    let bytes = if call.body.is_empty() {
        b"{}"
    } else {
        call.body
    };
    let refused =
        |why: String| Problem::new(Code::BadRequest, format!("the body cannot be read: {why}"));
    // A list of the members' values in their order would be read too, and nobody can mean that.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err(refused("it is no JSON object".to_owned()));
    }
    serde_json::from_slice(bytes).map_err(|e| refused(e.to_string()))
}

/// An edge as it is answered.
#[derive(Serialize)]
pub(crate) struct Shape<'e> {
    source: &'e str,
    target: &'e str,
    attributes: value::Members<'e>,
    version: Option<u64>,
    position: Option<u64>,
}

pub(crate) fn shape(edge: &Edge) -> Shape<'_> {
    Shape {
        source: &edge.source,
        target: &edge.target,
        attributes: value::Members(&edge.attributes),
        version: edge.version,
        position: edge.position,
    }
}

#[derive(Serialize)]
struct One<'e> {
    edge: Shape<'e>,
}

#[derive(Serialize)]
struct Several<'e> {
    edges: Vec<Option<Shape<'e>>>,
}

fn options(call: &Call<'_>) -> Result<EdgeOptions> {
    Ok(EdgeOptions {
        op_id: call.op_id.clone(),
        if_version: call.if_version,
        position: call.number("position")?,
    })
}

fn changes(call: &Call<'_>) -> Result<Changes> {
    let Attributes { attributes } = body(call)?;
    value::changes(&attributes)
}

pub(crate) async fn get(call: &Call<'_>, r: &str, source: &str, target: &str) -> Result<Answer> {
    let done = call.graph.edge(&call.cx, r, source, target).await?;
    let edge = done.value.ok_or_else(|| none(r, source, target))?;
    Ok(Answer::of(One { edge: shape(&edge) }, &done.receipts))
}

pub(crate) async fn many(call: &Call<'_>, relation: &str) -> Result<Answer> {
    let Pairs { edges } = body(call)?;
    let pairs: Vec<(String, String)> = edges.into_iter().map(|p| (p.source, p.target)).collect();
    let done = call.graph.edges(&call.cx, relation, &pairs).await?;
    let edges = done.value.iter().map(|e| e.as_ref().map(shape)).collect();
    Ok(Answer::of(Several { edges }, &done.receipts))
}

pub(crate) async fn link(call: &Call<'_>, r: &str, source: &str, target: &str) -> Result<Answer> {
    let (changes, options) = (changes(call)?, options(call)?);
    let create = call
        .graph
        .create(&call.cx, r, source, target, &changes, &options);
    let done = create.await?;
    let status = match done.value {
        Linked::Created(_) => StatusCode::CREATED,
        _ => StatusCode::OK,
    };
    Ok(Answer::of(linked(&done.value), &done.receipts).status(status))
}

fn linked(linked: &Linked) -> Json {
    match linked {
        Linked::Created(edge) => json!({"result": "created", "edge": shape(edge)}),
        Linked::Unchanged { existing } => json!({"result": "unchanged", "edge": shape(existing)}),
        Linked::Outdated { removed_at } => json!({"result": "outdated", "removed_at": removed_at}),
    }
}

pub(crate) async fn upsert(call: &Call<'_>, r: &str, source: &str, target: &str) -> Result<Answer> {
    let (changes, options) = (changes(call)?, options(call)?);
    let upsert = call
        .graph
        .upsert(&call.cx, r, source, target, &changes, &options);
    let done = upsert.await?;
    let (body, status) = match &done.value {
        Upserted::Created(edge) => (
            json!({"result": "created", "edge": shape(edge)}),
            StatusCode::CREATED,
        ),
        Upserted::Updated { edge, .. } => (
            json!({"result": "updated", "edge": shape(edge)}),
            StatusCode::OK,
        ),
        Upserted::Unchanged { existing } => (
            json!({"result": "unchanged", "edge": shape(existing)}),
            StatusCode::OK,
        ),
        Upserted::Outdated { removed_at } => (
            json!({"result": "outdated", "removed_at": removed_at}),
            StatusCode::OK,
        ),
        Upserted::Kept { existing } => return kept(call, existing, &done.receipts),
        Upserted::NotFound => return Err(none(r, source, target)),
    };
    Ok(Answer::of(body, &done.receipts).status(status))
}

pub(crate) async fn set(call: &Call<'_>, r: &str, source: &str, target: &str) -> Result<Answer> {
    let (changes, options) = (changes(call)?, options(call)?);
    let update = call
        .graph
        .update(&call.cx, r, source, target, &changes, &options);
    let done = update.await?;
    match &done.value {
        Set::Updated(_) => Ok(Answer::of(json!({"result": "updated"}), &done.receipts)),
        Set::Unchanged => Ok(Answer::of(json!({"result": "unchanged"}), &done.receipts)),
        Set::Kept { existing } => kept(call, existing, &done.receipts),
        Set::NotFound => Err(none(r, source, target)),
    }
}

pub(crate) async fn unlink(call: &Call<'_>, r: &str, source: &str, target: &str) -> Result<Answer> {
    let options = options(call)?;
    let done = call
        .graph
        .remove(&call.cx, r, source, target, &options)
        .await?;
    match &done.value {
        Unlinked::Removed => Ok(Answer::of(json!({"result": "removed"}), &done.receipts)),
        Unlinked::NotFound => Ok(Answer::of(json!({"result": "not_found"}), &done.receipts)),
        Unlinked::Kept { existing } => kept(call, existing, &done.receipts),
    }
}

pub(crate) async fn batch(call: &Call<'_>) -> Result<Answer> {
    let Batch { edges } = body(call)?;
    let mut wanted = Vec::with_capacity(edges.len());
    for member in edges {
        let link = match member.what {
            Do::Link => Some(value::changes(&member.attributes)?),
            Do::Unlink => None,
        };
        wanted.push(BatchEdge {
            relation: member.relation,
            source: member.source,
            target: member.target,
            link,
        });
    }
    let done = call.graph.batch(&call.cx, &wanted).await?;
    let results: Vec<Json> = done.value.into_iter().map(batch_answer).collect();
    Ok(Answer::of(json!({"results": results}), &done.receipts))
}

fn batch_answer(answer: BatchAnswer) -> Json {
    match answer {
        BatchAnswer::Linked(done) => linked(&done),
        BatchAnswer::Unlinked(Unlinked::Removed) => json!({"result": "removed"}),
        BatchAnswer::Unlinked(Unlinked::NotFound) => json!({"result": "not_found"}),
        BatchAnswer::Unlinked(Unlinked::Kept { existing }) => {
            json!({"result": "kept", "edge": shape(&existing)})
        }
        BatchAnswer::Failed(error) => {
            json!({"result": "failed", "problem": Problem::from(error).json()})
        }
    }
}

/// What stands is newer, or of another version than the caller wanted: then nothing was done.
fn kept(call: &Call<'_>, existing: &Edge, receipts: &[bothways_graph::Receipt]) -> Result<Answer> {
    if let Some(wanted) = call.if_version {
        let is = existing
            .version
            .map_or_else(|| "none".to_owned(), |version| version.to_string());
        return Err(Problem::new(
            Code::Version,
            format!("its version is {is}, and {wanted} was wanted"),
        ));
    }
    Ok(Answer::of(
        json!({"result": "kept", "edge": shape(existing)}),
        receipts,
    ))
}

fn none(relation: &str, source: &str, target: &str) -> Problem {
    Problem::new(
        Code::NoEdge,
        format!("there is no edge {relation} from {source:?} to {target:?}"),
    )
}
