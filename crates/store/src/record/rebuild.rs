//! The directory as a power loss at one moment of a record could have left it.

use super::events::{Event, decode};
use super::trees_of;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The number of the change that opening a tree is.
const OPENING: u64 = 0;

/// A record read back.
#[derive(Debug)]
pub struct Recording {
    events: Vec<Event>,
    trees: PathBuf,
}

/// A file's contents: what is certain, and what may be there.
#[derive(Debug, Default, Clone)]
struct Contents {
    durable: Vec<u8>,
    /// Changes since the last sync.
    pending: Vec<Change>,
}

#[derive(Debug, Clone)]
enum Change {
    Write(u64, Vec<u8>),
    SetLen(u64),
}

/// A change of a name in a directory: from, to. A file's number stands for its contents.
#[derive(Debug, Clone)]
enum Naming {
    Create(PathBuf, usize),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
}

#[derive(Debug, Default)]
struct Disk {
    files: Vec<Contents>,
    /// Names as the process sees them.
    names: BTreeMap<PathBuf, usize>,
    /// Names that are certain.
    durable: BTreeMap<PathBuf, usize>,
    /// Changes of names since the last sync of their directory.
    pending: Vec<Naming>,
    acknowledged: u64,
    /// Trees so far, and where the tree belongs.
    trees: u64,
    tree: PathBuf,
    /// Changes of the tree under way.
    changing: Vec<u64>,
}

impl Recording {
    /// Reads what a [`super::FileRecorder`] has written.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the file cannot be read.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|e| Error::io("reading", path, &e))?;
        let mut rest = &bytes[..];
        let events = std::iter::from_fn(|| decode(&mut rest)).collect();
        Ok(Self {
            events,
            trees: trees_of(path),
        })
    }

    /// Events in it: the power may fail after any of them.
    #[must_use]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Fills an empty directory with what may be left when the power fails after the first `events` events.
    /// `below(n)` gives a number below `n` and decides everything that is not certain; `page` is how many bytes
    /// are written whole or not at all. Tells the last commit that had been acknowledged.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when files cannot be written, or a tree was not kept.
    pub fn rebuild(
        &self,
        events: usize,
        page: usize,
        below: &mut dyn FnMut(u64) -> u64,
        into: &Path,
    ) -> Result<u64> {
        let mut disk = Disk::default();
        for event in self.events.iter().take(events) {
            disk.apply(event);
        }
        let names = disk.names_left(below);
        for (name, file) in names {
            let path = into.join(&name);
            let content = disk.files[file].left(page, below);
            make_parent(&path)?;
            write_sparse(&path, &content).map_err(|e| Error::io("writing", &path, &e))?;
        }
        std::fs::create_dir_all(into.join("log")).map_err(|e| Error::io("creating", into, &e))?;
        self.tree(&disk, events, below, into)?;
        Ok(disk.acknowledged)
    }

    fn tree(
        &self,
        disk: &Disk,
        events: usize,
        below: &mut dyn FnMut(u64) -> u64,
        into: &Path,
    ) -> Result<()> {
        // The next change may have come to its end, though that is not in the record yet. One that begins before
        // then may be in its tree too, and has not happened.
        let next = self
            .events
            .iter()
            .skip(events)
            .find_map(|event| match event {
                Event::TreeBegin(_) => Some(None),
                Event::Tree { path, change } => Some(Some((path, change))),
                _ => None,
            })
            .flatten();
        let next = next.filter(|(_, change)| disk.changing.contains(change) && below(2) == 1);
        let (which, tree) = match next {
            Some((path, _)) => (disk.trees, path),
            None if disk.trees == 0 => return Ok(()),
            None => (disk.trees - 1, &disk.tree),
        };
        let to = into.join(tree);
        let from = self.trees.join(which.to_string());
        for part in ["", "tables"] {
            let (from, to) = (from.join(part), to.join(part));
            std::fs::create_dir_all(&to).map_err(|e| Error::io("creating", &to, &e))?;
            let entries = std::fs::read_dir(&from).map_err(|e| Error::io("reading", &from, &e))?;
            for entry in entries.flatten().filter(|e| e.path().is_file()) {
                let copied = std::fs::copy(entry.path(), to.join(entry.file_name()));
                copied.map_err(|e| Error::io("copying", &entry.path(), &e))?;
            }
        }
        Ok(())
    }
}

/// The log's unused space costs nothing.
fn write_sparse(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let used = content
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |at| at + 1);
    let mut file = std::fs::File::create(path)?;
    file.write_all(&content[..used])?;
    file.set_len(content.len() as u64)
}

fn make_parent(path: &Path) -> Result<()> {
    let Some(parent) = path.parent() else {
        return Ok(());
    };
    std::fs::create_dir_all(parent).map_err(|e| Error::io("creating", parent, &e))
}

impl Disk {
    fn apply(&mut self, event: &Event) {
        match event {
            Event::Create(path) => {
                self.files.push(Contents::default());
                self.names.insert(path.clone(), self.files.len() - 1);
                self.pending
                    .push(Naming::Create(path.clone(), self.files.len() - 1));
            }
            Event::Write { path, offset, data } => {
                self.change(path, Change::Write(*offset, data.clone()));
            }
            Event::SetLen { path, len } => self.change(path, Change::SetLen(*len)),
            Event::Sync(path) => {
                if let Some(file) = self.file(path) {
                    let pending = std::mem::take(&mut file.pending);
                    for change in &pending {
                        change.apply(&mut file.durable);
                    }
                }
            }
            Event::Rename { from, to } => {
                if let Some(file) = self.names.remove(from) {
                    self.names.insert(to.clone(), file);
                }
                self.pending.push(Naming::Rename(from.clone(), to.clone()));
            }
            Event::Remove(path) => {
                self.names.remove(path);
                self.pending.push(Naming::Remove(path.clone()));
            }
            Event::SyncDir(dir) => {
                let pending = std::mem::take(&mut self.pending);
                let (done, later) = pending
                    .into_iter()
                    .partition(|n| n.path().parent() == Some(dir));
                self.pending = later;
                let done: Vec<Naming> = done;
                for naming in &done {
                    naming.apply(&mut self.durable);
                }
            }
            Event::Acknowledge(seq) => self.acknowledged = *seq,
            Event::TreeBegin(change) => {
                // Who opens the tree counts its changes from nothing again: what had begun before and not ended will
                // not end, and its number is another change's now.
                if *change == OPENING {
                    self.changing.clear();
                }
                self.changing.push(*change);
            }
            Event::Tree { path, change } => {
                self.changing.retain(|begun| begun != change);
                self.trees += 1;
                self.tree.clone_from(path);
            }
        }
    }

    fn file(&mut self, path: &Path) -> Option<&mut Contents> {
        let file = *self.names.get(path)?;
        self.files.get_mut(file)
    }

    /// Files that were there before the record began are not known, and are left as they are.
    fn change(&mut self, path: &Path, change: Change) {
        if let Some(file) = self.file(path) {
            file.pending.push(change);
        }
    }

    /// In each directory the first of the changes of names have happened.
    fn names_left(&self, below: &mut dyn FnMut(u64) -> u64) -> BTreeMap<PathBuf, usize> {
        let mut names = self.durable.clone();
        let mut left: BTreeMap<&Path, u64> = BTreeMap::new();
        for naming in &self.pending {
            *left.entry(naming.dir()).or_default() += 1;
        }
        for count in left.values_mut() {
            *count = below(*count + 1);
        }
        for naming in &self.pending {
            if let Some(count) = left.get_mut(naming.dir()).filter(|count| **count > 0) {
                *count -= 1;
                naming.apply(&mut names);
            }
        }
        names
    }
}

impl Naming {
    fn path(&self) -> &Path {
        match self {
            Naming::Create(path, _) | Naming::Remove(path) | Naming::Rename(_, path) => path,
        }
    }

    fn dir(&self) -> &Path {
        self.path().parent().unwrap_or(Path::new(""))
    }

    fn apply(&self, names: &mut BTreeMap<PathBuf, usize>) {
        match self {
            Naming::Create(path, file) => {
                names.insert(path.clone(), *file);
            }
            Naming::Rename(from, to) => {
                if let Some(file) = names.remove(from) {
                    names.insert(to.clone(), file);
                }
            }
            Naming::Remove(path) => {
                names.remove(path);
            }
        }
    }
}

impl Change {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Change::SetLen(len) => content.resize(usize::try_from(*len).unwrap_or(0), 0),
            Change::Write(offset, data) => {
                let start = usize::try_from(*offset).unwrap_or(0);
                let end = start + data.len();
                if content.len() < end {
                    content.resize(end, 0);
                }
                content[start..end].copy_from_slice(data);
            }
        }
    }
}

impl Contents {
    /// Each page as it was after some of the changes, the length too.
    fn left(&self, page: usize, below: &mut dyn FnMut(u64) -> u64) -> Vec<u8> {
        if self.pending.is_empty() {
            return self.durable.clone();
        }
        // Contents after none, one, two … of the changes. There are few between two syncs.
        let mut stages = vec![self.durable.clone()];
        for change in &self.pending {
            let mut next = stages[stages.len() - 1].clone();
            change.apply(&mut next);
            stages.push(next);
        }
        let mut pick = || usize::try_from(below(stages.len() as u64)).unwrap_or(0);
        let mut content = vec![0; stages[pick()].len()];
        for (at, bytes) in content.chunks_mut(page).enumerate() {
            let differ = self
                .pending
                .iter()
                .any(|c| c.touches(at * page, (at + 1) * page));
            let stage = if differ { pick() } else { stages.len() - 1 };
            let from = stages[stage].get(at * page..).unwrap_or_default();
            let len = from.len().min(bytes.len());
            bytes[..len].copy_from_slice(&from[..len]);
        }
        content
    }
}

impl Change {
    fn touches(&self, start: usize, end: usize) -> bool {
        match self {
            Change::SetLen(_) => true,
            Change::Write(offset, data) => {
                let offset = usize::try_from(*offset).unwrap_or(0);
                offset < end && start < offset + data.len()
            }
        }
    }
}
