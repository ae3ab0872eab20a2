//! Items put into a table that nobody else uses yet.

use crate::catalog::Table;
use crate::engine::Inner;
use crate::error::Fault;
use crate::write::{Action, Commit, Origin, Staged, Submitted, Write};
use bothways_core::Item;
use bytes::{BufMut, Bytes};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Inner {
    /// Makes the items of these row keys (without an id) what is given, with their index rows, in one commit with
    /// the rows that say how far this has come. Waits until it is durable.
    pub(crate) fn fill(
        &self,
        table: &Arc<Table>,
        items: &BTreeMap<Bytes, Option<Item>>,
        rows: &[(Vec<u8>, Vec<u8>)],
    ) -> Result<(), Fault> {
        loop {
            let mut commit = Commit::new(Origin::Caller, self.options.clock.now_millis());
            for (rest, after) in items {
                let mut key = Vec::with_capacity(4 + rest.len());
                key.put_u32(table.id());
                key.put_slice(rest);
                self.change_one(table, key.into(), after.clone(), &mut commit)?;
            }
            for (key, value) in rows {
                commit.put_row(key.clone(), value.clone());
            }
            match commit.submit(&*self.store, &self.ledger)? {
                Submitted::Done(ticket) => return Ok(ticket.wait()?),
                Submitted::Stale => {}
            }
        }
    }

    fn change_one(
        &self,
        table: &Arc<Table>,
        key: Bytes,
        after: Option<Item>,
        commit: &mut Commit,
    ) -> Result<(), Fault> {
        let before = self.store.latest(&key)?.value;
        let before = before.map(Item::from_bytes).transpose()?;
        let Some(given) = after.clone().or_else(|| before.clone()) else {
            return Ok(());
        };
        let write = Write {
            table: Arc::clone(table),
            key,
            given: &given,
            action: Action::Put,
            condition: None,
        };
        let staged = Staged {
            before,
            after,
            unbuilt: false,
        };
        commit.add(table, &write, &staged);
        Ok(())
    }
}
