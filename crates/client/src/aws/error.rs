//! Why there are no credentials, without what is secret about it.

/// Why there are no credentials.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialsError {
    /// No source has any.
    #[error(
        "no AWS credentials: none in the environment (AWS_ACCESS_KEY_ID), in ~/.aws, or from a container or an instance"
    )]
    NotFound,
    /// What was found has expired.
    #[error("the AWS credentials have expired")]
    Expired,
    /// A profile of the shared files does not say enough, or what cannot be.
    #[error("AWS profile {profile}: {problem}")]
    Profile {
        /// Its name.
        profile: String,
        /// What is wrong.
        problem: String,
    },
    /// A source that should give credentials does not.
    #[error("no AWS credentials from {from}: {problem}")]
    Source {
        /// `STS`, `single sign-on`, …
        from: &'static str,
        /// What it answered.
        problem: String,
    },
    /// A file that cannot be read.
    #[error("cannot read {path}: {problem}")]
    File {
        /// Which.
        path: String,
        /// Why.
        problem: String,
    },
}

impl CredentialsError {
    pub(crate) fn profile(profile: &str, problem: impl Into<String>) -> Self {
        Self::Profile {
            profile: profile.to_owned(),
            problem: problem.into(),
        }
    }
    pub(crate) fn source(from: &'static str, problem: impl Into<String>) -> Self {
        Self::Source {
            from,
            problem: problem.into(),
        }
    }
    pub(crate) fn file(path: &std::path::Path, problem: &std::io::Error) -> Self {
        Self::File {
            path: path.display().to_string(),
            problem: problem.to_string(),
        }
    }
}
