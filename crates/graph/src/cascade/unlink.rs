//! Many edges of one relation removed: as many in a transaction as fit with their counters.

use crate::ends::{Ends, Move};
use crate::env::operation_id;
use crate::error::{Error, Result};
use crate::jobs::Work;
use crate::link;
use crate::model::Relation;
use crate::receipt::Receipt;
use crate::requests;
use crate::send::Outcome;
use bothways_protocol as protocol;
use bothways_protocol::{ErrorKind, Operation};

/// Edges of one transaction: each takes an action and one on its peer, and all share that of the entity. One hundred
/// actions are allowed (API Reference, `TransactWriteItems`).
const EDGES: usize = 49;

/// Removes edges, given by their ends; answers how many were there.
pub(super) async fn all(
    work: &mut Work<'_>,
    relation: &Relation,
    edges: Vec<(String, String)>,
) -> Result<u64> {
    let mut deleted = 0;
    for edges in edges.chunks(EDGES) {
        deleted += some(work, relation, edges.to_vec()).await?;
    }
    Ok(deleted)
}

/// One transaction; again without those of its edges that are gone.
async fn some(
    work: &mut Work<'_>,
    relation: &Relation,
    mut edges: Vec<(String, String)>,
) -> Result<u64> {
    let graph = work.graph;
    let model = &*graph.model;
    while !edges.is_empty() {
        let mut actions = Vec::with_capacity(edges.len() * 2 + 1);
        let mut ends = Ends::new(model);
        for (source, target) in &edges {
            let key = requests::edge_key(model, relation, source, target)?;
            actions.push(link::delete_edge(model, &key));
            ends.add(relation, source, target, Move::Unlink)?;
        }
        ends.act(&mut actions);
        let token = operation_id(&*graph.env);
        let input = requests::transaction(actions, &token);
        let mut receipt = Receipt::new(Operation::TransactWriteItems, &model.table);
        receipt.count = u64::try_from(edges.len()).unwrap_or(u64::MAX);
        let outcome = graph
            .transact(work.cx, &input, &token, &mut receipt)
            .await?;
        work.sent(receipt);
        let reasons = match outcome {
            Outcome::Committed => return Ok(u64::try_from(edges.len()).unwrap_or(u64::MAX)),
            Outcome::Refused(reasons) => reasons,
        };
        let before = edges.len();
        let mut gone = reasons.iter().map(|r| r.code == "ConditionalCheckFailed");
        edges.retain(|_| !gone.next().unwrap_or(false));
        if edges.len() == before {
            let message = "a removal was refused and none of its edges is at fault";
            let error = protocol::Error::new(ErrorKind::TransactionCanceled, message);
            return Err(Error::from(error));
        }
    }
    Ok(0)
}
