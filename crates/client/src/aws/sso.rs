//! Single sign-on: the token that `aws sso login` left, and the role's credentials that it buys. Source: AWS SDKs and
//! Tools Reference Guide, "IAM Identity Center credential provider"; IAM Identity Center Portal and OIDC APIs.

use super::fetch::{Answer, Ask, fetch};
use super::{CredentialsError, REFRESH_BEFORE, Result, SOURCE_WAIT, Surroundings, time};
use crate::config::Credentials;
use crate::endpoint::Endpoint;
use crate::tls::Tls;
use bothways_protocol::sigv4::percent_encoded;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use sha1::{Digest, Sha1};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const FROM: &str = "single sign-on";

/// What a profile says of it.
pub(crate) struct Sso<'a> {
    pub(crate) profile: &'a str,
    /// The session's name, or the start URL where there is no session: what the token's file is named by.
    pub(crate) key: &'a str,
    pub(crate) region: &'a str,
    pub(crate) account: &'a str,
    pub(crate) role: &'a str,
    pub(crate) surroundings: &'a Surroundings,
    pub(crate) tls: &'a Tls,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answered {
    role_credentials: RoleCredentials,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RoleCredentials {
    access_key_id: String,
    secret_access_key: String,
    session_token: String,
    /// Milliseconds since 1970.
    expiration: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Refreshed {
    access_token: String,
    expires_in: u64,
    refresh_token: Option<String>,
}

impl Sso<'_> {
    /// The role's credentials.
    pub(crate) async fn credentials(&self) -> Result<Credentials> {
        let token = self.token().await?;
        let path = format!(
            "/federation/credentials?role_name={}&account_id={}",
            percent_encoded(self.role),
            percent_encoded(self.account)
        );
        let mut ask = self.ask("AWS_ENDPOINT_URL_SSO", "portal.sso", path)?;
        ask = ask.header("x-amz-sso_bearer_token", token);
        let answer = self.sent(ask).await?;
        if answer.status == 401 {
            return Err(self.over());
        }
        if answer.status != 200 {
            return Err(failed(format!("it answers {}", answer.status)));
        }
        let Answered { role_credentials } = serde_json::from_slice(&answer.body)
            .map_err(|_| failed("its answer is not the JSON of credentials".to_owned()))?;
        let mut credentials = Credentials::new(
            role_credentials.access_key_id,
            role_credentials.secret_access_key,
        );
        credentials.session_token = Some(role_credentials.session_token);
        credentials.expires = Some(UNIX_EPOCH + Duration::from_millis(role_credentials.expiration));
        Ok(credentials)
    }

    /// The access token: the one that is kept, or a new one for its refresh token.
    async fn token(&self) -> Result<String> {
        let path = self.file().ok_or_else(|| self.over())?;
        let text = std::fs::read(&path).map_err(|_| self.over())?;
        let kept: Json = serde_json::from_slice(&text).map_err(|_| self.over())?;
        let part = |name: &str| kept.get(name).and_then(Json::as_str);
        let (Some(token), Some(expires)) =
            (part("accessToken"), part("expiresAt").and_then(time::parse))
        else {
            return Err(self.over());
        };
        let now = SystemTime::now();
        if expires > now + REFRESH_BEFORE {
            return Ok(token.to_owned());
        }
        match self.refreshed(&kept, &path).await {
            Ok(token) => Ok(token),
            // What is there serves to its end.
            Err(_) if expires > now => Ok(token.to_owned()),
            Err(error) => Err(error),
        }
    }

    async fn refreshed(&self, kept: &Json, path: &Path) -> Result<String> {
        let part = |name: &str| {
            kept.get(name)
                .and_then(Json::as_str)
                .ok_or_else(|| self.over())
        };
        let body = json!({
            "clientId": part("clientId")?,
            "clientSecret": part("clientSecret")?,
            "refreshToken": part("refreshToken")?,
            "grantType": "refresh_token",
        });
        let mut ask = self.ask("AWS_ENDPOINT_URL_SSO_OIDC", "oidc", "/token".to_owned())?;
        ask.method = "POST";
        ask.body = body.to_string();
        let answer = self
            .sent(ask.header("content-type", "application/json"))
            .await?;
        if answer.status != 200 {
            return Err(self.over());
        }
        let new: Refreshed = serde_json::from_slice(&answer.body).map_err(|_| self.over())?;
        keep(kept, &new, path);
        Ok(new.access_token)
    }

    fn file(&self) -> Option<PathBuf> {
        let name = Sha1::digest(self.key)
            .iter()
            .fold(String::new(), |mut name, byte| {
                let _ = write!(name, "{byte:02x}");
                name
            });
        let home = self.surroundings.home()?;
        Some(home.join(".aws/sso/cache").join(name + ".json"))
    }

    fn ask(&self, variable: &str, service: &str, path: String) -> Result<Ask> {
        let endpoint = match self.surroundings.get(variable) {
            Some(url) => url.parse(),
            None => Endpoint::aws(service, self.region),
        };
        Ok(Ask {
            method: "GET",
            endpoint: endpoint.map_err(|e| failed(e.to_string()))?,
            path,
            headers: Vec::new(),
            body: String::new(),
        })
    }

    async fn sent(&self, ask: Ask) -> Result<Answer> {
        fetch(ask, self.tls, SOURCE_WAIT).await.map_err(failed)
    }

    fn over(&self) -> CredentialsError {
        let problem = format!(
            "the session is over; begin one: aws sso login --profile {}",
            self.profile
        );
        CredentialsError::source(FROM, problem)
    }
}

/// Leaves the new token for the other tools: the old refresh token may be of no use any more.
fn keep(kept: &Json, new: &Refreshed, path: &Path) {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let mut next = kept.clone();
    next["accessToken"] = json!(new.access_token);
    next["expiresAt"] = json!(time::write(now.as_secs() + new.expires_in));
    if let Some(token) = &new.refresh_token {
        next["refreshToken"] = json!(token);
    }
    // A cache that cannot be written costs another sign-on later, and nothing now.
    let _ = write_private(path, next.to_string().as_bytes());
}

fn failed(problem: String) -> CredentialsError {
    CredentialsError::source(FROM, problem)
}

fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    let beside = path.with_extension(format!("{}.tmp", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&beside)?.write_all(bytes)?;
    std::fs::rename(&beside, path)
}
