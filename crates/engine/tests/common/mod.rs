//! What every test of the engine uses.
#![allow(
    dead_code,
    clippy::missing_panics_doc,
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "each test file uses its part, and a test stops where it fails"
)]

pub mod meddled;
pub mod streams;

use bothways_core::{Item, Value};
use bothways_engine::{Clock, Engine, Options, Random};
use bothways_protocol::types::*;
use bothways_protocol::{Context, DynamoDbExt, Error};
use bothways_store::{MemoryStore, Store};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Poll, Wake, Waker};

/// Attributes by name.
pub type Attributes = BTreeMap<String, Value>;

/// A clock that stands still until it is told.
#[derive(Debug)]
pub struct TestClock(AtomicU64);

impl TestClock {
    pub fn advance(&self, millis: u64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now_millis(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// A sequence that a seed decides (splitmix64).
#[derive(Debug)]
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap()
    }
    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

/// Counts up.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Random for Counter {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}

pub fn clock() -> Arc<TestClock> {
    Arc::new(TestClock(AtomicU64::new(1_700_000_000_000)))
}

/// Options without background work, with a clock of the test's own.
pub fn options(clock: &Arc<TestClock>) -> Options {
    Options {
        clock: clock.clone(),
        random: Arc::new(Counter::default()),
        background: false,
        ..Options::default()
    }
}

/// An engine over an empty memory store.
pub fn engine() -> Engine {
    engine_over(Arc::new(MemoryStore::new()))
}

pub fn engine_over(store: Arc<dyn Store>) -> Engine {
    Engine::open(store, options(&clock())).unwrap()
}

struct Unpark(std::thread::Thread);
impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future on this thread.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut cx = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return output;
        }
        std::thread::park();
    }
}

/// The engine, called and waited for.
pub struct Db(pub Engine);

macro_rules! calls {
    ($($method:ident($input:ty) -> $output:ty;)*) => {
        impl Db {
            $(pub fn $method(&self, input: $input) -> Result<$output, Error> {
                block_on(self.0.$method(&Context::default(), input))
            })*
        }
    };
}
calls! {
    create_table(CreateTableInput) -> CreateTableOutput;
    describe_table(DescribeTableInput) -> DescribeTableOutput;
    list_tables(ListTablesInput) -> ListTablesOutput;
    delete_table(DeleteTableInput) -> DeleteTableOutput;
    update_table(UpdateTableInput) -> UpdateTableOutput;
    update_time_to_live(UpdateTimeToLiveInput) -> UpdateTimeToLiveOutput;
    describe_time_to_live(DescribeTimeToLiveInput) -> DescribeTimeToLiveOutput;
    tag_resource(TagResourceInput) -> TagResourceOutput;
    list_tags_of_resource(ListTagsOfResourceInput) -> ListTagsOfResourceOutput;
    put_item(PutItemInput) -> PutItemOutput;
    get_item(GetItemInput) -> GetItemOutput;
    update_item(UpdateItemInput) -> UpdateItemOutput;
    delete_item(DeleteItemInput) -> DeleteItemOutput;
    query(QueryInput) -> QueryOutput;
    scan(ScanInput) -> ScanOutput;
    batch_get_item(BatchGetItemInput) -> BatchGetItemOutput;
    batch_write_item(BatchWriteItemInput) -> BatchWriteItemOutput;
    transact_get_items(TransactGetItemsInput) -> TransactGetItemsOutput;
    transact_write_items(TransactWriteItemsInput) -> TransactWriteItemsOutput;
    list_streams(ListStreamsInput) -> ListStreamsOutput;
    describe_stream(DescribeStreamInput) -> DescribeStreamOutput;
    get_shard_iterator(GetShardIteratorInput) -> GetShardIteratorOutput;
    get_records(GetRecordsInput) -> GetRecordsOutput;
    update_continuous_backups(UpdateContinuousBackupsInput) -> UpdateContinuousBackupsOutput;
    describe_continuous_backups(DescribeContinuousBackupsInput) -> DescribeContinuousBackupsOutput;
    create_backup(CreateBackupInput) -> CreateBackupOutput;
    describe_backup(DescribeBackupInput) -> DescribeBackupOutput;
    list_backups(ListBackupsInput) -> ListBackupsOutput;
    delete_backup(DeleteBackupInput) -> DeleteBackupOutput;
    restore_table_from_backup(RestoreTableFromBackupInput) -> RestoreTableFromBackupOutput;
    restore_table_to_point_in_time(RestoreTableToPointInTimeInput) -> RestoreTableToPointInTimeOutput;
    export_table_to_point_in_time(ExportTableToPointInTimeInput) -> ExportTableToPointInTimeOutput;
    describe_export(DescribeExportInput) -> DescribeExportOutput;
    list_exports(ListExportsInput) -> ListExportsOutput;
    import_table(ImportTableInput) -> ImportTableOutput;
    describe_import(DescribeImportInput) -> DescribeImportOutput;
    list_imports(ListImportsInput) -> ListImportsOutput;
    search_vectors(SearchVectorsInput) -> SearchVectorsOutput;
    update_contributor_insights(UpdateContributorInsightsInput) -> UpdateContributorInsightsOutput;
}

impl Db {
    /// Puts an item, whatever was there.
    pub fn put(&self, table: &str, attributes: Attributes) {
        self.put_item(PutItemInput {
            table_name: Some(table.into()),
            item: Some(item(&attributes).into()),
            ..PutItemInput::default()
        })
        .unwrap();
    }

    /// Reads an item.
    pub fn get(&self, table: &str, key: Attributes) -> Option<Attributes> {
        let output = self.get_item(GetItemInput {
            table_name: Some(table.into()),
            key: Some(item(&key).into()),
            consistent_read: Some(true),
            ..GetItemInput::default()
        });
        output.unwrap().item.map(|item| attributes(&item))
    }

    /// Does all the background's work that there is.
    pub fn settle(&self) {
        while self.0.sweep().unwrap() {}
    }

    /// Every item of a table or index, in order.
    pub fn all(&self, table: &str, index: Option<&str>) -> Vec<Attributes> {
        let mut items = Vec::new();
        let mut start = None;
        loop {
            let page = self
                .scan(ScanInput {
                    table_name: Some(table.into()),
                    index_name: index.map(str::to_owned),
                    exclusive_start_key: start.map(|key: Item| key.into()),
                    ..ScanInput::default()
                })
                .unwrap();
            items.extend(page.items.unwrap().iter().map(attributes));
            start = page.last_evaluated_key;
            if start.is_none() {
                return items;
            }
        }
    }

    pub fn describe(&self, table: &str) -> TableDescription {
        let input = DescribeTableInput {
            table_name: Some(table.into()),
        };
        self.describe_table(input).unwrap().table.unwrap()
    }
}

pub fn item(attributes: &Attributes) -> Item {
    Item::from_attributes(attributes.iter().map(|(name, value)| (name, value.clone())))
}

pub fn attributes(item: &Item) -> Attributes {
    item.iter()
        .map(|(name, value)| (name.to_owned(), value.to_value()))
        .collect()
}

pub fn s(text: &str) -> Value {
    Value::S(text.to_owned())
}

pub fn n(number: i64) -> Value {
    Value::N(number.into())
}

/// Attributes from pairs.
pub fn map<const N: usize>(pairs: [(&str, Value); N]) -> Attributes {
    pairs
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// A table: `"pk:S sk:N"` and indexes as [`gsi`] and [`lsi`] make them.
pub fn create(db: &Db, name: &str, key: &str, indexes: &[Ix]) {
    db.create_table(create_input(name, key, indexes)).unwrap();
}

/// An index: its name, its key as `"g:S h:N"` (global: `/` parts partition from sort attributes).
pub struct Ix {
    pub name: &'static str,
    pub local: bool,
    pub key: &'static str,
    /// `ALL`, `KEYS`, or the included names.
    pub projection: &'static str,
}

/// Adds a global index to a table.
pub fn create_index(db: &Db, table: &str, ix: &Ix) -> Result<TableDescription, Error> {
    let mut types = BTreeMap::new();
    let create = CreateGlobalSecondaryIndexAction {
        index_name: Some(ix.name.into()),
        key_schema: Some(elements(ix.key, &mut types)),
        projection: Some(projection(ix.projection)),
        ..CreateGlobalSecondaryIndexAction::default()
    };
    let output = db.update_table(UpdateTableInput {
        table_name: Some(table.into()),
        attribute_definitions: Some(definitions(types)),
        global_secondary_index_updates: Some(vec![GlobalSecondaryIndexUpdate {
            create: Some(create),
            ..GlobalSecondaryIndexUpdate::default()
        }]),
        ..UpdateTableInput::default()
    });
    output.map(|output| output.table_description.unwrap())
}

/// Drops a global index.
pub fn drop_index(db: &Db, table: &str, name: &str) -> Result<TableDescription, Error> {
    let output = db.update_table(UpdateTableInput {
        table_name: Some(table.into()),
        global_secondary_index_updates: Some(vec![GlobalSecondaryIndexUpdate {
            delete: Some(DeleteGlobalSecondaryIndexAction {
                index_name: Some(name.into()),
            }),
            ..GlobalSecondaryIndexUpdate::default()
        }]),
        ..UpdateTableInput::default()
    });
    output.map(|output| output.table_description.unwrap())
}

fn definitions(types: BTreeMap<String, String>) -> Vec<AttributeDefinition> {
    let define = |(name, scalar): (String, String)| AttributeDefinition {
        attribute_name: Some(name),
        attribute_type: ScalarAttributeType::ALL
            .iter()
            .copied()
            .find(|t| t.as_str() == scalar),
    };
    types.into_iter().map(define).collect()
}

pub fn create_input(name: &str, key: &str, indexes: &[Ix]) -> CreateTableInput {
    let mut types = BTreeMap::new();
    let (global, local): (Vec<&Ix>, Vec<&Ix>) = indexes.iter().partition(|ix| !ix.local);
    let input = CreateTableInput {
        table_name: Some(name.into()),
        billing_mode: Some(BillingMode::PayPerRequest),
        key_schema: Some(elements(key, &mut types)),
        global_secondary_indexes: some(global.into_iter().map(|ix| GlobalSecondaryIndex {
            index_name: Some(ix.name.into()),
            key_schema: Some(elements(ix.key, &mut types)),
            projection: Some(projection(ix.projection)),
            ..GlobalSecondaryIndex::default()
        })),
        local_secondary_indexes: some(local.into_iter().map(|ix| LocalSecondaryIndex {
            index_name: Some(ix.name.into()),
            key_schema: Some(elements(ix.key, &mut types)),
            projection: Some(projection(ix.projection)),
        })),
        ..CreateTableInput::default()
    };
    CreateTableInput {
        attribute_definitions: Some(definitions(types)),
        ..input
    }
}

fn some<T>(items: impl Iterator<Item = T>) -> Option<Vec<T>> {
    let items: Vec<T> = items.collect();
    (!items.is_empty()).then_some(items)
}

fn projection(words: &str) -> Projection {
    let (kind, names) = match words {
        "ALL" => (ProjectionType::All, None),
        "KEYS" => (ProjectionType::KeysOnly, None),
        names => (
            ProjectionType::Include,
            Some(names.split(' ').map(str::to_owned).collect()),
        ),
    };
    Projection {
        projection_type: Some(kind),
        non_key_attributes: names,
    }
}

fn elements(key: &str, types: &mut BTreeMap<String, String>) -> Vec<KeySchemaElement> {
    let (hash, range) = match key.split_once('/') {
        Some((hash, range)) => (hash, range),
        None => key.split_once(' ').unwrap_or((key, "")),
    };
    let mut out = Vec::new();
    for (part, role) in [(hash, KeyRole::Hash), (range, KeyRole::Range)] {
        for word in part.split_whitespace() {
            let (name, scalar) = word.split_once(':').unwrap();
            types.insert(name.to_owned(), scalar.to_owned());
            out.push(KeySchemaElement {
                attribute_name: Some(name.to_owned()),
                key_type: Some(role),
            });
        }
    }
    out
}

/// How much longer than usual the seeded tests run: `BOTHWAYS_CAMPAIGN`, 1 where it is not set.
pub fn campaign() -> usize {
    std::env::var("BOTHWAYS_CAMPAIGN")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1)
}
