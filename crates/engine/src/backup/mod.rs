//! Backups on demand: a logical copy of a table's items as of one commit, kept in the store under an id of its own.
//!
//! CreateBackup writes the backup's row; from that commit on, what items were before each change of the table is logged
//! until the copy is whole. The background copies rows as it finds them, a bounded chunk at a time, and then undoes in the
//! copy what the log has. So a copy needs no snapshot that a crash would lose: it goes on where it was, and holds what
//! the table was at the request.

mod compare;
mod copy;
mod describe;
mod record;

pub(crate) use copy::{Copies, forget_unfinished};
pub(crate) use record::{BackupRecord, backup_of_deleted};

use crate::catalog::{Companions, LogSwitch, Table};
use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::Meta;
use crate::pending::Pending;
use crate::recovery::ChangeLog;
use bothways_protocol::types::{
    BackupStatus, BackupTypeFilter, CreateBackupInput, CreateBackupOutput, DeleteBackupInput,
    DeleteBackupOutput, DescribeBackupInput, DescribeBackupOutput, ListBackupsInput,
    ListBackupsOutput,
};
use bothways_protocol::validate;
use bothways_protocol::{Context, Message, Response};
use record::{BackupName, Making, NewBackup};
use std::sync::Arc;

/// Most backups in one answer of ListBackups, and how many there are by default. Source: API Reference.
const LIST_LIMIT: usize = 100;
/// Most backups being made, or tables being restored, at once. Source: Developer Guide, "Quotas" (50 restores).
pub(crate) const AT_ONCE: usize = 50;

impl Inner {
    /// The backup has what was written before the request; it is AVAILABLE a moment after the answer, or after the next
    /// start.
    pub(crate) fn create_backup(
        &self,
        cx: &Context,
        input: &CreateBackupInput,
    ) -> Result<Pending, Fault> {
        validate::create_backup(input)?;
        let mut turn = self.catalog.change();
        let table = self.backup_table(cx, input.table_name.as_deref())?;
        can_be_backed_up(&table)?;
        if self.copies.running() >= AT_ONCE {
            return Err(Message::BackupsAtOnce {
                limit: AT_ONCE,
                what: "backup",
            }
            .into());
        }
        let mut companions = Companions::default();
        let mut backup = BackupRecord::new(
            &table,
            &NewBackup {
                name: input.backup_name.as_deref().unwrap_or_default(),
                created: self.options.clock.now_millis(),
                number: self.options.random.next(),
                rows: companions.id(&turn)?,
            },
        );
        let log = if let Some(log) = self.copies.log_of(table.id()) {
            log
        } else {
            let log = companions.id(&turn)?;
            companions.log = LogSwitch::CopyBegins(ChangeLog::new(log));
            log
        };
        companions.wake = true;
        let (mut making, mut written) = (Making::new(log, 0), Ok(()));
        let ticket = self.commit_change(&mut turn, companions, Some(&table), |seq, batch| {
            making.begun = seq;
            backup.making = Some(making.clone());
            written = backup.row().map(|row| batch.put(backup.key(), row));
        })?;
        written?;
        let details = backup.details(BackupStatus::Creating);
        self.copies.add(backup, making);
        let output = CreateBackupOutput {
            backup_details: Some(details),
        };
        let answer = Response::CreateBackup(Box::new(output));
        Ok(Pending::after(ticket, Ok(answer)))
    }

    pub(crate) fn describe_backup(
        &self,
        cx: &Context,
        input: &DescribeBackupInput,
    ) -> Result<Pending, Fault> {
        validate::describe_backup(input)?;
        let backup = self.backup(cx, input.backup_arn.as_deref().unwrap_or_default())?;
        let output = DescribeBackupOutput {
            backup_description: Some(backup.description(backup.status())),
        };
        Ok(Pending::ready(Response::DescribeBackup(Box::new(output))))
    }

    /// The backup is gone with the answer; its rows are reclaimed in the background.
    pub(crate) fn delete_backup(
        &self,
        cx: &Context,
        input: &DeleteBackupInput,
    ) -> Result<Pending, Fault> {
        validate::delete_backup(input)?;
        let arn = input.backup_arn.as_deref().unwrap_or_default();
        let mut turn = self.catalog.change();
        let backup = self.backup(cx, arn)?;
        if let Some(expiry) = backup.expiry_text() {
            let arn = arn.to_owned();
            return Err(Message::BackupSystem { arn, expiry }.into());
        }
        if !backup.ready {
            return Err(Message::BackupCreating { arn: arn.into() }.into());
        }
        if self.is_backup_in_use(&backup.arn) {
            return Err(Message::BackupRestoring { arn: arn.into() }.into());
        }
        let mut companions = Companions::default();
        drop_rows(&mut companions, &backup);
        let ticket = self.commit_change(&mut turn, companions, None, |_, _| {})?;
        let output = DeleteBackupOutput {
            backup_description: Some(backup.description(BackupStatus::Deleted)),
        };
        let answer = Response::DeleteBackup(Box::new(output));
        Ok(Pending::after(ticket, Ok(answer)))
    }

    /// In the order of their times. The backups of a table that is gone are listed too.
    pub(crate) fn list_backups(
        &self,
        cx: &Context,
        input: &ListBackupsInput,
    ) -> Result<Pending, Fault> {
        validate::list_backups(input)?;
        let (lower, upper) = (input.time_range_lower_bound, input.time_range_upper_bound);
        if lower.zip(upper).is_some_and(|(lower, upper)| lower > upper) {
            return Err(Message::BackupTimeRange.into());
        }
        let start = match input.exclusive_start_backup_arn.as_deref() {
            Some(arn) => Some(self.backup_name(arn)?.id.to_owned()),
            None => None,
        };
        let table = input.table_name.as_deref().map(validate::table_name);
        let wanted = |backup: &BackupRecord| {
            let at = crate::catalog::seconds(backup.created);
            table.is_none_or(|name| backup.table_name == name)
                && of_kind(backup, input.backup_type)
                && lower.is_none_or(|lower| at >= lower)
                && upper.is_none_or(|upper| at < upper)
        };
        let limit = input.limit.and_then(|n| usize::try_from(n).ok());
        let limit = limit.unwrap_or(LIST_LIMIT).clamp(1, LIST_LIMIT);
        let mut found = Vec::new();
        let snapshot = self.store.snapshot()?;
        for backup in record::list(&*snapshot, &self.namespace(cx), start.as_deref()) {
            let backup = backup?;
            if wanted(&backup) {
                found.push(backup);
            }
            if found.len() > limit {
                break;
            }
        }
        let more = found.len() > limit;
        found.truncate(limit);
        let output = ListBackupsOutput {
            last_evaluated_backup_arn: found.last().filter(|_| more).map(|b| b.arn.clone()),
            backup_summaries: Some(found.iter().map(BackupRecord::summary).collect()),
        };
        Ok(Pending::ready(Response::ListBackups(Box::new(output))))
    }

    /// The caller's table, also one that is being imported, or the error of backups, which names it.
    pub(crate) fn backup_table(
        &self,
        cx: &Context,
        name: Option<&str>,
    ) -> Result<Arc<Table>, Fault> {
        let given = name.unwrap_or_default();
        let name = validate::table_name(given);
        let table = self.catalog.find_shown(&self.namespace(cx), name);
        Ok(table.ok_or_else(|| Message::BackupTableNotFound { name: given.into() })?)
    }

    /// The backup of an ARN, as it is durable.
    pub(crate) fn backup(&self, cx: &Context, arn: &str) -> Result<BackupRecord, Fault> {
        let name = self.backup_name(arn)?;
        let key = record::key(&self.namespace(cx), name.id);
        let found = match self.store.get(&key)? {
            Some(row) => Some(BackupRecord::read(&row)?),
            None => None,
        };
        let found = found.filter(|backup| backup.table_name == name.table);
        Ok(found.ok_or_else(|| Message::BackupMissing { arn: arn.into() })?)
    }

    fn backup_name<'a>(&self, arn: &'a str) -> Result<BackupName<'a>, Message> {
        let name = BackupName::of(arn).ok_or(Message::BackupArnInvalid)?;
        if name.account != self.options.account {
            return Err(Message::ForeignAccount);
        }
        Ok(name)
    }

    /// Whether a table is being restored from a backup.
    pub(crate) fn is_backup_in_use(&self, arn: &str) -> bool {
        let tables = self.catalog.all_tables();
        let mut restoring = tables.iter().filter_map(|t| t.record.restoring.as_ref());
        restoring.any(|own| own.backup.as_deref() == Some(arn))
    }
}

/// Refuses a table whose items are still being put in. Source: ack-api-quirks, services/dynamodb DDB-IMPORT-001.
pub(crate) fn can_be_backed_up(table: &Table) -> Result<(), Message> {
    if table.is_coming() {
        let name = table.name.clone();
        return Err(Message::BackupsComing { name });
    }
    Ok(())
}

/// Source: ack-api-quirks, services/dynamodb DDB-BACKUP-014: those of users where nothing else is asked for.
fn of_kind(backup: &BackupRecord, wanted: Option<BackupTypeFilter>) -> bool {
    match wanted {
        None | Some(BackupTypeFilter::User) => backup.expires.is_none(),
        Some(BackupTypeFilter::System) => backup.expires.is_some(),
        Some(BackupTypeFilter::AwsBackup) => false,
        Some(BackupTypeFilter::All) => true,
    }
}

/// Takes a backup out of the catalogue; its rows wait to be reclaimed.
fn drop_rows(companions: &mut Companions, backup: &BackupRecord) {
    let ids = backup.rows.to_be_bytes().to_vec();
    companions.rows.push((backup.key(), None));
    companions
        .rows
        .push((Meta::Dropped.key_of(backup.rows), Some(ids)));
    companions.wake = true;
}
