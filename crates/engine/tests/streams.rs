//! Streams: what is in them, and how they are read.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

mod common;

use bothways_core::Value;
use bothways_engine::Engine;
use bothways_protocol::ErrorKind;
use bothways_protocol::types::*;
use bothways_store::MemoryStore;
use common::streams::{
    arn, create_streamed, describe, images, iterator, number, read, read_on, records, shards,
};
use common::{Attributes, Db, TestClock, clock, create, engine, item, map, n, options, s};
use std::sync::Arc;

const HOUR: u64 = 60 * 60 * 1_000;
const BOTH: StreamViewType = StreamViewType::NewAndOldImages;

fn timed() -> (Db, Arc<TestClock>) {
    let clock = clock();
    let engine = Engine::open(Arc::new(MemoryStore::new()), options(&clock)).unwrap();
    (Db(engine), clock)
}

fn sweep(db: &Db) {
    while db.0.sweep().unwrap() {}
}

fn pk(key: &str) -> Attributes {
    map([("pk", s(key))])
}

fn delete(db: &Db, table: &str, key: Attributes) {
    db.delete_item(DeleteItemInput {
        table_name: Some(table.into()),
        key: Some(item(&key).into()),
        ..DeleteItemInput::default()
    })
    .unwrap();
}

fn set(db: &Db, table: &str, key: &str, value: Value) {
    db.update_item(UpdateItemInput {
        table_name: Some(table.into()),
        key: Some(item(&pk(key)).into()),
        update_expression: Some("SET v = :v".into()),
        expression_attribute_values: Some(Values::from([(":v".to_owned(), value)]).into()),
        ..UpdateItemInput::default()
    })
    .unwrap();
}

fn events(records: &[Record]) -> Vec<OperationType> {
    records.iter().map(|r| r.event_name.unwrap()).collect()
}

#[test]
fn a_record_carries_what_its_view_type_says() {
    use OperationType::{Insert, Modify, Remove};
    for (view, old, new) in [
        (StreamViewType::KeysOnly, false, false),
        (StreamViewType::NewImage, false, true),
        (StreamViewType::OldImage, true, false),
        (BOTH, true, true),
    ] {
        let db = Db(engine());
        create_streamed(&db, "table", "pk:S", view);
        set(&db, "table", "a", n(1));
        db.put("table", map([("pk", s("a")), ("v", n(22))]));
        delete(&db, "table", pk("a"));
        let got = records(&db, &arn(&db, "table"));
        assert_eq!(events(&got), [Insert, Modify, Remove]);
        let states = [
            None,
            Some(map([("pk", s("a")), ("v", n(1))])),
            Some(map([("pk", s("a")), ("v", n(22))])),
            None,
        ];
        for (i, record) in got.iter().enumerate() {
            let want = (
                states[i].clone().filter(|_| old),
                states[i + 1].clone().filter(|_| new),
            );
            assert_eq!(images(record), want, "{view:?}");
            let body = record.dynamodb.as_ref().unwrap();
            assert_eq!(body.keys.as_ref().map(common::attributes), Some(pk("a")));
            assert_eq!(body.stream_view_type, Some(view));
            assert_eq!(body.approximate_creation_date_time, Some(1_700_000_000.0));
            let size = |image: &Option<Attributes>| image.as_ref().map_or(0, |i| item(i).size());
            let size = 3 + size(&want.0) + size(&want.1);
            assert_eq!(body.size_bytes, Some(i64::try_from(size).unwrap()));
            assert_eq!(record.event_source.as_deref(), Some("aws:dynamodb"));
            assert_eq!(record.event_version.as_deref(), Some("1.1"));
            assert_eq!(record.aws_region.as_deref(), Some("us-east-1"));
            assert_eq!(record.event_id.as_ref().unwrap().len(), 32);
            assert_eq!(record.user_identity, None);
        }
    }
}

#[test]
fn a_tables_stream_is_listed_and_described() {
    let db = Db(engine());
    create_streamed(&db, "other", "pk:S", StreamViewType::KeysOnly);
    create_streamed(&db, "table", "pk:S", BOTH);
    let table = db.describe("table");
    let specification = table.stream_specification.unwrap();
    assert_eq!(specification.stream_enabled, Some(true));
    assert_eq!(specification.stream_view_type, Some(BOTH));
    let own = table.latest_stream_arn.unwrap();
    let listed = |table: Option<&str>| -> Vec<(String, String)> {
        let input = ListStreamsInput {
            table_name: table.map(str::to_owned),
            ..ListStreamsInput::default()
        };
        let streams = db.list_streams(input).unwrap().streams.unwrap();
        let pair = |s: Stream| (s.table_name.unwrap(), s.stream_arn.unwrap());
        streams.into_iter().map(pair).collect()
    };
    let wanted = ("table".to_owned(), own.clone());
    assert!(listed(None).contains(&wanted));
    assert_eq!(listed(Some("table")), [wanted]);
    let stream = describe(&db, &own).unwrap();
    assert_eq!(stream.stream_status, Some(StreamStatus::Enabled));
    let shards = stream.shards.unwrap();
    assert!(!shards.is_empty());
    for shard in &shards {
        let id = shard.shard_id.as_deref().unwrap();
        assert!(!id.is_empty());
        for kind in [ShardIteratorType::TrimHorizon, ShardIteratorType::Latest] {
            assert!(!iterator(&db, &own, id, kind, None).unwrap().is_empty());
        }
    }
}

#[test]
fn what_changes_nothing_leaves_no_record() {
    let db = Db(engine());
    create_streamed(&db, "table", "pk:S", BOTH);
    db.put("table", map([("pk", s("a")), ("v", n(1))]));
    db.put("table", map([("pk", s("a")), ("v", n(1))]));
    set(&db, "table", "a", n(1));
    delete(&db, "table", pk("b"));
    let refused = db.put_item(PutItemInput {
        table_name: Some("table".into()),
        item: Some(item(&map([("pk", s("a")), ("v", n(2))])).into()),
        condition_expression: Some("attribute_not_exists(pk)".into()),
        ..PutItemInput::default()
    });
    refused.unwrap_err();
    let check = TransactWriteItem {
        condition_check: Some(ConditionCheck {
            table_name: Some("table".into()),
            key: Some(item(&pk("a")).into()),
            condition_expression: Some("attribute_exists(pk)".into()),
            ..ConditionCheck::default()
        }),
        ..TransactWriteItem::default()
    };
    db.transact_write_items(TransactWriteItemsInput {
        transact_items: Some(vec![check]),
        ..TransactWriteItemsInput::default()
    })
    .unwrap();
    assert_eq!(
        events(&records(&db, &arn(&db, "table"))),
        [OperationType::Insert]
    );
}

#[test]
fn sequence_numbers_rise_in_commit_order_and_within_a_transaction() {
    let db = Db(engine());
    create_streamed(&db, "table", "pk:S", StreamViewType::KeysOnly);
    create(&db, "other", "pk:S", &[]);
    let put = |table: &str, key: &str| TransactWriteItem {
        put: Some(Put {
            table_name: Some(table.into()),
            item: Some(item(&pk(key)).into()),
            ..Put::default()
        }),
        ..TransactWriteItem::default()
    };
    let mut want = Vec::new();
    for round in 0..20 {
        let keys: Vec<String> = (0..4)
            .map(|i| format!("{round}-{}", (i * 7 + round) % 4))
            .collect();
        let mut actions: Vec<_> = keys.iter().map(|key| put("table", key)).collect();
        actions.insert(2, put("other", &keys[0]));
        db.transact_write_items(TransactWriteItemsInput {
            transact_items: Some(actions),
            ..TransactWriteItemsInput::default()
        })
        .unwrap();
        want.extend(keys.iter().map(|key| pk(key)));
    }
    let got = records(&db, &arn(&db, "table"));
    let keys = got.iter().map(|record| {
        let body = record.dynamodb.as_ref().unwrap();
        common::attributes(body.keys.as_ref().unwrap())
    });
    assert_eq!(keys.collect::<Vec<_>>(), want);
    let numbers: Vec<&str> = got.iter().map(number).collect();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
    for number in numbers {
        assert!((21..=40).contains(&number.len()), "{number}");
        assert!(number.bytes().all(|b| b.is_ascii_digit()) && !number.starts_with('0'));
    }
}

#[test]
fn an_iterator_starts_where_its_type_says() {
    let db = Db(engine());
    create_streamed(&db, "table", "pk:S", BOTH);
    let arn = arn(&db, "table");
    let shard = shards(&db, &arn)[0].clone();
    let id = shard.shard_id.as_deref().unwrap();
    for i in 0..5 {
        db.put("table", map([("pk", s("a")), ("v", n(i))]));
    }
    let all = records(&db, &arn);
    let second = number(&all[1]);
    let first = shard.sequence_number_range.unwrap();
    let first = first.starting_sequence_number.unwrap();
    let latest = iterator(&db, &arn, id, ShardIteratorType::Latest, None).unwrap();
    for (kind, at, want) in [
        (ShardIteratorType::TrimHorizon, None, &all[..]),
        (ShardIteratorType::Latest, None, &[]),
        (ShardIteratorType::AtSequenceNumber, Some(second), &all[1..]),
        (
            ShardIteratorType::AfterSequenceNumber,
            Some(second),
            &all[2..],
        ),
        (
            ShardIteratorType::AtSequenceNumber,
            Some(&first[..]),
            &all[..],
        ),
    ] {
        let start = iterator(&db, &arn, id, kind, at).unwrap();
        assert_eq!(read_on(&db, &start).0, want, "{kind:?}");
        // Two at a time it is the same.
        let (mut pages, mut next) = (Vec::new(), start);
        loop {
            let (page, following) = read(&db, &next, Some(2)).unwrap();
            assert!(page.len() <= 2);
            if page.is_empty() {
                break;
            }
            pages.extend(page);
            next = following.unwrap();
        }
        assert_eq!(pages, want, "{kind:?} in pages");
    }
    db.put("table", map([("pk", s("b"))]));
    let (new, next) = read_on(&db, &latest);
    assert_eq!(events(&new), [OperationType::Insert]);
    // An open shard goes on.
    assert!(next.is_some());
}

#[test]
fn an_iterator_starts_at_a_time() {
    let (db, clock) = timed();
    create_streamed(&db, "table", "pk:S", BOTH);
    create(&db, "other", "pk:S", &[]);
    let arn = arn(&db, "table");
    let id = shards(&db, &arn)[0].shard_id.clone().unwrap();
    let at = |seconds: f64| {
        let input = GetShardIteratorInput {
            stream_arn: Some(arn.clone()),
            shard_id: Some(id.clone()),
            shard_iterator_type: Some(ShardIteratorType::AtTimestamp),
            timestamp: Some(seconds),
            ..GetShardIteratorInput::default()
        };
        let start = db
            .get_shard_iterator(input)
            .unwrap()
            .shard_iterator
            .unwrap();
        read_on(&db, &start).0.len()
    };
    assert_eq!(at(0.0), 0);
    for i in 0..9 {
        db.put("table", map([("pk", s("a")), ("v", n(i))]));
        for _ in 0..i {
            db.put("other", pk("a"));
        }
        clock.advance(10_000);
    }
    let start = 1_700_000_000.0;
    for (after, want) in [
        (-1.0, 9),
        (0.0, 9),
        (0.1, 8),
        (10.0, 8),
        (79.5, 1),
        (80.0, 1),
        (81.0, 0),
    ] {
        assert_eq!(at(start + after), want, "{after} s");
    }
    clock.advance(24 * HOUR - 45_000);
    sweep(&db);
    assert_eq!(at(start), 4);
}

#[test]
fn what_is_wrong_with_a_request_is_said() {
    use ShardIteratorType::{AfterSequenceNumber, AtSequenceNumber, Latest, TrimHorizon};
    let (db, clock) = timed();
    create_streamed(&db, "table", "pk:S", BOTH);
    let arn = arn(&db, "table");
    let id = shards(&db, &arn)[0].shard_id.clone().unwrap();
    let missing = arn.replace("2023", "2024");
    let nonsense = "sdfadfsdfnlfkajakfgjalksfgklasjklasdjfklasdfasdfgasf";
    let one = "1000000000000000000000000000001";
    for (error, kind, words) in [
        (
            describe(&db, nonsense).map(drop),
            ErrorKind::Validation,
            "Invalid StreamArn".to_owned(),
        ),
        (
            describe(&db, &missing).map(drop),
            ErrorKind::ResourceNotFound,
            format!("Requested resource not found: Stream: {missing} not found"),
        ),
        (
            iterator(&db, &arn, nonsense, Latest, None).map(drop),
            ErrorKind::ResourceNotFound,
            "Requested resource not found: Shard does not exist".into(),
        ),
        (
            iterator(&db, &arn, &id, AtSequenceNumber, None).map(drop),
            ErrorKind::Validation,
            "SequenceNumber must be specified when ShardIteratorType is AT_SEQUENCE_NUMBER".into(),
        ),
        (
            iterator(&db, &arn, &id, TrimHorizon, Some(one)).map(drop),
            ErrorKind::Validation,
            "SequenceNumber must not be specified when ShardIteratorType is TRIM_HORIZON".into(),
        ),
        (
            iterator(&db, &arn, &id, AfterSequenceNumber, Some(nonsense)).map(drop),
            ErrorKind::Validation,
            format!(
                "1 validation error detected: Value '{nonsense}' at 'sequenceNumber' failed to satisfy \
                 constraint: Member must have length less than or equal to 40"
            ),
        ),
        (
            iterator(&db, &arn, &id, AfterSequenceNumber, Some(one)).map(drop),
            ErrorKind::Validation,
            format!("Invalid SequenceNumber: {one}"),
        ),
        (
            read(&db, nonsense, None).map(drop),
            ErrorKind::Validation,
            "Invalid ShardIterator".into(),
        ),
        (
            read(&db, nonsense, Some(1001)).map(drop),
            ErrorKind::Validation,
            "1 validation error detected: Value '1001' at 'limit' failed to satisfy constraint: Member must \
             have value less than or equal to 1000"
                .into(),
        ),
    ] {
        let error = error.unwrap_err();
        assert_eq!((error.kind, &*error.message), (kind, &*words));
    }
    let old = iterator(&db, &arn, &id, Latest, None).unwrap();
    clock.advance(15 * 60 * 1_000);
    let (_, next) = read(&db, &old, None).unwrap();
    clock.advance(1);
    let error = read(&db, &old, None).unwrap_err();
    assert_eq!(error.kind, ErrorKind::ExpiredIterator);
    read(&db, &next.unwrap(), None).unwrap();
}

#[test]
fn an_answer_has_a_megabyte_at_most_or_one_record() {
    let db = Db(engine());
    create_streamed(&db, "table", "pk:S", StreamViewType::NewImage);
    let arn = arn(&db, "table");
    for i in 0..7 {
        db.put(
            "table",
            map([("pk", s("a")), ("v", s(&i.to_string().repeat(300_000)))]),
        );
    }
    let id = shards(&db, &arn)[0].shard_id.clone().unwrap();
    let mut next = iterator(&db, &arn, &id, ShardIteratorType::TrimHorizon, None).unwrap();
    for want in [3, 3, 1, 0] {
        let (page, following) = read(&db, &next, None).unwrap();
        assert_eq!(page.len(), want);
        next = following.unwrap();
    }
}

#[test]
fn streams_are_listed_page_by_page() {
    let db = Db(engine());
    for i in 0..7 {
        create_streamed(&db, &format!("table-{i}"), "pk:S", BOTH);
    }
    let mut found = Vec::new();
    let mut start = None;
    loop {
        let page = db.list_streams(ListStreamsInput {
            limit: Some(3),
            exclusive_start_stream_arn: start,
            ..ListStreamsInput::default()
        });
        let page = page.unwrap();
        found.extend(
            page.streams
                .unwrap()
                .into_iter()
                .map(|s| s.table_name.unwrap()),
        );
        start = page.last_evaluated_stream_arn;
        if start.is_none() {
            break;
        }
    }
    assert_eq!(
        found,
        (0..7).map(|i| format!("table-{i}")).collect::<Vec<_>>()
    );
}
