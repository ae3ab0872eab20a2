//! What a request was said to cost, against what the engine reports that it did, for every request of `requests.json`.
#![allow(clippy::unwrap_used, reason = "a test")]

use bothways_codegen::{Draft, Estimate, Schema, Sizes};
use bothways_core::{Item, json::item_from_slice};
use bothways_engine::{Engine, Options};
use bothways_protocol::{Context, DynamoDb, Operation, Request, Response};
use bothways_store::MemoryStore;
use serde_json::{Value as Json, json};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Poll, Waker};

struct Place {
    db: Engine,
    schemas: Vec<Schema>,
}

fn data(file: &str) -> Json {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(file);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

impl Place {
    fn new() -> Self {
        let options = Options {
            background: false,
            ..Options::default()
        };
        let tables = data("tables.json");
        let place = Self {
            db: Engine::open(Arc::new(MemoryStore::new()), options).unwrap(),
            schemas: tables
                .as_array()
                .unwrap()
                .iter()
                .map(|table| Schema::read(table).unwrap())
                .collect(),
        };
        for table in tables.as_array().unwrap() {
            place.call(Operation::CreateTable, table);
        }
        let edge = |source: &str, target: &str| {
            json!({"PK": {"S": source}, "SK": {"S": target}, "GSI1PK": {"S": target}, "GSI1SK": {"S": source},
                "createdAt": {"N": "1718900000"}, "edgeType": {"S": "FOLLOWS"}})
        };
        for (source, target) in [
            ("ACTOR#alice", "TARGET#bob"),
            ("ACTOR#alice", "TARGET#carol"),
            ("ACTOR#dave", "TARGET#bob"),
        ] {
            place.put("follow", &edge(source, target));
        }
        for follower in 0..150 {
            place.put(
                "follow",
                &edge(&format!("ACTOR#{follower:05}"), "TARGET#star"),
            );
        }
        for profile in ["ACTOR#alice", "ACTOR#bob"] {
            place.put(
                "follow",
                &json!({"PK": {"S": profile}, "SK": {"S": "PROFILE"}}),
            );
        }
        place
    }

    fn put(&self, table: &str, item: &Json) {
        self.call(
            Operation::PutItem,
            &json!({"TableName": table, "Item": item}),
        );
    }

    fn call(&self, operation: Operation, body: &Json) -> Json {
        let request = Request::decode(operation, body.to_string().as_bytes()).unwrap();
        let response = self.send(request);
        let mut bytes = Vec::new();
        response.encode(&mut bytes);
        serde_json::from_slice(&bytes).unwrap()
    }

    /// Nothing in memory waits, so that asking again and again ends.
    fn send(&self, request: Request) -> Response {
        let cx = Context::default();
        let mut answer = pin!(self.db.call(&cx, request));
        let mut polling = std::task::Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready(done) = answer.as_mut().poll(&mut polling) {
                return done.unwrap();
            }
            std::thread::yield_now();
        }
    }

    fn schema(&self, table: &str) -> Option<&Schema> {
        self.schemas.iter().find(|schema| schema.table == table)
    }

    /// Halves of units of all pages, unless there is a limit.
    fn reported(&self, draft: &Draft) -> u64 {
        let (operation, mut body) = (draft.operation(), draft.json());
        body["ReturnConsumedCapacity"] = "TOTAL".into();
        let mut sum = 0;
        loop {
            let answer = self.call(operation, &body);
            sum += units(&answer["ConsumedCapacity"]);
            match &answer["LastEvaluatedKey"] {
                last @ Json::Object(_) if body["Limit"].is_null() => {
                    body["ExclusiveStartKey"] = last.clone();
                }
                _ => return sum,
            }
        }
    }

    /// The items that the request will find, by asking for them with nothing left out.
    fn found(&self, draft: &Draft) -> Vec<Item> {
        let mut body = draft.json();
        let get = |table: &str, key: &Json| {
            let read = self.call(
                Operation::GetItem,
                &json!({"TableName": table, "Key": key, "ConsistentRead": true}),
            );
            Some(read["Item"].clone()).filter(Json::is_object)
        };
        let name = body["TableName"].as_str().unwrap_or_default().to_owned();
        let found: Vec<Json> = match draft.operation() {
            Operation::Query | Operation::Scan => {
                for member in [
                    "FilterExpression",
                    "ProjectionExpression",
                    "Select",
                    "Limit",
                ] {
                    body.as_object_mut().unwrap().remove(member);
                }
                body["ReturnConsumedCapacity"] = "NONE".into();
                used_only(&mut body);
                let answer = self.call(draft.operation(), &body);
                answer["Items"].as_array().unwrap().clone()
            }
            Operation::PutItem => {
                let key = self.key_of(&name, &body["Item"]);
                get(&name, &key).into_iter().collect()
            }
            Operation::BatchGetItem => {
                let tables = body["RequestItems"].as_object().unwrap();
                let keys = tables.iter().flat_map(|(table, part)| {
                    let keys = part["Keys"].as_array().unwrap();
                    keys.iter().map(move |key| (table, key))
                });
                keys.filter_map(|(table, key)| get(table, key)).collect()
            }
            Operation::BatchWriteItem => {
                let tables = body["RequestItems"].as_object().unwrap();
                let writes = tables.iter().flat_map(|(table, part)| {
                    let writes = part.as_array().unwrap();
                    writes.iter().map(move |write| (table, write))
                });
                let old = writes.filter_map(|(table, write)| match &write["PutRequest"] {
                    Json::Object(put) => get(table, &self.key_of(table, &put["Item"])),
                    _ => get(table, &write["DeleteRequest"]["Key"]),
                });
                old.collect()
            }
            Operation::TransactGetItems => {
                let all = body["TransactItems"].as_array().unwrap();
                let read = all.iter().map(|one| &one["Get"]);
                read.filter_map(|one| get(one["TableName"].as_str().unwrap(), &one["Key"]))
                    .collect()
            }
            Operation::ExecuteStatement => {
                let answer = self.call(draft.operation(), &body);
                answer["Items"].as_array().unwrap().clone()
            }
            Operation::TransactWriteItems => {
                let all = body["TransactItems"].as_array().unwrap();
                let actions = all.iter().flat_map(|one| one.as_object().unwrap().values());
                let old = actions.filter_map(|action| {
                    let table = action["TableName"].as_str().unwrap();
                    match &action["Item"] {
                        item @ Json::Object(_) => get(table, &self.key_of(table, item)),
                        _ => get(table, &action["Key"]),
                    }
                });
                old.collect()
            }
            Operation::BatchExecuteStatement | Operation::ExecuteTransaction => Vec::new(),
            _ => get(&name, &body["Key"]).into_iter().collect(),
        };
        found.iter().map(parsed).collect()
    }

    fn key_of(&self, table: &str, item: &Json) -> Json {
        let schema = self.schema(table).unwrap();
        schema
            .keys
            .names()
            .map(|name| (name.to_owned(), item[name].clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}

/// Takes out the names and values that no expression uses any more: they would be refused.
fn used_only(body: &mut Json) {
    let text = body["KeyConditionExpression"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    for member in ["ExpressionAttributeNames", "ExpressionAttributeValues"] {
        let Some(map) = body.get_mut(member).and_then(Json::as_object_mut) else {
            continue;
        };
        map.retain(|name, _| text.contains(name.as_str()));
        if map.is_empty() {
            body.as_object_mut().unwrap().remove(member);
        }
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "units are small and never negative"
)]
fn units(consumed: &Json) -> u64 {
    match consumed {
        Json::Array(all) => all.iter().map(units).sum(),
        one => (one["CapacityUnits"].as_f64().unwrap() * 2.0) as u64,
    }
}

fn parsed(json: &Json) -> Item {
    let text = json.to_string();
    item_from_slice(text.as_bytes()).unwrap().value
}

fn sizes(items: &[Item]) -> Sizes {
    let bytes: usize = items.iter().map(Item::size).sum();
    Sizes {
        items: items.len() as u64,
        bytes: bytes.div_ceil(items.len().max(1)) as u64,
    }
}

fn holds(name: &str, estimate: Estimate, reported: u64) {
    let said = format!("{name}: {estimate:?}, reported {reported} halves");
    assert!(estimate.least.0 <= reported, "{said}");
    assert!(
        estimate.most.is_none_or(|most| reported <= most.0),
        "{said}"
    );
    assert!(estimate.likely.0.abs_diff(reported) <= 2, "{said}");
}

/// Checks one request, and carries it out.
fn check(place: &Place, name: &str, table: &str, draft: &Draft) -> bool {
    let known = sizes(&place.found(draft));
    let explain = |sizes| draft.explain(place.schema(table), None, sizes).estimate;
    let (by_itself, told) = (explain(None), explain(Some(known)));
    let reported = place.reported(draft);
    if let Some(estimate) = told {
        holds(name, estimate, reported);
    }
    // Nobody told: what is replaced may cost more.
    if let Some(estimate) = by_itself {
        assert!(estimate.least.0 <= reported, "{name}");
        assert!(
            estimate.most.is_none_or(|most| reported <= most.0),
            "{name}"
        );
    }
    told.is_some()
}

#[test]
fn an_estimate_is_within_one_unit_of_what_is_reported() {
    let place = Place::new();
    let mut unsaid = Vec::new();
    for case in data("requests.json").as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let draft = Draft::read(&case["request"].to_string(), None).unwrap();
        if !check(&place, name, case["table"].as_str().unwrap(), &draft) {
            unsaid.push(name.to_owned());
        }
    }
    // What an update leaves of an item, no request tells; nor which of several statements reads what.
    let silent = [
        "transact-follow",
        "transact-check",
        "transact-statement",
        "batch-statement",
    ];
    let tells = |name: &String| !name.starts_with("update-") && !silent.contains(&name.as_str());
    unsaid.retain(tells);
    assert!(unsaid.is_empty(), "{unsaid:?}");
}

#[test]
fn large_items_cost_what_was_said() {
    let place = Place::new();
    let item = |number: usize, bytes: usize| {
        json!({"owner": {"S": "big"}, "number": {"N": number.to_string()}, "name": {"S": "n"},
            "pad": {"S": "x".repeat(bytes)}})
    };
    let run = |name: &str, operation: Operation, body: &Json| {
        let draft = Draft::read(&body.to_string(), Some(operation)).unwrap();
        assert!(check(&place, name, "things", &draft), "{name}");
    };
    for (number, bytes) in [900, 1000, 1024, 4096, 10_000, 300_000]
        .into_iter()
        .enumerate()
    {
        let put = |bytes| json!({"TableName": "things", "Item": item(number, bytes)});
        run("put", Operation::PutItem, &put(bytes));
        run("put larger", Operation::PutItem, &put(bytes + 3000));
        run("put smaller", Operation::PutItem, &put(bytes));
        let key = json!({"owner": {"S": "big"}, "number": {"N": number.to_string()}});
        for strong in [false, true] {
            let get = json!({"TableName": "things", "Key": key, "ConsistentRead": strong});
            run("get", Operation::GetItem, &get);
        }
        run(
            "delete",
            Operation::DeleteItem,
            &json!({"TableName": "things", "Key": key}),
        );
    }
    // One large item and one small: which of them a write replaces, the average does not tell.
    place.put("things", &item(1, 9000));
    let put = |number| json!({"PutRequest": {"Item": item(number, 10)}});
    let batch = json!({"RequestItems": {"things": [put(1), put(2)]}});
    let draft = Draft::read(&batch.to_string(), Some(Operation::BatchWriteItem)).unwrap();
    let explained = draft.explain(
        place.schema("things"),
        None,
        Some(sizes(&place.found(&draft))),
    );
    let (estimate, reported) = (explained.estimate.unwrap(), place.reported(&draft));
    assert!(estimate.least.0 <= reported && reported <= estimate.most.unwrap().0);
    for number in 0..700 {
        place.put("things", &item(number, 4000));
    }
    let query = json!({"TableName": "things", "KeyConditionExpression": "#o = :o",
        "ExpressionAttributeNames": {"#o": "owner"}, "ExpressionAttributeValues": {":o": {"S": "big"}}});
    let known = Sizes {
        items: 700,
        bytes: parsed(&item(100, 4000)).size() as u64,
    };
    for (limit, strong) in [
        (None, false),
        (None, true),
        (Some(10), true),
        (Some(690), false),
    ] {
        let mut body = query.clone();
        body["ConsistentRead"] = strong.into();
        if let Some(limit) = limit {
            body["Limit"] = limit.into();
        }
        let draft = Draft::read(&body.to_string(), Some(Operation::Query)).unwrap();
        let estimate = draft
            .explain(place.schema("things"), None, Some(known))
            .estimate
            .unwrap();
        holds(
            &format!("query {limit:?}"),
            estimate,
            place.reported(&draft),
        );
    }
}
