//! Key bytes: an input is a type, then two values of it with the byte `|` between. It is also read as key bytes itself.

use crate::shape::{both, shape};
use bothways_core::key::{push_prefix, push_scalar, push_terminated, read_scalar, read_terminated};
use bothways_core::{Number, ScalarType, Value};
use bytes::Bytes;
use std::cmp::Ordering;

pub(super) fn key(input: &[u8]) -> u64 {
    let read = [ScalarType::S, ScalarType::N, ScalarType::B].map(|scalar| decoded(input, scalar));
    let read = both(both(read[0], read[1]), read[2]);
    let Some((kind, rest)) = input.split_first() else {
        return read;
    };
    let scalar = match kind {
        b'N' => ScalarType::N,
        b'B' => ScalarType::B,
        _ => ScalarType::S,
    };
    let middle = rest.iter().position(|b| *b == b'|').unwrap_or(rest.len());
    let (one, other) = rest.split_at(middle);
    let other = other.get(1..).unwrap_or_default();
    let (Some(one), Some(other)) = (value(one, scalar), value(other, scalar)) else {
        return read;
    };
    let (a, b) = (written(&one, scalar), written(&other, scalar));
    let order = one.as_ref().compare(other.as_ref());
    assert_eq!(Some(a.cmp(&b)), order, "order of {one:?} and {other:?}");
    let same = order == Some(Ordering::Equal);
    assert!(
        same || !a.starts_with(&b) && !b.starts_with(&a),
        "{a:?} begins {b:?}"
    );
    let mut prefix = Vec::new();
    if push_prefix(&mut prefix, other.as_ref()) {
        let begins = one.as_ref().begins_with(other.as_ref());
        assert_eq!(a.starts_with(&prefix), begins, "{other:?} begins {one:?}");
    }
    both(read, shape(&format!("{order:?} {}", a.len() / 8)))
}

fn value(bytes: &[u8], scalar: ScalarType) -> Option<Value> {
    match scalar {
        ScalarType::N => Number::parse(std::str::from_utf8(bytes).ok()?)
            .ok()
            .map(Value::N),
        ScalarType::B => Some(Value::B(Bytes::copy_from_slice(bytes))),
        ScalarType::S => Some(Value::S(String::from_utf8(bytes.to_vec()).ok()?)),
    }
}

/// A value's bytes, read back with something behind them.
fn written(value: &Value, scalar: ScalarType) -> Vec<u8> {
    let mut bytes = Vec::new();
    assert!(
        push_scalar(&mut bytes, value.as_ref()),
        "{value:?} is no key"
    );
    let length = bytes.len();
    bytes.extend_from_slice(b"\x00\x01rest");
    let read = read_scalar(&bytes, scalar);
    assert_eq!(read, Some((value.clone(), length)), "{bytes:?}");
    bytes.truncate(length);
    bytes
}

/// Any bytes are nothing, or the one value that is written so.
fn decoded(input: &[u8], scalar: ScalarType) -> u64 {
    if let Some((content, used)) = read_terminated(input) {
        let mut again = Vec::new();
        push_terminated(&mut again, &content);
        assert_eq!(again, input[..used], "{content:?}");
    }
    let Some((value, used)) = read_scalar(input, scalar) else {
        return 0;
    };
    let mut again = Vec::new();
    push_scalar(&mut again, value.as_ref());
    assert_eq!(again, input[..used], "{value:?}");
    shape(&format!("{scalar:?} {value:?}"))
}
