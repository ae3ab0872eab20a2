//! Which database a command talks to.

use crate::args::Global;
use crate::failure::Failure;
use bothways_client::Endpoint;
use std::path::PathBuf;

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
}

impl Target {
    /// The options first, then `BOTHWAYS_TARGET`, then the default endpoint.
    pub(crate) fn resolve(global: &Global) -> Result<Self, Failure> {
        Self::from_parts(global, std::env::var(VARIABLE).ok())
    }

    fn from_parts(global: &Global, variable: Option<String>) -> Result<Self, Failure> {
        if let Some(dir) = &global.data {
            return Ok(Self::Data(dir.clone()));
        }
        if let Some(endpoint) = &global.endpoint {
            return Ok(Self::Endpoint(endpoint.clone()));
        }
        let text = variable.filter(|text| !text.is_empty());
        let text = text.as_deref().unwrap_or(DEFAULT_ENDPOINT);
        if text.contains("://") {
            let endpoint = text
                .parse()
                .map_err(|e| Failure::usage(format!("{VARIABLE} is {text:?}: {e}")))?;
            Ok(Self::Endpoint(endpoint))
        } else {
            Ok(Self::Data(PathBuf::from(text)))
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
            (None, None, Some(""), url("http://127.0.0.1:8000")),
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
            let variable = variable.map(str::to_owned);
            assert_eq!(
                Target::from_parts(&global(dir, endpoint), variable).unwrap(),
                expected
            );
        }
        let wrong = Target::from_parts(&global(None, None), Some("ftp://h".to_owned()));
        assert!(wrong.unwrap_err().message.contains("BOTHWAYS_TARGET"));
    }
}
