//! Requests as somebody has them: read, explained, printed as programs.

use crate::answer::{Refusal, Result};
use crate::naming::ModelNames;
use crate::shapes::{Raw, raw};
use crate::{Connection, Workbench};
use bothways_codegen::{Draft, DraftError, Explained, Language, Naming, Schema, Sizes};
use bothways_core::expr::Aliases;
use bothways_protocol::types::DescribeTableInput;
use bothways_protocol::{Context, DynamoDbExt, Operation, Response};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

#[derive(Deserialize)]
struct BuildBody {
    text: String,
    language: Option<String>,
}

/// A request, understood.
#[derive(Serialize)]
pub(crate) struct Built {
    operation: &'static str,
    input: Raw,
    sentence: String,
    findings: Vec<Finding>,
    writes: bool,
    languages: Vec<LanguageName>,
    program: Option<String>,
    refusal: Option<String>,
}

#[derive(Serialize)]
struct Finding {
    fatal: bool,
    text: String,
}

#[derive(Serialize)]
struct LanguageName {
    name: &'static str,
    title: &'static str,
}

/// Reads a request, and asks the connection for nothing but its table's keys.
pub(crate) async fn build(
    bench: &Workbench,
    connection: &Connection,
    body: &[u8],
) -> Result<Built> {
    let body: BuildBody = serde_json::from_slice(body)
        .map_err(|e| Refusal::bad_request(format!("the body is no text to build: {e}")))?;
    let language = body.language.as_deref().map(language).transpose()?;
    let draft = Draft::read(&body.text, None).map_err(|error| refused(&error, &body.text))?;
    let normal = draft
        .normalised(Aliases::Needed)
        .map_err(|error| refused(&error, &body.text))?;
    let described = described(connection, &draft).await;
    let schema = described
        .as_ref()
        .and_then(|table| Schema::read(table).ok());
    let sizes = described.and_then(|table| Sizes::described(draft.request(), &table));
    let explained = explain(bench, &draft, schema.as_ref(), sizes.as_ref());
    let printed = language.map(|language| language.program(&normal, schema.as_ref()));
    let (program, refusal) = match printed {
        None => (None, None),
        Some(Ok(program)) => (Some(program), None),
        Some(Err(refusal)) => (None, Some(refusal.reason().to_owned())),
    };
    Ok(Built {
        operation: draft.operation().name(),
        input: raw(normal.json().to_string().into_bytes()),
        sentence: explained.sentence,
        findings: explained
            .findings
            .into_iter()
            .map(|finding| Finding {
                fatal: finding.fatal,
                text: finding.text,
            })
            .collect(),
        writes: writes(draft.operation()),
        languages: Language::ALL
            .iter()
            .map(|language| LanguageName {
                name: language.name(),
                title: language.title(),
            })
            .collect(),
        program,
        refusal,
    })
}

/// What the request does, in the words of the model that knows its table.
pub(crate) async fn in_words(bench: &Workbench, connection: &Connection, draft: &Draft) -> String {
    let described = described(connection, draft).await;
    let schema = described.and_then(|table| Schema::read(&table).ok());
    explain(bench, draft, schema.as_ref(), None).sentence
}

/// The request as a text that Build reads back: its JSON under the operation's name, or the statement itself.
pub(crate) fn language_text(draft: &Draft) -> String {
    let json = draft.json();
    let bare = draft.operation() == Operation::ExecuteStatement
        && json.as_object().is_some_and(|members| members.len() == 1);
    if let (true, Some(statement)) = (bare, json["Statement"].as_str()) {
        return statement.to_owned();
    }
    let named = serde_json::json!({ draft.operation().name(): json });
    serde_json::to_string_pretty(&named).unwrap_or_default()
}

fn language(name: &str) -> Result<Language> {
    Language::of_name(name).ok_or_else(|| Refusal::not_found("language", name))
}

/// A text that is no request: the words, and which characters of the text they are about.
fn refused(error: &DraftError, text: &str) -> Refusal {
    let mut refusal = match error {
        DraftError::Refused(error) => Refusal::from(error.clone()),
        other => Refusal::new(StatusCode::BAD_REQUEST, "BadRequest", other.to_string()),
    };
    // JavaScript counts a text in UTF-16 units.
    let units = |end: usize| text.get(..end).map(|part| part.encode_utf16().count());
    refusal.problem.span = error
        .span(text)
        .and_then(|span| Some([units(span.start)?, units(span.end)?]));
    refusal
}

/// The description of the table, where the request goes to one table that is there.
async fn described(connection: &Connection, draft: &Draft) -> Option<Json> {
    let input = DescribeTableInput {
        table_name: Some(draft.table()?),
    };
    let described = connection
        .db
        .describe_table(&Context::default(), input)
        .await
        .ok()?;
    let mut bytes = Vec::new();
    Response::DescribeTable(Box::new(described)).encode(&mut bytes);
    serde_json::from_slice(&bytes).ok()
}

/// In the words of the first model of that table that knows the keys.
fn explain(
    bench: &Workbench,
    draft: &Draft,
    schema: Option<&Schema>,
    sizes: Option<&Sizes>,
) -> Explained {
    let plain = draft.explain(schema, None, sizes);
    let table = schema.map(|schema| schema.table.as_str());
    let shown = bench.shown();
    let models = shown.iter().map(|shown| &shown.model);
    models
        .filter(|model| Some(model.table.as_str()) == table)
        .map(|model| {
            let names = ModelNames(model);
            draft.explain(schema, Some(&names as &dyn Naming), sizes)
        })
        .find(|named| named.sentence != plain.sentence)
        .unwrap_or(plain)
}

fn writes(operation: Operation) -> bool {
    use Operation as Op;
    !matches!(
        operation,
        Op::GetItem | Op::Query | Op::Scan | Op::BatchGetItem | Op::TransactGetItems
    )
}
