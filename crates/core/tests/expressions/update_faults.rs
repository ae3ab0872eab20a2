//! What is refused of updates and projections after parsing, and in which order.

use crate::support::{names, projection, update_fault, values};
use bothways_core::expr::{Clause, Fault, Names, Values};
use serde_json::json;

fn text(text: &str) -> String {
    text.to_owned()
}

/// Sources: dynalite's tests and ScyllaDB's `test_update_expression.py`, measured on AWS.
#[test]
fn functions_in_updates() {
    let names = names("#c=c");
    let values = values(&json!({ ":a": {"S": "a"}, ":l": {"L": []} }));
    let fault = |expression: &str| update_fault(expression, &names, &values);
    assert_eq!(
        fault("set #c = if_not_exist(:c) set c = d"),
        Fault::UnknownFunction {
            function: text("if_not_exist")
        }
    );
    assert_eq!(
        fault("SET a = LIST_APPEND(:l, :l)"),
        Fault::UnknownFunction {
            function: text("LIST_APPEND")
        }
    );
    assert_eq!(
        fault("SET a = size(b)"),
        Fault::FunctionNotAllowed {
            function: text("size"),
            in_update: true
        }
    );
    assert_eq!(
        fault("SET a = list_append(list_append(:l, :l), :l)"),
        Fault::MisusedFunction {
            function: text("list_append")
        }
    );
    for (expression, operator, count) in [
        ("set a = if_not_exists(c)", "if_not_exists", 1),
        ("set a = list_append(c)", "list_append", 1),
        ("set a = list_append(c, d, e)", "list_append", 3),
    ] {
        assert_eq!(
            fault(expression),
            Fault::OperandCount {
                operator: text(operator),
                count
            }
        );
    }
    for expression in [
        "set a = if_not_exists(:a, c)",
        "set a = if_not_exists(if_not_exists(a, b), c)",
    ] {
        assert_eq!(
            fault(expression),
            Fault::PathRequired {
                function: "if_not_exists"
            }
        );
    }
}

/// Source: dynalite's tests, measured on AWS.
#[test]
fn placeholders_in_updates_names_first() {
    let names = names("#a=a #b=b");
    let values = values(&json!({ ":a": {"S": "a"} }));
    assert_eq!(
        update_fault("SET #c = if_not_exists(:c)", &names, &values),
        Fault::UndefinedName { name: text("#c") }
    );
    assert_eq!(
        update_fault("SET a = :c, #c = :a", &names, &values),
        Fault::UndefinedName { name: text("#c") }
    );
    assert_eq!(
        update_fault("SET #a = if_not_exists(:c)", &names, &values),
        Fault::UndefinedValue { name: text(":c") }
    );
}

/// Source: dynalite's tests, measured on AWS.
#[test]
fn clauses_come_once() {
    for (expression, clause) in [
        ("set a = #c set c = :d", Clause::Set),
        ("remove #d set a = b remove e", Clause::Remove),
        ("add #d :e set a = b add e :f", Clause::Add),
        ("delete #d :e set a = b delete #e :f", Clause::Delete),
    ] {
        let fault = update_fault(expression, &Names::new(), &Values::new());
        assert_eq!(fault, Fault::RepeatedClause { clause }, "{expression}");
    }
}

/// Sources: dynalite's tests; ScyllaDB's `test_update_expression.py` and `test_projection_expression.py`; measured.
#[test]
fn paths_that_overlap_or_conflict() {
    let names = names("#a=a #c=c #d=[3]");
    for (expression, one, two) in [
        (
            "set d[1] = a, d.b = a, c[1].a = a, #c = if_not_exists(a)",
            "[c, [1], a]",
            "[c]",
        ),
        ("set #c[3].#d = a, #c[3] = a", "[c, [3], [3]]", "[c, [3]]"),
        ("SET a = b REMOVE a", "[a]", "[a]"),
        (
            "SET a[1][1][1][1] = b, a[1][1] = b",
            "[a, [1], [1], [1], [1]]",
            "[a, [1], [1]]",
        ),
        (
            "SET e = b REMOVE e.nested.hello",
            "[e]",
            "[e, nested, hello]",
        ),
    ] {
        let fault = update_fault(expression, &names, &Values::new());
        let wanted = Fault::OverlappingPaths {
            one: text(one),
            two: text(two),
        };
        assert_eq!(fault, wanted, "{expression}");
    }
    for (expression, one, two) in [
        (
            "set #c[3].#d = a, #c.#d[3] = if_not_exists(a)",
            "[c, [3], [3]]",
            "[c, [3], [3]]",
        ),
        ("remove a.#c set a[1] = #d", "[a, c]", "[a, [1]]"),
        ("SET a.b.c = d, a.b[2] = d", "[a, b, c]", "[a, b, [2]]"),
    ] {
        let fault = update_fault(expression, &names, &Values::new());
        let wanted = Fault::ConflictingPaths {
            one: text(one),
            two: text(two),
        };
        assert_eq!(fault, wanted, "{expression}");
    }
    for (expression, one, two) in [
        ("b[1], b.a, #a.b, a", "[a, b]", "[a]"),
        ("a, #a[1]", "[a]", "[a, [1]]"),
        ("a.b[0],a.b[0]", "[a, b, [0]]", "[a, b, [0]]"),
    ] {
        let fault = projection(expression, &names).unwrap_err().fault;
        let wanted = Fault::OverlappingPaths {
            one: text(one),
            two: text(two),
        };
        assert_eq!(fault, wanted, "{expression}");
    }
    let fault = projection("a.b, a[1]", &names).unwrap_err().fault;
    assert_eq!(
        fault,
        Fault::ConflictingPaths {
            one: text("[a, b]"),
            two: text("[a, [1]]")
        }
    );
    for expression in [
        "a, b",
        "a.b, a.c",
        "a.b.d, a.b.e",
        "a[1], a[2]",
        "a.b, a.c[2]",
    ] {
        assert!(projection(expression, &names).is_ok(), "{expression}");
    }
}

/// Source: dynalite's tests, measured on AWS.
#[test]
fn types_that_updates_cannot_take() {
    for (expression, json, clause) in [
        (
            "set b = list_append(:a, a), c = if_not_exists(a) add a.b :a",
            json!({"S": "a"}),
            Clause::Add,
        ),
        ("delete a.b :a", json!({"S": "a"}), Clause::Delete),
        ("add a.b :a", json!({"NULL": true}), Clause::Add),
        ("add a.b :a", json!({"BOOL": false}), Clause::Add),
        ("add a.b :a", json!({"B": "YQ=="}), Clause::Add),
        ("delete a.b :a", json!({"M": {}}), Clause::Delete),
        ("add a.b :a", json!({"L": []}), Clause::Add),
        ("delete a.b :a", json!({"N": "1"}), Clause::Delete),
    ] {
        let values = values(&json!({ ":a": json }));
        let operand_type = values[":a"].as_ref().type_name();
        let fault = update_fault(expression, &Names::new(), &values);
        assert_eq!(
            fault,
            Fault::ClauseOperandType {
                clause,
                operand_type
            },
            "{expression} {json}"
        );
    }
    for (expression, operator, refused) in [
        (
            "set a = list_append(:a, a)",
            "list_append",
            "S N B BOOL NULL SS NS BS M",
        ),
        (
            "set a = list_append(a, :a)",
            "list_append",
            "S N B BOOL NULL SS NS BS M",
        ),
        ("set a = a + :a", "+", "S B BOOL NULL SS NS BS L M"),
        ("set a = :a - a", "-", "S B BOOL NULL SS NS BS L M"),
    ] {
        let all = json!({
            "S": "a", "N": "1", "B": "YQ==", "BOOL": true, "NULL": true, "SS": ["1"], "NS": ["1"],
            "BS": ["YQ=="], "L": [], "M": {},
        });
        for (kind, json) in all.as_object().unwrap() {
            let values = values(&json!({ ":a": {kind.as_str(): json} }));
            let update = crate::support::update(expression, const { &Names::new() }, &values);
            let is_refused = matches!(
                update.map_err(|e| e.fault),
                Err(Fault::OperandType { operator: o, operand_type: t }) if o == operator && t == kind
            );
            assert_eq!(
                is_refused,
                refused.split(' ').any(|k| k == kind),
                "{expression} with {kind}"
            );
        }
    }
}
