//! Stream records that come again.

use bothways_protocol::types::{GetRecordsOutput, Record};
use std::collections::HashMap;

/// Records kept of each shard's last answer.
const KEPT: usize = 64;
/// Iterators remembered; beyond it the lab forgets all, and nothing comes again for a while.
const ITERATORS: usize = 4_096;

/// The last records before each iterator.
#[derive(Default)]
pub(crate) struct Replay {
    before: HashMap<String, Vec<Record>>,
}

impl Replay {
    /// Takes note of an answer, and begins it with some of the records before it when told so. Answers how many.
    pub(crate) fn pass(
        &mut self,
        iterator: &str,
        output: &mut GetRecordsOutput,
        again: Option<usize>,
    ) -> u64 {
        let before = self.before.get(iterator).cloned().unwrap_or_default();
        let fresh = output.records.clone().unwrap_or_default();
        if let Some(next) = &output.next_shard_iterator {
            let mut kept = before.clone();
            kept.extend(fresh.iter().cloned());
            let surplus = kept.len().saturating_sub(KEPT);
            kept.drain(..surplus);
            if self.before.len() >= ITERATORS {
                self.before.clear();
            }
            self.before.insert(next.clone(), kept);
        }
        let Some(again) = again else { return 0 };
        let from = before.len().saturating_sub(again);
        let mut records = before[from..].to_vec();
        let count = records.len();
        records.extend(fresh);
        output.records = Some(records);
        u64::try_from(count).unwrap_or(0)
    }
}
