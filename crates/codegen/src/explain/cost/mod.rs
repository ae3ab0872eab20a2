//! What a request costs, as far as the request and whoever knows its items tell.
//!
//! The rules are those of the engine's `capacity.rs`: Developer Guide, "DynamoDB read and write operations".

mod read;
mod statement;
mod update;
mod write;

use super::Sizes;
use crate::Schema;
use bothways_protocol::Request;
use bothways_protocol::types::Units;

/// Units that a request uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// Read units.
    pub read: UnitRange,
    /// Write units.
    pub write: UnitRange,
    /// What they are of.
    pub of: Extent,
    /// What [`UnitRange::likely`] takes for granted.
    pub given: Given,
}

/// Between what units lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitRange {
    /// Not less than this.
    pub least: Units,
    /// What is to be expected, where that can be told.
    pub likely: Option<Units>,
    /// Not more than this; none where that hangs on items that nobody described.
    pub most: Option<Units>,
}

/// Which part of a request an estimate is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it: it has one answer.
    Whole,
    /// One page, whichever.
    Page,
    /// All its pages together.
    AllPages,
}

/// What the likely units of an estimate take for granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// Nothing but what was measured.
    Measured,
    /// That the items are of the table's average size.
    Average,
    /// That the items to put replace none.
    Fresh,
}

impl UnitRange {
    const NONE: Self = Self::exact(0);

    /// So many halves of units.
    const fn exact(halves: u64) -> Self {
        Self::between(halves, halves, halves)
    }

    const fn between(least: u64, likely: u64, most: u64) -> Self {
        Self {
            least: Units(least),
            likely: Some(Units(likely)),
            most: Some(Units(most)),
        }
    }

    const fn at_least(least: u64, likely: u64) -> Self {
        Self {
            least: Units(least),
            likely: Some(Units(likely)),
            most: None,
        }
    }

    /// Whether there is only one number that it can be.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.most == Some(self.least)
    }

    fn times(self, n: u64) -> Self {
        Self {
            least: Units(self.least.0 * n),
            likely: self.likely.map(|units| Units(units.0 * n)),
            most: self.most.map(|units| Units(units.0 * n)),
        }
    }
}

impl std::ops::Add for UnitRange {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            least: self.least + other.least,
            likely: self.likely.zip(other.likely).map(|(a, b)| a + b),
            most: self.most.zip(other.most).map(|(a, b)| a + b),
        }
    }
}

impl Estimate {
    fn read(read: UnitRange, sizes: &Sizes) -> Self {
        Self {
            read,
            write: UnitRange::NONE,
            of: Extent::Whole,
            given: Given::of(Some(sizes)),
        }
    }

    fn write(write: UnitRange, given: Given) -> Self {
        Self {
            read: UnitRange::NONE,
            write,
            of: Extent::Whole,
            given,
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            read: self.read + other.read,
            write: self.write + other.write,
            of: self.of,
            given: match (self.given, other.given) {
                (Given::Measured, given) | (given, Given::Measured) => given,
                (Given::Fresh, Given::Fresh) => Given::Fresh,
                _ => Given::Average,
            },
        }
    }

    /// The sum, where every part is known.
    fn of_all(all: impl IntoIterator<Item = Option<Self>>) -> Option<Self> {
        let nothing = Self::write(UnitRange::NONE, Given::Measured);
        all.into_iter()
            .try_fold(nothing, |sum, one| Some(sum.and(one?)))
    }
}

impl Given {
    fn of(sizes: Option<&Sizes>) -> Self {
        match sizes {
            Some(Sizes::Average { .. }) => Self::Average,
            _ => Self::Measured,
        }
    }
}

pub(super) fn of(
    request: &Request,
    schema: Option<&Schema>,
    sizes: Option<&Sizes>,
) -> Option<Estimate> {
    read::of(request, schema, sizes)
        .or_else(|| write::of(request, schema, sizes))
        .or_else(|| statement::of(request, schema, sizes))
}

fn blocks(bytes: u64, unit: usize) -> u64 {
    bytes.div_ceil(unit as u64).max(1)
}
