//! What a table holds as one number that does not depend on the order in which it was read.

use bothways_core::Item;
use sha2::{Digest as _, Sha256};

/// Items seen, and the sum of their hashes. Equal items have equal bytes, and addition has no order: equal tables have
/// equal digests, and different ones differ but for one chance in 2^128.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Digest {
    /// Items.
    pub items: u64,
    /// Their bytes, as DynamoDB counts them.
    pub bytes: u64,
    /// The sum.
    pub sum: u128,
}

impl Digest {
    /// Adds an item.
    pub fn add(&mut self, item: &Item) {
        let hash = Sha256::digest(item.bytes());
        let half: [u8; 16] = std::array::from_fn(|i| hash[i]);
        self.items += 1;
        self.bytes += item.size() as u64;
        self.sum = self.sum.wrapping_add(u128::from_be_bytes(half));
    }

    /// Adds what another has seen.
    pub fn merge(&mut self, other: &Self) {
        self.items += other.items;
        self.bytes += other.bytes;
        self.sum = self.sum.wrapping_add(other.sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bothways_core::Value;

    fn item(key: &str, n: i64) -> Item {
        Item::from_attributes([("k", Value::from(key)), ("n", Value::from(n))])
    }

    fn digest(items: &[Item]) -> Digest {
        let mut digest = Digest::default();
        for item in items {
            digest.add(item);
        }
        digest
    }

    #[test]
    fn order_and_parts_do_not_matter_and_content_does() {
        let (a, b, c) = (item("a", 1), item("b", 2), item("c", 3));
        let whole = digest(&[a.clone(), b.clone(), c.clone()]);
        assert_eq!(whole, digest(&[c.clone(), a.clone(), b.clone()]));
        let mut parts = digest(&[c]);
        parts.merge(&digest(&[a.clone(), b.clone()]));
        assert_eq!(whole, parts);
        assert_ne!(whole.sum, digest(&[a, b, item("c", 4)]).sum);
    }
}
