//! Traps that a model shows by itself.

use super::{Diagnosis, Trap};
use crate::model::{Access, Model, Problem, Projection};

/// What the check finds, as traps; and what it does not look for.
pub(super) fn examine(model: &Model) -> Vec<Diagnosis> {
    let report = model.check(None);
    let found = report.problems.iter().chain(&report.warnings);
    let mut diagnoses: Vec<Diagnosis> = found.map(diagnosis).collect();
    for relation in &model.relations {
        let counted = |p: &&crate::model::Pattern| matches!(&p.access, Access::Count(of) if *of == relation.name);
        let uncounted = relation.counters.out.is_none() && relation.counters.inward.is_none();
        if let Some(pattern) = model.patterns.iter().find(counted).filter(|_| uncounted) {
            diagnoses.push(Diagnosis {
                trap: Trap::DerivedCount,
                place: format!("relation {}", relation.name),
                evidence: format!(
                    "{:?} counts edges, and nothing keeps the count",
                    pattern.name
                ),
                repair: "give the relation counters, then count once: verify --repair".to_owned(),
                command: None,
            });
        }
        let index = model.index(&relation.inverse.index);
        let copies_all = index.is_some_and(|i| i.projection == Projection::All);
        let lists = model
            .patterns
            .iter()
            .any(|p| matches!(&p.access, Access::In(of) if *of == relation.name));
        if copies_all && lists && relation.attributes.is_empty() {
            diagnoses.push(Diagnosis {
                trap: Trap::Projection,
                place: format!("index {}", relation.inverse.index),
                evidence: format!(
                    "it copies every attribute, and {} declares none that a list would show",
                    relation.name
                ),
                repair: "project KEYS_ONLY, or the attributes that lists show".to_owned(),
                command: None,
            });
        }
    }
    diagnoses
}

/// A finding of the check as a trap, by the place that it names.
fn diagnosis(problem: &Problem) -> Diagnosis {
    let trap = match problem.place.rsplit([' ', '.']).next().unwrap_or_default() {
        "consistency" => Trap::ConsistentList,
        "by" => Trap::Scan,
        "peak" | "shard" => Trap::HotKey,
        "projection" => Trap::Projection,
        "pk" if problem.place.starts_with("index") => Trap::LocalIndex,
        _ if problem.message.contains("local index") => Trap::LocalIndex,
        _ if problem.message.contains("Scan") => Trap::Scan,
        _ => Trap::Model,
    };
    Diagnosis {
        trap,
        place: problem.place.clone(),
        evidence: problem.message.clone(),
        repair: problem
            .hint
            .clone()
            .unwrap_or_else(|| "change the model".to_owned()),
        command: None,
    }
}
