//! The skew of a file before it is loaded: which keys would be hot, and over how many shards they should be spread.

use super::lines::Lines;
use super::rows::Rows;
use super::{ImportObserver, ImportOptions, ImportSource};
use crate::error::Result;
use crate::graph::Graph;
use crate::model::{MAX_SHARDS, Relation};
use std::collections::HashMap;

/// Ids counted at a time. In a file with more, the rare ones are forgotten and the counts of the others are a little low.
const IDS: usize = 200_000;
/// Writes that one index key takes in a second (Developer Guide, "Best practices for designing and using partition keys
/// effectively").
const KEY_WRITES: u64 = 1_000;

/// An id with many edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skewed {
    /// The id.
    pub id: String,
    /// Edges of it in the file, at least.
    pub edges: u64,
    /// Shards that it should have while the file is loaded: 1 is the plain key.
    pub shards: u32,
}

/// What a file's edges are like.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SkewReport {
    /// Rows read.
    pub rows: u64,
    /// Rows that an import would reject.
    pub rejected: u64,
    /// Edges a second that the shards are meant for.
    pub rate: u32,
    /// The targets with the most edges, most first.
    pub targets: Vec<Skewed>,
    /// The sources with the most edges, most first. They have no shards: their lists are partitions of the table.
    pub sources: Vec<Skewed>,
    /// The counts are exact: the file does not have too many ids.
    pub exact: bool,
    /// The relation's rule allows shards.
    pub may_shard: bool,
}

/// Counts ids within bounds: those with more than 1 / [`IDS`] of the rows stay (Misra and Gries).
#[derive(Default)]
struct Heavy {
    counts: HashMap<String, u64>,
    forgot: bool,
}

impl Heavy {
    fn add(&mut self, id: String) {
        *self.counts.entry(id).or_default() += 1;
        if self.counts.len() > 2 * IDS {
            let mut all: Vec<u64> = self.counts.values().copied().collect();
            let (_, least, _) = all.select_nth_unstable(IDS);
            let least = *least;
            self.counts.retain(|_, count| {
                *count = count.saturating_sub(least);
                *count > 0
            });
            self.forgot = true;
        }
    }

    fn top(self, most: usize, shards: impl Fn(u64) -> u32) -> Vec<Skewed> {
        let mut all: Vec<(String, u64)> = self.counts.into_iter().collect();
        all.sort_unstable_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
        let top = all.into_iter().take(most);
        top.map(|(id, edges)| Skewed {
            shards: shards(edges),
            id,
            edges,
        })
        .collect()
    }
}

/// Shards for a target that has this part of all rows, at a rate of loading.
fn shards(relation: &Relation, rate: u32, edges: u64, rows: u64) -> u32 {
    let most = relation
        .shard
        .as_ref()
        .map_or(1, |rule| rule.max.min(MAX_SHARDS));
    let a_second = u64::from(rate).saturating_mul(edges).div_ceil(rows.max(1));
    let wanted = u32::try_from(a_second.div_ceil(KEY_WRITES)).unwrap_or(u32::MAX);
    let wanted = wanted.max(1).checked_next_power_of_two().unwrap_or(most);
    // A target of a few thousand edges is through before anything could be spread.
    if edges < 10 * KEY_WRITES {
        1
    } else {
        wanted.min(most)
    }
}

impl Graph {
    /// Reads a file as [`Graph::import`] would, writes nothing, and tells which ids have how many of its edges, and how many
    /// shards the targets should have for the edges to be loaded at `rate` a second. `most` of each side are told.
    ///
    /// # Errors
    /// A file that cannot be read or whose columns do not fit.
    pub fn skew(
        &self,
        relation: &str,
        source: ImportSource<'_>,
        options: &ImportOptions,
        rate: u32,
        most: usize,
        observer: &mut dyn ImportObserver,
    ) -> Result<SkewReport> {
        let relation = self.relation(relation)?;
        let lines = Lines::new(&source.name, source.reader, options.comment);
        let mut rows = Rows::new(&self.model, relation, &source.name, lines, options);
        let (mut targets, mut sources) = (Heavy::default(), Heavy::default());
        while let Some(window) = rows.window(options, options.window_rows(), observer)? {
            for row in window {
                targets.add(row.target);
                sources.add(row.source);
            }
            if observer.stop() {
                break;
            }
        }
        let all = rows.count;
        Ok(SkewReport {
            rows: all,
            rejected: rows.rejected,
            rate,
            exact: !targets.forgot && !sources.forgot,
            may_shard: relation.shard.is_some(),
            targets: targets.top(most, |edges| shards(relation, rate, edges, all)),
            sources: sources.top(most, |_| 1),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shipped;

    #[test]
    fn hot_targets_get_shards_and_others_none() {
        let model = shipped("follow").unwrap().model;
        let follows = model.relation("follows").unwrap();
        for (rate, edges, rows, want) in [
            (5_000, 1_000_000, 1_000_000, 8),
            (5_000, 500_000, 1_000_000, 4),
            (5_000, 100_000, 1_000_000, 1),
            (1_000_000, 1_000_000, 1_000_000, 256),
            (5_000, 2_000, 2_000, 1),
        ] {
            assert_eq!(
                shards(follows, rate, edges, rows),
                want,
                "{edges} of {rows}"
            );
        }
    }

    #[test]
    fn what_is_frequent_is_never_forgotten() {
        let mut heavy = Heavy::default();
        for i in 0..1_000_000_u32 {
            heavy.add(if i % 10 == 0 {
                "hot".to_owned()
            } else {
                i.to_string()
            });
        }
        assert!(heavy.forgot && heavy.counts.len() <= 2 * IDS);
        let top = heavy.top(1, |_| 1);
        assert_eq!(top[0].id, "hot");
        assert!(
            (90_000..=100_000).contains(&top[0].edges),
            "{}",
            top[0].edges
        );
    }
}
