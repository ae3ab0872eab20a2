//! Exports to buckets and imports from them.

use super::control::{OnDemandThroughput, SSESpecification};
use super::table::{
    AttributeDefinition, GlobalSecondaryIndex, KeySchemaElement, ProvisionedThroughput,
};
use super::values::{Given, Names, Values};
use super::words::{
    BillingMode, ExportFormat, ExportStatus, ExportType, ExportViewType, ImportStatus,
    InputCompressionType, InputFormat, S3SseAlgorithm,
};
use crate::constraint::Pattern::{Account, Bucket, Delimiter};
use crate::constraint::Rule::{
    Elements, MaxLength, MaxValue, MinLength, MinValue, Pattern, Required,
};
use crate::constraint::{BACKUP_ARN, REQUIRED, TARGET_TABLE};

shapes! {
    /// What an incremental export covers.
    IncrementalExportSpecification {
        export_from_time: f64 = "ExportFromTime",
        export_to_time: f64 = "ExportToTime",
        export_view_type: ExportViewType = "ExportViewType",
    }
    /// Which items an export has, and what of them.
    FilterSpecification {
        filter_expression: String = "FilterExpression",
        projection_expression: String = "ProjectionExpression",
        key_condition_expression: String = "KeyConditionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames",
        expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
    }
    /// ExportTableToPointInTime.
    ExportTableToPointInTimeInput {
        table_arn: String = "TableArn" => &[Required, MinLength(1), MaxLength(1024)],
        export_time: f64 = "ExportTime",
        client_token: String = "ClientToken",
        s3_bucket: String = "S3Bucket" => &[Required, MaxLength(255), Pattern(Bucket)],
        s3_bucket_owner: String = "S3BucketOwner" => &[Pattern(Account)],
        s3_prefix: String = "S3Prefix" => &[MaxLength(1024)],
        s3_sse_algorithm: S3SseAlgorithm = "S3SseAlgorithm",
        s3_sse_kms_key_id: String = "S3SseKmsKeyId" => &[MinLength(1), MaxLength(2048)],
        export_format: ExportFormat = "ExportFormat",
        export_type: ExportType = "ExportType",
        incremental_export_specification: IncrementalExportSpecification = "IncrementalExportSpecification",
        filter_specification: FilterSpecification = "FilterSpecification",
    }
    /// An export.
    ExportDescription {
        export_arn: String = "ExportArn",
        export_status: ExportStatus = "ExportStatus",
        start_time: f64 = "StartTime",
        end_time: f64 = "EndTime",
        export_manifest: String = "ExportManifest",
        table_arn: String = "TableArn",
        table_id: String = "TableId",
        export_time: f64 = "ExportTime",
        client_token: String = "ClientToken",
        s3_bucket: String = "S3Bucket",
        s3_bucket_owner: String = "S3BucketOwner",
        s3_prefix: String = "S3Prefix",
        s3_sse_algorithm: S3SseAlgorithm = "S3SseAlgorithm",
        s3_sse_kms_key_id: String = "S3SseKmsKeyId",
        failure_code: String = "FailureCode",
        failure_message: String = "FailureMessage",
        export_format: ExportFormat = "ExportFormat",
        billed_size_bytes: i64 = "BilledSizeBytes",
        item_count: i64 = "ItemCount",
        export_type: ExportType = "ExportType",
        incremental_export_specification: IncrementalExportSpecification = "IncrementalExportSpecification",
    }
    /// ExportTableToPointInTime's answer.
    ExportTableToPointInTimeOutput { export_description: ExportDescription = "ExportDescription", }
    /// DescribeExport.
    DescribeExportInput { export_arn: String = "ExportArn" => BACKUP_ARN, }
    /// DescribeExport's answer.
    DescribeExportOutput { export_description: ExportDescription = "ExportDescription", }
    /// ListExports.
    ListExportsInput {
        table_arn: String = "TableArn" => &[MinLength(1), MaxLength(1024)],
        max_results: i32 = "MaxResults" => &[MinValue(1), MaxValue(25)],
        next_token: String = "NextToken",
    }
    /// An export in a list.
    ExportSummary {
        export_arn: String = "ExportArn",
        export_status: ExportStatus = "ExportStatus",
        export_type: ExportType = "ExportType",
    }
    /// ListExports' answer.
    ListExportsOutput {
        export_summaries: Vec<ExportSummary> = "ExportSummaries",
        next_token: String = "NextToken",
    }

    /// Where an import's objects are.
    S3BucketSource {
        s3_bucket_owner: String = "S3BucketOwner" => &[Pattern(Account)],
        s3_bucket: String = "S3Bucket" => &[Required, MaxLength(255), Pattern(Bucket)],
        s3_key_prefix: String = "S3KeyPrefix" => &[MaxLength(1024)],
    }
    /// How CSV is written.
    CsvOptions {
        delimiter: String = "Delimiter" => &[Pattern(Delimiter), MaxLength(1), MinLength(1)],
        header_list: Vec<String> = "HeaderList" => &[MinLength(1), MaxLength(255), Elements { min: 1, max: 65_536 }],
    }
    /// How the input is written.
    InputFormatOptions { csv: CsvOptions = "Csv", }
    /// The table that an import makes.
    TableCreationParameters {
        table_name: String = "TableName" => TARGET_TABLE,
        attribute_definitions: Vec<AttributeDefinition> = "AttributeDefinitions" => REQUIRED,
        key_schema: Vec<KeySchemaElement> = "KeySchema" => &[Required, MinLength(1), MaxLength(2)],
        billing_mode: BillingMode = "BillingMode",
        provisioned_throughput: ProvisionedThroughput = "ProvisionedThroughput",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        sse_specification: SSESpecification = "SSESpecification",
        global_secondary_indexes: Vec<GlobalSecondaryIndex> = "GlobalSecondaryIndexes",
    }
    /// ImportTable.
    ImportTableInput {
        client_token: String = "ClientToken",
        s3_bucket_source: S3BucketSource = "S3BucketSource" => REQUIRED,
        input_format: InputFormat = "InputFormat" => REQUIRED,
        input_format_options: InputFormatOptions = "InputFormatOptions",
        input_compression_type: InputCompressionType = "InputCompressionType",
        table_creation_parameters: TableCreationParameters = "TableCreationParameters" => REQUIRED,
    }
    /// An import.
    ImportTableDescription {
        import_arn: String = "ImportArn",
        import_status: ImportStatus = "ImportStatus",
        table_arn: String = "TableArn",
        table_id: String = "TableId",
        client_token: String = "ClientToken",
        s3_bucket_source: S3BucketSource = "S3BucketSource",
        error_count: i64 = "ErrorCount",
        input_format: InputFormat = "InputFormat",
        input_format_options: InputFormatOptions = "InputFormatOptions",
        input_compression_type: InputCompressionType = "InputCompressionType",
        table_creation_parameters: TableCreationParameters = "TableCreationParameters",
        start_time: f64 = "StartTime",
        end_time: f64 = "EndTime",
        processed_size_bytes: i64 = "ProcessedSizeBytes",
        processed_item_count: i64 = "ProcessedItemCount",
        imported_item_count: i64 = "ImportedItemCount",
        failure_code: String = "FailureCode",
        failure_message: String = "FailureMessage",
    }
    /// ImportTable's answer.
    ImportTableOutput { import_table_description: ImportTableDescription = "ImportTableDescription", }
    /// DescribeImport.
    DescribeImportInput { import_arn: String = "ImportArn" => BACKUP_ARN, }
    /// DescribeImport's answer.
    DescribeImportOutput { import_table_description: ImportTableDescription = "ImportTableDescription", }
    /// ListImports.
    ListImportsInput {
        table_arn: String = "TableArn" => &[MinLength(1), MaxLength(1024)],
        page_size: i32 = "PageSize" => &[MinValue(1), MaxValue(25)],
        next_token: String = "NextToken",
    }
    /// An import in a list.
    ImportSummary {
        import_arn: String = "ImportArn",
        import_status: ImportStatus = "ImportStatus",
        table_arn: String = "TableArn",
        s3_bucket_source: S3BucketSource = "S3BucketSource",
        input_format: InputFormat = "InputFormat",
        start_time: f64 = "StartTime",
        end_time: f64 = "EndTime",
    }
    /// ListImports' answer.
    ListImportsOutput {
        import_summary_list: Vec<ImportSummary> = "ImportSummaryList",
        next_token: String = "NextToken",
    }
}
