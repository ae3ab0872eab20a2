//! The shared files: `~/.aws/config` and `~/.aws/credentials`. Source: AWS SDKs and Tools Reference Guide, "Shared
//! config and credentials files".

use super::{CredentialsError, Result, Surroundings};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Largest file that is read, bytes. A choice: real ones have a few thousand.
const FILE_BYTES: u64 = 4 * 1024 * 1024;

/// The settings of one section, names in lower case; a setting inside another is `outer.inner`.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Section(BTreeMap<String, String>);

impl Section {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|text| !text.is_empty())
    }
}

/// Both files' sections.
#[derive(Default)]
pub(crate) struct Files {
    profiles: BTreeMap<String, Section>,
    sessions: BTreeMap<String, Section>,
    services: BTreeMap<String, Section>,
}

impl Files {
    /// Reads what is there. The credentials file wins over the config file.
    pub(crate) fn load(surroundings: &Surroundings) -> Result<Self> {
        let mut files = Self::default();
        for (variable, name, is_config) in [
            ("AWS_CONFIG_FILE", ".aws/config", true),
            ("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials", false),
        ] {
            let path = surroundings.path(variable, name);
            if let Some(text) = path.as_deref().map(read).transpose()?.flatten() {
                files.add(&text, is_config);
            }
        }
        Ok(files)
    }

    pub(crate) fn profile(&self, name: &str) -> Option<&Section> {
        self.profiles.get(name)
    }

    /// An `sso-session`.
    pub(crate) fn session(&self, name: &str) -> Option<&Section> {
        self.sessions.get(name)
    }

    /// The `endpoint_url` that a profile has for a service: in its `services` section, or for all of them.
    pub(crate) fn endpoint(&self, profile: &str, service: &str) -> Option<String> {
        let profile = self.profile(profile)?;
        let own = profile
            .get("services")
            .and_then(|name| self.services.get(name))
            .and_then(|section| section.get(&format!("{service}.endpoint_url")));
        own.or_else(|| profile.get("endpoint_url"))
            .map(str::to_owned)
    }

    fn add(&mut self, text: &str, is_config: bool) {
        let mut section: Option<&mut Section> = None;
        let mut outer = String::new();
        for line in text.lines() {
            let bare = line.trim();
            if bare.is_empty() || bare.starts_with(['#', ';']) {
                continue;
            }
            if let Some(header) = line.strip_prefix('[') {
                let header = header.split(']').next().unwrap_or_default().trim();
                section = self.section(header, is_config);
                outer.clear();
                continue;
            }
            let Some((name, value)) = bare.split_once('=') else {
                continue;
            };
            let (name, value) = (name.trim().to_ascii_lowercase(), without_comment(value));
            let Some(section) = section.as_deref_mut() else {
                continue;
            };
            if line.starts_with([' ', '\t']) && !outer.is_empty() {
                section.0.insert(format!("{outer}.{name}"), value);
                continue;
            }
            outer.clear();
            if value.is_empty() {
                outer.clone_from(&name);
            }
            section.0.insert(name, value);
        }
    }

    fn section(&mut self, header: &str, is_config: bool) -> Option<&mut Section> {
        let (kind, name) = match header.split_once([' ', '\t']) {
            Some((kind, name)) => (kind, name.trim().trim_matches(['"', '\'']).to_owned()),
            None if header == "default" || !is_config => ("profile", header.to_owned()),
            None => return None,
        };
        let map = match kind {
            "profile" => &mut self.profiles,
            "sso-session" => &mut self.sessions,
            "services" => &mut self.services,
            _ => return None,
        };
        Some(map.entry(name).or_default())
    }
}

/// A value without what stands behind ` #` or ` ;`.
fn without_comment(value: &str) -> String {
    let end = [" #", " ;", "\t#", "\t;"]
        .iter()
        .filter_map(|mark| value.find(mark))
        .min()
        .unwrap_or(value.len());
    value[..end].trim().to_owned()
}

/// A file's text; `None` where it is not there.
fn read(path: &Path) -> Result<Option<String>> {
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(e) => return Err(CredentialsError::file(path, &e)),
    };
    let mut text = String::new();
    file.take(FILE_BYTES)
        .read_to_string(&mut text)
        .map_err(|e| CredentialsError::file(path, &e))?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_sessions_and_services_are_read_and_merged() {
        let mut files = Files::default();
        files.add(
            "# a comment\nstray = 1\n[default]\nregion = eu-west-2 # here\n\n[profile  \"two words\"]\n\
             Role_Arn=arn:aws:iam::1:role/x#y\nservices = local\nendpoint_url = http://all:1\n\
             [ignored]\nregion = x\n[sso-session corp]\nsso_region = eu-west-1\n\
             [services local]\ndynamodb =\n  endpoint_url = http://localhost:8000\ns3 =\n  endpoint_url = http://s3\n",
            true,
        );
        files.add("[default]\naws_access_key_id = A\nregion = us-east-1\n[plain]\naws_access_key_id=B=C\n", false);
        let get = |profile: &str, name: &str| {
            files.profile(profile).unwrap().get(name).map(str::to_owned)
        };
        assert_eq!(get("default", "region").as_deref(), Some("us-east-1"));
        assert_eq!(get("default", "aws_access_key_id").as_deref(), Some("A"));
        assert_eq!(get("plain", "aws_access_key_id").as_deref(), Some("B=C"));
        assert_eq!(
            get("two words", "role_arn").as_deref(),
            Some("arn:aws:iam::1:role/x#y")
        );
        assert!(files.profile("ignored").is_none());
        assert_eq!(
            files.session("corp").unwrap().get("sso_region"),
            Some("eu-west-1")
        );
        assert_eq!(
            files.endpoint("two words", "dynamodb").as_deref(),
            Some("http://localhost:8000")
        );
        assert_eq!(
            files.endpoint("two words", "sts").as_deref(),
            Some("http://all:1")
        );
        assert_eq!(files.endpoint("default", "dynamodb"), None);
    }
}
