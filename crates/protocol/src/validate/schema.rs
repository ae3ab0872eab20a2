//! What a key schema adds to the checks, once the table is known.

use super::words::typed;
use crate::Message;
use bothways_core::expr::KeyRange;
use bothways_core::{Item, KeyPart, KeySchema, Value, ValueRef};

/// Refuses empty key values in a key condition, `begins_with`'s prefix included.
/// Source: getmoto/moto#7062, quoted from AWS.
///
/// # Errors
/// [`Message::KeyConditionEmpty`], naming the first attribute.
pub fn key_range(range: &KeyRange<'_>, schema: &KeySchema) -> Result<(), Message> {
    let hash = schema.hash.iter().zip(range.hash.iter().copied());
    let equal = schema.range.iter().zip(range.equal.iter().copied());
    hash.chain(equal)
        .try_for_each(|(part, value)| not_empty(part, value))?;
    match (range.sort, schema.range.get(range.equal.len())) {
        (Some(condition), Some(part)) => condition
            .values()
            .try_for_each(|value| not_empty(part, value)),
        _ => Ok(()),
    }
}

fn not_empty(part: &KeyPart, value: &Value) -> Result<(), Message> {
    let kind = match value.as_ref() {
        ValueRef::S("") => "string",
        ValueRef::B([]) => "binary",
        _ => return Ok(()),
    };
    Err(Message::KeyConditionEmpty {
        kind,
        name: part.name.clone(),
    })
}

/// The refusal of an `ExclusiveStartKey` of one attribute, where there is but one row.
#[must_use]
pub fn not_restartable(start: &Item) -> Message {
    let shown = |(name, value): (&str, ValueRef<'_>)| {
        format!("{name}=AttributeValue: {{{}}}", typed(&value.to_value()))
    };
    Message::StartKeyNotRestartable {
        key: start.iter().map(shown).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bothways_core::ScalarType;
    use bothways_core::expr::SortCondition;

    #[test]
    fn an_empty_key_value_is_refused_wherever_it_stands() {
        let schema = KeySchema::hash("pk", ScalarType::S).and_range("sk", ScalarType::S);
        let (full, empty) = (Value::from("a"), Value::from(""));
        let words = |range: &KeyRange<'_>| key_range(range, &schema).err().map(|m| m.text());
        let refused = |name: &str| {
            Some(format!(
                "One or more parameter values are not valid. The AttributeValue for a key attribute \
                 cannot contain an empty string value. Key: {name}"
            ))
        };
        let of = |hash, equal: &[_], sort| KeyRange {
            hash: vec![hash],
            equal: equal.to_vec(),
            sort,
        };
        assert_eq!(words(&of(&full, &[&full], None)), None);
        assert_eq!(words(&of(&empty, &[], None)), refused("pk"));
        assert_eq!(words(&of(&full, &[&empty], None)), refused("sk"));
        let prefix = SortCondition::BeginsWith(&empty);
        assert_eq!(words(&of(&full, &[], Some(prefix))), refused("sk"));
        let between = SortCondition::Between(&full, &full);
        assert_eq!(words(&of(&full, &[], Some(between))), None);
    }
}
