//! Many writers at once, on memory and on disk.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

mod common;

use bothways_core::Value;
use bothways_engine::Engine;
use bothways_protocol::ErrorKind;
use bothways_protocol::types::*;
use bothways_store::{DiskStore, MemoryStore, Store};
use common::{Attributes, Db, Ix, Rng, campaign, clock, create, item, map, n, options, s};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

const THREADS: u64 = 16;
const INDEXES: &[Ix] = &[Ix {
    name: "inverse",
    local: false,
    key: "sk:S pk:S",
    projection: "ALL",
}];

/// Runs the test over each kind of store.
fn on_both(test: impl Fn(Db)) {
    let open = |store: Arc<dyn Store>| Db(Engine::open(store, options(&clock())).unwrap());
    test(open(Arc::new(MemoryStore::new())));
    let dir = tempfile::tempdir().unwrap();
    test(open(Arc::new(
        DiskStore::open(dir.path(), bothways_store::Options::default()).unwrap(),
    )));
}

/// Runs the same on every thread, each with a random sequence of its own.
fn on_threads(run: impl Fn(u64, Rng) + Sync) {
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let run = &run;
            scope.spawn(move || run(thread, Rng(thread)));
        }
    });
}

fn edge(from: &str, to: &str) -> Attributes {
    map([("pk", s(from)), ("sk", s(to))])
}

/// Puts or deletes an edge, guarded, with both counters; whether it changed anything.
fn follow(db: &Db, from: &str, to: &str, on: bool) -> bool {
    let count = |pk: &str, name: &str| TransactWriteItem {
        update: Some(Update {
            key: Some(item(&edge(pk, pk)).into()),
            table_name: Some("graph".into()),
            update_expression: Some(format!("ADD {name} :by")),
            expression_attribute_values: Some(
                Values::from([(":by".into(), n(if on { 1 } else { -1 }))]).into(),
            ),
            ..Update::default()
        }),
        ..TransactWriteItem::default()
    };
    let mut guarded = TransactWriteItem::default();
    if on {
        guarded.put = Some(Put {
            item: Some(item(&edge(from, to)).into()),
            table_name: Some("graph".into()),
            condition_expression: Some("attribute_not_exists(pk)".into()),
            ..Put::default()
        });
    } else {
        guarded.delete = Some(Delete {
            key: Some(item(&edge(from, to)).into()),
            table_name: Some("graph".into()),
            condition_expression: Some("attribute_exists(pk)".into()),
            ..Delete::default()
        });
    }
    let output = db.transact_write_items(TransactWriteItemsInput {
        transact_items: Some(vec![
            guarded,
            count(from, "following"),
            count(to, "followers"),
        ]),
        ..TransactWriteItemsInput::default()
    });
    match output {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.kind, ErrorKind::TransactionCanceled, "{error}");
            assert_eq!(error.reasons[0].code, "ConditionalCheckFailed");
            false
        }
    }
}

fn number(db: &Db, pk: &str, name: &str) -> i64 {
    match db
        .get("graph", edge(pk, pk))
        .and_then(|item| item.get(name).cloned())
    {
        Some(Value::N(n)) => n.to_i64().unwrap(),
        _ => 0,
    }
}

/// How many rows a query finds, over all pages, but for the node's own.
fn listed(db: &Db, index: Option<&str>, name: &str, value: &str) -> i64 {
    let mut found = 0;
    let mut start = None;
    loop {
        let output = db
            .query(QueryInput {
                table_name: Some("graph".into()),
                index_name: index.map(str::to_owned),
                key_condition_expression: Some(format!("{name} = :k")),
                expression_attribute_values: Some(Values::from([(":k".into(), s(value))]).into()),
                exclusive_start_key: start,
                limit: Some(7),
                ..QueryInput::default()
            })
            .unwrap();
        let own = output.items.unwrap();
        let own = own
            .iter()
            .filter(|row| **row == item(&edge(value, value)) || row.len() > 2);
        found += output.count.unwrap() - i64::try_from(own.count()).unwrap();
        match output.last_evaluated_key {
            Some(key) => start = Some(key.into()),
            None => return found,
        }
    }
}

#[test]
fn following_and_unfollowing_at_once_leaves_counters_equal_to_lists() {
    on_both(|db| {
        create(&db, "graph", "pk:S sk:S", INDEXES);
        let stars = ["star", "moon"];
        on_threads(|thread, mut rng| {
            for _ in 0..60 * campaign() {
                let me = format!("user-{}", (thread + rng.next() % 3) % THREADS);
                follow(&db, &me, rng.pick(&stars), !rng.chance(3));
            }
        });
        let mut edges = 0;
        for star in stars {
            let followers = number(&db, star, "followers");
            assert_eq!(followers, listed(&db, Some("inverse"), "sk", star));
            edges += followers;
        }
        for user in 0..THREADS {
            let user = format!("user-{user}");
            assert_eq!(
                number(&db, &user, "following"),
                listed(&db, None, "pk", &user)
            );
        }
        assert!(edges > 0);
        let rows: i64 = db.describe("graph").item_count.unwrap();
        let scanned = db.scan(ScanInput {
            table_name: Some("graph".into()),
            ..ScanInput::default()
        });
        assert_eq!(rows, scanned.unwrap().count.unwrap());
    });
}

/// Every increment reads the version and writes it one higher if nobody did before: as many successes as the
/// version says, however they interleave.
#[test]
fn conditional_writes_to_one_item_are_linearizable() {
    on_both(|db| {
        create(&db, "graph", "pk:S sk:S", &[]);
        db.put("graph", map([("pk", s("v")), ("sk", s("v")), ("v", n(0))]));
        let successes = AtomicI64::new(0);
        on_threads(|_, _| {
            for _ in 0..40 * campaign() {
                let seen = number(&db, "v", "v");
                let output = db.update_item(UpdateItemInput {
                    table_name: Some("graph".into()),
                    key: Some(item(&edge("v", "v")).into()),
                    update_expression: Some("SET v = :next".into()),
                    condition_expression: Some("v = :seen".into()),
                    expression_attribute_values: Some(
                        Values::from([(":next".into(), n(seen + 1)), (":seen".into(), n(seen))])
                            .into(),
                    ),
                    ..UpdateItemInput::default()
                });
                match output {
                    Ok(_) => {
                        successes.fetch_add(1, Ordering::SeqCst);
                    }
                    Err(error) => assert_eq!(error.kind, ErrorKind::ConditionalCheckFailed),
                }
            }
        });
        let count = successes.into_inner();
        assert!(count > 0);
        assert_eq!(number(&db, "v", "v"), count);
    });
}

/// Transfers between a few accounts: the sum stays, and every snapshot shows it.
#[test]
fn snapshots_never_show_half_a_transaction() {
    on_both(|db| {
        create(&db, "graph", "pk:S sk:S", &[]);
        let accounts = ["a", "b", "c"];
        for account in accounts {
            db.put(
                "graph",
                map([("pk", s("bank")), ("sk", s(account)), ("v", n(100))]),
            );
        }
        let add = |account: &str, by: i64| TransactWriteItem {
            update: Some(Update {
                key: Some(item(&edge("bank", account)).into()),
                table_name: Some("graph".into()),
                update_expression: Some("ADD v :by".into()),
                expression_attribute_values: Some(Values::from([(":by".into(), n(by))]).into()),
                ..Update::default()
            }),
            ..TransactWriteItem::default()
        };
        on_threads(|thread, mut rng| {
            for _ in 0..30 * campaign() {
                if thread % 2 == 0 {
                    let from = rng.below(3);
                    let to = (from + 1 + rng.below(2)) % 3;
                    db.transact_write_items(TransactWriteItemsInput {
                        transact_items: Some(vec![add(accounts[from], -1), add(accounts[to], 1)]),
                        ..TransactWriteItemsInput::default()
                    })
                    .unwrap();
                } else {
                    let output = db.query(QueryInput {
                        table_name: Some("graph".into()),
                        key_condition_expression: Some("pk = :k".into()),
                        expression_attribute_values: Some(
                            Values::from([(":k".into(), s("bank"))]).into(),
                        ),
                        ..QueryInput::default()
                    });
                    let items = output.unwrap().items.unwrap();
                    let sum: i64 = items
                        .iter()
                        .map(|row| match row.get("v").unwrap().to_value() {
                            Value::N(n) => n.to_i64().unwrap(),
                            other => panic!("{other:?}"),
                        })
                        .sum();
                    assert_eq!(sum, 300);
                }
            }
        });
    });
}
