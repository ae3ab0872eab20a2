//! Counters and keys of a table compared with its edges, and mended on request.

use crate::answer::{Refusal, Result};
use crate::api::Query;
use crate::shapes::{Diagnosis, Drift, Examined, Receipt, Verified, VerifyBody};
use crate::{Connection, Shown};
use bothways_graph::{
    DoctorOptions, Graph, MOST_SAMPLE_ITEMS, Ran, SAMPLE_ITEMS, SystemEnvironment, VerifyOptions,
    VerifyReport,
};
use bothways_protocol::Context;
use http::StatusCode;
use std::sync::Arc;
use std::time::Duration;

/// How long a counter must hold still here: a person waits for the answer. The command line waits longer.
const GRACE: Duration = Duration::from_secs(1);

/// Verifies the model's table in one go. What the command line does as a job that can be paused is done here while
/// the page waits; a page that goes away ends it.
pub(crate) async fn verify(
    connection: &Connection,
    shown: &Shown,
    body: &[u8],
) -> Result<Verified> {
    let body: VerifyBody = if body.is_empty() {
        VerifyBody::default()
    } else {
        serde_json::from_slice(body)
            .map_err(|e| Refusal::bad_request(format!("the body is no verification: {e}")))?
    };
    let graph = Graph::new(Arc::clone(&connection.db), shown.model.clone())?;
    let cx = Context::default();
    let options = VerifyOptions {
        grace: GRACE,
        repair: body.repair,
        ..VerifyOptions::default()
    };
    let made = graph.verify(&cx, &options).await?;
    let done = graph.run_job(&cx, &made.value.id, &mut ()).await?;
    let report = match &done.value {
        Ran::Ended(job) => VerifyReport::of(job),
        _ => None,
    };
    let report = report.ok_or_else(|| {
        Refusal::new(
            StatusCode::CONFLICT,
            "JobTaken",
            "somebody else took the verification up",
        )
        .hint("bothways jobs shows it")
    })?;
    Ok(Verified {
        edges: report.edges,
        entities: report.entities,
        counters: report.counters,
        busy: report.busy,
        foreign: report.foreign,
        wrong: report.found.iter().map(|(_, n)| n).sum(),
        repaired: report.repaired,
        findings: report
            .findings
            .into_iter()
            .map(|f| Drift {
                kind: f.kind.as_str(),
                key: f.key,
                what: f.what,
                repaired: f.repaired,
            })
            .collect(),
        receipt: Receipt::of(done.receipts, &[]),
    })
}

/// Looks for the traps of the pattern in the model and in a sample of its table; nothing is written. With no items
/// it reads none: the model and the table's definition only.
pub(crate) async fn doctor(
    connection: &Connection,
    shown: &Shown,
    query: &Query,
) -> Result<Examined> {
    let sample = match query.get("items") {
        None => SAMPLE_ITEMS.into(),
        Some(text) => text
            .parse()
            .ok()
            .filter(|&n| n <= u64::from(MOST_SAMPLE_ITEMS))
            .ok_or_else(|| {
                Refusal::bad_request(format!("items is {text:?}; it is 0 to {MOST_SAMPLE_ITEMS}"))
            })?,
    };
    let done = bothways_graph::doctor(
        Arc::clone(&connection.db),
        Arc::new(SystemEnvironment),
        &shown.model,
        &Context::default(),
        &DoctorOptions {
            sample: Some(sample),
        },
    )
    .await?;
    let report = done.value;
    Ok(Examined {
        traps: report
            .diagnoses
            .into_iter()
            .map(|d| Diagnosis {
                trap: d.trap.as_str(),
                place: d.place,
                evidence: d.evidence,
                repair: d.repair,
                command: d.command.map(|words| command(&shown.model.name, &words)),
            })
            .collect(),
        sampled: report.sampled,
        whole: report.whole,
        receipt: Receipt::of(done.receipts, &[]),
    })
}

/// A repair as it is typed: `MODEL` stands for the model.
fn command(model: &str, words: &[String]) -> String {
    let words = words.iter().map(String::as_str);
    let named: Vec<&str> = words
        .map(|w| if w == "MODEL" { model } else { w })
        .collect();
    format!("bothways {}", named.join(" "))
}
