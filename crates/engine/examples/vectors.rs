//! Milliseconds of one SearchVectors over rows of 384 dimensions, on one thread, from memory and from disk:
//! `cargo run --release -p bothways-engine --example vectors -- [ROWS [DIR]]`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::wildcard_imports,
    reason = "an example that measures and prints"
)]

use bothways_core::{Item, Value};
use bothways_engine::{Engine, Options};
use bothways_protocol::types::*;
use bothways_protocol::{Context, DynamoDbExt};
use bothways_store::{DiskStore, MemoryStore, Store};
use std::sync::Arc;
use std::task::{Poll, Wake, Waker};
use std::time::Instant;

const DIMENSIONS: usize = 384;
const SEARCHES: u32 = 20;

struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn wait<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut cx = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return output;
        }
        std::thread::park();
    }
}

/// Numbers from -0.999 to 0.999 (splitmix64).
fn vector(seed: u64) -> Vec<Value> {
    let mut state = seed;
    let number = |_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let thousandths = i32::try_from((z ^ (z >> 31)) % 1_999).unwrap() - 999;
        let number = format!("{}", f64::from(thousandths) / 1_000.0);
        Value::N(number.parse().unwrap())
    };
    (0..DIMENSIONS).map(number).collect()
}

fn create(engine: &Engine, cx: &Context) {
    let index = |name: &str, distance, filtered: bool| VectorIndex {
        index_name: Some(name.into()),
        vector_attribute: Some(VectorAttributeDefinition {
            attribute_name: Some("v".into()),
        }),
        search_schema: filtered.then(|| {
            vec![SearchSchemaElement {
                attribute_name: Some("n".into()),
                search_schema_element_type: Some(SearchSchemaElementType::InlineFilter),
            }]
        }),
        projection: Some(Projection {
            projection_type: Some(ProjectionType::KeysOnly),
            ..Projection::default()
        }),
        dimensions: i64::try_from(DIMENSIONS).ok(),
        distance_function: Some(distance),
    };
    let define = |name: &str, kind| AttributeDefinition {
        attribute_name: Some(name.into()),
        attribute_type: Some(kind),
    };
    let input = CreateTableInput {
        table_name: Some("vectors".into()),
        billing_mode: Some(BillingMode::PayPerRequest),
        attribute_definitions: Some(vec![
            define("pk", ScalarAttributeType::S),
            define("n", ScalarAttributeType::N),
        ]),
        key_schema: Some(vec![KeySchemaElement {
            attribute_name: Some("pk".into()),
            key_type: Some(KeyRole::Hash),
        }]),
        vector_indexes: Some(vec![
            index("cosine", VectorDistanceFunction::Cosine, true),
            index("euclidean", VectorDistanceFunction::Euclidean, false),
        ]),
        ..CreateTableInput::default()
    };
    wait(engine.create_table(cx, input)).unwrap();
}

fn load(engine: &Engine, cx: &Context, rows: u64) {
    for from in (0..rows).step_by(25) {
        let put = |number: u64| WriteRequest {
            put_request: Some(PutRequest {
                item: Some(
                    Item::from_attributes([
                        ("pk", Value::S(format!("item-{number}"))),
                        ("n", Value::N(i64::try_from(number % 100).unwrap().into())),
                        ("v", Value::L(vector(number))),
                    ])
                    .into(),
                ),
            }),
            ..WriteRequest::default()
        };
        let requests = (from..rows.min(from + 25)).map(put).collect();
        let input = BatchWriteItemInput {
            request_items: Some([("vectors".to_owned(), requests)].into()),
            ..BatchWriteItemInput::default()
        };
        wait(engine.batch_write_item(cx, input)).unwrap();
    }
}

fn search(engine: &Engine, cx: &Context, index: &str, condition: Option<&str>) {
    let input = |seed: u32| SearchVectorsInput {
        table_name: Some("vectors".into()),
        index_name: Some(index.into()),
        search_vector: Some(
            vector(u64::from(seed) << 40)
                .into_iter()
                .map(Into::into)
                .collect(),
        ),
        top_k: Some(10),
        search_condition_expression: condition.map(str::to_owned),
        expression_attribute_values: condition
            .map(|_| Values::from([(":n".into(), Value::N(10.into()))]).into()),
        ..SearchVectorsInput::default()
    };
    let inputs: Vec<_> = (0..SEARCHES).map(input).collect();
    let start = Instant::now();
    for input in inputs {
        let found = wait(engine.search_vectors(cx, input)).unwrap();
        assert_eq!(found.search_results.unwrap().len(), 10);
    }
    let each = start.elapsed() / SEARCHES;
    let what = condition.unwrap_or("");
    println!(
        "  {index:<10} {what:<10} {:>8.2} ms",
        each.as_secs_f64() * 1e3
    );
}

fn measure(what: &str, store: Arc<dyn Store>, rows: u64) {
    let engine = Engine::open(store, Options::default()).unwrap();
    let cx = Context::default();
    create(&engine, &cx);
    let start = Instant::now();
    load(&engine, &cx, rows);
    let seconds = start.elapsed().as_secs_f64();
    println!("{what}: {rows} rows, loaded in {seconds:.1} s");
    search(&engine, &cx, "cosine", None);
    search(&engine, &cx, "euclidean", None);
    search(&engine, &cx, "cosine", Some("n = :n"));
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rows = arguments
        .next()
        .map_or(10_000, |rows| rows.parse().unwrap());
    match arguments.next() {
        None => measure("memory", Arc::new(MemoryStore::new()), rows),
        Some(dir) => {
            let store = DiskStore::open(dir, bothways_store::Options::default()).unwrap();
            measure("disk", Arc::new(store), rows);
        }
    }
}
