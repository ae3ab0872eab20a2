//! Opening a directory: making it, or reading back what is there.

use super::faults::Faults;
use super::files::Files;
use super::lock::{self, DirLock};
use super::log::{self, LogWriter, Replay};
use super::manifest::CURRENT;
use super::marker::{
    CHECKPOINT, MARKER, Salt, read_checkpoint, read_marker, write_checkpoint, write_marker,
};
use super::memtable::{End, Memtable, VERSION_OVERHEAD};
use super::options::Options;
use super::order::Order;
use super::shared::{Parts, Shared};
use super::tree::{TREE, Tree};
use super::view::View;
use crate::{Error, Result, Seq};
use bytes::Bytes;
use std::path::Path;
use std::sync::Arc;

/// Opens or makes the store in a directory. Without a writer where there is no room: the store only reads.
pub(super) fn open(path: &Path, options: Options) -> Result<(Shared, Option<LogWriter>)> {
    make_dir(path)?;
    let lock = Arc::new(DirLock::acquire(path)?);
    let files = Files {
        root: path.to_owned(),
        segment_bytes: options.segment_bytes,
        sync: options.sync.clone(),
        write: options.write.clone(),
        recorder: options.recorder.clone(),
    };
    let salt = match read_marker(&files)? {
        Some(salt) => salt,
        None => make(&files)?,
    };
    let checkpoint = read_checkpoint(&files, &salt)?;
    // Without its manifest the tree would be made anew, and empty.
    if checkpoint.is_some() && !Tree::exists(&files) {
        return Err(Error::Corrupt {
            file: files.path(TREE).join(CURRENT).display().to_string(),
            offset: 0,
            detail: "it is missing, though the store has tables".into(),
        });
    }
    if checkpoint.is_none() {
        check_new(&files)?;
    }
    let faults = Arc::new(Faults::new(options.report.clone()));
    let tree = Tree::open(&files, options.cache_bytes, lock, faults.clone())?;
    let checkpoint = match checkpoint {
        Some(checkpoint) => checkpoint,
        None => first_checkpoint(&files, &salt)?,
    };
    let mut replayed = Replayed {
        files: &files,
        salt: &salt,
        tree: &tree,
        options: &options,
        memtable: Memtable::default(),
        flushed: 0,
        full: false,
    };
    let recovered = log::recover(&files, &salt, checkpoint, &mut replayed)?;
    let (memtable, flushed) = (Arc::new(replayed.memtable), replayed.flushed);
    recovered
        .segments
        .remove_until(&files, checkpoint.group.max(flushed))?;
    let view = View {
        active: memtable.clone(),
        sealed: Vec::new(),
        tables: tree.tables(),
    };
    let order = Order::new(recovered.end.seq + 1, memtable);
    let shared = Shared::new(Parts {
        options,
        files: files.clone(),
        salt,
        order,
        view,
        visible: recovered.end.seq,
        tree,
        segments: recovered.segments,
        faults,
    });
    if let Err(error) = &recovered.writer {
        shared.poison(error);
    }
    Ok((shared, recovered.writer.ok()))
}

/// Makes a directory whose name survives a crash.
fn make_dir(path: &Path) -> Result<()> {
    let fail = |e: &std::io::Error| Error::io("creating", path, e);
    let absolute = std::path::absolute(path).map_err(|e| fail(&e))?;
    let missing = absolute.ancestors().take_while(|dir| !dir.is_dir()).count();
    std::fs::create_dir_all(path).map_err(|e| fail(&e))?;
    for parent in absolute.ancestors().skip(1).take(missing) {
        std::fs::File::open(parent)
            .and_then(|dir| dir.sync_all())
            .map_err(|e| fail(&e))?;
    }
    Ok(())
}

/// Makes the store in a directory that has no marker. The marker comes last: without it, nothing was ever
/// acknowledged here, and an unfinished making is started over.
fn make(files: &Files) -> Result<Salt> {
    let refuse = |detail| {
        Err(Error::Format {
            path: files.path(MARKER).display().to_string(),
            detail,
        })
    };
    for dir in [log::DIR, TREE] {
        if files.path(dir).is_dir() && !names(&files.path(dir))?.is_empty() {
            return refuse(format!("it is missing, though {dir} has data"));
        }
    }
    for name in names(&files.root)? {
        let unfinished = Path::new(&name).extension().is_some_and(|ext| ext == "new");
        if ![lock::NAME, log::DIR, TREE].contains(&&*name) && !unfinished {
            return refuse(format!(
                "the directory is no Bothways store, but has {name} in it"
            ));
        }
    }
    for dir in [log::DIR, TREE] {
        let path = files.path(dir);
        std::fs::create_dir_all(&path).map_err(|e| Error::io("creating", &path, &e))?;
    }
    files.sync_dir(Path::new(""))?;
    write_marker(files)
}

/// Names in a directory.
fn names(path: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(path).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let entries = entries.map_err(|e| Error::io("reading", path, &e))?;
    Ok(entries
        .iter()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect())
}

/// What is wrong with a store without a checkpoint when it is not new.
fn check_new(files: &Files) -> Result<()> {
    let log = files.path(log::DIR);
    if !log.is_dir() || !names(&log)?.is_empty() {
        return Err(Error::Corrupt {
            file: files.path(CHECKPOINT).display().to_string(),
            offset: 0,
            detail: "it is missing in a store that was used".into(),
        });
    }
    Ok(())
}

/// The checkpoint of a new store.
fn first_checkpoint(files: &Files, salt: &Salt) -> Result<End> {
    let start = End { seq: 0, group: 0 };
    write_checkpoint(files, salt, start)?;
    Ok(start)
}

/// Rows read back from the log.
struct Replayed<'a> {
    files: &'a Files,
    salt: &'a Salt,
    tree: &'a Tree,
    options: &'a Options,
    memtable: Memtable,
    /// The last group that this replay has brought into tables.
    flushed: u64,
    /// There was no room for a table: what is left of the log stays in memory, and the log as it is.
    full: bool,
}

impl Replay for Replayed<'_> {
    fn row(&mut self, seq: Seq, key: Bytes, value: Option<Bytes>) {
        let bytes = key.len() + value.as_ref().map_or(0, Bytes::len);
        self.memtable.reserve(bytes as u64 + VERSION_OVERHEAD);
        self.memtable.insert(key, seq, value);
    }

    /// A log larger than memory allows is written to tables as it is read.
    fn group(&mut self, end: End) -> Result<()> {
        if self.full || self.memtable.bytes() < self.options.memtable_bytes {
            return Ok(());
        }
        let written = self.tree.flush(&self.memtable);
        if written.as_ref().is_err_and(Error::is_full) {
            self.full = true;
            return Ok(());
        }
        written?;
        write_checkpoint(self.files, self.salt, end)?;
        self.memtable = Memtable::default();
        self.flushed = end.group;
        Ok(())
    }
}
