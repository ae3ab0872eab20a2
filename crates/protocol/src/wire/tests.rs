use super::{Wire, decode};
use crate::types::*;
use crate::{Error, ErrorKind, Operation, Request, Response};

fn refused(operation: Operation, body: &str) -> Error {
    Request::decode(operation, body.as_bytes()).expect_err(body)
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn wrong_json_types_are_refused_in_aws_words() {
    // Source: architect/dynalite, test/helpers.js, assertType, recorded against AWS.
    const CASES: &[(Operation, &str, &str)] = &[
        (
            Operation::GetItem,
            r#"{"TableName":true}"#,
            "TRUE_VALUE cannot be converted to String",
        ),
        (
            Operation::GetItem,
            r#"{"TableName":false}"#,
            "FALSE_VALUE cannot be converted to String",
        ),
        (
            Operation::GetItem,
            r#"{"TableName":3}"#,
            "NUMBER_VALUE cannot be converted to String",
        ),
        (
            Operation::GetItem,
            r#"{"TableName":-3}"#,
            "NUMBER_VALUE cannot be converted to String",
        ),
        (
            Operation::GetItem,
            r#"{"TableName":3.5}"#,
            "DECIMAL_VALUE cannot be converted to String",
        ),
        (
            Operation::GetItem,
            r#"{"TableName":[]}"#,
            "Unrecognized collection type class java.lang.String",
        ),
        (
            Operation::GetItem,
            r#"{"TableName":{}}"#,
            "Start of structure or map found where not expected",
        ),
        (
            Operation::GetItem,
            r#"{"ConsistentRead":"x"}"#,
            "Unexpected token received from parser",
        ),
        (
            Operation::GetItem,
            r#"{"ConsistentRead":1}"#,
            "NUMBER_VALUE cannot be converted to Boolean",
        ),
        (
            Operation::GetItem,
            r#"{"ConsistentRead":[]}"#,
            "Unrecognized collection type class java.lang.Boolean",
        ),
        (
            Operation::GetItem,
            r#"{"AttributesToGet":"a"}"#,
            "Unexpected field type",
        ),
        (
            Operation::GetItem,
            r#"{"AttributesToGet":{}}"#,
            "Start of structure or map found where not expected",
        ),
        (
            Operation::GetItem,
            r#"{"Key":"a"}"#,
            "Unexpected field type",
        ),
        (
            Operation::GetItem,
            r#"{"Key":[]}"#,
            "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>",
        ),
        (
            Operation::GetItem,
            r#"{"Key":{"a":"b"}}"#,
            "Unexpected value type in payload",
        ),
        (
            Operation::GetItem,
            r#"{"Key":{"a":{"B":"aaa"}}}"#,
            "Base64 encoded length is expected a multiple of 4 bytes but found: 3",
        ),
        (
            Operation::Query,
            r#"{"Limit":"3"}"#,
            "STRING_VALUE cannot be converted to Integer",
        ),
        (
            Operation::Query,
            r#"{"Limit":true}"#,
            "TRUE_VALUE cannot be converted to Integer",
        ),
        (
            Operation::Query,
            r#"{"Limit":{}}"#,
            "Start of structure or map found where not expected",
        ),
        (
            Operation::CreateTable,
            r#"{"ProvisionedThroughput":{"ReadCapacityUnits":"3"}}"#,
            "STRING_VALUE cannot be converted to Long",
        ),
        (
            Operation::CreateTable,
            r#"{"ProvisionedThroughput":3}"#,
            "Unexpected field type",
        ),
        (
            Operation::CreateTable,
            r#"{"ProvisionedThroughput":[]}"#,
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.ProvisionedThroughput",
        ),
        (
            Operation::CreateTable,
            r#"{"KeySchema":3}"#,
            "Unexpected field type",
        ),
        (
            Operation::CreateTable,
            r#"{"KeySchema":[3]}"#,
            "Unexpected value type in payload",
        ),
        (
            Operation::CreateTable,
            r#"{"KeySchema":[[]]}"#,
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.KeySchemaElement",
        ),
        (
            Operation::Query,
            r#"{"QueryFilter":[]}"#,
            "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.Condition>",
        ),
        (
            Operation::Scan,
            r#"{"ScanFilter":{"a":[]}}"#,
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.Condition",
        ),
        (
            Operation::BatchWriteItem,
            r#"{"RequestItems":[]}"#,
            "Unrecognized collection type java.util.Map<java.lang.String, java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>>",
        ),
        (
            Operation::BatchGetItem,
            r#"{"RequestItems":[]}"#,
            "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.KeysAndAttributes>",
        ),
        (
            Operation::BatchGetItem,
            r#"{"RequestItems":{"a":3}}"#,
            "Unexpected value type in payload",
        ),
    ];
    for &(operation, body, words) in CASES {
        let error = refused(operation, body);
        assert_eq!(
            (error.kind, &*error.message),
            (ErrorKind::Serialization, words),
            "{body}"
        );
    }
}

#[test]
fn broken_json_is_refused_without_words() {
    // Source: architect/dynalite, test/connection.js.
    let deep = format!(r#"{{"Key":{{"a":{}"#, r#"{"L":["#.repeat(5000));
    let parens = "[".repeat(100_000);
    for body in [
        "",
        "hello",
        "{",
        r#"{"TableName":"a""#,
        "{} {}",
        &deep,
        &parens,
    ] {
        let error = refused(Operation::GetItem, body);
        assert_eq!(error.kind, ErrorKind::Serialization, "{body:.40}");
    }
    assert_eq!(refused(Operation::GetItem, "hello").message, "");
}

/// Scylla's `test_manual_requests.py`, measured on AWS.
#[test]
fn a_body_that_is_not_utf8_is_refused_after_what_is_wrong_before_it() {
    const CASES: &[(&[u8], &str)] = &[
        (b"{\"TableName\":\"\xFF\"}", ""),
        (b"{\"Unknown\":\"\xFF\"}", ""),
        (b"{\"TableName\":\"t\"}\xFF", ""),
        (
            b"{\"TableName\":3,\"Unknown\":\"\xFF\"}",
            "NUMBER_VALUE cannot be converted to String",
        ),
    ];
    for (body, words) in CASES {
        let error = Request::decode(Operation::GetItem, body).expect_err("not UTF-8");
        assert_eq!(error.kind, ErrorKind::Serialization, "{body:?}");
        assert_eq!(error.message, *words, "{body:?}");
    }
}

#[test]
fn null_is_no_request_and_tagging_has_no_output() {
    for body in ["null", " null\n"] {
        let error = refused(Operation::ListTables, body);
        assert_eq!(error.kind, ErrorKind::Serialization);
        assert_eq!(error.message, "");
    }
    for operation in [Operation::TagResource, Operation::UntagResource] {
        let answer =
            Response::decode(operation, b"").expect("no body is an output without members");
        assert!(answer.is_bodiless());
    }
}

#[test]
fn unknown_members_are_ignored_and_null_is_absent() {
    let body = br#"{"Unknown":[{"a":null}],"TableName":null,"ConsistentRead":"yes","Limit":"x"}"#;
    let Ok(Request::GetItem(input)) = Request::decode(Operation::GetItem, body) else {
        panic!("a GetItem");
    };
    assert_eq!(
        *input,
        GetItemInput {
            consistent_read: Some(true),
            ..GetItemInput::default()
        }
    );
}

#[test]
fn a_names_escapes_are_read() {
    let body = br#"{"TableN\u0061me":"a\"b\u00e9"}"#;
    let Ok(Request::GetItem(input)) = Request::decode(Operation::GetItem, body) else {
        panic!("a GetItem");
    };
    assert_eq!(input.table_name.as_deref(), Some("a\"bé"));
}

/// Reads a body as `T` and writes it back.
fn again<T: Wire + Default>(body: &str) -> String {
    let decoded = decode::<T>(body.as_bytes()).expect(body);
    let mut out = Vec::new();
    decoded.value.write(&mut out);
    String::from_utf8(out).expect("JSON is UTF-8")
}

#[test]
fn what_is_read_is_written_the_same() {
    let body = r#"{"ReturnConsumedCapacity":"TOTAL","TableName":"t","Item":{"a":{"L":[{"S":"x"},{"NULL":true}]},"pk":{"N":"1.5"}},"Expected":{"b":{"Value":{"S":"y"},"Exists":true,"ComparisonOperator":"EQ","AttributeValueList":[{"SS":["a","b"]}]}},"ReturnValues":"ALL_OLD","ConditionExpression":"\"\\\n","ExpressionAttributeNames":{"\#a":"b"},"ExpressionAttributeValues":{":a":{"BOOL":false}}}"#
        .replace("\\#", "#");
    assert_eq!(again::<PutItemInput>(&body), body);
    let body = r#"{"ConsumedCapacity":[{"TableName":"t","CapacityUnits":0.5,"Table":{"CapacityUnits":2.0}}],"Responses":[{"Item":{}},{}]}"#;
    assert_eq!(again::<TransactGetItemsOutput>(body), body);
    let body = r#"{"Table":{"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"TableName":"t","TableStatus":"ACTIVE","CreationDateTime":1421866952.062,"ItemCount":3,"DeletionProtectionEnabled":false}}"#;
    assert_eq!(again::<DescribeTableOutput>(body), body);
    assert_eq!(again::<GetItemOutput>("{}"), "{}");
}

#[test]
fn every_operation_reads_the_empty_object_and_is_found_by_its_target() {
    for &operation in Operation::ALL {
        let mut out = Vec::new();
        // It alone must have its members to be read at all.
        if operation != Operation::SearchVectors {
            let request = Request::decode(operation, b"{}")
                .unwrap_or_else(|_| panic!("{}", operation.name()));
            assert_eq!(request.operation(), Some(operation));
            request.encode(&mut out);
            assert_eq!(out, b"{}");
        }
        let answer =
            Response::decode(operation, b"{}").unwrap_or_else(|_| panic!("{}", operation.name()));
        out.clear();
        answer.encode(&mut out);
        assert_eq!(out, b"{}");
        assert_eq!(
            Operation::of_target(Some(&operation.target())),
            Ok(operation)
        );
    }
    for target in [
        None,
        Some(""),
        Some("whatever"),
        Some("DynamoDB_20120810.ListTable"),
    ] {
        let error = Operation::of_target(target).expect_err("unknown");
        assert_eq!(error.kind, ErrorKind::UnknownOperation);
    }
}
