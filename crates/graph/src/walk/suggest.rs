//! Friends of friends whom a node does not point at yet, those with most friends in common first.

use super::WIDTH;
use crate::error::Result;
use crate::fetch::{BATCH_KEYS, Fetch};
use crate::flight::Flight;
use crate::graph::Graph;
use crate::keys::escape;
use crate::limits::{Cut, Limits, Spent};
use crate::list::{EdgePage, ListOptions};
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
        let first = ListOptions {
            limit: Some(options.friends.max(1)),
            ..ListOptions::default()
        };
        let page = self
            .list(cx, &relation.name, Direction::Out, id, &first)
            .await?;
        spent.edges += page.value.edges.len() as u64;
        spent.add(page.receipts);
        let more_friends = page.value.next.is_some();
        let friends = others(page.value, id);
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
        let options = ListOptions {
            limit: Some(each.max(1)),
            ..ListOptions::default()
        };
        let options = &options;
        let mut waiting = friends.iter();
        let mut flight: Flight<'_, &String, Result<Done<EdgePage>>> = Flight::new();
        loop {
            while asked.cut.is_none() && flight.len() < WIDTH {
                let Some(friend) = waiting.next() else { break };
                asked.cut = spent.cut();
                if asked.cut.is_some() {
                    break;
                }
                let page = async move {
                    self.list(cx, &relation.name, Direction::Out, friend, options)
                        .await
                };
                flight.launch(friend, Box::pin(page));
            }
            let Some((friend, page)) = flight.land().await else {
                return Ok(asked);
            };
            let Done { value, receipts } = page?;
            spent.add(receipts);
            spent.edges += value.edges.len() as u64;
            asked.capped |= value.next.is_some();
            for candidate in others(value, friend) {
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

/// The other ends of a page's edges, the node itself left out.
fn others(page: EdgePage, id: &str) -> Vec<String> {
    let other = page.edges.into_iter().map(|edge| {
        if edge.source == id {
            edge.target
        } else {
            edge.source
        }
    });
    other.filter(|other| other != id).collect()
}
