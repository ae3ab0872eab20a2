//! Numbers: DynamoDB's forms, ranges and sizes as recorded, and laws that hold for all of them.

use bothways_core::{Number, NumberError};
use proptest::prelude::*;

use crate::support::number;

fn n(text: &str) -> Number {
    Number::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// What AWS gives back. Source: `test/alternator/test_number.py` of `ScyllaDB`, which runs against AWS; the last
/// two from `paritysuite/dynamodb-conformance`, limits/numberByteSize, and boto3 issue 2500.
#[test]
fn printing_gives_the_normal_form() {
    let cases = [
        ("1", "1"),
        ("123", "123"),
        ("-5", "-5"),
        ("0", "0"),
        ("10", "10"),
        ("1000", "1000"),
        ("007", "7"),
        ("001.23", "1.23"),
        ("00", "0"),
        ("+3", "3"),
        ("+0", "0"),
        ("+1.5", "1.5"),
        ("1.0", "1"),
        ("1.10", "1.1"),
        ("100.000", "100"),
        ("0.0", "0"),
        ("0.10", "0.1"),
        ("1e3", "1000"),
        ("1E+3", "1000"),
        ("-3e2", "-300"),
        ("1.23e4", "12300"),
        ("1e-3", "0.001"),
        ("123e-2", "1.23"),
        ("1.23e-1", "0.123"),
        ("1.00e2", "100"),
        ("1.0e-1", "0.1"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("0e5", "0"),
        ("0.0e3", "0"),
        ("0e-5", "0"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("5.", "5"),
        ("-00.50", "-0.5"),
        ("1e20", "100000000000000000000"),
        ("9.9e10", "99000000000"),
        ("1e-20", "0.00000000000000000001"),
        ("-273.15", "-273.15"),
        ("0042.1200", "42.12"),
        (
            "1234567895171680000000000000000000000000",
            "1234567895171680000000000000000000000000",
        ),
    ];
    for (text, normal) in cases {
        assert_eq!(n(text).to_string(), normal, "{text}");
    }
    assert_eq!(n("1e125").to_string(), format!("1{}", "0".repeat(125)));
    assert_eq!(n("1e-130").to_string(), format!("0.{}1", "0".repeat(129)));
}

/// Source: as above, and `paritysuite/dynamodb-conformance`, limits/numberExponent and
/// error-messages/valueLayers.
#[test]
fn what_is_no_number_says_why() {
    use NumberError::{Malformed, Overflow, TooPrecise, Underflow};
    let cases = [
        ("", Malformed),
        (" 1", Malformed),
        ("1 ", Malformed),
        (".", Malformed),
        ("+.", Malformed),
        ("-", Malformed),
        ("e5", Malformed),
        ("1e", Malformed),
        ("1e+", Malformed),
        ("--1", Malformed),
        ("1+2", Malformed),
        ("1.2.3", Malformed),
        ("1_000", Malformed),
        ("0x10", Malformed),
        ("abc", Malformed),
        ("NaN", Malformed),
        ("Infinity", Malformed),
        ("\u{0661}", Malformed),
        ("1e9223372036854775808", Malformed),
        ("1e126", Overflow),
        ("-1e126", Overflow),
        ("11e125", Overflow),
        ("1e2147483647", Overflow),
        ("1e2147483648", Overflow),
        ("1e99999999999", Overflow),
        ("0e126", Overflow),
        ("1e-131", Underflow),
        ("0.9e-130", Underflow),
        ("1e-2147483648", Underflow),
        ("1e-99999999999", Underflow),
        ("0e-131", Underflow),
        ("3.14159265358979323846264338327950288419", TooPrecise),
        ("314159265358979323846264338327950288419e30", TooPrecise),
        ("1234567890123456789012345678901234567890", TooPrecise),
        ("1.00000000000000000000000000000000000001", TooPrecise),
    ];
    for (text, error) in cases {
        assert_eq!(Number::parse(text), Err(error), "{text}");
    }
    for text in [
        "0.0e126",
        "0e125",
        "0.1e126",
        "9.9999999999999999999999999999999999999E+125",
        "-9.9999999999999999999999999999999999999E+125",
        "1.2345e-130",
        "31415926535897932384626433832795028841e30",
        "000000000000000000000000000000000000000000000000001.50000000000000000000000000000000000000000000",
    ] {
        n(text);
    }
}

/// Measured on AWS at the byte of the 400 KB limit: `paritysuite/dynamodb-conformance`, src/item-size.ts.
#[test]
fn sizes_are_those_measured() {
    let cases = [
        ("0", 1),
        ("1", 2),
        ("12", 2),
        ("123", 3),
        ("1234", 3),
        ("12345678901234567890123456789012345678", 20),
        ("0042", 2),
        ("100", 2),
        ("1010", 3),
        ("0.0000001", 2),
        ("1E125", 2),
        ("1E-100", 2),
        ("1.5", 3),
        ("15", 2),
        ("1.200", 3),
        ("1.234", 4),
        ("3.14159", 5),
        ("123456", 4),
    ];
    for (text, size) in cases {
        assert_eq!(n(text).size(), size, "{text}");
        if text != "0" {
            assert_eq!(n(&format!("-{text}")).size(), size + 1, "-{text}");
        }
    }
}

/// Sums that 38 digits do not hold are refused, never rounded: `test_update_expression_plus_imprecise` and
/// `test_update_expression_plus_overflow` of the suite named above.
#[test]
fn sums_are_exact_or_refused() {
    let cases = [
        (
            "1",
            "10000000000000000000000",
            Ok("10000000000000000000001"),
        ),
        ("0.1", "0.2", Ok("0.3")),
        ("0.3", "-0.1", Ok("0.2")),
        ("5", "-5", Ok("0")),
        ("9e125", "9e124", Ok("9.9e125")),
        ("1e38", "-1", Ok("99999999999999999999999999999999999999")),
        ("1e38", "1", Err(NumberError::TooPrecise)),
        ("1e50", "1", Err(NumberError::TooPrecise)),
        ("1e50", "-1", Err(NumberError::TooPrecise)),
        ("1e125", "1e-130", Err(NumberError::TooPrecise)),
        ("99999999999999999999999999999999999999", "1", Ok("1e38")),
        (
            "99999999999999999999999999999999999999",
            "2",
            Err(NumberError::TooPrecise),
        ),
        ("9e125", "9e125", Err(NumberError::Overflow)),
        ("1.1e-130", "-1e-130", Err(NumberError::Underflow)),
    ];
    for (a, b, sum) in cases {
        let sum = sum.map(n);
        assert_eq!(n(a).checked_add(n(b)), sum, "{a} + {b}");
        assert_eq!(n(b).checked_add(n(a)), sum, "{b} + {a}");
        assert_eq!(n(a).checked_sub(n(b).negate()), sum, "{a} - -{b}");
    }
}

/// `encode` writes one form of each number, and no other is read: a key must not be found under two.
#[test]
fn other_forms_of_a_key_are_refused() {
    let cases: [&[u8]; 9] = [
        &[],
        &[0xFF, 0, 66],   // a small magnitude under the head of large ones
        &[0x81, 255, 20], // and the other way round
        &[0xFF, 131, 20], // a magnitude that has a head of its own
        &[0xAA, 10],      // 05: digits that begin with a zero
        &[0xAA, 21, 0],   // 10 00: digits that end with two
        &[0xAA, 200],     // a pair of 100
        &[0xAA, 21],      // no end
        &[0x7F],          // minus zero
    ];
    for bytes in cases {
        assert_eq!(Number::decode(bytes), None, "{bytes:?}");
    }
}

/// The layout is frozen: docs/format.md.
#[test]
fn key_bytes_are_those_of_the_format_page() {
    let cases: [(&str, &[u8]); 8] = [
        ("0", &[0x80]),
        ("1", &[0xAA, 0x14]),
        ("42", &[0xAB, 0x54]),
        ("-42", &[0x54, 0xAB]),
        ("0.001", &[0xA7, 0x14]),
        ("123.45", &[0xAC, 0x19, 0x45, 0x64]),
        ("1e125", &[0xFF, 0xFF, 0x14]),
        ("-1e-130", &[0x7E, 0xFF, 0xEB]),
    ];
    for (text, bytes) in cases {
        assert_eq!(encoded(n(text)), bytes, "{text}");
    }
}

#[test]
fn integers_convert_both_ways() {
    for integer in [0, 1, -1, 10, -100, i64::MAX, i64::MIN, 1 << 40] {
        let number = Number::from(integer);
        assert_eq!(number.to_i64(), Some(integer));
        assert_eq!(number, n(&integer.to_string()));
    }
    assert_eq!(Number::from(u64::MAX).to_string(), u64::MAX.to_string());
    for other in [
        "0.5",
        "9223372036854775808",
        "-9223372036854775809",
        "1e100",
    ] {
        assert_eq!(n(other).to_i64(), None, "{other}");
    }
}

#[test]
fn the_limits_are_the_limits() {
    assert_eq!(
        Number::MAX,
        n("9.9999999999999999999999999999999999999E+125")
    );
    assert_eq!(Number::MIN, Number::MAX.negate());
    assert_eq!(std::mem::size_of::<Number>(), 24);
}

/// Decimal digits at fixed places, from 10^-170 up: slow, plain and nothing like the number itself.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Digits {
    negative: bool,
    /// Least significant first.
    places: Vec<i32>,
}

const PLACES: usize = 300;
const LOWEST: i32 = -170;

impl Digits {
    fn of(number: Number) -> Self {
        let mut places = vec![0; PLACES];
        let text = number.coefficient().to_string();
        for (index, digit) in text.bytes().rev().enumerate() {
            let place = usize::try_from(number.exponent() - LOWEST)
                .expect("no exponent is below -170")
                + index;
            places[place] = i32::from(digit - b'0');
        }
        Self {
            negative: number.is_negative(),
            places,
        }
    }

    fn add(&self, other: &Self) -> Self {
        let sign = |digits: &Self| if digits.negative { -1 } else { 1 };
        let mut places: Vec<i32> = (0..PLACES)
            .map(|i| self.places[i] * sign(self) + other.places[i] * sign(other))
            .collect();
        let negative = places
            .iter()
            .rev()
            .find(|&&place| place != 0)
            .is_some_and(|&place| place < 0);
        if negative {
            for place in &mut places {
                *place = -*place;
            }
        }
        for i in 0..PLACES - 1 {
            let carry = places[i].div_euclid(10);
            places[i] = places[i].rem_euclid(10);
            places[i + 1] += carry;
        }
        Self { negative, places }
    }

    /// The number, or why it is none.
    fn to_number(&self) -> Result<Number, NumberError> {
        let used = |&place: &i32| place != 0;
        let (Some(low), Some(high)) = (
            self.places.iter().position(used),
            self.places.iter().rposition(used),
        ) else {
            return Ok(Number::ZERO);
        };
        let power = |place: usize| i32::try_from(place).map_or(i32::MAX, |place| place + LOWEST);
        let magnitude = power(high);
        if magnitude > 125 {
            return Err(NumberError::Overflow);
        }
        if magnitude < -130 {
            return Err(NumberError::Underflow);
        }
        if high - low >= 38 {
            return Err(NumberError::TooPrecise);
        }
        let coefficient = self.places[low..=high]
            .iter()
            .rev()
            .fold(0u128, |sum, &place| {
                sum * 10 + u128::from(place.unsigned_abs())
            });
        Number::from_parts(self.negative, coefficient, power(low))
    }
}

fn encoded(number: Number) -> Vec<u8> {
    let mut bytes = Vec::new();
    number.encode(&mut bytes);
    bytes
}

proptest! {
    #[test]
    fn printing_and_parsing_again_changes_nothing(number in number()) {
        prop_assert_eq!(Number::parse(&number.to_string()), Ok(number));
        let written = format!("{}{}E{}", if number.is_negative() { "-" } else { "" }, number.coefficient(), number.exponent());
        prop_assert_eq!(Number::parse(&written), Ok(number));
    }

    #[test]
    fn sums_agree_with_digits_at_fixed_places(a in number(), b in number()) {
        let sum = a.checked_add(b);
        match (sum, Digits::of(a).add(&Digits::of(b)).to_number()) {
            // Which of two reasons is named first does not matter: DynamoDB words both as an overflow.
            (Err(NumberError::Overflow | NumberError::TooPrecise), Err(NumberError::Overflow | NumberError::TooPrecise)) => {}
            (found, expected) => prop_assert_eq!(found, expected),
        }
        prop_assert_eq!(b.checked_add(a), sum);
        prop_assert_eq!(a.checked_sub(b), a.checked_add(b.negate()));
    }

    #[test]
    fn order_agrees_with_the_sign_of_the_difference(a in number(), b in number()) {
        let difference = Digits::of(a).add(&Digits::of(b.negate()));
        let zero = difference.places.iter().all(|&place| place == 0);
        let expected = if zero { std::cmp::Ordering::Equal }
            else if difference.negative { std::cmp::Ordering::Less }
            else { std::cmp::Ordering::Greater };
        prop_assert_eq!(a.cmp(&b), expected);
        prop_assert_eq!(a == b, zero);
    }

    #[test]
    fn order_of_bytes_is_order_of_numbers(a in number(), b in number(), after in any::<[u8; 2]>()) {
        let (mut x, mut y) = (encoded(a), encoded(b));
        prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        prop_assert_eq!(Number::decode(&x), Some((a, x.len())));
        if a != b {
            prop_assert!(!x.starts_with(&y) && !y.starts_with(&x));
        }
        // What follows does not disturb it.
        let order = x.cmp(&y);
        x.push(after[0]);
        y.push(after[1]);
        if a != b {
            prop_assert_eq!(x.cmp(&y), order);
        }
        prop_assert_eq!(Number::decode(&x), Some((a, x.len() - 1)));
    }

    #[test]
    fn decoding_any_bytes_gives_nothing_or_the_one_number_they_encode(bytes in proptest::collection::vec(any::<u8>(), 0..24)) {
        if let Some((number, used)) = Number::decode(&bytes) {
            prop_assert_eq!(&encoded(number)[..], &bytes[..used]);
        }
    }

    #[test]
    fn parsing_any_text_never_panics(text in "\\PC{0,40}|[-+0-9.eE]{0,60}") {
        if let Ok(number) = Number::parse(&text) {
            prop_assert_eq!(Number::parse(&number.to_string()), Ok(number));
        }
    }
}
