//! A table that is being imported or restored is there for the control plane, cannot be changed, and is none for reads
//! and writes. Sources: API Reference, `ResourceNotFoundException` ("its status might not be `ACTIVE`"),
//! `ResourceInUseException` ("delete a table currently in the `CREATING` state"), and the errors of each operation.
#![allow(
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

#[path = "common/bench.rs"]
mod bench;
mod common;

use bench::{Bench, from};
use bothways_protocol::types::*;
use bothways_protocol::{Context, DynamoDb, ErrorKind, Operation, Request};

/// Operation, body, the kind of error and its words; `None` for what is answered.
const CASES: &[(&str, &str, Option<(ErrorKind, &str)>)] = &[
    ("DescribeTable", r#"{"TableName":"new"}"#, None),
    ("ListTables", "{}", None),
    ("DescribeTimeToLive", r#"{"TableName":"new"}"#, None),
    ("DescribeContinuousBackups", r#"{"TableName":"new"}"#, None),
    (
        "ListTagsOfResource",
        r#"{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/new"}"#,
        None,
    ),
    (
        "GetItem",
        r#"{"TableName":"new","Key":{"pk":{"S":"a"},"sk":{"N":"1"}}}"#,
        Some((ErrorKind::ResourceNotFound, "Requested resource not found")),
    ),
    (
        "PutItem",
        r#"{"TableName":"new","Item":{"pk":{"S":"a"},"sk":{"N":"1"}}}"#,
        Some((ErrorKind::ResourceNotFound, "Requested resource not found")),
    ),
    (
        "Scan",
        r#"{"TableName":"new"}"#,
        Some((ErrorKind::ResourceNotFound, "Requested resource not found")),
    ),
    (
        "BatchWriteItem",
        r#"{"RequestItems":{"new":[{"DeleteRequest":{"Key":{"pk":{"S":"a"},"sk":{"N":"1"}}}}]}}"#,
        Some((ErrorKind::ResourceNotFound, "Requested resource not found")),
    ),
    (
        "UpdateTable",
        r#"{"TableName":"new","DeletionProtectionEnabled":true}"#,
        Some((ErrorKind::ResourceInUse, CREATED)),
    ),
    (
        "UpdateTable",
        r#"{"TableName":"new","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"byV"}}]}"#,
        Some((ErrorKind::ResourceInUse, CREATED)),
    ),
    (
        "DeleteTable",
        r#"{"TableName":"new"}"#,
        Some((ErrorKind::ResourceInUse, CREATED)),
    ),
    (
        "UpdateTimeToLive",
        r#"{"TableName":"new","TimeToLiveSpecification":{"AttributeName":"t","Enabled":true}}"#,
        Some((ErrorKind::ResourceInUse, CREATED)),
    ),
    (
        "TagResource",
        r#"{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/new","Tags":[{"Key":"a","Value":"b"}]}"#,
        Some((ErrorKind::ResourceInUse, CREATED)),
    ),
    (
        "UntagResource",
        r#"{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/new","TagKeys":["a"]}"#,
        Some((ErrorKind::ResourceInUse, CREATED)),
    ),
    (
        "CreateTable",
        r#"{"TableName":"new","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}"#,
        Some((ErrorKind::ResourceInUse, "Table is being used: new")),
    ),
    (
        "CreateBackup",
        r#"{"TableName":"new","BackupName":"one"}"#,
        Some((ErrorKind::ContinuousBackupsUnavailable, BACKUPS)),
    ),
    (
        "UpdateContinuousBackups",
        r#"{"TableName":"new","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}}"#,
        Some((ErrorKind::ContinuousBackupsUnavailable, BACKUPS)),
    ),
    (
        "RestoreTableToPointInTime",
        r#"{"SourceTableName":"new","TargetTableName":"newer","UseLatestRestorableTime":true}"#,
        Some((
            ErrorKind::PointInTimeRecoveryUnavailable,
            "Point in time recovery is not enabled for table 'new'",
        )),
    ),
    (
        "UpdateContributorInsights",
        r#"{"TableName":"new","ContributorInsightsAction":"ENABLE"}"#,
        Some((
            ErrorKind::Validation,
            "Table or Index is not in a valid state to update Key Access Insights: TableStatus/IndexStatus must be ACTIVE to enable ContributorInsights.",
        )),
    ),
];
const CREATED: &str =
    "Attempt to change a resource which is still in use: Table is being created: new";
const BACKUPS: &str = "Backups are being enabled for the table: new. Please retry later";

#[test]
fn a_table_whose_items_are_still_coming_is_described_and_not_used() {
    let bench = Bench::new();
    bench
        .import(from("in/", InputFormat::DynamodbJson))
        .unwrap();
    for (name, body, refused) in CASES {
        let operation = Operation::ALL.iter().find(|own| own.name() == *name);
        let request = Request::decode(*operation.unwrap(), body.as_bytes()).unwrap();
        let cx = Context::default();
        let answer = common::block_on(bench.db.0.call(&cx, request));
        match (answer, refused) {
            (Ok(_), None) => {}
            (Err(error), Some((kind, words))) => {
                assert_eq!(error.kind, *kind, "{name}: {error}");
                assert_eq!(error.message, *words, "{name}");
            }
            (answer, _) => panic!("{name}: {answer:?}"),
        }
    }
    bench.db.settle();
    bench.db.put(
        "new",
        common::map([("pk", common::s("a")), ("sk", common::n(1))]),
    );
}
