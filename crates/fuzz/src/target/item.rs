//! Items: DynamoDB JSON, plain JSON, and the stored bytes, each to the others and back. An input that begins with the
//! format's byte is taken as stored bytes.

use super::expression::sound;
use super::text;
use crate::shape::{both, shape};
use bothways_core::json::{from_plain, item_from_slice, write_plain, write_pretty};
use bothways_core::{Item, Value};
use bytes::Bytes;

/// The first byte of a stored item.
const STORED: u8 = 1;

pub(super) fn item(input: &[u8]) -> u64 {
    if input.first() == Some(&STORED) {
        return match Item::from_bytes(Bytes::copy_from_slice(input)) {
            Ok(item) => looked_at(&item),
            Err(error) => shape(&error.to_string()),
        };
    }
    let plain = plain(&text(input));
    match item_from_slice(input) {
        Ok(given) => match given.fault {
            Some(fault) => both(plain, shape(&fault.to_string())),
            None => both(plain, looked_at(&given.value)),
        },
        Err(error) => both(plain, shape(&error.to_string())),
    }
}

fn looked_at(item: &Item) -> u64 {
    sound(item);
    let mut size = 0;
    for (name, value) in item {
        let owned = value.to_value();
        assert_eq!(owned.as_ref(), value, "{name} is another when owned");
        assert_eq!(item.get(name), Some(value), "{name} is not found");
        size += name.len() + value.size();
        assert!(value.depth() <= 32, "{name} is too deep");
    }
    assert_eq!(item.size(), size, "the size is not that of the parts");
    let owned = item
        .iter()
        .map(|(name, value)| (name.to_owned(), value.to_value()));
    assert_eq!(&Item::from_attributes(owned), item, "put together anew");
    let mut json = Vec::new();
    item.write_json(&mut json);
    let again = item_from_slice(&json).map(|given| given.value);
    assert_eq!(again.as_ref().ok(), Some(item), "read from its JSON");
    let mut pretty = Vec::new();
    write_pretty(item.iter(), &mut pretty);
    let again = item_from_slice(&pretty).map(|given| given.value);
    assert_eq!(again.as_ref().ok(), Some(item), "read from its pretty JSON");
    for (_, value) in item {
        let mut plain = Vec::new();
        write_plain(value, &mut plain);
        let again = from_plain(&String::from_utf8_lossy(&plain)).ok();
        assert_eq!(again, Some(value.to_value()), "read from its plain JSON");
    }
    shape(&String::from_utf8_lossy(&json))
}

fn plain(text: &str) -> u64 {
    match from_plain(text) {
        Ok(value) => {
            let mut written = Vec::new();
            write_plain(value.as_ref(), &mut written);
            let again: Option<Value> = from_plain(&String::from_utf8_lossy(&written)).ok();
            assert_eq!(again, Some(value), "plain JSON read anew");
            shape(&String::from_utf8_lossy(&written))
        }
        Err(_) => 0,
    }
}
