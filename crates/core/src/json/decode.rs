//! DynamoDB JSON straight into encoded bytes, in one pass and without a tree.

use super::fault::{FaultKind, Given};
use super::mismatch::Mismatch;
use super::scalar::{Blob, LeafSeed, LeavesSeed, Name, no_scalars};
use super::state::State;
use crate::{Item, Value, ValueType, limits};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// Where a value or map of values stands; it decides DynamoDB's words for a wrong JSON type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A member of a structure.
    Member,
    /// An element of a list or map.
    Element,
}

/// Reads an object of attributes; JSON's `null` is the absent one.
///
/// # Errors
/// The deserializer's, and a [`Mismatch`] as its custom error.
pub fn read_item<'de, D: Deserializer<'de>>(
    de: D,
    place: Place,
) -> Result<Option<Given<Item>>, D::Error> {
    let mut state = State::new();
    let members = Members {
        state: &mut state,
        level: 0,
        place,
    };
    let present = members.deserialize(de)?;
    Ok(present.then(|| state.finish()))
}

/// Reads one attribute value; JSON's `null` is the absent one.
///
/// # Errors
/// As for [`read_item`].
pub fn read_value<'de, D: Deserializer<'de>>(
    de: D,
    place: Place,
) -> Result<Option<Given<Value>>, D::Error> {
    let mut state = State::new();
    state.encoder().name("");
    let one = One {
        state: &mut state,
        level: 1,
        place,
    };
    if !one.deserialize(de)? {
        return Ok(None);
    }
    let Given { value, fault } = state.finish();
    let value = value.get("").map_or(Value::Null, crate::ValueRef::to_value);
    Ok(Some(Given { value, fault }))
}

/// Reads `ExpressionAttributeValues`; JSON's `null` is the absent one.
///
/// # Errors
/// As for [`read_item`].
pub fn read_values<'de, D: Deserializer<'de>>(
    de: D,
) -> Result<Option<Given<BTreeMap<String, Value>>>, D::Error> {
    let item = read_item(de, Place::Member)?;
    Ok(item.map(|Given { value, fault }| Given {
        value: value
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_value()))
            .collect(),
        fault,
    }))
}

/// Reads an item from a whole JSON text.
///
/// # Errors
/// Broken JSON, or a [`Mismatch`] as custom error; `null` is none.
///
/// ```
/// use bothways_core::json::item_from_slice;
///
/// let given = item_from_slice(br#"{"pk":{"S":"a"},"tags":{"SS":[]}}"#)?;
/// assert_eq!(given.fault.map(|fault| fault.to_string()).as_deref(), Some("attribute \"tags\": an empty SS"));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn item_from_slice(json: &[u8]) -> Result<Given<Item>, serde_json::Error> {
    let mut de = serde_json::Deserializer::from_slice(json);
    let item = read_item(&mut de, Place::Member)?;
    de.end()?;
    item.ok_or_else(|| serde_json::Error::custom(Mismatch::Field))
}

/// Reads the members of a map, or of an item at level 0. False for `null`.
struct Members<'s> {
    state: &'s mut State,
    /// Level of the map itself; its members stand one deeper.
    level: usize,
    place: Place,
}

impl<'de> DeserializeSeed<'de> for Members<'_> {
    type Value = bool;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<bool, D::Error> {
        de.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of attribute values")
    }
    no_scalars!(|seed: &Self| match seed.place {
        Place::Member => Mismatch::Field,
        Place::Element => Mismatch::Parameterized,
    });
    fn visit_unit<E: Error>(self) -> Result<bool, E> {
        Ok(false)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<bool, A::Error> {
        Err(A::Error::custom(Mismatch::ATTRIBUTE_MAP))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        let Self { state, level, .. } = self;
        while let Some(name) = map.next_key_seed(Name)? {
            if name.is_empty() {
                state.note(FaultKind::EmptyName { nested: level > 0 });
            } else if name.len() > limits::ATTRIBUTE_NAME_BYTES {
                state.note(FaultKind::LongName);
            }
            state.encoder().name(&name);
            let one = One {
                state,
                level: level + 1,
                place: Place::Element,
            };
            if !map.next_value_seed(one)? {
                state.note(FaultKind::Empty);
                state.encoder().null();
            }
            if level == 0 {
                state.place_fault(&name);
            }
        }
        Ok(true)
    }
}

/// Reads the elements of a list. False for `null`.
struct Elements<'s> {
    state: &'s mut State,
    /// Level of the list itself.
    level: usize,
}

impl<'de> DeserializeSeed<'de> for Elements<'_> {
    type Value = bool;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<bool, D::Error> {
        de.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of attribute values")
    }
    no_scalars!(|_| Mismatch::Field);
    fn visit_unit<E: Error>(self) -> Result<bool, E> {
        Ok(false)
    }
    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<bool, A::Error> {
        Err(A::Error::custom(Mismatch::Structure))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<bool, A::Error> {
        let Self { state, level } = self;
        loop {
            let one = One {
                state,
                level: level + 1,
                place: Place::Element,
            };
            match seq.next_element_seed(one)? {
                Some(true) => {}
                Some(false) => {
                    state.note(FaultKind::Empty);
                    state.encoder().null();
                }
                None => return Ok(true),
            }
        }
    }
}

/// Reads one attribute value. False, and nothing written, for `null`.
struct One<'s> {
    state: &'s mut State,
    /// Its level; an attribute's own value is at 1.
    level: usize,
    place: Place,
}

impl<'de> DeserializeSeed<'de> for One<'_> {
    type Value = bool;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<bool, D::Error> {
        if self.level > limits::NESTING_LEVELS {
            // Stepped over without recursion, so that hostile depth costs no stack.
            let rest = <&RawValue as serde::Deserialize>::deserialize(de)?;
            let levels = self.level + (brackets(rest.get()) - 1) / 2;
            let far = levels > limits::OLDER_NESTING_LEVELS;
            self.state.note(FaultKind::TooDeep { far });
            self.state.encoder().null();
            return Ok(true);
        }
        de.deserialize_any(self)
    }
}

/// How deep JSON's brackets stand in each other; at least 1. A level of attribute values has two.
fn brackets(json: &str) -> usize {
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0_usize, 1, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

impl<'de> Visitor<'de> for One<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an attribute value")
    }
    no_scalars!(|seed: &Self| match seed.place {
        Place::Member => Mismatch::Field,
        Place::Element => Mismatch::Element,
    });
    fn visit_unit<E: Error>(self) -> Result<bool, E> {
        Ok(false)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<bool, A::Error> {
        Err(A::Error::custom(Mismatch::ATTRIBUTE_VALUE))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        let Self { state, level, .. } = self;
        let before = state.encoder().mark();
        let mut first = None;
        let mut ambiguous = false;
        while let Some(name) = map.next_key_seed(Name)? {
            let Some(kind) = ValueType::from_name(&name) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if first == Some(kind) {
                // Of one member given twice the last counts.
                state.encoder().reset(before);
            }
            let after_first = state.encoder().mark();
            if !read_typed(&mut map, state, kind, level)? {
                continue;
            }
            match first {
                None => first = Some(kind),
                Some(known) if known == kind => {}
                Some(_) => {
                    ambiguous = true;
                    state.encoder().reset(after_first);
                }
            }
        }
        if ambiguous {
            state.note(FaultKind::Ambiguous);
        }
        if first.is_none() {
            state.note(FaultKind::Empty);
            state.encoder().null();
        }
        Ok(true)
    }
}

/// Reads the value of one type's member and writes it. False, and nothing written, for `null`.
fn read_typed<'de, A: MapAccess<'de>>(
    map: &mut A,
    state: &mut State,
    kind: ValueType,
    level: usize,
) -> Result<bool, A::Error> {
    /// Reads a leaf, or is done with `null`.
    macro_rules! present {
        ($seed:expr) => {
            match map.next_value_seed($seed)? {
                Some(value) => value,
                None => return Ok(false),
            }
        };
    }
    match kind {
        ValueType::S => {
            let text: Cow<'de, str> = present!(LeafSeed::new());
            state.encoder().string(&text);
        }
        ValueType::N => {
            let text: Cow<'de, str> = present!(LeafSeed::new());
            let number = state.number(&text);
            state.encoder().number(number);
        }
        ValueType::B => {
            let Blob(bytes) = present!(LeafSeed::new());
            state.encoder().binary(&bytes);
        }
        ValueType::Bool => {
            let flag = present!(LeafSeed::new());
            state.encoder().bool(flag);
        }
        ValueType::Null => {
            if !present!(LeafSeed::<bool>::new()) {
                state.note(FaultKind::NullNotTrue);
            }
            state.encoder().null();
        }
        ValueType::Ss => {
            let members = present!(LeavesSeed::new());
            state.string_set(members);
        }
        ValueType::Ns => {
            let members = present!(LeavesSeed::new());
            state.number_set(members);
        }
        ValueType::Bs => {
            let members = present!(LeavesSeed::new());
            state.binary_set(members);
        }
        ValueType::L => {
            let before = state.encoder().mark();
            state.encoder().open_list();
            if !map.next_value_seed(Elements { state, level })? {
                state.encoder().cancel(before);
                return Ok(false);
            }
            state.encoder().close();
        }
        ValueType::M => {
            let before = state.encoder().mark();
            state.encoder().open_map();
            let place = Place::Member;
            if !map.next_value_seed(Members {
                state,
                level,
                place,
            })? {
                state.encoder().cancel(before);
                return Ok(false);
            }
            state.encoder().close();
        }
    }
    Ok(true)
}
