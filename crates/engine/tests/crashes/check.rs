//! What must be so after any stop.

use crate::common::Rng;
use crate::script::{Asked, Facts, RECORDS, State, World, contents, seconds};
use bothways_protocol::ErrorKind;
use bothways_protocol::types::*;

pub fn check(w: &World, facts: &Facts, what: &str) {
    nothing_is_shown_before_it_is_whole(w, facts, what);
    w.db.settle();
    let Some(now) = table(w, facts, what) else {
        return;
    };
    for (name, asked) in &facts.tables {
        filled_table(w, name, asked, what);
    }
    import(w, facts, what);
    if let Some(asked) = &facts.export {
        export(w, asked, what);
    }
    if let Some(asked) = &facts.backup {
        backup(w, asked, what);
    }
    log(w, facts, &now, what);
}

fn status(w: &World, name: &str) -> Option<TableStatus> {
    let input = DescribeTableInput {
        table_name: Some(name.into()),
    };
    let described = w.db.describe_table(input).ok()?;
    described.table?.table_status
}

fn nothing_is_shown_before_it_is_whole(w: &World, facts: &Facts, what: &str) {
    for (name, asked) in &facts.tables {
        match status(w, name) {
            None => assert_eq!(asked.arn, None, "{what}: {name} is lost"),
            Some(TableStatus::Active) => {
                assert_eq!(contents(&w.db, name), asked.wanted, "{what}: {name}");
            }
            Some(_) => {
                let scan = ScanInput {
                    table_name: Some((*name).into()),
                    ..ScanInput::default()
                };
                let refused = w.db.scan(scan).unwrap_err();
                assert_eq!(refused.kind, ErrorKind::ResourceNotFound, "{what}: {name}");
                assert!(!asked.finished, "{what}: {name} was finished");
            }
        }
    }
}

/// The table that is written to: as it was last known, or with the change that was under way.
fn table(w: &World, facts: &Facts, what: &str) -> Option<State> {
    if status(w, "ttt").is_none() {
        assert!(!facts.created, "{what}: the table is lost");
        return None;
    }
    let now = contents(&w.db, "ttt");
    if now != facts.last() {
        let other = facts.under_way.as_ref().map(|(_, state)| state);
        assert_eq!(Some(&now), other, "{what}");
    }
    totals(w, "ttt", &now, what);
    Some(now)
}

/// Counters and index rows are those of the items.
fn totals(w: &World, name: &str, state: &State, what: &str) {
    let described = w.db.describe(name);
    let items = i64::try_from(state.len()).unwrap();
    assert_eq!(described.item_count, Some(items), "{what}: {name}");
    let index = described.global_secondary_indexes.unwrap().remove(0);
    assert_eq!(index.item_count, Some(items), "{what}: {name}");
    let rows = w.db.all(name, Some("byG")).len();
    assert_eq!(rows, state.len(), "{what}: {name}");
}

fn filled_table(w: &World, name: &str, asked: &Asked, what: &str) {
    match status(w, name) {
        None => assert_eq!(asked.arn, None, "{what}: {name} is lost"),
        Some(status) => {
            assert_eq!(status, TableStatus::Active, "{what}: {name}");
            let found = contents(&w.db, name);
            assert_eq!(found, asked.wanted, "{what}: {name}");
            totals(w, name, &found, what);
        }
    }
}

fn import(w: &World, facts: &Facts, what: &str) {
    let listed = w.db.list_imports(ListImportsInput::default()).unwrap();
    for import in listed.import_summary_list.unwrap() {
        assert_eq!(
            import.import_status,
            Some(ImportStatus::Completed),
            "{what}"
        );
    }
    let Some(arn) = &facts.import else { return };
    let input = DescribeImportInput {
        import_arn: Some(arn.clone()),
    };
    let import = w.db.describe_import(input).unwrap();
    let import = import.import_table_description.unwrap();
    assert_eq!(import.imported_item_count, Some(RECORDS), "{what}");
    assert_eq!(import.processed_item_count, Some(RECORDS), "{what}");
}

fn export(w: &World, asked: &Asked, what: &str) {
    let listed = w.db.list_exports(ListExportsInput::default()).unwrap();
    let listed = listed.export_summaries.unwrap();
    let arns: Vec<_> = listed
        .iter()
        .filter_map(|export| export.export_arn.clone())
        .collect();
    assert!(
        asked.arn.iter().all(|arn| arns.contains(arn)),
        "{what}: the export is lost"
    );
    for arn in arns {
        let input = DescribeExportInput {
            export_arn: Some(arn),
        };
        let export =
            w.db.describe_export(input)
                .unwrap()
                .export_description
                .unwrap();
        assert_eq!(
            export.export_status,
            Some(ExportStatus::Completed),
            "{what}: {export:?}"
        );
        let items = i64::try_from(asked.wanted.len()).unwrap();
        assert_eq!(export.item_count, Some(items), "{what}");
        // It comes in again as what was asked for.
        let manifest = export.export_manifest.unwrap();
        let data = manifest.replace("manifest-summary.json", "data/");
        let mut input = import_of(&data);
        input.table_creation_parameters.as_mut().unwrap().table_name = Some("back".into());
        w.db.import_table(input).unwrap();
        w.db.settle();
        assert_eq!(contents(&w.db, "back"), asked.wanted, "{what}: the export");
        drop_table(w, "back");
    }
}

fn import_of(prefix: &str) -> ImportTableInput {
    let create = crate::common::create_input("back", "pk:S", &[]);
    ImportTableInput {
        s3_bucket_source: Some(S3BucketSource {
            s3_bucket: Some("bucket".into()),
            s3_key_prefix: Some(prefix.into()),
            ..S3BucketSource::default()
        }),
        input_format: Some(InputFormat::DynamodbJson),
        input_compression_type: Some(InputCompressionType::Gzip),
        table_creation_parameters: Some(TableCreationParameters {
            table_name: create.table_name,
            attribute_definitions: create.attribute_definitions,
            key_schema: create.key_schema,
            billing_mode: create.billing_mode,
            ..TableCreationParameters::default()
        }),
        ..ImportTableInput::default()
    }
}

fn drop_table(w: &World, name: &str) {
    let input = DeleteTableInput {
        table_name: Some(name.into()),
    };
    w.db.delete_table(input).unwrap();
}

/// Whole, or not there; once it was answered it is there.
fn backup(w: &World, asked: &Asked, what: &str) {
    let listed = w.db.list_backups(ListBackupsInput::default()).unwrap();
    let listed = listed.backup_summaries.unwrap();
    assert!(
        asked.arn.is_none() || listed.len() == 1,
        "{what}: the backup is lost"
    );
    for backup in listed {
        assert_eq!(
            backup.backup_status,
            Some(BackupStatus::Available),
            "{what}"
        );
        let input = RestoreTableFromBackupInput {
            backup_arn: backup.backup_arn,
            target_table_name: Some("again".into()),
            ..RestoreTableFromBackupInput::default()
        };
        w.db.restore_table_from_backup(input).unwrap();
        w.db.settle();
        assert_eq!(contents(&w.db, "again"), asked.wanted, "{what}: the backup");
    }
}

/// The log has each change that the table has, and no other: every known state comes back.
fn log(w: &World, facts: &Facts, now: &State, what: &str) {
    let Some(since) = facts.recovery else { return };
    let known: Vec<u64> = facts
        .states
        .iter()
        .map(|(time, _)| *time)
        .filter(|time| *time > since)
        .collect();
    let mut times = vec![(seconds(since), facts.at(since))];
    if !known.is_empty() {
        let mut rng = Rng(known.len() as u64);
        let time = rng.pick(&known);
        times.push((seconds(time), facts.at(time)));
        let last = known[known.len() - 1];
        times.push((seconds(last), facts.at(last)));
    }
    w.clock.advance(1_000);
    let present = bothways_engine::Clock::now_millis(&*w.clock);
    times.push((seconds(present), now.clone()));
    for (number, (at, wanted)) in times.into_iter().enumerate() {
        let name = format!("then{number}");
        let input = RestoreTableToPointInTimeInput {
            source_table_name: Some("ttt".into()),
            target_table_name: Some(name.clone()),
            restore_date_time: Some(at),
            ..RestoreTableToPointInTimeInput::default()
        };
        w.db.restore_table_to_point_in_time(input).unwrap();
        w.db.settle();
        assert_eq!(contents(&w.db, &name), wanted, "{what}: the table at {at}");
    }
}
