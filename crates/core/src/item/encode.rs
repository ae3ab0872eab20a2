//! Writing encoded values: one growing buffer, containers closed in place.

use super::read::tag;
use super::varint::{self, push_varint, varint_width};
use crate::limits::{DOCUMENT_OVERHEAD_BYTES, ELEMENT_OVERHEAD_BYTES};
use crate::number::encode_compact;
use crate::{Number, ValueRef, held};
use bytes::Bytes;
use smallvec::SmallVec;

/// Length and count are written when a list or map is closed; this much room is left for them, so that
/// small ones need no shifting.
const HEADER_ROOM: usize = 2;

/// Longest header: format, size, count.
const HEADER_BYTES: usize = 1 + 5 + 5;

/// So many need no allocation.
const USUAL_ATTRIBUTES: usize = 8;
const USUAL_LEVELS: usize = 4;

/// Appends a length and bytes.
pub(crate) fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    push_varint(out, bytes.len());
    out.extend_from_slice(bytes);
}

/// Appends one value whole, tag and all.
pub(super) fn push_value(out: &mut Vec<u8>, value: ValueRef<'_>) {
    let mut encoder = Encoder::on(std::mem::take(out));
    encoder.value(value);
    *out = encoder.buffer;
}

/// A member of an open map (or of the item itself): where its name and record lie in the buffer.
#[derive(Debug, Clone, Copy)]
struct Entry {
    start: usize,
    name: usize,
    name_end: usize,
    end: usize,
    /// Size of name and value, as DynamoDB counts.
    size: usize,
}

/// An open list or map, or the whole item at the bottom.
#[derive(Debug, Clone, Copy)]
struct Frame {
    /// Where its elements start.
    body: usize,
    /// Where its members start in `entries`; lists have none.
    entries: usize,
    is_map: bool,
    count: usize,
    /// Size of the elements so far, as DynamoDB counts, with their overhead.
    size: usize,
}

/// State to go back to: drops what was written since.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    length: usize,
    entries: usize,
    last: Option<Entry>,
    frame: Option<Frame>,
}

/// Writes values one after the other. The caller keeps the grammar: in a map a name, then a value.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    buffer: Vec<u8>,
    entries: SmallVec<[Entry; USUAL_ATTRIBUTES]>,
    frames: SmallVec<[Frame; USUAL_LEVELS]>,
}

impl Encoder {
    /// An encoder of a map's members (those of an item).
    pub(crate) fn of_members(capacity: usize) -> Self {
        let mut encoder = Self {
            buffer: Vec::with_capacity(capacity),
            entries: SmallVec::new(),
            frames: SmallVec::new(),
        };
        encoder.frames.push(Frame {
            body: 0,
            entries: 0,
            is_map: true,
            count: 0,
            size: 0,
        });
        encoder
    }

    fn on(buffer: Vec<u8>) -> Self {
        Self {
            buffer,
            entries: SmallVec::new(),
            frames: SmallVec::new(),
        }
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            length: self.buffer.len(),
            entries: self.entries.len(),
            last: self.entries.last().copied(),
            frame: self.frames.last().copied(),
        }
    }

    /// Forgets what was written since `mark` was taken, in the same list or map.
    pub(crate) fn reset(&mut self, mark: Mark) {
        self.buffer.truncate(mark.length);
        self.entries.truncate(mark.entries);
        if let (Some(last), Some(kept)) = (self.entries.last_mut(), mark.last) {
            *last = kept;
        }
        if let (Some(top), Some(kept)) = (self.frames.last_mut(), mark.frame) {
            *top = kept;
        }
    }

    /// Forgets a list or map opened since `mark` was taken.
    pub(crate) fn cancel(&mut self, mark: Mark) {
        self.frames.pop();
        self.reset(mark);
    }

    pub(crate) fn name(&mut self, name: &str) {
        let start = self.buffer.len();
        push_bytes(&mut self.buffer, name.as_bytes());
        let name_end = self.buffer.len();
        self.entries.push(Entry {
            start,
            name: name_end - name.len(),
            name_end,
            end: name_end,
            size: 0,
        });
    }

    /// Books a value that was just written into the list or map around it.
    fn wrote(&mut self, size: usize) {
        let nested = self.frames.len() > 1;
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let mut weight = size;
        if frame.is_map
            && let Some(entry) = self.entries.last_mut()
        {
            weight += entry.name_end - entry.name;
            entry.end = self.buffer.len();
            entry.size = weight;
        }
        frame.count += 1;
        frame.size += weight + if nested { ELEMENT_OVERHEAD_BYTES } else { 0 };
    }

    pub(crate) fn string(&mut self, text: &str) {
        self.buffer.push(tag::STRING);
        push_bytes(&mut self.buffer, text.as_bytes());
        self.wrote(text.len());
    }

    pub(crate) fn binary(&mut self, bytes: &[u8]) {
        self.buffer.push(tag::BINARY);
        push_bytes(&mut self.buffer, bytes);
        self.wrote(bytes.len());
    }

    pub(crate) fn number(&mut self, number: Number) {
        self.buffer.push(tag::NUMBER);
        encode_compact(number, &mut self.buffer);
        self.wrote(number.size());
    }

    pub(crate) fn bool(&mut self, flag: bool) {
        self.buffer.push(if flag { tag::TRUE } else { tag::FALSE });
        self.wrote(1);
    }

    pub(crate) fn null(&mut self) {
        self.buffer.push(tag::NULL);
        self.wrote(1);
    }

    /// Writes a set of strings or binaries from members in ascending order, each once.
    pub(crate) fn set_of_bytes<'m>(
        &mut self,
        tag: u8,
        members: impl Iterator<Item = &'m [u8]> + Clone,
    ) {
        let (mut count, mut size, mut length) = (0, 0, 0);
        for member in members.clone() {
            count += 1;
            size += member.len();
            length += varint_width(member.len()) + member.len();
        }
        self.set_header(tag, count, length);
        for member in members {
            push_bytes(&mut self.buffer, member);
        }
        self.wrote(size);
    }

    /// Writes a number set from members in ascending order, each once.
    pub(crate) fn set_of_numbers(&mut self, members: impl Iterator<Item = Number>) {
        let (mut count, mut size) = (0, 0);
        let mut body = Vec::new();
        for member in members {
            count += 1;
            size += member.size();
            encode_compact(member, &mut body);
        }
        self.set_header(tag::NUMBER_SET, count, body.len());
        self.buffer.extend_from_slice(&body);
        self.wrote(size);
    }

    fn set_header(&mut self, tag: u8, count: usize, length: usize) {
        self.buffer.push(tag);
        push_varint(&mut self.buffer, varint_width(count) + length);
        push_varint(&mut self.buffer, count);
    }

    pub(crate) fn open_list(&mut self) {
        self.open(tag::LIST, false);
    }

    pub(crate) fn open_map(&mut self) {
        self.open(tag::MAP, true);
    }

    fn open(&mut self, tag: u8, is_map: bool) {
        self.buffer.push(tag);
        self.buffer.extend_from_slice(&[0; HEADER_ROOM]);
        self.frames.push(Frame {
            body: self.buffer.len(),
            entries: self.entries.len(),
            is_map,
            count: 0,
            size: DOCUMENT_OVERHEAD_BYTES,
        });
    }

    /// Closes the innermost list or map; nothing where none is open.
    pub(crate) fn close(&mut self) {
        if self.frames.is_empty() {
            return;
        }
        self.sort_members();
        let Some(frame) = self.frames.pop() else {
            return;
        };
        self.entries.truncate(frame.entries);
        let length = varint_width(frame.count) + self.buffer.len() - frame.body;
        let header = varint_width(length) + varint_width(frame.count);
        let start = frame.body - HEADER_ROOM;
        if header > HEADER_ROOM {
            let end = self.buffer.len();
            self.buffer.resize(end + header - HEADER_ROOM, 0);
            self.buffer.copy_within(frame.body..end, start + header);
        }
        let mut position = start;
        for value in [length, frame.count] {
            let (bytes, width) = varint::bytes(value);
            self.buffer[position..position + width].copy_from_slice(&bytes[..width]);
            position += width;
        }
        self.wrote(frame.size);
    }

    /// Brings the innermost map's members into order of their names, in the buffer too.
    fn sort_members(&mut self) {
        let Some(first) = self.sort_entries(ELEMENT_OVERHEAD_BYTES) else {
            return;
        };
        let mut body = Vec::with_capacity(self.buffer.len() - first.body);
        for entry in &self.entries[first.entries..] {
            body.extend_from_slice(&self.buffer[entry.start..entry.end]);
        }
        self.buffer.truncate(first.body);
        self.buffer.extend_from_slice(&body);
    }

    /// Brings the entries of the innermost map into order of their names, and its count and size to what
    /// they then are: of two with one name the last stays. `None` where nothing changed.
    fn sort_entries(&mut self, overhead: usize) -> Option<Frame> {
        let frame = *self.frames.last()?;
        let buffer = &self.buffer;
        let name = |entry: &Entry| &buffer[entry.name..entry.name_end];
        let entries = &mut self.entries[frame.entries..];
        if entries
            .windows(2)
            .all(|pair| name(&pair[0]) < name(&pair[1]))
        {
            return None;
        }
        entries.sort_by(|a, b| name(a).cmp(name(b)));
        let mut kept = 0;
        let mut dropped = 0;
        for index in 1..entries.len() {
            if name(&entries[kept]) == name(&entries[index]) {
                dropped += entries[kept].size + overhead;
            } else {
                kept += 1;
            }
            entries[kept] = entries[index];
        }
        self.entries.truncate(frame.entries + kept + 1);
        if let Some(top) = self.frames.last_mut() {
            top.count = kept + 1;
            top.size -= dropped;
        }
        Some(frame)
    }

    /// Writes a value, whole.
    pub(crate) fn value(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::S(text) => self.string(text),
            ValueRef::N(number) => self.number(number),
            ValueRef::B(bytes) => self.binary(bytes),
            ValueRef::Bool(flag) => self.bool(flag),
            ValueRef::Null => self.null(),
            ValueRef::Ss(set) => match set.body() {
                Some(body) => self.raw(tag::STRING_SET, body, value),
                None => self.set_of_bytes(tag::STRING_SET, set.iter().map(str::as_bytes)),
            },
            ValueRef::Ns(set) => match set.body() {
                Some(body) => self.raw(tag::NUMBER_SET, body, value),
                None => self.set_of_numbers(set.iter()),
            },
            ValueRef::Bs(set) => match set.body() {
                Some(body) => self.raw(tag::BINARY_SET, body, value),
                None => self.set_of_bytes(tag::BINARY_SET, set.iter()),
            },
            ValueRef::L(list) => {
                if let Some(body) = list.body() {
                    return self.raw(tag::LIST, body, value);
                }
                self.open_list();
                for element in list {
                    self.value(element);
                }
                self.close();
            }
            ValueRef::M(map) => {
                if let Some(body) = map.body() {
                    return self.raw(tag::MAP, body, value);
                }
                self.open_map();
                for (name, member) in map {
                    self.name(name);
                    self.value(member);
                }
                self.close();
            }
        }
    }

    /// Copies a set, list or map that is encoded already.
    fn raw(&mut self, tag: u8, body: &[u8], value: ValueRef<'_>) {
        self.buffer.push(tag);
        push_bytes(&mut self.buffer, body);
        self.wrote(value.size());
    }

    /// Closes everything and puts the members, in order, behind their header.
    pub(crate) fn finish(mut self, format: u8) -> Bytes {
        while self.frames.len() > 1 {
            self.close();
        }
        self.sort_entries(0);
        let (count, size) = self
            .frames
            .last()
            .map_or((0, 0), |frame| (frame.count, frame.size));
        let members = self.entries.iter().map(|entry| entry.start..entry.end);
        let members = members.map(|range| &self.buffer[range]);
        assemble(format, size, count, &members)
    }
}

/// An item: its header and the bytes of its members, in one piece.
pub(super) fn assemble<'m>(
    format: u8,
    size: usize,
    count: usize,
    members: &(impl Iterator<Item = &'m [u8]> + Clone),
) -> Bytes {
    let mut header: SmallVec<[u8; HEADER_BYTES]> = SmallVec::new();
    header.push(format);
    for number in [size, count] {
        let (bytes, width) = varint::bytes(number);
        header.extend_from_slice(&bytes[..width]);
    }
    let length = header.len() + members.clone().map(<[u8]>::len).sum::<usize>();
    held::filled(length, &mut |out| {
        let (start, mut rest) = out.split_at_mut(header.len());
        start.copy_from_slice(&header);
        for member in members.clone() {
            let (place, after) = rest.split_at_mut(member.len());
            place.copy_from_slice(member);
            rest = after;
        }
    })
}
