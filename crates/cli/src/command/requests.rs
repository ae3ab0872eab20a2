//! `expr`, `codegen` and `run`: any request, understood, printed as code, sent.

mod create;
mod send;

use crate::args::{Codegen, Expr, Global, RequestText, Run, Table};
use crate::explain;
use crate::failure::{Exit, Failure};
use crate::models;
use crate::place::Place;
use crate::print::{Paint, Screen, Tint};
use crate::refusal::{self, Subject};
use crate::report::{self, Report};
use crate::target::Target;
use bothways_codegen::{
    Draft, Explained, Finding, Infrastructure, Language, Naming, Schema, Sizes,
};
use bothways_core::expr::Aliases;
use bothways_graph::{Model, units_text};
use bothways_protocol::types::{DescribeTableInput, DescribeTableOutput};
use bothways_protocol::{Context, DynamoDbExt, Operation, Request, Response};
use bothways_workbench::ModelNames;
use serde_json::{Map, Value as Json, json};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, Instant};

/// Largest text of a request or a table's definition, bytes: DynamoDB's own limit of a request.
const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// How long the place is asked for a table's definition. A choice: the answer helps, and can be done without.
const ASKING: Duration = Duration::from_secs(2);

/// `expr`.
pub(crate) async fn expr(args: &Expr, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    let request = Understood::read(&args.request, global).await?;
    let aliases = if args.alias_all {
        Aliases::Always
    } else {
        Aliases::Needed
    };
    let normal = request
        .draft
        .normalised(aliases)
        .map_err(|error| of_draft(&error))?;
    if let Some(path) = &args.save {
        save(&request.draft, path)?;
    }
    let explained = request.explain();
    report::print(screen, &ExprReport { normal, explained })
}

/// Writes a file that is not there yet: what somebody saved is not replaced unasked.
fn save(draft: &Draft, path: &Path) -> Result<(), Failure> {
    let failed =
        |error: &io::Error| Failure::usage(format!("cannot save to {}: {error}", path.display()));
    let mut file = File::create_new(path).map_err(|error| failed(&error))?;
    io::Write::write_all(&mut file, draft.saved().as_bytes()).map_err(|error| failed(&error))
}

struct ExprReport {
    normal: Draft,
    explained: Explained,
}

impl ExprReport {
    fn is_refused(&self) -> bool {
        self.explained.findings.iter().any(|finding| finding.fatal)
    }
}

impl Report for ExprReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let mut lines = vec![self.explained.sentence.clone()];
        lines.extend(
            self.explained
                .findings
                .iter()
                .map(|finding| finding_line(finding, paint)),
        );
        lines.push(String::new());
        let operation = self.normal.operation().name();
        lines.push(paint.paint(Tint::Strong, operation));
        let json = serde_json::to_string_pretty(&self.normal.json()).unwrap_or_default();
        lines.extend(json.lines().map(str::to_owned));
        lines
    }

    fn members(&self) -> Map<String, Json> {
        Map::from_iter([
            (
                "operation".to_owned(),
                self.normal.operation().name().into(),
            ),
            ("request".to_owned(), self.normal.json()),
            (
                "sentence".to_owned(),
                self.explained.sentence.clone().into(),
            ),
            (
                "findings".to_owned(),
                self.explained
                    .findings
                    .iter()
                    .map(|finding| json!({ "fatal": finding.fatal, "text": finding.text }))
                    .collect(),
            ),
        ])
    }

    fn exit(&self) -> Exit {
        if self.is_refused() {
            Exit::No
        } else {
            Exit::Done
        }
    }
}

fn finding_line(finding: &Finding, paint: Paint) -> String {
    if finding.fatal {
        format!("  {} {}", paint.paint(Tint::Bad, "refused:"), finding.text)
    } else {
        format!("  {}", paint.paint(Tint::Quiet, &finding.text))
    }
}

/// `codegen`.
pub(crate) async fn codegen(
    args: &Codegen,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let names = || {
        let names: Vec<_> = Language::ALL
            .iter()
            .map(|language| language.name())
            .collect();
        names.join(", ")
    };
    let language = Language::of_name(&args.to).ok_or_else(|| {
        Failure::usage(format!("there is no language {:?}", args.to))
            .hint(format!("the languages are {}", names()))
    })?;
    let request = Understood::read(&args.request, global).await?;
    let program = language
        .program(&request.draft, request.schema.as_ref())
        .map_err(|refusal| Failure::no(format!("{}: {refusal}", language.title())))?;
    if screen.json() {
        let document = json!({ "language": language.name(), "program": program });
        screen.document(&document)?;
    } else {
        screen.lines(&program.lines().map(str::to_owned).collect::<Vec<_>>())?;
    }
    Ok(Exit::Done)
}

/// `run`.
pub(crate) async fn run(args: &Run, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    let request = Understood::read(&args.request, global).await?;
    if global.explain {
        explain::print(screen, &[request.draft.request().clone()])?;
        return Ok(Exit::Done);
    }
    let target = Target::resolve(global)?;
    let place = Place::open(&target)?;
    let sent = send::send(&*place.db, &request, args.pages).await;
    let closed = place.close();
    let sent = sent.map_err(|error| {
        let subject = Subject {
            model: args.request.model.clone().unwrap_or_default(),
            target,
            place: screen.place().to_owned(),
        };
        refusal::of_request(&error, &subject)
    })?;
    closed?;
    report::print(screen, &sent)
}

/// `table`.
pub(crate) async fn table(args: &Table, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    if let Some(file) = &args.from {
        return create::create(args, file, global, screen).await;
    }
    let form = args.to.as_deref().map(|name| {
        Infrastructure::of_name(name).ok_or_else(|| {
            let names: Vec<_> = Infrastructure::ALL.iter().map(|form| form.name()).collect();
            Failure::usage(format!("there is no form {name:?}"))
                .hint(format!("the forms are {}", names.join(", ")))
        })
    });
    let form = form.transpose()?;
    let asked = DescribeTableInput {
        table_name: Some(args.name.clone()),
    };
    if global.explain {
        explain::print(screen, &[Request::DescribeTable(Box::new(asked))])?;
        return Ok(Exit::Done);
    }
    let target = Target::resolve(global)?;
    let place = Place::open(&target)?;
    let described = describe(&place, &args.name, Duration::from_secs(30)).await;
    place.close()?;
    let subject = Subject {
        model: String::new(),
        target,
        place: screen.place().to_owned(),
    };
    let described = described.map_err(|error| refusal::of_request(&error, &subject))?;
    let definition = match form {
        Some(form) => form.definition(&described).map_err(Failure::no)?,
        None => serde_json::to_string_pretty(&described).unwrap_or_default(),
    };
    screen.lines(&definition.lines().map(str::to_owned).collect::<Vec<_>>())?;
    Ok(Exit::Done)
}

/// A request with what is known around it.
pub(super) struct Understood {
    pub(super) draft: Draft,
    pub(super) schema: Option<Schema>,
    model: Option<Model>,
    sizes: Option<Sizes>,
}

impl Understood {
    async fn read(args: &RequestText, global: &Global) -> Result<Self, Failure> {
        let operation = args.operation.as_deref().map(operation).transpose()?;
        let draft = Draft::read(&text(&args.text)?, operation).map_err(|error| of_draft(&error))?;
        let model = args.model.as_deref().map(models::load).transpose()?;
        let description = match &args.table {
            Some(path) => Some(defined(path)?),
            None => asked(&draft, global).await,
        };
        let schema = description.as_ref().map(Schema::read).transpose();
        let schema = schema.map_err(|error| Failure::usage(format!("the table: {error}")))?;
        Ok(Self {
            sizes: description.and_then(|table| Sizes::described(draft.request(), &table)),
            draft,
            schema,
            model: model.map(|loaded| loaded.model),
        })
    }

    pub(super) fn explain(&self) -> Explained {
        let names = self.model.as_ref().map(ModelNames);
        let naming = names.as_ref().map(|names| names as &dyn Naming);
        self.draft
            .explain(self.schema.as_ref(), naming, self.sizes.as_ref())
    }
}

fn of_draft(error: &bothways_codegen::DraftError) -> Failure {
    Failure::usage(error.to_string())
}

fn operation(name: &str) -> Result<Operation, Failure> {
    let found = Operation::ALL
        .iter()
        .find(|operation| operation.name().eq_ignore_ascii_case(name));
    found
        .copied()
        .ok_or_else(|| Failure::usage(format!("there is no operation {name:?}")))
}

/// The text itself, a file's, or standard input's.
fn text(given: &str) -> Result<String, Failure> {
    if given == "-" {
        return limited(io::stdin().lock(), "standard input");
    }
    let path = given.strip_prefix('@').or_else(|| named(given));
    let Some(path) = path else {
        return Ok(given.to_owned());
    };
    let file = File::open(path).map_err(|error| {
        let failure = Failure::usage(format!("cannot read {path}: {error}"));
        if given.starts_with('@') {
            failure
        } else {
            failure.hint("one word without a brace is the name of a file")
        }
    })?;
    limited(file, path)
}

/// A file by its name alone. No request is one word without a brace.
fn named(given: &str) -> Option<&str> {
    let request = given.starts_with(['{', '[', '"']) || given.contains(char::is_whitespace);
    (!request && !given.is_empty()).then_some(given)
}

fn limited(from: impl Read, name: &str) -> Result<String, Failure> {
    let mut text = String::new();
    from.take(MOST_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|error| Failure::usage(format!("cannot read {name}: {error}")))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(Failure::usage(format!(
            "{name} is larger than 16 MB, which no request is"
        )));
    }
    Ok(text)
}

fn defined(path: &Path) -> Result<Json, Failure> {
    let name = path.display().to_string();
    let file =
        File::open(path).map_err(|error| Failure::usage(format!("cannot read {name}: {error}")))?;
    serde_json::from_str(&limited(file, &name)?)
        .map_err(|error| Failure::usage(format!("{name}: {error}")))
}

/// The table's definition from the place, where it has one.
async fn asked(draft: &Draft, global: &Global) -> Option<Json> {
    if global.explain {
        return None;
    }
    let table = draft.table()?;
    let target = Target::resolve(global).ok()?;
    if matches!(&target, Target::Data(dir) if !dir.exists()) {
        return None;
    }
    let place = Place::open(&target).ok()?;
    let described = describe(&place, &table, ASKING).await;
    place.close().ok()?;
    described.ok()
}

async fn describe(
    place: &Place,
    table: &str,
    patience: Duration,
) -> Result<Json, bothways_protocol::Error> {
    let cx = Context {
        deadline: Some(Instant::now() + patience),
        ..Context::default()
    };
    let input = DescribeTableInput {
        table_name: Some(table.to_owned()),
    };
    let described: DescribeTableOutput = place.db.describe_table(&cx, input).await?;
    let mut bytes = Vec::new();
    Response::DescribeTable(Box::new(described)).encode(&mut bytes);
    Ok(serde_json::from_slice(&bytes).unwrap_or_default())
}

/// `about 1.5 RCU`, for what was used.
pub(super) fn used(
    read: bothways_protocol::types::Units,
    write: bothways_protocol::types::Units,
) -> String {
    match (read.0, write.0) {
        (_, 0) => format!("{} RCU", units_text(read)),
        (0, _) => format!("{} WCU", units_text(write)),
        _ => format!("{} RCU and {} WCU", units_text(read), units_text(write)),
    }
}
