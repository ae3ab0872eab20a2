//! Trees to text and back.

use crate::support::{binder, names, values};
use bothways_core::expr::{
    Arithmetic, ArithmeticOp, Comparator, Fault, FunctionName, Kind, Node, Operand, Path, Printed,
    UpdateAction, parse_condition, parse_projection, parse_update,
};
use bothways_core::{Number, Value};
use proptest::prelude::*;
use serde_json::json;

#[test]
fn parsed_text_prints_in_normal_form() {
    for (text, printed) in [
        ("a=:v", "a = :v"),
        (
            "(a = :v) and (#b.c[ 1 ] IN(:x,b))",
            "a = :v AND #b.c[1] IN (:x, b)",
        ),
        ("a=b AND (c=d AND e=f)", "a = b AND (c = d AND e = f)"),
        ("(a=b AND c=d) or e=f", "a = b AND c = d OR e = f"),
        ("a=b and (c=d or e=f)", "a = b AND (c = d OR e = f)"),
        ("not not a=b", "NOT (NOT a = b)"),
        ("not (a=b or c=d)", "NOT (a = b OR c = d)"),
        (
            "a between(b)and(size(c)) and f( x,y )",
            "a BETWEEN b AND size(c) AND f(x, y)",
        ),
    ] {
        let tree = parse_condition(Kind::Condition, text).unwrap();
        let found = Printed::condition(&tree);
        assert_eq!(found.text, printed);
        assert!(found.names.is_empty() && found.values.is_empty());
        assert_eq!(parse_condition(Kind::Condition, printed), Ok(tree));
    }
    let text = "set a=((b)+:v),c = list_append( c,:l ) add d:e remove f[0].g";
    let tree = parse_update(text).unwrap();
    let printed = "SET a = b + :v, c = list_append(c, :l) ADD d :e REMOVE f[0].g";
    assert_eq!(Printed::update(&tree.actions).text, printed);
    assert_eq!(parse_update(printed), Ok(tree));
    let paths = parse_projection("a , #b.c[2]").unwrap();
    assert_eq!(Printed::projection(&paths).text, "a, #b.c[2]");
}

#[test]
fn names_and_values_that_cannot_be_written_become_placeholders() {
    let value = Value::S("x".into());
    let node = Node::And(vec![
        Node::compare(
            Comparator::Eq,
            Operand::attribute("status"),
            Operand::value(&value),
        ),
        Node::call(
            FunctionName::AttributeExists,
            vec![Operand::Path(
                Path::attribute("a.b").key("status").index(3).key("plain"),
            )],
        ),
        Node::compare(
            Comparator::Lt,
            Operand::attribute("remove"),
            Operand::attribute("_x"),
        ),
    ]);
    let printed = Printed::condition(&node);
    assert_eq!(
        printed.text,
        "#n0 = :v0 AND attribute_exists(#n1.#n0[3].plain) AND #n2 < #n3"
    );
    assert_eq!(printed.names, names("#n0=status #n1=a.b #n2=remove #n3=_x"));
    assert_eq!(printed.values, values(&json!({ ":v0": {"S": "x"} })));
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("a".to_owned()),
        Just("b".to_owned()),
        Just("status".to_owned()),
        Just("and".to_owned()),
        Just("a.b[0] \u{1f600}".to_owned()),
        "[a-z_0-9]{1,8}",
    ]
}

fn path() -> impl Strategy<Value = Path<'static>> {
    let step = prop_oneof![name().prop_map(Ok), (0_u32..=20).prop_map(Err)];
    (name(), proptest::collection::vec(step, 0..4)).prop_map(|(head, steps)| {
        steps
            .into_iter()
            .fold(Path::attribute(head), |path, step| match step {
                Ok(name) => path.key(name),
                Err(index) => path.index(index),
            })
    })
}

fn literal() -> impl Strategy<Value = Operand<'static>> {
    (0_i64..1000).prop_map(|n| Operand::owned(Value::N(Number::from(n))))
}

fn leaf() -> impl Strategy<Value = Operand<'static>> {
    prop_oneof![path().prop_map(Operand::Path), literal()]
}

fn condition_operand() -> impl Strategy<Value = Operand<'static>> {
    prop_oneof![
        4 => leaf(),
        1 => path().prop_map(|p| Operand::call(FunctionName::Size, vec![Operand::Path(p)])),
    ]
}

fn comparison() -> impl Strategy<Value = Node<'static>> {
    let op = prop_oneof![
        Just(Comparator::Eq),
        Just(Comparator::Ne),
        Just(Comparator::Lt),
        Just(Comparator::Le),
        Just(Comparator::Gt),
        Just(Comparator::Ge),
    ];
    let pair = || (condition_operand(), condition_operand());
    prop_oneof![
        (op, pair()).prop_map(|(op, (a, b))| Node::compare(op, a, b)),
        (condition_operand(), pair()).prop_map(|(operand, (low, high))| Node::Between {
            operand,
            low,
            high
        }),
        (
            condition_operand(),
            proptest::collection::vec(condition_operand(), 1..4)
        )
            .prop_map(|(operand, list)| Node::In { operand, list }),
        path().prop_map(|p| Node::call(FunctionName::AttributeExists, vec![Operand::Path(p)])),
        pair().prop_map(|(a, b)| Node::call(FunctionName::Contains, vec![a, b])),
    ]
}

fn node() -> impl Strategy<Value = Node<'static>> {
    comparison().prop_recursive(4, 24, 4, |inner| {
        let several = || proptest::collection::vec(inner.clone(), 2..4);
        prop_oneof![
            several().prop_map(Node::And),
            several().prop_map(Node::Or),
            inner.clone().prop_map(Node::negated),
        ]
    })
}

fn set_operand() -> impl Strategy<Value = Operand<'static>> {
    let call = || {
        prop_oneof![
            2 => leaf(),
            1 => (path(), leaf()).prop_map(|(p, o)| {
                Operand::call(FunctionName::IfNotExists, vec![Operand::Path(p), o])
            }),
        ]
    };
    let op = prop_oneof![Just(ArithmeticOp::Add), Just(ArithmeticOp::Subtract)];
    prop_oneof![
        call(),
        (leaf(), call()).prop_map(|(a, b)| Operand::call(FunctionName::ListAppend, vec![a, b])),
        (op, call(), call()).prop_map(|(op, left, right)| Operand::Arithmetic(Box::new(
            Arithmetic { op, left, right }
        ))),
    ]
}

fn value_leaf() -> impl Strategy<Value = bothways_core::expr::ValueLeaf<'static>> {
    literal().prop_map(|operand| match operand {
        Operand::Value(leaf) => leaf,
        _ => unreachable!(),
    })
}

fn actions() -> impl Strategy<Value = Vec<UpdateAction<'static>>> {
    let sets = (path(), set_operand()).prop_map(|(p, o)| UpdateAction::Set(p, o));
    let adds = (path(), value_leaf()).prop_map(|(p, v)| UpdateAction::Add(p, v));
    let deletes = (path(), value_leaf()).prop_map(|(p, v)| UpdateAction::Delete(p, v));
    let some = |strategy| proptest::collection::vec(strategy, 0..3);
    (
        proptest::collection::vec(sets, 0..3),
        some(path().prop_map(UpdateAction::Remove).boxed()),
        some(adds.boxed()),
        some(deletes.boxed()),
    )
        .prop_map(|(sets, removes, adds, deletes)| [adds, sets, deletes, removes].concat())
        .prop_filter("an update has an action", |actions| !actions.is_empty())
}

/// What binding may say against a tree made at random: it is a tree that no text may give.
fn is_about_operands(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::OperandsNotDistinct { .. }
            | Fault::BetweenOrder { .. }
            | Fault::OverlappingPaths { .. }
            | Fault::ConflictingPaths { .. }
            | Fault::ClauseOperandType { .. }
            | Fault::OperandType { .. }
    )
}

proptest! {
    #[test]
    fn a_condition_is_read_as_it_was_printed(node in node()) {
        let printed = Printed::condition(&node);
        let parsed = parse_condition(Kind::Condition, &printed.text);
        prop_assert!(parsed.is_ok(), "{}: {parsed:?}", printed.text);
        let again = Printed::condition(&parsed.unwrap());
        prop_assert_eq!(&again.text, &printed.text);
        let mut binder = binder(&printed.names, &printed.values);
        match binder.condition(Kind::Condition, &printed.text) {
            Ok(bound) => {
                prop_assert_eq!(bound.tree(), &node);
                prop_assert_eq!(binder.finish(), Ok(()));
            }
            Err(error) => prop_assert!(is_about_operands(&error.fault), "{error:?}"),
        }
    }

    #[test]
    fn an_update_is_read_as_it_was_printed(actions in actions()) {
        let printed = Printed::update(&actions);
        let parsed = parse_update(&printed.text);
        prop_assert!(parsed.is_ok(), "{}: {parsed:?}", printed.text);
        prop_assert_eq!(&Printed::update(&parsed.unwrap().actions).text, &printed.text);
        let mut binder = binder(&printed.names, &printed.values);
        match binder.update(&printed.text) {
            Ok(bound) => {
                prop_assert_eq!(bound.actions(), actions.as_slice());
                prop_assert_eq!(binder.finish(), Ok(()));
            }
            Err(error) => prop_assert!(is_about_operands(&error.fault), "{error:?}"),
        }
    }

    #[test]
    fn a_projection_is_read_as_it_was_printed(paths in proptest::collection::vec(path(), 1..5)) {
        let printed = Printed::projection(&paths);
        let parsed = parse_projection(&printed.text);
        prop_assert!(parsed.is_ok(), "{}: {parsed:?}", printed.text);
        prop_assert_eq!(&Printed::projection(&parsed.unwrap()).text, &printed.text);
    }
}
