//! Edges of a file that is the request's body, loaded while the caller waits.

use super::problem::{Code, Problem};
use super::{Answer, Call, Result};
use bothways_graph::import::{
    Column, ImportObserver, ImportOptions, ImportSource, Reject, Separator,
};
use serde_json::{Value as Json, json};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Most bytes of a body: what is loaded in the time of one request. Larger files are for `bothways import`.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// Rejected rows that are named; of others there is the number.
const NAMED: usize = 100;

/// Keeps the first rejected rows.
#[derive(Default)]
struct Rejects(Vec<Json>);

impl ImportObserver for Rejects {
    fn rejected(&mut self, reject: &Reject) {
        if self.0.len() < NAMED {
            self.0
                .push(json!({"line": reject.line, "reason": reject.reason, "row": reject.row}));
        }
    }
}

/// Loads a CSV or TSV. Sent again after it was cut off, it goes on; sent again after it ended, it writes nothing.
pub(super) async fn import(call: &Call<'_>, relation: &str) -> Result<Answer> {
    let bytes = call.body.len();
    if bytes > MOST_BYTES {
        let detail = format!("the body has {bytes} bytes, and {MOST_BYTES} are allowed");
        let problem = Problem::new(Code::BadRequest, detail);
        return Err(problem.hint("load larger files with: bothways import"));
    }
    let options = options(call)?;
    let source = ImportSource {
        name: name(call),
        reader: Box::new(call.body),
        bytes: u64::try_from(bytes).ok(),
    };
    let mut rejects = Rejects::default();
    let report = call
        .graph
        .import(&call.cx, relation, source, &options, &mut rejects)
        .await?;
    let body = json!({
        "rows": report.rows,
        "created": report.created,
        "existing": report.existing,
        "repeated": report.repeated,
        "rejected": report.rejected,
        "resumed_rows": report.resumed_rows,
        "rejects": rejects.0,
    });
    Ok(Answer::of(body, &report.receipts))
}

/// What its checkpoint is kept under: the same body is the same import.
fn name(call: &Call<'_>) -> String {
    if let Some(op_id) = &call.op_id {
        return format!("request {op_id}");
    }
    let mut hash = DefaultHasher::new();
    call.body.hash(&mut hash);
    format!("request {:016x}", hash.finish())
}

fn options(call: &Call<'_>) -> Result<ImportOptions> {
    let column = |name: &str| {
        let text = call.query.get(name)?;
        Some(match text.parse::<usize>() {
            Ok(number) if number > 0 => Ok(Column::At(number - 1)),
            Ok(_) => Err(Problem::new(
                Code::BadRequest,
                format!("{name} is 0, and columns are numbered from 1"),
            )),
            Err(_) => Ok(Column::Named(text.to_owned())),
        })
    };
    let separator = match call.query.get("separator") {
        None => None,
        Some("comma") => Some(Separator::Comma),
        Some("tab") => Some(Separator::Tab),
        Some(other) => {
            let detail = format!("separator is {other:?}; it is comma or tab");
            return Err(Problem::new(Code::BadRequest, detail));
        }
    };
    let header = call.query.get("header").map(|_| call.yes("header"));
    Ok(ImportOptions {
        separator,
        header: header.transpose()?,
        source: column("source").transpose()?,
        target: column("target").transpose()?,
        ..ImportOptions::default()
    })
}
