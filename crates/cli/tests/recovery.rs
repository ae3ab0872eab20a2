//! `recovery` on a directory: the log of changes and its size.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use bothways_protocol::types::{PointInTimeRecoverySpecification, UpdateContinuousBackupsInput};
use bothways_protocol::{Context, DynamoDbExt};
use support::oracle::open;
use support::{Server, run_in};

fn run(dir: &std::path::Path, line: &[&str]) -> support::Ran {
    let args: Vec<&str> = line.iter().copied().chain(["--data", "db"]).collect();
    run_in(dir, &args)
}

#[test]
fn the_log_of_changes_is_shown_with_its_size() {
    let dir = tempfile::tempdir().unwrap();
    let none = run(dir.path(), &["recovery"]);
    assert_eq!(
        (none.code, &*none.err),
        (1, "error: there is no database in db\n")
    );
    run(dir.path(), &["model", "apply", "follow"]).done();
    let off = run(dir.path(), &["recovery"]).done();
    assert_eq!(off.out, "point-in-time recovery is on for no table\n");
    let table = run(dir.path(), &["model", "show", "follow", "--json"])
        .done()
        .json()["table"]
        .clone();
    let table = table.as_str().unwrap();
    let on = UpdateContinuousBackupsInput {
        table_name: Some(table.to_owned()),
        point_in_time_recovery_specification: Some(PointInTimeRecoverySpecification {
            point_in_time_recovery_enabled: Some(true),
            recovery_period_in_days: None,
        }),
    };
    let (store, engine) = open(&dir.path().join("db"));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let cx = Context::default();
    let switched = engine.update_continuous_backups(&cx, on);
    runtime.block_on(switched).unwrap();
    drop((store, engine));
    run(dir.path(), &["link", "follow", "follows", "alice", "bob"]).done();
    let on = run(dir.path(), &["recovery", "--json"]).done().json();
    let log = &on["logs"][0];
    assert_eq!(log["table"], table);
    // The edge and the counters of its ends.
    assert_eq!(log["changes"], 3, "{on}");
    assert!(log["bytes"].as_u64().unwrap() > 3 * 30, "{on}");
    let shown = run(dir.path(), &["recovery"]).done();
    assert!(
        shown.out.contains("changes") && shown.out.contains(table),
        "{}",
        shown.out
    );
    let server = Server::start(&["--memory"]);
    let asked = run_in(dir.path(), &["recovery", "--endpoint", &server.endpoint]);
    assert_eq!(asked.code, 2, "{}", asked.err);
}
