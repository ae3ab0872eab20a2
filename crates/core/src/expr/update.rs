//! Updates: the next item from the present one.

use super::ast::{Path, UpdateAction};
use super::error::{Fault, UpdateError};
use super::eval::operand_paths;
use super::{paths, project};
use crate::Item;

mod apply;
mod charge;
mod operand;

/// An update, checked and ready to carry out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update<'a> {
    actions: Vec<UpdateAction<'a>>,
    legacy: bool,
}

impl<'a> Update<'a> {
    pub(super) fn checked(actions: Vec<UpdateAction<'a>>) -> Self {
        Self {
            actions,
            legacy: false,
        }
    }

    /// An update from actions built by code (`AttributeUpdates`, PartiQL).
    ///
    /// # Errors
    /// [`Fault::TooDeep`], [`Fault::OverlappingPaths`], [`Fault::ConflictingPaths`].
    pub fn from_actions(actions: Vec<UpdateAction<'a>>) -> Result<Self, Fault> {
        let within = |action: &UpdateAction<'_>| match action {
            UpdateAction::Set(_, operand) => operand.is_within(crate::limits::EXPRESSION_DEPTH),
            _ => true,
        };
        if !actions.iter().all(within) {
            return Err(Fault::TooDeep);
        }
        paths::check_disjoint(&actions.iter().map(UpdateAction::path).collect::<Vec<_>>())?;
        Ok(Self {
            actions,
            legacy: false,
        })
    }

    /// The same update, from `AttributeUpdates`: its errors are told apart from an expression's.
    #[must_use]
    pub fn legacy(self) -> Self {
        Self {
            legacy: true,
            ..self
        }
    }

    /// The actions in the order written.
    #[must_use]
    pub fn actions(&self) -> &[UpdateAction<'a>] {
        &self.actions
    }

    /// Whether it has actions, and each is a REMOVE or a DELETE: where there is no item, none comes of them.
    #[must_use]
    pub fn only_takes_away(&self) -> bool {
        let takes_away = |action: &UpdateAction<'_>| {
            matches!(action, UpdateAction::Remove(_) | UpdateAction::Delete(..))
        };
        !self.actions.is_empty() && self.actions.iter().all(takes_away)
    }

    /// The paths it changes, in the order written: to refuse changes of key attributes.
    pub fn targets(&self) -> impl Iterator<Item = &Path<'a>> {
        self.actions.iter().map(UpdateAction::path)
    }

    /// Calls `each` for every path, those that are only read included.
    pub fn for_each_path<'t>(&'t self, each: &mut dyn FnMut(&'t Path<'a>)) {
        for action in &self.actions {
            each(action.path());
            if let UpdateAction::Set(_, operand) = action {
                operand_paths(operand, each);
            }
        }
    }

    /// The item after the update. `item` is the one that is there, `None` if there is none; `key` the key
    /// attributes, which are all that a new item starts from.
    ///
    /// Every operand is read from the item as it was. A SET or ADD past the end of a list appends, several
    /// in the order of their indexes; indexes of REMOVE are those of the old list; a set that loses its
    /// last element is removed. A REMOVE below an attribute that is not there is an error, but not if there
    /// is no item at all. (Source: `scylladb/scylladb`, `test_update_expression.py`, measured on AWS.)
    ///
    /// # Errors
    /// [`UpdateError`]; the item is unchanged then.
    pub fn apply(&self, item: Option<&Item>, key: &Item) -> Result<Item, UpdateError> {
        let is_new = item.is_none();
        apply::apply(&self.actions, item.unwrap_or(key), is_new).map_err(|error| match error {
            UpdateError::OperandType if self.legacy => UpdateError::AttributeType,
            other => other,
        })
    }

    /// What the statement weighs by itself, bytes: AWS holds it against the item limit before it reads the item.
    #[must_use]
    pub fn charge(&self) -> usize {
        charge::charge(&self.actions)
    }

    /// What the update's paths lead to in an item, for `UPDATED_OLD` and `UPDATED_NEW`: apply it to the item
    /// before or after. Empty where they lead to nothing.
    pub fn touched(&self, item: &Item) -> Item {
        let mut targets: Vec<&Path<'a>> = self.targets().collect();
        targets.sort_by(|a, b| paths::order(a, b));
        project::project(&targets, item)
    }
}
