//! From the MODEL argument to a model, and from names to its relations and entities.

use crate::failure::{Excerpt, Failure};
use bothways_graph::Model;
use bothways_graph::model::{Entity, Loaded, Problem, Relation, shipped, shipped_models};
use std::fs;
use std::io::Read;
use std::path::Path;

/// Largest model file, bytes. A choice: a thousand times the shipped ones.
const MODEL_BYTES: u64 = 4 * 1024 * 1024;

/// A model that ships, or a TOML file. A name with a slash or a `.toml` is a file.
pub(crate) fn load(argument: &str) -> Result<Loaded, Failure> {
    let is_path = argument.contains(['/', '\\']) || Path::new(argument).extension().is_some();
    if !is_path {
        return shipped(argument).ok_or_else(|| unknown(argument));
    }
    let text = read(argument)?;
    Model::parse(argument, &text).map_err(|e| of_problem(*e.problem))
}

fn read(path: &str) -> Result<String, Failure> {
    let unreadable = |e: &dyn std::fmt::Display| Failure::usage(format!("cannot read {path}: {e}"));
    let file = fs::File::open(path).map_err(|e| {
        let beside = format!("models/{path}");
        let failure = unreadable(&e);
        if Path::new(&beside).exists() {
            failure.hint(format!("it is at {beside}"))
        } else {
            failure
        }
    })?;
    let mut text = String::new();
    file.take(MODEL_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|e| unreadable(&e))?;
    if text.len() as u64 > MODEL_BYTES {
        let limit = MODEL_BYTES / 1024 / 1024;
        return Err(Failure::usage(format!(
            "{path} is larger than {limit} MB, and is no model"
        )));
    }
    Ok(text)
}

fn unknown(name: &str) -> Failure {
    let names: Vec<&str> = shipped_models().iter().map(|model| model.name).collect();
    let failure = Failure::usage(format!("there is no model {name:?}"));
    let local = [format!("models/{name}.toml"), format!("{name}.toml")];
    match local.iter().find(|path| Path::new(path).exists()) {
        Some(path) => failure.hint(format!("a file is named by its path: {path}")),
        None => failure.hint(format!(
            "the models that ship are {}; your own is the path of its TOML file",
            names.join(", ")
        )),
    }
}

/// A problem in a model file as a failure, with the line in question.
pub(crate) fn of_problem(problem: Problem) -> Failure {
    let place = if problem.place.is_empty() {
        String::new()
    } else {
        format!("{}: ", problem.place)
    };
    let (at, excerpt) = match problem.spot {
        Some(spot) => {
            let at = format!("{}:{}: ", spot.file, spot.line);
            let span = (spot.column.saturating_sub(1), spot.width);
            let excerpt = Excerpt {
                line: spot.line,
                text: spot.text,
                span,
            };
            (at, Some(excerpt))
        }
        None => (String::new(), None),
    };
    let mut failure = Failure::usage(format!("{at}{place}{}", problem.message));
    if let Some(excerpt) = excerpt {
        failure = failure.excerpt(excerpt);
    }
    match problem.hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// A relation by name. `argument` is the MODEL as it was given, for the advice.
pub(crate) fn relation<'m>(
    model: &'m Model,
    argument: &str,
    name: &str,
) -> Result<&'m Relation, Failure> {
    model.relation(name).ok_or_else(|| {
        let names: Vec<&str> = model.relations.iter().map(|r| r.name.as_str()).collect();
        missing("relation", argument, name, &names)
    })
}

/// An entity by name. `argument` is the MODEL as it was given, for the advice.
pub(crate) fn entity<'m>(
    model: &'m Model,
    argument: &str,
    name: &str,
) -> Result<&'m Entity, Failure> {
    model.entity(name).ok_or_else(|| {
        let names: Vec<&str> = model.entities.iter().map(|e| e.name.as_str()).collect();
        missing("entity", argument, name, &names)
    })
}

fn missing(kind: &str, model: &str, name: &str, there: &[&str]) -> Failure {
    let failure = Failure::usage(format!("model {model} has no {kind} {name:?}"));
    match there {
        [] => failure,
        [one] => {
            let given: Vec<String> = std::env::args().skip(1).collect();
            let command = corrected(&given, model, name, one);
            let command = command
                .map(|command| format!(".   {command}"))
                .unwrap_or_default();
            failure.hint(format!("it has one: {one}{command}"))
        }
        many => failure.hint(format!("it has {}: {}", many.len(), many.join(", "))),
    }
}

/// The command as it was given, with the right name behind the model.
fn corrected(given: &[String], model: &str, wrong: &str, right: &str) -> Option<String> {
    let at = given
        .windows(2)
        .position(|pair| pair[0] == model && pair[1] == wrong)?
        + 1;
    let mut words = vec!["bothways"];
    words.extend(
        given
            .iter()
            .enumerate()
            .map(|(i, word)| if i == at { right } else { word }),
    );
    Some(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::corrected;

    #[test]
    fn the_advice_repeats_the_command_with_the_right_name() {
        for (given, expected) in [
            (
                "in follow follow bob",
                Some("bothways in follow follows bob"),
            ),
            (
                "--json out follow follow follow",
                Some("bothways --json out follow follows follow"),
            ),
            ("in other follow bob", None),
        ] {
            let given: Vec<String> = given.split(' ').map(str::to_owned).collect();
            assert_eq!(
                corrected(&given, "follow", "follow", "follows").as_deref(),
                expected
            );
        }
    }
}
