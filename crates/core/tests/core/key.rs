//! Key bytes: order, boundaries, and the way back.

use bothways_core::key::{push_scalar, push_terminated, read_scalar, read_terminated};
use bothways_core::{Item, KeyError, KeySchema, ScalarType, Value, ValueRef};
use proptest::collection::vec;
use proptest::prelude::*;

fn terminated(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    push_terminated(&mut out, bytes);
    out
}

/// Bytes with many of the two that mean something in a component.
fn content() -> impl Strategy<Value = Vec<u8>> {
    vec(
        prop_oneof![Just(0u8), Just(1), Just(0xFF), any::<u8>()],
        0..8,
    )
}

proptest! {
    #[test]
    fn components_keep_order_and_never_begin_each_other(a in content(), b in content(), c in content()) {
        let (x, y) = (terminated(&a), terminated(&b));
        prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        if a != b {
            prop_assert!(!x.starts_with(&y));
        }
        // Followed by something else, the first component still decides.
        let mut joined = x.clone();
        joined.extend(terminated(&c));
        prop_assert_eq!(read_terminated(&joined), Some((a, x.len())));
    }

    #[test]
    fn reading_any_bytes_never_panics(bytes in content()) {
        if let Some((content, used)) = read_terminated(&bytes) {
            prop_assert_eq!(&terminated(&content)[..], &bytes[..used]);
        }
        for scalar in [ScalarType::S, ScalarType::N, ScalarType::B] {
            let _ = read_scalar(&bytes, scalar);
        }
    }

    #[test]
    fn scalars_keep_their_order_and_come_back(a in crate::support::value(), b in crate::support::value()) {
        let scalar = |value: &Value| match value {
            Value::S(_) => Some(ScalarType::S),
            Value::N(_) => Some(ScalarType::N),
            Value::B(_) => Some(ScalarType::B),
            _ => None,
        };
        let (mut x, mut y) = (Vec::new(), Vec::new());
        prop_assert_eq!(push_scalar(&mut x, a.as_ref()), scalar(&a).is_some());
        prop_assert_eq!(push_scalar(&mut y, b.as_ref()), scalar(&b).is_some());
        if let Some(order) = a.as_ref().compare(b.as_ref()) {
            prop_assert_eq!(x.cmp(&y), order);
        }
        match scalar(&a) {
            Some(scalar) => prop_assert_eq!(read_scalar(&x, scalar), Some((a, x.len()))),
            None => prop_assert!(x.is_empty()),
        }
    }
}

#[test]
fn a_schema_takes_its_key_out_of_an_item() {
    let schema = KeySchema::hash("pk", ScalarType::S).and_range("sk", ScalarType::N);
    let item = Item::from_attributes([
        ("pk", Value::from("a")),
        ("sk", Value::from(1)),
        ("data", Value::from("x")),
    ]);
    let key = schema.key_of(&item).unwrap();
    assert_eq!(
        key,
        Item::from_attributes([("pk", Value::from("a")), ("sk", Value::from(1))])
    );
    assert!(schema.contains("sk") && !schema.contains("data"));
    assert_eq!(schema.names().collect::<Vec<_>>(), ["pk", "sk"]);

    let wrong = item.with(&[("sk", Some(ValueRef::Null))]);
    assert_eq!(
        schema.check(&wrong),
        Err(KeyError::Type {
            name: "sk".into(),
            expected: ScalarType::N,
            actual: "NULL"
        })
    );
    let missing = item.with(&[("pk", None)]);
    assert_eq!(
        schema.check(&missing),
        Err(KeyError::Missing { name: "pk".into() })
    );
}
