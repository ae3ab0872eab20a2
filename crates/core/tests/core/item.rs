//! Items: what goes in comes out, sizes are DynamoDB's, and damaged bytes are refused.

use bothways_core::json::item_from_slice;
use bothways_core::{Item, ItemBuilder, ItemError, Number, Value, ValueRef};
use bytes::Bytes;
use proptest::prelude::*;
use std::collections::BTreeMap;

use crate::support::{attributes, value};

/// DynamoDB's size rule, told once more from the text of values.
fn naive_size(value: &Value) -> usize {
    fn number(number: Number) -> usize {
        let text = number.to_string();
        let digits = text.trim_start_matches('-');
        let (integer, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let integer = integer.trim_start_matches('0');
        let (integer, fraction) = if fraction.is_empty() {
            (integer.trim_end_matches('0'), "")
        } else if integer.is_empty() {
            ("", fraction.trim_start_matches('0'))
        } else {
            (integer, fraction)
        };
        1 + integer.len().div_ceil(2)
            + fraction.len().div_ceil(2)
            + usize::from(text.starts_with('-'))
    }
    match value {
        Value::S(text) => text.len(),
        Value::N(n) => number(*n),
        Value::B(bytes) => bytes.len(),
        Value::Bool(_) | Value::Null => 1,
        Value::Ss(set) => set.iter().map(String::len).sum(),
        Value::Ns(set) => set.iter().map(|n| number(*n)).sum(),
        Value::Bs(set) => set.iter().map(Bytes::len).sum(),
        Value::L(list) => {
            3 + list
                .iter()
                .map(|element| 1 + naive_size(element))
                .sum::<usize>()
        }
        Value::M(map) => {
            3 + map
                .iter()
                .map(|(name, value)| 1 + name.len() + naive_size(value))
                .sum::<usize>()
        }
    }
}

/// Reads everything there is to read.
fn read_all(value: ValueRef<'_>) -> usize {
    match value {
        ValueRef::L(list) => list.iter().map(read_all).sum::<usize>() + list.len(),
        ValueRef::M(map) => map
            .iter()
            .map(|(name, value)| name.len() + read_all(value))
            .sum(),
        ValueRef::Ss(set) => set.iter().map(str::len).sum(),
        ValueRef::Ns(set) => set.iter().map(|n| n.to_string().len()).sum(),
        ValueRef::Bs(set) => set.iter().map(<[u8]>::len).sum(),
        other => other.size(),
    }
}

fn check_model(item: &Item, model: &BTreeMap<String, Value>) {
    assert_eq!(item.len(), model.len());
    assert_eq!(item.is_empty(), model.is_empty());
    let found: Vec<(String, Value)> = item
        .iter()
        .map(|(name, value)| (name.to_owned(), value.to_value()))
        .collect();
    let expected: Vec<(String, Value)> = model
        .iter()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(
        item.size(),
        model
            .iter()
            .map(|(name, value)| name.len() + naive_size(value))
            .sum::<usize>()
    );
    for (name, value) in model {
        assert_eq!(item.get(name), Some(value.as_ref()));
        assert_eq!(value.as_ref().size(), naive_size(value));
    }
    assert_eq!(item.get("ZZ"), None);
    assert_eq!(Item::from_bytes(item.bytes().clone()).as_ref(), Ok(item));
}

proptest! {
    #[test]
    fn an_item_holds_what_was_set_last(attributes in attributes()) {
        let model: BTreeMap<String, Value> = attributes.iter().cloned().collect();
        let item = Item::from_attributes(attributes);
        check_model(&item, &model);
        prop_assert_eq!(&Item::from_attributes(model), &item);
    }

    #[test]
    fn json_and_back_gives_the_same_bytes(attributes in attributes()) {
        let item = Item::from_attributes(attributes);
        let mut json = Vec::new();
        item.write_json(&mut json);
        let tree: serde_json::Value = serde_json::from_slice(&json).unwrap();
        prop_assert_eq!(tree.as_object().unwrap().len(), item.len());
        let given = item_from_slice(&json).unwrap();
        prop_assert_eq!(given.fault, None);
        prop_assert_eq!(given.value.bytes(), item.bytes());
    }

    #[test]
    fn changed_copies_agree_with_a_map(
        before in attributes(),
        changes in proptest::collection::vec(("[a-zé]{1,2}", proptest::option::of(value())), 0..6),
    ) {
        let mut model: BTreeMap<String, Value> = before.iter().cloned().collect();
        let item = Item::from_attributes(before);
        let borrowed: Vec<(&str, Option<ValueRef<'_>>)> = changes
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_ref().map(Value::as_ref)))
            .collect();
        for (name, value) in &changes {
            match value {
                Some(value) => model.insert(name.clone(), value.clone()),
                None => model.remove(name),
            };
        }
        check_model(&item.with(&borrowed), &model);

        let names: Vec<&str> = changes.iter().map(|(name, _)| name.as_str()).collect();
        let kept = item.only(&names);
        let expected: BTreeMap<String, Value> = item
            .iter()
            .filter(|(name, _)| names.contains(name))
            .map(|(name, value)| (name.to_owned(), value.to_value()))
            .collect();
        check_model(&kept, &expected);

        let mut sorted = names;
        sorted.sort_unstable();
        sorted.dedup();
        let mut shown = BTreeMap::new();
        let others = item.split(&sorted, |place, value| {
            shown.insert(sorted[place].to_owned(), value.to_value());
        });
        prop_assert_eq!(shown, expected);
        let hidden: Vec<(&str, Option<ValueRef<'_>>)> = sorted.iter().map(|name| (*name, None)).collect();
        prop_assert_eq!(others, item.with(&hidden));
    }

    #[test]
    fn values_compare_alike_in_bytes_and_in_trees(a in value(), b in value()) {
        let item = Item::from_attributes([("a", a.clone()), ("b", b.clone())]);
        let (x, y) = (item.get("a").unwrap(), item.get("b").unwrap());
        prop_assert_eq!(x == y, a == b);
        prop_assert_eq!(x == b.as_ref(), a == b);
        prop_assert_eq!(x, a.as_ref());
        prop_assert_eq!(x.compare(y), a.as_ref().compare(b.as_ref()));
        prop_assert_eq!(x.contains(y), a.as_ref().contains(b.as_ref()));
        prop_assert_eq!(x.measure(), a.as_ref().measure());
        prop_assert_eq!(x.depth(), a.as_ref().depth());
    }

    #[test]
    fn damage_is_refused_or_harmless(attributes in attributes(), at in any::<proptest::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let item = Item::from_attributes(attributes);
        let mut bytes = item.bytes().to_vec();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        if let Ok(damaged) = Item::from_bytes(Bytes::from(bytes)) {
            // Only bytes that this crate writes are taken, so what is taken reads in full.
            let rebuilt: Item = damaged.iter().map(|(name, value)| (name, value.to_value())).collect();
            prop_assert_eq!(rebuilt.bytes(), damaged.bytes());
        }
    }

    #[test]
    fn random_bytes_never_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        if let Some(first) = bytes.first_mut() {
            *first = 1;
        }
        if let Ok(item) = Item::from_bytes(Bytes::from(bytes)) {
            let read: usize = item.iter().map(|(name, value)| name.len() + read_all(value)).sum();
            let _ = item.with(&[("a", Some(ValueRef::Null))]);
            prop_assert!(read <= 64 * 400);
        }
    }
}

#[test]
fn bytes_of_another_kind_are_refused() {
    let cases: [(&[u8], &str); 8] = [
        (&[], "no bytes"),
        (&[2, 0, 0], "unknown format"),
        (&[1], "bad header"),
        (&[1, 0x80, 0x00, 0], "bad header"),
        (&[1, 0, 1], "bad attributes"),
        (&[1, 0, 0, 9], "bad attributes"),
        (&[1, 9, 1, 1, b'a', 6], "wrong size"),
        (&[1, 4, 2, 1, b'b', 6, 1, b'a', 6], "bad attributes"),
    ];
    for (bytes, why) in cases {
        assert_eq!(
            Item::from_bytes(Bytes::from_static(bytes)),
            Err(ItemError::Damaged(why)),
            "{bytes:?}"
        );
    }
}

#[test]
fn deep_nesting_in_damaged_bytes_ends_at_a_bound() {
    let mut body = vec![6u8];
    for _ in 0..10_000 {
        let mut list = vec![10u8];
        let mut length = body.len() + 1;
        while length >= 0x80 {
            list.push(u8::try_from(length & 0x7F).unwrap() | 0x80);
            length >>= 7;
        }
        list.push(u8::try_from(length).unwrap());
        list.push(1);
        list.append(&mut body);
        body = list;
    }
    let mut bytes = vec![1, 0, 1, 1, b'a'];
    bytes.append(&mut body);
    assert_eq!(
        Item::from_bytes(Bytes::from(bytes)),
        Err(ItemError::Damaged("bad attributes"))
    );
}

/// The format is frozen: these bytes are written down in docs/format.md.
#[test]
fn the_stored_bytes_are_those_of_the_format_page() {
    let mut builder = ItemBuilder::new();
    builder
        .set("pk", ValueRef::S("a"))
        .set("n", ValueRef::N(Number::parse("-12.5").unwrap()));
    let map = Value::M(
        [(
            "x".to_owned(),
            Value::L(vec![Value::Bool(true), Value::Null]),
        )]
        .into(),
    );
    builder.set("m", &map);
    builder.set("s", &Value::Ns([Number::from(300), Number::ZERO].into()));
    let item = builder.build();
    let expected: &[u8] = &[
        1, 25, 4, // format, size, four attributes
        1, b'm', 11, 8, 1, 1, b'x', 10, 3, 2, 5, 6, // m: map of one: x: list of two
        1, b'n', 2, 0xA1, 0xFF, 125, // n: -125 × 10^-1
        2, b'p', b'k', 1, 1, b'a', // pk
        1, b's', 8, 5, 2, 0, 0x21, 2, 3, // s: 0 and 3 × 10^2
    ];
    assert_eq!(item.bytes().as_ref(), expected);
    assert_eq!(
        Item::from_bytes(Bytes::from_static(expected)).unwrap(),
        item
    );
}
