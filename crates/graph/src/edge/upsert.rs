//! Upsert: an edge that shall be there with these attributes, whether it was or not.

use super::create::{Made, note};
use super::update::Edited;
use super::{Edge, EdgeOptions, Op, Subject, Upserted, unknown};
use crate::changes::Changes;
use crate::error::Result;
use crate::graph::Graph;
use crate::guard::Guard;
use crate::keys::{Filling, Slot};
use crate::link::EdgeItems;
use crate::receipt::{Done, Receipt};
use crate::requests::{EDIT_ID, OPERATION_ID, POSITION, VERSION, index_keys};
use crate::send::Attempts;
use bothways_core::{Item, Number, Value, ValueRef};
use bothways_protocol::Context;

/// What is to be done about an edge that is there.
enum Plan {
    Settled(Box<Upserted>),
    Change(Changes),
}

impl Graph {
    /// Makes an edge, or changes one that is there.
    ///
    /// Without a position, the attributes given are set (or removed) and others stay. With a position, the edge is replaced
    /// as a whole unless what is there is from a later position: then it does not matter in which order such writes
    /// arrive, or how often. At equal positions the greater operation id wins. The edge keeps the shard that it is in.
    ///
    /// It costs the transaction of a link, and where the edge is there one `UpdateItem` more.
    ///
    /// # Errors
    /// As [`Graph::link`] and [`Graph::update`].
    pub async fn upsert(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
        attributes: &Changes,
        options: &EdgeOptions,
    ) -> Result<Done<Upserted>> {
        let subject = self.subject(relation, source, target)?;
        self.may_change_edge(subject.relation, attributes)?;
        let mut upserting = Upserting {
            graph: self,
            cx,
            subject,
            attributes,
            if_version: options.if_version,
            op: Op::new(self, options)?,
            attempts: Attempts::new(&*self.env, cx),
            receipts: Vec::new(),
        };
        let upserted = upserting.run().await?;
        Ok(Done::new(upserted, upserting.receipts))
    }
}

/// An upsert under way.
struct Upserting<'g> {
    graph: &'g Graph,
    cx: &'g Context,
    subject: Subject<'g>,
    attributes: &'g Changes,
    if_version: Option<u64>,
    op: Op,
    attempts: Attempts<'g>,
    receipts: Vec<Receipt>,
}

impl Upserting<'_> {
    async fn run(&mut self) -> Result<Upserted> {
        loop {
            let item = if self.if_version.is_some() {
                let key = &self.subject.key;
                let (item, receipt) = self.graph.get_item(self.cx, key, true).await?;
                self.receipts.push(receipt);
                match item {
                    Some(item) => item,
                    None => return Ok(Upserted::NotFound),
                }
            } else {
                let made = self
                    .graph
                    .make(
                        self.cx,
                        &self.subject,
                        self.attributes,
                        &mut self.op,
                        &mut self.attempts,
                        &mut self.receipts,
                    )
                    .await?;
                match made {
                    Made::Created(edge) => return Ok(Upserted::Created(edge)),
                    Made::Outdated { removed_at } => return Ok(Upserted::Outdated { removed_at }),
                    Made::There(item) => {
                        note(&mut self.receipts, || {
                            "it is there · counters unmoved".into()
                        });
                        item
                    }
                }
            };
            if let Some(upserted) = self.change(item).await? {
                return Ok(upserted);
            }
            self.op.again(self.graph)?;
        }
    }

    /// Changes the edge that is there; `None` where it is gone.
    async fn change(&mut self, mut item: Item) -> Result<Option<Upserted>> {
        loop {
            let existing = self.graph.read_back(self.subject.relation, &item)?;
            let changes = match self.plan(&item, &existing)? {
                Plan::Settled(upserted) => return Ok(Some(*upserted)),
                Plan::Change(changes) => changes,
            };
            let guard = Guard::exists(&self.graph.model)
                .made_by(existing.op_id.as_deref())
                .version(existing.version.unwrap_or(1))
                .change(&changes)
                .edit(&self.op.id);
            let edited = self
                .graph
                .edit(
                    self.cx,
                    &self.subject,
                    guard,
                    &self.op.id,
                    &mut self.attempts,
                    &mut self.receipts,
                )
                .await?;
            match edited {
                Edited::Refused(None) => return Ok(None),
                Edited::Refused(Some(now)) => item = now,
                Edited::Done(before) => {
                    let edge = self.after(&before, &changes)?;
                    let before = Some(self.graph.read_back(self.subject.relation, &before)?);
                    return Ok(Some(Upserted::Updated { edge, before }));
                }
            }
            self.op.again(self.graph)?;
        }
    }

    fn plan(&self, item: &Item, existing: &Edge) -> Result<Plan> {
        let existing = existing.clone();
        let settled = |upserted| Ok(Plan::Settled(Box::new(upserted)));
        if existing.edited_by.as_deref() == Some(&self.op.id) {
            let (edge, before) = (existing, None);
            return settled(Upserted::Updated { edge, before });
        }
        if existing.op_id.as_deref() == Some(&self.op.id) {
            return settled(Upserted::Created(existing));
        }
        let version = existing.version.unwrap_or(1);
        if self.if_version.is_some_and(|asked| asked != version) {
            if self.attempts.ambiguous() {
                return Err(unknown(&self.op.id));
            }
            return settled(Upserted::Kept { existing });
        }
        if !self.op.placed {
            let same = |(name, new): (&str, Option<&Value>)| {
                item.get(name).map(ValueRef::to_value).as_ref() == new
            };
            if self.attributes.iter().all(same) {
                return settled(Upserted::Unchanged { existing });
            }
            return Ok(Plan::Change(self.attributes.clone()));
        }
        if existing.rank() > (self.op.at, &self.op.id) {
            return settled(Upserted::Kept { existing });
        }
        self.replacing(item).map(Plan::Change)
    }

    /// The changes that make the edge what it would be had this operation made it, but for its shard.
    fn replacing(&self, item: &Item) -> Result<Changes> {
        let model = &*self.graph.model;
        let Subject {
            relation,
            source,
            target,
            ref key,
        } = self.subject;
        let wanted = EdgeItems::at(model, relation, self.op.at, true)?.item(
            key,
            source,
            target,
            self.attributes,
            &self.op.id,
        );
        let kept = |name: &str| {
            let own = [OPERATION_ID, EDIT_ID, VERSION, POSITION].contains(&name);
            own || model.key_attributes().contains(&name)
        };
        let mut changes = Changes::new();
        for (name, value) in wanted.iter().filter(|(name, _)| !kept(name)) {
            changes.push(name.to_owned(), Some(value.to_value()));
        }
        for (name, _) in item {
            if !kept(name) && wanted.get(name).is_none() {
                changes.push(name.to_owned(), None);
            }
        }
        let filling = Filling::edge(source, target).at(self.op.at);
        for keys in index_keys(relation) {
            let index = model.index(&keys.index);
            let sort = index.map(|i| i.keys.sk.as_str()).unwrap_or_default();
            if keys.keys.sk.has(Slot::Position) {
                let sorted = keys.keys.sk.fill(&filling);
                changes.push(sort.to_owned(), Some(Value::S(sorted)));
            }
        }
        let at = Value::N(Number::from(self.op.at));
        changes.push(POSITION.to_owned(), Some(at));
        Ok(changes)
    }

    /// The edge as the update left it.
    fn after(&self, before: &Item, changes: &Changes) -> Result<Edge> {
        let changes: Vec<_> = changes
            .iter()
            .map(|(name, value)| (name, value.map(Value::as_ref)))
            .collect();
        let item = before.with(&changes);
        let mut edge = self.graph.read_back(self.subject.relation, &item)?;
        edge.version = Some(edge.version.unwrap_or(1) + 1);
        edge.edited_by = Some(self.op.id.clone());
        Ok(edge)
    }
}
