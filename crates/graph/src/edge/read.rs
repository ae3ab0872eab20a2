//! Reading edges by their ends.

use super::Edge;
use crate::error::{Error, Result};
use crate::fetch::{BATCH_KEYS, Fetch};
use crate::graph::Graph;
use crate::receipt::Done;
use bothways_protocol::Context;

impl Graph {
    /// Reads one edge: one `GetItem`, strongly consistent.
    ///
    /// # Errors
    /// Ids that cannot be; what the database refuses.
    pub async fn edge(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
    ) -> Result<Done<Option<Edge>>> {
        let subject = self.subject(relation, source, target)?;
        let (item, receipt) = self.get_item(cx, &subject.key, true).await?;
        let edge = item
            .map(|item| self.read_back(subject.relation, &item))
            .transpose()?;
        Ok(Done::new(edge, vec![receipt]))
    }

    /// Whether an edge exists: one `GetItem`, strongly consistent.
    ///
    /// # Errors
    /// As [`Graph::edge`].
    pub async fn exists(
        &self,
        cx: &Context,
        relation: &str,
        source: &str,
        target: &str,
    ) -> Result<Done<bool>> {
        let edge = self.edge(cx, relation, source, target).await?;
        Ok(edge.map(|edge| edge.is_some()))
    }

    /// Reads up to 100 edges of a relation: one `BatchGetItem`, strongly consistent, sent again for keys that it leaves.
    /// Answers come in the order of the pairs; an edge that is not there is `None`. Pairs may repeat.
    ///
    /// # Errors
    /// More than 100 pairs; ids that cannot be; what the database refuses.
    pub async fn edges(
        &self,
        cx: &Context,
        relation: &str,
        pairs: &[(String, String)],
    ) -> Result<Done<Vec<Option<Edge>>>> {
        if pairs.len() > BATCH_KEYS {
            return Err(Error::Option {
                option: "pairs",
                why: format!("are {}, and {BATCH_KEYS} are allowed", pairs.len()),
            });
        }
        let subjects: Vec<_> = pairs
            .iter()
            .map(|(source, target)| self.subject(relation, source, target))
            .collect::<Result<_>>()?;
        let keys: Vec<_> = subjects.iter().map(|s| s.key.clone()).collect();
        let mut receipt = self.fetching();
        let how = Fetch {
            strong: true,
            keys_only: false,
        };
        let found = self.fetch(cx, &keys, how, &mut receipt).await?;
        let edges = subjects.iter().map(|subject| {
            let item = found.get(&subject.key);
            item.map(|item| self.read_back(subject.relation, item))
                .transpose()
        });
        let edges = edges.collect::<Result<_>>()?;
        Ok(Done::new(edges, vec![receipt]))
    }
}
