//! What projections leave of an item.

use crate::support::{item, names, projection};
use bothways_core::Item;
use serde_json::json;

/// Sources: dynalite's tests and ScyllaDB's `test_projection_expression.py`, measured on AWS.
#[test]
fn projections_keep_parts_of_items() {
    let whole = item(&json!({
        "a": {"M": {"b": {"L": [{"N": "2"}, {"N": "4"}, {"M": {"x": {"S": "hi"}, "y": {"S": "yo"}}}]}, "c": {"N": "5"}}},
        "b": {"S": "hello"}, "a.b": {"S": "dotted"}, "pk": {"S": "k"},
        "m": {"M": {"a": {"S": "a"}, "b": {"S": "b"}, "c": {"S": "c"}}},
        "l": {"L": [{"S": "a"}, {"S": "b"}, {"S": "c"}]}, "e": {"M": {"m": {"M": {}}, "l": {"L": []}}},
    }));
    for (text, left) in [
        ("b", json!({"b": {"S": "hello"}})),
        (
            "pk, b, nothing",
            json!({"b": {"S": "hello"}, "pk": {"S": "k"}}),
        ),
        ("nothing", json!({})),
        ("#dot", json!({"a.b": {"S": "dotted"}})),
        ("a.c", json!({"a": {"M": {"c": {"N": "5"}}}})),
        ("a.b[0]", json!({"a": {"M": {"b": {"L": [{"N": "2"}]}}}})),
        (
            "a.b[2].y",
            json!({"a": {"M": {"b": {"L": [{"M": {"y": {"S": "yo"}}}]}}}}),
        ),
        (
            "a.b[1],a.b[0]",
            json!({"a": {"M": {"b": {"L": [{"N": "2"}, {"N": "4"}]}}}}),
        ),
        (
            "a.b[0],a.c",
            json!({"a": {"M": {"b": {"L": [{"N": "2"}]}, "c": {"N": "5"}}}}),
        ),
        (
            "a.c,b",
            json!({"a": {"M": {"c": {"N": "5"}}}, "b": {"S": "hello"}}),
        ),
        (
            "a.x, a.b[0], x, a.b[3].x",
            json!({"a": {"M": {"b": {"L": [{"N": "2"}]}}}}),
        ),
        ("a.b[3]", json!({})),
        ("a.x", json!({})),
        ("a.x.y", json!({})),
        ("a.b.x", json!({})),
        ("a[0]", json!({})),
        ("a.b[0].x", json!({})),
        ("a.b[0][0]", json!({})),
        (
            "m.c,l[2],m.b,l[1],l[0].a",
            json!({"m": {"M": {"b": {"S": "b"}, "c": {"S": "c"}}}, "l": {"L": [{"S": "b"}, {"S": "c"}]}}),
        ),
        (
            "e.m, e.l",
            json!({"e": {"M": {"m": {"M": {}}, "l": {"L": []}}}}),
        ),
        (
            "pk, m",
            json!({"pk": {"S": "k"}, "m": {"M": {"a": {"S": "a"}, "b": {"S": "b"}, "c": {"S": "c"}}}}),
        ),
    ] {
        let names = names("#dot=a.b");
        let projection = projection(text, &names).unwrap();
        assert_eq!(projection.apply(&whole), item(&left), "{text}");
        assert_eq!(projection.apply(&Item::default()), Item::default());
    }
}
