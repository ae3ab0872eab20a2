//! The guides of `docs/guides`: their text in each language, and their commands, run one by one.

use crate::Workbench;
use crate::answer::{Refusal, Result, json};
use crate::api::Query;
use bothways_protocol::BoxFuture;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

macro_rules! texts {
    ($name:literal) => {
        [
            (
                "en",
                include_str!(concat!("../../../docs/guides/", $name, ".md")),
            ),
            (
                "es",
                include_str!(concat!("../../../docs/guides/", $name, ".es.md")),
            ),
            (
                "ja",
                include_str!(concat!("../../../docs/guides/", $name, ".ja.md")),
            ),
            (
                "zh-Hant",
                include_str!(concat!("../../../docs/guides/", $name, ".zh-Hant.md")),
            ),
        ]
    };
}

/// A guide by its name in addresses; its text by language, English first.
struct Source {
    name: &'static str,
    texts: [(&'static str, &'static str); 4],
}

const ALL: [Source; 2] = [
    Source {
        name: "adjacency-list",
        texts: texts!("adjacency-list"),
    },
    Source {
        name: "students-and-courses",
        texts: texts!("students-and-courses"),
    },
];

/// Runs the commands of guides. Each guide has a directory of its own, with a database in it.
pub trait Terminal: Send + Sync {
    /// Runs one command to its end.
    ///
    /// # Errors
    /// The process cannot be started, or does not end.
    fn run(&self, step: Step) -> BoxFuture<'_, std::io::Result<Printed>>;
    /// Takes a guide's directory away.
    ///
    /// # Errors
    /// It cannot be taken away.
    fn forget(&self, guide: &'static str) -> BoxFuture<'_, std::io::Result<()>>;
}

/// A command of a guide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The guide.
    pub guide: &'static str,
    /// The database, as the guide names it.
    pub target: &'static str,
    /// Files that the guide has its reader write, by their names.
    pub files: Vec<(&'static str, String)>,
    /// The command's words after `bothways`.
    pub words: Vec<String>,
}

/// What a command printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// On standard output.
    pub out: String,
    /// On standard error: receipts, and what went wrong.
    pub talk: String,
    /// Its exit code.
    pub exit: i32,
}

/// The guides, and how far each of them has been run.
pub(crate) struct Guides {
    terminal: Arc<dyn Terminal>,
    ran: [AtomicUsize; ALL.len()],
}

impl Guides {
    pub(crate) fn new(terminal: Arc<dyn Terminal>) -> Self {
        Self {
            terminal,
            ran: std::array::from_fn(|_| AtomicUsize::new(0)),
        }
    }
}

/// A guide in the list.
#[derive(Serialize)]
struct Listed {
    name: &'static str,
    title: &'static str,
}

/// A guide to be read.
#[derive(Serialize)]
struct Guide {
    name: &'static str,
    language: &'static str,
    text: &'static str,
    commands: Vec<&'static str>,
    /// How many of its commands have been run; none where nothing runs them here.
    ran: Option<usize>,
}

/// A command that was run.
#[derive(Serialize)]
struct StepRun {
    command: &'static str,
    out: String,
    talk: String,
    exit: i32,
    milliseconds: u64,
    ran: usize,
}

/// A guide whose database is gone.
#[derive(Serialize)]
struct Restarted {
    ran: usize,
}

impl Source {
    fn in_language(&self, language: &str) -> (&'static str, &'static str) {
        let mut texts = self.texts.into_iter();
        texts
            .find(|(own, _)| *own == language)
            .unwrap_or(self.texts[0])
    }

    fn english(&self) -> &'static str {
        self.texts[0].1
    }
}

pub(crate) async fn answer(
    bench: &Workbench,
    method: &Method,
    rest: &[&str],
    query: &Query,
) -> Option<Response<Bytes>> {
    let language = query.get("language").unwrap_or("en");
    Some(match (method, rest) {
        (&Method::GET, []) => json(Ok(ALL
            .iter()
            .map(|guide| listed(guide, language))
            .collect::<Vec<_>>())),
        (&Method::GET, [guide]) => json(at(guide).map(|at| read(bench, at, language))),
        (&Method::POST, [guide, "steps", step]) => json(run(bench, guide, step).await),
        (&Method::POST, [guide, "restart"]) => json(restart(bench, guide).await),
        _ => return None,
    })
}

fn at(name: &str) -> Result<usize> {
    let at = ALL.iter().position(|guide| guide.name == name);
    at.ok_or_else(|| Refusal::not_found("guide", name))
}

fn listed(guide: &Source, language: &str) -> Listed {
    let (_, text) = guide.in_language(language);
    let title = text.lines().find_map(|line| line.strip_prefix("# "));
    Listed {
        name: guide.name,
        title: title.unwrap_or(guide.name),
    }
}

fn read(bench: &Workbench, at: usize, language: &str) -> Guide {
    let guide = &ALL[at];
    let (language, text) = guide.in_language(language);
    let ran = bench
        .guides
        .as_ref()
        .map(|guides| guides.ran[at].load(Ordering::Relaxed));
    Guide {
        name: guide.name,
        language,
        text,
        commands: commands(guide.english()),
        ran,
    }
}

fn guides(bench: &Workbench) -> Result<&Guides> {
    bench.guides.as_ref().ok_or_else(|| {
        let words = "nothing runs the guides' commands here";
        Refusal::new(StatusCode::NOT_FOUND, "NotFound", words)
    })
}

async fn run(bench: &Workbench, name: &str, step: &str) -> Result<StepRun> {
    let (at, guides) = (at(name)?, guides(bench)?);
    let text = ALL[at].english();
    let commands = commands(text);
    let number: Option<usize> = step.parse().ok();
    let Some((step, command)) = number.and_then(|n| Some((n, *commands.get(n)?))) else {
        return Err(Refusal::not_found("step", step));
    };
    let ran = guides.ran[at].load(Ordering::Relaxed);
    if step > ran {
        let words = format!("step {step} rests on step {ran}, which has not been run");
        return Err(Refusal::new(StatusCode::CONFLICT, "TooSoon", words));
    }
    let begun = Instant::now();
    let step_to_run = Step {
        guide: ALL[at].name,
        target: target(text),
        files: files(text),
        words: words(command.strip_prefix("bothways ").unwrap_or(command)),
    };
    let printed = guides
        .terminal
        .run(step_to_run)
        .await
        .map_err(|error| failed(&error))?;
    guides.ran[at].fetch_max(step + 1, Ordering::Relaxed);
    Ok(StepRun {
        command,
        out: printed.out,
        talk: printed.talk,
        exit: printed.exit,
        milliseconds: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        ran: guides.ran[at].load(Ordering::Relaxed),
    })
}

async fn restart(bench: &Workbench, name: &str) -> Result<Restarted> {
    let (at, guides) = (at(name)?, guides(bench)?);
    guides
        .terminal
        .forget(ALL[at].name)
        .await
        .map_err(|error| failed(&error))?;
    guides.ran[at].store(0, Ordering::Relaxed);
    Ok(Restarted { ran: 0 })
}

fn failed(error: &std::io::Error) -> Refusal {
    let words = format!("the command could not be run: {error}");
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "Terminal", words)
}

/// Lines of the blocks fenced as this.
fn block<'t>(text: &'t str, fence: &str) -> impl Iterator<Item = &'t str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        if let Some(name) = line.strip_prefix("```") {
            inside = name == fence;
            return false;
        }
        inside
    })
}

fn commands(text: &'static str) -> Vec<&'static str> {
    block(text, "console")
        .filter_map(|line| line.strip_prefix("$ "))
        .collect()
}

/// The database that the guide has its reader name.
fn target(text: &'static str) -> &'static str {
    let mut lines = block(text, "sh");
    let named = lines.find_map(|line| line.strip_prefix("export BOTHWAYS_TARGET="));
    named
        .and_then(|rest| rest.split_whitespace().next())
        .unwrap_or("guide")
}

/// Files that the guide has its reader write: `printf 'text' > name`.
fn files(text: &'static str) -> Vec<(&'static str, String)> {
    let written = block(text, "sh").filter_map(|line| {
        let (text, name) = line.strip_prefix("printf '")?.split_once("' > ")?;
        Some((name, text.replace("\\n", "\n")))
    });
    written.collect()
}

/// The words of a command, as a shell takes them apart where it quotes with `'` only.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('\'').enumerate() {
        if at % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guide_has_the_same_commands_in_every_language() {
        for guide in &ALL {
            assert!(commands(guide.english()).len() > 10);
            for (language, text) in guide.texts {
                assert_eq!(commands(text), commands(guide.english()), "{language}");
                assert_ne!(listed(guide, language).title, guide.name);
            }
            assert!(
                commands(guide.english())
                    .iter()
                    .all(|line| line.starts_with("bothways "))
            );
        }
    }

    #[test]
    fn what_a_guide_sets_up_is_read_from_its_text() {
        let [first, second] = ALL.each_ref().map(Source::english);
        assert_eq!((target(first), target(second)), ("guide", "courses"));
        assert_eq!(files(first), []);
        let term = files(second);
        assert_eq!(term[0].0, "term.csv");
        assert!(term[0].1.starts_with("student,course,enrolledOn\nb17,"));
        assert_eq!(
            words("put s c 'title=Linear algebra' x"),
            ["put", "s", "c", "title=Linear algebra", "x"]
        );
    }
}
