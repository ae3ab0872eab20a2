//! LinkBench's tables as a model of this project.

use super::Outcome;
use bothways_graph::model::Model;

const TEXT: &str = include_str!("linkbench.toml");

/// The relations, one for each type of links.
pub const RELATIONS: [&str; 2] = ["links0", "links1"];
/// The entity whose items are nodes.
pub(super) const NODE: &str = "node";

/// The model.
///
/// # Errors
/// None, as long as its file is right.
pub fn model() -> Outcome<Model> {
    Ok(Model::parse("linkbench.toml", TEXT)?.model)
}

/// The relation of a type.
pub(super) fn relation(kind: u64) -> &'static str {
    RELATIONS[usize::from(kind != 0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_passes_its_check() {
        let report = model().unwrap().check(None);
        assert_eq!(report.problems, []);
    }
}
