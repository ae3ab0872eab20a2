//! The background's part: items are copied out of the snapshot that the backup was made with.

use super::drop_rows;
use super::record::{self, BackupRecord};
use crate::catalog::Companions;
use crate::engine::Inner;
use crate::error::{Fault, OpenError};
use crate::layout::{Meta, Range};
use bothways_core::Item;
use bothways_store::{Seq, Snapshot, Store};
use bytes::{BufMut, Bytes};
use parking_lot::Mutex;
use std::collections::VecDeque;

/// Items copied by one commit, and their bytes.
const CHUNK_ITEMS: usize = 1_000;
const CHUNK_BYTES: usize = 1 << 20;

/// Backups being made.
#[derive(Default)]
pub(crate) struct Copies(Mutex<VecDeque<Copying>>);

impl Copies {
    pub(crate) fn running(&self) -> usize {
        self.0.lock().len()
    }

    pub(super) fn add(&self, copying: Copying) {
        self.0.lock().push_back(copying);
    }
}

/// A backup being made.
pub(super) struct Copying {
    backup: BackupRecord,
    /// Id of the table's rows.
    source: u32,
    snapshot: Box<dyn Snapshot>,
    /// The commit that began it.
    begun: Seq,
    /// Key of the last row copied.
    done: Option<Bytes>,
}

impl Copying {
    pub(super) fn new(
        mut backup: BackupRecord,
        source: u32,
        snapshot: Box<dyn Snapshot>,
        begun: Seq,
    ) -> Self {
        (backup.items, backup.bytes) = (0, 0);
        Self {
            backup,
            source,
            snapshot,
            begun,
            done: None,
        }
    }

    /// The next rows, as those of the backup; their keys and values.
    fn chunk(&mut self) -> Result<Vec<(Bytes, Bytes)>, Fault> {
        let mut range = Range::all(self.source);
        if let Some(done) = self.done.clone() {
            range = range.after(done, false);
        }
        let (from, to) = range.bounds();
        let (mut rows, mut bytes) = (Vec::new(), 0);
        for row in self.snapshot.range(from, to, false) {
            let (key, value) = row?;
            bytes += value.len();
            self.backup.items += 1;
            let size = Item::from_bytes(value.clone())?.size();
            self.backup.bytes += i64::try_from(size).unwrap_or(i64::MAX);
            let mut own = Vec::with_capacity(key.len());
            own.put_u32(self.backup.rows);
            own.put_slice(&key[4..]);
            rows.push((Bytes::from(own), value));
            self.done = Some(key);
            if rows.len() >= CHUNK_ITEMS || bytes >= CHUNK_BYTES {
                break;
            }
        }
        Ok(rows)
    }
}

impl Inner {
    /// One bounded step of the first backup being made, or of one that expires; true while there is more to do.
    pub(crate) fn backup_step(&self) -> Result<bool, Fault> {
        let copying = self.copies.0.lock().pop_front();
        let Some(mut copying) = copying else {
            return self.expire_backup();
        };
        // A backup whose row did not become durable was never made.
        if self.settled(copying.begun).wait().is_err() {
            return Ok(true);
        }
        let before = (
            copying.done.clone(),
            copying.backup.items,
            copying.backup.bytes,
        );
        match self.copy_chunk(&mut copying) {
            Ok(true) => self.copies.0.lock().push_front(copying),
            Ok(false) => {}
            Err(fault) => {
                (copying.done, copying.backup.items, copying.backup.bytes) = before;
                self.copies.0.lock().push_front(copying);
                return Err(fault);
            }
        }
        Ok(true)
    }

    /// Copies some items; false when that were the last ones.
    fn copy_chunk(&self, copying: &mut Copying) -> Result<bool, Fault> {
        let rows = copying.chunk()?;
        let end = rows.is_empty();
        let (key, value) = if end {
            copying.backup.ready = true;
            (copying.backup.key(), copying.backup.row()?)
        } else {
            (Vec::new(), Vec::new())
        };
        let ticket = self.store.submit(&mut |_, batch| {
            for (key, value) in &rows {
                batch.put(key.clone(), value.clone());
            }
            if end {
                batch.put(key.clone(), value.clone());
            }
        })?;
        ticket.wait()?;
        Ok(!end)
    }

    /// Drops one backup of the service's own that has expired.
    fn expire_backup(&self) -> Result<bool, Fault> {
        let now = self.options.clock.now_millis();
        let snapshot = self.store.snapshot()?;
        let expired = |backup: &BackupRecord| backup.expires.is_some_and(|at| at <= now);
        let mut due = None;
        for backup in record::all(&*snapshot) {
            let backup = backup?;
            if expired(&backup) && !self.is_backup_in_use(&backup.arn) {
                due = Some(backup);
                break;
            }
        }
        drop(snapshot);
        let Some(backup) = due else {
            return Ok(false);
        };
        let mut turn = self.catalog.change();
        let mut companions = Companions::default();
        drop_rows(&mut companions, &backup);
        let ticket = self.commit_change(&mut turn, companions, None, |_, _| {})?;
        drop(turn);
        ticket.wait()?;
        Ok(true)
    }
}

/// Drops backups that were being made when the database was last open.
pub(crate) fn forget_unfinished(store: &dyn Store) -> Result<(), OpenError> {
    let snapshot = store.snapshot()?;
    let mut unfinished = Vec::new();
    for backup in record::all(&*snapshot) {
        let backup = backup.map_err(|fault| match fault {
            Fault::Store(error) => OpenError::Store(error),
            Fault::Record(error) => OpenError::Catalogue(error),
            _ => OpenError::Contradiction("a backup".to_owned()),
        })?;
        if !backup.ready {
            unfinished.push(backup);
        }
    }
    drop(snapshot);
    if unfinished.is_empty() {
        return Ok(());
    }
    let ticket = store.submit(&mut |_, batch| {
        for backup in &unfinished {
            batch.delete(backup.key());
            let ids = backup.rows.to_be_bytes().to_vec();
            batch.put(Meta::Dropped.key_of(backup.rows), ids);
        }
    })?;
    Ok(ticket.wait()?)
}
