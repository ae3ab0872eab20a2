//! `model new NAME --from-table TABLE`.

use super::write;
use crate::args::Global;
use crate::failure::{Exit, Failure};
use crate::place::Place;
use crate::print::{Paint, Screen, Table, Tint, thousands};
use crate::refusal::{self, Subject};
use crate::report::{self, Advice, Report};
use crate::target::Target;
use bothways_graph::model::names_a_table;
use bothways_graph::{Done, Error, Inferred, Receipt, SAMPLE_ITEMS};
use bothways_protocol::{Context, ErrorKind};
use bothways_store::DiskStore;
use serde_json::{Map, Value as Json, json};
use std::path::{Path, PathBuf};

/// What is to be made.
pub(super) struct Wanted<'a> {
    pub(super) name: &'a str,
    pub(super) table: &'a str,
    pub(super) to: Option<&'a Path>,
}

/// Reads a sample of a table and writes the model that it proposes, with what the proposal rests on.
pub(super) async fn infer(
    wanted: &Wanted<'_>,
    sample: Option<u32>,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let Wanted { name, table, to } = wanted;
    if !names_a_table(name) {
        return Err(Failure::usage(format!("{name:?} cannot name a model"))
            .hint("3 to 255 of the letters a-z, A-Z, 0-9, underscore, dash and dot"));
    }
    if global.explain {
        return Err(Failure::usage(
            "a model is inferred from what was read: there is no one request to explain",
        ));
    }
    let target = Target::resolve(global)?;
    if let Some(dir) = target.directory().filter(|dir| !DiskStore::is_there(dir)) {
        return Err(Failure::no(format!(
            "there is no database in {}",
            dir.display()
        )));
    }
    let place = Place::open(&target)?;
    let items = sample.unwrap_or(SAMPLE_ITEMS);
    let done = bothways_graph::infer(place.db.as_ref(), &Context::default(), table, items).await;
    let subject = Subject {
        model: (*name).to_owned(),
        target,
        place: String::new(),
    };
    let mut done = done.map_err(|error| match error {
        Error::Database(inner) if inner.kind == ErrorKind::ResourceNotFound => {
            Failure::no(format!("there is no table {table:?} there"))
        }
        other => refusal::of_graph(other, &subject),
    })?;
    place.close()?;
    (*name).clone_into(&mut done.value.model.name);
    let path = write(name, *to, &done.value.model.to_toml())?;
    let table = (*table).to_owned();
    report::print(screen, &InferReport { table, path, done })
}

struct InferReport {
    table: String,
    path: PathBuf,
    done: Done<Inferred>,
}

impl Report for InferReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let found = &self.done.value;
        let word = paint.paint(Tint::Good, "Created");
        let path = self.path.display();
        let whole = if found.whole { ", all of them" } else { "" };
        let sampled = thousands(found.sampled);
        let mut lines = vec![
            format!(
                "{word}    {path}   from {sampled} items of {}{whole}",
                self.table
            ),
            String::new(),
        ];
        let mut rows = Table::new().column("PART").column("SEEN").column("ASSUMED");
        for each in &found.evidence {
            let place = if each.place.is_empty() {
                format!("table {}", self.table)
            } else {
                each.place.clone()
            };
            let text = Some(each.text.clone());
            let (seen, assumed) = if each.assumed {
                (None, text)
            } else {
                (text, None)
            };
            rows.row([
                Some(place),
                seen.or_else(|| Some(String::new())),
                assumed.or_else(|| Some(String::new())),
            ]);
        }
        if !rows.is_empty() {
            lines.extend(rows.lines(2, paint));
            lines.push(String::new());
        }
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let found = &self.done.value;
        let evidence: Vec<Json> = found
            .evidence
            .iter()
            .map(|e| json!({"part": e.place, "text": e.text, "assumed": e.assumed}))
            .collect();
        Map::from_iter([
            ("path".to_owned(), json!(self.path.display().to_string())),
            ("table".to_owned(), json!(self.table)),
            ("sampled".to_owned(), json!(found.sampled)),
            ("whole".to_owned(), json!(found.whole)),
            ("evidence".to_owned(), Json::Array(evidence)),
        ])
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        let path = self.path.display().to_string();
        vec![Advice::run(
            "name its relations as your users do, then",
            &["model", "check", &path],
        )]
    }
}
