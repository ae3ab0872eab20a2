//! Sets of peers: what two or more lists have in common, all that is in any, what is in the first and in no other.
//!
//! Everything comes in the order of the escaped ids, a page at a time, and every page is bounded by a budget: a page may
//! be short and still have a next one. A list by id is read in that order (and skipped over where nothing in it can
//! count); a list by time is sorted in memory, or its members are looked up one by one; so is a list that is so much
//! longer than the first that looking up is cheaper.

mod count;
mod merge;
mod peers;
mod plan;

pub use count::Estimate;

use crate::cursor::{self, CursorError, Mark, Stop};
use crate::error::{Error, Result};
use crate::fetch::{BATCH_KEYS, Fetch};
use crate::graph::Graph;
use crate::keys::escape;
use crate::limits::{Cut, Limits, Spent};
use crate::model::Direction;
use crate::receipt::{Consistency, Done};
use crate::requests::{self, Key};
use bothways_protocol::Context;
use merge::{Merge, Step};
use peers::Peers;
use plan::Plan;

/// Most operands of one set operation.
const OPERANDS: usize = 16;
/// Ids of one page where nothing is said.
const PAGE: u32 = 100;

/// One list of peers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    /// Relation.
    pub relation: String,
    /// Which list of the node.
    pub direction: Direction,
    /// The node.
    pub id: String,
}

impl Operand {
    /// A list of peers.
    #[must_use]
    pub fn new(relation: &str, direction: Direction, id: &str) -> Self {
        Self {
            relation: relation.to_owned(),
            direction,
            id: id.to_owned(),
        }
    }
}

/// What to make of the lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SetOperation {
    /// Peers in every list.
    Intersect,
    /// Peers in any list.
    Union,
    /// Peers in the first list and in no other.
    Difference,
}

impl SetOperation {
    /// `intersect`, `union` or `difference`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Intersect => "intersect",
            Self::Union => "union",
            Self::Difference => "difference",
        }
    }
}

/// How a list takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// It is read in order.
    Merged,
    /// Ids found in the other lists are looked up in it, by key.
    Probed,
}

/// How to do it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SetOptions {
    /// Most ids of a page; `None`: 100.
    pub limit: Option<u32>,
    /// Go on behind this cursor.
    pub after: Option<String>,
    /// Most that one page takes.
    pub limits: Limits,
    /// How every list but the first takes part; `None`: as counters say is cheaper.
    pub part: Option<Part>,
}

/// One page of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetPage {
    /// Its ids, in order.
    pub ids: Vec<String>,
    /// Where the next page starts; `None` at the end.
    pub next: Option<String>,
    /// What ended the page early: there may be more behind it, or nothing.
    pub cut: Option<Cut>,
    /// How each list took part, in the order given.
    pub parts: Vec<Part>,
    /// Freshness of the whole.
    pub consistency: Consistency,
}

/// Where a page starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum From {
    Start,
    /// Behind this id.
    After(String),
    /// At this id.
    At(String),
}

impl From {
    fn of(mark: Mark) -> Result<Self> {
        match mark.stop {
            // A cursor that goes back says "at": sets have no way back.
            Some(Stop::Edge { peer, .. }) if mark.back => Ok(Self::At(peer)),
            Some(Stop::Edge { peer, .. }) => Ok(Self::After(peer)),
            Some(Stop::Raw { .. }) | None => Err(CursorError::Damaged.into()),
        }
    }

    fn mark(self) -> Option<Mark> {
        let (peer, back) = match self {
            Self::Start => return None,
            Self::After(peer) => (peer, false),
            Self::At(peer) => (peer, true),
        };
        Some(Mark {
            stop: Some(Stop::Edge { position: 0, peer }),
            back,
        })
    }
}

impl Graph {
    /// One page of a set of peers.
    ///
    /// # Errors
    /// No operands, or more than 16; lists of different kinds of entities; ids that cannot be; a cursor of another set; a
    /// list by time that is longer than the budget and would have to be sorted; what the database refuses.
    pub async fn set_page(
        &self,
        cx: &Context,
        operation: SetOperation,
        operands: &[Operand],
        options: &SetOptions,
    ) -> Result<Done<SetPage>> {
        self.may_combine(operands)?;
        let fingerprint = fingerprint(&self.model.table, operation, operands);
        let from = match &options.after {
            None => From::Start,
            Some(cursor) => From::of(self.signer.read(cursor, fingerprint)?)?,
        };
        let mut spent = Spent::new(&*self.env, cx, &options.limits);
        let plan = self
            .plan(cx, operation, operands, options.part, &mut spent)
            .await?;
        let mut combining = Combining {
            graph: self,
            cx,
            operation,
            limit: options.limit.unwrap_or(PAGE).max(1) as usize,
            spent,
            ids: Vec::new(),
            cut: None,
            plan,
        };
        let next = combining.run(operands, from).await?;
        let Combining {
            spent,
            ids,
            cut,
            plan,
            ..
        } = combining;
        let page = SetPage {
            ids,
            next: next
                .and_then(From::mark)
                .map(|mark| self.signer.write(fingerprint, &mark)),
            cut,
            consistency: plan.consistency,
            parts: plan.parts,
        };
        Ok(Done::new(page, spent.receipts()))
    }

    /// Those whom a node points at and who point back: in a relation of one kind of entities.
    ///
    /// # Errors
    /// As [`Graph::set_page`].
    pub async fn mutual(
        &self,
        cx: &Context,
        relation: &str,
        id: &str,
        options: &SetOptions,
    ) -> Result<Done<SetPage>> {
        let operands = [Direction::Out, Direction::In].map(|d| Operand::new(relation, d, id));
        self.set_page(cx, SetOperation::Intersect, &operands, options)
            .await
    }

    /// Those who point at a node and whom the viewer points at: "followers you know".
    ///
    /// # Errors
    /// As [`Graph::set_page`].
    pub async fn known(
        &self,
        cx: &Context,
        relation: &str,
        viewer: &str,
        id: &str,
        options: &SetOptions,
    ) -> Result<Done<SetPage>> {
        let operands = [(Direction::Out, viewer), (Direction::In, id)]
            .map(|(direction, id)| Operand::new(relation, direction, id));
        self.set_page(cx, SetOperation::Intersect, &operands, options)
            .await
    }

    /// The lists must be of one kind of entities.
    fn may_combine(&self, operands: &[Operand]) -> Result<()> {
        let wrong = |why: String| Error::Option {
            option: "operands",
            why,
        };
        if !(1..=OPERANDS).contains(&operands.len()) {
            return Err(wrong(format!("are {}: 1 to {OPERANDS}", operands.len())));
        }
        let mut kind = None;
        for operand in operands {
            let relation = self.relation(&operand.relation)?;
            requests::edge_key(&self.model, relation, &operand.id, &operand.id)?;
            let of_peers = match operand.direction {
                Direction::Out => &relation.to,
                Direction::In => &relation.from,
            };
            match kind {
                None => kind = Some(of_peers),
                Some(kind) if kind != of_peers => {
                    return Err(wrong(format!(
                        "list different entities: {kind} and {of_peers}"
                    )));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// The edge by which a peer is in a list.
    fn member_key(&self, operand: &Operand, peer: &str) -> Result<Key> {
        let relation = self.relation(&operand.relation)?;
        let (source, target) = match operand.direction {
            Direction::Out => (operand.id.as_str(), peer),
            Direction::In => (peer, operand.id.as_str()),
        };
        let (source, target) = requests::ends(relation, source, target);
        requests::edge_key(&self.model, relation, source, target)
    }
}

fn fingerprint(table: &str, operation: SetOperation, operands: &[Operand]) -> u64 {
    let mut parts = vec![table, "set", operation.as_str()];
    for Operand {
        relation,
        direction,
        id,
    } in operands
    {
        parts.extend([relation.as_str(), direction.as_str(), id.as_str()]);
    }
    cursor::fingerprint(&parts)
}

/// Whether one id comes before another.
pub(crate) fn before(a: &str, b: &str) -> bool {
    escape(a) < escape(b)
}

/// A page under way.
struct Combining<'g> {
    graph: &'g Graph,
    cx: &'g Context,
    operation: SetOperation,
    limit: usize,
    spent: Spent<'g>,
    ids: Vec<String>,
    cut: Option<Cut>,
    plan: Plan,
}

impl Combining<'_> {
    /// Fills the page; answers where the next one starts.
    async fn run(&mut self, operands: &[Operand], from: From) -> Result<Option<From>> {
        let (mut merged, mut probed) = (Vec::new(), Vec::new());
        for at in self.plan.order.clone() {
            let operand = &operands[at];
            if self.plan.parts[at] == Part::Probed {
                probed.push(operand);
            } else {
                merged.push(Peers::new(self.graph, operand, &from, self.plan.by_id[at]));
            }
        }
        let mut merge = Merge::new(self.operation, merged, from);
        loop {
            // Candidates that are only looked up: not many more than the page has room for.
            let room = self.limit - self.ids.len();
            let chunk = if probed.is_empty() {
                room
            } else {
                room.saturating_mul(2).clamp(10, BATCH_KEYS)
            };
            let mut candidates = Vec::new();
            let mut end = None;
            while end.is_none() && candidates.len() < chunk {
                match merge.next(self.cx, &mut self.spent).await? {
                    Step::Candidate(id) => candidates.push(id),
                    other => end = Some(other),
                }
            }
            let last = candidates.last().cloned();
            let members = self.looked_up(&probed, candidates).await?;
            for id in members {
                if self.ids.len() == self.limit {
                    break;
                }
                self.ids.push(id);
            }
            let full = self.ids.len() == self.limit;
            match end {
                _ if full => {
                    let emitted = self.ids.last().cloned();
                    let at_end = matches!(end, Some(Step::End)) && emitted == last;
                    return Ok(emitted.filter(|_| !at_end).map(From::After));
                }
                Some(Step::End) => return Ok(None),
                Some(Step::Cut(cut, resume)) => {
                    self.cut = Some(cut);
                    return Ok(Some(resume));
                }
                _ => {}
            }
        }
    }

    /// The candidates that every probed list has, or, of a difference, none.
    async fn looked_up(
        &mut self,
        probed: &[&Operand],
        mut candidates: Vec<String>,
    ) -> Result<Vec<String>> {
        let how = Fetch {
            strong: false,
            keys_only: true,
        };
        for operand in probed {
            if candidates.is_empty() {
                break;
            }
            let keys = candidates
                .iter()
                .map(|id| self.graph.member_key(operand, id));
            let keys = keys.collect::<Result<Vec<Key>>>()?;
            let mut receipt = self.graph.fetching();
            let found = self.graph.fetch(self.cx, &keys, how, &mut receipt).await?;
            self.spent.edges += keys.len() as u64;
            self.spent.add([receipt]);
            let wanted = self.operation == SetOperation::Intersect;
            let mut keys = keys.iter();
            candidates.retain(|_| keys.next().is_some_and(|k| found.contains_key(k) == wanted));
        }
        Ok(candidates)
    }
}
