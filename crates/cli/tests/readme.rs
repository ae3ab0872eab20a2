//! The README's commands, run as they stand there: each prints what the README says it prints.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use std::path::Path;
use support::document::{Shown, commands, plain, printed};
use support::{Server, bothways, sample};

#[test]
fn the_readmes_commands_print_what_it_says() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let shown = commands(&std::fs::read_to_string(readme).unwrap());
    assert!(shown.len() > 10);
    let dir = tempfile::tempdir().unwrap();
    std::fs::copy(
        sample("oulad-enrolments-sample.csv"),
        dir.path().join("enrolments.csv"),
    )
    .unwrap();
    let server = Server::start(&["--memory", "--sample"]);
    for Shown { command, output } in shown {
        let Some(args) = command.strip_prefix("bothways ") else {
            // What `make run` prints is compared below; that it builds and starts is a test of its own.
            assert_eq!(command, "make run");
            continue;
        };
        let printed = printed(dir.path(), &server.endpoint, args);
        assert_eq!(plain(&printed), plain(&output), "$ {command}");
    }
}

#[test]
fn the_readmes_in_other_languages_show_the_same_commands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let shown = commands(&read("README.md"));
    for name in ["README.es.md", "README.ja.md", "README.zh-Hant.md"] {
        let own = commands(&read(name));
        assert!(own.len() > 5, "{name}");
        for Shown { command, output } in own {
            // What `make run` greets with is held by the README itself.
            let same = shown
                .iter()
                .any(|s| s.command == command && (s.output == output || command == "make run"));
            assert!(same, "{name}: $ {command}");
        }
    }
}

#[test]
fn serving_greets_as_the_readme_says() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let shown = commands(&std::fs::read_to_string(readme).unwrap());
    let make = shown
        .iter()
        .find(|shown| shown.command == "make run")
        .unwrap();
    let dir = tempfile::tempdir().unwrap();
    let mut serve = bothways();
    serve
        .current_dir(dir.path())
        .args(["serve", "--sample", "--port", "0"]);
    let greeting = support::greeting(&mut serve, "Ctrl-C");
    assert!(
        plain(&greeting).starts_with(&plain(&make.output)),
        "{greeting}"
    );
}
