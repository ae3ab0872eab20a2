//! Bodies of the API, as `openapi.json` describes them.

use crate::record::Sent;
use bothways_core::Item;
use bothways_graph::{Consistency, Receipt as Spent, units_text};
use bothways_protocol::types::Units;
use bothways_protocol::{CancellationReason, Operation};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// JSON that is passed on as it is.
pub(crate) type Raw = Box<RawValue>;

/// An item in DynamoDB JSON.
pub(crate) fn raw_item(item: &Item) -> Raw {
    let mut out = Vec::new();
    item.write_json(&mut out);
    raw(out)
}

/// JSON text that this process wrote; null should it not be JSON after all.
pub(crate) fn raw(json: Vec<u8>) -> Raw {
    String::from_utf8(json)
        .ok()
        .and_then(|text| RawValue::from_string(text).ok())
        .unwrap_or_else(|| RawValue::NULL.to_owned())
}

/// What was sent, and what it cost.
#[derive(Serialize)]
pub(crate) struct Receipt {
    requests: Vec<RequestReceipt>,
    sent: Vec<SentRequest>,
}

/// A request as it went out.
#[derive(Serialize)]
struct SentRequest {
    operation: &'static str,
    input: Raw,
}

/// Bytes of a request beyond which a receipt says only that it was sent.
const SENT_MAX: usize = 64 * 1024;

#[derive(Serialize)]
struct RequestReceipt {
    operation: &'static str,
    table: String,
    index: Option<String>,
    key: Option<String>,
    consistency: &'static str,
    pages: u64,
    count: u64,
    scanned: u64,
    read_units: String,
    write_units: String,
    micros: u64,
}

impl Receipt {
    pub(crate) fn of(costs: Vec<Spent>, sent: &[Sent]) -> Self {
        Self {
            requests: costs.into_iter().map(RequestReceipt::of).collect(),
            sent: sent
                .iter()
                .filter_map(|s| Some(SentRequest::new(s.operation?, s.input.clone())))
                .collect(),
        }
    }

    /// The receipt of one request.
    pub(crate) fn of_one(spent: Spent, operation: Operation, input: Vec<u8>) -> Self {
        Self {
            requests: vec![RequestReceipt::of(spent)],
            sent: vec![SentRequest::new(operation, input)],
        }
    }
}

impl SentRequest {
    fn new(operation: Operation, input: Vec<u8>) -> Self {
        Self {
            operation: operation.name(),
            input: if input.len() > SENT_MAX {
                RawValue::NULL.to_owned()
            } else {
                raw(input)
            },
        }
    }
}

/// Whether an operation reads or writes items: the others are answered without capacity units.
const fn touches_items(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::GetItem
            | Operation::PutItem
            | Operation::UpdateItem
            | Operation::DeleteItem
            | Operation::Query
            | Operation::Scan
            | Operation::BatchGetItem
            | Operation::BatchWriteItem
            | Operation::TransactGetItems
            | Operation::TransactWriteItems
            | Operation::ExecuteStatement
            | Operation::BatchExecuteStatement
            | Operation::ExecuteTransaction
    )
}

impl RequestReceipt {
    fn of(spent: Spent) -> Self {
        let consistency = match spent.consistency {
            Some(Consistency::Strong) => "strong",
            Some(Consistency::Eventual) => "eventual",
            Some(Consistency::Transactional) => "transaction",
            None if !touches_items(spent.operation) => "none",
            None if spent.is_read() => "strong",
            None => "write",
        };
        let index_units: Units = spent.index_write.values().copied().sum();
        let whole = spent.write.max(index_units);
        Self {
            operation: spent.operation.name(),
            table: spent.table,
            index: spent.index,
            key: spent.key,
            consistency,
            pages: spent.requests,
            count: spent.count,
            scanned: spent.scanned,
            read_units: units_text(spent.read),
            write_units: units_text(whole),
            micros: u64::try_from(spent.elapsed.as_micros()).unwrap_or(u64::MAX),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct Problem {
    pub(crate) code: String,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) item: Option<Raw>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reasons: Vec<Reason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) span: Option<[usize; 2]>,
}

#[derive(Serialize)]
pub(crate) struct Reason {
    code: String,
    message: Option<String>,
    item: Option<Raw>,
}

impl Reason {
    pub(crate) fn of(reason: &CancellationReason) -> Self {
        Self {
            code: reason.code.clone(),
            message: reason.message.clone(),
            item: reason.item.as_ref().map(raw_item),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) detail: String,
    pub(crate) read_only: bool,
    pub(crate) durable: bool,
    pub(crate) region: String,
    pub(crate) offers: Vec<&'static str>,
}

#[derive(Serialize)]
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) table: String,
    pub(crate) entities: Vec<Entity>,
    pub(crate) relations: Vec<Relation>,
    pub(crate) toml: String,
    pub(crate) firsts: Vec<EdgeRef>,
}

#[derive(Serialize)]
pub(crate) struct Entity {
    pub(crate) name: String,
    pub(crate) pk: String,
    pub(crate) sk: String,
}

#[derive(Serialize)]
pub(crate) struct Relation {
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) target: String,
    pub(crate) out: String,
    #[serde(rename = "in")]
    pub(crate) inward: String,
    pub(crate) pk: String,
    pub(crate) sk: String,
    pub(crate) key_names: [String; 2],
    pub(crate) index: String,
    pub(crate) index_key_names: Vec<String>,
    pub(crate) index_pk: String,
    pub(crate) index_sk: String,
    pub(crate) attributes: Vec<String>,
    pub(crate) out_counter: Option<String>,
    pub(crate) in_counter: Option<String>,
    pub(crate) undirected: bool,
}

#[derive(Serialize)]
pub(crate) struct EdgeRef {
    pub(crate) relation: String,
    pub(crate) source: String,
    pub(crate) target: String,
}

#[derive(Serialize)]
pub(crate) struct Edge {
    pub(crate) source: String,
    pub(crate) target: String,
    pub(crate) item: Raw,
}

#[derive(Serialize)]
pub(crate) struct EdgePage {
    pub(crate) edges: Vec<Edge>,
    pub(crate) next: Option<String>,
    pub(crate) counter: Option<String>,
    pub(crate) missing: bool,
    pub(crate) receipt: Receipt,
}

#[derive(Serialize)]
pub(crate) struct EdgeView {
    pub(crate) item: Option<Raw>,
    pub(crate) key: Raw,
    pub(crate) receipt: Receipt,
}

#[derive(Serialize)]
pub(crate) struct EntityView {
    pub(crate) item: Option<Raw>,
    pub(crate) key: Raw,
    pub(crate) counters: BTreeMap<String, String>,
    pub(crate) receipt: Receipt,
}

#[derive(Serialize)]
pub(crate) struct Outcome {
    #[serde(rename = "outcome")]
    pub(crate) result: &'static str,
    pub(crate) existing: Option<Raw>,
    pub(crate) transaction: Raw,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) receipt: Receipt,
}

#[derive(Serialize)]
pub(crate) struct Check {
    pub(crate) patterns: Vec<PatternProof>,
    pub(crate) findings: Vec<Finding>,
}

#[derive(Serialize)]
pub(crate) struct PatternProof {
    pub(crate) name: String,
    pub(crate) operation: String,
    pub(crate) index: Option<String>,
    pub(crate) key: String,
    pub(crate) consistency: String,
    pub(crate) units: String,
    pub(crate) read_units: String,
    pub(crate) write_units: String,
    pub(crate) items: u64,
    pub(crate) ok: bool,
    pub(crate) access: &'static str,
    pub(crate) of: String,
    pub(crate) reading: Option<Reading>,
}

/// One pattern as it was run.
#[derive(Serialize)]
pub(crate) struct PatternRan {
    pub(crate) name: String,
    pub(crate) skipped: Option<&'static str>,
    pub(crate) pass: bool,
    pub(crate) more: bool,
    pub(crate) differences: Vec<String>,
    pub(crate) planned: Vec<Planned>,
    /// By slot of its `Reading`; `src` and `dst` are the ends of the edge that it was run with.
    pub(crate) ids: BTreeMap<&'static str, String>,
    /// How many of the receipt's requests only looked for an example.
    pub(crate) looked_for: usize,
    pub(crate) receipt: Receipt,
}

#[derive(Serialize)]
pub(crate) struct Planned {
    pub(crate) operation: &'static str,
    pub(crate) index: Option<String>,
    pub(crate) consistency: &'static str,
    pub(crate) pages: u64,
    pub(crate) read_units: String,
    pub(crate) write_units: String,
}

#[derive(Serialize)]
pub(crate) struct Reading {
    pub(crate) index: Option<String>,
    pub(crate) pk: String,
    pub(crate) sk: Option<String>,
    pub(crate) exact: bool,
}

#[derive(Serialize)]
pub(crate) struct Finding {
    pub(crate) level: &'static str,
    pub(crate) title: String,
    pub(crate) detail: String,
    pub(crate) hint: Option<String>,
    /// Where it is in the text, from 1, where there is one.
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
    pub(crate) width: Option<usize>,
}

#[derive(Serialize)]
pub(crate) struct CheckedDocument {
    pub(crate) model: Option<Model>,
    pub(crate) check: Option<Check>,
    pub(crate) problem: Option<Finding>,
    /// By path: where the value begins and ends, in UTF-16 code units.
    pub(crate) places: BTreeMap<String, [usize; 2]>,
}

#[derive(Deserialize)]
pub(crate) struct DocumentBody {
    pub(crate) toml: String,
}

#[derive(Deserialize)]
pub(crate) struct KeepBody {
    pub(crate) toml: String,
    /// The text that this one was made from; none where the model is a new one.
    #[serde(default)]
    pub(crate) was: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct Applied {
    pub(crate) outcome: &'static str,
    pub(crate) differences: Vec<String>,
    pub(crate) receipt: Receipt,
}

#[derive(Deserialize)]
pub(crate) struct InferBody {
    pub(crate) table: String,
    /// Items looked at.
    pub(crate) items: Option<u32>,
}

#[derive(Serialize)]
pub(crate) struct Evidence {
    pub(crate) place: String,
    pub(crate) text: String,
    pub(crate) assumed: bool,
}

#[derive(Serialize)]
pub(crate) struct InferredDocument {
    pub(crate) toml: String,
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) sampled: u64,
    pub(crate) whole: bool,
    pub(crate) receipt: Receipt,
}

#[derive(Serialize)]
pub(crate) struct Examined {
    pub(crate) traps: Vec<Diagnosis>,
    pub(crate) sampled: u64,
    pub(crate) whole: bool,
    pub(crate) receipt: Receipt,
}

#[derive(Serialize)]
pub(crate) struct Diagnosis {
    pub(crate) trap: &'static str,
    pub(crate) place: String,
    pub(crate) evidence: String,
    pub(crate) repair: String,
    pub(crate) command: Option<String>,
}

#[derive(Default, Deserialize)]
pub(crate) struct VerifyBody {
    #[serde(default)]
    pub(crate) repair: bool,
}

#[derive(Serialize)]
pub(crate) struct Verified {
    pub(crate) edges: u64,
    pub(crate) entities: u64,
    pub(crate) counters: u64,
    pub(crate) busy: u64,
    pub(crate) foreign: u64,
    pub(crate) wrong: u64,
    pub(crate) repaired: u64,
    pub(crate) findings: Vec<Drift>,
    pub(crate) receipt: Receipt,
}

#[derive(Serialize)]
pub(crate) struct Drift {
    pub(crate) kind: &'static str,
    pub(crate) key: String,
    pub(crate) what: String,
    pub(crate) repaired: bool,
}

#[derive(Serialize)]
pub(crate) struct RawAnswer {
    pub(crate) output: Raw,
    pub(crate) receipt: Receipt,
}

#[derive(Deserialize)]
pub(crate) struct LinkBody {
    pub(crate) source: String,
    pub(crate) target: String,
    /// Typed values; null removes an attribute.
    #[serde(default)]
    pub(crate) attributes: BTreeMap<String, Option<Raw>>,
}

#[derive(Deserialize)]
pub(crate) struct RawBody<'a> {
    pub(crate) operation: String,
    #[serde(borrow)]
    pub(crate) input: &'a RawValue,
}
