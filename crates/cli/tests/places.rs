//! Places: profiles by name, what is refused of a read-only one, what is said of a place that is none.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use std::io::{Read, Write};
use std::path::Path;
use support::{Ran, Server, bothways, http, run_in};

fn run(dir: &Path, line: &str) -> Ran {
    run_in(dir, &line.split(' ').collect::<Vec<_>>())
}

#[test]
fn a_profile_is_a_place_by_name_and_a_read_only_one_is_only_read() {
    let dir = tempfile::tempdir().unwrap();
    let run = |line: &str| run(dir.path(), line);
    run("profile add mine --data db").done();
    run("profile add look --data db --read-only").done();
    run("model apply follow --profile mine").done();
    run("link follow follows alice bob --profile mine").done();
    let listed = run("in follow follows bob --profile look --json").done();
    assert_eq!(
        listed.json()["edges"].as_array().unwrap().len(),
        1,
        "{}",
        listed.out
    );
    for line in [
        "link follow follows carol bob --profile look",
        "put follow actor alice name=x --profile look",
        "unlink follow follows alice bob --profile look",
        "set follow follows alice bob note=x --profile look",
    ] {
        let refused = run(line);
        assert_eq!(refused.code, 3, "{line}: {}", refused.err);
        assert!(
            refused.err.contains("profile look is read-only"),
            "{line}: {}",
            refused.err
        );
    }
    // What only reads does its work without a job.
    let verified = run("verify follow --profile look --json").done().json();
    assert_eq!(verified["verified"]["clean"], true);
    assert_eq!(verified["id"], serde_json::Value::Null);
    let dry = run("model migrate follow backfill --dry-run --profile look").done();
    assert!(dry.out.contains("no job kept"), "{}", dry.out);
    let refused = run("verify follow --repair --profile look");
    assert_eq!(refused.code, 2);
    let jobs = run("jobs list follow --profile mine").done();
    assert!(jobs.out.contains("no jobs"), "{}", jobs.out);
    let count = run("count follow follows bob --profile mine --json").done();
    assert!(count.out.contains('1'), "{}", count.out);

    let profiles = run("profile list --json").done().json();
    assert_eq!(profiles["profiles"][0]["name"], "look");
    assert_eq!(profiles["profiles"][0]["read_only"], true);
    run("profile remove look").done();
    let gone = run("in follow follows bob --profile look");
    assert_eq!(gone.code, 2);
    assert!(gone.err.contains("there are: mine"), "{}", gone.err);
    let both = run("in follow follows bob --profile mine --data db");
    assert_eq!(both.code, 2);
    let of_environment = bothways()
        .current_dir(dir.path())
        .env("BOTHWAYS_PROFILE", "mine")
        .args(["in", "follow", "follows", "bob"])
        .output()
        .unwrap();
    assert!(Ran::from(of_environment).done().out.contains("alice"));
}

#[test]
fn a_directory_that_is_in_use_names_who_serves_it() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&["--data", dir.path().join("db").to_str().unwrap()]);
    let ran = run(dir.path(), "out follow follows alice --data db");
    assert_eq!(ran.code, 4);
    let hint = format!("talk to it instead: --endpoint {}", server.endpoint);
    assert!(ran.err.contains(&hint), "{}", ran.err);
}

#[test]
fn the_workbench_shows_profiles_and_refuses_writes_to_read_only_ones() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), "model apply follow --data other").done();
    run(dir.path(), "profile add look --data other --read-only").done();
    let mut command = bothways();
    command.current_dir(dir.path()).args([
        "serve",
        "--memory",
        "--port",
        "0",
        "-q",
        "--connect",
        "look",
    ]);
    let server = Server::start_command(&mut command);
    let places = http(&server.endpoint, "GET", "/api/v1/connections", "", "");
    assert!(
        places.contains(r#""name":"look""#) && places.contains(r#""read_only":true"#),
        "{places}"
    );
    let sent = http(
        &server.endpoint,
        "POST",
        "/api/v1/c/look/models/follow/relations/follows/link",
        "content-type: application/json\r\n",
        r#"{"source":"a","target":"b"}"#,
    );
    assert!(sent.starts_with("HTTP/1.1 403"), "{sent}");
    let unknown = run(dir.path(), "serve --memory --port 0 --connect none");
    assert_eq!(unknown.code, 2, "{}", unknown.err);
}

#[test]
fn what_is_no_place_is_told_and_makes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let with = |name: &str, value: &str, line: &str| {
        let output = bothways()
            .current_dir(dir.path())
            .env(name, value)
            .args(line.split(' '))
            .output()
            .unwrap();
        Ran::from(output)
    };
    std::fs::write(dir.path().join("edges.csv"), "a,b\n").unwrap();
    let import = "import follow follows edges.csv";
    for (value, line, words) in [
        ("localhost:8000", import, "http://localhost:8000"),
        ("mistyped", import, "there is no database in mistyped"),
        ("no/such", "model apply follow", "no is not there"),
    ] {
        let ran = with("BOTHWAYS_TARGET", value, line);
        assert_eq!(ran.code, 2, "{value}: {}", ran.err);
        assert!(ran.err.contains(words), "{value}: {}", ran.err);
        assert!(!dir.path().join(value).exists(), "{value}");
    }
    std::fs::create_dir(dir.path().join("empty")).unwrap();
    run(dir.path(), "out follow follows a --data empty");
    let entries = std::fs::read_dir(dir.path().join("empty")).unwrap().count();
    assert_eq!(entries, 0, "reading makes nothing");
}

#[test]
fn a_server_that_is_not_dynamodb_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    // It lives as long as the test's process.
    std::thread::spawn(move || {
        for (count, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let status = if count == 0 {
                "404 Not Found"
            } else {
                "200 OK"
            };
            let text = format!(
                "HTTP/1.1 {status}\r\ncontent-length: 6\r\nconnection: close\r\n\r\n<html>"
            );
            let _ = stream.write_all(text.as_bytes());
        }
    });
    for _ in 0..2 {
        let ran = run(
            dir.path(),
            &format!("out follow follows a --endpoint {url}"),
        );
        assert_eq!(ran.code, 3, "{}", ran.err);
        let words = format!("{url} does not answer as DynamoDB does");
        assert!(ran.err.contains(&words), "{}", ran.err);
    }
}
