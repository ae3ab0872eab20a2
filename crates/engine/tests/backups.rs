//! Backups are whole or not there; a table restored from one is what it was.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

mod common;

use bothways_engine::Engine;
use bothways_protocol::ErrorKind;
use bothways_protocol::types::*;
use bothways_store::{MemoryStore, Store};
use common::{Attributes, Db, Ix, TestClock, clock, create, create_input, map, n, options, s};
use std::ops::Bound;
use std::sync::Arc;

const INDEXES: &[Ix] = &[
    Ix {
        name: "byG",
        local: false,
        key: "g:S",
        projection: "ALL",
    },
    Ix {
        name: "byL",
        local: true,
        key: "pk:S l:N",
        projection: "KEYS",
    },
];

fn open(store: &Arc<dyn Store>, clock: &Arc<TestClock>) -> Db {
    Db(Engine::open(Arc::clone(store), options(clock)).unwrap())
}

fn memory() -> (Arc<dyn Store>, Arc<TestClock>) {
    (Arc::new(MemoryStore::new()), clock())
}

fn album(number: i64) -> Attributes {
    let partition = s(&format!("artist{}", number % 7));
    let group = s(&format!("g{}", number % 3));
    map([
        ("pk", partition),
        ("sk", n(number)),
        ("g", group),
        ("l", n(-number)),
    ])
}

fn delete(db: &Db, key: Attributes) {
    let input = DeleteItemInput {
        table_name: Some("music".into()),
        key: Some(common::item(&key).into()),
        ..DeleteItemInput::default()
    };
    db.delete_item(input).unwrap();
}

fn album_key(number: i64) -> Attributes {
    let mut key = album(number);
    key.retain(|name, _| name == "pk" || name == "sk");
    key
}

fn music(db: &Db, items: i64) {
    create(db, "music", "pk:S sk:N", INDEXES);
    (0..items).for_each(|number| db.put("music", album(number)));
}

fn back_up(db: &Db, name: &str) -> String {
    let output = db.create_backup(CreateBackupInput {
        table_name: Some("music".into()),
        backup_name: Some(name.into()),
    });
    let details = output.unwrap().backup_details.unwrap();
    assert_eq!(details.backup_status, Some(BackupStatus::Creating));
    details.backup_arn.unwrap()
}

fn restore(db: &Db, arn: &str, name: &str) -> RestoreTableFromBackupInput {
    let input = RestoreTableFromBackupInput {
        target_table_name: Some(name.into()),
        backup_arn: Some(arn.into()),
        ..RestoreTableFromBackupInput::default()
    };
    let output = db.restore_table_from_backup(input.clone()).unwrap();
    let status = output.table_description.unwrap().table_status;
    assert_eq!(status, Some(TableStatus::Creating));
    input
}

fn details(db: &Db, arn: &str) -> Option<BackupDetails> {
    let input = DescribeBackupInput {
        backup_arn: Some(arn.into()),
    };
    let found = db.describe_backup(input).ok()?;
    found.backup_description?.backup_details
}

fn names(db: &Db, table: Option<&str>, kind: Option<BackupTypeFilter>) -> Vec<String> {
    let input = ListBackupsInput {
        table_name: table.map(str::to_owned),
        backup_type: kind,
        ..ListBackupsInput::default()
    };
    let found = db.list_backups(input).unwrap().backup_summaries.unwrap();
    found.into_iter().filter_map(|b| b.backup_name).collect()
}

/// Rows that belong to no table's catalogue.
fn rows(store: &dyn Store) -> usize {
    let snapshot = store.snapshot().unwrap();
    let from = Bound::Included(&[0, 0, 0, 1][..]);
    snapshot.range(from, Bound::Unbounded, false).count()
}

#[test]
fn a_restored_table_has_what_was_there_when_the_backup_was_asked_for() {
    let (store, clock) = memory();
    let db = open(&store, &clock);
    music(&db, 1_200);
    let before = db.all("music", None);
    let arn = back_up(&db, "first");
    db.put("music", album(5_000));
    db.settle();
    let ready = details(&db, &arn).unwrap();
    assert_eq!(ready.backup_status, Some(BackupStatus::Available));
    let full = db.describe("music");
    assert!(ready.backup_size_bytes < full.table_size_bytes);
    restore(&db, &arn, "again");
    db.settle();
    assert_eq!(db.all("again", None), before);
    for index in ["byG", "byL"] {
        assert_eq!(db.all("again", Some(index)).len(), 1_200, "{index}");
    }
    let table = db.describe("again");
    assert_eq!(table.table_status, Some(TableStatus::Active));
    assert_eq!(table.item_count, Some(1_200));
    assert_eq!(table.table_size_bytes, ready.backup_size_bytes);
    assert_eq!(table.restore_summary, None);
    assert_eq!(
        table.global_secondary_indexes.unwrap()[0].item_count,
        Some(1_200)
    );
    db.put("again", album(6_000));
    assert_eq!(db.all("again", Some("byG")).len(), 1_201);
}

#[test]
fn a_table_that_is_being_restored_is_described_and_nothing_else() {
    let (store, clock) = memory();
    let db = open(&store, &clock);
    music(&db, 600);
    let arn = back_up(&db, "first");
    db.settle();
    let again = restore(&db, &arn, "again");
    db.0.sweep().unwrap();
    let table = db.describe("again");
    assert_eq!(table.table_status, Some(TableStatus::Creating));
    let summary = table.restore_summary.unwrap();
    assert_eq!(summary.source_backup_arn.as_deref(), Some(&arn[..]));
    assert_eq!(summary.restore_in_progress, Some(true));
    assert_eq!(
        table.global_secondary_indexes.unwrap()[0].index_status,
        None
    );
    let get = GetItemInput {
        table_name: Some("again".into()),
        key: Some(common::item(&map([("pk", s("artist0")), ("sk", n(0))])).into()),
        ..GetItemInput::default()
    };
    assert_eq!(
        db.get_item(get).unwrap_err().kind,
        ErrorKind::ResourceNotFound
    );
    let update = UpdateTableInput {
        table_name: Some("again".into()),
        deletion_protection_enabled: Some(true),
        ..UpdateTableInput::default()
    };
    assert_eq!(
        db.update_table(update).unwrap_err().kind,
        ErrorKind::ResourceNotFound
    );
    let backup = CreateBackupInput {
        table_name: Some("again".into()),
        backup_name: Some("second".into()),
    };
    assert_eq!(
        db.create_backup(backup).unwrap_err().kind,
        ErrorKind::TableNotFound
    );
    let delete = DeleteTableInput {
        table_name: Some("again".into()),
    };
    assert_eq!(
        db.delete_table(delete.clone()).unwrap_err().kind,
        ErrorKind::ResourceInUse
    );
    let twice = db
        .create_table(create_input("again", "pk:S", &[]))
        .unwrap_err();
    assert_eq!(
        (twice.kind, &*twice.message),
        (ErrorKind::ResourceInUse, "Table is being used: again")
    );
    let busy = db.restore_table_from_backup(again.clone()).unwrap_err();
    assert_eq!(busy.kind, ErrorKind::TableInUse);
    let other = RestoreTableFromBackupInput {
        target_table_name: Some("other".into()),
        ..again
    };
    assert_eq!(
        db.restore_table_from_backup(other).unwrap_err().kind,
        ErrorKind::BackupInUse
    );
    let drop = DeleteBackupInput {
        backup_arn: Some(arn),
    };
    assert_eq!(
        db.delete_backup(drop.clone()).unwrap_err().kind,
        ErrorKind::BackupInUse
    );
    db.settle();
    db.delete_backup(drop).unwrap();
    db.delete_table(delete).unwrap();
}

#[test]
fn a_restore_goes_on_where_a_crash_stopped_it() {
    let (store, clock) = memory();
    let db = open(&store, &clock);
    music(&db, 1_700);
    let before = db.all("music", None);
    let arn = back_up(&db, "first");
    db.settle();
    restore(&db, &arn, "again");
    drop(db);
    let mut steps = 0;
    loop {
        let db = open(&store, &clock);
        if db.describe("again").table_status == Some(TableStatus::Active) {
            assert_eq!(db.all("again", None), before);
            assert_eq!(db.describe("again").item_count, Some(1_700));
            assert_eq!(db.all("again", Some("byG")).len(), 1_700);
            break;
        }
        db.0.sweep().unwrap();
        steps += 1;
    }
    assert!(steps > 3, "{steps} steps");
}

#[test]
fn a_backup_that_crashes_cut_short_is_made_of_what_was_there_at_the_request() {
    let (store, clock) = memory();
    let mut db = open(&store, &clock);
    music(&db, 2_500);
    let before = db.all("music", None);
    let arn = back_up(&db, "first");
    let mut steps = 0;
    loop {
        // Each run changes, deletes and adds, before and after the copy has come to the item.
        for number in [steps, 2_499 - steps] {
            let mut changed = album(number);
            changed.insert("x".into(), n(steps));
            db.put("music", changed);
            delete(&db, album_key(100 + number / 2));
            db.put("music", album(10_000 + number));
        }
        drop(db);
        db = open(&store, &clock);
        let found = details(&db, &arn).unwrap();
        if found.backup_status == Some(BackupStatus::Available) {
            break;
        }
        db.0.sweep().unwrap();
        steps += 1;
    }
    assert!(steps > 3, "{steps} steps");
    db.settle();
    restore(&db, &arn, "again");
    db.settle();
    assert_eq!(db.all("again", None), before);
    assert_eq!(db.describe("again").item_count, Some(2_500));
    for name in ["again", "music"] {
        let table_name = Some(name.into());
        db.delete_table(DeleteTableInput { table_name }).unwrap();
    }
    db.delete_backup(DeleteBackupInput {
        backup_arn: Some(arn),
    })
    .unwrap();
    db.settle();
    assert_eq!(rows(&*store), 0, "nothing of the log stays");
}

#[test]
fn a_damaged_row_ends_the_making_and_its_log() {
    let (store, clock) = memory();
    let db = open(&store, &clock);
    music(&db, 50);
    let snapshot = store.snapshot().unwrap();
    let from = Bound::Included(&[0, 0, 0, 1][..]);
    let first = snapshot.range(from, Bound::Unbounded, false).next();
    let (key, whole) = first.unwrap().unwrap();
    drop(snapshot);
    let set = |value: &[u8]| {
        let ticket = store.submit(&mut |_, batch| batch.put(key.clone(), value.to_vec()));
        ticket.unwrap().wait().unwrap();
    };
    set(b"no item");
    let arn = back_up(&db, "first");
    assert!(db.0.sweep().is_err());
    db.settle();
    let clean = rows(&*store);
    for _ in 0..3 {
        (40..50).for_each(|number| db.put("music", album(number)));
    }
    assert_eq!(rows(&*store), clean);
    let status = details(&db, &arn).unwrap().backup_status;
    assert_eq!(status, Some(BackupStatus::Creating));
    drop(db);
    set(&whole);
    assert_eq!(details(&open(&store, &clock), &arn), None);
}

#[test]
fn backups_of_one_table_at_once_have_each_their_own_moment() {
    let (store, clock) = memory();
    let db = open(&store, &clock);
    music(&db, 1_500);
    let mut asked = Vec::new();
    for number in 0..3 {
        let arn = back_up(&db, "same");
        asked.push((arn, db.all("music", None)));
        db.put("music", album(5_000 + number));
        delete(&db, album_key(number));
        db.0.sweep().unwrap();
        clock.advance(1);
    }
    db.settle();
    for (number, (arn, wanted)) in asked.into_iter().enumerate() {
        let name = format!("again{number}");
        restore(&db, &arn, &name);
        db.settle();
        assert_eq!(db.all(&name, None), wanted, "{name}");
    }
}

#[test]
fn a_table_is_not_deleted_while_it_is_backed_up() {
    let (store, clock) = memory();
    let mut db = open(&store, &clock);
    music(&db, 2_500);
    let before = db.all("music", None);
    let arn = back_up(&db, "first");
    let delete = |db: &Db| {
        db.delete_table(DeleteTableInput {
            table_name: Some("music".into()),
        })
    };
    for _ in 0..2 {
        let refused = delete(&db).unwrap_err();
        assert_eq!(refused.kind, ErrorKind::ResourceInUse);
        db.0.sweep().unwrap();
        drop(db);
        db = open(&store, &clock);
    }
    db.settle();
    delete(&db).unwrap();
    db.settle();
    assert_eq!(rows(&*store), 2_500, "the backup's rows alone");
    restore(&db, &arn, "music");
    db.settle();
    assert_eq!(db.all("music", None), before);
}

#[test]
fn backups_outlive_their_table_and_are_listed_by_time() {
    let (store, clock) = memory();
    let db = open(&store, &clock);
    music(&db, 3);
    let first = back_up(&db, "same");
    clock.advance(1);
    back_up(&db, "same");
    clock.advance(1);
    back_up(&db, "third");
    db.settle();
    db.delete_table(DeleteTableInput {
        table_name: Some("music".into()),
    })
    .unwrap();
    db.settle();
    assert_eq!(names(&db, Some("music"), None), ["same", "same", "third"]);
    assert_eq!(names(&db, Some("other"), None), [""; 0]);
    let page = |start: Option<String>| {
        let input = ListBackupsInput {
            limit: Some(2),
            exclusive_start_backup_arn: start,
            ..ListBackupsInput::default()
        };
        db.list_backups(input).unwrap()
    };
    let one = page(None);
    assert_eq!(one.backup_summaries.unwrap().len(), 2);
    let two = page(one.last_evaluated_backup_arn);
    assert_eq!(two.backup_summaries.unwrap().len(), 1);
    assert_eq!(two.last_evaluated_backup_arn, None);
    let within = db.list_backups(ListBackupsInput {
        time_range_lower_bound: Some(1_700_000_000.001),
        time_range_upper_bound: Some(1_700_000_000.002),
        ..ListBackupsInput::default()
    });
    assert_eq!(within.unwrap().backup_summaries.unwrap().len(), 1);
    restore(&db, &first, "music");
    db.settle();
    assert_eq!(db.all("music", None).len(), 3);
}

#[test]
fn a_deleted_backup_gives_its_rows_back() {
    let (store, clock) = memory();
    let db = open(&store, &clock);
    music(&db, 100);
    let clean = rows(&*store);
    let arn = back_up(&db, "first");
    db.settle();
    assert_eq!(rows(&*store), clean + 100);
    let input = DeleteBackupInput {
        backup_arn: Some(arn.clone()),
    };
    let gone = db
        .delete_backup(input.clone())
        .unwrap()
        .backup_description
        .unwrap();
    assert_eq!(
        gone.backup_details.unwrap().backup_status,
        Some(BackupStatus::Deleted)
    );
    assert_eq!(
        db.delete_backup(input).unwrap_err().kind,
        ErrorKind::BackupNotFound
    );
    db.settle();
    assert_eq!(rows(&*store), clean);
}

#[test]
fn a_table_deleted_with_recovery_on_leaves_a_backup_for_35_days() {
    let (store, clock) = memory();
    let db = open(&store, &clock);
    create(&db, "music", "pk:S sk:N", INDEXES);
    db.update_continuous_backups(UpdateContinuousBackupsInput {
        table_name: Some("music".into()),
        point_in_time_recovery_specification: Some(PointInTimeRecoverySpecification {
            point_in_time_recovery_enabled: Some(true),
            recovery_period_in_days: None,
        }),
    })
    .unwrap();
    (0..40).for_each(|number| db.put("music", album(number)));
    db.delete_table(DeleteTableInput {
        table_name: Some("music".into()),
    })
    .unwrap();
    db.settle();
    assert_eq!(
        rows(&*store),
        40,
        "its own rows, nothing of indexes and log"
    );
    assert_eq!(names(&db, None, None), [""; 0]);
    let system = Some(BackupTypeFilter::System);
    assert_eq!(names(&db, None, system), ["music$DeletedTableBackup"]);
    let input = ListBackupsInput {
        backup_type: system,
        ..ListBackupsInput::default()
    };
    let summary = db
        .list_backups(input)
        .unwrap()
        .backup_summaries
        .unwrap()
        .remove(0);
    let arn = summary.backup_arn.unwrap();
    assert!(arn.ends_with("-00000000"));
    let refused = db.delete_backup(DeleteBackupInput {
        backup_arn: Some(arn.clone()),
    });
    assert_eq!(refused.unwrap_err().kind, ErrorKind::Validation);
    restore(&db, &arn, "music");
    db.settle();
    assert_eq!(db.all("music", Some("byG")).len(), 40);
    clock.advance(35 * 24 * 60 * 60 * 1_000);
    db.settle();
    assert_eq!(names(&db, None, system), [""; 0]);
}
