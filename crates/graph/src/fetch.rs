//! Many items by their keys: `BatchGetItem`, sent until every key is answered.

use crate::error::Result;
use crate::graph::Graph;
use crate::read;
use crate::receipt::{Consistency, Receipt};
use crate::requests::Key;
use crate::send::{Attempts, Verdict};
use bothways_core::Item;
use bothways_protocol as protocol;
use bothways_protocol::types::{BatchGetItemInput, KeysAndAttributes, ReturnConsumedCapacity};
use bothways_protocol::{Context, DynamoDbExt, ErrorKind, Operation};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Keys of one request (API Reference, `BatchGetItem`).
pub(crate) const BATCH_KEYS: usize = 100;

/// How to read many items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fetch {
    /// Strongly consistent, at twice the price.
    pub(crate) strong: bool,
    /// Their keys and nothing else: whether they are there. It costs the same and moves less.
    pub(crate) keys_only: bool,
}

impl Graph {
    /// The items of these keys, as far as they are there. Keys may repeat.
    pub(crate) async fn fetch(
        &self,
        cx: &Context,
        keys: &[Key],
        how: Fetch,
        receipt: &mut Receipt,
    ) -> Result<HashMap<Key, Item>> {
        receipt.consistency = Some(if how.strong {
            Consistency::Strong
        } else {
            Consistency::Eventual
        });
        let mut seen = HashSet::new();
        let keys: Vec<&Key> = keys.iter().filter(|key| seen.insert(*key)).collect();
        let mut found = HashMap::with_capacity(keys.len());
        for keys in keys.chunks(BATCH_KEYS) {
            let asked = self.asking(keys, how);
            self.drain(cx, asked, &mut found, receipt).await?;
        }
        receipt.count += found.len() as u64;
        receipt.scanned += keys.len() as u64;
        Ok(found)
    }

    /// An empty receipt of such a read.
    pub(crate) fn fetching(&self) -> Receipt {
        Receipt::new(Operation::BatchGetItem, &self.model.table)
    }

    fn asking(&self, keys: &[&Key], how: Fetch) -> KeysAndAttributes {
        let names = &self.model.keys;
        let mut asked = KeysAndAttributes {
            keys: Some(keys.iter().map(|key| key.item(names).into()).collect()),
            consistent_read: Some(how.strong),
            ..KeysAndAttributes::default()
        };
        if how.keys_only {
            let names = [("#pk", &names.pk), ("#sk", &names.sk)];
            let names = names.map(|(name, attribute)| (name.to_owned(), attribute.clone()));
            asked.projection_expression = Some("#pk, #sk".into());
            asked.expression_attribute_names = Some(names.into());
        }
        asked
    }

    /// One request, and again for what it left.
    async fn drain(
        &self,
        cx: &Context,
        mut asked: KeysAndAttributes,
        found: &mut HashMap<Key, Item>,
        receipt: &mut Receipt,
    ) -> Result<()> {
        let model = &*self.model;
        let mut attempts = Attempts::new(&*self.env, cx);
        loop {
            let input = BatchGetItemInput {
                request_items: Some(BTreeMap::from([(model.table.clone(), asked.clone())])),
                return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            };
            let send = || self.db.batch_get_item(cx, input.clone());
            let output = self.reading(cx, receipt, send).await?;
            for capacity in output.consumed_capacity.iter().flatten() {
                receipt.consumed(Some(capacity));
            }
            for item in output
                .responses
                .into_iter()
                .flat_map(std::collections::BTreeMap::into_values)
                .flatten()
            {
                let text = |name| read::text(&item, name).map(str::to_owned);
                if let (Some(pk), Some(sk)) = (text(&model.keys.pk), text(&model.keys.sk)) {
                    found.insert(Key { pk, sk }, item);
                }
            }
            let left = output
                .unprocessed_keys
                .and_then(|mut left| left.remove(&model.table))
                .filter(|left| left.keys.as_ref().is_some_and(|k| !k.is_empty()));
            let Some(left) = left else { return Ok(()) };
            asked = left;
            let message = "BatchGetItem left keys unprocessed";
            let error = protocol::Error::new(ErrorKind::Throttling, message);
            attempts
                .read_again(Verdict::Throttled, error, receipt)
                .await?;
        }
    }
}
