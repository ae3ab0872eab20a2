//! The examples of the graph's HTTP API in other languages, run as they stand against a server of their own.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use std::path::Path;
use std::process::Command;
use support::{Ran, Server};

/// What both print.
const PRINTED: &str = "\
link alice bob created
link alice carol created
link dave bob created
link zoë/1 bob created
again unchanged
followers of bob: alice dave zoë/1
alice follows: bob carol
bob is followed by 3
bob is Bob
refused: has-edges
unlink removed
refused: no-edge
";

fn check(program: &str, file: &str) {
    let server = Server::start(&["--memory"]);
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(file);
    let output = Command::new(program)
        .arg(path)
        .arg(&server.endpoint)
        .env("PYTHONUTF8", "1")
        .output()
        .unwrap_or_else(|e| panic!("{program} is needed for this test: {e}"));
    let ran = Ran::from(output).done();
    assert_eq!(ran.out, PRINTED, "{}", ran.err);
}

#[test]
fn the_example_in_python_runs() {
    check("python3", "graph.py");
}

#[test]
fn the_example_in_javascript_runs() {
    check("node", "graph.mjs");
}
