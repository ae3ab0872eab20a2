//! Inputs and outputs of every operation, named as in AWS's API, in snake case.
//!
//! Input members are all optional: that a required one is missing is a validation error, not a type error. The members
//! of an input stand in the order in which AWS checks them.

use bothways_core::{Item, Value};
use std::collections::BTreeMap;

/// The members of one shape: name, type, name on the wire, and the constraints it must satisfy. Decoding, encoding,
/// checking and showing hang on this: one line per member, once.
macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $ty:ty = $wire:literal $(=> $rules:expr)?,)* })*) => {
        $($(#[$doc])* #[derive(Debug, Clone, Default, PartialEq)]
        #[allow(missing_docs, unreachable_pub, reason = "members are AWS's own; some shapes stay inside")]
        pub struct $name { $(pub $field: Option<$ty>,)* }

        #[allow(unused_variables, unused_mut, unreachable_code, reason = "some shapes have no members")]
        impl crate::wire::Shape for $name {
            const NAME: &'static str = stringify!($name);
            const MEMBERS: &'static [&'static str] = &[$($wire),*];
            fn read_member<'de, A: serde::de::MapAccess<'de>>(
                &mut self,
                name: &str,
                map: &mut A,
                at: &crate::wire::At<'_>,
            ) -> Result<bool, A::Error> {
                match name {
                    $($wire => {
                        let at = at.down(crate::wire::Seg::Member($wire));
                        self.$field = map.next_value_seed(crate::wire::Member::at(&at))?;
                    })*
                    _ => return Ok(false),
                }
                Ok(true)
            }
        }

        #[allow(unused_variables, unused_mut, reason = "some shapes have no members")]
        impl crate::wire::Wire for $name {
            fn java() -> String {
                concat!("com.amazonaws.dynamodb.v20120810.", stringify!($name)).to_owned()
            }
            fn read<'de, D: serde::Deserializer<'de>>(
                de: D,
                at: &crate::wire::At<'_>,
            ) -> Result<Option<Self>, D::Error> {
                crate::wire::read_shape(de, at)
            }
            fn write(&self, out: &mut Vec<u8>) {
                let mut open = b'{';
                $(crate::wire::member(concat!('"', $wire, "\":"), self.$field.as_ref(), &mut open, out);)*
                crate::wire::close(open, out);
            }
            fn show(&self, out: &mut String) {
                let mut shown = crate::wire::Shown::open(stringify!($name), out);
                $(shown.member($wire, self.$field.as_ref());)*
                shown.close();
            }
            fn check_inside(&self, at: &crate::wire::At<'_>, faults: &mut crate::constraint::Faults) {
                $({
                    const RULES: &[crate::constraint::Rule] = rules!($($rules)?);
                    let at = at.down(crate::wire::Seg::Member($wire));
                    crate::constraint::member(self.$field.as_ref(), RULES, &at, faults);
                })*
            }
        })*
    };
}
macro_rules! rules {
    () => {
        &[]
    };
    ($rules:expr) => {
        $rules
    };
}
/// A closed set of words, with its name in AWS's model.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident, $model:literal { $($variant:ident = $wire:literal,)* })*) => {
        $($(#[$doc])* #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "words are AWS's own")]
        pub enum $name { $($variant,)* }

        impl $name {
            /// Every word.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
            /// The word as on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $wire,)* }
            }
            /// The word of that text.
            #[must_use]
            pub fn from_word(text: &str) -> Option<Self> {
                match text { $($wire => Some(Self::$variant),)* _ => None }
            }
        }

        impl crate::wire::Wire for $name {
            fn java() -> String {
                "java.lang.String".to_owned()
            }
            const WORDS: Option<&'static str> = Some($model);
            fn read<'de, D: serde::Deserializer<'de>>(
                de: D,
                at: &crate::wire::At<'_>,
            ) -> Result<Option<Self>, D::Error> {
                crate::wire::read_word(de, at, Self::from_word)
            }
            fn write(&self, out: &mut Vec<u8>) {
                crate::wire::text(self.as_str(), out);
            }
            fn show(&self, out: &mut String) {
                out.push_str(self.as_str());
            }
        })*
    };
}

mod backup;
mod batch;
mod control;
mod insights;
mod item;
mod policy;
mod statement;
mod streams;
mod table;
mod transact;
mod transfer;
mod values;
mod vectors;
mod words;

pub use backup::*;
pub use batch::*;
pub use control::*;
pub use insights::*;
pub use item::*;
pub use policy::*;
pub use statement::*;
pub use streams::*;
pub use table::*;
pub use transact::*;
pub use transfer::*;
pub use values::{Given, Names, Units, Values};
pub use vectors::*;
pub use words::*;
