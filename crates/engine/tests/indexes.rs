//! What an index holds, and what may be asked of it.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

mod common;

use bothways_core::Value;
use bothways_protocol::Error;
use bothways_protocol::types::*;
use common::{Attributes, Db, Ix, attributes, create, engine, item, map, n, s};

const INDEXES: &[Ix] = &[
    Ix {
        name: "global",
        local: false,
        key: "g:S",
        projection: "a",
    },
    Ix {
        name: "multi",
        local: false,
        key: "g:S/h:S i:S j:N",
        projection: "KEYS",
    },
    Ix {
        name: "local",
        local: true,
        key: "pk:S l:N",
        projection: "a",
    },
];

fn db() -> Db {
    let db = Db(engine());
    create(&db, "table", "pk:S sk:N", INDEXES);
    let mut row = map([
        ("pk", s("p")),
        ("sk", n(1)),
        ("g", s("g")),
        ("l", n(1)),
        ("a", s("A")),
    ]);
    row.extend(map([
        ("b", s("B")),
        ("h", s("h")),
        ("i", s("i")),
        ("j", n(1)),
    ]));
    db.put("table", row);
    db
}

fn query(db: &Db, index: &str, condition: &str, more: QueryInput) -> Result<Vec<String>, Error> {
    let mut values = Values::new();
    for (name, value) in [
        (":g", s("g")),
        (":p", s("p")),
        (":h", s("h")),
        (":j", n(0)),
        (":x", s("x")),
    ] {
        let filter = more.filter_expression.as_deref().unwrap_or_default();
        if condition.contains(name) || filter.contains(name) {
            values.insert(name.into(), value);
        }
    }
    let output = db.query(QueryInput {
        table_name: Some("table".into()),
        index_name: Some(index.into()),
        key_condition_expression: Some(condition.into()),
        expression_attribute_values: Some(values.into()),
        ..more
    })?;
    let names = |row| attributes(row).into_keys().collect::<Vec<_>>().join(" ");
    Ok(output.items.unwrap().iter().map(names).collect())
}

#[test]
fn an_index_shows_keys_and_what_it_includes_and_a_local_one_fetches_the_rest() {
    let db = db();
    let cases = [
        ("global", "g = :g", QueryInput::default(), "a g pk sk"),
        (
            "multi",
            "g = :g AND h = :h",
            QueryInput::default(),
            "g h i j pk sk",
        ),
        ("local", "pk = :p", QueryInput::default(), "a l pk sk"),
        (
            "local",
            "pk = :p",
            QueryInput {
                projection_expression: Some("a, b".into()),
                ..QueryInput::default()
            },
            "a b",
        ),
        (
            "local",
            "pk = :p",
            QueryInput {
                select: Some(Select::AllAttributes),
                ..QueryInput::default()
            },
            "a b g h i j l pk sk",
        ),
        (
            "local",
            "pk = :p",
            QueryInput {
                select: Some(Select::AllProjectedAttributes),
                ..QueryInput::default()
            },
            "a l pk sk",
        ),
    ];
    for (index, condition, more, names) in cases {
        assert_eq!(
            query(&db, index, condition, more).unwrap(),
            [names],
            "{index}"
        );
    }
}

#[test]
fn a_filter_sees_what_the_index_holds() {
    let db = db();
    for index in ["global", "local"] {
        let condition = if index == "local" {
            "pk = :p"
        } else {
            "g = :g"
        };
        let filter = |text: &str| QueryInput {
            filter_expression: Some(text.into()),
            ..QueryInput::default()
        };
        assert_eq!(
            query(&db, index, condition, filter("attribute_exists(a)"))
                .unwrap()
                .len(),
            1
        );
        assert_eq!(
            query(&db, index, condition, filter("attribute_exists(b)"))
                .unwrap()
                .len(),
            0
        );
    }
}

#[test]
fn what_an_index_cannot_answer_is_refused_with_awss_words() {
    let db = db();
    let with = |more: QueryInput| more;
    let cases = [
        (
            "none",
            "g = :g",
            QueryInput::default(),
            "The table does not have the specified index: none",
        ),
        (
            "global",
            "g = :g",
            with(QueryInput {
                consistent_read: Some(true),
                ..QueryInput::default()
            }),
            "Consistent reads are not supported on global secondary indexes",
        ),
        (
            "global",
            "g = :g",
            with(QueryInput {
                select: Some(Select::AllAttributes),
                ..QueryInput::default()
            }),
            "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for \
             global secondary index global because its projection type is not ALL",
        ),
        (
            "global",
            "g = :g",
            with(QueryInput {
                projection_expression: Some("a, b".into()),
                ..QueryInput::default()
            }),
            "One or more parameter values were invalid: Global secondary index global does not project [b]",
        ),
        (
            "local",
            "pk = :p",
            with(QueryInput {
                filter_expression: Some("l = :j".into()),
                ..QueryInput::default()
            }),
            "Filter Expression can only contain non-primary key attributes: Primary key attribute: l",
        ),
        (
            "global",
            "h = :h",
            QueryInput::default(),
            "Query condition missed key schema element: g",
        ),
        (
            "multi",
            "g = :g AND j = :j",
            QueryInput::default(),
            "RANGE key attributes",
        ),
    ];
    for (index, condition, more, words) in cases {
        let error = query(&db, index, condition, more).unwrap_err();
        assert!(error.message.contains(words), "{error}\n{words}");
    }
}

fn put(db: &Db, row: Attributes) -> Result<(), Error> {
    let input = PutItemInput {
        table_name: Some("table".into()),
        item: Some(item(&row).into()),
        ..PutItemInput::default()
    };
    db.put_item(input).map(drop)
}

fn update(db: &Db, expression: &str, value: Value) -> Result<(), Error> {
    let input = UpdateItemInput {
        table_name: Some("table".into()),
        key: Some(item(&map([("pk", s("p")), ("sk", n(1))])).into()),
        update_expression: Some(expression.into()),
        expression_attribute_values: Some(Values::from([(":v".into(), value)]).into()),
        ..UpdateItemInput::default()
    };
    db.update_item(input).map(drop)
}

#[test]
fn index_keys_are_held_to_their_types_and_sizes() {
    let db = db();
    let row = |name: &str, value: Value| {
        let mut row = map([("pk", s("q")), ("sk", n(1))]);
        row.insert(name.to_owned(), value);
        row
    };
    let long = s(&"x".repeat(1025));
    let puts = [
        (
            row("g", n(1)),
            "Type mismatch for Index Key g Expected: S Actual: N IndexName: global",
        ),
        (
            row("g", Value::Null),
            "Expected: S Actual: NULL IndexName: global",
        ),
        (
            row("g", s("")),
            "empty string value. IndexName: global, IndexKey: g",
        ),
        (
            row("g", s(&"x".repeat(2049))),
            "Size of hashkey has exceeded",
        ),
        (
            row("h", long.clone()),
            "has exceeded the size limit of 1024 bytes",
        ),
    ];
    for (row, words) in puts {
        let error = put(&db, row).unwrap_err();
        assert!(error.message.contains(words), "{error}\n{words}");
    }
    let updates = [
        (
            "SET g = :v",
            n(1),
            "Type mismatch for Index Key g Expected: S Actual: N IndexName: global",
        ),
        (
            "SET g = :v",
            s(""),
            "The update expression attempted to update a secondary index key to a value that is not \
             supported",
        ),
        (
            "SET h = :v",
            long,
            "has exceeded the size limit of 1024 bytes",
        ),
        (
            "SET sk = :v",
            n(2),
            "Cannot update attribute sk. This attribute is part of the key",
        ),
    ];
    for (expression, value, words) in updates {
        let error = update(&db, expression, value).unwrap_err();
        assert!(error.message.contains(words), "{error}\n{words}");
    }
    assert_eq!(
        db.get("table", map([("pk", s("p")), ("sk", n(1))]))
            .unwrap()["g"],
        s("g")
    );
}

/// Source: Developer Guide, "Quotas": 400 KB, names and values.
#[test]
fn an_item_may_have_four_hundred_kilobytes_and_not_one_byte_more() {
    let db = db();
    let fixed = item(&map([("pk", s("p")), ("sk", n(1)), ("x", s(""))])).size();
    let room = 400 * 1024 - fixed;
    let row = |len: usize| map([("pk", s("p")), ("sk", n(1)), ("x", s(&"x".repeat(len)))]);
    put(&db, row(room)).unwrap();
    let error = put(&db, row(room + 1)).unwrap_err();
    assert!(
        error
            .message
            .contains("Item size has exceeded the maximum allowed size"),
        "{error}"
    );
    let error = update(&db, "SET y = :v", s("")).unwrap_err();
    assert_eq!(
        error.message,
        "Item size to update has exceeded the maximum allowed size"
    );
}
