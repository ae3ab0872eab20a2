//! A model's access patterns, each run on the table as it is and held against its proof: which requests, how many,
//! from where, and what they cost.
//!
//! The proof is priced anew for the items that were really read or written, so what is compared is the estimate and
//! what the answers report. Reads are of an example that is given or looked for; writes are of entities and edges of
//! their own, which are removed again.

mod measure;
mod report;

pub use report::{Asked, PatternRun, PatternsReport, Skip};

use crate::changes::Changes;
use crate::error::Result;
use crate::graph::Graph;
use crate::list::ListOptions;
use crate::model::{Access, Direction, Model, Pattern, Relation};
use crate::read;
use crate::receipt::{Consistency, Done, Receipt};
use bothways_core::{Item, Value};
use bothways_protocol::types::{ReturnConsumedCapacity, ScanInput};
use bothways_protocol::{Context, DynamoDb, DynamoDbExt, Operation};
use measure::{Meter, compare};
use std::sync::Arc;

/// Items that are looked at for an example. A choice: edges are most of a table.
const LOOKED_AT: i32 = 200;
/// How the ids of what is written begin.
const PROBE: &str = "bothways-probe";

/// What the patterns are run with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatternOptions {
    /// A source to read; one that is found where nothing is said.
    pub source: Option<String>,
    /// A target to read.
    pub target: Option<String>,
    /// Run the patterns that write too, on entities and edges of their own.
    pub write: bool,
}

/// The ids that a pattern is run with: the ends of an edge, and of them the one that it reads alone.
struct Ends {
    source: String,
    target: String,
    id: String,
}

impl Ends {
    /// The ends of an edge of `relation` for a pattern `of` something.
    fn of(relation: &Relation, of: &str, source: String, target: String) -> Self {
        let only_target = relation.to == of && relation.from != of;
        let id = if only_target { &target } else { &source };
        Self {
            id: id.clone(),
            source,
            target,
        }
    }
}

/// The table's first items, once they were looked at for an example, and what that cost.
#[derive(Default)]
struct Page {
    items: Option<Vec<Item>>,
    receipts: Vec<Receipt>,
}

/// Whether an edge of the relation gives the ids of a pattern `of` something.
fn reaches(relation: &Relation, of: &str) -> bool {
    relation.name == of || relation.from == of || relation.to == of
}

impl Graph {
    /// Runs each pattern of the model and holds it against its proof.
    ///
    /// # Errors
    /// What the database refuses; what cannot be run is skipped and says why.
    pub async fn run_patterns(
        &self,
        cx: &Context,
        options: &PatternOptions,
    ) -> Result<Done<PatternsReport>> {
        let mut page = Page::default();
        let mut runs = Vec::new();
        for pattern in &self.model.patterns {
            runs.push(self.run_one(cx, pattern, options, &mut page).await?);
        }
        let report = PatternsReport {
            model: self.model.name.clone(),
            table: self.model.table.clone(),
            patterns: runs,
        };
        Ok(Done::new(report, page.receipts))
    }

    /// Runs one pattern and holds it against its proof. Its own requests are in the run; what is beside it is what
    /// looking for an example cost.
    ///
    /// # Errors
    /// What the database refuses; what cannot be run is skipped and says why.
    pub async fn run_pattern(
        &self,
        cx: &Context,
        pattern: &Pattern,
        options: &PatternOptions,
    ) -> Result<Done<PatternRun>> {
        let mut page = Page::default();
        let run = self.run_one(cx, pattern, options, &mut page).await?;
        Ok(Done::new(run, page.receipts))
    }

    async fn run_one(
        &self,
        cx: &Context,
        pattern: &Pattern,
        options: &PatternOptions,
        page: &mut Page,
    ) -> Result<PatternRun> {
        let ends = match self.ends(cx, pattern, options, page).await? {
            Err(why) => return Ok(skipped(pattern, why)),
            Ok(ends) => ends,
        };
        let meter = Meter::over(Arc::clone(&self.db));
        let db: Arc<dyn DynamoDb> = Arc::<Meter>::clone(&meter);
        let model = (*self.model).clone();
        let metered = Self::with_environment(db, model, Arc::clone(&self.env))?;
        let run = metered.one(cx, &meter, pattern, &ends, options.write);
        run.await
    }

    /// The ids to run a pattern with, or why there are none.
    async fn ends(
        &self,
        cx: &Context,
        pattern: &Pattern,
        options: &PatternOptions,
        page: &mut Page,
    ) -> Result<std::result::Result<Ends, Skip>> {
        if let Access::Find { .. } = pattern.access {
            return Ok(Err(Skip::Find));
        }
        if writes(&pattern.access) && !options.write {
            return Ok(Err(Skip::Writes));
        }
        if options.write {
            let random = self.env.random();
            let source = format!("{PROBE}-{random:x}-a");
            return Ok(Ok(Ends {
                id: source.clone(),
                source,
                target: format!("{PROBE}-{random:x}-b"),
            }));
        }
        let of = pattern.access.of();
        if let (Some(source), Some(target)) = (options.source.clone(), options.target.clone()) {
            let relation = self.model.relations.iter().find(|r| reaches(r, of));
            return Ok(relation
                .map(|relation| Ends::of(relation, of, source, target))
                .ok_or(Skip::NoExample));
        }
        let found = self.example(cx, of, page).await?;
        Ok(found.ok_or(Skip::NoExample))
    }

    /// An edge of the pattern's relation, or of any that reaches its entity, among the first items of the table.
    async fn example(&self, cx: &Context, of: &str, page: &mut Page) -> Result<Option<Ends>> {
        let items = match page.items.take() {
            Some(items) => items,
            None => self.first_items(cx, &mut page.receipts).await?,
        };
        let items = page.items.insert(items);
        let mut relations = self.model.relations.iter().filter(|r| reaches(r, of));
        Ok(relations.find_map(|relation| {
            let mut edges = items
                .iter()
                .filter_map(|item| read::edge(&self.model, relation, item));
            let edge = edges.next()?;
            Some(Ends::of(relation, of, edge.source, edge.target))
        }))
    }

    /// The first items of the table.
    async fn first_items(&self, cx: &Context, receipts: &mut Vec<Receipt>) -> Result<Vec<Item>> {
        let input = ScanInput {
            table_name: Some(self.model.table.clone()),
            limit: Some(LOOKED_AT),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            ..ScanInput::default()
        };
        let answer = self.db.scan(cx, input).await?;
        let items = answer.items.unwrap_or_default();
        let mut receipt = Receipt::new(Operation::Scan, &self.model.table);
        receipt.requests = 1;
        receipt.count = items.len() as u64;
        receipt.scanned = receipt.count;
        receipt.consistency = Some(Consistency::Eventual);
        receipt.consumed(answer.consumed_capacity.as_ref());
        receipt.note = Some("looking for an example".to_owned());
        receipts.push(receipt);
        Ok(items)
    }

    /// Runs one pattern, with what it needs around it, and compares.
    async fn one(
        &self,
        cx: &Context,
        meter: &Meter,
        pattern: &Pattern,
        ends: &Ends,
        write: bool,
    ) -> Result<PatternRun> {
        if write {
            self.before(cx, pattern, ends).await?;
        }
        meter.begin();
        let (receipts, more) = self.perform(cx, pattern, ends).await?;
        let seen = meter.take();
        if write {
            self.after(cx, pattern, ends).await?;
        }
        let (planned, differences) = compare(&self.model, pattern, &seen);
        Ok(PatternRun {
            pattern: pattern.name.clone(),
            access: access_words(&pattern.access),
            skipped: None,
            source: Some(ends.source.clone()),
            target: Some(ends.target.clone()),
            id: match pattern.access {
                Access::Entity(_) | Access::Show(_) => Some(ends.id.clone()),
                Access::Count(_) => Some(ends.target.clone()),
                _ => None,
            },
            planned,
            sent: seen,
            more,
            differences,
            receipts,
        })
    }

    /// Makes what a pattern of a write needs to find: an edge, or none.
    async fn before(&self, cx: &Context, pattern: &Pattern, ends: &Ends) -> Result<()> {
        let of = pattern.access.of();
        let none = Changes::new();
        let (source, target) = (ends.source.as_str(), ends.target.as_str());
        match &pattern.access {
            Access::Entity(_) | Access::Show(_) => {
                self.put_entity(cx, of, source, &none).await?;
            }
            access => {
                let (from, to) = {
                    let relation = self.relation(of)?;
                    (relation.from.clone(), relation.to.clone())
                };
                self.put_entity(cx, &from, source, &none).await?;
                self.put_entity(cx, &to, target, &none).await?;
                if !matches!(access, Access::Link(_)) {
                    self.link(cx, of, source, target, &none).await?;
                }
            }
        }
        Ok(())
    }

    /// Removes what was made.
    async fn after(&self, cx: &Context, pattern: &Pattern, ends: &Ends) -> Result<()> {
        let of = pattern.access.of();
        let (source, target) = (ends.source.as_str(), ends.target.as_str());
        if let Access::Entity(_) | Access::Show(_) = &pattern.access {
            return self.remove_entity(cx, of, source).await.map(drop);
        }
        self.unlink(cx, of, source, target).await?;
        let (from, to) = {
            let relation = self.relation(of)?;
            (relation.from.clone(), relation.to.clone())
        };
        self.remove_entity(cx, &from, source).await?;
        self.remove_entity(cx, &to, target).await.map(drop)
    }

    /// Sends what a pattern is; its cost, and whether a list goes on after the page that was read.
    async fn perform(
        &self,
        cx: &Context,
        pattern: &Pattern,
        ends: &Ends,
    ) -> Result<(Vec<Receipt>, bool)> {
        let of = pattern.access.of();
        let (source, target) = (ends.source.as_str(), ends.target.as_str());
        let none = Changes::new();
        let options = ListOptions {
            limit: u32::try_from(pattern.items).ok().filter(|&n| n > 0),
            ..ListOptions::default()
        };
        let mut more = false;
        let receipts = match &pattern.access {
            Access::Entity(_) => self.get_entity(cx, of, &ends.id).await?.receipts,
            Access::Show(_) => {
                let shown = self.show(cx, of, &ends.id).await?;
                more = shown.value.more;
                shown.receipts
            }
            Access::Out(_) => {
                let list = self.list(cx, of, Direction::Out, source, &options);
                let list = list.await?;
                more = list.value.next.is_some();
                list.receipts
            }
            Access::In(_) => {
                let list = self.list(cx, of, Direction::In, target, &options);
                let list = list.await?;
                more = list.value.next.is_some();
                list.receipts
            }
            Access::Edge(_) => self.edge(cx, of, source, target).await?.receipts,
            Access::Count(_) => {
                let counts = self.counts(cx, of, target, Some(Direction::In));
                counts.await?.receipts
            }
            Access::Set(_) => {
                let changes = none.set("bothwaysProbe", Value::from("x"));
                self.set(cx, of, source, target, &changes).await?.receipts
            }
            Access::Link(_) => self.link(cx, of, source, target, &none).await?.receipts,
            Access::Unlink(_) => self.unlink(cx, of, source, target).await?.receipts,
            Access::Find { .. } => Vec::new(),
        };
        Ok((receipts, more))
    }
}

fn writes(access: &Access) -> bool {
    matches!(access, Access::Set(_) | Access::Link(_) | Access::Unlink(_))
}

fn access_words(access: &Access) -> String {
    format!("{} {}", access.verb(), access.of())
}

fn skipped(pattern: &Pattern, why: Skip) -> PatternRun {
    PatternRun {
        pattern: pattern.name.clone(),
        access: access_words(&pattern.access),
        skipped: Some(why),
        source: None,
        target: None,
        id: None,
        planned: Vec::new(),
        sent: Vec::new(),
        more: false,
        differences: Vec::new(),
        receipts: Vec::new(),
    }
}

/// The plans of one pattern for items of another number and size.
fn plans(model: &Model, pattern: &Pattern, items: u64, bytes: u64) -> Vec<crate::check::Plan> {
    let mut priced = model.clone();
    priced.patterns = vec![Pattern {
        items,
        bytes,
        ..pattern.clone()
    }];
    let mut proofs = priced.check(None).proofs;
    proofs.pop().map(|proof| proof.plans).unwrap_or_default()
}
