//! Is this an item? One pass over stored bytes, so that nothing later meets damage.
//!
//! Every function takes what it checks off `rest` and returns its size as DynamoDB counts it; `None` is
//! damage: anything that this crate would not have written.

use super::read::tag;
use super::varint::take_canonical;
use crate::limits::{DOCUMENT_OVERHEAD_BYTES, ELEMENT_OVERHEAD_BYTES};
use crate::{Number, number};

/// Deepest nesting that is read back. A value has at most 32 levels in a request and an update can put one
/// below another; the rest is room, and a bound for the stack on damaged bytes.
const DEEPEST: usize = 128;

/// Checks that `rest` is `count` attributes in ascending order of names, and nothing else.
pub(super) fn attributes(mut rest: &[u8], count: usize) -> Option<usize> {
    let size = members(&mut rest, count, 0, DEEPEST)?;
    rest.is_empty().then_some(size)
}

fn members(rest: &mut &[u8], count: usize, overhead: usize, levels: usize) -> Option<usize> {
    let mut size = 0;
    let mut previous: Option<&[u8]> = None;
    for _ in 0..count {
        let name = text(rest)?;
        if previous.is_some_and(|previous| previous >= name) {
            return None;
        }
        previous = Some(name);
        size += name.len() + value(rest, levels)? + overhead;
    }
    Some(size)
}

fn value(rest: &mut &[u8], levels: usize) -> Option<usize> {
    let (&first, tail) = rest.split_first()?;
    *rest = tail;
    match first {
        tag::FALSE | tag::TRUE | tag::NULL => Some(1),
        tag::STRING => text(rest).map(<[u8]>::len),
        tag::BINARY => bytes(rest).map(<[u8]>::len),
        tag::NUMBER => number(rest).map(Number::size),
        _ => {
            let mut body = bytes(rest)?;
            let count = take_canonical(&mut body)?;
            let levels = levels.checked_sub(1)?;
            let size = match first {
                tag::STRING_SET => ascending(&mut body, count, text, |text| text.len()),
                tag::BINARY_SET => ascending(&mut body, count, bytes, |bytes| bytes.len()),
                tag::NUMBER_SET => ascending(&mut body, count, number, |number| number.size()),
                tag::LIST => elements(&mut body, count, levels),
                tag::MAP => members(&mut body, count, ELEMENT_OVERHEAD_BYTES, levels)
                    .map(|size| DOCUMENT_OVERHEAD_BYTES + size),
                _ => None,
            }?;
            body.is_empty().then_some(size)
        }
    }
}

fn elements(rest: &mut &[u8], count: usize, levels: usize) -> Option<usize> {
    let mut size = DOCUMENT_OVERHEAD_BYTES;
    for _ in 0..count {
        size += ELEMENT_OVERHEAD_BYTES + value(rest, levels)?;
    }
    Some(size)
}

/// Members of a set in ascending order.
fn ascending<'a, T: PartialOrd>(
    rest: &mut &'a [u8],
    count: usize,
    take: impl Fn(&mut &'a [u8]) -> Option<T>,
    size_of: impl Fn(&T) -> usize,
) -> Option<usize> {
    let mut size = 0;
    let mut previous = None;
    for _ in 0..count {
        let member = take(rest)?;
        if previous.is_some_and(|previous| previous >= member) {
            return None;
        }
        size += size_of(&member);
        previous = Some(member);
    }
    Some(size)
}

fn bytes<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take_canonical(rest)?;
    let (taken, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    Some(taken)
}

/// UTF-8, whose order is that of its bytes. Most is ASCII, which is seen sooner.
fn text<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let bytes = bytes(rest)?;
    (bytes.is_ascii() || std::str::from_utf8(bytes).is_ok()).then_some(bytes)
}

fn number(rest: &mut &[u8]) -> Option<Number> {
    let (number, used) = number::decode_canonical(rest)?;
    *rest = &rest[used..];
    Some(number)
}
