//! Named values that a job keeps: a map in its item.

use bothways_core::{Item, Number, Value};
use std::collections::BTreeMap;

/// Named values. Texts, whole numbers and keys.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Fields(BTreeMap<String, Value>);

impl Fields {
    pub(crate) fn of(value: Option<Value>) -> Self {
        match value {
            Some(Value::M(map)) => Self(map.into_iter().collect()),
            _ => Self::default(),
        }
    }

    pub(crate) fn value(&self) -> Value {
        Value::M(self.0.clone().into_iter().collect())
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.0.get(name) {
            Some(Value::S(text)) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        match self.0.get(name) {
            Some(Value::N(number)) => u64::try_from(number.to_i64()?).ok(),
            _ => None,
        }
    }

    pub(crate) fn count(&self, name: &str) -> u64 {
        self.number(name).unwrap_or(0)
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.0.get(name) == Some(&Value::Bool(true))
    }

    /// A key or another small item.
    pub(crate) fn item(&self, name: &str) -> Option<Item> {
        match self.0.get(name) {
            Some(Value::M(map)) => Some(Item::from_attributes(map.clone())),
            _ => None,
        }
    }

    pub(crate) fn list(&self, name: &str) -> &[Value] {
        match self.0.get(name) {
            Some(Value::L(list)) => list,
            _ => &[],
        }
    }

    pub(crate) fn push(&mut self, name: &str, value: Value) {
        match self.0.get_mut(name) {
            Some(Value::L(list)) => list.push(value),
            _ => self.set(name, Value::L(vec![value])),
        }
    }

    pub(crate) fn numbers(&self) -> impl Iterator<Item = (String, u64)> + '_ {
        let numbers = self
            .0
            .keys()
            .filter_map(|name| Some((name, self.number(name)?)));
        numbers.map(|(name, number)| (name.clone(), number))
    }

    pub(crate) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    pub(crate) fn set_number(&mut self, name: &str, number: u64) {
        self.set(name, Value::N(Number::from(number)));
    }

    pub(crate) fn set_item(&mut self, name: &str, item: &Item) {
        let attributes = item
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_value()));
        self.set(name, Value::M(attributes.collect()));
    }

    pub(crate) fn add(&mut self, name: &str, count: u64) {
        self.set_number(name, self.count(name) + count);
    }

    pub(crate) fn clear(&mut self, name: &str) {
        self.0.remove(name);
    }
}
