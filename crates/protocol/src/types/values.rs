//! Attribute values with their faults, and capacity units.

use crate::messages::Message;
use bothways_core::Value;
use std::collections::BTreeMap;

/// `#name` → attribute name.
pub type Names = BTreeMap<String, String>;
/// `:value` → attribute value.
pub type Values = BTreeMap<String, Value>;

/// Something decoded from a request that may hold attribute values which JSON allows and DynamoDB does not.
/// DynamoDB reports those after other checks, so the fault travels with the value until its turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Given<T> {
    /// The value; unspecified content where `fault` is set.
    pub value: T,
    /// What is wrong with it.
    pub fault: Option<Box<Message>>,
}
impl<T> From<T> for Given<T> {
    fn from(value: T) -> Self {
        Self { value, fault: None }
    }
}

/// Capacity in half units (an eventually consistent read of up to 4 KB is one half).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Units(pub u64);
impl Units {
    /// Whole units.
    #[must_use]
    pub const fn whole(n: u64) -> Self {
        Self(n * 2)
    }
}
impl std::ops::Add for Units {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(self.0 + o.0)
    }
}
impl std::ops::AddAssign for Units {
    fn add_assign(&mut self, o: Self) {
        self.0 += o.0;
    }
}
impl std::iter::Sum for Units {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self(0), |a, b| a + b)
    }
}
