//! Who is within a few hops.

use super::Along;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::keys::escape;
use crate::limits::{Cut, Limits, Spent};
use crate::receipt::Done;
use crate::requests;
use bothways_protocol::Context;
use std::collections::HashSet;

/// Most hops of a neighbourhood: what is within four is nearly everybody.
pub const MAX_DEPTH: u32 = 3;

/// How to look around.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearOptions {
    /// Which way.
    pub along: Along,
    /// Hops, 1 to [`MAX_DEPTH`].
    pub depth: u32,
    /// Most that it takes.
    pub limits: Limits,
}

impl Default for NearOptions {
    fn default() -> Self {
        Self {
            along: Along::Out,
            depth: 2,
            limits: Limits::default(),
        }
    }
}

/// A node that was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// The node.
    pub id: String,
    /// Fewest hops to it.
    pub distance: u32,
    /// The node before it.
    pub via: String,
}

/// A neighbourhood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Near {
    /// The nodes, nearest first, then by id. The node itself is not among them.
    pub nodes: Vec<Reached>,
    /// What ended it early. What was found is right; there may be more.
    pub cut: Option<Cut>,
}

impl Graph {
    /// The nodes within a few hops of a node: breadth first, one list per node.
    ///
    /// # Errors
    /// A depth beyond [`MAX_DEPTH`]; a relation of two kinds of entities; ids that cannot be; what the database refuses.
    pub async fn near(
        &self,
        cx: &Context,
        relation: &str,
        id: &str,
        options: &NearOptions,
    ) -> Result<Done<Near>> {
        let relation = self.walkable(relation)?;
        requests::edge_key(&self.model, relation, id, id)?;
        if !(1..=MAX_DEPTH).contains(&options.depth) {
            return Err(Error::Option {
                option: "depth",
                why: format!("is {}: 1 to {MAX_DEPTH}", options.depth),
            });
        }
        let mut spent = Spent::new(&*self.env, cx, &options.limits);
        let mut seen: HashSet<String> = HashSet::from([id.to_owned()]);
        let mut near = Near {
            nodes: Vec::new(),
            cut: None,
        };
        let mut frontier = vec![id.to_owned()];
        for distance in 1..=options.depth {
            let expanded = self
                .expand(cx, relation, options.along, &frontier, &mut spent)
                .await?;
            near.cut = expanded.cut;
            let mut level: Vec<Reached> = Vec::new();
            for (via, peers) in frontier.iter().zip(expanded.peers) {
                for peer in peers {
                    if seen.contains(&peer) {
                        continue;
                    }
                    if spent.nodes >= options.limits.nodes {
                        near.cut = near.cut.or(Some(Cut::Nodes));
                        break;
                    }
                    spent.nodes += 1;
                    seen.insert(peer.clone());
                    level.push(Reached {
                        id: peer,
                        distance,
                        via: via.clone(),
                    });
                }
            }
            level.sort_by(|a, b| escape(&a.id).cmp(&escape(&b.id)));
            frontier = level.iter().map(|reached| reached.id.clone()).collect();
            near.nodes.extend(level);
            if near.cut.is_some() || frontier.is_empty() {
                break;
            }
        }
        Ok(Done::new(near, spent.receipts()))
    }
}
