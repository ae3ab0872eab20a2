//! Every page of help, as it stands in `tests/expected/`.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use support::{Ran, bothways, check, run_in};

#[test]
fn help_reads_as_it_should() {
    let dir = tempfile::tempdir().unwrap();
    let pages: &[&[&str]] = &[
        &["--help"],
        &["serve", "--help"],
        &["demo", "--help"],
        &["profile", "--help"],
        &["profile", "add", "--help"],
        &["model", "--help"],
        &["model", "new", "--help"],
        &["model", "check", "--help"],
        &["model", "apply", "--help"],
        &["model", "show", "--help"],
        &["model", "doctor", "--help"],
        &["model", "migrate", "--help"],
        &["model", "migrate", "lists", "--help"],
        &["get", "--help"],
        &["put", "--help"],
        &["rm", "--help"],
        &["show", "--help"],
        &["link", "--help"],
        &["unlink", "--help"],
        &["edge", "--help"],
        &["set", "--help"],
        &["upsert", "--help"],
        &["move", "--help"],
        &["batch", "--help"],
        &["archive", "--help"],
        &["mutual", "--help"],
        &["known", "--help"],
        &["intersect", "--help"],
        &["suggest", "--help"],
        &["near", "--help"],
        &["path", "--help"],
        &["out", "--help"],
        &["in", "--help"],
        &["count", "--help"],
        &["verify", "--help"],
        &["jobs", "--help"],
        &["jobs", "list", "--help"],
        &["jobs", "run", "--help"],
        &["counters", "--help"],
        &["counters", "switch", "--help"],
        &["counters", "run", "--help"],
        &["shards", "--help"],
        &["shards", "grow", "--help"],
        &["import", "--help"],
        &["export", "--help"],
        &["expr", "--help"],
        &["codegen", "--help"],
        &["run", "--help"],
        &["table", "--help"],
        &["patterns", "--help"],
        &["recovery", "--help"],
        &["copy", "--help"],
        &["completions", "--help"],
    ];
    for page in pages {
        let ran = run_in(dir.path(), page).done();
        assert_eq!(ran.err, "", "{page:?}");
        check(
            &format!("help-{}", page[..page.len() - 1].join("-")),
            &ran.out,
        );
    }
}

#[test]
fn no_arguments_show_the_help_and_are_no_use() {
    let dir = tempfile::tempdir().unwrap();
    let ran = run_in(dir.path(), &[]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("bothways demo"), "{}", ran.err);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = bothways()
        .args(["model", "show", "social"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(
        (ran.code, ran.err.contains("error")),
        (0, false),
        "{}",
        ran.err
    );
}
