//! `patterns` on a database with the samples.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use support::{Server, run_in};

#[test]
fn the_patterns_of_a_model_are_run_and_hold() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&["--memory", "--sample"]);
    for (line, least) in [("patterns follow", 5), ("patterns school --write", 7)] {
        let line = format!("{line} --json --endpoint {}", server.endpoint);
        let ran = run_in(dir.path(), &line.split(' ').collect::<Vec<_>>()).done();
        let report = ran.json();
        assert_eq!(report["holds"], true, "{report}");
        let ran = report["patterns"].as_array().unwrap();
        let ran = ran.iter().filter(|run| run["skipped"].is_null()).count();
        assert!(ran >= least, "{report}");
    }
}
