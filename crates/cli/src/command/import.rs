//! `import`.

mod rejects;
mod skew;
mod sql;

use crate::args::{Global, Import as ImportArgs, Separator as SeparatorArg, YesNo};
use crate::explain;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::models;
use crate::print::{Paint, Progress as Bar, Screen, Tint, plural, rate, span, thousands};
use crate::refusal;
use crate::report::{self, Advice, Report};
use crate::session::Session;
use bothways_graph::import::{
    Column, ImportObserver, ImportOptions, ImportReport, ImportSource, Progress, Reject, Separator,
};
use bothways_graph::{Applied, Receipt};
use rejects::Rejects;
use serde_json::{Map, Value as Json, json};
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;
use std::time::Duration;

/// Read-ahead, bytes. A choice: a few hundred rows of a wide file.
const BUFFER_BYTES: usize = 256 * 1024;

/// `import`.
pub(crate) async fn import(
    args: &ImportArgs,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    explain::refuse(global, "import")?;
    let mut options = options(args)?;
    let sql = sql::start(args)?;
    let (database, source) = match sql {
        Some((rows, stdout)) => (Some(rows), of_database(args, stdout)),
        None => (None, open(&args.file)?),
    };
    if database.is_some() {
        // A database has rows, and no comments among them.
        options.comment = None;
    }
    let mut session = if args.skew {
        Session::open(&args.relation.model, global, screen)?
    } else {
        Session::fill(&args.relation.model, global, screen)?
    };
    models::relation(
        session.graph.model(),
        &args.relation.model,
        &args.relation.relation,
    )?;
    if args.skew {
        let mut watch = Listening(Interrupt::watch());
        let exit = skew::skew(args, session, source, &options, &mut watch)?;
        return database.map_or(Ok(()), sql::Rows::finish).map(|()| exit);
    }
    fits(args, &session).await?;
    // A long job has no deadline as a whole: each of its requests is bounded by the layers below.
    session.cx.deadline = None;
    // A directory is open in this process alone.
    options.take_over |= session.subject.target.directory().is_some();
    let mut watch = Watch {
        screen,
        bar: Bar::new(screen),
        rejects: Rejects::beside(&args.file, database.is_some()),
        failed: None,
        interrupt: Interrupt::watch(),
    };
    let (cx, relation) = (&session.cx, &args.relation.relation);
    let result = session
        .graph
        .import(cx, relation, source, &options, &mut watch)
        .await;
    conclude(args, session, watch, result, database)
}

/// Makes the table, or finds it as the model says.
async fn fits(args: &ImportArgs, session: &Session<'_>) -> Result<(), Failure> {
    let applied = session.graph.apply(&session.cx).await;
    let applied = applied.map_err(|e| refusal::of_graph(e, &session.subject))?;
    if let Applied::Differs(_) = applied.value {
        let (model, place) = (&args.relation.model, session.screen.place());
        let how = format!("see how it differs: bothways model apply {model}{place}");
        return Err(Failure::no(format!("the table is not as model {model} says")).hint(how));
    }
    Ok(())
}

/// Prints what an import did, and says what is left to do.
fn conclude(
    args: &ImportArgs,
    session: Session<'_>,
    watch: Watch<'_>,
    result: bothways_graph::Result<ImportReport>,
    database: Option<sql::Rows>,
) -> Result<Exit, Failure> {
    let Watch {
        mut bar,
        rejects,
        failed,
        ..
    } = watch;
    bar.finish();
    if let Some(error) = failed {
        return Err(Failure::no(format!(
            "cannot write the rejected rows: {error}"
        )));
    }
    let rejected = rejects.finish().map_err(Failure::from)?;
    let subject = session.subject.clone();
    let stopped = result.as_ref().is_ok_and(|report| report.stopped);
    let mut database = database.filter(|_| !stopped);
    if result.as_ref().is_ok_and(|report| report.rows == 0)
        && let Some(rows) = database.take()
    {
        // Of a program that failed before it wrote anything there is nothing else to tell.
        rows.finish()?;
    }
    let exit = match result {
        Ok(mut report) => {
            // They overlapped: their times add up to nothing that anybody waited for.
            let receipts = report.receipts.iter_mut();
            receipts.for_each(|receipt| receipt.elapsed = Duration::ZERO);
            report::print(session.screen, &Imported { args, report })?
        }
        Err(error) => return Err(refusal::of_graph(error, &subject)),
    };
    session.close()?;
    if let Some(rows) = database {
        rows.finish()?;
    }
    if stopped {
        return Err(Failure::stopped("stopped before the end of the file")
            .hint("run it again: it goes on where it stopped"));
    }
    let Some(rejected) = rejected else {
        return Ok(exit);
    };
    let name = named(args);
    let rows = plural(rejected.count, "row", "rows");
    Err(Failure::no(format!(
        "{name}:{}: {} ({rows} rejected)",
        rejected.line, rejected.reason
    ))
    .hint(format!("mend {} and import it", rejected.path.display())))
}

/// A column by its name, or by its number from 1.
fn column(text: &str) -> Result<Column, Failure> {
    match text.parse::<usize>() {
        Ok(0) => Err(Failure::usage("columns are numbered from 1")),
        Ok(n) => Ok(Column::At(n - 1)),
        Err(_) => Ok(Column::Named(text.to_owned())),
    }
}

fn options(args: &ImportArgs) -> Result<ImportOptions, Failure> {
    let named = |text: &String| {
        let (from, to) = text.split_once('=').unwrap_or((text, text));
        Ok((column(from)?, to.to_owned()))
    };
    let attributes = args.attributes.as_ref();
    let attributes = attributes.map(|list| list.iter().map(named).collect::<Result<_, Failure>>());
    Ok(ImportOptions {
        separator: args.separator.map(|separator| match separator {
            SeparatorArg::Comma => Separator::Comma,
            SeparatorArg::Tab => Separator::Tab,
        }),
        header: args.header.map(|header| header == YesNo::Yes),
        source: args.source.as_deref().map(column).transpose()?,
        target: args.target.as_deref().map(column).transpose()?,
        take_over: args.take_over,
        attributes: attributes.transpose()?,
        ..ImportOptions::default()
    })
}

fn open(path: &Path) -> Result<ImportSource<'static>, Failure> {
    let name = path.display().to_string();
    if path.as_os_str() == "-" {
        return Ok(ImportSource {
            name: "standard input".to_owned(),
            reader: Box::new(BufReader::with_capacity(BUFFER_BYTES, io::stdin())),
            bytes: None,
        });
    }
    let unreadable = |e: io::Error| Failure::usage(format!("cannot read {name}: {e}"));
    let file = File::open(path).map_err(unreadable)?;
    let meta = file.metadata().map_err(unreadable)?;
    if meta.is_dir() {
        return Err(Failure::usage(format!("{name} is a directory")));
    }
    Ok(ImportSource {
        bytes: meta.is_file().then_some(meta.len()),
        reader: Box::new(BufReader::with_capacity(BUFFER_BYTES, file)),
        name,
    })
}

/// Where the rows come from, as messages and the checkpoint name it. Of a database: what is read, and neither its place nor a
/// password in that.
fn named(args: &ImportArgs) -> String {
    match args.query.as_ref().or(args.table.as_ref()) {
        Some(what) => format!("database: {what}"),
        None => args.file.display().to_string(),
    }
}

/// What a program reads from a database.
fn of_database(args: &ImportArgs, rows: std::process::ChildStdout) -> ImportSource<'static> {
    ImportSource {
        name: named(args),
        reader: Box::new(BufReader::with_capacity(BUFFER_BYTES, rows)),
        bytes: None,
    }
}

/// Listens for Ctrl-C.
struct Listening(Interrupt);

impl ImportObserver for Listening {
    fn stop(&mut self) -> bool {
        self.0.asked()
    }
}

/// Draws the bar, keeps the rejected rows, and listens for Ctrl-C.
struct Watch<'s> {
    screen: &'s Screen,
    bar: Bar,
    rejects: Rejects,
    failed: Option<io::Error>,
    interrupt: Interrupt,
}

impl ImportObserver for Watch<'_> {
    fn progress(&mut self, progress: &Progress) {
        // Rows are read ahead of the writing: what counts is what is settled.
        let settled = progress.created + progress.existing + progress.rejected;
        self.bar
            .update(progress.bytes_read, progress.bytes_total, settled);
    }

    fn rejected(&mut self, reject: &Reject) {
        if self.failed.is_none() {
            self.failed = self.rejects.add(reject).err();
        }
    }

    fn waiting(&mut self, most: Duration) {
        let seconds = most.as_secs();
        self.screen.say(&format!(
            "another process imports this file, or did until it died: waiting for it, {seconds} s at most (--take-over does not)"
        ));
    }

    fn stop(&mut self) -> bool {
        self.failed.is_some() || self.interrupt.asked()
    }
}

struct Imported<'a> {
    args: &'a ImportArgs,
    report: ImportReport,
}

impl Imported<'_> {
    /// Rows whose edge is there now, or that were put aside.
    fn settled(&self) -> u64 {
        let r = &self.report;
        r.created + r.existing + r.repeated + r.rejected
    }

    /// `103,689 created, 12 there already, 3 repeated`, without what is none.
    fn parts(&self) -> String {
        let r = &self.report;
        let parts = [
            (r.created, "created"),
            (r.existing, "there already"),
            (r.repeated, "repeated in the file"),
            (r.rejected, "rejected"),
            (r.resumed_rows, "done by an earlier run"),
        ];
        let parts = parts.into_iter().filter(|(n, _)| *n > 0);
        let parts: Vec<String> = parts
            .map(|(n, what)| format!("{} {what}", thousands(n)))
            .collect();
        if parts.is_empty() {
            "no rows".to_owned()
        } else {
            parts.join(", ")
        }
    }
}

impl Report for Imported<'_> {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let r = &self.report;
        let (word, tint) = match (r.created, r.stopped) {
            (_, true) => ("Stopped", Tint::Warn),
            (0, false) => ("Unchanged", Tint::Quiet),
            _ => ("Imported", Tint::Good),
        };
        let pad = " ".repeat(11 - word.len());
        let rows = plural(self.settled(), "row", "rows");
        let file = named(self.args);
        vec![format!(
            "{}{pad}{rows} of {file}   {}",
            paint.paint(tint, word),
            self.parts()
        )]
    }

    fn members(&self) -> Map<String, Json> {
        let r = &self.report;
        let json = json!({
            "model": self.args.relation.model,
            "relation": self.args.relation.relation,
            "file": named(self.args),
            "rows": r.rows,
            "created": r.created,
            "existing": r.existing,
            "repeated": r.repeated,
            "rejected": r.rejected,
            "resumed_rows": r.resumed_rows,
            "transactions": r.transactions,
            "writes": r.writes,
            "stopped": r.stopped,
            "seconds": r.elapsed.as_secs_f64(),
        });
        if let Json::Object(members) = json {
            members
        } else {
            Map::new()
        }
    }

    fn receipts(&self) -> &[Receipt] {
        &self.report.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        let r = &self.report;
        let speed = format!(
            "{} · {} rows/s · {}",
            span(r.elapsed),
            thousands(rate(self.settled(), r.elapsed)),
            match r.writes {
                0 => "nothing was written".to_owned(),
                n => plural(n, "write request", "write requests"),
            }
        );
        vec![Advice::Say(speed)]
    }
}
