//! Walks: neighbourhoods, shortest paths, suggestions. Each hop is a list; several are read at a time.
//!
//! A walk takes no more than its limits say, and then answers with what it has and says what ran out. It reads edges
//! only: nodes that are archived or being deleted are walked through like others.

mod near;
mod path;
mod suggest;

pub use near::{MAX_DEPTH, Near, NearOptions, Reached};
pub use path::{MAX_LENGTH, Path, PathOptions};
pub use suggest::{SuggestOptions, Suggestion, Suggestions};

use crate::error::{Error, Result};
use crate::flight::Flight;
use crate::graph::Graph;
use crate::limits::{Cut, Spent};
use crate::list::{EdgePage, ListOptions};
use crate::model::{Direction, Relation};
use crate::receipt::Done;
use bothways_protocol::Context;
use std::collections::VecDeque;

/// Lists that are read at a time.
const WIDTH: usize = 8;
/// Most edges of one page: about 100 KB.
const PAGE: u64 = 1000;

/// Which way a walk goes along edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Along {
    /// From source to target.
    #[default]
    Out,
    /// From target to source.
    In,
    /// Either way. Edges of an undirected relation are always walked so.
    Both,
}

impl Along {
    /// `out`, `in` or `both`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Out => "out",
            Self::In => "in",
            Self::Both => "both",
        }
    }

    /// The same way, seen from the other end.
    const fn back(self) -> Self {
        match self {
            Self::Out => Self::In,
            Self::In => Self::Out,
            Self::Both => Self::Both,
        }
    }

    /// The lists that are read at a node.
    fn lists(self, relation: &Relation) -> &'static [Direction] {
        match self {
            // One list has both.
            _ if relation.undirected => &[Direction::Out],
            Self::Out => &[Direction::Out],
            Self::In => &[Direction::In],
            Self::Both => &[Direction::Out, Direction::In],
        }
    }
}

/// A list to read, or to read on.
struct Task {
    node: usize,
    direction: Direction,
    after: Option<String>,
}

/// What reading the peers of nodes gave.
struct Expanded {
    /// The peers of each node, in the order of its lists.
    peers: Vec<Vec<String>>,
    cut: Option<Cut>,
}

impl Graph {
    /// A relation that can be walked along: both its ends are entities of one kind.
    fn walkable(&self, relation: &str) -> Result<&Relation> {
        let relation = self.relation(relation)?;
        if relation.from == relation.to {
            return Ok(relation);
        }
        Err(Error::Option {
            option: "relation",
            why: format!(
                "joins two kinds of entities, {} and {}: a walk needs one",
                relation.from, relation.to
            ),
        })
    }

    /// Reads the peers of nodes, several lists at a time.
    async fn expand(
        &self,
        cx: &Context,
        relation: &Relation,
        along: Along,
        nodes: &[String],
        spent: &mut Spent<'_>,
    ) -> Result<Expanded> {
        let lists = along.lists(relation);
        let mut tasks: VecDeque<Task> = (0..nodes.len())
            .flat_map(|node| {
                lists.iter().map(move |direction| Task {
                    node,
                    direction: *direction,
                    after: None,
                })
            })
            .collect();
        // By node and list, so that the order does not depend on who answers first.
        let mut read: Vec<Vec<Vec<String>>> = vec![vec![Vec::new(); lists.len()]; nodes.len()];
        let mut cut = None;
        let mut flight: Flight<'_, Task, Result<Done<EdgePage>>> = Flight::new();
        loop {
            while cut.is_none() && flight.len() < WIDTH && !tasks.is_empty() {
                cut = spent.cut();
                if cut.is_some() {
                    break;
                }
                let Some(task) = tasks.pop_front() else { break };
                let limit = spent.edges_left().clamp(1, PAGE);
                let options = ListOptions {
                    limit: u32::try_from(limit).ok(),
                    after: task.after.clone(),
                    ..ListOptions::default()
                };
                let (direction, id) = (task.direction, &nodes[task.node]);
                let page =
                    async move { self.list(cx, &relation.name, direction, id, &options).await };
                flight.launch(task, Box::pin(page));
            }
            let Some((task, page)) = flight.land().await else {
                break;
            };
            let Done { value, receipts } = page?;
            spent.add(receipts);
            spent.edges += value.edges.len() as u64;
            let list = lists.iter().position(|d| *d == task.direction).unwrap_or(0);
            let id = &nodes[task.node];
            let peers = value.edges.into_iter().map(|edge| {
                // Of an undirected edge either end may be the peer.
                if edge.source == *id {
                    edge.target
                } else {
                    edge.source
                }
            });
            read[task.node][list].extend(peers);
            if value.next.is_some() {
                tasks.push_front(Task {
                    after: value.next,
                    ..task
                });
            }
        }
        Ok(Expanded {
            peers: read.into_iter().map(|lists| lists.concat()).collect(),
            cut,
        })
    }
}
