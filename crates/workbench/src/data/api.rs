//! The addresses of jobs and of differences.

use super::columns::{ColumnType, Keys};
use super::job::{JobView, Work, over};
use super::records::Format;
use super::{Data, export, import, reset};
use crate::Connection;
use crate::answer::{Refusal, Result, json};
use crate::api::Query;
use crate::shapes::{Raw, raw_item};
use bothways_protocol::types::{DescribeBackupInput, DescribeTableInput, TableDescription};
use bothways_protocol::{Context, DynamoDbExt};
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most bytes of an export in one answer.
const PART: usize = 4 * 1024 * 1024;

/// Answers what is below `data`.
pub(crate) async fn answer(
    connection: &Connection,
    rest: &[&str],
    query: &Query,
    request: &Request<Bytes>,
) -> Option<Response<Bytes>> {
    let data = match data(connection) {
        Ok(data) => data,
        Err(refusal) => return Some(json::<()>(Err(refusal))),
    };
    let body = request.body();
    let writes = matches!(rest, ["imports" | "resets"]);
    if writes && connection.read_only {
        return Some(json::<()>(Err(Refusal::read_only())));
    }
    Some(match (request.method(), rest) {
        (&Method::GET, ["jobs"]) => {
            let views: Vec<JobView> = data.jobs().iter().map(|job| job.view()).collect();
            json(Ok(views))
        }
        (&Method::POST, ["imports"]) => json(import(connection, data, body).await),
        (&Method::POST, ["exports"]) => json(export(connection, data, body).await),
        (&Method::POST, ["resets"]) => json(reset(connection, data, body).await),
        (&Method::POST, ["jobs", id, "part"]) => json(part(data, id, query, body)),
        (&Method::GET, ["jobs", id, "file"]) => match file(data, id, query) {
            Ok(bytes) => octets(bytes),
            Err(refusal) => json::<()>(Err(refusal)),
        },
        (&Method::POST, ["jobs", id, word]) => json(steer(data, id, word)),
        (&Method::GET, ["diff"]) => json(diff(connection, query)),
        _ => return None,
    })
}

fn data(connection: &Connection) -> Result<&Data> {
    connection.beside.data.as_ref().ok_or_else(|| {
        Refusal::not_found("data jobs of", &connection.name)
            .hint("only a database in this server's own process has them")
    })
}

#[derive(Deserialize)]
struct ImportBody {
    table: String,
    format: String,
    name: String,
    bytes: u64,
    #[serde(default)]
    types: BTreeMap<String, ColumnType>,
}

#[derive(Deserialize)]
struct ExportBody {
    table: String,
    format: String,
}

#[derive(Deserialize)]
struct ResetBody {
    backup: String,
}

fn read<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T> {
    serde_json::from_slice(body)
        .map_err(|e| Refusal::bad_request(format!("the body is no job: {e}")))
}

fn format(name: &str) -> Result<Format> {
    Format::of_name(name).ok_or_else(|| {
        Refusal::bad_request(format!("there is no format {name:?}")).hint("csv, json or dynamodb")
    })
}

async fn describe(connection: &Connection, table: &str) -> Result<TableDescription> {
    let input = DescribeTableInput {
        table_name: Some(table.to_owned()),
    };
    let described = connection
        .db
        .describe_table(&Context::default(), input)
        .await?;
    described
        .table
        .ok_or_else(|| Refusal::not_found("table", table))
}

/// An import, which waits for its file.
async fn import(connection: &Connection, data: &Data, body: &[u8]) -> Result<JobView> {
    let body: ImportBody = read(body)?;
    let table = describe(connection, &body.table).await?;
    let work = Work::Import(import::Import {
        format: format(&body.format)?,
        keys: Keys::of(&table),
        types: body.types,
        columns: Mutex::default(),
    });
    let job = data.add(&body.table, &body.name, body.bytes, work)?;
    Ok(job.view())
}

async fn export(connection: &Connection, data: &Data, body: &[u8]) -> Result<JobView> {
    let body: ExportBody = read(body)?;
    let table = describe(connection, &body.table).await?;
    let format = format(&body.format)?;
    let end = match format {
        Format::Csv => "csv",
        Format::Lines | Format::Dynamo => "jsonl",
    };
    let work = Work::Export(export::Export::new(format, &Keys::of(&table)));
    let job = data.add(&body.table, &format!("{}.{end}", body.table), 0, work)?;
    let estimate = table.item_count.and_then(|n| u64::try_from(n).ok());
    job.note(|progress| progress.estimate = estimate);
    Ok(job.view())
}

async fn reset(connection: &Connection, data: &Data, body: &[u8]) -> Result<JobView> {
    let body: ResetBody = read(body)?;
    let input = DescribeBackupInput {
        backup_arn: Some(body.backup.clone()),
    };
    let cx = Context::default();
    let described = connection.db.describe_backup(&cx, input).await?;
    let described = described.backup_description;
    let source = described
        .as_ref()
        .and_then(|d| d.source_table_details.as_ref());
    let details = described.as_ref().and_then(|d| d.backup_details.as_ref());
    let table = source.and_then(|source| source.table_name.clone());
    let table = table.ok_or_else(|| Refusal::not_found("backup", &body.backup))?;
    let name = details.and_then(|details| details.backup_name.clone());
    let described = describe(connection, &table).await?;
    let work = Work::Reset(reset::Reset {
        backup: body.backup,
        keys: Keys::of(&described),
        after: Mutex::default(),
    });
    let job = data.add(&table, &name.unwrap_or_default(), 0, work)?;
    let estimate = described.item_count.and_then(|n| u64::try_from(n).ok());
    job.note(|progress| progress.estimate = estimate);
    Ok(job.view())
}

/// The next piece of an import's file. A piece that is there already, or that leaves a gap, is refused; the answer says
/// where to go on.
fn part(data: &Data, id: &str, query: &Query, body: &Bytes) -> Result<JobView> {
    let job = data.job(id)?;
    let at = number(query)?;
    let progress = job.progress();
    let more = u64::try_from(body.len()).unwrap_or(u64::MAX);
    if progress.phase.is_over() || job.is_export() {
        return Err(over());
    }
    if at != progress.received || at.saturating_add(more) > progress.size {
        let words = format!(
            "the file is there up to byte {} of {}, and this begins at {at}",
            progress.received, progress.size
        );
        return Err(Refusal::new(StatusCode::CONFLICT, "OtherPlace", words));
    }
    let appended = data.0.spool.append(&job.id, body);
    appended
        .map_err(|e| Refusal::new(StatusCode::INSUFFICIENT_STORAGE, "SpoolFull", e.to_string()))?;
    job.received(more);
    data.run(&job);
    Ok(job.view())
}

fn file(data: &Data, id: &str, query: &Query) -> Result<Vec<u8>> {
    let job = data.job(id)?;
    let at = number(query)?;
    if !job.is_export() {
        return Err(Refusal::not_found("file of job", id));
    }
    let bytes = data.0.spool.read(&job.id, at, PART);
    bytes.map_err(|e| Refusal::new(StatusCode::NOT_FOUND, "NoFile", e.to_string()))
}

fn number(query: &Query) -> Result<u64> {
    let at = query.get("at").unwrap_or("0").parse();
    at.map_err(|_| Refusal::bad_request("at is not a number"))
}

fn steer(data: &Data, id: &str, word: &str) -> Result<JobView> {
    let job = data.job(id)?;
    match word {
        "pause" => job.pause(),
        "cancel" => job.cancel(),
        "resume" => {
            job.resume()?;
            data.run(&job);
        }
        "forget" if job.is_over() => data.forget(&job),
        "forget" => {
            let words = "the job is not over";
            return Err(
                Refusal::new(StatusCode::CONFLICT, "JobRuns", words).hint("cancel it first")
            );
        }
        _ => return Err(Refusal::not_found("command", word).hint("pause, resume, cancel, forget")),
    }
    Ok(job.view())
}

/// A piece of how a table differs from a backup.
#[derive(Serialize)]
struct Diff {
    found: Vec<Differing>,
    seen: u64,
    next: Option<String>,
}

#[derive(Serialize)]
struct Differing {
    before: Option<Raw>,
    now: Option<Raw>,
}

fn diff(connection: &Connection, query: &Query) -> Result<Diff> {
    let data = data(connection)?;
    let after = query.get("after").map(unhex).transpose()?;
    let arn = query.need("backup")?;
    let piece = data
        .0
        .operator
        .differences(&Context::default(), arn, after.as_deref())?;
    Ok(Diff {
        found: piece
            .found
            .iter()
            .map(|difference| Differing {
                before: difference.before.as_ref().map(raw_item),
                now: difference.now.as_ref().map(raw_item),
            })
            .collect(),
        seen: piece.seen,
        next: piece.next.map(|bytes| {
            use std::fmt::Write as _;
            bytes.iter().fold(String::new(), |mut text, byte| {
                let _ = write!(text, "{byte:02x}");
                text
            })
        }),
    })
}

fn unhex(text: &str) -> Result<Vec<u8>> {
    let wrong = || Refusal::bad_request("after is not what an answer said");
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return Err(wrong());
    }
    let pairs = (0..text.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| wrong()))
        .collect()
}

fn octets(bytes: Vec<u8>) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(bytes));
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("application/octet-stream");
    headers.insert(CONTENT_TYPE, kind);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
