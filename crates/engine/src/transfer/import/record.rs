//! An import's row of the catalogue (`docs/format.md`), and the import in AWS's words.

use crate::catalog::seconds;
use crate::error::Fault;
use crate::layout::{Meta, Range};
use bothways_core::key;
use bothways_protocol::types::{
    ImportStatus, ImportSummary, ImportTableDescription, ImportTableInput, InputCompressionType,
    S3BucketSource,
};
use bothways_protocol::{Operation, Request};
use bothways_store::Snapshot;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// An import as stored. Members are only ever added.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ImportRecord {
    pub(super) arn: String,
    pub(super) id: String,
    pub(super) namespace: String,
    /// Name, ARN and UUID of the table.
    pub(super) table: String,
    pub(super) table_arn: String,
    pub(super) uuid: String,
    pub(super) account: String,
    /// The request's body.
    pub(super) request: String,
    /// Milliseconds since 1970.
    pub(super) started: u64,
    pub(super) ended: Option<u64>,
    /// Code and words.
    pub(super) failure: Option<(String, String)>,
    /// Bytes of what was read, records, items put in, and records that are no items of the table.
    pub(super) bytes: i64,
    pub(super) processed: i64,
    pub(super) imported: i64,
    pub(super) errors: i64,
    /// The first object that could not be read to its end, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) unread: Option<String>,
}

impl ImportRecord {
    /// Counts what is no record and hides what follows it in its object.
    pub(super) fn unreadable(&mut self, object: &str, why: impl std::fmt::Display) {
        (self.processed, self.errors) = (self.processed + 1, self.errors + 1);
        let words = || format!("{object}: {why}.");
        self.unread.get_or_insert_with(words);
    }

    pub(super) fn key(&self) -> Vec<u8> {
        key(&self.namespace, &self.id)
    }

    /// How a job names the import.
    pub(super) fn key_text(&self) -> String {
        format!("{}\0{}", self.namespace, self.id)
    }

    pub(super) fn row(&self) -> Result<Vec<u8>, Fault> {
        serde_json::to_vec(self).map_err(Fault::Record)
    }

    pub(super) fn read(row: &[u8]) -> Result<Self, Fault> {
        serde_json::from_slice(row).map_err(Fault::Record)
    }

    /// The request. What cannot be read any more is empty.
    pub(super) fn input(&self) -> ImportTableInput {
        match Request::decode(Operation::ImportTable, self.request.as_bytes()) {
            Ok(Request::ImportTable(input)) => *input,
            _ => ImportTableInput::default(),
        }
    }

    fn status(&self) -> ImportStatus {
        match (self.ended, &self.failure) {
            (_, Some(_)) => ImportStatus::Failed,
            (Some(_), None) => ImportStatus::Completed,
            (None, None) => ImportStatus::InProgress,
        }
    }

    fn source(&self, input: &ImportTableInput) -> S3BucketSource {
        let given = input.s3_bucket_source.clone().unwrap_or_default();
        let owner = given.s3_bucket_owner.clone();
        S3BucketSource {
            s3_bucket_owner: owner.or_else(|| Some(self.account.clone())),
            ..given
        }
    }

    /// With AWS's defaults filled in. Source: ack-api-quirks, services/dynamodb DDB-IMPORT-003.
    pub(super) fn description(&self) -> ImportTableDescription {
        let input = self.input();
        let (code, words) = self.failure.clone().unzip();
        let ended = self.ended.is_some();
        ImportTableDescription {
            import_arn: Some(self.arn.clone()),
            import_status: Some(self.status()),
            table_arn: Some(self.table_arn.clone()),
            table_id: Some(self.uuid.clone()),
            s3_bucket_source: Some(self.source(&input)),
            client_token: input.client_token,
            error_count: Some(self.errors),
            input_format: input.input_format,
            input_format_options: input.input_format_options,
            input_compression_type: Some(
                input
                    .input_compression_type
                    .unwrap_or(InputCompressionType::None),
            ),
            table_creation_parameters: input.table_creation_parameters,
            start_time: Some(seconds(self.started)),
            end_time: self.ended.map(seconds),
            processed_size_bytes: ended.then_some(self.bytes),
            processed_item_count: ended.then_some(self.processed),
            imported_item_count: ended.then_some(self.imported),
            failure_code: code,
            failure_message: words,
        }
    }

    pub(super) fn summary(&self) -> ImportSummary {
        let input = self.input();
        ImportSummary {
            import_arn: Some(self.arn.clone()),
            import_status: Some(self.status()),
            table_arn: Some(self.table_arn.clone()),
            s3_bucket_source: Some(self.source(&input)),
            input_format: input.input_format,
            start_time: Some(seconds(self.started)),
            end_time: self.ended.map(seconds),
        }
    }
}

/// Key of an import's row.
pub(super) fn key(namespace: &str, id: &str) -> Vec<u8> {
    let mut out = Meta::Import.key();
    key::push_terminated(&mut out, namespace.as_bytes());
    key::push_terminated(&mut out, id.as_bytes());
    out
}

/// Key of the import that a job names.
pub(super) fn key_of_text(text: &str) -> Vec<u8> {
    let (namespace, id) = text.split_once('\0').unwrap_or_default();
    key(namespace, id)
}

/// The imports of a namespace, the newest first, before the one of this id.
pub(super) fn list<'s>(
    snapshot: &'s dyn Snapshot,
    namespace: &str,
    start: Option<&str>,
) -> impl Iterator<Item = Result<ImportRecord, Fault>> + use<'s> {
    let mut prefix = Meta::Import.key();
    key::push_terminated(&mut prefix, namespace.as_bytes());
    let mut range = Range::prefix(prefix);
    if let Some(id) = start {
        range = range.after(Bytes::from(key(namespace, id)), true);
    }
    let (from, to) = range.bounds();
    let rows = snapshot.range(from, to, true);
    rows.map(|row| ImportRecord::read(&row?.1))
}
