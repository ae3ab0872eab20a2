//! Every name of the public suite's manifest is accounted for (`answers/manifest.txt`), and every test that is named there
//! exists.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Names in the manifest.
const NAMES: usize = 1261;
const MAP: &str = include_str!("answers/manifest.txt");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files under a directory, by name.
fn files(dir: &Path, found: &mut HashMap<String, Vec<PathBuf>>) {
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy().into_owned();
        if path.is_dir() && !["target", "node_modules", "pages"].contains(&name.as_str()) {
            files(&path, found);
        } else {
            found.entry(name).or_default().push(path);
        }
    }
}

/// What tests there are: cases of the answers files, sources of refusals, functions.
struct Tests {
    cases: HashSet<(String, String)>,
    refusals: Vec<String>,
    files: HashMap<String, Vec<PathBuf>>,
}

impl Tests {
    fn read() -> Self {
        let mut by_name = HashMap::new();
        for part in ["crates", "tests"] {
            files(&root().join(part), &mut by_name);
        }
        let mut tests = Self {
            cases: HashSet::new(),
            refusals: Vec::new(),
            files: by_name,
        };
        let lines = |path: &Path| -> Vec<serde_json::Value> {
            let text = std::fs::read_to_string(path).unwrap();
            text.lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect()
        };
        let answers = root().join("crates/engine/tests/answers");
        for entry in std::fs::read_dir(answers).unwrap().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|ext| ext == "jsonl") {
                let file = path.file_stem().unwrap().to_string_lossy().into_owned();
                let cases = lines(&path);
                let names = cases
                    .iter()
                    .map(|case| case["case"].as_str().unwrap().to_owned());
                tests.cases.extend(names.map(|name| (file.clone(), name)));
            }
        }
        let refusals = lines(&root().join("crates/protocol/tests/refusals.jsonl"));
        let sources = refusals
            .iter()
            .map(|case| case["source"].as_str().unwrap().to_owned());
        tests.refusals.extend(sources);
        tests
    }

    fn have(&self, test: &str) -> bool {
        let Some((file, name)) = test.split_once(": ") else {
            return false;
        };
        if file == "refusals" {
            return self.refusals.iter().any(|source| source.starts_with(name));
        }
        if !file.contains('.') {
            return self.cases.contains(&(file.to_owned(), name.to_owned()));
        }
        let files = self.files.get(file).into_iter().flatten();
        let mut texts = files.map(|path| std::fs::read_to_string(path).unwrap_or_default());
        texts.any(|text| {
            ["fn ", "def "]
                .iter()
                .any(|word| text.contains(&format!("{word}{name}(")))
        })
    }
}

#[test]
fn every_name_is_covered_by_tests_that_exist_or_says_why_not() {
    let tests = Tests::read();
    let (mut names, mut left) = (0, 0);
    let mut wrong = Vec::new();
    let mut of = "";
    for line in MAP
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        if let Some(file) = line.strip_prefix("@ ") {
            if left != 0 {
                wrong.push(format!("{of}: {left} names are not accounted for"));
            }
            let (file, count) = file.rsplit_once(' ').unwrap();
            (of, left) = (file, count.parse::<isize>().unwrap());
            names += count.parse::<usize>().unwrap();
            continue;
        }
        let (count, rest) = line.split_once(' ').unwrap();
        left -= count.parse::<isize>().unwrap();
        if let Some((_, cited)) = rest.split_once(" = ") {
            let missing = cited.split(" | ").filter(|test| !tests.have(test));
            wrong.extend(missing.map(|test| format!("{of}: there is no test {test}")));
        } else if !rest.contains(" - ") {
            wrong.push(format!("{of}: neither a test nor a reason: {line}"));
        }
    }
    assert_eq!(left, 0, "{of}");
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(names, NAMES);
}
