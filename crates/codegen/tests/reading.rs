//! Reading requests: what is accepted, what is refused and in which words.
#![allow(clippy::unwrap_used, reason = "a test")]

use bothways_codegen::{Builder, Draft, Infrastructure, Language, Schema, attr, key, value};
use bothways_core::{Number, Value};
use bothways_protocol::Operation;
use std::collections::BTreeSet;

fn refusal(text: &str) -> String {
    Draft::read(text, None).unwrap_err().to_string()
}

#[test]
fn commands_are_read_as_a_shell_would() {
    for command in [
        r#"aws dynamodb get-item --table-name t --key '{"a":{"S":"it'\''s"}}'"#,
        r#"aws --region x --profile p dynamodb get-item --key="{\"a\":{\"S\":\"it's\"}}" --table-name=t --output json"#,
        "$ aws dynamodb get-item \\\n  --table-name t \\\n  --key 'a={S=it'\"'\"'s}'",
        r#"aws dynamodb get-item --cli-input-json '{"TableName":"t","Key":{"a":{"S":"it'\''s"}}}'"#,
    ] {
        let draft = Draft::read(command, None).unwrap();
        assert_eq!(
            draft.json(),
            serde_json::json!({"TableName": "t", "Key": {"a": {"S": "it's"}}}),
            "{command}"
        );
    }
}

#[test]
fn what_cannot_be_read_is_refused_in_words() {
    for (text, words) in [
        ("aws dynamodb", "the command: the operation is missing"),
        (
            "aws dynamodb get-thing --table-name t",
            "the command: there is no operation get-thing",
        ),
        (
            "aws dynamodb get-item --tabel-name t",
            "the command: GetItem has no option --tabel-name",
        ),
        (
            "aws dynamodb get-item --table-name",
            "the command: --table-name has no value",
        ),
        (
            "aws dynamodb get-item --table-name 't",
            "the command: the ' is never closed",
        ),
        (
            "aws dynamodb get-item --table-name $TABLE",
            "the command: $ would be expanded by the shell; write what it stands for",
        ),
        (
            "aws dynamodb create-table --table-name t",
            "CreateTable reads and writes no items: there is nothing to build",
        ),
        (
            "{",
            "not JSON: EOF while parsing an object at line 1 column 1",
        ),
        (
            "{}",
            "the operation cannot be told from the request: name it (it has no TableName, Key, Item, RequestItems, \
             TransactItems or Statement)",
        ),
    ] {
        assert_eq!(refusal(text), words, "{text}");
    }
}

/// The faults of builders that people use today, each right or refused here.
#[test]
fn the_known_faults_of_builders_are_not_here() {
    // The size of a set is compared with a number, whatever the attribute is.
    let size = Builder::scan("t")
        .filter(attr("tags").size().gt(2))
        .build()
        .unwrap();
    assert_eq!(size.json()["FilterExpression"], "size(tags) > :v0");
    assert_eq!(size.json()["ExpressionAttributeValues"][":v0"]["N"], "2");

    // A path is a path, and a name with a dot is a name.
    let nested = Builder::scan("t")
        .filter(attr("profile").field("city").eq("x"))
        .build()
        .unwrap();
    assert_eq!(nested.json()["FilterExpression"], "profile.city = :v0");
    let dotted = Builder::scan("t")
        .filter(attr("profile.city").eq("x"))
        .build()
        .unwrap();
    assert_eq!(
        dotted.json()["ExpressionAttributeNames"]["#n0"],
        "profile.city"
    );

    // A number that is none has no value to be built from, and its JSON is refused.
    assert!(Number::parse("1.2.3").is_err());
    let bad = r#"{"TableName":"t","Item":{"a":{"N":"twelve"}}}"#;
    assert_eq!(
        refusal(bad),
        "1 validation error detected: The parameter cannot be converted to a numeric value: twelve"
    );

    // SET and ADD on one path.
    let both = Builder::update("t", key([("a", "1".into())]))
        .set(attr("n"), 1)
        .add(attr("n"), 1);
    assert!(
        both.build()
            .unwrap_err()
            .to_string()
            .contains("Two document paths overlap")
    );

    // An update of nothing by no key.
    let keyless = r#"{"TableName":"t","UpdateExpression":"SET a = :v","ExpressionAttributeValues":{":v":{"S":"x"}}}"#;
    assert!(
        refusal(keyless).contains("'key' failed to satisfy constraint"),
        "{}",
        refusal(keyless)
    );

    // What an operation has no place for is not silently lost.
    let lost = Builder::get("t", key([("a", "1".into())]))
        .filter(attr("b").exists())
        .build();
    assert_eq!(
        lost.unwrap_err().to_string(),
        "GetItem has no place for a filter"
    );
}

#[test]
fn a_schema_tells_what_dynamodb_will_refuse() {
    let tables: serde_json::Value = serde_json::from_str(include_str!("tables.json")).unwrap();
    let follow = Schema::read(&tables[0]).unwrap();
    let fatal = |request: &str| {
        let explained = Draft::read(request, None)
            .unwrap()
            .explain(Some(&follow), None, None);
        let fatal = explained
            .findings
            .into_iter()
            .filter(|finding| finding.fatal);
        fatal
            .map(|finding| finding.text)
            .collect::<Vec<_>>()
            .join("; ")
    };
    for (request, words) in [
        (
            r#"{"TableName":"follow","IndexName":"GSI1","KeyConditionExpression":"GSI1SK = :a","ExpressionAttributeValues":{":a":{"S":"x"}}}"#,
            "no condition on GSI1PK, the partition key: without it this would be a Scan",
        ),
        (
            r#"{"TableName":"follow","IndexName":"GSI1","ConsistentRead":true,"KeyConditionExpression":"GSI1PK = :a","ExpressionAttributeValues":{":a":{"S":"x"}}}"#,
            "a global secondary index has no strongly consistent reads",
        ),
        (
            r#"{"TableName":"follow","KeyConditionExpression":"PK = :a","FilterExpression":"SK > :a","ExpressionAttributeValues":{":a":{"S":"x"}}}"#,
            "the filter looks at SK, a key of what is queried: that belongs in the key condition",
        ),
        (
            r#"{"TableName":"follow","IndexName":"GSI2","KeyConditionExpression":"PK = :a","ExpressionAttributeValues":{":a":{"S":"x"}}}"#,
            "follow has no index GSI2",
        ),
        (
            r#"{"TableName":"follow","Key":{"PK":{"S":"x"}}}"#,
            "the key attribute SK is missing",
        ),
        (
            r#"{"TableName":"follow","Key":{"PK":{"S":"x"},"SK":{"S":"y"},"a":{"S":"z"}}}"#,
            "the key is PK and SK and nothing else",
        ),
    ] {
        assert_eq!(fatal(request), words, "{request}");
    }
}

#[test]
fn a_scan_that_a_query_could_be_is_said_to_be_one() {
    let tables: serde_json::Value = serde_json::from_str(include_str!("tables.json")).unwrap();
    let follow = Schema::read(&tables[0]).unwrap();
    let scan = Builder::scan("follow")
        .filter(attr("GSI1PK").eq("TARGET#bob"))
        .build()
        .unwrap();
    let findings = scan.explain(Some(&follow), None, None).findings;
    assert!(findings.iter().any(|finding| finding.text
        == "its filter fixes the partition key of GSI1: a Query there reads only what is wanted"));
}

#[test]
fn everything_that_expressions_can_say_can_be_built() {
    let tags: Value = Value::Ss(BTreeSet::from(["a".to_owned()]));
    let update = Builder::update("t", key([("id", "1".into())]))
        .set(attr("visits"), attr("visits").or_if_absent(0).plus(1))
        .set(attr("log"), attr("log").or_if_absent(Value::L(Vec::new())))
        .set(
            attr("queue"),
            attr("queue").append(Value::L(vec!["z".into()])),
        )
        .set(
            attr("left"),
            attr("left").prepend(Value::L(vec!["a".into()])),
        )
        .set(attr("m").field("x").at(3).field("y.z"), value(Value::Null))
        .remove(attr("old"))
        .add(attr("count"), 1)
        .take(attr("tags"), tags)
        .condition(
            attr("a")
                .between(1, 2)
                .and(attr("b").is_in(["x", "y"]))
                .or(!(attr("c").contains("q").and(attr("d").exists()))),
        )
        .build()
        .unwrap();
    assert_eq!(update.operation(), Operation::UpdateItem);
    assert_eq!(
        update.json()["UpdateExpression"],
        "SET visits = if_not_exists(visits, :v0) + :v1, #n0 = if_not_exists(#n0, :v2), queue = list_append(queue, :v3), \
         #n1 = list_append(:v4, #n1), m.x[3].#n2 = :v5 REMOVE #n3 ADD #n4 :v1 DELETE tags :v6"
    );
    assert_eq!(
        update.json()["ConditionExpression"],
        "a BETWEEN :v1 AND :v7 AND b IN (:v8, :v9) OR NOT (contains(c, :v10) AND attribute_exists(d))"
    );
}

#[test]
fn what_is_said_of_a_request_moves_no_cursor() {
    let draft = Draft::read(
        r#"{"TableName":"t","Key":{"a\u001b[31m":{"S":"b\u0007\n"}}}"#,
        None,
    )
    .unwrap();
    let sentence = draft.explain(None, None, None).sentence;
    assert!(!sentence.contains(char::is_control), "{sentence:?}");
    assert!(sentence.contains("\\u{1b}[31m"), "{sentence}");
}

#[test]
fn paging_of_the_clis_own_is_not_lost_in_silence() {
    for option in ["--max-items 3", "--starting-token abc"] {
        let words = refusal(&format!("aws dynamodb scan --table-name t {option}"));
        assert!(
            words
                .ends_with("is paging of the AWS CLI's own: say --limit and --exclusive-start-key"),
            "{words}"
        );
    }
}

#[test]
fn legacy_parameters_are_printed_as_expressions() {
    let legacy = r#"{"TableName":"t","Key":{"a":{"S":"1"}},"AttributesToGet":["b"]}"#;
    let draft = Draft::read(legacy, None).unwrap();
    for language in Language::ALL {
        if let Ok(program) = language.program(&draft, None) {
            assert!(!program.contains("AttributesToGet"), "{program}");
        }
    }
    let python = Language::Python.program(&draft, None).unwrap();
    assert!(
        python.contains(r#""ProjectionExpression": "b""#),
        "{python}"
    );
}

#[test]
fn keys_of_several_attributes_are_blocks_in_terraform() {
    let attribute = |name: &str| serde_json::json!({ "AttributeName": name, "AttributeType": "S" });
    let key =
        |name: &str, kind: &str| serde_json::json!({ "AttributeName": name, "KeyType": kind });
    let table = serde_json::json!({
        "TableName": "t",
        "AttributeDefinitions": [attribute("a"), attribute("b"), attribute("c")],
        "KeySchema": [key("a", "HASH")],
        "GlobalSecondaryIndexes": [{
            "IndexName": "both",
            "KeySchema": [key("b", "HASH"), key("c", "HASH"), key("a", "RANGE")],
            "Projection": { "ProjectionType": "ALL" },
        }],
    });
    let text = Infrastructure::Terraform.definition(&table).unwrap();
    let blocks = text
        .matches("    key_schema {\n      attribute_name = ")
        .count();
    assert_eq!((blocks, text.contains("hash_keys")), (3, false), "{text}");
    assert!(text.contains("  hash_key     = \"a\"\n"), "{text}");
}
