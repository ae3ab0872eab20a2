//! What a use of a key costs.

use crate::capacity::ReadMode;
use bothways_protocol::types::Units;
use std::ops::AddAssign;

/// Thousandths of a unit: an item's share of a page is a small part of one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Heat {
    pub(crate) read: u64,
    pub(crate) write: u64,
}

/// Thousandths of a unit in a half, which is what [`Units`] counts.
const PER_HALF: u64 = 500;
/// Bytes in one read unit.
const READ_UNIT: u64 = 4096;

impl Heat {
    pub(crate) fn reading(units: Units) -> Self {
        Self {
            read: units.0 * PER_HALF,
            write: 0,
        }
    }

    pub(crate) fn writing(units: Units) -> Self {
        Self {
            read: 0,
            write: units.0 * PER_HALF,
        }
    }

    /// The share of a row of this many bytes in the page that is read.
    pub(crate) fn share(mode: ReadMode, bytes: usize) -> Self {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let block = Self::reading(mode.units(1)).read;
        Self {
            read: (bytes.saturating_mul(block) / READ_UNIT).max(1),
            write: 0,
        }
    }
}

impl AddAssign for Heat {
    fn add_assign(&mut self, other: Self) {
        self.read += other.read;
        self.write += other.write;
    }
}
