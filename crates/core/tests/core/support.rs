//! Values and numbers for property tests.

use bothways_core::{Number, Value};
use bytes::Bytes;
use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;

/// Any number, short ones and ones at the limits often.
pub(crate) fn number() -> impl Strategy<Value = Number> {
    let digits = prop_oneof![
        Just(0u128),
        1u128..100,
        any::<u64>().prop_map(u128::from),
        0..10u128.pow(38),
        (10u128.pow(38) - 100)..10u128.pow(38),
    ];
    let exponent = prop_oneof![-5i32..5, -170i32..130];
    (any::<bool>(), digits, exponent)
        .prop_filter_map("out of range", |(negative, digits, exponent)| {
            Number::from_parts(negative, digits, exponent).ok()
        })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{0,6}",
        "\\PC{0,12}",
        "[\\x00-\\x1f\"\\\\é𝄞]{0,5}",
        "x{120,130}"
    ]
}

fn binary() -> impl Strategy<Value = Bytes> {
    vec(any::<u8>(), 0..12).prop_map(Bytes::from)
}

/// Any value that DynamoDB stores.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text().prop_map(Value::S),
        number().prop_map(Value::N),
        binary().prop_map(Value::B),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
        btree_set(text(), 1..5).prop_map(Value::Ss),
        btree_set(number(), 1..5).prop_map(Value::Ns),
        btree_set(binary(), 1..5).prop_map(Value::Bs),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::L),
            btree_map("[a-zé$]{1,8}", inner, 0..4).prop_map(Value::M),
        ]
    })
}

/// Attributes of an item in any order, names repeated now and then.
pub(crate) fn attributes() -> impl Strategy<Value = Vec<(String, Value)>> {
    vec(("[a-zé]{1,3}", value()), 0..6)
}
