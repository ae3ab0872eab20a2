//! Every name of the public suite's manifest is accounted for (`answers/manifest.txt`), and every test, case and step that is
//! cited there exists.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops where it fails; the comparison is for a reader"
)]

use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Names in the manifest.
const NAMES: usize = 1261;
/// Where a fetched manifest is, to hold the map against.
const MANIFEST: &str = "BOTHWAYS_SUITE_MANIFEST";
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

fn lines(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What tests there are: steps of each case, refusals by their sources, functions.
struct Tests {
    cases: HashMap<String, usize>,
    refusals: Vec<String>,
    files: HashMap<String, Vec<PathBuf>>,
}

impl Tests {
    fn read() -> Self {
        let mut by_name = HashMap::new();
        files(&root().join("crates"), &mut by_name);
        let mut cases = HashMap::new();
        let answers = root().join("crates/engine/tests/answers");
        for entry in std::fs::read_dir(answers).unwrap().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|ext| ext == "jsonl") {
                let file = path.file_stem().unwrap().to_string_lossy().into_owned();
                for case in lines(&path) {
                    let name = format!("{file}: {}", case["case"].as_str().unwrap());
                    let steps = case["steps"].as_array().unwrap().len();
                    assert_eq!(cases.insert(name.clone(), steps), None, "{name} twice");
                }
            }
        }
        let refusals = lines(&root().join("crates/protocol/tests/refusals.jsonl"));
        let source = |case: &serde_json::Value| case["source"].as_str().unwrap().to_owned();
        Self {
            cases,
            refusals: refusals.iter().map(source).collect(),
            files: by_name,
        }
    }

    /// Whether there is exactly what is cited.
    fn have(&self, cited: &str) -> bool {
        let Some((file, name)) = cited.split_once(": ") else {
            return false;
        };
        if file == "refusals" {
            return self
                .refusals
                .iter()
                .filter(|source| *source == name)
                .count()
                == 1;
        }
        if !file.contains('.') {
            let step = cited.rsplit_once(" #");
            let step = step.and_then(|(case, step)| Some((case, step.parse::<usize>().ok()?)));
            return step.is_some_and(|(case, step)| {
                let steps = self.cases.get(case);
                steps.is_some_and(|steps| (1..=*steps).contains(&step))
            });
        }
        let files = self.files.get(file).into_iter().flatten();
        let mut texts = files.map(|path| std::fs::read_to_string(path).unwrap_or_default());
        texts.any(|text| text.contains(&format!("#[test]\nfn {name}(")))
    }
}

/// A line of the map.
struct Line {
    file: &'static str,
    digits: &'static str,
    rest: &'static str,
}

impl Line {
    fn cited(&self) -> Vec<&'static str> {
        let cited = self.rest.split_once("= ").map(|(_, cited)| cited);
        cited.into_iter().flat_map(|c| c.split(" | ")).collect()
    }
}

fn map() -> Vec<Line> {
    let mut file = "";
    let mut map = Vec::new();
    for line in MAP.lines() {
        if let Some(name) = line.strip_prefix("@ ") {
            file = name;
        } else if !line.is_empty() && !line.starts_with('#') {
            let (digits, rest) = line.split_once(' ').unwrap();
            map.push(Line { file, digits, rest });
        }
    }
    map
}

#[test]
fn every_name_is_covered_by_tests_that_exist_or_says_why_not() {
    let tests = Tests::read();
    let map = map();
    let mut wrong = Vec::new();
    for line in &map {
        let (at, cited) = (format!("{} {}", line.file, line.digits), line.cited());
        if cited.is_empty() && !line.rest.starts_with("- ") {
            wrong.push(format!("{at}: neither a test nor a reason"));
        }
        let missing = cited.iter().filter(|test| !tests.have(test));
        wrong.extend(missing.map(|test| format!("{at}: there is no {test}")));
    }
    assert_eq!(wrong, Vec::<String>::new());
    let names: HashSet<&str> = map.iter().map(|line| line.digits).collect();
    assert_eq!((map.len(), names.len()), (NAMES, NAMES));
    if let Some(path) = std::env::var_os(MANIFEST) {
        let manifest = std::fs::read_to_string(path).unwrap();
        compare(&map, &serde_json::from_str(&manifest).unwrap());
    }
}

/// Holds the map against a manifest, and shows each name with what covers it.
fn compare(map: &[Line], manifest: &serde_json::Value) {
    let key = |file: &str, digits: &str| format!("{file} {digits}");
    let pairs = map
        .iter()
        .map(|line| (key(line.file, line.digits), line.rest));
    let mut ours: BTreeMap<String, &str> = pairs.collect();
    let mut unknown = Vec::new();
    for name in manifest["tests"].as_array().unwrap() {
        let name = name.as_str().unwrap();
        let digest = Sha256::digest(name.as_bytes());
        let digits = format!("{digest:x}")[..8].to_owned();
        let file = name.split_once(".test.ts::").unwrap().0;
        let file = file.strip_prefix("tests/").unwrap();
        match ours.remove(&key(file, &digits)) {
            Some(rest) => println!("{name}\n    {rest}"),
            None => unknown.push(format!("@ {file}\n{digits} {name}")),
        }
    }
    assert!(
        unknown.is_empty(),
        "not in the map:\n{}",
        unknown.join("\n")
    );
    assert!(ours.is_empty(), "no longer in the manifest: {ours:?}");
}
