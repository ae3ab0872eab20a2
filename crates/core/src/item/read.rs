//! Reading encoded values in place. Every function is total: bytes that are not what they should be give
//! `None` (or an end), never a panic. [`super::check`] has refused such bytes before they get here.

use super::varint::take_varint;
use crate::value::{BinarySet, ListRef, MapRef, NumberSet, StringSet, ValueRef};
use crate::{Number, number};
use std::cmp::Ordering;

/// First byte of a value. Part of the stored format: never renumber.
pub(crate) mod tag {
    pub(crate) const STRING: u8 = 1;
    pub(crate) const NUMBER: u8 = 2;
    pub(crate) const BINARY: u8 = 3;
    pub(crate) const FALSE: u8 = 4;
    pub(crate) const TRUE: u8 = 5;
    pub(crate) const NULL: u8 = 6;
    pub(crate) const STRING_SET: u8 = 7;
    pub(crate) const NUMBER_SET: u8 = 8;
    pub(crate) const BINARY_SET: u8 = 9;
    pub(crate) const LIST: u8 = 10;
    pub(crate) const MAP: u8 = 11;
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    Some(taken)
}

/// Takes a length and that many bytes.
pub(crate) fn bytes<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take_varint(rest)?;
    take(rest, length)
}

/// Takes a length and that many bytes of UTF-8.
pub(crate) fn text<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    std::str::from_utf8(bytes(rest)?).ok()
}

/// Takes a number.
pub(crate) fn number(rest: &mut &[u8]) -> Option<Number> {
    let (number, used) = number::decode_compact(rest)?;
    *rest = &rest[used..];
    Some(number)
}

/// Takes a value.
pub(crate) fn value<'a>(rest: &mut &'a [u8]) -> Option<ValueRef<'a>> {
    let (&first, tail) = rest.split_first()?;
    *rest = tail;
    Some(match first {
        tag::STRING => ValueRef::S(text(rest)?),
        tag::NUMBER => ValueRef::N(number(rest)?),
        tag::BINARY => ValueRef::B(bytes(rest)?),
        tag::FALSE => ValueRef::Bool(false),
        tag::TRUE => ValueRef::Bool(true),
        tag::NULL => ValueRef::Null,
        tag::STRING_SET => ValueRef::Ss(StringSet::encoded(bytes(rest)?)),
        tag::NUMBER_SET => ValueRef::Ns(NumberSet::encoded(bytes(rest)?)),
        tag::BINARY_SET => ValueRef::Bs(BinarySet::encoded(bytes(rest)?)),
        tag::LIST => ValueRef::L(ListRef::encoded(bytes(rest)?)),
        tag::MAP => ValueRef::M(MapRef::encoded(bytes(rest)?)),
        _ => return None,
    })
}

/// Steps over a value without reading it.
pub(crate) fn skip_value(rest: &mut &[u8]) -> Option<()> {
    let (&first, tail) = rest.split_first()?;
    *rest = tail;
    match first {
        tag::FALSE | tag::TRUE | tag::NULL => {}
        tag::NUMBER => {
            let used = number::skip_compact(rest)?;
            take(rest, used)?;
        }
        _ => {
            bytes(rest)?;
        }
    }
    Some(())
}

/// The count at the start of a set's, list's or map's body; 0 where there is none.
pub(crate) fn count(mut body: &[u8]) -> usize {
    take_varint(&mut body).unwrap_or(0)
}

/// What follows the count.
pub(crate) fn elements(mut body: &[u8]) -> &[u8] {
    take_varint(&mut body).map_or(&[], |_| body)
}

/// Looks a member up by name among members in ascending order of names.
pub(crate) fn find<'a>(mut members: &'a [u8], name: &str) -> Option<ValueRef<'a>> {
    let name = name.as_bytes();
    while !members.is_empty() {
        let own = bytes(&mut members)?;
        // Their first bytes tell most names apart.
        match own.first().cmp(&name.first()).then_with(|| own.cmp(name)) {
            Ordering::Less => skip_value(&mut members)?,
            Ordering::Equal => return value(&mut members),
            Ordering::Greater => return None,
        }
    }
    None
}
