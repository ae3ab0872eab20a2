//! Events as bytes: a tag, then each field with its length before it.

use crate::IoEvent;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// An event read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    Create(PathBuf),
    Write {
        path: PathBuf,
        offset: u64,
        data: Vec<u8>,
    },
    SetLen {
        path: PathBuf,
        len: u64,
    },
    Sync(PathBuf),
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    Remove(PathBuf),
    SyncDir(PathBuf),
    Acknowledge(u64),
    TreeBegin(u64),
    Tree {
        path: PathBuf,
        change: u64,
    },
}

pub(super) fn encode(event: IoEvent<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut fields = |tag: u8, path: &Path, number: u64, data: &[u8]| {
        out.push(tag);
        out.extend_from_slice(&number.to_le_bytes());
        for bytes in [path.as_os_str().as_bytes(), data] {
            out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
            out.extend_from_slice(bytes);
        }
    };
    match event {
        IoEvent::Create { path } => fields(b'c', path, 0, &[]),
        IoEvent::Write { path, offset, data } => fields(b'w', path, offset, data),
        IoEvent::SetLen { path, len } => fields(b'l', path, len, &[]),
        IoEvent::Sync { path } => fields(b's', path, 0, &[]),
        IoEvent::Rename { from, to } => fields(b'r', from, 0, to.as_os_str().as_bytes()),
        IoEvent::Remove { path } => fields(b'd', path, 0, &[]),
        IoEvent::SyncDir { path } => fields(b'n', path, 0, &[]),
        IoEvent::Acknowledge { seq } => fields(b'a', Path::new(""), seq, &[]),
        IoEvent::TreeBegin { change } => fields(b'b', Path::new(""), change, &[]),
        IoEvent::Tree { change, path } => fields(b't', path, change, &[]),
    }
    out
}

/// Takes one event off the front; `None` at the end, also when the last is cut short.
pub(super) fn decode(bytes: &mut &[u8]) -> Option<Event> {
    let mut rest = *bytes;
    let mut take = |len: usize| {
        let (head, tail) = rest.split_at_checked(len)?;
        rest = tail;
        Some(head)
    };
    let tag = take(1)?[0];
    let number = take(8)?.try_into().ok().map(u64::from_le_bytes)?;
    let mut field = || {
        let len = take(8)?.try_into().ok().map(u64::from_le_bytes)?;
        take(usize::try_from(len).ok()?)
    };
    let path = PathBuf::from(std::ffi::OsStr::from_bytes(field()?));
    let data = field()?;
    let event = match tag {
        b'c' => Event::Create(path),
        b'w' => Event::Write {
            path,
            offset: number,
            data: data.to_vec(),
        },
        b'l' => Event::SetLen { path, len: number },
        b's' => Event::Sync(path),
        b'r' => Event::Rename {
            from: path,
            to: std::ffi::OsStr::from_bytes(data).into(),
        },
        b'd' => Event::Remove(path),
        b'n' => Event::SyncDir(path),
        b'a' => Event::Acknowledge(number),
        b'b' => Event::TreeBegin(number),
        b't' => Event::Tree {
            path,
            change: number,
        },
        _ => return None,
    };
    *bytes = rest;
    Some(event)
}
