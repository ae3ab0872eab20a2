//! What statements become.

use bothways_core::expr::{Binder, Kind, Names, Printed, Values};
use bothways_core::partiql::{Columns, Fault, Malformed, Parsed, Returning, Statement, Verb};
use bothways_core::{Item, Value};

/// The WHERE clause of a SELECT as an expression, with its values in order.
fn printed(condition: &str, parameters: &[&Value]) -> Result<Printed, Fault> {
    let text = format!("SELECT * FROM t WHERE {condition}");
    let parsed = Parsed::read(&text)?;
    let Statement::Select(select) = parsed.bind(parameters)? else {
        panic!("{condition} is no SELECT");
    };
    Ok(Printed::condition(&select.condition.unwrap()))
}

/// The middle column is what an expression would say.
#[test]
fn conditions_are_those_of_expressions() {
    let cases: &[(&str, &str)] = &[
        ("a = 1", "a = :v0"),
        (
            "a = 1 AND b < 2 AND c > 3",
            "a = :v0 AND b < :v1 AND c > :v2",
        ),
        (
            "(a = 1 AND b < 2) AND c > 3",
            "a = :v0 AND b < :v1 AND c > :v2",
        ),
        ("a = 1 OR b < 2 AND c > 3", "a = :v0 OR b < :v1 AND c > :v2"),
        (
            "(a = 1 OR b < 2) AND c > 3",
            "(a = :v0 OR b < :v1) AND c > :v2",
        ),
        ("NOT a = 1 AND b != 2", "NOT a = :v0 AND b <> :v1"),
        (
            "a BETWEEN 1 AND 2 AND b = 3",
            "a BETWEEN :v0 AND :v1 AND b = :v2",
        ),
        ("a NOT BETWEEN 1 AND 2", "NOT a BETWEEN :v0 AND :v1"),
        ("a IN [1, 'x']", "a IN (:v0, :v1)"),
        ("a IN (1, 'x')", "a IN (:v0, :v1)"),
        ("a NOT IN <<1>>", "NOT a IN (:v0)"),
        ("a IS MISSING", "attribute_not_exists(a)"),
        ("a IS NOT MISSING", "NOT attribute_not_exists(a)"),
        ("a is null", "attribute_type(a, :v0)"),
        ("Begins_With(a.b[3], 'x')", "begins_with(a.b[3], :v0)"),
        ("a['b c'].d = 1", "a.#n0.d = :v0"),
        (r#""a.b"."select" = 1"#, "#n0.#n1 = :v0"),
        ("size(a) > 3", "size(a) > :v0"),
        ("3 < size(a)", ":v0 < size(a)"),
        ("contains(a, {'k': [1, null, true]})", "contains(a, :v0)"),
    ];
    for (condition, expression) in cases {
        let printed = printed(condition, &[]).unwrap_or_else(|e| panic!("{condition}: {e}"));
        assert_eq!(printed.text, *expression, "{condition}");
        // And the text is an expression indeed.
        let (names, values) = (printed.names, printed.values);
        let some = |names: &Names| !names.is_empty();
        let mut binder = Binder::new(Some(&names).filter(|n| some(n)), {
            Some(&values).filter(|values: &&Values| !values.is_empty())
        })
        .unwrap();
        binder.condition(Kind::Filter, &printed.text).unwrap();
    }
}

#[test]
fn parameters_are_counted_in_the_order_written() {
    let (one, two) = (Value::from(1), Value::from("x"));
    let printed = printed("a = ? AND b IN [?, 3]", &[&one, &two]).unwrap();
    let values: Vec<&Value> = printed.values.values().collect();
    assert_eq!(values, [&one, &two, &Value::from(3)]);
    for parameters in [&[&one][..], &[&one, &two, &two]] {
        let text = "SELECT * FROM t WHERE a = ? AND b = ?";
        let parsed = Parsed::read(text).unwrap();
        assert_eq!(parsed.bind(parameters).unwrap_err(), Fault::ParameterCount);
    }
}

#[test]
fn updates_are_those_of_expressions() {
    let cases: &[(&str, &str)] = &[
        ("SET a = 1, b = c", "SET a = :v0, b = c"),
        (
            "SET a = 1 REMOVE b SET c = 2",
            "SET a = :v0, c = :v1 REMOVE b",
        ),
        ("SET a = a + 1 - b", "SET a = a + :v0 - b"),
        (
            "SET a.b[1] = list_append(a.b[1], [2])",
            "SET a.b[1] = list_append(a.b[1], :v0)",
        ),
        ("SET a = set_add(a, <<1>>)", "ADD a :v0"),
        ("SET a.b = SET_DELETE(a.b, <<'x'>>)", "DELETE a.b :v0"),
    ];
    for (changes, expression) in cases {
        for text in [
            format!("UPDATE t {changes} WHERE k = 1"),
            format!("FROM t WHERE k = 1 {changes}"),
        ] {
            let parsed = Parsed::read(&text).unwrap();
            let Statement::Update { update, .. } = parsed.bind(&[]).unwrap() else {
                panic!("{text} is no UPDATE");
            };
            assert_eq!(
                Printed::update(update.actions()).text,
                *expression,
                "{text}"
            );
        }
    }
}

#[test]
fn statements_say_what_they_are_about() {
    type Case<'c> = (&'c str, Verb, &'c str, Option<&'c str>, Option<Returning>);
    let cases: &[Case<'_>] = &[
        ("select * from Music", Verb::Select, "Music", None, None),
        (
            r#"SELECT a FROM "a-b"."i.x" ORDER BY k DESC;"#,
            Verb::Select,
            "a-b",
            Some("i.x"),
            None,
        ),
        (
            "EXISTS(SELECT * FROM t WHERE k = 1)",
            Verb::Exists,
            "t",
            None,
            None,
        ),
        (
            "INSERT INTO t VALUE {'k': 1}",
            Verb::Insert,
            "t",
            None,
            None,
        ),
        (
            "UPDATE t SET a = 1 RETURNING MODIFIED OLD *",
            Verb::Update,
            "t",
            None,
            Some(Returning::ModifiedOld),
        ),
        (
            "FROM t SET a = 1 returning all new *",
            Verb::Update,
            "t",
            None,
            Some(Returning::AllNew),
        ),
        (
            "DELETE FROM t RETURNING ALL OLD *",
            Verb::Delete,
            "t",
            None,
            Some(Returning::AllOld),
        ),
    ];
    for (text, verb, table, index, returning) in cases {
        let parsed = Parsed::read(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let got = (
            parsed.verb(),
            parsed.table(),
            parsed.index(),
            parsed.returning(),
        );
        assert_eq!(got, (*verb, *table, *index, *returning), "{text}");
    }
}

#[test]
fn an_item_is_its_literal() {
    let text = "INSERT INTO t VALUE {'k': ?, 's': 'it''s', 'n': -1.50e1, 'b': FALSE, '0': NULL, \
                'l': [1, [2]], 'm': {'x': <<'b', 'a'>>}, 'ns': <<3, 1>>}";
    let parsed = Parsed::read(text).unwrap();
    let parameter = Value::B(bytes::Bytes::from_static(&[1, 2]));
    let Statement::Insert(item) = parsed.bind(&[&parameter]).unwrap() else {
        panic!("no INSERT");
    };
    let json = r#"{"0":{"NULL":true},"b":{"BOOL":false},"k":{"B":"AQI="},"l":{"L":[{"N":"1"},{"L":[{"N":"2"}]}]},"m":{"M":{"x":{"SS":["a","b"]}}},"n":{"N":"-15"},"ns":{"NS":["1","3"]},"s":{"S":"it's"}}"#;
    let mut out = Vec::new();
    item.write_json(&mut out);
    assert_eq!(String::from_utf8(out).unwrap(), json);
}

#[test]
fn columns_are_named_from_their_last_name() {
    let text = "SELECT a, m.k[0][1], \"x y\".z FROM t";
    let parsed = Parsed::read(text).unwrap();
    let Statement::Select(select) = parsed.bind(&[]).unwrap() else {
        panic!("no SELECT");
    };
    let Columns::Named(columns) = &select.columns else {
        panic!("no columns");
    };
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["a", "k[0][1]", "z"]);
    assert_eq!(
        select.columns.attributes().collect::<Vec<_>>(),
        ["a", "m", "x y"]
    );
    let empty = Item::from_attributes([("b", Value::from(1))]);
    assert!(select.columns.apply(empty).is_empty());
}

/// Words of the reference parser; those that AWS was seen to answer are in the engine's table.
#[test]
fn what_is_no_statement_is_told_apart() {
    let cases: &[(&str, Malformed)] = &[
        ("", Malformed::Term),
        ("'open", Malformed::Unreadable),
        ("SELECT * FROM t WHERE a = `ion`", Malformed::Unreadable),
        ("SELECT a b, FROM t", Malformed::DataManipulation),
        ("SELECT * FROM t WHERE user = 1", Malformed::Keyword),
        (
            "SELECT * FROM t WHERE a = (1",
            Malformed::Token("RIGHT_PAREN"),
        ),
        (
            "SELECT * FROM t WHERE a[1 = 1",
            Malformed::Token("RIGHT_BRACKET"),
        ),
        (
            "SELECT * FROM t WHERE a IN [1, 2",
            Malformed::Token("RIGHT_BRACKET"),
        ),
        (
            "SELECT * FROM t WHERE a = <<1",
            Malformed::Token("RIGHT_DOUBLE_ANGLE_BRACKET"),
        ),
        (
            "SELECT * FROM t WHERE a = {'x' 1}",
            Malformed::Token("COLON"),
        ),
        ("SELECT * FROM t WHERE a BETWEEN 1", Malformed::Token("AND")),
        ("UPDATE t SET date = 1 WHERE k = 1", Malformed::SimplePath),
        ("UPDATE t SET a 1 WHERE k = 1", Malformed::Token("EQ")),
        ("DELETE t WHERE k = 1", Malformed::Token("FROM")),
        ("SELECT * FROM t; SELECT * FROM t", Malformed::Leftover),
    ];
    for (text, fault) in cases {
        assert_eq!(
            Parsed::read(text).unwrap_err(),
            Fault::Malformed(*fault),
            "{text}"
        );
    }
}

#[test]
fn what_no_statement_can_hold_is_refused() {
    let cases: &[(&str, &str)] = &[
        ("SELECT DISTINCT a FROM t", "Clause"),
        ("SELECT * FROM t LIMIT 1", "Clause"),
        ("SELECT VALUE a FROM t", "SelectValue"),
        ("SELECT a AS b FROM t", "Alias"),
        ("SELECT * FROM t, u", "ManySources"),
        ("SELECT * FROM [1]", "Source"),
        ("SELECT a, a FROM t", "ColumnTwice"),
        ("SELECT COUNT(*) FROM t", "PathComponent"),
        ("SELECT a.* FROM t", "Unpivot"),
        ("SELECT a[*] FROM t", "Wildcard"),
        ("SELECT a[?] FROM t", "PathComponent"),
        ("SELECT * FROM t ORDER BY a.b", "OrderOperand"),
        ("SELECT * FROM t WHERE a", "NoCondition"),
        ("SELECT * FROM t WHERE size(a)", "NoCondition"),
        ("SELECT * FROM t WHERE a AND b = 1", "LogicOperand"),
        ("SELECT * FROM t WHERE NOT a", "NotOperand"),
        ("SELECT * FROM t WHERE a + 1 = 2", "ConditionOperator"),
        ("SELECT * FROM t WHERE a LIKE 'x'", "ConditionOperator"),
        ("SELECT * FROM t WHERE a = -b", "ConditionOperator"),
        ("SELECT * FROM t WHERE a IN 1", "InOperand"),
        ("SELECT * FROM t WHERE a IN []", "InOperand"),
        ("SELECT * FROM t WHERE a = MISSING", "Missing"),
        ("SELECT * FROM t WHERE 1 IS NULL", "IsOperand"),
        ("SELECT * FROM t WHERE a IS INT", "IsType"),
        ("UPDATE t SET a = b IS NULL WHERE k = 1", "IsInUpdate"),
        ("UPDATE t SET a = b * 2 WHERE k = 1", "UpdateOperator"),
        (
            "UPDATE t SET a = if_not_exists(a, 1) WHERE k = 1",
            "Function",
        ),
        ("INSERT INTO t VALUE {'a': 1, 'a': 2}", "DuplicateKey"),
        ("INSERT INTO t VALUE {a: 1}", "KeyNoString"),
        ("INSERT INTO t VALUE {'a': {'': 1}}", "EmptyName"),
        ("INSERT INTO t VALUE {'a': b}", "DataType"),
        ("INSERT INTO t VALUE 1", "InsertForm"),
        ("INSERT INTO t <<{'a': 1}>>", "InsertMany"),
        (
            "INSERT INTO t VALUE {'a': 1} RETURNING ALL OLD *",
            "ReturningInsert",
        ),
        (
            "DELETE FROM t WHERE a = 1 RETURNING ALL OLD a",
            "ReturningStar",
        ),
        (
            "UPDATE t SET a = 1 RETURNING ALL OLD *, ALL NEW *",
            "ReturningMany",
        ),
        ("UPDATE t SET a = 1, a.b = 2 WHERE k = 1", "Expression"),
        ("SELECT * FROM t WHERE a BETWEEN 2 AND 1", "Expression"),
        ("1 + 1", "Operation"),
        ("EXISTS(1)", "Operation"),
    ];
    let one = Value::from(1);
    for (text, fault) in cases {
        let parameters: &[&Value] = if text.contains('?') { &[&one] } else { &[] };
        let bound = Parsed::read(text).and_then(|p| p.bind(parameters).map(drop));
        let got = format!("{:?}", bound.unwrap_err());
        let name = got.split([' ', '(', '{']).next().unwrap();
        assert_eq!(name, *fault, "{text}: {got}");
    }
}
