//! Each fault can be shown to fire, and what it leaves behind is what the database holds.

use bothways_core::{Item, Value, ValueRef};
use bothways_engine::{Engine, Options};
use bothways_graph::Environment as _;
use bothways_lab::{Client, Clock, Faults, KeyLimits, Lab};
use bothways_protocol::types::{
    AttributeDefinition, BatchGetItemInput, BatchWriteItemInput, BillingMode, CreateTableInput,
    GetItemInput, GlobalSecondaryIndex, KeyRole, KeySchemaElement, KeysAndAttributes, Projection,
    ProjectionType, Put, PutItemInput, PutRequest, QueryInput, ScalarAttributeType, ScanInput,
    TransactWriteItem, TransactWriteItemsInput, WriteRequest,
};
use bothways_protocol::{Context, DynamoDb, DynamoDbExt, Error, ErrorKind};
use bothways_store::MemoryStore;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const TABLE: &str = "things";

fn cx() -> Context {
    Context::default()
}

fn engine(clock: &Clock) -> Arc<dyn DynamoDb> {
    let options = Options {
        clock: Arc::new(clock.clone()),
        background: false,
        ..Options::default()
    };
    let store = Arc::new(MemoryStore::new());
    Arc::new(Engine::open(store, options).expect("an engine"))
}

fn schema(hash: &str, range: &str) -> Vec<KeySchemaElement> {
    let one = |name: &str, role| KeySchemaElement {
        attribute_name: Some(name.to_owned()),
        key_type: Some(role),
    };
    vec![one(hash, KeyRole::Hash), one(range, KeyRole::Range)]
}

/// A table with the plain inverted index.
fn table() -> CreateTableInput {
    let named = |name: &str| AttributeDefinition {
        attribute_name: Some(name.to_owned()),
        attribute_type: Some(ScalarAttributeType::S),
    };
    CreateTableInput {
        table_name: Some(TABLE.to_owned()),
        attribute_definitions: Some(vec![named("PK"), named("SK")]),
        key_schema: Some(schema("PK", "SK")),
        global_secondary_indexes: Some(vec![GlobalSecondaryIndex {
            index_name: Some("inverted".to_owned()),
            key_schema: Some(schema("SK", "PK")),
            projection: Some(Projection {
                projection_type: Some(ProjectionType::All),
                non_key_attributes: None,
            }),
            ..GlobalSecondaryIndex::default()
        }]),
        billing_mode: Some(BillingMode::PayPerRequest),
        ..CreateTableInput::default()
    }
}

/// A lab with its table, faults set after it was made.
fn lab(seed: u64, faults: Faults) -> (Lab, Clock) {
    let clock = Clock::new(seed);
    let lab = Lab::by(engine(&clock), clock.clone());
    clock
        .run(lab.create_table(&cx(), table()))
        .expect("a table");
    lab.set(faults);
    (lab, clock)
}

fn item(pk: &str, sk: &str) -> Item {
    Item::from_attributes([("PK", Value::from(pk)), ("SK", Value::from(sk))])
}

fn put(pk: &str, sk: &str) -> PutItemInput {
    PutItemInput {
        table_name: Some(TABLE.to_owned()),
        item: Some(item(pk, sk).into()),
        ..PutItemInput::default()
    }
}

fn transaction(items: &[(&str, &str)], token: &str) -> TransactWriteItemsInput {
    let actions = items.iter().map(|(pk, sk)| TransactWriteItem {
        put: Some(Put {
            table_name: Some(TABLE.to_owned()),
            item: Some(item(pk, sk).into()),
            condition_expression: Some("attribute_not_exists(PK)".to_owned()),
            ..Put::default()
        }),
        ..TransactWriteItem::default()
    });
    TransactWriteItemsInput {
        transact_items: Some(actions.collect()),
        client_request_token: Some(token.to_owned()),
        ..TransactWriteItemsInput::default()
    }
}

fn get(pk: &str, sk: &str) -> GetItemInput {
    GetItemInput {
        table_name: Some(TABLE.to_owned()),
        key: Some(item(pk, sk).into()),
        consistent_read: Some(true),
        ..GetItemInput::default()
    }
}

fn query(index: bool, value: &str) -> QueryInput {
    let name = if index { "SK" } else { "PK" };
    QueryInput {
        table_name: Some(TABLE.to_owned()),
        index_name: index.then(|| "inverted".to_owned()),
        consistent_read: (!index).then_some(true),
        key_condition_expression: Some(format!("{name} = :v")),
        expression_attribute_values: Some(
            BTreeMap::from([(":v".to_owned(), Value::from(value))]).into(),
        ),
        ..QueryInput::default()
    }
}

async fn listed(db: &dyn DynamoDb, index: bool, value: &str) -> (Vec<String>, usize) {
    let (mut names, mut pages, mut start) = (Vec::new(), 0, None);
    loop {
        let input = QueryInput {
            exclusive_start_key: start.map(Item::into),
            ..query(index, value)
        };
        let page = db.query(&cx(), input).await.expect("a page");
        pages += 1;
        for found in page.items.into_iter().flatten() {
            let name = if index { "PK" } else { "SK" };
            let text = found.get(name).and_then(ValueRef::as_str);
            names.push(text.unwrap_or_default().to_owned());
        }
        start = page.last_evaluated_key;
        if start.is_none() {
            return (names, pages);
        }
    }
}

#[test]
fn without_faults_everything_passes() {
    let (lab, clock) = lab(1, Faults::default());
    clock.run(async {
        lab.put_item(&cx(), put("a", "b")).await.expect("a put");
        assert_eq!(listed(&lab, true, "b").await.0, ["a"]);
    });
    assert_eq!(lab.tally().iter().map(|(_, n)| n).sum::<u64>(), 3);
}

#[test]
fn conflicts_cancel_one_action_and_do_nothing() {
    let (lab, clock) = lab(
        1,
        Faults {
            conflicts: 1_000,
            ..Faults::default()
        },
    );
    clock.run(async {
        let many = transaction(&[("a", "1"), ("a", "2")], "t");
        let error = lab
            .transact_write_items(&cx(), many)
            .await
            .expect_err("in the way");
        let mut codes: Vec<&str> = error.reasons.iter().map(|r| r.code.as_str()).collect();
        codes.sort_unstable();
        assert_eq!(codes, ["None", "TransactionConflict"]);
        let error = lab
            .put_item(&cx(), put("a", "1"))
            .await
            .expect_err("in the way");
        assert_eq!(error.kind, ErrorKind::TransactionConflict);
        assert_eq!(listed(&lab, false, "a").await.0, [""; 0]);
    });
    assert_eq!(lab.tally().conflicts, 2);
}

#[test]
fn lost_requests_and_lost_answers_look_alike_and_are_not() {
    for (faults, there) in [
        (
            Faults {
                lost_requests: 1_000,
                ..Faults::default()
            },
            false,
        ),
        (
            Faults {
                lost_answers: 1_000,
                ..Faults::default()
            },
            true,
        ),
    ] {
        let (lab, clock) = lab(1, faults);
        clock.run(async {
            let error = lab
                .put_item(&cx(), put("a", "b"))
                .await
                .expect_err("no answer");
            assert_eq!(error.kind, ErrorKind::NoAnswer);
            let found = lab.get_item(&cx(), get("a", "b")).await.expect("an answer");
            assert_eq!(found.item.is_some(), there);
        });
        let tally = lab.tally();
        assert_eq!(tally.lost_requests + tally.lost_answers, 1);
    }
}

#[test]
fn a_forgotten_token_lets_a_transaction_run_again() {
    for (forgotten_tokens, again) in [(0, true), (1_000, false)] {
        let (lab, clock) = lab(
            1,
            Faults {
                forgotten_tokens,
                ..Faults::default()
            },
        );
        clock.run(async {
            let once = transaction(&[("a", "1")], "token");
            lab.transact_write_items(&cx(), once.clone())
                .await
                .expect("a commit");
            let second = lab.transact_write_items(&cx(), once).await;
            assert_eq!(second.is_ok(), again);
        });
    }
}

/// Puts edges on one index key until it is throttled; how many it took.
fn heat(lab: &Lab, clock: &Clock) -> (u64, Error) {
    clock.run(async {
        for i in 0..10_000 {
            let edge = transaction(&[(&format!("p{i}"), "hot")], &format!("t{i}"));
            if let Err(error) = lab.transact_write_items(&cx(), edge).await {
                return (i, error);
            }
        }
        panic!("never throttled");
    })
}

#[test]
fn a_hot_key_is_throttled_by_its_units_and_recovers() {
    let limits = KeyLimits {
        write: 100,
        read: 30,
        burst: 1,
    };
    let (lab, clock) = lab(
        1,
        Faults {
            key_limits: Some(limits),
            ..Faults::default()
        },
    );
    // The index's part of a transaction counts once: a hundred edges a second.
    let (took, error) = heat(&lab, &clock);
    assert_eq!(took, 100);
    assert_eq!(error.reasons[0].code, "ThrottlingError");
    clock.pass(Duration::from_millis(500));
    assert_eq!(
        heat(&lab, &clock).0,
        50,
        "half a second gives half the units"
    );
    clock.run(async {
        let single = lab
            .put_item(&cx(), put("other", "hot"))
            .await
            .expect_err("hot");
        assert_eq!(single.kind, ErrorKind::Throttling);
        let why = &single.throttling.expect("reasons").reasons[0];
        assert_eq!(why.reason, "IndexWriteKeyRangeThroughputExceeded");
        assert!(
            why.resource.ends_with("/index/inverted"),
            "{}",
            why.resource
        );
        lab.put_item(&cx(), put("other", "cold"))
            .await
            .expect("another key has its own");
        let mut reads = 0;
        let error = loop {
            match lab.query(&cx(), query(true, "hot")).await {
                Ok(_) => reads += 1,
                Err(error) => break error,
            }
        };
        assert!(reads >= 10, "{reads}");
        let why = &error.throttling.expect("reasons").reasons[0];
        assert_eq!(why.reason, "IndexReadKeyRangeThroughputExceeded");
    });
}

#[test]
fn an_index_lags_and_catches_up_while_the_table_does_not() {
    let lag = Duration::from_secs(5);
    let (lab, clock) = lab(
        3,
        Faults {
            index_lag: lag,
            ..Faults::default()
        },
    );
    clock.run(async {
        for i in 0..20 {
            lab.put_item(&cx(), put(&format!("p{i:02}"), "b"))
                .await
                .expect("a put");
        }
        assert!(listed(&lab, true, "b").await.0.len() < 20);
        assert_eq!(listed(&lab, false, "p07").await.0, ["b"]);
        clock.sleep(lag / 2).await;
        let some = listed(&lab, true, "b").await.0.len();
        assert!(0 < some && some < 20, "{some}");
        lab.catch_up().await;
        assert_eq!(listed(&lab, true, "b").await.0.len(), 20);
    });
    assert!(lab.tally().stale_reads >= 2);
}

#[test]
fn a_query_sees_a_transaction_item_by_item_and_a_get_sees_all_of_it() {
    let spread = Duration::from_millis(100);
    let (lab, clock) = lab(
        5,
        Faults {
            item_by_item: spread,
            ..Faults::default()
        },
    );
    let (other, cx) = (lab.clone(), cx());
    let names: Vec<String> = (0..10).map(|i| i.to_string()).collect();
    let items: Vec<(&str, &str)> = names.iter().map(|n| ("a", n.as_str())).collect();
    let ends = clock.run_all(vec![
        Box::pin(async {
            lab.transact_write_items(&cx, transaction(&items, "t"))
                .await
                .expect("a commit");
            listed(&lab, false, "a").await.0.len()
        }),
        Box::pin(async {
            clock.sleep(spread / 2).await;
            assert!(
                other
                    .get_item(&cx, get("a", "9"))
                    .await
                    .expect("an answer")
                    .item
                    .is_some()
            );
            assert!(
                other
                    .get_item(&cx, get("a", "0"))
                    .await
                    .expect("an answer")
                    .item
                    .is_some()
            );
            listed(&other, false, "a").await.0.len()
        }),
    ]);
    assert_eq!(ends[0], 10, "all of it once it is answered");
    assert!(0 < ends[1] && ends[1] < 10, "{}", ends[1]);
    assert!(lab.tally().partial_reads > 0);
}

#[test]
fn pages_are_short_or_empty_and_lose_nothing() {
    let faults = Faults {
        short_pages: 600,
        empty_pages: 300,
        ..Faults::default()
    };
    let (lab, clock) = lab(1, faults);
    clock.run(async {
        let want: Vec<String> = (0..60).map(|i| format!("s{i:02}")).collect();
        for name in &want {
            lab.put_item(&cx(), put("a", name)).await.expect("a put");
        }
        let (names, pages) = listed(&lab, false, "a").await;
        assert_eq!(names, want);
        assert!(pages > 3, "{pages}");
        let scan = ScanInput {
            table_name: Some(TABLE.to_owned()),
            ..ScanInput::default()
        };
        lab.scan(&cx(), scan).await.expect("a scan passes too");
    });
    let tally = lab.tally();
    assert!(tally.short_pages > 0 && tally.empty_pages > 0, "{tally:?}");
}

#[test]
fn batches_are_done_in_part_and_say_what_is_left() {
    let (lab, clock) = lab(
        1,
        Faults {
            unprocessed: 700,
            ..Faults::default()
        },
    );
    clock.run(async {
        let write = |i: usize| WriteRequest {
            put_request: Some(PutRequest {
                item: Some(item("a", &format!("{i:02}")).into()),
            }),
            delete_request: None,
        };
        let mut left = Some(BTreeMap::from([(
            TABLE.to_owned(),
            (0..25).map(write).collect(),
        )]));
        while let Some(request_items) = left {
            let input = BatchWriteItemInput {
                request_items: Some(request_items),
                ..BatchWriteItemInput::default()
            };
            let output = lab.batch_write_item(&cx(), input).await.expect("an answer");
            left = output.unprocessed_items.filter(|l| !l.is_empty());
        }
        assert_eq!(listed(&lab, false, "a").await.0.len(), 25);
        let keys = (0..25)
            .map(|i| item("a", &format!("{i:02}")).into())
            .collect();
        let wanted = KeysAndAttributes {
            keys: Some(keys),
            ..KeysAndAttributes::default()
        };
        let mut left = Some(BTreeMap::from([(TABLE.to_owned(), wanted)]));
        let mut found = 0;
        while let Some(request_items) = left {
            let input = BatchGetItemInput {
                request_items: Some(request_items),
                ..BatchGetItemInput::default()
            };
            let output = lab.batch_get_item(&cx(), input).await.expect("an answer");
            found += output
                .responses
                .iter()
                .flatten()
                .map(|(_, i)| i.len())
                .sum::<usize>();
            left = output.unprocessed_keys.filter(|l| !l.is_empty());
        }
        assert_eq!(found, 25);
    });
    assert!(lab.tally().unprocessed > 1);
}

#[test]
fn a_process_dies_before_or_after_its_request() {
    for (unheard, there) in [(false, false), (true, true)] {
        let (lab, clock) = lab(1, Faults::default());
        let client = Client::dying_at(Arc::new(lab.clone()), 1, unheard);
        let end = clock.run(client.life(async {
            client.put_item(&cx(), put("a", "0")).await.expect("a put");
            client
                .put_item(&cx(), put("a", "1"))
                .await
                .expect("never heard");
        }));
        assert_eq!(end, None);
        assert!(client.is_dead());
        let found = clock
            .run(lab.get_item(&cx(), get("a", "1")))
            .expect("an answer");
        assert_eq!(found.item.is_some(), there);
    }
}

/// Several clients under everything at once: what happened, in order.
fn story(seed: u64) -> Vec<String> {
    let (lab, clock) = lab(seed, Faults::stormy());
    let steps: Vec<_> = (0..4)
        .map(|client| {
            let (lab, clock) = (&lab, &clock);
            let work: bothways_protocol::BoxFuture<'_, Vec<(Duration, String)>> =
                Box::pin(async move {
                    let mut told = Vec::new();
                    for i in 0..40 {
                        let edge = transaction(
                            &[("a", &format!("{client}-{i}"))],
                            &format!("{client}-{i}"),
                        );
                        let done = lab.transact_write_items(&cx(), edge).await;
                        let list = listed(lab, false, "a").await.0.len();
                        told.push((clock.now(), format!("{client} {done:?} {list}")));
                    }
                    told
                });
            work
        })
        .collect();
    let mut told: Vec<_> = clock.run_all(steps).into_iter().flatten().collect();
    told.sort();
    let tally = lab.tally();
    for (name, count) in tally.iter() {
        let met = [
            "conflicts",
            "lost_requests",
            "lost_answers",
            "short_pages",
            "empty_pages",
        ];
        assert!(
            !met.contains(&name) || count > 0,
            "{name} never happened: {tally:?}"
        );
    }
    told.into_iter()
        .map(|(at, what)| format!("{at:?} {what}"))
        .collect()
}

#[test]
fn the_same_seed_tells_the_same_story() {
    assert_eq!(story(11), story(11));
    assert_ne!(story(11), story(12));
}
