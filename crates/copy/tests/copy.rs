//! Copies between engines in memory, whole and interrupted, honest and not.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use bothways_copy::{Compared, CopyError, Difference, Options, Report, Step, copy};
use bothways_core::{Item, ValueRef};
use bothways_engine::Engine;
use bothways_protocol::types::{BatchWriteItemOutput, ScanInput};
use bothways_protocol::{
    BoxFuture, Context, DynamoDb, DynamoDbExt, Error, ErrorKind, Operation, Request, Response,
};
use bothways_store::MemoryStore;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn engine() -> Arc<dyn DynamoDb> {
    let options = bothways_engine::Options {
        background: false,
        ..bothways_engine::Options::default()
    };
    Arc::new(Engine::open(Arc::new(MemoryStore::new()), options).unwrap())
}

async fn send(db: &dyn DynamoDb, operation: Operation, body: &str) -> String {
    let request = Request::decode(operation, body.as_bytes()).unwrap();
    let response = db.call(&Context::default(), request).await.unwrap();
    let mut out = Vec::new();
    response.encode(&mut out);
    String::from_utf8(out).unwrap()
}

/// A table with everything that is copied, and so many items of two partitions.
async fn source(kind: &str, items: u32) -> Arc<dyn DynamoDb> {
    let db = engine();
    let table = format!(
        r#"{{"TableName":"goods","BillingMode":"PROVISIONED","ProvisionedThroughput":{{"ReadCapacityUnits":5,"WriteCapacityUnits":6}},
        "AttributeDefinitions":[{{"AttributeName":"p","AttributeType":"{kind}"}},{{"AttributeName":"s","AttributeType":"{kind}"}},{{"AttributeName":"g","AttributeType":"S"}}],
        "KeySchema":[{{"AttributeName":"p","KeyType":"HASH"}},{{"AttributeName":"s","KeyType":"RANGE"}}],
        "LocalSecondaryIndexes":[{{"IndexName":"local","KeySchema":[{{"AttributeName":"p","KeyType":"HASH"}},{{"AttributeName":"g","KeyType":"RANGE"}}],"Projection":{{"ProjectionType":"KEYS_ONLY"}}}}],
        "GlobalSecondaryIndexes":[{{"IndexName":"global","KeySchema":[{{"AttributeName":"g","KeyType":"HASH"}}],"Projection":{{"ProjectionType":"INCLUDE","NonKeyAttributes":["x","a"]}},"ProvisionedThroughput":{{"ReadCapacityUnits":7,"WriteCapacityUnits":8}}}}],
        "StreamSpecification":{{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"}},"TableClass":"STANDARD_INFREQUENT_ACCESS",
        "Tags":[{{"Key":"team","Value":"blue"}}]}}"#
    );
    send(&*db, Operation::CreateTable, &table).await;
    let ttl = r#"{"TableName":"goods","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"ends"}}"#;
    send(&*db, Operation::UpdateTimeToLive, ttl).await;
    for n in 0..items {
        let key = |n: u32| match kind {
            "B" => format!("AAA{}", char::from(b'A' + u8::try_from(n % 26).unwrap()))
                .repeat(1 + n as usize / 26),
            _ => n.to_string(),
        };
        let item = format!(
            r#"{{"TableName":"goods","Item":{{"p":{{"{kind}":"{}"}},"s":{{"{kind}":"{}"}},"g":{{"S":"g{}"}},"x":{{"L":[{{"N":"{n}"}},{{"NULL":true}}]}},"set":{{"NS":["3","1"]}},"ends":{{"N":"9999999999"}}}}}}"#,
            key(n % 2),
            key(n),
            n % 7
        );
        send(&*db, Operation::PutItem, &item).await;
    }
    db
}

async fn contents(db: &dyn DynamoDb) -> Vec<Item> {
    let input = ScanInput {
        table_name: Some("goods".to_owned()),
        ..ScanInput::default()
    };
    let page = db.scan(&Context::default(), input).await.unwrap();
    assert!(
        page.last_evaluated_key.is_none(),
        "the test's tables are small"
    );
    let mut items = page.items.unwrap_or_default();
    items.sort_by(|a, b| a.bytes().cmp(b.bytes()));
    items
}

fn options() -> Options {
    Options {
        table: "goods".to_owned(),
        into: false,
        live: false,
        pace: None,
        watch: Box::new(|_, _, _| true),
    }
}

async fn run(from: &Arc<dyn DynamoDb>, to: &Arc<dyn DynamoDb>) -> Result<Report, CopyError> {
    copy(
        Arc::clone(from),
        Arc::clone(to),
        &Context::default(),
        options(),
    )
    .await
}

#[tokio::test]
async fn a_table_arrives_with_all_that_belongs_to_it() {
    for kind in ["S", "N", "B"] {
        let (from, to) = (source(kind, 120).await, engine());
        let report = run(&from, &to).await.unwrap();
        assert!(
            report.made && !report.resumed && report.compared.is_equal(),
            "{report:?}"
        );
        assert_eq!((report.written, report.compared.source.items), (120, 120));
        assert_eq!(contents(&*to).await, contents(&*from).await, "{kind}");
        let describe = r#"{"TableName":"goods"}"#;
        let told = send(&*to, Operation::DescribeTable, describe).await;
        for part in [
            r#""IndexName":"local""#,
            r#""IndexName":"global""#,
            r#""NonKeyAttributes":["x","a"]"#,
            r#""WriteCapacityUnits":6"#,
            r#""WriteCapacityUnits":8"#,
            r#""StreamViewType":"NEW_IMAGE""#,
            "STANDARD_INFREQUENT_ACCESS",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        let ttl = send(&*to, Operation::DescribeTimeToLive, describe).await;
        assert!(ttl.contains("ENABL") && ttl.contains("ends"), "{ttl}");
        let arn = told
            .split("\"TableArn\":\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap();
        let tags = send(
            &*to,
            Operation::ListTagsOfResource,
            &format!(r#"{{"ResourceArn":"{arn}"}}"#),
        )
        .await;
        assert!(tags.contains("blue"), "{tags}");
        // The checkpoint is gone, and a second copy finds a table with items.
        assert!(matches!(run(&from, &to).await, Err(CopyError::NotEmpty(_))));
    }
}

/// Lets so many requests through, then answers none: a process that was killed.
struct Dying {
    db: Arc<dyn DynamoDb>,
    left: AtomicU64,
}

impl DynamoDb for Dying {
    fn call<'a>(&'a self, cx: &'a Context, r: Request) -> BoxFuture<'a, Result<Response, Error>> {
        let alive = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            });
        match alive {
            Ok(_) => self.db.call(cx, r),
            Err(_) => Box::pin(std::future::ready(Err(Error::new(
                ErrorKind::AccessDenied,
                "dead",
            )))),
        }
    }
}

#[tokio::test]
async fn a_copy_that_is_cut_off_at_any_request_goes_on_to_the_same_end() {
    let from = source("S", 70).await;
    let wanted = contents(&*from).await;
    let mut steps = 0;
    for requests in 1.. {
        let to = engine();
        let dying: Arc<dyn DynamoDb> = Arc::new(Dying {
            db: Arc::clone(&to),
            left: AtomicU64::new(requests),
        });
        if run(&from, &dying).await.is_ok() {
            break;
        }
        steps += 1;
        let report = run(&from, &to)
            .await
            .unwrap_or_else(|e| panic!("{requests}: {e}"));
        assert!(report.compared.is_equal(), "{requests}");
        assert_eq!(contents(&*to).await, wanted, "{requests}");
    }
    assert!(steps > 25, "{steps} places to be cut off at");
}

#[tokio::test]
async fn what_was_copied_is_not_copied_again() {
    let (from, to) = (source("S", 200).await, engine());
    let mut stopping = options();
    stopping.watch = Box::new(|step, items, _| step == Step::Copying && items < 200);
    let stopped = copy(
        Arc::clone(&from),
        Arc::clone(&to),
        &Context::default(),
        stopping,
    )
    .await;
    assert!(matches!(stopped, Err(CopyError::Stopped)), "{stopped:?}");
    let report = run(&from, &to).await.unwrap();
    assert!(
        report.resumed && report.written == 0 && report.compared.is_equal(),
        "{report:?}"
    );
}

/// Takes half of each batch, and is throttled now and then.
struct Short {
    db: Arc<dyn DynamoDb>,
    calls: AtomicU64,
}

impl DynamoDb for Short {
    fn call<'a>(&'a self, cx: &'a Context, r: Request) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let Request::BatchWriteItem(mut input) = r else {
                return self.db.call(cx, r).await;
            };
            if self.calls.fetch_add(1, Ordering::SeqCst).is_multiple_of(3) {
                return Err(Error::new(ErrorKind::Throttling, "slower"));
            }
            let items = input
                .request_items
                .as_mut()
                .unwrap()
                .get_mut("goods")
                .unwrap();
            let left = items.split_off(items.len().div_ceil(2));
            self.db.call(cx, Request::BatchWriteItem(input)).await?;
            let mut output = BatchWriteItemOutput::default();
            if !left.is_empty() {
                output.unprocessed_items = Some([("goods".to_owned(), left)].into());
            }
            Ok(Response::BatchWriteItem(Box::new(output)))
        })
    }
}

#[tokio::test]
async fn what_is_left_unprocessed_is_sent_until_it_is_taken() {
    let (from, to) = (source("N", 90).await, engine());
    let short: Arc<dyn DynamoDb> = Arc::new(Short {
        db: Arc::clone(&to),
        calls: AtomicU64::new(0),
    });
    assert!(run(&from, &short).await.unwrap().compared.is_equal());
    assert_eq!(contents(&*to).await, contents(&*from).await);
}

#[tokio::test]
async fn a_table_with_items_is_copied_into_only_when_told() {
    let (from, to) = (source("S", 30).await, source("S", 5).await);
    let extra = r#"{"TableName":"goods","Item":{"p":{"S":"mine"},"s":{"S":"own"}}}"#;
    send(&*to, Operation::PutItem, extra).await;
    assert!(matches!(run(&from, &to).await, Err(CopyError::NotEmpty(_))));
    let into = Options {
        into: true,
        ..options()
    };
    let report = copy(
        Arc::clone(&from),
        Arc::clone(&to),
        &Context::default(),
        into,
    )
    .await
    .unwrap();
    assert!(!report.made && report.compared.is_equal(), "{report:?}");
    assert_eq!(contents(&*to).await.len(), 31);
}

#[tokio::test]
async fn another_kind_of_table_and_another_copy_are_refused() {
    let from = source("S", 30).await;
    let refused = run(&from, &source("N", 0).await).await;
    assert!(
        matches!(refused, Err(CopyError::Differs { ref what, .. }) if what == "keys"),
        "{refused:?}"
    );
    let to = engine();
    let mut stopping = options();
    stopping.watch = Box::new(|_, _, _| false);
    let _ = copy(
        Arc::clone(&from),
        Arc::clone(&to),
        &Context::default(),
        stopping,
    )
    .await;
    let other = source("S", 30).await;
    assert!(matches!(
        run(&other, &to).await,
        Err(CopyError::OtherCopy(_))
    ));
    let none = copy(
        from,
        to,
        &Context::default(),
        Options {
            table: "none".to_owned(),
            ..options()
        },
    )
    .await;
    assert!(matches!(none, Err(CopyError::NoTable(_))));
}

/// Loses or changes the items of one key on their way.
struct Lying {
    db: Arc<dyn DynamoDb>,
    lose: bool,
}

impl DynamoDb for Lying {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        mut r: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        if let Request::BatchWriteItem(input) = &mut r {
            let items = input
                .request_items
                .as_mut()
                .unwrap()
                .get_mut("goods")
                .unwrap();
            let is_seven = |item: &Item| item.get("s") == Some(ValueRef::S("7"));
            if self.lose {
                items.retain(|w| {
                    !is_seven(&w.put_request.as_ref().unwrap().item.as_ref().unwrap().value)
                });
            }
            for write in items.iter_mut() {
                let item = write.put_request.as_mut().unwrap().item.as_mut().unwrap();
                if is_seven(&item.value) {
                    item.value = item.value.with(&[("g", Some(ValueRef::S("changed")))]);
                }
            }
        }
        self.db.call(cx, r)
    }
}

#[tokio::test]
async fn what_is_lost_or_changed_on_the_way_is_named_and_mended_by_the_next_run() {
    for lose in [true, false] {
        let (from, to) = (source("S", 40).await, engine());
        let lying: Arc<dyn DynamoDb> = Arc::new(Lying {
            db: Arc::clone(&to),
            lose,
        });
        let Compared {
            differences,
            different,
            ..
        } = run(&from, &lying).await.unwrap().compared;
        assert_eq!(different, 1);
        let key = match &differences[..] {
            [Difference::Missing(key)] if lose => key,
            [Difference::Other(key)] if !lose => key,
            other => panic!("{other:?}"),
        };
        assert_eq!((key.get("s"), key.len()), (Some(ValueRef::S("7")), 2));
        let again = run(&from, &to).await.unwrap();
        assert!(
            again.compared.is_equal() && again.written == 40,
            "{again:?}"
        );
    }
    // What only the destination has is named too.
    let (from, to) = (source("S", 40).await, engine());
    let extra = r#"{"TableName":"goods","Item":{"p":{"S":"mine"},"s":{"S":"own"}}}"#;
    let mut stopping = options();
    stopping.watch = Box::new(|_, _, _| false);
    let _ = copy(
        Arc::clone(&from),
        Arc::clone(&to),
        &Context::default(),
        stopping,
    )
    .await;
    send(&*to, Operation::PutItem, extra).await;
    let compared = run(&from, &to).await.unwrap().compared;
    assert!(
        matches!(&compared.differences[..], [Difference::More(_)]),
        "{compared:?}"
    );
}

#[tokio::test]
async fn it_takes_no_more_a_second_than_it_may() {
    let (from, to) = (source("S", 100).await, engine());
    let begun = std::time::Instant::now();
    let paced = Options {
        pace: Some(1000),
        ..options()
    };
    copy(from, to, &Context::default(), paced).await.unwrap();
    // Each item writes itself and two index rows.
    assert!(begun.elapsed().as_millis() >= 300, "{:?}", begun.elapsed());
}

/// A source whose items change as they are read: each Scan comes with a put, a change and a removal, for a while.
struct Busy {
    db: Arc<dyn DynamoDb>,
    changes: AtomicU64,
    most: u64,
}

impl DynamoDb for Busy {
    fn call<'a>(&'a self, cx: &'a Context, r: Request) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let scans = matches!(r, Request::Scan(_));
            let answer = self.db.call(cx, r).await;
            let n = self.changes.load(Ordering::SeqCst);
            if scans && n < self.most {
                self.changes.fetch_add(1, Ordering::SeqCst);
                let put = |p: u64, s: String, x: u64| {
                    format!(
                        r#"{{"TableName":"goods","Item":{{"p":{{"S":"{p}"}},"s":{{"S":"{s}"}},"x":{{"N":"{x}"}}}}}}"#
                    )
                };
                let (new, old, gone) = (format!("new{n}"), n % 20 * 2, n % 20 * 2 + 1);
                send(&*self.db, Operation::PutItem, &put(n % 2, new, n)).await;
                send(&*self.db, Operation::PutItem, &put(0, old.to_string(), n)).await;
                let key = format!(
                    r#"{{"TableName":"goods","Key":{{"p":{{"S":"1"}},"s":{{"S":"{gone}"}}}}}}"#
                );
                send(&*self.db, Operation::DeleteItem, &key).await;
            }
            answer
        })
    }
}

#[tokio::test]
async fn a_source_that_changes_meanwhile_is_followed_when_asked_and_told_when_not() {
    let changing = |db: &Arc<dyn DynamoDb>, most| -> Arc<dyn DynamoDb> {
        Arc::new(Busy {
            db: Arc::clone(db),
            changes: AtomicU64::new(0),
            most,
        })
    };
    for most in [1, 9, 30, 90] {
        let (from, to) = (source("S", 40).await, engine());
        let live = Options {
            live: true,
            ..options()
        };
        let busy = changing(&from, most);
        let report = copy(busy, Arc::clone(&to), &Context::default(), live)
            .await
            .unwrap();
        assert!(report.compared.is_equal(), "{most}: {report:?}");
        // It stays open: the next run copies what has changed since, and no more, and then it is done.
        let key = r#"{"TableName":"goods","Key":{"p":{"S":"0"},"s":{"S":"0"}}}"#;
        send(&*from, Operation::DeleteItem, key).await;
        let end = run(&from, &to).await.unwrap();
        assert!(end.compared.is_equal() && end.resumed, "{most}: {end:?}");
        assert_eq!((end.mended, end.written), (1, 0), "{most}: {end:?}");
        assert_eq!(contents(&*from).await, contents(&*to).await, "{most}");
        assert!(matches!(run(&from, &to).await, Err(CopyError::NotEmpty(_))));
    }
    // One that never rests is not called copied.
    let (from, to) = (source("S", 40).await, engine());
    let live = Options {
        live: true,
        ..options()
    };
    let busy = changing(&from, u64::MAX);
    let report = copy(busy, Arc::clone(&to), &Context::default(), live)
        .await
        .unwrap();
    assert!(
        !report.compared.is_equal() && report.mended > 0,
        "{report:?}"
    );
    // Not asked to follow, it says what differs.
    let (from, to) = (source("S", 40).await, engine());
    let report = run(&changing(&from, 12), &to).await.unwrap();
    assert!(!report.compared.is_equal(), "{report:?}");
}
