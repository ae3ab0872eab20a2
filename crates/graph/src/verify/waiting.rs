//! Counters that come from the stream: what waits for them there.

use super::counter::Suspect;
use crate::counting::{Pending, Waiting};
use crate::error::Result;
use crate::jobs::Work;
use crate::requests::Key;
use std::collections::HashSet;

/// What the stream holds for counters.
pub(super) enum Stream {
    /// No counter of these comes from it.
    Unasked,
    /// The table has none.
    Absent,
    /// What waits in it.
    There(Pending),
}

impl Stream {
    /// Looks at what waits for the suspects that come from the stream.
    pub(super) async fn look(work: &mut Work<'_>, suspects: &[Suspect<'_>]) -> Result<Self> {
        let streamed = suspects.iter().filter(|s| s.streamed);
        let keys: HashSet<Key> = streamed.map(|s| s.key.clone()).collect();
        if keys.is_empty() {
            return Ok(Self::Unasked);
        }
        work.keep().await?;
        let pending = work.graph.pending(work.cx, &keys).await?;
        Ok(pending.map_or(Self::Absent, Self::There))
    }

    /// What waits for a counter whose last recount was at `since`; `None` where that is not known.
    pub(super) fn of(&self, suspect: &Suspect<'_>, since: u64) -> Option<Vec<Waiting>> {
        match self {
            _ if !suspect.streamed => Some(Vec::new()),
            Self::There(pending) if pending.whole => Some(pending.of(&suspect.key, since)),
            _ => None,
        }
    }
}

/// By how much what waits moves its counter.
pub(super) fn sum(waiting: &[Waiting]) -> i64 {
    waiting.iter().map(|w| w.by).sum()
}

/// Notes how far a counter is behind.
pub(super) fn note_lag(work: &mut Work<'_>, waiting: &[Waiting]) {
    let now = work.graph.env.epoch_millis();
    let oldest = waiting.iter().map(|w| w.at).min();
    let lag = oldest.map_or(0, |at| now.saturating_sub(at));
    let before = work.job.place.count("lag");
    work.job.place.set_number("lag", lag.max(before));
}
