//! A table restored to a point in time is what it was then.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

mod common;

use bothways_engine::Engine;
use bothways_protocol::types::*;
use bothways_protocol::{Error, ErrorKind, Operator};
use bothways_store::{MemoryStore, Store};
use common::{
    Attributes, Db, Ix, Rng, TestClock, campaign, clock, create, item, map, n, options, s,
};
use std::collections::BTreeMap;
use std::sync::Arc;

const INDEXES: &[Ix] = &[Ix {
    name: "byG",
    local: false,
    key: "g:N",
    projection: "ALL",
}];
const DAY: u64 = 24 * 60 * 60 * 1_000;
const START: f64 = 1_700_000_000.0;

fn memory() -> (Arc<dyn Store>, Arc<TestClock>, Db) {
    let (store, clock): (Arc<dyn Store>, _) = (Arc::new(MemoryStore::new()), clock());
    let db = open(&store, &clock);
    (store, clock, db)
}

fn open(store: &Arc<dyn Store>, clock: &Arc<TestClock>) -> Db {
    Db(Engine::open(Arc::clone(store), options(clock)).unwrap())
}

fn switch(db: &Db, on: bool, days: Option<i32>) -> Result<PointInTimeRecoveryDescription, Error> {
    let output = db.update_continuous_backups(UpdateContinuousBackupsInput {
        table_name: Some("t".repeat(3)),
        point_in_time_recovery_specification: Some(PointInTimeRecoverySpecification {
            point_in_time_recovery_enabled: Some(on),
            recovery_period_in_days: days,
        }),
    })?;
    let described = output.continuous_backups_description.unwrap();
    Ok(described.point_in_time_recovery_description.unwrap())
}

fn restore(db: &Db, name: &str, at: Option<f64>) -> Result<TableDescription, Error> {
    let output = db.restore_table_to_point_in_time(RestoreTableToPointInTimeInput {
        source_table_name: Some("ttt".into()),
        target_table_name: Some(name.into()),
        use_latest_restorable_time: at.is_none().then_some(true),
        restore_date_time: at,
        ..RestoreTableToPointInTimeInput::default()
    })?;
    Ok(output.table_description.unwrap())
}

fn put(db: &Db, key: &str, value: i64) {
    db.put(
        "ttt",
        map([("pk", s(key)), ("v", n(value)), ("g", n(value % 3))]),
    );
}

fn delete(db: &Db, key: &str) {
    db.delete_item(DeleteItemInput {
        table_name: Some("ttt".into()),
        key: Some(item(&map([("pk", s(key))])).into()),
        ..DeleteItemInput::default()
    })
    .unwrap();
}

fn rows(store: &dyn Store) -> usize {
    let snapshot = store.snapshot().unwrap();
    let from = std::ops::Bound::Included(&[0, 0, 0, 1][..]);
    snapshot
        .range(from, std::ops::Bound::Unbounded, false)
        .count()
}

#[test]
fn a_second_between_two_writes_of_one_item_comes_back() {
    let (_, clock, db) = memory();
    create(&db, "ttt", "pk:S", INDEXES);
    let on = switch(&db, true, None).unwrap();
    assert_eq!(on.recovery_period_in_days, Some(35));
    assert_eq!(on.earliest_restorable_date_time, Some(START));
    clock.advance(10_000);
    put(&db, "a", 1);
    clock.advance(2_000);
    put(&db, "a", 2);
    put(&db, "b", 7);
    clock.advance(3_000);
    delete(&db, "a");
    clock.advance(1_000);
    for (name, at, want) in [
        ("before", 9.0, vec![]),
        ("first", 11.0, vec![("a", 1)]),
        ("second", 12.0, vec![("a", 2), ("b", 7)]),
        ("gone", 15.0, vec![("b", 7)]),
    ] {
        let made = restore(&db, name, Some(START + at)).unwrap();
        assert_eq!(made.table_status, Some(TableStatus::Creating));
        db.settle();
        let mut got: Vec<(String, Attributes)> = db
            .all(name, Some("byG"))
            .into_iter()
            .map(|item| (format!("{:?}", item["pk"]), item))
            .collect();
        got.sort_by(|one, two| one.0.cmp(&two.0));
        let want: Vec<(String, Attributes)> = want
            .into_iter()
            .map(|(key, v)| {
                let item = map([("pk", s(key)), ("v", n(v)), ("g", n(v % 3))]);
                (format!("{:?}", s(key)), item)
            })
            .collect();
        assert_eq!(got, want, "{name}");
        let items = i64::try_from(want.len()).unwrap();
        assert_eq!(db.describe(name).item_count, Some(items));
    }
    restore(&db, "now", None).unwrap();
    db.settle();
    assert_eq!(db.all("now", None).len(), 1);
}

/// Random changes, with a crash now and then; then a random time comes back while changes go on.
#[test]
fn any_time_comes_back_whatever_is_written_meanwhile() {
    for seed in 0..12 * campaign() as u64 {
        let mut rng = Rng(seed);
        let (store, clock, mut db) = memory();
        create(&db, "ttt", "pk:S", INDEXES);
        put(&db, "old", 0);
        switch(&db, true, None).unwrap();
        let mut states = vec![(0, BTreeMap::from([("old".to_owned(), 0)]))];
        let mut time = 0;
        for step in 1..400 {
            let step_millis = rng.below(900) as u64;
            clock.advance(step_millis);
            time += step_millis;
            let key = format!("k{}", rng.below(40));
            let mut state = states.last().unwrap().1.clone();
            if rng.chance(4) {
                delete(&db, &key);
                state.remove(&key);
            } else {
                put(&db, &key, step);
                state.insert(key, step);
            }
            states.push((time, state));
        }
        let at = rng.below(usize::try_from(time).unwrap()) as u64;
        let wanted = &states.iter().rev().find(|(time, _)| *time <= at).unwrap().1;
        let seconds = START + f64::from(u32::try_from(at).unwrap()) / 1_000.0;
        restore(&db, "then", Some(seconds)).unwrap();
        while db.describe("then").table_status == Some(TableStatus::Creating) {
            clock.advance(1_000);
            put(&db, &format!("k{}", rng.below(60)), 9_999);
            delete(&db, &format!("k{}", rng.below(60)));
            if rng.chance(2) {
                drop(db);
                db = open(&store, &clock);
            }
            db.0.sweep().unwrap();
        }
        let got: BTreeMap<String, i64> = db
            .all("then", Some("byG"))
            .iter()
            .map(|item| {
                let (bothways_core::Value::S(key), bothways_core::Value::N(v)) =
                    (&item["pk"], &item["v"])
                else {
                    panic!("another type");
                };
                (key.clone(), v.to_string().parse().unwrap())
            })
            .collect();
        assert_eq!(&got, wanted, "seed {seed}, {at} ms");
    }
}

#[test]
fn nothing_is_logged_while_recovery_is_off() {
    let (store, _, db) = memory();
    create(&db, "ttt", "pk:S", &[]);
    put(&db, "a", 1);
    let plain = rows(&*store);
    put(&db, "a", 2);
    assert_eq!(rows(&*store), plain);
    switch(&db, true, None).unwrap();
    put(&db, "a", 3);
    put(&db, "a", 3);
    assert_eq!(
        rows(&*store),
        plain + 1,
        "one entry, and none for no change"
    );
    let off = switch(&db, false, None).unwrap();
    assert_eq!(off.earliest_restorable_date_time, None);
    put(&db, "a", 4);
    db.settle();
    assert_eq!(rows(&*store), plain);
}

#[test]
fn entries_go_when_nobody_can_restore_to_their_time() {
    let (store, clock, db) = memory();
    create(&db, "ttt", "pk:S", &[]);
    switch(&db, true, Some(1)).unwrap();
    let plain = rows(&*store);
    (0..1_500).for_each(|number| put(&db, "a", number));
    clock.advance(DAY / 2);
    put(&db, "a", -1);
    db.settle();
    assert_eq!(rows(&*store), plain + 1 + 1_501);
    let log = db.0.recovery_logs().remove(0);
    assert_eq!(log.entries, 1_501);
    assert!(log.bytes > 1_501 * 40);
    clock.advance(DAY / 2 + 1);
    db.settle();
    assert_eq!(rows(&*store), plain + 2, "the item and the younger entry");
    let kept = db.0.recovery_logs().remove(0);
    assert_eq!(kept.entries, 1);
    assert!(kept.bytes < log.bytes / 1_000);
    drop(db);
    let db = open(&store, &clock);
    assert_eq!(db.0.recovery_logs(), [kept]);
    let described = db
        .describe_continuous_backups(DescribeContinuousBackupsInput {
            table_name: Some("ttt".into()),
        })
        .unwrap();
    let described = described.continuous_backups_description.unwrap();
    let described = described.point_in_time_recovery_description.unwrap();
    assert_eq!(described.earliest_restorable_date_time, Some(START + 0.001));
    assert_eq!(restore(&db, "then", Some(START)).map(|_| ()), Ok(()));
    let late = restore(&db, "other", Some(START - 1.0)).unwrap_err();
    assert_eq!(late.kind, ErrorKind::InvalidRestoreTime);
}

#[test]
fn a_table_that_is_being_restored_from_stays() {
    let (_, clock, db) = memory();
    create(&db, "ttt", "pk:S", &[]);
    switch(&db, true, None).unwrap();
    put(&db, "a", 1);
    clock.advance(1_000);
    restore(&db, "then", None).unwrap();
    let off = switch(&db, false, None).unwrap_err();
    assert_eq!(off.kind, ErrorKind::ContinuousBackupsUnavailable);
    let drop = DeleteTableInput {
        table_name: Some("ttt".into()),
    };
    let refused = db.delete_table(drop.clone()).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::ResourceInUse);
    db.settle();
    switch(&db, false, None).unwrap();
    db.delete_table(drop).unwrap();
}
