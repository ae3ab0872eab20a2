//! The messages of the control plane beside tables and indexes, apart from the others for the length of the list alone.

/// Declares the messages given to it and those of the control plane as one list.
macro_rules! with_plane_messages {
    ($($others:tt)*) => {
        with_statement_messages! {
            $($others)*

            // What fails below DynamoDB. Files are named in the log, never here.
            /// A write to a database that only reads since one failed.
            DatabaseReadOnly => ReadOnly;
            /// A write that waited too long for room.
            DatabaseStalled => ServiceUnavailable;
            /// A request while the database closes.
            DatabaseClosed => ServiceUnavailable;
            /// A file that the system does not read.
            DatabaseUnreadable => InternalServerError;
            /// A file whose bytes are not what was written.
            DatabaseDamaged => InternalServerError;

            // Throughput.
            /// A ceiling on demand for what is provisioned.
            CeilingForbidden { name: &'static str };
            /// The same for an index.
            CeilingForbiddenIndex { name: &'static str, index: String };
            /// A ceiling on demand that is none.
            CeilingOutOfRange { name: &'static str };
            /// The same for an index.
            CeilingOutOfRangeIndex { name: &'static str, index: String };
            /// Warm throughput below what a table begins with.
            WarmBelowInitial { name: &'static str, of: String };
            /// Warm throughput below what is provisioned.
            WarmBelowProvisioned { name: &'static str, of: String, units: &'static str };
            /// Less warm throughput than there is.
            WarmDecreased { name: &'static str, of: String };
            /// Warm throughput of an index that says nothing.
            WarmEmptyIndex { index: String };
            /// Warm throughput with another change.
            WarmAlone;
            /// A ceiling on demand with another change.
            CeilingAlone;

            // Policies.
            /// A name where an ARN should be.
            PolicyArnPrefix { arn: String };
            /// Another service's ARN.
            PolicyArnOther { arn: String };
            /// An index's ARN.
            PolicyArnKind { arn: String };
            /// Another region's or partition's ARN.
            PolicyArnInvalid { arn: String };
            /// Another account's ARN.
            PolicyAccount;
            /// No such stream of the table.
            PolicyStreamNotFound { label: String, table: String } => ResourceNotFound;
            /// No policy.
            PolicyNone { arn: String } => PolicyNotFound;
            /// A revision expected where there is no policy.
            PolicyNoneExpected { revision: String, table: String } => PolicyNotFound;
            /// Another revision than the one expected.
            PolicyOtherRevision { expected: String, table: String, revision: String } => PolicyNotFound;
            /// A policy where none was expected.
            PolicyUnexpected { table: String, revision: String } => PolicyNotFound;
            /// A policy over 20 KB.
            PolicyTooLarge { limit: usize };
            /// A policy that is not JSON.
            PolicyJson;
            /// A policy that says nothing.
            PolicyEmpty;
            /// A statement without one of its parts.
            PolicyLacks { field: &'static str };
            /// Two statements of one name.
            PolicySids;
            /// A policy that lets everybody in.
            PolicyUnbounded;

            // Backups and restores.
            /// No such table.
            BackupTableNotFound { name: String } => TableNotFound;
            /// Text that is no backup's ARN.
            BackupArnInvalid;
            /// No such backup.
            BackupMissing { arn: String } => BackupNotFound;
            /// Another account's backup, export or import.
            ForeignAccount => AccessDenied;
            /// A backup to delete that is being restored from.
            BackupRestoring { arn: String } => BackupInUse;
            /// A backup to restore that is being restored from.
            BackupRestoringOther { arn: String } => BackupInUse;
            /// A backup that is still being made.
            BackupCreating { arn: String } => BackupInUse;
            /// More backups or restores at once than there may be.
            BackupsAtOnce { limit: usize, what: &'static str } => LimitExceeded;
            /// A backup of the service's own to delete.
            BackupSystem { arn: String, expiry: String };
            /// A time range that ends before it begins.
            BackupTimeRange;
            /// A restored table's name that is taken.
            RestoreTargetExists { name: String } => TableAlreadyExists;
            /// A restored table's name that is being restored to.
            RestoreTargetBusy { name: String, arn: String } => TableInUse;
            /// A name to create that is being restored or imported to.
            TableBeingUsed { name: String } => ResourceInUse;
            /// A table to delete, or whose recovery is to be switched off, that is being restored from.
            TableBeingRestored { name: String } => ResourceInUse;
            /// A table to delete of which a backup is being made.
            TableBeingBackedUp { name: String } => ResourceInUse;
            /// A table to back up whose items are still being put in.
            BackupsComing { name: String } => ContinuousBackupsUnavailable;
            /// The same of its recovery.
            RecoveryBusy { name: String } => ContinuousBackupsUnavailable;
            /// Units for what is on demand.
            RestoreUnitsOnDemand;
            /// Units for what goes on demand.
            RestoreUnitsToOnDemand;
            /// No units for what is provisioned from now on.
            RestoreUnitsMissing;
            /// The same of an index.
            RestoreIndexUnitsMissing { index: String };
            /// Units of an index that goes on demand.
            RestoreIndexUnitsToOnDemand { index: String };
            /// A ceiling for what is provisioned.
            RestoreCeiling { name: &'static str };
            /// A ceiling that is none.
            RestoreCeilingRange { name: &'static str };
            /// An index that the source did not have.
            RestoreIndexUnknown { index: String };
            /// A period for what is being switched off.
            RecoveryPeriodForbidden;
            /// Recovery is off.
            RecoveryOff { name: String } => PointInTimeRecoveryUnavailable;
            /// Both times.
            RestoreTimeBoth;
            /// Neither time.
            RestoreTimeNone;
            /// Both sources.
            RestoreSourceBoth;
            /// Text that is no table's ARN.
            RestoreSourceArn;
            // Vector indexes.
            /// A vector index of a provisioned table.
            VectorOnDemandOnly;
            /// A search schema's attribute without a definition.
            VectorSchemaUndefined;
            /// More than one partition key in a search schema.
            VectorSchemaHash;
            /// Too many dimensions.
            VectorDimensions;
            /// More vector indexes than a table may have.
            VectorTooMany;
            /// Two vector indexes of one attribute with other dimensions.
            VectorConflict { name: String };
            /// A vector of another length.
            VectorSize { name: String, expected: usize, actual: usize, index: String };
            /// A vector with something else than a number.
            VectorElement { name: String, position: usize, actual: &'static str, index: String };
            /// Something else than a vector.
            VectorType { name: String, index: String };
            /// More results than there may be.
            SearchTopK { value: i32 };
            /// A vector to search for that is none.
            SearchValues;
            /// A vector to search for of another length.
            SearchDimensions { given: usize, expected: usize };
            /// A search that names no partition.
            SearchConditionMissing;
            /// A condition other than equality.
            SearchComparator;
            /// An operator or function that a condition cannot have there.
            SearchOperator;
            /// A condition on another attribute.
            SearchAttribute { name: String };
            /// Two conditions on one attribute.
            SearchAttributeTwice;
            /// A vector index that is not ready.
            SearchBackfilling { name: String };
            /// Query of a vector index.
            VectorQuery;
            /// Scan of a vector index.
            VectorScan;

            // Contributor Insights.
            /// An index that the table does not have.
            InsightsIndexMissing { index: String, table: String } => ResourceNotFound;
            /// An index that is not ready.
            InsightsState;
            /// Text that is no page's token.
            InsightsToken;

            // Exports and imports.
            /// No directory stands for the buckets.
            BucketsNone;
            /// Text that is no table's ARN.
            ExportTableArn;
            /// An index's ARN.
            ExportTableArnKind;
            /// Text that is no export's ARN.
            ExportArnInvalid;
            /// No such export.
            ExportMissing { arn: String } => ExportNotFound;
            /// The same token with another export.
            ExportTokenConflict => ExportConflict;
            /// A time that cannot be exported.
            ExportTimeInvalid => InvalidExportTime;
            /// An incremental export without what it covers.
            ExportSpecificationMissing;
            /// What it covers, without saying that it is incremental.
            ExportSpecificationUnasked;
            /// What it covers, of a full export.
            ExportSpecificationForbidden;
            /// An incremental export without its begin.
            ExportFromMissing;
            /// A begin before recovery was on.
            ExportFromEarly { time: String } => InvalidExportTime;
            /// An end in the future.
            ExportToLate { time: String } => InvalidExportTime;
            /// Less than 15 minutes.
            ExportPeriodShort => InvalidExportTime;
            /// More than 24 hours.
            ExportPeriodLong => InvalidExportTime;
            /// A key for what has none.
            ExportKeyForbidden;
            /// A filter that says nothing.
            ExportFilterEmpty;
            /// A token of another list.
            TransferTokenInvalid { token: String };
            /// Text that is no import's ARN.
            ImportArnInvalid;
            /// No such import.
            ImportMissing { arn: String } => ImportNotFound;
            /// The same token with another table.
            ImportTokenConflict => ImportConflict;
            /// Options of another format.
            ImportOptions { format: &'static str };

            /// A time outside the bounds.
            RestoreTimeOutside { time: String, earliest: String, latest: String } => InvalidRestoreTime;
        }
    };
}
