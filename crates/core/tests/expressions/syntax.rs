//! What the grammars take, and what a syntax error shows.

use crate::support::{condition_fault, projection, update_fault};
use bothways_core::expr::{
    ExprError, Fault, Kind, Names, Values, parse_condition, parse_projection, parse_update,
};

fn near(fault: Fault) -> (String, String) {
    match fault {
        Fault::Syntax { token, near, .. } => (token, near),
        other => panic!("{other:?} is no syntax error"),
    }
}

/// The token and its neighbours as AWS shows them. Sources: conformance suite, tier3/error-messages; aws-cdk#7591;
/// getndazn/dazn-lambda-powertools#242 and #251; localstack#2529; getmoto/moto#5189; ScyllaDB's
/// `test_update_expression.py`.
#[test]
fn a_syntax_error_shows_the_token_between_its_neighbours() {
    let none = (Names::new(), Values::new());
    for (text, token, shown) in [
        ("INVALID SYNTAX HERE", "INVALID", "INVALID SYNTAX"),
        ("ADD hits : incr", ":", "hits : incr"),
        ("SET a = :v, #, b = :v", "#", ", #,"),
        ("SET a = :v, updated = :v = :v", "=", ":v = :v"),
        ("SET _123 = :v", "_", "SET _123"),
        ("SET a = :v,", "<EOF>", ","),
        ("SET a = ", "<EOF>", "="),
        ("SET a = :v + ", "<EOF>", "+"),
        ("SET", "<EOF>", "SET"),
        ("SET a = if_not_exists(c, :v + :w)", "+", ":v + :w"),
    ] {
        let found = near(update_fault(text, &none.0, &none.1));
        assert_eq!(found, (token.into(), shown.into()), "{text}");
    }
    for (text, token, shown) in [
        ("foo", "<EOF>", "foo"),
        ("attribute_not_exists(", "<EOF>", "("),
        ("contains (themes, :theme", "<EOF>", ":theme"),
        ("(#a)", "<EOF>", ")"),
        ("things are not gonna be ok", "are", "things are not"),
        ("a b c", "b", "a b c"),
        ("p = :p AND c != :c", "!", "c !="),
        ("a IN ()", ")", "()"),
    ] {
        let found = near(condition_fault(text, &none.0, &none.1));
        assert_eq!(found, (token.into(), shown.into()), "{text}");
    }
    let fault = projection("!!", &none.0).unwrap_err().fault;
    assert_eq!(near(fault), ("!".into(), "!!".into()));
    assert_eq!(
        near(projection("a,", &none.0).unwrap_err().fault),
        ("<EOF>".into(), ",".into())
    );
}

#[test]
fn a_syntax_error_tells_its_place() {
    let fault = condition_fault("a = :v AND !", &Names::new(), &Values::new());
    assert!(
        matches!(fault, Fault::Syntax { position: 11, .. }),
        "{fault:?}"
    );
    let fault = condition_fault("a = ü", &Names::new(), &Values::new());
    assert!(
        matches!(&fault, Fault::Syntax { position: 4, token, .. } if token == "ü"),
        "{fault:?}"
    );
}

fn is_syntax<T>(parsed: &Result<T, ExprError>) -> bool {
    matches!(
        parsed,
        Err(ExprError {
            fault: Fault::Syntax { .. },
            ..
        })
    )
}

/// Source: dynalite's tests, measured on AWS.
#[test]
fn conditions_that_do_not_parse() {
    for text in [
        "a > 4",
        "attribute_exists(Pictures-RearView)",
        "attribute_exists(\"Pictures.RearView\")",
        "attribute_exists(Pictures..RearView)",
        "attribute_exists(Pi#ctures.RearView)",
        "attribute_exists(asdf[a])",
        "a in b, c",
        "a > between",
        "a in b",
        "a in (b,c,)",
        "(a)between(b.(c.d))and(c)",
        "(a)between(b.c.d)and((c)",
        "#$.b > a",
        "a > :things.stuff",
        "b[:a] > a",
        "b[#_] > a",
        "ü > a",
        "(a)between(b.c[4.5].#d)and(:a)",
        "size(a).b > a",
        "(size(a)).b > a",
        "size(a)[0] > a",
        "(size(a))[0] > a",
        "a",
        ":a",
        "(a) AND b = c",
        "a = NOT b",
        "a = b = c",
        "(a = b) = c",
        "a = (b = c)",
        "size(a = b)",
        "a BETWEEN b",
        "a BETWEEN b OR c",
        "a = b)",
        "AND a = b",
        "a = b AND",
        "a = b OR OR c = d",
        "NOT",
        "f()",
        "a[01] = b",
        "a.1 = b",
        "a[-1] = b",
        "a + b = c",
        "and = b",
        "a.or = b",
        "set = b",
    ] {
        assert!(is_syntax(&parse_condition(Kind::Condition, text)), "{text}");
    }
}

/// Sources: dynalite's tests and ScyllaDB's `test_update_expression.py`, measured on AWS.
#[test]
fn updates_that_do_not_parse() {
    for text in [
        "whatever",
        "set a",
        "add a",
        "delete a",
        "set a=set",
        "remove a = b",
        "add a = b",
        "delete a = b",
        "delete a b",
        "delete a if_not_exist(b)",
        "add abort b",
        "add a if_not_exist(b)",
        "remove a b",
        "set a b",
        "set :a = b",
        "add :a b",
        "delete :a b",
        "remove :a",
        "set a = b / c",
        "set a = b * c",
        "set a[1] = \"eight\"",
        "set a[1] = 1",
        "SET a = if_not_exist(a, 100)",
        "SET if_not_exist(a, b) = a",
        "set (a = (b + c))",
        "set a = (b.c).d + e",
        "set a = (b.c)[0] + e",
        "set a = b + c + d",
        "set a = (b + c) + d",
        "set a = f(b + c)",
        "set a = b AND c = d",
        "set a = b > c",
        "set 123 = :v",
        "set 123a = :v",
        "set hi-there = :v",
        "set hi$there = :v",
        "set a[:xyz] = :v",
        "set a[#xyz] = :v",
        "set a = _f(b)",
        "set a = b set",
        "set a = b, remove c",
    ] {
        assert!(is_syntax(&parse_update(text)), "{text}");
    }
}

#[test]
fn projections_that_do_not_parse() {
    for text in [
        ",a", "a,", "a,,b", "a b", "a.b.", "a[", "[0]", ":a", "a = b", "(a)", "size(a)", "a..b",
    ] {
        assert!(is_syntax(&parse_projection(text)), "{text}");
    }
}

/// Sources: as above.
#[test]
fn expressions_that_parse() {
    for text in [
        "(a)between(b.c[45].#d)and(:a)",
        "(b.c).d > a",
        "NOT NOT NOT NOT a < b",
        "nOt a aNd".replace("aNd", "= b aNd c = d").as_str(),
        "((size(a)) = :b) AND c = :c",
        "( ( ( size ( #a )) < #b.Maximum ) AND ( #c > :v ) )",
        "(a)=(b)AND(c)in(d,(e))",
        "attribute_exists (a)",
        "unknown(a, b, c)",
        "a\t=\r\n:v",
    ] {
        assert!(parse_condition(Kind::Filter, text).is_ok(), "{text}");
    }
    for text in [
        "set a = (b + c)",
        "set a = ((b.c.d)+(e))",
        "set a = (b)",
        "SET a = if_not_exists(a, b) + b",
        "SET a = if_not_exists(a, if_not_exists(a, b))",
        "  set   b=:v1  remove c add d:e,f:g delete h :i",
        "SET #Alpha_Numeric_123 = :Alpha_123, #123 = :123, #_ = :_",
        "SET A123_ = :v",
    ] {
        assert!(parse_update(text).is_ok(), "{text}");
    }
    for text in ["a", " a  ,   b  ", "a.b[0].c, #d[1][2]", "abort"] {
        assert!(parse_projection(text).is_ok(), "{text}");
    }
}

/// Source: dynalite's tests, measured on AWS.
#[test]
fn two_pairs_of_parentheses_around_one_thing_are_refused() {
    for text in [
        "a=a and a > ((views))",
        "(a)between(((b.c)).d)and(c)",
        "a > whatever((:things), ((a)))",
        "a=a AND ((a=a AND a=a)) AND a=a",
        "a=a OR ((a=a OR a=a)) OR a=a",
        "a=a AND ((a=a AND (a=a AND a=a)))",
        "a=a OR ((a=a OR (a=a OR a=a)))",
        "((c=:c) AND ((p=:p)))",
        "((attribute_exists(a)))",
        "((NOT a = b))",
    ] {
        let fault = parse_condition(Kind::Filter, text).unwrap_err().fault;
        assert_eq!(fault, Fault::RedundantParentheses, "{text}");
    }
    for text in ["set a = ((b))", "set a = ((b + c))", "set a = f(((b)))"] {
        assert_eq!(
            parse_update(text).unwrap_err().fault,
            Fault::RedundantParentheses,
            "{text}"
        );
    }
    for text in [
        "((a)=(b))",
        "(NOT (a = b))",
        "((a = b) AND (c = d))",
        "(a in ((b), c))",
    ] {
        assert!(parse_condition(Kind::Filter, text).is_ok(), "{text}");
    }
}

#[test]
fn nothing_and_white_space_are_empty() {
    for text in ["", "  ", "\n\t"] {
        for kind in [Kind::Condition, Kind::Filter, Kind::KeyCondition] {
            let error = parse_condition(kind, text).unwrap_err();
            assert_eq!(
                error,
                ExprError {
                    kind,
                    fault: Fault::Empty
                }
            );
        }
        assert_eq!(parse_update(text).unwrap_err().fault, Fault::Empty);
        assert_eq!(parse_projection(text).unwrap_err().fault, Fault::Empty);
    }
}
