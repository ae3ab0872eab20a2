//! Credentials from where AWS's own tools look: the environment, the shared files with their profiles, roles, single
//! sign-on and processes, web identity, containers and instances.
//!
//! Invariants: nothing is asked before it is needed; what was found is kept, and asked for again before it expires,
//! once for however many wait; every wait is bounded; no secret is in an error, in `Debug` or in a log. Source: AWS
//! SDKs and Tools Reference Guide, "Standardized credential providers", the order of the AWS SDK for Rust.

mod container;
mod error;
mod fetch;
mod files;
mod instance;
mod process;
mod profile;
mod sso;
mod sts;
mod surroundings;
mod time;
mod wire;

pub use error::CredentialsError;
pub use surroundings::Surroundings;

use crate::config::Credentials;
use crate::tls::Tls;
use files::Files;
use parking_lot::Mutex;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

type Result<T> = std::result::Result<T, CredentialsError>;

/// Temporary credentials are asked for again when they have less than this left. Source: the AWS SDKs' five
/// minutes, in which old ones still serve.
pub const REFRESH_BEFORE: Duration = Duration::from_mins(5);
/// How long one question to AWS, a container or an instance may take. A choice: they answer in milliseconds.
pub const SOURCE_WAIT: Duration = Duration::from_secs(5);
/// After a failure, nobody is asked again for so long; the failure is repeated. A choice.
const REST: Duration = Duration::from_secs(5);

/// The chain: finds credentials and keeps them fresh.
pub struct Chain {
    surroundings: Surroundings,
    /// A profile that was asked for; the environment's keys are then not looked at.
    profile: Option<String>,
    tls: Tls,
    kept: Mutex<Kept>,
    /// Held by the one that asks.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Kept {
    found: Option<Credentials>,
    failed: Option<(Instant, CredentialsError)>,
}

impl std::fmt::Debug for Chain {
    /// Without what was found.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chain")
            .field("profile", &self.profile)
            .finish_non_exhaustive()
    }
}

impl Chain {
    /// A chain over a process's surroundings; with a profile of `~/.aws/config`, only that profile's.
    #[must_use]
    pub fn new(surroundings: Surroundings, profile: Option<String>) -> Self {
        let bundle = surroundings.get("AWS_CA_BUNDLE").map(PathBuf::from);
        Self {
            surroundings,
            profile,
            tls: Tls::new(bundle),
            kept: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
        }
    }

    /// The region that the environment or the profile names.
    ///
    /// # Errors
    /// When the shared files cannot be read.
    pub fn region(&self) -> Result<Option<String>> {
        let named = ["AWS_REGION", "AWS_DEFAULT_REGION"];
        if let Some(region) = named.iter().find_map(|name| self.surroundings.get(name)) {
            return Ok(Some(region.to_owned()));
        }
        let files = Files::load(&self.surroundings)?;
        let profile = files.profile(self.profile_name());
        Ok(profile.and_then(|profile| profile.get("region").map(str::to_owned)))
    }

    /// The address of DynamoDB that the environment or the profile names instead of AWS's.
    ///
    /// # Errors
    /// When the shared files cannot be read.
    pub fn endpoint_url(&self) -> Result<Option<String>> {
        let ignored = self.surroundings.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
        if ignored.is_some_and(|text| text.eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        let named = ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"];
        if let Some(url) = named.iter().find_map(|name| self.surroundings.get(name)) {
            return Ok(Some(url.to_owned()));
        }
        let files = Files::load(&self.surroundings)?;
        Ok(files.endpoint(self.profile_name(), "dynamodb"))
    }

    /// Credentials that are good for a while yet.
    ///
    /// # Errors
    /// When no source has any, or the one that should does not give them.
    pub async fn credentials(&self) -> Result<Credentials> {
        if let Some(known) = self.known() {
            return known;
        }
        let _asking = self.asking.lock().await;
        // Another may have asked while this one waited.
        if let Some(known) = self.known() {
            return known;
        }
        let found = self.find().await.and_then(|found| match found.expires {
            Some(at) if at <= SystemTime::now() => Err(CredentialsError::Expired),
            _ => Ok(found),
        });
        let mut kept = self.kept.lock();
        match found {
            Ok(found) => {
                kept.found = Some(found.clone());
                kept.failed = None;
                Ok(found)
            }
            Err(error) => {
                kept.failed = Some((Instant::now(), error.clone()));
                // What is there serves to its end.
                let old = kept
                    .found
                    .as_ref()
                    .filter(|old| has_left(old, Duration::ZERO));
                old.cloned().ok_or(error)
            }
        }
    }

    /// Forgets what was found: a service has said that it expired.
    pub fn forget(&self, refused: &Credentials) {
        let mut kept = self.kept.lock();
        if kept.found.as_ref() == Some(refused) {
            *kept = Kept::default();
        }
    }

    fn known(&self) -> Option<Result<Credentials>> {
        let kept = self.kept.lock();
        if let Some(found) = kept.found.as_ref().filter(|c| has_left(c, REFRESH_BEFORE)) {
            return Some(Ok(found.clone()));
        }
        let (when, error) = kept.failed.as_ref()?;
        if when.elapsed() >= REST {
            return None;
        }
        let old = kept
            .found
            .as_ref()
            .filter(|old| has_left(old, Duration::ZERO));
        Some(old.cloned().ok_or_else(|| error.clone()))
    }

    fn profile_name(&self) -> &str {
        self.profile
            .as_deref()
            .or_else(|| self.surroundings.get("AWS_PROFILE"))
            .unwrap_or("default")
    }

    async fn find(&self) -> Result<Credentials> {
        if self.profile.is_none()
            && let Some(found) = self.surroundings.keys()
        {
            return Ok(found);
        }
        let files = Files::load(&self.surroundings)?;
        let name = self.profile_name();
        let named = self.profile.is_some() || self.surroundings.get("AWS_PROFILE").is_some();
        let scope = profile::Scope {
            files: &files,
            surroundings: &self.surroundings,
            tls: &self.tls,
        };
        if files.profile(name).is_some() {
            if let Some(found) = scope.resolve(name, Vec::new()).await? {
                return Ok(found);
            }
        } else if named {
            return Err(CredentialsError::profile(name, "it is not there"));
        }
        if let Some(found) = scope.web_identity_of_environment().await? {
            return Ok(found);
        }
        if let Some(found) = container::credentials(&self.surroundings, &self.tls).await? {
            return Ok(found);
        }
        let found = instance::credentials(&self.surroundings, &self.tls).await?;
        found.ok_or(CredentialsError::NotFound)
    }
}

fn has_left(credentials: &Credentials, left: Duration) -> bool {
    credentials
        .expires
        .is_none_or(|at| at > SystemTime::now() + left)
}
