//! A table that is being imported or restored is described, cannot be changed, and is none for reads and writes.
//! Source: ack-api-quirks, services/dynamodb DDB-TABLE-217 and DDB-IMPORT-001 (2026-10-09); what those do not say of an
//! import is as of a restore or as of a table that is there.
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

/// How a request is answered.
#[derive(Clone)]
enum Want {
    Answer,
    /// No table, as the data plane says it.
    NoTable,
    /// No table, as the control plane says it.
    NoneNamed,
    /// No table, as backups say it.
    NoneBackup,
    InUse,
    Unavailable,
    Words(ErrorKind, &'static str),
}
use Want::{Answer, InUse, NoTable, NoneBackup, NoneNamed, Unavailable, Words};

/// Operation; body without its table; what is answered of an import and of a restore.
type Case = (&'static str, &'static str, Want, Want);
const CASES: &[Case] = &[
    ("DescribeTable", r#""TableName":"new""#, Answer, Answer),
    ("ListTables", "", Answer, Answer),
    (
        "DescribeTimeToLive",
        r#""TableName":"new""#,
        Answer,
        NoneNamed,
    ),
    (
        "DescribeContinuousBackups",
        r#""TableName":"new""#,
        Answer,
        NoneBackup,
    ),
    (
        "DescribeContributorInsights",
        r#""TableName":"new""#,
        Answer,
        NoneNamed,
    ),
    (
        "ListTagsOfResource",
        r#""ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/new""#,
        ARN_NONE,
        ARN_NONE,
    ),
    (
        "GetItem",
        r#""TableName":"new","Key":{"pk":{"S":"a"},"sk":{"N":"1"}}"#,
        NoTable,
        NoTable,
    ),
    (
        "PutItem",
        r#""TableName":"new","Item":{"pk":{"S":"a"},"sk":{"N":"1"}}"#,
        NoTable,
        NoTable,
    ),
    ("Scan", r#""TableName":"new""#, NoTable, NoTable),
    (
        "BatchGetItem",
        r#""RequestItems":{"new":{"Keys":[{"pk":{"S":"a"},"sk":{"N":"1"}}]}}"#,
        NoTable,
        NoTable,
    ),
    (
        "UpdateTable",
        r#""TableName":"new","DeletionProtectionEnabled":true"#,
        InUse,
        NoneNamed,
    ),
    (
        "UpdateTable",
        r#""TableName":"new","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"byV"}}]"#,
        InUse,
        NoneNamed,
    ),
    ("DeleteTable", r#""TableName":"new""#, InUse, InUse),
    (
        "UpdateTimeToLive",
        r#""TableName":"new","TimeToLiveSpecification":{"AttributeName":"t","Enabled":true}"#,
        InUse,
        NoneNamed,
    ),
    (
        "TagResource",
        r#""ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/new","Tags":[{"Key":"a","Value":"b"}]"#,
        ARN_NONE,
        ARN_NONE,
    ),
    (
        "CreateTable",
        r#""TableName":"new","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]"#,
        USED,
        USED,
    ),
    (
        "CreateBackup",
        r#""TableName":"new","BackupName":"one""#,
        Unavailable,
        NoneBackup,
    ),
    (
        "UpdateContinuousBackups",
        r#""TableName":"new","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}"#,
        Unavailable,
        NoneBackup,
    ),
    (
        "GetResourcePolicy",
        r#""ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/new""#,
        NO_POLICY,
        NoneNamed,
    ),
];
const ARN_NONE: Want = Words(
    ErrorKind::ResourceNotFound,
    "Requested resource not found: ResourcArn: arn:aws:dynamodb:us-east-1:000000000000:table/new not found",
);
const USED: Want = Words(ErrorKind::ResourceInUse, "Table is being used: new");
const NO_POLICY: Want = Words(
    ErrorKind::PolicyNotFound,
    "Resource-based policy not found for the provided ResourceArn: arn:aws:dynamodb:us-east-1:000000000000:table/new",
);

impl Want {
    fn error(&self) -> Option<(ErrorKind, &'static str)> {
        Some(match *self {
            Answer => return None,
            NoTable => (ErrorKind::ResourceNotFound, "Requested resource not found"),
            NoneNamed => (
                ErrorKind::ResourceNotFound,
                "Requested resource not found: Table: new not found",
            ),
            NoneBackup => (ErrorKind::TableNotFound, "Table not found: new"),
            InUse => (
                ErrorKind::ResourceInUse,
                "Attempt to change a resource which is still in use: Table is being created: new",
            ),
            Unavailable => (
                ErrorKind::ContinuousBackupsUnavailable,
                "Backups are being enabled for the table: new. Please retry later",
            ),
            Words(ref kind, words) => (kind.clone(), words),
        })
    }
}

fn check(bench: &Bench, of: fn(&Case) -> &Want) {
    let mut wrong = Vec::new();
    for case in CASES {
        let (name, body, ..) = case;
        let operation = Operation::ALL.iter().find(|own| own.name() == *name);
        let body = format!("{{{body}}}");
        let request = Request::decode(*operation.unwrap(), body.as_bytes()).unwrap();
        let cx = Context::default();
        let got = common::block_on(bench.db.0.call(&cx, request)).err();
        let got = got.map(|error| (error.kind, error.message.to_string()));
        let want = of(case).error();
        let want = want.map(|(kind, words)| (kind, words.to_owned()));
        if got != want {
            wrong.push(format!("{name}: want {want:?}, got {got:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_table_that_is_being_imported_is_described_and_not_used() {
    let bench = Bench::new();
    bench
        .import(from("in/", InputFormat::DynamodbJson))
        .unwrap();
    check(&bench, |case| &case.2);
    bench.db.settle();
    bench.db.put(
        "new",
        common::map([("pk", common::s("a")), ("sk", common::n(1))]),
    );
}

#[test]
fn a_table_that_is_being_restored_is_described_alone() {
    let bench = Bench::new();
    bench::table(&bench);
    bench
        .db
        .restore_table_to_point_in_time(RestoreTableToPointInTimeInput {
            source_table_name: Some("ttt".into()),
            target_table_name: Some("new".into()),
            use_latest_restorable_time: Some(true),
            ..RestoreTableToPointInTimeInput::default()
        })
        .unwrap();
    check(&bench, |case| &case.3);
    bench.db.settle();
    bench.db.put(
        "new",
        common::map([("pk", common::s("a")), ("sk", common::n(1))]),
    );
}
