//! Key conditions: what they select, and what they must not be.

use crate::support::{binder, names, values};
use bothways_core::expr::{KeyConditionError, Names, SortCondition, Values};
use bothways_core::{KeySchema, ScalarType, ValueRef};
use serde_json::json;

fn shared_values() -> Values {
    values(&json!({
        ":a": {"S": "a"}, ":b": {"S": "b"}, ":c": {"S": "c"}, ":d": {"S": "d"},
        ":1": {"N": "1"}, ":2": {"N": "2"},
    }))
}

fn check(text: &str) -> Result<(), KeyConditionError> {
    let (names, values) = (Names::new(), shared_values());
    binder(&names, &values).key_condition(text).unwrap().check()
}

/// What a key condition selects, written out: `a b | <=c`.
fn select(text: &str, schema: &KeySchema) -> Result<String, KeyConditionError> {
    let (names, values) = (names("#h=h"), shared_values());
    let condition = binder(&names, &values).key_condition(text).unwrap();
    let range = condition.bind(schema)?;
    let show = |value: &bothways_core::Value| match value.as_ref() {
        ValueRef::S(text) => text.to_owned(),
        ValueRef::N(number) => number.to_string(),
        _ => "?".to_owned(),
    };
    let list = |values: &[&bothways_core::Value]| {
        values.iter().map(|v| show(v)).collect::<Vec<_>>().join(" ")
    };
    let sort = match range.sort {
        None => String::new(),
        Some(SortCondition::Less(v)) => format!("<{}", show(v)),
        Some(SortCondition::LessOrEqual(v)) => format!("<={}", show(v)),
        Some(SortCondition::Greater(v)) => format!(">{}", show(v)),
        Some(SortCondition::GreaterOrEqual(v)) => format!(">={}", show(v)),
        Some(SortCondition::Between(v, w)) => format!("{}..{}", show(v), show(w)),
        Some(SortCondition::BeginsWith(v)) => format!("{}*", show(v)),
    };
    Ok(format!(
        "{}|{}|{sort}",
        list(&range.hash),
        list(&range.equal)
    ))
}

/// Source: dynalite's tests, measured on AWS.
#[test]
fn what_a_key_condition_must_not_be() {
    use KeyConditionError::{
        AttributeNotFirst, InvalidOperator, NestedAttribute, NestedOperation, NoAttribute,
        RepeatedAttribute, SeveralAttributes,
    };
    for (text, wanted) in [
        (
            "a > b and size(b) > c or a > c",
            InvalidOperator { operator: "OR" },
        ),
        ("a in (b, size(c), d)", InvalidOperator { operator: "IN" }),
        (
            "attribute_exists(a)",
            InvalidOperator {
                operator: "attribute_exists",
            },
        ),
        (
            "attribute_not_exists(a)",
            InvalidOperator {
                operator: "attribute_not_exists",
            },
        ),
        (
            "contains(a.d, b)",
            InvalidOperator {
                operator: "contains",
            },
        ),
        ("not a > b", InvalidOperator { operator: "NOT" }),
        ("a <> b", InvalidOperator { operator: "<>" }),
        (
            ":a between size(b) and size(a) and b > :b",
            AttributeNotFirst {
                operator: "BETWEEN",
            },
        ),
        (
            "begins_with(:a, b) and a > :b",
            AttributeNotFirst {
                operator: "begins_with",
            },
        ),
        ("size(b) > a AND a.b > b AND b > c", NestedOperation),
        ("a > size(b.d)", NestedOperation),
        ("a between size(b) and size(c)", NestedOperation),
        ("b > a.b", SeveralAttributes),
        ("b between c[1] and d", SeveralAttributes),
        ("a between b and size(c)", SeveralAttributes),
        ("begins_with(a, b)", SeveralAttributes),
        ("b.d > :a AND c.d > e.f", NestedAttribute),
        ("a.d > :c", NestedAttribute),
        ("b[0] > :a", NestedAttribute),
        (":b > :a AND a < :b", NoAttribute),
        ("b > :a AND b < :a and c = :a and d = :a", RepeatedAttribute),
        (
            "(a > :a and b > :a) and (b > :a and c > :a)",
            RepeatedAttribute,
        ),
    ] {
        assert_eq!(check(text), Err(wanted), "{text}");
    }
    for text in [
        "a = :a",
        "((c = :a) AND (p = :a))",
        ":a <= c and p = :a",
        "begins_with(a, :a)",
    ] {
        assert_eq!(check(text), Ok(()), "{text}");
    }
}

#[test]
fn an_ordinary_key() {
    let schema = KeySchema::hash("h", ScalarType::S).and_range("r", ScalarType::N);
    for (text, selected) in [
        ("h = :a", "a||"),
        ("#h = :a AND r = :1", "a|1|"),
        ("r = :1 AND :a = h", "a|1|"),
        ("h = :a AND r < :1", "a||<1"),
        ("h = :a AND r <= :1", "a||<=1"),
        ("h = :a AND r > :1", "a||>1"),
        ("h = :a AND r >= :1", "a||>=1"),
        ("h = :a AND :1 >= r", "a||<=1"),
        ("h = :a AND :1 < r", "a||>1"),
        ("h = :a AND r BETWEEN :1 AND :2", "a||1..2"),
        ("((h = :a) AND (r = :1))", "a|1|"),
    ] {
        assert_eq!(select(text, &schema).as_deref(), Ok(selected), "{text}");
    }
    let missing = |attribute: &str| KeyConditionError::MissingElement {
        attribute: attribute.into(),
    };
    let mismatch = |attribute: &str| KeyConditionError::TypeMismatch {
        attribute: attribute.into(),
    };
    for (text, wanted) in [
        ("r = :1", missing("h")),
        ("x = :a", missing("h")),
        ("h = :a AND x = :1", missing("r")),
        ("h > :a", KeyConditionError::NotSupported),
        ("begins_with(h, :a)", KeyConditionError::NotSupported),
        ("h between :a and :b", KeyConditionError::NotSupported),
        ("h = :1", mismatch("h")),
        ("h > :1", mismatch("h")),
        ("h = :a AND r = :b", mismatch("r")),
        ("h = :a AND begins_with(r, :b)", mismatch("r")),
        ("h = :a AND r BETWEEN :b AND :c", mismatch("r")),
        (
            "h = :a AND r = :1 AND x = :a",
            KeyConditionError::TooManyConditions {
                given: 3,
                defined: 2,
            },
        ),
    ] {
        assert_eq!(select(text, &schema), Err(wanted), "{text}");
    }
    let strings = KeySchema::hash("h", ScalarType::S).and_range("r", ScalarType::S);
    assert_eq!(
        select("h = :a AND begins_with(r, :b)", &strings).as_deref(),
        Ok("a||b*")
    );
}

/// Sources: dynalite's tests; `paritysuite/dynamodb-conformance`, `queryKeyConditionOperands`; measured on AWS.
#[test]
fn a_key_without_a_sort_attribute() {
    let schema = KeySchema::hash("h", ScalarType::S);
    assert_eq!(select("h = :a", &schema).as_deref(), Ok("a||"));
    let (given, defined) = (3, 1);
    let many = KeyConditionError::TooManyConditions { given, defined };
    let attribute = "h".to_owned();
    for (text, wanted) in [
        ("h = :a AND r = :a", KeyConditionError::NotSupported),
        (
            "y = :a and z = :a",
            KeyConditionError::MissingElement { attribute },
        ),
        ("x = :a AND y = :a AND z = :a", many),
        ("h < :a", KeyConditionError::NotSupported),
        (":a >= h", KeyConditionError::NotSupported),
    ] {
        assert_eq!(select(text, &schema), Err(wanted), "{text}");
    }
}

/// Source: `paritysuite/dynamodb-conformance`, `tests/tier1/query/multiAttributeGsiKey.test.ts`, measured on AWS.
#[test]
fn a_key_of_several_attributes() {
    let mut schema = KeySchema::hash("h", ScalarType::S);
    for name in ["a", "b", "c", "d"] {
        schema = schema.and_range(name, ScalarType::S);
    }
    for (text, selected) in [
        ("h = :a", "a||"),
        ("h = :a AND a = :a", "a|a|"),
        ("h = :a AND a = :a AND b = :b AND c = :c", "a|a b c|"),
        ("h = :a AND a = :a AND b = :b AND c > :c", "a|a b|>c"),
        (
            "h = :a AND a = :a AND b = :b AND c = :c AND begins_with(d, :d)",
            "a|a b c|d*",
        ),
        (
            "h = :a AND a = :a AND b = :b AND c = :c AND d BETWEEN :a AND :b",
            "a|a b c|a..b",
        ),
        ("h = :a AND a = :a AND b < :b", "a|a|<b"),
        ("b = :b AND h = :a AND a = :a", "a|a b|"),
    ] {
        assert_eq!(select(text, &schema).as_deref(), Ok(selected), "{text}");
    }
    for (text, missing, present) in [
        ("h = :a AND a = :a AND c = :c", vec!["b"], "c"),
        ("h = :a AND a = :a AND b > :b AND c = :c", vec!["b"], "c"),
        ("h = :a AND b = :b", vec!["a"], "b"),
        ("h = :a AND d = :b", vec!["a", "b", "c"], "d"),
    ] {
        let wanted = KeyConditionError::EqualityRequired {
            missing: missing.into_iter().map(str::to_owned).collect(),
            present: present.to_owned(),
        };
        assert_eq!(select(text, &schema), Err(wanted), "{text}");
    }
    let mut two = KeySchema::hash("h", ScalarType::S);
    two.hash.extend(KeySchema::hash("i", ScalarType::N).hash);
    assert_eq!(select("i = :1 AND h = :a", &two).as_deref(), Ok("a 1||"));
    let missing = |names: &[&str]| KeyConditionError::PartitionEqualityRequired {
        missing: names.iter().map(|name| (*name).to_owned()).collect(),
    };
    assert_eq!(select("h = :a", &two), Err(missing(&["i"])));
    assert_eq!(select("h = :a AND i > :1", &two), Err(missing(&["i"])));
    assert_eq!(select("z = :a", &two), Err(missing(&["h", "i"])));
}

#[test]
fn sort_conditions_decide_values() {
    let values = shared_values();
    let (b, c) = (&values[":b"], &values[":c"]);
    for (condition, wanted) in [
        (SortCondition::Less(b), [true, false, false]),
        (SortCondition::LessOrEqual(b), [true, true, false]),
        (SortCondition::Greater(b), [false, false, true]),
        (SortCondition::GreaterOrEqual(b), [false, true, true]),
        (SortCondition::Between(b, c), [false, true, true]),
        (SortCondition::BeginsWith(b), [false, true, false]),
    ] {
        let found = ["a", "b", "c"].map(|text| condition.matches(ValueRef::S(text)));
        assert_eq!(found, wanted, "{condition:?}");
        assert!(!condition.matches(ValueRef::Null));
    }
}
