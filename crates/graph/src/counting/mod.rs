//! Counters that come from the table's stream, and the change from one way of counting to another.
//!
//! A consumer reads the stream shard by shard, each under a lease. What a batch of records changes is added up by counter, and
//! one transaction adds it and moves the shard's checkpoint, on condition that the checkpoint is where this consumer left it:
//! so each record is counted exactly once, whoever dies whenever.
//!
//! Which records count is decided by the target's map, read after the record: a link that was not counted by its writer
//! was made under a map that said so, and `since` tells it from those that a recount has seen. Of targets that are
//! counted exactly only what expired is taken off, since nobody's transaction did that.

mod adds;
mod checkpoint;
mod consumer;
mod pending;
mod stream;
mod switch;

pub use consumer::{Consumed, ConsumerOptions};
pub(crate) use pending::{Pending, Waiting};

use crate::requests::Key;

/// Partition key of the items that remember which targets are counted from the stream.
const TARGETS: &str = "BOTHWAYS#ASYNC";

/// What a stream's checkpoints stand under.
fn checkpoints(label: &str) -> String {
    format!("BOTHWAYS#STREAM#{label}")
}

/// A checkpoint's key.
fn checkpoint_key(label: &str, shard: &str) -> Key {
    Key {
        pk: checkpoints(label),
        sk: shard.to_owned(),
    }
}

/// Whether one sequence number is behind another: numbers of up to 40 digits.
fn is_behind(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    (a.len(), a) > (b.len(), b)
}

#[cfg(test)]
mod tests {
    use super::is_behind;

    #[test]
    fn sequence_numbers_compare_as_numbers() {
        for (a, b, behind) in [
            ("2", "1", true),
            ("10", "9", true),
            ("9", "10", false),
            ("0009", "10", false),
            ("7", "7", false),
        ] {
            assert_eq!(is_behind(a, b), behind, "{a} {b}");
        }
    }
}
