//! One segment file: its name, its header, and reading its frames.

use super::DIR;
use super::frame::{ALIGN, HEADER, Header, Sums, frame_len};
use crate::disk::files::Files;
use crate::disk::marker::Salt;
use crate::{Error, Result};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes before the first frame.
pub(super) const START: u64 = HEADER_BYTES as u64;
const HEADER_BYTES: usize = 64;
const MAGIC: [u8; 8] = *b"BWLOG\x01\0\0";

/// A segment's file, in the store's directory.
pub(super) fn name(number: u64) -> PathBuf {
    Path::new(DIR).join(format!("{number:012}.log"))
}

/// The header of a segment, whose first frame has group `first_group`.
pub(super) fn header(salt: &Salt, number: u64, first_group: u64) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    bytes[16..24].copy_from_slice(&first_group.to_le_bytes());
    let sum = Sums::new(salt, number).of(&bytes[..24]);
    bytes[24..28].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Numbers of the segments that exist, in order.
pub(super) fn list(files: &Files) -> Result<Vec<u64>> {
    let dir = files.path(DIR);
    let fail = |e: &std::io::Error| Error::io("reading", &dir, e);
    let mut numbers = Vec::new();
    let entries = match std::fs::read_dir(&dir) {
        Err(e) if e.kind() == ErrorKind::NotFound => {
            return Err(Error::Corrupt {
                file: dir.display().to_string(),
                offset: 0,
                detail: "the directory of the log is missing".into(),
            });
        }
        entries => entries.map_err(|e| fail(&e))?,
    };
    for entry in entries {
        let file = entry.map_err(|e| fail(&e))?.file_name();
        let number = file.to_str().and_then(|name| name.strip_suffix(".log"));
        numbers.extend(number.and_then(|number| number.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// What comes next in a segment.
pub(super) enum Step {
    /// A whole group; its rows are in [`Segment::payload`].
    Frame(Header),
    /// Nothing but unused space.
    End,
    /// Bytes that are no frame.
    Bad,
}

/// A segment being read from its start.
pub(super) struct Segment {
    pub(super) number: u64,
    pub(super) path: PathBuf,
    /// `None` when the header is not whole: the segment was being made when the process ended.
    pub(super) first_group: Option<u64>,
    /// Where the next frame starts.
    pub(super) offset: u64,
    /// Rows of the frame read last.
    pub(super) payload: Vec<u8>,
    len: u64,
    sums: Sums,
    reader: BufReader<File>,
}

impl Segment {
    pub(super) fn open(files: &Files, salt: &Salt, number: u64) -> Result<Self> {
        let path = files.path(name(number));
        let fail = |e: std::io::Error| Error::io("reading", &path, &e);
        let file = File::open(&path).map_err(fail)?;
        let len = file.metadata().map_err(fail)?.len();
        let mut reader = BufReader::with_capacity(256 << 10, file);
        let mut bytes = [0; HEADER_BYTES];
        let whole = match reader.read_exact(&mut bytes) {
            Ok(()) => true,
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => false,
            Err(e) => return Err(fail(e)),
        };
        let first_group = u64::from_le_bytes(bytes[16..24].try_into().unwrap_or_default());
        let whole = whole && bytes == header(salt, number, first_group);
        Ok(Self {
            number,
            path,
            first_group: whole.then_some(first_group),
            offset: START,
            payload: Vec::new(),
            len,
            sums: Sums::new(salt, number),
            reader,
        })
    }

    pub(super) fn step(&mut self) -> Result<Step> {
        let left = self.len.saturating_sub(self.offset);
        if left < HEADER as u64 {
            return self.unused(&[]);
        }
        let mut bytes = [0; HEADER];
        self.read(&mut bytes)?;
        if bytes == [0; HEADER] {
            return self.unused(&bytes);
        }
        let Some(header) = Header::decode(&bytes, &self.sums) else {
            return Ok(Step::Bad);
        };
        // Checked before memory is taken for it: a length is only believed when the file has the bytes.
        if frame_len(header.len) > left {
            return Ok(Step::Bad);
        }
        let mut payload = std::mem::take(&mut self.payload);
        payload.resize(header.len as usize, 0);
        self.read(&mut payload)?;
        self.payload = payload;
        if self.sums.of(&self.payload) != header.sum {
            return Ok(Step::Bad);
        }
        let end = self.offset + frame_len(header.len);
        self.seek(end)?;
        self.offset = end;
        Ok(Step::Frame(header))
    }

    /// Whether everything from here on is zero, as space not yet used is.
    fn unused(&mut self, already_read: &[u8]) -> Result<Step> {
        let mut at = self.offset + already_read.len() as u64;
        self.seek(at)?;
        let mut buffer = vec![0; 64 << 10];
        while at < self.len {
            let want = usize::try_from(self.len - at)
                .unwrap_or(usize::MAX)
                .min(buffer.len());
            self.read(&mut buffer[..want])?;
            if buffer[..want].iter().any(|byte| *byte != 0) {
                return Ok(Step::Bad);
            }
            at += want as u64;
        }
        Ok(Step::End)
    }

    /// Where a whole group numbered at least `group` starts after a place where none does.
    pub(super) fn find_frame(&mut self, group: u64) -> Result<Option<u64>> {
        const CHUNK: usize = 1 << 20;
        let mut at = self.offset + ALIGN as u64;
        let mut buffer = vec![0; CHUNK + HEADER];
        while at + HEADER as u64 <= self.len {
            self.seek(at)?;
            let want = usize::try_from(self.len - at)
                .unwrap_or(usize::MAX)
                .min(buffer.len());
            self.read(&mut buffer[..want])?;
            let starts = (0..CHUNK.min(want)).step_by(ALIGN);
            for start in starts {
                let Some(bytes) = buffer[..want].get(start..).and_then(<[u8]>::first_chunk) else {
                    break;
                };
                let header = Header::decode(bytes, &self.sums);
                if header.is_some_and(|header| header.group >= group) {
                    return Ok(Some(at + start as u64));
                }
            }
            at += CHUNK as u64;
        }
        Ok(None)
    }

    /// Goes on reading at a frame's start.
    pub(super) fn skip_to(&mut self, offset: u64) -> Result<()> {
        self.seek(offset)?;
        self.offset = offset;
        Ok(())
    }

    pub(super) fn corrupt(&self, offset: u64, detail: impl Into<String>) -> Error {
        Error::Corrupt {
            file: self.path.display().to_string(),
            offset,
            detail: detail.into(),
        }
    }

    fn seek(&mut self, to: u64) -> Result<()> {
        let at = self.reader.stream_position().unwrap_or(u64::MAX);
        let by = i64::try_from(to).unwrap_or(i64::MAX) - i64::try_from(at).unwrap_or(i64::MAX);
        // A relative seek keeps what is buffered.
        let moved = if at == u64::MAX {
            self.reader.seek(SeekFrom::Start(to)).map(|_| ())
        } else {
            self.reader.seek_relative(by)
        };
        moved.map_err(|e| Error::io("reading", &self.path, &e))
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<()> {
        self.reader
            .read_exact(buffer)
            .map_err(|e| Error::io("reading", &self.path, &e))
    }
}
