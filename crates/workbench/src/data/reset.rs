//! A table back to what a backup has: what differs is put and deleted, piece by piece; everything else stays.

use super::Shared;
use super::columns::Keys;
use super::job::{Job, Step};
use super::writes::{Change, write};
use bothways_protocol::Context;
use parking_lot::Mutex;

pub(super) struct Reset {
    pub(super) backup: String,
    pub(super) keys: Keys,
    pub(super) after: Mutex<Option<Vec<u8>>>,
}

impl Reset {
    /// The next piece. Done twice, it finds nothing the second time.
    pub(super) async fn step(&self, job: &Job, shared: &Shared) -> Result<Step, String> {
        let after = self.after.lock().clone();
        let cx = Context::default();
        let piece = shared
            .operator
            .differences(&cx, &self.backup, after.as_deref());
        let piece = piece.map_err(|e| e.message.into_owned())?;
        let changes = piece.found.into_iter().filter_map(|difference| {
            let change = match (difference.before, difference.now) {
                (Some(before), _) => Change::Put(before),
                (None, Some(now)) => Change::Delete(now.only(&self.keys.names())),
                (None, None) => return None,
            };
            Some((0, change))
        });
        let changes: Vec<(u64, Change)> = changes.collect();
        let count = u64::try_from(changes.len()).unwrap_or(0);
        let refused = write(&*shared.db, &job.table, changes).await?;
        if let Some((_, why)) = refused.into_iter().next() {
            return Err(why);
        }
        job.note(|progress| {
            progress.rows += piece.seen;
            progress.written += count;
        });
        let end = piece.next.is_none();
        *self.after.lock() = piece.next;
        Ok(if end { Step::End } else { Step::More })
    }
}
