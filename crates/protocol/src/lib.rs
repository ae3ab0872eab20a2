//! The DynamoDB API as types: one operation list, inputs and outputs, validation that needs no table,
//! errors with AWS's words, AWS JSON 1.0 both ways, request signing, and the seam [`DynamoDb`].
//!
//! Does no I/O; knows no engine, socket or file.
//!
//! A request's way: [`Operation::of_target`] → [`Request::decode`] (wrong JSON and unknown words end here) →
//! [`DynamoDb::call`], whose implementation calls the operation's function in [`validate`]
//! (the constraint stage, then everything else that needs no table) → [`Response::encode`] or [`Error::encode`].

pub mod compat;
mod constraint;
mod messages;
mod ops;
mod reads;
mod seam;
pub mod sigv4;
#[macro_use]
pub mod types;
mod error;
pub mod validate;
mod wire;

pub use error::{CancellationReason, Error, ErrorKind, Throttling, ThrottlingReason};
pub use messages::Message;
pub use ops::{Operation, Request, Response, Service, Status};
pub use seam::{
    BoxFuture, BusyKey, BusyKeys, Context, Difference, Differences, DynamoDb, DynamoDbExt,
    Operator, RecoveryLog,
};
pub use wire::is_json;
