//! A copy of the tables that lags behind: what indexes and weaker reads see.

use crate::clock::Clock;
use bothways_core::Item;
use bothways_engine::{Engine, Options};
use bothways_protocol::types::{
    BillingMode, CreateTableInput, DeleteItemInput, DeleteTableInput, DescribeTableInput,
    GetItemInput, GlobalSecondaryIndex, GlobalSecondaryIndexDescription, LocalSecondaryIndex,
    LocalSecondaryIndexDescription, PutItemInput, ScanInput, TableDescription,
};
use bothways_protocol::{Context, DynamoDb, DynamoDbExt, Error, ErrorKind, Request, Response};
use bothways_store::MemoryStore;
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

/// A copy in memory. A change reaches it when its time has come: then the item is copied as it is by then, so a key
/// never goes back, and once all changes have come the copy equals the original.
pub(crate) struct Replica {
    db: Engine,
    state: Mutex<State>,
}

/// An item changed.
#[derive(Clone)]
struct Change {
    table: String,
    /// Its key, or the whole item.
    key: Item,
    /// Whether the write was answered with success. One that was not may still be on its way into the database.
    answered: bool,
}

#[derive(Default)]
struct State {
    /// Tables copied, with the names of their keys.
    tables: HashMap<String, Vec<String>>,
    /// Items changed and not yet copied, by the time at which they will be.
    queue: BTreeMap<(Duration, u64), Change>,
    stamp: u64,
    /// By table and key, the stamp of the copying that is in place: a slower, older one comes to nothing.
    copied: HashMap<(String, Vec<u8>), u64>,
}

impl Replica {
    pub(crate) fn new(clock: &Clock) -> Result<Self, Error> {
        let options = Options {
            clock: Arc::new(clock.clone()),
            background: false,
            ..Options::default()
        };
        let db = Engine::open(Arc::new(MemoryStore::new()), options)
            .map_err(|error| Error::new(ErrorKind::InternalServerError, error.to_string()))?;
        Ok(Self {
            db,
            state: Mutex::default(),
        })
    }

    /// Answers a read from the copy.
    pub(crate) async fn read(&self, cx: &Context, request: Request) -> Result<Response, Error> {
        self.db.call(cx, request).await
    }

    /// Whether some change of a table has not come yet.
    pub(crate) fn lags(&self, table: &str) -> bool {
        self.state
            .lock()
            .queue
            .values()
            .any(|change| change.table == table)
    }

    /// When the last change will have come.
    pub(crate) fn caught_up_at(&self) -> Option<Duration> {
        self.state
            .lock()
            .queue
            .keys()
            .next_back()
            .map(|(due, _)| *due)
    }

    /// An item changes; the copy gets it at `due`. `key` may be the whole item.
    pub(crate) fn note(&self, table: &str, key: &Item, answered: bool, due: Duration) {
        let change = Change {
            table: table.to_owned(),
            key: key.clone(),
            answered,
        };
        self.queue(change, due);
    }

    fn queue(&self, change: Change, due: Duration) {
        let mut state = self.state.lock();
        state.stamp += 1;
        let at = (due, state.stamp);
        state.queue.insert(at, change);
    }

    /// Copies what is due. A table's first reading copies all of it.
    pub(crate) async fn deliver(
        &self,
        cx: &Context,
        from: &dyn DynamoDb,
        now: Duration,
    ) -> Result<(), Error> {
        while let Some(change) = self.due(now) {
            let copied = self.copy(cx, from, &change).await;
            if copied.is_err() {
                // The change is still to come.
                self.queue(change, now);
                return copied;
            }
        }
        Ok(())
    }

    /// Takes the next change that is due off the queue. Those of a table that is being copied as a whole stay: it may
    /// have been copied from before them.
    fn due(&self, now: Duration) -> Option<Change> {
        let mut state = self.state.lock();
        let state = &mut *state;
        let due = state.queue.range(..=(now, u64::MAX));
        let mut copied = due.filter(|(_, change)| state.tables.contains_key(&change.table));
        let at = *copied.next()?.0;
        let change = state.queue.remove(&at)?;
        let names = state.tables.get(&change.table)?;
        Some(Change {
            key: only(&change.key, names),
            ..change
        })
    }

    /// Copies one item as it is now.
    async fn copy(&self, cx: &Context, from: &dyn DynamoDb, change: &Change) -> Result<(), Error> {
        let (table, key) = (change.table.as_str(), change.key.clone());
        if !change.answered {
            settle(cx, from, table, &key).await?;
        }
        let stamp = self.stamp();
        let input = GetItemInput {
            table_name: Some(table.to_owned()),
            key: Some(key.clone().into()),
            consistent_read: Some(true),
            ..GetItemInput::default()
        };
        let item = from.get_item(cx, input).await?.item;
        self.place(table, key, item, stamp);
        Ok(())
    }

    fn stamp(&self) -> u64 {
        let mut state = self.state.lock();
        state.stamp += 1;
        state.stamp
    }

    fn place(&self, table: &str, key: Item, item: Option<Item>, stamp: u64) {
        let mut state = self.state.lock();
        let id = (table.to_owned(), key.bytes().to_vec());
        let last = state.copied.entry(id).or_default();
        if *last > stamp {
            return;
        }
        *last = stamp;
        let request = match item {
            Some(item) => Request::PutItem(Box::new(PutItemInput {
                table_name: Some(table.to_owned()),
                item: Some(item.into()),
                ..PutItemInput::default()
            })),
            None => Request::DeleteItem(Box::new(DeleteItemInput {
                table_name: Some(table.to_owned()),
                key: Some(key.into()),
                ..DeleteItemInput::default()
            })),
        };
        // Submitted at the first poll, and a store in memory has done it then: so placing is one step.
        let cx = Context::default();
        let mut write = self.db.call(&cx, request);
        let _ = write
            .as_mut()
            .poll(&mut std::task::Context::from_waker(Waker::noop()));
    }

    /// Copies a table unless it is copied.
    pub(crate) async fn ensure(
        &self,
        cx: &Context,
        from: &dyn DynamoDb,
        table: &str,
    ) -> Result<(), Error> {
        if self.state.lock().tables.contains_key(table) {
            return Ok(());
        }
        let described = describe(cx, from, table).await?;
        let names = key_names(&described);
        // Another reader may be making it too.
        let _ = self.db.create_table(cx, like(described)).await;
        let mut start = None;
        loop {
            let stamp = self.stamp();
            let input = ScanInput {
                table_name: Some(table.to_owned()),
                consistent_read: Some(true),
                exclusive_start_key: start.map(Item::into),
                ..ScanInput::default()
            };
            let page = from.scan(cx, input).await?;
            for item in page.items.into_iter().flatten() {
                self.place(table, only(&item, &names), Some(item), stamp);
            }
            start = page.last_evaluated_key;
            if start.is_none() {
                break;
            }
        }
        self.state.lock().tables.insert(table.to_owned(), names);
        Ok(())
    }

    fn let_go(&self, table: &str) {
        let mut state = self.state.lock();
        state.tables.remove(table);
        state.queue.retain(|_, change| change.table != table);
        state.copied.retain(|(t, _), _| t != table);
    }

    /// Lets go of a table whose definition changes.
    pub(crate) async fn forget(&self, cx: &Context, table: &str) {
        self.let_go(table);
        let input = DeleteTableInput {
            table_name: Some(table.to_owned()),
        };
        let _ = self.db.delete_table(cx, input).await;
    }
}

/// Waits until an item's writes that were sent are done or gone: a condition that never holds is decided behind them.
async fn settle(cx: &Context, from: &dyn DynamoDb, table: &str, key: &Item) -> Result<(), Error> {
    let name = key.iter().next().map(|(name, _)| name.to_owned());
    let input = DeleteItemInput {
        table_name: Some(table.to_owned()),
        key: Some(key.clone().into()),
        condition_expression: Some("attribute_exists(#k) AND attribute_not_exists(#k)".to_owned()),
        expression_attribute_names: name.map(|name| [("#k".to_owned(), name)].into()),
        ..DeleteItemInput::default()
    };
    match from.delete_item(cx, input).await {
        Err(error) if error.kind == ErrorKind::ConditionalCheckFailed => Ok(()),
        Err(error) => Err(error),
        Ok(_) => Ok(()),
    }
}

fn only(item: &Item, names: &[String]) -> Item {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    item.only(&names)
}

fn key_names(table: &TableDescription) -> Vec<String> {
    let schema = table.key_schema.iter().flatten();
    schema.filter_map(|e| e.attribute_name.clone()).collect()
}

pub(crate) async fn describe(
    cx: &Context,
    from: &dyn DynamoDb,
    table: &str,
) -> Result<TableDescription, Error> {
    let input = DescribeTableInput {
        table_name: Some(table.to_owned()),
    };
    Ok(from
        .describe_table(cx, input)
        .await?
        .table
        .unwrap_or_default())
}

fn like(table: TableDescription) -> CreateTableInput {
    let globals = table.global_secondary_indexes.map(|indexes| {
        let one = |i: GlobalSecondaryIndexDescription| GlobalSecondaryIndex {
            index_name: i.index_name,
            key_schema: i.key_schema,
            projection: i.projection,
            ..GlobalSecondaryIndex::default()
        };
        indexes.into_iter().map(one).collect()
    });
    let locals = table.local_secondary_indexes.map(|indexes| {
        let one = |i: LocalSecondaryIndexDescription| LocalSecondaryIndex {
            index_name: i.index_name,
            key_schema: i.key_schema,
            projection: i.projection,
        };
        indexes.into_iter().map(one).collect()
    });
    CreateTableInput {
        table_name: table.table_name,
        attribute_definitions: table.attribute_definitions,
        key_schema: table.key_schema,
        global_secondary_indexes: globals,
        local_secondary_indexes: locals,
        billing_mode: Some(BillingMode::PayPerRequest),
        ..CreateTableInput::default()
    }
}
