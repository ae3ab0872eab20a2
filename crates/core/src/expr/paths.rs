//! Document paths: finding what they lead to, and whether two get in each other's way.

use super::ast::{Path, Segment};
use super::error::Fault;
use crate::{Item, ValueRef};
use std::cmp::Ordering;

/// What a path leads to in an item.
pub(super) fn find<'i>(item: &'i Item, path: &Path<'_>) -> Option<ValueRef<'i>> {
    let Segment::Name(name) = &path.head else {
        return None;
    };
    path.tail
        .iter()
        .try_fold(item.get(name)?, |value, segment| step(value, segment))
}

/// One step down.
pub(super) fn step<'i>(value: ValueRef<'i>, segment: &Segment<'_>) -> Option<ValueRef<'i>> {
    match segment {
        Segment::Name(name) => value.member(name),
        Segment::Index(index) => value.element(usize::try_from(*index).ok()?),
        Segment::Placeholder(_) => None,
    }
}

/// Order of paths in which a path comes right before those below it, and a list's steps before a map's.
pub(super) fn order(a: &Path<'_>, b: &Path<'_>) -> Ordering {
    a.segments().map(rank).cmp(b.segments().map(rank))
}

fn rank<'s>(segment: &'s Segment<'_>) -> (u8, u32, &'s str) {
    match segment {
        Segment::Index(index) => (0, *index, ""),
        Segment::Name(name) => (1, 0, name),
        Segment::Placeholder(text) => (2, 0, text),
    }
}

enum Relation {
    Apart,
    Overlap,
    Conflict,
}

fn relation(a: &Path<'_>, b: &Path<'_>) -> Relation {
    for (x, y) in a.segments().zip(b.segments()) {
        match (x, y) {
            (Segment::Index(i), Segment::Index(j)) if i == j => {}
            (Segment::Name(i), Segment::Name(j)) if i == j => {}
            (Segment::Index(_), Segment::Name(_)) | (Segment::Name(_), Segment::Index(_)) => {
                return Relation::Conflict;
            }
            _ => return Relation::Apart,
        }
    }
    Relation::Overlap
}

/// Refuses paths of which one is another or lies below it, then paths of which one takes for a list
/// what another takes for a map.
///
/// Sorted, such paths stand next to each other, so the common case costs a sort. Which two are named
/// is looked for only when there is something to report: the first, in the order written, that
/// meets one written before it.
pub(super) fn check_disjoint(paths: &[&Path<'_>]) -> Result<(), Fault> {
    if paths.len() < 2 {
        return Ok(());
    }
    let mut sorted = paths.to_vec();
    sorted.sort_by(|a, b| order(a, b));
    let mut overlap = false;
    let mut conflict = false;
    for pair in sorted.windows(2) {
        match relation(pair[0], pair[1]) {
            Relation::Apart => {}
            Relation::Overlap => overlap = true,
            Relation::Conflict => conflict = true,
        }
    }
    if overlap {
        let met = first_pair(paths, |a, b| matches!(relation(a, b), Relation::Overlap));
        if let Some((one, two)) = met {
            return Err(Fault::OverlappingPaths { one, two });
        }
    }
    if conflict {
        let met = first_pair(paths, |a, b| matches!(relation(a, b), Relation::Conflict));
        if let Some((one, two)) = met {
            return Err(Fault::ConflictingPaths { one, two });
        }
    }
    Ok(())
}

fn first_pair(
    paths: &[&Path<'_>],
    meets: impl Fn(&Path<'_>, &Path<'_>) -> bool,
) -> Option<(String, String)> {
    paths.iter().enumerate().find_map(|(at, two)| {
        let one = paths[..at].iter().find(|one| meets(one, two))?;
        Some((one.listed(), two.listed()))
    })
}
