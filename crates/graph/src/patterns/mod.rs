//! A model's access patterns, each run on the table as it is and held against its proof: which requests, how many,
//! from where, and what they cost.
//!
//! The proof is priced anew for the items that were really read or written, so what is compared is the estimate and
//! what the answers report. Reads are of an example that is given or looked for; writes are of entities and edges of
//! their own, which are removed again.

mod measure;

use crate::changes::Changes;
use crate::error::Result;
use crate::graph::Graph;
use crate::list::ListOptions;
use crate::model::{Access, Direction, Model, Pattern};
use crate::read;
use crate::receipt::{Done, Receipt};
use bothways_core::Value;
use bothways_protocol::types::ScanInput;
use bothways_protocol::{Context, DynamoDbExt, Operation};
use measure::{Meter, compare};
use serde::Serialize;
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

/// What was found for each pattern.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PatternsReport {
    /// The model's name.
    pub model: String,
    /// Its table.
    pub table: String,
    /// One for each pattern, in the model's order.
    pub patterns: Vec<PatternRun>,
}

impl PatternsReport {
    /// Whether every pattern that ran is as proved.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.patterns.iter().all(|run| run.differences.is_empty())
    }
}

/// One pattern, as planned and as it was.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PatternRun {
    /// Its name.
    pub pattern: String,
    /// What it does: `in follows`.
    pub access: String,
    /// Why it was not run.
    pub skipped: Option<String>,
    /// The proof's requests, priced for what was read or written.
    pub planned: Vec<Asked>,
    /// The requests that were sent.
    pub sent: Vec<Asked>,
    /// How the two differ; empty where the proof holds.
    pub differences: Vec<String>,
}

/// A request, or the pages of one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Asked {
    /// Operation.
    pub operation: &'static str,
    /// Index.
    pub index: Option<String>,
    /// `strong` or `eventual`, of reads.
    pub consistency: Option<&'static str>,
    /// Requests: pages of a list.
    pub requests: u64,
    /// Items that it read or wrote, where that is known.
    pub items: Option<u64>,
    /// Their bytes.
    pub bytes: Option<u64>,
    /// Read units.
    pub read_units: f64,
    /// Write units, indexes included.
    pub write_units: f64,
}

/// The ids that a pattern is run with.
struct Ends {
    source: String,
    target: String,
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
        let meter = Meter::over(Arc::clone(&self.db));
        let db: Arc<dyn bothways_protocol::DynamoDb> = Arc::<Meter>::clone(&meter);
        let metered = Self::with_environment(db, (*self.model).clone(), Arc::clone(&self.env))?;
        let mut receipts = Vec::new();
        let mut runs = Vec::new();
        for pattern in &self.model.patterns {
            let found = self.ends(cx, pattern, options, &mut receipts).await?;
            let run = match found {
                Err(why) => skipped(pattern, &why),
                Ok(ends) => {
                    metered
                        .one(cx, &meter, pattern, &ends, options.write)
                        .await?
                }
            };
            runs.push(run);
        }
        let report = PatternsReport {
            model: self.model.name.clone(),
            table: self.model.table.clone(),
            patterns: runs,
        };
        Ok(Done::new(report, receipts))
    }

    /// The ids to run a pattern with, or why there are none.
    async fn ends(
        &self,
        cx: &Context,
        pattern: &Pattern,
        options: &PatternOptions,
        receipts: &mut Vec<Receipt>,
    ) -> Result<std::result::Result<Ends, String>> {
        if let Access::Find { .. } = pattern.access {
            return Ok(Err("a find is not sent by the layer".to_owned()));
        }
        if writes(&pattern.access) || options.write {
            if !options.write {
                return Ok(Err("it writes, and was not asked to".to_owned()));
            }
            let random = self.env.random();
            return Ok(Ok(Ends {
                source: format!("{PROBE}-{random:x}-a"),
                target: format!("{PROBE}-{random:x}-b"),
            }));
        }
        if let (Some(source), Some(target)) = (&options.source, &options.target) {
            return Ok(Ok(Ends {
                source: source.clone(),
                target: target.clone(),
            }));
        }
        let found = self.example(cx, &pattern.access, receipts).await?;
        Ok(found.ok_or_else(|| "no example was found; name one".to_owned()))
    }

    /// An edge of the pattern's relation, or of any that reaches its entity, among the first items of the table.
    async fn example(
        &self,
        cx: &Context,
        access: &Access,
        receipts: &mut Vec<Receipt>,
    ) -> Result<Option<Ends>> {
        let input = ScanInput {
            table_name: Some(self.model.table.clone()),
            limit: Some(LOOKED_AT),
            ..ScanInput::default()
        };
        let page = self.db.scan(cx, input).await?;
        let items = page.items.unwrap_or_default();
        let mut receipt = Receipt::new(Operation::Scan, &self.model.table);
        receipt.requests = 1;
        receipt.count = items.len() as u64;
        receipt.note = Some("looking for an example".to_owned());
        receipts.push(receipt);
        let of = access.of();
        for relation in &self.model.relations {
            let wanted = relation.name == of || relation.from == of || relation.to == of;
            let edges = items
                .iter()
                .filter_map(|item| read::edge(&self.model, relation, item));
            if let Some(edge) = edges.into_iter().next().filter(|_| wanted) {
                // An entity is read by the source's place: `Ends` of a target's type are turned round.
                let (source, target) = if relation.to == of && relation.from != of {
                    (edge.target, edge.source)
                } else {
                    (edge.source, edge.target)
                };
                return Ok(Some(Ends { source, target }));
            }
        }
        Ok(None)
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
        self.perform(cx, pattern, ends).await?;
        let seen = meter.take();
        if write {
            self.after(cx, pattern, ends).await?;
        }
        let (planned, differences) = compare(&self.model, pattern, &seen);
        Ok(PatternRun {
            pattern: pattern.name.clone(),
            access: access_words(&pattern.access),
            skipped: None,
            planned,
            sent: seen,
            differences,
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

    async fn perform(&self, cx: &Context, pattern: &Pattern, ends: &Ends) -> Result<()> {
        let of = pattern.access.of();
        let (source, target) = (ends.source.as_str(), ends.target.as_str());
        let none = Changes::new();
        let options = ListOptions {
            limit: u32::try_from(pattern.items).ok().filter(|&n| n > 0),
            ..ListOptions::default()
        };
        match &pattern.access {
            Access::Entity(_) => drop(self.get_entity(cx, of, source).await?),
            Access::Show(_) => drop(self.show(cx, of, source).await?),
            Access::Out(_) => drop(self.list(cx, of, Direction::Out, source, &options).await?),
            Access::In(_) => drop(self.list(cx, of, Direction::In, target, &options).await?),
            Access::Edge(_) => drop(self.edge(cx, of, source, target).await?),
            Access::Count(_) => {
                drop(self.counts(cx, of, target, Some(Direction::In)).await?);
            }
            Access::Set(_) => {
                let changes = none.set("bothwaysProbe", Value::from("x"));
                drop(self.set(cx, of, source, target, &changes).await?);
            }
            Access::Link(_) => drop(self.link(cx, of, source, target, &none).await?),
            Access::Unlink(_) => drop(self.unlink(cx, of, source, target).await?),
            Access::Find { .. } => {}
        }
        Ok(())
    }
}

fn writes(access: &Access) -> bool {
    matches!(access, Access::Set(_) | Access::Link(_) | Access::Unlink(_))
}

fn access_words(access: &Access) -> String {
    format!("{} {}", access.verb(), access.of())
}

fn skipped(pattern: &Pattern, why: &str) -> PatternRun {
    PatternRun {
        pattern: pattern.name.clone(),
        access: access_words(&pattern.access),
        skipped: Some(why.to_owned()),
        planned: Vec::new(),
        sent: Vec::new(),
        differences: Vec::new(),
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
