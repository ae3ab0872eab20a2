//! What a profile of the shared files leads to: keys, a role over another profile, single sign-on, a process.

use super::files::{Files, Section};
use super::sso::Sso;
use super::sts::{Role, Sts};
use super::{CredentialsError, Result, Surroundings, container, instance, process};
use crate::config::Credentials;
use crate::endpoint::Endpoint;
use crate::tls::Tls;
use bothways_protocol::BoxFuture;

/// Profiles that may stand behind one another. A choice: more is a mistake.
const DEPTH: usize = 8;
/// The region of STS where nobody names one. Source: the SDKs' legacy default.
const STS_REGION: &str = "us-east-1";

/// What a profile is looked up in.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) files: &'a Files,
    pub(crate) surroundings: &'a Surroundings,
    pub(crate) tls: &'a Tls,
}

impl<'a> Scope<'a> {
    /// A profile's credentials; `None` where it says nothing of any. `above` are the profiles that led here.
    pub(crate) fn resolve(
        self,
        name: &'a str,
        above: Vec<&'a str>,
    ) -> BoxFuture<'a, Result<Option<Credentials>>> {
        Box::pin(async move {
            let wrong = |problem: String| CredentialsError::profile(name, problem);
            let Some(profile) = self.files.profile(name) else {
                return Err(wrong("it is not there".to_owned()));
            };
            if above.len() >= DEPTH {
                return Err(wrong("its source_profile leads in circles".to_owned()));
            }
            if let Some(arn) = profile.get("role_arn") {
                return self.role(name, profile, arn, above).await.map(Some);
            }
            if profile.get("sso_account_id").is_some() {
                return self.sso(name, profile)?.credentials().await.map(Some);
            }
            if let Some(keys) = keys(profile) {
                return Ok(Some(keys));
            }
            if let Some(command) = profile.get("credential_process") {
                return process::credentials(command).await.map(Some);
            }
            Ok(None)
        })
    }

    async fn role(
        self,
        name: &'a str,
        profile: &'a Section,
        arn: &'a str,
        mut above: Vec<&'a str>,
    ) -> Result<Credentials> {
        let wrong = |problem: String| CredentialsError::profile(name, problem);
        let role = Role {
            arn,
            session: profile.get("role_session_name"),
            external_id: profile.get("external_id"),
            seconds: profile.get("duration_seconds"),
        };
        let sts = self.sts(name)?;
        if let Some(path) = profile.get("web_identity_token_file") {
            return self.with_token(&sts, &role, path).await;
        }
        if profile.get("mfa_serial").is_some() {
            return Err(wrong(
                "its role asks for a code (mfa_serial), which is not asked for here".to_owned(),
            ));
        }
        let base = match (
            profile.get("source_profile"),
            profile.get("credential_source"),
        ) {
            // A profile may be its own source: then its keys are meant.
            (Some(source), None) if source == name => keys(profile),
            (Some(source), None) => {
                above.push(name);
                self.resolve(source, above).await?
            }
            (None, Some("Environment")) => self.surroundings.keys(),
            (None, Some("EcsContainer")) => {
                container::credentials(self.surroundings, self.tls).await?
            }
            (None, Some("Ec2InstanceMetadata")) => {
                instance::credentials(self.surroundings, self.tls).await?
            }
            _ => {
                let problem = "its role needs a source_profile or a credential_source, one of them";
                return Err(wrong(problem.to_owned()));
            }
        };
        let base = base.ok_or_else(|| wrong("what its role builds on has no keys".to_owned()))?;
        sts.assume(&role, &base).await
    }

    /// A role that the environment names, as Kubernetes sets it.
    pub(crate) async fn web_identity_of_environment(self) -> Result<Option<Credentials>> {
        let get = |name| self.surroundings.get(name);
        let (Some(path), Some(arn)) = (get("AWS_WEB_IDENTITY_TOKEN_FILE"), get("AWS_ROLE_ARN"))
        else {
            return Ok(None);
        };
        let role = Role {
            arn,
            session: get("AWS_ROLE_SESSION_NAME"),
            external_id: None,
            seconds: None,
        };
        let sts = self.sts("default")?;
        self.with_token(&sts, &role, path).await.map(Some)
    }

    async fn with_token(self, sts: &Sts<'_>, role: &Role<'_>, path: &str) -> Result<Credentials> {
        let path = self.surroundings.expand(path);
        let token =
            std::fs::read_to_string(&path).map_err(|e| CredentialsError::file(&path, &e))?;
        sts.assume_with_token(role, token.trim()).await
    }

    fn sso(self, name: &'a str, profile: &'a Section) -> Result<Sso<'a>> {
        let missing = |what: &str| CredentialsError::profile(name, format!("{what} is missing"));
        let session = match profile.get("sso_session") {
            Some(session) => Some((
                session,
                self.files
                    .session(session)
                    .ok_or_else(|| missing(&format!("sso-session {session}")))?,
            )),
            None => None,
        };
        let region = session
            .map_or(profile, |(_, section)| section)
            .get("sso_region")
            .ok_or_else(|| missing("sso_region"))?;
        let key = match session {
            Some((session, _)) => session,
            None => profile
                .get("sso_start_url")
                .ok_or_else(|| missing("sso_start_url"))?,
        };
        Ok(Sso {
            profile: name,
            key,
            region,
            account: profile
                .get("sso_account_id")
                .ok_or_else(|| missing("sso_account_id"))?,
            role: profile
                .get("sso_role_name")
                .ok_or_else(|| missing("sso_role_name"))?,
            surroundings: self.surroundings,
            tls: self.tls,
        })
    }

    fn sts(self, profile: &str) -> Result<Sts<'a>> {
        let get = |name| self.surroundings.get(name);
        let region = get("AWS_REGION")
            .or_else(|| get("AWS_DEFAULT_REGION"))
            .or_else(|| self.files.profile(profile)?.get("region"))
            .unwrap_or(STS_REGION);
        let url = get("AWS_ENDPOINT_URL_STS")
            .or_else(|| get("AWS_ENDPOINT_URL"))
            .map(str::to_owned)
            .or_else(|| self.files.endpoint(profile, "sts"));
        let endpoint = match &url {
            Some(url) => url.parse(),
            None => Endpoint::aws("sts", region),
        };
        Ok(Sts {
            endpoint: endpoint.map_err(|e| CredentialsError::source("STS", e.to_string()))?,
            region: region.to_owned(),
            tls: self.tls,
        })
    }
}

fn keys(profile: &Section) -> Option<Credentials> {
    let access = profile.get("aws_access_key_id")?;
    let secret = profile.get("aws_secret_access_key")?;
    let mut keys = Credentials::new(access, secret);
    keys.session_token = profile.get("aws_session_token").map(str::to_owned);
    Some(keys)
}
