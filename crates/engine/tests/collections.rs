//! Limits on what belongs together: item collections, and the items of a transaction.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

mod common;

use bothways_engine::{Engine, Options};
use bothways_protocol::types::*;
use bothways_protocol::{Error, ErrorKind};
use bothways_store::MemoryStore;
use common::{Attributes, Db, Ix, clock, create, engine, item, map, n, options, s};
use std::sync::Arc;

/// Bytes that a collection may have here.
const LIMIT: u64 = 1_000;

/// Both rows of an item (its own and the local index's) have the same size: 100 bytes of `v` and few more.
fn db() -> Db {
    let options = Options {
        collection_bytes: LIMIT,
        ..options(&clock())
    };
    let db = Db(Engine::open(Arc::new(MemoryStore::new()), options).unwrap());
    let local = Ix {
        name: "local",
        local: true,
        key: "pk:S l:N",
        projection: "ALL",
    };
    create(&db, "table", "pk:S sk:N", &[local]);
    create(&db, "free", "pk:S sk:N", &[]);
    db
}

fn row(pk: &str, sk: i64) -> Attributes {
    map([
        ("pk", s(pk)),
        ("sk", n(sk)),
        ("l", n(1)),
        ("v", s(&"v".repeat(100))),
    ])
}

fn put(db: &Db, table: &str, row: Attributes) -> Result<PutItemOutput, Error> {
    db.put_item(PutItemInput {
        table_name: Some(table.into()),
        item: Some(item(&row).into()),
        return_item_collection_metrics: Some(ReturnItemCollectionMetrics::Size),
        ..PutItemInput::default()
    })
}

fn delete(db: &Db, pk: &str, sk: i64) {
    db.delete_item(DeleteItemInput {
        table_name: Some("table".into()),
        key: Some(item(&map([("pk", s(pk)), ("sk", n(sk))])).into()),
        ..DeleteItemInput::default()
    })
    .unwrap();
}

fn check_refused<T: std::fmt::Debug>(got: Result<T, Error>) {
    let error = got.unwrap_err();
    assert_eq!(error.kind, ErrorKind::ItemCollectionSizeLimitExceeded);
    assert_eq!(error.message, "Collection size exceeded.");
}

#[test]
fn a_collection_grows_to_its_limit_and_not_beyond() {
    let db = db();
    for sk in 0..4 {
        put(&db, "table", row("a", sk)).unwrap();
    }
    check_refused(put(&db, "table", row("a", 4)));
    assert_eq!(db.get("table", map([("pk", s("a")), ("sk", n(4))])), None);
    // The same item again makes nothing larger, and other collections have room of their own.
    put(&db, "table", row("a", 3)).unwrap();
    for sk in 0..4 {
        put(&db, "table", row("b", sk)).unwrap();
    }
    check_refused(put(&db, "table", row("b", 4)));
    delete(&db, "a", 0);
    put(&db, "table", row("a", 4)).unwrap();
    check_refused(put(&db, "table", row("a", 0)));
    // An item that is not in the index takes half as much.
    delete(&db, "a", 1);
    for sk in 5..7 {
        let mut sparse = row("a", sk);
        sparse.remove("l");
        put(&db, "table", sparse).unwrap();
    }
    for sk in 0..20 {
        put(&db, "free", row("a", sk)).unwrap();
    }
}

#[test]
fn a_transaction_is_cancelled_and_a_batch_refused_where_a_collection_would_be_too_large() {
    let db = db();
    for sk in 0..3 {
        put(&db, "table", row("a", sk)).unwrap();
    }
    let act = |table: &str, sk| TransactWriteItem {
        put: Some(Put {
            item: Some(item(&row("a", sk)).into()),
            table_name: Some(table.into()),
            ..Put::default()
        }),
        ..TransactWriteItem::default()
    };
    let transact = |items| {
        db.transact_write_items(TransactWriteItemsInput {
            transact_items: Some(items),
            ..TransactWriteItemsInput::default()
        })
    };
    let error = transact(vec![act("free", 1), act("table", 3), act("table", 4)]).unwrap_err();
    let codes: Vec<&str> = error.reasons.iter().map(|r| r.code.as_str()).collect();
    assert_eq!(codes, ["None", "None", "ItemCollectionSizeLimitExceeded"]);
    assert_eq!(db.describe("free").item_count, Some(0));
    let requests = [3, 4].map(|sk| WriteRequest {
        put_request: Some(PutRequest {
            item: Some(item(&row("a", sk)).into()),
        }),
        ..WriteRequest::default()
    });
    let requests = [("table".to_owned(), requests.to_vec())];
    check_refused(db.batch_write_item(BatchWriteItemInput {
        request_items: Some(requests.into()),
        ..BatchWriteItemInput::default()
    }));
    transact(vec![act("table", 3)]).unwrap();
}

#[test]
fn metrics_name_the_collection_and_the_gigabytes_that_it_lies_in() {
    let db = db();
    let metrics = put(&db, "table", row("a", 1))
        .unwrap()
        .item_collection_metrics;
    let metrics = metrics.unwrap();
    assert_eq!(
        metrics.item_collection_key,
        Some(item(&map([("pk", s("a"))])))
    );
    assert_eq!(metrics.size_estimate_range_gb, Some(vec![0.0, 1.0]));
    let none = put(&db, "free", row("a", 1))
        .unwrap()
        .item_collection_metrics;
    assert_eq!(none, None, "the table has no local index");
}

#[test]
fn a_transaction_counts_what_its_updates_make_of_items() {
    let db = Db(engine());
    create(&db, "table", "pk:S", &[]);
    for i in 0..11 {
        let pk = format!("{i}");
        db.put(
            "table",
            map([("pk", s(&pk)), ("v", s(&"v".repeat(390_000)))]),
        );
    }
    let touch = |count: usize| {
        let update = |i: usize| TransactWriteItem {
            update: Some(Update {
                key: Some(item(&map([("pk", s(&i.to_string()))])).into()),
                table_name: Some("table".into()),
                update_expression: Some("SET n = :n".into()),
                expression_attribute_values: Some(Values::from([(":n".into(), n(1))]).into()),
                ..Update::default()
            }),
            ..TransactWriteItem::default()
        };
        db.transact_write_items(TransactWriteItemsInput {
            transact_items: Some((0..count).map(update).collect()),
            ..TransactWriteItemsInput::default()
        })
    };
    let error = touch(11).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Validation);
    assert!(error.message.contains("cannot exceed 4194304 bytes"));
    let key = |i: i64| map([("pk", s(&i.to_string()))]);
    assert!(!db.get("table", key(0)).unwrap().contains_key("n"));
    touch(10).unwrap();
    assert!(db.get("table", key(9)).unwrap().contains_key("n"));
}
