//! Attributes to set and to remove.

use bothways_core::Value;

/// Attributes to set and to remove, in the order given. A later change of a name wins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    changes: Vec<(String, Option<Value>)>,
}

impl Changes {
    /// Nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
    /// Sets an attribute.
    #[must_use]
    pub fn set(mut self, name: impl Into<String>, value: Value) -> Self {
        self.push(name.into(), Some(value));
        self
    }
    /// Removes an attribute.
    #[must_use]
    pub fn remove(mut self, name: impl Into<String>) -> Self {
        self.push(name.into(), None);
        self
    }
    /// Adds one change.
    pub fn push(&mut self, name: String, value: Option<Value>) {
        self.changes.retain(|(n, _)| *n != name);
        self.changes.push((name, value));
    }
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
    /// The changes in order: a value to set, or `None` to remove.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<&Value>)> {
        self.changes.iter().map(|(n, v)| (n.as_str(), v.as_ref()))
    }
}
