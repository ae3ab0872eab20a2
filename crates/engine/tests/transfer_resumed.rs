//! Exports and imports that an earlier run began, after what has changed since.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

#[path = "common/bench.rs"]
mod bench;
mod common;

use bench::{Bench, delete, from, put, recovery, table};
use bothways_protocol::types::*;
use common::create;

const DAY: u64 = 24 * 60 * 60 * 1_000;
const START: f64 = 1_700_000_000.0;

fn line(key: &str, value: i64) -> String {
    format!(r#"{{"Item":{{"pk":{{"S":"{key}"}},"sk":{{"N":"1"}},"v":{{"N":"{value}"}}}}}}"#)
}

fn export_now(bench: &Bench) -> ExportDescription {
    bench
        .export(ExportTableToPointInTimeInput::default())
        .unwrap()
}

#[test]
fn an_export_reads_what_was_dropped_since() {
    let bench = Bench::new();
    table(&bench);
    put(&bench, "a", 1);
    let begun = export_now(&bench);
    bench.clock.advance(1_000);
    put(&bench, "a", 2);
    put(&bench, "b", 2);
    let drop = DeleteTableInput {
        table_name: Some("ttt".into()),
    };
    bench.db.delete_table(drop).unwrap();
    let bench = bench.reopened();
    bench.db.settle();
    let export = bench.export_of(&begun);
    assert_eq!(export.export_status, Some(ExportStatus::Completed));
    assert_eq!(bench.lines(&export), [line("a", 1)]);
    let backups = ListBackupsInput {
        backup_type: Some(BackupTypeFilter::System),
        ..ListBackupsInput::default()
    };
    let kept = bench.db.list_backups(backups).unwrap();
    assert_eq!(kept.backup_summaries.unwrap().len(), 1);
    let snapshot = bench.store.snapshot().unwrap();
    let from = std::ops::Bound::Included(&[0, 0, 0, 1][..]);
    let rows = snapshot.range(from, std::ops::Bound::Unbounded, false);
    assert_eq!(rows.count(), 2, "the backup's items alone are left");
}

#[test]
fn recovery_switched_off_is_nothing_to_an_export_of_this_run_and_the_end_of_an_earlier_one() {
    let bench = Bench::new();
    table(&bench);
    put(&bench, "a", 1);
    let begun = export_now(&bench);
    recovery(&bench, false, None);
    put(&bench, "a", 2);
    bench.db.settle();
    assert_eq!(bench.lines(&bench.export_of(&begun)), [line("a", 1)]);

    recovery(&bench, true, None);
    bench.clock.advance(1_000);
    let begun = export_now(&bench);
    let bench = bench.reopened();
    recovery(&bench, false, None);
    put(&bench, "a", 3);
    bench.db.settle();
    let export = bench.export_of(&begun);
    assert_eq!(export.export_status, Some(ExportStatus::Failed));
    assert!(export.failure_message.unwrap().contains("switched off"));
}

#[test]
fn a_log_is_not_trimmed_below_what_waits_to_be_exported() {
    let bench = Bench::new();
    table(&bench);
    recovery(&bench, true, Some(1));
    put(&bench, "a", 1);
    bench.clock.advance(2_000);
    put(&bench, "a", 2);
    delete(&bench, "a");
    bench.clock.advance(DAY - 1_500);
    let then = ExportTableToPointInTimeInput {
        export_time: Some(START + 1.0),
        ..ExportTableToPointInTimeInput::default()
    };
    let begun: Vec<_> = (0..2)
        .map(|_| bench.export(then.clone()).unwrap())
        .collect();
    let bench = bench.reopened();
    bench.clock.advance(DAY);
    bench.db.settle();
    for begun in begun {
        assert_eq!(bench.lines(&bench.export_of(&begun)), [line("a", 1)]);
    }
}

#[test]
fn an_import_that_waits_for_its_bucket_holds_nothing_up() {
    let bench = Bench::new();
    table(&bench);
    (0..1_200).for_each(|number| put(&bench, &format!("k{number}"), number));
    bench.write("in/1", line("a", 1).as_bytes());
    let begun = bench
        .import(from("in/", InputFormat::DynamodbJson))
        .unwrap();
    let bench = bench.without_buckets();
    bench
        .db
        .restore_table_to_point_in_time(RestoreTableToPointInTimeInput {
            source_table_name: Some("ttt".into()),
            target_table_name: Some("then".into()),
            use_latest_restorable_time: Some(true),
            ..RestoreTableToPointInTimeInput::default()
        })
        .unwrap();
    bench.db.settle();
    assert_eq!(bench.db.all("then", None).len(), 1_200);
    let coming = bench.db.describe("new").table_status;
    assert_eq!(coming, Some(TableStatus::Creating));
    let bench = bench.reopened();
    bench.db.settle();
    let import = bench.import_of(&begun);
    assert_eq!(import.import_status, Some(ImportStatus::Completed));
}

fn lines(from: usize, to: usize) -> String {
    (from..to)
        .map(|n| line(&format!("k{n}"), 1) + "\n")
        .collect()
}

/// An import of three objects of 700 records that was cut off in the second one.
fn cut_off() -> (Bench, ImportTableDescription) {
    let bench = Bench::new();
    for number in 0..3 {
        let text = lines(number * 700, (number + 1) * 700);
        bench.write(&format!("in/{}", number + 1), text.as_bytes());
    }
    let begun = bench
        .import(from("in/", InputFormat::DynamodbJson))
        .unwrap();
    (0..3).for_each(|_| assert!(bench.db.0.sweep().unwrap()));
    (bench, begun)
}

#[test]
fn objects_that_come_and_go_do_not_move_what_an_import_has_taken() {
    let (bench, begun) = cut_off();
    bench.write("in/0", lines(9_000, 9_001).as_bytes());
    bench.write("in/4", lines(9_001, 9_003).as_bytes());
    std::fs::remove_file(bench.path("in/1")).unwrap();
    let bench = bench.reopened();
    bench.db.settle();
    let import = bench.import_of(&begun);
    assert_eq!(import.import_status, Some(ImportStatus::Completed));
    assert_eq!(import.imported_item_count, Some(2_102));
    assert_eq!(bench.db.all("new", None).len(), 2_102);
}

#[test]
fn an_object_that_went_or_shrank_before_its_end_is_a_fault_of_the_import() {
    for shrunk in [false, true] {
        let (bench, begun) = cut_off();
        if shrunk {
            bench.write("in/2", lines(700, 710).as_bytes());
        } else {
            std::fs::remove_file(bench.path("in/2")).unwrap();
        }
        let bench = bench.reopened();
        bench.db.settle();
        let import = bench.import_of(&begun);
        assert_eq!(import.import_status, Some(ImportStatus::Failed));
        assert_eq!(import.error_count, Some(1));
        assert_eq!(import.imported_item_count, Some(1_900));
        assert_eq!(bench.db.all("new", None).len(), 1_900);
    }
}

#[test]
fn more_imports_than_may_be_at_once_are_refused() {
    let bench = Bench::new();
    create(&bench.db, "ttt", "pk:S sk:N", &[]);
    let mut refused = None;
    for number in 0..=50 {
        let mut input = from("in/", InputFormat::DynamodbJson);
        let own = input.table_creation_parameters.as_mut().unwrap();
        own.table_name = Some(format!("new{number}"));
        refused = bench.import(input).err();
    }
    let refused = refused.unwrap();
    assert_eq!(refused.kind, bothways_protocol::ErrorKind::LimitExceeded);
}
