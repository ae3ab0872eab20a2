//! Rows not yet in a table: every version of every key written since the last rotation.
//!
//! Writers insert in parallel, readers never wait. A reader at a number skips what is newer by searching
//! for its version, so that a key with a hundred thousand versions costs a scan no more than any other.

use crate::Seq;
use bytes::Bytes;
use crossbeam_skiplist::SkipMap;
use crossbeam_skiplist::map::Entry;
use std::borrow::Borrow;
use std::cmp::Ordering as Order;
use std::ops::Bound;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a version costs in memory beside its bytes: a skip list node, two `Bytes` and their allocations.
pub(super) const VERSION_OVERHEAD: u64 = 180;
/// Versions of one key that are stepped over before searching.
const STEPS: usize = 4;

/// One version's place: by key, newest first.
#[derive(Debug)]
struct Version {
    /// The key's first bytes. Most comparisons end here, without going to the key on the heap.
    head: u128,
    key: Bytes,
    seq: Seq,
}

/// A version's place without owning its key, for searches.
#[derive(Clone, Copy)]
struct Probe<'a> {
    head: u128,
    key: &'a [u8],
    seq: Seq,
}

/// A key's first bytes as a number; absent ones are zero, so that keys which differ may have the same.
fn head(key: &[u8]) -> u128 {
    if let Some(bytes) = key.first_chunk() {
        return u128::from_be_bytes(*bytes);
    }
    let mut bytes = [0; 16];
    bytes[..key.len()].copy_from_slice(key);
    u128::from_be_bytes(bytes)
}

impl<'a> Probe<'a> {
    fn new(key: &'a [u8], seq: Seq) -> Self {
        Self {
            head: head(key),
            key,
            seq,
        }
    }

    fn compare(&self, other: &Self) -> Order {
        let keys = self
            .head
            .cmp(&other.head)
            .then_with(|| self.key.cmp(other.key));
        keys.then_with(|| other.seq.cmp(&self.seq))
    }
}

trait Place {
    fn place(&self) -> Probe<'_>;
}

impl Place for Version {
    fn place(&self) -> Probe<'_> {
        Probe {
            head: self.head,
            key: &self.key,
            seq: self.seq,
        }
    }
}

impl Place for Probe<'_> {
    fn place(&self) -> Probe<'_> {
        *self
    }
}

impl<'a> Borrow<dyn Place + 'a> for Version {
    fn borrow(&self) -> &(dyn Place + 'a) {
        self
    }
}

impl PartialEq for dyn Place + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Order::Equal
    }
}
impl Eq for dyn Place + '_ {}
impl PartialOrd for dyn Place + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Order> {
        Some(self.cmp(other))
    }
}
impl Ord for dyn Place + '_ {
    fn cmp(&self, other: &Self) -> Order {
        self.place().compare(&other.place())
    }
}
impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Order::Equal
    }
}
impl Eq for Version {}
impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Order> {
        Some(self.cmp(other))
    }
}
impl Ord for Version {
    fn cmp(&self, other: &Self) -> Order {
        self.place().compare(&other.place())
    }
}

type Map = SkipMap<Version, Option<Bytes>>;

/// The last commit and group whose rows are in a memtable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    pub(super) seq: Seq,
    pub(super) group: u64,
}

/// See the module.
#[derive(Default)]
pub(super) struct Memtable {
    map: Map,
    bytes: AtomicU64,
    /// Set when no commit can be given to it any more.
    end: OnceLock<End>,
}

impl Memtable {
    /// Adds one version; the later of two of one commit wins.
    pub(super) fn insert(&self, key: Bytes, seq: Seq, value: Option<Bytes>) {
        let head = head(&key);
        self.map.insert(Version { head, key, seq }, value);
    }

    /// Counts bytes that are about to be inserted.
    pub(super) fn reserve(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    pub(super) fn seal(&self, end: End) {
        let _ = self.end.set(end);
    }

    pub(super) fn end(&self) -> Option<End> {
        self.end.get().copied()
    }

    /// The newest version at or below a number: its number, and the value unless it is a deletion.
    pub(super) fn get(&self, key: &[u8], at: Seq) -> Option<(Seq, Option<Bytes>)> {
        let entry = self
            .map
            .lower_bound(Bound::Included(&Probe::new(key, at) as &dyn Place))?;
        let version = entry.key();
        (version.key == key).then(|| (version.seq, entry.value().clone()))
    }

    /// Every version, by key, newest first.
    pub(super) fn versions(&self) -> impl Iterator<Item = (Bytes, Seq, Option<Bytes>)> + '_ {
        self.map.iter().map(|entry| {
            let version = entry.key();
            (version.key.clone(), version.seq, entry.value().clone())
        })
    }

    pub(super) fn cursor(&self, at: Seq, start: Bound<&[u8]>, reverse: bool) -> Cursor<'_> {
        let mut cursor = Cursor {
            map: &self.map,
            at,
            reverse,
            entry: None,
        };
        cursor.entry = cursor.seek(start);
        cursor
    }
}

/// Goes over the keys of a memtable, each with its newest version at or below a number.
pub(super) struct Cursor<'a> {
    map: &'a Map,
    at: Seq,
    reverse: bool,
    /// Forward the first version of the next key that is not yet looked at, in reverse the last.
    entry: Option<Entry<'a, Version, Option<Bytes>>>,
}

impl<'a> Cursor<'a> {
    fn seek(&self, start: Bound<&[u8]>) -> Option<Entry<'a, Version, Option<Bytes>>> {
        match (start, self.reverse) {
            (Bound::Unbounded, false) => self.map.front(),
            (Bound::Unbounded, true) => self.map.back(),
            // The first place of a key is at the largest number, its last at 0, which no commit has.
            (Bound::Included(key), false) => self.from(key, Seq::MAX),
            (Bound::Excluded(key), false) => self.from(key, 0),
            (Bound::Included(key), true) => self.until(key, 0),
            (Bound::Excluded(key), true) => self.until(key, Seq::MAX),
        }
    }

    fn from(&self, key: &[u8], seq: Seq) -> Option<Entry<'a, Version, Option<Bytes>>> {
        self.map
            .lower_bound(Bound::Included(&Probe::new(key, seq) as &dyn Place))
    }

    fn until(&self, key: &[u8], seq: Seq) -> Option<Entry<'a, Version, Option<Bytes>>> {
        self.map
            .upper_bound(Bound::Included(&Probe::new(key, seq) as &dyn Place))
    }

    /// The next key that has a version at or below our number.
    pub(super) fn next(&mut self) -> Option<(Bytes, Option<Bytes>)> {
        if self.reverse {
            self.next_back()
        } else {
            self.next_front()
        }
    }

    fn next_front(&mut self) -> Option<(Bytes, Option<Bytes>)> {
        let mut entry = self.entry.take()?;
        let mut steps = 0;
        while entry.key().seq > self.at {
            if steps < STEPS {
                steps += 1;
                entry = entry.next()?;
            } else {
                steps = 0;
                entry = self.from(&entry.key().key, self.at)?;
            }
        }
        let row = (entry.key().key.clone(), entry.value().clone());
        self.entry = self.after(entry, &row.0);
        Some(row)
    }

    /// The first version of the key after `key`.
    fn after(
        &self,
        mut entry: Entry<'a, Version, Option<Bytes>>,
        key: &[u8],
    ) -> Option<Entry<'a, Version, Option<Bytes>>> {
        for _ in 0..STEPS {
            entry = entry.next()?;
            if entry.key().key != key {
                return Some(entry);
            }
        }
        self.from(key, 0)
    }

    fn next_back(&mut self) -> Option<(Bytes, Option<Bytes>)> {
        loop {
            let entry = self.entry.take()?;
            let key = &entry.key().key;
            let before = entry.prev();
            let alone = before
                .as_ref()
                .is_none_or(|before| before.key().key != *key);
            self.entry = if alone {
                before
            } else {
                self.until(key, Seq::MAX)
            };
            // The oldest version is too new, so all are.
            if entry.key().seq > self.at {
                continue;
            }
            if alone {
                return Some((key.clone(), entry.value().clone()));
            }
            let visible = self.from(key, self.at)?;
            return Some((key.clone(), visible.value().clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(table: &Memtable, at: Seq, start: Bound<&[u8]>, reverse: bool) -> Vec<String> {
        let mut cursor = table.cursor(at, start, reverse);
        let mut keys = Vec::new();
        while let Some((key, value)) = cursor.next() {
            let value = value.map_or("-".into(), |v| String::from_utf8(v.to_vec()).unwrap());
            keys.push(format!(
                "{}={value}",
                String::from_utf8(key.to_vec()).unwrap()
            ));
        }
        keys
    }

    #[test]
    fn a_cursor_shows_each_key_once_at_its_number() {
        let table = Memtable::default();
        for seq in 1..=40_u64 {
            table.insert("hot".into(), seq, Some(format!("{seq}").into()));
        }
        table.insert("a".into(), 3, Some("x".into()));
        table.insert("a".into(), 9, None);
        table.insert("new".into(), 30, Some("y".into()));
        let included = Bound::Included(&b"hot"[..]);
        let excluded = Bound::Excluded(&b"hot"[..]);
        let cases = [
            (2, Bound::Unbounded, vec!["hot=2"]),
            (5, Bound::Unbounded, vec!["a=x", "hot=5"]),
            (9, Bound::Unbounded, vec!["a=-", "hot=9"]),
            (40, Bound::Unbounded, vec!["a=-", "hot=40", "new=y"]),
            (40, included, vec!["hot=40", "new=y"]),
            (40, excluded, vec!["new=y"]),
            (0, Bound::Unbounded, vec![]),
        ];
        for (at, start, want) in cases {
            assert_eq!(keys(&table, at, start, false), want, "{at}");
        }
        assert_eq!(
            keys(&table, 40, Bound::Unbounded, true),
            ["new=y", "hot=40", "a=-"]
        );
        assert_eq!(keys(&table, 4, Bound::Unbounded, true), ["hot=4", "a=x"]);
        assert_eq!(keys(&table, 40, included, true), ["hot=40", "a=-"]);
        assert_eq!(keys(&table, 40, excluded, true), ["a=-"]);
        assert_eq!(table.get(b"hot", 17), Some((17, Some("17".into()))));
        assert_eq!(table.get(b"new", 29), None);
    }
}
