//! The marks of a list that has shards: two rows of the index under the plain key, one before every edge and one behind.
//!
//! They are copied into any index, since they are keys only, and a template never fills such a key: an id is not empty.

use crate::error::Result;
use crate::graph::Graph;
use crate::keys::escape;
use crate::list::HIGHEST;
use crate::model::{Direction, Relation};
use crate::read;
use crate::receipt::Receipt;
use crate::requests::{self, Key, Place};
use bothways_core::{Item, ItemBuilder};
use bothways_protocol::types::{PutItemInput, ReturnConsumedCapacity};
use bothways_protocol::{Context, DynamoDbExt, Operation};

/// What the partition keys of marks begin with.
const MARK: &str = "BOTHWAYS#SHARDS#";

/// The sort keys of the marks of a list: before every edge, behind every edge.
pub(crate) fn marks(place: &Place<'_>) -> [String; 2] {
    let prefix = place.keys.sk.prefix();
    // An empty text is no key. Positions are digits, which are behind it.
    let first = if prefix.is_empty() { "#" } else { prefix };
    [first.to_owned(), format!("{prefix}{HIGHEST}")]
}

/// Whether an item of a list is no edge but the mark that the list has shards.
pub(crate) fn is_mark(pk: &str, item: &Item) -> bool {
    read::text(item, pk).is_some_and(|pk| pk.starts_with(MARK))
}

/// The keys of a list's marks in the table.
pub(crate) fn mark_keys(relation: &Relation, id: &str) -> [Key; 2] {
    ["FIRST", "LAST"].map(|name| Key {
        pk: format!("{MARK}{}#{}", relation.name, escape(id)),
        sk: name.to_owned(),
    })
}

impl Graph {
    /// Marks a list as spread. Marks that are there stay as they are.
    pub(super) async fn mark(
        &self,
        cx: &Context,
        relation: &Relation,
        id: &str,
    ) -> Result<Receipt> {
        let model = &*self.model;
        let place = Place::of(model, relation, Direction::In, None);
        let partition = requests::list_partition(&place.keys.pk, id);
        let mut receipt = Receipt::new(Operation::PutItem, &model.table);
        receipt.note = Some("marks of a list with shards".into());
        for (base, sort) in mark_keys(relation, id).into_iter().zip(marks(&place)) {
            let mut item = ItemBuilder::default();
            let index = Key {
                pk: partition.clone(),
                sk: sort,
            };
            base.set_on(&model.keys, &mut item);
            index.set_on(place.names, &mut item);
            let item = item.build();
            let send = || {
                let input = PutItemInput {
                    table_name: Some(model.table.clone()),
                    item: Some(item.clone().into()),
                    return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
                    ..PutItemInput::default()
                };
                self.db.put_item(cx, input)
            };
            if let Ok(output) = self.decide(cx, "mark", &mut receipt, send).await? {
                receipt.consumed(output.consumed_capacity.as_ref());
            }
        }
        Ok(receipt)
    }
}
