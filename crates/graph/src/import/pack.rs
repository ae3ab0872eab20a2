//! Rows packed into transactions: as many edges as fit, their counters coalesced.

use super::rows::Row;
use crate::model::{Model, Relation};
use std::collections::{HashMap, HashSet, VecDeque};

/// Actions of one transaction (API Reference, `TransactWriteItems`).
const ACTIONS: usize = 100;
/// Raw bytes of rows in one transaction: below its 4 MB with keys, presets and index keys added.
const CHUNK_BYTES: usize = 1024 * 1024;
/// Parts into which targets are dealt. Rows of different parts share no target, so that transactions of different parts
/// seldom meet; and a source's edges to one part share its counter.
const LANES: usize = 16;
/// Rows from which another part is worth it.
const ROWS_PER_LANE: usize = 4096;

/// Edges of one transaction.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) rows: Vec<Row>,
    /// The entities' items that it moves, numbered within the window.
    pub(super) items: Vec<u32>,
}

/// What has to be done on each side of an edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sides {
    source: bool,
    target: bool,
}

impl Sides {
    pub(super) fn of(model: &Model, relation: &Relation) -> Self {
        let acts = |entity: &str, counter: &Option<String>| {
            let indexed = model.entity(entity).is_some_and(|e| e.indexed.is_some());
            counter.is_some() || model.referential || (model.upsert_entities && indexed)
        };
        Self {
            source: acts(&relation.from, &relation.counters.out),
            target: acts(&relation.to, &relation.counters.inward),
        }
    }
}

/// Spreads targets over lanes, the same way in every run.
fn lane(target: &str, lanes: usize) -> usize {
    let hash = crate::cursor::fingerprint(&[target]);
    usize::try_from(hash % lanes as u64).unwrap_or(0)
}

/// Numbers the items of entities.
struct Numbers {
    known: HashMap<(bool, String), u32>,
    one_kind: bool,
}

impl Numbers {
    fn of(&mut self, target_side: bool, id: &str) -> u32 {
        let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        let side = target_side && !self.one_kind;
        *self.known.entry((side, id.to_owned())).or_insert(next)
    }
}

/// Packs a window. Also tells how many rows repeat an edge of the window: the first counts.
pub(super) fn pack(
    model: &Model,
    relation: &Relation,
    mut rows: Vec<Row>,
) -> (VecDeque<Chunk>, u64) {
    let lanes = (rows.len() / ROWS_PER_LANE).clamp(1, LANES);
    rows.sort_by_cached_key(|row| {
        let ends = (row.source.clone(), row.target.clone());
        (lane(&row.target, lanes), ends, row.line)
    });
    let before = rows.len();
    rows.dedup_by(|b, a| a.source == b.source && a.target == b.target);
    let repeated = (before - rows.len()) as u64;

    let sides = Sides::of(model, relation);
    let mut numbers = Numbers {
        known: HashMap::new(),
        one_kind: relation.from == relation.to,
    };
    let mut by_lane: Vec<VecDeque<Chunk>> = (0..lanes).map(|_| VecDeque::new()).collect();
    let mut open = Open::default();
    let mut open_lane = 0;
    for row in rows {
        let at = lane(&row.target, lanes);
        let mut items = Vec::with_capacity(2);
        if sides.source {
            items.push(numbers.of(false, &row.source));
        }
        if sides.target {
            items.push(numbers.of(true, &row.target));
        }
        items.dedup();
        if at != open_lane || !open.fits(&row, &items) {
            by_lane[open_lane].extend(open.close());
            open_lane = at;
        }
        open.add(row, &items);
    }
    by_lane[open_lane].extend(open.close());
    (interleave(by_lane), repeated)
}

/// Takes chunks from the lanes in turn.
fn interleave(mut lanes: Vec<VecDeque<Chunk>>) -> VecDeque<Chunk> {
    let mut all = VecDeque::new();
    loop {
        let before = all.len();
        for lane in &mut lanes {
            all.extend(lane.pop_front());
        }
        if all.len() == before {
            return all;
        }
    }
}

/// The chunk that is being filled.
#[derive(Default)]
struct Open {
    rows: Vec<Row>,
    items: HashSet<u32>,
    bytes: usize,
}

impl Open {
    fn fits(&self, row: &Row, items: &[u32]) -> bool {
        let new = items.iter().filter(|i| !self.items.contains(i)).count();
        self.rows.len() + self.items.len() + new < ACTIONS
            && self.bytes + row.text.len() <= CHUNK_BYTES
    }
    fn add(&mut self, row: Row, items: &[u32]) {
        self.bytes += row.text.len();
        self.items.extend(items);
        self.rows.push(row);
    }
    fn close(&mut self) -> Option<Chunk> {
        let open = std::mem::take(self);
        (!open.rows.is_empty()).then(|| Chunk {
            rows: open.rows,
            items: open.items.into_iter().collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::Changes;
    use crate::model::shipped;

    fn rows(pairs: impl Iterator<Item = (u32, u32)>) -> Vec<Row> {
        let row = |(i, (source, target)): (usize, (u32, u32))| Row {
            source: source.to_string(),
            target: target.to_string(),
            attributes: Changes::new(),
            line: i as u64,
            text: String::new(),
        };
        pairs.enumerate().map(row).collect()
    }

    fn packed(pairs: impl Iterator<Item = (u32, u32)>) -> (VecDeque<Chunk>, u64) {
        let model = shipped("follow").unwrap().model;
        pack(&model, model.relation("follows").unwrap(), rows(pairs))
    }

    #[test]
    fn no_chunk_has_more_than_a_hundred_actions_and_every_edge_is_in_one() {
        let pairs = (0..50_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) % 900, i % 700));
        let want: HashSet<(u32, u32)> = pairs.clone().collect();
        let (chunks, repeated) = packed(pairs);
        let mut got = Vec::new();
        for chunk in &chunks {
            assert!(chunk.rows.len() + chunk.items.len() <= ACTIONS);
            let number = |id: &String| id.parse::<u32>().unwrap();
            got.extend(
                chunk
                    .rows
                    .iter()
                    .map(|r| (number(&r.source), number(&r.target))),
            );
        }
        assert_eq!(got.len() as u64 + repeated, 50_000);
        assert_eq!(got.len(), want.len());
        assert_eq!(got.into_iter().collect::<HashSet<_>>(), want);
    }

    #[test]
    fn a_busy_source_takes_one_counter_action() {
        let (chunks, _) = packed((0..49).map(|i| (1000, i)));
        assert_eq!(chunks.len(), 1);
        assert_eq!(chunks[0].items.len(), 50);
    }

    #[test]
    fn the_first_of_repeated_rows_counts() {
        let (chunks, repeated) = packed([(1, 2), (1, 3), (1, 2), (1, 2)].into_iter());
        assert_eq!(repeated, 2);
        let lines: Vec<u64> = chunks[0].rows.iter().map(|r| r.line).collect();
        assert_eq!(lines, [0, 1]);
    }
}
