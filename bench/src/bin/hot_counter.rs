//! Many clients adding to one counter, durably: updates per second and per sync.
//!
//! usage: hot-counter [DIR]

use bothways_bench::{counted_sync, raw_sync};
use bothways_core::{Item, Number, Value};
use bothways_engine::{Engine, Options as EngineOptions};
use bothways_protocol::types::{
    AttributeDefinition, BillingMode, CreateTableInput, KeyRole, KeySchemaElement,
    ScalarAttributeType, UpdateItemInput,
};
use bothways_protocol::{Context, DynamoDbExt};
use bothways_store::{DiskStore, Options, Store};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const CLIENTS: usize = 64;
const TIME: Duration = Duration::from_secs(5);

fn main() -> Result<(), Box<dyn Error>> {
    let root = match std::env::args().nth(1) {
        Some(dir) => tempfile::tempdir_in(dir)?,
        None => tempfile::tempdir()?,
    };
    let raw = raw_sync(root.path())?;
    println!(
        "raw fdatasync, median  {:.3} ms; {CLIENTS} clients, one counter",
        raw.as_secs_f64() * 1e3
    );
    for slower in [0, 1, 2, 5] {
        let dir = root.path().join(format!("slower{slower}"));
        let (updates, syncs, took) = run(&dir, Duration::from_millis(slower))?;
        println!(
            "sync + {slower} ms: {:>8.0} updates/s, {syncs:>6} syncs, {:>5.1} updates a sync",
            updates as f64 / took.as_secs_f64(),
            updates as f64 / syncs.max(1) as f64
        );
    }
    Ok(())
}

fn run(dir: &Path, slower: Duration) -> Result<(u64, u64, Duration), Box<dyn Error>> {
    let syncs = Arc::new(AtomicU64::new(0));
    let options = Options {
        sync: Some(counted_sync(&syncs, slower)),
        ..Options::default()
    };
    let store: Arc<dyn Store> = Arc::new(DiskStore::open(dir, options)?);
    let engine = Arc::new(Engine::open(store, EngineOptions::default())?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        engine.create_table(&Context::default(), table()).await?;
        let (before, started) = (syncs.load(Ordering::Relaxed), Instant::now());
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                let engine = Arc::clone(&engine);
                tokio::spawn(async move {
                    let mut updates = 0;
                    while started.elapsed() < TIME {
                        engine.update_item(&Context::default(), add_one()).await?;
                        updates += 1;
                    }
                    Ok::<u64, bothways_protocol::Error>(updates)
                })
            })
            .collect();
        let mut updates = 0;
        for client in clients {
            updates += client.await??;
        }
        Ok((
            updates,
            syncs.load(Ordering::Relaxed) - before,
            started.elapsed(),
        ))
    })
}

fn table() -> CreateTableInput {
    CreateTableInput {
        table_name: Some("counters".to_owned()),
        attribute_definitions: Some(vec![AttributeDefinition {
            attribute_name: Some("pk".to_owned()),
            attribute_type: Some(ScalarAttributeType::S),
        }]),
        key_schema: Some(vec![KeySchemaElement {
            attribute_name: Some("pk".to_owned()),
            key_type: Some(KeyRole::Hash),
        }]),
        billing_mode: Some(BillingMode::PayPerRequest),
        ..CreateTableInput::default()
    }
}

fn add_one() -> UpdateItemInput {
    let key = Item::from_attributes([("pk", Value::S("counter".to_owned()))]);
    let values = BTreeMap::from([(":one".to_owned(), Value::N(Number::from(1_i64)))]);
    UpdateItemInput {
        table_name: Some("counters".to_owned()),
        key: Some(key.into()),
        update_expression: Some("ADD n :one".to_owned()),
        expression_attribute_values: Some(values.into()),
        ..UpdateItemInput::default()
    }
}
