//! What goes wrong with files is told to whoever opened the store, in full words: answers to clients name no files.

use crate::Error;
use parking_lot::Mutex;
use std::sync::Arc;

/// Is told of faults of files: what failed, with the file and the system's words. Called from any thread.
pub type Report = Arc<dyn Fn(&Error) + Send + Sync>;

/// Different faults that are remembered, so that each is told once.
const REMEMBERED: usize = 64;

/// Where faults go.
#[derive(Default)]
pub(super) struct Faults {
    report: Option<Report>,
    told: Mutex<Vec<String>>,
}

impl Faults {
    pub(super) fn new(report: Option<Report>) -> Self {
        let told = Mutex::default();
        Self { report, told }
    }

    /// Tells of a fault, unless it was told before: a damaged block is met by every read of it.
    pub(super) fn tell(&self, error: &Error) {
        let Some(report) = &self.report else { return };
        let words = error.to_string();
        let mut told = self.told.lock();
        if told.contains(&words) {
            return;
        }
        if told.len() >= REMEMBERED {
            told.clear();
        }
        told.push(words);
        drop(told);
        report(error);
    }
}
