//! What AWS answered, as data: each line of the `*.jsonl` files is a case, a sequence of requests on fresh tables
//! (`tables.json`) with the answers that AWS gave and where that is on record.
//!
//! A step has an `op`, a `request`, and either the part of the `answer` that is pinned (`null`: not there) or the
//! exact `error` words (`…` for an echo too long to pin), with the exception in `kind` where it is not
//! `ValidationException`; a step with neither just has to succeed. Values too long to write out are made by [`expand`].

#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

#[path = "../common/mod.rs"]
mod common;
mod expand;

use bothways_engine::{Engine, Options};
use bothways_protocol::{Context, DynamoDb, Error, Operation, Request};
use bothways_store::{Buckets, MemoryStore, NewObject, Object};
use serde::Deserialize;
use serde_json::Value;
use std::io;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[serde(rename = "case")]
    name: String,
    source: String,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    op: String,
    request: Value,
    answer: Option<Value>,
    error: Option<String>,
    kind: Option<String>,
    /// Members of the error's body besides its words.
    body: Option<Value>,
}

fn send(engine: &Engine, op: &str, request: &Value) -> Result<Value, Error> {
    let operation = Operation::of_target(Some(&format!("DynamoDB_20120810.{op}")))?;
    let request = Request::decode(operation, request.to_string().as_bytes())?;
    let response = common::block_on(engine.call(&Context::default(), request))?;
    let mut json = Vec::new();
    response.encode(&mut json);
    Ok(serde_json::from_slice(&json).unwrap())
}

/// Buckets that there are none of: what begins an export or import is all that is told here.
struct Nowhere;

impl Buckets for Nowhere {
    fn has(&self, _: &str) -> bool {
        false
    }
    fn create(&self, _: &str, _: &str) -> io::Result<Box<dyn NewObject>> {
        Err(io::ErrorKind::NotFound.into())
    }
    fn open(&self, _: &str, _: &str) -> io::Result<Box<dyn io::Read + Send>> {
        Err(io::ErrorKind::NotFound.into())
    }
    fn list(&self, _: &str, _: &str) -> io::Result<Vec<Object>> {
        Err(io::ErrorKind::NotFound.into())
    }
}

/// A fresh engine with every table of `tables.json`.
fn tables() -> Engine {
    let options = Options {
        buckets: Some(Arc::new(Nowhere)),
        ..common::options(&common::clock())
    };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).unwrap();
    let tables: Vec<Value> = serde_json::from_str(include_str!("tables.json")).unwrap();
    for table in tables {
        send(&engine, "CreateTable", &table).unwrap();
    }
    engine
}

/// Where `got` lacks something of `want`; nothing when it has all of it.
fn lacks(want: &Value, got: &Value, at: &str) -> Option<String> {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => want.iter().find_map(|(name, want)| {
            let got = got.get(name).unwrap_or(&Value::Null);
            lacks(want, got, &format!("{at}.{name}"))
        }),
        (Value::Array(want), Value::Array(got)) if want.len() == got.len() => {
            let mut pairs = want.iter().zip(got).enumerate();
            pairs.find_map(|(i, (want, got))| lacks(want, got, &format!("{at}[{i}]")))
        }
        (Value::Number(want), Value::Number(got)) if want.as_f64() == got.as_f64() => None,
        _ if want == got => None,
        _ => Some(format!("{at}: want {}, got {}", cut(want), cut(got))),
    }
}

fn cut(value: &Value) -> String {
    value.to_string().chars().take(400).collect()
}

/// Whether an error has the words that are pinned; `…` stands for what is too long to write out.
fn says(want: &str, got: &str) -> bool {
    match want.split_once('…') {
        Some((start, end)) => got.starts_with(start) && got.ends_with(end),
        None => want == got,
    }
}

fn check_step(engine: &Engine, step: &Step) -> Result<(), String> {
    let got = send(engine, &step.op, &expand::value(&step.request));
    let error = match (got, &step.error) {
        (Ok(got), None) => {
            let want = step.answer.as_ref().map(expand::value);
            return match want.and_then(|want| lacks(&want, &got, "answer")) {
                Some(difference) => Err(difference),
                None => Ok(()),
            };
        }
        (Ok(got), Some(want)) => return Err(format!("want {want}\n    got {}", cut(&got))),
        (Err(error), None) => return Err(format!("refused: {}", error.message)),
        (Err(error), Some(_)) => error,
    };
    let kind = step.kind.as_deref().unwrap_or("ValidationException");
    let want = expand::text(step.error.as_deref().unwrap_or_default());
    if error.kind.name() != kind || !says(&want, &error.message) {
        let got: String = error.message.chars().take(600).collect();
        return Err(format!(
            "want {kind}: {want}\n    got  {}: {got}",
            error.kind.name()
        ));
    }
    let mut body = Vec::new();
    error.encode(&mut body);
    let got: Value = serde_json::from_slice(&body).unwrap();
    let want = step.body.as_ref().map(expand::value);
    want.and_then(|want| lacks(&want, &got, "body"))
        .map_or(Ok(()), Err)
}

fn check(file: &str) {
    let mut wrong = Vec::new();
    let mut cases = 0;
    for line in file.lines() {
        let case: Case = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        assert!(!case.source.is_empty(), "{} has no source", case.name);
        cases += 1;
        let engine = tables();
        for (number, step) in case.steps.iter().enumerate() {
            if let Err(difference) = check_step(&engine, step) {
                wrong.push(format!(
                    "{} ({}), step {} {}:\n    {difference}",
                    case.name,
                    case.source,
                    number + 1,
                    step.op
                ));
                break;
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {cases} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

macro_rules! files {
    ($($name:ident $file:literal;)*) => {
        $(#[test]
        fn $name() {
            check(include_str!($file));
        })*
    };
}

files! {
    conditions_and_updates_answer_as_aws "expressions.jsonl";
    items_answer_as_aws "items.jsonl";
    limits_are_awss "limits.jsonl";
    reads_answer_as_aws "reads.jsonl";
    batches_and_transactions_answer_as_aws "batches.jsonl";
    legacy_parameters_answer_as_aws "legacy.jsonl";
    tables_answer_as_aws "tables.jsonl";
    indexes_come_and_go_as_on_aws "indexes.jsonl";
    capacity_is_counted_as_aws_counts_it "capacity.jsonl";
    faults_are_reported_in_awss_order "order.jsonl";
    statements_answer_as_aws "partiql.jsonl";
    the_rest_of_the_manifest_answers_as_aws "gaps.jsonl";
    settings_and_policies_answer_as_aws "plane.jsonl";
    what_another_suite_measured_is_answered "alternator.jsonl";
    vector_indexes_answer_as_aws "vectors.jsonl";
}
