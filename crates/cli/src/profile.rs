//! Connection profiles: places by name, in a file of the user's.
//!
//! The file is the user's to edit: adding a profile appends to it, and removing one cuts its lines out; comments and
//! everything else stay as they are.

use crate::failure::Failure;
use bothways_client::Endpoint;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The environment variable that names the file.
const FILE: &str = "BOTHWAYS_PROFILES";
/// The environment variable that names a profile, as `--profile` does.
pub(crate) const VARIABLE: &str = "BOTHWAYS_PROFILE";
/// Where the file is below the user's directory of configuration.
const BELOW: &str = "bothways/profiles.toml";
/// The profile that is there without a file: AWS, with the credentials and the region that AWS's tools would take.
pub(crate) const AWS: &str = "aws";

/// A place by name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// Its name, which is the table's in the file.
    #[serde(skip)]
    pub(crate) name: String,
    /// A directory.
    pub(crate) data: Option<PathBuf>,
    /// An endpoint; with `aws`, instead of AWS's own.
    pub(crate) endpoint: Option<String>,
    /// The profile of `~/.aws/config` whose credentials sign; empty for what AWS's tools would take.
    pub(crate) aws: Option<String>,
    /// The region.
    pub(crate) region: Option<String>,
    /// Whether writes are refused before they leave.
    #[serde(default)]
    pub(crate) read_only: bool,
}

impl Profile {
    /// A profile of nothing.
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            data: None,
            endpoint: None,
            aws: None,
            region: None,
            read_only: false,
        }
    }

    /// What it names, for people.
    pub(crate) fn detail(&self) -> String {
        let aws = self.aws.as_deref().map(|profile| match profile {
            "" => "AWS".to_owned(),
            profile => format!("AWS, profile {profile}"),
        });
        let data = self.data.as_ref().map(|dir| dir.display().to_string());
        let parts = [data, aws, self.endpoint.clone(), self.region.clone()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// The endpoint, read.
    pub(crate) fn url(&self) -> Result<Option<Endpoint>, Failure> {
        let wrong =
            |e: &dyn std::fmt::Display| Failure::usage(format!("profile {}: {e}", self.name));
        self.endpoint
            .as_ref()
            .map(|url| url.parse().map_err(|e| wrong(&e)))
            .transpose()
    }

    fn check(&self) -> Result<(), Failure> {
        let places = usize::from(self.data.is_some())
            + usize::from(self.endpoint.is_some() || self.aws.is_some());
        if places != 1 {
            let words = format!(
                "profile {} needs one place: data, endpoint or aws",
                self.name
            );
            return Err(Failure::usage(words));
        }
        self.url().map(drop)
    }
}

/// The file and what it says.
pub(crate) struct Profiles {
    path: PathBuf,
    text: String,
    all: BTreeMap<String, Profile>,
}

impl Profiles {
    /// Reads the file; where it is not there, there are no profiles.
    pub(crate) fn load() -> Result<Self, Failure> {
        let path = path()?;
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == ErrorKind::NotFound => String::new(),
            Err(e) => return Err(unreadable(&path, &e)),
        };
        Self::parse(path, text)
    }

    fn parse(path: PathBuf, text: String) -> Result<Self, Failure> {
        let mut all: BTreeMap<String, Profile> =
            toml::from_str(&text).map_err(|e| unreadable(&path, &e))?;
        for (name, profile) in &mut all {
            profile.name.clone_from(name);
            profile.check()?;
        }
        Ok(Self { path, text, all })
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Every profile of the file, by name.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Profile> {
        self.all.values()
    }

    /// A profile of the file, or the one that needs none.
    pub(crate) fn get(&self, name: &str) -> Result<Profile, Failure> {
        if let Some(profile) = self.all.get(name) {
            return Ok(profile.clone());
        }
        if name == AWS {
            let aws = Some(String::new());
            return Ok(Profile {
                aws,
                ..Profile::new(AWS)
            });
        }
        let names: Vec<&str> = self.all.keys().map(String::as_str).collect();
        let failure = Failure::usage(format!("there is no profile {name:?}"));
        Err(if names.is_empty() {
            failure.hint(format!(
                "add it: bothways profile add {name} --endpoint URL"
            ))
        } else {
            failure.hint(format!("there are: {}", names.join(", ")))
        })
    }

    /// Appends a profile.
    pub(crate) fn add(&self, profile: &Profile) -> Result<(), Failure> {
        let name = &profile.name;
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || !name.chars().all(plain) {
            return Err(Failure::usage(format!("{name:?} cannot name a profile"))
                .hint("letters a-z, A-Z, digits, underscore and dash"));
        }
        if self.all.contains_key(name) {
            return Err(Failure::no(format!("profile {name} is there already"))
                .hint(format!("remove it first: bothways profile remove {name}")));
        }
        profile.check()?;
        let mut text = self.text.clone();
        if !text.is_empty() {
            text.push_str(if text.ends_with('\n') { "\n" } else { "\n\n" });
        }
        let _ = writeln!(text, "[{name}]");
        let data = profile
            .data
            .as_ref()
            .map(|dir| dir.to_string_lossy().into_owned());
        for (key, value) in [
            ("data", data.as_ref()),
            ("endpoint", profile.endpoint.as_ref()),
            ("aws", profile.aws.as_ref()),
            ("region", profile.region.as_ref()),
        ] {
            if let Some(value) = value {
                let _ = writeln!(text, "{key} = {}", toml::Value::from(value.as_str()));
            }
        }
        if profile.read_only {
            text.push_str("read_only = true\n");
        }
        self.write(&text)
    }

    /// Cuts a profile's lines out.
    pub(crate) fn remove(&self, name: &str) -> Result<(), Failure> {
        if !self.all.contains_key(name) {
            return self.get(name).and_then(|_| {
                Err(Failure::no(format!(
                    "profile {name} needs no file and stays"
                )))
            });
        }
        let mut text = String::with_capacity(self.text.len());
        let mut inside = false;
        for line in self.text.split_inclusive('\n') {
            if let Some(header) = header(line) {
                inside = header == name;
            }
            if !inside {
                text.push_str(line);
            }
        }
        let left = Self::parse(self.path.clone(), text)?;
        if left.all.contains_key(name) || left.all.len() + 1 != self.all.len() {
            let words = format!(
                "{} is written in a way that cannot be cut",
                self.path.display()
            );
            return Err(Failure::no(words).hint("remove the profile in an editor"));
        }
        self.write(&left.text)
    }

    /// Replaces the file in one step: it is whole at any time.
    fn write(&self, text: &str) -> Result<(), Failure> {
        let unwritable =
            |e: &std::io::Error| Failure::no(format!("cannot write {}: {e}", self.path.display()));
        if let Some(dir) = self.path.parent() {
            std::fs::create_dir_all(dir).map_err(|e| unwritable(&e))?;
        }
        let beside = self
            .path
            .with_extension(format!("{}.new", std::process::id()));
        std::fs::write(&beside, text)
            .and_then(|()| std::fs::rename(&beside, &self.path))
            .map_err(|e| unwritable(&e))
    }
}

/// The name in a table's header: `[name]`.
fn header(line: &str) -> Option<&str> {
    let inner = line.trim_start().strip_prefix('[')?.split(']').next()?;
    Some(inner.trim().trim_matches(['"', '\'']))
}

fn unreadable(path: &Path, e: &dyn std::fmt::Display) -> Failure {
    Failure::usage(format!(
        "cannot read {}: {}",
        path.display(),
        e.to_string().trim_end()
    ))
}

fn path() -> Result<PathBuf, Failure> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(file) = variable(FILE) {
        return Ok(file.into());
    }
    let configuration = variable("XDG_CONFIG_HOME")
        .or_else(|| variable("APPDATA").filter(|_| cfg!(windows)))
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".config")));
    configuration.map(|dir| dir.join(BELOW)).ok_or_else(|| {
        Failure::usage(format!(
            "there is no home directory; {FILE} can name the file of profiles"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# mine\n[laptop]\ndata = \"/d\" # here\n\n[work]\naws = \"corp\"\nregion = \"eu-west-2\"\nread_only = true\n\n# last\n[dev]\nendpoint = \"http://h:1\"\n";

    fn profiles(dir: &Path, text: &str) -> Profiles {
        Profiles::parse(dir.join("deep/profiles.toml"), text.to_owned()).unwrap()
    }

    fn reread(before: &Profiles) -> Profiles {
        let text = std::fs::read_to_string(&before.path).unwrap();
        Profiles::parse(before.path.clone(), text).unwrap()
    }

    #[test]
    fn profiles_come_and_go_and_the_rest_of_the_file_stays() {
        let dir = tempfile::tempdir().unwrap();
        let before = profiles(dir.path(), TEXT);
        let names: Vec<&str> = before.all().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["dev", "laptop", "work"]);
        assert_eq!(
            before.get("work").unwrap().detail(),
            "AWS, profile corp, eu-west-2"
        );
        before.remove("work").unwrap();
        let text = std::fs::read_to_string(&before.path).unwrap();
        assert!(
            text.starts_with("# mine\n[laptop]\ndata = \"/d\" # here\n"),
            "{text}"
        );
        assert!(!text.contains("corp") && text.contains("[dev]"), "{text}");
        let after = reread(&before);
        let again = Profile {
            data: Some("C:\\a \"b\"".into()),
            read_only: true,
            ..Profile::new("new")
        };
        after.add(&again).unwrap();
        assert_eq!(reread(&after).get("new").unwrap(), again);
        assert!(
            reread(&after)
                .add(&again)
                .unwrap_err()
                .message
                .contains("already")
        );
    }

    #[test]
    fn what_is_wrong_is_told() {
        let dir = tempfile::tempdir().unwrap();
        for (text, words) in [
            ("[a]\n", "needs one place"),
            (
                "[a]\ndata = \"d\"\nendpoint = \"http://h\"\n",
                "needs one place",
            ),
            ("[a]\nendpoint = \"h\"\n", "is not an http"),
            ("[a]\ndate = \"d\"\n", "unknown field"),
            ("[a\n", "cannot read"),
        ] {
            let failure = Profiles::parse(dir.path().join("p.toml"), text.to_owned())
                .err()
                .unwrap();
            assert!(failure.message.contains(words), "{text}: {failure}");
        }
        let none = profiles(dir.path(), "");
        assert!(none.get("x").unwrap_err().hints[0].contains("profile add x"));
        assert_eq!(none.get(AWS).unwrap().detail(), "AWS");
        for name in ["", "a b", "a.b"] {
            let profile = Profile {
                data: Some("d".into()),
                ..Profile::new(name)
            };
            assert!(none.add(&profile).is_err(), "{name:?}");
        }
    }
}
