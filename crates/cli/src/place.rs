//! Opens what a target names. Everything after this sees only the seam.

use crate::failure::Failure;
use crate::guard::ReadOnly;
use crate::print::fault;
use crate::profile::Profile;
use crate::refusal;
use crate::target::Target;
use bothways_client::{Chain, Client, Config, Endpoint, Identity, Surroundings};
use bothways_engine::{Engine, OpenError, Options};
use bothways_protocol::{DynamoDb, Operator};
use bothways_server::Trouble;
use bothways_store::{BucketDirectory, DiskStore, FileRecorder, MemoryStore, Store};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Names a file that the writes and syncs of a directory are recorded in.
const RECORD: &str = "BOTHWAYS_RECORD";

/// Names the account in the ARNs of new tables.
const ACCOUNT: &str = "BOTHWAYS_ACCOUNT";

fn account_id(given: &OsStr) -> Result<String, Failure> {
    let id = given.to_str().filter(|text| text.len() == 12);
    let id = id.filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    id.map(str::to_owned).ok_or_else(|| {
        let given = given.to_string_lossy();
        Failure::usage(format!(
            "{ACCOUNT} is {given:?}, and an account id has twelve digits"
        ))
    })
}

/// An open database.
pub(crate) struct Place {
    /// The seam.
    pub(crate) db: Arc<dyn DynamoDb>,
    /// What the database tells beside it, where it is in this process.
    pub(crate) operator: Option<Arc<dyn Operator>>,
    /// The files behind it, where they are open in this process.
    store: Option<Arc<dyn Store>>,
    /// The same, where they are a directory's.
    disk: Option<Arc<DiskStore>>,
}

impl Place {
    /// Opens a directory or talks to an endpoint. What changes something is refused where the profile is read-only.
    pub(crate) fn open(target: &Target) -> Result<Self, Failure> {
        Self::with_buckets(target, None)
    }

    /// The same, with the buckets of a directory.
    pub(crate) fn with_buckets(target: &Target, buckets: Option<&Path>) -> Result<Self, Failure> {
        let mut place = match target {
            Target::Data(dir) => Self::directory(dir, buckets),
            Target::Endpoint(endpoint) => Self::endpoint(endpoint),
            Target::Profile(profile) => match &profile.data {
                Some(dir) => Self::directory(dir, buckets),
                None => Self::remote(profile),
            },
        }?;
        if let Some(profile) = target.read_only() {
            place.db = Arc::new(ReadOnly {
                profile: profile.to_owned(),
                db: place.db,
            });
        }
        Ok(place)
    }

    /// Opens a directory. Where `BOTHWAYS_RECORD` names a file, every write and sync is recorded in it, for the
    /// tests of power loss.
    fn directory(dir: &Path, buckets: Option<&Path>) -> Result<Self, Failure> {
        let mut options = bothways_store::Options {
            report: Some(Arc::new(fault)),
            ..bothways_store::Options::default()
        };
        if let Some(path) = std::env::var_os(RECORD) {
            let recorder = FileRecorder::create(path).map_err(|e| refusal::of_store(&e))?;
            options.recorder = Some(Arc::new(recorder));
        }
        let store = DiskStore::open(dir, options).map_err(|e| refusal::of_store(&e))?;
        let store = Arc::new(store);
        let mut place = Self::embedded(Arc::clone(&store) as Arc<dyn Store>, buckets)?;
        place.disk = Some(store);
        Ok(place)
    }

    /// Tells others who want the directory where this process can be talked to.
    pub(crate) fn announce(&self, url: &str) {
        if let Some(disk) = &self.disk {
            disk.announce(url);
        }
    }

    /// Tells in a line what is wrong with the database, for whoever asks the server over the network.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        let disk = Arc::downgrade(self.disk.as_ref()?);
        Some(Box::new(move || {
            disk.upgrade()?.read_only()?;
            Some("read-only: a write failed; the server's log says why".to_owned())
        }))
    }

    /// Talks to an endpoint: AWS's own as AWS's tools do, any other with the keys and the region of the environment.
    fn endpoint(endpoint: &Endpoint) -> Result<Self, Failure> {
        let mut profile = Profile::new("");
        profile.endpoint = Some(endpoint.to_string());
        if endpoint.is_aws() {
            profile.aws = Some(String::new());
        }
        Self::remote(&profile)
    }

    fn remote(profile: &Profile) -> Result<Self, Failure> {
        let config = remote(profile, Surroundings::of_process())?;
        let endpoint = config.endpoint.clone();
        let client = Client::new(config)
            .map_err(|e| Failure::unreachable(format!("cannot talk to {endpoint}: {e}")))?;
        Ok(Self {
            db: Arc::new(client),
            operator: None,
            store: None,
            disk: None,
        })
    }

    /// A database in memory, gone when dropped.
    pub(crate) fn memory(buckets: Option<&Path>) -> Result<Self, Failure> {
        Self::embedded(Arc::new(MemoryStore::new()), buckets)
    }

    fn embedded(store: Arc<dyn Store>, buckets: Option<&Path>) -> Result<Self, Failure> {
        let mut options = Options::default();
        if let Some(dir) = buckets {
            let directory = BucketDirectory::new(dir).map_err(|error| {
                Failure::usage(format!("no buckets in {}: {error}", dir.display()))
            })?;
            options.buckets = Some(Arc::new(directory));
        }
        if let Some(account) = std::env::var_os(ACCOUNT) {
            options.account = account_id(&account)?;
        }
        let engine = Engine::open(Arc::clone(&store), options).map_err(|e| match e {
            OpenError::Store(e) => refusal::of_store(&e),
            other => Failure::unreachable(other.to_string()),
        })?;
        let engine = Arc::new(engine);
        Ok(Self {
            operator: Some(Arc::clone(&engine) as Arc<dyn Operator>),
            db: engine,
            store: Some(store),
            disk: None,
        })
    }

    /// Closes the files, so that the next opening has nothing to replay.
    pub(crate) fn close(self) -> Result<(), Failure> {
        drop(self.db);
        drop(self.operator);
        match self.store {
            Some(store) => store
                .close()
                .map_err(|e| Failure::unreachable(e.to_string())),
            None => Ok(()),
        }
    }
}

/// How to talk to what is not in this process. The profile's own words come first, then the environment's, then
/// those of `~/.aws`, then what the address itself says.
fn remote(profile: &Profile, surroundings: Surroundings) -> Result<Config, Failure> {
    let bundle = surroundings.get("AWS_CA_BUNDLE").map(PathBuf::from);
    let environment = ["AWS_REGION", "AWS_DEFAULT_REGION"]
        .iter()
        .find_map(|name| surroundings.get(name))
        .map(str::to_owned);
    let url = profile.url()?;
    let mut config = if let Some(name) = &profile.aws {
        aws(profile, name, url, surroundings)?
    } else {
        let Some(url) = url else {
            return Err(Failure::usage(format!(
                "profile {} names no endpoint",
                profile.name
            )));
        };
        let mut config = Config::new(url);
        if let Some(keys) = surroundings.keys() {
            config.identity = keys.into();
        }
        if let Some(region) = profile.region.clone().or(environment) {
            config.region = region;
        }
        config
    };
    config.ca_bundle = bundle;
    Ok(config)
}

fn aws(
    profile: &Profile,
    name: &str,
    url: Option<Endpoint>,
    surroundings: Surroundings,
) -> Result<Config, Failure> {
    let chain = Chain::new(
        surroundings,
        Some(name.to_owned()).filter(|name| !name.is_empty()),
    );
    let wrong = |e: &dyn std::fmt::Display| Failure::usage(e.to_string());
    let of_address = url
        .as_ref()
        .and_then(Endpoint::aws_region)
        .map(str::to_owned);
    let region = match profile.region.clone().or(of_address) {
        Some(region) => Some(region),
        None => chain.region().map_err(|e| wrong(&e))?,
    };
    let region = region.ok_or_else(|| {
        Failure::usage("no AWS region is named")
            .hint("AWS_REGION=…, a region in ~/.aws/config, or bothways profile add NAME --aws --region REGION")
    })?;
    let endpoint = match url {
        Some(url) => url,
        None => match chain.endpoint_url().map_err(|e| wrong(&e))? {
            Some(url) => url.parse().map_err(|e| wrong(&e))?,
            None => Endpoint::aws("dynamodb", &region).map_err(|e| wrong(&e))?,
        },
    };
    let mut config = Config::new(endpoint);
    config.region = region;
    config.identity = Identity::Chain(Arc::new(chain));
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(profile: &Profile, variables: &[(&str, &str)], expected: (&str, &str)) {
        let variables = variables.iter().map(|&(n, v)| (n.to_owned(), v.to_owned()));
        let config = remote(profile, Surroundings::new(variables, None)).unwrap();
        let found = (config.endpoint.to_string(), config.region);
        assert_eq!(
            (found.0.as_str(), found.1.as_str()),
            expected,
            "{profile:?}"
        );
    }

    #[test]
    fn an_account_id_has_twelve_digits() {
        let given = |text: &str| super::account_id(text.as_ref()).ok();
        assert_eq!(given("123456789012").as_deref(), Some("123456789012"));
        for wrong in ["", "12345678901", "1234567890123", "12345678901x", "١٢٣٤٥٦"] {
            assert_eq!(given(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_profile_leads_to_an_address_and_a_region() {
        let text = |text: &str| Some(text.to_owned());
        let local = Profile {
            endpoint: text("http://h:1"),
            ..Profile::new("p")
        };
        let aws = Profile {
            aws: text(""),
            ..Profile::new("p")
        };
        let env = ("AWS_REGION", "eu-west-1");
        check(&local, &[], ("http://h:1", "us-east-1"));
        check(&local, &[env], ("http://h:1", "eu-west-1"));
        check(
            &Profile {
                region: text("x"),
                ..local
            },
            &[env],
            ("http://h:1", "x"),
        );
        check(
            &aws,
            &[env],
            ("https://dynamodb.eu-west-1.amazonaws.com", "eu-west-1"),
        );
        let override_url = ("AWS_ENDPOINT_URL_DYNAMODB", "http://over:2");
        check(&aws, &[env, override_url], ("http://over:2", "eu-west-1"));
        let named = Profile {
            region: text("cn-north-1"),
            ..aws.clone()
        };
        check(
            &named,
            &[env],
            ("https://dynamodb.cn-north-1.amazonaws.com.cn", "cn-north-1"),
        );
        let url = "https://dynamodb.ap-south-1.amazonaws.com";
        let fixed = Profile {
            endpoint: text(url),
            ..aws.clone()
        };
        check(&fixed, &[env], (url, "ap-south-1"));
        let refused = remote(&aws, Surroundings::default()).unwrap_err();
        assert!(refused.message.contains("no AWS region"));
    }
}
