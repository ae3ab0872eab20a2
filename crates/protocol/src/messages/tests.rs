use super::Message;
use super::table::{BARE, Piece, WORDS, lines, pieces};
use std::collections::HashSet;

#[test]
fn every_variant_has_one_text_and_every_text_a_variant() {
    let variants: HashSet<&str> = Message::ALL.iter().map(|(name, _)| *name).collect();
    let mut seen = HashSet::new();
    for (name, _) in lines() {
        assert!(seen.insert(name), "{name} has two texts");
        assert!(
            name.starts_with(WORDS) || name.starts_with(BARE) || variants.contains(name),
            "no variant {name}"
        );
    }
    for name in variants {
        assert!(seen.contains(name), "no text for {name}");
    }
}

#[test]
fn texts_name_only_fields_that_their_variants_have() {
    for (name, text) in lines() {
        let Some((_, fields)) = Message::ALL.iter().find(|(variant, _)| *variant == name) else {
            continue;
        };
        for piece in pieces(text) {
            if let Piece::Field(field) = piece {
                assert!(
                    field == "s" || fields.contains(&field),
                    "{name} has no field {field}"
                );
            }
        }
    }
}

#[test]
fn fields_fill_in_and_doubled_braces_are_braces() {
    let one = Message::NotNull {
        at: "tableName".to_owned(),
    };
    let text = "Value null at 'tableName' failed to satisfy constraint: Member must not be null";
    assert_eq!(one.text(), text);
    assert_eq!(
        Message::constraints(&[text.to_owned()]).text(),
        format!("1 validation error detected: {text}")
    );
    assert_eq!(
        Message::constraints(&["a".to_owned(), "b".to_owned()]).text(),
        "2 validation errors detected: a; b"
    );
    assert_eq!(
        Message::NamesUnused {
            keys: "#a".to_owned()
        }
        .text(),
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}"
    );
}

#[test]
fn every_closed_set_of_words_is_listed() {
    use crate::types::*;
    use crate::wire::Wire;
    fn listed<T: Wire>() {
        let set = T::WORDS.expect("a set of words");
        assert_ne!(Message::words_of(set, false), "[]", "{set}");
    }
    listed::<ScalarAttributeType>();
    listed::<KeyRole>();
    listed::<ProjectionType>();
    listed::<BillingMode>();
    listed::<TableClass>();
    listed::<ReturnValue>();
    listed::<ReturnValuesOnConditionCheckFailure>();
    listed::<ReturnConsumedCapacity>();
    listed::<ReturnItemCollectionMetrics>();
    listed::<Select>();
    listed::<StreamViewType>();
    listed::<ConditionalOperator>();
    listed::<ComparisonOperator>();
    listed::<AttributeAction>();
    assert_ne!(
        Message::words_of("ReturnValue", true),
        Message::words_of("ReturnValue", false)
    );
}
