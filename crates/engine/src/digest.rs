//! What a transaction's token stands for: a digest of the actions, the same however the request was spelt.

use crate::token::Digest;
use bothways_core::{Item, Value};
use bothways_protocol::types::{Given, Names, ParameterizedStatement, TransactWriteItem, Values};
use bothways_protocol::validate::table_name;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// One action's members, whatever its kind.
struct Action<'a> {
    kind: u8,
    table: Option<&'a str>,
    item: Option<&'a Given<Item>>,
    update: Option<&'a str>,
    condition: Option<&'a str>,
    names: Option<&'a Names>,
    values: Option<&'a Given<Values>>,
}

/// The digest of a transaction's actions in order (`docs/format.md`).
pub(crate) fn digest(actions: &[TransactWriteItem]) -> Digest {
    let mut hash = Sha256::new();
    for action in actions.iter().filter_map(members) {
        hash.update([action.kind]);
        push(&mut hash, action.table.map(table_name).map(str::as_bytes));
        push(&mut hash, action.item.map(|item| &item.value.bytes()[..]));
        push(&mut hash, action.update.map(str::as_bytes));
        push(&mut hash, action.condition.map(str::as_bytes));
        for (name, attribute) in action.names.into_iter().flatten() {
            push(&mut hash, Some(name.as_bytes()));
            push(&mut hash, Some(attribute.as_bytes()));
        }
        push(&mut hash, None);
        // As an item, values have one encoding: numbers in normal form, sets and maps in order.
        let values = action
            .values
            .map(|values| Item::from_attributes(values.value.clone()));
        push(&mut hash, values.as_ref().map(|item| &item.bytes()[..]));
    }
    hash.finalize().into()
}

/// The digest of a transaction's statements in order (`docs/format.md`).
pub(crate) fn statements_digest(statements: &[ParameterizedStatement]) -> Digest {
    let mut hash = Sha256::new();
    for one in statements {
        hash.update([b's']);
        push(&mut hash, one.statement.as_deref().map(str::as_bytes));
        let parameters = one.parameters.iter().flatten();
        let parameters = parameter_item(parameters.map(|given| &given.value));
        push(&mut hash, Some(&parameters.bytes()[..]));
    }
    hash.finalize().into()
}

/// A statement's parameters as an item: it has one encoding, however they were spelt.
pub(crate) fn parameter_item<'v>(parameters: impl Iterator<Item = &'v Value>) -> Item {
    let named = parameters.enumerate();
    Item::from_attributes(named.map(|(position, value)| (position.to_string(), value.clone())))
}

/// Adds a member so that no two lists of members give the same bytes.
fn push(hash: &mut Sha256, bytes: Option<&[u8]>) {
    match bytes {
        None => hash.update([0]),
        Some(bytes) => {
            hash.update([1]);
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        }
    }
}

fn members(action: &TransactWriteItem) -> Option<Action<'_>> {
    macro_rules! action {
        ($kind:literal, $from:ident, $item:ident, $update:expr) => {
            Some(Action {
                kind: $kind,
                table: $from.table_name.as_deref(),
                item: $from.$item.as_ref(),
                update: $update,
                condition: $from.condition_expression.as_deref(),
                names: $from.expression_attribute_names.as_ref(),
                values: $from.expression_attribute_values.as_ref(),
            })
        };
    }
    if let Some(put) = &action.put {
        action!(b'p', put, item, None)
    } else if let Some(update) = &action.update {
        action!(b'u', update, key, update.update_expression.as_deref())
    } else if let Some(delete) = &action.delete {
        action!(b'd', delete, key, None)
    } else {
        let check = action.condition_check.as_ref()?;
        action!(b'c', check, key, None)
    }
}

/// A text's SHA-256 in hexadecimal.
pub(crate) fn hex_of(text: &[u8]) -> String {
    hex(&Sha256::digest(text))
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bothways_protocol::types::{Put, Update};

    fn put(item: &[(&str, Value)]) -> Put {
        Put {
            item: Some(Item::from_attributes(item.iter().cloned()).into()),
            table_name: Some("table".into()),
            ..Put::default()
        }
    }

    fn of(put: Put) -> Digest {
        digest(&[TransactWriteItem {
            put: Some(put),
            ..TransactWriteItem::default()
        }])
    }

    #[test]
    fn the_order_of_members_does_not_matter_and_every_member_does() {
        let (x, y) = (("x", Value::N(1.into())), ("y", Value::N(2.into())));
        let base = of(put(&[x.clone(), y.clone()]));
        assert_eq!(base, of(put(&[y.clone(), x.clone()])));
        let mut arn = put(&[x.clone(), y.clone()]);
        arn.table_name = Some("arn:aws:dynamodb:r:1:table/table".into());
        assert_eq!(base, of(arn));

        let mut others = vec![of(put(std::slice::from_ref(&x))), digest(&[])];
        let mut other = put(&[x.clone(), y.clone()]);
        other.table_name = Some("another".into());
        others.push(of(other.clone()));
        other.condition_expression = Some("attribute_exists(x)".into());
        others.push(of(other.clone()));
        other.expression_attribute_names = Some(Names::from([("#a".into(), "b".into())]));
        others.push(of(other.clone()));
        let value = |n: i64| Some(Values::from([(":v".into(), Value::N(n.into()))]).into());
        other.expression_attribute_values = value(1);
        others.push(of(other.clone()));
        other.expression_attribute_values = value(2);
        others.push(of(other));
        let update = Update {
            key: put(&[x, y]).item,
            table_name: Some("table".into()),
            ..Update::default()
        };
        others.push(digest(&[TransactWriteItem {
            update: Some(update),
            ..TransactWriteItem::default()
        }]));
        others.push(base);
        let count = others.len();
        others.sort_unstable();
        others.dedup();
        assert_eq!(others.len(), count, "all differ");
    }
}
