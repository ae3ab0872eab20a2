//! What a request was said to cost, against what the engine reports that it did, for every request of `requests.json`.
#![allow(clippy::unwrap_used, reason = "a test")]

use bothways_codegen::{Draft, Estimate, Extent, Schema, Sizes};
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

    /// Halves of units of each page, of the first one where there is a limit.
    fn reported(&self, draft: &Draft) -> Vec<u64> {
        let (operation, mut body) = (draft.operation(), draft.json());
        body["ReturnConsumedCapacity"] = "TOTAL".into();
        let mut pages = Vec::new();
        loop {
            let answer = self.call(operation, &body);
            pages.push(units(&answer["ConsumedCapacity"]));
            match &answer["LastEvaluatedKey"] {
                last @ Json::Object(_) if body["Limit"].is_null() => {
                    body["ExclusiveStartKey"] = last.clone();
                }
                _ => return pages,
            }
        }
    }

    /// Bytes of the items that the request will find, by asking for them with nothing left out: for each key, or in order.
    fn found(&self, draft: &Draft) -> Vec<u64> {
        let mut body = draft.json();
        let get = |table: &str, key: &Json| {
            let read = self.call(
                Operation::GetItem,
                &json!({"TableName": table, "Key": key, "ConsistentRead": true}),
            );
            bytes(&read["Item"])
        };
        let by_names = |key: &Json| {
            let text = json!({"ConsistentRead": true, "Statement": key["Statement"], "Parameters": key["Parameters"]});
            let mut text = text.as_object().unwrap().clone();
            text.retain(|_, value| !value.is_null());
            let whole = text["Statement"]
                .as_str()
                .unwrap()
                .replace("\"name\" FROM", "* FROM");
            text["Statement"] = whole.into();
            let answer = self.call(Operation::ExecuteStatement, &text.into());
            bytes(&answer["Items"][0])
        };
        let array = |json: &Json| json.as_array().unwrap().clone();
        let name = body["TableName"].as_str().unwrap_or_default().to_owned();
        match draft.operation() {
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
                self.rows(draft.operation(), body)
            }
            Operation::PutItem => vec![get(&name, &self.key_of(&name, &body["Item"]))],
            Operation::BatchGetItem => {
                let tables = body["RequestItems"].as_object().unwrap();
                let keys = tables.iter().flat_map(|(table, part)| {
                    array(&part["Keys"])
                        .into_iter()
                        .map(move |key| (table, key))
                });
                keys.map(|(table, key)| get(table, &key)).collect()
            }
            Operation::BatchWriteItem => {
                let tables = body["RequestItems"].as_object().unwrap();
                let writes = tables.iter().flat_map(|(table, part)| {
                    array(part).into_iter().map(move |write| (table, write))
                });
                let old = writes.map(|(table, write)| match &write["PutRequest"] {
                    Json::Object(put) => get(table, &self.key_of(table, &put["Item"])),
                    _ => get(table, &write["DeleteRequest"]["Key"]),
                });
                old.collect()
            }
            Operation::TransactGetItems => {
                let all = array(&body["TransactItems"]);
                let read = all.iter().map(|one| &one["Get"]);
                read.map(|one| get(one["TableName"].as_str().unwrap(), &one["Key"]))
                    .collect()
            }
            Operation::ExecuteStatement => {
                let answer = self.call(draft.operation(), &body);
                array(&answer["Items"]).iter().map(bytes).collect()
            }
            Operation::TransactWriteItems => {
                let all = array(&body["TransactItems"]);
                let actions = all.iter().flat_map(|one| one.as_object().unwrap().values());
                let old = actions.map(|action| {
                    let table = action["TableName"].as_str().unwrap();
                    match &action["Item"] {
                        item @ Json::Object(_) => get(table, &self.key_of(table, item)),
                        _ => get(table, &action["Key"]),
                    }
                });
                old.collect()
            }
            Operation::BatchExecuteStatement => {
                array(&body["Statements"]).iter().map(by_names).collect()
            }
            Operation::ExecuteTransaction => array(&body["TransactStatements"])
                .iter()
                .map(by_names)
                .collect(),
            _ => vec![get(&name, &body["Key"])],
        }
    }

    /// Bytes of the rows of all pages.
    fn rows(&self, operation: Operation, mut body: Json) -> Vec<u64> {
        let mut rows = Vec::new();
        loop {
            let answer = self.call(operation, &body);
            rows.extend(answer["Items"].as_array().unwrap().iter().map(bytes));
            match &answer["LastEvaluatedKey"] {
                last @ Json::Object(_) => body["ExclusiveStartKey"] = last.clone(),
                _ => return rows,
            }
        }
    }

    /// What the table's description tells of the items.
    fn described(&self, draft: &Draft, table: &str) -> Option<Sizes> {
        let described = self.call(Operation::DescribeTable, &json!({ "TableName": table }));
        Sizes::described(draft.request(), &described)
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

/// 0 where there is no item.
fn bytes(item: &Json) -> u64 {
    if item.is_object() {
        parsed(item).size() as u64
    } else {
        0
    }
}

/// Halves of units, of either kind: every request here uses one.
fn contains(name: &str, estimate: Estimate, reported: u64) {
    let said = format!("{name}: {estimate:?}, reported {reported} halves");
    let (read, write) = (estimate.read, estimate.write);
    assert!(read.least.0 + write.least.0 <= reported, "{said}");
    if let Some((read, write)) = read.most.zip(write.most) {
        assert!(reported <= read.0 + write.0, "{said}");
    }
}

/// Checks one request, and carries it out. Whether it cost within a unit of what was said.
fn check(place: &Place, name: &str, table: &str, draft: &Draft) -> bool {
    let known = Sizes::Measured(place.found(draft));
    let average = place.described(draft, table);
    let explain = |sizes| draft.explain(place.schema(table), None, sizes).estimate;
    let (by_itself, by_average) = (explain(None), explain(average.as_ref()));
    let told = explain(Some(&known)).unwrap_or_else(|| panic!("{name}: no estimate"));
    let pages = place.reported(draft);
    let all = pages.iter().sum();
    contains(name, told, all);
    let likely = told.read.likely.unwrap() + told.write.likely.unwrap();
    let near = likely.0.abs_diff(all) <= 2;
    for estimate in by_itself.into_iter().chain(by_average) {
        match estimate.of {
            Extent::Page => pages
                .iter()
                .for_each(|page| contains(name, estimate, *page)),
            _ => contains(name, estimate, all),
        }
    }
    near
}

#[test]
fn an_estimate_is_within_one_unit_of_what_is_reported() {
    let place = Place::new();
    for case in data("requests.json").as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let draft = Draft::read(&case["request"].to_string(), None).unwrap();
        assert!(
            check(&place, name, case["table"].as_str().unwrap(), &draft),
            "{name}"
        );
    }
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
    for number in 0..700 {
        place.put("things", &item(number, 4000));
    }
    let query = json!({"TableName": "things", "KeyConditionExpression": "#o = :o",
        "ExpressionAttributeNames": {"#o": "owner"}, "ExpressionAttributeValues": {":o": {"S": "big"}}});
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
        let average = place.described(&draft, "things");
        assert!(check(&place, "query", "things", &draft), "{limit:?}");
        assert!(average.is_some());
    }
}

#[test]
fn uneven_items_stay_within_what_an_average_allows() {
    let place = Place::new();
    let item = |number: usize, bytes: usize| {
        json!({"owner": {"S": "ann"}, "number": {"N": number.to_string()}, "name": {"S": "n"},
            "pad": {"S": "x".repeat(bytes)}})
    };
    for number in 0..99 {
        place.put("things", &item(number, 20));
    }
    place.put("things", &item(99, 300_000));
    let of_things = |operation: Operation, mut body: Json| {
        body["TableName"] = "things".into();
        let draft = Draft::read(&body.to_string(), Some(operation)).unwrap();
        let near = check(&place, &draft.json().to_string(), "things", &draft);
        // What an update leaves of an item, and which rows of indexes change, only a range tells.
        let writes = matches!(
            operation,
            Operation::PutItem | Operation::UpdateItem | Operation::DeleteItem
        );
        assert!(near || writes, "{}", draft.json());
    };
    let key = |number: usize| json!({"owner": {"S": "ann"}, "number": {"N": number.to_string()}});
    for number in [0, 99, 700] {
        of_things(Operation::GetItem, json!({"Key": key(number)}));
        for (update, value) in [
            ("SET price = :v", json!({"N": "1"})),
            ("SET #n = :v", json!({"S": "moved"})),
            ("SET chunk = :v", json!({"S": "y".repeat(30_000)})),
            (
                "SET texts = list_append(if_not_exists(texts, :v), :v)",
                json!({"L": [{"S": "z".repeat(3000)}]}),
            ),
            ("SET mirrored = if_not_exists(chunk, :v)", json!({"S": ""})),
            ("ADD visits :v", json!({"N": "1"})),
            ("REMOVE #n ADD tags :v", json!({"SS": ["a"]})),
        ] {
            let mut body = json!({"Key": key(number), "UpdateExpression": update,
                "ExpressionAttributeValues": {":v": value}});
            if update.contains("#n") {
                body["ExpressionAttributeNames"] = json!({"#n": "name"});
            }
            of_things(Operation::UpdateItem, body);
        }
        of_things(Operation::PutItem, json!({"Item": item(number, 5000)}));
        of_things(Operation::DeleteItem, json!({"Key": key(number)}));
        place.put(
            "things",
            &item(number, if number == 99 { 300_000 } else { 20 }),
        );
    }
    of_things(Operation::Scan, json!({}));
    for limit in [1, 50, 100, 200] {
        of_things(Operation::Scan, json!({"Limit": limit}));
        let mut query = json!({"KeyConditionExpression": "#o = :o", "Limit": limit, "ScanIndexForward": true,
            "ExpressionAttributeNames": {"#o": "owner"}, "ExpressionAttributeValues": {":o": {"S": "ann"}}});
        of_things(Operation::Query, query.clone());
        query["ScanIndexForward"] = false.into();
        query["IndexName"] = "by-name".into();
        of_things(Operation::Query, query);
    }
}
