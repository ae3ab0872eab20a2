//! Real files through the binary: every list and counter afterwards is the file's, and a second run writes nothing.
//!
//! The full files are used where they are present, the shipped samples where not.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use bothways_server::{Config, Running, Service};
use bothways_store::Store;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use support::oracle::{Counting, Edges, assert_equal, open};
use support::{Server, data_file, run_in, sample};

fn votes() -> PathBuf {
    data_file("wiki-vote.tsv", "wiki-vote-sample.tsv")
}

fn enrolments() -> PathBuf {
    data_file("oulad-enrolments.csv", "oulad-enrolments-sample.csv")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// Imports a file into a directory, again, and compares everything.
fn load_twice_and_compare(model: &str, relation: &str, file: &Path) {
    let edges = Edges::read(file);
    let dir = tempfile::tempdir().unwrap();
    let import = [
        "import",
        model,
        relation,
        text(file),
        "--data",
        "db",
        "--json",
    ];
    let first = run_in(dir.path(), &import).done().json();
    assert_eq!(first["created"], edges.len(), "{first}");
    assert_eq!(first["rejected"], 0, "{first}");

    let commits = || open(&dir.path().join("db")).0.snapshot().unwrap().seq();
    let before = commits();
    let second = run_in(dir.path(), &import).done().json();
    assert_eq!(
        (&second["created"], &second["writes"]),
        (&0.into(), &0.into()),
        "{second}"
    );
    assert_eq!(second["existing"], edges.len(), "{second}");
    assert_eq!(commits(), before, "the second run committed something");

    let (store, engine) = open(&dir.path().join("db"));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(assert_equal(engine, model, relation, &edges));
    store.close().unwrap();
}

#[test]
fn votes_are_loaded_exactly_and_once() {
    load_twice_and_compare("follow", "follows", &votes());
}

#[test]
fn enrolments_are_loaded_exactly_and_once() {
    load_twice_and_compare("school", "enrolled", &enrolments());
}

/// The busiest user's list through the command line and over HTTP, page by page, counted by the server.
#[test]
fn a_long_list_has_no_repeat_and_no_gap_and_each_page_is_one_query() {
    let file = sample("wiki-vote-sample.tsv");
    let edges = Edges::read(&file);
    let (busiest, followers) = edges
        .inward
        .iter()
        .max_by_key(|(_, sources)| sources.len())
        .expect("edges");
    assert_eq!(followers.len(), 457);

    let dir = tempfile::tempdir().unwrap();
    let (_store, engine) = open(&dir.path().join("db"));
    let counting = Arc::new(Counting::new(engine));
    let service = Service::new(counting.clone(), Config::default());
    let server = Running::start(("127.0.0.1", 0), service).unwrap();
    let url = server.url();
    let run = |args: &[&str]| {
        let args = [args, &["--json", "--endpoint", &url]].concat();
        run_in(dir.path(), &args).done().json()
    };
    run(&["import", "follow", "follows", text(&file)]);
    let writes = counting.writes.load(Ordering::Relaxed);
    assert!(writes > 0);
    run(&["import", "follow", "follows", text(&file)]);
    assert_eq!(
        counting.writes.load(Ordering::Relaxed),
        writes,
        "the second run wrote"
    );

    let mut listed: BTreeSet<String> = BTreeSet::new();
    let mut after: Option<String> = None;
    let mut pages = 0;
    loop {
        let mut args = vec!["in", "follow", "follows", busiest, "--limit", "50"];
        if let Some(cursor) = &after {
            args.extend(["--after", cursor]);
        }
        let before = counting.queries.load(Ordering::Relaxed);
        let page = run(&args);
        assert_eq!(counting.queries.load(Ordering::Relaxed), before + 1);
        pages += 1;
        for edge in page["edges"].as_array().unwrap() {
            let source = edge["source"].as_str().unwrap().to_owned();
            assert!(listed.insert(source.clone()), "{source} is listed twice");
        }
        match page["next"].as_str() {
            Some(next) => after = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(listed, *followers);
    assert!((10..=11).contains(&pages), "{pages} pages");
    assert_eq!(counting.scans.load(Ordering::Relaxed), 0);
}

#[test]
fn rows_at_fault_are_put_aside_mended_and_imported() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("votes.tsv"), "# votes\n1\t2\n3\t\n4\t5\n").unwrap();
    let args = ["import", "follow", "follows", "votes.tsv", "--data", "db"];
    let ran = run_in(dir.path(), &args);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(
        ran.err
            .contains("error: votes.tsv:3: target is empty (1 row rejected)"),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .contains("hint: mend votes.tsv.rejects and import it"),
        "{}",
        ran.err
    );
    let rejects = dir.path().join("votes.tsv.rejects");
    let mended = std::fs::read_to_string(&rejects)
        .unwrap()
        .replace("3\t\n", "3\t6\n");
    std::fs::write(&rejects, mended).unwrap();
    let args = [
        "import",
        "follow",
        "follows",
        "votes.tsv.rejects",
        "--data",
        "db",
        "--json",
    ];
    assert_eq!(run_in(dir.path(), &args).done().json()["created"], 1);
}

#[test]
fn what_is_exported_is_imported_as_it_was() {
    let file = sample("oulad-enrolments-sample.csv");
    let dir = tempfile::tempdir().unwrap();
    let run = |args: &str| {
        let args: Vec<&str> = args.split(' ').collect();
        run_in(dir.path(), &args).done()
    };
    run(&format!(
        "import school enrolled {} --data one",
        text(&file)
    ));
    for name in ["all.csv", "all.tsv"] {
        run(&format!("export school enrolled {name} --data one"));
        let copy = dir.path().join(format!("{name}.db"));
        run(&format!("import school enrolled {name} --data {name}.db"));
        let (_store, engine) = open(&copy);
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(assert_equal(
            engine,
            "school",
            "enrolled",
            &Edges::read(&file),
        ));
    }
}

#[test]
fn an_import_goes_over_http_too() {
    let file = sample("wiki-vote-sample.tsv");
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&["--data", text(&dir.path().join("db"))]);
    let report = server
        .run(&["import", "follow", "follows", text(&file), "--json"])
        .done()
        .json();
    let edges = Edges::read(&file);
    assert_eq!(report["created"], edges.len());
    assert_eq!(server.interrupt(), 0);
    let (_store, engine) = open(&dir.path().join("db"));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(assert_equal(engine, "follow", "follows", &edges));
}
