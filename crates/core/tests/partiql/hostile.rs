//! Texts made to hurt: none may take long, overflow the stack or panic.

use bothways_core::partiql::{Access, Fault, Malformed, Parsed, Statement};
use bothways_core::{KeySchema, ScalarType, Value};
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// Far above what any of these takes on a busy machine, far below what quadratic work would.
const BOUND: Duration = Duration::from_secs(20);
/// The longest statement that the API takes, characters.
const LONGEST: usize = 8192;

/// A quarter of a usual thread's stack, so that depth shows.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let started = Instant::now();
    let thread = std::thread::Builder::new()
        .stack_size(512 * 1024)
        .spawn(work)
        .unwrap();
    thread.join().unwrap();
    assert!(started.elapsed() < BOUND, "{:?}", started.elapsed());
}

/// Reads a statement and does with it all that needs no table's items.
fn carry_out(text: &str) -> Result<(), Fault> {
    let parsed = Parsed::read(text)?;
    let value = Value::from("x");
    let parameters = vec![&value; text.matches('?').count()];
    if let Statement::Select(select) | Statement::Exists(select) = parsed.bind(&parameters)? {
        let schema = KeySchema::hash("a", ScalarType::S).and_range("b", ScalarType::N);
        // Whether there are such branches does not matter here.
        let _ = Access::of(select.condition.as_ref(), &schema);
    }
    Ok(())
}

#[test]
fn deep_statements_are_refused() {
    on_a_small_stack(|| {
        for open in [
            "(",
            "[",
            "<<",
            "NOT ",
            "- ",
            "{'k':",
            "f(",
            "a[",
            "SELECT ",
            "FROM ",
            "a = (",
            "1 - (",
            "EXISTS(SELECT * FROM a WHERE ",
        ] {
            let condition = open.repeat(LONGEST / open.len() - 10);
            for before in [
                "",
                "SELECT * FROM t WHERE ",
                "UPDATE t SET a = ",
                "INSERT INTO t VALUE ",
            ] {
                let got = carry_out(&format!("{before}{condition}"));
                assert_eq!(
                    got,
                    Err(Fault::Malformed(Malformed::Unreadable)),
                    "{before}{open}"
                );
            }
        }
    });
}

#[test]
fn long_statements_are_read() {
    on_a_small_stack(|| {
        let chain = |part: &str, with: &str| {
            let count = LONGEST / (part.len() + with.len()) - 10;
            vec![part; count].join(with)
        };
        for condition in [
            chain("a=1", " AND "),
            chain("a=1", " OR "),
            chain("x=1 OR y=2", " AND "),
            format!("a IN ['x','y'] AND ({})", chain("b=1", " OR ")),
        ] {
            let text = format!("SELECT * FROM t WHERE {condition}");
            assert_eq!(carry_out(&text), Ok(()), "{text:.60}");
        }
        let sum = format!("UPDATE t SET a = {} WHERE k = 1", chain("a", "+"));
        assert_eq!(
            carry_out(&sum),
            Err(Fault::Malformed(Malformed::Unreadable))
        );
        let list = format!("INSERT INTO t VALUE {{'a': [{}]}}", chain("1", ","));
        assert_eq!(carry_out(&list), Ok(()));
    });
}

const PIECES: &[&str] = &[
    "SELECT",
    "*",
    "FROM",
    "t",
    "WHERE",
    "a",
    "b",
    "=",
    "<>",
    "<",
    "AND",
    "OR",
    "NOT",
    "IN",
    "BETWEEN",
    "IS",
    "MISSING",
    "NULL",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<<",
    ">>",
    ",",
    ".",
    ":",
    ";",
    "'x'",
    "\"q\"",
    "1",
    "-1.5e3",
    "?",
    "INSERT INTO",
    "VALUE",
    "UPDATE",
    "SET",
    "REMOVE",
    "DELETE",
    "RETURNING ALL OLD *",
    "ORDER BY",
    "DESC",
    "size(",
    "set_add(",
    "begins_with(",
    "list_append(",
    "EXISTS(",
    "+",
    "-",
    "--",
    "/*",
    "*/",
    "'",
    "\"",
    "é",
    "#",
];

proptest! {
    #[test]
    fn any_sequence_of_tokens_is_read_or_refused(picks in prop::collection::vec(0..PIECES.len(), 0..60)) {
        let text: Vec<&str> = picks.iter().map(|pick| PIECES[*pick]).collect();
        // Whether it is a statement does not matter; that it ends does.
        let _ = carry_out(&text.join(" "));
        let _ = carry_out(&format!("SELECT * FROM t WHERE {}", text.join(" ")));
        let _ = carry_out(&text.concat());
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = carry_out(&text);
    }
}
