//! Numbers as bytes: an ordered form for keys and a compact one for items. Both are canonical: one number,
//! one byte string.

use super::{Number, digits};
use crate::limits;

// Ordered form. The first byte carries sign and magnitude, each further one two digits:
//   0x80                      zero
//   0x81 m                    positive, magnitude m - 130 below SHORT_MIN
//   0x82 ..= 0xFE             positive, magnitude byte - 0x82 + SHORT_MIN
//   0xFF m                    positive, magnitude m - 130 above SHORT_MAX
//   then digit pairs from the leading digit: pair * 2 + 1, or pair * 2 for the last one
// A negative number is its absolute value's bytes inverted.
const ZERO: u8 = 0x80;
const FAR_BELOW: u8 = 0x81;
const SHORT_FIRST: u8 = 0x82;
const FAR_ABOVE: u8 = 0xFF;
const SHORT_MIN: i32 = -40;

pub(super) fn encode_ordered(number: Number, out: &mut Vec<u8>) {
    if number.is_zero() {
        out.push(ZERO);
        return;
    }
    let start = out.len();
    let magnitude = number.magnitude();
    // Magnitudes run from -130 to 125: both forms of one fit a byte.
    if let Some(head) = short_head(magnitude) {
        out.push(head);
    } else {
        let biased = magnitude.wrapping_sub(limits::NUMBER_MIN_MAGNITUDE);
        out.push(if magnitude < 0 { FAR_BELOW } else { FAR_ABOVE });
        out.push(biased.to_le_bytes()[0]);
    }
    let mut text = itoa::Buffer::new();
    let text = text.format(number.coefficient()).as_bytes();
    for pair in text.chunks(2) {
        let tens = pair[0] - b'0';
        let ones = pair.get(1).map_or(0, |digit| digit - b'0');
        out.push((tens * 10 + ones) * 2 + 1);
    }
    if let Some(last) = out.last_mut() {
        *last -= 1;
    }
    if number.negative {
        for byte in &mut out[start..] {
            *byte = !*byte;
        }
    }
}

pub(super) fn decode_ordered(bytes: &[u8]) -> Option<(Number, usize)> {
    let first = *bytes.first()?;
    if first == ZERO {
        return Some((Number::ZERO, 1));
    }
    let negative = first < ZERO;
    let flip = if negative { 0xFF } else { 0 };
    let at = |index: usize| bytes.get(index).map(|byte| byte ^ flip);
    let (magnitude, head) = match first ^ flip {
        far @ (FAR_BELOW | FAR_ABOVE) => {
            let magnitude = i32::from(at(1)?) + limits::NUMBER_MIN_MAGNITUDE;
            // One number has one form: none of these for a magnitude that another head stands for.
            if short_head(magnitude).is_some() || (far == FAR_BELOW) != (magnitude < 0) {
                return None;
            }
            (magnitude, 2)
        }
        // Above 0x80 after the flip, and not FAR_BELOW.
        short => (i32::from(short.checked_sub(SHORT_FIRST)?) + SHORT_MIN, 1),
    };
    let mut coefficient = 0u128;
    let mut used = head;
    let last = loop {
        let byte = at(used)?;
        let pair = byte >> 1;
        // No pair above 99, none that begins the digits with a zero.
        if pair > 99 || (used == head && pair < 10) {
            return None;
        }
        used += 1;
        coefficient = coefficient
            .checked_mul(100)?
            .checked_add(u128::from(pair))?;
        if byte & 1 == 0 {
            break pair;
        }
    };
    // Nor one that ends them with two.
    if last == 0 {
        return None;
    }
    let exponent = magnitude + 1 - digits(coefficient).cast_signed();
    let number = Number::from_parts(negative, coefficient, exponent).ok()?;
    Some((number, used))
}

/// The one head byte of a positive number whose magnitude has one.
fn short_head(magnitude: i32) -> Option<u8> {
    let above = u8::try_from(magnitude - SHORT_MIN).ok()?;
    above
        .checked_add(SHORT_FIRST)
        .filter(|&head| head < FAR_ABOVE)
}

// Compact form. One head byte: bit 7 the sign, bits 6-5 how the exponent follows (0: it is zero, 1: one
// signed byte, 2: two bytes), bits 4-0 how many bytes of coefficient follow, least significant first.
const SIGN: u8 = 0x80;
const COEFFICIENT_BYTES: u8 = 0x1F;

pub(crate) fn encode_compact(number: Number, out: &mut Vec<u8>) {
    let coefficient = number.coefficient();
    let width = coefficient_width(coefficient);
    let head = width | if number.negative { SIGN } else { 0 };
    match i8::try_from(number.exponent) {
        Ok(0) => out.push(head),
        Ok(short) => out.extend_from_slice(&[head | 1 << 5, short.to_le_bytes()[0]]),
        Err(_) => {
            out.push(head | 2 << 5);
            out.extend_from_slice(&number.exponent.to_le_bytes());
        }
    }
    out.extend_from_slice(&coefficient.to_le_bytes()[..usize::from(width)]);
}

/// Bytes that a coefficient takes, 0 to 16.
fn coefficient_width(coefficient: u128) -> u8 {
    // At most 16.
    (u128::BITS - coefficient.leading_zeros())
        .div_ceil(8)
        .to_le_bytes()[0]
}

/// Bytes that follow the head byte: exponent and coefficient.
fn widths(head: u8) -> Option<(usize, usize)> {
    let coefficient = usize::from(head & COEFFICIENT_BYTES);
    let exponent = usize::from(head >> 5 & 3);
    (coefficient <= 16 && exponent <= 2).then_some((exponent, coefficient))
}

/// Length of a compact number, from its head byte; the rest may be missing.
pub(crate) fn skip_compact(bytes: &[u8]) -> Option<usize> {
    let (exponent, coefficient) = widths(*bytes.first()?)?;
    Some(1 + exponent + coefficient)
}

/// Reads a compact number and the bytes it used. What is not in normal form is none.
pub(crate) fn decode_compact(bytes: &[u8]) -> Option<(Number, usize)> {
    let head = *bytes.first()?;
    let (exponent_width, width) = widths(head)?;
    let used = 1 + exponent_width + width;
    let body = bytes.get(1..used)?;
    let exponent = match body {
        [byte, ..] if exponent_width == 1 => i16::from(i8::from_le_bytes([*byte])),
        [low, high, ..] if exponent_width == 2 => i16::from_le_bytes([*low, *high]),
        _ => 0,
    };
    let mut padded = [0; 16];
    padded
        .get_mut(..width)?
        .copy_from_slice(&body[exponent_width..]);
    let negative = head & SIGN != 0;
    let number = Number::raw(negative, u128::from_le_bytes(padded), exponent);
    Some((number, used))
}

/// Reads a compact number, and refuses one that [`encode_compact`] would not have written.
pub(crate) fn decode_canonical(bytes: &[u8]) -> Option<(Number, usize)> {
    let (number, used) = decode_compact(bytes)?;
    let coefficient = number.coefficient();
    let (exponent_width, width) = widths(bytes[0])?;
    // A whole number of up to 19 digits that does not end with a zero: all of them are in range.
    if exponent_width == 0 && number.high == 0 && !number.low.is_multiple_of(10) {
        let canonical = width == usize::from(coefficient_width(coefficient));
        return canonical.then_some((number, used));
    }
    let shortest = match i8::try_from(number.exponent) {
        Ok(0) => 0,
        Ok(_) => 1,
        Err(_) => 2,
    };
    let normal = Number::from_parts(number.negative, coefficient, number.exponent()).ok()?;
    let canonical = normal == number
        && exponent_width == shortest
        && width == usize::from(coefficient_width(coefficient));
    canonical.then_some((number, used))
}
