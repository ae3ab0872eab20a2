//! ExportTableToPointInTime, DescribeExport, ListExports.

mod files;
mod filter;
mod ion;
mod overlay;
mod record;
mod run;
mod sources;
mod window;

pub(crate) use run::Exports;

use super::names::{PAGE, TransferName, id, of_token, token};
use crate::catalog::Companions;
use crate::engine::Inner;
use crate::error::Fault;
use crate::pending::Pending;
use bothways_protocol::types::{
    DescribeExportInput, DescribeExportOutput, ExportFormat, ExportSummary,
    ExportTableToPointInTimeInput, ExportTableToPointInTimeOutput, ListExportsInput,
    ListExportsOutput, S3SseAlgorithm,
};
use bothways_protocol::{Context, Message, Request, Response, validate};
use record::ExportRecord;

/// Most exports under way at once. Source: Developer Guide, "Quotas" (300 concurrent export tasks).
const AT_ONCE: usize = 300;

impl Inner {
    /// The export has begun with the answer; the background writes the files.
    pub(crate) fn export_table_to_point_in_time(
        &self,
        cx: &Context,
        input: &ExportTableToPointInTimeInput,
    ) -> Result<Pending, Fault> {
        validate::export_table_to_point_in_time(input)?;
        if self.options.buckets.is_none() {
            return Err(Message::BucketsNone.into());
        }
        window::check_shape(input)?;
        let mut turn = self.catalog.change();
        let table = self.export_table(cx, input.table_arn.as_deref().unwrap_or_default())?;
        let digest = digest(input);
        if let Some(known) = self.export_of_token(cx, input.client_token.as_deref())? {
            if known.digest != digest {
                return Err(Message::ExportTokenConflict.into());
            }
            return Ok(answered(&known));
        }
        if self.exports.running() >= AT_ONCE {
            return Err(Message::BackupsAtOnce {
                limit: AT_ONCE,
                what: "export",
            }
            .into());
        }
        filter::check(&table, input.filter_specification.as_ref())?;
        let now = self.options.clock.now_millis();
        let window = self.window(&table, input, now)?;
        // What is written from now on is after what is exported.
        let snapshot = self.store.snapshot()?;
        let mut companions = Companions::default();
        let id = id(now, self.options.random.next());
        let record = ExportRecord {
            arn: format!("{}/export/{id}", table.record.arn),
            id,
            namespace: self.namespace(cx).into_owned(),
            table: table.name.clone(),
            table_arn: table.record.arn.clone(),
            uuid: table.record.uuid.clone(),
            rows: table.id(),
            log: table.record.recovery.as_ref().map_or(0, |own| own.log),
            key: table.record.key.clone(),
            attributes: table.record.attributes.clone(),
            overlay: companions.id(&turn)?,
            from: window.from,
            at: window.at,
            new_image_only: window.new_image_only,
            ion: input.export_format == Some(ExportFormat::Ion),
            filter: filter::stored(input),
            token: input.client_token.clone(),
            digest,
            bucket: input.s3_bucket.clone().unwrap_or_default(),
            owner: input.s3_bucket_owner.clone(),
            prefix: input.s3_prefix.clone(),
            kms: input.s3_sse_algorithm == Some(S3SseAlgorithm::Kms),
            kms_key: input.s3_sse_kms_key_id.clone(),
            started: now,
            ended: None,
            failure: None,
            items: 0,
            bytes: 0,
        };
        companions.rows.push((record.key(), Some(record.row()?)));
        companions.wake = true;
        let mut begun = 0;
        let ticket = self.commit_change(&mut turn, companions, None, |seq, _| begun = seq)?;
        let output = ExportTableToPointInTimeOutput {
            export_description: Some(record.description()),
        };
        self.exports.add(record, begun, Some(snapshot));
        let answer = Response::ExportTableToPointInTime(Box::new(output));
        Ok(Pending::after(ticket, Ok(answer)))
    }

    pub(crate) fn describe_export(
        &self,
        cx: &Context,
        input: &DescribeExportInput,
    ) -> Result<Pending, Fault> {
        validate::describe_export(input)?;
        let arn = input.export_arn.as_deref().unwrap_or_default();
        let name = TransferName::of(arn, "export").ok_or(Message::ExportArnInvalid)?;
        if name.account != self.options.account {
            return Err(Message::ForeignAccount.into());
        }
        let row = self.store.get(&record::key(&self.namespace(cx), name.id))?;
        let found = row.map(|row| ExportRecord::read(&row)).transpose()?;
        let found = found.filter(|export| export.table == name.table);
        let found = found.ok_or_else(|| Message::ExportMissing { arn: arn.into() })?;
        let output = DescribeExportOutput {
            export_description: Some(found.description()),
        };
        Ok(Pending::ready(Response::DescribeExport(Box::new(output))))
    }

    /// The newest first. Of one table only those of the table that is there now, as on AWS.
    /// Source: ack-api-quirks, services/dynamodb DDB-EXPORT-017, -020.
    pub(crate) fn list_exports(
        &self,
        cx: &Context,
        input: &ListExportsInput,
    ) -> Result<Pending, Fault> {
        validate::list_exports(input)?;
        let start = input.next_token.as_deref().map(of_token).transpose()?;
        let namespace = self.namespace(cx);
        let uuid = input.table_arn.as_deref().map(|arn| {
            let table = self.catalog.find(&namespace, arn);
            table.map_or_else(String::new, |table| table.record.uuid.clone())
        });
        let limit = input.max_results.and_then(|n| usize::try_from(n).ok());
        let limit = limit.unwrap_or(PAGE).clamp(1, PAGE);
        let mut found = Vec::new();
        let snapshot = self.store.snapshot()?;
        for export in record::list(&*snapshot, &namespace, start.as_deref()) {
            let export = export?;
            if uuid.as_ref().is_none_or(|uuid| *uuid == export.uuid) {
                found.push(export);
            }
            if found.len() > limit {
                break;
            }
        }
        let more = found.len() > limit;
        found.truncate(limit);
        let summary = |export: &ExportRecord| ExportSummary {
            export_arn: Some(export.arn.clone()),
            export_status: Some(export.status()),
            export_type: Some(export.kind()),
        };
        let output = ListExportsOutput {
            next_token: found.last().filter(|_| more).map(|last| token(&last.id)),
            export_summaries: Some(found.iter().map(summary).collect()),
        };
        Ok(Pending::ready(Response::ListExports(Box::new(output))))
    }

    /// The export that a token began.
    fn export_of_token(
        &self,
        cx: &Context,
        token: Option<&str>,
    ) -> Result<Option<ExportRecord>, Fault> {
        let Some(token) = token else {
            return Ok(None);
        };
        let snapshot = self.store.snapshot()?;
        for export in record::list(&*snapshot, &self.namespace(cx), None) {
            let export = export?;
            if export.token.as_deref() == Some(token) {
                return Ok(Some(export));
            }
        }
        Ok(None)
    }
}

fn answered(export: &ExportRecord) -> Pending {
    let output = ExportTableToPointInTimeOutput {
        export_description: Some(export.description()),
    };
    Pending::ready(Response::ExportTableToPointInTime(Box::new(output)))
}

/// Tells requests of one token apart.
fn digest(input: &ExportTableToPointInTimeInput) -> String {
    let mut json = Vec::new();
    Request::ExportTableToPointInTime(Box::new(input.clone())).encode(&mut json);
    crate::digest::hex_of(&json)
}
