//! The small files beside the log: what the directory is, and how far the tables have come.

use super::files::Files;
use super::memtable::End;
use crate::{Error, Result};
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};

/// The file that says what the directory is.
pub(super) const MARKER: &str = "format";
/// The file that says how far the tables have come.
pub(super) const CHECKPOINT: &str = "checkpoint";
/// First line of the marker.
const TITLE: &str = "bothways store";
/// The version of everything in the directory that this code writes, and the only one it reads.
const VERSION: u32 = 1;

/// Random bytes of one database, mixed into every checksum: a file of another is never taken for ours.
pub(super) type Salt = [u8; 16];

fn marker_text(salt: &Salt) -> String {
    let salt = u128::from_be_bytes(*salt);
    let body = format!("{TITLE}\nversion {VERSION}\nsalt {salt:032x}\n");
    let sum = crc32fast::hash(body.as_bytes());
    format!("{body}sum {sum:08x}\n")
}

/// Reads the marker: the salt, or `None` when there is none.
pub(super) fn read_marker(files: &Files) -> Result<Option<Salt>> {
    let path = files.path(MARKER);
    let text = match std::fs::read(&path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io("reading", &path, &e)),
    };
    let format = |detail: String| Error::Format {
        path: path.display().to_string(),
        detail,
    };
    let mut lines = text.lines();
    if lines.next() != Some(TITLE) {
        return Err(format("it is not the marker of a Bothways store".into()));
    }
    let version = lines.next().and_then(|line| line.strip_prefix("version "));
    match version.and_then(|v| v.parse::<u32>().ok()) {
        Some(VERSION) => {}
        Some(newer) if newer > VERSION => {
            return Err(format(format!(
                "it was written by a newer version (format {newer}; this one reads {VERSION})"
            )));
        }
        _ => return Err(format("its version cannot be read".into())),
    }
    let salt = lines.next().and_then(|line| line.strip_prefix("salt "));
    let salt = salt
        .and_then(|hex| u128::from_str_radix(hex, 16).ok())
        .unwrap_or_default();
    let salt = salt.to_be_bytes();
    if text == marker_text(&salt) {
        return Ok(Some(salt));
    }
    let file = path.display().to_string();
    Err(Error::Corrupt {
        file,
        offset: 0,
        detail: "the marker's checksum does not match".into(),
    })
}

/// Writes the marker of a new database.
pub(super) fn write_marker(files: &Files) -> Result<Salt> {
    let mut salt = Salt::default();
    for half in salt.chunks_mut(8) {
        // The standard library seeds each of these from the system's random numbers.
        let random = std::collections::hash_map::RandomState::new()
            .build_hasher()
            .finish();
        half.copy_from_slice(&random.to_le_bytes());
    }
    files.replace(Path::new(MARKER), marker_text(&salt).as_bytes())?;
    Ok(salt)
}

fn checkpoint_bytes(salt: &Salt, end: End) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[..8].copy_from_slice(&end.seq.to_le_bytes());
    bytes[8..16].copy_from_slice(&end.group.to_le_bytes());
    let mut sum = crc32fast::Hasher::new();
    sum.update(salt);
    sum.update(b"checkpoint");
    sum.update(&bytes[..16]);
    bytes[16..20].copy_from_slice(&sum.finalize().to_le_bytes());
    bytes
}

/// The last commit and group that are wholly in tables; `None` when the file does not exist.
pub(super) fn read_checkpoint(files: &Files, salt: &Salt) -> Result<Option<End>> {
    let path: PathBuf = files.path(CHECKPOINT);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io("reading", &path, &e)),
    };
    if let (Some(seq), Some(group)) = (bytes.first_chunk::<8>(), bytes.get(8..16)) {
        let group = group.try_into().map_or(0, u64::from_le_bytes);
        let end = End {
            seq: u64::from_le_bytes(*seq),
            group,
        };
        if bytes == checkpoint_bytes(salt, end) {
            return Ok(Some(end));
        }
    }
    let file = path.display().to_string();
    Err(Error::Corrupt {
        file,
        offset: 0,
        detail: "the checkpoint's checksum does not match".into(),
    })
}

/// Says that the tables, already durable, hold everything up to `end`.
pub(super) fn write_checkpoint(files: &Files, salt: &Salt, end: End) -> Result<()> {
    files.replace(Path::new(CHECKPOINT), &checkpoint_bytes(salt, end))
}
