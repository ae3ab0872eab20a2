//! Legacy conditions on the same evaluation.

use crate::support::{item, value};
use bothways_core::Value;
use bothways_core::expr::{
    Comparator, Condition, KeyCondition, LegacyOperator, Node, Operand, all_of, any_of,
    legacy_condition,
};
use bothways_core::{KeySchema, ScalarType};
use serde_json::json;

/// Source: ScyllaDB's `test_expected.py`, measured on AWS.
#[test]
fn legacy_operators_decide_as_conditions() {
    let item = item(&json!({
        "n": {"N": "2"}, "s": {"S": "hello"}, "ss": {"NS": ["2", "4"]}, "l": {"L": [{"N": "2"}]},
        "nul": {"NULL": true}, "a.b[0]": {"S": "dotted"},
    }));
    for (attribute, operator, operands, wanted) in [
        ("n", "EQ", json!([{"N": "2.0"}]), true),
        ("n", "EQ", json!([{"S": "2"}]), false),
        ("q", "EQ", json!([{"N": "2"}]), false),
        ("n", "NE", json!([{"N": "2"}]), false),
        ("n", "NE", json!([{"S": "2"}]), true),
        ("q", "NE", json!([{"N": "2"}]), true),
        ("n", "LE", json!([{"N": "2"}]), true),
        ("n", "LT", json!([{"N": "2"}]), false),
        ("n", "GE", json!([{"N": "2"}]), true),
        ("n", "GT", json!([{"N": "1"}]), true),
        ("n", "GT", json!([{"S": "1"}]), false),
        ("nul", "NOT_NULL", json!([]), true),
        ("q", "NOT_NULL", json!([]), false),
        ("nul", "NULL", json!([]), false),
        ("q", "NULL", json!([]), true),
        ("s", "CONTAINS", json!([{"S": "ell"}]), true),
        ("ss", "CONTAINS", json!([{"N": "4"}]), true),
        ("q", "CONTAINS", json!([{"N": "4"}]), false),
        ("s", "NOT_CONTAINS", json!([{"S": "ell"}]), false),
        ("s", "NOT_CONTAINS", json!([{"S": "dog"}]), true),
        ("s", "NOT_CONTAINS", json!([{"N": "1"}]), true),
        ("l", "NOT_CONTAINS", json!([{"N": "2"}]), false),
        ("q", "NOT_CONTAINS", json!([{"N": "1"}]), false),
        ("s", "BEGINS_WITH", json!([{"S": "he"}]), true),
        ("n", "BEGINS_WITH", json!([{"S": "he"}]), false),
        ("n", "IN", json!([{"N": "1"}, {"N": "2"}]), true),
        ("ss", "IN", json!([{"N": "2"}]), false),
        ("n", "BETWEEN", json!([{"N": "1"}, {"N": "2"}]), true),
        ("q", "BETWEEN", json!([{"N": "1"}, {"N": "2"}]), false),
        ("a.b[0]", "EQ", json!([{"S": "dotted"}]), true),
    ] {
        let operands: Vec<Value> = operands.as_array().unwrap().iter().map(value).collect();
        let operands: Vec<&Value> = operands.iter().collect();
        let operator = LegacyOperator::from_name(operator).unwrap();
        let node = legacy_condition(attribute, operator, &operands).unwrap();
        let condition = Condition::from_tree(node).unwrap();
        assert_eq!(
            condition.matches(Some(&item)),
            wanted,
            "{attribute} {operator:?} {operands:?}"
        );
    }
}

#[test]
fn legacy_operators_take_their_number_of_values() {
    let values = [&Value::Null; 3];
    for (operator, name) in LegacyOperator::ALL {
        assert_eq!(operator.name(), name);
        for count in 0..=3 {
            let node = legacy_condition("a", operator, &values[..count]);
            let wanted = match name {
                "NULL" | "NOT_NULL" => count == 0,
                "BETWEEN" => count == 2,
                "IN" => count > 0,
                _ => count == 1,
            };
            assert_eq!(node.is_some(), wanted, "{name} of {count}");
        }
    }
    assert_eq!(LegacyOperator::from_name("eq"), None);
}

#[test]
fn legacy_conditions_join_and_make_key_conditions() {
    let value = Value::S("a".into());
    let one = [&value];
    let node = || legacy_condition("h", LegacyOperator::Eq, &one).unwrap();
    let plain = Node::compare(
        Comparator::Eq,
        Operand::attribute("h"),
        Operand::value(&value),
    );
    assert_eq!(all_of(vec![]), None);
    assert_eq!(any_of(vec![node()]), Some(plain));
    assert_eq!(
        any_of(vec![node(), node()]),
        Some(Node::Or(vec![node(), node()]))
    );
    let range = legacy_condition("r", LegacyOperator::BeginsWith, &one).unwrap();
    let condition = KeyCondition::from_tree(all_of(vec![range, node()]).unwrap()).unwrap();
    let schema = KeySchema::hash("h", ScalarType::S).and_range("r", ScalarType::S);
    assert_eq!(condition.bind(&schema).unwrap().hash, [&value]);
}
