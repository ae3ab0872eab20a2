//! Order-preserving key bytes.
//!
//! Partition key: escaped so that it ends at a terminator. Sort key: bytes whose order is DynamoDB's
//! (UTF-8 bytes for S, numeric for N, unsigned bytes for B). Layouts: `docs/format.md`.

use crate::{Number, ScalarType, Value, ValueRef};
use bytes::Bytes;

/// Ends a component: below everything that can go on within one.
const TERMINATOR: [u8; 2] = [0x00, 0x01];
/// What a zero byte within a component becomes.
const ESCAPED_ZERO: [u8; 2] = [0x00, 0xFF];

/// Appends an escaped, terminated component: any byte string, injective, order-preserving.
///
/// A zero byte becomes `00 FF`, the end is `00 01`; so comparing components compares what they hold, also
/// where one begins another, and no component's bytes begin another's.
pub fn push_terminated(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut rest = bytes;
    while let Some(zero) = memchr::memchr(0, rest) {
        out.extend_from_slice(&rest[..zero]);
        out.extend_from_slice(&ESCAPED_ZERO);
        rest = &rest[zero + 1..];
    }
    out.extend_from_slice(rest);
    out.extend_from_slice(&TERMINATOR);
}

/// Appends the bytes that the component of every string or binary beginning with `value` begins with.
/// Returns false, and appends nothing, for a value of another type.
pub fn push_prefix(out: &mut Vec<u8>, value: ValueRef<'_>) -> bool {
    let bytes = match value {
        ValueRef::S(text) => text.as_bytes(),
        ValueRef::B(bytes) => bytes,
        _ => return false,
    };
    push_terminated(out, bytes);
    out.truncate(out.len() - 2);
    true
}

/// Reads what [`push_terminated`] wrote; returns the bytes and how many were used.
#[must_use]
pub fn read_terminated(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut out = Vec::new();
    let mut position = 0;
    loop {
        let rest = bytes.get(position..)?;
        let zero = memchr::memchr(0, rest)?;
        out.extend_from_slice(&rest[..zero]);
        position += zero + 2;
        match [0, *rest.get(zero + 1)?] {
            ESCAPED_ZERO => out.push(0),
            TERMINATOR => return Some((out, position)),
            _ => return None,
        }
    }
}

/// Appends a scalar's order-preserving, self-delimiting bytes: numbers as [`Number::encode`] has them, strings
/// and binaries as terminated components. The type is not part of the bytes: the key schema knows it.
/// Returns false, and appends nothing, for a value that cannot be a key (not S, N or B).
pub fn push_scalar(out: &mut Vec<u8>, value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::S(text) => push_terminated(out, text.as_bytes()),
        ValueRef::B(bytes) => push_terminated(out, bytes),
        ValueRef::N(number) => number.encode(out),
        _ => return false,
    }
    true
}

/// Reads what [`push_scalar`] wrote for a value of this type; returns the value and the bytes used.
#[must_use]
pub fn read_scalar(bytes: &[u8], scalar: ScalarType) -> Option<(Value, usize)> {
    if scalar == ScalarType::N {
        let (number, used) = Number::decode(bytes)?;
        return Some((Value::N(number), used));
    }
    let (content, used) = read_terminated(bytes)?;
    let value = match scalar {
        ScalarType::S => Value::S(String::from_utf8(content).ok()?),
        _ => Value::B(Bytes::from(content)),
    };
    Some((value, used))
}
