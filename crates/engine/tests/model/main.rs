//! The engine against a naive model that shares only the value types with it: random operations from a seed,
//! equal answers. `BOTHWAYS_CAMPAIGN=50` runs fifty times as many steps.

#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

#[path = "../common/mod.rs"]
mod common;
mod naive;
mod reads;
mod script;
mod writes;

use bothways_store::DiskStore;
use common::campaign;
use script::Script;
use std::sync::Arc;

/// Steps of one seed in the ordinary run.
const STEPS: usize = 2_500;
const SEEDS: u64 = 4;

#[test]
fn the_engine_answers_as_the_model_does() {
    for seed in 1..=SEEDS {
        let mut script = Script::new(seed);
        for _ in 0..campaign() {
            for _ in 0..STEPS {
                script.step();
            }
            script.check_streams();
        }
        script.check_totals();
    }
}

#[test]
fn an_engine_opened_anew_continues_where_the_last_one_stopped() {
    let mut script = Script::new(77);
    for _ in 0..10 * campaign() {
        for _ in 0..150 {
            script.step();
        }
        script.reopen();
        script.check_totals();
        script.check_streams();
    }
}

#[test]
fn a_store_on_disk_makes_no_difference() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_owned();
    let mut script = Script::over(5, move || {
        Arc::new(DiskStore::open(&path, bothways_store::Options::default()).unwrap())
    });
    for _ in 0..4 * campaign() {
        for _ in 0..150 {
            script.step();
        }
        script.reopen();
        script.check_totals();
        script.check_streams();
    }
}
