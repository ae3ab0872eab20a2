//! Many edges of one relation removed, as many in a transaction as fit with their counters.

use crate::edge::{BatchAnswer, BatchEdge, Unlinked};
use crate::error::Result;
use crate::jobs::Work;
use crate::model::Relation;

/// Removes edges, given by their ends; answers how many were there.
pub(super) async fn all(
    work: &mut Work<'_>,
    relation: &Relation,
    edges: Vec<(String, String)>,
) -> Result<u64> {
    let unlink = |(source, target)| BatchEdge {
        relation: relation.name.clone(),
        source,
        target,
        link: None,
    };
    let edges: Vec<BatchEdge> = edges.into_iter().map(unlink).collect();
    let done = work.graph.batch(work.cx, &edges).await?;
    for receipt in done.receipts {
        work.sent(receipt);
    }
    let (mut removed, mut failed) = (0, None);
    for answer in done.value {
        match answer {
            BatchAnswer::Unlinked(Unlinked::Removed) => removed += 1,
            BatchAnswer::Failed(error) => failed = failed.or(Some(error)),
            BatchAnswer::Unlinked(_) | BatchAnswer::Linked(_) => {}
        }
    }
    failed.map_or(Ok(removed), Err)
}
