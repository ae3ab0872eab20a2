//! Time to live: what expires, when, and what it leaves.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

mod common;

use bothways_core::{Number, Value};
use bothways_engine::Engine;
use bothways_protocol::types::*;
use bothways_store::{MemoryStore, Store};
use common::meddled::Meddled;
use common::streams::{arn, create_streamed, images, records, scan};
use common::{Attributes, Db, Rng, TestClock, campaign, clock, create, item, map, n, options, s};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

/// The tests' clock begins here, in seconds.
const NOW: i64 = 1_700_000_000;
const MINUTE: u64 = 60_000;
const YEAR: i64 = 365 * 24 * 60 * 60;

struct Bench {
    db: Db,
    clock: Arc<TestClock>,
    store: Arc<dyn Store>,
}

fn bench() -> Bench {
    let clock = clock();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let db = Db(Engine::open(store.clone(), options(&clock)).unwrap());
    Bench { db, clock, store }
}

impl Bench {
    fn reopen(&mut self) {
        self.db = Db(common::engine());
        self.db = Db(Engine::open(self.store.clone(), options(&self.clock)).unwrap());
    }
    fn sweep(&self) {
        while self.db.0.sweep().unwrap() {}
    }
    fn switch(&self, on: bool, attribute: &str) -> Result<(), String> {
        let input = UpdateTimeToLiveInput {
            table_name: Some("table".into()),
            time_to_live_specification: Some(TimeToLiveSpecification {
                enabled: Some(on),
                attribute_name: Some(attribute.into()),
            }),
        };
        let done = self.db.update_time_to_live(input);
        done.map(drop).map_err(|error| error.message.into_owned())
    }
    fn status(&self) -> (TimeToLiveStatus, Option<String>) {
        let input = DescribeTimeToLiveInput {
            table_name: Some("table".into()),
        };
        let output = self.db.describe_time_to_live(input).unwrap();
        let it = output.time_to_live_description.unwrap();
        (it.time_to_live_status.unwrap(), it.attribute_name)
    }
    /// Keys of the items there are.
    fn keys(&self) -> Vec<String> {
        let items = scan(&self.db, "table");
        let key = |item: &Attributes| match &item["pk"] {
            Value::S(key) => key.clone(),
            other => panic!("{other:?}"),
        };
        let mut keys: Vec<String> = items.iter().map(key).collect();
        keys.sort();
        keys
    }
    /// Rows besides the catalogue's, and those that name expiry among its own.
    fn rows(&self) -> usize {
        let snapshot = self.store.snapshot().unwrap();
        let from = Bound::Included(&[0, 0, 0, 1][..]);
        snapshot.range(from, Bound::Unbounded, false).count()
    }
}

fn expiring(key: &str, time: Value) -> Attributes {
    map([("pk", s(key)), ("ttl", time)])
}

fn number(text: &str) -> Value {
    Value::N(Number::parse(text).unwrap())
}

#[test]
fn an_item_expires_when_its_number_is_a_time_gone_by_within_five_years() {
    for (value, expires) in [
        (n(NOW - 1), true),
        (n(NOW), false),
        (n(NOW + 1), false),
        (number("1699999999.99"), true),
        (n(NOW - 5 * YEAR), true),
        (n(NOW - 5 * YEAR - 1), false),
        (n(0), false),
        (n(-NOW), false),
        (number("1e20"), false),
        (number("0.5"), false),
        (s("1699999999"), false),
        (Value::Null, false),
        (n((NOW - 10) * 1_000), false),
    ] {
        let bench = bench();
        create(&bench.db, "table", "pk:S", &[]);
        bench.switch(true, "ttl").unwrap();
        bench.db.put("table", expiring("a", value.clone()));
        bench.sweep();
        assert_eq!(bench.keys().is_empty(), expires, "{value:?}");
    }
}

#[test]
fn what_expired_leaves_a_record_with_the_services_identity() {
    let bench = bench();
    create_streamed(&bench.db, "table", "pk:S", StreamViewType::NewAndOldImages);
    bench.switch(true, "ttl").unwrap();
    let soon = expiring("a", n(NOW + 60));
    bench.db.put("table", soon.clone());
    bench.db.put("table", expiring("b", n(NOW + 600)));
    bench.sweep();
    assert_eq!(bench.keys(), ["a", "b"]);
    bench.clock.advance(MINUTE + 1_000);
    bench.sweep();
    assert_eq!(bench.keys(), ["b"]);
    let key = map([("pk", s("b"))]);
    bench
        .db
        .delete_item(DeleteItemInput {
            table_name: Some("table".into()),
            key: Some(item(&key).into()),
            ..DeleteItemInput::default()
        })
        .unwrap();
    let got = records(&bench.db, &arn(&bench.db, "table"));
    let removed: Vec<_> = got
        .iter()
        .filter(|record| record.event_name == Some(OperationType::Remove))
        .collect();
    assert_eq!(removed.len(), 2);
    assert_eq!(images(removed[0]), (Some(soon), None));
    let identity = removed[0].user_identity.clone().unwrap();
    assert_eq!(
        (
            identity.principal_id.as_deref(),
            identity.identity_type.as_deref()
        ),
        (Some("dynamodb.amazonaws.com"), Some("Service"))
    );
    assert_eq!(removed[1].user_identity, None, "a caller's own");
}

#[test]
fn an_item_given_more_time_or_none_stays() {
    let bench = bench();
    create(&bench.db, "table", "pk:S", &[]);
    bench.switch(true, "ttl").unwrap();
    for key in ["a", "b", "c"] {
        bench.db.put("table", expiring(key, n(NOW + 10)));
    }
    bench.db.put("table", expiring("a", n(NOW + 10_000)));
    bench.db.put("table", map([("pk", s("b"))]));
    bench.clock.advance(MINUTE);
    bench.sweep();
    assert_eq!(bench.keys(), ["a", "b"]);
}

#[test]
fn ttl_on_an_older_table_reaches_every_item() {
    let mut bench = bench();
    create(&bench.db, "table", "pk:S", &[]);
    for i in 0..350 {
        let time = if i % 7 == 0 { NOW + 500 } else { NOW - 5 };
        bench.db.put("table", expiring(&format!("{i:03}"), n(time)));
    }
    bench.switch(true, "ttl").unwrap();
    assert_eq!(
        bench.status(),
        (TimeToLiveStatus::Enabling, Some("ttl".into()))
    );
    // Some of it, then the rest by an engine opened anew, with writes between.
    assert!(bench.db.0.sweep().unwrap());
    bench.reopen();
    assert_eq!(bench.status().0, TimeToLiveStatus::Enabling);
    bench.db.put("table", expiring("000", n(NOW - 5)));
    bench.db.put("table", expiring("001", n(NOW + 500)));
    bench.db.put("table", expiring("349", n(NOW + 500)));
    bench.sweep();
    assert_eq!(
        bench.status(),
        (TimeToLiveStatus::Enabled, Some("ttl".into()))
    );
    let mut want: Vec<String> = (0..350).step_by(7).map(|i| format!("{i:03}")).collect();
    want[0] = "001".into();
    want.push("349".into());
    assert_eq!(bench.keys(), want);
    assert_eq!(bench.rows(), 2 * want.len(), "an item and its expiry each");
    bench.clock.advance(600_000);
    bench.sweep();
    assert!(bench.keys().is_empty());
    assert_eq!(bench.rows(), 0);
}

#[test]
fn ttl_switched_off_deletes_nothing_and_keeps_no_rows() {
    let mut bench = bench();
    create(&bench.db, "table", "pk:S", &[]);
    bench.switch(true, "ttl").unwrap();
    for i in 0..150 {
        bench
            .db
            .put("table", expiring(&format!("{i:03}"), n(NOW + 10_000)));
    }
    bench.sweep();
    assert_eq!(bench.rows(), 300);
    bench.clock.advance(31 * MINUTE);
    bench.switch(false, "ttl").unwrap();
    assert_eq!(bench.status(), (TimeToLiveStatus::Disabled, None));
    bench.clock.advance(24 * 60 * MINUTE);
    bench.sweep();
    assert_eq!((bench.keys().len(), bench.rows()), (150, 150));
    bench
        .db
        .put("table", map([("pk", s("x")), ("other", n(NOW))]));
    bench.switch(true, "other").unwrap();
    bench.reopen();
    bench.sweep();
    assert_eq!(bench.keys().len(), 150, "only the other attribute counts");
    bench
        .db
        .delete_table(DeleteTableInput {
            table_name: Some("table".into()),
        })
        .unwrap();
    bench.sweep();
    assert_eq!(bench.rows(), 0);
}

#[test]
fn ttl_is_switched_by_awss_rules() {
    let bench = bench();
    create(&bench.db, "table", "pk:S", &[]);
    let soon = "Time to live has been modified multiple times within a fixed interval";
    let other = "TimeToLive is active on a different AttributeName: current AttributeName is ttl";
    for (wait, on, attribute, want) in [
        (0, false, "ttl", Err("TimeToLive is already disabled")),
        (0, true, "ttl", Ok(())),
        (0, true, "ttl", Err("TimeToLive is already enabled")),
        (0, true, "x", Err(other)),
        (0, false, "x", Err(other)),
        (30, false, "ttl", Err(soon)),
        (1, false, "ttl", Ok(())),
        (30, true, "x", Err(soon)),
        (0, false, "x", Err("TimeToLive is already disabled")),
        (1, true, "x", Ok(())),
    ] {
        bench.clock.advance(wait * MINUTE);
        let got = bench.switch(on, attribute);
        assert_eq!(got, want.map_err(str::to_owned), "{on} {attribute}");
    }
}

#[test]
fn a_table_whose_setting_an_older_version_kept_expires_too() {
    let mut bench = bench();
    create(&bench.db, "table", "pk:S", &[]);
    bench.db.put("table", expiring("a", n(NOW - 5)));
    // Its catalogue row as that version wrote it.
    let snapshot = bench.store.snapshot().unwrap();
    let prefix = [0, 0, 0, 0, b't'];
    let from = Bound::Included(&prefix[..]);
    let (key, value) = snapshot
        .range(from, Bound::Unbounded, false)
        .next()
        .unwrap()
        .unwrap();
    let text = String::from_utf8(value.to_vec()).unwrap();
    let text = text.replace(
        "\"deletion_protection\"",
        "\"ttl\":\"ttl\",\"deletion_protection\"",
    );
    let ticket = bench.store.submit(&mut |_, batch| {
        batch.put(key.clone(), text.clone());
    });
    ticket.unwrap().wait().unwrap();
    bench.reopen();
    assert_eq!(
        bench.status(),
        (TimeToLiveStatus::Enabling, Some("ttl".into()))
    );
    bench.sweep();
    assert_eq!(bench.status().0, TimeToLiveStatus::Enabled);
    assert!(bench.keys().is_empty());
}

#[test]
fn at_any_time_exactly_what_has_expired_is_gone() {
    for seed in 0..6 * campaign() as u64 {
        let mut bench = bench();
        let mut rng = Rng(seed);
        create(&bench.db, "table", "pk:S", &[]);
        let mut model: BTreeMap<String, Option<i64>> = BTreeMap::new();
        let mut now = NOW;
        let on_at = rng.below(60);
        for step in 0..400 {
            if step == on_at {
                bench.switch(true, "ttl").unwrap();
            }
            let key = format!("k{}", rng.below(25));
            match rng.below(12) {
                0..=6 => {
                    // Times before and after now, so that rows come in below what was swept already.
                    let time = now + i64::try_from(rng.below(400)).unwrap() - 200;
                    bench.db.put("table", expiring(&key, n(time)));
                    model.insert(key, Some(time));
                }
                7 => {
                    bench.db.put("table", map([("pk", s(&key))]));
                    model.insert(key, None);
                }
                8 | 9 => {
                    bench.clock.advance(20_000);
                    now += 20;
                }
                10 if rng.chance(6) => bench.reopen(),
                _ => {
                    bench.sweep();
                    if step >= on_at {
                        model.retain(|_, time| time.is_none_or(|time| time >= now));
                    }
                    let want: Vec<String> = model.keys().cloned().collect();
                    assert_eq!(bench.keys(), want, "seed {seed}, step {step}");
                }
            }
        }
    }
}

#[test]
fn what_is_written_below_the_mark_while_it_is_raised_goes_too() {
    let mut meddled = 0;
    for passing in 0..6 {
        let store = Arc::new(Meddled::default());
        let db = Db(Engine::open(store.clone(), options(&clock())).unwrap());
        let db = Arc::new(db);
        create(&db, "table", "pk:S", &[]);
        let input = UpdateTimeToLiveInput {
            table_name: Some("table".into()),
            time_to_live_specification: Some(TimeToLiveSpecification {
                enabled: Some(true),
                attribute_name: Some("ttl".into()),
            }),
        };
        db.update_time_to_live(input).unwrap();
        db.put("table", expiring("a", n(NOW - 10)));
        let own = Arc::clone(&db);
        let late = move || own.put("table", expiring("late", n(NOW - 100)));
        store.meddle(passing, late);
        while db.0.sweep().unwrap() {}
        meddled += usize::from(store.settle());
        while db.0.sweep().unwrap() {}
        assert!(scan(&db, "table").is_empty(), "before commit {passing}");
    }
    assert!(
        meddled > 4,
        "the sweep has a commit to delete and two to raise the mark, beside the walk's"
    );
}

#[test]
fn the_background_deletes_by_itself() {
    let clock = clock();
    let options = bothways_engine::Options {
        background: true,
        ..options(&clock)
    };
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let db = Db(Engine::open(store.clone(), options).unwrap());
    let bench = Bench { db, clock, store };
    create(&bench.db, "table", "pk:S", &[]);
    for key in ["a", "b", "c"] {
        bench.db.put("table", expiring(key, n(NOW - 5)));
    }
    bench.switch(true, "ttl").unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while !bench.keys().is_empty() {
        assert!(std::time::Instant::now() < deadline, "the items stay");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(bench.status().0, TimeToLiveStatus::Enabled);
}
