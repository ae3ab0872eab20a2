//! DynamoDB's hard days, from a seed: a decorator of [`bothways_protocol::DynamoDb`] that adds what a real table does
//! under load and an embedded one never would.
//!
//! What it can do is in [`Faults`]; how often each happened is in [`Tally`], so that a test can show that what it
//! tests against did fire. Time is a [`Clock`], which is also the graph's [`bothways_graph::Environment`] and an
//! engine's clock: waiting takes no real time, throttled keys recover and indexes catch up by it. [`Clock::run_all`]
//! runs several clients on one thread, their steps mixed by the seed. A [`Client`] is a process that may die at any
//! of its requests.
//!
//! Invariants: with one seed, one thread and one backend in memory everything replays. No fault changes what is stored, only what
//! is answered, when, and whether a request arrives. With no faults set the lab passes every request on.
//!
//! ```
//! use bothways_engine::{Engine, Options};
//! use bothways_graph::{Changes, Direction, Graph, ListOptions, model};
//! use bothways_lab::{Faults, Lab};
//! use bothways_protocol::Context;
//! use bothways_store::MemoryStore;
//! use std::{sync::Arc, time::Duration};
//!
//! let options = Options { background: false, ..Options::default() };
//! let db = Engine::open(Arc::new(MemoryStore::new()), options)?;
//! let lab = Lab::over(Arc::new(db), 7).with(Faults {
//!     conflicts: 200,
//!     lost_answers: 100,
//!     index_lag: Duration::from_millis(500),
//!     ..Faults::default()
//! });
//! let clock = lab.clock();
//! let follow = model::shipped("follow").expect("it ships").model;
//! let graph = Graph::with_environment(Arc::new(lab.clone()), follow, Arc::new(clock.clone()))?;
//! clock.run(async {
//!     let cx = Context::default();
//!     graph.apply(&cx).await?;
//!     graph.link(&cx, "follows", "alice", "bob", &Changes::new()).await?;
//!     lab.catch_up().await;
//!     let list = graph.list(&cx, "follows", Direction::In, "bob", &ListOptions::default()).await?;
//!     assert_eq!(list.value.edges.len(), 1);
//!     Ok::<(), bothways_graph::Error>(())
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod buckets;
mod client;
mod clock;
mod faults;
mod lab;
mod pages;
mod replica;
mod stream;
mod touched;

pub use client::Client;
pub use clock::Clock;
pub use faults::{Chance, Faults, KeyLimits, Tally};
pub use lab::Lab;
