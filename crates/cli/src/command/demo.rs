//! `demo`: a guided minute.

use crate::args::Demo;
use crate::failure::{Exit, Failure};
use crate::models;
use crate::place::Place;
use crate::print::{Screen, Tint, arrow, edge_table, since};
use crate::refusal::{self, Subject};
use crate::target::{DEFAULT_DATA, Target};
use bothways_graph::model::Relation;
use bothways_graph::{Changes, Direction, Done, Edge, Graph, Linked, ListOptions, Receipt};
use bothways_protocol::Context;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Time to read one step. A choice: nine steps make a minute.
const PAUSE: Duration = Duration::from_millis(6_500);
/// How many follow at the same time in the demo.
const AT_ONCE: usize = 16;

/// The stage: one graph, and where to talk.
struct Stage<'s> {
    graph: Graph,
    cx: Context,
    screen: &'s Screen,
    pause: Duration,
    step: u32,
}

/// `demo`.
pub(crate) async fn demo(args: &Demo, screen: &Screen) -> Result<Exit, Failure> {
    let place = Place::memory(None)?;
    let pause = if args.fast || !screen.wants_progress() {
        Duration::ZERO
    } else {
        PAUSE
    };
    let mut stage = Stage::new(&place, "follow", pause, screen).await?;
    screen.line(
        &screen
            .paint()
            .paint(Tint::Strong, "Write each edge once, read it both ways."),
    )?;
    screen.line("A follow graph in one table, on a throw-away database in memory.")?;
    follows(&mut stage).await?;
    let mut school = Stage::new(&place, "school", pause, screen).await?;
    school.step = stage.step;
    students(&mut school).await?;
    drop((stage, school));
    place.close()?;
    screen.line("")?;
    screen.line("Now yours: two terminals.")?;
    screen.line("  bothways serve --memory --sample")?;
    screen.line("  bothways in follow follows bob")?;
    Ok(Exit::Done)
}

async fn follows(stage: &mut Stage<'_>) -> Result<(), Failure> {
    stage
        .say("alice follows bob. One transaction: the edge, and a counter at each end.")
        .await?;
    stage.link("alice", "bob").await?;
    stage
        .say("Say it again. The edge is guarded, so nothing changes; the counters stand still.")
        .await?;
    stage.link("alice", "bob").await?;
    stage
        .say("Whom does alice follow? One Query of the table.")
        .await?;
    stage.link("alice", "carol").await?;
    stage.list("follow", Direction::Out, "alice").await?;
    stage
        .say("Who follows bob? The same items, read through the index.")
        .await?;
    stage.link("dave", "bob").await?;
    stage.list("follow", Direction::In, "bob").await?;
    stage
        .say("Sixteen clients make erin follow bob at the same moment.")
        .await?;
    stage.at_once("erin", "bob").await?;
    stage.say("The counter never drifts from the list.").await?;
    stage.count("bob").await?;
    stage
        .say("A celebrity has 2,500 followers: a page is one Query, and a cursor goes on.")
        .await?;
    stage.sample().await?;
    stage.page("star", 3).await
}

async fn students(stage: &mut Stage<'_>) -> Result<(), Failure> {
    stage
        .say("Students and courses: the grade lives on the edge.")
        .await?;
    stage.sample().await?;
    stage.list("school", Direction::Out, "a91").await?;
    stage
        .say("And the roster of math204, from the course's side.")
        .await?;
    stage.list("school", Direction::In, "math204").await
}

impl<'s> Stage<'s> {
    async fn new(
        place: &Place,
        model: &str,
        pause: Duration,
        screen: &'s Screen,
    ) -> Result<Self, Failure> {
        let loaded = models::load(model)?;
        let graph = Graph::new(Arc::clone(&place.db), loaded.model).map_err(failed)?;
        let cx = Context::default();
        graph.apply(&cx).await.map_err(failed)?;
        Ok(Self {
            graph,
            cx,
            screen,
            pause,
            step: 0,
        })
    }

    fn relation(&self) -> Result<&Relation, Failure> {
        self.graph
            .model()
            .relations
            .first()
            .ok_or_else(|| Failure::no("the model has no relation"))
    }

    /// The next step's heading, after time to read the one before.
    async fn say(&mut self, text: &str) -> Result<(), Failure> {
        if self.step > 0 {
            tokio::time::sleep(self.pause).await;
        }
        self.step += 1;
        self.screen.line("")?;
        let number = self
            .screen
            .paint()
            .paint(Tint::Strong, &self.step.to_string());
        Ok(self.screen.line(&format!("{number}  {text}"))?)
    }

    /// The command that does the same on a server.
    fn command(&self, text: &str) -> Result<(), Failure> {
        let line = format!("   $ bothways {text}");
        Ok(self
            .screen
            .line(&self.screen.paint().paint(Tint::Quiet, &line))?)
    }

    fn receipts(&self, receipts: &[Receipt]) {
        for receipt in receipts {
            self.screen.receipt(&format!("   {receipt}"));
        }
    }

    async fn link(&self, source: &str, target: &str) -> Result<(), Failure> {
        let relation = self.relation()?;
        self.command(&format!("link follow follows {source} {target}"))?;
        let none = Changes::new();
        let linked = self
            .graph
            .link(&self.cx, &relation.name, source, target, &none);
        let done = linked.await.map_err(failed)?;
        let (tint, word, edge, when) = match &done.value {
            Linked::Created(edge) => (Tint::Good, "Created  ", Some(edge), "at"),
            Linked::Unchanged { existing } => (Tint::Quiet, "Unchanged", Some(existing), "since"),
            Linked::Outdated { .. } => (Tint::Warn, "Outdated ", None, ""),
        };
        let when = edge
            .and_then(|edge| since(relation, edge))
            .map(|time| format!("   {when} {time}"))
            .unwrap_or_default();
        let word = self.screen.paint().paint(tint, word);
        self.screen.line(&format!(
            "   {word}  {}{when}",
            arrow(relation, source, target)
        ))?;
        self.receipts(&done.receipts);
        Ok(())
    }

    async fn list(&self, model: &str, direction: Direction, id: &str) -> Result<(), Failure> {
        let relation = self.relation()?;
        self.command(&format!(
            "{} {model} {} {id}",
            direction.as_str(),
            relation.name
        ))?;
        let options = ListOptions::default();
        let list = self
            .graph
            .list(&self.cx, &relation.name, direction, id, &options);
        let done = list.await.map_err(failed)?;
        let edges: Vec<&Edge> = done.value.edges.iter().collect();
        self.screen.line(&format!(
            "   {id} {} {}",
            relation.label(direction),
            edges.len()
        ))?;
        let table = edge_table(relation, direction, &edges, id);
        self.screen.lines(&table.lines(5, self.screen.paint()))?;
        self.receipts(&done.receipts);
        Ok(())
    }

    async fn at_once(&self, source: &'static str, target: &'static str) -> Result<(), Failure> {
        let name = self.relation()?.name.clone();
        let tasks: Vec<_> = (0..AT_ONCE)
            .map(|_| {
                let (graph, cx, name) = (self.graph.clone(), self.cx.clone(), name.clone());
                tokio::spawn(async move {
                    graph
                        .link(&cx, &name, source, target, &Changes::new())
                        .await
                })
            })
            .collect();
        let mut created = 0;
        for task in tasks {
            let done = task.await.map_err(|e| Failure::no(e.to_string()))?;
            let Done { value, .. } = done.map_err(failed)?;
            created += u64::from(matches!(value, Linked::Created(_)));
        }
        let unchanged = AT_ONCE as u64 - created;
        Ok(self
            .screen
            .line(&format!("   {created} Created, {unchanged} Unchanged"))?)
    }

    async fn count(&self, id: &str) -> Result<(), Failure> {
        let relation = self.relation()?;
        self.command(&format!("count follow follows {id}"))?;
        let counts = self
            .graph
            .counts(&self.cx, &relation.name, id, Some(Direction::In));
        let done = counts.await.map_err(failed)?;
        let counter = done.value.inward.unwrap_or_default();
        let options = ListOptions::default();
        let list = self
            .graph
            .list(&self.cx, &relation.name, Direction::In, id, &options);
        let listed = list.await.map_err(failed)?.value.edges.len();
        let label = relation.label(Direction::In);
        self.screen.line(&format!(
            "   {id} {label} {counter}, and the list has {listed}"
        ))?;
        self.receipts(&done.receipts);
        Ok(())
    }

    async fn sample(&self) -> Result<(), Failure> {
        self.graph.load_sample(&self.cx).await.map_err(failed)?;
        Ok(())
    }

    async fn page(&self, id: &str, limit: u32) -> Result<(), Failure> {
        let relation = self.relation()?;
        self.command(&format!("in follow follows {id} --limit {limit}"))?;
        let options = ListOptions {
            limit: Some(limit),
            ..ListOptions::default()
        };
        let list = self
            .graph
            .list(&self.cx, &relation.name, Direction::In, id, &options);
        let done = list.await.map_err(failed)?;
        let edges: Vec<&Edge> = done.value.edges.iter().collect();
        let label = relation.label(Direction::In);
        self.screen
            .line(&format!("   {id} {label} more than {}", edges.len()))?;
        let table = edge_table(relation, Direction::In, &edges, id);
        self.screen.lines(&table.lines(5, self.screen.paint()))?;
        self.receipts(&done.receipts);
        Ok(())
    }
}

fn failed(error: bothways_graph::Error) -> Failure {
    let subject = Subject {
        model: "follow".to_owned(),
        target: Target::Data(PathBuf::from(DEFAULT_DATA)),
        place: String::new(),
    };
    refusal::of_graph(error, &subject)
}
