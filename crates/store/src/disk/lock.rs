//! One process at a time has a data directory open.

use crate::{Error, Result};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

/// Name of the lock file, which holds the number of the process that has the lock.
pub(super) const NAME: &str = "lock";

/// The lock of a data directory, released when dropped or when the process ends.
#[derive(Debug)]
pub(super) struct DirLock {
    _file: File,
}

impl DirLock {
    pub(super) fn acquire(dir: &Path) -> Result<Self> {
        let path = dir.join(NAME);
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        let mut file = opened.map_err(|e| Error::io("opening", &path, &e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // The holder may be about to write its number; then it is not known.
                let _ = file.read_to_string(&mut text);
                let pid = text.trim().parse().unwrap_or(0);
                return Err(Error::InUse {
                    path: dir.display().to_string(),
                    pid,
                });
            }
            Err(TryLockError::Error(e)) => return Err(Error::io("locking", &path, &e)),
        }
        let pid = std::process::id();
        let written = file.set_len(0).and_then(|()| file.rewind());
        let written = written.and_then(|()| writeln!(file, "{pid}"));
        written.map_err(|e| Error::io("writing", &path, &e))?;
        Ok(Self { _file: file })
    }
}
