//! How a table differs from one of its backups, piece by piece.

use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::Range;
use bothways_core::Item;
use bothways_protocol::{Context, Difference, Differences, Error, ErrorKind, Message};
use bothways_store::{Rows, Snapshot};
use bytes::{BufMut, Bytes};
use std::cmp::Ordering;
use std::iter::Peekable;

/// Rows of each side that one piece looks at.
const ROWS: u64 = 5000;
/// Differences of one piece, and their bytes.
const FOUND: usize = 200;
const FOUND_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of a row's key before what table and backup have in common: the id of the rows.
const ID: usize = 4;

impl Inner {
    /// The piece after a place, which is the end of a row's key.
    pub(crate) fn differences(
        &self,
        cx: &Context,
        arn: &str,
        after: Option<&[u8]>,
    ) -> Result<Differences, Fault> {
        let backup = self.backup(cx, arn)?;
        if !backup.ready {
            return Err(Message::BackupCreating { arn: arn.into() }.into());
        }
        let table = self.backup_table(cx, Some(&backup.table_name))?;
        if table.record.key != backup.table.key {
            let words = "The table has another key than it had when the backup was made";
            return Err(Error::new(ErrorKind::Validation, words).into());
        }
        let snapshot = self.store.snapshot()?;
        let mut then = rows(&*snapshot, backup.rows, after);
        let mut now = rows(&*snapshot, table.id(), after);
        let mut piece = Differences::default();
        let mut bytes = 0;
        loop {
            let order = match (then.peek(), now.peek()) {
                (None, None) => return Ok(piece),
                (Some(Err(_)), _) | (_, None) => Ordering::Less,
                (_, Some(Err(_))) | (None, _) => Ordering::Greater,
                (Some(Ok((then, _))), Some(Ok((now, _)))) => then[ID..].cmp(&now[ID..]),
            };
            let before = if order.is_le() { then.next() } else { None };
            let present = if order.is_ge() { now.next() } else { None };
            let (before, present) = (before.transpose()?, present.transpose()?);
            piece.seen += 1;
            let either = before.as_ref().or(present.as_ref());
            let place = either.map(|(key, _)| key[ID..].to_vec());
            let value = |row: Option<(Bytes, Bytes)>| row.map(|(_, value)| value);
            let (before, present) = (value(before), value(present));
            if before != present {
                let size = |row: &Option<Bytes>| row.as_ref().map_or(0, Bytes::len);
                bytes += size(&before) + size(&present);
                piece.found.push(Difference {
                    before: before.map(Item::from_bytes).transpose()?,
                    now: present.map(Item::from_bytes).transpose()?,
                });
            }
            let full = piece.found.len() >= FOUND || bytes >= FOUND_BYTES;
            if full || piece.seen >= ROWS {
                piece.next = place;
                return Ok(piece);
            }
        }
    }
}

fn rows<'s>(snapshot: &'s dyn Snapshot, id: u32, after: Option<&[u8]>) -> Peekable<Rows<'s>> {
    let mut range = Range::all(id);
    if let Some(after) = after {
        let mut key = Vec::with_capacity(ID + after.len());
        key.put_u32(id);
        key.put_slice(after);
        range = range.after(Bytes::from(key), false);
    }
    let (from, to) = range.bounds();
    snapshot.range(from, to, false).peekable()
}
