//! Whose an import is: one process at a time writes a file's edges.
//!
//! The lease stands on the checkpoint's item. It is taken with the first edge that has to be written, so that a run that finds
//! everything there writes nothing, and renewed while edges are written. Exactness does not rest on it: two that write the
//! same edges make each once. It keeps them from doing the work twice and from moving each other's checkpoint.

use super::FileError;
use crate::env::operation_id;
use crate::error::Result;
use crate::graph::Graph;
use crate::read;
use crate::receipt::Receipt;
use crate::requests::Key;
use bothways_core::{Item, ItemBuilder, Number, Value, ValueRef};
use bothways_protocol::types::{ReturnConsumedCapacity, ReturnValue, UpdateItemInput};
use bothways_protocol::{Context, DynamoDbExt, Operation};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a lease holds that is not renewed: an importer that does not come back for so long is taken for dead.
const LEASE: Duration = Duration::from_secs(40);
const OWNER: &str = "owner";
const UNTIL: &str = "until";

/// Somebody else's lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Held {
    owner: String,
    /// Milliseconds since 1970.
    until: u64,
}

impl Held {
    /// The lease that a checkpoint's item bears.
    pub(super) fn of(item: &Item) -> Option<Self> {
        Some(Self {
            owner: read::text(item, OWNER)?.to_owned(),
            until: read::unsigned(item, UNTIL)?,
        })
    }
    /// How long it holds still.
    pub(super) fn left(&self, now: u64) -> Duration {
        Duration::from_millis(self.until.saturating_sub(now))
    }
}

/// An importer's own lease.
pub(super) struct Lease<'g> {
    graph: &'g Graph,
    key: Key,
    pub(super) file: String,
    owner: String,
    take_over: bool,
    state: Mutex<State>,
}

struct State {
    renew: Option<Instant>,
    receipt: Receipt,
}

impl<'g> Lease<'g> {
    pub(super) fn new(graph: &'g Graph, key: Key, file: &str, take_over: bool) -> Self {
        Self {
            key,
            file: file.to_owned(),
            owner: operation_id(&*graph.env),
            take_over,
            state: Mutex::new(State {
                renew: None,
                receipt: Receipt::new(Operation::UpdateItem, &graph.model.table),
            }),
            graph,
        }
    }

    fn until(&self) -> u64 {
        let lease = u64::try_from(LEASE.as_millis()).unwrap_or(u64::MAX);
        self.graph.env.epoch_millis().saturating_add(lease)
    }

    /// Whether it was taken.
    pub(super) fn is_held(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.renew.is_some()
    }

    /// What it took so far.
    pub(super) fn receipt(&self) -> Receipt {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.receipt.clone()
    }

    /// Sets the lease on the item of a checkpoint that is saved.
    pub(super) fn set_on(&self, item: &mut ItemBuilder) {
        item.set(OWNER, ValueRef::S(&self.owner));
        item.set(UNTIL, ValueRef::N(Number::from(self.until())));
    }

    /// Takes the lease, or renews it when it is time: before something is written.
    pub(super) async fn hold(&self, cx: &Context) -> Result<()> {
        let now = self.graph.env.monotonic();
        let first = {
            let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            match state.renew {
                Some(renew) if now < renew => return Ok(()),
                renew => renew.is_none(),
            }
        };
        let until = self.until();
        let mut values = BTreeMap::from([
            (":me".to_owned(), Value::S(self.owner.clone())),
            (":until".to_owned(), Value::N(Number::from(until))),
        ]);
        let condition = if first && self.take_over {
            None
        } else {
            let now = Number::from(self.graph.env.epoch_millis());
            values.insert(":now".to_owned(), Value::N(now));
            Some("attribute_not_exists(#owner) OR #owner = :me OR #until < :now".to_owned())
        };
        let input = UpdateItemInput {
            update_expression: Some("SET #owner = :me, #until = :until".into()),
            condition_expression: condition,
            expression_attribute_values: Some(values.into()),
            ..self.update()
        };
        if self.send(cx, input).await? {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.renew = Some(now + LEASE / 2);
            return Ok(());
        }
        Err(taken(&self.file))
    }

    /// Lets the next one begin at once.
    pub(super) async fn leave(&self, cx: &Context) -> Result<()> {
        if !self.is_held() {
            return Ok(());
        }
        let values = BTreeMap::from([(":me".to_owned(), Value::S(self.owner.clone()))]);
        let input = UpdateItemInput {
            update_expression: Some("REMOVE #owner, #until".into()),
            condition_expression: Some("#owner = :me".into()),
            expression_attribute_values: Some(values.into()),
            ..self.update()
        };
        self.send(cx, input).await.map(|_| ())
    }

    /// The condition that nobody else holds the import, with what it needs.
    pub(super) fn guard(&self) -> (String, BTreeMap<String, String>, BTreeMap<String, Value>) {
        let now = Number::from(self.graph.env.epoch_millis());
        let values = BTreeMap::from([
            (":me".to_owned(), Value::S(self.owner.clone())),
            (":now".to_owned(), Value::N(now)),
        ]);
        let condition = "attribute_not_exists(#owner) OR #owner = :me OR #until < :now";
        (condition.to_owned(), names(), values)
    }

    fn update(&self) -> UpdateItemInput {
        let model = &self.graph.model;
        UpdateItemInput {
            table_name: Some(model.table.clone()),
            key: Some(self.key.item(&model.keys).into()),
            expression_attribute_names: Some(names()),
            return_values: Some(ReturnValue::UpdatedNew),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            ..UpdateItemInput::default()
        }
    }

    async fn send(&self, cx: &Context, input: UpdateItemInput) -> Result<bool> {
        let mut receipt = Receipt::new(Operation::UpdateItem, &self.graph.model.table);
        receipt.note = Some("lease".into());
        let send = || self.graph.db.update_item(cx, input.clone());
        let answer = self.graph.decide(cx, "lease", &mut receipt, send).await?;
        if let Ok(output) = &answer {
            receipt.consumed(output.consumed_capacity.as_ref());
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.receipt.absorb(&receipt);
        Ok(answer.is_ok())
    }
}

fn names() -> BTreeMap<String, String> {
    BTreeMap::from([
        ("#owner".to_owned(), OWNER.to_owned()),
        ("#until".to_owned(), UNTIL.to_owned()),
    ])
}

/// The error of an importer that has no lease.
pub(super) fn taken(file: &str) -> crate::error::Error {
    FileError::Taken {
        file: file.to_owned(),
    }
    .into()
}
