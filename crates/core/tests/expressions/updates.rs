//! What updates make of an item.

use crate::support::{item, names, update, values};
use bothways_core::expr::{Fault, Names, Path, Update, UpdateAction, UpdateError, Values};
use bothways_core::{Item, NumberError};
use serde_json::{Value as Json, json};

fn shared_names() -> Names {
    names("#1=1 #dot=a.b #x=x")
}

fn shared_values() -> Values {
    values(&json!({
        ":1": {"N": "1"}, ":2": {"N": "2"}, ":s": {"S": "s"}, ":t": {"S": "t"}, ":u": {"S": "u"},
        ":sa": {"SS": ["a"]}, ":sb": {"SS": ["b"]}, ":sab": {"SS": ["a", "b"]}, ":n1": {"NS": ["1"]},
        ":b1": {"BS": ["YQ=="]}, ":l": {"L": [{"N": "1"}]}, ":m": {"M": {}},
        ":big": {"N": "9.9999999999999999999999999999999999999E+125"}, ":tiny": {"N": "1E-130"},
    }))
}

fn apply(text: &str, old: Option<&Item>) -> Result<Item, UpdateError> {
    let (names, values) = (shared_names(), shared_values());
    let key = item(&json!({ "pk": {"S": "k"} }));
    update(text, &names, &values).unwrap().apply(old, &key)
}

/// Sources: Developer Guide, "Using update expressions in DynamoDB"; dynalite's tests and ScyllaDB's
/// `test_update_expression.py`, measured on AWS. Old item, update, new item.
#[test]
#[allow(clippy::too_many_lines, reason = "one table")]
fn updates_change_items() {
    let cases: Vec<(Json, &str, Json)> = vec![
        // SET.
        (json!({}), "SET a = :1", json!({"a": {"N": "1"}})),
        (
            json!({"a": {"S": "s"}}),
            "SET b = a",
            json!({"a": {"S": "s"}, "b": {"S": "s"}}),
        ),
        (
            json!({"a": {"S": "s"}}),
            "SET a = a",
            json!({"a": {"S": "s"}}),
        ),
        (
            json!({"a": {"N": "1"}}),
            "SET a = a + :2",
            json!({"a": {"N": "3"}}),
        ),
        (
            json!({"a": {"N": "1"}}),
            "SET a = (a - :2)",
            json!({"a": {"N": "-1"}}),
        ),
        (
            json!({"a": {"N": "1"}}),
            "SET b = :2 - a, c = a",
            json!({"a": {"N": "1"}, "b": {"N": "1"}, "c": {"N": "1"}}),
        ),
        (
            json!({"a": {"N": "1"}}),
            "SET a = :s, b = a",
            json!({"a": {"S": "s"}, "b": {"N": "1"}}),
        ),
        (
            json!({}),
            "SET a = if_not_exists(a, :1) + :2",
            json!({"a": {"N": "3"}}),
        ),
        (
            json!({"a": {"N": "5"}}),
            "SET a = if_not_exists(a, :1) + :2",
            json!({"a": {"N": "7"}}),
        ),
        (
            json!({"a": {"N": "5"}}),
            "SET b = if_not_exists(a, q)",
            json!({"a": {"N": "5"}, "b": {"N": "5"}}),
        ),
        (
            json!({}),
            "SET a = if_not_exists(b, if_not_exists(c, :1))",
            json!({"a": {"N": "1"}}),
        ),
        (
            json!({"a": {"L": []}}),
            "SET a = list_append(a, :l)",
            json!({"a": {"L": [{"N": "1"}]}}),
        ),
        (
            json!({"a": {"L": [{"S": "s"}]}}),
            "SET a = list_append(:l, a)",
            json!({"a": {"L": [{"N": "1"}, {"S": "s"}]}}),
        ),
        (
            json!({}),
            "SET a = list_append(if_not_exists(a, :l), :l)",
            json!({"a": {"L": [{"N": "1"}, {"N": "1"}]}}),
        ),
        (json!({}), "SET #dot = :1", json!({"a.b": {"N": "1"}})),
        // Nested paths.
        (
            json!({"a": {"M": {"b": {"N": "1"}}}}),
            "SET a.c = :2",
            json!({"a": {"M": {"b": {"N": "1"}, "c": {"N": "2"}}}}),
        ),
        (
            json!({"a": {"M": {"b": {"N": "1"}}}}),
            "SET a.b = :m",
            json!({"a": {"M": {"b": {"M": {}}}}}),
        ),
        (
            json!({"a": {"M": {"x": {"L": [{"N": "1"}]}}}}),
            "SET a.x[0] = :s, a.z = a.#x[0]",
            json!({"a": {"M": {"x": {"L": [{"S": "s"}]}, "z": {"N": "1"}}}}),
        ),
        (
            json!({"a": {"M": {"x": {"N": "3"}, "y": {"N": "4"}, "c": {"M": {"y": {"N": "3"}}}}}, "b": {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}}),
            "SET a.b = :1, a.c.d = :s, b.x = :2 REMOVE a.x, b.y",
            json!({"a": {"M": {"y": {"N": "4"}, "b": {"N": "1"}, "c": {"M": {"y": {"N": "3"}, "d": {"S": "s"}}}}}, "b": {"M": {"x": {"N": "2"}}}}),
        ),
        // Past the end of a list, in the order of the indexes.
        (
            json!({"l": {"L": [{"N": "1"}]}}),
            "SET l[7] = :s",
            json!({"l": {"L": [{"N": "1"}, {"S": "s"}]}}),
        ),
        (
            json!({"l": {"L": [{"N": "1"}]}}),
            "SET l[84] = :u, l[37] = :t, l[17] = :s",
            json!({"l": {"L": [{"N": "1"}, {"S": "s"}, {"S": "t"}, {"S": "u"}]}}),
        ),
        (
            json!({"b": {"M": {"a": {"N": "1"}, "b": {"N": "2"}, "c": {"N": "3"}}}, "c": {"L": [{"N": "1"}, {"N": "3"}]}}),
            "set b.c=((c[1])+(b.a)),b.a = pk,c[1] = pk, c[4] = b.a - b.b, c[2] = b.c add c[8] :sa, c[6] :2",
            json!({
                "b": {"M": {"a": {"S": "k"}, "b": {"N": "2"}, "c": {"N": "4"}}},
                "c": {"L": [{"N": "1"}, {"S": "k"}, {"N": "3"}, {"N": "-1"}, {"N": "2"}, {"SS": ["a"]}]},
            }),
        ),
        // REMOVE.
        (
            json!({"a": {"N": "1"}, "b": {"N": "2"}}),
            "REMOVE a",
            json!({"b": {"N": "2"}}),
        ),
        (
            json!({"b": {"N": "2"}}),
            "REMOVE a",
            json!({"b": {"N": "2"}}),
        ),
        (
            json!({"a": {"N": "1"}}),
            "REMOVE a SET b = a",
            json!({"b": {"N": "1"}}),
        ),
        (
            json!({"a": {"M": {"b": {"N": "1"}}}}),
            "REMOVE a.b",
            json!({"a": {"M": {}}}),
        ),
        (
            json!({"a": {"M": {"b": {"N": "1"}}}}),
            "REMOVE a.c",
            json!({"a": {"M": {"b": {"N": "1"}}}}),
        ),
        (
            json!({"l": {"L": [{"N": "1"}]}}),
            "REMOVE l[0]",
            json!({"l": {"L": []}}),
        ),
        (
            json!({"l": {"L": [{"N": "1"}]}}),
            "REMOVE l[9]",
            json!({"l": {"L": [{"N": "1"}]}}),
        ),
        (
            json!({"l": {"L": [{"N": "0"}, {"N": "1"}, {"N": "2"}, {"N": "3"}]}}),
            "REMOVE l[2], l[0]",
            json!({"l": {"L": [{"N": "1"}, {"N": "3"}]}}),
        ),
        (
            json!({"l": {"L": [{"N": "0"}, {"N": "1"}, {"N": "2"}, {"N": "3"}]}}),
            "REMOVE l[1] SET l[3] = :s, l[9] = :t",
            json!({"l": {"L": [{"N": "0"}, {"N": "2"}, {"S": "s"}, {"S": "t"}]}}),
        ),
        (
            json!({"l": {"L": [{"N": "0"}]}}),
            "REMOVE l[1] SET l[9] = :t",
            json!({"l": {"L": [{"N": "0"}, {"S": "t"}]}}),
        ),
        (
            json!({"l": {"L": [{"N": "0"}, {"M": {"x": {"L": [{"N": "1"}, {"N": "2"}]}, "y": {"N": "1"}}}]}}),
            "REMOVE l[0], l[1].x[0], l[1].y",
            json!({"l": {"L": [{"M": {"x": {"L": [{"N": "2"}]}}}]}}),
        ),
        // ADD.
        (json!({}), "ADD a :1", json!({"a": {"N": "1"}})),
        (
            json!({"a": {"N": "1"}}),
            "ADD a :2",
            json!({"a": {"N": "3"}}),
        ),
        (json!({}), "ADD a :sa", json!({"a": {"SS": ["a"]}})),
        (
            json!({"a": {"SS": ["b"]}}),
            "ADD a :sab",
            json!({"a": {"SS": ["a", "b"]}}),
        ),
        (
            json!({"a": {"NS": ["1.0", "2"]}}),
            "ADD a :n1",
            json!({"a": {"NS": ["1", "2"]}}),
        ),
        (
            json!({"a": {"BS": ["Yg=="]}}),
            "ADD a :b1",
            json!({"a": {"BS": ["YQ==", "Yg=="]}}),
        ),
        (
            json!({"a": {"M": {}}}),
            "ADD a.b :1",
            json!({"a": {"M": {"b": {"N": "1"}}}}),
        ),
        // DELETE.
        (
            json!({"a": {"SS": ["a", "b"]}}),
            "DELETE a :sa",
            json!({"a": {"SS": ["b"]}}),
        ),
        (json!({"a": {"SS": ["a", "b"]}}), "DELETE a :sab", json!({})),
        (
            json!({"a": {"SS": ["b"]}}),
            "DELETE a :sa",
            json!({"a": {"SS": ["b"]}}),
        ),
        (json!({}), "DELETE a :sa", json!({})),
        (
            json!({"m": {"M": {"a": {"SS": ["a"]}}}}),
            "DELETE m.a :sa",
            json!({"m": {"M": {}}}),
        ),
        (
            json!({"l": {"L": [{"SS": ["a"]}, {"N": "1"}]}}),
            "DELETE l[0] :sa",
            json!({"l": {"L": [{"N": "1"}]}}),
        ),
        // Together.
        (
            json!({"b": {"N": "1"}, "c": {"SS": ["a", "b"]}, "d": {"N": "1"}}),
            "REMOVE b DELETE c :sa ADD d :2, e :n1 SET f = :s",
            json!({"c": {"SS": ["b"]}, "d": {"N": "3"}, "e": {"NS": ["1"]}, "f": {"S": "s"}}),
        ),
    ];
    for (mut old, text, mut new) in cases {
        for item in [&mut old, &mut new] {
            item["pk"] = json!({"S": "k"});
        }
        let made = apply(text, Some(&item(&old)));
        assert_eq!(made, Ok(item(&new)), "{text}");
    }
}

/// Sources: as above.
#[test]
fn updates_that_fail() {
    use UpdateError::{InvalidPath, MissingAttribute, OperandType};
    let old = item(&json!({
        "pk": {"S": "k"}, "s": {"S": "s"}, "n": {"N": "1"}, "ns": {"NS": ["1"]},
        "m": {"M": {"1": {"S": "a"}, "ss": {"SS": ["1"]}}}, "l": {"L": [{"S": "a"}, {"S": "b"}]},
    }));
    let mut cases = vec![
        ("SET c = q", MissingAttribute),
        ("SET c = list_append(q, l)", MissingAttribute),
        ("SET c = list_append(:l, q)", MissingAttribute),
        ("SET c = q + :1", MissingAttribute),
        ("SET c = m.q", MissingAttribute),
        ("SET c = l[2]", MissingAttribute),
        ("SET c = if_not_exists(q, r)", MissingAttribute),
        ("SET x = :1, y = x", MissingAttribute),
        ("SET c = s + :1", OperandType),
        ("SET c = m - :1", OperandType),
        ("SET c = list_append(s, :l)", OperandType),
        ("SET c = list_append(ns, if_not_exists(q, :l))", OperandType),
        ("ADD s :1", OperandType),
        ("ADD n :n1", OperandType),
        ("ADD ns :1", OperandType),
        ("ADD ns :sa", OperandType),
        ("ADD l :n1", OperandType),
        ("DELETE ns :sa", OperandType),
        ("DELETE m :n1", OperandType),
        ("DELETE m.ss :n1", OperandType),
        ("DELETE m.ss :b1", OperandType),
        ("DELETE n :n1", OperandType),
        (
            "SET c = n + :big, d = :s",
            UpdateError::Number(NumberError::TooPrecise),
        ),
        (
            "SET c = :big + :big",
            UpdateError::Number(NumberError::Overflow),
        ),
    ];
    let paths = [
        "s.a", "s[1]", "y.a", "y[1]", "m[1]", "l.#1", "l[5].a", "m.#1.x", "m.q.r",
    ];
    let texts: Vec<String> = paths
        .iter()
        .flat_map(|path| {
            [
                format!("SET {path} = :1, q = :1"),
                format!("REMOVE {path} SET q = :1"),
                format!("ADD {path} :1"),
                format!("DELETE {path} :sa"),
            ]
        })
        .collect();
    cases.extend(texts.iter().map(|text| (text.as_str(), InvalidPath)));
    for (text, wanted) in cases {
        assert_eq!(apply(text, Some(&old)), Err(wanted), "{text}");
    }
}

/// Source: ScyllaDB's `test_nested_attribute_remove_from_missing_item`, measured on AWS.
#[test]
fn of_a_new_item_removing_below_nothing_is_no_error() {
    let key = item(&json!({ "pk": {"S": "k"} }));
    assert_eq!(apply("REMOVE x.y, z[0]", None), Ok(key.clone()));
    assert_eq!(
        apply("REMOVE x.y", Some(&key)),
        Err(UpdateError::InvalidPath)
    );
    assert_eq!(apply("SET x.y = :1", None), Err(UpdateError::InvalidPath));
    let made = item(&json!({ "pk": {"S": "k"}, "a": {"S": "k"}, "n": {"N": "1"} }));
    assert_eq!(
        apply("SET a = if_not_exists(a, pk) ADD n :1", None),
        Ok(made)
    );
}

/// Sources: dynalite's tests and ScyllaDB's `test_returnvalues.py`, measured on AWS.
#[test]
fn what_an_update_touched() {
    let old = json!({
        "pk": {"S": "k"}, "a": {"S": "a"}, "b": {"M": {"x": {"N": "1"}, "y": {"N": "2"}}},
        "c": {"L": [{"N": "1"}, {"N": "3"}]},
    });
    for (text, before, after) in [
        (
            "SET a = :s, q = :1",
            json!({"a": {"S": "a"}}),
            json!({"a": {"S": "s"}, "q": {"N": "1"}}),
        ),
        ("REMOVE a", json!({"a": {"S": "a"}}), json!({})),
        ("REMOVE q", json!({}), json!({})),
        (
            "SET b.x = :s",
            json!({"b": {"M": {"x": {"N": "1"}}}}),
            json!({"b": {"M": {"x": {"S": "s"}}}}),
        ),
        (
            "SET b.x = :s REMOVE b.y",
            json!({"b": old["b"]}),
            json!({"b": {"M": {"x": {"S": "s"}}}}),
        ),
        (
            "SET c[1] = :s, c[7] = :t",
            json!({"c": {"L": [{"N": "3"}]}}),
            json!({"c": {"L": [{"S": "s"}]}}),
        ),
        // An element set past the end is elsewhere afterwards; a removed one is followed by the next.
        ("SET c[100] = :s", json!({}), json!({})),
        (
            "REMOVE c[0], c[9]",
            json!({"c": {"L": [{"N": "1"}]}}),
            json!({"c": {"L": [{"N": "3"}]}}),
        ),
    ] {
        let (names, values) = (shared_names(), shared_values());
        let update = update(text, &names, &values).unwrap();
        let old = item(&old);
        let new = update.apply(Some(&old), &old).unwrap();
        assert_eq!(update.touched(&old), item(&before), "{text}, before");
        assert_eq!(update.touched(&new), item(&after), "{text}, after");
    }
}

#[test]
fn every_path_of_an_update_is_told() {
    let (names, values) = (shared_names(), shared_values());
    let text = "SET a.x = if_not_exists(b, :1) + c.d REMOVE e ADD f :1 DELETE g[1] :sa";
    let update = update(text, &names, &values).unwrap();
    let mut all = Vec::new();
    update.for_each_path(&mut |path| all.push(path.listed()));
    assert_eq!(all, ["[a, x]", "[b]", "[c, d]", "[e]", "[f]", "[g, [1]]"]);
    let targets: Vec<_> = update.targets().map(Path::listed).collect();
    assert_eq!(targets, ["[a, x]", "[e]", "[f]", "[g, [1]]"]);
}

#[test]
fn built_updates_are_checked_for_overlap() {
    let remove = |name: &'static str| UpdateAction::Remove(Path::attribute(name));
    assert!(Update::from_actions(vec![remove("a.b"), remove("a")]).is_ok());
    assert!(matches!(
        Update::from_actions(vec![remove("a"), remove("a")]),
        Err(Fault::OverlappingPaths { .. })
    ));
}
