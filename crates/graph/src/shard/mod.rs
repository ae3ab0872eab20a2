//! Shards of hot targets.

use crate::requests::Place;
use bothways_core::Item;

/// Whether an item of a list is no edge but the mark that the list has shards.
pub(crate) fn is_mark(_place: &Place<'_>, _item: &Item) -> bool {
    false
}
