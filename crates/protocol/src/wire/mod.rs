//! AWS JSON 1.0, both ways, without a tree in between: a body is read once, straight into its type, and a type
//! is written straight into bytes.
//!
//! Every type that can stand in a body is [`Wire`]. The shapes get theirs from `shapes!`, the closed sets of
//! words from `words!`; scalars, lists and maps are here; attribute values are `bothways_core::json`'s.

mod attr;
mod path;
mod read;
mod scalar;
mod show;
pub(crate) mod strict;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use path::{At, MOST_FAULTS, Seg, Unknown, UnknownWord};
pub(crate) use read::{Member, Shape, read_shape, read_word};
pub(crate) use show::Shown;
pub(crate) use write::{close, member, text};

use crate::constraint::Faults;
use serde::Deserializer;

/// A type that can stand in a request's or an answer's body.
pub(crate) trait Wire: Sized {
    /// The type as AWS's words name it.
    fn java() -> String;
    /// The closed set that the type's words come from, by its name in AWS's model.
    const WORDS: Option<&'static str> = None;
    /// Reads one JSON value; `null` is the absent value, as AWS has it.
    fn read<'de, D: Deserializer<'de>>(de: D, at: &At<'_>) -> Result<Option<Self>, D::Error>;
    /// Appends this value's JSON.
    fn write(&self, out: &mut Vec<u8>);
    /// Appends the value as AWS's messages show it (Java's `toString`).
    fn show(&self, out: &mut String);
    /// Checks the members inside, in order, adding what is wrong to `faults`.
    fn check_inside(&self, _at: &At<'_>, _faults: &mut Faults) {}
    /// How long the value is where a length can be limited: characters, elements or entries.
    fn length(&self) -> Option<usize> {
        None
    }
    /// The value where its range can be limited.
    fn magnitude(&self) -> Option<i64> {
        None
    }
    /// Whether every key of a map satisfies this.
    fn keys_all(&self, _good: &dyn Fn(&str) -> bool) -> bool {
        true
    }
    /// Whether the length of every value of a map or element of a list satisfies this.
    fn lengths_all(&self, _good: &dyn Fn(&usize) -> bool) -> bool {
        true
    }
    /// The text where it can be held against a pattern.
    fn as_text(&self) -> Option<&str> {
        None
    }
}

/// A body read into its type, with the words that are not in their sets (a constraint error, not a decoding one).
#[derive(Debug)]
pub(crate) struct Decoded<T> {
    /// The input; a member whose word is unknown is absent.
    pub(crate) value: T,
    /// Each unknown word and where it stood.
    pub(crate) unknown: Vec<UnknownWord>,
}

/// Reads a whole body, which must be JSON: an empty one is not.
///
/// # Errors
/// The words of AWS's `SerializationException`; nothing where AWS says nothing (broken JSON).
pub(crate) fn decode<T: Wire + Default>(body: &[u8]) -> Result<Decoded<T>, Option<String>> {
    let unknown = Unknown::default();
    let at = At::root(&unknown);
    // UTF-8 is checked once, and not string by string. Of a body that is not UTF-8 the part before is read, which breaks off.
    let text = match std::str::from_utf8(body) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&body[..error.valid_up_to()]).unwrap_or_default(),
    };
    let mut de = serde_json::Deserializer::from_str(text);
    let value = T::read(&mut de, &at).and_then(|v| de.end().map(|()| v));
    match value {
        Ok(_) if text.len() < body.len() => Err(None),
        Ok(value) => Ok(Decoded {
            value: value.unwrap_or_default(),
            unknown: unknown.take(),
        }),
        Err(error) => Err(wrong_type(&error)),
    }
}

/// Whether a body is JSON at all. AWS reports one that is not before it looks at the operation or the signature.
#[must_use]
pub fn is_json(body: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok()
}

/// The words of a wrong JSON type, without the position that `serde_json` adds to every error of ours.
fn wrong_type(error: &serde_json::Error) -> Option<String> {
    if error.classify() != serde_json::error::Category::Data {
        return None;
    }
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    Some(text.strip_suffix(&place).unwrap_or(&text).to_owned())
}
