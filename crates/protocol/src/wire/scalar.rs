//! Text, numbers, booleans, units; lists and maps of anything.

use super::read::{read_list, read_map};
use super::{At, Seg, Wire, write};
use crate::constraint::Faults;
use crate::types::Units;
use bothways_core::json::Mismatch;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// What a scalar makes of each JSON token; whatever it does not take is refused in AWS's words.
trait Scalar<'de>: Sized {
    /// The Java type AWS names in its words.
    const JAVA: &'static str;
    fn of_bool(_: bool) -> Option<Self> {
        None
    }
    fn of_int(_: i64) -> Option<Self> {
        None
    }
    fn of_float(_: f64) -> Option<Self> {
        None
    }
    fn of_text(_: Cow<'de, str>) -> Option<Self> {
        None
    }
    /// AWS's words for a text that does not fit.
    fn text_refused() -> String {
        format!("STRING_VALUE cannot be converted to {}", Self::JAVA)
    }
}

struct Token<T>(std::marker::PhantomData<T>);

fn refused<E: Error>(token: &str, java: &str) -> E {
    E::custom(format_args!("{token} cannot be converted to {java}"))
}

impl<'de, T: Scalar<'de>> Visitor<'de> for Token<T> {
    type Value = Option<T>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::JAVA)
    }
    fn visit_bool<E: Error>(self, v: bool) -> Result<Self::Value, E> {
        let token = if v { "TRUE_VALUE" } else { "FALSE_VALUE" };
        T::of_bool(v)
            .map(Some)
            .ok_or_else(|| refused(token, T::JAVA))
    }
    fn visit_i64<E: Error>(self, v: i64) -> Result<Self::Value, E> {
        T::of_int(v)
            .map(Some)
            .ok_or_else(|| refused("NUMBER_VALUE", T::JAVA))
    }
    fn visit_u64<E: Error>(self, v: u64) -> Result<Self::Value, E> {
        let taken = i64::try_from(v).ok().and_then(T::of_int);
        taken
            .map(Some)
            .ok_or_else(|| refused("NUMBER_VALUE", T::JAVA))
    }
    fn visit_f64<E: Error>(self, v: f64) -> Result<Self::Value, E> {
        T::of_float(v)
            .map(Some)
            .ok_or_else(|| refused("DECIMAL_VALUE", T::JAVA))
    }
    fn visit_borrowed_str<E: Error>(self, v: &'de str) -> Result<Self::Value, E> {
        T::of_text(Cow::Borrowed(v))
            .map(Some)
            .ok_or_else(|| E::custom(T::text_refused()))
    }
    fn visit_str<E: Error>(self, v: &str) -> Result<Self::Value, E> {
        T::of_text(Cow::Owned(v.to_owned()))
            .map(Some)
            .ok_or_else(|| E::custom(T::text_refused()))
    }
    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
        Err(A::Error::custom(format_args!(
            "Unrecognized collection type class java.lang.{}",
            T::JAVA
        )))
    }
    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
        Err(A::Error::custom(Mismatch::Structure))
    }
}

fn read<'de, T: Scalar<'de>, D: Deserializer<'de>>(de: D) -> Result<Option<T>, D::Error> {
    de.deserialize_any(Token(std::marker::PhantomData))
}

impl<'de> Scalar<'de> for Cow<'de, str> {
    const JAVA: &'static str = "String";
    fn of_text(text: Cow<'de, str>) -> Option<Self> {
        Some(text)
    }
}
impl Scalar<'_> for bool {
    const JAVA: &'static str = "Boolean";
    fn of_bool(v: bool) -> Option<Self> {
        Some(v)
    }
    // Source: dynalite's `checkType`: these texts convert.
    fn of_text(text: Cow<'_, str>) -> Option<Self> {
        const YES: [&str; 3] = ["true", "1", "yes"];
        const NO: [&str; 3] = ["false", "0", "no"];
        if YES.iter().any(|w| text.eq_ignore_ascii_case(w)) {
            return Some(true);
        }
        NO.iter()
            .any(|w| text.eq_ignore_ascii_case(w))
            .then_some(false)
    }
    fn text_refused() -> String {
        "Unexpected token received from parser".to_owned()
    }
}
impl Scalar<'_> for i64 {
    const JAVA: &'static str = "Long";
    fn of_int(v: i64) -> Option<Self> {
        Some(v)
    }
    #[allow(
        clippy::cast_possible_truncation,
        reason = "AWS drops the fraction; the range is checked"
    )]
    fn of_float(v: f64) -> Option<Self> {
        // Every float of this magnitude is exactly an i64 once floored.
        (v.abs() < 9e15).then(|| v.floor() as i64)
    }
}
impl Scalar<'_> for i32 {
    const JAVA: &'static str = "Integer";
    fn of_int(v: i64) -> Option<Self> {
        i32::try_from(v).ok()
    }
    fn of_float(v: f64) -> Option<Self> {
        i64::of_float(v).and_then(Self::of_int)
    }
}
impl Scalar<'_> for f64 {
    const JAVA: &'static str = "Double";
    #[allow(
        clippy::cast_precision_loss,
        reason = "JSON has one kind of number; AWS reads a double"
    )]
    fn of_int(v: i64) -> Option<Self> {
        Some(v as f64)
    }
    fn of_float(v: f64) -> Option<Self> {
        Some(v)
    }
}

/// Reads a text, borrowed where it holds no escape.
pub(super) fn read_text<'de, D: Deserializer<'de>>(
    de: D,
) -> Result<Option<Cow<'de, str>>, D::Error> {
    read(de)
}

impl Wire for String {
    fn java() -> String {
        "java.lang.String".to_owned()
    }
    fn read<'de, D: Deserializer<'de>>(de: D, _: &At<'_>) -> Result<Option<Self>, D::Error> {
        Ok(read_text(de)?.map(Cow::into_owned))
    }
    fn write(&self, out: &mut Vec<u8>) {
        write::text(self, out);
    }
    fn length(&self) -> Option<usize> {
        // Java counts UTF-16 units.
        Some(if self.is_ascii() {
            self.len()
        } else {
            self.encode_utf16().count()
        })
    }
    fn as_text(&self) -> Option<&str> {
        Some(self)
    }
    fn show(&self, out: &mut String) {
        out.push_str(self);
    }
}
impl Wire for bool {
    fn java() -> String {
        "java.lang.Boolean".to_owned()
    }
    fn read<'de, D: Deserializer<'de>>(de: D, _: &At<'_>) -> Result<Option<Self>, D::Error> {
        read(de)
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
    }
    fn show(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}
impl Wire for i64 {
    fn java() -> String {
        "java.lang.Long".to_owned()
    }
    fn read<'de, D: Deserializer<'de>>(de: D, _: &At<'_>) -> Result<Option<Self>, D::Error> {
        read(de)
    }
    fn write(&self, out: &mut Vec<u8>) {
        write::display(*self, out);
    }
    fn magnitude(&self) -> Option<i64> {
        Some(*self)
    }
    fn show(&self, out: &mut String) {
        out.push_str(&self.to_string());
    }
}
impl Wire for i32 {
    fn java() -> String {
        "java.lang.Integer".to_owned()
    }
    fn read<'de, D: Deserializer<'de>>(de: D, _: &At<'_>) -> Result<Option<Self>, D::Error> {
        read(de)
    }
    fn write(&self, out: &mut Vec<u8>) {
        write::display(*self, out);
    }
    fn magnitude(&self) -> Option<i64> {
        Some(i64::from(*self))
    }
    fn show(&self, out: &mut String) {
        out.push_str(&self.to_string());
    }
}
impl Wire for f64 {
    fn java() -> String {
        "java.lang.Double".to_owned()
    }
    fn read<'de, D: Deserializer<'de>>(de: D, _: &At<'_>) -> Result<Option<Self>, D::Error> {
        read(de)
    }
    fn write(&self, out: &mut Vec<u8>) {
        write::float(*self, out);
    }
    fn show(&self, out: &mut String) {
        out.push_str(&self.to_string());
    }
}
impl Wire for Units {
    fn java() -> String {
        "java.lang.Double".to_owned()
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float saturates into u64, and units are never negative"
    )]
    fn read<'de, D: Deserializer<'de>>(de: D, _: &At<'_>) -> Result<Option<Self>, D::Error> {
        Ok(read::<f64, D>(de)?.map(|units| Units((units * 2.0).round() as u64)))
    }
    fn write(&self, out: &mut Vec<u8>) {
        write::display(self.0 / 2, out);
        out.extend_from_slice(if self.0.is_multiple_of(2) {
            b".0"
        } else {
            b".5"
        });
    }
    fn show(&self, out: &mut String) {
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        out.push_str(&String::from_utf8_lossy(&bytes));
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn java() -> String {
        format!("java.util.List<{}>", T::java())
    }
    fn read<'de, D: Deserializer<'de>>(de: D, at: &At<'_>) -> Result<Option<Self>, D::Error> {
        read_list(de, at)
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (i, element) in self.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            element.write(out);
        }
        out.push(b']');
    }
    fn length(&self) -> Option<usize> {
        Some(self.len())
    }
    fn lengths_all(&self, good: &dyn Fn(&usize) -> bool) -> bool {
        self.iter()
            .filter_map(Wire::length)
            .all(|length| good(&length))
    }
    fn check_inside(&self, at: &At<'_>, faults: &mut Faults) {
        for (i, element) in self.iter().enumerate() {
            element.check_inside(&at.down(Seg::Index(i)), faults);
        }
    }
    fn show(&self, out: &mut String) {
        out.push('[');
        for (i, element) in self.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            element.show(out);
        }
        out.push(']');
    }
}
impl<T: Wire> Wire for BTreeMap<String, T> {
    fn java() -> String {
        format!("java.util.Map<java.lang.String, {}>", T::java())
    }
    fn read<'de, D: Deserializer<'de>>(de: D, at: &At<'_>) -> Result<Option<Self>, D::Error> {
        read_map(de, at)
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        for (i, (name, value)) in self.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            write::text(name, out);
            out.push(b':');
            value.write(out);
        }
        out.push(b'}');
    }
    fn length(&self) -> Option<usize> {
        Some(self.len())
    }
    fn keys_all(&self, good: &dyn Fn(&str) -> bool) -> bool {
        self.keys().all(|key| good(key))
    }
    fn lengths_all(&self, good: &dyn Fn(&usize) -> bool) -> bool {
        self.values()
            .filter_map(Wire::length)
            .all(|length| good(&length))
    }
    fn check_inside(&self, at: &At<'_>, faults: &mut Faults) {
        for (name, value) in self {
            value.check_inside(&at.down(Seg::Key(name)), faults);
        }
    }
    fn show(&self, out: &mut String) {
        out.push('{');
        for (i, (name, value)) in self.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            out.push_str(name);
            out.push('=');
            value.show(out);
        }
        out.push('}');
    }
}
