//! What the chain may look at, as a value: tests make their own.

use crate::config::Credentials;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Environment variables and the home directory.
#[derive(Clone, Default)]
pub struct Surroundings {
    variables: HashMap<String, String>,
    home: Option<PathBuf>,
}

impl std::fmt::Debug for Surroundings {
    /// Names only: variables hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings")
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}

impl Surroundings {
    /// This process's: the variables that begin with `AWS_`, and the user's home.
    #[must_use]
    pub fn of_process() -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| name.starts_with("AWS_"));
        Self::new(variables, std::env::home_dir())
    }

    /// Made up.
    pub fn new(
        variables: impl IntoIterator<Item = (String, String)>,
        home: Option<PathBuf>,
    ) -> Self {
        Self {
            variables: variables.into_iter().collect(),
            home,
        }
    }

    /// A variable that is there and not empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .map(String::as_str)
            .filter(|text| !text.is_empty())
    }

    /// The keys of the environment.
    #[must_use]
    pub fn keys(&self) -> Option<Credentials> {
        let access = self.get("AWS_ACCESS_KEY_ID")?;
        let secret = self.get("AWS_SECRET_ACCESS_KEY")?;
        let mut keys = Credentials::new(access, secret);
        keys.session_token = self.get("AWS_SESSION_TOKEN").map(str::to_owned);
        Some(keys)
    }

    /// A path below the home directory, or the one that a variable names, `~` spelled out.
    pub(crate) fn path(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        match self.get(variable) {
            Some(named) => Some(self.expand(named)),
            None => Some(self.home.as_ref()?.join(below_home)),
        }
    }

    /// A path as it is written in a file: `~/` is the home directory.
    pub(crate) fn expand(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(path),
        }
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }
}
