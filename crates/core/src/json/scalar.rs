//! The leaves: texts, booleans, base64; lists of them; names.

use super::mismatch::Mismatch;
use crate::limits;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// How one kind of leaf takes each JSON token.
pub(super) trait Leaf<'de>: Sized {
    /// Answer to a list.
    const COLLECTION: Mismatch;
    /// Takes a string.
    fn of_text(text: Cow<'de, str>) -> Result<Self, Mismatch>;
    /// Takes a boolean.
    fn of_bool(flag: bool) -> Result<Self, Mismatch>;
    /// Answer to a number; `token` is its name in DynamoDB's words.
    fn of_number(token: &'static str) -> Mismatch;
}

impl<'de> Leaf<'de> for Cow<'de, str> {
    const COLLECTION: Mismatch = Mismatch::STRING;
    fn of_text(text: Cow<'de, str>) -> Result<Self, Mismatch> {
        Ok(text)
    }
    fn of_bool(flag: bool) -> Result<Self, Mismatch> {
        let token = if flag { "TRUE_VALUE" } else { "FALSE_VALUE" };
        Err(Self::of_number(token))
    }
    fn of_number(token: &'static str) -> Mismatch {
        Mismatch::Scalar {
            token,
            java: "String",
        }
    }
}

impl Leaf<'_> for bool {
    const COLLECTION: Mismatch = Mismatch::BOOLEAN;
    fn of_text(text: Cow<'_, str>) -> Result<Self, Mismatch> {
        // These texts convert; source as for `Mismatch`.
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" => Ok(true),
            "false" | "0" | "no" => Ok(false),
            _ => Err(Mismatch::BooleanText),
        }
    }
    fn of_bool(flag: bool) -> Result<Self, Mismatch> {
        Ok(flag)
    }
    fn of_number(token: &'static str) -> Mismatch {
        Mismatch::Scalar {
            token,
            java: "Boolean",
        }
    }
}

/// Bytes from base64.
pub(super) struct Blob(pub(super) Vec<u8>);

impl Leaf<'_> for Blob {
    const COLLECTION: Mismatch = Mismatch::BLOB;
    fn of_text(text: Cow<'_, str>) -> Result<Self, Mismatch> {
        use base64::DecodeError;
        if !text.len().is_multiple_of(4) {
            return Err(Mismatch::BlobLength(text.len()));
        }
        STANDARD
            .decode(text.as_bytes())
            .map(Self)
            .map_err(|error| match error {
                DecodeError::InvalidByte(at, byte) if byte != b'=' => {
                    let character = text.get(at..).and_then(|rest| rest.chars().next());
                    Mismatch::BlobCharacter(character.unwrap_or(char::REPLACEMENT_CHARACTER))
                }
                _ => Mismatch::BlobPadding,
            })
    }
    fn of_bool(_: bool) -> Result<Self, Mismatch> {
        Err(Mismatch::BlobToken)
    }
    fn of_number(_: &'static str) -> Mismatch {
        Mismatch::BlobToken
    }
}

/// Reads a leaf; JSON's `null` is the absent one.
pub(super) struct LeafSeed<T>(PhantomData<T>);

impl<T> LeafSeed<T> {
    pub(super) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<'de, T: Leaf<'de>> DeserializeSeed<'de> for LeafSeed<T> {
    type Value = Option<T>;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<Self::Value, D::Error> {
        de.deserialize_any(self)
    }
}

impl<'de, T: Leaf<'de>> Visitor<'de> for LeafSeed<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or boolean")
    }
    fn visit_bool<E: Error>(self, flag: bool) -> Result<Self::Value, E> {
        T::of_bool(flag).map(Some).map_err(E::custom)
    }
    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Err(E::custom(T::of_number("NUMBER_VALUE")))
    }
    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Err(E::custom(T::of_number("NUMBER_VALUE")))
    }
    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Err(E::custom(T::of_number("DECIMAL_VALUE")))
    }
    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        T::of_text(Cow::Borrowed(text)).map(Some).map_err(E::custom)
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        T::of_text(Cow::Owned(text.to_owned()))
            .map(Some)
            .map_err(E::custom)
    }
    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
        Err(A::Error::custom(T::COLLECTION))
    }
    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
        Err(A::Error::custom(Mismatch::Structure))
    }
}

/// Answers every scalar token of a visitor with one mismatch.
macro_rules! no_scalars {
    ($mismatch:expr) => {
        fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
            Err(E::custom($mismatch(&self)))
        }
        fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
            Err(E::custom($mismatch(&self)))
        }
        fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
            Err(E::custom($mismatch(&self)))
        }
        fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
            Err(E::custom($mismatch(&self)))
        }
        fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
            Err(E::custom($mismatch(&self)))
        }
    };
}
pub(super) use no_scalars;

/// Reads a list of leaves, members of a set; JSON's `null` is the absent one.
///
/// No more than [`limits::ITEM_BYTES`] are kept: so many different members weigh more than an item may, so
/// what is stored is refused for its size with or without the rest.
pub(super) struct LeavesSeed<T>(PhantomData<T>);

impl<T> LeavesSeed<T> {
    pub(super) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<'de, T: Leaf<'de>> DeserializeSeed<'de> for LeavesSeed<T> {
    type Value = Option<Vec<Option<T>>>;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<Self::Value, D::Error> {
        de.deserialize_any(self)
    }
}

impl<'de, T: Leaf<'de>> Visitor<'de> for LeavesSeed<T> {
    type Value = Option<Vec<Option<T>>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }
    no_scalars!(|_| Mismatch::Field);
    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
        Err(A::Error::custom(Mismatch::Structure))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut leaves = Vec::new();
        while let Some(leaf) = seq.next_element_seed(LeafSeed::new())? {
            if leaves.len() < limits::ITEM_BYTES {
                leaves.push(leaf);
            }
        }
        Ok(Some(leaves))
    }
}

/// Reads a member's name, borrowed where it holds no escape.
pub(super) struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<Self::Value, D::Error> {
        de.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }
    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}
