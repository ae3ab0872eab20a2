//! DynamoDB JSON against AWS's recorded answers.

use bothways_core::json::{item_from_slice, write_pretty};
use bothways_core::{FaultKind, Item, NumberError, ValueType};

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
        r#"{}"#,
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
