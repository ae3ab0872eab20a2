//! Jobs over an engine in memory: what they read, write, refuse and remember.

use super::columns::{ColumnType, Keys, Reader};
use super::records::{Format, cut, fields};
use super::*;
use crate::{Beside, Connection, ConnectionKind, Workbench};
use bothways_engine::{Engine, Options};
use bothways_protocol::types::ScalarAttributeType;
use bothways_protocol::{Context, Operation, Request as Call};
use bothways_store::MemoryStore;
use bytes::Bytes;
use http::{Method, Request};
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Duration;

#[derive(Default)]
struct MemorySpool(Mutex<HashMap<String, Vec<u8>>>);

impl Spool for MemorySpool {
    fn append(&self, name: &str, bytes: &[u8]) -> std::io::Result<()> {
        let mut files = self.0.lock();
        files
            .entry(name.to_owned())
            .or_default()
            .extend_from_slice(bytes);
        Ok(())
    }
    fn read(&self, name: &str, at: u64, most: usize) -> std::io::Result<Vec<u8>> {
        let files = self.0.lock();
        let file = files.get(name).map_or(&[][..], Vec::as_slice);
        let from = usize::try_from(at).unwrap().min(file.len());
        Ok(file[from..(from + most).min(file.len())].to_vec())
    }
    fn remove(&self, name: &str) {
        self.0.lock().remove(name);
    }
}

struct World {
    bench: Workbench,
    db: Arc<dyn DynamoDb>,
}

impl World {
    async fn new() -> Self {
        let engine =
            Arc::new(Engine::open(Arc::new(MemoryStore::new()), Options::default()).unwrap());
        let db = Arc::clone(&engine) as Arc<dyn DynamoDb>;
        let data = Data::new(
            Arc::clone(&db),
            engine,
            Arc::new(MemorySpool::default()),
            Arc::new(|job| drop(tokio::spawn(job))),
        );
        let local = Connection {
            name: "local".to_owned(),
            kind: ConnectionKind::Embedded,
            detail: String::new(),
            region: String::new(),
            read_only: false,
            durable: false,
            db: Arc::clone(&db),
            beside: Beside {
                data: Some(data),
                ..Beside::default()
            },
        };
        let world = Self {
            bench: Workbench::new(vec![local], Vec::new()),
            db,
        };
        for table in ["ttt", "copy"] {
            let input = format!(
                r#"{{"TableName": "{table}", "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{{"AttributeName": "pk", "AttributeType": "S"}}, {{"AttributeName": "n", "AttributeType": "N"}}],
                "KeySchema": [{{"AttributeName": "pk", "KeyType": "HASH"}}, {{"AttributeName": "n", "KeyType": "RANGE"}}]}}"#
            );
            world.send(Operation::CreateTable, &input).await;
        }
        world
    }

    async fn send(&self, operation: Operation, input: &str) -> Json {
        let call = Call::decode(operation, input.as_bytes()).unwrap();
        let mut out = Vec::new();
        let answer = self.db.call(&Context::default(), call).await.unwrap();
        answer.encode(&mut out);
        serde_json::from_slice(&out).unwrap()
    }

    async fn ask(&self, method: Method, path: &str, body: impl Into<Bytes>) -> (u16, Json) {
        let (status, bytes) = self.bytes(method, path, body).await;
        (status, serde_json::from_slice(&bytes).unwrap())
    }

    async fn bytes(&self, method: Method, path: &str, body: impl Into<Bytes>) -> (u16, Bytes) {
        let request = Request::builder()
            .method(method)
            .uri(format!("/api/v1/c/local/data/{path}"))
            .body(body.into())
            .unwrap();
        let response = self.bench.answer(request).await.unwrap();
        (response.status().as_u16(), response.into_body())
    }

    async fn post(&self, path: &str, body: Json) -> Json {
        let (status, answer) = self.ask(Method::POST, path, body.to_string()).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// Waits until the job is in a phase.
    async fn until(&self, id: &str, phase: &str) -> Json {
        for _ in 0..500 {
            let (_, jobs) = self.ask(Method::GET, "jobs", "").await;
            let all = jobs.as_array().unwrap();
            let job = all.iter().find(|job| job["id"] == id).unwrap();
            if job["phase"] == phase {
                return job.clone();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("job {id} was never {phase}");
    }

    async fn import(&self, table: &str, format: &str, file: &str, types: Json) -> Json {
        let body = json!({"table": table, "format": format, "name": "f", "bytes": file.len(), "types": types});
        let job = self.post("imports", body).await;
        let id = job["id"].as_str().unwrap().to_owned();
        let part = format!("jobs/{id}/part?at=0");
        let (status, answer) = self.ask(Method::POST, &part, file.to_owned()).await;
        assert_eq!(status, 200, "{answer}");
        self.until(&id, "done").await
    }

    async fn export(&self, table: &str, format: &str) -> String {
        let job = self
            .post("exports", json!({"table": table, "format": format}))
            .await;
        let id = job["id"].as_str().unwrap();
        self.until(id, "done").await;
        let (_, bytes) = self
            .bytes(Method::GET, &format!("jobs/{id}/file?at=0"), "")
            .await;
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    async fn count(&self, table: &str) -> i64 {
        let (mut count, mut start) = (0, Json::Null);
        loop {
            let mut input = json!({"TableName": table, "Select": "COUNT"});
            if !start.is_null() {
                input["ExclusiveStartKey"] = start;
            }
            let page = self.send(Operation::Scan, &input.to_string()).await;
            count += page["Count"].as_i64().unwrap();
            start = page["LastEvaluatedKey"].clone();
            if start.is_null() {
                return count;
            }
        }
    }
}

#[test]
fn records_are_cut_where_they_end() {
    for (window, format, last, want, used) in [
        ("a\nb\nc", Format::Lines, false, &["a", "b"][..], 4),
        ("a\nb\nc", Format::Lines, true, &["a", "b", "c"][..], 5),
        (
            "a,\"x\ny\"\r\nb",
            Format::Csv,
            false,
            &["a,\"x\ny\""][..],
            9,
        ),
        ("a,\"x\ny", Format::Csv, false, &[][..], 0),
        ("a\n\"x\ny", Format::Csv, true, &["a"][..], 2),
        ("5\"\n6\"\n", Format::Csv, false, &["5\"", "6\""][..], 6),
        (
            "{\"a\":\"\\\"\"}\nx",
            Format::Dynamo,
            false,
            &["{\"a\":\"\\\"\"}"][..],
            11,
        ),
    ] {
        let cut = cut(window.as_bytes(), format, last);
        let (records, bytes) = (cut.records, cut.used);
        let records: Vec<&str> = records
            .iter()
            .map(|r| std::str::from_utf8(r).unwrap())
            .collect();
        assert_eq!((&records[..], bytes), (want, used), "{window}");
    }
    for (record, want) in [
        ("a,b", Ok(vec!["a", "b"])),
        ("\"a,\"\"b\",,c", Ok(vec!["a,\"b", "", "c"])),
        ("", Ok(vec![""])),
        ("\"a", Err("a quote is not closed")),
        ("\"a\"b", Err("there is text after a closing quote")),
    ] {
        let found = fields(record);
        let found = found
            .as_ref()
            .map(|f| f.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(found.map_err(|e| *e), want, "{record}");
    }
}

#[test]
fn a_record_that_is_no_item_says_why() {
    let keys = Keys(vec![("pk".to_owned(), ScalarAttributeType::S)]);
    let columns = ["pk", "v"].map(|name| (name.to_owned(), ColumnType::S));
    let typed = [columns[0].clone(), ("v".to_owned(), ColumnType::N)];
    for (format, columns, record, why) in [
        (
            Format::Csv,
            &columns,
            "a",
            "it has 1 fields, and the first line names 2",
        ),
        (Format::Csv, &columns, ",x", "key attribute pk is missing"),
        (Format::Csv, &typed, "a,x", "column v: "),
        (
            Format::Lines,
            &columns,
            "{\"pk\":1}",
            "key attribute pk is not of type S",
        ),
        (
            Format::Lines,
            &columns,
            "{\"pk\":\"\"}",
            "key attribute pk is empty",
        ),
        (Format::Lines, &columns, "[1]", "invalid type"),
        (
            Format::Dynamo,
            &columns,
            "{\"pk\":{\"S\":\"a\"},\"v\":{\"SS\":[]}}",
            "an empty SS",
        ),
        (Format::Dynamo, &columns, "{\"pk\":", "EOF"),
    ] {
        let reader = Reader {
            format,
            keys: &keys,
            columns,
        };
        let found = reader.item(record.as_bytes()).unwrap_err();
        assert!(found.contains(why), "{record}: {found}");
    }
}

#[tokio::test]
async fn every_format_comes_back_as_it_went_out() {
    let world = World::new().await;
    let lines = concat!(
        r#"{"Item":{"pk":{"S":"a,\"b"},"n":{"N":"1"},"big":{"N":"12345678901234567890123456789012345678"},"set":{"SS":["x","y"]},"bin":{"B":"AAE="}}}"#,
        "\n",
        r#"{"pk":{"S":"b"},"n":{"N":"-2.5"},"m":{"M":{"l":{"L":[{"NULL":true},{"BOOL":false}]}}},"text":{"S":"two\nlines"}}"#,
        "\n\n"
    );
    let job = world.import("ttt", "dynamodb", lines, json!({})).await;
    assert_eq!((&job["written"], &job["rejected"]), (&json!(2), &json!(0)));
    let types = json!({"n": "N", "big": "N", "set": "JSON", "bin": "JSON", "m": "JSON"});
    for format in ["dynamodb", "json", "csv"] {
        let out = world.export("ttt", format).await;
        let job = world.import("copy", format, &out, types.clone()).await;
        assert_eq!(
            (&job["written"], &job["rejects"]),
            (&json!(2), &json!([])),
            "{out}"
        );
        let [one, other] = [
            world.export("ttt", "dynamodb").await,
            world.export("copy", "dynamodb").await,
        ];
        assert_eq!(one, other, "{format}: {out}");
    }
}

#[tokio::test]
async fn an_import_goes_piece_by_piece_pauses_and_goes_on_and_names_what_it_refuses() {
    let world = World::new().await;
    let mut file = "pk,n,note\n".to_owned();
    for n in 0..60_000 {
        writeln!(file, "p{},{n},some words for a row of some length", n % 7).unwrap();
    }
    file.push_str("p,not a number,x\np\n");
    let types = json!({"n": "N"});
    let body = json!({"table": "ttt", "format": "csv", "name": "rows.csv", "bytes": file.len(), "types": types});
    let job = world.post("imports", body).await;
    let id = job["id"].as_str().unwrap().to_owned();
    assert_eq!(world.until(&id, "waiting").await["received"], 0);
    let half = file.len() / 2;
    let part = |at: usize| format!("jobs/{id}/part?at={at}");
    let (status, _) = world
        .ask(Method::POST, &part(0), file[..half].to_owned())
        .await;
    assert_eq!(status, 200);
    let (status, problem) = world.ask(Method::POST, &part(0), "again").await;
    assert_eq!((status, &problem["code"]), (409, &json!("OtherPlace")));
    world.post(&format!("jobs/{id}/pause"), json!({})).await;
    let paused = world.until(&id, "paused").await;
    // What arrives meanwhile is kept; nothing is written.
    let (status, _) = world
        .ask(Method::POST, &part(half), file[half..].to_owned())
        .await;
    assert_eq!(status, 200);
    tokio::time::sleep(Duration::from_millis(30)).await;
    assert_eq!(
        world.until(&id, "paused").await["written"],
        paused["written"]
    );
    world.post(&format!("jobs/{id}/resume"), json!({})).await;
    let done = world.until(&id, "done").await;
    assert_eq!(
        (&done["written"], &done["rejected"]),
        (&json!(60_000), &json!(2))
    );
    assert_eq!(done["rejects"][0]["line"], 60_002);
    assert_eq!(
        done["rejects"][1]["why"],
        "it has 1 fields, and the first line names 3"
    );
    assert_eq!(world.count("ttt").await, 60_000);
    let (status, _) = world
        .ask(Method::POST, &format!("jobs/{id}/forget"), "")
        .await;
    assert_eq!(status, 200);
    let (status, _) = world
        .ask(Method::POST, &format!("jobs/{id}/resume"), "")
        .await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn an_item_that_the_database_refuses_does_not_take_its_batch_along() {
    let world = World::new().await;
    let long = "x".repeat(410_000);
    let file = format!(
        "{{\"pk\":\"a\",\"n\":1}}\n{{\"pk\":\"b\",\"n\":1,\"x\":\"{long}\"}}\n{{\"pk\":\"c\",\"n\":1}}\n"
    );
    let job = world.import("ttt", "json", &file, json!({})).await;
    assert_eq!((&job["written"], &job["rejected"]), (&json!(2), &json!(1)));
    assert_eq!(job["rejects"][0]["line"], 2);
    assert_eq!(world.count("ttt").await, 2);
}

#[tokio::test]
async fn a_table_is_compared_with_its_backup_and_taken_back_to_it() {
    let world = World::new().await;
    let mut file = String::new();
    for n in 0..12_000 {
        writeln!(
            file,
            "{{\"pk\":\"p{}\",\"n\":{n},\"v\":\"as it was\"}}",
            n % 100
        )
        .unwrap();
    }
    world.import("ttt", "json", &file, json!({})).await;
    let made = world
        .send(
            Operation::CreateBackup,
            r#"{"TableName": "ttt", "BackupName": "before"}"#,
        )
        .await;
    let arn = made["BackupDetails"]["BackupArn"]
        .as_str()
        .unwrap()
        .to_owned();
    let diff = format!("diff?backup={}", arn.replace('/', "%2F"));
    let mut all = Vec::new();
    let whole = async |all: &mut Vec<Json>| {
        all.clear();
        let mut next = String::new();
        loop {
            let path = format!("{diff}{next}");
            let (status, piece) = world.ask(Method::GET, &path, "").await;
            if status != 200 {
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
            all.extend(piece["found"].as_array().unwrap().clone());
            let Some(after) = piece["next"].as_str() else {
                break;
            };
            next = format!("&after={after}");
        }
    };
    whole(&mut all).await;
    assert_eq!(all.len(), 0);
    world
        .import(
            "ttt",
            "json",
            "{\"pk\":\"p1\",\"n\":1,\"v\":\"changed\"}\n{\"pk\":\"new\",\"n\":1}\n",
            json!({}),
        )
        .await;
    world
        .send(
            Operation::DeleteItem,
            r#"{"TableName": "ttt", "Key": {"pk": {"S": "p2"}, "n": {"N": "2"}}}"#,
        )
        .await;
    whole(&mut all).await;
    let kinds: Vec<(bool, bool)> = all
        .iter()
        .map(|d| (!d["before"].is_null(), !d["now"].is_null()))
        .collect();
    assert_eq!(all.len(), 3);
    for kind in [(true, true), (false, true), (true, false)] {
        assert!(kinds.contains(&kind), "{all:?}");
    }
    let job = world.post("resets", json!({"backup": arn})).await;
    let done = world.until(job["id"].as_str().unwrap(), "done").await;
    assert_eq!(done["written"], 3);
    whole(&mut all).await;
    assert_eq!(all.len(), 0);
    assert_eq!(world.count("ttt").await, 12_000);
}

#[tokio::test]
async fn what_is_no_job_is_refused() {
    let world = World::new().await;
    for (path, body, status, code) in [
        (
            "imports",
            json!({"table": "nowhere", "format": "csv", "name": "f", "bytes": 1}),
            400,
            "ResourceNotFoundException",
        ),
        (
            "imports",
            json!({"table": "ttt", "format": "xlsx", "name": "f", "bytes": 1}),
            400,
            "BadRequest",
        ),
        ("exports", json!({"table": "ttt"}), 400, "BadRequest"),
        ("jobs/99/pause", json!({}), 404, "NotFound"),
        (
            "resets",
            json!({"backup": "arn:x"}),
            400,
            "ValidationException",
        ),
    ] {
        let (found, problem) = world.ask(Method::POST, path, body.to_string()).await;
        assert_eq!(
            (found, &problem["code"]),
            (status, &json!(code)),
            "{path}: {problem}"
        );
    }
    let job = world
        .post(
            "imports",
            json!({"table": "ttt", "format": "csv", "name": "f", "bytes": 4}),
        )
        .await;
    let id = job["id"].as_str().unwrap();
    let (_, _) = world
        .ask(Method::POST, &format!("jobs/{id}/part?at=0"), "a\n1\n")
        .await;
    let failed = world.until(id, "failed").await;
    assert!(failed["error"].as_str().unwrap().contains("no column pk"));
    let (status, _) = world
        .ask(Method::GET, &format!("jobs/{id}/file?at=0"), "")
        .await;
    assert_eq!(status, 404);
}
