//! Mounts the workbench on the server.

use crate::args::Serve;
use crate::failure::Failure;
use crate::models;
use crate::place::Place;
use bothways_graph::model::shipped_models;
use bothways_graph::sample_edge;
use bothways_protocol::BoxFuture;
use bothways_server::http::{Request, Response};
use bothways_server::{Body, Pages};
use bothways_workbench::{Connection, ConnectionKind, FirstEdge, Shown};
use bytes::Bytes;
use std::path::Path;
use std::sync::Arc;

/// The name of the database in this process, in the workbench's addresses.
const LOCAL: &str = "local";

/// The workbench over the database that is served, with the shipped models and those named.
pub(crate) struct Workbench(bothways_workbench::Workbench);

impl Workbench {
    pub(crate) fn new(place: &Place, dir: Option<&Path>, args: &Serve) -> Result<Self, Failure> {
        let local = Connection {
            name: LOCAL.to_owned(),
            kind: ConnectionKind::Embedded,
            detail: dir.map_or_else(|| "memory".to_owned(), |dir| dir.display().to_string()),
            region: String::new(),
            read_only: false,
            durable: dir.is_some(),
            db: Arc::clone(&place.db),
        };
        let shipped = shipped_models().iter().map(|model| model.name.to_owned());
        let mut shown: Vec<Shown> = Vec::new();
        for name in args.model.iter().cloned().chain(shipped) {
            let model = models::load(&name)?.model;
            if shown.iter().all(|s| s.model.name != model.name) {
                shown.push(Shown {
                    first: first_edge(&model.name),
                    model,
                });
            }
        }
        Ok(Self(bothways_workbench::Workbench::new(vec![local], shown)))
    }
}

fn first_edge(model: &str) -> Option<FirstEdge> {
    let (relation, source, target) = sample_edge(model)?;
    Some(FirstEdge {
        relation: relation.to_owned(),
        source: source.to_owned(),
        target: target.to_owned(),
    })
}

impl Pages for Workbench {
    fn answer(&self, request: Request<Bytes>) -> BoxFuture<'_, Option<Response<Body>>> {
        Box::pin(async move {
            let answer = self.0.answer(request).await?;
            Some(answer.map(Body::Whole))
        })
    }
}
