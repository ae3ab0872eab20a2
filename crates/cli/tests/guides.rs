//! The guides' commands, run as they stand there, in every language: each prints what the guide says it prints.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use std::path::{Path, PathBuf};
use support::document::{commands, plain, printed, rewritten};

/// Rows that a guide has its reader write.
const TERM: &str = "student,course,enrolledOn\nb17,math204,2026-09-01\nc22,math204,2026-09-03\nb17,phys101,2026-09-01\n";

fn guide(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/guides")
        .join(format!("{name}.md"))
}

/// Runs a guide over a database of this name; `BLESS=1` writes what its commands print into it.
fn check(name: &str, database: &str) {
    let text = std::fs::read_to_string(guide(name)).unwrap();
    let shown = commands(&text);
    assert!(shown.len() > 10);
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("term.csv"), TERM).unwrap();
    let mut outputs = Vec::new();
    for step in &shown {
        let arguments = step.command.strip_prefix("bothways ").unwrap();
        outputs.push(printed(dir.path(), database, arguments));
    }
    if std::env::var_os("BLESS").is_some() {
        for language in ["", ".es", ".ja", ".zh-Hant"] {
            let path = guide(&format!("{name}{language}"));
            let text = std::fs::read_to_string(&path).unwrap();
            std::fs::write(path, rewritten(&text, &outputs)).unwrap();
        }
        return;
    }
    for (step, output) in shown.iter().zip(&outputs) {
        // A cascade waits for writers that had begun: how often it looks meanwhile depends on the machine.
        if step.command.contains("--cascade") {
            assert!(output.starts_with("Done"), "{output}");
            continue;
        }
        assert_eq!(plain(output), plain(&step.output), "$ {}", step.command);
    }
    for language in ["es", "ja", "zh-Hant"] {
        let own = commands(&std::fs::read_to_string(guide(&format!("{name}.{language}"))).unwrap());
        let pairs = own.iter().zip(&shown);
        assert_eq!(own.len(), shown.len(), "{name}.{language}");
        for (own, shown) in pairs {
            assert_eq!(
                (&own.command, &own.output),
                (&shown.command, &shown.output),
                "{language}"
            );
        }
    }
}

#[test]
fn the_adjacency_list() {
    check("adjacency-list", "guide");
}

#[test]
fn students_and_courses() {
    check("students-and-courses", "courses");
}
