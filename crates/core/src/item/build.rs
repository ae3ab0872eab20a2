//! Building an item attribute by attribute.

use super::Item;
use super::encode::Encoder;
use crate::ValueRef;

/// Room for these is made at once.
const USUAL_BYTES: usize = 256;

/// Builds an item attribute by attribute, in any order, without a tree.
#[derive(Debug)]
pub struct ItemBuilder {
    encoder: Encoder,
}

impl Default for ItemBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ItemBuilder {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(USUAL_BYTES)
    }

    /// An empty one with room for this many bytes.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        Self {
            encoder: Encoder::of_members(bytes),
        }
    }

    /// Sets (or replaces) an attribute.
    pub fn set<'v>(&mut self, name: &str, value: impl Into<ValueRef<'v>>) -> &mut Self {
        self.encoder.name(name);
        self.encoder.value(value.into());
        self
    }

    pub(crate) fn encoder(&mut self) -> &mut Encoder {
        &mut self.encoder
    }

    /// The finished item. Of two attributes with one name the last stays.
    #[must_use]
    pub fn build(self) -> Item {
        Item {
            bytes: self.encoder.finish(super::FORMAT),
        }
    }
}
