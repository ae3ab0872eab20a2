//! The seam that holds the house together.

#[allow(
    clippy::wildcard_imports,
    reason = "every operation's input and output"
)]
use crate::types::*;
use crate::{Error, Request, Response};
use bothways_core::Item;
use std::time::Instant;

/// A boxed future that may borrow its arguments.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Who asks, from where, until when.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// Access key id from the request's credential scope; empty for embedded callers.
    pub access_key: String,
    /// Region from the credential scope; empty means the backend's default.
    pub region: String,
    /// When the caller stops waiting.
    pub deadline: Option<Instant>,
    /// `x-amzn-RequestId`, where one was given.
    pub request_id: String,
    /// Host and port that the caller reached us at; empty for embedded callers.
    pub host: String,
}

/// Anything that can answer DynamoDB requests.
///
/// The future of a read whose data is at hand is ready at its first poll; a write's future is ready when the
/// write is durable. Dropping the future does not undo a write that was already submitted.
pub trait DynamoDb: Send + Sync {
    /// Answers one request.
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>>;
}

/// What a backend offers beside DynamoDB: statistics, snapshots, recent requests. Optional.
pub trait Operator: Send + Sync {
    /// What is kept for point-in-time recovery: one entry for each table where it is on, by name.
    fn recovery_logs(&self) -> Vec<RecoveryLog>;

    /// The keys that are used most, of every table and index where Contributor Insights counts them, since it was
    /// switched on or the database was opened.
    fn busy_keys(&self) -> Vec<BusyKeys>;

    /// How a table differs from one of its backups, a piece of at most 5,000 items in the order of a Scan; `after` is
    /// where the piece before said to go on.
    ///
    /// # Errors
    /// As DescribeBackup; a backup that is still being made, a table that is gone or has another key.
    fn differences(
        &self,
        cx: &Context,
        backup_arn: &str,
        after: Option<&[u8]>,
    ) -> Result<Differences, Error>;
}

/// A piece of what differs between a backup and its table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences {
    /// The items that differ.
    pub found: Vec<Difference>,
    /// Keys that were looked at.
    pub seen: u64,
    /// Where to go on; none at the end.
    pub next: Option<Vec<u8>>,
}

/// An item that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// As the backup has it; none where it has none.
    pub before: Option<Item>,
    /// As the table has it; none where it is gone.
    pub now: Option<Item>,
}

/// The busiest keys of a table or index, counted in fixed memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusyKeys {
    /// The table's ARN.
    pub table_arn: String,
    /// The index; none for the table itself.
    pub index: Option<String>,
    /// Items read and written.
    pub uses: u64,
    /// Partition keys, the busiest first.
    pub partitions: Vec<BusyKey>,
    /// Keys, the busiest first; none where the partition key is the whole key.
    pub items: Vec<BusyKey>,
}

/// A key and how often it was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusyKey {
    /// Its attributes.
    pub key: Item,
    /// Uses: never too few, too many by `error` at most.
    pub uses: u64,
    /// How many of the uses may be those of other keys.
    pub error: u64,
    /// What reading it has used, in thousandths of a read unit. Of what a page reads, an item has its share by size.
    /// A key that took a counter over begins at none, so this is never too much.
    pub read_milli: u64,
    /// What writing it has used, in thousandths of a write unit.
    pub write_milli: u64,
}

/// The log of changes of a table with point-in-time recovery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveryLog {
    /// The table's ARN.
    pub table_arn: String,
    /// Changes kept.
    pub entries: u64,
    /// Bytes kept, with the keys of the entries.
    pub bytes: u64,
    /// The first time that can be restored to, milliseconds since 1970.
    pub earliest_millis: u64,
}

macro_rules! typed_methods {
    ($($(#[$doc:meta])* $method:ident: $variant:ident($input:ty) -> $output:ty;)*) => {
        /// One typed method per operation, over [`DynamoDb::call`].
        pub trait DynamoDbExt: DynamoDb {
            $($(#[$doc])* fn $method<'a>(&'a self, cx: &'a Context, input: $input) -> BoxFuture<'a, Result<$output, Error>> {
                Box::pin(async move {
                    match self.call(cx, Request::$variant(Box::new(input))).await? {
                        Response::$variant(output) => Ok(*output),
                        other => Err(Error::wrong_response(stringify!($variant), &other)),
                    }
                })
            })*
        }
        impl<T: DynamoDb + ?Sized> DynamoDbExt for T {}
    };
}

typed_methods! {
    /// CreateTable.
    create_table: CreateTable(CreateTableInput) -> CreateTableOutput;
    /// DescribeTable.
    describe_table: DescribeTable(DescribeTableInput) -> DescribeTableOutput;
    /// ListTables.
    list_tables: ListTables(ListTablesInput) -> ListTablesOutput;
    /// DeleteTable.
    delete_table: DeleteTable(DeleteTableInput) -> DeleteTableOutput;
    /// PutItem.
    put_item: PutItem(PutItemInput) -> PutItemOutput;
    /// GetItem.
    get_item: GetItem(GetItemInput) -> GetItemOutput;
    /// UpdateItem.
    update_item: UpdateItem(UpdateItemInput) -> UpdateItemOutput;
    /// DeleteItem.
    delete_item: DeleteItem(DeleteItemInput) -> DeleteItemOutput;
    /// Query.
    query: Query(QueryInput) -> QueryOutput;
    /// Scan.
    scan: Scan(ScanInput) -> ScanOutput;
    /// BatchGetItem.
    batch_get_item: BatchGetItem(BatchGetItemInput) -> BatchGetItemOutput;
    /// BatchWriteItem.
    batch_write_item: BatchWriteItem(BatchWriteItemInput) -> BatchWriteItemOutput;
    /// TransactGetItems.
    transact_get_items: TransactGetItems(TransactGetItemsInput) -> TransactGetItemsOutput;
    /// TransactWriteItems.
    transact_write_items: TransactWriteItems(TransactWriteItemsInput) -> TransactWriteItemsOutput;
    /// UpdateTable.
    update_table: UpdateTable(UpdateTableInput) -> UpdateTableOutput;
    /// UpdateTimeToLive.
    update_time_to_live: UpdateTimeToLive(UpdateTimeToLiveInput) -> UpdateTimeToLiveOutput;
    /// DescribeTimeToLive.
    describe_time_to_live: DescribeTimeToLive(DescribeTimeToLiveInput) -> DescribeTimeToLiveOutput;
    /// TagResource.
    tag_resource: TagResource(TagResourceInput) -> TagResourceOutput;
    /// UntagResource.
    untag_resource: UntagResource(UntagResourceInput) -> UntagResourceOutput;
    /// ListTagsOfResource.
    list_tags_of_resource: ListTagsOfResource(ListTagsOfResourceInput) -> ListTagsOfResourceOutput;
    /// DescribeLimits.
    describe_limits: DescribeLimits(DescribeLimitsInput) -> DescribeLimitsOutput;
    /// DescribeEndpoints.
    describe_endpoints: DescribeEndpoints(DescribeEndpointsInput) -> DescribeEndpointsOutput;
    /// PutResourcePolicy.
    put_resource_policy: PutResourcePolicy(PutResourcePolicyInput) -> PutResourcePolicyOutput;
    /// GetResourcePolicy.
    get_resource_policy: GetResourcePolicy(GetResourcePolicyInput) -> GetResourcePolicyOutput;
    /// DeleteResourcePolicy.
    delete_resource_policy: DeleteResourcePolicy(DeleteResourcePolicyInput) -> DeleteResourcePolicyOutput;
    /// DescribeContinuousBackups.
    describe_continuous_backups: DescribeContinuousBackups(DescribeContinuousBackupsInput) -> DescribeContinuousBackupsOutput;
    /// UpdateContinuousBackups.
    update_continuous_backups: UpdateContinuousBackups(UpdateContinuousBackupsInput) -> UpdateContinuousBackupsOutput;
    /// CreateBackup.
    create_backup: CreateBackup(CreateBackupInput) -> CreateBackupOutput;
    /// DescribeBackup.
    describe_backup: DescribeBackup(DescribeBackupInput) -> DescribeBackupOutput;
    /// ListBackups.
    list_backups: ListBackups(ListBackupsInput) -> ListBackupsOutput;
    /// DeleteBackup.
    delete_backup: DeleteBackup(DeleteBackupInput) -> DeleteBackupOutput;
    /// RestoreTableFromBackup.
    restore_table_from_backup: RestoreTableFromBackup(RestoreTableFromBackupInput) -> RestoreTableFromBackupOutput;
    /// RestoreTableToPointInTime.
    restore_table_to_point_in_time: RestoreTableToPointInTime(RestoreTableToPointInTimeInput) -> RestoreTableToPointInTimeOutput;
    /// ExportTableToPointInTime.
    export_table_to_point_in_time: ExportTableToPointInTime(ExportTableToPointInTimeInput) -> ExportTableToPointInTimeOutput;
    /// DescribeExport.
    describe_export: DescribeExport(DescribeExportInput) -> DescribeExportOutput;
    /// ListExports.
    list_exports: ListExports(ListExportsInput) -> ListExportsOutput;
    /// ImportTable.
    import_table: ImportTable(ImportTableInput) -> ImportTableOutput;
    /// DescribeImport.
    describe_import: DescribeImport(DescribeImportInput) -> DescribeImportOutput;
    /// ListImports.
    list_imports: ListImports(ListImportsInput) -> ListImportsOutput;
    /// UpdateContributorInsights.
    update_contributor_insights: UpdateContributorInsights(UpdateContributorInsightsInput) -> UpdateContributorInsightsOutput;
    /// DescribeContributorInsights.
    describe_contributor_insights: DescribeContributorInsights(DescribeContributorInsightsInput) -> DescribeContributorInsightsOutput;
    /// ListContributorInsights.
    list_contributor_insights: ListContributorInsights(ListContributorInsightsInput) -> ListContributorInsightsOutput;
    /// SearchVectors.
    search_vectors: SearchVectors(SearchVectorsInput) -> SearchVectorsOutput;
    /// ExecuteStatement.
    execute_statement: ExecuteStatement(ExecuteStatementInput) -> ExecuteStatementOutput;
    /// BatchExecuteStatement.
    batch_execute_statement: BatchExecuteStatement(BatchExecuteStatementInput) -> BatchExecuteStatementOutput;
    /// ExecuteTransaction.
    execute_transaction: ExecuteTransaction(ExecuteTransactionInput) -> ExecuteTransactionOutput;
    /// ListStreams.
    list_streams: ListStreams(ListStreamsInput) -> ListStreamsOutput;
    /// DescribeStream.
    describe_stream: DescribeStream(DescribeStreamInput) -> DescribeStreamOutput;
    /// GetShardIterator.
    get_shard_iterator: GetShardIterator(GetShardIteratorInput) -> GetShardIteratorOutput;
    /// GetRecords.
    get_records: GetRecords(GetRecordsInput) -> GetRecordsOutput;
}
