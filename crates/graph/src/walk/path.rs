//! The shortest path between two nodes, looked for from both ends.

use super::Along;
use crate::error::{Error, Result};
use crate::fetch::Fetch;
use crate::graph::Graph;
use crate::limits::{Cut, Limits, Spent};
use crate::model::{Direction, Relation};
use crate::read;
use crate::receipt::Done;
use crate::requests;
use bothways_protocol::Context;
use std::collections::HashMap;

/// Most hops of a path.
pub const MAX_LENGTH: u32 = 12;
/// Nodes after which it is looked whether the two sides have met.
const CHUNK: usize = 64;
/// Nodes of which the degrees are read, to go on where there is less to read.
const WEIGHED: usize = 100;

/// How to look for a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathOptions {
    /// Which way.
    pub along: Along,
    /// Most hops, 1 to [`MAX_LENGTH`].
    pub longest: u32,
    /// Most that it takes.
    pub limits: Limits,
}

impl Default for PathOptions {
    fn default() -> Self {
        Self {
            along: Along::Out,
            longest: 6,
            limits: Limits::default(),
        }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The nodes from one end to the other, both included; none shorter exists. `None` where there is none of at most that
    /// many hops, or it was not found before something ran out.
    pub nodes: Option<Vec<String>>,
    /// What ran out before a path was found.
    pub cut: Option<Cut>,
}

/// One end and what has been reached from it.
struct Side {
    along: Along,
    /// Each node with the one before it.
    seen: HashMap<String, Option<String>>,
    frontier: Vec<String>,
    depth: u32,
}

impl Side {
    fn new(id: &str, along: Along) -> Self {
        Self {
            along,
            seen: HashMap::from([(id.to_owned(), None)]),
            frontier: vec![id.to_owned()],
            depth: 0,
        }
    }

    /// From a node to this side's end.
    fn trace(&self, node: &str) -> Vec<String> {
        let mut nodes = vec![node.to_owned()];
        while let Some(Some(before)) = nodes.last().and_then(|last| self.seen.get(last)) {
            nodes.push(before.clone());
        }
        nodes
    }
}

impl Graph {
    /// A shortest path from one node to another: breadth first from both ends, always on the side with less to read.
    ///
    /// # Errors
    /// A length beyond [`MAX_LENGTH`]; a relation of two kinds of entities; ids that cannot be; what the database refuses.
    pub async fn path(
        &self,
        cx: &Context,
        relation: &str,
        from: &str,
        to: &str,
        options: &PathOptions,
    ) -> Result<Done<Path>> {
        let relation = self.walkable(relation)?;
        requests::edge_key(&self.model, relation, from, to)?;
        if !(1..=MAX_LENGTH).contains(&options.longest) {
            return Err(Error::Option {
                option: "length",
                why: format!("is {}: 1 to {MAX_LENGTH}", options.longest),
            });
        }
        let mut search = Search {
            graph: self,
            cx,
            relation,
            spent: Spent::new(&*self.env, cx, &options.limits),
            sides: [
                Side::new(from, options.along),
                Side::new(to, options.along.back()),
            ],
        };
        let path = search.run(options.longest).await?;
        Ok(Done::new(path, search.spent.receipts()))
    }
}

/// A search under way.
struct Search<'g> {
    graph: &'g Graph,
    cx: &'g Context,
    relation: &'g Relation,
    spent: Spent<'g>,
    sides: [Side; 2],
}

impl Search<'_> {
    async fn run(&mut self, longest: u32) -> Result<Path> {
        let [from, to] = &self.sides;
        if from.frontier == to.frontier {
            return Ok(Path {
                nodes: Some(from.frontier.clone()),
                cut: None,
            });
        }
        let none = |cut| Path { nodes: None, cut };
        loop {
            let [from, to] = &self.sides;
            let over = from.frontier.is_empty() || to.frontier.is_empty();
            if over || from.depth + to.depth >= longest {
                return Ok(none(None));
            }
            let side = self.lighter().await?;
            match self.level(side).await? {
                (Some(meeting), _) => {
                    let [from, to] = &self.sides;
                    let mut nodes = from.trace(&meeting);
                    nodes.reverse();
                    nodes.extend(to.trace(&meeting).into_iter().skip(1));
                    return Ok(Path {
                        nodes: Some(nodes),
                        cut: None,
                    });
                }
                (None, Some(cut)) => return Ok(none(Some(cut))),
                (None, None) => {}
            }
        }
    }

    /// The side that goes on: the one with fewer edges at its frontier, where counters tell, else with fewer nodes.
    async fn lighter(&mut self) -> Result<usize> {
        let lengths = [0, 1].map(|side: usize| self.sides[side].frontier.len());
        let by_nodes = usize::from(lengths[1] < lengths[0]);
        if lengths[0] + lengths[1] > WEIGHED {
            return Ok(by_nodes);
        }
        let (graph, relation) = (self.graph, self.relation);
        let entity = graph.entity(&relation.from)?;
        let mut keys = Vec::new();
        for node in self.sides.iter().flat_map(|side| &side.frontier) {
            keys.push(requests::entity_key(&graph.model, entity, node)?);
        }
        let how = Fetch {
            strong: false,
            keys_only: false,
        };
        let mut weights = [0_u64; 2];
        let counters = |along: Along| -> Option<Vec<&str>> {
            let name = |direction: &Direction| match direction {
                Direction::Out => relation.counters.out.as_deref(),
                Direction::In => relation.counters.inward.as_deref(),
            };
            along.lists(relation).iter().map(name).collect()
        };
        let [Some(of_from), Some(of_to)] = [0, 1].map(|s: usize| counters(self.sides[s].along))
        else {
            return Ok(by_nodes);
        };
        let mut receipt = graph.fetching();
        let items = graph.fetch(self.cx, &keys, how, &mut receipt).await?;
        self.spent.add([receipt]);
        for (at, key) in keys.iter().enumerate() {
            let (side, names) = if at < lengths[0] {
                (0, &of_from)
            } else {
                (1, &of_to)
            };
            if let Some(item) = items.get(key) {
                let degrees = names.iter().map(|name| read::integer(item, name));
                weights[side] += degrees.map(|n| u64::try_from(n).unwrap_or(0)).sum::<u64>();
            }
        }
        Ok(usize::from(weights[1] < weights[0]))
    }

    /// One level more on a side: where the sides met, and what ran out.
    ///
    /// Both sides are complete to their depths and have not met, so no path is shorter than their sum and one: the first
    /// meeting is a shortest one, also where the level was not read to its end.
    async fn level(&mut self, side: usize) -> Result<(Option<String>, Option<Cut>)> {
        let [from, to] = &mut self.sides;
        let (own, other) = if side == 0 { (from, to) } else { (to, from) };
        let frontier = std::mem::take(&mut own.frontier);
        own.depth += 1;
        for chunk in frontier.chunks(CHUNK) {
            let expanded = self
                .graph
                .expand(self.cx, self.relation, own.along, chunk, &mut self.spent)
                .await?;
            for (node, peers) in chunk.iter().zip(expanded.peers) {
                for peer in peers {
                    if own.seen.contains_key(&peer) {
                        continue;
                    }
                    self.spent.nodes += 1;
                    own.seen.insert(peer.clone(), Some(node.clone()));
                    if other.seen.contains_key(&peer) {
                        return Ok((Some(peer), None));
                    }
                    own.frontier.push(peer);
                }
            }
            if let Some(cut) = expanded.cut {
                return Ok((None, Some(cut)));
            }
        }
        Ok((None, None))
    }
}
