//! The DynamoDB API as types: one operation list, inputs and outputs, validation that needs no table,
//! errors with AWS's words, AWS JSON 1.0 both ways, request signing, and the seam [`DynamoDb`].
//!
//! Does no I/O; knows no engine, socket or file.

mod error;
mod ops;
mod seam;
pub mod types;

pub use error::{CancellationReason, Error, ErrorKind};
pub use ops::{Operation, Request, Response};
pub use seam::{BoxFuture, Context, DynamoDb, DynamoDbExt, Operator};
