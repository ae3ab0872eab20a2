//! Pages: their limits, where the next one starts, and what a start key may be.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

mod common;

use bothways_core::Value;
use bothways_protocol::types::*;
use common::{Attributes, Db, Ix, attributes, create, engine, item, map, n, s};

const INDEXES: &[Ix] = &[
    Ix {
        name: "tied",
        local: false,
        key: "g:S h:N",
        projection: "KEYS",
    },
    Ix {
        name: "local",
        local: true,
        key: "pk:S l:N",
        projection: "KEYS",
    },
];

/// Sixty rows in three partitions; every ten share their index keys.
fn db() -> Db {
    let db = Db(engine());
    create(&db, "table", "pk:S sk:N", INDEXES);
    for i in 0..60 {
        let mut row = map([("g", s("g")), ("h", n(i / 20)), ("l", n(i / 30))]);
        row.insert("pk".into(), s(&format!("p{}", i % 3)));
        row.insert("sk".into(), n(i));
        db.put("table", row);
    }
    db
}

fn query(index: Option<&str>, key: (&str, Value), limit: i32, forward: bool) -> QueryInput {
    QueryInput {
        table_name: Some("table".into()),
        index_name: index.map(str::to_owned),
        key_condition_expression: Some(format!("{} = :k", key.0)),
        expression_attribute_values: Some(Values::from([(":k".into(), key.1)]).into()),
        limit: Some(limit),
        scan_index_forward: Some(forward),
        ..QueryInput::default()
    }
}

/// Every row of a query, page by page; each page but the last is full.
fn pages(db: &Db, input: QueryInput) -> Vec<Attributes> {
    let mut out = Vec::new();
    let mut start = None;
    loop {
        let output = db
            .query(QueryInput {
                exclusive_start_key: start,
                ..input.clone()
            })
            .unwrap();
        let items = output.items.unwrap();
        out.extend(items.iter().map(attributes));
        match output.last_evaluated_key {
            Some(key) => {
                assert_eq!(Some(i32::try_from(items.len()).unwrap()), input.limit);
                start = Some(key.into());
            }
            None => return out,
        }
    }
}

#[test]
fn pages_of_any_size_in_both_directions_show_every_row_once_and_in_order() {
    let db = db();
    for (index, key) in [
        (None, ("pk", s("p1"))),
        (Some("tied"), ("g", s("g"))),
        (Some("local"), ("pk", s("p2"))),
    ] {
        let whole = pages(&db, query(index, key.clone(), 1000, true));
        assert_eq!(whole.len(), if index == Some("tied") { 60 } else { 20 });
        let mut backwards = whole.clone();
        backwards.reverse();
        for limit in [1, 2, 3, 7, 10, 20, 60] {
            assert_eq!(pages(&db, query(index, key.clone(), limit, true)), whole);
            assert_eq!(
                pages(&db, query(index, key.clone(), limit, false)),
                backwards
            );
        }
    }
}

/// Every row of a scan, page by page.
fn scanned(db: &Db, input: &ScanInput) -> Vec<Attributes> {
    let mut out = Vec::new();
    let mut start = None;
    loop {
        let output = db
            .scan(ScanInput {
                exclusive_start_key: start,
                ..input.clone()
            })
            .unwrap();
        out.extend(output.items.unwrap().iter().map(attributes));
        match output.last_evaluated_key {
            Some(key) => start = Some(key.into()),
            None => return out,
        }
    }
}

#[test]
fn pages_of_a_scan_show_every_row_of_a_table_and_of_an_index_once() {
    let db = db();
    for index in [None, Some("tied"), Some("local")] {
        for filter in [None, Some("begins_with(pk, :p)")] {
            let input = |limit| ScanInput {
                table_name: Some("table".into()),
                index_name: index.map(str::to_owned),
                filter_expression: filter.map(str::to_owned),
                expression_attribute_values: filter
                    .map(|_| Values::from([(":p".into(), s("p1"))]).into()),
                limit,
                ..ScanInput::default()
            };
            let whole = scanned(&db, &input(None));
            assert_eq!(whole.len(), if filter.is_some() { 20 } else { 60 });
            for limit in [1, 2, 7, 60] {
                assert_eq!(scanned(&db, &input(Some(limit))), whole, "{index:?}");
            }
        }
    }
}

#[test]
fn a_start_key_holds_the_table_key_and_the_index_key() {
    let db = db();
    for (index, key, names) in [
        (None, ("pk", s("p1")), "pk sk"),
        (Some("tied"), ("g", s("g")), "g h pk sk"),
        (Some("local"), ("pk", s("p2")), "l pk sk"),
    ] {
        let output = db.query(query(index, key, 1, true)).unwrap();
        let last = attributes(&output.last_evaluated_key.unwrap());
        assert_eq!(
            last.keys()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(" "),
            names
        );
    }
}

#[test]
fn a_start_key_that_a_query_cannot_have_given_is_refused() {
    let db = db();
    let start = |pairs: &[(&str, Value)]| -> Attributes {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect()
    };
    let p1 = ("pk", s("p1"));
    let cases = [
        (
            None,
            p1.clone(),
            start(&[("pk", s("p1"))]),
            "The provided starting key is invalid",
        ),
        (
            None,
            p1.clone(),
            start(&[("pk", s("p1")), ("sk", s("1"))]),
            "The provided key element does not match the schema",
        ),
        (
            None,
            p1.clone(),
            start(&[("pk", s("p1")), ("sk", n(1)), ("h", n(1))]),
            "The provided starting key is invalid",
        ),
        (
            None,
            p1,
            start(&[("pk", s("p2")), ("sk", n(1))]),
            "The provided starting key is outside query boundaries based on provided conditions",
        ),
        (
            Some("tied"),
            ("g", s("g")),
            start(&[("g", s("g")), ("h", n(1))]),
            "The provided starting key is invalid",
        ),
        (
            None,
            ("sk < :zero AND pk", s("p1")),
            start(&[("pk", s("p1")), ("sk", n(7))]),
            "The provided starting key does not match the range key predicate",
        ),
        (
            None,
            ("sk < :zero AND pk", s("p1")),
            start(&[("pk", s("p2")), ("sk", n(-7))]),
            "The query can return at most one row and cannot be restarted",
        ),
        (
            Some("tied"),
            ("g", s("g")),
            start(&[
                ("g", s("other")),
                ("h", n(1)),
                ("pk", s("p1")),
                ("sk", n(1)),
            ]),
            "The provided starting key is outside query boundaries based on provided conditions",
        ),
    ];
    for (index, key, start, words) in cases {
        let zero = key.0.contains(":zero");
        let mut input = query(index, key, 5, true);
        if zero {
            let values = input.expression_attribute_values.as_mut().unwrap();
            values.value.insert(":zero".into(), n(0));
        }
        input.exclusive_start_key = Some(item(&start).into());
        let error = db.query(input).unwrap_err();
        assert!(error.message.starts_with(words), "{start:?}: {error}");
    }
}

#[test]
fn a_scan_words_a_start_key_of_another_shape_otherwise() {
    let db = db();
    for start in [map([("pk", s("p1"))]), map([("pk", n(1)), ("sk", n(1))])] {
        let error = db.scan(ScanInput {
            table_name: Some("table".into()),
            exclusive_start_key: Some(item(&start).into()),
            ..ScanInput::default()
        });
        assert_eq!(
            error.unwrap_err().message,
            "The provided starting key is invalid: The provided key element does not match the schema"
        );
    }
}

#[test]
fn a_key_condition_on_an_empty_value_is_refused() {
    let db = db();
    let mut input = query(None, ("pk", s("")), 5, true);
    let words = "One or more parameter values are not valid. The AttributeValue for a key attribute \
                 cannot contain an empty string value. Key: pk";
    assert_eq!(db.query(input.clone()).unwrap_err().message, words);
    input.index_name = Some("tied".into());
    input.key_condition_expression = Some("g = :k".into());
    assert!(db.query(input).unwrap_err().message.ends_with("Key: g"));
}

#[test]
fn a_start_key_need_not_be_a_row_any_more() {
    let db = db();
    let output = db.query(query(None, ("pk", s("p0")), 5, true)).unwrap();
    let last = output.last_evaluated_key.unwrap();
    db.delete_item(DeleteItemInput {
        table_name: Some("table".into()),
        key: Some(last.clone().into()),
        ..DeleteItemInput::default()
    })
    .unwrap();
    let mut input = query(None, ("pk", s("p0")), 100, true);
    input.exclusive_start_key = Some(last.into());
    assert_eq!(db.query(input).unwrap().items.unwrap().len(), 15);
}

/// Source: API Reference, Query: 1 MB before the filter. The row that crosses it is part of the page.
#[test]
fn a_page_ends_at_one_megabyte_before_the_filter() {
    let db = Db(engine());
    create(&db, "table", "pk:S sk:N", &[]);
    for i in 0..20 {
        let row = map([("pk", s("p")), ("sk", n(i)), ("x", s(&"x".repeat(100_000)))]);
        db.put("table", row);
    }
    let input = QueryInput {
        filter_expression: Some("sk2 = :k".into()),
        limit: None,
        ..query(None, ("pk", s("p")), 1, true)
    };
    let output = db.query(input.clone()).unwrap();
    assert_eq!((output.count, output.scanned_count), (Some(0), Some(11)));
    let last = output.last_evaluated_key.unwrap();
    let rest = QueryInput {
        exclusive_start_key: Some(last.into()),
        ..input
    };
    let output = db.query(rest).unwrap();
    assert_eq!(
        (output.scanned_count, output.last_evaluated_key),
        (Some(9), None)
    );
}

#[test]
fn segments_of_a_scan_part_the_table_and_keep_their_start_keys_to_themselves() {
    let db = db();
    let scan = |segment, start: Option<Attributes>| {
        db.scan(ScanInput {
            table_name: Some("table".into()),
            segment: Some(segment),
            total_segments: Some(4),
            exclusive_start_key: start.map(|start| item(&start).into()),
            ..ScanInput::default()
        })
    };
    let parts: Vec<Vec<Attributes>> = (0..4)
        .map(|segment| {
            scan(segment, None)
                .unwrap()
                .items
                .unwrap()
                .iter()
                .map(attributes)
                .collect()
        })
        .collect();
    assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), 60);
    let together = parts.concat();
    let whole = scanned(
        &db,
        &ScanInput {
            table_name: Some("table".into()),
            ..ScanInput::default()
        },
    );
    assert!(whole.len() == 60 && whole.iter().all(|row| together.contains(row)));
    let (home, part) = parts
        .iter()
        .enumerate()
        .find(|(_, part)| !part.is_empty())
        .unwrap();
    let foreign = map([("pk", part[0]["pk"].clone()), ("sk", part[0]["sk"].clone())]);
    let other = i32::try_from((home + 1) % 4).unwrap();
    let error = scan(other, Some(foreign)).unwrap_err();
    assert!(
        error
            .message
            .contains("Please use ExclusiveStartKey with correct Segment"),
        "{error}"
    );
}

/// Source: API Reference, BatchGetItem: 16 MB, the rest comes back as unprocessed keys.
#[test]
fn a_batch_returns_sixteen_megabytes_and_says_what_is_left() {
    let db = Db(engine());
    create(&db, "table", "pk:S", &[]);
    let key = |i: usize| map([("pk", s(&format!("k{i}")))]);
    for i in 0..50 {
        let mut row = key(i);
        row.insert("x".into(), s(&"x".repeat(400_000)));
        db.put("table", row);
    }
    let request = KeysAndAttributes {
        keys: Some((0..50).map(|i| item(&key(i)).into()).collect()),
        projection_expression: Some("pk".into()),
        ..KeysAndAttributes::default()
    };
    let mut requests = Some([("table".to_owned(), request)].into());
    let mut sizes = Vec::new();
    while let Some(request_items) = requests {
        let output = db
            .batch_get_item(BatchGetItemInput {
                request_items: Some(request_items),
                ..BatchGetItemInput::default()
            })
            .unwrap();
        sizes.push(output.responses.unwrap()["table"].len());
        let left = output.unprocessed_keys.unwrap();
        if let Some(rest) = left.get("table") {
            assert_eq!(rest.projection_expression.as_deref(), Some("pk"));
        }
        requests = Some(left).filter(|left| !left.is_empty());
    }
    assert_eq!(sizes, [41, 9]);
}
