//! The number of the last group known to be durable, beside the log: a log that ends earlier has lost its end.
//!
//! Written after each sync and itself never synced: it may be older than the truth, never newer. Two places
//! are written in turn, so that one is whole whatever happens to the other.

use crate::disk::files::{Files, Writable};
use crate::disk::marker::Salt;
use crate::{Error, Result};
use std::path::Path;

pub(super) const NAME: &str = "synced";
/// Bytes from one place to the other: a disk's sector, at most.
const STRIDE: u64 = 4096;
const PLACE: usize = 12;

fn place(salt: &Salt, group: u64) -> [u8; PLACE] {
    let mut bytes = [0; PLACE];
    bytes[..8].copy_from_slice(&group.to_le_bytes());
    let mut sum = crc32fast::Hasher::new();
    sum.update(salt);
    sum.update(b"synced");
    sum.update(&bytes[..8]);
    bytes[8..].copy_from_slice(&sum.finalize().to_le_bytes());
    bytes
}

/// Reads the number; `None` when the file does not exist.
pub(super) fn read(files: &Files, salt: &Salt) -> Result<Option<u64>> {
    let path = files.path(NAME);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io("reading", &path, &e)),
    };
    let groups = [0, STRIDE].into_iter().filter_map(|at| {
        let at = usize::try_from(at).ok()?;
        let bytes = bytes.get(at..at + PLACE)?;
        let group = u64::from_le_bytes(*bytes.first_chunk()?);
        (bytes == place(salt, group)).then_some(group)
    });
    let detail = "neither place holds a number";
    groups.max().map(Some).ok_or_else(|| Error::Corrupt {
        file: path.display().to_string(),
        offset: 0,
        detail: detail.into(),
    })
}

/// The open file.
pub(super) struct Synced {
    file: Writable,
    salt: Salt,
}

impl Synced {
    /// Makes the file anew, durably, with one number.
    pub(super) fn create(files: &Files, salt: &Salt, group: u64) -> Result<Self> {
        let mut bytes = vec![0; usize::try_from(STRIDE).unwrap_or(0) + PLACE];
        bytes[..PLACE].copy_from_slice(&place(salt, group));
        let at = bytes.len() - PLACE;
        bytes[at..].copy_from_slice(&place(salt, group));
        files.replace(Path::new(NAME), &bytes)?;
        Self::open(files, salt)
    }

    pub(super) fn open(files: &Files, salt: &Salt) -> Result<Self> {
        Ok(Self {
            file: files.open(Path::new(NAME))?,
            salt: *salt,
        })
    }

    pub(super) fn set(&self, files: &Files, group: u64) -> Result<()> {
        files.write(&self.file, (group % 2) * STRIDE, &place(&self.salt, group))
    }
}
