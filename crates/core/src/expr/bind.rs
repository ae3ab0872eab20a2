//! From text to something that can be evaluated: placeholders resolved, everything checked.

use super::ast::{Node, Path, Segment, ValueLeaf};
use super::error::{ExprError, Fault, PlaceholderError};
use super::eval::Condition;
use super::key_condition::KeyCondition;
use super::project::Projection;
use super::update::Update;
use super::{Kind, Names, Values, check, parse};
use crate::Value;
use crate::limits::{ATTRIBUTE_NAME_BYTES, NESTING_LEVELS};
use std::borrow::Cow;

/// The placeholders of one request, and which of them its expressions have used.
#[derive(Debug)]
pub struct Binder<'a> {
    names: Table<'a, String>,
    values: Table<'a, Value>,
}

/// Definitions in key order, each with whether it was used.
#[derive(Debug)]
struct Table<'a, T> {
    entries: Vec<(&'a str, &'a T, bool)>,
}

impl<'a, T> Table<'a, T> {
    fn new(map: Option<&'a std::collections::BTreeMap<String, T>>) -> Self {
        let entries = map
            .into_iter()
            .flatten()
            .map(|(k, v)| (k.as_str(), v, false))
            .collect();
        Self { entries }
    }
    fn get(&mut self, key: &str) -> Option<&'a T> {
        let at = self
            .entries
            .binary_search_by(|(k, _, _)| (*k).cmp(key))
            .ok()?;
        let (_, value, used) = &mut self.entries[at];
        *used = true;
        Some(value)
    }
    fn unused(&self) -> Vec<String> {
        self.entries
            .iter()
            .filter(|(_, _, used)| !used)
            .map(|(k, _, _)| (*k).to_owned())
            .collect()
    }
}

fn is_placeholder(key: &str, sigil: char) -> bool {
    key.strip_prefix(sigil).is_some_and(|rest| {
        !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

impl<'a> Binder<'a> {
    /// Takes `ExpressionAttributeNames` and `ExpressionAttributeValues` (`None` where the request has
    /// none) and checks their keys.
    ///
    /// # Errors
    /// A map that is there and empty; a key that is no placeholder.
    pub fn new(
        names: Option<&'a Names>,
        values: Option<&'a Values>,
    ) -> Result<Self, PlaceholderError> {
        if let Some(names) = names {
            if names.is_empty() {
                return Err(PlaceholderError::EmptyNames);
            }
            if let Some(key) = names.keys().find(|key| !is_placeholder(key, '#')) {
                return Err(PlaceholderError::NameKey { key: key.clone() });
            }
            for (key, name) in names {
                let key = || key.clone();
                if name.is_empty() {
                    return Err(PlaceholderError::EmptyName { key: key() });
                }
                if name.len() > ATTRIBUTE_NAME_BYTES {
                    return Err(PlaceholderError::LongName { key: key() });
                }
            }
        }
        if let Some(values) = values {
            if values.is_empty() {
                return Err(PlaceholderError::EmptyValues);
            }
            if let Some(key) = values.keys().find(|key| !is_placeholder(key, ':')) {
                return Err(PlaceholderError::ValueKey { key: key.clone() });
            }
        }
        Ok(Self {
            names: Table::new(names),
            values: Table::new(values),
        })
    }

    /// Parses and checks a condition or filter.
    ///
    /// # Errors
    /// The first [`Fault`] in AWS's order.
    pub fn condition(&mut self, kind: Kind, text: &'a str) -> Result<Condition<'a>, ExprError> {
        self.node(text)
            .map(Condition::checked)
            .map_err(|fault| ExprError { kind, fault })
    }

    /// Parses and checks a key condition. What only a key condition must not do is found later, by
    /// [`KeyCondition::check`]: AWS looks at a request's other expressions first.
    ///
    /// # Errors
    /// As [`Self::condition`].
    pub fn key_condition(&mut self, text: &'a str) -> Result<KeyCondition<'a>, ExprError> {
        self.node(text)
            .map(KeyCondition::new)
            .map_err(|fault| ExprError {
                kind: Kind::KeyCondition,
                fault,
            })
    }

    /// Parses and checks an update.
    ///
    /// # Errors
    /// As [`Self::condition`].
    pub fn update(&mut self, text: &'a str) -> Result<Update<'a>, ExprError> {
        let bound = parse::update(text).and_then(|mut tree| {
            check::update(&mut tree, self)?;
            Ok(Update::checked(tree.actions))
        });
        bound.map_err(|fault| ExprError {
            kind: Kind::Update,
            fault,
        })
    }

    /// Parses and checks a projection.
    ///
    /// # Errors
    /// As [`Self::condition`].
    pub fn projection(&mut self, text: &'a str) -> Result<Projection<'a>, ExprError> {
        let bound = parse::projection(text).and_then(|mut paths| {
            check::projection(&mut paths, self)?;
            Ok(Projection::checked(paths))
        });
        bound.map_err(|fault| ExprError {
            kind: Kind::Projection,
            fault,
        })
    }

    /// Called after the request's last expression: every name and value must have been used.
    ///
    /// # Errors
    /// [`PlaceholderError::UnusedNames`], then [`PlaceholderError::UnusedValues`].
    pub fn finish(self) -> Result<(), PlaceholderError> {
        let keys = self.names.unused();
        if !keys.is_empty() {
            return Err(PlaceholderError::UnusedNames { keys });
        }
        let keys = self.values.unused();
        if !keys.is_empty() {
            return Err(PlaceholderError::UnusedValues { keys });
        }
        Ok(())
    }

    fn node(&mut self, text: &'a str) -> Result<Node<'a>, Fault> {
        let mut node = parse::condition(text)?;
        check::condition(&mut node, self)?;
        Ok(node)
    }

    pub(super) fn resolve_path(&mut self, path: &mut Path<'a>) -> Result<(), Fault> {
        let levels = path.tail.len() + 1;
        if levels > NESTING_LEVELS {
            return Err(Fault::PathTooDeep { levels });
        }
        for segment in path.segments_mut() {
            if let Segment::Placeholder(name) = segment {
                let found = self.names.get(name);
                let found = found.ok_or_else(|| Fault::UndefinedName {
                    name: (*name).to_owned(),
                })?;
                *segment = Segment::Name(Cow::Borrowed(found));
            }
        }
        Ok(())
    }

    pub(super) fn resolve_value(&mut self, leaf: &mut ValueLeaf<'a>) -> Result<(), Fault> {
        if let ValueLeaf::Placeholder(name, _) = leaf {
            let found = self.values.get(name);
            let found = found.ok_or_else(|| Fault::UndefinedValue {
                name: (*name).to_owned(),
            })?;
            *leaf = ValueLeaf::Literal(Cow::Borrowed(found));
        }
        Ok(())
    }
}
