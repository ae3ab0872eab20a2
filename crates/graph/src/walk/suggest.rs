//! Friends of friends whom a node does not point at yet, those with most friends in common first.

use super::WIDTH;
use crate::edge::Edge;
use crate::error::Result;
use crate::fetch::{BATCH_KEYS, Fetch};
use crate::flight::Flight;
use crate::graph::Graph;
use crate::keys::escape;
use crate::limits::{Cut, Limits, Spent};
use crate::list::ListOptions;
use crate::model::{Direction, Relation};
use crate::receipt::Done;
use crate::requests;
use bothways_protocol::Context;
use std::collections::{HashMap, HashSet};

/// Friends named as the reason for a suggestion.
const THROUGH: usize = 3;

/// How to suggest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestOptions {
    /// Most suggestions, at most 100.
    pub limit: u32,
    /// Most friends that are asked.
    pub friends: u32,
    /// Most edges that are read of each.
    pub each: u32,
    /// Most that all of it takes.
    pub limits: Limits,
}

impl Default for SuggestOptions {
    fn default() -> Self {
        Self {
            limit: 10,
            friends: 200,
            each: 200,
            limits: Limits::default(),
        }
    }
}

/// A suggestion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Who.
    pub id: String,
    /// How many of the friends asked point there.
    pub count: u64,
    /// The first few of them, by id.
    pub through: Vec<String>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestions {
    /// Most friends in common first, then by id.
    pub found: Vec<Suggestion>,
    /// Not every friend was asked, or not for all: the counts are of those that were.
    pub capped: bool,
    /// What ran out.
    pub cut: Option<Cut>,
}

/// The first of a list.
#[derive(Default)]
struct First {
    peers: Vec<String>,
    /// There are more.
    more: bool,
}

/// What friends answered.
#[derive(Default)]
struct Asked {
    by_id: HashMap<String, Vec<String>>,
    capped: bool,
    cut: Option<Cut>,
}

impl Graph {
    /// Suggests whom a node might point at: whom those point at whom it points at.
    ///
    /// # Errors
    /// A relation of two kinds of entities; ids that cannot be; what the database refuses.
    pub async fn suggest(
        &self,
        cx: &Context,
        relation: &str,
        id: &str,
        options: &SuggestOptions,
    ) -> Result<Done<Suggestions>> {
        let relation = self.walkable(relation)?;
        let mut spent = Spent::new(&*self.env, cx, &options.limits);
        let limit = options.limit.clamp(1, 100) as usize;
        let Done { value, receipts } = self.first(cx, relation, id, options.friends).await?;
        spent.edges += value.peers.len() as u64;
        spent.add(receipts);
        let (friends, more_friends) = (value.peers, value.more);
        let mut asked = self
            .ask(cx, relation, &friends, options.each, &mut spent)
            .await?;
        let known: HashSet<&String> = friends.iter().collect();
        asked
            .by_id
            .retain(|candidate, _| candidate != id && !known.contains(candidate));
        let mut found: Vec<Suggestion> = asked
            .by_id
            .into_iter()
            .map(|(id, mut through)| {
                let count = through.len() as u64;
                through.sort_by(|a, b| escape(a).cmp(&escape(b)));
                through.truncate(THROUGH);
                Suggestion { id, count, through }
            })
            .collect();
        found.sort_by(|a, b| {
            let by_id = || escape(&a.id).cmp(&escape(&b.id));
            b.count.cmp(&a.count).then_with(by_id)
        });
        if more_friends {
            // Some may be friends that were not read.
            found.truncate(BATCH_KEYS.max(limit));
            self.drop_friends(cx, relation, id, &mut found, &mut spent)
                .await?;
        }
        found.truncate(limit);
        let suggestions = Suggestions {
            found,
            capped: asked.capped || more_friends,
            cut: asked.cut,
        };
        Ok(Done::new(suggestions, spent.receipts()))
    }

    /// The first of those whom a node points at, itself left out. A page may be short, so there may be several.
    async fn first(
        &self,
        cx: &Context,
        relation: &Relation,
        id: &str,
        most: u32,
    ) -> Result<Done<First>> {
        let mut first = First::default();
        let (mut receipts, mut after) = (Vec::new(), None);
        let mut left = most.max(1);
        loop {
            let options = ListOptions {
                limit: Some(left),
                after,
                ..ListOptions::default()
            };
            let page = self
                .list(cx, &relation.name, Direction::Out, id, &options)
                .await?;
            receipts.extend(page.receipts);
            let read = u32::try_from(page.value.edges.len()).unwrap_or(left);
            left = left.saturating_sub(read);
            first.peers.extend(others(page.value.edges, id));
            after = page.value.next;
            if after.is_none() || left == 0 {
                first.more = after.is_some();
                return Ok(Done::new(first, receipts));
            }
        }
    }

    /// Whom friends point at, each with the friends that do.
    async fn ask(
        &self,
        cx: &Context,
        relation: &Relation,
        friends: &[String],
        each: u32,
        spent: &mut Spent<'_>,
    ) -> Result<Asked> {
        let mut asked = Asked::default();
        let mut waiting = friends.iter();
        let mut flight: Flight<'_, &String, Result<Done<First>>> = Flight::new();
        loop {
            while asked.cut.is_none() && flight.len() < WIDTH {
                let Some(friend) = waiting.next() else { break };
                asked.cut = spent.cut();
                if asked.cut.is_some() {
                    break;
                }
                let first = self.first(cx, relation, friend, each);
                flight.launch(friend, Box::pin(first));
            }
            let Some((friend, first)) = flight.land().await else {
                return Ok(asked);
            };
            let Done { value, receipts } = first?;
            spent.add(receipts);
            spent.edges += value.peers.len() as u64;
            asked.capped |= value.more;
            for candidate in value.peers {
                asked
                    .by_id
                    .entry(candidate)
                    .or_default()
                    .push(friend.clone());
            }
        }
    }

    /// Drops whom the node points at already.
    async fn drop_friends(
        &self,
        cx: &Context,
        relation: &Relation,
        id: &str,
        found: &mut Vec<Suggestion>,
        spent: &mut Spent<'_>,
    ) -> Result<()> {
        let mut keys = Vec::with_capacity(found.len());
        for suggestion in found.iter() {
            let (source, target) = requests::ends(relation, id, &suggestion.id);
            keys.push(requests::edge_key(&self.model, relation, source, target)?);
        }
        let how = Fetch {
            strong: false,
            keys_only: true,
        };
        let mut receipt = self.fetching();
        let there = self.fetch(cx, &keys, how, &mut receipt).await?;
        spent.add([receipt]);
        let mut keys = keys.iter();
        found.retain(|_| keys.next().is_some_and(|key| !there.contains_key(key)));
        Ok(())
    }
}

/// The other ends of edges, the node itself left out.
fn others(edges: Vec<Edge>, id: &str) -> Vec<String> {
    let other = edges.into_iter().map(|edge| {
        if edge.source == id {
            edge.target
        } else {
            edge.source
        }
    });
    other.filter(|other| other != id).collect()
}
