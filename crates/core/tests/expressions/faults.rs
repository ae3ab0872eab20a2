//! What is refused after parsing, and in which order.

use crate::support::{condition_fault, names, projection, update_fault, values};
use bothways_core::expr::{Binder, Fault, Kind, Names, PlaceholderError, Values};
use bothways_core::{Number, Value};
use serde_json::json;

fn text(text: &str) -> String {
    text.to_owned()
}

fn none() -> (Names, Values) {
    (Names::new(), Values::new())
}

/// Source: dynalite's tests and ScyllaDB's `test_condition_expression.py`, measured on AWS.
#[test]
fn functions_that_conditions_do_not_have() {
    let (names, values) = none();
    for (expression, function) in [
        ("a=a and whatever((:things)) > a", "whatever"),
        ("attRIbute_exIsts((views), #a)", "attRIbute_exIsts"),
        ("BEGINS_WITH(c, :c)", "BEGINS_WITH"),
    ] {
        let fault = condition_fault(expression, &names, &values);
        assert_eq!(
            fault,
            Fault::UnknownFunction {
                function: text(function)
            },
            "{expression}"
        );
    }
    for function in ["if_not_exists", "list_append"] {
        let expression = format!("{function}(a, a) = :v");
        let fault = condition_fault(&expression, &names, &values);
        let wanted = Fault::FunctionNotAllowed {
            function: text(function),
            in_update: false,
        };
        assert_eq!(fault, wanted, "{expression}");
    }
}

/// Source: dynalite's tests, measured on AWS.
#[test]
fn functions_where_they_cannot_stand() {
    let (names, values) = none();
    for (expression, function) in [
        (
            "a=a and attribute_exists((views), (#a)) > b",
            "attribute_exists",
        ),
        ("attribute_not_exists(things) > b", "attribute_not_exists"),
        ("attribute_type(things, :a) > b", "attribute_type"),
        ("begins_with(things, a) > b", "begins_with"),
        ("contains(:things, c) > b", "contains"),
        ("size(contains(a, b)) > a", "contains"),
        ("size(things)", "size"),
        ("NOT size(things)", "size"),
        (
            "a between b and attribute_exists(things)",
            "attribute_exists",
        ),
        ("a in (b, attribute_exists(things))", "attribute_exists"),
    ] {
        let fault = condition_fault(expression, &names, &values);
        assert_eq!(
            fault,
            Fault::MisusedFunction {
                function: text(function)
            },
            "{expression}"
        );
    }
}

/// Source: dynalite's tests, measured on AWS.
#[test]
fn reserved_words_come_before_placeholders() {
    let (names, values) = none();
    for (expression, word) in [
        ("attribute_exists(views, #a)", "views"),
        (":a < abOrT", "abOrT"),
        ("a.b.status = :v", "status"),
    ] {
        let fault = condition_fault(expression, &names, &values);
        assert_eq!(
            fault,
            Fault::ReservedWord { word: text(word) },
            "{expression}"
        );
    }
    for (expression, word) in [
        (" set #c = :c set abOrt = true ", "abOrt"),
        (" remove Absolute ", "Absolute"),
    ] {
        let fault = update_fault(expression, &names, &values);
        assert_eq!(
            fault,
            Fault::ReservedWord { word: text(word) },
            "{expression}"
        );
    }
    for (expression, word) in [("a.abORt", "abORt"), ("#a,ABSoLUTE", "ABSoLUTE")] {
        let fault = projection(expression, &names).unwrap_err().fault;
        assert_eq!(
            fault,
            Fault::ReservedWord { word: text(word) },
            "{expression}"
        );
    }
}

/// Source: dynalite's tests, measured on AWS: one comparison is checked after the other.
#[test]
fn placeholders_without_a_definition() {
    let (names, values) = none();
    for (expression, name) in [
        (
            "attribute_exists(#Pictures.RearView, :a) and a=a",
            "#Pictures",
        ),
        ("begins_with(Pictures.#RearView)", "#RearView"),
        ("(#P between :lo and :hi) and (#PC in (:cat1, :cat2))", "#P"),
        ("#4g > a", "#4g"),
        ("#_ > a", "#_"),
        ("(a)between(b.c[45].#d)and(:a)", "#d"),
    ] {
        let fault = condition_fault(expression, &names, &values);
        assert_eq!(
            fault,
            Fault::UndefinedName { name: text(name) },
            "{expression}"
        );
    }
    for (expression, name) in [
        ("begins_with(:hello, #a, #b)", ":hello"),
        (":a < :b", ":a"),
        (":_ > a", ":_"),
    ] {
        let fault = condition_fault(expression, &names, &values);
        assert_eq!(
            fault,
            Fault::UndefinedValue { name: text(name) },
            "{expression}"
        );
    }
    let fault = projection("a,b,a,#a", &names).unwrap_err().fault;
    assert_eq!(fault, Fault::UndefinedName { name: text("#a") });
}

/// Source: dynalite's tests, measured on AWS.
#[test]
fn functions_with_a_wrong_number_of_operands() {
    let (names, values) = none();
    for (expression, operator, count) in [
        ("attribute_exists(things, a) and a=a", "attribute_exists", 2),
        ("attribute_not_exists(things, b)", "attribute_not_exists", 2),
        ("attribute_type(things)", "attribute_type", 1),
        ("begins_with(things)", "begins_with", 1),
        ("begins_with(things, size(a), b)", "begins_with", 3),
        ("contains(things)", "contains", 1),
        ("size(things, a) > b", "size", 2),
    ] {
        let fault = condition_fault(expression, &names, &values);
        assert_eq!(
            fault,
            Fault::OperandCount {
                operator: text(operator),
                count
            },
            "{expression}"
        );
    }
}

/// Source: dynalite's tests, measured on AWS.
#[test]
fn operands_that_are_not_distinct() {
    let names = names("#a=a");
    for (expression, operator, path) in [
        ("a = a AND #a = b AND :views > a", "=", "[a]"),
        ("#a <> a", "<>", "[a]"),
        ("a > #a", ">", "[a]"),
        ("((a=a) OR (a=a))", "=", "[a]"),
        (
            "contains(ab.bc[1].a, ab.bc[1].#a)",
            "contains",
            "[ab, bc, [1], a]",
        ),
        (
            "attribute_type(ab.bc[1].#a, ab.bc[1].a)",
            "attribute_type",
            "[ab, bc, [1], a]",
        ),
        (
            "begins_with(ab.bc[1].a, ab.bc[1].#a)",
            "begins_with",
            "[ab, bc, [1], a]",
        ),
    ] {
        let fault = condition_fault(expression, &names, &Values::new());
        let wanted = Fault::OperandsNotDistinct {
            operator,
            path: text(path),
        };
        assert_eq!(fault, wanted, "{expression}");
    }
}

/// Sources: dynalite's tests and ScyllaDB's `test_condition_expression.py`, measured on AWS.
#[test]
fn operands_of_types_that_cannot_be() {
    let all = json!({
        "S": {"S": "a"}, "N": {"N": "1"}, "B": {"B": "YQ=="}, "BOOL": {"BOOL": true},
        "NULL": {"NULL": true}, "SS": {"SS": ["1"]}, "NS": {"NS": ["1"]}, "BS": {"BS": ["YQ=="]},
        "L": {"L": []}, "M": {"M": {}},
    });
    let cases: [(&str, &'static str, &str); 10] = [
        (
            "attribute_type(a, :a)",
            "attribute_type",
            "N B BOOL NULL SS NS BS L M",
        ),
        (
            "begins_with(a, :a)",
            "begins_with",
            "N BOOL NULL SS NS BS L M",
        ),
        (
            "begins_with(:a, a)",
            "begins_with",
            "N BOOL NULL SS NS BS L M",
        ),
        ("size(:a) > a", "size", "N BOOL NULL"),
        ("a < :a", "<", "BOOL NULL SS NS BS L M"),
        (":a <= a", "<=", "BOOL NULL SS NS BS L M"),
        ("a > :a", ">", "BOOL NULL SS NS BS L M"),
        ("a >= :a", ">=", "BOOL NULL SS NS BS L M"),
        ("a BETWEEN :a AND b", "BETWEEN", "BOOL NULL SS NS BS L M"),
        (":a BETWEEN a AND b", "BETWEEN", "BOOL NULL SS NS BS L M"),
    ];
    for (expression, operator, refused) in cases {
        for kind in all.as_object().unwrap().keys() {
            let values = values(&json!({ ":a": all[kind] }));
            let fault = crate::support::condition(expression, const { &Names::new() }, &values);
            let is_refused = matches!(
                &fault.map_err(|e| e.fault),
                Err(Fault::OperandType { operator: o, operand_type: t }) if *o == operator && t == kind
            );
            let wanted = refused.split(' ').any(|k| k == kind);
            assert_eq!(is_refused, wanted, "{expression} with {kind}");
        }
    }
    let values = values(&json!({ ":a": {"N": "1"} }));
    for (expression, operator) in [
        (
            "attribute_type(a, size(b)) and a=b and a=:a",
            "attribute_type",
        ),
        ("begins_with(a, size(a)) and a=:a", "begins_with"),
        ("size(size(a)) > :a", "size"),
        ("attribute_not_exists(size(:a))", "size"),
    ] {
        let fault = condition_fault(expression, &Names::new(), &values);
        assert_eq!(
            fault,
            Fault::OperandType {
                operator,
                operand_type: "N"
            },
            "{expression}"
        );
    }
    let fault = condition_fault("attribute_type(a, b)", &Names::new(), &Values::new());
    let wanted = Fault::OperandType {
        operator: "attribute_type",
        operand_type: Fault::ANY_TYPE,
    };
    assert_eq!(fault, wanted);
}

#[test]
fn types_and_paths_that_functions_need() {
    let values = values(&json!({ ":a": {"S": "DOG"} }));
    let fault = condition_fault("attribute_type(a, :a)", &Names::new(), &values);
    assert_eq!(fault, Fault::AttributeType { found: text("DOG") });
    for (expression, function) in [
        ("attribute_exists(:a) and a=b", "attribute_exists"),
        ("attribute_not_exists(size(:a))", "attribute_not_exists"),
    ] {
        let fault = condition_fault(expression, &Names::new(), &values);
        assert_eq!(fault, Fault::PathRequired { function }, "{expression}");
    }
}

/// Source: dynalite's tests, measured on AWS.
#[test]
fn bounds_of_between_have_one_type_and_an_order() {
    let values = values(&json!({ ":s": {"S": "a"}, ":t": {"S": "b"}, ":n": {"N": "1"} }));
    let n = || Box::new(Value::N(Number::from(1_u64)));
    let s = |s: &str| Box::new(Value::S(text(s)));
    assert_eq!(
        condition_fault("a between :n and :s", &Names::new(), &values),
        Fault::BetweenTypes {
            lower: n(),
            upper: s("a")
        }
    );
    assert_eq!(
        condition_fault("a between :t and :s", &Names::new(), &values),
        Fault::BetweenOrder {
            lower: s("b"),
            upper: s("a")
        }
    );
}

#[test]
fn in_takes_a_hundred_values() {
    let hundred = |n: usize| {
        (0..n)
            .map(|i| format!("b[{i}]"))
            .collect::<Vec<_>>()
            .join(",")
    };
    let expression = format!("a in ({})", hundred(100));
    assert!(crate::support::condition(&expression, &Names::new(), &Values::new()).is_ok());
    let expression = format!("a in ({})", hundred(101));
    let fault = condition_fault(&expression, &Names::new(), &Values::new());
    assert_eq!(fault, Fault::TooManyInOperands { count: 101 });
}

#[test]
fn paths_have_at_most_thirty_two_levels_and_indexes_a_bound() {
    let path = |levels: usize| format!("a{}", ".b".repeat(levels - 1));
    assert!(projection(&path(32), &Names::new()).is_ok());
    let fault = projection(&path(33), &Names::new()).unwrap_err().fault;
    assert_eq!(fault, Fault::PathTooDeep { levels: 33 });
    assert!(projection("a[2147483647]", &Names::new()).is_ok());
    for index in ["2147483648", "99999999999999999999"] {
        let expression = format!("a[{index}]");
        let fault = projection(&expression, &Names::new()).unwrap_err().fault;
        assert_eq!(fault, Fault::IndexOutOfRange { index: text(index) });
    }
}

/// Sources: dynalite's tests; conformance suite, tier3/error-messages.
#[test]
fn placeholder_maps_are_checked_first_and_for_use_last() {
    let error =
        |names: Option<&Names>, values: Option<&Values>| Binder::new(names, values).unwrap_err();
    assert_eq!(
        error(Some(&Names::new()), None),
        PlaceholderError::EmptyNames
    );
    assert_eq!(
        error(None, Some(&Values::new())),
        PlaceholderError::EmptyValues
    );
    for key in ["", "#", "a", "##", "#a-b", "#é", "# a", ":a"] {
        let names = Names::from([(text(key), text("a"))]);
        assert_eq!(
            error(Some(&names), None),
            PlaceholderError::NameKey { key: text(key) }
        );
    }
    for key in ["", ":", "a", "::", ":a.b", "#a"] {
        let values = Values::from([(text(key), Value::Null)]);
        assert_eq!(
            error(None, Some(&values)),
            PlaceholderError::ValueKey { key: text(key) }
        );
    }
    let names = names("#a=a #b=b #c=c");
    let values = values(&json!({ ":a": {"S": "a"}, ":b": {"S": "a"}, ":c": {"S": "a"} }));
    let mut binder = Binder::new(Some(&names), Some(&values)).unwrap();
    binder.update("SET #a = :a").unwrap();
    binder.condition(Kind::Condition, "#a = :b").unwrap();
    let keys = vec![text("#b"), text("#c")];
    assert_eq!(binder.finish(), Err(PlaceholderError::UnusedNames { keys }));
    let mut binder = Binder::new(Some(&names), Some(&values)).unwrap();
    binder.projection("#a.#b, #c").unwrap();
    binder
        .condition(Kind::Filter, "attribute_exists(x) OR x = :c")
        .unwrap();
    let keys = vec![text(":a"), text(":b")];
    assert_eq!(
        binder.finish(),
        Err(PlaceholderError::UnusedValues { keys })
    );
    let mut binder = Binder::new(None, Some(&values)).unwrap();
    binder
        .condition(Kind::Filter, "x in (:c, :b) OR x = :a")
        .unwrap();
    assert_eq!(binder.finish(), Ok(()));
}
