//! DynamoDB numbers: 38 significant digits, exponents from -130 to 125.

/// A number in normal form: sign, coefficient without trailing zeros, decimal exponent.
/// `Ord` is numeric order. `Copy`, 24 bytes or so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Number {}

/// Why a text is not a DynamoDB number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// Not a decimal number at all.
    #[error("not a number")]
    Malformed,
    /// More than 38 significant digits.
    #[error("more than 38 significant digits")]
    TooPrecise,
    /// Magnitude above 9.9999999999999999999999999999999999999E+125.
    #[error("magnitude too large")]
    Overflow,
    /// Magnitude below 1E-130.
    #[error("magnitude too small")]
    Underflow,
}

impl Number {
    /// Zero.
    pub const ZERO: Self = Self {};

    /// Parses DynamoDB's textual form; leading and trailing zeros, exponent and sign are normalised.
    pub fn parse(text: &str) -> Result<Self, NumberError> {
        todo!("{text}")
    }
    /// Exact sum; an error where 38 digits or the range do not hold it.
    pub fn checked_add(self, other: Self) -> Result<Self, NumberError> {
        todo!("{other:?}")
    }
    /// Exact difference.
    pub fn checked_sub(self, other: Self) -> Result<Self, NumberError> {
        todo!("{other:?}")
    }
    /// Appends the order-preserving, self-delimiting key bytes (comparing bytes compares numbers).
    pub fn encode(self, out: &mut Vec<u8>) {
        todo!("{out:?}")
    }
    /// Reads what `encode` wrote; returns the number and the bytes used.
    pub fn decode(bytes: &[u8]) -> Option<(Self, usize)> {
        todo!("{bytes:?}")
    }
    /// DynamoDB's size of a number in bytes.
    pub fn size(self) -> usize {
        todo!()
    }
    /// The value as an integer, where it is one and fits.
    pub fn to_i64(self) -> Option<i64> {
        todo!()
    }
}

impl From<i64> for Number {
    fn from(n: i64) -> Self {
        todo!("{n}")
    }
}
impl From<u64> for Number {
    fn from(n: u64) -> Self {
        todo!("{n}")
    }
}
impl std::fmt::Display for Number {
    fn fmt(&self, _f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        todo!()
    }
}
