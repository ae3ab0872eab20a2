//! What is acknowledged is there after any stop, what is not is there whole or not at all, and nothing is shown
//! or answered before it is durable.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

mod common;

use bothways_core::Value;
use bothways_engine::Engine;
use bothways_protocol::types::*;
use bothways_protocol::{Context, DynamoDbExt, ErrorKind};
use bothways_store::{DiskStore, FaultyStore, MemoryStore, Options, Plan, SyncHook};
use common::{
    Attributes, Db, Ix, Rng, block_on, campaign, clock, create, create_input, item, map, n,
    options, s,
};
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Poll, Waker};

const INDEXES: &[Ix] = &[Ix {
    name: "byG",
    local: false,
    key: "g:S",
    projection: "ALL",
}];

fn open(path: &Path, sync: Option<SyncHook>) -> Db {
    let store = DiskStore::open(
        path,
        Options {
            sync,
            ..Options::default()
        },
    )
    .unwrap();
    Db(Engine::open(Arc::new(store), options(&clock())).unwrap())
}

/// A sync that can be held back.
#[derive(Default)]
struct Dam {
    closed: Mutex<bool>,
    changed: Condvar,
}

impl Dam {
    fn hook(self: &Arc<Self>) -> SyncHook {
        let dam = Arc::clone(self);
        Arc::new(move |_, file| {
            let mut closed = dam.closed.lock();
            while *closed {
                dam.changed.wait(&mut closed);
            }
            file.sync_data()
        })
    }
    fn set(&self, closed: bool) {
        *self.closed.lock() = closed;
        self.changed.notify_all();
    }
}

fn put(pk: &str, condition: Option<&str>) -> PutItemInput {
    PutItemInput {
        table_name: Some("table".into()),
        item: Some(item(&map([("pk", s(pk)), ("g", s("g"))])).into()),
        condition_expression: condition.map(str::to_owned),
        ..PutItemInput::default()
    }
}

fn poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    let mut cx = std::task::Context::from_waker(Waker::noop());
    match std::pin::Pin::new(future).poll(&mut cx) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

#[test]
fn nothing_is_shown_or_answered_before_it_is_durable() {
    let (dir, dam) = (tempfile::tempdir().unwrap(), Arc::new(Dam::default()));
    let db = open(dir.path(), Some(dam.hook()));
    create(&db, "table", "pk:S", INDEXES);
    dam.set(true);
    let cx = Context::default();
    let mut write = db.0.put_item(&cx, put("a", None));
    assert!(poll_once(&mut write).is_none());
    assert_eq!(
        db.get("table", map([("pk", s("a"))])),
        None,
        "a read is ready, and does not see it"
    );

    let mut refused =
        db.0.put_item(&cx, put("a", Some("attribute_not_exists(pk)")));
    assert!(
        poll_once(&mut refused).is_none(),
        "the refusal rests on the unsynced item"
    );
    let mut same = db.0.put_item(&cx, put("a", None));
    assert!(
        poll_once(&mut same).is_none(),
        "so does finding it unchanged"
    );
    let mut old = db.0.delete_item(
        &cx,
        DeleteItemInput {
            table_name: Some("table".into()),
            key: Some(item(&map([("pk", s("a"))])).into()),
            return_values: Some(ReturnValue::AllOld),
            ..DeleteItemInput::default()
        },
    );
    assert!(poll_once(&mut old).is_none(), "and an old value");

    dam.set(false);
    block_on(write).unwrap();
    assert_eq!(
        block_on(refused).unwrap_err().kind,
        ErrorKind::ConditionalCheckFailed
    );
    block_on(same).unwrap();
    assert!(block_on(old).unwrap().attributes.is_some());
    assert_eq!(db.get("table", map([("pk", s("a"))])), None);
}

/// A sync that fails from one call on.
fn failing_after(calls: usize) -> SyncHook {
    let count = AtomicUsize::new(0);
    Arc::new(move |_, file| {
        if count.fetch_add(1, Ordering::SeqCst) >= calls {
            return Err(std::io::Error::other("the disk is gone"));
        }
        file.sync_data()
    })
}

#[test]
fn a_failed_sync_fails_the_write_and_later_ones_while_reads_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(dir.path(), None);
    create(&db, "table", "pk:S", INDEXES);
    db.put("table", map([("pk", s("kept"))]));
    drop(db);
    let calls = Arc::new(AtomicUsize::new(0));
    let fail = Arc::clone(&calls);
    let sync: SyncHook = Arc::new(move |_, file| {
        if fail.load(Ordering::SeqCst) > 0 {
            return Err(std::io::Error::other("the disk is gone"));
        }
        file.sync_data()
    });
    let db = open(dir.path(), Some(sync));
    calls.store(1, Ordering::SeqCst);
    // The third rests on the first, whose row is not to be seen: it fails as the first did.
    for (pk, condition) in [
        ("a", None),
        ("b", None),
        ("a", Some("attribute_not_exists(pk)")),
    ] {
        let error = db.put_item(put(pk, condition)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::ReadOnly, "{error}");
        // Clients are told in DynamoDB's form, and no path of the server.
        let mut body = Vec::new();
        error.encode(&mut body);
        let wanted = r#"{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"The database only reads since a write failed. The server's log says why."}"#;
        assert_eq!(String::from_utf8(body).unwrap(), wanted);
        assert_eq!(error.status(), 500);
    }
    assert!(db.get("table", map([("pk", s("kept"))])).is_some());
    assert_eq!(db.get("table", map([("pk", s("a"))])), None);
}

/// A transaction that adds one member to a list, with its index row and the list's counter.
fn join(list: &str, member: &str) -> TransactWriteItemsInput {
    let key = |pk: &str| item(&map([("pk", s(pk))])).into();
    let member = Put {
        item: Some(item(&map([("pk", s(member)), ("g", s(list))])).into()),
        table_name: Some("table".into()),
        condition_expression: Some("attribute_not_exists(pk)".into()),
        ..Put::default()
    };
    let count = Update {
        key: Some(key(list)),
        table_name: Some("table".into()),
        update_expression: Some("ADD n :one".into()),
        expression_attribute_values: Some(Values::from([(":one".into(), n(1))]).into()),
        ..Update::default()
    };
    let put = TransactWriteItem {
        put: Some(member),
        ..TransactWriteItem::default()
    };
    let update = TransactWriteItem {
        update: Some(count),
        ..TransactWriteItem::default()
    };
    TransactWriteItemsInput {
        transact_items: Some(vec![put, update]),
        ..TransactWriteItemsInput::default()
    }
}

fn members(db: &Db, list: &str) -> BTreeSet<String> {
    let output = db.query(QueryInput {
        table_name: Some("table".into()),
        index_name: Some("byG".into()),
        key_condition_expression: Some("g = :g".into()),
        expression_attribute_values: Some(Values::from([(":g".into(), s(list))]).into()),
        ..QueryInput::default()
    });
    let rows = output.unwrap().items.unwrap();
    let name =
        |row: &bothways_core::Item| row.get("pk").and_then(|pk| pk.as_str().map(str::to_owned));
    rows.iter().map(|row| name(row).unwrap()).collect()
}

#[test]
fn what_is_acknowledged_survives_and_the_rest_is_whole_or_absent() {
    let mut rng = Rng(11);
    for round in 0..3 * campaign() {
        let dir = tempfile::tempdir().unwrap();
        let db = open(dir.path(), None);
        create(&db, "table", "pk:S", INDEXES);
        drop(db);
        let db = open(dir.path(), Some(failing_after(3 + rng.below(60))));
        let acknowledged = Mutex::new(BTreeSet::new());
        std::thread::scope(|scope| {
            for thread in 0..6 {
                let (db, acknowledged) = (&db, &acknowledged);
                scope.spawn(move || {
                    for i in 0..400 {
                        let member = format!("m-{thread}-{i}");
                        if db.transact_write_items(join("list", &member)).is_err() {
                            return;
                        }
                        acknowledged.lock().insert(member);
                    }
                });
            }
        });
        drop(db);
        check_reopened(&open(dir.path(), None), &acknowledged.into_inner(), round);
    }
}

/// Joins members one after another until something fails; who was acknowledged.
fn join_until_failure(store: &Arc<FaultyStore>) -> BTreeSet<String> {
    let mut acknowledged = BTreeSet::new();
    let Ok(engine) = Engine::open(store.clone(), options(&clock())) else {
        return acknowledged;
    };
    let db = Db(engine);
    if db
        .create_table(create_input("table", "pk:S", INDEXES))
        .is_err()
    {
        return acknowledged;
    }
    for i in 0..8 {
        let member = format!("m-{i}");
        if db.transact_write_items(join("list", &member)).is_ok() {
            acknowledged.insert(member);
        }
    }
    acknowledged
}

fn faulty(plan: Plan) -> Arc<FaultyStore> {
    Arc::new(FaultyStore::new(Arc::new(MemoryStore::new()), plan).unwrap())
}

fn check_faulty(store: &FaultyStore, acknowledged: &BTreeSet<String>, round: usize) {
    let store = store.reopen(Plan::default()).unwrap();
    let db = Db(Engine::open(Arc::new(store), options(&clock())).unwrap());
    let described = db.describe_table(DescribeTableInput {
        table_name: Some("table".into()),
    });
    if described.is_ok() {
        check_reopened(&db, acknowledged, round);
    } else {
        assert!(acknowledged.is_empty(), "round {round}: the table is lost");
    }
}

#[test]
fn at_whatever_step_the_process_dies_it_leaves_whole_writes() {
    let plan = Plan {
        seed: 3,
        most_delay: 2,
        ..Plan::default()
    };
    let whole = faulty(plan);
    assert_eq!(join_until_failure(&whole).len(), 8);
    let steps = whole.steps();
    for dies_at in 1..=steps {
        let store = faulty(Plan {
            dies_at: Some(dies_at),
            ..plan
        });
        let acknowledged = join_until_failure(&store);
        check_faulty(&store, &acknowledged, usize::try_from(dies_at).unwrap());
    }
}

#[test]
fn refused_submits_failed_reads_and_failed_syncs_leave_whole_writes() {
    for seed in 0..100 * campaign() as u64 {
        let store = faulty(Plan {
            seed,
            submit_failures: 60,
            read_failures: 20,
            sync_failures: 60,
            most_delay: 3,
            dies_at: None,
        });
        let acknowledged = join_until_failure(&store);
        check_faulty(&store, &acknowledged, usize::try_from(seed).unwrap());
    }
}

fn check_reopened(db: &Db, acknowledged: &BTreeSet<String>, round: usize) {
    let found = members(db, "list");
    let lost: Vec<_> = acknowledged.difference(&found).collect();
    assert!(lost.is_empty(), "round {round}: lost {lost:?}");
    for member in &found {
        assert!(
            db.get("table", map([("pk", s(member))])).is_some(),
            "an index row has its item"
        );
    }
    let count = match db
        .get("table", map([("pk", s("list"))]))
        .and_then(|i| i.get("n").cloned())
    {
        Some(Value::N(count)) => count.to_i64().unwrap(),
        _ => 0,
    };
    assert_eq!(
        count,
        i64::try_from(found.len()).unwrap(),
        "round {round}: the counter"
    );
    let scanned: Vec<Attributes> = db
        .scan(ScanInput {
            table_name: Some("table".into()),
            ..ScanInput::default()
        })
        .unwrap()
        .items
        .unwrap()
        .iter()
        .map(common::attributes)
        .collect();
    let bytes: usize = scanned.iter().map(|row| item(row).size()).sum();
    let table = db.describe("table");
    assert_eq!(
        table.item_count,
        Some(i64::try_from(scanned.len()).unwrap())
    );
    assert_eq!(table.table_size_bytes, Some(i64::try_from(bytes).unwrap()));
    let index = table.global_secondary_indexes.unwrap().remove(0);
    assert_eq!(index.item_count, Some(i64::try_from(found.len()).unwrap()));
}
