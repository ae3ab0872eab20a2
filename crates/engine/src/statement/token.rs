//! `NextToken`: where a SELECT goes on.
//!
//! Base64 of a version, a digest of the statement, the number of the range being read and the row that was read last,
//! if any. Nothing in it is secret: a row outside the range is refused.

use crate::digest::parameter_item;
use crate::error::Fault;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bothways_core::Value;
use bothways_protocol::Message;
use bytes::{Buf, BufMut, Bytes};
use sha2::{Digest as _, Sha256};

const VERSION: u8 = 1;

/// Identifies a statement with its parameters and its table.
pub(super) type Digest = [u8; 8];

/// The digest of a statement.
pub(super) fn digest(text: &str, parameters: &[&Value], table: u32) -> Digest {
    let mut hash = Sha256::new();
    hash.update(table.to_be_bytes());
    hash.update((text.len() as u64).to_be_bytes());
    hash.update(text);
    hash.update(parameter_item(parameters.iter().copied()).bytes());
    let whole: [u8; 32] = hash.finalize().into();
    let mut out = Digest::default();
    out.copy_from_slice(&whole[..8]);
    out
}

/// A place in the ranges of a SELECT.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Place {
    /// The range.
    pub(super) range: usize,
    /// The row in it that was read last; none where the range has not been begun.
    pub(super) after: Option<Bytes>,
}

impl Place {
    pub(super) fn write(&self, digest: Digest) -> String {
        let mut out = vec![VERSION];
        out.put_slice(&digest);
        out.put_u16(u16::try_from(self.range).unwrap_or(u16::MAX));
        out.put_slice(self.after.as_deref().unwrap_or_default());
        STANDARD.encode(out)
    }

    pub(super) fn read(token: &str, digest: Digest) -> Result<Self, Fault> {
        let invalid = || Message::StatementTokenInvalid;
        let mut bytes = Bytes::from(STANDARD.decode(token).map_err(|_| invalid())?);
        if bytes.len() < 1 + digest.len() + 2 || bytes.get_u8() != VERSION {
            return Err(invalid().into());
        }
        if bytes.split_to(digest.len()) != digest[..] {
            return Err(Message::StatementTokenMismatch.into());
        }
        Ok(Self {
            range: usize::from(bytes.get_u16()),
            after: (!bytes.is_empty()).then_some(bytes),
        })
    }
}
