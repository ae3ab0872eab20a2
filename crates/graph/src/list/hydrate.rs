//! The peers of a page, read by key.

use super::EdgePage;
use crate::error::Result;
use crate::fetch::Fetch;
use crate::graph::Graph;
use crate::model::{Direction, Relation};
use crate::read;
use crate::receipt::Done;
use crate::requests;
use bothways_protocol::Context;

impl Graph {
    /// Reads the peers of a page. Edges to a peer that is archived or being deleted go.
    pub(super) async fn hydrate(
        &self,
        cx: &Context,
        relation: &Relation,
        direction: Direction,
        id: &str,
        done: &mut Done<EdgePage>,
    ) -> Result<()> {
        let entity = self.entity(match direction {
            Direction::Out => &relation.to,
            Direction::In => &relation.from,
        })?;
        let page = &mut done.value;
        let mut keys = Vec::with_capacity(page.edges.len());
        for edge in &page.edges {
            // Of an undirected edge either end may be the peer.
            let peer = match direction {
                _ if relation.undirected && edge.source == id => &edge.target,
                _ if relation.undirected => &edge.source,
                Direction::Out => &edge.target,
                Direction::In => &edge.source,
            };
            keys.push(requests::entity_key(&self.model, entity, peer)?);
        }
        let how = Fetch {
            strong: false,
            keys_only: false,
        };
        let mut receipt = self.fetching();
        let items = self.fetch(cx, &keys, how, &mut receipt).await?;
        if receipt.requests > 0 {
            done.receipts.push(receipt);
        }
        let mut edges = std::mem::take(&mut page.edges);
        for (edge, key) in edges.drain(..).zip(keys) {
            let item = items.get(&key);
            let peer = item.and_then(|item| read::entity(&self.model, entity, item));
            if peer
                .as_ref()
                .is_none_or(|p| !p.closed && p.archived.is_none())
            {
                page.edges.push(edge);
                page.peers.push(peer);
            }
        }
        Ok(())
    }
}
