//! Sends a request, page after page, and adds up what it used.

use super::{Understood, used};
use crate::failure::Exit;
use crate::print::{Paint, plural};
use crate::report::{Advice, Report};
use bothways_core::Item;
use bothways_protocol::types::{ReturnConsumedCapacity, Select, Units};
use bothways_protocol::{Context, DynamoDb, Error, Operation, Request, Response};
use serde_json::{Map, Value as Json, json};
use std::time::{Duration, Instant};

/// How long one page is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// What came back.
pub(super) struct Sent {
    sentence: String,
    findings: Vec<bothways_codegen::Finding>,
    operation: Operation,
    items: Vec<Item>,
    /// Where the request counts: how many so far.
    counted: Option<u64>,
    /// Statements of a batch that failed, each by itself.
    faults: Vec<String>,
    answer: Json,
    pages: u32,
    more: bool,
    read: Units,
    write: Units,
}

/// Sends the request, at most so many pages of it.
pub(super) async fn send(
    db: &dyn DynamoDb,
    request: &Understood,
    most: u32,
) -> Result<Sent, Error> {
    let explained = request.explain();
    let mut next = request.draft.request().clone();
    metered(&mut next);
    let operation = request.draft.operation();
    let mut sent = Sent {
        sentence: explained.sentence,
        findings: explained.findings,
        operation,
        items: Vec::new(),
        counted: counts(request.draft.request()).then_some(0),
        faults: Vec::new(),
        answer: Json::Null,
        pages: 0,
        more: false,
        read: Units(0),
        write: Units(0),
    };
    while sent.pages < most {
        let cx = Context {
            deadline: Some(Instant::now() + PATIENCE),
            ..Context::default()
        };
        let response = db.call(&cx, next.clone()).await?;
        sent.pages += 1;
        sent.take(&response);
        sent.more = advance(&mut next, &response);
        if !sent.more {
            break;
        }
    }
    Ok(sent)
}

/// Asks for the units used, unless the request asks for something itself.
fn metered(request: &mut Request) {
    let wanted = Some(ReturnConsumedCapacity::Total);
    let capacity = match request {
        Request::GetItem(input) => &mut input.return_consumed_capacity,
        Request::Query(input) => &mut input.return_consumed_capacity,
        Request::Scan(input) => &mut input.return_consumed_capacity,
        Request::PutItem(input) => &mut input.return_consumed_capacity,
        Request::UpdateItem(input) => &mut input.return_consumed_capacity,
        Request::DeleteItem(input) => &mut input.return_consumed_capacity,
        Request::BatchGetItem(input) => &mut input.return_consumed_capacity,
        Request::BatchWriteItem(input) => &mut input.return_consumed_capacity,
        Request::TransactGetItems(input) => &mut input.return_consumed_capacity,
        Request::TransactWriteItems(input) => &mut input.return_consumed_capacity,
        Request::ExecuteStatement(input) => &mut input.return_consumed_capacity,
        Request::BatchExecuteStatement(input) => &mut input.return_consumed_capacity,
        Request::ExecuteTransaction(input) => &mut input.return_consumed_capacity,
        _ => return,
    };
    *capacity = capacity.or(wanted);
}

/// Turns a request into that of its next page; false where there is none.
fn advance(request: &mut Request, response: &Response) -> bool {
    match (request, response) {
        (Request::Query(input), Response::Query(page)) => {
            input.exclusive_start_key = page.last_evaluated_key.clone().map(Into::into);
            page.last_evaluated_key.is_some()
        }
        (Request::Scan(input), Response::Scan(page)) => {
            input.exclusive_start_key = page.last_evaluated_key.clone().map(Into::into);
            page.last_evaluated_key.is_some()
        }
        (Request::ExecuteStatement(input), Response::ExecuteStatement(page)) => {
            input.next_token.clone_from(&page.next_token);
            page.next_token.is_some()
        }
        (Request::BatchGetItem(input), Response::BatchGetItem(answer)) => {
            let rest = answer.unprocessed_keys.clone().unwrap_or_default();
            let more = !rest.is_empty();
            input.request_items = Some(rest);
            more
        }
        (Request::BatchWriteItem(input), Response::BatchWriteItem(answer)) => {
            let rest = answer.unprocessed_items.clone().unwrap_or_default();
            let more = !rest.is_empty();
            input.request_items = Some(rest);
            more
        }
        _ => false,
    }
}

impl Sent {
    fn take(&mut self, response: &Response) {
        match response {
            Response::GetItem(answer) => self.items.extend(answer.item.clone()),
            Response::Query(page) => self.items.extend(page.items.iter().flatten().cloned()),
            Response::Scan(page) => self.items.extend(page.items.iter().flatten().cloned()),
            Response::PutItem(answer) => self.items.extend(answer.attributes.clone()),
            Response::UpdateItem(answer) => self.items.extend(answer.attributes.clone()),
            Response::DeleteItem(answer) => self.items.extend(answer.attributes.clone()),
            Response::BatchGetItem(answer) => {
                let tables = answer.responses.iter().flatten();
                self.items
                    .extend(tables.flat_map(|(_, items)| items).cloned());
            }
            Response::TransactGetItems(answer) => {
                let all = answer.responses.iter().flatten();
                self.items.extend(all.filter_map(|one| one.item.clone()));
            }
            Response::ExecuteStatement(page) => {
                self.items.extend(page.items.iter().flatten().cloned());
            }
            Response::ExecuteTransaction(answer) => {
                let all = answer.responses.iter().flatten();
                self.items.extend(all.filter_map(|one| one.item.clone()));
            }
            Response::BatchExecuteStatement(answer) => {
                for (at, one) in answer.responses.iter().flatten().enumerate() {
                    self.items.extend(one.item.clone());
                    self.faults.extend(one.error.as_ref().map(|error| {
                        let code = error.code.as_deref().unwrap_or_default();
                        let words = error.message.as_deref().unwrap_or_default();
                        format!("statement {} failed: {code}: {words}", at + 1)
                    }));
                }
            }
            _ => {}
        }
        let mut bytes = Vec::new();
        response.encode(&mut bytes);
        self.answer = serde_json::from_slice(&bytes).unwrap_or_default();
        if let Some(counted) = &mut self.counted {
            *counted += self.answer["Count"].as_u64().unwrap_or_default();
        }
        self.meter();
    }

    /// Adds the units that the answer says; a table's answer is one object, several tables' are a list.
    fn meter(&mut self) {
        let consumed = &self.answer["ConsumedCapacity"];
        let all = match consumed {
            Json::Array(all) => all.clone(),
            Json::Object(_) => vec![consumed.clone()],
            _ => Vec::new(),
        };
        let halves = |json: &Json| {
            let units = json.as_f64().unwrap_or_default();
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "units are small and never negative"
            )]
            Units((units * 2.0).round() as u64)
        };
        for one in &all {
            let (read, write) = (&one["ReadCapacityUnits"], &one["WriteCapacityUnits"]);
            if read.is_number() || write.is_number() {
                self.read += halves(read);
                self.write += halves(write);
            } else if is_write(self.operation) {
                self.write += halves(&one["CapacityUnits"]);
            } else {
                self.read += halves(&one["CapacityUnits"]);
            }
        }
    }
}

/// Whether a request asks for a number instead of items.
fn counts(request: &Request) -> bool {
    let select = match request {
        Request::Query(input) => input.select,
        Request::Scan(input) => input.select,
        _ => None,
    };
    select == Some(Select::Count)
}

fn is_write(operation: Operation) -> bool {
    use Operation as Op;
    matches!(
        operation,
        Op::PutItem | Op::UpdateItem | Op::DeleteItem | Op::BatchWriteItem | Op::TransactWriteItems
    )
}

fn document(item: &Item) -> Json {
    let mut bytes = Vec::new();
    item.write_json(&mut bytes);
    serde_json::from_slice(&bytes).unwrap_or_default()
}

impl Report for Sent {
    fn lines(&self, _: Paint) -> Vec<String> {
        let counted = self.counted.map(|count| count.to_string());
        let items = self.items.iter().map(|item| document(item).to_string());
        counted.into_iter().chain(items).collect()
    }

    fn advice(&self) -> Vec<Advice> {
        let findings = self.findings.iter().map(|finding| &finding.text);
        let told = std::iter::once(&self.sentence).chain(findings);
        let mut advice: Vec<_> = told.chain(&self.faults).cloned().map(Advice::Say).collect();
        let what = match self.counted {
            Some(count) => plural(count, "item counted", "items counted"),
            None => plural(self.items.len() as u64, "item", "items"),
        };
        let pages = plural(u64::from(self.pages), "request", "requests");
        let used = used(self.read, self.write);
        advice.push(Advice::Say(format!("{what}, {pages}, {used}")));
        if self.more {
            let more = match self.operation {
                Operation::BatchGetItem | Operation::BatchWriteItem => {
                    "a part came back unprocessed and was not sent again: --pages N sends it"
                }
                _ => "there is more: --pages N reads on",
            };
            advice.push(Advice::Say(more.to_owned()));
        }
        advice
    }

    fn members(&self) -> Map<String, Json> {
        let units = bothways_graph::units_text;
        Map::from_iter([
            ("operation".to_owned(), self.operation.name().into()),
            ("sentence".to_owned(), self.sentence.clone().into()),
            (
                "items".to_owned(),
                self.items.iter().map(document).collect(),
            ),
            ("count".to_owned(), json!(self.counted)),
            ("faults".to_owned(), json!(self.faults)),
            ("pages".to_owned(), self.pages.into()),
            ("more".to_owned(), self.more.into()),
            ("read_units".to_owned(), units(self.read).into()),
            ("write_units".to_owned(), units(self.write).into()),
        ])
    }

    fn exit(&self) -> Exit {
        if self.faults.is_empty() {
            Exit::Done
        } else {
            Exit::No
        }
    }
}
