//! A backup's row of the catalogue (`docs/format.md`).

use crate::catalog::Table;
use crate::catalog::record::TableRecord;
use crate::error::Fault;
use crate::layout::{Meta, Range};
use crate::recovery::DAY;
use bothways_core::key;
use bothways_store::{Seq, Snapshot};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Days after which a backup of the service's own goes. Source: Developer Guide, "Point-in-time recovery".
const SYSTEM_DAYS: u64 = 35;

/// A backup as stored. Members are only ever added.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct BackupRecord {
    pub(crate) arn: String,
    /// The last part of the ARN.
    pub(crate) id: String,
    pub(crate) name: String,
    /// Milliseconds since 1970.
    pub(crate) created: u64,
    /// When it goes by itself, milliseconds since 1970: the service's own backups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires: Option<u64>,
    /// Whether all its items are there.
    pub(crate) ready: bool,
    /// How far it has come, while it is not ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) making: Option<Making>,
    /// Id of its items' rows; their keys go on as those of the table.
    pub(crate) rows: u32,
    pub(crate) items: i64,
    pub(crate) bytes: i64,
    pub(crate) namespace: String,
    pub(crate) table_name: String,
    /// The table as it was, without tags and policies.
    pub(crate) table: TableRecord,
}

/// How far a backup has come, as stored. Members are only ever added.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Making {
    /// Id of the log of the table's changes meanwhile; backups of one table share it.
    pub(crate) log: u32,
    /// The commit that asked for it: what came after is undone.
    pub(crate) begun: Seq,
    /// Whether all rows are copied, and changes are being undone.
    pub(crate) undoing: bool,
    /// Key of the last row that was taken, in Base64; empty at the start of each part.
    pub(crate) done: String,
    /// What the copy has so far.
    pub(crate) items: i64,
    pub(crate) bytes: i64,
}

impl Making {
    pub(super) fn new(log: u32, begun: Seq) -> Self {
        Self {
            log,
            begun,
            undoing: false,
            done: String::new(),
            items: 0,
            bytes: 0,
        }
    }
}

/// What is new about a backup.
pub(super) struct NewBackup<'a> {
    pub(super) name: &'a str,
    pub(super) created: u64,
    pub(super) number: u64,
    pub(super) rows: u32,
}

impl BackupRecord {
    pub(super) fn new(table: &Table, new: &NewBackup<'_>) -> Self {
        // The lower half names it.
        let id = format!("{:014}-{:08x}", new.created, new.number & 0xffff_ffff);
        Self {
            arn: format!("{}/backup/{id}", table.record.arn),
            id,
            name: new.name.to_owned(),
            created: new.created,
            expires: None,
            ready: false,
            making: None,
            rows: new.rows,
            items: table.totals.items(),
            bytes: table.totals.bytes(),
            namespace: table.namespace.clone(),
            table_name: table.name.clone(),
            table: TableRecord {
                tags: BTreeMap::new(),
                policies: BTreeMap::new(),
                insights: BTreeMap::new(),
                ..table.record.clone()
            },
        }
    }

    pub(crate) fn key(&self) -> Vec<u8> {
        key(&self.namespace, &self.id)
    }

    pub(crate) fn row(&self) -> Result<Vec<u8>, Fault> {
        serde_json::to_vec(self).map_err(Fault::Record)
    }

    pub(crate) fn read(row: &[u8]) -> Result<Self, Fault> {
        serde_json::from_slice(row).map_err(Fault::Record)
    }
}

/// The backup that a deleted table leaves where recovery was on: it takes the table's own rows over.
/// Source: ack-api-quirks, services/dynamodb DDB-BACKUP-015.
pub(crate) fn backup_of_deleted(table: &Table, now: u64) -> BackupRecord {
    let name = format!("{}$DeletedTableBackup", table.name);
    let new = NewBackup {
        name: &name,
        created: now,
        number: 0,
        rows: table.id(),
    };
    BackupRecord {
        expires: Some(now + SYSTEM_DAYS * DAY),
        ready: true,
        ..BackupRecord::new(table, &new)
    }
}

/// Key of a backup's row.
pub(super) fn key(namespace: &str, id: &str) -> Vec<u8> {
    let mut out = Meta::Backup.key();
    key::push_terminated(&mut out, namespace.as_bytes());
    key::push_terminated(&mut out, id.as_bytes());
    out
}

/// The backups of a namespace, by time, after the one of this id.
pub(super) fn list<'s>(
    snapshot: &'s dyn Snapshot,
    namespace: &str,
    start: Option<&str>,
) -> impl Iterator<Item = Result<BackupRecord, Fault>> + use<'s> {
    let mut prefix = Meta::Backup.key();
    key::push_terminated(&mut prefix, namespace.as_bytes());
    let mut range = Range::prefix(prefix);
    if let Some(id) = start {
        range = range.after(Bytes::from(key(namespace, id)), false);
    }
    read(snapshot, &range)
}

/// Every backup.
pub(super) fn all(
    snapshot: &dyn Snapshot,
) -> impl Iterator<Item = Result<BackupRecord, Fault>> + use<'_> {
    read(snapshot, &Range::prefix(Meta::Backup.key()))
}

fn read<'s>(
    snapshot: &'s dyn Snapshot,
    range: &Range,
) -> impl Iterator<Item = Result<BackupRecord, Fault>> + use<'s> {
    let (from, to) = range.bounds();
    let rows = snapshot.range(from, to, false);
    rows.map(|row| BackupRecord::read(&row?.1))
}

/// What an ARN says of a backup. The region is passed over, as AWS passes over it.
pub(super) struct BackupName<'a> {
    pub(super) account: &'a str,
    pub(super) table: &'a str,
    pub(super) id: &'a str,
}

impl<'a> BackupName<'a> {
    pub(super) fn of(arn: &'a str) -> Option<Self> {
        let parts: Vec<&str> = arn.splitn(6, ':').collect();
        let ["arn", _, "dynamodb", _, account, resource] = parts[..] else {
            return None;
        };
        let path: Vec<&str> = resource.split('/').collect();
        let ["table", table, "backup", id] = path[..] else {
            return None;
        };
        Some(Self { account, table, id })
    }
}
