//! Credentials as containers, instances and processes write them: one JSON form with two spellings of the token.

use super::time;
use super::{CredentialsError, Result};
use crate::config::Credentials;
use serde::Deserialize;

/// The document.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Document {
    /// Instances: `Success`, or why not.
    pub(crate) code: Option<String>,
    /// Processes: 1.
    pub(crate) version: Option<u32>,
    access_key_id: Option<String>,
    secret_access_key: Option<String>,
    #[serde(alias = "SessionToken")]
    token: Option<String>,
    expiration: Option<String>,
}

impl Document {
    /// Reads it. The parser's own words are not passed on: they may quote what they could not read.
    pub(crate) fn read(from: &'static str, body: &[u8]) -> Result<Self> {
        serde_json::from_slice(body).map_err(|_| {
            CredentialsError::source(from, "its answer is not the JSON of credentials")
        })
    }

    pub(crate) fn credentials(self, from: &'static str) -> Result<Credentials> {
        let (Some(access), Some(secret)) = (self.access_key_id, self.secret_access_key) else {
            return Err(CredentialsError::source(from, "its answer has no keys"));
        };
        let mut credentials = Credentials::new(access, secret);
        credentials.session_token = self.token;
        credentials.expires = match self.expiration {
            Some(text) => Some(time::parse(&text).ok_or_else(|| {
                CredentialsError::source(from, format!("{text:?} is not when keys expire"))
            })?),
            None => None,
        };
        Ok(credentials)
    }
}
