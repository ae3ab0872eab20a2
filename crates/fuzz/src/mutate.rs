//! A new input from old ones.

use crate::random::Random;

/// Bytes that mean something to somebody.
const BYTES: &[u8] = b"\0\x01\x7f\x80\xff\"'\\{}[]()<>,.:;#?+-*/=_ \t\neE0129aZ";
/// Numbers at the edges of types and of DynamoDB's ranges.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "20",
    "32",
    "33",
    "100",
    "101",
    "255",
    "256",
    "1024",
    "65535",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999999999999999999",
    "100000000000000000000000000000000000001",
    "1e125",
    "1e126",
    "1e-130",
    "1e-131",
    "-0",
    "0.1",
];
/// The most that one change copies.
const PART: usize = 64;

/// Changes an input in one to four places, but never beyond `longest` bytes.
pub(crate) fn mutate(
    random: &mut Random,
    input: &mut Vec<u8>,
    other: &[u8],
    dictionary: &[&str],
    longest: usize,
) {
    for _ in 0..=random.below(4) {
        once(random, input, other, dictionary);
        input.truncate(longest);
    }
}

fn once(random: &mut Random, input: &mut Vec<u8>, other: &[u8], dictionary: &[&str]) {
    let at = random.below(input.len() + 1);
    match random.below(13) {
        0 => {
            if let Some(byte) = input.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => {
            let byte = random.byte();
            let byte = *random.pick(BYTES).unwrap_or(&byte);
            match input.get_mut(at) {
                Some(own) if random.chance(2) => *own = byte,
                _ => input.insert(at, byte),
            }
        }
        2 | 3 => {
            let token = word(random, dictionary);
            splice(input, at, at, token.as_bytes());
        }
        4 => {
            let (begin, end) = word_at(input, at);
            let token = word(random, dictionary);
            splice(input, begin, end, token.as_bytes());
        }
        5 => {
            let (begin, end) = random.part(input.len(), PART);
            input.drain(begin..end);
        }
        6 => {
            let (begin, end) = random.part(input.len(), PART);
            let copy = input[begin..end].to_vec();
            splice(input, at, at, &copy);
        }
        7 => repeat(random, input),
        8 => {
            let (begin, _) = random.part(other.len(), other.len());
            input.truncate(at);
            input.extend_from_slice(&other[begin..]);
        }
        9 => {
            let (begin, end) = random.part(other.len(), PART);
            splice(input, at, at, &other[begin..end]);
        }
        10 => {
            let (begin, end) = digits_at(input, at);
            let number = random.pick(NUMBERS).unwrap_or(&"0");
            splice(input, begin, end, number.as_bytes());
        }
        11 => wrap(random, input),
        _ => input.truncate(at),
    }
}

/// A part many times over: what is quadratic or deep shows itself so.
fn repeat(random: &mut Random, input: &mut Vec<u8>) {
    let (begin, end) = random.part(input.len(), PART);
    let times = 1 << random.below(11);
    let copy = input[begin..end].repeat(times);
    splice(input, end, end, &copy);
}

/// A part in brackets, perhaps many.
fn wrap(random: &mut Random, input: &mut Vec<u8>) {
    let pairs: &[(&str, &str)] = &[
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("<<", ">>"),
        ("'", "'"),
        ("\"", "\""),
        ("NOT (", ")"),
        ("{\"L\":[", "]}"),
        ("{\"M\":{\"a\":", "}}"),
    ];
    let Some((open, close)) = random.pick(pairs) else {
        return;
    };
    let times = 1 << random.below(7);
    let (begin, end) = random.part(input.len(), input.len());
    splice(input, end, end, close.repeat(times).as_bytes());
    splice(input, begin, begin, open.repeat(times).as_bytes());
}

fn word<'d>(random: &mut Random, dictionary: &[&'d str]) -> &'d str {
    random.pick(dictionary).copied().unwrap_or(" ")
}

fn splice(input: &mut Vec<u8>, begin: usize, end: usize, with: &[u8]) {
    input.splice(begin..end, with.iter().copied());
}

/// The run of such bytes around a place.
fn run_at(input: &[u8], at: usize, of: fn(u8) -> bool) -> (usize, usize) {
    let begin = input[..at].iter().rposition(|b| !of(*b));
    let end = input[at..].iter().position(|b| !of(*b));
    (
        begin.map_or(0, |b| b + 1),
        end.map_or(input.len(), |e| at + e),
    )
}

fn word_at(input: &[u8], at: usize) -> (usize, usize) {
    run_at(input, at, |b| {
        b.is_ascii_alphanumeric() || b"_#:?".contains(&b)
    })
}

fn digits_at(input: &[u8], at: usize) -> (usize, usize) {
    run_at(input, at, |b| b.is_ascii_digit())
}
