//! What conditions are true of an item.

use crate::support::{condition, item, names, values};
use bothways_core::expr::{Condition, Fault, Names, Node};
use serde_json::json;

/// Sources: ScyllaDB's `test_condition_expression.py`, measured on AWS; Developer Guide, "Condition and filter
/// expressions, operators, and functions".
const CASES: &[(&str, bool)] = &[
    // Equality, of any types; a missing operand equals nothing.
    ("n = :n1", true),
    ("n = :n1_0", true),
    ("n = :n2", false),
    ("n = :s1", false),
    ("s = :hello", true),
    ("ss = :ss_ab", true),
    ("l = :l", true),
    ("m = :m", true),
    ("nul = :null", true),
    ("yes = :true", true),
    ("q = :n1", false),
    ("q = r", false),
    ("n <> :n2", true),
    ("n <> :n1", false),
    ("n <> :s1", true),
    ("q <> :n1", true),
    ("q <> r", true),
    (":n1 = n", true),
    // Order: strings by bytes, numbers, binaries; false for anything else or nothing.
    ("n < :n2", true),
    ("n < :n1", false),
    ("n <= :n1", true),
    ("n > :n0", true),
    ("n >= :n1", true),
    ("n < :s1", false),
    ("n >= :s1", false),
    ("s > :hallo", true),
    ("b < :bin_z", true),
    ("q < :n1", false),
    (":n1 < q", false),
    ("q <= r", false),
    ("q >= r", false),
    ("l < :n1", false),
    ("l >= m", false),
    ("n BETWEEN :n0 AND :n2", true),
    ("n BETWEEN :n1 AND :n1", true),
    ("n between :n2 and :n2", false),
    ("n BETWEEN :s1 AND :s1", false),
    ("q BETWEEN :n0 AND :n2", false),
    ("q BETWEEN r AND t", false),
    ("n BETWEEN q AND :n2", false),
    ("n BETWEEN l AND m", false),
    (":n1 BETWEEN n AND size(l)", true),
    ("n BETWEEN :n0 AND :n2 AND s = :hello", true),
    // IN: equality with any, of whatever types.
    ("n IN (:s1, :n1)", true),
    ("n IN (:s1)", false),
    ("q IN (:n1, r)", false),
    ("l IN (q, :l)", true),
    (":n1 in (n)", true),
    // Functions.
    ("attribute_exists(n)", true),
    ("attribute_exists(nul)", true),
    ("attribute_exists(q)", false),
    ("attribute_exists(m.x)", true),
    ("attribute_exists(m.y[1])", true),
    ("attribute_exists(m.y[9])", false),
    ("attribute_exists(m.x.z)", false),
    ("attribute_exists(l.x)", false),
    ("attribute_exists(m[0])", false),
    ("attribute_exists(n.x)", false),
    ("attribute_not_exists(q)", true),
    ("attribute_not_exists(n)", false),
    ("attribute_not_exists(q.a.b)", true),
    ("attribute_type(n, :type_n)", true),
    ("attribute_type(s, :type_n)", false),
    ("attribute_type(q, :type_n)", false),
    ("attribute_type(:n1, :type_n)", true),
    ("attribute_type(nul, :type_null)", true),
    ("begins_with(s, :hell)", true),
    ("begins_with(s, :hallo)", false),
    ("begins_with(b, :bin_a)", true),
    ("begins_with(b, :hell)", false),
    ("begins_with(n, :hell)", false),
    ("begins_with(q, :hell)", false),
    ("begins_with(:hello, s)", true),
    ("contains(s, :ell)", true),
    ("contains(s, :hallo)", false),
    ("contains(ss, :a)", true),
    ("contains(ss, :hello)", false),
    ("contains(ns, :n1_0)", true),
    ("contains(ns, :s1)", false),
    ("contains(l, :n2)", true),
    ("contains(l, :ss_ab)", true),
    ("contains(l, :s1)", false),
    ("contains(b, :bin_a)", true),
    ("contains(b, :ss_ab)", false),
    ("contains(n, :n1)", false),
    ("contains(q, :n1)", false),
    ("contains(:hello, s)", true),
    ("size(s) = :n5", true),
    ("size(b) = :n2", true),
    ("size(ss) = :n2", true),
    ("size(l) >= :n2", true),
    ("size(m) = :n2", true),
    ("size(n) = :n1", false),
    ("size(yes) < :n5", false),
    ("size(q) < :n5", false),
    ("size(s) = :hello", false),
    ("size(s) <> :n1", true),
    ("size(s) = size(:hello)", true),
    ("size(m.y) = :n2", true),
    // Paths.
    ("m.x < m.y[1]", true),
    ("m.x < m.y[0]", false),
    ("m.z < m.y[100]", false),
    ("#and.#or = :n2", true),
    ("#dot = :n1", true),
    // AND before OR, NOT before both.
    ("n = :n1 AND s = :hello", true),
    ("n = :n1 AND s = :s1", false),
    ("n = :n2 OR s = :hello", true),
    ("n = :n2 OR s = :s1", false),
    ("NOT n = :n2", true),
    ("NOT q = :n1", true),
    ("NOT NOT NOT NOT n = :n1", true),
    ("NOT n = :n1 AND s = :s1", false),
    ("NOT n = :n2 AND s = :hello", true),
    ("NOT (n = :n1 AND s = :s1)", true),
    ("n = :n1 OR s = :s1 AND n = :n2", true),
    ("(n = :n1 OR s = :s1) AND n = :n2", false),
    ("n = :n2 AND s = :hello OR n = :n1", true),
];

#[test]
fn conditions_are_true_or_false() {
    let item = item(&json!({
        "n": {"N": "1"}, "s": {"S": "hello"}, "b": {"B": "YWI="}, "yes": {"BOOL": true},
        "nul": {"NULL": true}, "ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1", "2"]},
        "l": {"L": [{"N": "2"}, {"SS": ["b", "a"]}]},
        "m": {"M": {"x": {"N": "1"}, "y": {"L": [{"N": "-1"}, {"N": "2"}]}}},
        "and": {"M": {"or": {"N": "2"}}}, "a.b": {"N": "1"},
    }));
    let names = names("#and=and #or=or #dot=a.b");
    let values = values(&json!({
        ":n0": {"N": "0"}, ":n1": {"N": "1"}, ":n1_0": {"N": "1.00"}, ":n2": {"N": "2"}, ":n5": {"N": "5"},
        ":s1": {"S": "1"}, ":a": {"S": "a"}, ":ell": {"S": "ell"}, ":hell": {"S": "hell"},
        ":hallo": {"S": "hallo"}, ":hello": {"S": "hello"}, ":bin_a": {"B": "YQ=="},
        ":bin_z": {"B": "eg=="}, ":true": {"BOOL": true}, ":null": {"NULL": true},
        ":ss_ab": {"SS": ["b", "a"]}, ":l": {"L": [{"N": "2.0"}, {"SS": ["a", "b"]}]},
        ":m": {"M": {"y": {"L": [{"N": "-1"}, {"N": "2"}]}, "x": {"N": "1"}}},
        ":type_n": {"S": "N"}, ":type_null": {"S": "NULL"},
    }));
    for (text, wanted) in CASES {
        let condition = condition(text, &names, &values).unwrap();
        assert_eq!(condition.matches(Some(&item)), *wanted, "{text}");
        let turned = Condition::from_tree(condition.tree().clone().negated()).unwrap();
        assert_eq!(turned.matches(Some(&item)), !wanted, "NOT ({text})");
    }
}

#[test]
fn of_no_item_only_absence_is_true() {
    let values = values(&json!({ ":v": {"S": "1"} }));
    for (text, wanted) in [
        ("attribute_not_exists(pk)", true),
        ("attribute_exists(pk)", false),
        ("pk <> :v", true),
        ("pk = :v", false),
        ("NOT pk = :v", true),
        ("size(pk) = :v", false),
        (":v IN (:v)", true),
    ] {
        let condition = condition(text, const { &Names::new() }, &values).unwrap();
        assert_eq!(condition.matches(None), wanted, "{text}");
    }
}

/// UTF-8 bytes order strings, so a code point above the surrogates sorts last; `size` of a string counts
/// UTF-16 units.
#[test]
fn text_outside_ascii() {
    let item = item(&json!({ "a": {"S": "\u{ff5e}"}, "b": {"S": "\u{1f600}"} }));
    let values = values(&json!({ ":2": {"N": "2"} }));
    for (text, wanted) in [("a < b", true), ("size(b) = :2", true)] {
        let condition = condition(text, const { &Names::new() }, &values).unwrap();
        assert_eq!(condition.matches(Some(&item)), wanted, "{text}");
    }
}

#[test]
fn every_path_is_told() {
    let names = names("#a=a");
    let values = values(&json!({ ":v": {"S": "1"} }));
    let text = "#a.b[1] = :v AND (size(c) > d OR NOT e IN (f, :v)) AND g BETWEEN h AND :v";
    let condition = condition(text, &names, &values).unwrap();
    let mut paths = Vec::new();
    condition.for_each_path(&mut |path| paths.push((path.top().to_owned(), path.is_nested())));
    let told: Vec<_> = paths
        .iter()
        .map(|(top, nested)| (top.as_str(), *nested))
        .collect();
    let flat = ["c", "d", "e", "f", "g", "h"].map(|top| (top, false));
    assert_eq!(told, [&[("a", true)], flat.as_slice()].concat());
}

#[test]
fn spans_are_bytes_of_the_text() {
    let values = values(&json!({ ":v": {"S": "1"} }));
    let text = "a = :v AND size( b . c[1] ) = :v";
    let condition = condition(text, const { &Names::new() }, &values).unwrap();
    let mut seen = Vec::new();
    condition.for_each_path(&mut |path| {
        seen.push(&text[path.span.start as usize..path.span.end as usize]);
    });
    assert_eq!(seen, ["a", "b . c[1]"]);
}

#[test]
fn a_built_tree_that_is_too_deep_is_refused() {
    let deep = |levels: usize| {
        let leaf = Node::And(Vec::new());
        (0..levels).fold(leaf, |node, _| node.negated())
    };
    assert!(Condition::from_tree(deep(500)).is_ok());
    assert_eq!(Condition::from_tree(deep(1000)), Err(Fault::TooDeep));
}
