//! What an update makes of an item, as far as its actions tell.

use super::UnitRange;
use super::write::{New, Old, likely_row, row};
use crate::Schema;
use crate::schema::IndexSchema;
use bothways_core::expr::{Operand, Path, Segment, UpdateAction, ValueLeaf};
use bothways_core::limits::{DOCUMENT_OVERHEAD_BYTES, ELEMENT_OVERHEAD_BYTES, ITEM_BYTES};
use bothways_core::{Item, Value};
use bothways_protocol::types::Units;
use std::collections::BTreeMap;

/// Most bytes that a number takes: 38 digits, two to a byte, and its exponent.
const NUMBER_BYTES: u64 = 21;

/// An update of the item of a key.
pub(super) struct Change<'u, 'a> {
    /// None where it is only in a statement's conditions.
    pub(super) key: Option<&'u Item>,
    pub(super) actions: &'u [UpdateAction<'a>],
}

impl Change<'_, '_> {
    /// The item as it will be.
    pub(super) fn new_item(&self, old: Old) -> New {
        let key = self.key.map_or(0, |key| key.size() as u64);
        let own = key + self.certain();
        let growth = |old: u64| -> u64 {
            let all = self.actions.iter().map(|action| growth(action, old));
            all.sum()
        };
        let limit = ITEM_BYTES as u64;
        let largest = old.largest().unwrap_or(limit);
        // A statement's key is as large as the item was.
        let most = (largest.max(key) + growth(largest)).min(limit);
        let likely = if old.is_none() {
            key + growth(0)
        } else {
            old.likely().max(own)
        };
        New {
            least: own.min(limit),
            likely: likely.min(limit),
            most: most.max(own.min(limit)),
        }
    }

    /// Bytes of the attributes that it assigns a value as a whole: they are there afterwards, whatever was there.
    fn certain(&self) -> u64 {
        let mut all = BTreeMap::new();
        for action in self.actions {
            if let UpdateAction::Set(path, operand) = action
                && let (false, Some(value)) = (path.is_nested(), literal(operand))
            {
                let bytes = path.top().len() + value.as_ref().size();
                all.insert(path.top(), bytes as u64);
            }
        }
        all.values().sum()
    }

    /// What one index is charged: nothing where its row stays as it is, twice where the row moves.
    pub(super) fn of_index(
        &self,
        schema: &Schema,
        index: &IndexSchema,
        new: New,
        old: Old,
    ) -> UnitRange {
        let sets = |name: &str| {
            let mut all = self.actions.iter();
            all.any(|action| is_given(action) && action.path().top() == name)
        };
        let has_row = index
            .keys
            .names()
            .all(|name| schema.keys.contains(name) || sets(name));
        if old.is_none() {
            return if has_row {
                UnitRange::between(2, likely_row(index, new.likely), row(new.most))
            } else {
                UnitRange::NONE
            };
        }
        let moves = self.touches(|name| index.keys.contains(name));
        let changes = moves
            || self.touches(|name| match &index.projected {
                None => true,
                Some(others) => others.iter().any(|own| own == name),
            });
        let likely = if has_row && changes {
            likely_row(index, new.likely)
        } else {
            0
        };
        let most = old.largest().map(|largest| {
            let (before, after) = (row(largest), row(new.most));
            let existing = match (moves, changes) {
                (true, _) => before + after,
                (_, true) => before.max(after),
                _ => 0,
            };
            // Where nothing was, a new item may bring a row.
            let fresh = match old {
                Old::Measured(_) => 0,
                _ if has_row => after,
                _ => 0,
            };
            Units(existing.max(fresh).max(likely))
        });
        UnitRange {
            least: Units(0),
            likely: Some(Units(likely)),
            most,
        }
    }

    fn touches(&self, is_own: impl Fn(&str) -> bool) -> bool {
        let mut all = self.actions.iter();
        all.any(|action| is_own(action.path().top()))
    }
}

/// Whether the attribute is there afterwards, whatever was there.
fn is_given(action: &UpdateAction<'_>) -> bool {
    match action {
        UpdateAction::Set(path, _) | UpdateAction::Add(path, _) => !path.is_nested(),
        UpdateAction::Remove(_) | UpdateAction::Delete(..) => false,
    }
}

fn literal<'n>(operand: &'n Operand<'_>) -> Option<&'n Value> {
    match operand {
        Operand::Value(ValueLeaf::Literal(value)) => Some(value),
        _ => None,
    }
}

/// Bytes that an action adds at most, with so many there before.
fn growth(action: &UpdateAction<'_>, old: u64) -> u64 {
    match action {
        UpdateAction::Set(path, operand) => names(path) + result(operand, old),
        UpdateAction::Add(path, leaf) => names(path) + of_leaf(leaf).max(NUMBER_BYTES),
        UpdateAction::Remove(_) | UpdateAction::Delete(..) => 0,
    }
}

/// Bytes of a path's names and of what lists and maps keep for each element.
fn names(path: &Path<'_>) -> u64 {
    let overhead = (ELEMENT_OVERHEAD_BYTES + DOCUMENT_OVERHEAD_BYTES) as u64;
    let all = path.segments().map(|segment| match segment {
        Segment::Name(name) => overhead + name.len() as u64,
        Segment::Index(_) | Segment::Placeholder(_) => overhead,
    });
    path.top().len() as u64 + all.sum::<u64>()
}

fn of_leaf(leaf: &ValueLeaf<'_>) -> u64 {
    match leaf {
        ValueLeaf::Literal(value) => Value::as_ref(value).size() as u64,
        ValueLeaf::Placeholder(..) => ITEM_BYTES as u64,
    }
}

/// Bytes of what an operand yields, at most.
fn result(operand: &Operand<'_>, old: u64) -> u64 {
    match operand {
        Operand::Path(_) => old,
        Operand::Value(leaf) => of_leaf(leaf),
        Operand::Arithmetic(_) => NUMBER_BYTES,
        Operand::Function(call) => call.args.iter().map(|arg| result(arg, old)).sum(),
        Operand::Condition(_) => 1,
    }
}
