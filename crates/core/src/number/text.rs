//! Text to number and back.

use super::{Number, NumberError, digits};
use crate::limits;

pub(super) fn parse(text: &[u8]) -> Result<Number, NumberError> {
    if let Some(short) = parse_short(text) {
        return Ok(short);
    }
    let (negative, rest) = split_sign(text);
    let mantissa_end = rest
        .iter()
        .position(|b| matches!(b, b'e' | b'E'))
        .unwrap_or(rest.len());
    let mantissa = Mantissa::read(&rest[..mantissa_end])?;
    let written = match rest.get(mantissa_end + 1..) {
        Some(exponent) => read_exponent(exponent)?,
        None => 0,
    };
    mantissa.finish(negative, written)
}

fn split_sign(text: &[u8]) -> (bool, &[u8]) {
    match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    }
}

/// The hot path: an optional minus sign and up to 18 digits.
fn parse_short(text: &[u8]) -> Option<Number> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0u64;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    Some(Number::from(value).with_sign(negative))
}

/// Digits and point of a number as they were written.
#[derive(Default)]
struct Mantissa {
    /// Value of the significant digits read so far, without zeros that may yet prove to be trailing.
    coefficient: u128,
    /// Significant digits in `coefficient`.
    significant: u32,
    /// Zeros after them that count only if another digit follows.
    pending_zeros: i64,
    /// Digits after the point.
    fraction: i64,
    /// More than 38 significant digits were seen; `coefficient` then holds the first of them only.
    too_precise: bool,
    /// Digits after the last one that `coefficient` holds.
    dropped: i64,
}

impl Mantissa {
    fn read(text: &[u8]) -> Result<Self, NumberError> {
        let mut this = Self::default();
        let mut point = false;
        let mut any = false;
        for &byte in text {
            match byte {
                b'0'..=b'9' => {
                    any = true;
                    this.fraction += i64::from(point);
                    this.push(byte - b'0');
                }
                b'.' if !point => point = true,
                _ => return Err(NumberError::Malformed),
            }
        }
        if any {
            Ok(this)
        } else {
            Err(NumberError::Malformed)
        }
    }

    fn push(&mut self, digit: u8) {
        if digit == 0 {
            if self.significant > 0 {
                self.pending_zeros += 1;
            }
            return;
        }
        // Zeros before this digit, and the digit: how far the coefficient moves.
        let width = self.pending_zeros + 1;
        let fits = u32::try_from(width).ok().filter(|width| {
            !self.too_precise && self.significant.saturating_add(*width) <= limits::NUMBER_DIGITS
        });
        if let Some(width) = fits {
            self.coefficient = self.coefficient * super::POWERS[width as usize] + u128::from(digit);
            self.significant += width;
        } else {
            self.too_precise = true;
            self.dropped += width;
        }
        self.pending_zeros = 0;
    }

    fn finish(self, negative: bool, written: i64) -> Result<Number, NumberError> {
        let scale = written.saturating_sub(self.fraction);
        let exponent = scale
            .saturating_add(self.pending_zeros)
            .saturating_add(self.dropped);
        let magnitude = if self.coefficient == 0 {
            // DynamoDB refuses 0e126 and 0e-131, by the exponent that is written: measured in
            // `test_number_magnitude_not_allowed_zero`.
            scale
        } else {
            exponent.saturating_add(i64::from(digits(self.coefficient) - 1))
        };
        if magnitude > i64::from(limits::NUMBER_MAX_MAGNITUDE) {
            return Err(NumberError::Overflow);
        }
        if magnitude < i64::from(limits::NUMBER_MIN_MAGNITUDE) {
            return Err(NumberError::Underflow);
        }
        if self.too_precise {
            return Err(NumberError::TooPrecise);
        }
        let exponent = i32::try_from(exponent).map_err(|_| NumberError::Overflow)?;
        Number::from_parts(negative, self.coefficient, exponent)
    }
}

fn read_exponent(text: &[u8]) -> Result<i64, NumberError> {
    let (negative, digits) = split_sign(text);
    if digits.is_empty() {
        return Err(NumberError::Malformed);
    }
    let mut value = 0i64;
    for &byte in digits {
        if !byte.is_ascii_digit() {
            return Err(NumberError::Malformed);
        }
        // DynamoDB reads exponents of 64 bits, and nothing beyond is a number to it: measured in
        // `paritysuite/dynamodb-conformance`, limits/numberExponent.
        value = value
            .checked_mul(10)
            .and_then(|value| value.checked_add(i64::from(byte - b'0')))
            .ok_or(NumberError::Malformed)?;
    }
    Ok(if negative { -value } else { value })
}

/// Appends the normal form.
pub(super) fn write(number: Number, out: &mut Vec<u8>) {
    if number.negative {
        out.push(b'-');
    }
    let mut buffer = itoa::Buffer::new();
    let digits = if number.high == 0 {
        buffer.format(number.low)
    } else {
        buffer.format(number.coefficient())
    }
    .as_bytes();
    if let Ok(zeros) = usize::try_from(number.exponent) {
        out.extend_from_slice(digits);
        out.resize(out.len() + zeros, b'0');
        return;
    }
    let fraction = usize::from(number.exponent.unsigned_abs());
    if let Some(point) = digits
        .len()
        .checked_sub(fraction)
        .filter(|&point| point > 0)
    {
        out.extend_from_slice(&digits[..point]);
        out.push(b'.');
        out.extend_from_slice(&digits[point..]);
    } else {
        out.extend_from_slice(b"0.");
        out.resize(out.len() + fraction - digits.len(), b'0');
        out.extend_from_slice(digits);
    }
}
