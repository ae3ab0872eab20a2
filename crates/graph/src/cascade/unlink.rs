//! Many edges of one relation removed: as many in a transaction as fit with their counters.

use crate::ends::{Ends, Move};
use crate::env::operation_id;
use crate::error::{Error, Result};
use crate::guard::Guard;
use crate::jobs::Work;
use crate::link;
use crate::model::Relation;
use crate::receipt::Receipt;
use crate::requests;
use crate::send::{Attempts, Outcome};
use crate::shard::Route;
use bothways_protocol as protocol;
use bothways_protocol::{ErrorKind, Operation};

/// Edges of one transaction: each takes an action and one on its peer, and all share that of the entity. One hundred
/// actions are allowed (API Reference, `TransactWriteItems`).
const EDGES: usize = 49;
/// Actions of one transaction.
const ACTIONS: usize = 100;
/// Attempts by another map before somebody else is thought to change it all the time.
const ROUNDS: u32 = 32;

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
    let mut rest = Vec::new();
    let mut deleted = 0;
    let mut rounds = 0;
    while !edges.is_empty() {
        let mut actions = Vec::with_capacity(edges.len() * 2 + 1);
        let mut ends = Ends::new(model);
        let mut attempts = Attempts::new(&*graph.env, work.cx);
        let mut reads = Vec::new();
        for (source, target) in &edges {
            let key = requests::edge_key(model, relation, source, target)?;
            let route = graph
                .route_back(work.cx, relation, &key, target, &mut attempts, &mut reads)
                .await?;
            actions.push(match route {
                Route::Mapped {
                    part,
                    counted: true,
                } => {
                    let guard = Guard::exists(model).in_part(model, relation, target, part);
                    link::delete_guarded(model, &key, guard)
                }
                _ => link::delete_edge(model, &key),
            });
            ends.add(relation, source, target, Move::Unlink, route)?;
        }
        let acting = ends.act(&mut actions);
        for read in reads {
            work.sent(read);
        }
        if actions.len() > ACTIONS && edges.len() > 1 {
            // The counters of shards take actions of their own.
            rest.extend(edges.split_off(edges.len() / 2));
            continue;
        }
        let token = operation_id(&*graph.env);
        let input = requests::transaction(actions, &token);
        let mut receipt = Receipt::new(Operation::TransactWriteItems, &model.table);
        receipt.count = u64::try_from(edges.len()).unwrap_or(u64::MAX);
        let outcome = graph
            .transact(work.cx, &input, &token, &mut receipt)
            .await?;
        work.sent(receipt);
        let reasons = match outcome {
            Outcome::Committed => {
                deleted += u64::try_from(edges.len()).unwrap_or(u64::MAX);
                edges = std::mem::take(&mut rest);
                continue;
            }
            Outcome::Refused(reasons) => reasons,
        };
        let before = edges.len();
        let mut reads = Vec::new();
        let misrouted = graph
            .misrouted_ends(work.cx, &acting, &reasons, before, &mut reads)
            .await?;
        for read in reads {
            work.sent(read);
        }
        rounds += 1;
        if misrouted && rounds < ROUNDS {
            continue;
        }
        let mut gone = reasons.iter().map(|r| r.code == "ConditionalCheckFailed");
        edges.retain(|_| !gone.next().unwrap_or(false));
        if edges.len() == before {
            let message = "a removal was refused and none of its edges is at fault";
            let error = protocol::Error::new(ErrorKind::TransactionCanceled, message);
            return Err(Error::from(error));
        }
        if edges.is_empty() {
            edges = std::mem::take(&mut rest);
        }
    }
    Ok(deleted)
}
