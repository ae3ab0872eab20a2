//! What `run` says that a request will cost, against what the server then reports.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use serde_json::{Value as Json, json};
use support::Server;

/// Runs a request. `about 1 RCU` must be within one unit of what was used; `0.5 to 50 RCU` must contain it.
fn check(server: &Server, operation: &str, request: &Json, said: &str) {
    let ran = server.run(&["run", &json!({ operation: request }).to_string(), "--json"]);
    let report = ran.done().json();
    let sentence = report["sentence"].as_str().unwrap();
    let cost = sentence.rsplit_once("; ").unwrap().1.trim_end_matches('.');
    assert_eq!(cost, said, "{operation} {:.60}", request.to_string());
    let unit = if cost.contains("RCU") {
        "read_units"
    } else {
        "write_units"
    };
    let used: f64 = report[unit].as_str().unwrap().parse().unwrap();
    let number = |text: &str| text.split(' ').next().unwrap().parse::<f64>().unwrap();
    let (least, most) = if let Some(one) = cost.strip_prefix("about ") {
        (number(one) - 1.0, number(one) + 1.0)
    } else {
        let (least, most) = cost.split_once(" to ").unwrap();
        (number(least), number(most))
    };
    assert!((least..=most).contains(&used), "{said}: used {used}");
}

/// 99 items of about 50 bytes, and one of 300 KB.
fn uneven() -> Server {
    let server = Server::start(&["--memory"]);
    let run = |operation: &str, request: &Json| {
        let text = json!({ operation: request }).to_string();
        server.run(&["run", &text]).done();
    };
    let table = json!({"TableName": "uneven", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "N"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]});
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("table.json");
    std::fs::write(&file, table.to_string()).unwrap();
    let file = file.to_str().unwrap();
    server.run(&["table", "uneven", "--from", file]).done();
    let put = |id: usize, bytes: usize| json!({"PutRequest": {"Item": {"id": {"N": id.to_string()}, "pad": {"S": "x".repeat(bytes)}}}});
    for part in 0..4 {
        let ids = part * 25..part * 25 + 25;
        let puts: Vec<Json> = ids.filter(|id| *id != 99).map(|id| put(id, 40)).collect();
        run("BatchWriteItem", &json!({"RequestItems": {"uneven": puts}}));
    }
    let large = dir.path().join("large.json");
    let text = json!({"BatchWriteItem": {"RequestItems": {"uneven": [put(99, 300_000)]}}});
    std::fs::write(&large, text.to_string()).unwrap();
    server.run(&["run", large.to_str().unwrap()]).done();
    server
}

#[test]
fn what_a_request_costs_lies_within_what_was_said() {
    let server = uneven();
    let check = |operation: &str, mut request: Json, said: &str| {
        if operation != "BatchGetItem" {
            request["TableName"] = "uneven".into();
        }
        check(&server, operation, &request, said);
    };
    let key = |id: &str| json!({"id": {"N": id}});
    for id in ["5", "99", "700"] {
        check(
            "GetItem",
            json!({ "Key": key(id) }),
            "0.5 to 37.5 RCU, about 0.5 for average items",
        );
    }
    check("Scan", json!({}), "about 37.5 RCU");
    for limit in [1, 100, 200] {
        let likely = if limit == 1 { "0.5" } else { "37.5" };
        let said = format!("0.5 to 37.5 RCU a page, about {likely} for average items");
        check("Scan", json!({ "Limit": limit }), &said);
    }
    check(
        "Query",
        json!({"KeyConditionExpression": "id = :i", "ExpressionAttributeValues": {":i": {"N": "99"}}}),
        "0.5 to 37.5 RCU",
    );
    check(
        "BatchGetItem",
        json!({"RequestItems": {"uneven": {"Keys": [key("1"), key("99"), key("800")], "ConsistentRead": true}}}),
        "3 to 77 RCU, about 3 for average items",
    );
    // Each of them changes the table, and with it what is said of the next.
    let note = |id: &str, said: &str| {
        let update = json!({"Key": key(id), "UpdateExpression": "SET note = :n",
            "ExpressionAttributeValues": {":n": {"S": "y".repeat(2000)}}});
        check("UpdateItem", update, said);
    };
    note("5", "2 to 300 WCU, about 3 for average items");
    note("99", "2 to 302 WCU, about 3 for average items");
    note("700", "2 to 304 WCU, about 4 for average items");
    check(
        "PutItem",
        json!({"Item": {"id": {"N": "99"}}}),
        "1 to 304 WCU, about 1 where nothing is replaced",
    );
    check(
        "DeleteItem",
        json!({ "Key": key("5") }),
        "1 to 9 WCU, about 1 for average items",
    );
}
