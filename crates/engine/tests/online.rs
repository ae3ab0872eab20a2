//! Indexes made and dropped while their table is in use.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

mod common;

use bothways_core::Value;
use bothways_engine::{Engine, Options};
use bothways_protocol::types::*;
use bothways_protocol::{Error, ErrorKind};
use bothways_store::{DiskStore, FaultyStore, MemoryStore, Plan, Store};
use common::{
    Attributes, Db, Ix, Rng, attributes, clock, create, create_index, drop_index, item, map, n,
    options, s,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Included};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

const BY_G: Ix = Ix {
    name: "byG",
    local: false,
    key: "g:S h:N",
    projection: "ALL",
};

const BACKFILLING: &str = "Cannot read from backfilling global secondary index: byG";

/// An engine that looks at three items a step.
fn over(store: Arc<dyn Store>) -> Db {
    let options = Options {
        backfill_items: 3,
        ..options(&clock())
    };
    Db(Engine::open(store, options).unwrap())
}

fn row(pk: &str, g: &str, h: i64) -> Attributes {
    map([("pk", s(pk)), ("g", s(g)), ("h", n(h))])
}

fn scan(db: &Db, index: Option<&str>) -> Result<BTreeMap<String, Attributes>, String> {
    let output = db.scan(ScanInput {
        table_name: Some("table".into()),
        index_name: index.map(str::to_owned),
        ..ScanInput::default()
    });
    let rows = output.map_err(|error| error.message.into_owned())?.items;
    let rows = rows.unwrap();
    Ok(rows
        .iter()
        .map(|row| (format!("{:?}", row.get("pk")), attributes(row)))
        .collect())
}

/// What the index must hold: the items that have its key, of the right types.
fn fitting(db: &Db) -> BTreeMap<String, Attributes> {
    let mut rows = scan(db, None).unwrap();
    rows.retain(|_, row| {
        let hash = matches!(row.get("g"), Some(Value::S(text)) if (1..=2048).contains(&text.len()));
        hash && matches!(row.get("h"), Some(Value::N(_)))
    });
    rows
}

/// Its status and whether it is being filled; `None` when it is gone.
fn status(description: &TableDescription) -> Option<(TableStatus, IndexStatus, Option<bool>)> {
    let index = description.global_secondary_indexes.as_ref()?.first()?;
    let (table, index_status) = (description.table_status?, index.index_status?);
    Some((table, index_status, index.backfilling))
}

fn finish(db: &Db) {
    while db.0.sweep().unwrap() {}
}

fn check_whole(db: &Db) {
    let want = fitting(db);
    assert_eq!(scan(db, Some("byG")).unwrap(), want);
    let description = db.describe("table").global_secondary_indexes.unwrap();
    let bytes: usize = want.values().map(|row| item(row).size()).sum();
    let got = (description[0].item_count, description[0].index_size_bytes);
    let count = i64::try_from(want.len()).unwrap();
    assert_eq!(got, (Some(count), Some(i64::try_from(bytes).unwrap())));
}

#[test]
fn an_index_is_created_filled_and_read_only_then() {
    let db = over(Arc::new(MemoryStore::new()));
    create(&db, "table", "pk:S", &[]);
    for i in 0..8 {
        db.put("table", row(&format!("fits{i}"), "g", i));
    }
    // What cannot be in it stays out without a word.
    db.put("table", map([("pk", s("lacks")), ("g", s("g"))]));
    db.put(
        "table",
        map([("pk", s("type")), ("g", s("g")), ("h", s("1"))]),
    );
    db.put(
        "table",
        map([("pk", s("empty")), ("g", s("")), ("h", n(1))]),
    );
    db.put("table", row("long", &"g".repeat(2049), 1));

    let created = create_index(&db, "table", &BY_G).unwrap();
    let allocating = Some((TableStatus::Updating, IndexStatus::Creating, Some(false)));
    assert_eq!(status(&created), allocating);
    assert_eq!(status(&db.describe("table")), allocating);
    let names = created.attribute_definitions.unwrap().into_iter();
    let names: Vec<_> = names.filter_map(|d| d.attribute_name).collect();
    assert_eq!(names, ["pk", "g", "h"]);
    assert_eq!(scan(&db, Some("byG")).unwrap_err(), BACKFILLING);

    let filling = Some((TableStatus::Active, IndexStatus::Creating, Some(true)));
    for _ in 0..5 {
        assert!(db.0.sweep().unwrap());
        assert_eq!(status(&db.describe("table")), filling);
        assert_eq!(scan(&db, Some("byG")).unwrap_err(), BACKFILLING);
    }
    finish(&db);
    let ready = Some((TableStatus::Active, IndexStatus::Active, None));
    assert_eq!(status(&db.describe("table")), ready);
    assert_eq!(fitting(&db).len(), 8);
    check_whole(&db);
}

#[test]
fn once_it_is_ready_items_that_do_not_fit_are_refused_and_can_still_be_deleted() {
    let db = over(Arc::new(MemoryStore::new()));
    create(&db, "table", "pk:S", &[]);
    let misfit = map([("pk", s("a")), ("g", s("g")), ("h", s("1"))]);
    let put = || {
        db.put_item(PutItemInput {
            table_name: Some("table".into()),
            item: Some(item(&misfit).into()),
            ..PutItemInput::default()
        })
    };
    create_index(&db, "table", &BY_G).unwrap();
    put().unwrap();
    db.0.sweep().unwrap();
    put().unwrap();
    finish(&db);
    assert!(
        put()
            .unwrap_err()
            .message
            .contains("Type mismatch for Index Key h")
    );
    db.delete_item(DeleteItemInput {
        table_name: Some("table".into()),
        key: Some(item(&map([("pk", s("a"))])).into()),
        ..DeleteItemInput::default()
    })
    .unwrap();
    check_whole(&db);
}

/// One random write to few items.
fn write(db: &Db, rng: &mut Rng) -> Result<(), Error> {
    let pk = format!("k{}", rng.below(40));
    let mut new = row(
        &pk,
        rng.pick(&["x", "y"]),
        i64::try_from(rng.below(3)).unwrap(),
    );
    match rng.below(8) {
        0 | 1 => {
            let key = map([("pk", s(&pk))]);
            let input = DeleteItemInput {
                table_name: Some("table".into()),
                key: Some(item(&key).into()),
                ..DeleteItemInput::default()
            };
            return db.delete_item(input).map(drop);
        }
        2 => drop(new.remove("g")),
        3 => drop(new.remove("h")),
        _ => {}
    }
    let input = PutItemInput {
        table_name: Some("table".into()),
        item: Some(item(&new).into()),
        ..PutItemInput::default()
    };
    db.put_item(input).map(drop)
}

#[test]
fn writes_between_the_steps_and_reopening_at_any_of_them_leave_it_whole() {
    for stop in (0..24).step_by(4) {
        let dir = tempfile::tempdir().unwrap();
        let open = || {
            let store = DiskStore::open(dir.path(), bothways_store::Options::default());
            over(Arc::new(store.unwrap()))
        };
        let (mut db, mut rng) = (open(), Rng(stop));
        create(&db, "table", "pk:S", &[]);
        for _ in 0..60 {
            write(&db, &mut rng).unwrap();
        }
        create_index(&db, "table", &BY_G).unwrap();
        for step in 0.. {
            if step == stop {
                drop(db);
                db = open();
            }
            for _ in 0..3 {
                write(&db, &mut rng).unwrap();
            }
            if !db.0.sweep().unwrap() {
                break;
            }
        }
        check_whole(&db);
        drop(db);
        check_whole(&open());
    }
}

/// Makes a table, an index over it and some writes meanwhile, until something fails.
fn build_until_failure(store: Arc<dyn Store>) -> Result<(), Error> {
    let failed = |_| Error::new(ErrorKind::InternalServerError, "");
    let options = Options {
        backfill_items: 3,
        ..options(&clock())
    };
    let db = Db(Engine::open(store, options).map_err(failed)?);
    db.create_table(common::create_input("table", "pk:S", &[]))?;
    let mut rng = Rng(1);
    for _ in 0..8 {
        write(&db, &mut rng)?;
    }
    create_index(&db, "table", &BY_G)?;
    while db.0.sweep()? {
        write(&db, &mut rng)?;
    }
    drop_index(&db, "table", "byG")?;
    while db.0.sweep()? {
        write(&db, &mut rng)?;
    }
    create_index(&db, "table", &BY_G)?;
    while db.0.sweep()? {}
    Ok(())
}

#[test]
fn at_whatever_step_the_process_dies_the_index_becomes_whole_or_is_gone() {
    let faulty = |dies_at| {
        let plan = Plan {
            seed: 3,
            most_delay: 2,
            dies_at,
            ..Plan::default()
        };
        Arc::new(FaultyStore::new(Arc::new(MemoryStore::new()), plan).unwrap())
    };
    let whole = faulty(None);
    build_until_failure(Arc::clone(&whole) as Arc<dyn Store>).unwrap();
    let mut there = 0;
    for dies_at in 1..=whole.steps() {
        let store = faulty(Some(dies_at));
        build_until_failure(Arc::clone(&store) as Arc<dyn Store>).ok();
        let db = over(Arc::new(store.reopen(Plan::default()).unwrap()));
        finish(&db);
        let described = db.describe_table(DescribeTableInput {
            table_name: Some("table".into()),
        });
        if described.is_ok_and(|output| status(&output.table.unwrap()).is_some()) {
            check_whole(&db);
            there += 1;
        }
    }
    assert!(there > 10, "{there}");
}

#[test]
fn threads_that_write_meanwhile_leave_it_whole() {
    let options = Options {
        backfill_items: 3,
        background: true,
        ..options(&clock())
    };
    let db = Db(Engine::open(Arc::new(MemoryStore::new()), options).unwrap());
    create(&db, "table", "pk:S", &[]);
    for i in 0..200 {
        db.put("table", row(&format!("k{i}"), "g", i));
    }
    let stop = AtomicBool::new(false);
    let settle = |present: bool| loop {
        let now = status(&db.describe("table"));
        if now.is_some_and(|(_, index, _)| index == IndexStatus::Active) == present
            && now.is_some() == present
        {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    std::thread::scope(|scope| {
        for seed in 0..3 {
            let (db, stop) = (&db, &stop);
            scope.spawn(move || {
                let mut rng = Rng(seed);
                while !stop.load(Relaxed) {
                    write(db, &mut rng).unwrap();
                }
            });
        }
        for _ in 0..5 {
            create_index(&db, "table", &BY_G).unwrap();
            settle(true);
            drop_index(&db, "table", "byG").unwrap();
            settle(false);
        }
        create_index(&db, "table", &BY_G).unwrap();
        settle(true);
        stop.store(true, Relaxed);
    });
    check_whole(&db);
}

#[test]
fn a_dropped_index_is_gone_with_its_rows_and_its_definitions() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let db = over(Arc::clone(&store));
    create(&db, "table", "pk:S", &[BY_G]);
    for i in 0..10 {
        db.put("table", row(&format!("{i}"), "g", i));
    }
    let rows = || {
        let snapshot = store.snapshot().unwrap();
        let (from, to) = (&[0, 0, 0, 2][..], &[0, 0, 0, 3][..]);
        snapshot.range(Included(from), Excluded(to), false).count()
    };
    assert_eq!(rows(), 10, "the index is the second thing made");
    let deleting = Some((TableStatus::Updating, IndexStatus::Deleting, None));
    assert_eq!(status(&drop_index(&db, "table", "byG").unwrap()), deleting);
    assert_eq!(status(&db.describe("table")), deleting);
    db.put("table", row("later", "g", 1));
    assert_eq!(rows(), 10, "no write keeps it any more");
    let refused = scan(&db, Some("byG")).unwrap_err();
    assert_eq!(refused, "The table does not have the specified index: byG");
    finish(&db);
    let after = db.describe("table");
    assert_eq!(
        (status(&after), after.table_status),
        (None, Some(TableStatus::Active))
    );
    assert_eq!(after.attribute_definitions.unwrap().len(), 1);
    assert_eq!(rows(), 0);

    create_index(&db, "table", &BY_G).unwrap();
    finish(&db);
    check_whole(&db);
    assert_eq!(fitting(&db).len(), 11);
}

#[test]
fn indexes_are_added_one_after_the_other() {
    let db = over(Arc::new(MemoryStore::new()));
    create(&db, "table", "pk:S", &[]);
    db.put("table", row("a", "g", 1));
    let by_h = Ix {
        name: "byH",
        local: false,
        key: "h:N",
        projection: "KEYS",
    };
    create_index(&db, "table", &BY_G).unwrap();
    let busy = create_index(&db, "table", &by_h).unwrap_err();
    assert_eq!(busy.kind, ErrorKind::LimitExceeded);
    finish(&db);
    create_index(&db, "table", &by_h).unwrap();
    finish(&db);
    for index in ["byG", "byH"] {
        assert_eq!(scan(&db, Some(index)).unwrap().len(), 1, "{index}");
    }
}

#[test]
fn an_index_can_be_dropped_while_it_is_being_filled_and_not_before() {
    let db = over(Arc::new(MemoryStore::new()));
    create(&db, "table", "pk:S", &[]);
    for i in 0..10 {
        db.put("table", row(&format!("{i}"), "g", i));
    }
    create_index(&db, "table", &BY_G).unwrap();
    let refused = drop_index(&db, "table", "byG").unwrap_err();
    assert!(
        refused
            .message
            .contains("Retry deletion during backfilling phase")
    );
    let delete = || {
        db.delete_table(DeleteTableInput {
            table_name: Some("table".into()),
        })
    };
    assert!(
        delete()
            .unwrap_err()
            .message
            .contains("Cannot delete table while indexes")
    );
    db.0.sweep().unwrap();
    db.0.sweep().unwrap();
    drop_index(&db, "table", "byG").unwrap();
    finish(&db);
    let names: BTreeSet<_> = scan(&db, None).unwrap().into_keys().collect();
    assert_eq!(names.len(), 10);
    assert_eq!(status(&db.describe("table")), None);
    delete().unwrap();
}
