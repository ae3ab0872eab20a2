//! Reading on with `NextToken`: nothing twice, nothing left out, no token for another statement.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use bothways_core::Value;
use bothways_protocol::types::{
    ExecuteStatementInput, ExecuteStatementOutput, ReturnConsumedCapacity,
};
use bothways_protocol::{Context, DynamoDbExt, Error};
use common::{Db, Ix, Rng, block_on, create, engine, map, n, s};

fn execute(db: &Db, input: ExecuteStatementInput) -> Result<ExecuteStatementOutput, Error> {
    block_on(db.0.execute_statement(&Context::default(), input))
}

fn statement(text: &str) -> ExecuteStatementInput {
    ExecuteStatementInput {
        statement: Some(text.into()),
        ..ExecuteStatementInput::default()
    }
}

/// Partitions `a`, `b` and `c` of ten items each; every other one is in the index.
fn database() -> Db {
    let db = Db(engine());
    let index = Ix {
        name: "even",
        local: false,
        key: "g:S/r:N",
        projection: "ALL",
    };
    create(&db, "table", "h:S/r:N", &[index]);
    for h in ["a", "b", "c"] {
        for r in 0..10 {
            let mut item = map([("h", s(h)), ("r", n(r)), ("x", n(r % 3))]);
            if r % 2 == 0 {
                item.insert("g".into(), s("even"));
            }
            db.put("table", item);
        }
    }
    db
}

fn rows(output: &ExecuteStatementOutput) -> Vec<String> {
    let items = output.items.iter().flatten();
    items
        .map(|item| {
            let h = item.get("h").unwrap().as_str().unwrap().to_owned();
            format!("{h}{}", item.get("r").unwrap().as_number().unwrap())
        })
        .collect()
}

/// Every page with this limit.
fn pages(db: &Db, text: &str, limit: i32) -> Vec<Vec<String>> {
    let mut token = None;
    let mut pages = Vec::new();
    loop {
        let input = ExecuteStatementInput {
            limit: Some(limit),
            next_token: token,
            ..statement(text)
        };
        let output = execute(db, input).unwrap();
        pages.push(rows(&output));
        token = output.next_token;
        if token.is_none() {
            return pages;
        }
        assert!(pages.len() < 200, "{text} does not end");
    }
}

#[test]
fn pages_together_are_the_whole() {
    let db = database();
    for text in [
        "SELECT * FROM \"table\"",
        "SELECT * FROM \"table\" WHERE x = 1",
        "SELECT * FROM \"table\" WHERE h = 'b'",
        "SELECT * FROM \"table\" WHERE h = 'b' ORDER BY r DESC",
        "SELECT * FROM \"table\" WHERE h IN ['c', 'none', 'a'] AND r BETWEEN 2 AND 6",
        "SELECT * FROM \"table\" WHERE h IN ['c', 'a'] AND r > 3 AND r <= 8 AND x = 2 ORDER BY h DESC, r ASC",
        "SELECT * FROM \"table\" WHERE h IN ['a', 'b'] AND r IN [1, 4, 30]",
        "SELECT * FROM \"table\" WHERE h = 'a' AND r <> 3 OR h = 'a' AND r = 3",
        "SELECT * FROM \"table\".\"even\" WHERE g = 'even'",
        "SELECT * FROM \"table\".\"even\" WHERE g = 'even' AND r > 2 AND x = 0 ORDER BY r DESC",
        "SELECT * FROM \"table\".\"even\"",
    ] {
        let whole = execute(&db, statement(text)).unwrap();
        assert_eq!(whole.next_token, None, "{text}");
        let whole = rows(&whole);
        assert!(!whole.is_empty(), "{text}");
        for limit in [1, 2, 3, 7, 100] {
            let pages = pages(&db, text, limit);
            assert_eq!(pages.concat(), whole, "{text} by {limit}");
            let longest = pages.iter().map(Vec::len).max().unwrap();
            assert!(
                longest <= usize::try_from(limit).unwrap(),
                "{text} by {limit}"
            );
        }
    }
}

#[test]
fn a_token_is_good_for_its_statement_only() {
    let db = database();
    let text = "SELECT * FROM \"table\" WHERE h = ?";
    let first = |parameter: &str| ExecuteStatementInput {
        parameters: Some(vec![s(parameter).into()]),
        limit: Some(2),
        ..statement(text)
    };
    let token = execute(&db, first("a")).unwrap().next_token;
    assert!(token.is_some());
    let with = |input: ExecuteStatementInput, token: &Option<String>| {
        let input = ExecuteStatementInput {
            next_token: token.clone(),
            ..input
        };
        execute(&db, input)
            .map(|output| rows(&output))
            .map_err(|error| error.message.into_owned())
    };
    assert_eq!(with(first("a"), &token).unwrap(), ["a2", "a3"]);
    let other = Err("The NextToken belongs to another request".to_owned());
    assert_eq!(with(first("b"), &token), other);
    assert_eq!(with(statement("SELECT * FROM \"table\""), &token), other);
    let of_index = execute(
        &db,
        ExecuteStatementInput {
            limit: Some(1),
            ..statement("SELECT * FROM \"table\".\"even\"")
        },
    );
    let token = of_index.unwrap().next_token;
    assert!(token.is_some());
    assert_eq!(with(statement("SELECT * FROM \"table\""), &token), other);
    for token in ["x", "AAAA", "!"] {
        let got = with(first("a"), &Some(token.to_owned()));
        assert_eq!(
            got,
            Err("The NextToken is not one that was returned".to_owned()),
            "{token}"
        );
    }
}

#[test]
fn one_megabyte_ends_a_page_over_several_ranges() {
    let db = Db(engine());
    create(&db, "table", "h:S", &[]);
    let keys: Vec<String> = (0..8).map(|i| format!("k{i}")).collect();
    for key in &keys {
        let fill = Value::S("x".repeat(300 * 1024));
        db.put("table", map([("h", s(key)), ("fill", fill)]));
    }
    let list: Vec<String> = keys.iter().map(|key| format!("'{key}'")).collect();
    let text = format!("SELECT h FROM \"table\" WHERE h IN [{}]", list.join(","));
    let (mut token, mut seen, mut calls) = (None, Vec::new(), 0);
    loop {
        let output = execute(
            &db,
            ExecuteStatementInput {
                next_token: token,
                return_consumed_capacity: Some(ReturnConsumedCapacity::Total),
                ..statement(&text)
            },
        )
        .unwrap();
        let items = output.items.unwrap();
        assert!(items.len() <= 4, "{} items of 300 KB", items.len());
        seen.extend(
            items
                .iter()
                .map(|item| item.get("h").unwrap().as_str().unwrap().to_owned()),
        );
        calls += 1;
        token = output.next_token;
        if token.is_none() {
            break;
        }
    }
    assert_eq!(seen, keys);
    // The last row of the second page fills it, so that only a third one tells that it was the last.
    assert_eq!(calls, 3);
}

/// A condition of tests of the key and of another attribute, as text.
fn condition(rng: &mut Rng, depth: usize) -> String {
    if depth > 0 && rng.chance(2) {
        let with = rng.pick(&[" AND ", " OR "]);
        let parts: Vec<String> = (0..2 + rng.below(2))
            .map(|_| condition(rng, depth - 1))
            .collect();
        return format!("({})", parts.join(with));
    }
    let number = |rng: &mut Rng| rng.below(11);
    match rng.below(12) {
        0..=3 => format!("h = '{}'", rng.pick(&["a", "b", "c", "d"])),
        4 => format!("h IN ['{}', 'c']", rng.pick(&["a", "b", "c"])),
        5 => format!("r IN [{}, {}]", number(rng), number(rng)),
        6 => format!("r BETWEEN {} AND 8", rng.below(8)),
        7 => format!("NOT r = {}", number(rng)),
        8 => format!("x = {}", rng.below(4)),
        9 => format!("NOT ({})", condition(rng, 0)),
        _ => {
            let operator = rng.pick(&["=", "<>", "<", "<=", ">", ">="]);
            format!("r {operator} {}", number(rng))
        }
    }
}

/// Whichever ranges a clause is taken apart into, it selects what it says of each item.
#[test]
fn a_clause_reads_what_it_says() {
    let db = database();
    let mut rng = Rng(11);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..1500 * common::campaign() {
        let clause = condition(&mut rng, 3);
        let text = format!("SELECT * FROM \"table\" WHERE {clause}");
        let output = match execute(&db, statement(&text)) {
            Ok(output) => output,
            Err(error) => {
                let words = &error.message;
                assert!(
                    words.starts_with("Overlapping") || words.starts_with("Too many decomposed"),
                    "{clause}: {words}"
                );
                refused += 1;
                continue;
            }
        };
        // An OR with what no key test is makes a scan of it, which filters row by row.
        let scan = format!("SELECT * FROM \"table\" WHERE ({clause}) OR none = 1");
        let mut want = rows(&execute(&db, statement(&scan)).unwrap());
        let mut got = rows(&output);
        want.sort_unstable();
        got.sort_unstable();
        assert_eq!(got, want, "{clause}");
        read += usize::from(!got.is_empty());
    }
    assert!(read > 300 && refused > 50, "{read} read, {refused} refused");
}
