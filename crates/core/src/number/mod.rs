//! DynamoDB numbers: decimal, 38 significant digits, magnitudes from 1E-130 to
//! 9.9999999999999999999999999999999999999E+125, and zero.
//!
//! Sources: Developer Guide, "Supported data types and naming rules in Amazon DynamoDB", Number;
//! measured normal forms and edge cases in `ScyllaDB`'s `test/alternator/test_number.py`, which runs
//! against AWS too.

mod arithmetic;
mod bytes;
mod text;

use crate::limits;
use std::cmp::Ordering;

pub(crate) use bytes::{decode_canonical, decode_compact, encode_compact, skip_compact};

/// A decimal number in normal form: sign, coefficient without trailing zeros, decimal exponent.
///
/// Equal numbers have equal fields, so `Eq` and `Hash` are those of the value: `1.0`, `1` and `10E-1`
/// are one number. `Ord` is numeric. `Copy`, 24 bytes.
///
/// ```
/// use bothways_core::{Number, NumberError};
///
/// let price: Number = "0012.50".parse()?;
/// assert_eq!(price.to_string(), "12.5");
/// assert_eq!(price.checked_add(Number::ONE)?.to_string(), "13.5");
/// assert_eq!(Number::MAX.checked_add(Number::MAX), Err(NumberError::Overflow));
/// # Ok::<(), NumberError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    /// High and low half of the coefficient, which is below 10^38. Two halves instead of a `u128` keep
    /// the type at an alignment of eight bytes.
    high: u64,
    low: u64,
    /// Power of ten that the coefficient is multiplied by; zero for zero.
    exponent: i16,
    /// Never set for zero.
    negative: bool,
}

/// Why a text, or the result of a sum, is not a DynamoDB number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NumberError {
    /// Not a decimal number at all.
    #[error("not a decimal number")]
    Malformed,
    /// More than 38 significant digits.
    #[error("more than 38 significant digits")]
    TooPrecise,
    /// Magnitude above 9.9999999999999999999999999999999999999E+125.
    #[error("magnitude above 9.99E+125")]
    Overflow,
    /// Magnitude below 1E-130.
    #[error("magnitude below 1E-130")]
    Underflow,
}

impl Number {
    /// Zero.
    pub const ZERO: Self = Self {
        high: 0,
        low: 0,
        exponent: 0,
        negative: false,
    };

    /// One.
    pub const ONE: Self = Self {
        high: 0,
        low: 1,
        exponent: 0,
        negative: false,
    };

    /// Largest number: 38 nines, `9.99…E+125`.
    pub const MAX: Self = Self::raw(false, POWERS[limits::NUMBER_DIGITS as usize] - 1, 88);

    /// Smallest number: `-9.99…E+125`.
    pub const MIN: Self = Self::raw(true, POWERS[limits::NUMBER_DIGITS as usize] - 1, 88);

    /// Parses DynamoDB's textual form: optional sign, digits with an optional point, optional exponent.
    /// No blanks. Leading and trailing zeros do not count as digits.
    ///
    /// # Errors
    /// [`NumberError`]; where several apply, the range is reported before the precision.
    pub fn parse(text: &str) -> Result<Self, NumberError> {
        text::parse(text.as_bytes())
    }

    /// Builds the number `±coefficient × 10^exponent`.
    ///
    /// # Errors
    /// Range and precision, as for [`Number::parse`].
    pub fn from_parts(
        negative: bool,
        coefficient: u128,
        exponent: i32,
    ) -> Result<Self, NumberError> {
        if coefficient == 0 {
            return Ok(Self::ZERO);
        }
        let (coefficient, zeros) = strip_zeros(coefficient);
        let exponent = exponent.saturating_add(i32::from(zeros));
        let digits = digits(coefficient);
        let magnitude = exponent
            .saturating_add(digits.cast_signed())
            .saturating_sub(1);
        if magnitude > limits::NUMBER_MAX_MAGNITUDE {
            return Err(NumberError::Overflow);
        }
        if magnitude < limits::NUMBER_MIN_MAGNITUDE {
            return Err(NumberError::Underflow);
        }
        let exponent = i16::try_from(exponent).map_err(|_| NumberError::Underflow)?;
        if digits > limits::NUMBER_DIGITS {
            return Err(NumberError::TooPrecise);
        }
        Ok(Self::raw(negative, coefficient, exponent))
    }

    /// Takes parts that are in normal form already.
    const fn raw(negative: bool, coefficient: u128, exponent: i16) -> Self {
        Self {
            high: (coefficient >> 64) as u64,
            #[allow(clippy::cast_possible_truncation, reason = "the low half is wanted")]
            low: coefficient as u64,
            exponent,
            negative,
        }
    }

    /// Significant digits as an integer, without trailing zeros; below 10^38.
    #[must_use]
    pub const fn coefficient(self) -> u128 {
        ((self.high as u128) << 64) | self.low as u128
    }

    /// The power of ten that the coefficient is multiplied by.
    #[must_use]
    pub const fn exponent(self) -> i32 {
        self.exponent as i32
    }

    /// Whether the number is below zero.
    #[must_use]
    pub const fn is_negative(self) -> bool {
        self.negative
    }

    /// Whether the number is zero.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.low == 0 && self.high == 0
    }

    /// Exponent of the leading digit in scientific notation (0 for 7, 2 for 123, -1 for 0.5).
    fn magnitude(self) -> i32 {
        self.exponent() + self.digits().cast_signed() - 1
    }

    /// Number of significant digits, 1 to 38 (1 for zero).
    fn digits(self) -> u32 {
        if self.high == 0 {
            self.low.checked_ilog10().map_or(1, |log| log + 1)
        } else {
            digits(self.coefficient())
        }
    }

    /// Exact sum.
    ///
    /// # Errors
    /// [`NumberError::Overflow`] or [`NumberError::Underflow`] for a sum out of range,
    /// [`NumberError::TooPrecise`] for one that 38 digits do not hold. DynamoDB never rounds; it words
    /// the last as an overflow (`test_update_expression_plus_imprecise` in the suite named above).
    pub fn checked_add(self, other: Self) -> Result<Self, NumberError> {
        arithmetic::add(self, other)
    }

    /// Exact difference.
    ///
    /// # Errors
    /// As for [`Number::checked_add`].
    pub fn checked_sub(self, other: Self) -> Result<Self, NumberError> {
        arithmetic::add(self, other.negate())
    }

    /// The number with its sign turned.
    #[must_use]
    pub const fn negate(self) -> Self {
        Self {
            negative: !self.negative && !self.is_zero(),
            ..self
        }
    }

    /// Appends the order-preserving, self-delimiting key bytes: comparing bytes compares numbers, and no
    /// number's bytes begin another's. `docs/format.md` has the layout.
    pub fn encode(self, out: &mut Vec<u8>) {
        bytes::encode_ordered(self, out);
    }

    /// Reads what [`Number::encode`] wrote; returns the number and the bytes used.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<(Self, usize)> {
        bytes::decode_ordered(bytes)
    }

    /// DynamoDB's size of a number in bytes: one, and one for every two significant digits before the
    /// point, and one for every two after it, and one more for a negative number. Leading and trailing
    /// zeros do not count. Zero is one byte, the longest number 22.
    ///
    /// Source: measured on AWS to the byte at the 400 KB limit (`paritysuite/dynamodb-conformance`,
    /// limits/numberByteSize; `nubo-db/dynoxide` pull request 195). The Developer Guide's "approximately 1
    /// byte per two significant digits plus 1" differs where digits stand on both sides of the point, and
    /// leaves out the sign.
    #[must_use]
    pub fn size(self) -> usize {
        if self.is_zero() {
            return 1;
        }
        let digits = self.digits();
        let fraction = if self.exponent < 0 {
            u32::from(self.exponent.unsigned_abs()).min(digits)
        } else {
            0
        };
        let pairs = (digits - fraction).div_ceil(2) + fraction.div_ceil(2);
        1 + pairs as usize + usize::from(self.negative)
    }

    /// The value as an integer, where it is one and fits.
    #[must_use]
    pub fn to_i64(self) -> Option<i64> {
        let power = u32::try_from(self.exponent).ok()?;
        let magnitude = self.coefficient().checked_mul(10u128.checked_pow(power)?)?;
        let magnitude = i128::try_from(magnitude).ok()?;
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// Appends the normal form: digits, at most one point, a minus sign, never an exponent.
    pub fn write(self, out: &mut Vec<u8>) {
        text::write(self, out);
    }
}

/// Powers of ten up to 10^38.
const POWERS: [u128; 39] = {
    let mut powers = [1u128; 39];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// Decimal digits of a coefficient; 1 for zero.
fn digits(coefficient: u128) -> u32 {
    coefficient.checked_ilog10().map_or(1, |log| log + 1)
}

/// Divides by ten while that leaves no rest; not for zero.
fn strip_zeros(mut coefficient: u128) -> (u128, i16) {
    let mut zeros = 0;
    while u64::try_from(coefficient).is_err() && coefficient.is_multiple_of(10) {
        coefficient /= 10;
        zeros += 1;
    }
    let Ok(mut short) = u64::try_from(coefficient) else {
        return (coefficient, zeros);
    };
    while short != 0 && short.is_multiple_of(10) {
        short /= 10;
        zeros += 1;
    }
    (u128::from(short), zeros)
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |n: &Self| i8::from(!n.is_zero()) * if n.negative { -1 } else { 1 };
        let by_sign = sign(self).cmp(&sign(other));
        if by_sign != Ordering::Equal || self.is_zero() {
            return by_sign;
        }
        let by_magnitude = self.magnitude().cmp(&other.magnitude()).then_with(|| {
            // Both coefficients at the same number of digits; 38 digits fit.
            let scaled =
                |n: &Self| n.coefficient() * POWERS[(limits::NUMBER_DIGITS - n.digits()) as usize];
            scaled(self).cmp(&scaled(other))
        });
        if self.negative {
            by_magnitude.reverse()
        } else {
            by_magnitude
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<i64> for Number {
    fn from(n: i64) -> Self {
        Self::from(n.unsigned_abs()).with_sign(n < 0)
    }
}

impl From<u64> for Number {
    fn from(n: u64) -> Self {
        if n == 0 {
            return Self::ZERO;
        }
        let (coefficient, zeros) = strip_zeros(u128::from(n));
        Self::raw(false, coefficient, zeros)
    }
}

impl From<i32> for Number {
    fn from(n: i32) -> Self {
        Self::from(i64::from(n))
    }
}

impl From<u32> for Number {
    fn from(n: u32) -> Self {
        Self::from(u64::from(n))
    }
}

impl From<usize> for Number {
    fn from(n: usize) -> Self {
        Self::from(n as u64)
    }
}

impl Number {
    fn with_sign(self, negative: bool) -> Self {
        if negative { self.negate() } else { self }
    }
}

impl std::str::FromStr for Number {
    type Err = NumberError;
    fn from_str(text: &str) -> Result<Self, NumberError> {
        Self::parse(text)
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = Vec::with_capacity(48);
        text::write(*self, &mut out);
        f.pad(std::str::from_utf8(&out).unwrap_or_default())
    }
}

impl std::fmt::Debug for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
