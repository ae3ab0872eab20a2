//! One process at a time has a data directory open.

use crate::{Error, Result};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, Write};
use std::path::Path;

/// Name of the lock file, which holds the number of the process that has the lock and, behind it on a line of its
/// own, where that process can be talked to, if it said so.
pub(super) const NAME: &str = "lock";

/// The lock of a data directory, released when dropped or when the process ends.
///
/// The directory itself is locked as well as the file: who takes the file for a leftover and removes it would
/// otherwise let a second process in.
#[derive(Debug)]
pub(super) struct DirLock {
    _dir: Option<File>,
    _file: File,
}

impl DirLock {
    pub(super) fn acquire(dir: &Path) -> Result<Self> {
        let path = dir.join(NAME);
        let locked = lock_dir(dir, &path)?;
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        let mut file = opened.map_err(|e| Error::io("opening", &path, &e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(dir, &path)),
            Err(TryLockError::Error(e)) => return Err(Error::io("locking", &path, &e)),
        }
        let pid = std::process::id();
        let written = file.set_len(0).and_then(|()| file.rewind());
        // A help for people: on a full disk the directory can be read without it.
        let _ = written.and_then(|()| writeln!(file, "{pid}"));
        Ok(Self {
            _dir: locked,
            _file: file,
        })
    }
}

/// Locks the directory, where the file system can.
fn lock_dir(dir: &Path, path: &Path) -> Result<Option<File>> {
    let Ok(opened) = File::open(dir) else {
        return Ok(None);
    };
    match opened.try_lock() {
        Ok(()) => Ok(Some(opened)),
        Err(TryLockError::WouldBlock) => Err(in_use(dir, path)),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// The holder may be about to write its number, or its file may be gone; then the number is not known.
fn in_use(dir: &Path, path: &Path) -> Error {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut lines = text.lines();
    Error::InUse {
        path: dir.display().to_string(),
        pid: lines
            .next()
            .and_then(|line| line.trim().parse().ok())
            .unwrap_or(0),
        address: lines.next().map(|line| line.trim().to_owned()),
    }
}

/// Says in the lock file where the holder can be talked to. Only the holder calls it. It is a help for people: where
/// it cannot be written, nothing else is worse for it.
pub(super) fn announce(dir: &Path, address: &str) {
    let pid = std::process::id();
    let _ = std::fs::write(dir.join(NAME), format!("{pid}\n{address}\n"));
}
