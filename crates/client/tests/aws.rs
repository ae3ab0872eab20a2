//! TLS and AWS's credentials chain against endpoints on loopback that stand for AWS's.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use bothways_client::{Chain, Client, Config, Credentials, Endpoint, Identity, Surroundings};
use bothways_protocol::types::{BatchWriteItemInput, GetItemInput, PutItemInput, WriteRequest};
use bothways_protocol::{Context, DynamoDbExt, ErrorKind, Operation, Request};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use support::{Seen, data, endpoint, secure};

/// A home directory with the shared files, and variables.
struct Home {
    dir: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

impl Home {
    fn new(config: &str, credentials: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join(".aws/sso/cache")).unwrap();
        std::fs::write(dir.path().join(".aws/config"), config).unwrap();
        std::fs::write(dir.path().join(".aws/credentials"), credentials).unwrap();
        let variables = Vec::new();
        Self { dir, variables }.with("AWS_EC2_METADATA_DISABLED", "true")
    }
    fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }
    fn path(&self) -> &Path {
        self.dir.path()
    }
    fn chain(&self, profile: Option<&str>) -> Chain {
        let home = Some(self.path().to_owned());
        let surroundings = Surroundings::new(self.variables.clone(), home);
        Chain::new(surroundings, profile.map(str::to_owned))
    }
    async fn found(&self, profile: Option<&str>) -> Credentials {
        self.chain(profile).credentials().await.unwrap()
    }
    async fn problem(&self, profile: Option<&str>) -> String {
        self.chain(profile)
            .credentials()
            .await
            .unwrap_err()
            .to_string()
    }
}

fn in_an_hour() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let text = bothways_protocol::sigv4::amz_date(now.as_secs() + 3600);
    let (date, time) = text.split_at(8);
    let date = format!("{}-{}-{}", &date[..4], &date[4..6], &date[6..]);
    format!("{date}T{}:{}:{}Z", &time[1..3], &time[3..5], &time[5..7])
}

fn keys(access: &str) -> String {
    let expires = in_an_hour();
    format!(
        r#"{{"Code":"Success","Version":1,"AccessKeyId":"{access}","SecretAccessKey":"s3cr3t","Token":"tok","Expiration":"{expires}"}}"#
    )
}

fn assumed(access: &str) -> (u16, String) {
    let expires = in_an_hour();
    let body = format!(
        "<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>{access}</AccessKeyId>\
         <SecretAccessKey>s3cr3t</SecretAccessKey><SessionToken>tok</SessionToken>\
         <Expiration>{expires}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>"
    );
    (200, body)
}

async fn put(client: &Client) -> Result<(), bothways_protocol::Error> {
    let input = PutItemInput::default();
    client.put_item(&Context::default(), input).await.map(drop)
}

#[tokio::test]
async fn https_is_spoken_and_the_certificate_is_checked() {
    let server = secure(|_| (200, "{}".to_owned())).await;
    let port = server.address.port();
    let client = |host: &str, bundle: Option<&str>| {
        let mut config = Config::new(format!("https://{host}:{port}").parse().unwrap());
        config.ca_bundle = bundle.map(data);
        Client::new(config).unwrap()
    };
    put(&client("localhost", Some("authority.pem")))
        .await
        .unwrap();
    put(&client("127.0.0.1", Some("authority.pem")))
        .await
        .unwrap();
    assert_eq!(server.seen().len(), 2);
    assert_eq!(server.seen()[0].header("host"), format!("localhost:{port}"));

    // The system does not know the authority, and the certificate is for other names.
    for (host, bundle) in [("localhost", None), ("127.0.0.2", Some("authority.pem"))] {
        let mut config = Config::new(format!("https://{host}:{port}").parse().unwrap());
        config.ca_bundle = bundle.map(data);
        config.attempts = 1;
        let error = put(&Client::new(config).unwrap()).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unreachable, "{host}: {error}");
    }
    let error = put(&client("localhost", Some("server.key")))
        .await
        .unwrap_err();
    assert!(error.message.contains("there are none"), "{error}");
    assert_eq!(server.seen().len(), 2, "nothing else was sent");
}

#[tokio::test]
async fn keys_of_the_environment_come_first_unless_a_profile_is_asked_for() {
    let home = Home::new(
        "[profile work]\nregion = eu-west-2\nservices = l\n[services l]\ndynamodb =\n  endpoint_url = http://db:1\n",
        "[work]\naws_access_key_id = WORK\naws_secret_access_key = s\n[default]\naws_access_key_id = DEF\naws_secret_access_key = s\n",
    );
    assert_eq!(home.found(None).await.access_key, "DEF");
    let home = home
        .with("AWS_ACCESS_KEY_ID", "ENV")
        .with("AWS_SECRET_ACCESS_KEY", "s");
    let home = home.with("AWS_SESSION_TOKEN", "t");
    let found = home.found(None).await;
    assert_eq!(
        (found.access_key.as_str(), found.session_token.as_deref()),
        ("ENV", Some("t"))
    );
    assert_eq!(home.found(Some("work")).await.access_key, "WORK");
    let chain = home.chain(Some("work"));
    assert_eq!(chain.region().unwrap().as_deref(), Some("eu-west-2"));
    assert_eq!(
        chain.endpoint_url().unwrap().as_deref(),
        Some("http://db:1")
    );
    assert_eq!(home.chain(None).endpoint_url().unwrap(), None);
    assert_eq!(
        home.problem(Some("none")).await,
        "AWS profile none: it is not there"
    );
}

#[tokio::test]
async fn roles_are_assumed_over_other_profiles() {
    let sts = endpoint(|seen| {
        assumed(if seen.body.contains("role%2Fouter") {
            "OUTER"
        } else {
            "INNER"
        })
    })
    .await;
    let home = Home::new(
        "[profile outer]\nrole_arn = arn:aws:iam::1:role/outer\nsource_profile = inner\nexternal_id = e&x\n\
         [profile inner]\nrole_arn = arn:aws:iam::1:role/inner\nsource_profile = inner\nregion = eu-west-2\n\
         [profile loop]\nrole_arn = r\nsource_profile = pool\n[profile pool]\nrole_arn = r\nsource_profile = loop\n\
         [profile half]\nrole_arn = r\n[profile code]\nrole_arn = r\nsource_profile = inner\nmfa_serial = m\n",
        "[inner]\naws_access_key_id = BASE\naws_secret_access_key = base-secret\n",
    )
    .with("AWS_ENDPOINT_URL_STS", &sts.url());
    let found = home.found(Some("outer")).await;
    assert_eq!(found.access_key, "OUTER");
    assert!(found.expires.is_some() && found.session_token.is_some());
    let seen = sts.seen();
    assert_eq!(seen.len(), 2);
    assert!(
        seen[0].header("authorization").contains("Credential=BASE/"),
        "{seen:?}"
    );
    assert!(
        seen[0].header("authorization").contains("/eu-west-2/sts/"),
        "{seen:?}"
    );
    assert!(
        seen[1]
            .header("authorization")
            .contains("Credential=INNER/")
    );
    assert_eq!(seen[1].header("x-amz-security-token"), "tok");
    assert!(
        seen[1].body.contains("ExternalId=e%26x&") || seen[1].body.ends_with("ExternalId=e%26x")
    );
    for (profile, words) in [
        ("loop", "circles"),
        ("half", "source_profile"),
        ("code", "mfa_serial"),
    ] {
        assert!(
            home.problem(Some(profile)).await.contains(words),
            "{profile}"
        );
    }
}

#[tokio::test]
async fn what_sts_refuses_is_told_without_secrets() {
    let sts = endpoint(|_| {
        (403, "<ErrorResponse><Error><Code>AccessDenied</Code><Message>User: x is not authorized &amp; so on</Message></Error></ErrorResponse>".to_owned())
    })
    .await;
    let home = Home::new(
        "[profile p]\nrole_arn = r\nsource_profile = p\n",
        "[p]\naws_access_key_id = A\naws_secret_access_key = very-secret\n",
    )
    .with("AWS_ENDPOINT_URL_STS", &sts.url());
    let problem = home.problem(Some("p")).await;
    assert_eq!(
        problem,
        "no AWS credentials from STS: 403 AccessDenied User: x is not authorized & so on"
    );
    assert!(!format!("{:?}", home.chain(Some("p"))).contains("secret"));
}

#[tokio::test]
async fn web_identity_is_exchanged_for_a_role_unsigned() {
    let sts = endpoint(|_| assumed("WEB")).await;
    let home = Home::new("", "").with("AWS_ENDPOINT_URL_STS", &sts.url());
    let token = home.path().join("token");
    std::fs::write(&token, "the.web.token\n").unwrap();
    let home = home
        .with("AWS_WEB_IDENTITY_TOKEN_FILE", token.to_str().unwrap())
        .with("AWS_ROLE_ARN", "arn:aws:iam::1:role/pod");
    assert_eq!(home.found(None).await.access_key, "WEB");
    let seen = &sts.seen()[0];
    assert!(
        seen.body.contains("Action=AssumeRoleWithWebIdentity")
            && seen.body.contains("WebIdentityToken=the.web.token")
    );
    assert_eq!(seen.header("authorization"), "");
}

#[tokio::test]
async fn a_container_is_asked_where_it_may_be_trusted() {
    let container = endpoint(|seen| match seen.header("authorization") {
        "pass" => (200, keys("BOX")),
        _ => (401, String::new()),
    })
    .await;
    let url = format!("{}/creds?x=1", container.url());
    let home = |url: &str| Home::new("", "").with("AWS_CONTAINER_CREDENTIALS_FULL_URI", url);
    let found = home(&url)
        .with("AWS_CONTAINER_AUTHORIZATION_TOKEN", "pass")
        .found(None)
        .await;
    assert_eq!(
        (found.access_key.as_str(), found.session_token.as_deref()),
        ("BOX", Some("tok"))
    );
    assert_eq!(container.seen()[0].path, "/creds?x=1");
    assert!(home(&url).problem(None).await.ends_with("it answers 401"));
    assert!(
        home("http://192.0.2.1/creds")
            .problem(None)
            .await
            .contains("without https")
    );
}

fn metadata(seen: &Seen) -> (u16, String) {
    let roles = "/latest/meta-data/iam/security-credentials/";
    let known = seen.header("x-aws-ec2-metadata-token") == "session";
    match (seen.method.as_str(), seen.path.as_str()) {
        ("PUT", "/latest/api/token") => (200, "session".to_owned()),
        ("GET", path) if known && path == roles => (200, "the-role".to_owned()),
        ("GET", path) if known && path == format!("{roles}the-role") => (200, keys("EC2")),
        _ => (401, String::new()),
    }
}

#[tokio::test]
async fn an_instance_is_asked_by_session() {
    let instance = endpoint(metadata).await;
    let mut home = Home::new("", "");
    home.variables.clear();
    let home = home.with("AWS_EC2_METADATA_SERVICE_ENDPOINT", &instance.url());
    assert_eq!(home.found(None).await.access_key, "EC2");
    assert_eq!(instance.seen().len(), 3);
}

#[tokio::test]
async fn where_no_source_is_the_wait_is_short_and_the_answer_clear() {
    // A listener that accepts and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let mut home = Home::new("", "");
    home.variables.clear();
    let home = home.with("AWS_EC2_METADATA_SERVICE_ENDPOINT", &url);
    let begun = Instant::now();
    let chain = home.chain(None);
    let asked: Vec<_> = (0..8).map(|_| chain.credentials()).collect();
    for asked in asked {
        let problem = asked.await.unwrap_err().to_string();
        assert!(
            problem.starts_with("no AWS credentials: none in the environment"),
            "{problem}"
        );
    }
    assert!(
        begun.elapsed() < Duration::from_secs(4),
        "one wait for all: {:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn a_sign_on_is_used_renewed_and_missed() {
    let aws = endpoint(|seen| match (seen.path.as_str(), seen.header("x-amz-sso_bearer_token")) {
        ("/token", _) => (200, r#"{"accessToken":"new","expiresIn":3600,"refreshToken":"r2"}"#.to_owned()),
        ("/federation/credentials?role_name=Admin&account_id=123", "old" | "new") => {
            let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() + 3_600_000;
            (200, format!(r#"{{"roleCredentials":{{"accessKeyId":"SSO","secretAccessKey":"s","sessionToken":"t","expiration":{at}}}}}"#))
        }
        _ => (401, String::new()),
    })
    .await;
    let home = Home::new(
        "[profile p]\nsso_session = corp\nsso_account_id = 123\nsso_role_name = Admin\n\
         [sso-session corp]\nsso_region = eu-west-2\nsso_start_url = https://corp.test\n",
        "",
    )
    .with("AWS_ENDPOINT_URL_SSO", &aws.url())
    .with("AWS_ENDPOINT_URL_SSO_OIDC", &aws.url());
    assert!(
        home.problem(Some("p"))
            .await
            .contains("aws sso login --profile p")
    );
    // `aws sso login` names the file by the SHA-1 of the session's name.
    let cache = home
        .path()
        .join(".aws/sso/cache/ee0bfd2552fbd840c02cc48b6e823320543c450f.json");
    let token = |token: &str, expires: &str| {
        std::fs::write(&cache, format!(r#"{{"accessToken":"{token}","expiresAt":"{expires}","refreshToken":"r1","clientId":"c","clientSecret":"cs","kept":1}}"#)).unwrap();
    };
    token("old", &in_an_hour());
    assert_eq!(home.found(Some("p")).await.access_key, "SSO");
    token("old", "2020-01-01T00:00:00Z");
    assert_eq!(home.found(Some("p")).await.access_key, "SSO");
    let left = std::fs::read_to_string(&cache).unwrap();
    assert!(
        left.contains(r#""new""#) && left.contains(r#""r2""#) && left.contains("kept"),
        "{left}"
    );
    token("refused", &in_an_hour());
    assert!(
        home.problem(Some("p"))
            .await
            .contains("the session is over")
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_process_prints_credentials_or_says_why_not() {
    let command = format!("printf '%s' '{}'", keys("PROC"));
    let home = Home::new(
        &format!(
            "[profile p]\ncredential_process = {command}\n[profile f]\ncredential_process = echo s3cr3t; exit 3\n\
                  [profile g]\ncredential_process = echo s3cr3t\n"
        ),
        "",
    );
    assert_eq!(home.found(Some("p")).await.access_key, "PROC");
    for (profile, words) in [
        ("f", "it ended with exit status: 3"),
        ("g", "not the JSON of credentials"),
    ] {
        let problem = home.problem(Some(profile)).await;
        assert!(
            problem.contains(words) && !problem.contains("s3cr3t"),
            "{problem}"
        );
    }
}

/// A chain whose container gives keys that are numbered and live for so many seconds.
async fn numbered(seconds: u64) -> (Chain, support::Endpoint) {
    let count = AtomicUsize::new(0);
    let container = endpoint(move |_| {
        let n = count.fetch_add(1, Ordering::SeqCst);
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_secs();
        let at = bothways_protocol::sigv4::amz_date(now + seconds);
        let at = format!(
            "{}-{}-{}T{}:{}:{}Z",
            &at[..4],
            &at[4..6],
            &at[6..8],
            &at[9..11],
            &at[11..13],
            &at[13..15]
        );
        (
            200,
            format!(
                r#"{{"AccessKeyId":"K{n}","SecretAccessKey":"s","Token":"t","Expiration":"{at}"}}"#
            ),
        )
    })
    .await;
    let home = Home::new("", "").with("AWS_CONTAINER_CREDENTIALS_FULL_URI", &container.url());
    (home.chain(None), container)
}

#[tokio::test]
async fn keys_are_kept_and_asked_for_again_before_they_expire() {
    let (chain, container) = numbered(3600).await;
    let many = (0..16).map(|_| chain.credentials());
    for found in many {
        assert_eq!(found.await.unwrap().access_key, "K0");
    }
    assert_eq!(container.seen().len(), 1);
    // Less than five minutes left: new ones each time.
    let (chain, _container) = numbered(60).await;
    assert_eq!(chain.credentials().await.unwrap().access_key, "K0");
    assert_eq!(chain.credentials().await.unwrap().access_key, "K1");
    // Dead on arrival.
    let (chain, _container) = numbered(0).await;
    assert_eq!(
        chain.credentials().await.unwrap_err().to_string(),
        "the AWS credentials have expired"
    );
}

#[tokio::test]
async fn a_service_that_calls_keys_expired_gets_new_ones_once() {
    let expired = r#"{"__type":"com.amazon.coral.service#ExpiredTokenException","message":"The security token included in the request is expired"}"#;
    let only_new = move |seen: &Seen| {
        if seen.header("authorization").contains("Credential=K1/") {
            (200, "{}".to_owned())
        } else {
            (400, expired.to_owned())
        }
    };
    let server = endpoint(only_new).await;
    let (chain, _container) = numbered(3600).await;
    let mut config = Config::new(server.url().parse().unwrap());
    config.identity = Identity::Chain(Arc::new(chain));
    put(&Client::new(config).unwrap()).await.unwrap();
    assert_eq!(server.seen().len(), 2);

    let server = endpoint(move |_| (400, expired.to_owned())).await;
    let mut config = Config::new(server.url().parse().unwrap());
    config.identity = Credentials::new("old", "s").into();
    let error = put(&Client::new(config).unwrap()).await.unwrap_err();
    assert_eq!(error.kind.name(), "ExpiredTokenException");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn without_credentials_nothing_is_sent() {
    let server = endpoint(|_| (200, "{}".to_owned())).await;
    let mut config = Config::new(server.url().parse().unwrap());
    config.identity = Identity::Chain(Arc::new(Home::new("", "").chain(None)));
    let error = put(&Client::new(config).unwrap()).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::MissingAuthenticationToken);
    assert_eq!(server.seen().len(), 0);
}

#[tokio::test]
async fn what_a_batch_leaves_is_sent_again_until_nothing_is_left() {
    let server = endpoint(|seen| {
        let left = if seen.body.matches("\"k\"").count() > 1 {
            r#"{"T":[{"DeleteRequest":{"Key":{"k":{"S":"b"}}}}]}"#
        } else {
            "{}"
        };
        let capacity = r#"[{"TableName":"T","CapacityUnits":1.0}]"#;
        (
            200,
            format!(r#"{{"UnprocessedItems":{left},"ConsumedCapacity":{capacity}}}"#),
        )
    })
    .await;
    let config = Config::new(server.url().parse().unwrap());
    let client = Client::new(config.clone()).unwrap();
    let write = |key: &str| {
        let text = format!(
            r#"{{"RequestItems":{{"T":[{{"DeleteRequest":{{"Key":{{"k":{{"S":"{key}"}}}}}}}}]}}}}"#
        );
        match Request::decode(Operation::BatchWriteItem, text.as_bytes()) {
            Ok(Request::BatchWriteItem(input)) => input.request_items.unwrap().remove("T").unwrap(),
            other => panic!("{other:?}"),
        }
    };
    let both: Vec<WriteRequest> = [write("a"), write("b")].concat();
    let input = BatchWriteItemInput {
        request_items: Some(BTreeMap::from([("T".to_owned(), both)])),
        ..BatchWriteItemInput::default()
    };
    let output = client
        .batch_write_item(&Context::default(), input.clone())
        .await
        .unwrap();
    assert_eq!(output.unprocessed_items, Some(BTreeMap::new()));
    assert_eq!(output.consumed_capacity.unwrap().len(), 2);
    assert_eq!(server.seen().len(), 2);

    // Left to the caller where that is wanted, and after the last try.
    for (drain, attempts, requests) in [(false, 10, 1), (true, 1, 1)] {
        let server = endpoint(|_| {
            (
                200,
                r#"{"UnprocessedItems":{"T":[{"DeleteRequest":{"Key":{"k":{"S":"b"}}}}]}}"#
                    .to_owned(),
            )
        })
        .await;
        let mut config = Config::new(server.url().parse().unwrap());
        (config.drain, config.attempts) = (drain, attempts);
        let client = Client::new(config).unwrap();
        let output = client
            .batch_write_item(&Context::default(), input.clone())
            .await
            .unwrap();
        assert_eq!(output.unprocessed_items.unwrap().len(), 1);
        assert_eq!(server.seen().len(), requests);
    }
}

#[tokio::test]
async fn the_parts_of_a_batch_that_was_read_are_put_together() {
    let server = endpoint(|seen| if seen.body.contains("first") { (200, r#"{"Responses":{"T":[{"k":{"S":"1"}}]},"UnprocessedKeys":{"T":{"Keys":[{"k":{"S":"2"}}]}}}"#.to_owned()) } else { (200, r#"{"Responses":{"T":[{"k":{"S":"2"}}]},"UnprocessedKeys":{}}"#.to_owned()) })
    .await;
    let client = Client::new(Config::new(server.url().parse().unwrap())).unwrap();
    let text = br#"{"RequestItems":{"T":{"Keys":[{"k":{"S":"first"}}]}}}"#;
    let Ok(Request::BatchGetItem(input)) = Request::decode(Operation::BatchGetItem, text) else {
        panic!("it is a batch");
    };
    let output = client
        .batch_get_item(&Context::default(), *input)
        .await
        .unwrap();
    assert_eq!(output.responses.unwrap()["T"].len(), 2);
    assert_eq!(output.unprocessed_keys, Some(BTreeMap::new()));
}

#[tokio::test]
async fn a_session_token_is_sent_and_signed() {
    let server = endpoint(|_| (200, "{}".to_owned())).await;
    let mut keys = Credentials::new("AKID", "secret");
    keys.session_token = Some("token".to_owned());
    let mut config = Config::new(server.url().parse().unwrap());
    config.identity = keys.into();
    let client = Client::new(config).unwrap();
    client
        .get_item(&Context::default(), GetItemInput::default())
        .await
        .unwrap();
    let seen = &server.seen()[0];
    assert_eq!(seen.header("x-amz-security-token"), "token");
    assert!(
        seen.header("authorization")
            .contains("x-amz-security-token")
    );
    assert!(
        "https://dynamodb.eu-west-2.amazonaws.com"
            .parse::<Endpoint>()
            .unwrap()
            .is_aws()
    );
}
