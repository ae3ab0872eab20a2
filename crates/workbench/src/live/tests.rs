//! What is kept, what is not, and that the caller's answer is what it would have been.

use super::*;
use bothways_engine::{Engine, Options};
use bothways_graph::Graph;
use bothways_graph::model::shipped;
use bothways_protocol::Operation;
use bothways_store::MemoryStore;

async fn follow() -> (Live, Arc<dyn DynamoDb>, Arc<dyn DynamoDb>) {
    let engine = Engine::open(Arc::new(MemoryStore::new()), Options::default()).unwrap();
    let plain: Arc<dyn DynamoDb> = Arc::new(engine);
    let graph = Graph::new(Arc::clone(&plain), shipped("follow").unwrap().model).unwrap();
    graph.apply(&Context::default()).await.unwrap();
    let live = Live::default();
    let over = live.over(Arc::clone(&plain));
    (live, plain, over)
}

async fn send(db: &dyn DynamoDb, operation: Operation, input: &str) -> Result<Vec<u8>, Error> {
    let cx = Context {
        access_key: "AKIASECRET".to_owned(),
        ..Context::default()
    };
    let request = Request::decode(operation, input.as_bytes()).unwrap();
    let mut out = Vec::new();
    db.call(&cx, request).await?.encode(&mut out);
    Ok(out)
}

#[tokio::test]
async fn nothing_is_kept_until_somebody_looks_and_no_answer_changes() {
    let (live, plain, over) = follow().await;
    let put =
        r#"{"TableName": "follow", "Item": {"PK": {"S": "A"}, "SK": {"S": "B"}, "n": {"N": "1"}}}"#;
    send(&*over, Operation::PutItem, put).await.unwrap();
    assert_eq!(live.after(0).last, 0);
    for (operation, input, key, units) in [
        (Operation::PutItem, put, Some("PK = A, SK = B"), (0, 2)),
        (
            Operation::GetItem,
            r#"{"TableName": "follow", "Key": {"PK": {"S": "A"}, "SK": {"S": "B"}}}"#,
            Some("PK = A, SK = B"),
            (1, 0),
        ),
        (
            Operation::Query,
            r#"{"TableName": "follow", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "A"}}}"#,
            Some("PK = A"),
            (1, 0),
        ),
        (
            Operation::Scan,
            r#"{"TableName": "follow", "ReturnConsumedCapacity": "TOTAL"}"#,
            None,
            (1, 0),
        ),
        (
            Operation::ExecuteStatement,
            r#"{"Statement": "SELECT * FROM follow WHERE PK = 'A'"}"#,
            Some("SELECT * FROM follow WHERE PK = 'A'"),
            (1, 0),
        ),
    ] {
        let direct = send(&*plain, operation, input).await.unwrap();
        assert_eq!(send(&*over, operation, input).await.unwrap(), direct);
        let kept = live.after(0).requests.pop().unwrap();
        assert_eq!(kept.operation, Some(operation));
        assert_eq!(kept.tables, ["follow"], "{input}");
        assert_eq!(kept.key.as_deref(), key);
        assert_eq!((kept.read.0, kept.write.0), units, "{input}");
        assert_eq!(kept.output.as_deref(), Some(&direct[..]));
        let input = String::from_utf8(kept.input.clone().unwrap()).unwrap();
        assert!(!input.contains("AKIASECRET"));
    }
}

#[tokio::test]
async fn what_is_kept_is_bounded_and_says_what_it_lost() {
    let (live, _, over) = follow().await;
    live.after(0);
    let long = "x".repeat(50_000);
    let put = format!(
        r#"{{"TableName": "follow", "Item": {{"PK": {{"S": "A"}}, "SK": {{"S": "B"}}, "x": {{"S": "{long}"}}}}}}"#
    );
    for _ in 0..300 {
        send(&*over, Operation::PutItem, &put).await.unwrap();
    }
    let refused = send(
        &*over,
        Operation::GetItem,
        r#"{"TableName": "nowhere", "Key": {"a": {"S": "b"}}}"#,
    )
    .await;
    assert!(refused.is_err());
    let page = live.after(0);
    assert_eq!(page.last, 301);
    assert!(page.requests.len() < 200, "{}", page.requests.len());
    assert_eq!(page.missed + page.requests.len() as u64, 301);
    assert!(page.requests.last().unwrap().error.is_some());
    assert!(live.one(1).is_none() && live.one(301).is_some());
    let next = live.after(300);
    assert_eq!((next.requests.len(), next.missed), (1, 0));
    assert_eq!(live.after(301).requests.len(), 0);
}
