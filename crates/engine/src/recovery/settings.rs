//! UpdateContinuousBackups and DescribeContinuousBackups.

use super::{ChangeLog, DAY};
use crate::backup::can_be_backed_up;
use crate::catalog::record::{RecoveryRecord, TableRecord};
use crate::catalog::{Companions, LogSwitch, Table, seconds};
use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::Meta;
use crate::pending::Pending;
use bothways_protocol::types::{
    ContinuousBackupsDescription, ContinuousBackupsStatus, DescribeContinuousBackupsInput,
    DescribeContinuousBackupsOutput, PointInTimeRecoveryDescription, UpdateContinuousBackupsInput,
    UpdateContinuousBackupsOutput,
};
use bothways_protocol::validate;
use bothways_protocol::{Context, Message, Response};

/// Days that one can go back where no other number was asked for, and the most. Source: API Reference,
/// `PointInTimeRecoverySpecification`.
const DAYS: u32 = 35;

impl Inner {
    /// Recovery holds with the answer: every change after it is logged.
    pub(crate) fn update_continuous_backups(
        &self,
        cx: &Context,
        input: &UpdateContinuousBackupsInput,
    ) -> Result<Pending, Fault> {
        validate::update_continuous_backups(input)?;
        let wanted = input
            .point_in_time_recovery_specification
            .clone()
            .unwrap_or_default();
        let on = wanted.point_in_time_recovery_enabled == Some(true);
        let days = wanted
            .recovery_period_in_days
            .and_then(|n| u32::try_from(n).ok());
        if !on && days.is_some() {
            return Err(Message::RecoveryPeriodForbidden.into());
        }
        let (table, ticket) = self.change(
            || self.backup_table(cx, input.table_name.as_deref()),
            |table, companions, change| {
                can_be_backed_up(table)?;
                let now = self.options.clock.now_millis();
                match (&mut table.record.recovery, on) {
                    (Some(is), true) => is.days = days.unwrap_or(is.days),
                    (None, false) => {}
                    (Some(_), false) => self.end_recovery(table, companions)?,
                    (None, true) => {
                        let log = companions.id(change)?;
                        table.record.recovery = Some(RecoveryRecord {
                            log,
                            since: now,
                            days: days.unwrap_or(DAYS),
                        });
                        companions.log = LogSwitch::Begins(ChangeLog::new(log));
                    }
                }
                Ok(())
            },
        )?;
        let output = UpdateContinuousBackupsOutput {
            continuous_backups_description: Some(self.described(&table.record)),
        };
        let answer = Response::UpdateContinuousBackups(Box::new(output));
        Ok(Pending::after(ticket, Ok(answer)))
    }

    /// Drops the log. A restore that is under way needs it.
    fn end_recovery(&self, table: &mut Table, companions: &mut Companions) -> Result<(), Message> {
        if self.is_restored_from(table.id()) {
            let name = table.name.clone();
            return Err(Message::RecoveryBusy { name });
        }
        if let Some(was) = table.record.recovery.take() {
            forget(companions, was.log);
            let ids = was.log.to_be_bytes().to_vec();
            companions
                .rows
                .push((Meta::Dropped.key_of(was.log), Some(ids)));
            companions.log = LogSwitch::Ends;
            companions.wake = true;
        }
        Ok(())
    }

    pub(crate) fn describe_continuous_backups(
        &self,
        cx: &Context,
        input: &DescribeContinuousBackupsInput,
    ) -> Result<Pending, Fault> {
        validate::describe_continuous_backups(input)?;
        let table = self.backup_table(cx, input.table_name.as_deref())?;
        let output = DescribeContinuousBackupsOutput {
            continuous_backups_description: Some(self.described(&table.record)),
        };
        Ok(Pending::ready(Response::DescribeContinuousBackups(
            Box::new(output),
        )))
    }

    fn described(&self, record: &TableRecord) -> ContinuousBackupsDescription {
        let recovery = match &record.recovery {
            None => PointInTimeRecoveryDescription {
                point_in_time_recovery_status: Some(ContinuousBackupsStatus::Disabled),
                ..PointInTimeRecoveryDescription::default()
            },
            Some(recovery) => {
                let (earliest, latest) = self.restorable(recovery);
                PointInTimeRecoveryDescription {
                    point_in_time_recovery_status: Some(ContinuousBackupsStatus::Enabled),
                    recovery_period_in_days: i32::try_from(recovery.days).ok(),
                    earliest_restorable_date_time: Some(seconds(earliest)),
                    latest_restorable_date_time: Some(seconds(latest)),
                }
            }
        };
        ContinuousBackupsDescription {
            continuous_backups_status: Some(ContinuousBackupsStatus::Enabled),
            point_in_time_recovery_description: Some(recovery),
        }
    }

    /// The first and the last time that can be restored to, milliseconds since 1970. The last is now, where AWS's is
    /// about five minutes ago.
    pub(crate) fn restorable(&self, recovery: &RecoveryRecord) -> (u64, u64) {
        let now = self.options.clock.now_millis();
        let horizon = now.saturating_sub(u64::from(recovery.days) * DAY);
        (recovery.since.max(horizon), now.max(recovery.since))
    }
}

/// Removes what is remembered of a log; its rows are themselves reclaimed like a table's.
pub(crate) fn forget(companions: &mut Companions, log: u32) {
    companions.rows.push((Meta::LogMark.key_of(log), None));
}
