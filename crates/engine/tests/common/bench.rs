//! A database with buckets, for tests of exports and imports.
#![allow(
    dead_code,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "each test file uses its part, and a test stops where it fails"
)]

use crate::common::{self, Db, Ix, TestClock, clock, create, item, map, n, options, s};
use bothways_engine::{Engine, Options};
use bothways_protocol::Error;
use bothways_protocol::types::*;
use bothways_store::{BucketDirectory, Buckets, MemoryStore, Store};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use md5::{Digest, Md5};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A database with one bucket, `bucket`.
pub struct Bench {
    pub dir: tempfile::TempDir,
    pub store: Arc<dyn Store>,
    pub clock: Arc<TestClock>,
    pub db: Db,
}

impl Bench {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("bucket")).unwrap();
        let (store, clock): (Arc<dyn Store>, _) = (Arc::new(MemoryStore::new()), clock());
        let db = open(&store, &clock, dir.path());
        Self {
            dir,
            store,
            clock,
            db,
        }
    }

    /// The same after a crash.
    pub fn reopened(self) -> Self {
        drop(self.db);
        let db = open(&self.store, &self.clock, self.dir.path());
        Self { db, ..self }
    }

    /// The same after a crash, by somebody who names no buckets.
    pub fn without_buckets(self) -> Self {
        drop(self.db);
        let db = open_with(&self.store, &self.clock, None);
        Self { db, ..self }
    }

    pub fn path(&self, key: &str) -> PathBuf {
        self.dir.path().join("bucket").join(key)
    }

    pub fn text(&self, key: &str) -> String {
        std::fs::read_to_string(self.path(key)).unwrap_or_else(|e| panic!("{key}: {e}"))
    }

    pub fn write(&self, key: &str, bytes: &[u8]) {
        let path = self.path(key);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub fn export(&self, input: ExportTableToPointInTimeInput) -> Result<ExportDescription, Error> {
        let output = self
            .db
            .export_table_to_point_in_time(ExportTableToPointInTimeInput {
                table_arn: Some(self.arn()),
                s3_bucket: input.s3_bucket.clone().or(Some("bucket".into())),
                ..input
            })?;
        Ok(output.export_description.unwrap())
    }

    pub fn arn(&self) -> String {
        self.db.describe("ttt").table_arn.unwrap()
    }

    /// An export when all is done.
    pub fn exported(&self, input: ExportTableToPointInTimeInput) -> ExportDescription {
        let begun = self.export(input).unwrap();
        assert_eq!(begun.export_status, Some(ExportStatus::InProgress));
        assert_eq!(begun.export_manifest, None);
        self.db.settle();
        self.export_of(&begun)
    }

    pub fn export_of(&self, begun: &ExportDescription) -> ExportDescription {
        let export_arn = begun.export_arn.clone();
        let output = self.db.describe_export(DescribeExportInput { export_arn });
        output.unwrap().export_description.unwrap()
    }

    /// The lines of an export's data files, and each file held against its manifest.
    pub fn lines(&self, export: &ExportDescription) -> Vec<String> {
        let manifest = export.export_manifest.as_deref().unwrap();
        let summary: serde_json::Value = serde_json::from_str(&self.checked(manifest)).unwrap();
        let files = summary["manifestFilesS3Key"].as_str().unwrap();
        let (mut out, mut count) = (Vec::new(), 0);
        for entry in self.checked(files).lines() {
            let entry: serde_json::Value = serde_json::from_str(entry).unwrap();
            let bytes = std::fs::read(self.path(entry["dataFileS3Key"].as_str().unwrap())).unwrap();
            assert_eq!(entry["md5Checksum"], checksum(&bytes));
            let mut text = String::new();
            GzDecoder::new(&*bytes).read_to_string(&mut text).unwrap();
            assert_eq!(entry["itemCount"], text.lines().count());
            count += text.lines().count();
            out.extend(text.lines().map(str::to_owned));
        }
        assert_eq!(summary["itemCount"], count);
        assert_eq!(export.item_count, i64::try_from(count).ok());
        assert_eq!(
            summary["billedSizeBytes"].as_i64(),
            export.billed_size_bytes
        );
        out
    }

    /// The same of an export that may have ended with no file at all.
    pub fn lines_of(&self, export: &ExportDescription) -> Vec<String> {
        assert_eq!(
            export.export_status,
            Some(ExportStatus::Completed),
            "{export:?}"
        );
        self.lines(export)
    }

    /// A manifest's text, held against its checksum.
    pub fn checked(&self, key: &str) -> String {
        let text = self.text(key);
        let sum = self.text(&key.replace(".json", ".checksum"));
        assert_eq!(sum, checksum(text.as_bytes()), "{key}");
        text
    }

    pub fn import(&self, input: ImportTableInput) -> Result<ImportTableDescription, Error> {
        let output = self.db.import_table(input)?;
        Ok(output.import_table_description.unwrap())
    }

    pub fn imported(&self, input: ImportTableInput) -> ImportTableDescription {
        let begun = self.import(input).unwrap();
        assert_eq!(begun.import_status, Some(ImportStatus::InProgress));
        self.db.settle();
        self.import_of(&begun)
    }

    pub fn import_of(&self, begun: &ImportTableDescription) -> ImportTableDescription {
        let import_arn = begun.import_arn.clone();
        let output = self.db.describe_import(DescribeImportInput { import_arn });
        output.unwrap().import_table_description.unwrap()
    }
}

fn open(store: &Arc<dyn Store>, clock: &Arc<TestClock>, dir: &Path) -> Db {
    open_with(
        store,
        clock,
        Some(Arc::new(BucketDirectory::new(dir).unwrap())),
    )
}

fn open_with(
    store: &Arc<dyn Store>,
    clock: &Arc<TestClock>,
    buckets: Option<Arc<dyn Buckets>>,
) -> Db {
    let options = Options {
        buckets,
        ..options(clock)
    };
    Db(Engine::open(Arc::clone(store), options).unwrap())
}

pub fn checksum(bytes: &[u8]) -> String {
    use base64::Engine;
    let sum: [u8; 16] = Md5::digest(bytes).into();
    base64::engine::general_purpose::STANDARD.encode(sum)
}

/// A table `ttt` that can be recovered.
pub fn table(bench: &Bench) {
    create(&bench.db, "ttt", "pk:S sk:N", &[]);
    recovery(bench, true, None);
}

/// Switches recovery of `ttt`.
pub fn recovery(bench: &Bench, on: bool, days: Option<i32>) {
    bench
        .db
        .update_continuous_backups(UpdateContinuousBackupsInput {
            table_name: Some("ttt".into()),
            point_in_time_recovery_specification: Some(PointInTimeRecoverySpecification {
                point_in_time_recovery_enabled: Some(on),
                recovery_period_in_days: days,
            }),
        })
        .unwrap();
}

pub fn put(bench: &Bench, key: &str, value: i64) {
    let item = map([("pk", s(key)), ("sk", n(1)), ("v", n(value))]);
    bench.db.put("ttt", item);
}

pub fn delete(bench: &Bench, key: &str) {
    let key = map([("pk", s(key)), ("sk", n(1))]);
    bench
        .db
        .delete_item(DeleteItemInput {
            table_name: Some("ttt".into()),
            key: Some(item(&key).into()),
            ..DeleteItemInput::default()
        })
        .unwrap();
}

/// An import of what is below a prefix into a table `new`.
pub fn from(prefix: &str, format: InputFormat) -> ImportTableInput {
    let ix = Ix {
        name: "byV",
        local: false,
        key: "v:N",
        projection: "ALL",
    };
    let create = common::create_input("new", "pk:S sk:N", &[ix]);
    ImportTableInput {
        s3_bucket_source: Some(S3BucketSource {
            s3_bucket: Some("bucket".into()),
            s3_key_prefix: Some(prefix.into()),
            ..S3BucketSource::default()
        }),
        input_format: Some(format),
        table_creation_parameters: Some(TableCreationParameters {
            table_name: create.table_name,
            attribute_definitions: create.attribute_definitions,
            key_schema: create.key_schema,
            billing_mode: create.billing_mode,
            global_secondary_indexes: create.global_secondary_indexes,
            ..TableCreationParameters::default()
        }),
        ..ImportTableInput::default()
    }
}

pub fn gzip(text: &str) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::default());
    out.write_all(text.as_bytes()).unwrap();
    out.finish().unwrap()
}
