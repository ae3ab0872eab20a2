//! Carrying out an update's actions.
//!
//! Actions on top-level attributes replace them without a look at the rest of the item. The others work
//! on a copy of their top-level attribute as a tree: first what sets, in path order, then what removes,
//! deepest first, so that no action moves what another one's index means.

use super::operand::{Given, evaluate};
use crate::expr::ast::{Path, Segment, UpdateAction, ValueLeaf};
use crate::expr::error::UpdateError;
use crate::expr::paths;
use crate::limits::{ITEM_BYTES, NESTING_LEVELS};
use crate::{Item, Value, ValueRef};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What becomes of one path.
enum Change<'v> {
    Put(Given<'v>),
    Remove,
}

pub(super) fn apply(
    actions: &[UpdateAction<'_>],
    item: &Item,
    is_new: bool,
) -> Result<Item, UpdateError> {
    let mut top = Vec::with_capacity(actions.len());
    let mut nested = Vec::new();
    // All that is set stands in the new item, so this is the least it can measure. A short text can set
    // one long value a thousand times.
    let mut size = 0;
    for action in actions {
        let path = action.path();
        let Some(change) = change(action, item, is_new)? else {
            continue;
        };
        if let Change::Put(given) = &change {
            size += given.view().size();
            if size > ITEM_BYTES {
                return Err(UpdateError::TooLarge);
            }
            // A whole attribute is no deeper than the value that it is set to, which has been checked.
            if path.is_nested() && path.tail.len() + given.view().depth() > NESTING_LEVELS {
                return Err(UpdateError::TooDeep);
            }
        }
        if path.is_nested() {
            nested.push((path, change));
        } else {
            top.push((path.top(), change));
        }
    }
    let trees = change_trees(nested, item)?;
    let mut changes: Vec<(&str, Option<ValueRef<'_>>)> = Vec::with_capacity(actions.len());
    for (name, change) in &top {
        changes.push((
            name,
            match change {
                Change::Put(given) => Some(given.view()),
                Change::Remove => None,
            },
        ));
    }
    changes.extend(
        trees
            .iter()
            .map(|(name, tree)| (*name, Some(tree.as_ref()))),
    );
    Ok(item.with(&changes))
}

/// What an action makes of its path, from the item as it was; `None` for no change.
fn change<'v>(
    action: &'v UpdateAction<'_>,
    item: &'v Item,
    is_new: bool,
) -> Result<Option<Change<'v>>, UpdateError> {
    let path = action.path();
    Ok(match action {
        UpdateAction::Set(_, operand) => Some(Change::Put(evaluate(operand, item)?)),
        UpdateAction::Remove(_) if is_new => None,
        UpdateAction::Remove(_) => existing(path, item)?.map(|_| Change::Remove),
        UpdateAction::Add(_, value) => {
            let value = literal(value)?;
            let old = existing(path, item)?;
            let sum = old.map_or(Ok(Cow::Borrowed(value)), |old| {
                add(old, value).map(Cow::Owned)
            });
            Some(Change::Put(Given::Made(sum?)))
        }
        UpdateAction::Delete(_, value) => match existing(path, item)? {
            Some(old) => Some(subtract(old, literal(value)?)?),
            None => None,
        },
    })
}

fn literal<'v>(leaf: &'v ValueLeaf<'_>) -> Result<&'v Value, UpdateError> {
    match leaf {
        ValueLeaf::Literal(value) => Ok(value),
        ValueLeaf::Placeholder(..) => Err(UpdateError::MissingAttribute),
    }
}

/// What a path leads to. Its parent must be there, a map or a list as the path takes it for.
fn existing<'i>(path: &Path<'_>, item: &'i Item) -> Result<Option<ValueRef<'i>>, UpdateError> {
    let Some((last, steps)) = path.tail.split_last() else {
        return Ok(item.get(path.top()));
    };
    let parent = item.get(path.top()).and_then(|top| {
        steps
            .iter()
            .try_fold(top, |value, segment| paths::step(value, segment))
    });
    match (parent, last) {
        (Some(ValueRef::M(_)), Segment::Name(_)) | (Some(ValueRef::L(_)), Segment::Index(_)) => {
            Ok(parent.and_then(|parent| paths::step(parent, last)))
        }
        _ => Err(UpdateError::InvalidPath),
    }
}

/// ADD: a sum of numbers or a union of sets.
fn add(old: ValueRef<'_>, value: &Value) -> Result<Value, UpdateError> {
    match (old.to_value(), value) {
        (Value::N(old), Value::N(more)) => Ok(Value::N(old.checked_add(*more)?)),
        (Value::Ss(mut old), Value::Ss(more)) => {
            old.extend(more.iter().cloned());
            Ok(Value::Ss(old))
        }
        (Value::Ns(mut old), Value::Ns(more)) => {
            old.extend(more.iter().copied());
            Ok(Value::Ns(old))
        }
        (Value::Bs(mut old), Value::Bs(more)) => {
            old.extend(more.iter().cloned());
            Ok(Value::Bs(old))
        }
        _ => Err(UpdateError::OperandType),
    }
}

/// DELETE: a difference of sets; an empty one is removed.
fn subtract<'v>(old: ValueRef<'_>, value: &Value) -> Result<Change<'v>, UpdateError> {
    fn rest<T: Ord>(
        mut old: BTreeSet<T>,
        less: &BTreeSet<T>,
        set: fn(BTreeSet<T>) -> Value,
    ) -> Option<Value> {
        old.retain(|element| !less.contains(element));
        (!old.is_empty()).then(|| set(old))
    }
    let rest = match (old.to_value(), value) {
        (Value::Ss(old), Value::Ss(less)) => rest(old, less, Value::Ss),
        (Value::Ns(old), Value::Ns(less)) => rest(old, less, Value::Ns),
        (Value::Bs(old), Value::Bs(less)) => rest(old, less, Value::Bs),
        _ => return Err(UpdateError::OperandType),
    };
    Ok(rest.map_or(Change::Remove, |rest| {
        Change::Put(Given::Made(Cow::Owned(rest)))
    }))
}

/// Carries out changes below top-level attributes; gives those attributes as they become.
fn change_trees<'p>(
    mut changes: Vec<(&'p Path<'p>, Change<'_>)>,
    item: &Item,
) -> Result<Vec<(&'p str, Value)>, UpdateError> {
    changes.sort_by(|(a, _), (b, _)| paths::order(a, b));
    let mut trees = Vec::new();
    let mut changes = changes.into_iter().peekable();
    while let Some((first, _)) = changes.peek() {
        let name = first.top();
        let top = item.get(name).ok_or(UpdateError::InvalidPath)?;
        let mut tree = top.to_value();
        let mut removals = Vec::new();
        while let Some((path, change)) = changes.next_if(|(path, _)| path.top() == name) {
            match change {
                Change::Put(given) => put(&mut tree, &path.tail, given.into_value())?,
                Change::Remove => removals.push(path.tail.as_slice()),
            }
        }
        remove(&mut tree, removals);
        trees.push((name, tree));
    }
    Ok(trees)
}

fn descend<'t>(tree: &'t mut Value, steps: &[Segment<'_>]) -> Option<&'t mut Value> {
    steps
        .iter()
        .try_fold(tree, |value, segment| match (value, segment) {
            (Value::M(map), Segment::Name(name)) => map.get_mut(name.as_ref()),
            (Value::L(list), Segment::Index(index)) => list.get_mut(usize::try_from(*index).ok()?),
            _ => None,
        })
}

/// Sets what a path leads to. Paths come in ascending order, so an index past the end is the next one.
fn put(tree: &mut Value, path: &[Segment<'_>], value: Value) -> Result<(), UpdateError> {
    let (end, steps) = path.split_last().ok_or(UpdateError::InvalidPath)?;
    match (descend(tree, steps), end) {
        (Some(Value::M(map)), Segment::Name(name)) => {
            map.insert(name.clone().into_owned(), value);
        }
        (Some(Value::L(list)), Segment::Index(index)) => {
            match usize::try_from(*index)
                .ok()
                .and_then(|index| list.get_mut(index))
            {
                Some(element) => *element = value,
                None => list.push(value),
            }
        }
        _ => return Err(UpdateError::InvalidPath),
    }
    Ok(())
}

/// Removes what paths lead to; all of them lead to something. `paths` are in ascending order; the deepest
/// go first, and those of one list together, so that every index still means what it did.
fn remove(tree: &mut Value, mut paths: Vec<&[Segment<'_>]>) {
    paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
    let same_parent = |a: &&[Segment<'_>], b: &&[Segment<'_>]| {
        a.len() == b.len() && a.split_last().map(|(_, s)| s) == b.split_last().map(|(_, s)| s)
    };
    for group in paths.chunk_by(same_parent) {
        let Some((_, steps)) = group.first().and_then(|path| path.split_last()) else {
            continue;
        };
        let ends = group.iter().filter_map(|path| path.last());
        match descend(tree, steps) {
            Some(Value::M(map)) => {
                for segment in ends {
                    if let Segment::Name(name) = segment {
                        map.remove(name.as_ref());
                    }
                }
            }
            Some(Value::L(list)) => {
                let mut gone = ends.filter_map(|segment| match segment {
                    Segment::Index(index) => usize::try_from(*index).ok(),
                    _ => None,
                });
                let mut next = gone.next();
                let mut at = 0;
                list.retain(|_| {
                    let keep = next != Some(at);
                    if !keep {
                        next = gone.next();
                    }
                    at += 1;
                    keep
                });
            }
            _ => {}
        }
    }
}
