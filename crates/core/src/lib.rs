//! DynamoDB's values, items, keys and expressions as plain data and pure functions.
//!
//! Invariants: nothing here does I/O, keeps time or draws random numbers; nothing here knows a
//! request, a table's state or a store. Everything that two other crates must agree on to the byte
//! (number order, key bytes, item bytes, item sizes, limits) lives here once.

pub mod expr;
mod held;
pub mod item;
pub mod json;
pub mod key;
pub mod limits;
pub mod number;
pub mod partiql;
mod quotes;
pub mod schema;
pub mod value;

pub use held::held;
pub use item::{Item, ItemBuilder, ItemError};
pub use json::{Fault, FaultKind, Given};
pub use number::{Number, NumberError};
pub use quotes::Quotes;
pub use schema::{KeyError, KeyPart, KeySchema, KeyType, ScalarType};
pub use value::{ListRef, MapRef, Value, ValueRef, ValueType};
