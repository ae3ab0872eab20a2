//! Consumed capacity, by table and by index.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

mod common;

use bothways_core::Value;
use bothways_protocol::types::*;
use common::{Attributes, Db, Ix, create, engine, item, map, n, s};

const INDEXES: &[Ix] = &[
    Ix {
        name: "all",
        local: false,
        key: "g:S",
        projection: "ALL",
    },
    Ix {
        name: "keys",
        local: false,
        key: "k:S",
        projection: "KEYS",
    },
    Ix {
        name: "local",
        local: true,
        key: "pk:S l:N",
        projection: "v",
    },
];

fn db() -> Db {
    let db = Db(engine());
    create(&db, "table", "pk:S sk:N", INDEXES);
    db
}

/// An item of this many bytes in all, and these attributes besides.
fn sized<const N: usize>(bytes: usize, more: [(&str, Value); N]) -> Attributes {
    let mut out = map([("pk", s("p")), ("sk", n(1))]);
    out.extend(map(more));
    let rest = bytes - item(&out).size() - 1;
    out.insert("x".into(), s(&"x".repeat(rest)));
    assert_eq!(item(&out).size(), bytes);
    out
}

/// `total table all keys local`, as AWS writes units; `-` where there is no entry.
fn shown(capacity: Option<ConsumedCapacity>) -> String {
    let capacity = capacity.unwrap();
    let units = |c: Option<&Capacity>| c.map_or("-".into(), |c| half(c.capacity_units));
    let global = capacity.global_secondary_indexes.unwrap_or_default();
    let local = capacity.local_secondary_indexes.unwrap_or_default();
    format!(
        "{} {} {} {} {}",
        half(capacity.capacity_units),
        units(capacity.table.as_ref()),
        units(global.get("all")),
        units(global.get("keys")),
        units(local.get("local")),
    )
}

#[allow(clippy::cast_precision_loss, reason = "small numbers")]
fn half(units: Option<Units>) -> String {
    (units.unwrap().0 as f64 / 2.0).to_string()
}

fn put(db: &Db, item_: &Attributes) -> String {
    let output = db.put_item(PutItemInput {
        table_name: Some("table".into()),
        item: Some(item(item_).into()),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..PutItemInput::default()
    });
    shown(output.unwrap().consumed_capacity)
}

fn update(db: &Db, expression: &str, value: Option<Value>) -> String {
    let output = db.update_item(UpdateItemInput {
        table_name: Some("table".into()),
        key: Some(item(&map([("pk", s("p")), ("sk", n(1))])).into()),
        update_expression: Some(expression.into()),
        expression_attribute_values: value.map(|v| Values::from([(":v".into(), v)]).into()),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..UpdateItemInput::default()
    });
    shown(output.unwrap().consumed_capacity)
}

/// Source: Developer Guide, "Provisioned throughput considerations for GSIs" and "for LSIs"; that an index without
/// change has no entry was measured on AWS (paritysuite/dynamodb-conformance, index write costs).
#[test]
fn a_write_pays_for_its_larger_image_and_for_every_index_row_that_it_changes() {
    let db = db();
    assert_eq!(put(&db, &sized(1024, [])), "1 1 - - -");
    assert_eq!(put(&db, &sized(1024, [])), "1 1 - - -", "the same again");
    assert_eq!(
        put(&db, &sized(1025, [])),
        "2 2 - - -",
        "one byte over a kilobyte"
    );
    assert_eq!(
        put(&db, &sized(100, [])),
        "2 2 - - -",
        "the larger image was there before"
    );
    assert_eq!(
        update(&db, "SET g = :v", Some(s("a"))),
        "2 1 1 - -",
        "into an index"
    );
    assert_eq!(
        update(&db, "SET g = :v", Some(s("b"))),
        "3 1 2 - -",
        "moved in it"
    );
    assert_eq!(
        update(&db, "SET z = :v", Some(s("b"))),
        "2 1 1 - -",
        "projected"
    );
    assert_eq!(
        update(&db, "SET k = :v", Some(s("a"))),
        "3 1 1 1 -",
        "into the next"
    );
    assert_eq!(
        update(&db, "SET z = :v", Some(s("c"))),
        "2 1 1 - -",
        "not projected in one"
    );
    assert_eq!(
        update(&db, "SET l = :v", Some(n(1))),
        "3 1 1 - 1",
        "into the local one"
    );
    assert_eq!(
        update(&db, "SET v = :v", Some(s("v"))),
        "3 1 1 - 1",
        "projected in the local one"
    );
    assert_eq!(
        update(&db, "SET l = :v", Some(n(2))),
        "4 1 1 - 2",
        "moved in the local one"
    );
    assert_eq!(
        update(&db, "REMOVE k", None),
        "3 1 1 1 -",
        "out of an index"
    );
    assert_eq!(
        update(&db, "REMOVE g", None),
        "2 1 1 - -",
        "out of the other"
    );
    assert_eq!(
        update(&db, "SET g = :v", Some(s(&"g".repeat(1500)))),
        "4 2 2 - -",
        "by size"
    );
    assert_eq!(
        update(&db, "SET z = :v", Some(s("c"))),
        "2 2 - - -",
        "nothing changed"
    );
}

fn delete(db: &Db) -> String {
    let output = db.delete_item(DeleteItemInput {
        table_name: Some("table".into()),
        key: Some(item(&map([("pk", s("p")), ("sk", n(1))])).into()),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..DeleteItemInput::default()
    });
    shown(output.unwrap().consumed_capacity)
}

#[test]
fn a_delete_pays_for_what_was_there() {
    let db = db();
    assert_eq!(delete(&db), "1 1 - - -", "nothing there");
    put(&db, &sized(3000, [("g", s("a")), ("l", n(1))]));
    assert_eq!(delete(&db), "7 3 3 - 1");
}

fn get(db: &Db, consistent: bool) -> String {
    let output = db.get_item(GetItemInput {
        table_name: Some("table".into()),
        key: Some(item(&map([("pk", s("p")), ("sk", n(1))])).into()),
        consistent_read: Some(consistent),
        projection_expression: Some("sk".into()),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..GetItemInput::default()
    });
    shown(output.unwrap().consumed_capacity)
}

#[test]
fn a_read_pays_by_four_kilobytes_whatever_it_returns() {
    let db = db();
    assert_eq!(get(&db, false), "0.5 0.5 - - -", "nothing there");
    assert_eq!(get(&db, true), "1 1 - - -");
    for (bytes, eventual, strong) in [(4096, "0.5", "1"), (4097, "1", "2"), (12_289, "2", "4")] {
        put(&db, &sized(bytes, []));
        assert_eq!(get(&db, false), format!("{eventual} {eventual} - - -"));
        assert_eq!(get(&db, true), format!("{strong} {strong} - - -"));
    }
}

fn query(db: &Db, index: Option<&str>, key: (&str, Value), more: QueryInput) -> String {
    let output = db.query(QueryInput {
        table_name: Some("table".into()),
        index_name: index.map(str::to_owned),
        key_condition_expression: Some(format!("{} = :k", key.0)),
        expression_attribute_values: Some(Values::from([(":k".into(), key.1)]).into()),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..more
    });
    shown(output.unwrap().consumed_capacity)
}

#[test]
fn a_query_sums_before_it_rounds_and_charges_the_index_that_it_reads() {
    let db = db();
    for sk in 0..10 {
        let mut row = map([("pk", s("p")), ("g", s("g")), ("k", s("k")), ("l", n(sk))]);
        row.insert("sk".into(), n(sk));
        row.insert("x".into(), s(&"x".repeat(970)));
        db.put("table", row);
    }
    let plain = QueryInput::default;
    assert_eq!(query(&db, None, ("pk", s("p")), plain()), "1.5 1.5 - - -");
    assert_eq!(
        query(&db, None, ("pk", s("none")), plain()),
        "0.5 0.5 - - -"
    );
    assert_eq!(
        query(&db, Some("all"), ("g", s("g")), plain()),
        "1.5 0 1.5 - -"
    );
    assert_eq!(
        query(&db, Some("keys"), ("k", s("k")), plain()),
        "0.5 0 - 0.5 -"
    );
    assert_eq!(
        query(&db, Some("local"), ("pk", s("p")), plain()),
        "0.5 0 - - 0.5"
    );
    let strong = QueryInput {
        consistent_read: Some(true),
        ..plain()
    };
    assert_eq!(
        query(&db, Some("local"), ("pk", s("p")), strong),
        "1 0 - - 1"
    );
    let count = QueryInput {
        select: Some(Select::Count),
        filter_expression: Some("attribute_not_exists(x)".into()),
        ..plain()
    };
    assert_eq!(
        query(&db, None, ("pk", s("p")), count),
        "1.5 1.5 - - -",
        "filtered and counted"
    );
    let fetched = QueryInput {
        select: Some(Select::AllAttributes),
        ..plain()
    };
    assert_eq!(
        query(&db, Some("local"), ("pk", s("p")), fetched),
        "5.5 5 - - 0.5",
        "each item fetched from the table is rounded up alone"
    );
}

#[test]
fn a_batch_rounds_each_item() {
    let db = db();
    let keys = |range: std::ops::Range<i64>| {
        range
            .map(|sk| item(&map([("pk", s("p")), ("sk", n(sk))])).into())
            .collect::<Vec<_>>()
    };
    db.put("table", sized(5000, []));
    let request = KeysAndAttributes {
        keys: Some(keys(0..4)),
        ..KeysAndAttributes::default()
    };
    let output = db.batch_get_item(BatchGetItemInput {
        request_items: Some([("table".to_owned(), request)].into()),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Total),
    });
    let capacity = output.unwrap().consumed_capacity.unwrap().remove(0);
    assert_eq!(
        half(capacity.capacity_units),
        "2.5",
        "three misses, one of two blocks"
    );
    assert_eq!(capacity.table, None, "no detail asked for");
}

fn transact(db: &Db, token: Option<&str>, checks: bool) -> ConsumedCapacity {
    let key = |sk| item(&map([("pk", s("p")), ("sk", n(sk))])).into();
    let put = Put {
        item: Some(item(&sized(1500, [("g", s("a"))])).into()),
        table_name: Some("table".into()),
        ..Put::default()
    };
    let check = ConditionCheck {
        key: Some(key(2)),
        table_name: Some("table".into()),
        condition_expression: Some("attribute_not_exists(pk)".into()),
        ..ConditionCheck::default()
    };
    let mut actions = vec![TransactWriteItem {
        put: Some(put),
        ..TransactWriteItem::default()
    }];
    if checks {
        actions.push(TransactWriteItem {
            condition_check: Some(check),
            ..TransactWriteItem::default()
        });
    }
    let output = db.transact_write_items(TransactWriteItemsInput {
        transact_items: Some(actions),
        client_request_token: token.map(str::to_owned),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..TransactWriteItemsInput::default()
    });
    output.unwrap().consumed_capacity.unwrap().remove(0)
}

/// Source: paritysuite/dynamodb-conformance, CHANGELOG of 2026-06-30 and 2026-07-01, measured on AWS.
#[test]
fn a_transaction_doubles_the_table_alone_and_a_repeated_token_reads() {
    let db = db();
    let first = transact(&db, Some("token"), true);
    assert_eq!(
        first.write_capacity_units,
        Some(Units::whole(8)),
        "2 KB twice, a check, an index row"
    );
    assert_eq!(first.read_capacity_units, None);
    assert_eq!(shown(Some(first)), "8 6 2 - -");
    let again = transact(&db, Some("token"), true);
    assert_eq!(again.read_capacity_units, Some(Units::whole(4)));
    assert_eq!(again.write_capacity_units, None);
    let get = TransactGetItem {
        get: Some(Get {
            key: Some(item(&map([("pk", s("p")), ("sk", n(1))])).into()),
            table_name: Some("table".into()),
            ..Get::default()
        }),
    };
    let output = db.transact_get_items(TransactGetItemsInput {
        transact_items: Some(vec![get]),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Total),
    });
    let read = output.unwrap().consumed_capacity.unwrap().remove(0);
    assert_eq!(
        (read.capacity_units, read.read_capacity_units),
        (Some(Units(4)), Some(Units(4)))
    );
}
