//! `copy`.

use crate::args::{Copy as CopyArgs, Global};
use crate::explain;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::models;
use crate::place::Place;
use crate::print::{Paint, Progress, Screen, Tint, plural, shell_word, span};
use crate::refusal::{self, Subject};
use crate::report::{self, Advice, Report};
use crate::session;
use crate::spread::Spread;
use crate::target::Target;
use bothways_copy::{Compared, CopyError, Difference, Options, Report as Copied, Side, Step};
use bothways_core::Item;
use bothways_graph::Graph;
use bothways_graph::model::Model;
use bothways_protocol::types::ListTablesInput;
use bothways_protocol::{Context, DynamoDb, DynamoDbExt};
use bothways_store::DiskStore;
use serde_json::{Map, Value as Json, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// `copy`: the table of a model, or a table, from the place of the options to another.
pub(crate) async fn copy(
    args: &CopyArgs,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    explain::refuse(global, "copy")?;
    let model = args.model.as_deref().map(models::load).transpose()?;
    let model = model.map(|loaded| loaded.model);
    let table = match (&model, &args.table) {
        (Some(model), _) => model.table.clone(),
        (None, Some(table)) => table.clone(),
        (None, None) => return Err(Failure::usage("a model or --table is needed")),
    };
    let (from, to) = (Target::resolve(global)?, Target::destination(&args.to)?);
    if from == to {
        return Err(Failure::usage(format!("{from} is where it is already")));
    }
    if let Some(profile) = to.read_only() {
        return Err(Failure::usage(format!("profile {profile} is read-only")));
    }
    let source = existing(&from)?;
    let (destination, made) = match to.directory() {
        Some(dir) if !DiskStore::is_there(dir) => {
            let new = !dir.exists();
            let place = session::make(dir, &to, None, screen)?;
            (place, new.then(|| dir.to_owned()))
        }
        _ => (Place::open(&to)?, None),
    };
    let subject = Subject {
        model: args.model.clone().unwrap_or_else(|| table.clone()),
        target: from.clone(),
        place: screen.place().to_owned(),
    };
    let result = run(
        args,
        &table,
        model,
        (&source, &destination),
        &subject,
        screen,
    )
    .await;
    let idle = result.is_err() && made.is_some() && is_bare(&destination).await;
    let closed = source.close().and(destination.close());
    if let Some(dir) = made.filter(|_| idle) {
        // Nothing was begun in it: the next run may have it under another name.
        if std::fs::remove_dir_all(&dir).is_ok() {
            screen.receipt(&format!("removed {} again", dir.display()));
        }
    }
    let (copied, elapsed) = result.map_err(|e| explained(e, args, &from, &to, &subject))?;
    closed?;
    let done = Done {
        table,
        from: from.to_string(),
        to: to.to_string(),
        copied,
        elapsed,
        live: args.live,
    };
    report::print(screen, &done)
}

/// Whether a database has no tables.
async fn is_bare(place: &Place) -> bool {
    let input = ListTablesInput::default();
    let listed = place.db.list_tables(&Context::default(), input).await;
    listed.is_ok_and(|listed| listed.table_names.unwrap_or_default().is_empty())
}

/// A directory to read has to be there.
fn existing(target: &Target) -> Result<Place, Failure> {
    match target.directory() {
        Some(dir) if !DiskStore::is_there(dir) => Err(Failure::usage(format!(
            "there is no database in {}",
            dir.display()
        ))),
        _ => Place::open(target),
    }
}

/// Either the copy's own error, or a failure that has its words.
enum Problem {
    Copy(CopyError),
    Told(Failure),
}

async fn run(
    args: &CopyArgs,
    table: &str,
    model: Option<Model>,
    (source, destination): (&Place, &Place),
    subject: &Subject,
    screen: &Screen,
) -> Result<(Copied, Duration), Problem> {
    let cx = Context::default();
    let spread = |place: &Place| Arc::new(Spread(Arc::clone(&place.db))) as Arc<dyn DynamoDb>;
    let (from, to) = (spread(source), spread(destination));
    if let Some(model) = model {
        fits(model, &from, &cx, subject)
            .await
            .map_err(Problem::Told)?;
    }
    let bar = Arc::new(Mutex::new(Progress::new(screen)));
    let (drawn, interrupt) = (Arc::clone(&bar), Interrupt::watch());
    let options = Options {
        table: table.to_owned(),
        into: args.into,
        live: args.live,
        pace: args.pace,
        watch: Box::new(move |step, items, estimate| {
            // Both sides are read to compare them.
            let whole = if step == Step::Comparing {
                estimate * 2
            } else {
                estimate
            };
            let mut bar = drawn.lock().unwrap_or_else(PoisonError::into_inner);
            bar.update(
                items.min(whole),
                Some(whole).filter(|&whole| whole > 0),
                items,
            );
            !interrupt.asked()
        }),
    };
    let copied = bothways_copy::copy(from, to, &cx, options).await;
    let mut bar = bar.lock().unwrap_or_else(PoisonError::into_inner);
    bar.finish();
    copied
        .map(|copied| (copied, bar.elapsed()))
        .map_err(Problem::Copy)
}

/// A model's table is as the model says: otherwise its copy would not be either.
async fn fits(
    model: Model,
    db: &Arc<dyn DynamoDb>,
    cx: &Context,
    subject: &Subject,
) -> Result<(), Failure> {
    let failed = |e| refusal::of_graph(e, subject);
    let graph = Graph::new(Arc::clone(db), model).map_err(failed)?;
    match graph.compare(cx).await.map_err(failed)?.value {
        Some(differences) if differences.is_empty() => Ok(()),
        Some(_) => {
            let Subject { model, place, .. } = subject;
            Err(
                Failure::no(format!("the table is not as model {model} says")).hint(format!(
                    "see how it differs: bothways model apply {model}{place}"
                )),
            )
        }
        None => Ok(()),
    }
}

fn explained(
    problem: Problem,
    args: &CopyArgs,
    from: &Target,
    to: &Target,
    subject: &Subject,
) -> Failure {
    let error = match problem {
        Problem::Told(failure) => return failure,
        Problem::Copy(error) => error,
    };
    let message = error.to_string();
    match error {
        CopyError::Database { side, error } => {
            let (target, place) = match side {
                Side::Source => (from, subject.place.clone()),
                Side::Destination => (to, format!(" --to {}", shell_word(&args.to))),
            };
            let subject = Subject {
                target: target.clone(),
                place,
                ..subject.clone()
            };
            let mut failure = refusal::of_database(&error, &subject);
            failure.message = format!("{target}: {}", failure.message);
            failure
        }
        CopyError::NotEmpty(_) => Failure::no(message)
            .hint("copy into it all the same, replacing items of the same key: --into"),
        CopyError::OtherCopy(_) => {
            Failure::no(message).hint("finish that one, or remove its table there")
        }
        CopyError::Stalled(_) => Failure::unreachable(message),
        CopyError::Stopped => Failure::stopped(message),
        _ => Failure::no(message),
    }
}

struct Done {
    table: String,
    from: String,
    to: String,
    copied: Copied,
    elapsed: Duration,
    live: bool,
}

impl Report for Done {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let Compared {
            source,
            different,
            expiring,
            ..
        } = &self.copied.compared;
        if !self.copied.compared.is_equal() {
            let word = paint.paint(Tint::Bad, "Differs");
            let items = plural((*different).max(1), "item", "items");
            let mut lines = vec![format!("{word}   {} to {}   {items}", self.table, self.to)];
            lines.extend(
                self.copied
                    .compared
                    .differences
                    .iter()
                    .map(|d| format!("  {}", told(d))),
            );
            return lines;
        }
        let word = paint.paint(Tint::Good, "Copied");
        let items = plural(source.items, "item", "items");
        let again = if self.copied.resumed {
            "   (went on from before)"
        } else {
            ""
        };
        let mut lines = vec![
            format!(
                "{word}   {} from {} to {}   {items}   {}{again}",
                self.table,
                self.from,
                self.to,
                span(self.elapsed)
            ),
            format!("         both sides hold the same: {:032x}", source.sum),
        ];
        if self.copied.mended > 0 {
            let items = plural(self.copied.mended, "item", "items");
            lines.push(format!(
                "         changed meanwhile and copied again: {items}"
            ));
        }
        if *expiring > 0 {
            lines.push(format!(
                "         not compared: {}",
                plural(
                    *expiring,
                    "item that expires within the hour",
                    "items that expire within the hour"
                )
            ));
        }
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let Copied {
            written,
            resumed,
            made,
            mended,
            compared,
        } = &self.copied;
        let json = json!({
            "table": self.table,
            "from": self.from,
            "to": self.to,
            "items": compared.source.items,
            "bytes": compared.source.bytes,
            "written": written,
            "resumed": resumed,
            "made": made,
            "mended": mended,
            "digest": format!("{:032x}", compared.source.sum),
            "equal": compared.is_equal(),
            "different": compared.different,
            "expiring": compared.expiring,
            "differences": compared.differences.iter().map(told).collect::<Vec<_>>(),
        });
        match json {
            Json::Object(members) => members,
            _ => Map::new(),
        }
    }

    fn advice(&self) -> Vec<Advice> {
        if self.copied.compared.is_equal() {
            let words =
                "the copy stays open: run it again for what changes, and without --live to end it";
            let open = self.live.then(|| Advice::Say(words.to_owned()));
            return open.into_iter().collect();
        }
        let words = if self.live {
            "more is written to the source than is copied; let its writers rest a moment, and run it again"
        } else {
            "the source changed meanwhile, or the destination; run it again with --live: it copies again what changes"
        };
        vec![Advice::Say(words.to_owned())]
    }

    fn exit(&self) -> Exit {
        if self.copied.compared.is_equal() {
            Exit::Done
        } else {
            Exit::No
        }
    }
}

fn told(difference: &Difference) -> String {
    let (what, key) = match difference {
        Difference::Missing(key) => ("missing", key),
        Difference::Other(key) => ("different", key),
        Difference::More(key) => ("only there", key),
    };
    format!("{what}: {}", text(key))
}

fn text(key: &Item) -> String {
    let mut json = Vec::new();
    key.write_json(&mut json);
    String::from_utf8_lossy(&json).into_owned()
}
