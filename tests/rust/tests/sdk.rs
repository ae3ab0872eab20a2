//! The main job in its short form, through the AWS SDK for Rust. `BOTHWAYS_ENDPOINT` names the server.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, Region, retry::RetryConfig};
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, GlobalSecondaryIndex, KeySchemaElement,
    KeyType, Projection, ProjectionType, Put, ScalarAttributeType, TransactWriteItem, Update,
};
use std::collections::HashMap;

type Item = HashMap<String, AttributeValue>;

fn client() -> Client {
    let endpoint = std::env::var("BOTHWAYS_ENDPOINT").expect("BOTHWAYS_ENDPOINT names the server");
    let config = aws_sdk_dynamodb::Config::builder()
        .endpoint_url(endpoint)
        .region(Region::new("eu-west-2"))
        .credentials_provider(Credentials::new("local", "local", None, None, "test"))
        .retry_config(RetryConfig::disabled())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build();
    Client::from_conf(config)
}

fn s(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

fn key(partition: &str, sort: &str) -> Vec<KeySchemaElement> {
    [(partition, KeyType::Hash), (sort, KeyType::Range)]
        .map(|(name, kind)| {
            KeySchemaElement::builder()
                .attribute_name(name)
                .key_type(kind)
                .build()
                .unwrap()
        })
        .to_vec()
}

async fn create_follow_table(client: &Client) -> String {
    let table = format!("rust-{}", std::process::id());
    let index = GlobalSecondaryIndex::builder()
        .index_name("GSI1")
        .set_key_schema(Some(key("GSI1PK", "GSI1SK")))
        .projection(
            Projection::builder()
                .projection_type(ProjectionType::All)
                .build(),
        )
        .build()
        .unwrap();
    let attributes = ["PK", "SK", "GSI1PK", "GSI1SK"].map(|name| {
        AttributeDefinition::builder()
            .attribute_name(name)
            .attribute_type(ScalarAttributeType::S)
            .build()
            .unwrap()
    });
    client
        .create_table()
        .table_name(&table)
        .billing_mode(BillingMode::PayPerRequest)
        .set_attribute_definitions(Some(attributes.to_vec()))
        .set_key_schema(Some(key("PK", "SK")))
        .global_secondary_indexes(index)
        .send()
        .await
        .unwrap();
    use aws_sdk_dynamodb::client::Waiters;
    client
        .wait_until_table_exists()
        .table_name(&table)
        .wait(std::time::Duration::from_secs(20))
        .await
        .unwrap();
    table
}

fn edge(source: &str, target: &str) -> Item {
    [
        ("PK", s(format!("ACTOR#{source}"))),
        ("SK", s(format!("TARGET#{target}"))),
        ("GSI1PK", s(format!("TARGET#{target}"))),
        ("GSI1SK", s(format!("ACTOR#{source}"))),
        ("createdAt", AttributeValue::N("1718900000".to_owned())),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

fn count(table: &str, actor: &str, counter: &str) -> TransactWriteItem {
    let update = Update::builder()
        .table_name(table)
        .key("PK", s(format!("ACTOR#{actor}")))
        .key("SK", s("PROFILE"))
        .update_expression("ADD #c :one")
        .expression_attribute_names("#c", counter)
        .expression_attribute_values(":one", AttributeValue::N("1".to_owned()))
        .build()
        .unwrap();
    TransactWriteItem::builder().update(update).build()
}

fn follow(table: &str, source: &str, target: &str) -> Vec<TransactWriteItem> {
    let put = Put::builder()
        .table_name(table)
        .set_item(Some(edge(source, target)))
        .condition_expression("attribute_not_exists(PK)")
        .build()
        .unwrap();
    vec![
        TransactWriteItem::builder().put(put).build(),
        count(table, source, "following"),
        count(table, target, "followers"),
    ]
}

async fn list(
    client: &Client,
    table: &str,
    index: Option<&str>,
    value: &str,
    show: &str,
) -> Vec<String> {
    let partition = if index.is_some() { "GSI1PK" } else { "PK" };
    let pages = client
        .query()
        .table_name(table)
        .set_index_name(index.map(str::to_owned))
        .key_condition_expression("#p = :v")
        .filter_expression("attribute_exists(createdAt)")
        .expression_attribute_names("#p", partition)
        .expression_attribute_values(":v", s(value))
        .limit(1)
        .into_paginator()
        .items()
        .send();
    let items: Vec<Item> = pages.collect::<Result<_, _>>().await.unwrap();
    items
        .iter()
        .map(|item| item[show].as_s().unwrap().clone())
        .collect()
}

#[tokio::test]
async fn an_edge_is_followed_read_both_ways_refused_twice_and_taken_back() {
    let client = client();
    let table = create_follow_table(&client).await;
    for (source, target) in [("alice", "bob"), ("alice", "carol"), ("dave", "bob")] {
        let items = Some(follow(&table, source, target));
        client
            .transact_write_items()
            .set_transact_items(items)
            .send()
            .await
            .unwrap();
    }
    let out = list(&client, &table, None, "ACTOR#alice", "SK").await;
    assert_eq!(out, ["TARGET#bob", "TARGET#carol"]);
    let into = list(&client, &table, Some("GSI1"), "TARGET#bob", "PK").await;
    assert_eq!(into, ["ACTOR#alice", "ACTOR#dave"]);

    let again = Some(follow(&table, "alice", "bob"));
    let refused = client
        .transact_write_items()
        .set_transact_items(again)
        .send()
        .await;
    let refused = refused.unwrap_err().into_service_error();
    assert!(refused.is_transaction_canceled_exception(), "{refused:?}");
    let put = client
        .put_item()
        .table_name(&table)
        .set_item(Some(edge("alice", "bob")))
        .condition_expression("attribute_not_exists(PK)");
    let refused = put.send().await.unwrap_err().into_service_error();
    assert!(refused.is_conditional_check_failed_exception());
    assert_eq!(refused.message(), Some("The conditional request failed"));

    client
        .delete_item()
        .table_name(&table)
        .key("PK", s("ACTOR#alice"))
        .key("SK", s("TARGET#bob"))
        .send()
        .await
        .unwrap();
    let into = list(&client, &table, Some("GSI1"), "TARGET#bob", "PK").await;
    assert_eq!(into, ["ACTOR#dave"]);
}

#[tokio::test]
async fn an_unknown_table_is_an_error_of_its_own_type() {
    let missing = client().describe_table().table_name("nowhere").send().await;
    let missing = missing.unwrap_err().into_service_error();
    assert!(missing.is_resource_not_found_exception());
    assert_eq!(
        missing.message(),
        Some("Requested resource not found: Table: nowhere not found")
    );
}
