//! Contributor Insights names the keys that are used most.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

mod common;

use bothways_protocol::types::*;
use bothways_protocol::{BusyKey, BusyKeys, Operator};
use bothways_store::{MemoryStore, Store};
use common::{Attributes, Db, Ix, attributes, clock, create, item, map, n, options, s};
use std::sync::Arc;

const BY_G: Ix = Ix {
    name: "byG",
    local: false,
    key: "g:S",
    projection: "KEYS_ONLY",
};

fn switch(db: &Db, index: Option<&str>, on: bool) {
    db.update_contributor_insights(UpdateContributorInsightsInput {
        table_name: Some("ttt".into()),
        index_name: index.map(str::to_owned),
        contributor_insights_action: Some(if on {
            ContributorInsightsAction::Enable
        } else {
            ContributorInsightsAction::Disable
        }),
        contributor_insights_mode: None,
    })
    .unwrap();
}

fn key(pk: &str, sk: i64) -> Attributes {
    map([("pk", s(pk)), ("sk", n(sk))])
}

fn put(db: &Db, pk: &str, sk: i64, g: &str) {
    let mut item = key(pk, sk);
    item.insert("g".into(), s(g));
    db.put("ttt", item);
}

fn shown(keys: &[BusyKey]) -> Vec<(Attributes, u64)> {
    assert!(keys.iter().all(|key| key.error == 0), "{keys:?}");
    keys.iter()
        .map(|key| (attributes(&key.key), key.uses))
        .collect()
}

#[test]
fn reads_and_writes_count_for_their_keys() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let clock = clock();
    let open = || Db(bothways_engine::Engine::open(Arc::clone(&store), options(&clock)).unwrap());
    let db = open();
    create(&db, "ttt", "pk:S sk:N", &[BY_G]);
    put(&db, "a", 1, "x");
    assert_eq!(db.0.busy_keys(), []);
    switch(&db, None, true);
    switch(&db, Some("byG"), true);

    put(&db, "a", 1, "x");
    put(&db, "a", 2, "y");
    db.get("ttt", key("a", 1));
    db.get("ttt", key("gone", 1));
    db.query(QueryInput {
        table_name: Some("ttt".into()),
        key_condition_expression: Some("pk = :p".into()),
        expression_attribute_values: Some(map([(":p", s("a"))]).into()),
        ..QueryInput::default()
    })
    .unwrap();
    db.all("ttt", Some("byG"));
    db.delete_item(DeleteItemInput {
        table_name: Some("ttt".into()),
        key: Some(item(&key("a", 2)).into()),
        ..DeleteItemInput::default()
    })
    .unwrap();

    let busy = db.0.busy_keys();
    let [table, index]: &[BusyKeys; 2] = busy[..].try_into().unwrap();
    assert_eq!(table.index, None);
    assert_eq!(table.uses, 7);
    let partition = |pk: &str| map([("pk", s(pk))]);
    assert_eq!(
        shown(&table.partitions),
        [(partition("a"), 6), (partition("gone"), 1)]
    );
    assert_eq!(
        shown(&table.items),
        [(key("a", 1), 3), (key("a", 2), 3), (key("gone", 1), 1)]
    );
    // Three writes of one unit, a strong read of something and one of nothing, and each item's share of the page.
    let [a, gone] = &table.partitions[..] else {
        panic!("two partitions");
    };
    assert_eq!((a.write_milli, gone.write_milli), (3000, 0));
    assert_eq!(gone.read_milli, 1000);
    assert!((1002..1020).contains(&a.read_milli), "{}", a.read_milli);
    assert_eq!(index.index.as_deref(), Some("byG"));
    let group = |g: &str| map([("g", s(g))]);
    assert_eq!(shown(&index.partitions), [(group("x"), 2), (group("y"), 2)]);
    assert_eq!(index.items, []);

    // Other settings change nothing about it; a new process begins anew, and what is off is not counted.
    switch(&db, None, true);
    assert_eq!(db.0.busy_keys(), busy);
    switch(&db, Some("byG"), false);
    assert_eq!(db.0.busy_keys(), busy[..1]);
    drop(db);
    let db = open();
    put(&db, "b", 1, "x");
    let busy = db.0.busy_keys();
    assert_eq!(busy.len(), 1);
    assert_eq!(shown(&busy[0].partitions), [(partition("b"), 1)]);
}
