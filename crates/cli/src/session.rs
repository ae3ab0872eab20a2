//! A command's surroundings: a graph over an open place, and who asks until when.

use crate::args::{Assignment, ChangesArgs, Global};
use crate::explain;
use crate::failure::{Exit, Failure};
use crate::models;
use crate::place::Place;
use crate::print::Screen;
use crate::refusal::{self, Subject};
use crate::report::{self, Report};
use crate::spread::Spread;
use crate::target::Target;
use bothways_graph::model::Attribute;
use bothways_graph::{Changes, Explainer, Graph};
use bothways_protocol::{Context, DynamoDb};
use bothways_store::DiskStore;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long one command that is not a bulk job waits in all, retries included. A choice: longer than any
/// healthy answer, shorter than anybody's patience.
const PATIENCE: Duration = Duration::from_secs(30);

/// What becomes of a directory that is not there, mistyped perhaps.
#[derive(Clone, Copy)]
enum Absent {
    /// It reads as an empty database.
    Empty,
    /// It is an error.
    Refused,
    /// It is made.
    Made,
}

/// Makes a database in a directory, and says so. The directory around it has to be there.
pub(crate) fn make(
    dir: &Path,
    target: &Target,
    buckets: Option<&Path>,
    screen: &Screen,
) -> Result<Place, Failure> {
    if let Some(profile) = target.read_only() {
        return Err(Failure::usage(format!(
            "profile {profile} is read-only, and there is no database in {}",
            dir.display()
        )));
    }
    let around = dir.parent().filter(|dir| !dir.as_os_str().is_empty());
    if let Some(around) = around.filter(|around| !around.is_dir()) {
        let failure = Failure::usage(format!("{} is not there", around.display()));
        return Err(failure.hint(format!("if it is meant so: mkdir -p {}", around.display())));
    }
    let place = Place::with_buckets(target, buckets)?;
    screen.receipt(&format!("made a database in {}", dir.display()));
    Ok(place)
}

/// A graph to work on.
pub(crate) struct Session<'s> {
    /// The operations.
    pub(crate) graph: Graph,
    /// Who asks, until when.
    pub(crate) cx: Context,
    /// Where to print.
    pub(crate) screen: &'s Screen,
    explain: Option<Explainer>,
    place: Place,
    /// The model and the target, for advice.
    pub(crate) subject: Subject,
}

impl<'s> Session<'s> {
    /// Loads the model and opens the target. A directory that is not there, mistyped perhaps, is read as an empty
    /// database and not made.
    pub(crate) fn open(model: &str, global: &Global, screen: &'s Screen) -> Result<Self, Failure> {
        Self::start(model, global, screen, Absent::Empty)
    }

    /// Loads the model and opens the target; a directory that is not there is made.
    pub(crate) fn make(model: &str, global: &Global, screen: &'s Screen) -> Result<Self, Failure> {
        Self::start(model, global, screen, Absent::Made)
    }

    /// Loads the model and opens the target; a directory that is not there is made where this command names it. One
    /// that a variable or a profile names has to be there: nobody is looking at its spelling just now.
    pub(crate) fn fill(model: &str, global: &Global, screen: &'s Screen) -> Result<Self, Failure> {
        let absent = if global.data.is_some() {
            Absent::Made
        } else {
            Absent::Refused
        };
        Self::start(model, global, screen, absent)
    }

    fn start(
        model: &str,
        global: &Global,
        screen: &'s Screen,
        absent: Absent,
    ) -> Result<Self, Failure> {
        let loaded = models::load(model)?;
        let problems = loaded.model.check(Some(&loaded.source)).problems;
        if let Some(problem) = problems.into_iter().next() {
            return Err(models::of_problem(problem));
        }
        let target = Target::resolve(global)?;
        let explain = global.explain.then(|| Explainer::new(&loaded.model));
        let missing = target.directory().filter(|dir| !DiskStore::is_there(dir));
        // What is only explained needs no database.
        let place = match (missing, absent) {
            _ if global.explain => Place::memory(None)?,
            (Some(_), Absent::Empty) => Place::memory(None)?,
            (Some(dir), Absent::Refused) => {
                let dir = dir.display();
                return Err(
                    Failure::usage(format!("there is no database in {dir}")).hint(format!(
                        "make it: bothways model apply {model} --data {dir}"
                    )),
                );
            }
            (Some(dir), Absent::Made) => make(dir, &target, None, screen)?,
            (None, _) => Place::open(&target)?,
        };
        let subject = Subject {
            model: model.to_owned(),
            target,
            place: screen.place().to_owned(),
        };
        let graph = if let Some(explainer) = &explain {
            explainer.graph(loaded.model)
        } else {
            let db: Arc<dyn DynamoDb> = Arc::new(Spread(Arc::clone(&place.db)));
            Graph::new(db, loaded.model)
        };
        Ok(Self {
            graph: graph.map_err(|e| refusal::of_graph(e, &subject))?,
            cx: Context {
                deadline: Some(Instant::now() + PATIENCE),
                ..Context::default()
            },
            screen,
            explain,
            place,
            subject,
        })
    }

    /// Whether nothing may be written here.
    pub(crate) fn is_read_only(&self) -> bool {
        self.subject.target.read_only().is_some()
    }

    /// Who asks, for work that may take hours; each of its requests is bounded by the layers below.
    pub(crate) fn unhurried(&self) -> Context {
        Context {
            deadline: None,
            ..self.cx.clone()
        }
    }

    /// Prints what an operation answered, or the request that it would have sent; then closes the place.
    pub(crate) fn answer<R: Report>(
        self,
        result: bothways_graph::Result<R>,
    ) -> Result<Exit, Failure> {
        let explained = self.explain.as_ref().map(Explainer::take);
        let printed = match (result, explained) {
            // What comes of an operation that was not sent says nothing.
            (_, Some(explained)) if explained.times() > 0 => {
                explain::print_all(self.screen, &explained).map(|()| Exit::Done)
            }
            (Err(error), _) => Err(refusal::of_graph(error, &self.subject)),
            (Ok(report), _) => report::print(self.screen, &report),
        };
        let closed = self.close();
        let exit = printed?;
        closed.map(|()| exit)
    }

    /// Whether nothing is sent, and what would be is printed.
    pub(crate) fn explains(&self) -> bool {
        self.explain.is_some()
    }

    /// Prints what would have been sent; then closes the place.
    pub(crate) fn explain(self) -> Result<Exit, Failure> {
        let explained = self.explain.as_ref().map(Explainer::take);
        explain::print_all(self.screen, &explained.unwrap_or_default())?;
        self.close().map(|()| Exit::Done)
    }

    /// Closes the place.
    pub(crate) fn close(self) -> Result<(), Failure> {
        drop(self.graph);
        self.place.close()
    }
}

/// Attributes from the command line, typed as written down or as the model says.
pub(crate) fn changes(declared: &[Attribute], args: &ChangesArgs) -> Result<Changes, Failure> {
    let mut changes = attributes(declared, &args.attributes)?;
    for name in &args.remove {
        changes.push(name.clone(), None);
    }
    Ok(changes)
}

/// Attributes to set.
pub(crate) fn attributes(declared: &[Attribute], given: &[Assignment]) -> Result<Changes, Failure> {
    let mut changes = Changes::new();
    for assignment in given {
        let (name, value) = assignment.read(declared).map_err(Failure::usage)?;
        changes.push(name, Some(value));
    }
    Ok(changes)
}
