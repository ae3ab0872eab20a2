//! What SearchVectors refuses before it looks at its members: AWS reads that request into a struct with `serde_json`, so the
//! words are that crate's own, with the place in the body.
//!
//! Source: `paritysuite/dynamodb-conformance`, error-messages/searchVectors (eu-west-2 and us-east-1, 2026-10-09). It names
//! all four members where they are `null`, and `TableName` where it is missing; that the others are missed in the same words
//! follows from their types.

use crate::{Error, ErrorKind};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The members that must be there, by the types that AWS's words tell of.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
#[expect(dead_code, reason = "only whether it can be read is asked")]
struct Required {
    table_name: String,
    index_name: String,
    search_vector: Vec<IgnoredAny>,
    top_k: i32,
}

/// Refuses a member that is `null`, and one that is missing.
///
/// # Errors
/// `SerializationException` for the first `null`; `ValidationException` for what is missing. Any other fault of the body is
/// left to those who read it.
pub(crate) fn search_vectors(body: &[u8]) -> Result<(), Error> {
    let Err(fault) = serde_json::from_slice::<Required>(body) else {
        return Ok(());
    };
    let words = fault.to_string();
    let null = ["a string", "a sequence", "i32"]
        .map(|expected| format!("invalid type: null, expected {expected} at "));
    if null.iter().any(|start| words.starts_with(start)) {
        Err(Error::new(ErrorKind::Serialization, words))
    } else if words.starts_with("missing field ") {
        Err(Error::new(ErrorKind::Validation, words))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_and_a_missing_member_are_told_with_their_place() {
        let cases = [
            (
                r#"{"TableName":"abc","IndexName":"vix","SearchVector":[],"TopK":1}"#,
                None,
            ),
            (
                r#"{"TableName":null,"IndexName":"vix","SearchVector":[],"TopK":1}"#,
                Some("invalid type: null, expected a string at line 1 column 17"),
            ),
            (
                r#"{"TableName":"abc","IndexName":null}"#,
                Some("invalid type: null, expected a string at line 1 column 35"),
            ),
            (
                r#"{"SearchVector":null}"#,
                Some("invalid type: null, expected a sequence at line 1 column 20"),
            ),
            (
                r#"{"TopK":null,"TableName":"abc"}"#,
                Some("invalid type: null, expected i32 at line 1 column 12"),
            ),
            (
                r#"{"IndexName":"ab"}"#,
                Some("missing field `TableName` at line 1 column 18"),
            ),
            // What else is wrong, those say who read it.
            (
                r#"{"TableName":"abc","IndexName":"vix","SearchVector":{},"TopK":1}"#,
                None,
            ),
            ("null", None),
            ("{", None),
        ];
        for (body, want) in cases {
            let got = search_vectors(body.as_bytes()).err();
            let got = got.map(|error| error.message.into_owned());
            assert_eq!(got.as_deref(), want, "{body}");
        }
    }
}
