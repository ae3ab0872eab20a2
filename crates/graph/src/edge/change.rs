//! Moving an edge from one relation to another: a request that is accepted, a member who becomes an owner.

use super::{ChangedType, Edge, EdgeOptions, Op, Subject, failed};
use crate::changes::Changes;
use crate::ends::{self, End, Ends, Move};
use crate::error::Result;
use crate::graph::Graph;
use crate::guard::Guard;
use crate::link::{self, EdgeItems};
use crate::model::{Preset, Relation, Removal};
use crate::receipt::{Done, Receipt};
use crate::requests;
use crate::send::{Attempts, Outcome};
use crate::shard::Route;
use crate::tombstone::{self, Stone};
use bothways_core::Item;
use bothways_protocol::types::TransactWriteItem;
use bothways_protocol::{CancellationReason, Context};

impl Graph {
    /// Moves an edge to another relation between the same ends, with the counters of both, in one transaction: nobody sees
    /// both edges, or neither.
    ///
    /// Attributes go with it, except those that the other relation fills itself, which are made anew; `changes` come on
    /// top. Either relation may be undirected: the ends are then put in its order.
    ///
    /// # Errors
    /// As [`Graph::link`] and [`Graph::unlink`]; a position.
    #[allow(
        clippy::too_many_arguments,
        reason = "two relations, two ends, and what every write takes"
    )]
    pub async fn change_type(
        &self,
        cx: &Context,
        from: &str,
        to: &str,
        source: &str,
        target: &str,
        changes: &Changes,
        options: &EdgeOptions,
    ) -> Result<Done<ChangedType>> {
        let why = "has no meaning for a change of relation";
        super::no_option(options.position.is_some(), "position", why)?;
        super::no_option(from == to, "relation", "is the same before and after")?;
        let old = self.subject(from, source, target)?;
        let new = self.subject(to, source, target)?;
        requests::may_loop(new.relation, new.source, new.target)?;
        self.may_change_edge(new.relation, changes)?;
        let mut changing = Changing {
            graph: self,
            cx,
            old,
            new,
            changes,
            if_version: options.if_version,
            op: Op::new(self, options)?,
            attempts: Attempts::new(&*self.env, cx),
            receipts: Vec::new(),
        };
        let outcome = changing.run().await?;
        Ok(Done::new(outcome, changing.receipts))
    }
}

/// A change of relation under way.
struct Changing<'g> {
    graph: &'g Graph,
    cx: &'g Context,
    old: Subject<'g>,
    new: Subject<'g>,
    changes: &'g Changes,
    if_version: Option<u64>,
    op: Op,
    attempts: Attempts<'g>,
    receipts: Vec<Receipt>,
}

/// Where in the transaction what stands, since reasons come by action.
struct Places {
    put: usize,
    cleared: Option<usize>,
    ends: usize,
}

impl Changing<'_> {
    async fn run(&mut self) -> Result<ChangedType> {
        loop {
            let (item, receipt) = self.graph.get_item(self.cx, &self.old.key, true).await?;
            self.receipts.push(receipt);
            let Some(item) = item else {
                return self.gone().await;
            };
            let existing = self.graph.read_back(self.old.relation, &item)?;
            if self
                .if_version
                .is_some_and(|v| v != existing.version.unwrap_or(1))
            {
                return Ok(ChangedType::Kept { existing });
            }
            if let Some(changed) = self.attempt(&existing).await? {
                return Ok(changed);
            }
            self.op.again(self.graph)?;
        }
    }

    /// The old edge is not there: nobody made it, or an earlier attempt moved it.
    async fn gone(&mut self) -> Result<ChangedType> {
        let (item, receipt) = self.graph.get_item(self.cx, &self.new.key, true).await?;
        self.receipts.push(receipt);
        if let Some(item) = item {
            let edge = self.graph.read_back(self.new.relation, &item)?;
            if edge.op_id.as_deref() == Some(&self.op.id) {
                return Ok(ChangedType::Changed(edge));
            }
        }
        Ok(ChangedType::NotFound)
    }

    async fn attempt(&mut self, existing: &Edge) -> Result<Option<ChangedType>> {
        let model = &*self.graph.model;
        let (off, on) = self.routes().await?;
        let item = self.moved(existing, on)?;
        let (mut actions, mut places) = self.actions(existing, off, item.clone());
        let mut ends = Ends::new(model);
        let (old, new) = (&self.old, &self.new);
        ends.add(old.relation, old.source, old.target, Move::Unlink, off)?;
        ends.add(new.relation, new.source, new.target, Move::Link, on)?;
        places.ends = actions.len();
        let acting = ends.act(&mut actions);
        let input = requests::transaction(actions, &self.op.token);
        let mut receipt = self.graph.writing(&input);
        let outcome = self
            .graph
            .transact_in(
                &mut self.attempts,
                self.cx,
                &input,
                &self.op.id,
                &mut receipt,
            )
            .await;
        self.receipts.push(receipt);
        match outcome? {
            Outcome::Committed => {
                let edge = self.graph.read_back(self.new.relation, &item)?;
                Ok(Some(ChangedType::Changed(edge)))
            }
            Outcome::Refused(reasons) => self.refused(&reasons, &places, &acting).await,
        }
    }

    /// Where the edge is counted, and where it will be.
    async fn routes(&mut self) -> Result<(Route, Route)> {
        let (graph, cx, old, new) = (self.graph, self.cx, &self.old, &self.new);
        let (attempts, receipts) = (&mut self.attempts, &mut self.receipts);
        let off = graph
            .route_back(cx, old.relation, &old.key, old.target, attempts, receipts)
            .await?;
        let on = graph
            .route(cx, new.relation, new.source, new.target, attempts, receipts)
            .await?;
        Ok((off, on))
    }

    /// The edge as it will be in the other relation.
    fn moved(&self, existing: &Edge, route: Route) -> Result<Item> {
        let Subject {
            relation,
            source,
            target,
            ref key,
        } = self.new;
        let model = &*self.graph.model;
        let mut attributes = Changes::new();
        for (name, value) in &existing.attributes {
            if carried(relation, name) && link::may_set(model, name, &[]).is_ok() {
                attributes.push(name.to_owned(), Some(value.to_value()));
            }
        }
        for (name, value) in self.changes.iter() {
            attributes.push(name.to_owned(), value.cloned());
        }
        let items = EdgeItems::at(model, relation, self.op.at, false)?;
        Ok(items.item_in(route.part(), key, source, target, &attributes, &self.op.id))
    }

    fn actions(
        &self,
        existing: &Edge,
        route: Route,
        item: Item,
    ) -> (Vec<TransactWriteItem>, Places) {
        let (model, old) = (&*self.graph.model, &self.old);
        let mut guard = Guard::exists(model)
            .made_by(existing.op_id.as_deref())
            .version(existing.version.unwrap_or(1));
        if matches!(route, Route::Mapped { counted: true, .. }) {
            guard = guard.in_part(model, old.relation, old.target, route.part());
        }
        let mut actions = vec![link::delete_guarded(model, &old.key, guard)];
        if old.relation.removal != Removal::Hard {
            let at = self.op.at.max(existing.position.unwrap_or(0));
            let stone = self
                .graph
                .stone(old.relation.removal, at, Some(&self.op.id));
            actions.push(tombstone::put(
                model,
                old.relation,
                old.source,
                old.target,
                &stone,
            ));
        }
        let put = actions.len();
        actions.extend(self.graph.making(&self.new, self.op.at, item));
        let places = Places {
            put,
            cleared: (actions.len() > put + 1).then_some(put + 1),
            ends: actions.len(),
        };
        (actions, places)
    }

    /// `None`: the old edge changed meanwhile, or a tombstone was in the way; once more.
    async fn refused(
        &mut self,
        reasons: &[CancellationReason],
        places: &Places,
        acting: &[&End<'_>],
    ) -> Result<Option<ChangedType>> {
        if let Some(reason) = failed(reasons, places.put) {
            let sent = reason.item.clone();
            let there = self
                .graph
                .refused_item(self.cx, &self.new.key, sent, &mut self.receipts)
                .await?;
            let Some(item) = there else { return Ok(None) };
            let existing = self.graph.read_back(self.new.relation, &item)?;
            return Ok(Some(if existing.op_id.as_deref() == Some(&self.op.id) {
                ChangedType::Changed(existing)
            } else {
                ChangedType::Occupied { existing }
            }));
        }
        if let Some(reason) = places.cleared.and_then(|at| failed(reasons, at)) {
            let stone = reason.item.as_ref().map(Stone::read).unwrap_or_default();
            if self.attempts.ambiguous() {
                let removed_at = stone.at;
                return Ok(Some(ChangedType::Outdated { removed_at }));
            }
            self.op.at = self.op.at.max(stone.at).saturating_add(1);
            return Ok(None);
        }
        if self
            .graph
            .misrouted_ends(self.cx, acting, reasons, places.ends, &mut self.receipts)
            .await?
        {
            return Ok(None);
        }
        for (i, end) in acting.iter().enumerate() {
            if let Some(reason) = failed(reasons, places.ends + i) {
                return Err(ends::refusal(&self.graph.model, reason, end));
            }
        }
        if failed(reasons, 0).is_none() {
            // Only the old relation's tombstone is left: it is from a later moment than this clock's.
            self.op.at = self.op.at.saturating_add(1).max(
                reasons
                    .get(1)
                    .and_then(|r| r.item.as_ref())
                    .map_or(0, |item| Stone::read(item).at.saturating_add(1)),
            );
        }
        Ok(None)
    }
}

/// Whether an attribute goes along: the relation does not fill it itself.
fn carried(relation: &Relation, name: &str) -> bool {
    let declared = relation.attributes.iter().find(|a| a.name == name);
    !declared.is_some_and(|a| matches!(a.preset, Some(Preset::Now | Preset::Value(_))))
}
