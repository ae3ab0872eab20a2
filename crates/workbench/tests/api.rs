//! The API over an engine in memory: every address of `openapi.json`, what it answers, and what it refuses.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use bothways_engine::{Engine, Options};
use bothways_graph::model::shipped;
use bothways_graph::{Graph, Model};
use bothways_protocol::{BoxFuture, Context, DynamoDb, Operation, Operator};
use bothways_store::MemoryStore;
use bothways_workbench::{
    Beside, Connection, ConnectionKind, Data, Live, Printed, Shown, Spool, Step, Terminal,
    Workbench,
};
use bytes::Bytes;
use http::{Method, Request, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;

/// A workbench over an empty database with the follow table: `local` writes, `looker` only reads.
async fn bench() -> Workbench {
    let engine = Engine::open(Arc::new(MemoryStore::new()), Options::default()).unwrap();
    let engine = Arc::new(engine);
    let db: Arc<dyn DynamoDb> = Arc::clone(&engine) as Arc<dyn DynamoDb>;
    let graph = Graph::new(Arc::clone(&db), follow()).unwrap();
    graph.apply(&Context::default()).await.unwrap();
    let live = Live::default();
    keep_one(&live, &db).await;
    let place = |name: &str, read_only| Connection {
        name: name.to_owned(),
        kind: ConnectionKind::Embedded,
        detail: "memory".to_owned(),
        region: String::new(),
        read_only,
        durable: false,
        db: Arc::clone(&db),
        beside: Beside {
            live: Some(live.clone()),
            operator: Some(Arc::clone(&engine) as Arc<dyn Operator>),
            data: Some(Data::new(
                Arc::clone(&db),
                Arc::clone(&engine) as Arc<dyn Operator>,
                Arc::new(NoSpool),
                Arc::new(drop),
            )),
        },
    };
    let shown = Shown {
        model: follow(),
        firsts: Vec::new(),
    };
    Workbench::new(
        vec![place("local", false), place("looker", true)],
        vec![shown],
    )
    .with_guides(Arc::new(Echo))
}

/// Prints the command that it is given.
struct Echo;

impl Terminal for Echo {
    fn run(&self, step: Step) -> BoxFuture<'_, std::io::Result<Printed>> {
        let talk = format!("in {}", step.target);
        let out = step.words.join(" ");
        Box::pin(async { Ok(Printed { out, talk, exit: 0 }) })
    }
    fn forget(&self, _: &'static str) -> BoxFuture<'_, std::io::Result<()>> {
        Box::pin(async { Ok(()) })
    }
}

/// Keeps nothing.
struct NoSpool;

impl Spool for NoSpool {
    fn append(&self, _: &str, _: &[u8]) -> std::io::Result<()> {
        Ok(())
    }
    fn read(&self, _: &str, _: u64, _: usize) -> std::io::Result<Vec<u8>> {
        Ok(Vec::new())
    }
    fn remove(&self, _: &str) {}
}

/// One request of an application, seen.
async fn keep_one(live: &Live, db: &Arc<dyn DynamoDb>) {
    live.watch();
    let get = br#"{"TableName": "follow", "Key": {"PK": {"S": "a"}, "SK": {"S": "b"}}}"#;
    let get = bothways_protocol::Request::decode(Operation::GetItem, get).unwrap();
    let over = live.over(Arc::clone(db));
    over.call(&Context::default(), get).await.unwrap();
}

fn follow() -> Model {
    shipped("follow").unwrap().model
}

async fn ask(bench: &Workbench, method: Method, path: &str, body: &Value) -> (StatusCode, Value) {
    let request = Request::builder()
        .method(method)
        .uri(format!("/api/v1{path}"))
        .body(Bytes::from(body.to_string()))
        .unwrap();
    let response = bench.answer(request).await.unwrap();
    let json = serde_json::from_slice(response.body()).unwrap();
    (response.status(), json)
}

const FOLLOWS: &str = "/c/local/models/follow/relations/follows";

#[tokio::test]
async fn every_described_address_is_there() {
    let bench = bench().await;
    let (_, api) = ask(&bench, Method::GET, "/openapi.json", &Value::Null).await;
    let paths = api["paths"].as_object().unwrap();
    assert!(paths.len() > 8);
    for (path, methods) in paths {
        // Jobs have a test of their own, in which one is there.
        if path.contains("/data/") && !path.ends_with("/data/jobs") {
            continue;
        }
        for method in methods.as_object().unwrap().keys() {
            let address = path
                .replace("{connection}", "local")
                .replace("{model}", "follow")
                .replace("{relation}", "follows")
                .replace("{entity}", "actor")
                .replace("{number}", "1")
                .replace("{guide}", "adjacency-list")
                .replace("{step}", "0")
                .replace("{pattern}", "does%20A%20follow%20B");
            let address = format!("{address}?id=a&node=a&source=a&target=b&table=follow");
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            let body = json!({
                "source": "a", "target": "b", "attributes": {}, "operation": "ListTables", "input": {},
                "text": "SELECT * FROM follow",
                "toml": follow().to_toml(), "was": follow().to_toml(), "table": "follow", "on": true, "node": "a", "to": 1,
            });
            let (status, answer) = ask(&bench, method, &address, &body).await;
            assert_eq!(status, StatusCode::OK, "{address}: {answer}");
        }
    }
}

#[tokio::test]
async fn a_guide_is_read_and_run_step_by_step() {
    let bench = bench().await;
    let ask = async |method, path: &str| {
        let path = format!("/guides{path}");
        ask(&bench, method, &path, &Value::Null).await
    };
    let (_, all) = ask(Method::GET, "?language=ja").await;
    assert_eq!(
        all[0],
        json!({"name": "adjacency-list", "title": "隣接リスト"})
    );
    let (_, guide) = ask(Method::GET, "/students-and-courses").await;
    assert_eq!(
        (&guide["language"], &guide["ran"]),
        (&json!("en"), &json!(0))
    );
    assert_eq!(guide["commands"][0], "bothways model check school");
    assert!(
        guide["text"]
            .as_str()
            .unwrap()
            .contains("A course is an item")
    );
    let steps = "/students-and-courses/steps";
    let (status, early) = ask(Method::POST, &format!("{steps}/1")).await;
    assert_eq!((status.as_u16(), &early["code"]), (409, &json!("TooSoon")));
    for (step, ran) in [(0, 1), (1, 2), (0, 2)] {
        let (_, done) = ask(Method::POST, &format!("{steps}/{step}")).await;
        assert_eq!(
            (&done["ran"], &done["talk"]),
            (&json!(ran), &json!("in courses"))
        );
        assert_eq!(
            format!("bothways {}", done["out"].as_str().unwrap()),
            done["command"]
        );
    }
    let (_, again) = ask(Method::POST, "/students-and-courses/restart").await;
    assert_eq!(again, json!({"ran": 0}));
    for path in [
        &format!("{steps}/99"),
        &format!("{steps}/x"),
        "/nothing/steps/0",
    ] {
        assert_eq!(
            ask(Method::POST, path).await.0,
            StatusCode::NOT_FOUND,
            "{path}"
        );
    }
}

#[tokio::test]
async fn an_edge_is_written_once_and_read_both_ways_with_its_receipts() {
    let bench = bench().await;
    let edge = json!({"source": "ann#1", "target": "日本"});
    let (status, first) = ask(&bench, Method::POST, &format!("{FOLLOWS}/link"), &edge).await;
    assert_eq!(
        (status, &first["outcome"]),
        (StatusCode::OK, &json!("created"))
    );
    let actions = first["transaction"]["TransactItems"].as_array().unwrap();
    assert_eq!(actions.len(), 3);
    let (_, again) = ask(&bench, Method::POST, &format!("{FOLLOWS}/link"), &edge).await;
    assert_eq!(again["outcome"], "unchanged");
    assert_eq!(again["reasons"][0]["code"], "ConditionalCheckFailed");
    assert_eq!(again["receipt"]["sent"][0]["input"], again["transaction"]);

    for (side, node, peer) in [
        ("out", "ann%231", "target"),
        ("in", "%E6%97%A5%E6%9C%AC", "source"),
    ] {
        let path = format!("{FOLLOWS}/{side}?node={node}");
        let (_, page) = ask(&bench, Method::GET, &path, &Value::Null).await;
        assert_eq!(page["edges"].as_array().unwrap().len(), 1, "{page}");
        assert_eq!(page["edges"][0][peer], edge[peer]);
        assert_eq!(page["counter"], "1");
        assert_eq!(page["receipt"]["requests"][0]["operation"], "Query");
        assert_eq!(page["receipt"]["sent"][0]["input"]["TableName"], "follow");
        assert_eq!(page["missing"], false);
    }
    // One read of the node's item has the counters of both sides; a list can then go without.
    let bare = format!("{FOLLOWS}/out?node=ann%231&counter=none");
    let (_, page) = ask(&bench, Method::GET, &bare, &Value::Null).await;
    assert_eq!(page["counter"], Value::Null);
    assert_eq!(page["receipt"]["requests"].as_array().unwrap().len(), 1);
    let entity = FOLLOWS.replace(
        "relations/follows",
        "entities/actor?relation=follows&id=ann%231",
    );
    let (_, view) = ask(&bench, Method::GET, &entity, &Value::Null).await;
    assert_eq!(
        view["counters"],
        json!({"followers": "0", "following": "1"})
    );
    assert_eq!(view["receipt"]["requests"].as_array().unwrap().len(), 1);
    let (status, _) = ask(
        &bench,
        Method::GET,
        &format!("{FOLLOWS}/out?node=a&counter=some"),
        &Value::Null,
    )
    .await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let nobody = format!("{FOLLOWS}/out?node=nobody");
    let (_, page) = ask(&bench, Method::GET, &nobody, &Value::Null).await;
    assert_eq!(page["missing"], true);
    let (_, gone) = ask(&bench, Method::POST, &format!("{FOLLOWS}/unlink"), &edge).await;
    assert_eq!(gone["outcome"], "removed");
}

#[tokio::test]
async fn attributes_keep_every_digit_and_bad_ones_are_refused_by_name() {
    let bench = bench().await;
    let number = "12345678901234567890123456789012345678";
    let edge = json!({"source": "a", "target": "b", "attributes": {"weight": {"N": number}}});
    ask(&bench, Method::POST, &format!("{FOLLOWS}/link"), &edge).await;
    let path = format!("{FOLLOWS}/edge?source=a&target=b");
    let (_, view) = ask(&bench, Method::GET, &path, &Value::Null).await;
    assert_eq!(view["item"]["weight"]["N"], number);

    let change =
        json!({"source": "a", "target": "b", "attributes": {"weight": null, "note": {"S": "x"}}});
    let (_, set) = ask(&bench, Method::PATCH, &path, &change).await;
    assert_eq!(set["outcome"], "updated");
    let bad = json!({"source": "a", "target": "b", "attributes": {"weight": {"N": "1e999"}}});
    let (status, problem) = ask(&bench, Method::PATCH, &path, &bad).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(
        problem["message"].as_str().unwrap().contains("weight"),
        "{problem}"
    );
    let (_, view) = ask(&bench, Method::GET, &path, &Value::Null).await;
    assert_eq!(
        (view["item"].get("weight"), &view["item"]["note"]["S"]),
        (None, &json!("x"))
    );
}

#[tokio::test]
async fn raw_requests_are_answered_with_their_cost_and_keys_in_words() {
    let bench = bench().await;
    let query = json!({"operation": "Query", "input": {
        "TableName": "follow", "KeyConditionExpression": "#k = :v",
        "ExpressionAttributeNames": {"#k": "PK"}, "ExpressionAttributeValues": {":v": {"S": "ACTOR#a"}},
    }});
    let (_, answer) = ask(&bench, Method::POST, "/c/local/request", &query).await;
    let sent = &answer["receipt"]["requests"][0];
    assert_eq!(
        (&sent["key"], &sent["read_units"]),
        (&json!("PK = ACTOR#a"), &json!("0.5"))
    );
    assert_eq!(answer["output"]["Count"], 0);

    let tables = json!({"operation": "ListTables", "input": {}});
    let (_, answer) = ask(&bench, Method::POST, "/c/local/request", &tables).await;
    let sent = &answer["receipt"]["requests"][0];
    assert_eq!(
        (&sent["table"], &sent["consistency"]),
        (&json!(""), &json!("none"))
    );

    let keys = ["a", "b"].map(|sk| json!({"PK": {"S": "ACTOR#a"}, "SK": {"S": sk}}));
    let batch = json!({"operation": "BatchGetItem", "input": {
        "RequestItems": {"follow": {"Keys": keys, "ConsistentRead": true}},
    }});
    let (_, answer) = ask(&bench, Method::POST, "/c/local/request", &batch).await;
    let sent = &answer["receipt"]["requests"][0];
    assert_eq!(
        (
            &sent["table"],
            &sent["consistency"],
            &sent["count"],
            &sent["scanned"],
            &sent["read_units"]
        ),
        (
            &json!("follow"),
            &json!("strong"),
            &json!(0),
            &json!(2),
            &json!("2")
        )
    );

    let wrong = json!({"operation": "GetItem", "input": {"TableName": "absent", "Key": {"PK": {"S": "a"}}}});
    let (status, problem) = ask(&bench, Method::POST, "/c/local/request", &wrong).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(problem["code"], "ResourceNotFoundException");
}

#[tokio::test]
async fn a_read_only_connection_refuses_every_write() {
    let bench = bench().await;
    let put = json!({"operation": "PutItem", "input": {"TableName": "follow", "Item": {"PK": {"S": "a"}, "SK": {"S": "b"}}}});
    let edge = json!({"source": "a", "target": "b"});
    let relation = "/c/looker/models/follow/relations/follows";
    for (method, path, body) in [
        (Method::POST, "/c/looker/request".to_owned(), &put),
        (Method::POST, format!("{relation}/link"), &edge),
        (Method::POST, format!("{relation}/unlink"), &edge),
        (Method::PATCH, format!("{relation}/edge"), &edge),
    ] {
        let (status, problem) = ask(&bench, method, &path, body).await;
        assert_eq!(
            (status, &problem["code"]),
            (StatusCode::FORBIDDEN, &json!("ReadOnly")),
            "{path}"
        );
    }
    let (status, _) = ask(
        &bench,
        Method::GET,
        &format!("{relation}/out?node=a"),
        &Value::Null,
    )
    .await;
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test]
async fn mistakes_are_named() {
    let bench = bench().await;
    for (path, status, word) in [
        ("/c/nowhere/models".to_owned(), 404, "nowhere"),
        ("/c/local/models/absent".to_owned(), 404, "absent"),
        (format!("{FOLLOWS}/out"), 400, "node"),
        (format!("{FOLLOWS}/out?node=a&limit=0"), 400, "limit"),
        (format!("{FOLLOWS}/out?node=a&after=zz"), 400, "cursor"),
        (format!("{FOLLOWS}/out?node="), 400, "empty"),
        (
            "/c/local/models/follow/relations/likes/out?node=a".to_owned(),
            404,
            "likes",
        ),
        ("/nothing".to_owned(), 404, "/nothing"),
    ] {
        let (got, problem) = ask(&bench, Method::GET, &path, &Value::Null).await;
        assert_eq!(got.as_u16(), status, "{path}: {problem}");
        let words = problem["message"].as_str().unwrap();
        assert!(words.contains(word), "{path}: {words}");
    }
}

#[tokio::test]
async fn a_request_is_understood_explained_and_printed() {
    let bench = bench().await;
    let text = r#"aws dynamodb query --table-name follow --index-name GSI1 --key-condition-expression "GSI1PK = :b AND begins_with(GSI1SK, :a)" --expression-attribute-values '{":b":{"S":"TARGET#bob"},":a":{"S":"ACTOR#"}}'"#;
    let body = json!({ "text": text, "language": "python" });
    let (status, built) = ask(&bench, Method::POST, "/c/local/build", &body).await;
    assert_eq!(status, StatusCode::OK, "{built}");
    assert_eq!(built["operation"], "Query");
    assert_eq!(built["writes"], false);
    assert_eq!(
        built["sentence"],
        "Reads bob's followers from GSI1, by id, eventually consistent, in pages of up to 1 MB; \
         0.5 RCU for each 4 KB read."
    );
    let program = built["program"].as_str().unwrap();
    assert!(program.contains("client.query(**request)"), "{program}");

    let put = json!({ "text": r#"{"TableName":"follow","Item":{"PK":{"S":"a"},"SK":{"S":"b"}}}"#, "language": "partiql" });
    let (_, built) = ask(&bench, Method::POST, "/c/local/build", &put).await;
    assert_eq!(
        (&built["program"], &built["writes"]),
        (&Value::Null, &json!(true))
    );
    assert!(
        built["refusal"]
            .as_str()
            .unwrap()
            .starts_with("INSERT refuses")
    );
}

#[tokio::test]
async fn what_is_wrong_in_a_request_is_pointed_at() {
    let bench = bench().await;
    for (text, part) in [
        (
            r#"{"ExpressionAttributeValues":{":v":{"S":"日本"}},"TableName":"t","FilterExpression":"size >> 2"}"#,
            "> 2",
        ),
        ("aws dynamodb query --tabel-name follow", "--tabel-name"),
        (r#"{"TableName": follow}"#, "o"),
        (
            r#"{"TableName":"follow","FilterExpression":"name = :v","ExpressionAttributeValues":{":v":{"S":"x"}}}"#,
            "name",
        ),
    ] {
        let (status, problem) = ask(
            &bench,
            Method::POST,
            "/c/local/build",
            &json!({ "text": text }),
        )
        .await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{problem}");
        let span = serde_json::from_value(problem["span"].clone());
        let span: [usize; 2] = span.unwrap_or_else(|e| panic!("{problem}: {e}"));
        let units: Vec<u16> = text.encode_utf16().collect();
        let found = String::from_utf16(&units[span[0]..span[1]]).unwrap();
        assert!(found.contains(part), "{text}: {found:?} in {problem}");
    }
}

#[tokio::test]
async fn a_model_is_read_checked_and_placed_in_its_text() {
    let bench = bench().await;
    let text = follow().to_toml().replace("PROFILE", "プロフィール");
    let (_, checked) = ask(
        &bench,
        Method::POST,
        "/c/local/check",
        &json!({"toml": text}),
    )
    .await;
    assert_eq!(checked["problem"], Value::Null);
    let units: Vec<u16> = text.encode_utf16().collect();
    let place = |path: &str| {
        let at = |n: usize| {
            let offset = checked["places"][path][n].as_u64().unwrap();
            usize::try_from(offset).unwrap()
        };
        String::from_utf16(&units[at(0)..at(1)]).unwrap()
    };
    assert_eq!(place("entity.actor.key.sk"), "\"プロフィール\"");
    assert_eq!(place("relation.follows.inverse.sk"), "\"ACTOR#{src}\"");
    let broken = text.replace("ACTOR#{src}", "ACTOR#{who}");
    let (_, checked) = ask(
        &bench,
        Method::POST,
        "/c/local/check",
        &json!({"toml": broken}),
    )
    .await;
    assert_eq!(checked["model"], Value::Null);
    let line = checked["problem"]["line"].as_u64().unwrap();
    let line = broken
        .lines()
        .nth(usize::try_from(line).unwrap() - 1)
        .unwrap();
    assert!(line.contains("{who}"), "{line}");
}

#[tokio::test]
async fn a_new_model_is_kept_under_its_own_name_and_makes_its_table() {
    let bench = bench().await;
    let text = follow().to_toml().replace("\"follow\"", "\"circle\"");
    let body = json!({"toml": text});
    let (status, _) = ask(&bench, Method::PUT, "/c/local/models/other", &body).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let (status, _) = ask(&bench, Method::PUT, "/c/local/models/circle", &body).await;
    assert_eq!(status, StatusCode::OK);
    let apply = "/c/local/models/circle/apply";
    for outcome in ["created", "unchanged"] {
        let (_, applied) = ask(&bench, Method::POST, apply, &Value::Null).await;
        assert_eq!(applied["outcome"], outcome);
    }
    let (_, models) = ask(&bench, Method::GET, "/c/local/models", &Value::Null).await;
    assert_eq!(models.as_array().unwrap().len(), 2);
    let looker = "/c/looker/models/circle/apply";
    let (status, _) = ask(&bench, Method::POST, looker, &Value::Null).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_model_is_kept_only_in_place_of_the_text_that_it_was_made_from() {
    let bench = bench().await;
    let was = follow().to_toml();
    let mine = was.replace("is followed by", "has as follower");
    let theirs = was.replace("is followed by", "is watched by");
    let keep = async |toml: &str, was: Option<&str>| {
        let body = json!({"toml": toml, "was": was});
        let (status, answer) = ask(&bench, Method::PUT, "/c/local/models/follow", &body).await;
        (status, answer["code"].clone())
    };
    let changed = (StatusCode::CONFLICT, json!("ModelChanged"));
    // A new one does not take the place of one that is there.
    assert_eq!(keep(&mine, None).await, changed);
    assert_eq!(keep(&theirs, Some(&was)).await.0, StatusCode::OK);
    assert_eq!(keep(&mine, Some(&was)).await, changed);
    let (_, now) = ask(&bench, Method::GET, "/c/local/models/follow", &Value::Null).await;
    let now = now["toml"].as_str().unwrap();
    assert!(now.contains("is watched by"), "what was kept first stays");
    assert_eq!(keep(&mine, Some(now)).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_table_without_a_model_gets_one_proposed_and_counters_are_compared() {
    let bench = bench().await;
    for target in ["b", "c"] {
        let edge = json!({"source": "a", "target": target});
        ask(&bench, Method::POST, &format!("{FOLLOWS}/link"), &edge).await;
    }
    let (_, found) = ask(
        &bench,
        Method::POST,
        "/c/local/infer",
        &json!({"table": "follow"}),
    )
    .await;
    let toml = found["toml"].as_str().unwrap();
    assert!(
        toml.contains("inverse = { index = \"GSI1\", pk = \"TARGET#{dst}\""),
        "{toml}"
    );
    assert_eq!(found["whole"], true);
    let verify = "/c/local/models/follow/verify";
    let (_, report) = ask(&bench, Method::POST, verify, &json!({})).await;
    assert_eq!(
        (&report["edges"], &report["wrong"]),
        (&json!(2), &json!(0)),
        "{report}"
    );
    let put = json!({"operation": "UpdateItem", "input": {
        "TableName": "follow", "Key": {"PK": {"S": "ACTOR#a"}, "SK": {"S": "PROFILE"}},
        "UpdateExpression": "SET following = :n", "ExpressionAttributeValues": {":n": {"N": "9"}},
    }});
    ask(&bench, Method::POST, "/c/local/request", &put).await;
    let (_, report) = ask(&bench, Method::POST, verify, &json!({"repair": true})).await;
    assert_eq!(
        (&report["wrong"], &report["repaired"]),
        (&json!(1), &json!(1)),
        "{report}"
    );
}

#[tokio::test]
async fn a_pattern_is_run_and_held_against_its_proof() {
    let bench = bench().await;
    for target in ["b/c", "c"] {
        let edge = json!({"source": "a#1", "target": target});
        ask(&bench, Method::POST, &format!("{FOLLOWS}/link"), &edge).await;
    }
    let run = |name: &str, more: &str| {
        let name = name.replace(' ', "%20").replace('\'', "%27");
        format!("/c/looker/models/follow/patterns/{name}{more}")
    };
    for pattern in follow().patterns {
        let (status, ran) = ask(&bench, Method::GET, &run(&pattern.name, ""), &Value::Null).await;
        assert_eq!(status, StatusCode::OK, "{ran}");
        let verb = pattern.access.verb();
        let writes = ["link", "unlink", "set"].contains(&verb);
        assert_eq!(ran["pass"], !writes, "{ran}");
        assert_eq!(ran["skipped"] == "writes", writes, "{ran}");
        if writes {
            continue;
        }
        // Nobody said which: a page of the table was looked at, and that is said.
        let requests = ran["receipt"]["requests"].as_array().unwrap();
        assert_eq!(ran["looked_for"], 1);
        assert_eq!(requests[0]["operation"], "Scan");
        assert_eq!(requests[0]["read_units"], "0.5");
        assert_eq!(requests[1]["operation"], ran["planned"][0]["operation"]);
        assert_eq!(
            ran["receipt"]["sent"].as_array().unwrap().len(),
            requests.len()
        );
    }
    let given = run("whom an actor follows", "?source=a%231&target=c");
    let (_, ran) = ask(&bench, Method::GET, &given, &Value::Null).await;
    assert_eq!(ran["looked_for"], 0, "{ran}");
    assert_eq!(ran["ids"], json!({"src": "a#1", "dst": "c"}));
    assert_eq!(ran["receipt"]["requests"][0]["count"], 2);

    for (name, more, status) in [
        ("absent", "", 404),
        ("whom an actor follows", "?source=a", 400),
    ] {
        let (got, _) = ask(&bench, Method::GET, &run(name, more), &Value::Null).await;
        assert_eq!(got.as_u16(), status, "{name}{more}");
    }
}

#[tokio::test]
async fn the_doctor_reads_as_many_items_as_it_may() {
    let bench = bench().await;
    for target in ["b", "c"] {
        let edge = json!({"source": "a", "target": target});
        ask(&bench, Method::POST, &format!("{FOLLOWS}/link"), &edge).await;
    }
    for (items, sampled, whole, requests) in
        [("0", 0, false, 1), ("2", 2, false, 2), ("2000", 5, true, 2)]
    {
        let path = format!("/c/looker/models/follow/doctor?items={items}");
        let (_, found) = ask(&bench, Method::GET, &path, &Value::Null).await;
        assert_eq!(
            (&found["sampled"], &found["whole"]),
            (&json!(sampled), &json!(whole)),
            "{items}: {found}"
        );
        let sent = found["receipt"]["requests"].as_array().unwrap();
        assert_eq!(sent.len(), requests, "{items}: {found}");
    }
    let path = "/c/looker/models/follow/doctor?items=20001";
    let (status, problem) = ask(&bench, Method::GET, path, &Value::Null).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(
        problem["message"].as_str().unwrap().contains("20000"),
        "{problem}"
    );
}
