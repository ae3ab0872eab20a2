//! How far an import is, in the database itself.
//!
//! There, and not beside the file: a checkpoint that lives with the edges cannot be ahead of them, whatever becomes of
//! the database (restored, copied, made anew). It is only ever saved behind windows whose edges are all answered, and
//! exactness never rests on it: rows read again are found to be there.

use super::lease::{Held, Lease, taken};
use super::{FileError, ImportObserver};
use crate::error::Result;
use crate::graph::Graph;
use crate::keys::escape;
use crate::read;
use crate::receipt::Receipt;
use crate::requests::Key;
use bothways_core::{Item, ItemBuilder, Number, Value};
use bothways_protocol::types::{DeleteItemInput, PutItemInput, ReturnConsumedCapacity};
use bothways_protocol::{Context, DynamoDbExt, Operation};
use std::time::Duration;

/// Waited beyond a lease's end: clocks differ a little.
const SKEW: Duration = Duration::from_secs(1);

/// Rows that are done: their number, their bytes from the start of the file, the hash of those bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Finished {
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) hash: u64,
}

/// The checkpoint of one relation and one file.
pub(super) struct Checkpoint<'g> {
    graph: &'g Graph,
    pub(super) key: Key,
    /// Whether one stands in the database.
    pub(super) there: bool,
    /// Writes that it took.
    pub(super) writes: u64,
    pub(super) receipts: Vec<Receipt>,
}

impl<'g> Checkpoint<'g> {
    /// Reads the checkpoint that an earlier import left. One that somebody else holds is waited for until that one's lease
    /// has run out: he is dead then, or it was renewed.
    pub(super) async fn load(
        graph: &'g Graph,
        cx: &Context,
        relation: &str,
        file: &str,
        take_over: bool,
        observer: &mut dyn ImportObserver,
    ) -> Result<(Self, Option<Finished>)> {
        let key = Key {
            pk: format!("BOTHWAYS#IMPORT#{}#{}", escape(relation), escape(file)),
            sk: "CHECKPOINT".into(),
        };
        let (mut item, mut receipt) = graph.get_item(cx, &key, true).await?;
        let held = |item: &Option<Item>| {
            let held = item.as_ref().and_then(Held::of)?;
            let left = held.left(graph.env.epoch_millis());
            (!take_over && !left.is_zero()).then_some(left)
        };
        if let Some(left) = held(&item) {
            observer.waiting(left + SKEW);
            graph.env.sleep(left + SKEW).await;
            let (again, read) = graph.get_item(cx, &key, true).await?;
            receipt.absorb(&read);
            item = again;
            if held(&item).is_some() {
                return Err(taken(file));
            }
        }
        let number = |name: &str| {
            let text = item.as_ref().and_then(|item| read::text(item, name))?;
            text.parse::<u64>().ok()
        };
        let finished = match (number("rows"), number("bytes"), number("hash")) {
            (Some(rows), Some(bytes), Some(hash)) => Some(Finished { rows, bytes, hash }),
            _ => None,
        };
        let checkpoint = Self {
            graph,
            key,
            there: item.is_some(),
            writes: 0,
            receipts: vec![receipt],
        };
        Ok((checkpoint, finished))
    }

    /// Saves how far the import is.
    pub(super) async fn save(
        &mut self,
        cx: &Context,
        lease: &Lease<'_>,
        finished: Finished,
    ) -> Result<()> {
        let model = &self.graph.model;
        let mut item = ItemBuilder::default();
        self.key.set_on(&model.keys, &mut item);
        // As text: a hash of 64 bits is no number to reckon with.
        for (name, value) in [
            ("rows", finished.rows),
            ("bytes", finished.bytes),
            ("hash", finished.hash),
        ] {
            item.set(name, Value::S(value.to_string()).as_ref());
        }
        let now = Number::from(self.graph.env.epoch_millis() / 1000);
        item.set("savedAt", Value::N(now).as_ref());
        lease.set_on(&mut item);
        let (condition, names, values) = lease.guard();
        let input = PutItemInput {
            table_name: Some(model.table.clone()),
            item: Some(item.build().into()),
            condition_expression: Some(condition),
            expression_attribute_names: Some(names),
            expression_attribute_values: Some(values.into()),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            ..PutItemInput::default()
        };
        let mut receipt = Receipt::new(Operation::PutItem, &model.table);
        let send = || self.graph.db.put_item(cx, input.clone());
        let saved = self
            .graph
            .decide(cx, "checkpoint", &mut receipt, send)
            .await?;
        if let Ok(output) = &saved {
            receipt.consumed(output.consumed_capacity.as_ref());
        }
        self.there = true;
        self.wrote(receipt);
        saved.map(|_| ()).map_err(|_| taken(&lease.file))
    }

    /// Removes the checkpoint, unless somebody else has it by now.
    pub(super) async fn clear(&mut self, cx: &Context, lease: &Lease<'_>) -> Result<()> {
        if !self.there && !lease.is_held() {
            return Ok(());
        }
        let model = &self.graph.model;
        let (condition, names, values) = lease.guard();
        let input = DeleteItemInput {
            table_name: Some(model.table.clone()),
            key: Some(self.key.item(&model.keys).into()),
            condition_expression: Some(condition),
            expression_attribute_names: Some(names),
            expression_attribute_values: Some(values.into()),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            ..DeleteItemInput::default()
        };
        let mut receipt = Receipt::new(Operation::DeleteItem, &model.table);
        let send = || self.graph.db.delete_item(cx, input.clone());
        if let Ok(output) = self
            .graph
            .decide(cx, "checkpoint", &mut receipt, send)
            .await?
        {
            receipt.consumed(output.consumed_capacity.as_ref());
        }
        self.there = false;
        self.wrote(receipt);
        Ok(())
    }

    fn wrote(&mut self, mut receipt: Receipt) {
        receipt.note = Some("checkpoint".into());
        self.writes += receipt.requests;
        match self
            .receipts
            .iter_mut()
            .find(|r| r.operation == receipt.operation)
        {
            Some(same) => same.absorb(&receipt),
            None => self.receipts.push(receipt),
        }
    }

    /// Whether a file's first rows are those that were finished.
    pub(super) async fn confirm(
        &mut self,
        cx: &Context,
        lease: &Lease<'_>,
        finished: Finished,
        now: (u64, u64),
    ) -> Result<()> {
        if (finished.bytes, finished.hash) == now {
            return Ok(());
        }
        // The next run starts at the first row.
        self.clear(cx, lease).await?;
        Err(FileError::Changed {
            file: lease.file.clone(),
            rows: finished.rows,
        }
        .into())
    }
}
