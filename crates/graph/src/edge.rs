//! Edges: link, unlink, get, set.

use crate::changes::Changes;
use crate::ends::{self, Ends, Move};
use crate::env::operation_id;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::link::{self, EdgeItems};
use crate::model::Relation;
use crate::read;
use crate::receipt::{Done, Receipt};
use crate::requests::{self, Key};
use crate::send::Outcome;
use bothways_core::{Item, Value, ValueRef};
use bothways_protocol as protocol;
use bothways_protocol::types::{TransactWriteItemsInput, UpdateItemInput};
use bothways_protocol::{CancellationReason, Context, DynamoDbExt, ErrorKind, Operation};

/// An edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// Id of its source (of an undirected edge: the smaller one).
    pub source: String,
    /// Id of its target.
    pub target: String,
    /// Its attributes, without keys and the operation id.
    pub attributes: Item,
    /// The operation that made it.
    pub op_id: Option<String>,
}

/// What linking did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Linked {
    /// The edge is new.
    Created(Edge),
    /// It was there already and is as it was.
    Unchanged {
        /// The edge that is there.
        existing: Edge,
    },
}

/// What unlinking did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unlinked {
    /// The edge is gone.
    Removed,
    /// There was none.
    NotFound,
}

/// What setting attributes did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Set {
    /// Some changed: name, before, after.
    Updated(Vec<(String, Option<Value>, Option<Value>)>),
    /// All were so already.
    Unchanged,
    /// There is no such edge.
    NotFound,
}

impl Graph {
    /// Links two entities: the edge and both counters in one transaction. Linking again changes nothing.
    ///
    /// # Errors
    /// Ids and attributes that cannot be; [`Error::MissingEntity`], [`Error::Closed`]; and when the time is up
    /// [`Error::Unknown`] or [`Error::Contended`].
    pub async fn link(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
        attributes: &Changes,
    ) -> Result<Done<Linked>> {
        let relation = self.relation(relation)?;
        let model = &*self.model;
        self.may_change_edge(relation, attributes)?;
        let (source, target) = requests::ends(relation, source, target);
        let key = requests::edge_key(model, relation, source, target)?;
        requests::may_loop(relation, source, target)?;
        let op_id = operation_id(&*self.env);
        let items = EdgeItems::new(model, relation, &*self.env)?;
        let item = items.item(&key, source, target, attributes, &op_id);
        let mut actions = vec![link::put_edge(model, item.clone())];
        let mut ends = Ends::new(model);
        ends.add(relation, source, target, Move::Link)?;
        let acting = ends.act(&mut actions);
        let input = requests::transaction(actions, &op_id);
        let mut receipt = self.writing(&input);
        match self.transact(cx, &input, &op_id, &mut receipt).await? {
            Outcome::Committed => {
                let edge = self.read_back(relation, &item)?;
                Ok(Done::new(Linked::Created(edge), vec![receipt]))
            }
            Outcome::Refused(reasons) => {
                let refused = |r: &&CancellationReason| r.code == "ConditionalCheckFailed";
                if let Some(reason) = reasons.first().filter(refused) {
                    let existing = reason.item.clone();
                    return self
                        .was_there(cx, relation, &key, existing, &op_id, receipt)
                        .await;
                }
                let mut of_ends = reasons.iter().skip(1).zip(acting);
                if let Some((reason, end)) = of_ends.find(|(reason, _)| refused(reason)) {
                    return Err(ends::refusal(model, reason, end));
                }
                let message = "the transaction was refused and no action says why";
                Err(protocol::Error::new(ErrorKind::TransactionCanceled, message).into())
            }
        }
    }

    /// The edge's condition did not hold: it is there. If this very operation made it (an earlier answer was lost), it is
    /// new; otherwise it is unchanged.
    async fn was_there(
        &self,
        cx: &Context,
        relation: &Relation,
        key: &Key,
        existing: Option<Item>,
        op_id: &str,
        mut receipt: Receipt,
    ) -> Result<Done<Linked>> {
        let mut receipts = Vec::new();
        let existing = if let Some(item) = existing {
            item
        } else {
            // A backend that returns no item with the reason: read it.
            let (item, read) = self.get_item(cx, key, true).await?;
            receipts.push(read);
            item.unwrap_or_else(|| key.item(&self.model.keys))
        };
        let edge = self.read_back(relation, &existing)?;
        let linked = if edge.op_id.as_deref() == Some(op_id) {
            receipt.note = Some("made by an earlier attempt whose answer was lost".into());
            Linked::Created(edge)
        } else {
            receipt.note = Some(format!(
                "settled by attribute_not_exists({}) · counters unmoved",
                self.model.keys.pk
            ));
            Linked::Unchanged { existing: edge }
        };
        receipts.insert(0, receipt);
        Ok(Done::new(linked, receipts))
    }

    /// Removes an edge and takes it off both counters in one transaction.
    ///
    /// Sent again after a lost answer, the same token keeps it from being done twice; it is not sent again once the token's
    /// ten minutes are nearly over. On a backend that forgets tokens sooner, a removal that had been done may be reported
    /// as `NotFound`.
    ///
    /// # Errors
    /// Ids that cannot be; and when the time is up [`Error::Unknown`] or [`Error::Contended`].
    pub async fn unlink(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
    ) -> Result<Done<Unlinked>> {
        let relation = self.relation(relation)?;
        let model = &*self.model;
        let (source, target) = requests::ends(relation, source, target);
        let key = requests::edge_key(model, relation, source, target)?;
        let op_id = operation_id(&*self.env);
        let mut actions = vec![link::delete_edge(model, &key)];
        let mut ends = Ends::new(model);
        ends.add(relation, source, target, Move::Unlink)?;
        ends.act(&mut actions);
        let input = requests::transaction(actions, &op_id);
        let mut receipt = self.writing(&input);
        let unlinked = match self.transact(cx, &input, &op_id, &mut receipt).await? {
            Outcome::Committed => Unlinked::Removed,
            Outcome::Refused(_) => {
                receipt.note = Some(format!(
                    "settled by attribute_exists({}) · counters unmoved",
                    model.keys.pk
                ));
                Unlinked::NotFound
            }
        };
        Ok(Done::new(unlinked, vec![receipt]))
    }

    /// Reads one edge: one `GetItem`, strongly consistent.
    ///
    /// # Errors
    /// Ids that cannot be; what the database refuses.
    pub async fn edge(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
    ) -> Result<Done<Option<Edge>>> {
        let relation = self.relation(relation)?;
        let (source, target) = requests::ends(relation, source, target);
        let key = requests::edge_key(&self.model, relation, source, target)?;
        let (item, receipt) = self.get_item(cx, &key, true).await?;
        let edge = item
            .map(|item| self.read_back(relation, &item))
            .transpose()?;
        Ok(Done::new(edge, vec![receipt]))
    }

    /// Whether an edge exists: one `GetItem`, strongly consistent.
    ///
    /// # Errors
    /// As [`Graph::edge`].
    pub async fn exists(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
    ) -> Result<Done<bool>> {
        let edge = self.edge(cx, relation, source, target).await?;
        Ok(edge.map(|edge| edge.is_some()))
    }

    /// Changes attributes of an edge that exists: one `UpdateItem`. Sent again after a lost answer, the change that was
    /// made is found and reported as `Unchanged`; the receipt then says that it was sent again.
    ///
    /// # Errors
    /// Attributes that are keys, counters or fixed by the model; what the database refuses.
    pub async fn set(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
        changes: &Changes,
    ) -> Result<Done<Set>> {
        let relation = self.relation(relation)?;
        self.may_change_edge(relation, changes)?;
        let (source, target) = requests::ends(relation, source, target);
        let key = requests::edge_key(&self.model, relation, source, target)?;
        let input = UpdateItemInput {
            condition_expression: Some("attribute_exists(#pk)".into()),
            ..requests::update(&self.model, &key, changes.iter())
        };
        let (old, receipt) = self.update(cx, input).await?;
        let set = match old {
            None => Set::NotFound,
            Some(old) => changed(&old, changes),
        };
        Ok(Done::new(set, vec![receipt]))
    }

    fn may_change_edge(&self, relation: &Relation, changes: &Changes) -> Result<()> {
        for (name, value) in changes.iter() {
            link::may_set(&self.model, name, &[])?;
            link::keeps_fixed(&relation.attributes, name, value)?;
        }
        Ok(())
    }

    fn read_back(&self, relation: &Relation, item: &Item) -> Result<Edge> {
        read::edge(&self.model, relation, item).ok_or_else(|| Error::Foreign {
            key: requests::key_words(item, &self.model.keys),
            what: format!("it is no edge of {}", relation.name),
        })
    }

    fn writing(&self, input: &TransactWriteItemsInput) -> Receipt {
        let mut receipt = Receipt::new(Operation::TransactWriteItems, &self.model.table);
        receipt.count = input.transact_items.as_ref().map_or(0, Vec::len) as u64;
        receipt.scanned = receipt.count;
        receipt
    }

    /// One `UpdateItem`: the item before, `None` where its condition did not hold (or there was none).
    pub(crate) async fn update(
        &self,
        cx: &Context,
        input: UpdateItemInput,
    ) -> Result<(Option<Item>, Receipt)> {
        let mut receipt = Receipt::new(Operation::UpdateItem, &self.model.table);
        let key = input.key.as_ref();
        receipt.key = key.map(|k| requests::key_words(&k.value, &self.model.keys));
        let op_id = operation_id(&*self.env);
        let send = || self.db.update_item(cx, input.clone());
        let Ok(output) = self.decide(cx, &op_id, &mut receipt, send).await? else {
            return Ok((None, receipt));
        };
        receipt.consumed(output.consumed_capacity.as_ref());
        if receipt.retries > 0 {
            receipt.note = Some("sent again: an earlier attempt may have made the change".into());
        }
        Ok((output.attributes, receipt))
    }
}

/// Which changes made a difference.
fn changed(old: &Item, changes: &Changes) -> Set {
    let mut updated = Vec::new();
    for (name, new) in changes.iter() {
        let before = old.get(name).map(ValueRef::to_value);
        if before.as_ref() != new {
            updated.push((name.to_owned(), before, new.cloned()));
        }
    }
    if updated.is_empty() {
        Set::Unchanged
    } else {
        Set::Updated(updated)
    }
}
