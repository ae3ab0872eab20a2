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

#[test]
fn a_sheet_of_which_nothing_ran_does_not_hold_and_one_page_serves_all_patterns() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&["--memory"]);
    let at = format!("--endpoint {}", server.endpoint);
    let run = |line: &str| {
        let line = format!("{line} {at}");
        run_in(dir.path(), &line.split(' ').collect::<Vec<_>>())
    };
    run("model apply follow").done();
    let ran = run("patterns follow --json");
    assert_eq!(ran.code, 1, "{}", ran.err);
    let report = ran.json();
    assert_eq!(report["holds"], false, "{report}");
    assert_eq!(report["requests"].as_array().unwrap().len(), 1, "{report}");
    let ran = run("patterns follow");
    assert!(ran.err.contains("--source SOURCE"), "{}", ran.err);
    run("link follow follows ann ben").done();
    let report = run("patterns follow --json").done().json();
    assert_eq!(report["holds"], true, "{report}");
    assert_eq!(report["requests"].as_array().unwrap().len(), 1, "{report}");
}
