//! DynamoDB JSON against AWS's recorded answers.

use crate::support::value;
use bothways_core::json::{
    Place, PlainError, from_plain, item_from_slice, read_value, write_plain, write_pretty,
};
use bothways_core::{FaultKind, Item, NumberError, Value, ValueType};
use proptest::prelude::*;

fn decode(json: &str) -> Result<(Item, Option<FaultKind>), String> {
    match item_from_slice(json.as_bytes()) {
        Ok(given) => Ok((given.value, given.fault.map(|fault| fault.kind))),
        Err(error) => {
            let text = error.to_string();
            let end = text.find(" at line").unwrap_or(text.len());
            Err(text[..end].to_owned())
        }
    }
}

#[test]
fn every_type_comes_back_as_it_was() {
    let cases = [
        "{}",
        r#"{"a":{"S":""}}"#,
        r#"{"a":{"S":"é \"quoted\" \\ \n\u0001"},"b":{"N":"-0.5"}}"#,
        r#"{"a":{"B":"AAEC"},"b":{"BOOL":true},"c":{"BOOL":false},"d":{"NULL":true}}"#,
        r#"{"a":{"SS":["","a","b"]},"b":{"NS":["-1","0","2.5"]},"c":{"BS":["","AA==","/w=="]}}"#,
        r#"{"a":{"L":[]},"b":{"L":[{"S":"x"},{"L":[{"N":"1"}]}]},"c":{"M":{}},"d":{"M":{"x":{"M":{"y":{"S":"z"}}}}}}"#,
    ];
    for json in cases {
        let (item, fault) = decode(json).unwrap();
        assert_eq!(fault, None, "{json}");
        let mut out = Vec::new();
        item.write_json(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), json);
        assert_eq!(Item::from_bytes(item.bytes().clone()).unwrap(), item);
        let mut pretty = Vec::new();
        write_pretty(&item, &mut pretty);
        assert_eq!(
            decode(std::str::from_utf8(&pretty).unwrap()).unwrap().0,
            item
        );
    }
}

#[test]
fn one_value_fault_is_reported_beside_the_item() {
    let number = |text: &str, error| FaultKind::Number {
        text: text.to_owned(),
        error,
    };
    let cases = [
        (r#"{"a":{}}"#, FaultKind::Empty),
        (r#"{"a":{"a":""}}"#, FaultKind::Empty),
        (r#"{"a":{"M":{"a":{}}}}"#, FaultKind::Empty),
        (r#"{"a":{"L":[{}]}}"#, FaultKind::Empty),
        (r#"{"a":{"S":"a","N":"1"}}"#, FaultKind::Ambiguous),
        (
            r#"{"a":{"S":"","N":""}}"#,
            number("", NumberError::Malformed),
        ),
        (r#"{"a":{"NULL":false}}"#, FaultKind::NullNotTrue),
        (r#"{"a":{"NULL":"no"}}"#, FaultKind::NullNotTrue),
        (r#"{"a":{"SS":[]}}"#, FaultKind::EmptySet(ValueType::Ss)),
        (r#"{"a":{"NS":[]}}"#, FaultKind::EmptySet(ValueType::Ns)),
        (r#"{"a":{"BS":[]}}"#, FaultKind::EmptySet(ValueType::Bs)),
        (
            r#"{"a":{"SS":["b","a","b"]}}"#,
            FaultKind::DuplicateStrings(vec!["b".into(), "a".into(), "b".into()]),
        ),
        (r#"{"a":{"NS":["1","1.0"]}}"#, FaultKind::DuplicateNumbers),
        (
            r#"{"a":{"BS":["AA==","AA=="]}}"#,
            FaultKind::DuplicateBinaries(vec![vec![0].into(), vec![0].into()]),
        ),
        (
            r#"{"a":{"NS":["1","b"]}}"#,
            number("b", NumberError::Malformed),
        ),
        (
            r#"{"a":{"N":"1e126"}}"#,
            number("1e126", NumberError::Overflow),
        ),
        (r#"{"":{"S":"x"}}"#, FaultKind::EmptyName { nested: false }),
        (
            r#"{"a":{"M":{"":{"S":"x"}}}}"#,
            FaultKind::EmptyName { nested: true },
        ),
    ];
    for (json, fault) in cases {
        let (item, found) = decode(json).unwrap();
        assert_eq!(found, Some(fault), "{json}");
        Item::from_bytes(item.bytes().clone()).unwrap();
    }
}

fn nested(levels: usize) -> String {
    format!(
        "{}{{\"S\":\"leaf\"}}{}",
        "{\"M\":{\"n\":".repeat(levels),
        "}}".repeat(levels)
    )
}

/// Source: measured on AWS, `paritysuite/dynamodb-conformance`, limits/nestingDepth and
/// validation-ordering/deepRequests.
#[test]
fn nesting_counts_to_32_levels() {
    let item = |value: &str| format!("{{\"pk\":{{\"S\":\"a\"}},\"d\":{value}}}");
    assert_eq!(decode(&item(&nested(31))).unwrap().1, None);
    for (levels, far) in [
        (32, false),
        (40, false),
        (62, false),
        (63, true),
        (100, true),
        (100_000, true),
    ] {
        let given = item_from_slice(item(&nested(levels)).as_bytes()).unwrap();
        let fault = given.fault.unwrap();
        assert_eq!(
            (fault.kind, fault.attribute.as_str()),
            (FaultKind::TooDeep { far }, "d"),
            "{levels}"
        );
    }
    let lists = format!("{}{}", "{\"L\":[".repeat(5000), "]}".repeat(5000));
    let far = Some(FaultKind::TooDeep { far: true });
    assert_eq!(decode(&item(&lists)).unwrap().1, far);

    let deep = nested(40);
    let with_names = [
        (
            format!("{{\"\":{{\"S\":\"x\"}},\"d\":{deep}}}"),
            FaultKind::EmptyName { nested: false },
        ),
        (
            format!("{{\"d\":{deep},\"\":{{\"S\":\"x\"}}}}"),
            FaultKind::EmptyName { nested: false },
        ),
        (
            format!("{{\"m\":{{\"M\":{{\"\":{{\"S\":\"x\"}}}}}},\"d\":{deep}}}"),
            FaultKind::TooDeep { far: false },
        ),
    ];
    for (json, fault) in with_names {
        assert_eq!(decode(&json).unwrap().1, Some(fault));
    }
}

#[test]
fn a_fault_names_the_attribute_that_holds_it() {
    let given = item_from_slice(br#"{":a":{"S":"x"},":b":{"L":[{"N":"b"}]},":c":{}}"#).unwrap();
    assert_eq!(given.fault.unwrap().attribute, ":b");
}

#[test]
fn null_members_are_absent_and_of_two_the_last_counts() {
    let cases = [
        (r#"{"a":{"S":null,"N":"1"}}"#, r#"{"a":{"N":"1"}}"#),
        (r#"{"a":{"L":null,"M":{}}}"#, r#"{"a":{"M":{}}}"#),
        (
            r#"{"a":{"M":null,"L":[]},"b":{"S":"x"}}"#,
            r#"{"a":{"L":[]},"b":{"S":"x"}}"#,
        ),
        (r#"{"a":{"S":"x","S":"y"}}"#, r#"{"a":{"S":"y"}}"#),
        (r#"{"a":{"L":[{"S":"x"}],"L":[]}}"#, r#"{"a":{"L":[]}}"#),
        (
            r#"{"a":{"S":"x"},"b":{"N":"1"},"a":{"S":"y"}}"#,
            r#"{"a":{"S":"y"},"b":{"N":"1"}}"#,
        ),
        (
            r#"{"a":{"S":"x","Unknown":[{"deep":1}]}}"#,
            r#"{"a":{"S":"x"}}"#,
        ),
        (
            r#"{"a":{"BOOL":"YES"},"b":{"BOOL":"0"}}"#,
            r#"{"a":{"BOOL":true},"b":{"BOOL":false}}"#,
        ),
    ];
    for (json, expected) in cases {
        let (item, fault) = decode(json).unwrap();
        assert_eq!(fault, None, "{json}");
        let mut out = Vec::new();
        item.write_json(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        assert_eq!(Item::from_bytes(item.bytes().clone()).unwrap(), item);
    }
    assert_eq!(
        decode(r#"{"a":{"S":null}}"#).unwrap().1,
        Some(FaultKind::Empty)
    );
    assert_eq!(
        decode(r#"{"a":{"SS":["x",null]}}"#).unwrap().1,
        Some(FaultKind::NullMember(ValueType::Ss))
    );
}

/// JSON and the words that answer it.
type Cases = &'static [(&'static str, &'static str)];

const STRING: Cases = &[
    ("true", "TRUE_VALUE cannot be converted to String"),
    ("false", "FALSE_VALUE cannot be converted to String"),
    ("23", "NUMBER_VALUE cannot be converted to String"),
    ("-2147483648", "NUMBER_VALUE cannot be converted to String"),
    ("34.56", "DECIMAL_VALUE cannot be converted to String"),
    ("[]", "Unrecognized collection type class java.lang.String"),
    ("{}", "Start of structure or map found where not expected"),
];
const BOOLEAN: Cases = &[
    ("\"23\"", "Unexpected token received from parser"),
    ("23", "NUMBER_VALUE cannot be converted to Boolean"),
    ("34.56", "DECIMAL_VALUE cannot be converted to Boolean"),
    ("[]", "Unrecognized collection type class java.lang.Boolean"),
    ("{}", "Start of structure or map found where not expected"),
];
const BLOB: Cases = &[
    (
        "true",
        "only base-64-encoded strings are convertible to bytes",
    ),
    (
        "23",
        "only base-64-encoded strings are convertible to bytes",
    ),
    (
        "34.56",
        "only base-64-encoded strings are convertible to bytes",
    ),
    (
        "[]",
        "Unrecognized collection type class java.nio.ByteBuffer",
    ),
    ("{}", "Start of structure or map found where not expected"),
    (
        "\"23456\"",
        "Base64 encoded length is expected a multiple of 4 bytes but found: 5",
    ),
    (
        "\"=+/=\"",
        "Invalid last non-pad Base64 character dectected",
    ),
    (
        "\"+/+=\"",
        "Invalid last non-pad Base64 character dectected",
    ),
    ("\"é!a\"", "Invalid base 64 character: 'é'"),
];
const LIST: Cases = &[
    ("\"23\"", "Unexpected field type"),
    ("true", "Unexpected field type"),
    ("23", "Unexpected field type"),
    ("34.56", "Unexpected field type"),
    ("{}", "Start of structure or map found where not expected"),
];
const MAP: Cases = &[
    ("\"23\"", "Unexpected field type"),
    ("true", "Unexpected field type"),
    ("34.56", "Unexpected field type"),
    (
        "[]",
        "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>",
    ),
];
const ELEMENT: Cases = &[
    ("\"23\"", "Unexpected value type in payload"),
    ("true", "Unexpected value type in payload"),
    ("34.56", "Unexpected value type in payload"),
    (
        "[]",
        "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue",
    ),
];

/// Source: recorded against AWS by `architect/dynalite`, test/helpers.js, assertType.
#[test]
fn wrong_json_types_are_answered_in_dynamodbs_words() {
    let places: [(&str, Cases); 15] = [
        ("@", MAP),
        (r#"{"a":@}"#, ELEMENT),
        (r#"{"a":{"S":@}}"#, STRING),
        (r#"{"a":{"N":@}}"#, STRING),
        (r#"{"a":{"B":@}}"#, BLOB),
        (r#"{"a":{"BOOL":@}}"#, BOOLEAN),
        (r#"{"a":{"NULL":@}}"#, BOOLEAN),
        (r#"{"a":{"SS":@}}"#, LIST),
        (r#"{"a":{"SS":[@]}}"#, STRING),
        (r#"{"a":{"NS":[@]}}"#, STRING),
        (r#"{"a":{"BS":[@]}}"#, BLOB),
        (r#"{"a":{"L":@}}"#, LIST),
        (r#"{"a":{"L":[@]}}"#, ELEMENT),
        (r#"{"a":{"M":@}}"#, MAP),
        (r#"{"a":{"M":{"x":@}}}"#, ELEMENT),
    ];
    for (place, cases) in places {
        for (json, words) in cases {
            let json = place.replace('@', json);
            assert_eq!(decode(&json).map(drop), Err((*words).to_owned()), "{json}");
        }
    }
    let read = |json: &str, place| {
        let mut de = serde_json::Deserializer::from_str(json);
        read_value(&mut de, place).map(|given| given.map(|given| given.value))
    };
    assert!(
        read("1", Place::Member)
            .unwrap_err()
            .to_string()
            .starts_with("Unexpected field type")
    );
    assert!(
        read("1", Place::Element)
            .unwrap_err()
            .to_string()
            .starts_with("Unexpected value type")
    );
    assert_eq!(read("null", Place::Member).unwrap(), None);
    assert_eq!(
        read(r#"{"N":"7"}"#, Place::Member).unwrap(),
        Some(Value::from(7))
    );
}

#[test]
fn plain_json_is_what_people_write() {
    let cases = [
        (
            r#"{"age":7,"tags":["a",true,null],"m":{}}"#,
            r#"{"M":{"age":{"N":"7"},"m":{"M":{}},"tags":{"L":[{"S":"a"},{"BOOL":true},{"NULL":true}]}}}"#,
        ),
        (
            "12345678901234567890.1234567",
            r#"{"N":"12345678901234567890.1234567"}"#,
        ),
        (r#" {"$SS": ["b", "a"]} "#, r#"{"SS":["a","b"]}"#),
        (r#"{"$NS":["1"]}"#, r#"{"NS":["1"]}"#),
        (r#"{"$B":"AAEC"}"#, r#"{"B":"AAEC"}"#),
        (r#"{"$M":{"$B":"x"}}"#, r#"{"M":{"$B":{"S":"x"}}}"#),
        (
            r#"{"$B":1,"x":2}"#,
            r#"{"M":{"$B":{"N":"1"},"x":{"N":"2"}}}"#,
        ),
        (r#"{"$S":1}"#, r#"{"M":{"$S":{"N":"1"}}}"#),
    ];
    for (plain, typed) in cases {
        let value = from_plain(plain).unwrap();
        let mut out = Vec::new();
        bothways_core::json::write_value(value.as_ref(), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), typed);
    }
    assert!(matches!(
        from_plain("1e126"),
        Err(PlainError::Number {
            source: NumberError::Overflow,
            ..
        })
    ));
    assert!(matches!(
        from_plain(r#"{"$SS":[]}"#),
        Err(PlainError::Form {
            fault: FaultKind::EmptySet(ValueType::Ss),
            ..
        })
    ));
    assert!(matches!(
        from_plain(r#"{"$B":"x"}"#),
        Err(PlainError::Json(_))
    ));
    assert!(matches!(from_plain("{"), Err(PlainError::Json(_))));
    assert!(matches!(
        from_plain(&"[".repeat(100_000)),
        Err(PlainError::Json(_))
    ));
    let deep = format!("{}{}", "[".repeat(33), "]".repeat(33));
    assert!(matches!(from_plain(&deep), Err(PlainError::TooDeep)));
}

proptest! {
    #[test]
    fn plain_json_loses_nothing(value in value()) {
        let mut out = Vec::new();
        write_plain(value.as_ref(), &mut out);
        prop_assert_eq!(from_plain(std::str::from_utf8(&out).unwrap()).unwrap(), value);
    }

    #[test]
    fn pretty_json_reads_back(value in value()) {
        let item = Item::from_attributes([("a", value)]);
        let mut out = Vec::new();
        write_pretty(&item, &mut out);
        let given = item_from_slice(&out).unwrap();
        prop_assert_eq!(given.fault, None);
        prop_assert_eq!(given.value, item);
    }

    #[test]
    fn hostile_json_never_panics(text in "[\\[\\]{}\":,0-9a-zSNBMLO \\\\]{0,60}") {
        let _ = item_from_slice(text.as_bytes());
        let _ = from_plain(&text);
    }
}
