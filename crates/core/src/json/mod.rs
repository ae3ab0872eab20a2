//! DynamoDB JSON (`{"S":"a"}`) to values and back, without loss, and plain JSON for people.
//!
//! Decoding tells two kinds of failure apart, as DynamoDB does. A JSON type where another belongs
//! ([`Mismatch`]) ends decoding: DynamoDB answers a `SerializationException`. A value that JSON allows and
//! DynamoDB does not ([`Fault`]: an empty set, a bad number) is only reported after other checks, so it is
//! handed on beside the value ([`Given`]).

mod decode;
mod fault;
mod mismatch;
mod plain;
mod pretty;
mod scalar;
mod state;
mod write;

pub use decode::{Place, item_from_slice, read_item, read_value, read_values};
pub use fault::{Fault, FaultKind, Given};
pub use mismatch::Mismatch;
pub use plain::{PlainError, from_plain, write_plain};
pub use pretty::write_pretty;
pub(crate) use write::write_encoded;
pub use write::{write_members, write_string, write_value};
