//! Appending groups, and the segments that hold them.

use super::frame::{GroupBuffer, Header, Sums, frame_len};
use super::segment::{self, START};
use super::synced::Synced;
use super::{DIR, frame};
use crate::Result;
use crate::disk::files::{Files, Writable};
use crate::disk::marker::Salt;
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Segments that are no longer written to, oldest first: number and last group.
#[derive(Debug, Default)]
pub(in crate::disk) struct Segments {
    closed: Mutex<Vec<(u64, u64)>>,
}

impl Segments {
    pub(super) fn push(&self, number: u64, last_group: u64) {
        self.closed.lock().push((number, last_group));
    }

    /// Bytes of disk that the log takes, nearly: the segment being written counts as a whole one.
    pub(in crate::disk) fn bytes(&self, files: &Files) -> u64 {
        (self.closed.lock().len() as u64 + 1) * files.segment_bytes
    }

    /// Removes segments whose groups are all in tables.
    pub(in crate::disk) fn remove_until(&self, files: &Files, group: u64) -> Result<()> {
        let done: Vec<u64> = {
            let mut segments = self.closed.lock();
            let count = segments.partition_point(|(_, last)| *last <= group);
            segments.drain(..count).map(|(number, _)| number).collect()
        };
        // Oldest first, so that what is left after a crash has no gap.
        for number in &done {
            files.remove(&segment::name(*number))?;
        }
        if done.is_empty() {
            Ok(())
        } else {
            files.sync_dir(Path::new(DIR))
        }
    }
}

/// The end of the log.
pub(in crate::disk) struct LogWriter {
    files: Files,
    salt: Salt,
    segments: Arc<Segments>,
    synced: Synced,
    current: Writable,
    number: u64,
    sums: Sums,
    offset: u64,
    capacity: u64,
    /// The last group written.
    group: u64,
}

impl LogWriter {
    /// Starts writing in a new segment, after group `group`.
    pub(super) fn start(
        files: &Files,
        salt: &Salt,
        segments: Arc<Segments>,
        synced: Synced,
        place: (u64, u64),
    ) -> Result<Self> {
        Self::start_with(files, salt, segments, synced, place, 0, std::iter::empty())
    }

    /// Starts writing in a new segment, after group `group` and with groups that have been written before.
    /// The segment takes its name when these are durable in it.
    pub(super) fn start_with(
        files: &Files,
        salt: &Salt,
        segments: Arc<Segments>,
        synced: Synced,
        (number, group): (u64, u64),
        room: u64,
        again: impl Iterator<Item = Result<(Header, Vec<u8>)>>,
    ) -> Result<Self> {
        let capacity = files.segment_bytes.max(START + room);
        let name = segment::name(number);
        let unfinished = name.with_extension("new");
        let mut current = files.create(&unfinished)?;
        files.allocate(&current, capacity).inspect_err(|_| {
            // On a full disk it would hold what room there is; the next opening makes it anew either way.
            let _ = files.remove(&unfinished);
        })?;
        files.write(&current, 0, &segment::header(salt, number, group + 1))?;
        let sums = Sums::new(salt, number);
        let (mut offset, mut last) = (START, group);
        for frame in again {
            let (header, payload) = frame?;
            let mut buffer = GroupBuffer::from_frame(&header, &payload);
            let bytes = buffer.seal(header.group, &sums);
            files.write(&current, offset, bytes)?;
            (offset, last) = (offset + bytes.len() as u64, header.group);
        }
        files.sync(&current)?;
        files.rename(&mut current, &name)?;
        let (files, salt, group) = (files.clone(), *salt, last);
        Ok(Self {
            files,
            salt,
            segments,
            synced,
            current,
            number,
            sums,
            offset,
            capacity,
            group,
        })
    }

    /// Goes on in the last segment, which has no group yet.
    pub(super) fn resume(
        files: &Files,
        salt: &Salt,
        segments: Arc<Segments>,
        synced: Synced,
        (number, group): (u64, u64),
    ) -> Result<Self> {
        let current = files.open(&segment::name(number))?;
        let sums = Sums::new(salt, number);
        let (files, salt) = (files.clone(), *salt);
        let capacity = current.file.metadata().map_or(START, |m| m.len());
        let offset = START;
        Ok(Self {
            files,
            salt,
            segments,
            synced,
            current,
            number,
            sums,
            offset,
            capacity,
            group,
        })
    }

    /// The last group written.
    pub(in crate::disk) fn group(&self) -> u64 {
        self.group
    }

    /// Writes the next group and makes it durable; tells how long the sync took.
    pub(in crate::disk) fn append(&mut self, buffer: &mut GroupBuffer) -> Result<Duration> {
        let payload = u32::try_from(buffer.len() - frame::HEADER).unwrap_or(u32::MAX);
        let len = frame_len(payload);
        if self.offset + len > self.capacity {
            self.roll(len)?;
        }
        let group = self.group + 1;
        let bytes = buffer.seal(group, &self.sums);
        self.files.write(&self.current, self.offset, bytes)?;
        let start = Instant::now();
        self.files.sync(&self.current)?;
        let took = start.elapsed();
        self.offset += len;
        self.group = group;
        Ok(took)
    }

    /// Notes beside the log that everything written so far is durable.
    pub(in crate::disk) fn note_synced(&self) -> Result<()> {
        self.synced.set(&self.files, self.group)
    }

    /// Starts a new segment, so that the groups so far can be removed on their own.
    pub(in crate::disk) fn roll(&mut self, at_least: u64) -> Result<()> {
        if self.offset == START && START + at_least <= self.capacity {
            return Ok(());
        }
        let (number, capacity) = (
            self.number + 1,
            self.files.segment_bytes.max(START + at_least),
        );
        let header = segment::header(&self.salt, number, self.group + 1);
        let next = self.files.create(&segment::name(number))?;
        self.files.allocate(&next, capacity)?;
        self.files.write(&next, 0, &header)?;
        self.files.sync(&next)?;
        self.files.sync_dir(Path::new(DIR))?;
        self.segments.push(self.number, self.group);
        self.current = next;
        self.number = number;
        self.sums = Sums::new(&self.salt, number);
        self.offset = START;
        self.capacity = capacity;
        Ok(())
    }
}
