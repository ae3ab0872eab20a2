//! What is asked of every server: the same five operations on the same items, as a client writes them.

use crate::linkbench::Random;
use std::fmt::Write as _;

/// Partitions that are loaded.
pub const PARTITIONS: u64 = 1000;
/// Items of each, which is what one Query reads.
pub const ITEMS: u64 = 20;
/// Items in one BatchWriteItem.
const BATCH: u64 = 25;
/// Characters of an item's data, which make it about 200 bytes.
const DATA: usize = 150;
/// A signature that no local server checks, so that it is the same for every request.
const AUTHORIZATION: &str = "AWS4-HMAC-SHA256 Credential=fakeMyKeyId/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, Signature=0000000000000000000000000000000000000000000000000000000000000000";

/// An operation that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// GetItem of one item.
    Get,
    /// PutItem over an item that is there.
    Put,
    /// Query of a partition of 20 items.
    Query,
    /// UpdateItem that adds to a number, on condition that the item is there.
    Update,
    /// BatchWriteItem of 25 items of one partition.
    Batch,
}

impl Op {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Get, Self::Put, Self::Query, Self::Update, Self::Batch];

    /// Its name in `X-Amz-Target`.
    #[must_use]
    pub const fn target(self) -> &'static str {
        match self {
            Self::Get => "GetItem",
            Self::Put => "PutItem",
            Self::Query => "Query",
            Self::Update => "UpdateItem",
            Self::Batch => "BatchWriteItem",
        }
    }

    /// What it is called in the report.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Get => "GetItem",
            Self::Put => "PutItem",
            Self::Query => "Query of 20",
            Self::Update => "conditional UpdateItem",
            Self::Batch => "BatchWriteItem of 25",
        }
    }

    /// The operation of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.target() == name)
    }

    /// The JSON of one request, drawn at random.
    pub fn body(self, random: &mut Random) -> String {
        let (partition, item) = (random.below(PARTITIONS), random.below(ITEMS));
        match self {
            Self::Get => format!(r#"{{"TableName":"bench","Key":{}}}"#, key(partition, item)),
            Self::Put => format!(
                r#"{{"TableName":"bench","Item":{}}}"#,
                json(partition, item, random)
            ),
            Self::Query => format!(
                r#"{{"TableName":"bench","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{{":p":{{"S":"user#{partition:06}"}}}}}}"#
            ),
            Self::Update => format!(
                r#"{{"TableName":"bench","Key":{},"UpdateExpression":"SET n = n + :o","ConditionExpression":"attribute_exists(pk)","ExpressionAttributeValues":{{":o":{{"N":"1"}}}}}}"#,
                key(partition, item)
            ),
            // Beside the items that a Query reads, so that a page stays one of 20.
            Self::Batch => puts(PARTITIONS + partition, 0..BATCH, random),
        }
    }
}

fn key(partition: u64, item: u64) -> String {
    format!(r#"{{"pk":{{"S":"user#{partition:06}"}},"sk":{{"S":"order#{item:06}"}}}}"#)
}

/// An item of about 200 bytes.
fn json(partition: u64, item: u64, random: &mut Random) -> String {
    let mut data = String::with_capacity(DATA + 16);
    while data.len() < DATA {
        let _ = write!(data, "{:016x}", random.bits());
    }
    data.truncate(DATA);
    format!(
        r#"{{"pk":{{"S":"user#{partition:06}"}},"sk":{{"S":"order#{item:06}"}},"n":{{"N":"{}"}},"data":{{"S":"{data}"}}}}"#,
        random.below(100_000)
    )
}

/// A BatchWriteItem of a partition's items.
pub fn puts(partition: u64, items: std::ops::Range<u64>, random: &mut Random) -> String {
    let puts: Vec<String> = items
        .map(|item| {
            format!(
                r#"{{"PutRequest":{{"Item":{}}}}}"#,
                json(partition, item, random)
            )
        })
        .collect();
    format!(r#"{{"RequestItems":{{"bench":[{}]}}}}"#, puts.join(","))
}

/// The table that everything is in.
pub const CREATE: &str = r#"{"TableName":"bench","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"BillingMode":"PAY_PER_REQUEST"}"#;

/// A request as it goes over the wire.
#[must_use]
pub fn http(host: &str, target: &str, body: &str) -> Vec<u8> {
    format!(
        "POST / HTTP/1.1\r\nHost: {host}\r\nX-Amz-Target: DynamoDB_20120810.{target}\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Date: 20260101T000000Z\r\nAuthorization: {AUTHORIZATION}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
