//! What is done, and what is known of it: what was asked, and what was answered.

use crate::common::{self, Db, Ix, TestClock, create_input, item, map, n, options, s};
use bothways_core::Value;
use bothways_engine::{Engine, Options};
use bothways_protocol::types::*;
use bothways_store::{BucketDirectory, Store};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

/// Each item's value, by its key.
pub type State = BTreeMap<String, i64>;

const SECOND: u64 = 1_000;
/// Bytes of an item: a few items are a chunk of every kind of copy.
const PAD: usize = 120_000;
const ITEMS: i64 = 20;
/// Records of the files to be imported.
pub const RECORDS: i64 = 24;

pub const INDEXES: &[Ix] = &[Ix {
    name: "byG",
    local: false,
    key: "g:N",
    projection: "KEYS",
}];

/// Something that was asked for, with what it is to be.
#[derive(Debug, Clone)]
pub struct Asked {
    pub wanted: State,
    /// Its ARN, once answered.
    pub arn: Option<String>,
    /// Whether it was seen finished.
    pub finished: bool,
}

/// What the outside knows.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub created: bool,
    /// When, milliseconds since 1970, and what the table was from then on. Each was answered.
    pub states: Vec<(u64, State)>,
    /// A change that was not yet answered.
    pub under_way: Option<(u64, State)>,
    /// Since when every change is logged, milliseconds since 1970.
    pub recovery: Option<u64>,
    pub backup: Option<Asked>,
    /// Tables that are filled from elsewhere, by name.
    pub tables: BTreeMap<&'static str, Asked>,
    pub export: Option<Asked>,
    /// The ARN of the import of table `new`.
    pub import: Option<String>,
}

impl Facts {
    pub fn last(&self) -> State {
        let last = self.states.last();
        last.map(|(_, state)| state.clone()).unwrap_or_default()
    }

    /// What the table was at a time.
    pub fn at(&self, millis: u64) -> State {
        let before = self.states.iter().rev().find(|(time, _)| *time <= millis);
        before.map(|(_, state)| state.clone()).unwrap_or_default()
    }
}

pub struct World {
    pub db: Db,
    pub clock: Arc<TestClock>,
}

impl World {
    pub fn open(store: Arc<dyn Store>, clock: &Arc<TestClock>, dir: &Path) -> Option<Self> {
        let options = Options {
            buckets: Some(Arc::new(BucketDirectory::new(dir).unwrap())),
            ..options(clock)
        };
        let engine = Engine::open(store, options).ok()?;
        let clock = Arc::clone(clock);
        Some(Self {
            db: Db(engine),
            clock,
        })
    }
}

/// A directory in memory where the system has such a place.
pub fn dir() -> tempfile::TempDir {
    let shared = Path::new("/dev/shm");
    let within = if shared.is_dir() {
        shared.to_owned()
    } else {
        std::env::temp_dir()
    };
    tempfile::tempdir_in(within).unwrap()
}

/// The buckets, with what is to be imported.
pub fn buckets() -> tempfile::TempDir {
    let dir = dir();
    let folder = dir.path().join("bucket/in");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, from, to) in [("1.gz", 0, RECORDS / 2), ("2.gz", RECORDS / 2, RECORDS)] {
        let mut text = String::new();
        for number in from..to {
            let pad = "p".repeat(PAD);
            let _ = writeln!(
                text,
                r#"{{"Item":{{"pk":{{"S":"k{number}"}},"v":{{"N":"{number}"}},"g":{{"N":"{}"}},"pad":{{"S":"{pad}"}}}}}}"#,
                number % 3
            );
        }
        let mut out = GzEncoder::new(Vec::new(), Compression::fast());
        out.write_all(text.as_bytes()).unwrap();
        std::fs::write(folder.join(name), out.finish().unwrap()).unwrap();
    }
    dir
}

/// A changed item.
fn changed(key: &str, value: i64) -> BTreeMap<String, Value> {
    let pad = "x".repeat(PAD + usize::try_from(value).unwrap());
    map([
        ("pk", s(key)),
        ("v", n(value)),
        ("g", n(value % 3)),
        ("pad", s(&pad)),
    ])
}

type Note<'n> = &'n mut dyn FnMut(&Facts);

/// Puts an item, or deletes it.
fn write(
    w: &World,
    facts: &mut Facts,
    note: Note<'_>,
    key: &str,
    value: Option<i64>,
) -> Option<()> {
    w.clock.advance(SECOND);
    let mut next = facts.last();
    match value {
        Some(value) => next.insert(key.to_owned(), value),
        None => next.remove(key),
    };
    let now = bothways_engine::Clock::now_millis(&*w.clock);
    facts.under_way = Some((now, next));
    note(facts);
    let table_name = Some("ttt".to_owned());
    if let Some(value) = value {
        let item = Some(item(&changed(key, value)).into());
        let input = PutItemInput {
            table_name,
            item,
            ..PutItemInput::default()
        };
        w.db.put_item(input).ok()?;
    } else {
        let input = DeleteItemInput {
            table_name,
            key: Some(item(&map([("pk", s(key))])).into()),
            ..DeleteItemInput::default()
        };
        w.db.delete_item(input).ok()?;
    }
    facts.states.extend(facts.under_way.take());
    note(facts);
    Some(())
}

/// Lets the background work, while the table changes.
fn work(w: &World, facts: &mut Facts, note: Note<'_>) -> Option<()> {
    for round in 0..40 {
        if !w.db.0.sweep().ok()? {
            return Some(());
        }
        if round < 3 {
            let number = i64::try_from(facts.states.len()).unwrap();
            write(w, facts, note, &format!("k{}", number % 7), Some(number))?;
            write(w, facts, note, &format!("k{}", number % 11), None)?;
        }
    }
    panic!("the background never comes to an end")
}

fn asked(wanted: State) -> Asked {
    Asked {
        wanted,
        arn: None,
        finished: false,
    }
}

/// Everything, until something fails.
pub fn run(w: &World, facts: &mut Facts, note: Note<'_>) -> Option<()> {
    w.db.create_table(create_input("ttt", "pk:S", INDEXES))
        .ok()?;
    facts.created = true;
    for number in 0..ITEMS {
        write(w, facts, note, &format!("k{number}"), Some(number))?;
    }
    w.clock.advance(SECOND);
    let on = UpdateContinuousBackupsInput {
        table_name: Some("ttt".into()),
        point_in_time_recovery_specification: Some(PointInTimeRecoverySpecification {
            point_in_time_recovery_enabled: Some(true),
            recovery_period_in_days: None,
        }),
    };
    w.db.update_continuous_backups(on).ok()?;
    facts.recovery = Some(bothways_engine::Clock::now_millis(&*w.clock));
    note(facts);
    write(w, facts, note, "k1", Some(500))?;
    write(w, facts, note, "k2", None)?;
    backup(w, facts, note)?;
    recover(w, facts, note)?;
    export(w, facts, note)?;
    import(w, facts, note)
}

fn backup(w: &World, facts: &mut Facts, note: Note<'_>) -> Option<()> {
    facts.backup = Some(asked(facts.last()));
    note(facts);
    let input = CreateBackupInput {
        table_name: Some("ttt".into()),
        backup_name: Some("kept".into()),
    };
    let made = w.db.create_backup(input).ok()?.backup_details?;
    facts.backup.as_mut()?.arn.clone_from(&made.backup_arn);
    note(facts);
    // What changes from here on is not in it.
    write(w, facts, note, "k3", Some(700))?;
    write(w, facts, note, "k4", None)?;
    work(w, facts, note)?;
    facts.backup.as_mut()?.finished = true;
    note(facts);
    let wanted = facts.backup.as_ref()?.wanted.clone();
    facts.tables.insert("copy", asked(wanted));
    note(facts);
    let input = RestoreTableFromBackupInput {
        backup_arn: made.backup_arn,
        target_table_name: Some("copy".into()),
        ..RestoreTableFromBackupInput::default()
    };
    let restored = w.db.restore_table_from_backup(input).ok()?;
    filled(
        w,
        facts,
        note,
        "copy",
        restored.table_description?.table_arn,
    )
}

fn recover(w: &World, facts: &mut Facts, note: Note<'_>) -> Option<()> {
    let at = facts.recovery? + SECOND;
    facts.tables.insert("then", asked(facts.at(at)));
    note(facts);
    let input = RestoreTableToPointInTimeInput {
        source_table_name: Some("ttt".into()),
        target_table_name: Some("then".into()),
        restore_date_time: Some(seconds(at)),
        ..RestoreTableToPointInTimeInput::default()
    };
    let restored = w.db.restore_table_to_point_in_time(input).ok()?;
    filled(
        w,
        facts,
        note,
        "then",
        restored.table_description?.table_arn,
    )
}

fn export(w: &World, facts: &mut Facts, note: Note<'_>) -> Option<()> {
    let at = facts.recovery? + 2 * SECOND;
    facts.export = Some(asked(facts.at(at)));
    note(facts);
    let input = ExportTableToPointInTimeInput {
        table_arn: w.db.describe("ttt").table_arn,
        s3_bucket: Some("bucket".into()),
        s3_prefix: Some("out".into()),
        export_time: Some(seconds(at)),
        ..ExportTableToPointInTimeInput::default()
    };
    let begun = w.db.export_table_to_point_in_time(input).ok()?;
    facts.export.as_mut()?.arn = begun.export_description?.export_arn;
    note(facts);
    work(w, facts, note)?;
    facts.export.as_mut()?.finished = true;
    note(facts);
    Some(())
}

fn import(w: &World, facts: &mut Facts, note: Note<'_>) -> Option<()> {
    let wanted = (0..RECORDS).map(|number| (format!("k{number}"), number));
    facts.tables.insert("new", asked(wanted.collect()));
    note(facts);
    let create = create_input("new", "pk:S", INDEXES);
    let input = ImportTableInput {
        s3_bucket_source: Some(S3BucketSource {
            s3_bucket: Some("bucket".into()),
            s3_key_prefix: Some("in/".into()),
            ..S3BucketSource::default()
        }),
        input_format: Some(InputFormat::DynamodbJson),
        input_compression_type: Some(InputCompressionType::Gzip),
        table_creation_parameters: Some(TableCreationParameters {
            table_name: create.table_name,
            attribute_definitions: create.attribute_definitions,
            key_schema: create.key_schema,
            billing_mode: create.billing_mode,
            global_secondary_indexes: create.global_secondary_indexes,
            ..TableCreationParameters::default()
        }),
        ..ImportTableInput::default()
    };
    let begun = w.db.import_table(input).ok()?.import_table_description?;
    facts.import = begun.import_arn;
    filled(w, facts, note, "new", begun.table_arn)
}

/// The request was answered; the background fills the table.
fn filled(
    w: &World,
    facts: &mut Facts,
    note: Note<'_>,
    name: &'static str,
    arn: Option<String>,
) -> Option<()> {
    facts.tables.get_mut(name)?.arn = arn;
    note(facts);
    work(w, facts, note)?;
    facts.tables.get_mut(name)?.finished = true;
    note(facts);
    Some(())
}

pub fn seconds(millis: u64) -> f64 {
    f64::from(u32::try_from(millis / SECOND).unwrap())
}

/// What a table or index has.
pub fn contents(db: &Db, table: &str) -> State {
    let items = db.all(table, None);
    let value = |item: &common::Attributes| {
        let (Value::S(key), Value::N(value)) = (&item["pk"], &item["v"]) else {
            panic!("another type");
        };
        (key.clone(), value.to_i64().unwrap())
    };
    items.iter().map(value).collect()
}
