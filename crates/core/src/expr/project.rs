//! Projections: a part of an item.

use super::ast::{Path, Segment};
use super::error::Fault;
use super::paths;
use crate::{Item, ItemBuilder, Value, ValueRef};

/// A projection, checked and ready to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Projection<'a> {
    /// In [`paths::order`]: what lies below one attribute stands together.
    paths: Vec<Path<'a>>,
}

impl<'a> Projection<'a> {
    pub(super) fn checked(mut paths: Vec<Path<'a>>) -> Self {
        paths.sort_by(paths::order);
        Self { paths }
    }

    /// A projection of paths built by code (`AttributesToGet`, PartiQL).
    ///
    /// # Errors
    /// [`Fault::OverlappingPaths`], [`Fault::ConflictingPaths`].
    pub fn from_paths(paths: Vec<Path<'a>>) -> Result<Self, Fault> {
        paths::check_disjoint(&paths.iter().collect::<Vec<_>>())?;
        Ok(Self::checked(paths))
    }

    /// The paths, sorted.
    #[must_use]
    pub fn paths(&self) -> &[Path<'a>] {
        &self.paths
    }

    /// The part of the item that the paths lead to. What is not there is left out; elements of a list
    /// close ranks in the list's order; a map or list with nothing left in it is left out too.
    ///
    /// Source: dynalite's tests, measured on AWS.
    pub fn apply(&self, item: &Item) -> Item {
        project(&self.paths.iter().collect::<Vec<_>>(), item)
    }
}

/// Projects sorted, disjoint paths: one walk over the item's attributes, which are sorted too.
pub(super) fn project(sorted: &[&Path<'_>], item: &Item) -> Item {
    let mut builder = ItemBuilder::new();
    let mut groups = sorted.chunk_by(|a, b| a.head == b.head).peekable();
    for (name, value) in item {
        while groups.next_if(|group| top(group) < name).is_some() {}
        let Some(group) = groups.next_if(|group| top(group) == name) else {
            match groups.peek() {
                Some(_) => continue,
                None => break,
            }
        };
        if group.iter().all(|path| path.is_nested()) {
            if let Some(part) = prune(value, group, 0) {
                builder.set(name, part.as_ref());
            }
        } else {
            builder.set(name, value);
        }
    }
    builder.build()
}

fn top<'p>(group: &[&'p Path<'_>]) -> &'p str {
    group.first().map_or("", |path| path.top())
}

/// The part of a value that the tails of the paths lead to, from their segment `depth` on. It goes no
/// deeper than the value does.
fn prune(value: ValueRef<'_>, paths: &[&Path<'_>], depth: usize) -> Option<Value> {
    let groups = paths.chunk_by(|a, b| a.tail.get(depth) == b.tail.get(depth));
    match value {
        ValueRef::M(map) => {
            let parts = groups.filter_map(|group| match group.first()?.tail.get(depth)? {
                Segment::Name(name) => Some((
                    name.clone().into_owned(),
                    part(map.get(name)?, group, depth)?,
                )),
                _ => None,
            });
            let map: std::collections::BTreeMap<_, _> = parts.collect();
            (!map.is_empty()).then_some(Value::M(map))
        }
        ValueRef::L(list) => {
            // Sorted paths and one walk: indexes ascend, so the list is read once.
            let mut elements = list.iter().enumerate();
            let mut parts = Vec::new();
            for group in groups {
                let Some(Segment::Index(index)) = group.first()?.tail.get(depth) else {
                    continue;
                };
                let index = usize::try_from(*index).ok()?;
                let Some((_, element)) = elements.find(|(at, _)| *at == index) else {
                    break;
                };
                parts.extend(part(element, group, depth));
            }
            (!parts.is_empty()).then_some(Value::L(parts))
        }
        _ => None,
    }
}

fn part(value: ValueRef<'_>, group: &[&Path<'_>], depth: usize) -> Option<Value> {
    match group.first()?.tail.get(depth + 1) {
        None => Some(value.to_value()),
        Some(_) => prune(value, group, depth + 1),
    }
}
