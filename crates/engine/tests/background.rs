//! The background's thread takes up work at once, not at its next waking.
#![allow(
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

#[path = "common/bench.rs"]
mod bench;
mod common;

use bench::from;
use bothways_engine::{Engine, Options};
use bothways_protocol::types::*;
use bothways_store::{BucketDirectory, DiskStore, MemoryStore, Store};
use common::{Db, Ix, create, map, n, options, s};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Far below the half minute that the thread sleeps when nobody wakes it.
const PATIENCE: Duration = Duration::from_secs(10);
/// The race between the waking and the showing of a table is lost once in many times.
const ROUNDS: usize = 100;

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < PATIENCE, "{what} is not taken up");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn open(store: Arc<dyn Store>, dir: &std::path::Path) -> Db {
    let options = Options {
        background: true,
        buckets: Some(Arc::new(BucketDirectory::new(dir).unwrap())),
        ..options(&common::clock())
    };
    Db(Engine::open(store, options).unwrap())
}

fn work_is_taken_up(store: Arc<dyn Store>, rounds: usize) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("bucket/in")).unwrap();
    let line = r#"{"Item":{"pk":{"S":"a"},"sk":{"N":"1"}}}"#;
    std::fs::write(dir.path().join("bucket/in/1"), line).unwrap();
    let db = open(store, dir.path());
    create(&db, "ttt", "pk:S sk:N", &[]);
    db.put("ttt", map([("pk", s("a")), ("sk", n(1))]));
    let active = |name: &str| db.describe(name).table_status == Some(TableStatus::Active);
    for round in 0..rounds {
        let backup = CreateBackupInput {
            table_name: Some("ttt".into()),
            backup_name: Some("kept".into()),
        };
        let made = db.create_backup(backup).unwrap().backup_details.unwrap();
        let backup_arn = made.backup_arn.unwrap();
        until("a backup", || {
            let input = DescribeBackupInput {
                backup_arn: Some(backup_arn.clone()),
            };
            let found = db.describe_backup(input).unwrap().backup_description;
            found.unwrap().backup_details.unwrap().backup_status == Some(BackupStatus::Available)
        });
        let name = format!("restored{round}");
        db.restore_table_from_backup(RestoreTableFromBackupInput {
            backup_arn: Some(backup_arn),
            target_table_name: Some(name.clone()),
            ..RestoreTableFromBackupInput::default()
        })
        .unwrap();
        until("a restore", || active(&name));
        let name = format!("imported{round}");
        let mut input = from("in/", InputFormat::DynamodbJson);
        input.table_creation_parameters.as_mut().unwrap().table_name = Some(name.clone());
        db.import_table(input).unwrap();
        until("an import", || active(&name));
        let index = Ix {
            name: "byG",
            local: false,
            key: "g:S",
            projection: "ALL",
        };
        common::create_index(&db, &name, &index).unwrap();
        until("an index", || {
            let indexes = db.describe(&name).global_secondary_indexes.unwrap();
            indexes[1..]
                .iter()
                .all(|own| own.index_status == Some(IndexStatus::Active))
        });
    }
}

#[test]
fn work_is_taken_up_at_once_in_memory() {
    work_is_taken_up(Arc::new(MemoryStore::new()), ROUNDS);
}

#[test]
fn work_is_taken_up_at_once_on_disk() {
    let dir = tempfile::tempdir().unwrap();
    let store = DiskStore::open(dir.path(), bothways_store::Options::default()).unwrap();
    work_is_taken_up(Arc::new(store), ROUNDS / 20);
}
