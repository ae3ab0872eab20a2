//! Mounts the workbench on the server.

use crate::args::Serve;
use crate::failure::Failure;
use crate::models;
use crate::place::Place;
use crate::profile::Profile;
use crate::spool::SpoolDirectory;
use crate::target::Target;
use crate::terminal::GuideTerminal;
use bothways_graph::model::shipped_models;
use bothways_graph::sample_edges;
use bothways_protocol::BoxFuture;
use bothways_server::http::{Request, Response};
use bothways_server::{Body, Pages};
use bothways_store::DiskStore;
use bothways_workbench::{Beside, Connection, ConnectionKind, Data, FirstEdge, Live, Shown};
use bytes::Bytes;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::task::JoinSet;

/// The name of the database in this process, in the workbench's addresses.
const LOCAL: &str = "local";

/// The places of profiles that the workbench shows beside the one that is served.
pub(crate) struct Connected(Vec<(Profile, Place)>);

impl Connected {
    /// Opens each. A directory has to be there.
    pub(crate) fn open(names: &[String]) -> Result<Self, Failure> {
        let mut places: Vec<(Profile, Place)> = Vec::new();
        for name in names {
            if name == LOCAL || places.iter().any(|(profile, _)| &profile.name == name) {
                return Err(Failure::usage(format!(
                    "the workbench has a {name:?} already"
                )));
            }
            let target = Target::profile(name)?;
            if let Some(dir) = target.directory().filter(|dir| !DiskStore::is_there(dir)) {
                let dir = dir.display();
                return Err(Failure::usage(format!(
                    "profile {name}: there is no database in {dir}"
                )));
            }
            let place = Place::open(&target)?;
            if let Target::Profile(profile) = target {
                places.push((*profile, place));
            }
        }
        Ok(Self(places))
    }

    /// Closes each.
    pub(crate) fn close(self) -> Result<(), Failure> {
        self.0.into_iter().try_for_each(|(_, place)| place.close())
    }
}

/// The workbench over the database that is served, with the shipped models and those named.
pub(crate) struct Workbench(bothways_workbench::Workbench);

impl Workbench {
    pub(crate) fn new(
        place: &Place,
        target: Option<&Target>,
        connected: &Connected,
        live: &Live,
        args: &Serve,
        jobs: &Jobs,
    ) -> Result<Self, Failure> {
        let dir = target.and_then(Target::directory);
        let mut connections = vec![Connection {
            name: LOCAL.to_owned(),
            kind: ConnectionKind::Embedded,
            detail: dir.map_or_else(|| "memory".to_owned(), |dir| dir.display().to_string()),
            region: String::new(),
            read_only: target.is_some_and(|target| target.read_only().is_some()),
            durable: dir.is_some(),
            db: Arc::clone(&place.db),
            beside: Beside {
                live: Some(live.clone()),
                operator: place.operator.clone(),
                data: data_jobs(place, jobs),
            },
        }];
        connections.extend(connected.0.iter().map(|(profile, place)| Connection {
            name: profile.name.clone(),
            kind: match profile.data {
                Some(_) => ConnectionKind::Embedded,
                None => ConnectionKind::Endpoint,
            },
            detail: profile.detail(),
            region: profile.region.clone().unwrap_or_default(),
            read_only: profile.read_only,
            durable: true,
            db: Arc::clone(&place.db),
            beside: Beside::default(),
        }));
        let shipped = shipped_models().iter().map(|model| model.name.to_owned());
        let mut shown: Vec<Shown> = Vec::new();
        for name in args.model.iter().cloned().chain(shipped) {
            let model = models::load(&name)?.model;
            if shown.iter().all(|s| s.model.name != model.name) {
                shown.push(Shown {
                    firsts: first_edges(&model.name),
                    model,
                });
            }
        }
        let workbench = bothways_workbench::Workbench::new(connections, shown);
        let terminal = Arc::new(GuideTerminal::default());
        let workbench = workbench.with_jobs(jobs.spawner()).with_guides(terminal);
        Ok(Self(workbench))
    }
}

/// Imports and exports of a database in this process.
fn data_jobs(place: &Place, jobs: &Jobs) -> Option<Data> {
    let operator = Arc::clone(place.operator.as_ref()?);
    Some(Data::new(
        Arc::clone(&place.db),
        operator,
        Arc::new(SpoolDirectory::default()),
        jobs.spawner(),
    ))
}

/// The work on jobs that goes on beside the requests.
#[derive(Default)]
pub(crate) struct Jobs(Arc<Mutex<JoinSet<()>>>);

impl Jobs {
    fn spawner(&self) -> bothways_workbench::Spawn {
        let tasks = Arc::clone(&self.0);
        Arc::new(move |work| {
            let mut tasks = tasks.lock().unwrap_or_else(PoisonError::into_inner);
            while tasks.try_join_next().is_some() {}
            tasks.spawn(work);
        })
    }

    /// Ends the work where it is: what was not saved of it is done again by whoever takes the job up.
    pub(crate) async fn end(&self) {
        let mut tasks = {
            let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *tasks)
        };
        tasks.shutdown().await;
    }
}

fn first_edges(model: &str) -> Vec<FirstEdge> {
    sample_edges(model)
        .iter()
        .map(|(relation, source, target)| FirstEdge {
            relation: (*relation).to_owned(),
            source: (*source).to_owned(),
            target: (*target).to_owned(),
        })
        .collect()
}

impl Pages for Workbench {
    fn answer(&self, request: Request<Bytes>) -> BoxFuture<'_, Option<Response<Body>>> {
        Box::pin(async move {
            let answer = self.0.answer(request).await?;
            Some(answer.map(Body::Whole))
        })
    }
}
