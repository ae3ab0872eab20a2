//! The graph for programs in any language: `/graph/v1`, described by `graph.json` beside this crate's `openapi.json`.
//!
//! It works on the first connection. Values are plain JSON, refusals are problem details (RFC 9457), and a write that
//! carries an `Idempotency-Key` is the same operation however often it is sent.

mod edges;
mod entities;
mod explain;
mod import;
mod jobs;
mod lists;
mod params;
mod problem;
mod start;
mod value;

pub use explain::explained_json;

use crate::api::{Query, decode};
use crate::{Connection, Shown, Workbench};
use bothways_graph::{Done, Explainer, Graph, Receipt, units_text};
use bothways_protocol::Context;
use bothways_protocol::types::Units;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use problem::{Code, Problem};
use serde::Serialize;
use serde_json::{Value as Json, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
pub(crate) use value::plain_value;

/// Where it is.
pub(crate) const ROOT: &str = "/graph/v1";
/// Its description.
const OPENAPI: &str = include_str!("../../graph.json");
/// How long one request may take with all its attempts. A choice: below the server's own minute.
const PATIENCE: Duration = Duration::from_secs(30);

type Result<T> = std::result::Result<T, Problem>;

/// What is answered where nothing is refused.
struct Answer {
    status: StatusCode,
    body: Vec<u8>,
}

/// An answer's members, and what they cost.
#[derive(Serialize)]
struct Costed<T> {
    #[serde(flatten)]
    members: T,
    units: Cost,
}

#[derive(Serialize)]
struct Cost {
    read: String,
    write: String,
}

impl Answer {
    /// 200 with members and what they cost. `members` is a JSON object.
    fn of(members: impl Serialize, receipts: &[Receipt]) -> Self {
        let sum = |of: fn(&Receipt) -> Units| units_text(receipts.iter().map(of).sum());
        let units = Cost {
            read: sum(|r| r.read),
            write: sum(|r| r.write),
        };
        // Nothing in an answer can fail to be JSON: names are strings, and no number is infinite.
        let body = serde_json::to_vec(&Costed { members, units }).unwrap_or_default();
        Self {
            status: StatusCode::OK,
            body,
        }
    }

    fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }
}

/// One request's surroundings.
struct Call<'r> {
    bench: &'r Workbench,
    graph: Graph,
    /// Keeps what would be sent, where that is all that is asked.
    explainer: Option<Explainer>,
    cx: Context,
    query: Query,
    body: &'r [u8],
    op_id: Option<String>,
    if_version: Option<u64>,
}

impl Call<'_> {
    /// A page's or an option's number.
    fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>> {
        let parse = |text: &str| {
            text.parse().map_err(|_| {
                Problem::new(
                    Code::BadRequest,
                    format!("{name} is {text:?}, which is no number of its kind"),
                )
            })
        };
        self.query.get(name).map(parse).transpose()
    }

    /// An option that is given or not.
    fn yes(&self, name: &str) -> Result<bool> {
        params::yes(&self.query, name)
    }
}

/// Answers a request below [`ROOT`].
pub(crate) async fn answer(
    bench: &Workbench,
    path: &str,
    request: &Request<Bytes>,
) -> Response<Bytes> {
    if request.method() == Method::GET && path == "/openapi.json" {
        return respond(StatusCode::OK, "application/json", OPENAPI.into());
    }
    match route(bench, path, request).await {
        Ok(answer) => respond(answer.status, "application/json", answer.body.into()),
        Err(problem) => {
            let mut response = respond(
                problem.status(),
                "application/problem+json",
                problem.text().into(),
            );
            if let Some(value) = problem.retry_after() {
                response
                    .headers_mut()
                    .insert(http::header::RETRY_AFTER, value);
            }
            response
        }
    }
}

fn respond(status: StatusCode, media: &'static str, body: Bytes) -> Response<Bytes> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn route(bench: &Workbench, path: &str, request: &Request<Bytes>) -> Result<Answer> {
    let segments: Option<Vec<String>> = path
        .split('/')
        .filter(|segment| !segment.is_empty())
        .map(|segment| decode(segment, false))
        .collect();
    let segments =
        segments.ok_or_else(|| Problem::new(Code::BadRequest, "the address is not UTF-8"))?;
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let Some((model, rest)) = segments.split_first() else {
        let models = bench.shown();
        let models: Vec<&str> = models.iter().map(|s| s.model.name.as_str()).collect();
        return Ok(Answer::of(json!({"models": models}), &[]));
    };
    let shown = bench
        .model(model)
        .ok_or_else(|| Problem::new(Code::NoModel, format!("there is no model {model:?} here")))?;
    let connection = bench
        .connections
        .first()
        .ok_or_else(|| Problem::new(Code::NotFound, "there is no database here"))?;
    let query = Query::of(request)
        .map_err(|refusal| Problem::new(Code::BadRequest, refusal.problem.message))?;
    params::check(request.method(), rest, &query)?;
    let explains = params::yes(&query, "explain")?;
    if connection.read_only && changes(request.method(), rest) && !explains {
        return Err(Problem::new(
            Code::ReadOnly,
            "this database is only read here",
        ));
    }
    let call = call(bench, connection, &shown, request, query, explains)?;
    let answer = dispatch(&call, request.method(), rest, &shown, path).await;
    match call.explainer.map(|explainer| explainer.take()) {
        // What comes of an operation that was not sent says nothing.
        Some(explained) if explained.times() > 0 => Ok(Answer::of(
            json!({"explained": explained_json(&explained)}),
            &[],
        )),
        _ => answer,
    }
}

/// Whether an address changes something: all but GET, HEAD and the reads that need a body.
fn changes(method: &Method, rest: &[&str]) -> bool {
    let reads = *method == Method::GET || *method == Method::HEAD || rest.last() == Some(&"get");
    !reads
}

fn call<'r>(
    bench: &'r Workbench,
    connection: &Connection,
    shown: &Arc<Shown>,
    request: &'r Request<Bytes>,
    query: Query,
    explains: bool,
) -> Result<Call<'r>> {
    let header = |name: &str| -> Result<Option<String>> {
        let Some(value) = request.headers().get(name) else {
            return Ok(None);
        };
        let text = value
            .to_str()
            .map_err(|_| Problem::new(Code::BadRequest, format!("{name} is not plain text")))?;
        Ok(Some(text.trim().trim_matches('"').to_owned()))
    };
    let if_version = header("if-match")?
        .map(|text| {
            text.parse().map_err(|_| {
                Problem::new(
                    Code::BadRequest,
                    format!("If-Match is {text:?}; an edge's version is a number"),
                )
            })
        })
        .transpose()?;
    let explainer = explains.then(|| Explainer::new(&shown.model));
    let graph = match &explainer {
        Some(explainer) => explainer.graph(shown.model.clone())?,
        None => bench.graph(connection, shown)?,
    };
    Ok(Call {
        bench,
        graph,
        explainer,
        cx: Context {
            deadline: Some(Instant::now() + PATIENCE),
            ..Context::default()
        },
        query,
        body: request.body(),
        op_id: header("idempotency-key")?,
        if_version,
    })
}

async fn dispatch(
    call: &Call<'_>,
    method: &Method,
    rest: &[&str],
    shown: &Shown,
    path: &str,
) -> Result<Answer> {
    match (method.as_str(), rest) {
        ("GET", []) => Ok(describe(shown)),
        ("POST", ["apply"]) => apply(call).await,
        ("POST", ["batch"]) => edges::batch(call).await,
        ("POST", ["entities", entity, "get"]) => entities::many(call, entity).await,
        ("GET", ["entities", entity, id]) => entities::get(call, entity, id).await,
        ("PUT", ["entities", entity, id]) => entities::put(call, entity, id).await,
        ("DELETE", ["entities", entity, id]) => entities::remove(call, entity, id).await,
        ("POST", ["edges", relation, "get"]) => edges::many(call, relation).await,
        ("GET" | "HEAD", ["edges", r, source, target]) => edges::get(call, r, source, target).await,
        ("POST", ["edges", r, source, target]) => edges::link(call, r, source, target).await,
        ("PUT", ["edges", r, source, target]) => edges::upsert(call, r, source, target).await,
        ("PATCH", ["edges", r, source, target]) => edges::set(call, r, source, target).await,
        ("DELETE", ["edges", r, source, target]) => edges::unlink(call, r, source, target).await,
        ("GET", ["nodes", r, id, side @ ("out" | "in")]) => lists::list(call, r, id, side).await,
        ("GET", ["nodes", r, id, "counts"]) => lists::counts(call, r, id).await,
        ("POST", ["edges", relation, "import"]) => import::import(call, relation).await,
        ("GET", ["jobs"]) => jobs::list(call).await,
        ("POST", ["jobs"]) => start::start(call).await,
        ("GET", ["jobs", id]) => jobs::get(call, id).await,
        ("POST", ["jobs", id, "run"]) => start::run(call, id).await,
        ("POST", ["jobs", id, how]) => jobs::steer(call, id, how).await,
        _ => Err(Problem::new(
            Code::NotFound,
            format!("nothing is at {ROOT}{path} with this method"),
        )
        .hint(format!("the API is described at {ROOT}/openapi.json"))),
    }
}

fn describe(shown: &Shown) -> Answer {
    let model = &shown.model;
    let entities: Vec<&str> = model.entities.iter().map(|e| e.name.as_str()).collect();
    let relations: Vec<Json> = model
        .relations
        .iter()
        .map(|r| json!({"name": r.name, "from": r.from, "to": r.to, "undirected": r.undirected}))
        .collect();
    let body = json!({"model": model.name, "table": model.table, "entities": entities, "relations": relations});
    Answer::of(body, &[])
}

async fn apply(call: &Call<'_>) -> Result<Answer> {
    use bothways_graph::Applied;
    let Done { value, receipts } = call.graph.apply(&call.cx).await?;
    match value {
        Applied::Created => {
            Ok(Answer::of(json!({"result": "created"}), &receipts).status(StatusCode::CREATED))
        }
        Applied::Unchanged => Ok(Answer::of(json!({"result": "unchanged"}), &receipts)),
        Applied::Differs(differences) => {
            let first = differences.first();
            let what =
                first.map(|d| format!("{} is {}, and the model says {}", d.what, d.table, d.model));
            let detail = format!(
                "the table is not as the model says: {}",
                what.unwrap_or_default()
            );
            Err(Problem::new(Code::Conflict, detail))
        }
    }
}
