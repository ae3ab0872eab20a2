//! Order-preserving key bytes.
//!
//! Partition key: escaped so that it ends at a terminator. Sort key: bytes whose order is DynamoDB's
//! (UTF-8 bytes for S, numeric for N, unsigned bytes for B).

use crate::ValueRef;

/// Appends an escaped, terminated component: any byte string, injective, order-preserving.
pub fn push_terminated(out: &mut Vec<u8>, bytes: &[u8]) {
    todo!("{out:?} {bytes:?}")
}

/// Appends a scalar's order-preserving, self-delimiting bytes.
/// Returns false for a value that cannot be a key (not S, N or B).
pub fn push_scalar(out: &mut Vec<u8>, value: ValueRef<'_>) -> bool {
    todo!("{out:?} {value:?}")
}
