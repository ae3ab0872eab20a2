//! Rows out of databases, and the skew of rows before they are loaded.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use serde_json::Value;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use support::{Ran, bothways, run_in};

/// A program on the path that stands for a database's own: it says how it was called, and answers.
fn program(dir: &Path, name: &str, answer: &str) {
    let path = dir.join(name);
    let script =
        format!("#!/bin/sh\nfor a in \"$@\"; do echo \"$a\" >> {name}.called; done\n{answer}\n");
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn run(dir: &Path, args: &[&str]) -> Ran {
    let mut command = bothways();
    command
        .current_dir(dir)
        .env("PATH", format!("{}:/usr/bin:/bin", dir.display()));
    command.args(args).args(["--data", "db", "--json", "-q"]);
    command.output().unwrap().into()
}

const ROWS: &str = "printf 'source,target,createdAt\\nann,star,5\\nben,star,6\\n'";

#[test]
fn a_join_table_is_read_from_a_database() {
    for (program_name, place, called) in [
        ("sqlite3", "sqlite:app.db", "SELECT * FROM \"follows\""),
        (
            "psql",
            "postgres://user@host/app",
            "SELECT * FROM \"follows\"",
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        program(dir.path(), program_name, ROWS);
        let args = ["import", "follow", "follows", place, "--table", "follows"];
        let done = run(dir.path(), &args).done().json();
        assert_eq!(
            (&done["created"], &done["rejected"]),
            (&Value::from(2), &Value::from(0))
        );
        let said =
            std::fs::read_to_string(dir.path().join(format!("{program_name}.called"))).unwrap();
        assert!(said.lines().any(|line| line.trim() == called), "{said}");
        let list = run(dir.path(), &["in", "follow", "follows", "star"])
            .done()
            .json();
        assert_eq!(list["edges"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn a_database_that_fails_half_way_is_told_and_can_be_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let args = [
        "import",
        "follow",
        "follows",
        "sqlite:app.db",
        "--query",
        "SELECT 1",
    ];
    program(
        dir.path(),
        "sqlite3",
        &format!("{ROWS}\necho 'no such column: x' >&2\nexit 1"),
    );
    let half = run(dir.path(), &args);
    assert_eq!(half.code, 1, "{}", half.err);
    assert!(half.err.contains("no such column: x"), "{}", half.err);
    program(dir.path(), "sqlite3", ROWS);
    let whole = run(dir.path(), &args).done().json();
    assert_eq!(
        (&whole["created"], &whole["existing"]),
        (&Value::from(0), &Value::from(2))
    );
}

#[test]
fn what_is_asked_of_a_database_has_to_be_said() {
    let dir = tempfile::tempdir().unwrap();
    for args in [
        &["import", "follow", "follows", "sqlite:app.db"][..],
        &[
            "import", "follow", "follows", "rows.csv", "--table", "follows",
        ],
    ] {
        assert_eq!(run(dir.path(), args).code, 2, "{args:?}");
    }
}

#[test]
fn a_real_sqlite_file_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let sql = "CREATE TABLE follows(source TEXT, target TEXT); \
               INSERT INTO follows VALUES ('a, b', 'star'), ('c\"d', 'star');";
    let made = std::process::Command::new("sqlite3")
        .current_dir(dir.path())
        .args(["app.db", sql])
        .status();
    // Where the program is not installed, the others stand for it.
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let args = [
        "import",
        "follow",
        "follows",
        "sqlite:app.db",
        "--table",
        "follows",
    ];
    assert_eq!(run(dir.path(), &args).done().json()["created"], 2);
    let list = run(dir.path(), &["in", "follow", "follows", "star"])
        .done()
        .json();
    let fans: Vec<&str> = list["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["source"].as_str().unwrap())
        .collect();
    assert_eq!(fans, ["a, b", "c\"d"]);
}

#[test]
fn the_skew_proposes_shards_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let mut rows = String::from("source,target\n");
    for i in 0..30_000 {
        let target = if i % 3 == 0 {
            format!("t{i}")
        } else {
            "star".to_owned()
        };
        let _ = writeln!(rows, "f{i},{target}");
    }
    std::fs::write(dir.path().join("rows.csv"), rows).unwrap();
    let args = [
        "import", "follow", "follows", "rows.csv", "--skew", "--data", "db",
    ];
    let ran = run_in(dir.path(), &args).done();
    assert!(
        ran.err
            .contains("bothways shards grow follow follows star --to 4"),
        "{}",
        ran.err
    );
    let json = run(
        dir.path(),
        &["import", "follow", "follows", "rows.csv", "--skew"],
    )
    .done()
    .json();
    assert_eq!(
        json["targets"][0],
        serde_json::json!({ "id": "star", "edges": 20_000, "shards": 4 })
    );
    assert_eq!(
        (&json["rows"], &json["exact"]),
        (&Value::from(30_000), &Value::from(true))
    );
    assert!(!dir.path().join("db").exists());
}
