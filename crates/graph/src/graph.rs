//! The graph over one model and one database: what every operation starts from.

use crate::cursor::Signer;
use crate::env::{Environment, SystemEnvironment};
use crate::error::{Error, Result};
use crate::model::{Entity, Model, Relation};
use crate::shard::{Heat, Maps};
use bothways_protocol::DynamoDb;
use std::sync::Arc;

/// A model over a database. Cheap to clone; every operation takes `&self`, so one graph serves any number of tasks.
#[derive(Clone)]
pub struct Graph {
    pub(crate) db: Arc<dyn DynamoDb>,
    pub(crate) model: Arc<Model>,
    pub(crate) env: Arc<dyn Environment>,
    pub(crate) signer: Signer,
    pub(crate) maps: Arc<Maps>,
    pub(crate) heat: Arc<Heat>,
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Graph")
            .field("model", &self.model.name)
            .finish_non_exhaustive()
    }
}

impl Graph {
    /// A graph with the system's clock and random numbers.
    ///
    /// # Errors
    /// [`Error::Model`] where the model's check finds a problem (warnings are no hindrance).
    pub fn new(db: Arc<dyn DynamoDb>, model: Model) -> Result<Self> {
        Self::with_environment(db, model, Arc::new(SystemEnvironment))
    }

    /// A graph with a clock, random numbers and waiting of the caller's.
    ///
    /// # Errors
    /// As [`Graph::new`].
    pub fn with_environment(
        db: Arc<dyn DynamoDb>,
        model: Model,
        env: Arc<dyn Environment>,
    ) -> Result<Self> {
        let problems = model.check(None).problems;
        if !problems.is_empty() {
            return Err(Error::Model {
                model: model.name,
                problems,
            });
        }
        Ok(Self::unchecked(db, model, env))
    }

    /// A graph of a model that may not pass its check: to look at its table, not to write to it.
    pub(crate) fn unchecked(
        db: Arc<dyn DynamoDb>,
        model: Model,
        env: Arc<dyn Environment>,
    ) -> Self {
        let signer = Signer::of(format!("{}\0{}", model.name, model.table).as_bytes());
        Self {
            db,
            signer,
            maps: Arc::default(),
            heat: Arc::default(),
            model: Arc::new(model),
            env,
        }
    }

    /// The same graph with a secret that its cursors are signed with. Without one the key comes from the names of model
    /// and table: cursors are then proof against damage and mix-ups, not against somebody who forges them on purpose.
    /// A forged one gives nothing that a list of the same node would not give.
    #[must_use]
    pub fn with_cursor_secret(mut self, secret: &[u8]) -> Self {
        self.signer = Signer::of(secret);
        self
    }

    /// Its clock, random numbers and waiting.
    #[must_use]
    pub fn environment(&self) -> Arc<dyn Environment> {
        Arc::clone(&self.env)
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The relation of this name.
    ///
    /// # Errors
    /// [`Error::NoRelation`].
    pub fn relation(&self, name: &str) -> Result<&Relation> {
        self.model.relation(name).ok_or_else(|| Error::NoRelation {
            model: self.model.name.clone(),
            name: name.to_owned(),
            known: self
                .model
                .relations
                .iter()
                .map(|r| r.name.clone())
                .collect(),
        })
    }

    /// The entity of this name.
    ///
    /// # Errors
    /// [`Error::NoEntity`].
    pub fn entity(&self, name: &str) -> Result<&Entity> {
        self.model.entity(name).ok_or_else(|| Error::NoEntity {
            model: self.model.name.clone(),
            name: name.to_owned(),
            known: self.model.entities.iter().map(|e| e.name.clone()).collect(),
        })
    }
}
