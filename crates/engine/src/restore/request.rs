//! RestoreTableFromBackup and RestoreTableToPointInTime.

use super::job::{Job, Work};
use super::plan::{Birth, Overrides, planned};
use crate::backup::AT_ONCE;
use crate::catalog::record::{RestoringRecord, TableRecord};
use crate::catalog::{self, Change, Companions, Table, describe};
use crate::engine::Inner;
use crate::error::Fault;
use crate::pending::Pending;
use crate::stream::label;
use bothways_protocol::types::{
    RestoreTableFromBackupInput, RestoreTableFromBackupOutput, RestoreTableToPointInTimeInput,
    RestoreTableToPointInTimeOutput, TableDescription, TableStatus,
};
use bothways_protocol::validate;
use bothways_protocol::{Context, Message, Response};
use bothways_store::Ticket;
use std::sync::Arc;

impl Inner {
    pub(crate) fn restore_table_from_backup(
        &self,
        cx: &Context,
        input: &RestoreTableFromBackupInput,
    ) -> Result<Pending, Fault> {
        validate::restore_table_from_backup(input)?;
        let name = input.target_table_name.as_deref().unwrap_or_default();
        let arn = input.backup_arn.as_deref().unwrap_or_default();
        let mut turn = self.catalog.change();
        let backup = self.backup(cx, arn)?;
        let given = || arn.to_owned();
        if !backup.ready {
            return Err(Message::BackupCreating { arn: given() }.into());
        }
        let birth = self.birth(
            cx,
            name,
            RestoringRecord {
                backup: Some(backup.arn.clone()),
                source: backup.table.arn.clone(),
                source_id: None,
                at: backup.created,
            },
        );
        let record = planned(&backup.table, &Overrides::from(input), birth)?;
        self.check_target(cx, name)?;
        if self.is_backup_in_use(&backup.arn) {
            return Err(Message::BackupRestoringOther { arn: given() }.into());
        }
        let work = Work::Copy { rows: backup.rows };
        let (description, ticket) = self.begin(&mut turn, cx, name, record, work)?;
        let output = RestoreTableFromBackupOutput {
            table_description: Some(description),
        };
        let answer = Response::RestoreTableFromBackup(Box::new(output));
        Ok(Pending::after(ticket, Ok(answer)))
    }

    /// In AWS's order: shape, recovery, time, target. Source: ack-api-quirks, services/dynamodb DDB-TABLE-100.
    pub(crate) fn restore_table_to_point_in_time(
        &self,
        cx: &Context,
        input: &RestoreTableToPointInTimeInput,
    ) -> Result<Pending, Fault> {
        validate::restore_table_to_point_in_time(input)?;
        let name = input.target_table_name.as_deref().unwrap_or_default();
        let latest = input.use_latest_restorable_time == Some(true);
        match (latest, input.restore_date_time) {
            (true, Some(_)) => return Err(Message::RestoreTimeBoth.into()),
            (false, None) => return Err(Message::RestoreTimeNone.into()),
            _ => {}
        }
        let mut turn = self.catalog.change();
        let table = self.restore_source(cx, input)?;
        let Some(recovery) = &table.record.recovery else {
            let name = table.name.clone();
            return Err(Message::RecoveryOff { name }.into());
        };
        let (earliest, last) = self.restorable(recovery);
        let at = input.restore_date_time.map_or(last, millis);
        // Bounds are shown in seconds: a whole second that holds one is inside.
        if !(earliest / 1_000 * 1_000..=last).contains(&at) {
            return Err(Message::RestoreTimeOutside {
                time: whole_seconds(at),
                earliest: whole_seconds(earliest),
                latest: whole_seconds(last),
            }
            .into());
        }
        let at = at.max(earliest);
        let birth = self.birth(
            cx,
            name,
            RestoringRecord {
                backup: None,
                source: table.record.arn.clone(),
                source_id: Some(table.id()),
                at,
            },
        );
        let record = planned(&table.record, &Overrides::from(input), birth)?;
        self.check_target(cx, name)?;
        let work = Work::Recover {
            rows: table.id(),
            log: recovery.log,
            at,
            undoing: false,
        };
        let (description, ticket) = self.begin(&mut turn, cx, name, record, work)?;
        let output = RestoreTableToPointInTimeOutput {
            table_description: Some(description),
        };
        let answer = Response::RestoreTableToPointInTime(Box::new(output));
        Ok(Pending::after(ticket, Ok(answer)))
    }

    /// Exactly one of name and ARN. Source: ack-api-quirks, services/dynamodb DDB-TABLE-272.
    fn restore_source(
        &self,
        cx: &Context,
        input: &RestoreTableToPointInTimeInput,
    ) -> Result<Arc<Table>, Fault> {
        let (name, arn) = (&input.source_table_name, &input.source_table_arn);
        match (name.as_deref(), arn.as_deref()) {
            (Some(_), Some(_)) => Err(Message::RestoreSourceBoth.into()),
            (None, None) => {
                let name = "TableName".to_owned();
                Err(Message::ParameterRequired { name }.into())
            }
            (Some(name), None) => self.backup_table(cx, Some(name)),
            (None, Some(arn)) => {
                let parts: Vec<&str> = arn.splitn(6, ':').collect();
                let ["arn", _, "dynamodb", _, account, _] = parts[..] else {
                    return Err(Message::RestoreSourceArn.into());
                };
                if account != self.options.account {
                    return Err(Message::PolicyAccount.into());
                }
                self.backup_table(cx, Some(arn))
            }
        }
    }

    fn birth(&self, cx: &Context, name: &str, restoring: RestoringRecord) -> Birth {
        Birth {
            uuid: self.uuid(),
            arn: self.table_arn(cx, name),
            created: self.options.clock.now_millis(),
            restoring,
        }
    }

    /// A name that can be restored to. Source: ack-api-quirks, services/dynamodb DDB-TABLE-219.
    fn check_target(&self, cx: &Context, name: &str) -> Result<(), Message> {
        let tables = self.catalog.all_tables();
        let restoring = tables.iter().filter(|t| t.record.restoring.is_some());
        if restoring.count() >= AT_ONCE {
            return Err(Message::BackupsAtOnce {
                limit: AT_ONCE,
                what: "restore",
            });
        }
        let Some(table) = self.catalog.find_any(&self.namespace(cx), name) else {
            return Ok(());
        };
        let name = name.to_owned();
        Err(match &table.record.restoring {
            None => Message::RestoreTargetExists { name },
            Some(own) => Message::RestoreTargetBusy {
                name,
                arn: own.backup.clone().unwrap_or_else(|| own.source.clone()),
            },
        })
    }

    /// Writes the table and its job; the background does the rest.
    fn begin(
        &self,
        turn: &mut Change<'_>,
        cx: &Context,
        name: &str,
        mut record: TableRecord,
        work: Work,
    ) -> Result<(TableDescription, Ticket), Fault> {
        let mut companions = Companions::default();
        record.id = companions.id(turn)?;
        for index in &mut record.indexes {
            index.id = companions.id(turn)?;
        }
        let job = Job::new(record.id, work);
        companions.rows.push((job.key(), Some(job.row()?)));
        companions.wake = true;
        let table = Table::new(self.namespace(cx).into_owned(), name.to_owned(), record)
            .ok_or(Message::KeyUndefined)?;
        let (key, value) = catalog::row(&table)?;
        let ticket = self.commit_change(turn, companions, Some(&table), |_, batch| {
            batch.put(key.clone(), value.clone());
        })?;
        let now = self.options.clock.now_millis();
        let description = describe(&table, TableStatus::Creating, now);
        turn.publish(Arc::new(table));
        Ok((description, ticket))
    }

    /// Whether a table is being restored to a former state of this one.
    pub(crate) fn is_restored_from(&self, id: u32) -> bool {
        let tables = self.catalog.all_tables();
        let mut restoring = tables.iter().filter_map(|t| t.record.restoring.as_ref());
        restoring.any(|own| own.source_id == Some(id))
    }
}

/// A time of a message: `2026-10-06T23:16:32Z`.
pub(crate) fn whole_seconds(millis: u64) -> String {
    let text = label(millis);
    format!("{}Z", text.split('.').next().unwrap_or_default())
}

/// A time of the wire, milliseconds since 1970; what lies before is its first moment.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float to an integer saturates"
)]
pub(crate) fn millis(seconds: f64) -> u64 {
    (seconds * 1_000.0).round().max(0.0) as u64
}
