//! How a disk store is opened.

use super::faults::Report;
use super::files::{Recorder, SyncHook, WriteHook};
use std::sync::Arc;

/// How a disk store is opened. The defaults suit a machine with a gigabyte to spare.
#[derive(Clone)]
pub struct Options {
    /// Bytes of rows held in memory before they are written to a table. Up to five times as much is used
    /// while tables are written slower than rows arrive.
    pub memtable_bytes: u64,
    /// Bytes of log after which rows are written to a table even when they are few, so that a start after a
    /// crash has little to read.
    pub log_bytes: u64,
    /// Bytes of one file of the log. Unused space of the last one is read at a start.
    pub segment_bytes: u64,
    /// Bytes of table blocks kept in memory.
    pub cache_bytes: u64,
    /// Replaces the sync of files and directories, to delay or fail it in tests.
    pub sync: Option<SyncHook>,
    /// Is asked before bytes are written to a file or space is taken for it, to fail that in tests. The tree's files
    /// do not come here.
    pub write: Option<WriteHook>,
    /// Is told what goes wrong with files.
    pub report: Option<Report>,
    /// Is told every change to files.
    pub recorder: Option<Arc<dyn Recorder>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            memtable_bytes: 64 << 20,
            log_bytes: 64 << 20,
            segment_bytes: 8 << 20,
            cache_bytes: 128 << 20,
            sync: None,
            write: None,
            report: None,
            recorder: None,
        }
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("memtable_bytes", &self.memtable_bytes)
            .field("log_bytes", &self.log_bytes)
            .field("cache_bytes", &self.cache_bytes)
            .finish_non_exhaustive()
    }
}
