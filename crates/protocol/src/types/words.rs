//! Closed sets of words.

words! {
    /// Type of a key attribute.
    ScalarAttributeType, "ScalarAttributeType" { S = "S", N = "N", B = "B", }
    /// Role of a key attribute.
    KeyRole, "KeyType" { Hash = "HASH", Range = "RANGE", }
    /// What an index copies.
    ProjectionType, "ProjectionType" { All = "ALL", KeysOnly = "KEYS_ONLY", Include = "INCLUDE", }
    /// How a table is billed.
    BillingMode, "BillingMode" { Provisioned = "PROVISIONED", PayPerRequest = "PAY_PER_REQUEST", }
    /// What a table's storage costs.
    TableClass, "TableClass" { Standard = "STANDARD", InfrequentAccess = "STANDARD_INFREQUENT_ACCESS", }
    /// State of a table.
    TableStatus, "TableStatus" {
        Creating = "CREATING", Updating = "UPDATING", Deleting = "DELETING", Active = "ACTIVE",
        InaccessibleEncryptionCredentials = "INACCESSIBLE_ENCRYPTION_CREDENTIALS", Archiving = "ARCHIVING",
        Archived = "ARCHIVED",
    }
    /// State of an index.
    IndexStatus, "IndexStatus" { Creating = "CREATING", Updating = "UPDATING", Deleting = "DELETING", Active = "ACTIVE", }
    /// What a write returns.
    ReturnValue, "ReturnValue" {
        None = "NONE", AllOld = "ALL_OLD", UpdatedOld = "UPDATED_OLD", AllNew = "ALL_NEW", UpdatedNew = "UPDATED_NEW",
    }
    /// What a failed condition returns.
    ReturnValuesOnConditionCheckFailure, "ReturnValuesOnConditionCheckFailure" { AllOld = "ALL_OLD", None = "NONE", }
    /// How much capacity detail to return.
    ReturnConsumedCapacity, "ReturnConsumedCapacity" { Indexes = "INDEXES", Total = "TOTAL", None = "NONE", }
    /// Whether to return item collection sizes.
    ReturnItemCollectionMetrics, "ReturnItemCollectionMetrics" { Size = "SIZE", None = "NONE", }
    /// What a Query or Scan returns.
    Select, "Select" {
        AllAttributes = "ALL_ATTRIBUTES", AllProjectedAttributes = "ALL_PROJECTED_ATTRIBUTES",
        SpecificAttributes = "SPECIFIC_ATTRIBUTES", Count = "COUNT",
    }
    /// What a stream record carries.
    StreamViewType, "StreamViewType" {
        NewImage = "NEW_IMAGE", OldImage = "OLD_IMAGE", NewAndOldImages = "NEW_AND_OLD_IMAGES", KeysOnly = "KEYS_ONLY",
    }
    /// And or or, for the legacy parameters.
    ConditionalOperator, "ConditionalOperator" { And = "AND", Or = "OR", }
    /// How a legacy parameter compares.
    ComparisonOperator, "ComparisonOperator" {
        Eq = "EQ", Ne = "NE", In = "IN", Le = "LE", Lt = "LT", Ge = "GE", Gt = "GT", Between = "BETWEEN",
        NotNull = "NOT_NULL", Null = "NULL", Contains = "CONTAINS", NotContains = "NOT_CONTAINS",
        BeginsWith = "BEGINS_WITH",
    }
    /// What a legacy update does.
    AttributeAction, "AttributeAction" { Add = "ADD", Put = "PUT", Delete = "DELETE", }
    /// How a table is encrypted.
    SseType, "SSEType" { Aes256 = "AES256", Kms = "KMS", }
    /// State of a table's encryption.
    SseStatus, "SSEStatus" {
        Enabling = "ENABLING", Enabled = "ENABLED", Disabling = "DISABLING", Disabled = "DISABLED", Updating = "UPDATING",
    }
    /// State of a table's TTL.
    TimeToLiveStatus, "TimeToLiveStatus" {
        Enabling = "ENABLING", Disabling = "DISABLING", Enabled = "ENABLED", Disabled = "DISABLED",
    }
    /// State of continuous backups and point-in-time recovery.
    ContinuousBackupsStatus, "ContinuousBackupsStatus" { Enabled = "ENABLED", Disabled = "DISABLED", }
    /// State of a backup.
    BackupStatus, "BackupStatus" { Creating = "CREATING", Deleted = "DELETED", Available = "AVAILABLE", }
    /// Who made a backup.
    BackupType, "BackupType" { User = "USER", System = "SYSTEM", AwsBackup = "AWS_BACKUP", }
    /// Whose backups to list.
    BackupTypeFilter, "BackupTypeFilter" { User = "USER", System = "SYSTEM", AwsBackup = "AWS_BACKUP", All = "ALL", }
    /// How an export writes items.
    ExportFormat, "ExportFormat" { DynamodbJson = "DYNAMODB_JSON", Ion = "ION", }
    /// What to do with Contributor Insights.
    ContributorInsightsAction, "ContributorInsightsAction" { Enable = "ENABLE", Disable = "DISABLE", }
    /// Which keys Contributor Insights counts.
    ContributorInsightsMode, "ContributorInsightsMode" {
        Accessed = "ACCESSED_AND_THROTTLED_KEYS", Throttled = "THROTTLED_KEYS",
    }
    /// State of Contributor Insights.
    ContributorInsightsStatus, "ContributorInsightsStatus" {
        Enabling = "ENABLING", Enabled = "ENABLED", Disabling = "DISABLING", Disabled = "DISABLED", Failed = "FAILED",
    }
    /// How far apart two vectors are.
    VectorDistanceFunction, "VectorDistanceFunction" {
        DotProduct = "DOT_PRODUCT", Cosine = "COSINE", Euclidean = "EUCLIDEAN",
    }
    /// What an attribute is for in a vector index.
    SearchSchemaElementType, "SearchSchemaElementType" { Hash = "HASH", InlineFilter = "INLINE_FILTER", }
    /// State of an export.
    ExportStatus, "ExportStatus" { InProgress = "IN_PROGRESS", Completed = "COMPLETED", Failed = "FAILED", }
    /// All items, or those that changed.
    ExportType, "ExportType" { Full = "FULL_EXPORT", Incremental = "INCREMENTAL_EXPORT", }
    /// What an incremental export has of an item.
    ExportViewType, "ExportViewType" { NewImage = "NEW_IMAGE", NewAndOldImages = "NEW_AND_OLD_IMAGES", }
    /// How a bucket encrypts.
    S3SseAlgorithm, "S3SseAlgorithm" { Aes256 = "AES256", Kms = "KMS", }
    /// How an import's items are written.
    InputFormat, "InputFormat" { DynamodbJson = "DYNAMODB_JSON", Ion = "ION", Csv = "CSV", }
    /// How an import's objects are compressed.
    InputCompressionType, "InputCompressionType" { Gzip = "GZIP", Zstd = "ZSTD", None = "NONE", }
    /// State of an import.
    ImportStatus, "ImportStatus" {
        InProgress = "IN_PROGRESS", Completed = "COMPLETED", Cancelling = "CANCELLING", Cancelled = "CANCELLED",
        Failed = "FAILED",
    }
    /// State of a stream.
    StreamStatus, "StreamStatus" {
        Enabling = "ENABLING", Enabled = "ENABLED", Disabling = "DISABLING", Disabled = "DISABLED",
    }
    /// Where an iterator starts.
    ShardIteratorType, "ShardIteratorType" {
        TrimHorizon = "TRIM_HORIZON", Latest = "LATEST", AtSequenceNumber = "AT_SEQUENCE_NUMBER",
        AfterSequenceNumber = "AFTER_SEQUENCE_NUMBER", AtTimestamp = "AT_TIMESTAMP",
    }
    /// Which shards to describe.
    ShardFilterType, "ShardFilterType" { ChildShards = "CHILD_SHARDS", }
    /// What happened to an item.
    OperationType, "OperationType" { Insert = "INSERT", Modify = "MODIFY", Remove = "REMOVE", }
}
