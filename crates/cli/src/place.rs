//! Opens what a target names. Everything after this sees only the seam.

use crate::failure::Failure;
use crate::refusal;
use crate::target::Target;
use bothways_client::{Client, Config, Credentials, Endpoint};
use bothways_engine::{Engine, Options};
use bothways_protocol::DynamoDb;
use bothways_store::{DiskStore, FileRecorder, MemoryStore, Store};
use std::path::Path;
use std::sync::Arc;

/// Names a file that the writes and syncs of a directory are recorded in.
const RECORD: &str = "BOTHWAYS_RECORD";

/// An open database.
pub(crate) struct Place {
    /// The seam.
    pub(crate) db: Arc<dyn DynamoDb>,
    /// The files behind it, where they are open in this process.
    store: Option<Arc<dyn Store>>,
}

impl Place {
    /// Opens a directory or talks to an endpoint.
    pub(crate) fn open(target: &Target) -> Result<Self, Failure> {
        match target {
            Target::Data(dir) => Self::directory(dir),
            Target::Endpoint(endpoint) => Self::endpoint(endpoint),
        }
    }

    /// Opens a directory. Where `BOTHWAYS_RECORD` names a file, every write and sync is recorded in it, for the
    /// tests of power loss.
    pub(crate) fn directory(dir: &Path) -> Result<Self, Failure> {
        let mut options = bothways_store::Options::default();
        if let Some(path) = std::env::var_os(RECORD) {
            let recorder = FileRecorder::create(path).map_err(|e| refusal::of_store(&e))?;
            options.recorder = Some(Arc::new(recorder));
        }
        let store = DiskStore::open(dir, options).map_err(|e| refusal::of_store(&e))?;
        Self::embedded(Arc::new(store))
    }

    /// Talks to an endpoint, with the keys and the region that AWS's tools would take from the environment.
    fn endpoint(endpoint: &Endpoint) -> Result<Self, Failure> {
        let variable = |name| std::env::var(name).ok().filter(|text| !text.is_empty());
        let mut config = Config::new(endpoint.clone());
        let keys = (
            variable("AWS_ACCESS_KEY_ID"),
            variable("AWS_SECRET_ACCESS_KEY"),
        );
        if let (Some(access), Some(secret)) = keys {
            let mut keys = Credentials::new(access, secret);
            keys.session_token = variable("AWS_SESSION_TOKEN");
            config.identity = keys.into();
        }
        if let Some(region) = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION")) {
            config.region = region;
        }
        let client = Client::new(config)
            .map_err(|e| Failure::unreachable(format!("cannot talk to {endpoint}: {e}")))?;
        Ok(Self {
            db: Arc::new(client),
            store: None,
        })
    }

    /// A database in memory, gone when dropped.
    pub(crate) fn memory() -> Result<Self, Failure> {
        Self::embedded(Arc::new(MemoryStore::new()))
    }

    fn embedded(store: Arc<dyn Store>) -> Result<Self, Failure> {
        let engine = Engine::open(Arc::clone(&store), Options::default())
            .map_err(|e| Failure::unreachable(e.to_string()))?;
        Ok(Self {
            db: Arc::new(engine),
            store: Some(store),
        })
    }

    /// Closes the files, so that the next opening has nothing to replay.
    pub(crate) fn close(self) -> Result<(), Failure> {
        drop(self.db);
        match self.store {
            Some(store) => store
                .close()
                .map_err(|e| Failure::unreachable(e.to_string())),
            None => Ok(()),
        }
    }
}
