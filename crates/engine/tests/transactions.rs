//! Transactions: what cancels them, and tokens.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

mod common;

use bothways_engine::Engine;
use bothways_protocol::types::*;
use bothways_protocol::{Error, ErrorKind};
use bothways_store::{MemoryStore, Store};
use common::{Attributes, Db, Ix, clock, create, engine, item, map, n, options, s};
use std::ops::Bound;
use std::sync::Arc;

const INDEXES: &[Ix] = &[Ix {
    name: "byG",
    local: false,
    key: "g:S",
    projection: "ALL",
}];

fn db() -> Db {
    let db = Db(engine());
    create(&db, "table", "pk:S", INDEXES);
    db
}

fn put(attributes: Attributes) -> TransactWriteItem {
    TransactWriteItem {
        put: Some(Put {
            item: Some(item(&attributes).into()),
            table_name: Some("table".into()),
            ..Put::default()
        }),
        ..TransactWriteItem::default()
    }
}

fn guarded(attributes: Attributes) -> TransactWriteItem {
    let mut action = put(attributes);
    let put = action.put.as_mut().unwrap();
    put.condition_expression = Some("attribute_not_exists(pk)".into());
    put.return_values_on_condition_check_failure =
        Some(ReturnValuesOnConditionCheckFailure::AllOld);
    action
}

fn delete(key: Attributes) -> TransactWriteItem {
    TransactWriteItem {
        delete: Some(Delete {
            key: Some(item(&key).into()),
            table_name: Some("table".into()),
            ..Delete::default()
        }),
        ..TransactWriteItem::default()
    }
}

fn update(expression: &str, pk: &str) -> TransactWriteItem {
    TransactWriteItem {
        update: Some(Update {
            key: Some(item(&map([("pk", s(pk))])).into()),
            table_name: Some("table".into()),
            update_expression: Some(expression.into()),
            ..Update::default()
        }),
        ..TransactWriteItem::default()
    }
}

fn write(db: &Db, actions: Vec<TransactWriteItem>, token: Option<&str>) -> Result<(), Error> {
    let output = db.transact_write_items(TransactWriteItemsInput {
        transact_items: Some(actions),
        client_request_token: token.map(str::to_owned),
        ..TransactWriteItemsInput::default()
    });
    output.map(drop)
}

fn pk(value: &str) -> Attributes {
    map([("pk", s(value))])
}

fn codes(error: &Error) -> String {
    error
        .reasons
        .iter()
        .map(|r| r.code.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_failed_condition_cancels_all_and_says_which_with_the_item() {
    let db = db();
    db.put("table", map([("pk", s("there")), ("v", n(1))]));
    let error = write(&db, vec![put(pk("new")), guarded(pk("there"))], None).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TransactionCanceled);
    assert_eq!(
        error.message,
        "Transaction cancelled, please refer cancellation reasons for specific reasons \
         [None, ConditionalCheckFailed]"
    );
    assert_eq!(error.reasons[0].message, None);
    assert_eq!(
        error.reasons[1].message.as_deref(),
        Some("The conditional request failed")
    );
    assert_eq!(
        error.reasons[1].item,
        Some(item(&map([("pk", s("there")), ("v", n(1))])))
    );
    assert_eq!(db.get("table", pk("new")), None);
}

/// Source: getmoto/moto issues and paritysuite/dynamodb-conformance, measured on AWS: a key of the wrong type
/// cancels, an empty one is an error of the request.
#[test]
fn faults_of_one_action_cancel_and_faults_of_the_request_do_not() {
    let db = db();
    db.put("table", map([("pk", s("a")), ("v", s("text"))]));
    let cancelled = [
        (
            delete(map([("pk", n(1))])),
            "The provided key element does not match the schema",
        ),
        (
            delete(map([("pk", s("x")), ("y", s("y"))])),
            "The provided key element does not match the schema",
        ),
        (
            put(map([("pk", n(1))])),
            "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N",
        ),
        (
            put(map([("pk", s("b")), ("g", n(1))])),
            "One or more parameter values were invalid: Type mismatch for Index Key g Expected: S \
             Actual: N IndexName: byG",
        ),
        (
            update("SET v = v + v", "a"),
            "An operand in the update expression has an incorrect data type",
        ),
        (
            update("SET v = nowhere", "a"),
            "The provided expression refers to an attribute that does not exist in the item",
        ),
    ];
    for (action, words) in cancelled {
        let error = write(&db, vec![put(pk("ok")), action], None).unwrap_err();
        assert_eq!(codes(&error), "None ValidationError", "{words}: {error}");
        assert_eq!(error.reasons[1].message.as_deref(), Some(words));
    }
    let refused = [
        (put(pk("")), "empty string value. Key: pk"),
        (delete(pk("")), "empty string value. Key: pk"),
        (
            put(map([("pk", s("b")), ("g", s(""))])),
            "empty string value. IndexName: byG, IndexKey: g",
        ),
        (
            put(pk("ok")),
            "Transaction request cannot include multiple operations on one item",
        ),
    ];
    for (action, words) in refused {
        let error = write(&db, vec![put(pk("ok")), action], None).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Validation, "{words}");
        assert!(error.message.ends_with(words), "{error}");
    }
    assert_eq!(db.get("table", pk("ok")), None);
    assert_eq!(db.describe("table").item_count, Some(1));
}

#[test]
fn a_transaction_over_four_megabytes_is_refused() {
    let db = db();
    let large = |count: usize| {
        let big = |i| {
            put(map([
                ("pk", s(&format!("k{i}"))),
                ("x", s(&"x".repeat(350_000))),
            ]))
        };
        (0..count).map(big).collect::<Vec<_>>()
    };
    write(&db, large(11), None).unwrap();
    assert_eq!(
        write(&db, large(12), None).unwrap_err().kind,
        ErrorKind::Validation
    );
}

#[test]
fn a_token_makes_a_transaction_happen_once_for_ten_minutes_also_over_a_restart() {
    let (store, clock) = (Arc::new(MemoryStore::new()), clock());
    let open = || Db(Engine::open(store.clone(), options(&clock)).unwrap());
    let db = open();
    create(&db, "table", "pk:S", INDEXES);
    let add = || vec![update_by_one("n")];
    let count = |db: &Db| {
        db.get("table", pk("n"))
            .and_then(|item| item.get("v").cloned())
    };
    write(&db, add(), Some("token")).unwrap();
    write(&db, add(), Some("token")).unwrap();
    assert_eq!(count(&db), Some(n(1)));
    let db = open();
    clock.advance(599_000);
    write(&db, add(), Some("token")).unwrap();
    assert_eq!(count(&db), Some(n(1)));
    let error = write(&db, vec![update_by_one("other")], Some("token")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::IdempotentParameterMismatch);
    clock.advance(1_000);
    write(
        &db,
        vec![update_by_one("n"), put(pk("more"))],
        Some("token"),
    )
    .unwrap();
    assert_eq!(count(&db), Some(n(2)), "forgotten after ten minutes");
    write(
        &db,
        vec![update_by_one("n"), put(pk("more"))],
        Some("token"),
    )
    .unwrap();
    assert_eq!(count(&db), Some(n(2)), "and remembered anew");
}

fn update_by_one(pk: &str) -> TransactWriteItem {
    let mut action = update("ADD v :one", pk);
    action.update.as_mut().unwrap().expression_attribute_values =
        Some(Values::from([(":one".into(), n(1))]).into());
    action
}

#[test]
fn a_cancelled_transaction_leaves_its_token_free() {
    let db = db();
    db.put("table", pk("there"));
    let actions = || vec![guarded(pk("there"))];
    assert!(write(&db, actions(), Some("token")).is_err());
    db.delete_item(DeleteItemInput {
        table_name: Some("table".into()),
        key: Some(item(&pk("there")).into()),
        ..DeleteItemInput::default()
    })
    .unwrap();
    write(&db, actions(), Some("token")).unwrap();
    assert!(db.get("table", pk("there")).is_some());
}

#[test]
fn the_sweep_forgets_old_tokens_and_keeps_young_ones() {
    let (store, clock) = (Arc::new(MemoryStore::new()), clock());
    let db = Db(Engine::open(store.clone(), options(&clock)).unwrap());
    create(&db, "table", "pk:S", INDEXES);
    let meta = |store: &dyn Store| {
        let snapshot = store.snapshot().unwrap();
        snapshot
            .range(Bound::Unbounded, Bound::Excluded(&[0, 0, 0, 1]), false)
            .count()
    };
    let before = meta(&*store);
    for i in 0..5 {
        write(&db, vec![update_by_one("n")], Some(&format!("token-{i}"))).unwrap();
        clock.advance(120_000);
    }
    assert_eq!(meta(&*store), before + 10);
    while db.0.sweep().unwrap() {}
    // The mark, and four tokens of two rows.
    assert_eq!(meta(&*store), before + 9);
    write(&db, vec![update_by_one("n")], Some("token-1")).unwrap();
    assert_eq!(
        db.get("table", pk("n")).unwrap()["v"],
        n(5),
        "still remembered"
    );
    clock.advance(600_000);
    while db.0.sweep().unwrap() {}
    assert_eq!(meta(&*store), before + 1);
    write(&db, vec![update_by_one("n")], Some("token-1")).unwrap();
    assert_eq!(db.get("table", pk("n")).unwrap()["v"], n(6));
}

#[test]
fn reads_of_a_transaction_come_from_one_snapshot_and_in_order() {
    let db = db();
    db.put("table", map([("pk", s("a")), ("v", n(1)), ("w", n(2))]));
    let get = |key: Attributes, projection: Option<&str>| TransactGetItem {
        get: Some(Get {
            key: Some(item(&key).into()),
            table_name: Some("table".into()),
            projection_expression: projection.map(str::to_owned),
            ..Get::default()
        }),
    };
    let read = |gets: Vec<TransactGetItem>| {
        let input = TransactGetItemsInput {
            transact_items: Some(gets),
            ..TransactGetItemsInput::default()
        };
        db.transact_get_items(input)
    };
    let output = read(vec![get(pk("none"), None), get(pk("a"), Some("w"))]).unwrap();
    let items: Vec<_> = output
        .responses
        .unwrap()
        .into_iter()
        .map(|r| r.item)
        .collect();
    assert_eq!(items, [None, Some(item(&map([("w", n(2))])))]);
    let error = read(vec![get(pk("a"), None), get(map([("pk", n(1))]), None)]).unwrap_err();
    assert_eq!(codes(&error), "None ValidationError");
    let error = read(vec![get(pk("a"), None), get(pk("a"), None)]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Validation);
}
