//! Jobs on the command line: made, worked on, stopped, listed, steered.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use serde_json::{Value, json};
use std::path::Path;
use support::{Ran, run_in};

fn run(dir: &Path, command: &str) -> Ran {
    let mut args: Vec<&str> = command.split(' ').collect();
    args.extend(["--data", "db", "--json", "-q"]);
    run_in(dir, &args)
}

fn said(dir: &Path, command: &str) -> Value {
    run(dir, command).done().json()
}

fn follows(dir: &Path) {
    said(dir, "model apply follow");
    for fan in ["ann", "ben", "cas"] {
        said(dir, &format!("link follow follows {fan} star"));
    }
    said(dir, "link follow follows star ann");
    said(dir, "link follow follows ann ben");
}

#[test]
fn an_entity_is_removed_with_its_edges() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    follows(dir);
    assert_eq!(run(dir, "rm follow actor star").code, 1);
    let done = said(dir, "rm follow actor star --cascade");
    assert_eq!(
        (&done["state"], &done["progress"]["deleted"]),
        (&json!("done"), &json!(4))
    );
    assert_eq!(said(dir, "in follow follows star")["edges"], json!([]));
    let ann = said(dir, "count follow follows ann");
    assert_eq!((&ann["out"], &ann["in"]), (&json!(1), &json!(0)));
    let jobs = said(dir, "jobs list follow");
    assert_eq!(jobs["jobs"][0]["id"], done["id"]);
    assert_eq!(jobs["jobs"][0]["about"], "actor star");
}

#[test]
fn a_job_is_left_steered_and_taken_up() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    follows(dir);
    let made = said(
        dir,
        "rm follow actor star --cascade --detach --write-units 1000",
    );
    assert_eq!(
        (&made["state"], &made["write_units"]),
        (&json!("open"), &json!(1000))
    );
    let id = made["id"].as_str().unwrap();
    assert_eq!(
        said(dir, &format!("jobs pause follow {id}"))["state"],
        "paused"
    );
    assert_eq!(
        said(dir, &format!("jobs run follow {id}"))["state"],
        "paused"
    );
    assert_eq!(
        said(dir, &format!("jobs resume follow {id}"))["state"],
        "open"
    );
    assert_eq!(
        said(dir, &format!("jobs cancel follow {id}"))["state"],
        "cancelled"
    );
    assert_eq!(said(dir, "count follow follows star")["in"], 3);
    let refused = run(dir, &format!("jobs resume follow {id}"));
    assert_eq!(refused.code, 1, "{}", refused.err);
    assert_eq!(run(dir, "jobs show follow none").code, 1);

    let made = said(dir, "rm follow actor star --cascade --detach");
    let id = made["id"].as_str().unwrap();
    assert_eq!(said(dir, &format!("jobs run follow {id}"))["state"], "done");
    assert_eq!(
        said(dir, &format!("jobs show follow {id}"))["progress"]["deleted"],
        4
    );
    let late = run(dir, &format!("jobs cancel follow {id}"));
    assert_eq!(late.code, 1, "{}", late.err);
}

#[test]
fn drift_is_found_and_mended() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    follows(dir);
    let clean = said(dir, "verify follow");
    assert_eq!(clean["verified"]["clean"], true);
    assert_eq!(clean["verified"]["edges"], 5);
    // A model that names the counter otherwise sees a counter that was never kept.
    let text = run_in(dir, &["model", "show", "follow", "--toml"])
        .done()
        .out;
    std::fs::write(dir.join("other.toml"), text.replace("followers", "fans")).unwrap();
    let drift = run(dir, "verify other.toml");
    assert_eq!(drift.code, 1, "{}", drift.err);
    let drift = drift.json();
    assert_eq!(drift["verified"]["found"]["counter"], 3);
    assert_eq!(drift["verified"]["mended"], false);
    let mended = said(dir, "verify other.toml --repair");
    assert_eq!(mended["verified"]["repaired"], 3);
    assert_eq!(said(dir, "count other.toml follows star")["in"], 3);
    assert_eq!(said(dir, "verify other.toml")["verified"]["clean"], true);
    assert_eq!(run(dir, "verify none.toml").code, 2);
}

/// Follows in a table that has the plain inverted index: no attributes of its own.
fn plain(dir: &Path) {
    let model = r#"
name = "plain"
table = "follow"
[[index]]
name = "inverted"
pk = "SK"
sk = "PK"
[[entity]]
name = "actor"
key = { pk = "ACTOR#{id}", sk = "PROFILE" }
[[relation]]
name = "follows"
from = "actor"
to = "actor"
out = "follows"
in = "is followed by"
key = { pk = "ACTOR#{src}", sk = "TARGET#{dst}" }
"#;
    std::fs::write(dir.join("plain.toml"), model).unwrap();
    said(dir, "model apply plain.toml");
    for fan in ["ann", "ben", "cas"] {
        said(dir, &format!("link plain.toml follows {fan} star"));
    }
}

#[test]
fn a_table_of_another_layout_is_examined_and_migrated() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    plain(dir);
    let sick = run(dir, "model doctor follow");
    assert_eq!(sick.code, 1, "{}", sick.err);
    let sick = sick.json();
    let traps = sick["diagnoses"].as_array().unwrap().iter();
    let traps: Vec<&str> = traps.map(|d| d["trap"].as_str().unwrap()).collect();
    assert!(
        traps.contains(&"unindexed-edges") && traps.contains(&"derived-count"),
        "{traps:?}"
    );
    let command = "bothways model migrate follow backfill --dry-run";
    assert!(
        sick["diagnoses"]
            .as_array()
            .unwrap()
            .iter()
            .any(|d| d["command"] == command)
    );

    let dry = said(dir, "model migrate follow backfill --dry-run");
    assert_eq!(dry["progress"]["would fill"], 3);
    assert_eq!(dry["progress"]["indexes to make"], 1);
    let done = said(dir, "model migrate follow backfill");
    assert_eq!(
        (
            &done["progress"]["filled"],
            &done["progress"]["indexes made"]
        ),
        (&json!(3), &json!(1))
    );
    let fans = said(dir, "in follow follows star");
    assert_eq!(fans["edges"].as_array().unwrap().len(), 3);
    assert_eq!(
        said(dir, "verify follow --repair")["verified"]["mended"],
        true
    );
    assert_eq!(said(dir, "count follow follows star")["in"], 3);
    // What was already so is left alone, and the plain index lists as before.
    let again = said(dir, "model migrate follow backfill");
    assert_eq!(again["progress"]["filled"], Value::Null);
    assert_eq!(
        said(dir, "in plain.toml follows star")["edges"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
}
