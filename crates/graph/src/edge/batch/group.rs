//! Which edges go into one transaction.

use super::{ACTIONS, Waiting};
use crate::changes::Changes;
use crate::edge::Subject;
use crate::requests::Key;
use std::collections::HashSet;

/// Most bytes of edges in one transaction: well below its 4 MB, counters and keys added.
const BYTES: usize = 2 * 1024 * 1024;

/// The edges of the next transaction, and those that wait on: a transaction has no item twice, so what is about an edge
/// that waits already waits behind it.
pub(super) fn group(waiting: Vec<Waiting<'_>>) -> (Vec<Waiting<'_>>, Vec<Waiting<'_>>) {
    let (mut group, mut rest) = (Vec::new(), Vec::new());
    let (mut edges, mut waits): (HashSet<Key>, HashSet<Key>) = Default::default();
    let mut ends: HashSet<(&str, &str)> = HashSet::new();
    let mut bytes = 0;
    for one in waiting {
        if edges.len() + ends.len() >= ACTIONS - 1 {
            rest.push(one);
            continue;
        }
        let Subject {
            relation,
            source,
            target,
            ref key,
        } = one.subject;
        let of_edge = [
            (relation.from.as_str(), source),
            (relation.to.as_str(), target),
        ];
        let mut new: Vec<_> = of_edge.iter().filter(|end| !ends.contains(*end)).collect();
        new.dedup();
        let size = one.link.map_or(0, size_of);
        let fits = edges.len() + ends.len() + 1 + new.len() <= ACTIONS && bytes + size <= BYTES;
        let again = edges.contains(key) || waits.contains(key);
        if group.is_empty() || (fits && !again) {
            ends.extend(of_edge);
            edges.insert(key.clone());
            bytes += size;
            group.push(one);
        } else {
            waits.insert(key.clone());
            rest.push(one);
        }
    }
    (group, rest)
}

/// About what attributes take in an item.
fn size_of(attributes: &Changes) -> usize {
    let mut json = Vec::new();
    for (_, value) in attributes.iter() {
        if let Some(value) = value {
            bothways_core::json::write_value(value.as_ref(), &mut json);
        }
    }
    json.len()
}
