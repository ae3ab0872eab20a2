//! DynamoDB JSON (`{"S":"a"}`) to values and back, without loss.

mod write;

pub use write::{write_members, write_string, write_value};
