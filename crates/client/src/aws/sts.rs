//! Roles: temporary credentials from STS. Source: AWS STS API Reference, `AssumeRole` and
//! `AssumeRoleWithWebIdentity`.

use super::fetch::{Ask, fetch};
use super::{CredentialsError, Result, SOURCE_WAIT, time};
use crate::config::Credentials;
use crate::endpoint::Endpoint;
use crate::tls::Tls;
use bothways_protocol::sigv4::{self, Signer, ToSign, amz_date, percent_encoded};
use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

const FROM: &str = "STS";
const FORM: &str = "application/x-www-form-urlencoded";
const VERSION: &str = "2011-06-15";

/// A role to take on.
pub(crate) struct Role<'a> {
    pub(crate) arn: &'a str,
    pub(crate) session: Option<&'a str>,
    pub(crate) external_id: Option<&'a str>,
    pub(crate) seconds: Option<&'a str>,
}

/// Where STS is, and for which region requests are signed.
pub(crate) struct Sts<'a> {
    pub(crate) endpoint: Endpoint,
    pub(crate) region: String,
    pub(crate) tls: &'a Tls,
}

impl Sts<'_> {
    /// A role by other credentials.
    pub(crate) async fn assume(&self, role: &Role<'_>, base: &Credentials) -> Result<Credentials> {
        let body = form("AssumeRole", role, &[("ExternalId", role.external_id)]);
        let mut ask = self.ask(body);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let date = amz_date(now.unwrap_or_default().as_secs());
        ask = ask.header("x-amz-date", date.clone());
        if let Some(token) = &base.session_token {
            ask = ask.header("x-amz-security-token", token.clone());
        }
        let mut headers: Vec<(&str, &str)> = vec![("host", &ask.endpoint.authority)];
        headers.extend(
            ask.headers
                .iter()
                .map(|(name, value)| (*name, value.as_str())),
        );
        let signer = Signer {
            credentials: sigv4::Credentials {
                access_key: &base.access_key,
                secret_key: &base.secret_key,
                session_token: base.session_token.as_deref(),
            },
            region: &self.region,
            service: "sts",
            time: &date,
        };
        let authorization = signer.authorization(&ToSign {
            method: "POST",
            path: "/",
            query: "",
            headers: &headers,
            body: ask.body.as_bytes(),
        });
        self.answer(ask.header("authorization", authorization))
            .await
    }

    /// A role by the token of another identity provider; such a request is not signed.
    pub(crate) async fn assume_with_token(
        &self,
        role: &Role<'_>,
        token: &str,
    ) -> Result<Credentials> {
        let body = form(
            "AssumeRoleWithWebIdentity",
            role,
            &[("WebIdentityToken", Some(token))],
        );
        self.answer(self.ask(body)).await
    }

    fn ask(&self, body: String) -> Ask {
        Ask {
            method: "POST",
            endpoint: self.endpoint.clone(),
            path: "/".to_owned(),
            headers: vec![("content-type", FORM.to_owned())],
            body,
        }
    }

    async fn answer(&self, ask: Ask) -> Result<Credentials> {
        let failed = |problem: String| CredentialsError::source(FROM, problem);
        let answer = fetch(ask, self.tls, SOURCE_WAIT).await.map_err(failed)?;
        let text = String::from_utf8_lossy(&answer.body);
        if answer.status != 200 {
            let code = element(&text, "Code").unwrap_or_default();
            let words = element(&text, "Message").unwrap_or_default();
            return Err(failed(
                format!("{} {code} {words}", answer.status)
                    .trim()
                    .to_owned(),
            ));
        }
        let part = |name| element(&text, name);
        let (Some(access), Some(secret)) = (part("AccessKeyId"), part("SecretAccessKey")) else {
            return Err(failed("its answer has no keys".to_owned()));
        };
        let mut credentials = Credentials::new(access, secret);
        credentials.session_token = part("SessionToken");
        credentials.expires = part("Expiration").and_then(|text| time::parse(&text));
        Ok(credentials)
    }
}

fn form(action: &str, role: &Role<'_>, more: &[(&str, Option<&str>)]) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let session = format!("bothways-{}", now.unwrap_or_default().as_secs());
    let mut body = format!("Action={action}&Version={VERSION}");
    let own = [
        ("RoleArn", Some(role.arn)),
        ("RoleSessionName", Some(role.session.unwrap_or(&session))),
        ("DurationSeconds", role.seconds),
    ];
    for (name, value) in own.iter().chain(more) {
        if let Some(value) = value {
            let _ = write!(body, "&{name}={}", percent_encoded(value));
        }
    }
    body
}

/// The text of an XML answer's first element of a name. STS's answers have each once, without attributes.
fn element(text: &str, name: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let (value, _) = rest.split_once(&format!("</{name}>"))?;
    let value = value.trim().replace("&lt;", "<").replace("&gt;", ">");
    let value = value.replace("&quot;", "\"").replace("&apos;", "'");
    Some(value.replace("&amp;", "&"))
}
