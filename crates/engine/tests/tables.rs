//! Tables come, are described, and go.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

mod common;

use bothways_engine::{Engine, Options};
use bothways_protocol::types::*;
use bothways_protocol::{Context, DynamoDbExt, ErrorKind};
use bothways_store::{MemoryStore, Store};
use common::{Db, Ix, block_on, clock, create, create_input, engine, map, n, options, s};
use std::ops::Bound;
use std::sync::Arc;

const INDEXES: &[Ix] = &[
    Ix {
        name: "byG",
        local: false,
        key: "g:S h:N",
        projection: "v w",
    },
    Ix {
        name: "byL",
        local: true,
        key: "pk:S l:N",
        projection: "KEYS",
    },
];

fn delete(db: &Db, name: &str) -> Result<TableDescription, bothways_protocol::Error> {
    let input = DeleteTableInput {
        table_name: Some(name.into()),
    };
    Ok(db.delete_table(input)?.table_description.unwrap())
}

fn describe(db: &Db, name: &str) -> Result<DescribeTableOutput, bothways_protocol::Error> {
    db.describe_table(DescribeTableInput {
        table_name: Some(name.into()),
    })
}

fn rows(store: &dyn Store) -> usize {
    let snapshot = store.snapshot().unwrap();
    // Everything but the catalogue's own rows.
    snapshot
        .range(Bound::Included(&[0, 0, 0, 1]), Bound::Unbounded, false)
        .count()
}

#[test]
fn a_table_is_described_as_it_was_created() {
    let db = Db(engine());
    let created = db
        .create_table(create_input("music", "pk:S sk:N", INDEXES))
        .unwrap();
    let created = created.table_description.unwrap();
    assert_eq!(created.table_status, Some(TableStatus::Creating));
    let table = db.describe("music");
    assert_eq!(table.table_status, Some(TableStatus::Active));
    assert_eq!(table.table_id, created.table_id);
    assert_eq!(
        table.table_arn.as_deref(),
        Some("arn:aws:dynamodb:us-east-1:000000000000:table/music")
    );
    assert_eq!(table.creation_date_time, Some(1_700_000_000.0));
    assert_eq!(
        table.billing_mode_summary.unwrap().billing_mode,
        Some(BillingMode::PayPerRequest)
    );
    assert_eq!(
        (table.item_count, table.table_size_bytes),
        (Some(0), Some(0))
    );
    let global = table.global_secondary_indexes.unwrap().remove(0);
    assert_eq!(global.index_status, Some(IndexStatus::Active));
    assert_eq!(
        global.projection.unwrap().non_key_attributes.unwrap(),
        ["v", "w"]
    );
    assert_eq!(global.key_schema.unwrap().len(), 2);
    let local = table.local_secondary_indexes.unwrap().remove(0);
    assert!(local.index_arn.unwrap().ends_with("table/music/index/byL"));
    let uuid = table.table_id.unwrap();
    assert_eq!((uuid.len(), &uuid[14..15]), (36, "4"));
}

#[test]
fn names_are_taken_once_and_errors_name_the_table() {
    let db = Db(engine());
    create(&db, "music", "pk:S", &[]);
    let error = db
        .create_table(create_input("music", "pk:S", &[]))
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::ResourceInUse);
    assert_eq!(error.message, "Table already exists: music");
    for error in [
        delete(&db, "none").map(drop),
        describe(&db, "none").map(drop),
    ] {
        let error = error.unwrap_err();
        assert_eq!(error.kind, ErrorKind::ResourceNotFound);
        assert_eq!(
            error.message,
            "Requested resource not found: Table: none not found"
        );
    }
    let error = db.scan(ScanInput {
        table_name: Some("none".into()),
        ..ScanInput::default()
    });
    assert_eq!(error.unwrap_err().message, "Requested resource not found");
}

#[test]
fn a_table_is_found_by_its_arn() {
    let db = Db(engine());
    create(&db, "music", "pk:S", &[]);
    let arn = db.describe("music").table_arn.unwrap();
    assert_eq!(db.describe(&arn).table_name.as_deref(), Some("music"));
}

#[test]
fn names_are_listed_in_order_and_in_pages() {
    let db = Db(engine());
    for name in ["table-c", "table-a", "table-b"] {
        create(&db, name, "pk:S", &[]);
    }
    let list = |start: Option<&str>, limit| {
        let output = db
            .list_tables(ListTablesInput {
                exclusive_start_table_name: start.map(str::to_owned),
                limit,
            })
            .unwrap();
        (
            output.table_names.unwrap().join(" "),
            output.last_evaluated_table_name,
        )
    };
    assert_eq!(list(None, None), ("table-a table-b table-c".into(), None));
    assert_eq!(
        list(None, Some(2)),
        ("table-a table-b".into(), Some("table-b".into()))
    );
    assert_eq!(list(Some("table-b"), Some(2)), ("table-c".into(), None));
    assert_eq!(
        list(None, Some(3)),
        ("table-a table-b table-c".into(), None)
    );
}

#[test]
fn a_protected_table_stays() {
    let db = Db(engine());
    let mut input = create_input("music", "pk:S", &[]);
    input.deletion_protection_enabled = Some(true);
    db.create_table(input).unwrap();
    assert_eq!(
        delete(&db, "music").unwrap_err().kind,
        ErrorKind::Validation
    );
    assert_eq!(db.describe("music").deletion_protection_enabled, Some(true));
}

#[test]
fn a_dropped_table_is_gone_at_once_and_its_rows_later_also_over_a_restart() {
    let (store, clock) = (Arc::new(MemoryStore::new()), clock());
    let open = || Db(Engine::open(store.clone(), options(&clock)).unwrap());
    let db = open();
    create(&db, "music", "pk:S sk:N", INDEXES);
    create(&db, "other", "pk:S", &[]);
    db.put("other", map([("pk", s("kept"))]));
    for sk in 0..2_500 {
        db.put(
            "music",
            map([("pk", s("p")), ("sk", n(sk)), ("g", s("g")), ("h", n(sk))]),
        );
    }
    assert_eq!(
        delete(&db, "music").unwrap().table_status,
        Some(TableStatus::Deleting)
    );
    assert!(describe(&db, "music").is_err());
    assert_eq!(rows(&*store), 5_001);

    create(&db, "music", "pk:S sk:N", INDEXES);
    assert_eq!(
        db.get("music", map([("pk", s("p")), ("sk", n(1))])),
        None,
        "another table"
    );
    assert_eq!(db.describe("music").item_count, Some(0));
    db.put(
        "music",
        map([("pk", s("p")), ("sk", n(1)), ("v", s("new"))]),
    );

    assert!(db.0.sweep().unwrap());
    assert_eq!(rows(&*store), 4_002, "a chunk at a time");
    let db = open();
    while db.0.sweep().unwrap() {}
    assert_eq!(rows(&*store), 2);
    assert_eq!(db.describe("music").item_count, Some(1));
    assert!(db.get("other", map([("pk", s("kept"))])).is_some());
}

#[test]
fn the_background_reclaims_without_being_asked() {
    let store = Arc::new(MemoryStore::new());
    let options = Options {
        background: true,
        ..options(&clock())
    };
    let db = Db(Engine::open(store.clone(), options).unwrap());
    create(&db, "music", "pk:S", &[]);
    db.put("music", map([("pk", s("p"))]));
    delete(&db, "music").unwrap();
    for _ in 0..500 {
        if rows(&*store) == 0 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("the rows are still there");
}

#[test]
fn isolated_callers_have_tables_of_their_own() {
    let options = Options {
        isolate: true,
        ..options(&clock())
    };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).unwrap();
    let caller = |key: &str, region: &str| Context {
        access_key: key.into(),
        region: region.into(),
        ..Context::default()
    };
    let (here, there) = (caller("a", "eu-west-2"), caller("b", "eu-west-2"));
    let output = block_on(engine.create_table(&here, create_input("music", "pk:S", &[]))).unwrap();
    let arn = output.table_description.unwrap().table_arn.unwrap();
    assert!(arn.starts_with("arn:aws:dynamodb:eu-west-2:"));
    block_on(engine.create_table(&there, create_input("music", "pk:S", &[]))).unwrap();
    let names = |cx: &Context| {
        let output = block_on(engine.list_tables(cx, ListTablesInput::default())).unwrap();
        output.table_names.unwrap()
    };
    assert_eq!(names(&here), ["music"]);
    assert_eq!(names(&caller("a", "us-east-1")), Vec::<String>::new());
}

#[test]
fn a_tables_id_is_its_own_and_stays() {
    let db = Db(engine());
    let made = |name| {
        let output = db.create_table(create_input(name, "pk:S", &[])).unwrap();
        output.table_description.unwrap().table_id.unwrap()
    };
    let (one, other) = (made("one"), made("other"));
    assert_ne!(one, other);
    for _ in 0..2 {
        assert_eq!(db.describe("one").table_id.as_ref(), Some(&one));
    }
}

#[test]
fn arns_name_the_account_and_a_table_keeps_its_own() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let under = |account: &str| {
        let options = bothways_engine::Options {
            account: account.to_owned(),
            ..options(&clock())
        };
        Db(Engine::open(store.clone(), options).unwrap())
    };
    let db = under("123456789012");
    create(&db, "music", "pk:S", &[]);
    let arn = db.describe("music").table_arn.unwrap();
    assert_eq!(arn, "arn:aws:dynamodb:us-east-1:123456789012:table/music");
    drop(db);
    let db = under("210987654321");
    assert_eq!(db.describe("music").table_arn.as_ref(), Some(&arn));
    let tags = |arn: String| {
        db.list_tags_of_resource(ListTagsOfResourceInput {
            resource_arn: Some(arn),
            next_token: None,
        })
    };
    tags(arn.clone()).unwrap();
    let foreign = tags(arn.replace("music", "poems")).unwrap_err();
    assert_eq!(foreign.kind, ErrorKind::AccessDenied);
}

#[test]
fn settings_and_counts_survive_a_reopening_and_a_change() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let db = Db(Engine::open(store.clone(), options(&clock())).unwrap());
    create(&db, "music", "pk:S l:N", INDEXES);
    db.put(
        "music",
        map([("pk", s("p")), ("l", n(1)), ("g", s("g")), ("h", n(1))]),
    );
    let arn = db.describe("music").table_arn;
    db.tag_resource(TagResourceInput {
        resource_arn: arn.clone(),
        tags: Some(vec![Tag {
            key: Some("team".into()),
            value: Some("a".into()),
        }]),
    })
    .unwrap();
    db.update_time_to_live(UpdateTimeToLiveInput {
        table_name: Some("music".into()),
        time_to_live_specification: Some(TimeToLiveSpecification {
            enabled: Some(true),
            attribute_name: Some("gone".into()),
        }),
    })
    .unwrap();
    db.update_table(UpdateTableInput {
        table_name: Some("music".into()),
        deletion_protection_enabled: Some(true),
        ..UpdateTableInput::default()
    })
    .unwrap();
    db.update_table(UpdateTableInput {
        table_name: Some("music".into()),
        on_demand_throughput: Some(OnDemandThroughput {
            max_read_request_units: Some(5),
            max_write_request_units: None,
        }),
        ..UpdateTableInput::default()
    })
    .unwrap();
    let check = |db: &Db| {
        let table = db.describe("music");
        assert_eq!(table.item_count, Some(1));
        assert_eq!(table.deletion_protection_enabled, Some(true));
        let ceiling = table.on_demand_throughput.unwrap();
        assert_eq!(ceiling.max_read_request_units, Some(5));
        let counts = table.global_secondary_indexes.unwrap();
        assert_eq!(counts[0].item_count, Some(1));
        let ttl = db
            .describe_time_to_live(DescribeTimeToLiveInput {
                table_name: Some("music".into()),
            })
            .unwrap();
        let ttl = ttl.time_to_live_description.unwrap();
        assert_eq!(ttl.attribute_name.as_deref(), Some("gone"));
        let tags = db.list_tags_of_resource(ListTagsOfResourceInput {
            resource_arn: arn.clone(),
            next_token: None,
        });
        assert_eq!(tags.unwrap().tags.unwrap().len(), 1);
    };
    check(&db);
    drop(db);
    check(&Db(Engine::open(store, options(&clock())).unwrap()));
}
