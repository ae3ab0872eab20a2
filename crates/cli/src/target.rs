//! Which database a command talks to.

use crate::args::Global;
use crate::failure::Failure;
use crate::profile::{self, Profile, Profiles};
use bothways_client::Endpoint;
use std::path::{Path, PathBuf};

/// Where `bothways serve` keeps its data when nothing says otherwise: visible, in the directory it was
/// started in, and named so that no project has one already.
pub(crate) const DEFAULT_DATA: &str = "bothways-data";
/// Where the other commands look when nothing says otherwise: what `bothways serve` listens on.
pub(crate) const DEFAULT_ENDPOINT: &str = "http://127.0.0.1:8000";
/// The environment variable that names a URL or a directory.
pub(crate) const VARIABLE: &str = "BOTHWAYS_TARGET";

/// A database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// The files of a directory, opened in this process.
    Data(PathBuf),
    /// A DynamoDB endpoint.
    Endpoint(Endpoint),
    /// A profile, which names one of the two or AWS.
    Profile(Box<Profile>),
}

impl Target {
    /// The options first, then `BOTHWAYS_PROFILE`, then `BOTHWAYS_TARGET`, then the default endpoint.
    pub(crate) fn resolve(global: &Global) -> Result<Self, Failure> {
        let variable = |name| std::env::var(name).ok().filter(|text| !text.is_empty());
        let named = global.profile.clone();
        if global.data.is_none()
            && global.endpoint.is_none()
            && let Some(name) = named.or_else(|| variable(profile::VARIABLE))
        {
            return Self::profile(&name);
        }
        Self::from_parts(global, variable(VARIABLE).as_deref())
    }

    /// A profile by name.
    pub(crate) fn profile(name: &str) -> Result<Self, Failure> {
        let profile = Profiles::load()?.get(name)?;
        Ok(Self::Profile(Box::new(profile)))
    }

    /// A URL or a directory, as one argument or variable; `what` it is, for errors.
    fn read(text: &str, what: &str) -> Result<Self, Failure> {
        if text.contains("://") {
            let endpoint = text
                .parse()
                .map_err(|e| Failure::usage(format!("{what} is {text:?}: {e}")))?;
            return Ok(Self::Endpoint(endpoint));
        }
        // A host and a port without a scheme would make a directory of that name.
        let port = text.rsplit_once(':').map(|(_, port)| port);
        if port.is_some_and(|port| port.parse::<u16>().is_ok()) && !Path::new(text).exists() {
            let failure =
                Failure::usage(format!("{what} is {text:?}: neither a URL nor a directory"));
            return Err(failure.hint(format!("an endpoint begins with its scheme: http://{text}")));
        }
        Ok(Self::Data(PathBuf::from(text)))
    }

    /// What `--to` names: a URL, a path with a slash, or a profile. A bare word is never a directory, so that a
    /// mistyped name makes none.
    pub(crate) fn destination(text: &str) -> Result<Self, Failure> {
        let is_path = text.contains(['/', '\\']) || text == "." || text == "..";
        if is_path || text.contains("://") || text.contains(':') {
            return Self::read(text, "--to");
        }
        Self::profile(text)
            .map_err(|failure| failure.hint(format!("a directory is named with a slash: ./{text}")))
    }

    /// The directory, where it is one.
    pub(crate) fn directory(&self) -> Option<&Path> {
        match self {
            Self::Data(dir) => Some(dir),
            Self::Profile(profile) => profile.data.as_deref(),
            Self::Endpoint(_) => None,
        }
    }

    /// The profile whose writes are refused.
    pub(crate) fn read_only(&self) -> Option<&str> {
        match self {
            Self::Profile(profile) if profile.read_only => Some(&profile.name),
            _ => None,
        }
    }

    fn from_parts(global: &Global, variable: Option<&str>) -> Result<Self, Failure> {
        if let Some(dir) = &global.data {
            return Ok(Self::Data(dir.clone()));
        }
        if let Some(endpoint) = &global.endpoint {
            return Ok(Self::Endpoint(endpoint.clone()));
        }
        Self::read(variable.unwrap_or(DEFAULT_ENDPOINT), VARIABLE)
    }
}

/// For people: in messages and progress.
impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Data(dir) => write!(f, "{}", dir.display()),
            Self::Endpoint(endpoint) => write!(f, "{endpoint}"),
            Self::Profile(profile) => write!(f, "profile {}", profile.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn global(data: Option<&str>, endpoint: Option<&str>) -> Global {
        Global {
            data: data.map(PathBuf::from),
            endpoint: endpoint.map(|url| url.parse().unwrap()),
            profile: None,
            json: false,
            explain: false,
            quiet: false,
            no_color: false,
        }
    }

    #[test]
    fn options_come_before_the_environment_and_that_before_the_default() {
        let data = |dir: &str| Target::Data(PathBuf::from(dir));
        let url = |url: &str| Target::Endpoint(url.parse().unwrap());
        for (dir, endpoint, variable, expected) in [
            (None, None, None, url("http://127.0.0.1:8000")),
            (
                None,
                None,
                Some("http://db.example/"),
                url("http://db.example"),
            ),
            (None, None, Some("./db"), data("./db")),
            (Some("d"), None, Some("http://h:1"), data("d")),
            (None, Some("http://h:2"), Some("d"), url("http://h:2")),
        ] {
            assert_eq!(
                Target::from_parts(&global(dir, endpoint), variable).unwrap(),
                expected
            );
        }
        for (wrong, words) in [
            ("ftp://h", "BOTHWAYS_TARGET"),
            ("localhost:8000", "neither"),
        ] {
            let refused = Target::from_parts(&global(None, None), Some(wrong));
            assert!(refused.unwrap_err().message.contains(words), "{wrong}");
        }
    }
}
