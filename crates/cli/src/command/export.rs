//! `export`.

use crate::args::{Export as ExportArgs, Format, Global};
use crate::explain;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::models;
use crate::print::{Paint, Progress, Screen, Tint, plural, span};
use crate::refusal;
use crate::report::{self, Report};
use crate::session::Session;
use bothways_graph::{ExportFormat, ExportReport, Receipt};
use serde_json::{Map, Value as Json, json};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `export`: into a file of another name first, so that what stands under the given name is always whole.
pub(crate) async fn export(
    args: &ExportArgs,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    explain::refuse(global, "export")?;
    let to_stdout = args.file.as_os_str() == "-";
    if !to_stdout && args.file.exists() && !args.force {
        return Err(
            Failure::no(format!("{} is there already", args.file.display()))
                .hint("overwrite it: --force"),
        );
    }
    let mut session = Session::open(&args.relation.model, global, screen)?;
    models::relation(
        session.graph.model(),
        &args.relation.model,
        &args.relation.relation,
    )?;
    session.cx.deadline = None;
    let unwritable = |e: io::Error| match e.kind() {
        io::ErrorKind::BrokenPipe => Failure::unheard(),
        _ => Failure::no(format!("cannot write {}: {e}", args.file.display())),
    };
    let part = part_of(&args.file);
    let mut out: BufWriter<Box<dyn Write + Send>> = BufWriter::new(if to_stdout {
        Box::new(io::stdout())
    } else {
        Box::new(create(&part).map_err(unwritable)?)
    });
    let mut bar = Progress::new(screen);
    let interrupt = Interrupt::watch();
    let mut watch = |edges| {
        bar.update(0, None, edges);
        !interrupt.asked()
    };
    let (cx, relation, format) = (&session.cx, &args.relation.relation, format(args));
    let exported = session
        .graph
        .export(cx, relation, format, &mut out, &mut watch)
        .await;
    let elapsed = bar.elapsed();
    bar.finish();
    let subject = session.subject.clone();
    session.close()?;
    let exported = exported.map_err(|e| refusal::of_graph(e, &subject));
    let written = exported.and_then(|done| {
        out.flush().map_err(unwritable)?;
        if interrupt.asked() {
            return Err(Failure::stopped("stopped before the end").hint("run it again"));
        }
        Ok(done)
    });
    match written {
        Ok(done) if to_stdout => {
            screen.receipt(&done.receipt.to_string());
            Ok(Exit::Done)
        }
        Ok(done) => {
            std::fs::rename(&part, &args.file).map_err(unwritable)?;
            report::print(
                screen,
                &Exported {
                    args,
                    done,
                    elapsed,
                },
            )
        }
        Err(failure) => {
            if !to_stdout {
                let _ = std::fs::remove_file(&part);
            }
            Err(failure)
        }
    }
}

fn format(args: &ExportArgs) -> ExportFormat {
    let extension = args
        .file
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    match (args.format, extension) {
        (Some(Format::Jsonl), _) | (None, "jsonl" | "ndjson") => ExportFormat::JsonLines,
        (Some(Format::Tsv), _) | (None, "tsv" | "tab") => ExportFormat::Tsv,
        _ => ExportFormat::Csv,
    }
}

fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(path)
}

struct Exported<'a> {
    args: &'a ExportArgs,
    done: ExportReport,
    elapsed: Duration,
}

impl Report for Exported<'_> {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let word = paint.paint(Tint::Good, "Exported");
        let edges = plural(self.done.edges, "edge", "edges");
        vec![format!(
            "{word}   {edges} to {}   {}",
            self.args.file.display(),
            span(self.elapsed)
        )]
    }

    fn members(&self) -> Map<String, Json> {
        let json = json!({
            "model": self.args.relation.model,
            "relation": self.args.relation.relation,
            "file": self.args.file.display().to_string(),
            "edges": self.done.edges,
        });
        if let Json::Object(members) = json {
            members
        } else {
            Map::new()
        }
    }

    fn receipts(&self) -> &[Receipt] {
        std::slice::from_ref(&self.done.receipt)
    }
}
