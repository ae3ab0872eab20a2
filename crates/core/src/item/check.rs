//! Is this an item? One pass over stored bytes, so that nothing later meets damage.

use super::read;
use super::read::tag;
use crate::number;

/// Deepest nesting that is read back. DynamoDB stops at 32 levels; the rest is room for other writers, and a
/// bound for the stack on damaged bytes.
const DEEPEST: usize = 128;

/// Whether `members` are `count` members of a map in ascending order of names, and nothing else.
pub(super) fn members(members: &[u8], count: usize) -> bool {
    let mut rest = members;
    members_at(&mut rest, count, DEEPEST).is_some() && rest.is_empty()
}

fn members_at(rest: &mut &[u8], count: usize, levels: usize) -> Option<()> {
    let mut previous: Option<&str> = None;
    for _ in 0..count {
        let name = canonical_text(rest)?;
        if previous.is_some_and(|previous| previous >= name) {
            return None;
        }
        previous = Some(name);
        value_at(rest, levels)?;
    }
    Some(())
}

fn value_at(rest: &mut &[u8], levels: usize) -> Option<()> {
    let (&first, tail) = rest.split_first()?;
    match first {
        tag::FALSE | tag::TRUE | tag::NULL => {
            *rest = tail;
            Some(())
        }
        tag::STRING => {
            *rest = tail;
            canonical_text(rest).map(drop)
        }
        tag::BINARY => {
            *rest = tail;
            canonical_bytes(rest).map(drop)
        }
        tag::NUMBER => {
            *rest = tail;
            canonical_number(rest).map(drop)
        }
        _ => {
            *rest = tail;
            let mut body = canonical_bytes(rest)?;
            let count = canonical_varint(&mut body)?;
            match first {
                tag::STRING_SET => ascending(&mut body, count, canonical_text)?,
                tag::BINARY_SET => ascending(&mut body, count, canonical_bytes)?,
                tag::NUMBER_SET => ascending(&mut body, count, canonical_number)?,
                tag::LIST => {
                    let levels = levels.checked_sub(1)?;
                    for _ in 0..count {
                        value_at(&mut body, levels)?;
                    }
                }
                tag::MAP => members_at(&mut body, count, levels.checked_sub(1)?)?,
                _ => return None,
            }
            body.is_empty().then_some(())
        }
    }
}

fn ascending<'a, T: PartialOrd>(
    rest: &mut &'a [u8],
    count: usize,
    take: impl Fn(&mut &'a [u8]) -> Option<T>,
) -> Option<()> {
    let mut previous = None;
    for _ in 0..count {
        let member = take(rest)?;
        if previous.is_some_and(|previous| previous >= member) {
            return None;
        }
        previous = Some(member);
    }
    Some(())
}

/// A length or count in its shortest form.
pub(super) fn canonical_varint(rest: &mut &[u8]) -> Option<usize> {
    let before = rest.len();
    let value = read::varint(rest)?;
    (before - rest.len() == super::encode::varint_width(value)).then_some(value)
}

fn canonical_bytes<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = canonical_varint(rest)?;
    let (taken, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    Some(taken)
}

fn canonical_text<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    std::str::from_utf8(canonical_bytes(rest)?).ok()
}

fn canonical_number(rest: &mut &[u8]) -> Option<crate::Number> {
    let (number, used) = number::decode_canonical(rest)?;
    *rest = &rest[used..];
    Some(number)
}
