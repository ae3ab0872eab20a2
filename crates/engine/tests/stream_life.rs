//! Streams over time: shards end and split, records are trimmed, streams end, processes die.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

mod common;

use bothways_engine::Engine;
use bothways_protocol::ErrorKind;
use bothways_protocol::types::*;
use bothways_store::{FaultyStore, MemoryStore, Plan, Store};
use common::meddled::Meddled;
use common::streams::{
    arn, create_streamed, describe, images, iterator, number, read, read_on, records, records_of,
    replay, scan, shards, switch_off, switch_on,
};
use common::{Attributes, Db, Rng, TestClock, clock, create, item, map, n, options, s};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

fn events(records: &[Record]) -> Vec<OperationType> {
    records.iter().map(|r| r.event_name.unwrap()).collect()
}

#[test]
fn shards_end_after_four_hours_and_continue_in_their_children() {
    let (db, clock) = timed();
    create_streamed(&db, "table", "pk:S", BOTH);
    let arn = arn(&db, "table");
    db.put("table", map([("pk", s("a")), ("v", n(0))]));
    sweep(&db);
    let first = shards(&db, &arn);
    assert_eq!(first.len(), 1);
    let parent = first[0].shard_id.clone().unwrap();
    let open = iterator(&db, &arn, &parent, ShardIteratorType::TrimHorizon, None).unwrap();
    let (_, waiting) = read(&db, &open, None).unwrap();
    clock.advance(4 * HOUR);
    sweep(&db);
    db.put("table", map([("pk", s("a")), ("v", n(1))]));
    let both = shards(&db, &arn);
    assert_eq!(both.len(), 2);
    let [old, new] = [0, 1].map(|i| both[i].sequence_number_range.clone().unwrap());
    assert!(old.ending_sequence_number.unwrap() < new.starting_sequence_number.unwrap());
    assert_eq!(new.ending_sequence_number, None);
    assert_eq!(both[1].parent_shard_id.as_ref(), Some(&parent));
    assert!(both[0].shard_id < both[1].shard_id);
    let children = db.describe_stream(DescribeStreamInput {
        stream_arn: Some(arn.clone()),
        shard_filter: Some(ShardFilter {
            filter_type: Some(ShardFilterType::ChildShards),
            shard_id: Some(parent.clone()),
        }),
        ..DescribeStreamInput::default()
    });
    let children = children.unwrap().stream_description.unwrap();
    assert_eq!(children.shards.unwrap(), both[1..]);
    // A closed shard ends: no further iterator, once it is read.
    clock.advance(1);
    let fresh = iterator(&db, &arn, &parent, ShardIteratorType::TrimHorizon, None).unwrap();
    let (records, next) = read(&db, &fresh, None).unwrap();
    assert_eq!((records.len(), next), (1, None));
    assert_eq!(
        read(&db, &waiting.unwrap(), None).unwrap_err().kind,
        ErrorKind::ExpiredIterator
    );
    let child = both[1].shard_id.as_deref().unwrap();
    assert_eq!(
        events(&records_of(&db, &arn, child)),
        [OperationType::Modify]
    );
}

#[test]
fn a_busy_shard_is_split_and_every_item_stays_in_one_line_of_shards() {
    let (db, clock) = timed();
    create_streamed(&db, "table", "pk:S", BOTH);
    let arn = arn(&db, "table");
    let mut rng = Rng(1);
    for round in 0..3 {
        for i in 0..1_100_u32 << round {
            let key = format!("k{}", rng.below(40));
            db.put(
                "table",
                map([("pk", s(&key)), ("v", n(i64::from(i) * 8 + round))]),
            );
        }
        clock.advance(1_000);
        sweep(&db);
    }
    let all = shards(&db, &arn);
    assert_eq!(all.len(), 1 + 2 + 4 + 8);
    for shard in &all[1..] {
        let parent = shard.parent_shard_id.as_ref().unwrap();
        let children = all
            .iter()
            .filter(|s| s.parent_shard_id.as_ref() == Some(parent));
        assert_eq!(children.count(), 2);
    }
    // A reader that takes parents before children sees each item's changes in order.
    let mut read = Vec::new();
    for shard in &all {
        read.extend(records_of(&db, &arn, shard.shard_id.as_deref().unwrap()));
    }
    assert_eq!(replay(&read), scan(&db, "table"));
    let used = all[1..7]
        .iter()
        .filter(|shard| !records_of(&db, &arn, shard.shard_id.as_deref().unwrap()).is_empty());
    assert_eq!(used.count(), 6, "records are spread over the shards");
}

#[test]
fn records_are_kept_for_a_day() {
    let (db, clock) = timed();
    create_streamed(&db, "table", "pk:S", BOTH);
    let arn = arn(&db, "table");
    let id = shards(&db, &arn)[0].shard_id.clone().unwrap();
    for hour in 0..4 {
        db.put("table", map([("pk", s("a")), ("v", n(hour))]));
        clock.advance(HOUR);
    }
    let all = records(&db, &arn);
    let second = number(&all[1]);
    clock.advance(20 * HOUR - 1);
    sweep(&db);
    assert_eq!(records_of(&db, &arn, &id), all, "a moment too young");
    clock.advance(1);
    let at_second = iterator(
        &db,
        &arn,
        &id,
        ShardIteratorType::AtSequenceNumber,
        Some(second),
    );
    let at_second = at_second.unwrap();
    sweep(&db);
    assert_eq!(records_of(&db, &arn, &id), all[1..]);
    clock.advance(HOUR);
    sweep(&db);
    assert_eq!(records_of(&db, &arn, &id), all[2..]);
    let at = iterator(
        &db,
        &arn,
        &id,
        ShardIteratorType::AtSequenceNumber,
        Some(second),
    );
    assert_eq!(at.unwrap_err().kind, ErrorKind::TrimmedDataAccess);
    assert_eq!(
        read(&db, &at_second, None).unwrap_err().kind,
        ErrorKind::ExpiredIterator
    );
    let third = number(&all[2]);
    let at = iterator(
        &db,
        &arn,
        &id,
        ShardIteratorType::AtSequenceNumber,
        Some(third),
    );
    assert_eq!(read_on(&db, &at.unwrap()).0, all[2..]);
    let after = iterator(
        &db,
        &arn,
        &id,
        ShardIteratorType::AfterSequenceNumber,
        Some(third),
    );
    let after = after.unwrap();
    clock.advance(14 * 60 * 1_000);
    assert_eq!(read_on(&db, &after).0, all[3..]);
    // Days later nothing is left of the first shard.
    clock.advance(30 * HOUR);
    sweep(&db);
    assert!(
        shards(&db, &arn)
            .iter()
            .all(|shard| shard.shard_id.as_ref() != Some(&id))
    );
    assert!(records(&db, &arn).is_empty());
    let gone = iterator(&db, &arn, &id, ShardIteratorType::TrimHorizon, None).unwrap_err();
    assert_eq!(gone.kind, ErrorKind::ResourceNotFound);
}

#[test]
fn an_iterator_into_what_was_trimmed_says_so() {
    let (db, clock) = timed();
    create_streamed(&db, "table", "pk:S", BOTH);
    let arn = arn(&db, "table");
    let id = shards(&db, &arn)[0].shard_id.clone().unwrap();
    db.put("table", map([("pk", s("a")), ("v", n(1))]));
    db.put("table", map([("pk", s("a")), ("v", n(2))]));
    let all = records(&db, &arn);
    clock.advance(24 * HOUR - 1);
    let second = number(&all[1]);
    let it = iterator(
        &db,
        &arn,
        &id,
        ShardIteratorType::AtSequenceNumber,
        Some(second),
    )
    .unwrap();
    clock.advance(1);
    sweep(&db);
    let error = read(&db, &it, None).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TrimmedDataAccess);
    assert_eq!(
        error.message,
        "The data you are trying to access has been trimmed"
    );
}

#[test]
fn a_stream_that_ended_is_readable_for_a_day_and_then_gone() {
    for dropped in [false, true] {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let clock = clock();
        let db = Db(Engine::open(store.clone(), options(&clock)).unwrap());
        create_streamed(&db, "table", "pk:S", BOTH);
        let old = arn(&db, "table");
        db.put("table", pk("a"));
        let id = shards(&db, &old)[0].shard_id.clone().unwrap();
        let open = iterator(&db, &old, &id, ShardIteratorType::TrimHorizon, None).unwrap();
        if dropped {
            db.delete_table(DeleteTableInput {
                table_name: Some("table".into()),
            })
            .unwrap();
            create_streamed(&db, "table", "pk:S", StreamViewType::KeysOnly);
        } else {
            switch_off(&db, "table");
            db.put("table", pk("b"));
            switch_on(&db, "table", StreamViewType::KeysOnly);
        }
        db.put("table", pk("c"));
        let new = arn(&db, "table");
        assert_ne!(old, new);
        let description = describe(&db, &old).unwrap();
        assert_eq!(description.stream_status, Some(StreamStatus::Disabled));
        assert_eq!(description.stream_view_type, Some(BOTH));
        assert_eq!(read(&db, &open, None).unwrap().1, None, "it ends");
        assert_eq!(records(&db, &old).len(), 1);
        assert_eq!(records(&db, &new).len(), 1);
        let listed = |db: &Db| {
            let input = ListStreamsInput {
                table_name: Some("table".into()),
                ..ListStreamsInput::default()
            };
            let streams = db.list_streams(input).unwrap().streams.unwrap();
            let arns = streams.into_iter().map(|stream| stream.stream_arn.unwrap());
            arns.collect::<Vec<_>>()
        };
        assert_eq!(listed(&db), [old.clone(), new.clone()]);
        drop(db);
        let db = Db(Engine::open(store.clone(), options(&clock)).unwrap());
        assert_eq!(listed(&db), [old.clone(), new.clone()], "opened anew");
        assert_eq!(records(&db, &old).len(), 1);
        clock.advance(24 * HOUR);
        sweep(&db);
        assert_eq!(listed(&db), std::slice::from_ref(&new));
        assert!(describe(&db, &old).is_err());
    }
}

/// Random writes on a streamed table until something fails.
fn write_until_failure(store: &Arc<FaultyStore>, acknowledged: &mut usize) {
    let clock = clock();
    let Ok(engine) = Engine::open(store.clone(), options(&clock)) else {
        return;
    };
    let db = Db(engine);
    let mut input = common::create_input("table", "pk:S", &[]);
    input.stream_specification = Some(StreamSpecification {
        stream_enabled: Some(true),
        stream_view_type: Some(BOTH),
    });
    if db.create_table(input).is_err() {
        return;
    }
    for i in 0..8_i64 {
        let key = format!("k{}", i % 3);
        let input = PutItemInput {
            table_name: Some("table".into()),
            item: Some(item(&map([("pk", s(&key)), ("v", n(i))])).into()),
            ..PutItemInput::default()
        };
        if db.put_item(input).is_err() {
            return;
        }
        *acknowledged += 1;
        if i == 4 {
            clock.advance(5 * HOUR);
            while db.0.sweep().unwrap_or(false) {}
        }
    }
}

#[test]
fn at_whatever_step_the_process_dies_items_and_records_agree() {
    let plan = Plan {
        seed: 5,
        most_delay: 2,
        ..Plan::default()
    };
    let new = |plan| Arc::new(FaultyStore::new(Arc::new(MemoryStore::new()), plan).unwrap());
    let whole = new(plan);
    let mut acknowledged = 0;
    write_until_failure(&whole, &mut acknowledged);
    assert_eq!(acknowledged, 8);
    for dies_at in 1..=whole.steps() {
        let store = new(Plan {
            dies_at: Some(dies_at),
            ..plan
        });
        let mut acknowledged = 0;
        write_until_failure(&store, &mut acknowledged);
        let store = store.reopen(Plan::default()).unwrap();
        let db = Db(Engine::open(Arc::new(store), options(&clock())).unwrap());
        let table = db.describe_table(DescribeTableInput {
            table_name: Some("table".into()),
        });
        if table.is_err() {
            assert_eq!(acknowledged, 0, "step {dies_at}");
            continue;
        }
        let records = records(&db, &arn(&db, "table"));
        assert!(
            records.len() >= acknowledged,
            "step {dies_at}: a record is lost"
        );
        assert_eq!(replay(&records), scan(&db, "table"), "step {dies_at}");
        // And it goes on.
        db.put("table", map([("pk", s("z")), ("v", n(99))]));
        assert_eq!(
            common::streams::records(&db, &arn(&db, "table")).len(),
            records.len() + 1
        );
    }
}

#[test]
fn a_write_follows_the_stream_as_it_is_when_it_commits() {
    type Meddling = fn(&Db, &TestClock);
    let on: Meddling = |db, _| switch_on(db, "table", BOTH);
    let off: Meddling = |db, _| switch_off(db, "table");
    let roll: Meddling = |db, clock| {
        clock.advance(4 * HOUR);
        sweep(db);
    };
    // Whether there is a stream before, what happens meanwhile, and the records of each shard after.
    for (streamed, meddling, want) in [
        (true, off, &[0][..]),
        (false, on, &[1]),
        (true, roll, &[0, 1]),
    ] {
        let (store, clock) = (Arc::new(Meddled::default()), clock());
        let engine = Engine::open(store.clone(), options(&clock)).unwrap();
        let db = Arc::new(Db(engine));
        create(&db, "table", "pk:S", &[]);
        if streamed {
            switch_on(&db, "table", BOTH);
        }
        let own = Arc::clone(&db);
        store.meddle(0, move || meddling(&own, &clock));
        db.put("table", map([("pk", s("a")), ("v", n(1))]));
        assert!(store.settle());
        let arn = arn(&db, "table");
        let shards = shards(&db, &arn);
        let counts = shards.iter().map(|shard| {
            let id = shard.shard_id.as_deref().unwrap();
            records_of(&db, &arn, id).len()
        });
        assert_eq!(counts.collect::<Vec<_>>(), want);
    }
}

#[test]
fn writers_lose_no_record_while_shards_roll_and_the_stream_is_switched() {
    let (db, clock) = timed();
    create_streamed(&db, "table", "pk:S", BOTH);
    let first = arn(&db, "table");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (db, stop) = (&db, &stop);
            scope.spawn(move || {
                let mut rng = Rng(thread);
                while !stop.load(Ordering::Relaxed) {
                    let key = format!("k{}", rng.below(6));
                    if rng.chance(4) {
                        delete(db, "table", pk(&key));
                    } else {
                        let value = i64::try_from(rng.next() >> 8).unwrap();
                        db.put("table", map([("pk", s(&key)), ("v", n(value))]));
                    }
                }
            });
        }
        for _ in 0..5 {
            std::thread::sleep(std::time::Duration::from_millis(20));
            clock.advance(4 * HOUR);
            sweep(&db);
        }
        stop.store(true, Ordering::Relaxed);
    });
    let all = shards(&db, &first);
    assert_eq!(all.len(), 6);
    let mut read = Vec::new();
    for shard in &all {
        read.extend(records_of(&db, &first, shard.shard_id.as_deref().unwrap()));
    }
    assert_eq!(replay(&read), scan(&db, "table"));
    // Switched off and on under writers: each stream is a gapless part of each item's story.
    let stop = AtomicBool::new(false);
    let mut arns = Vec::new();
    std::thread::scope(|scope| {
        for thread in 0..3_u64 {
            let (db, stop) = (&db, &stop);
            scope.spawn(move || {
                let mut rng = Rng(thread + 100);
                while !stop.load(Ordering::Relaxed) {
                    let value = i64::try_from(rng.next() >> 8).unwrap();
                    db.put(
                        "table",
                        map([("pk", s(&format!("k{}", rng.below(4)))), ("v", n(value))]),
                    );
                }
            });
        }
        for _ in 0..10 {
            std::thread::sleep(std::time::Duration::from_millis(5));
            switch_off(&db, "table");
            switch_on(&db, "table", BOTH);
            arns.push(arn(&db, "table"));
        }
        stop.store(true, Ordering::Relaxed);
    });
    for arn in arns {
        let mut last: BTreeMap<String, Attributes> = BTreeMap::new();
        for record in records(&db, &arn) {
            let (old, new) = images(&record);
            let new = new.unwrap();
            let key = format!("{:?}", new["pk"]);
            if let Some(before) = last.insert(key, new) {
                assert_eq!(old, Some(before));
            }
        }
    }
}
