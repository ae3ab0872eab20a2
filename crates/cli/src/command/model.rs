//! `model new | check | apply | show`.

mod check;
mod doctor;
mod infer;
mod migrate;
mod show;

use crate::args::{Global, Model as ModelArgs};
use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{Paint, Screen, Table, Tint};
use crate::report::{self, Advice, Report};
use crate::session::Session;
use bothways_graph::model::{Loaded, names_a_table};
use bothways_graph::{Applied, Done, Receipt};
use serde_json::{Map, Value as Json, json};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// `model …`.
pub(crate) async fn model(
    args: &ModelArgs,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    match args {
        ModelArgs::New {
            name,
            from_table: Some(table),
            sample,
            to,
            ..
        } => {
            let to = to.as_deref();
            let wanted = infer::Wanted { name, table, to };
            infer::infer(&wanted, *sample, global, screen).await
        }
        ModelArgs::New { name, from, to, .. } => new(name, from, to.as_deref(), screen),
        ModelArgs::Check { model } => check::check(model, screen),
        ModelArgs::Apply { model } => apply(model, global, screen).await,
        ModelArgs::Doctor { model, sample, all } => {
            let sample = (!*all).then_some(*sample);
            doctor::doctor(model, sample, global, screen).await
        }
        ModelArgs::Migrate { model, what } => migrate::migrate(model, what, global, screen).await,
        ModelArgs::Show { model, toml } => show::show(model, *toml, screen),
    }
}

/// Writes a model file with another name and table, and everything else as the one it starts from.
fn new(name: &str, from: &str, to: Option<&Path>, screen: &Screen) -> Result<Exit, Failure> {
    // The new name becomes the table's too.
    if !names_a_table(name) {
        return Err(Failure::usage(format!("{name:?} cannot name a table"))
            .hint("3 to 255 of the letters a-z, A-Z, 0-9, underscore, dash and dot"));
    }
    let Loaded { model, source } = models::load(from)?;
    let text = renamed(&source.text, &model.name, &model.table, name);
    let path = write(name, to, &text)?;
    let report = NewReport {
        from: from.to_owned(),
        path,
    };
    report::print(screen, &report)
}

/// Writes a new model's file where none is.
fn write(name: &str, to: Option<&Path>, text: &str) -> Result<PathBuf, Failure> {
    let path = to.map_or_else(
        || PathBuf::from(format!("models/{name}.toml")),
        Path::to_path_buf,
    );
    let unwritable =
        |e: &std::io::Error| Failure::no(format!("cannot write {}: {e}", path.display()));
    if let Some(parent) = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
    {
        std::fs::create_dir_all(parent).map_err(|e| unwritable(&e))?;
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .map_err(|e| {
            if e.kind() == std::io::ErrorKind::AlreadyExists {
                Failure::no(format!("{} is there already", path.display()))
                    .hint("choose another name, or --to FILE")
            } else {
                unwritable(&e)
            }
        })?;
    file.write_all(text.as_bytes())
        .map_err(|e| unwritable(&e))?;
    Ok(path)
}

/// The text with the model's and the table's name replaced: the first lines that set them.
fn renamed(text: &str, old_name: &str, old_table: &str, name: &str) -> String {
    let mut left = vec![
        (
            format!("name = \"{old_name}\""),
            format!("name = \"{name}\""),
        ),
        (
            format!("table = \"{old_table}\""),
            format!("table = \"{name}\""),
        ),
    ];
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        match left.iter().position(|(old, _)| line.trim_end() == old) {
            Some(at) => out.push_str(&left.remove(at).1),
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

struct NewReport {
    from: String,
    path: PathBuf,
}

impl Report for NewReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let word = paint.paint(Tint::Good, "Created");
        vec![format!(
            "{word}    {}   from {}",
            self.path.display(),
            self.from
        )]
    }

    fn members(&self) -> Map<String, Json> {
        let path = self.path.display().to_string();
        Map::from_iter([
            ("path".to_owned(), json!(path)),
            ("from".to_owned(), json!(self.from)),
        ])
    }

    fn advice(&self) -> Vec<Advice> {
        let path = self.path.display().to_string();
        vec![Advice::run("edit it, then", &["model", "check", &path])]
    }
}

/// Creates the table where it is missing.
async fn apply(model: &str, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    let session = Session::make(model, global, screen)?;
    let table = session.graph.model().table.clone();
    let indexes = session
        .graph
        .model()
        .indexes
        .iter()
        .map(|index| index.name.clone())
        .collect();
    let relation = session
        .graph
        .model()
        .relations
        .first()
        .map(|relation| relation.name.clone());
    let applied = session.graph.apply(&session.cx).await;
    session.answer(applied.map(|done| ApplyReport {
        model: model.to_owned(),
        table,
        indexes,
        relation,
        done,
    }))
}

struct ApplyReport {
    model: String,
    table: String,
    indexes: Vec<String>,
    relation: Option<String>,
    done: Done<Applied>,
}

impl Report for ApplyReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let table = &self.table;
        match &self.done.value {
            Applied::Created => {
                let word = paint.paint(Tint::Good, "Created");
                let indexes = if self.indexes.is_empty() {
                    String::new()
                } else {
                    format!("   with {}", self.indexes.join(", "))
                };
                vec![format!("{word}    table {table}{indexes}")]
            }
            Applied::Unchanged => {
                let word = paint.paint(Tint::Quiet, "Unchanged");
                vec![format!("{word}  table {table}   it fits the model")]
            }
            Applied::Differs(differences) => {
                let word = paint.paint(Tint::Bad, "Differs");
                let mut lines = vec![
                    format!("{word}    table {table} is not as the model says"),
                    String::new(),
                ];
                let mut rows = Table::new().column("WHAT").column("MODEL").column("TABLE");
                for d in differences {
                    rows.row([
                        Some(d.what.clone()),
                        Some(d.model.clone()),
                        Some(d.table.clone()),
                    ]);
                }
                lines.extend(rows.lines(2, paint));
                lines
            }
        }
    }

    fn members(&self) -> Map<String, Json> {
        let (outcome, differences) = match &self.done.value {
            Applied::Created => ("created", &[][..]),
            Applied::Unchanged => ("unchanged", &[][..]),
            Applied::Differs(differences) => ("differs", differences.as_slice()),
        };
        let differences: Vec<Json> = differences
            .iter()
            .map(|d| json!({"what": d.what, "model": d.model, "table": d.table}))
            .collect();
        Map::from_iter([
            ("model".to_owned(), json!(self.model)),
            ("table".to_owned(), json!(self.table)),
            ("outcome".to_owned(), json!(outcome)),
            ("differences".to_owned(), Json::Array(differences)),
        ])
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        match (&self.done.value, &self.relation) {
            (Applied::Created, Some(relation)) => {
                let link = ["link", &self.model, relation, "SRC", "DST"];
                vec![Advice::run("next", &link)]
            }
            (Applied::Differs(_), _) => {
                let what = "nothing was changed; change the model, or name another table in it";
                vec![Advice::Say(what.to_owned())]
            }
            _ => Vec::new(),
        }
    }

    fn exit(&self) -> Exit {
        match self.done.value {
            Applied::Differs(_) => Exit::No,
            Applied::Created | Applied::Unchanged => Exit::Done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::renamed;
    use bothways_graph::Model;
    use bothways_graph::model::shipped_models;

    #[test]
    fn a_new_model_differs_in_its_name_and_table_only() {
        for shipped in shipped_models() {
            let old = Model::parse("old.toml", shipped.text).unwrap().model;
            let text = renamed(shipped.text, &old.name, &old.table, "fresh");
            let new = Model::parse("new.toml", &text).unwrap().model;
            let expected = Model {
                name: "fresh".to_owned(),
                table: "fresh".to_owned(),
                ..old
            };
            assert_eq!(new, expected, "{}", shipped.name);
        }
    }
}
