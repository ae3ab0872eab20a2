//! Power loss, tested below the store: what a process wrote and synced is recorded, and the states that a
//! power loss could have left are rebuilt.
//!
//! Of a file, what was written before its last finished sync is there; of what came later, any page may have
//! any of the contents it had since. Of names created, changed or removed in a directory after its last sync,
//! any beginning of them has happened. lsm-tree writes and syncs its own files where this cannot see it; they
//! are immutable once part of its manifest, which it replaces atomically, so each change of the tree is kept
//! as links to its files, and a rebuilt state has the tree of that moment, or that of a change that was under way.

mod events;
mod rebuild;

pub use rebuild::Recording;

use crate::{Error, IoEvent, Recorder, Result};
use parking_lot::Mutex;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Appends every event to a file, unbuffered: a killed process leaves a whole record of what it did.
#[derive(Debug)]
pub struct FileRecorder {
    trees: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    /// Trees kept so far.
    kept: u64,
    /// The first failure to record; later events are not.
    failed: Option<String>,
}

impl FileRecorder {
    /// Starts a record. The trees are kept in a directory beside the file, which must be on the file system
    /// of the store.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the file or directory cannot be made.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let trees = trees_of(path);
        let file = File::create(path).map_err(|e| Error::io("creating", path, &e))?;
        std::fs::create_dir_all(&trees).map_err(|e| Error::io("creating", &trees, &e))?;
        Ok(Self {
            trees,
            state: Mutex::new(State {
                file,
                kept: 0,
                failed: None,
            }),
        })
    }

    /// What went wrong with recording, if anything did: the record ends there.
    pub fn failure(&self) -> Option<String> {
        self.state.lock().failed.clone()
    }
}

fn trees_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".trees");
    name.into()
}

impl Recorder for FileRecorder {
    fn record(&self, root: &Path, event: IoEvent<'_>) {
        let mut state = self.state.lock();
        if state.failed.is_some() {
            return;
        }
        let mut recorded = Ok(());
        if let IoEvent::Tree { path, .. } = event {
            recorded = keep_tree(&root.join(path), &self.trees.join(state.kept.to_string()));
            state.kept += 1;
        }
        let recorded = recorded.and_then(|()| state.file.write_all(&events::encode(event)));
        state.failed = recorded.err().map(|e| e.to_string());
    }
}

/// Links the files of a tree as of one version of its manifest.
fn keep_tree(tree: &Path, into: &Path) -> std::io::Result<()> {
    const TRIES: usize = 200;
    for _ in 0..TRIES {
        let before = std::fs::read(tree.join("current"))?;
        let linked = link_files(tree, into)
            .and_then(|()| link_files(&tree.join("tables"), &into.join("tables")));
        let after = std::fs::read(tree.join("current"))?;
        match linked {
            Ok(()) if before == after => return Ok(()),
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(e),
            // A merge changed the tree meanwhile.
            _ => std::fs::remove_dir_all(into)?,
        }
    }
    Err(std::io::Error::other("the tree does not keep still"))
}

fn link_files(from: &Path, into: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(into)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            std::fs::hard_link(entry.path(), into.join(entry.file_name()))?;
        }
    }
    Ok(())
}
