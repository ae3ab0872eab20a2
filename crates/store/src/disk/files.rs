//! Every change that this crate makes to files goes through here: so that a test can delay or fail syncs, and
//! record each write and sync to rebuild what a power loss could have left.

use crate::error::is_full;
use crate::{Error, Result};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Makes a file's bytes, or a directory's names, durable. The default is `File::sync_data` for files and
/// `File::sync_all` for directories. The tree's files are synced by lsm-tree and do not come here.
pub type SyncHook = Arc<dyn Fn(&Path, &File) -> std::io::Result<()> + Send + Sync>;

/// Refuses a write of bytes to a file, or the taking of space for it.
pub type WriteHook = Arc<dyn Fn(&Path) -> std::io::Result<()> + Send + Sync>;

/// One change to the store's directory. Paths are relative to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IoEvent<'a> {
    /// A file was created, empty.
    Create {
        /// The file.
        path: &'a Path,
    },
    /// Bytes are about to be written.
    Write {
        /// The file.
        path: &'a Path,
        /// Where.
        offset: u64,
        /// What.
        data: &'a [u8],
    },
    /// A file's length is about to change; new bytes are zero.
    SetLen {
        /// The file.
        path: &'a Path,
        /// Its new length.
        len: u64,
    },
    /// Everything written to a file so far is durable.
    Sync {
        /// The file.
        path: &'a Path,
    },
    /// A file is about to take another's place.
    Rename {
        /// The file.
        from: &'a Path,
        /// Its new name.
        to: &'a Path,
    },
    /// A file is about to be removed.
    Remove {
        /// The file.
        path: &'a Path,
    },
    /// Names created, renamed and removed in a directory so far are durable.
    SyncDir {
        /// The directory.
        path: &'a Path,
    },
    /// Commits up to here are about to be acknowledged.
    Acknowledge {
        /// The last commit.
        seq: u64,
    },
    /// A change of the tree's tables and manifest begins.
    TreeBegin {
        /// The change's number; 0 is the opening of the tree, from which they count.
        change: u64,
    },
    /// The tree's tables and manifest have changed; the tree has made them durable.
    Tree {
        /// The change's number.
        change: u64,
        /// The tree's directory.
        path: &'a Path,
    },
}

/// Is told every change to the store's files, in order for each file.
pub trait Recorder: Send + Sync {
    /// Called from the threads that write; slowness slows them.
    fn record(&self, root: &Path, event: IoEvent<'_>);
}

/// The store's directory and how it is written.
#[derive(Clone)]
pub(super) struct Files {
    pub(super) root: PathBuf,
    /// Bytes of a segment of the log, but that a larger group has one of its own.
    pub(super) segment_bytes: u64,
    pub(super) sync: Option<SyncHook>,
    pub(super) write: Option<WriteHook>,
    pub(super) recorder: Option<Arc<dyn Recorder>>,
}

/// An open file and its name in the directory.
pub(super) struct Writable {
    pub(super) file: File,
    name: PathBuf,
}

impl Files {
    pub(super) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.join(name)
    }

    pub(super) fn record(&self, event: IoEvent<'_>) {
        if let Some(recorder) = &self.recorder {
            recorder.record(&self.root, event);
        }
    }

    /// Creates a file, empty.
    pub(super) fn create(&self, name: &Path) -> Result<Writable> {
        let path = self.path(name);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path);
        let file = file.map_err(|e| Error::io("creating", &path, &e))?;
        self.record(IoEvent::Create { path: name });
        Ok(Writable {
            file,
            name: name.to_owned(),
        })
    }

    pub(super) fn open(&self, name: &Path) -> Result<Writable> {
        let path = self.path(name);
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(|e| Error::io("opening", &path, &e))?;
        Ok(Writable {
            file,
            name: name.to_owned(),
        })
    }

    pub(super) fn write(&self, to: &Writable, offset: u64, data: &[u8]) -> Result<()> {
        self.record(IoEvent::Write {
            path: &to.name,
            offset,
            data,
        });
        let written = self
            .asked(&to.name)
            .and_then(|()| to.file.write_all_at(data, offset));
        written.map_err(|e| Error::io("writing", &self.path(&to.name), &e))
    }

    /// Gives a file a length, with space for it on the disk.
    pub(super) fn allocate(&self, to: &Writable, len: u64) -> Result<()> {
        self.record(IoEvent::SetLen {
            path: &to.name,
            len,
        });
        let path = self.path(&to.name);
        // Not every file system can reserve space; running out of it is then noticed at the write.
        let reserved = self
            .asked(&to.name)
            .and_then(|()| fs4::FileExt::allocate(&to.file, len));
        let grown = match reserved {
            Err(e) if is_full(e.kind()) => Err(e),
            Err(_) => to.file.set_len(len),
            Ok(()) => Ok(()),
        };
        grown.map_err(|e| Error::io("growing", &path, &e))
    }

    fn asked(&self, name: &Path) -> std::io::Result<()> {
        match &self.write {
            Some(hook) => hook(&self.path(name)),
            None => Ok(()),
        }
    }

    pub(super) fn truncate(&self, to: &Writable, len: u64) -> Result<()> {
        self.record(IoEvent::SetLen {
            path: &to.name,
            len,
        });
        let cut = to.file.set_len(len);
        cut.map_err(|e| Error::io("cutting", &self.path(&to.name), &e))
    }

    /// Makes a file's bytes and length durable.
    pub(super) fn sync(&self, file: &Writable) -> Result<()> {
        let path = self.path(&file.name);
        let synced = match &self.sync {
            Some(hook) => hook(&path, &file.file),
            None => file.file.sync_data(),
        };
        synced.map_err(|e| Error::io("syncing", &path, &e))?;
        self.record(IoEvent::Sync { path: &file.name });
        Ok(())
    }

    /// Makes names in a directory durable. `name` is relative to the root; empty for the root itself.
    pub(super) fn sync_dir(&self, name: &Path) -> Result<()> {
        let path = self.path(name);
        let synced = File::open(&path).and_then(|dir| match &self.sync {
            Some(hook) => hook(&path, &dir),
            None => dir.sync_all(),
        });
        synced.map_err(|e| Error::io("syncing", &path, &e))?;
        self.record(IoEvent::SyncDir { path: name });
        Ok(())
    }

    pub(super) fn remove(&self, name: &Path) -> Result<()> {
        let path = self.path(name);
        self.record(IoEvent::Remove { path: name });
        std::fs::remove_file(&path).map_err(|e| Error::io("removing", &path, &e))
    }

    /// Gives a file another name, durably.
    pub(super) fn rename(&self, file: &mut Writable, to: &Path) -> Result<()> {
        self.record(IoEvent::Rename {
            from: &file.name,
            to,
        });
        let path = self.path(to);
        let renamed = std::fs::rename(self.path(&file.name), &path);
        renamed.map_err(|e| Error::io("replacing", &path, &e))?;
        to.clone_into(&mut file.name);
        self.sync_dir(to.parent().unwrap_or(Path::new("")))
    }

    /// Puts a whole new content in a file's place; after a crash it is the old or the new one.
    pub(super) fn replace(&self, name: &Path, content: &[u8]) -> Result<()> {
        let mut file = self.create(&name.with_extension("new"))?;
        self.write(&file, 0, content)?;
        self.sync(&file)?;
        self.rename(&mut file, name)
    }
}
