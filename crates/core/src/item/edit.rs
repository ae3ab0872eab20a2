//! Changed copies: records that stay are copied as bytes.

use super::{Item, encode, read};
use crate::ValueRef;
use std::cmp::Ordering;

/// One attribute as it is stored.
#[derive(Clone, Copy)]
struct Record<'a> {
    name: &'a [u8],
    /// Name and value, lengths and all.
    bytes: &'a [u8],
    /// Tag and value.
    value: &'a [u8],
}

impl Record<'_> {
    /// Size of name and value as DynamoDB counts it.
    fn size(&self) -> usize {
        let mut value = self.value;
        self.name.len() + read::value(&mut value).map_or(0, ValueRef::size)
    }
}

/// Takes the next attribute.
fn next_record<'a>(rest: &mut &'a [u8]) -> Option<Record<'a>> {
    let start = *rest;
    let name = read::bytes(rest)?;
    let value = *rest;
    read::skip_value(rest)?;
    Some(Record {
        name,
        bytes: &start[..start.len() - rest.len()],
        value: &value[..value.len() - rest.len()],
    })
}

pub(super) fn with(item: &Item, changes: &[(&str, Option<ValueRef<'_>>)]) -> Item {
    let (mut size, mut count, mut rest) = item.parts();
    let mut order: Vec<usize> = (0..changes.len()).collect();
    order.sort_by_key(|&index| changes[index].0);
    let mut members = Vec::with_capacity(item.bytes.len() + 64);
    let mut old = next_record(&mut rest);
    for (place, &index) in order.iter().enumerate() {
        let (name, value) = changes[index];
        // The sort is stable: of equal names the last given comes last.
        if order
            .get(place + 1)
            .is_some_and(|&next| changes[next].0 == name)
        {
            continue;
        }
        while let Some(record) = old
            && record.name <= name.as_bytes()
        {
            if record.name == name.as_bytes() {
                size -= record.size();
                count -= 1;
            } else {
                members.extend_from_slice(record.bytes);
            }
            old = next_record(&mut rest);
        }
        if let Some(value) = value {
            encode::push_bytes(&mut members, name.as_bytes());
            encode::push_value(&mut members, value);
            size += name.len() + value.size();
            count += 1;
        }
    }
    if let Some(record) = old {
        members.extend_from_slice(record.bytes);
    }
    members.extend_from_slice(rest);
    Item::assemble(&members, count, size)
}

pub(super) fn only(item: &Item, names: &[&str]) -> Item {
    let (_, _, mut rest) = item.parts();
    let mut members = Vec::with_capacity(128);
    let (mut size, mut count) = (0, 0);
    let last = names.iter().max().copied().unwrap_or_default();
    while let Some(record) = next_record(&mut rest)
        && record.name.cmp(last.as_bytes()) != Ordering::Greater
    {
        if names.iter().any(|name| name.as_bytes() == record.name) {
            members.extend_from_slice(record.bytes);
            size += record.size();
            count += 1;
        }
    }
    Item::assemble(&members, count, size)
}

pub(super) fn split<'a>(
    item: &'a Item,
    names: &[&str],
    mut found: impl FnMut(usize, ValueRef<'a>),
) -> Item {
    let (mut size, mut count, mut rest) = item.parts();
    let mut members = Vec::new();
    let mut place = 0;
    while let Some(record) = next_record(&mut rest) {
        while names
            .get(place)
            .is_some_and(|name| name.as_bytes() < record.name)
        {
            place += 1;
        }
        if names
            .get(place)
            .is_none_or(|name| name.as_bytes() != record.name)
        {
            members.extend_from_slice(record.bytes);
            continue;
        }
        let mut value = record.value;
        if let Some(value) = read::value(&mut value) {
            size -= record.name.len() + value.size();
            found(place, value);
        }
        count -= 1;
    }
    Item::assemble(&members, count, size)
}
