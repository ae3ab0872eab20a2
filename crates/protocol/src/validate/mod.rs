//! Everything that DynamoDB checks before it looks at a table, in its order: one function an operation, which gives back
//! what the operation needs, parsed and borrowed from the request.
//!
//! Each runs the constraint stage first, then the semantic checks: parameters that exclude each other, attribute values,
//! legacy parameters (compiled to the same trees as expressions), expressions and their placeholders.
//!
//! AWS runs its operations on two generations of its front end, which word the same fault differently. As newest
//! captured in eu-west-2: single-item writes count each fault ("1 validation error detected: …"); single and batch reads,
//! Query and transactions use the newer words without counting; Scan and batch writes use the older ones.
//! (Source: `paritysuite/dynamodb-conformance`, error-messages/valueLayers, captured 2026-10-09.)

use crate::types::{
    BatchExecuteStatementInput, CreateBackupInput, DeleteBackupInput, DeleteResourcePolicyInput,
    DeleteTableInput, DescribeBackupInput, DescribeContinuousBackupsInput,
    DescribeContributorInsightsInput, DescribeEndpointsInput, DescribeExportInput,
    DescribeImportInput, DescribeLimitsInput, DescribeStreamInput, DescribeTableInput,
    DescribeTimeToLiveInput, ExecuteStatementInput, ExecuteTransactionInput,
    ExportTableToPointInTimeInput, GetRecordsInput, GetResourcePolicyInput, GetShardIteratorInput,
    ImportTableInput, ListBackupsInput, ListContributorInsightsInput, ListExportsInput,
    ListImportsInput, ListStreamsInput, ListTablesInput, ListTagsOfResourceInput,
    PutResourcePolicyInput, RestoreTableFromBackupInput, RestoreTableToPointInTimeInput,
    TagResourceInput, UntagResourceInput, UpdateContinuousBackupsInput,
    UpdateContributorInsightsInput, UpdateTimeToLiveInput,
};
use crate::{Error, Request, constraint};

mod batch;
mod expressions;
mod item;
mod layer;
mod legacy;
mod read;
pub mod schema;
mod statement;
mod table;
mod transact;
mod transfer;
mod vectors;
mod words;

pub use batch::{BatchGet, BatchWrite, BatchWrites, batch_get_item, batch_write_item};
pub use item::{DeletePlan, GetPlan, PutPlan, UpdatePlan};
pub use item::{delete_item, get_item, put_item, update_item};
pub use read::{QueryPlan, ScanPlan, query, scan};
pub use statement::parameters;
pub use table::{TAGS, check_tags, create_table, index_creation, throughput, update_table};
pub use transact::{
    TransactAction, TransactGet, TransactKind, transact_get_items, transact_write_items,
};
pub use transfer::{ExportFilter, export_filter};
pub use vectors::{SearchPlan, search_vectors, vector_index};

/// Operations whose requests have nothing to check but their members.
macro_rules! members_only {
    ($($(#[$doc:meta])* $function:ident($input:ident);)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// `ValidationException`.
        pub fn $function(input: &$input) -> Result<(), Error> {
            constraint::check(input)
        })*
    };
}

members_only! {
    /// DescribeTable.
    describe_table(DescribeTableInput);
    /// DeleteTable.
    delete_table(DeleteTableInput);
    /// ListTables.
    list_tables(ListTablesInput);
    /// UpdateTimeToLive.
    update_time_to_live(UpdateTimeToLiveInput);
    /// DescribeTimeToLive.
    describe_time_to_live(DescribeTimeToLiveInput);
    /// TagResource.
    tag_resource(TagResourceInput);
    /// UntagResource.
    untag_resource(UntagResourceInput);
    /// ListTagsOfResource.
    list_tags_of_resource(ListTagsOfResourceInput);
    /// DescribeLimits.
    describe_limits(DescribeLimitsInput);
    /// DescribeEndpoints.
    describe_endpoints(DescribeEndpointsInput);
    /// PutResourcePolicy; the policy itself is looked at with its table.
    put_resource_policy(PutResourcePolicyInput);
    /// GetResourcePolicy.
    get_resource_policy(GetResourcePolicyInput);
    /// DeleteResourcePolicy.
    delete_resource_policy(DeleteResourcePolicyInput);
    /// DescribeContinuousBackups.
    describe_continuous_backups(DescribeContinuousBackupsInput);
    /// UpdateContinuousBackups.
    update_continuous_backups(UpdateContinuousBackupsInput);
    /// CreateBackup.
    create_backup(CreateBackupInput);
    /// DescribeBackup.
    describe_backup(DescribeBackupInput);
    /// ListBackups.
    list_backups(ListBackupsInput);
    /// DeleteBackup.
    delete_backup(DeleteBackupInput);
    /// RestoreTableFromBackup; what it overrides is looked at with its source.
    restore_table_from_backup(RestoreTableFromBackupInput);
    /// RestoreTableToPointInTime; what it overrides is looked at with its source.
    restore_table_to_point_in_time(RestoreTableToPointInTimeInput);
    /// ExportTableToPointInTime; the rest is looked at with its table.
    export_table_to_point_in_time(ExportTableToPointInTimeInput);
    /// DescribeExport.
    describe_export(DescribeExportInput);
    /// ListExports.
    list_exports(ListExportsInput);
    /// ImportTable; the rest is looked at with its table.
    import_table(ImportTableInput);
    /// DescribeImport.
    describe_import(DescribeImportInput);
    /// ListImports.
    list_imports(ListImportsInput);
    /// ExecuteStatement; the statement itself is PartiQL's to check.
    execute_statement(ExecuteStatementInput);
    /// BatchExecuteStatement; the statements themselves are PartiQL's to check.
    batch_execute_statement(BatchExecuteStatementInput);
    /// ExecuteTransaction; the statements themselves are PartiQL's to check.
    execute_transaction(ExecuteTransactionInput);
    /// UpdateContributorInsights.
    update_contributor_insights(UpdateContributorInsightsInput);
    /// DescribeContributorInsights.
    describe_contributor_insights(DescribeContributorInsightsInput);
    /// ListContributorInsights.
    list_contributor_insights(ListContributorInsightsInput);
    /// ListStreams.
    list_streams(ListStreamsInput);
    /// DescribeStream.
    describe_stream(DescribeStreamInput);
    /// GetShardIterator.
    get_shard_iterator(GetShardIteratorInput);
    /// GetRecords.
    get_records(GetRecordsInput);
}

/// The table that a `TableName` names: itself, or the name in a table's ARN.
#[must_use]
pub fn table_name(given: &str) -> &str {
    match given
        .strip_prefix("arn:")
        .and_then(|arn| arn.split_once(":table/"))
    {
        Some((_, resource)) => resource.split('/').next().unwrap_or(resource),
        None => given,
    }
}

/// Checks a request as its operation would, for those who only want to know: decorators, tools, tests.
///
/// # Errors
/// What the operation would answer before it looks at a table.
pub fn request(request: &Request) -> Result<(), Error> {
    match request {
        Request::CreateTable(input) => create_table(input),
        Request::DescribeTable(input) => describe_table(input),
        Request::ListTables(input) => list_tables(input),
        Request::DeleteTable(input) => delete_table(input),
        Request::PutItem(input) => put_item(input).map(drop),
        Request::GetItem(input) => get_item(input).map(drop),
        Request::UpdateItem(input) => update_item(input).map(drop),
        Request::DeleteItem(input) => delete_item(input).map(drop),
        Request::Query(input) => query(input).map(drop),
        Request::Scan(input) => scan(input).map(drop),
        Request::SearchVectors(input) => search_vectors(input).map(drop),
        Request::BatchGetItem(input) => batch_get_item(input).map(drop),
        Request::BatchWriteItem(input) => batch_write_item(input).map(drop),
        Request::TransactGetItems(input) => transact_get_items(input).map(drop),
        Request::TransactWriteItems(input) => transact_write_items(input).map(drop),
        Request::UpdateTable(input) => update_table(input),
        Request::UpdateTimeToLive(input) => update_time_to_live(input),
        Request::DescribeTimeToLive(input) => describe_time_to_live(input),
        Request::TagResource(input) => tag_resource(input),
        Request::UntagResource(input) => untag_resource(input),
        Request::ListTagsOfResource(input) => list_tags_of_resource(input),
        Request::DescribeLimits(input) => describe_limits(input),
        Request::DescribeEndpoints(input) => describe_endpoints(input),
        Request::PutResourcePolicy(input) => put_resource_policy(input),
        Request::GetResourcePolicy(input) => get_resource_policy(input),
        Request::DeleteResourcePolicy(input) => delete_resource_policy(input),
        Request::DescribeContinuousBackups(input) => describe_continuous_backups(input),
        Request::UpdateContinuousBackups(input) => update_continuous_backups(input),
        Request::CreateBackup(input) => create_backup(input),
        Request::DescribeBackup(input) => describe_backup(input),
        Request::ListBackups(input) => list_backups(input),
        Request::DeleteBackup(input) => delete_backup(input),
        Request::RestoreTableFromBackup(input) => restore_table_from_backup(input),
        Request::RestoreTableToPointInTime(input) => restore_table_to_point_in_time(input),
        Request::ExportTableToPointInTime(input) => export_table_to_point_in_time(input),
        Request::DescribeExport(input) => describe_export(input),
        Request::ListExports(input) => list_exports(input),
        Request::ImportTable(input) => import_table(input),
        Request::DescribeImport(input) => describe_import(input),
        Request::ListImports(input) => list_imports(input),
        Request::ExecuteStatement(input) => execute_statement(input),
        Request::BatchExecuteStatement(input) => batch_execute_statement(input),
        Request::ExecuteTransaction(input) => execute_transaction(input),
        Request::UpdateContributorInsights(input) => update_contributor_insights(input),
        Request::DescribeContributorInsights(input) => describe_contributor_insights(input),
        Request::ListContributorInsights(input) => list_contributor_insights(input),
        Request::ListStreams(input) => list_streams(input),
        Request::DescribeStream(input) => describe_stream(input),
        Request::GetShardIterator(input) => get_shard_iterator(input),
        Request::GetRecords(input) => get_records(input),
        Request::Other { .. } => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::table_name;

    #[test]
    fn a_tables_arn_names_the_table() {
        for (given, name) in [
            ("follow", "follow"),
            (
                "arn:aws:dynamodb:eu-west-2:000000000000:table/follow",
                "follow",
            ),
            (
                "arn:aws:dynamodb:eu-west-2:000000000000:table/follow/index/inverse",
                "follow",
            ),
            ("arn:nothing", "arn:nothing"),
        ] {
            assert_eq!(table_name(given), name);
        }
    }
}
