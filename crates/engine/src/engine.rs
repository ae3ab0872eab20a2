//! The engine: one line per operation.

use crate::catalog::{Catalog, Table};
use crate::error::{Fault, OpenError};
use crate::layout::Meta;
use crate::options::Options;
use crate::pending::Pending;
use crate::stats::Ledger;
use crate::stripes::Stripes;
use crate::sweep::Sweeper;
use bothways_protocol::validate;
use bothways_protocol::{BoxFuture, Context, DynamoDb, Error, ErrorKind, Request, Response};
use bothways_store::{Store, Ticket};
use std::borrow::Cow;
use std::sync::Arc;

/// Version of the rows that this code writes (`docs/format.md`).
const FORMAT: u32 = 1;

/// A DynamoDB in this process, over a store. Cheap calls from any number of threads.
#[derive(Debug)]
pub struct Engine {
    inner: Arc<Inner>,
    /// Stops when the engine is dropped.
    _sweeper: Option<Sweeper>,
}

pub(crate) struct Inner {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) options: Options,
    pub(crate) catalog: Catalog,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) stripes: Stripes,
    pub(crate) collections: crate::write::Collections,
    pub(crate) sweep: crate::sweep::Signal,
    pub(crate) copies: crate::backup::Copies,
    pub(crate) exports: crate::transfer::Exports,
    pub(crate) imports: crate::transfer::Imports,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Opens the database in `store`, or makes one in an empty store.
    ///
    /// # Errors
    ///
    /// [`OpenError`]: the store fails, or its rows are not a database of this version.
    pub fn open(store: Arc<dyn Store>, options: Options) -> Result<Self, OpenError> {
        let ledger = Arc::new(Ledger::default());
        let group = Arc::clone(&ledger);
        store.on_group(Box::new(move |batch| group.summarise(batch)));
        check_format(&*store)?;
        crate::backup::forget_unfinished(&*store)?;
        let catalog = Catalog::open(&*store)?;
        let inner = Arc::new(Inner {
            copies: crate::backup::Copies::open(&*store, &catalog)?,
            catalog,
            stripes: Stripes::new(options.lock_wait),
            collections: crate::write::Collections::default(),
            sweep: crate::sweep::Signal::default(),
            exports: crate::transfer::Exports::open(&*store)?,
            imports: crate::transfer::Imports::default(),
            store,
            options,
            ledger,
        });
        let sweeper = if inner.options.background {
            Some(Sweeper::start(&inner).map_err(OpenError::Thread)?)
        } else {
            None
        };
        Ok(Self {
            inner,
            _sweeper: sweeper,
        })
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }

    /// Does one bounded step of each kind of the background's work: makes indexes, backups and restored tables, reclaims rows of dropped tables, deletes expired items,
    /// trims streams and logs of changes, renews shards, forgets expired tokens. True while there is more to do. Blocks
    /// on the store.
    ///
    /// # Errors
    ///
    /// What the store fails with, in its words.
    pub fn sweep(&self) -> Result<bool, Error> {
        Ok(self.inner.sweep_step()?)
    }
}

/// Marks an empty store, and refuses one of another version.
fn check_format(store: &dyn Store) -> Result<(), OpenError> {
    let key = Meta::Format.key();
    match store.get(&key)? {
        None => {
            let ticket: Ticket = store.submit(&mut |_, batch| {
                batch.put(key.clone(), FORMAT.to_be_bytes().to_vec());
            })?;
            Ok(ticket.wait()?)
        }
        Some(row) => {
            let found = row.first_chunk::<4>().map_or(0, |b| u32::from_be_bytes(*b));
            if found == FORMAT {
                return Ok(());
            }
            Err(OpenError::Format {
                found,
                known: FORMAT,
            })
        }
    }
}

impl DynamoDb for Engine {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move { self.inner.answer(cx, request)?.settle().await })
    }
}

impl Inner {
    fn answer(&self, cx: &Context, request: Request) -> Result<Pending, Fault> {
        match request {
            Request::CreateTable(input) => self.create_table(cx, &input),
            Request::DescribeTable(input) => self.describe_table(cx, &input),
            Request::ListTables(input) => self.list_tables(cx, &input),
            Request::DeleteTable(input) => self.delete_table(cx, &input),
            Request::PutItem(input) => self.put_item(cx, &input),
            Request::GetItem(input) => self.get_item(cx, &input),
            Request::UpdateItem(input) => self.update_item(cx, &input),
            Request::DeleteItem(input) => self.delete_item(cx, &input),
            Request::Query(input) => self.query(cx, &input),
            Request::Scan(input) => self.scan(cx, &input),
            Request::BatchGetItem(input) => self.batch_get_item(cx, &input),
            Request::BatchWriteItem(input) => self.batch_write_item(cx, &input),
            Request::TransactGetItems(input) => self.transact_get_items(cx, &input),
            Request::TransactWriteItems(input) => self.transact_write_items(cx, &input),
            Request::UpdateTable(input) => self.update_table(cx, &input),
            Request::UpdateTimeToLive(input) => self.update_time_to_live(cx, &input),
            Request::DescribeTimeToLive(input) => self.describe_time_to_live(cx, &input),
            Request::ListStreams(input) => self.list_streams(cx, &input),
            Request::DescribeStream(input) => self.describe_stream(cx, &input),
            Request::GetShardIterator(input) => self.get_shard_iterator(cx, &input),
            Request::GetRecords(input) => self.get_records(cx, &input),
            Request::TagResource(input) => self.tag_resource(cx, &input),
            Request::UntagResource(input) => self.untag_resource(cx, &input),
            Request::ListTagsOfResource(input) => self.list_tags_of_resource(cx, &input),
            Request::DescribeLimits(input) => Self::describe_limits(&input),
            Request::DescribeEndpoints(input) => self.describe_endpoints(cx, &input),
            Request::PutResourcePolicy(input) => self.put_resource_policy(cx, &input),
            Request::GetResourcePolicy(input) => self.get_resource_policy(cx, &input),
            Request::DeleteResourcePolicy(input) => self.delete_resource_policy(cx, &input),
            Request::DescribeContinuousBackups(input) => {
                self.describe_continuous_backups(cx, &input)
            }
            Request::UpdateContinuousBackups(input) => self.update_continuous_backups(cx, &input),
            Request::CreateBackup(input) => self.create_backup(cx, &input),
            Request::DescribeBackup(input) => self.describe_backup(cx, &input),
            Request::ListBackups(input) => self.list_backups(cx, &input),
            Request::DeleteBackup(input) => self.delete_backup(cx, &input),
            Request::RestoreTableFromBackup(input) => self.restore_table_from_backup(cx, &input),
            Request::RestoreTableToPointInTime(input) => {
                self.restore_table_to_point_in_time(cx, &input)
            }
            Request::ExportTableToPointInTime(input) => {
                self.export_table_to_point_in_time(cx, &input)
            }
            Request::DescribeExport(input) => self.describe_export(cx, &input),
            Request::ListExports(input) => self.list_exports(cx, &input),
            Request::ImportTable(input) => self.import_table(cx, &input),
            Request::DescribeImport(input) => self.describe_import(cx, &input),
            Request::ListImports(input) => self.list_imports(cx, &input),
            Request::UpdateContributorInsights(input) => {
                self.update_contributor_insights(cx, &input)
            }
            Request::DescribeContributorInsights(input) => {
                self.describe_contributor_insights(cx, &input)
            }
            Request::ListContributorInsights(input) => self.list_contributor_insights(cx, &input),
            Request::SearchVectors(input) => self.search_vectors(cx, &input),
            Request::ExecuteStatement(input) => self.execute_statement(cx, &input),
            Request::BatchExecuteStatement(input) => self.batch_execute_statement(cx, &input),
            Request::ExecuteTransaction(input) => self.execute_transaction(cx, &input),
            Request::Other { .. } => Err(Error::new(ErrorKind::UnknownOperation, "").into()),
        }
    }

    /// The caller's table.
    pub(crate) fn table(&self, cx: &Context, name: Option<&str>) -> Result<Arc<Table>, Fault> {
        let name = validate::table_name(name.unwrap_or_default());
        self.catalog.get(&self.namespace(cx), name)
    }

    /// Whose tables a request means.
    pub(crate) fn namespace<'a>(&self, cx: &'a Context) -> Cow<'a, str> {
        if self.options.isolate {
            format!("{}/{}", cx.access_key, self.region(cx)).into()
        } else {
            "".into()
        }
    }

    pub(crate) fn region<'a>(&'a self, cx: &'a Context) -> &'a str {
        if cx.region.is_empty() {
            &self.options.region
        } else {
            &cx.region
        }
    }
}
