//! Reading the log after a stop of any kind.
//!
//! A group is durable before the next is written, so only the last one can be torn. Anything else that is not
//! a whole group is damage, and is reported with its place: nothing that was acknowledged is cut away.

use super::frame::{self, Header};
use super::segment::{self, Segment, Step};
use super::synced::{self, Synced};
use super::writer::{LogWriter, Segments};
use crate::disk::files::Files;
use crate::disk::marker::Salt;
use crate::disk::memtable::End;
use crate::{Result, Seq};
use bytes::Bytes;
use std::sync::Arc;

/// Takes what is replayed.
pub(in crate::disk) trait Replay {
    /// One version of a key.
    fn row(&mut self, seq: Seq, key: Bytes, value: Option<Bytes>);
    /// A group is complete.
    fn group(&mut self, end: End) -> Result<()>;
}

/// The log after recovery.
pub(in crate::disk) struct Recovered {
    /// The end of the log, or why there is no room for one: then the store only reads.
    pub(in crate::disk) writer: Result<LogWriter>,
    pub(in crate::disk) segments: Arc<Segments>,
    /// The last commit and group.
    pub(in crate::disk) end: End,
}

/// The last segment's part of what was found.
struct Tail {
    number: u64,
    /// Where its groups end.
    end: u64,
    /// Where the groups start that are not known to be durable, and the first of them.
    doubtful: Option<(u64, u64)>,
    /// Whether bytes follow that are no group.
    torn: bool,
    /// Whether it has no group at all, nor anything else.
    unused: bool,
}

/// Replays every group above the checkpoint and makes the log ready to be written.
pub(in crate::disk) fn recover(
    files: &Files,
    salt: &Salt,
    checkpoint: End,
    replay: &mut dyn Replay,
) -> Result<Recovered> {
    let synced = synced::read(files, salt)?;
    let known = synced.unwrap_or(0);
    let mut scan = Scan {
        files,
        salt,
        known,
        checkpoint,
        end: checkpoint,
        expected: None,
        tail: None,
        removable: Vec::new(),
    };
    let segments = Arc::new(Segments::default());
    let numbers = segment::list(files)?;
    for (at, number) in numbers.iter().enumerate() {
        if let Some((last, previous)) =
            scan.segment(*number, numbers.get(at + 1).copied(), replay)?
        {
            segments.push(previous, last);
        }
    }
    let (end, tail) = (scan.end, scan.tail);
    if known > end.group {
        return Err(missing_tail(files, tail.as_ref(), end.group, known));
    }
    for number in &scan.removable {
        files.remove(&segment::name(*number))?;
    }
    let start = || {
        let synced = match synced {
            Some(_) => Synced::open(files, salt)?,
            None => Synced::create(files, salt, end.group)?,
        };
        let writer = restart(files, salt, &segments, synced, tail.as_ref(), end)?;
        writer.note_synced()?;
        Ok(writer)
    };
    let writer: Result<LogWriter> = start();
    if let Err(error) = &writer
        && !error.is_full()
    {
        return Err(error.clone());
    }
    Ok(Recovered {
        writer,
        segments,
        end,
    })
}

fn missing_tail(files: &Files, tail: Option<&Tail>, found: u64, known: u64) -> crate::Error {
    let (file, offset) = tail.map_or((files.path(super::DIR), 0), |tail| {
        (files.path(segment::name(tail.number)), tail.end)
    });
    crate::Error::Corrupt {
        file: file.display().to_string(),
        offset,
        detail: format!("the log ends with group {found}, but group {known} was durable"),
    }
}

struct Scan<'a> {
    files: &'a Files,
    salt: &'a Salt,
    /// The last group known to be durable.
    known: u64,
    checkpoint: End,
    end: End,
    /// The group that has to come next; unknown before the first segment.
    expected: Option<u64>,
    tail: Option<Tail>,
    /// Segments that are not needed, removed when all others are found whole.
    removable: Vec<u64>,
}

impl Scan<'_> {
    /// Reads one segment. Tells its last group and number when it is to be kept as it is.
    fn segment(
        &mut self,
        number: u64,
        next: Option<u64>,
        replay: &mut dyn Replay,
    ) -> Result<Option<(u64, u64)>> {
        let mut segment = Segment::open(self.files, self.salt, number)?;
        let Some(first) = segment.first_group else {
            return self.unfinished(&mut segment, next).map(|()| None);
        };
        let next_first = self.first_of(number, next)?;
        if next_first.is_some_and(|next| next <= self.checkpoint.group + 1) {
            // All of it is in tables: not even read. A crash came between the checkpoint and the removal.
            self.expected = next_first;
            self.removable.push(number);
            return Ok(None);
        }
        let expected = *self
            .expected
            .get_or_insert(first.min(self.checkpoint.group + 1));
        if first > expected {
            let detail = format!("group {expected} is missing before it");
            return Err(segment.corrupt(0, detail));
        }
        self.frames(&mut segment, next_first, replay)?;
        Ok(next_first.map(|_| (self.end.group, number)))
    }

    /// The first group of the next segment; `None` also when that one was not finished.
    fn first_of(&self, number: u64, next: Option<u64>) -> Result<Option<u64>> {
        let Some(next) = next else { return Ok(None) };
        let segment = Segment::open(self.files, self.salt, next)?;
        if next != number + 1 {
            return Err(segment.corrupt(0, format!("segment {} is missing before it", number + 1)));
        }
        Ok(segment.first_group)
    }

    /// A segment without a header: it was being made, and has no group, or is damaged.
    fn unfinished(&mut self, segment: &mut Segment, next: Option<u64>) -> Result<()> {
        segment.offset = 0;
        if next.is_some() || segment.find_frame(0)?.is_some() {
            return Err(segment.corrupt(0, "the segment's header does not match its checksum"));
        }
        self.removable.push(segment.number);
        Ok(())
    }

    fn frames(
        &mut self,
        segment: &mut Segment,
        next_first: Option<u64>,
        replay: &mut dyn Replay,
    ) -> Result<()> {
        let mut doubtful = None;
        let torn = loop {
            let start = segment.offset;
            match segment.step()? {
                Step::End => break false,
                Step::Bad => break true,
                Step::Frame(header) => {
                    if header.group > self.known {
                        doubtful.get_or_insert((start, header.group));
                    }
                    self.frame(segment, start, &header, replay)?;
                }
            }
        };
        let expected = self.expected.unwrap_or(1);
        if torn && next_first.is_none_or(|next| next > expected) {
            let found = segment.find_frame(expected)?;
            let detail = match found {
                Some(at) => {
                    format!("these bytes are no group, but a whole one follows at byte {at}")
                }
                None if next_first.is_some() => "these bytes are no group".into(),
                None if self.known >= expected => {
                    format!("group {expected} was durable and is damaged")
                }
                // A group whose sync had not returned: nobody was told that it is there.
                None => String::new(),
            };
            if !detail.is_empty() {
                return Err(segment.corrupt(segment.offset, detail));
            }
        }
        self.tail = Some(Tail {
            number: segment.number,
            end: segment.offset,
            torn,
            doubtful,
            unused: !torn && segment.offset == segment::START,
        });
        Ok(())
    }

    fn frame(
        &mut self,
        segment: &Segment,
        start: u64,
        header: &Header,
        replay: &mut dyn Replay,
    ) -> Result<()> {
        let expected = self.expected.unwrap_or(1);
        if header.group > expected {
            return Err(segment.corrupt(start, format!("group {expected} is missing before it")));
        }
        // Written again by an earlier recovery, from the segment before.
        if header.group < expected {
            return Ok(());
        }
        self.expected = Some(expected + 1);
        if header.group <= self.checkpoint.group {
            return Ok(());
        }
        if header.first != self.end.seq + 1 {
            let detail = format!(
                "it starts with commit {}, not {}",
                header.first,
                self.end.seq + 1
            );
            return Err(segment.corrupt(start, detail));
        }
        if !frame::rows(header, &segment.payload, |seq, key, value| {
            replay.row(seq, key, value);
        }) {
            return Err(segment.corrupt(start, "its rows cannot be read"));
        }
        self.end = End {
            seq: header.last(),
            group: header.group,
        };
        replay.group(self.end)
    }
}

/// Makes everything that was read durable, and the log ready for the next group.
///
/// Groups not known to be durable are written again, into a new segment: after a failed sync the system may
/// hold their pages as clean though the disk never got them, and another sync would do nothing.
fn restart(
    files: &Files,
    salt: &Salt,
    segments: &Arc<Segments>,
    synced: Synced,
    tail: Option<&Tail>,
    end: End,
) -> Result<LogWriter> {
    let Some(tail) = tail else {
        return LogWriter::start(files, salt, segments.clone(), synced, (1, end.group));
    };
    if tail.unused {
        return LogWriter::resume(
            files,
            salt,
            segments.clone(),
            synced,
            (tail.number, end.group),
        );
    }
    let (from, before) = tail
        .doubtful
        .map_or((tail.end, end.group), |(at, group)| (at, group - 1));
    segments.push(tail.number, before);
    let mut old = Segment::open(files, salt, tail.number)?;
    old.skip_to(from)?;
    let again = std::iter::from_fn(|| match old.step() {
        Ok(Step::Frame(header)) if old.offset <= tail.end => {
            Some(Ok((header, old.payload.clone())))
        }
        Ok(_) => None,
        Err(e) => Some(Err(e)),
    });
    let place = (tail.number + 1, before);
    let room = tail.end - from;
    let writer = LogWriter::start_with(files, salt, segments.clone(), synced, place, room, again)?;
    if tail.torn || from < tail.end {
        let old = files.open(&segment::name(tail.number))?;
        files.truncate(&old, from)?;
        files.sync(&old)?;
    }
    Ok(writer)
}
