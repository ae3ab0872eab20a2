//! Every request of `requests.json` in every language, word for word; and what reading and normalising make of them.
#![allow(clippy::unwrap_used, reason = "a test")]

use bothways_codegen::{DesignedTable, Draft, Infrastructure, Language, Schema};
use bothways_core::expr::Aliases;
use serde_json::Value as Json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

struct Case {
    name: String,
    schema: Schema,
    draft: Draft,
}

fn data(file: &str) -> Json {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(file);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn cases() -> Vec<Case> {
    let tables: Vec<Schema> = data("tables.json")
        .as_array()
        .unwrap()
        .iter()
        .map(|table| Schema::read(table).unwrap())
        .collect();
    let of = |case: &Json| Case {
        name: case["name"].as_str().unwrap().to_owned(),
        schema: tables
            .iter()
            .find(|table| case["table"] == table.table.as_str())
            .unwrap()
            .clone(),
        draft: Draft::read(&case["request"].to_string(), None).unwrap(),
    };
    data("requests.json")
        .as_array()
        .unwrap()
        .iter()
        .map(of)
        .collect()
}

/// Compares with the file; `BLESS=1` writes it.
fn check(file: &str, found: &str) {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(file);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if expected != found {
        let line = expected
            .lines()
            .zip(found.lines())
            .position(|(a, b)| a != b)
            .unwrap_or(0);
        let near = |text: &str| {
            text.lines()
                .skip(line.saturating_sub(2))
                .take(6)
                .collect::<Vec<_>>()
                .join("\n")
        };
        panic!(
            "{file}, line {}:\n{}\n--- now ---\n{}\n(BLESS=1 accepts it)",
            line + 1,
            near(&expected),
            near(found)
        );
    }
}

#[test]
fn every_language_prints_what_it_printed() {
    for language in Language::ALL {
        let mut out = String::new();
        for case in cases() {
            match language.program(&case.draft, Some(&case.schema)) {
                Ok(program) => write!(out, "=== {}\n{program}", case.name).unwrap(),
                Err(refusal) => writeln!(out, "=== {}\nrefused: {refusal}", case.name).unwrap(),
            }
        }
        check(&format!("{}.txt", language.name()), &out);
    }
}

#[test]
fn every_request_is_explained() {
    let mut out = String::new();
    for case in cases() {
        let explained = case.draft.explain(Some(&case.schema), None, None);
        writeln!(out, "=== {}\n{}", case.name, explained.sentence).unwrap();
        for finding in explained.findings {
            writeln!(
                out,
                "{} {}",
                if finding.fatal { "!" } else { "-" },
                finding.text
            )
            .unwrap();
        }
    }
    check("sentences.txt", &out);
}

#[test]
fn tables_become_infrastructure() {
    for form in Infrastructure::ALL {
        let mut out = String::new();
        for table in data("tables.json").as_array().unwrap() {
            write!(
                out,
                "=== {}\n{}",
                table["TableName"].as_str().unwrap(),
                form.definition(table)
                    .unwrap_or_else(|reason| format!("refused: {reason}\n"))
            )
            .unwrap();
        }
        check(&format!("table-{}.txt", form.name()), &out);
    }
}

#[test]
fn a_table_of_a_nosql_workbench_model_is_the_table_it_was_printed_from() {
    let tables = data("tables.json");
    let table = &tables[0];
    let printed = Infrastructure::NoSqlWorkbench.definition(table).unwrap();
    let read = DesignedTable::read(&serde_json::from_str(&printed).unwrap()).unwrap();
    let again = Infrastructure::NoSqlWorkbench
        .definition(&read[0].input)
        .unwrap();
    assert_eq!(again, printed);
    let schema = |table| Schema::read(table).unwrap();
    assert_eq!(schema(&read[0].input), schema(table));
}

#[test]
fn a_nosql_workbench_model_without_its_parts_is_refused_by_name() {
    let key =
        |name: &str, kind: &str| serde_json::json!({"AttributeName": name, "AttributeType": kind});
    let index = |kind| serde_json::json!([{"IndexName": "i", "KeyAttributes": {"PartitionKey": key("a", kind)}}]);
    for (table, words) in [
        (
            serde_json::json!({}),
            "a table of DataModel has no TableName",
        ),
        (
            serde_json::json!({"TableName": "t"}),
            "t: PartitionKey has no AttributeName",
        ),
        (
            serde_json::json!({"TableName": "t", "KeyAttributes": {"PartitionKey": key("a", "S")}, "GlobalSecondaryIndexes": index("N")}),
            "t: the key attribute a is both S and N",
        ),
    ] {
        let model = serde_json::json!({"DataModel": [table]});
        assert_eq!(DesignedTable::read(&model).unwrap_err(), words);
    }
    let none = serde_json::json!({"DataModel": []});
    assert_eq!(
        DesignedTable::read(&none).unwrap_err(),
        "DataModel has no table"
    );
}

#[test]
fn a_command_is_read_back_as_the_request_it_was_printed_from() {
    for case in cases() {
        let command = Language::AwsCli.program(&case.draft, None).unwrap();
        let again = Draft::read(&command, None).unwrap();
        assert_eq!(again.json(), case.draft.json(), "{}", case.name);
    }
}

#[test]
fn json_is_read_back_without_the_operations_name_where_it_tells() {
    for case in cases() {
        let body = case.draft.json().to_string();
        let again = Draft::read(&body, Some(case.draft.operation())).unwrap();
        assert_eq!(again.json(), case.draft.json(), "{}", case.name);
        let plain_delete = case.name == "delete-plain";
        let guessed = Draft::read(&body, None).unwrap();
        assert_eq!(
            guessed.operation() == case.draft.operation(),
            !plain_delete && case.name != "update-touch",
            "{}",
            case.name
        );
    }
}

#[test]
fn a_saved_request_is_the_request_it_was() {
    for case in cases() {
        let again = Draft::read(&case.draft.saved(), None).unwrap();
        assert_eq!(again.operation(), case.draft.operation(), "{}", case.name);
        assert_eq!(again.json(), case.draft.json(), "{}", case.name);
    }
}

#[test]
fn a_file_that_is_no_saved_request_is_refused_by_its_member() {
    let refused = |file: Json| {
        Draft::read(&file.to_string(), None)
            .unwrap_err()
            .to_string()
    };
    let file = |version: u64, operation: &str, input: Json| serde_json::json!({"bothways": "request", "version": version, "operation": operation, "input": input});
    for (file, words) in [
        (
            serde_json::json!({"bothways": "model"}),
            "bothways must be \"request\", not \"model\"",
        ),
        (
            file(2, "Query", serde_json::json!({})),
            "version must be 1, not 2: a newer version of Bothways may read it",
        ),
        (
            file(1, "Ask", serde_json::json!({})),
            "operation: there is no operation \"Ask\"",
        ),
        (file(1, "Query", Json::Null), "input must be an object"),
    ] {
        assert_eq!(refused(file), format!("the saved request: {words}"));
    }
}

#[test]
fn a_normal_form_is_its_own_normal_form() {
    for case in cases() {
        for aliases in [Aliases::Needed, Aliases::Always] {
            let normal = case.draft.normalised(aliases).unwrap();
            let again = normal.normalised(aliases).unwrap();
            assert_eq!(normal.json(), again.json(), "{}", case.name);
        }
    }
}
