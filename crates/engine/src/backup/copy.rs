//! The background's part: rows are copied as they are now, and what changed since the request is undone in the copy.

use super::drop_rows;
use super::record::{self, BackupRecord, Making};
use crate::catalog::{Catalog, Companions, Features, LogSwitch};
use crate::engine::Inner;
use crate::error::{Fault, OpenError};
use crate::layout::{Meta, Range};
use crate::recovery::{Change, ChangeLog};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bothways_core::Item;
use bothways_store::{Batch, Snapshot, Store};
use bytes::{BufMut, Bytes};
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Items copied by one commit, and their bytes.
const CHUNK_ITEMS: usize = 1_000;
const CHUNK_BYTES: usize = 1 << 20;

/// Backups being made: the one that is worked on is the first.
#[derive(Default)]
pub(crate) struct Copies(Mutex<VecDeque<Copying>>);

/// A backup being made.
#[derive(Clone)]
struct Copying {
    /// As it is stored.
    backup: BackupRecord,
    making: Making,
}

impl Copies {
    /// Those that were being made when the database was last open go on where they were: the tables' changes are
    /// logged for them from here on as before.
    pub(crate) fn open(store: &dyn Store, catalog: &Catalog) -> Result<Self, OpenError> {
        let copies = Self::default();
        for backup in unfinished(store)? {
            let Some(making) = backup.making.clone() else {
                continue;
            };
            let known = copies.log_of(backup.table.id);
            copies.add(backup.clone(), making.clone());
            if let Some(table) = catalog.of_id(backup.table.id).filter(|_| known.is_none()) {
                let mut features = Features::clone(&table.live.features.load());
                features.copying = Some(ChangeLog::new(making.log));
                table.live.features.store(Arc::new(features));
            }
        }
        Ok(copies)
    }

    pub(crate) fn running(&self) -> usize {
        self.0.lock().len()
    }

    pub(super) fn add(&self, backup: BackupRecord, making: Making) {
        self.0.lock().push_back(Copying { backup, making });
    }

    /// The log of a table's changes that a backup under way has.
    pub(super) fn log_of(&self, table: u32) -> Option<u32> {
        let running = self.0.lock();
        let own = running.iter().find(|own| own.backup.table.id == table)?;
        Some(own.making.log)
    }

    /// Whether a backup of a table is under way.
    pub(crate) fn is_copied(&self, table: u32) -> bool {
        self.log_of(table).is_some()
    }

    /// How many backups of a table are under way.
    fn count(&self, table: u32) -> usize {
        let running = self.0.lock();
        let own = running.iter().filter(|own| own.backup.table.id == table);
        own.count()
    }

    /// Whether the rows of this id are still to be read.
    pub(crate) fn read(&self, id: u32) -> bool {
        self.0.lock().iter().any(|own| own.backup.table.id == id)
    }

    fn first(&self) -> Option<Copying> {
        self.0.lock().front().cloned()
    }

    /// Puts what became of the first one in its place.
    fn replace(&self, next: Option<Copying>) {
        let mut running = self.0.lock();
        running.pop_front();
        if let Some(next) = next {
            running.push_front(next);
        }
    }

    /// Lets another one have its turn; there is none left where the last step of the last one failed.
    fn rotate(&self) {
        let mut running = self.0.lock();
        if let Some(first) = running.pop_front() {
            running.push_back(first);
        }
    }
}

/// The next rows of a backup, by their keys without an id; `None` for one that is not to be there.
#[derive(Default)]
struct Chunk {
    rows: BTreeMap<Bytes, Option<Bytes>>,
    bytes: usize,
    /// The last row taken.
    last: Option<Bytes>,
    /// Whether there are more.
    more: bool,
}

impl Chunk {
    fn put(&mut self, rest: Bytes, value: Option<Bytes>, last: Bytes) {
        self.bytes += value.as_ref().map_or(0, Bytes::len);
        self.rows.insert(rest, value);
        self.last = Some(last);
        self.more = self.rows.len() >= CHUNK_ITEMS || self.bytes >= CHUNK_BYTES;
    }
}

impl Copying {
    fn chunk(&self, snapshot: &dyn Snapshot) -> Result<Chunk, Fault> {
        let place = STANDARD.decode(&self.making.done).unwrap_or_default();
        let place = (!place.is_empty()).then(|| Bytes::from(place));
        if self.making.undoing {
            self.undone(snapshot, place)
        } else {
            self.present(snapshot, place)
        }
    }

    /// Rows of the table, as they are now.
    fn present(&self, snapshot: &dyn Snapshot, place: Option<Bytes>) -> Result<Chunk, Fault> {
        let mut range = Range::all(self.backup.table.id);
        if let Some(place) = place {
            range = range.after(place, false);
        }
        let (from, to) = range.bounds();
        let mut chunk = Chunk::default();
        for row in snapshot.range(from, to, false) {
            let (key, value) = row?;
            chunk.put(key.slice(4..), Some(value), key);
            if chunk.more {
                break;
            }
        }
        Ok(chunk)
    }

    /// What items were before the changes since the request, the newest change first: the last that counts is the
    /// first after it.
    fn undone(&self, snapshot: &dyn Snapshot, place: Option<Bytes>) -> Result<Chunk, Fault> {
        let mut since = Vec::with_capacity(12);
        since.put_u32(self.making.log);
        since.put_u64(self.making.begun + 1);
        let mut range = Range::all(self.making.log);
        range.from = std::ops::Bound::Included(since.into());
        if let Some(place) = place {
            range = range.after(place, true);
        }
        let (from, to) = range.bounds();
        let mut chunk = Chunk::default();
        for row in snapshot.range(from, to, true) {
            let (key, value) = row?;
            let change = Change::read(value)?;
            let before = change.before.map(|item| item.bytes().clone());
            chunk.put(change.rest, before, key);
            if chunk.more {
                break;
            }
        }
        Ok(chunk)
    }

    /// The backup's own rows of a chunk, counted.
    fn take(
        &mut self,
        store: &dyn Store,
        chunk: Chunk,
    ) -> Result<Vec<(Bytes, Option<Bytes>)>, Fault> {
        let mut own = Vec::with_capacity(chunk.rows.len());
        for (rest, value) in chunk.rows {
            let mut key = Vec::with_capacity(4 + rest.len());
            key.put_u32(self.backup.rows);
            key.put_slice(&rest);
            if self.making.undoing
                && let Some(was) = store.get(&key)?
            {
                self.making.items -= 1;
                self.making.bytes -= size(was)?;
            }
            if let Some(value) = value.clone() {
                self.making.items += 1;
                self.making.bytes += size(value)?;
            }
            own.push((Bytes::from(key), value));
        }
        Ok(own)
    }
}

fn size(row: Bytes) -> Result<i64, Fault> {
    let size = Item::from_bytes(row)?.size();
    Ok(i64::try_from(size).unwrap_or(i64::MAX))
}

impl Inner {
    /// One bounded step of the first backup being made, or of one that expires; true while there is more to do.
    pub(crate) fn backup_step(&self) -> Result<bool, Fault> {
        let Some(copying) = self.copies.first() else {
            return self.expire_backup();
        };
        // A backup whose row did not become durable was never made.
        if self.settled(copying.making.begun).wait().is_err() {
            self.copies.replace(None);
            return Ok(true);
        }
        match self.copy_chunk(copying) {
            Ok(()) => Ok(true),
            Err(fault) if is_damage(&fault) => self.abandon_backup().and(Err(fault)),
            Err(fault) => {
                self.copies.rotate();
                Err(fault)
            }
        }
    }

    /// Gives up a backup of rows that cannot be read: it stays CREATING until the database is opened anew, and is gone
    /// then. Its log would grow for ever.
    fn abandon_backup(&self) -> Result<(), Fault> {
        let mut turn = self.catalog.change();
        let Some(Copying { mut backup, making }) = self.copies.first() else {
            return Ok(());
        };
        backup.making = None;
        let table = self.catalog.of_id(backup.table.id);
        let mut companions = Companions::default();
        companions.rows.push((backup.key(), Some(backup.row()?)));
        self.end_copy_log(&mut companions, &backup, &making);
        let ticket = self.commit_change(&mut turn, companions, table.as_deref(), |_, _| {})?;
        self.copies.replace(None);
        drop(turn);
        Ok(ticket.wait()?)
    }

    /// The log goes with the last backup that needs it.
    fn end_copy_log(&self, companions: &mut Companions, backup: &BackupRecord, making: &Making) {
        if self.copies.count(backup.table.id) == 1 {
            let ids = making.log.to_be_bytes().to_vec();
            let dropped = Meta::Dropped.key_of(making.log);
            companions.rows.push((dropped, Some(ids)));
            companions.log = LogSwitch::CopyEnds;
            companions.wake = true;
        }
    }

    /// Copies or undoes some items, in one commit with the row that says how far this has come.
    fn copy_chunk(&self, mut next: Copying) -> Result<(), Fault> {
        let snapshot = self.store.snapshot()?;
        let chunk = next.chunk(&*snapshot)?;
        drop(snapshot);
        let more = chunk.more;
        let last = chunk.last.as_ref().map(|last| STANDARD.encode(last));
        let rows = next.take(&*self.store, chunk)?;
        if !more && next.making.undoing {
            return self.finish_backup(next, &rows);
        }
        if more {
            next.making.done = last.unwrap_or_default();
        } else {
            next.making.undoing = true;
            next.making.done = String::new();
        }
        next.backup.making = Some(next.making.clone());
        let (key, value) = (next.backup.key(), next.backup.row()?);
        let ticket = self.store.submit(&mut |_, batch| {
            put_rows(batch, &rows);
            batch.put(key.clone(), value.clone());
        })?;
        ticket.wait()?;
        self.copies.replace(Some(next));
        Ok(())
    }

    /// Makes the backup AVAILABLE.
    fn finish_backup(&self, next: Copying, rows: &[(Bytes, Option<Bytes>)]) -> Result<(), Fault> {
        let Copying { mut backup, making } = next;
        (backup.ready, backup.making) = (true, None);
        (backup.items, backup.bytes) = (making.items, making.bytes);
        let mut turn = self.catalog.change();
        let mut companions = Companions::default();
        companions.rows.push((backup.key(), Some(backup.row()?)));
        let table = self.catalog.of_id(backup.table.id);
        self.end_copy_log(&mut companions, &backup, &making);
        let ticket = self.commit_change(&mut turn, companions, table.as_deref(), |_, batch| {
            put_rows(batch, rows);
        })?;
        self.copies.replace(None);
        drop(turn);
        Ok(ticket.wait()?)
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

/// Whether what is stored cannot be read, now or later.
fn is_damage(fault: &Fault) -> bool {
    use bothways_store::Error::Corrupt;
    matches!(
        fault,
        Fault::Item(_) | Fault::ChangeLog | Fault::Store(Corrupt { .. })
    )
}

fn put_rows(batch: &mut Batch, rows: &[(Bytes, Option<Bytes>)]) {
    for (key, value) in rows {
        match value {
            Some(value) => batch.put(key.clone(), value.clone()),
            None => batch.delete(key.clone()),
        }
    }
}

/// Backups that were being made when the database was last open.
fn unfinished(store: &dyn Store) -> Result<Vec<BackupRecord>, OpenError> {
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
    Ok(unfinished)
}

/// Drops what was given up, and what version 0.1 left unfinished: it kept no log, so nobody knows what the table was at
/// the request.
/// Not on a full disk, where the database only reads.
pub(crate) fn forget_unfinished(store: &dyn Store) -> Result<(), OpenError> {
    let mut unfinished = unfinished(store)?;
    unfinished.retain(|backup| backup.making.is_none());
    if unfinished.is_empty() {
        return Ok(());
    }
    let ticket = store.submit(&mut |_, batch| {
        for backup in &unfinished {
            batch.delete(backup.key());
            let ids = backup.rows.to_be_bytes().to_vec();
            batch.put(Meta::Dropped.key_of(backup.rows), ids);
        }
    });
    match ticket {
        // They are as good as gone until then, too.
        Err(bothways_store::Error::Poisoned(_)) => Ok(()),
        ticket => Ok(ticket?.wait()?),
    }
}
