//! Runs the programs that the expression builder prints for this project's own Rust API, against the server that
//! `AWS_ENDPOINT_URL_DYNAMODB` names: a line of the input names one; what it finds is printed as DynamoDB JSON, an item
//! a line, and `--` ends it.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing is what the programs are for"
)]

use bothways_client::{Client, Config};
use bothways_core::Item;
use bothways_protocol::{DynamoDb, Error};

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

fn show(item: &Item) {
    let mut line = Vec::new();
    item.write_json(&mut line);
    println!("{}", String::from_utf8_lossy(&line));
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let endpoint = std::env::var("AWS_ENDPOINT_URL_DYNAMODB")?;
    let runtime = tokio::runtime::Runtime::new()?;
    let entered = runtime.enter();
    let client = Client::new(Config::new(endpoint.parse()?))?;
    drop(entered);
    for name in std::io::stdin().lines() {
        runtime.block_on(run(&name?, &client))?;
        println!("--");
    }
    Ok(())
}
