//! Exact sums.

use super::{Number, NumberError, POWERS};

/// The exact sum, or why it is not a DynamoDB number.
pub(super) fn add(a: Number, b: Number) -> Result<Number, NumberError> {
    if a.is_zero() {
        return Ok(b);
    }
    if b.is_zero() {
        return Ok(a);
    }
    let (wide, fine) = if a.exponent >= b.exponent {
        (a, b)
    } else {
        (b, a)
    };
    let shift = (wide.exponent() - fine.exponent()).unsigned_abs() as usize;
    // The finer number ends in a digit that is not zero, so an unequal shift leaves every digit of the
    // sum significant: what does not fit in 128 bits has 39 digits or more and can be no result.
    let power = *POWERS.get(shift).ok_or(NumberError::TooPrecise)?;
    let wide_scaled = wide
        .coefficient()
        .checked_mul(power)
        .ok_or(NumberError::TooPrecise)?;
    let fine_scaled = fine.coefficient();
    let (negative, coefficient) = if wide.negative == fine.negative {
        (
            wide.negative,
            wide_scaled
                .checked_add(fine_scaled)
                .ok_or(NumberError::TooPrecise)?,
        )
    } else if wide_scaled >= fine_scaled {
        (wide.negative, wide_scaled - fine_scaled)
    } else {
        (fine.negative, fine_scaled - wide_scaled)
    };
    Number::from_parts(negative, coefficient, fine.exponent())
}
