//! Credentials of an EC2 instance, by the second version of its metadata service. Source: EC2 User Guide, "Use the Instance Metadata
//! Service".

use super::fetch::{Answer, Ask, fetch};
use super::wire::Document;
use super::{CredentialsError, Result, Surroundings};
use crate::config::Credentials;
use crate::tls::Tls;
use std::time::Duration;

const FROM: &str = "the instance";
const HOST: &str = "http://169.254.169.254";
const ROLES: &str = "/latest/meta-data/iam/security-credentials/";
/// One question; where there is no instance, nobody answers at all. Source: the SDKs' one second.
const WAIT: Duration = Duration::from_secs(1);
/// Tries of one question. Source: AWS's SDKs try three times; here a machine that is no instance waits at most 2 s.
const TRIES: u32 = 2;

/// What the instance gives; `None` where this is none.
pub(crate) async fn credentials(
    surroundings: &Surroundings,
    tls: &Tls,
) -> Result<Option<Credentials>> {
    let disabled = surroundings.get("AWS_EC2_METADATA_DISABLED");
    if disabled.is_some_and(|text| text.eq_ignore_ascii_case("true")) {
        return Ok(None);
    }
    let host = surroundings
        .get("AWS_EC2_METADATA_SERVICE_ENDPOINT")
        .unwrap_or(HOST)
        .trim_end_matches('/');
    let put = || -> std::result::Result<Ask, String> {
        let mut ask = Ask::get(&format!("{host}/latest/api/token"))?;
        ask.method = "PUT";
        Ok(ask.header("x-aws-ec2-metadata-token-ttl-seconds", "21600"))
    };
    // Nobody there: this is no instance, and that is no error.
    let Ok(token) = tried(put, tls).await else {
        return Ok(None);
    };
    let token = text(&token)?;
    let get = |path: String| {
        let token = token.clone();
        move || {
            Ok(Ask::get(&format!("{host}{path}"))?
                .header("x-aws-ec2-metadata-token", token.clone()))
        }
    };
    let failed = |problem| CredentialsError::source(FROM, problem);
    let roles = tried(get(ROLES.to_owned()), tls).await.map_err(failed)?;
    if roles.status == 404 {
        return Ok(None);
    }
    let role = text(&roles)?;
    let role = role.lines().next().unwrap_or_default().trim();
    let answer = tried(get(format!("{ROLES}{role}")), tls)
        .await
        .map_err(failed)?;
    text(&answer)?;
    let document = Document::read(FROM, &answer.body)?;
    match document.code.as_deref() {
        None | Some("Success") => document.credentials(FROM).map(Some),
        Some(code) => Err(failed(format!("it answers {code}"))),
    }
}

async fn tried(
    ask: impl Fn() -> std::result::Result<Ask, String>,
    tls: &Tls,
) -> std::result::Result<Answer, String> {
    let mut last = String::new();
    for _ in 0..TRIES {
        match fetch(ask()?, tls, WAIT).await {
            Ok(answer) if answer.status < 500 => return Ok(answer),
            Ok(answer) => last = format!("it answers {}", answer.status),
            Err(problem) => last = problem,
        }
    }
    Err(last)
}

fn text(answer: &Answer) -> Result<String> {
    if answer.status != 200 {
        let problem = format!("it answers {}", answer.status);
        return Err(CredentialsError::source(FROM, problem));
    }
    Ok(String::from_utf8_lossy(&answer.body).trim().to_owned())
}
