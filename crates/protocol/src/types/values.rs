//! Attribute values with their faults, and capacity units.

use bothways_core::Value;
pub use bothways_core::json::Given;
use std::collections::BTreeMap;

/// `#name` → attribute name.
pub type Names = BTreeMap<String, String>;
/// `:value` → attribute value.
pub type Values = BTreeMap<String, Value>;

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
