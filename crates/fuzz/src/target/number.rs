//! Numbers: an input is two texts with a space between.

use super::text;
use crate::shape::{both, shape};
use bothways_core::{Number, NumberError};

pub(super) fn number(input: &[u8]) -> u64 {
    decoded(input);
    let text = text(input);
    let (one, other) = text.split_once(' ').unwrap_or((&text, "0"));
    let (one, other) = (Number::parse(one), Number::parse(other));
    for number in [&one, &other].into_iter().flatten() {
        same(*number);
    }
    if let (Ok(one), Ok(other)) = (one, other) {
        together(one, other);
    }
    both(look(one), look(other))
}

fn look(number: Result<Number, NumberError>) -> u64 {
    let text = number.map(|n| {
        (
            n.is_negative(),
            n.coefficient().to_string().len(),
            n.exponent(),
        )
    });
    text.map_or_else(
        |error| shape(&format!("{error:?}")),
        |(negative, digits, exponent)| {
            let exponent = u64::from(exponent.unsigned_abs()) * 2 + u64::from(exponent < 0);
            both(digits as u64 * 2 + u64::from(negative), exponent)
        },
    )
}

fn encoded(number: Number) -> Vec<u8> {
    let mut bytes = Vec::new();
    number.encode(&mut bytes);
    bytes
}

/// Printed and parsed, encoded and decoded, taken apart and put together: always the same.
fn same(number: Number) {
    assert_eq!(Number::parse(&number.to_string()), Ok(number), "printed");
    let mut written = Vec::new();
    number.write(&mut written);
    assert_eq!(written, number.to_string().as_bytes(), "written");
    let parts = (
        number.is_negative(),
        number.coefficient(),
        number.exponent(),
    );
    assert_eq!(
        Number::from_parts(parts.0, parts.1, parts.2),
        Ok(number),
        "parts"
    );
    let bytes = encoded(number);
    assert_eq!(
        Number::decode(&bytes),
        Some((number, bytes.len())),
        "{bytes:?}"
    );
    // Twenty pairs of digits where they stand across the pairs, one byte for the exponent, one for the sign.
    assert!((1..=22).contains(&number.size()), "size {}", number.size());
    assert_eq!(number.negate().negate(), number);
    assert_eq!(number.checked_sub(number), Ok(Number::ZERO));
    if let Some(integer) = number.to_i64() {
        assert_eq!(Number::from(integer), number);
    }
}

/// The order of the bytes is that of the numbers, and neither's bytes begin the other's; sums do not mind their order.
fn together(one: Number, other: Number) {
    let (a, b) = (encoded(one), encoded(other));
    assert_eq!(a.cmp(&b), one.cmp(&other), "order of {one} and {other}");
    assert_eq!(one.cmp(&other), other.cmp(&one).reverse());
    assert_eq!(one.negate().cmp(&other.negate()), other.cmp(&one));
    assert!(
        one == other || !a.starts_with(&b) && !b.starts_with(&a),
        "{a:?} {b:?}"
    );
    let sum = one.checked_add(other);
    assert_eq!(sum, other.checked_add(one), "{one} + {other}");
    assert_eq!(one.checked_sub(other.negate()), sum, "{one} - -{other}");
    if let Ok(sum) = sum {
        same(sum);
        assert_eq!(sum.checked_sub(other), Ok(one), "{one} + {other} - {other}");
    }
}

/// Any bytes are nothing, or the one number that is written so.
fn decoded(input: &[u8]) {
    if let Some((number, used)) = Number::decode(input) {
        assert_eq!(encoded(number), input[..used], "{number}");
    }
}
