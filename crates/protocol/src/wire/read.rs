//! Visitors that read JSON into types and answer wrong JSON types in AWS's words.
//!
//! The words are those AWS's service framework gives, as recorded by dynalite's tests against AWS
//! (`architect/dynalite`, `test/helpers.js` `assertType`).

use super::{At, Seg, Wire};
use bothways_core::json::Mismatch;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// AWS's Java package, which shows in its words.
const PACKAGE: &str = "com.amazonaws.dynamodb.v20120810";

/// A shape: named members, each read by its own type.
pub(crate) trait Shape: Default {
    /// The shape's name in AWS's model.
    const NAME: &'static str;
    /// Its members' names on the wire.
    const MEMBERS: &'static [&'static str];
    /// Reads the value of one member; false where the shape has no such member.
    fn read_member<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        map: &mut A,
        at: &At<'_>,
    ) -> Result<bool, A::Error>;
}

/// Reads the value after a member's name.
pub(crate) struct Member<'a, 'p, T>(&'a At<'p>, PhantomData<T>);

impl<'a, 'p, T: Wire> Member<'a, 'p, T> {
    pub(crate) fn at(at: &'a At<'p>) -> Self {
        Self(at, PhantomData)
    }
}

impl<'de, T: Wire> DeserializeSeed<'de> for Member<'_, '_, T> {
    type Value = Option<T>;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<Self::Value, D::Error> {
        T::read(de, self.0)
    }
}

/// A member's name or a map's key, borrowed where it holds no escape.
struct Name;

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
    fn visit_borrowed_str<E: Error>(self, v: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(v))
    }
    fn visit_str<E: Error>(self, v: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(v.to_owned()))
    }
}

/// Refuses every scalar with the same words.
macro_rules! no_scalars {
    ($words:expr) => {
        fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
            Err(E::custom($words(self.0)))
        }
        fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
            Err(E::custom($words(self.0)))
        }
        fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
            Err(E::custom($words(self.0)))
        }
        fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
            Err(E::custom($words(self.0)))
        }
        fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
            Err(E::custom($words(self.0)))
        }
    };
}

/// Words for a scalar where a list or map belongs.
fn parameterized(at: &At<'_>) -> Mismatch {
    if at.is_element() {
        Mismatch::Parameterized
    } else {
        Mismatch::Field
    }
}

/// Reads a structure.
pub(crate) fn read_shape<'de, T: Shape, D: Deserializer<'de>>(
    de: D,
    at: &At<'_>,
) -> Result<Option<T>, D::Error> {
    struct Members<'a, 'p, T>(&'a At<'p>, PhantomData<T>);
    impl<'de, T: Shape> Visitor<'de> for Members<'_, '_, T> {
        type Value = Option<T>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(T::NAME)
        }
        no_scalars!(|at: &At<'_>| if at.is_element() {
            Mismatch::Element
        } else {
            Mismatch::Field
        });
        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
            Err(A::Error::custom(format_args!(
                "Unrecognized collection type class {PACKAGE}.{}",
                T::NAME
            )))
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut shape = T::default();
            while let Some(name) = map.next_key_seed(Name)? {
                if !shape.read_member(&name, &mut map, self.0)? {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(Some(shape))
        }
    }
    de.deserialize_any(Members(at, PhantomData))
}

/// Reads a word of a closed set; one outside it is noted and reads as absent.
pub(crate) fn read_word<'de, T: Copy, D: Deserializer<'de>>(
    de: D,
    at: &At<'_>,
    find: fn(&str) -> Option<T>,
) -> Result<Option<T>, D::Error> {
    Ok(super::scalar::read_text(de)?.and_then(|word| {
        let found = find(&word);
        if found.is_none() {
            at.unknown_word(&word);
        }
        found
    }))
}

/// Reads a list; `null` elements are left out.
pub(super) fn read_list<'de, T: Wire, D: Deserializer<'de>>(
    de: D,
    at: &At<'_>,
) -> Result<Option<Vec<T>>, D::Error> {
    struct Elements<'a, 'p, T>(&'a At<'p>, PhantomData<T>);
    impl<'de, T: Wire> Visitor<'de> for Elements<'_, '_, T> {
        type Value = Option<Vec<T>>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }
        no_scalars!(parameterized);
        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
            Err(A::Error::custom(Mismatch::Structure))
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut list = Vec::new();
            loop {
                let at = self.0.down(Seg::Index(list.len()));
                match seq.next_element_seed(Member::at(&at))? {
                    Some(Some(element)) => list.push(element),
                    Some(None) => {}
                    None => return Ok(Some(list)),
                }
            }
        }
    }
    de.deserialize_any(Elements(at, PhantomData))
}

/// Reads a map by name; `null` entries are left out, the last of two equal names wins.
pub(super) fn read_map<'de, T: Wire, D: Deserializer<'de>>(
    de: D,
    at: &At<'_>,
) -> Result<Option<BTreeMap<String, T>>, D::Error> {
    struct Entries<'a, 'p, T>(&'a At<'p>, PhantomData<T>);
    impl<'de, T: Wire> Visitor<'de> for Entries<'_, '_, T> {
        type Value = Option<BTreeMap<String, T>>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }
        no_scalars!(parameterized);
        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
            Err(A::Error::custom(format_args!(
                "Unrecognized collection type java.util.Map<java.lang.String, {}>",
                T::java()
            )))
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut entries = BTreeMap::new();
            while let Some(name) = map.next_key_seed(Name)? {
                let at = self.0.down(Seg::Key(&name));
                if let Some(value) = map.next_value_seed(Member::at(&at))? {
                    entries.insert(name.into_owned(), value);
                }
            }
            Ok(Some(entries))
        }
    }
    de.deserialize_any(Entries(at, PhantomData))
}
