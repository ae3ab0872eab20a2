//! Which generation of AWS's front end an operation runs on, and its words for wrong attribute values.

use crate::{Error, Message};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bothways_core::json::{Fault, FaultKind, Given};
use bothways_core::{NumberError, ValueType};
use bytes::Bytes;

/// How an operation words its faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    /// The newer words, each fault counted: single-item writes.
    Counted,
    /// The newer words: GetItem, BatchGetItem, Query, transactions.
    Current,
    /// The older words: Scan, BatchWriteItem.
    Older,
}

impl Layer {
    /// A fault as this layer answers it.
    pub(super) fn report(self, fault: &Message) -> Error {
        match self {
            Self::Counted => Message::Counted {
                fault: fault.text(),
            }
            .into(),
            Self::Current | Self::Older => fault.clone().into(),
        }
    }

    /// Refuses a value that decoding found wrong.
    pub(super) fn check<T>(self, given: &Given<T>) -> Result<(), Message> {
        match &given.fault {
            None => Ok(()),
            Some(fault) => Err(self.words(fault)),
        }
    }

    /// The same for `ExpressionAttributeValues`, where the older words name the placeholder.
    pub(super) fn check_values<T>(self, given: &Given<T>) -> Result<(), Message> {
        let Some(fault) = &given.fault else {
            return Ok(());
        };
        let words = self.words(fault);
        if self != Self::Older {
            return Err(words);
        }
        Err(Message::ValueInValues {
            fault: words.text(),
            key: fault.attribute.clone(),
        })
    }

    fn words(self, fault: &Fault) -> Message {
        let older = self == Self::Older;
        match &fault.kind {
            FaultKind::Empty | FaultKind::NullMember(_) => Message::ValueEmpty,
            FaultKind::Ambiguous => Message::ValueAmbiguous,
            FaultKind::NullNotTrue => Message::NullNotTrue,
            FaultKind::EmptySet(ValueType::Ns) => Message::EmptyNumberSet,
            FaultKind::EmptySet(ValueType::Bs) => Message::EmptyBinarySet,
            FaultKind::EmptySet(_) => Message::EmptyStringSet,
            FaultKind::DuplicateStrings(members) => Message::DuplicateStrings {
                members: if older {
                    members.join(", ")
                } else {
                    quoted(members, ", ")
                },
            },
            FaultKind::DuplicateNumbers if older => Message::DuplicateNumbersOlder,
            FaultKind::DuplicateNumbers => Message::DuplicateNumbers,
            FaultKind::DuplicateBinaries(members) => Message::DuplicateBinaries {
                members: binaries(members, older),
            },
            FaultKind::Number { text, error } => number(text, *error, older),
            FaultKind::TooDeep { .. } => Message::TooDeep,
            FaultKind::EmptyName { .. } => Message::EmptyAttributeName,
            FaultKind::LongName => Message::AttributeNameTooLong,
        }
    }
}

fn number(text: &str, error: NumberError, older: bool) -> Message {
    match error {
        NumberError::Malformed if older && text.is_empty() => Message::NumberEmptyOlder,
        NumberError::Malformed => Message::NumberMalformed {
            text: text.to_owned(),
        },
        NumberError::TooPrecise => Message::NumberTooPrecise,
        NumberError::Overflow => Message::NumberOverflow,
        NumberError::Underflow => Message::NumberUnderflow,
    }
}

/// The newer words list the members in ascending order up to the first repeat, then the repeat, then the rest as sent.
fn up_to_repeat<T: Ord + Clone>(members: &[T]) -> Vec<T> {
    let repeat = (0..members.len()).find(|&i| members[..i].contains(&members[i]));
    let (head, tail) = members.split_at(repeat.unwrap_or(members.len()));
    let mut listed = head.to_vec();
    listed.sort_unstable();
    listed.extend_from_slice(tail);
    listed
}

fn quoted(members: &[String], separator: &str) -> String {
    let quoted: Vec<String> = up_to_repeat(members)
        .iter()
        .map(|m| format!("\"{m}\""))
        .collect();
    quoted.join(separator)
}

fn binaries(members: &[Bytes], older: bool) -> String {
    let encode = |members: &[Bytes]| -> Vec<String> {
        members
            .iter()
            .map(|member| STANDARD.encode(member))
            .collect()
    };
    if older {
        return encode(members).join(", ");
    }
    let listed = encode(&up_to_repeat(members));
    let quoted: Vec<String> = listed.iter().map(|m| format!("\"{m}\"")).collect();
    quoted.join(",")
}
