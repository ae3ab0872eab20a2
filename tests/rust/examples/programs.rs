//! Runs the programs that the expression builder prints in Rust: a line of the input names one; what it finds is
//! printed as DynamoDB JSON, an item a line, and `--` ends it.

use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, SharedCredentialsProvider};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_types::SdkConfig;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value as Json, json};
use std::collections::HashMap;

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// What the environment says, as `aws_config::load_from_env` reads it, without TLS.
fn settings() -> SdkConfig {
    let endpoint = std::env::var("AWS_ENDPOINT_URL_DYNAMODB").expect("it names the server");
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(endpoint)
        .region(Region::new("eu-west-2"))
        .credentials_provider(SharedCredentialsProvider::new(Credentials::new(
            "local", "local", None, None, "test",
        )))
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build()
}

fn base64(blob: &Blob) -> Json {
    Json::from(BASE64_STANDARD.encode(blob.as_ref()))
}

fn value(of: &AttributeValue) -> Json {
    match of {
        AttributeValue::B(blob) => json!({"B": base64(blob)}),
        AttributeValue::Bool(yes) => json!({"BOOL": yes}),
        AttributeValue::Bs(blobs) => json!({"BS": blobs.iter().map(base64).collect::<Vec<_>>()}),
        AttributeValue::L(values) => json!({"L": values.iter().map(value).collect::<Vec<_>>()}),
        AttributeValue::M(item) => json!({"M": attributes(item)}),
        AttributeValue::N(number) => json!({"N": number}),
        AttributeValue::Ns(numbers) => json!({"NS": numbers}),
        AttributeValue::Null(yes) => json!({"NULL": yes}),
        AttributeValue::S(text) => json!({"S": text}),
        AttributeValue::Ss(texts) => json!({"SS": texts}),
        other => panic!("{other:?}"),
    }
}

fn attributes(item: &HashMap<String, AttributeValue>) -> Json {
    item.iter()
        .map(|(name, of)| (name.clone(), value(of)))
        .collect()
}

fn show(item: &HashMap<String, AttributeValue>) {
    println!("{}", attributes(item));
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    for name in std::io::stdin().lines() {
        run(&name?).await?;
        println!("--");
    }
    Ok(())
}
