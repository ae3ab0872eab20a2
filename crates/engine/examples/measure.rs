//! Microseconds per operation on one thread, through the seam, over memory:
//! `cargo run --release -p bothways-engine --example measure`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::wildcard_imports,
    reason = "an example that measures and prints"
)]

use bothways_core::{Item, Value};
use bothways_engine::{Engine, Options};
use bothways_protocol::types::*;
use bothways_protocol::{Context, DynamoDbExt};
use bothways_store::MemoryStore;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Instant;

const ITEMS: u64 = 100_000;

/// Over memory every future is ready at its first poll.
fn now<F: Future + Unpin>(mut future: F) -> F::Output {
    let mut cx = std::task::Context::from_waker(Waker::noop());
    match Pin::new(&mut future).poll(&mut cx) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("a memory store makes nobody wait"),
    }
}

fn s(text: String) -> Value {
    Value::S(text)
}

fn key(i: u64) -> [(&'static str, Value); 2] {
    [
        ("PK", s(format!("USER#{:05}", i % 1000))),
        ("SK", s(format!("FOLLOWS#{i:07}"))),
    ]
}

fn item(i: u64) -> Item {
    let mut attributes = key(i).to_vec();
    attributes.push(("at", s("2026-11-30T12:00:00Z".into())));
    attributes.push(("note", s("x".repeat(100))));
    attributes.push(("n", Value::N(7.into())));
    Item::from_attributes(attributes)
}

fn create(engine: &Engine, cx: &Context) {
    let define = |name: &str| AttributeDefinition {
        attribute_name: Some(name.into()),
        attribute_type: Some(ScalarAttributeType::S),
    };
    let part = |name: &str, role| KeySchemaElement {
        attribute_name: Some(name.into()),
        key_type: Some(role),
    };
    for (name, indexed) in [("plain", false), ("graph", true)] {
        let index = GlobalSecondaryIndex {
            index_name: Some("inverse".into()),
            key_schema: Some(vec![part("SK", KeyRole::Hash), part("PK", KeyRole::Range)]),
            projection: Some(Projection {
                projection_type: Some(ProjectionType::All),
                ..Projection::default()
            }),
            ..GlobalSecondaryIndex::default()
        };
        let input = CreateTableInput {
            table_name: Some(name.into()),
            billing_mode: Some(BillingMode::PayPerRequest),
            attribute_definitions: Some(vec![define("PK"), define("SK")]),
            key_schema: Some(vec![part("PK", KeyRole::Hash), part("SK", KeyRole::Range)]),
            global_secondary_indexes: indexed.then(|| vec![index]),
            ..CreateTableInput::default()
        };
        now(engine.create_table(cx, input)).unwrap();
    }
}

/// Builds every input first, then times the calls alone.
fn measure<I>(name: &str, count: u64, input: impl Fn(u64) -> I, mut call: impl FnMut(I)) {
    let inputs: Vec<I> = (0..count).map(input).collect();
    let start = Instant::now();
    inputs.into_iter().for_each(&mut call);
    let each = start.elapsed() / u32::try_from(count).unwrap();
    println!("{name:<44} {:>8.2} µs", each.as_secs_f64() * 1e6);
}

fn main() {
    let engine = Engine::open(Arc::new(MemoryStore::new()), Options::default()).unwrap();
    let cx = Context::default();
    create(&engine, &cx);
    for table in ["plain", "graph"] {
        let put = |i| PutItemInput {
            table_name: Some(table.into()),
            item: Some(item(i).into()),
            ..PutItemInput::default()
        };
        measure(&format!("PutItem, new, {table}"), ITEMS, put, |input| {
            now(engine.put_item(&cx, input)).unwrap();
        });
    }
    let get = |i: u64| GetItemInput {
        table_name: Some("plain".into()),
        key: Some(Item::from_attributes(key(i * 7919 % ITEMS)).into()),
        ..GetItemInput::default()
    };
    measure("GetItem", ITEMS, get, |input| {
        assert!(now(engine.get_item(&cx, input)).unwrap().item.is_some());
    });
    let update = |i: u64| UpdateItemInput {
        table_name: Some("plain".into()),
        key: Some(Item::from_attributes(key(i * 7919 % ITEMS)).into()),
        update_expression: Some("ADD n :one".into()),
        expression_attribute_values: Some(
            Values::from([(":one".into(), Value::N(1.into()))]).into(),
        ),
        ..UpdateItemInput::default()
    };
    measure("UpdateItem, ADD", ITEMS, update, |input| {
        now(engine.update_item(&cx, input)).unwrap();
    });
    let query = |i: u64| QueryInput {
        table_name: Some("graph".into()),
        key_condition_expression: Some("PK = :pk".into()),
        expression_attribute_values: Some(
            Values::from([(":pk".into(), s(format!("USER#{:05}", i % 1000)))]).into(),
        ),
        limit: Some(50),
        ..QueryInput::default()
    };
    measure("Query, 50 items", ITEMS / 10, query, |input| {
        assert_eq!(now(engine.query(&cx, input)).unwrap().count, Some(50));
    });
    measure(
        "TransactWriteItems, edge and two counters",
        ITEMS / 2,
        follow,
        |input| {
            now(engine.transact_write_items(&cx, input)).unwrap();
        },
    );
}

/// A new edge, guarded, and the counters of its ends.
fn follow(i: u64) -> TransactWriteItemsInput {
    let count = |pk: String, name: &str| TransactWriteItem {
        update: Some(Update {
            key: Some(Item::from_attributes([("PK", s(pk.clone())), ("SK", s(pk))]).into()),
            table_name: Some("graph".into()),
            update_expression: Some(format!("ADD {name} :one")),
            expression_attribute_values: Some(
                Values::from([(":one".into(), Value::N(1.into()))]).into(),
            ),
            ..Update::default()
        }),
        ..TransactWriteItem::default()
    };
    let edge = TransactWriteItem {
        put: Some(Put {
            item: Some(item(i + ITEMS).into()),
            table_name: Some("graph".into()),
            condition_expression: Some("attribute_not_exists(PK)".into()),
            ..Put::default()
        }),
        ..TransactWriteItem::default()
    };
    TransactWriteItemsInput {
        transact_items: Some(vec![
            edge,
            count(format!("USER#{:05}", i % 1000), "following"),
            count(format!("STAR#{:05}", i % 5000), "followers"),
        ]),
        ..TransactWriteItemsInput::default()
    }
}
