//! The graph's API for programs over an engine in memory: every address of `graph.json`, values, refusals, repeats.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use bothways_engine::{Engine, Options};
use bothways_graph::model::shipped;
use bothways_protocol::DynamoDb;
use bothways_store::MemoryStore;
use bothways_workbench::{Beside, Connection, ConnectionKind, Shown, Workbench};
use bytes::Bytes;
use http::{Request, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;

fn bench(read_only: bool) -> Workbench {
    let engine = Engine::open(Arc::new(MemoryStore::new()), Options::default()).unwrap();
    let db: Arc<dyn DynamoDb> = Arc::new(engine);
    let local = Connection {
        name: "local".to_owned(),
        kind: ConnectionKind::Embedded,
        detail: "memory".to_owned(),
        region: String::new(),
        read_only,
        durable: false,
        db,
        beside: Beside::default(),
    };
    let shown = Shown {
        model: shipped("follow").unwrap().model,
        firsts: Vec::new(),
    };
    Workbench::new(vec![local], vec![shown])
}

async fn send(
    bench: &Workbench,
    line: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> (StatusCode, Value) {
    let (method, path) = line.split_once(' ').unwrap();
    let mut request = Request::builder()
        .method(method)
        .uri(format!("/graph/v1{path}"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let response = bench
        .answer(request.body(Bytes::from(body)).unwrap())
        .await
        .unwrap();
    let json: Value = serde_json::from_slice(response.body()).unwrap();
    if !response.status().is_success() {
        assert_eq!(
            response.headers()["content-type"],
            "application/problem+json"
        );
        assert_eq!(json["status"], response.status().as_u16());
    }
    (response.status(), json)
}

async fn ask(bench: &Workbench, line: &str, body: Value) -> (u16, Value) {
    let (status, json) = send(bench, line, &[], &body).await;
    (status.as_u16(), json)
}

async fn ready() -> Workbench {
    let bench = bench(false);
    assert_eq!(ask(&bench, "POST /follow/apply", Value::Null).await.0, 201);
    bench
}

#[tokio::test]
async fn every_described_address_is_there_and_answers_what_is_described() {
    let bench = ready().await;
    let (_, api) = ask(&bench, "GET /openapi.json", Value::Null).await;
    ask(&bench, "PUT /follow/entities/actor/b", json!({})).await;
    let (_, begun) = ask(
        &bench,
        "DELETE /follow/entities/actor/b?cascade=true",
        Value::Null,
    )
    .await;
    let job = begun["job"]["id"].as_str().unwrap().to_owned();
    let bench = bench.with_jobs(Arc::new(|_| {}));
    let mut seen = 0;
    for (path, methods) in api["paths"].as_object().unwrap() {
        // Before it is removed again, an edge and an entity have to be there.
        let order = ["post", "put", "get", "patch", "delete"];
        let methods = methods.as_object().unwrap();
        for method in order.iter().filter(|method| methods.contains_key(**method)) {
            let address = path
                .replace("{model}", "follow")
                .replace("{relation}", "follows")
                .replace("{entity}", "actor")
                .replace("{id}", "n")
                .replace("{source}", "s")
                .replace("{target}", "t")
                .replace("{side}", "in")
                .replace("{job}", &job)
                .replace("{how}", "pause");
            let body = match path.as_str() {
                p if p.ends_with("{relation}/get") => {
                    json!({"edges": [{"source": "s", "target": "t"}]})
                }
                p if p.ends_with("{entity}/get") => json!({"ids": ["n"]}),
                "/{model}/jobs" if *method == "post" => json!({"kind": "verify"}),
                p if p.ends_with("/run") || p.ends_with("/import") => Value::Null,
                p if p.ends_with("/batch") => {
                    json!({"edges": [{"do": "link", "relation": "follows", "source": "x", "target": "y"}]})
                }
                _ if *method == "get" || *method == "delete" => Value::Null,
                _ => json!({"attributes": {}}),
            };
            let line = format!("{} {address}", method.to_uppercase());
            if path.ends_with("/run") {
                ask(&bench, &line.replace("/run", "/resume"), Value::Null).await;
            }
            let (status, answer) = ask(&bench, &line, body).await;
            let described = &methods[*method]["responses"];
            assert!(
                status < 300 && !described[status.to_string()].is_null(),
                "{line}: {status} {answer}"
            );
            let schema = &described[status.to_string()]["content"]["application/json"]["schema"];
            for required in schema["required"].as_array().into_iter().flatten() {
                assert!(
                    answer.get(required.as_str().unwrap()).is_some(),
                    "{line}: {required} in {answer}"
                );
            }
            seen += 1;
        }
    }
    assert!(seen >= 18, "{seen}");
}

#[tokio::test]
async fn an_edge_is_linked_listed_counted_changed_and_unlinked() {
    let bench = ready().await;
    let edge = "/follow/edges/follows/ann%2F1/b%C3%B6b";
    let body = json!({"attributes": {"createdAt": 1_718_900_000, "note": {"deep": [1, null]}, "tags": {"$SS": ["a", "b"]}}});
    let (status, made) = ask(&bench, &format!("POST {edge}"), body.clone()).await;
    assert_eq!((status, &made["result"]), (201, &json!("created")));
    assert_eq!(made["edge"]["source"], "ann/1");
    assert_eq!(made["units"]["write"], "7");
    let (status, again) = ask(&bench, &format!("POST {edge}"), body.clone()).await;
    assert_eq!((status, &again["result"]), (200, &json!("unchanged")));
    let (_, read) = ask(&bench, &format!("GET {edge}"), Value::Null).await;
    assert_eq!(
        read["edge"]["attributes"]["note"],
        body["attributes"]["note"]
    );
    assert_eq!(
        read["edge"]["attributes"]["tags"],
        body["attributes"]["tags"]
    );
    ask(
        &bench,
        &format!("PATCH {edge}"),
        json!({"attributes": {"note": null}}),
    )
    .await;
    let (_, read) = ask(&bench, &format!("GET {edge}"), Value::Null).await;
    assert!(read["edge"]["attributes"].get("note").is_none(), "{read}");
    let (_, counts) = ask(
        &bench,
        "GET /follow/nodes/follows/b%C3%B6b/counts",
        Value::Null,
    )
    .await;
    assert_eq!((&counts["in"], &counts["out"]), (&json!(1), &json!(0)));
    assert_eq!(
        ask(&bench, &format!("DELETE {edge}"), Value::Null).await.1["result"],
        "removed"
    );
    let (status, gone) = ask(&bench, &format!("GET {edge}"), Value::Null).await;
    assert_eq!(
        (status, &gone["type"]),
        (404, &json!("urn:bothways:problem:no-edge"))
    );
}

#[tokio::test]
async fn an_operation_under_its_key_is_done_once_and_answers_as_it_did() {
    let bench = ready().await;
    let line = "POST /follow/edges/follows/a/b";
    let key = [("idempotency-key", "op-1")];
    for _ in 0..2 {
        let (status, answer) = send(&bench, line, &key, &json!({})).await;
        assert_eq!(
            (status.as_u16(), &answer["result"]),
            (201, &json!("created"))
        );
    }
    let (_, other) = send(&bench, line, &[("idempotency-key", "op-2")], &json!({})).await;
    assert_eq!(other["result"], "unchanged");
    let (_, counts) = ask(&bench, "GET /follow/nodes/follows/b/counts", Value::Null).await;
    assert_eq!(counts["in"], 1);
}

#[tokio::test]
async fn a_list_goes_forth_and_back_by_its_cursors() {
    let bench = ready().await;
    let edges: Vec<Value> = (0..25)
        .map(|n| json!({"do": "link", "relation": "follows", "source": format!("s{n:02}"), "target": "t"}))
        .collect();
    let (_, done) = ask(&bench, "POST /follow/batch", json!({"edges": edges})).await;
    assert!(
        done["results"]
            .as_array()
            .unwrap()
            .iter()
            .all(|r| r["result"] == "created")
    );
    let (mut after, mut all, mut pages) = (String::new(), Vec::new(), 0);
    loop {
        let line = format!("GET /follow/nodes/follows/t/in?limit=10&hydrate=true{after}");
        let (_, page) = ask(&bench, &line, Value::Null).await;
        let edges = page["edges"].as_array().unwrap();
        assert_eq!(page["peers"].as_array().unwrap().len(), edges.len());
        all.extend(
            edges
                .iter()
                .map(|e| e["source"].as_str().unwrap().to_owned()),
        );
        pages += 1;
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    let wanted: Vec<String> = (0..25).map(|n| format!("s{n:02}")).collect();
    assert_eq!((pages, all), (3, wanted));
}

#[tokio::test]
async fn refusals_have_types_of_their_own() {
    let bench = ready().await;
    ask(&bench, "POST /follow/edges/follows/a/b", json!({})).await;
    for (line, body, status, kind) in [
        ("GET /none", Value::Null, 404, "no-model"),
        (
            "GET /follow/nodes/likes/a/in",
            Value::Null,
            404,
            "no-relation",
        ),
        ("GET /follow/entities/dog/a", Value::Null, 404, "no-entity"),
        (
            "GET /follow/entities/actor/nobody",
            Value::Null,
            404,
            "no-item",
        ),
        ("GET /follow/jobs/none", Value::Null, 404, "no-job"),
        (
            "POST /follow/jobs/none/dance",
            Value::Null,
            404,
            "not-found",
        ),
        (
            "PATCH /follow/edges/follows/a/z",
            json!({"attributes": {"x": 1}}),
            404,
            "no-edge",
        ),
        (
            "DELETE /follow/entities/actor/a",
            Value::Null,
            409,
            "has-edges",
        ),
        (
            "POST /follow/edges/follows/a/c",
            json!({"attribute": {}}),
            400,
            "bad-request",
        ),
        (
            "POST /follow/edges/follows/a/c",
            json!({"attributes": {"PK": "x"}}),
            400,
            "bad-request",
        ),
        (
            "GET /follow/nodes/follows/a/in?limit=0",
            Value::Null,
            400,
            "bad-request",
        ),
        (
            "GET /follow/nodes/follows/a/in?after=%00",
            Value::Null,
            400,
            "bad-request",
        ),
        (
            "GET /follow/nodes/follows/a/in?since=x",
            Value::Null,
            400,
            "bad-request",
        ),
        ("POST /nowhere", Value::Null, 404, "no-model"),
        ("TRACE /follow", Value::Null, 404, "not-found"),
    ] {
        let (got, answer) = ask(&bench, line, body).await;
        let kind = format!("urn:bothways:problem:{kind}");
        assert_eq!(
            (got, answer["type"].as_str()),
            (status, Some(kind.as_str())),
            "{line}: {answer}"
        );
    }
    let (_, no_table) = ask(
        &self::bench(false),
        "POST /follow/edges/follows/a/b",
        json!({}),
    )
    .await;
    assert_eq!(no_table["type"], "urn:bothways:problem:no-table");
    let reader = self::bench(true);
    for line in [
        "POST /follow/edges/follows/a/b",
        "POST /follow/apply",
        "PUT /follow/entities/actor/a",
    ] {
        assert_eq!(ask(&reader, line, json!({})).await.0, 403, "{line}");
    }
}

/// A bench that works on its jobs in tasks of the test's own runtime.
async fn working() -> Workbench {
    ready().await.with_jobs(Arc::new(|work| {
        tokio::spawn(work);
    }))
}

/// A job's end, with patience.
async fn ended(bench: &Workbench, id: &str) -> Value {
    for _ in 0..500 {
        let (_, seen) = ask(bench, &format!("GET /follow/jobs/{id}"), Value::Null).await;
        let state = seen["job"]["state"].as_str().unwrap().to_owned();
        if state != "open" {
            return seen["job"].clone();
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("job {id} does not end");
}

#[tokio::test]
async fn jobs_are_started_watched_and_steered() {
    let bench = working().await;
    for source in ["a", "c", "d"] {
        let line = format!("POST /follow/edges/follows/{source}/b");
        ask(&bench, &line, json!({})).await;
    }
    let start = async |body: Value| ask(&bench, "POST /follow/jobs", body).await;
    let (status, begun) =
        start(json!({"kind": "verify", "repair": true, "grace_seconds": 0})).await;
    assert_eq!(
        (status, &begun["worked_on"]),
        (202, &json!(true)),
        "{begun}"
    );
    let job = ended(&bench, begun["job"]["id"].as_str().unwrap()).await;
    assert_eq!(job["state"], "done", "{job}");
    assert_eq!(job["verified"]["edges"], 3);
    // One that nobody works on is steered, and then worked on when asked.
    let cascade = json!({"kind": "cascade", "entity": "actor", "id": "b", "grace_seconds": 0, "hold_seconds": 0, "work": false});
    let (_, made) = start(cascade).await;
    assert_eq!(made["worked_on"], false);
    let id = made["job"]["id"].as_str().unwrap().to_owned();
    let steer = async |how: &str| {
        ask(
            &bench,
            &format!("POST /follow/jobs/{id}/{how}"),
            Value::Null,
        )
        .await
    };
    assert_eq!(steer("pause").await.1["job"]["state"], "paused");
    assert_eq!(steer("run").await.0, 409);
    assert_eq!(steer("resume").await.1["job"]["state"], "open");
    assert_eq!(steer("run").await.0, 202);
    assert_eq!(ended(&bench, &id).await["state"], "done");
    assert_eq!(steer("cancel").await.0, 409);
    let (_, list) = ask(&bench, "GET /follow/nodes/follows/b/in", Value::Null).await;
    assert_eq!(list["edges"], json!([]));
    // The list of jobs has pages.
    let (_, first) = ask(&bench, "GET /follow/jobs?limit=1", Value::Null).await;
    let next = first["next"].as_str().unwrap();
    let line = format!("GET /follow/jobs?limit=1&after={next}");
    let (_, second) = ask(&bench, &line, Value::Null).await;
    assert_ne!(first["jobs"][0]["id"], second["jobs"][0]["id"]);
    assert_eq!(second["next"], Value::Null);
    for (body, words) in [
        (json!({"kind": "dance"}), "kind is"),
        (json!({"kind": "verify", "dry_run": true}), "dry_run"),
        (json!({"kind": "cascade", "entity": "actor"}), "needs id"),
        (
            json!({"kind": "verify", "read_units": 0}),
            "read_units is 0",
        ),
        (json!({"kind": "verify", "colour": 1}), "colour"),
        (
            json!({"kind": "twins", "relation": "follows", "orphans": "eat"}),
            "orphans is",
        ),
    ] {
        let (status, refused) = start(body).await;
        let detail = refused["detail"].as_str().unwrap();
        assert!(status == 400 && detail.contains(words), "{refused}");
    }
}

#[tokio::test]
async fn what_an_address_does_not_take_is_refused_by_name() {
    let bench = ready().await;
    for (line, words) in [
        (
            "DELETE /follow/entities/actor/a?cascade=maybe",
            "cascade is \"maybe\"",
        ),
        ("DELETE /follow/entities/actor/a?cascad=true", "\"cascad\""),
        ("GET /follow/nodes/follows/a/in?limt=3", "\"limt\""),
        (
            "GET /follow/nodes/follows/a/in?reverse=yes",
            "reverse is \"yes\"",
        ),
        (
            "GET /follow/nodes/follows/a/in?limit=1&limit=2",
            "limit is given more than once",
        ),
        (
            "GET /follow/nodes/follows/a/in?limit=1001",
            "limit is 1001; it is 1 to 1000",
        ),
        ("GET /follow/nodes/follows/a/in?skip=-1", "skip is \"-1\""),
        ("GET /follow/jobs?limit=0", "limit is 0"),
        ("GET /follow/jobs?after=none", "after is \"none\""),
        ("GET /follow?limit=1", "\"limit\""),
        (
            "POST /follow/edges/follows/import?separator=pipe",
            "separator is \"pipe\"",
        ),
    ] {
        let (status, refused) = ask(&bench, line, Value::Null).await;
        let detail = refused["detail"].as_str().unwrap();
        assert!(status == 400 && detail.contains(words), "{line}: {refused}");
    }
}

#[tokio::test]
async fn an_explained_operation_shows_every_request_and_sends_none() {
    let bench = ready().await;
    let line = "POST /follow/edges/follows/a/b";
    let (_, shown) = ask(&bench, &format!("{line}?explain"), json!({})).await;
    let explained = &shown["explained"];
    assert_eq!(explained["requests"][0]["operation"], "TransactWriteItems");
    assert_eq!(
        (&explained["times"], &explained["write_units"]),
        (&json!(1), &json!("7"))
    );
    let (_, counts) = ask(&bench, "GET /follow/nodes/follows/b/counts", Value::Null).await;
    assert_eq!(counts["in"], 0);
    let reader = self::bench(true);
    let (status, _) = ask(&reader, &format!("{line}?explain=true"), json!({})).await;
    assert_eq!(status, 200);
    let (_, made) = ask(&bench, line, json!({})).await;
    assert_eq!(made["units"]["write"], explained["write_units"]);
}

#[tokio::test]
async fn edges_are_loaded_from_the_body() {
    let bench = ready().await;
    let body = "source,target,createdAt\na,b,1718900000\nc,b,1718900001\n,b,1\n";
    for (created, existing) in [(2, 0), (0, 2)] {
        let request = Request::builder()
            .method("POST")
            .uri("/graph/v1/follow/edges/follows/import")
            .body(Bytes::from_static(body.as_bytes()));
        let answer = bench.answer(request.unwrap()).await.unwrap();
        let json: Value = serde_json::from_slice(answer.body()).unwrap();
        assert_eq!(
            (&json["created"], &json["existing"]),
            (&json!(created), &json!(existing))
        );
        assert_eq!(json["rejects"][0]["line"], 4, "{json}");
    }
}
