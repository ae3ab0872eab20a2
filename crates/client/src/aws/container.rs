//! Credentials of a container (ECS, EKS). Source: AWS SDKs and Tools Reference Guide, "Container credential provider".

use super::fetch::{Ask, fetch};
use super::wire::Document;
use super::{CredentialsError, Result, SOURCE_WAIT, Surroundings};
use crate::config::Credentials;
use crate::tls::Tls;
use std::net::IpAddr;

const FROM: &str = "the container";
/// Where ECS answers.
const HOST: &str = "http://169.254.170.2";
/// Where ECS and EKS answer, the addresses to which the token may go without TLS.
const KNOWN: &[&str] = &["169.254.170.2", "169.254.170.23", "fd00:ec2::23"];

/// What the container gives; `None` where this is none.
pub(crate) async fn credentials(
    surroundings: &Surroundings,
    tls: &Tls,
) -> Result<Option<Credentials>> {
    let relative = surroundings.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    let url = match (
        relative,
        surroundings.get("AWS_CONTAINER_CREDENTIALS_FULL_URI"),
    ) {
        (Some(path), _) => format!("{HOST}{path}"),
        (None, Some(url)) => url.to_owned(),
        (None, None) => return Ok(None),
    };
    let failed = |problem: String| CredentialsError::source(FROM, problem);
    let mut ask = Ask::get(&url).map_err(failed)?;
    if !is_trusted(&ask) {
        let host = ask.endpoint.host();
        return Err(failed(format!(
            "{host} is neither this machine nor a container's address, and without https"
        )));
    }
    if let Some(token) = token(surroundings)? {
        ask = ask.header("authorization", token);
    }
    let answer = fetch(ask, tls, SOURCE_WAIT).await.map_err(failed)?;
    if answer.status != 200 {
        return Err(failed(format!("it answers {}", answer.status)));
    }
    Document::read(FROM, &answer.body)?
        .credentials(FROM)
        .map(Some)
}

fn is_trusted(ask: &Ask) -> bool {
    let host = ask.endpoint.host();
    let loopback = host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    ask.endpoint.is_secure() || loopback || host == "localhost" || KNOWN.contains(&host)
}

fn token(surroundings: &Surroundings) -> Result<Option<String>> {
    if let Some(path) = surroundings.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
        let path = std::path::Path::new(path);
        let text = std::fs::read_to_string(path).map_err(|e| CredentialsError::file(path, &e))?;
        return Ok(Some(text.trim().to_owned()));
    }
    let token = surroundings.get("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    Ok(token.map(str::to_owned))
}
