//! What an export covers, in AWS's order of checks.
//! Source: ack-api-quirks, services/dynamodb DDB-EXPORT-001 to -005, -019.

use crate::catalog::Table;
use crate::engine::Inner;
use crate::error::Fault;
use crate::restore::{millis, whole_seconds};
use bothways_protocol::types::{
    ExportTableToPointInTimeInput, ExportType, ExportViewType, S3SseAlgorithm,
};
use bothways_protocol::{Context, Error, Message, validate};
use std::sync::Arc;

/// Shortest and longest period of an incremental export, milliseconds. Source: Developer Guide, "Requesting a table
/// export".
const SHORTEST: u64 = 15 * 60 * 1_000;
const LONGEST: u64 = 24 * 60 * 60 * 1_000;

/// What an export covers.
pub(super) struct Window {
    /// The first moment of an incremental export, milliseconds since 1970.
    pub(super) from: Option<u64>,
    /// The moment whose state is exported.
    pub(super) at: u64,
    pub(super) new_image_only: bool,
}

/// What needs no table.
pub(super) fn check_shape(input: &ExportTableToPointInTimeInput) -> Result<(), Error> {
    if input.s3_sse_kms_key_id.is_some() && input.s3_sse_algorithm != Some(S3SseAlgorithm::Kms) {
        return Err(Message::ExportKeyForbidden.into());
    }
    if let Some(filter) = &input.filter_specification {
        validate::export_filter(filter)?;
    }
    let given = &input.incremental_export_specification;
    let refused = match (input.export_type, given) {
        (None, Some(_)) => Message::ExportSpecificationUnasked,
        (Some(ExportType::Full), Some(_)) => Message::ExportSpecificationForbidden,
        (Some(ExportType::Incremental), None) => Message::ExportSpecificationMissing,
        (Some(ExportType::Incremental), Some(own)) if own.export_from_time.is_none() => {
            Message::ExportFromMissing
        }
        _ => return Ok(()),
    };
    Err(refused.into())
}

impl Inner {
    /// The table of an ARN.
    pub(super) fn export_table(&self, cx: &Context, arn: &str) -> Result<Arc<Table>, Fault> {
        let parts: Vec<&str> = arn.splitn(6, ':').collect();
        let ["arn", _, "dynamodb", region, account, resource] = parts[..] else {
            return Err(Message::ExportTableArn.into());
        };
        let name = resource.strip_prefix("table/").unwrap_or_default();
        if name.is_empty() || name.contains('/') {
            return Err(Message::ExportTableArnKind.into());
        }
        if account != self.options.account {
            return Err(Message::ForeignAccount.into());
        }
        if region != self.region(cx) {
            return Err(Message::BackupTableNotFound { name: arn.into() }.into());
        }
        self.backup_table(cx, Some(arn))
    }

    pub(super) fn window(
        &self,
        table: &Table,
        input: &ExportTableToPointInTimeInput,
        now: u64,
    ) -> Result<Window, Message> {
        let recovery = table.record.recovery.as_ref();
        let Some(wanted) = &input.incremental_export_specification else {
            let recovery = recovery.ok_or_else(|| Message::RecoveryOff {
                name: table.name.clone(),
            })?;
            let at = input.export_time.map_or(now, millis);
            let (earliest, latest) = self.restorable(recovery);
            if !(earliest / 1_000 * 1_000..=latest).contains(&at) {
                return Err(Message::ExportTimeInvalid);
            }
            return Ok(Window {
                from: None,
                at: at.max(earliest),
                new_image_only: false,
            });
        };
        let from = wanted.export_from_time.map_or(0, millis);
        let to = wanted.export_to_time.map_or(now, millis);
        let earliest = recovery.map(|recovery| self.restorable(recovery).0);
        if earliest.is_none_or(|earliest| from < earliest / 1_000 * 1_000) || from > to {
            let time = whole_seconds(from);
            return Err(Message::ExportFromEarly { time });
        }
        if to > now {
            let time = whole_seconds(to);
            return Err(Message::ExportToLate { time });
        }
        match to - from {
            short if short < SHORTEST => Err(Message::ExportPeriodShort),
            long if long > LONGEST => Err(Message::ExportPeriodLong),
            // The end itself is outside.
            _ => Ok(Window {
                from: Some(from),
                at: to - 1,
                new_image_only: wanted.export_view_type == Some(ExportViewType::NewImage),
            }),
        }
    }
}
