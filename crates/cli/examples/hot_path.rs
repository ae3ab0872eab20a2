//! One operation again and again, from request bytes to answer bytes, in memory: what a profiler or callgrind looks at.
//!
//! usage: `hot_path OPERATION [TIMES]`, of GetItem, Query, PutItem, UpdateItem and BatchWriteItem, at most 400 times
//!
//! Everything is the same in every run, so that instructions can be counted and compared; `tests/instructions.sh` does.
//! All requests are made however many are sent, so that the difference of two runs is that of the operations alone.

use bothways_engine::{Engine, Options};
use bothways_protocol::{Context, DynamoDb, Operation, Request};
use bothways_server::{Config, Service, http};
use bothways_store::MemoryStore;
use bytes::Bytes;
use std::error::Error;
use std::fmt::Write as _;
use std::hint::black_box;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Poll, Waker};

/// Partitions and items of each: enough for a tree of several levels, little enough to load under callgrind.
const PARTITIONS: u64 = 40;
const ITEMS: u64 = 20;
/// Items in a BatchWriteItem.
const BATCH: u64 = 25;
/// Requests that are made.
const TIMES: usize = 400;

const AUTHORIZATION: &str = "AWS4-HMAC-SHA256 Credential=fakeMyKeyId/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, Signature=0000000000000000000000000000000000000000000000000000000000000000";

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let name = args.next().ok_or("usage: hot_path OPERATION [TIMES]")?;
    let times = args.next().map_or(Ok(TIMES), |times| times.parse())?;
    let target = format!("DynamoDB_20120810.{name}");
    let operation = Operation::of_target(Some(&target))?;
    let options = Options {
        background: false,
        ..Options::default()
    };
    let engine = Arc::new(Engine::open(Arc::new(MemoryStore::new()), options)?);
    load(&engine)?;
    let service = Service::new(engine, Config::default());
    let requests = (0..TIMES as u64).map(|turn| request(operation, &target, turn));
    let requests = requests.collect::<Outcome<Vec<_>>>()?;
    measured(&service, requests, times)
}

/// Has so many of them answered.
#[inline(never)]
fn measured(
    service: &Service,
    requests: Vec<(http::request::Parts, Bytes)>,
    times: usize,
) -> Outcome<()> {
    for (parts, body) in requests.into_iter().take(times) {
        let answer = now(service.handle(parts, body))?;
        if answer.status() != 200 {
            return Err(format!("{answer:?}").into());
        }
        black_box(answer);
    }
    Ok(())
}

/// In memory every answer is there at once.
fn now<T>(future: impl Future<Output = T>) -> Outcome<T> {
    let mut cx = std::task::Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut cx) {
        Poll::Ready(value) => Ok(value),
        Poll::Pending => Err("an answer in memory that waits".into()),
    }
}

fn load(engine: &Engine) -> Outcome<()> {
    let create = r#"{"TableName":"bench","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"BillingMode":"PAY_PER_REQUEST"}"#;
    let cx = Context::default();
    let ask = |operation, body: &str| -> Outcome<()> {
        let request = Request::decode(operation, body.as_bytes())?;
        now(engine.call(&cx, request))??;
        Ok(())
    };
    ask(Operation::CreateTable, create)?;
    for partition in 0..PARTITIONS {
        ask(Operation::BatchWriteItem, &puts(partition, ITEMS))?;
    }
    Ok(())
}

fn key(partition: u64, item: u64) -> String {
    format!(r#"{{"pk":{{"S":"user#{partition:06}"}},"sk":{{"S":"order#{item:06}"}}}}"#)
}

/// An item of about 200 bytes.
fn item(partition: u64, item: u64) -> String {
    let mut data = String::with_capacity(160);
    for part in 0..10_u64 {
        let _ = write!(data, "{:015x}", (partition << 40) + (item << 20) + part);
    }
    format!(
        r#"{{"pk":{{"S":"user#{partition:06}"}},"sk":{{"S":"order#{item:06}"}},"n":{{"N":"{}"}},"data":{{"S":"{data}"}}}}"#,
        partition * 1000 + item
    )
}

fn puts(partition: u64, items: u64) -> String {
    let put = |n| format!(r#"{{"PutRequest":{{"Item":{}}}}}"#, item(partition, n));
    let puts: Vec<String> = (0..items).map(put).collect();
    format!(r#"{{"RequestItems":{{"bench":[{}]}}}}"#, puts.join(","))
}

/// The request of a turn; keys are spread over all that are there.
fn request(
    operation: Operation,
    target: &str,
    turn: u64,
) -> Outcome<(http::request::Parts, Bytes)> {
    let (partition, n) = (turn * 7 % PARTITIONS, turn * 3 % ITEMS);
    let key = key(partition, n);
    let body = match operation {
        Operation::GetItem => format!(r#"{{"TableName":"bench","Key":{key}}}"#),
        Operation::Query => format!(
            r#"{{"TableName":"bench","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{{":p":{{"S":"user#{partition:06}"}}}}}}"#
        ),
        Operation::PutItem => {
            // Another item under the same key: one that changes nothing writes nothing.
            let item = item(partition, n).replace(r#""N":""#, r#""N":"1"#);
            format!(r#"{{"TableName":"bench","Item":{item}}}"#)
        }
        Operation::UpdateItem => format!(
            r#"{{"TableName":"bench","Key":{key},"UpdateExpression":"SET n = n + :o","ConditionExpression":"attribute_exists(pk)","ExpressionAttributeValues":{{":o":{{"N":"1"}}}}}}"#
        ),
        Operation::BatchWriteItem => puts(PARTITIONS + partition, BATCH),
        other => return Err(format!("{} is not measured", other.name()).into()),
    };
    let request = http::Request::post("/")
        .header("host", "127.0.0.1:8000")
        .header("x-amz-target", target)
        .header("content-type", "application/x-amz-json-1.0")
        .header("x-amz-date", "20260101T000000Z")
        .header("authorization", AUTHORIZATION)
        .header("content-length", body.len())
        .body(())?;
    Ok((request.into_parts().0, body.into()))
}
