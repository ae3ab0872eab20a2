//! The addresses of the live requests.

use super::Kept;
use crate::answer::{Refusal, Result};
use crate::api::Query;
use crate::build::{in_words, language_text};
use crate::shapes::{Raw, raw};
use crate::{Connection, Workbench};
use bothways_codegen::Draft;
use bothways_graph::units_text;
use serde::Serialize;

/// What came since.
#[derive(Serialize)]
pub(crate) struct Seen {
    requests: Vec<SeenRequest>,
    last: u64,
    missed: u64,
}

#[derive(Serialize)]
struct SeenRequest {
    number: u64,
    at: u64,
    operation: &'static str,
    tables: Vec<String>,
    index: Option<String>,
    key: Option<String>,
    error: Option<String>,
    count: Option<u64>,
    scanned: Option<u64>,
    read_units: String,
    write_units: String,
    micros: u64,
}

/// One request with its answer.
#[derive(Serialize)]
pub(crate) struct SeenWhole {
    request: SeenRequest,
    /// Null where it is longer than what is kept.
    input: Option<Raw>,
    input_bytes: usize,
    output: Option<Raw>,
    output_bytes: usize,
    /// DynamoDB's words, where it was refused.
    message: Option<String>,
    /// What it does, in a sentence; null where it reads and writes no items.
    sentence: Option<String>,
    /// The same, as Build takes it; null where it reads and writes no items.
    build: Option<String>,
}

/// Requests after a number.
pub(crate) fn after(connection: &Connection, query: &Query) -> Result<Seen> {
    let number = match query.get("after") {
        Some(text) => text
            .parse()
            .map_err(|_| Refusal::bad_request("after is not a number"))?,
        None => 0,
    };
    let page = live(connection)?.after(number);
    Ok(Seen {
        requests: page.requests.iter().map(|kept| seen(kept)).collect(),
        last: page.last,
        missed: page.missed,
    })
}

/// One of them.
pub(crate) async fn one(
    bench: &Workbench,
    connection: &Connection,
    number: &str,
) -> Result<SeenWhole> {
    let live = live(connection)?;
    let kept = number.parse().ok().and_then(|number| live.one(number));
    let kept = kept.ok_or_else(|| {
        Refusal::not_found("request", number).hint("only the latest requests are kept")
    })?;
    let draft = match (kept.operation, &kept.input) {
        (Some(operation), Some(input)) => std::str::from_utf8(input)
            .ok()
            .and_then(|text| Draft::read(text, Some(operation)).ok()),
        _ => None,
    };
    let sentence = match &draft {
        Some(draft) => Some(in_words(bench, connection, draft).await),
        None => None,
    };
    Ok(SeenWhole {
        request: seen(&kept),
        input: kept.input.clone().map(raw),
        input_bytes: kept.input_bytes,
        output: kept.output.clone().map(raw),
        output_bytes: kept.output_bytes,
        message: kept.error.as_ref().map(|error| error.message.to_string()),
        sentence,
        build: draft.as_ref().map(language_text),
    })
}

fn live(connection: &Connection) -> Result<&super::Live> {
    connection.beside.live.as_ref().ok_or_else(|| {
        Refusal::not_found("live view of", &connection.name)
            .hint("only what is sent to this server itself can be seen")
    })
}

fn seen(kept: &Kept) -> SeenRequest {
    let error = kept.error.as_ref().map(|error| {
        let name = error.kind.type_name();
        name.rsplit('#').next().unwrap_or(&name).to_owned()
    });
    SeenRequest {
        number: kept.number,
        at: kept.at_millis,
        operation: kept.operation.map_or("?", |operation| operation.name()),
        tables: kept.tables.clone(),
        index: kept.index.clone(),
        key: kept.key.clone(),
        error,
        count: kept.counts.map(|(count, _)| count),
        scanned: kept.counts.map(|(_, scanned)| scanned),
        read_units: units_text(kept.read),
        write_units: units_text(kept.write),
        micros: kept.micros,
    }
}
