//! What one sees: transcripts of commands against a database in a directory, as they stand in `tests/expected/`.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use std::process::Stdio;
use support::{Ran, bothways, check, run_in, transcript};

fn screen(name: &str, commands: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    check(name, &transcript(dir.path(), "db", commands));
}

#[test]
fn a_directory_is_made_only_where_something_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    for (command, code, made) in [
        ("out follow follows alice", 3, false),
        ("link follow follows alice bob", 3, false),
        ("export follow follows -", 3, false),
        ("import follow follows none.csv", 2, false),
        ("model apply follow", 0, true),
    ] {
        let mut args: Vec<&str> = command.split(' ').collect();
        args.extend(["--data", "db"]);
        let ran = run_in(dir.path(), &args);
        let there = dir.path().join("db").exists();
        assert_eq!((ran.code, there), (code, made), "{command}: {}", ran.err);
    }
}

#[test]
fn the_guides_rows_read_both_ways() {
    screen(
        "screen-follow",
        &[
            "model apply follow",
            "model apply follow",
            "link follow follows alice bob createdAt=1718900000",
            "link follow follows alice carol createdAt=1718900100",
            "link follow follows dave bob createdAt=1718900200",
            "link follow follows alice bob",
            "in follow follows bob",
            "out follow follows alice",
            "in follow follows bob --json",
            "count follow follows bob",
            "count follow follows bob --only in --json",
            "edge follow follows alice bob",
            "edge follow follows alice bob --json",
            "unlink follow follows alice carol",
            "unlink follow follows alice carol",
            "out follow follows alice",
            "show follow actor alice",
        ],
    );
}

#[test]
fn students_courses_and_grades() {
    screen(
        "screen-school",
        &[
            "model apply school --quiet",
            "put school course math204 'title=Linear algebra'",
            "put school student a91 name=Ann",
            "put school student a91 name=Ann",
            "link school enrolled a91 math204 enrolledOn=2026-09-01",
            "show school student a91",
            "set school enrolled a91 math204 grade=A",
            "set school enrolled a91 math204 grade=A studied_credits:n=60",
            "set school enrolled a91 math204 --remove studied_credits",
            "in school enrolled math204",
            "show school course math204",
            "get school student a91",
            "get school student a91 --json",
            "rm school course math204",
            "unlink school enrolled a91 math204",
            "rm school course math204",
            "rm school course math204",
            "get school course math204",
        ],
    );
}

#[test]
fn an_edge_in_a_shard_says_where_it_is_read() {
    screen(
        "screen-shards",
        &[
            "model apply follow -q",
            "link follow follows alice bob createdAt=1718900000",
            "shards grow follow follows bob --to 2",
            "link follow follows carol bob createdAt=1718900100",
            "edge follow follows alice bob",
            "edge follow follows carol bob",
            "in follow follows bob",
        ],
    );
}

#[test]
fn edges_are_upserted_moved_and_written_many_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let lines =
        "link ann ben createdAt=1718900000\nlink ann cleo createdAt=1718900100\nunlink ben ann\n";
    std::fs::write(dir.path().join("lines.txt"), lines).unwrap();
    let commands = [
        "model apply friendships -q",
        "upsert friendships friends zoe al createdAt=1718900000 note=school",
        "upsert friendships friends zoe al note=work",
        "upsert friendships friends zoe al note=work",
        "upsert friendships friends zoe al note=home --if-version 1",
        "set friendships friends zoe al note=home --if-version 2",
        "upsert friendships friends zoe al note=home --json",
        "link friendships requested mo al createdAt=1718900200",
        "link friendships requested mo mo",
        "move friendships requested friends mo al createdAt=1718900300",
        "move friendships requested friends mo al",
        "count friendships friends al",
        "unlink friendships friends mo al --if-version 7",
        "link friendships friends bo cy createdAt=1718900400 --op-id mine",
        "link friendships friends bo cy --op-id mine",
        "batch friendships requested lines.txt",
        "batch friendships requested lines.txt --json",
        "edge friendships requested ann ben cleo dan",
        "get friendships person ann ben nobody",
        "archive friendships person ben",
        "archive friendships person ben",
        "get friendships person ben",
        "unarchive friendships person ben",
        "archive friendships person nobody",
    ];
    check("screen-edges", &transcript(dir.path(), "db", &commands));
}

#[test]
fn lists_are_combined_and_edges_walked() {
    let mut commands = vec!["model apply follow -q".to_owned()];
    for (source, target) in [
        ("alice", "bob"),
        ("alice", "carol"),
        ("bob", "alice"),
        ("bob", "carol"),
        ("bob", "dave"),
        ("carol", "dave"),
        ("carol", "erin"),
        ("dave", "frank"),
        ("erin", "star"),
        ("bob", "star"),
        ("carol", "star"),
    ] {
        commands.push(format!(
            "link follow follows {source} {target} createdAt=1718900000 -q"
        ));
    }
    for command in [
        "mutual follow follows alice",
        "known follow follows alice star",
        "known follow follows alice star --limit 1",
        "intersect follow follows:out:bob follows:out:carol",
        "union follow follows:out:alice follows:in:star --json",
        "difference follow follows:out:bob follows:out:alice",
        "difference follow follows:out:bob follows:out:alice --by probe",
        "difference follow follows:out:bob follows:out:alice --count",
        "mutual follow follows alice --count --json",
        "intersect follow follows:both:bob",
        "suggest follow follows alice",
        "suggest follow follows frank",
        "near follow follows alice --depth 2",
        "near follow follows alice --depth 3 --max-nodes 4 --json",
        "path follow follows alice frank",
        "path follow follows frank alice",
        "path follow follows frank alice --along both --json",
        "path follow follows alice frank --max-edges 1",
        "near school enrolled a91",
        "mutual follow follows alice --explain",
    ] {
        commands.push(command.to_owned());
    }
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    screen("screen-sets", &commands);
}

#[test]
fn pages_go_on_behind_a_cursor() {
    let mut commands = vec!["model apply follow -q".to_owned()];
    for n in 1..=5 {
        commands.push(format!(
            "link follow follows f{n} star createdAt={} -q",
            1_700_000_000 + n
        ));
    }
    commands.push("in follow follows star --limit 2".to_owned());
    commands.push("in follow follows star --all".to_owned());
    commands.push("in follow follows star --limit 2 --reverse".to_owned());
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    screen("screen-pages", &commands);
}

#[test]
fn nothing_there_says_what_to_do() {
    screen(
        "screen-empty",
        &[
            "model apply follow -q",
            "out follow follows alice",
            "in follow follows alice --json",
            "edge follow follows alice bob",
            "set follow follows alice bob note=x",
            "get follow actor alice",
            "show follow actor alice",
            "count follow follows alice",
            "rm follow actor alice",
        ],
    );
}

#[test]
fn a_table_that_is_there_gets_a_model_with_what_it_rests_on() {
    screen(
        "screen-infer",
        &[
            "model apply follow -q",
            "link follow follows alice bob createdAt=1718900000 -q",
            "link follow follows alice carol createdAt=1718900100 -q",
            "model new circle --from-table follow --to circle.toml -q",
            "model check circle.toml",
            "model new circle --from-table absent --to other.toml",
        ],
    );
}

#[test]
fn odd_ids_neither_move_the_cursor_nor_mean_something_to_a_shell() {
    screen(
        "screen-ids",
        &[
            "model apply follow -q",
            "link follow follows 'a\x1b[31m b' '$(x)' createdAt=1718900000",
            "edge follow follows 'a\x1b[31m b' '$(x)'",
            "edge follow follows '$(x)' 'a#b;c'",
            "in follow follows '$(x)'",
            "out follow follows 'a\x1b[31m b' --limit 1",
            "out follow follows '\u{202e}evil'",
            "get follow actor '\x1b]0;title\x07'",
            "rm follow actor 'line\nend'",
            "link follow follows alice bob 'createdAt=\x1b[2J'",
        ],
    );
}

#[test]
fn a_reader_that_has_read_enough_is_no_error() {
    let dir = tempfile::tempdir().unwrap();
    run_in(dir.path(), &["model", "apply", "follow", "--data", "db"]).done();
    run_in(
        dir.path(),
        &["link", "follow", "follows", "alice", "bob", "--data", "db"],
    )
    .done();
    for command in [
        &["in", "follow", "follows", "bob"][..],
        &["in", "follow", "follows", "bob", "--json"],
        &["export", "follow", "follows", "-"],
    ] {
        let mut child = bothways()
            .current_dir(dir.path())
            .args(command)
            .args(["--data", "db"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let ran = Ran::from(child.wait_with_output().unwrap());
        let complains = ran.err.contains("error");
        assert_eq!(
            (ran.code, complains),
            (0, false),
            "{command:?}: {}",
            ran.err
        );
    }
}

#[test]
fn errors_say_what_where_and_what_to_do() {
    screen(
        "screen-errors",
        &[
            "in follow follow bob",
            "get school teacher t1",
            "in nowhere follows bob",
            "in models/none.toml follows bob",
            "out follow follows alice",
            "link follow follows alice ''",
            "link follow follows alice bob createdAt=yesterday",
            "link follow follows alice bob edgeType=LIKES",
            "link follow follows alice bob x:z=1",
            "set follow follows alice bob",
            "out follow follows alice --endpoint http://127.0.0.1:1",
            "out follow follows alice --endpoint ftp://127.0.0.1",
            "out follow follows alice --data db --endpoint http://127.0.0.1:1",
            "out follow follows alice --json",
            "serve --memory --data db",
            "import follow follows none.tsv",
        ],
    );
}

#[test]
fn models_are_shown_checked_and_started_from() {
    screen(
        "screen-models",
        &[
            "model show follow",
            "model show school",
            "model show social",
            "model check follow",
            "model check school",
            "model new clubs --from school",
            "model new clubs --from school",
            "model new a",
            "model check models/clubs.toml --json",
            "model show models/clubs.toml -q",
        ],
    );
}

#[test]
fn what_would_be_sent_is_shown_and_not_sent() {
    screen(
        "screen-explain",
        &[
            "link follow follows alice bob createdAt=1718900000 --explain --endpoint http://127.0.0.1:1",
            "in follow follows bob --explain",
            "edge follow follows alice bob --explain --json",
        ],
    );
}

#[test]
fn requests_are_explained_printed_and_sent() {
    let followers = r#"'aws dynamodb query --table-name follow --index-name GSI1 --projection-expression "PK, createdAt" --key-condition-expression "GSI1PK = :b AND begins_with(GSI1SK, :a)" --expression-attribute-values "{\":b\":{\"S\":\"TARGET#bob\"},\":a\":{\"S\":\"ACTOR#\"}}"'"#;
    let with = |command: &str, rest: &str| format!("{command} {followers} {rest}");
    screen(
        "screen-requests",
        &[
            "model apply follow",
            "link follow follows alice bob createdAt=1718900000",
            &with("expr", "--model follow"),
            &with("run", "--model follow"),
            &with("run", "--json"),
            &with("codegen", "--to python"),
            &with("codegen", "--to partiql"),
            r#"codegen '{"TableName":"follow","Item":{"PK":{"S":"a"},"SK":{"S":"b"}}}' --to partiql"#,
            r#"run '{"TableName":"follow","Key":{"PK":{"S":"a"}}}'"#,
            r#"expr '{"TableName":"follow","KeyConditionExpression":"SK = :a","ExpressionAttributeValues":{":a":{"S":"x"}}}'"#,
            r#"expr '{"TableName":"follow","FilterExpression":"size > 2"}'"#,
            r#"run '{"TableName":"follow","Key":{"PK":{"S":"a"},"SK":{"S":"b"}},"ReturnValues":"ALL_OLD"}' --explain"#,
            r#"run '{"TableName":"follow","KeyConditionExpression":"PK = :a","ExpressionAttributeValues":{":a":{"S":"nobody"}}}'"#,
            r#"run '{"TableName":"follow","Select":"COUNT","FilterExpression":"attribute_exists(createdAt)"}'"#,
            r#"run '{"Statements":[{"Statement":"DELETE FROM nothing WHERE a = 1"},{"Statement":"DELETE FROM follow WHERE PK = 1"}]}'"#,
            &with("expr", "--save followers.json"),
            "run followers.json --model follow",
            "codegen followers.json --to aws-cli",
            &with("expr", "--save followers.json"),
            "expr followers.json --operation Scan",
            "expr @nowhere.json",
            "expr missing.json",
            "codegen {} --to cobol",
            "table follow --explain",
            "table follow --to terraform",
            "table nothing",
        ],
    );
}

#[test]
fn a_table_from_a_nosql_workbench_model() {
    let dir = tempfile::tempdir().unwrap();
    let key =
        |name: &str, kind: &str| serde_json::json!({"AttributeName": name, "AttributeType": kind});
    let model = serde_json::json!({
        "ModelName": "Forum",
        "DataModel": [{
            "TableName": "Thread",
            "KeyAttributes": {"PartitionKey": key("Forum", "S"), "SortKey": key("Number", "N")},
            "GlobalSecondaryIndexes": [{
                "IndexName": "ByAuthor",
                "KeyAttributes": {"PartitionKey": key("Author", "S")},
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }],
            "TableData": (1..=30).map(|number| serde_json::json!({
                "Forum": {"S": "S3"}, "Number": {"N": number.to_string()}, "Author": {"S": "ann"},
            })).collect::<Vec<_>>(),
        }],
    });
    std::fs::write(dir.path().join("forum.json"), model.to_string()).unwrap();
    std::fs::write(dir.path().join("empty.json"), "{}").unwrap();
    check(
        "screen-designed",
        &transcript(
            dir.path(),
            "db",
            &[
                "table Thread --from forum.json",
                "table Thread --from forum.json",
                "table Reply --from forum.json",
                "table Reply --from empty.json",
                "table Thread --from forum.json --explain",
                r#"run '{"TableName":"Thread","Select":"COUNT"}' --operation Scan"#,
                "table Thread --to nosql-workbench",
            ],
        ),
    );
}
