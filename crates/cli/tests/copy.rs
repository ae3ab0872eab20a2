//! `copy` end to end: a directory to a server and back, and a copy that is killed again and again.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{PATIENCE, Ran, Server, bothways, http, run_in};

fn run(dir: &Path, line: &str) -> Ran {
    run_in(dir, &line.split(' ').collect::<Vec<_>>())
}

fn load(dir: &Path, edges: u32) {
    let mut csv = String::from("source,target\n");
    for n in 0..edges {
        let _ = writeln!(csv, "a{},b{}", n % 211, n);
    }
    std::fs::write(dir.join("edges.csv"), csv).unwrap();
    run(dir, "import follow follows edges.csv --data one -q").done();
}

/// What a server answers to a request of DynamoDB.
fn post(endpoint: &str, operation: &str, body: &str) -> String {
    let headers = format!(
        "content-type: application/x-amz-json-1.0\r\nx-amz-target: DynamoDB_20120810.{operation}\r\n"
    );
    http(endpoint, "POST", "/", &headers, body)
}

#[test]
fn a_table_goes_to_a_server_and_comes_back_the_same() {
    let dir = tempfile::tempdir().unwrap();
    load(dir.path(), 700);
    let server = Server::start(&["--memory"]);
    let there = format!("copy follow --data one --to {}", server.endpoint);
    let ran = run(dir.path(), &there).done();
    assert!(ran.out.starts_with("Copied"), "{}", ran.out);
    let back = format!(
        "copy --table follow --endpoint {} --to ./two --json",
        server.endpoint
    );
    let report = run(dir.path(), &back).done().json();
    assert_eq!(report["equal"], true, "{report}");
    for command in [
        "in follow follows b7 --json",
        "count follow follows a7 --json",
        "out follow follows a7 --all --json",
    ] {
        let [one, two] = ["one", "two"].map(|db| {
            run(dir.path(), &format!("{command} --data {db}"))
                .done()
                .json()
        });
        for part in ["edges", "out", "in", "counts"] {
            assert_eq!(one[part], two[part], "{command}");
        }
    }
    // There is something there now.
    let again = run(dir.path(), &there);
    assert_eq!(again.code, 1, "{}", again.err);
    assert!(again.err.contains("--into"), "{}", again.err);
    run(dir.path(), &format!("{there} --into")).done();
}

#[test]
fn what_cannot_be_copied_is_told_and_nothing_is_made() {
    let dir = tempfile::tempdir().unwrap();
    load(dir.path(), 3);
    run(dir.path(), "profile add look --data one --read-only").done();
    for (line, code, words) in [
        (
            "copy follow --data none --to ./two",
            2,
            "there is no database in none",
        ),
        ("copy follow --data one --to two", 2, "./two"),
        ("copy follow --data one --to one:8000", 2, "http://one:8000"),
        ("copy follow --data one --to look", 2, "read-only"),
        (
            "copy --table other --data one --to ./two",
            1,
            "no table other",
        ),
        ("copy --data one --to ./two", 2, "required"),
        (
            "copy follow --data one --to http://127.0.0.1:1",
            4,
            "cannot reach",
        ),
    ] {
        let ran = run(dir.path(), line);
        assert_eq!(ran.code, code, "{line}: {}", ran.err);
        assert!(ran.err.contains(words), "{line}: {}", ran.err);
    }
    // Nothing is left of a directory in which nothing was begun.
    assert!(!dir.path().join("two").exists());
    // From a place that is only read, a copy may well be made.
    run(dir.path(), "copy follow --profile look --to ./three").done();
}

#[test]
fn a_copy_that_is_killed_goes_on_where_it_was_and_ends_the_same() {
    let dir = tempfile::tempdir().unwrap();
    // All of them come on one page of a Scan, by which it is seen how far the copy is.
    let edges = 3_000;
    load(dir.path(), edges);
    let two = dir.path().join("two");
    let server = Server::start(&["--unsigned", "--data", two.to_str().unwrap()]);
    let arrived = || {
        let text = post(
            &server.endpoint,
            "Scan",
            r#"{"TableName":"follow","Select":"COUNT"}"#,
        );
        let count = text.split("\"Count\":").nth(1).unwrap_or("0");
        let digits: String = count.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().unwrap_or(0)
    };
    let line = format!("copy follow --data one --to {} --json", server.endpoint);
    // Paced, so that there is a middle however fast the machine is; each kill comes when something has arrived.
    let pace = edges.to_string();
    let mut reached = 0;
    for kill in 0..5 {
        let mut child = bothways()
            .current_dir(dir.path())
            .args(line.split(' '))
            .args(["--pace", &pace])
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while arrived() < reached + edges / 5 && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(10));
        }
        reached = arrived();
        assert!(
            child.try_wait().unwrap().is_none(),
            "kill {kill} came too late"
        );
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let report = run(dir.path(), &line).done().json();
    assert_eq!(
        (&report["equal"], &report["resumed"]),
        (&true.into(), &true.into()),
        "{report}"
    );
    let all = report["items"].as_u64().unwrap();
    let written = report["written"].as_u64().unwrap();
    assert!(all > u64::from(edges), "{report}");
    assert!(
        reached >= 500 && written < all,
        "{reached} before, then {written} of {all}"
    );
}

#[test]
fn a_table_in_use_goes_from_one_server_to_another_and_back() {
    let dir = tempfile::tempdir().unwrap();
    load(dir.path(), 400);
    let servers = [(); 3].map(|()| Server::start(&["--memory"]));
    let [one, two, three] = servers.each_ref().map(|server| server.endpoint.as_str());
    let copy = |from: &str, to: &str, how: &str| {
        let line = format!("copy follow --endpoint {from} --to {to} --json{how}");
        run(dir.path(), &line)
    };
    run(dir.path(), &format!("copy follow --data one --to {one}")).done();
    for (from, to) in [(one, two), (two, three)] {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for n in 0..200 {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let verb = if n % 3 == 2 { "unlink" } else { "link" };
                    let line = format!("{verb} follow follows w{} b7 --endpoint {from}", n / 3);
                    run(dir.path(), &line).done();
                }
            });
            let live = copy(from, to, " --live");
            stop.store(true, Ordering::Relaxed);
            // Its writer may have been faster than its rounds: then it says so.
            assert!(live.code <= 1, "{}", live.err);
        });
        // With its writers at rest, a last run ends it with all that they did.
        assert_eq!(copy(from, to, "").done().json()["equal"], true);
        let followers = |place: &str| {
            let line = format!("in follow follows b7 --all --json --endpoint {place}");
            run(dir.path(), &line).done().json()["edges"].clone()
        };
        assert_eq!(followers(from), followers(to));
    }
}
