//! An export's row of the catalogue (`docs/format.md`), and the export in AWS's words.

use crate::catalog::record::KeyRecord;
use crate::catalog::seconds;
use crate::error::Fault;
use crate::layout::{Meta, Range};
use bothways_core::key;
use bothways_protocol::types::{
    ExportDescription, ExportFormat, ExportStatus, ExportType, ExportViewType,
    IncrementalExportSpecification, S3SseAlgorithm,
};
use bothways_store::Snapshot;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// An export as stored. Members are only ever added.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ExportRecord {
    pub(super) arn: String,
    pub(super) id: String,
    pub(super) namespace: String,
    /// Name, ARN and UUID of the table.
    pub(super) table: String,
    pub(super) table_arn: String,
    pub(super) uuid: String,
    /// Ids of the table's rows, of its log, and of what is kept aside.
    pub(super) rows: u32,
    pub(super) log: u32,
    pub(super) overlay: u32,
    pub(super) key: KeyRecord,
    /// Types of the key's attributes.
    #[serde(default)]
    pub(super) attributes: Vec<(String, String)>,
    /// The first moment of an incremental export, milliseconds since 1970.
    pub(super) from: Option<u64>,
    /// The moment whose state is exported.
    pub(super) at: u64,
    pub(super) new_image_only: bool,
    pub(super) ion: bool,
    /// The request, where it has a filter.
    #[serde(default)]
    pub(super) filter: Option<String>,
    pub(super) token: Option<String>,
    pub(super) digest: String,
    pub(super) bucket: String,
    pub(super) owner: Option<String>,
    pub(super) prefix: Option<String>,
    pub(super) kms: bool,
    pub(super) kms_key: Option<String>,
    pub(super) started: u64,
    pub(super) ended: Option<u64>,
    /// Code and words.
    pub(super) failure: Option<(String, String)>,
    pub(super) items: i64,
    pub(super) bytes: i64,
}

impl ExportRecord {
    pub(super) fn key(&self) -> Vec<u8> {
        key(&self.namespace, &self.id)
    }

    pub(super) fn row(&self) -> Result<Vec<u8>, Fault> {
        serde_json::to_vec(self).map_err(Fault::Record)
    }

    pub(super) fn read(row: &[u8]) -> Result<Self, Fault> {
        serde_json::from_slice(row).map_err(Fault::Record)
    }

    pub(super) fn status(&self) -> ExportStatus {
        match (self.ended, &self.failure) {
            (_, Some(_)) => ExportStatus::Failed,
            (Some(_), None) => ExportStatus::Completed,
            (None, None) => ExportStatus::InProgress,
        }
    }

    pub(super) fn kind(&self) -> ExportType {
        if self.from.is_some() {
            ExportType::Incremental
        } else {
            ExportType::Full
        }
    }

    pub(super) fn view(&self) -> ExportViewType {
        if self.new_image_only {
            ExportViewType::NewImage
        } else {
            ExportViewType::NewAndOldImages
        }
    }

    /// Key of an object of the export, below the prefix.
    pub(super) fn object(&self, rest: &str) -> String {
        let prefix = self.prefix.as_deref().unwrap_or_default();
        let prefix = prefix.trim_matches('/');
        if prefix.is_empty() {
            format!("AWSDynamoDB/{rest}")
        } else {
            format!("{prefix}/AWSDynamoDB/{rest}")
        }
    }

    /// Key of a manifest.
    pub(super) fn manifest(&self, name: &str) -> String {
        self.object(&format!("{}/{name}", self.id))
    }

    /// What is known only at the end is left out before, and `ExportType` always for a full export.
    /// Source: ack-api-quirks, services/dynamodb DDB-EXPORT-016, -017.
    pub(super) fn description(&self) -> ExportDescription {
        let done = self.status() == ExportStatus::Completed;
        let incremental = self.from.map(|from| IncrementalExportSpecification {
            export_from_time: Some(seconds(from)),
            export_to_time: Some(seconds(self.at + 1)),
            export_view_type: Some(self.view()),
        });
        let (code, words) = self.failure.clone().unzip();
        ExportDescription {
            export_arn: Some(self.arn.clone()),
            export_status: Some(self.status()),
            start_time: Some(seconds(self.started)),
            end_time: self.ended.map(seconds),
            export_manifest: done.then(|| self.manifest("manifest-summary.json")),
            table_arn: Some(self.table_arn.clone()),
            table_id: Some(self.uuid.clone()),
            export_time: self.from.is_none().then(|| seconds(self.at)),
            client_token: self.token.clone(),
            s3_bucket: Some(self.bucket.clone()),
            s3_bucket_owner: self.owner.clone(),
            s3_prefix: self.prefix.clone(),
            s3_sse_algorithm: Some(if self.kms {
                S3SseAlgorithm::Kms
            } else {
                S3SseAlgorithm::Aes256
            }),
            s3_sse_kms_key_id: self.kms_key.clone(),
            failure_code: code,
            failure_message: words,
            export_format: Some(self.format()),
            billed_size_bytes: done.then_some(self.bytes),
            item_count: done.then_some(self.items),
            export_type: self.from.map(|_| ExportType::Incremental),
            incremental_export_specification: incremental,
        }
    }

    pub(super) fn format(&self) -> ExportFormat {
        if self.ion {
            ExportFormat::Ion
        } else {
            ExportFormat::DynamodbJson
        }
    }
}

/// Key of an export's row.
pub(super) fn key(namespace: &str, id: &str) -> Vec<u8> {
    let mut out = Meta::Export.key();
    key::push_terminated(&mut out, namespace.as_bytes());
    key::push_terminated(&mut out, id.as_bytes());
    out
}

/// The exports of a namespace, the newest first, before the one of this id.
pub(super) fn list<'s>(
    snapshot: &'s dyn Snapshot,
    namespace: &str,
    start: Option<&str>,
) -> impl Iterator<Item = Result<ExportRecord, Fault>> + use<'s> {
    let mut prefix = Meta::Export.key();
    key::push_terminated(&mut prefix, namespace.as_bytes());
    let mut range = Range::prefix(prefix);
    if let Some(id) = start {
        range = range.after(Bytes::from(key(namespace, id)), true);
    }
    let (from, to) = range.bounds();
    let rows = snapshot.range(from, to, true);
    rows.map(|row| ExportRecord::read(&row?.1))
}

/// Every export that has not ended.
pub(super) fn unfinished(snapshot: &dyn Snapshot) -> Result<Vec<ExportRecord>, Fault> {
    let range = Range::prefix(Meta::Export.key());
    let (from, to) = range.bounds();
    let mut out = Vec::new();
    for row in snapshot.range(from, to, false) {
        let export = ExportRecord::read(&row?.1)?;
        if export.ended.is_none() {
            out.push(export);
        }
    }
    Ok(out)
}
