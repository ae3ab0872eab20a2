//! Where the workbench's imports and exports are kept while their jobs are there.

use bothways_workbench::Spool;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Most bytes of all files together. A choice: what a laptop's disk spares.
const MOST_BYTES: u64 = 16 * 1024 * 1024 * 1024;

/// Spools of this process so far: each has a directory of its own.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A directory among the system's temporary ones, made when something is kept, gone with the process.
#[derive(Default)]
pub(crate) struct SpoolDirectory(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    path: Option<PathBuf>,
    sizes: BTreeMap<String, u64>,
}

impl SpoolDirectory {
    fn file(&self, name: &str) -> Option<PathBuf> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Some(kept.path.as_ref()?.join(name))
    }
}

/// A new directory; only this user may look into it.
pub(crate) fn make() -> Result<PathBuf> {
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("bothways-{}-{number}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&path)?;
    Ok(path)
}

impl Spool for SpoolDirectory {
    fn append(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let more = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let all: u64 = kept.sizes.values().sum();
        if all.saturating_add(more) > MOST_BYTES {
            let words = format!("imports and exports hold {MOST_BYTES} bytes: forget some");
            return Err(Error::new(ErrorKind::StorageFull, words));
        }
        if kept.path.is_none() {
            kept.path = Some(make()?);
        }
        let path = kept.path.clone().unwrap_or_default().join(name);
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        file.write_all(bytes)?;
        *kept.sizes.entry(name.to_owned()).or_default() += more;
        Ok(())
    }

    fn read(&self, name: &str, at: u64, most: usize) -> Result<Vec<u8>> {
        let Some(path) = self.file(name) else {
            return Ok(Vec::new());
        };
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        let most = u64::try_from(most).unwrap_or(u64::MAX);
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn remove(&self, name: &str) {
        if let Some(path) = self.file(name) {
            // What cannot be removed goes with the directory.
            let _ = std::fs::remove_file(path);
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.sizes.remove(name);
    }
}

impl Drop for SpoolDirectory {
    fn drop(&mut self) {
        let kept = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = kept.path.take() {
            let _ = std::fs::remove_dir_all(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spool_keeps_what_is_appended_and_leaves_nothing() {
        let spool = SpoolDirectory::default();
        assert_eq!(spool.read("1", 0, 9).unwrap(), b"");
        spool.append("1", b"ab").unwrap();
        spool.append("1", b"cdef").unwrap();
        spool.append("2", b"x").unwrap();
        assert_eq!(spool.read("1", 1, 3).unwrap(), b"bcd");
        assert_eq!(spool.read("1", 9, 3).unwrap(), b"");
        let directory = spool.file("1").unwrap().parent().unwrap().to_owned();
        spool.remove("1");
        assert_eq!(spool.read("1", 0, 9).unwrap(), b"");
        assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1);
        drop(spool);
        assert!(!directory.exists());
    }
}
