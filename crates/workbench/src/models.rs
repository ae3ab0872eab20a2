//! Models as the pages see them.

use crate::answer::Result;
use crate::document::finding;
use crate::reading::reading;
use crate::shapes::{Check, EdgeRef, Entity, Model, PatternProof, Relation};
use crate::{Connection, Shown, Workbench};
use bothways_graph::model::{Pattern, Source};
use bothways_graph::{self as graph, units_text};
use bothways_protocol::types::DescribeTableInput;
use bothways_protocol::{Context, DynamoDbExt, ErrorKind};

/// The models whose table exists at a connection.
pub(crate) async fn list(bench: &Workbench, connection: &Connection) -> Result<Vec<Model>> {
    let mut found = Vec::new();
    for shown in bench.shown() {
        let input = DescribeTableInput {
            table_name: Some(shown.model.table.clone()),
        };
        match connection
            .db
            .describe_table(&Context::default(), input)
            .await
        {
            Ok(_) => found.push(shape(&shown)),
            Err(error) if error.kind == ErrorKind::ResourceNotFound => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}

pub(crate) fn shape(shown: &Shown) -> Model {
    let model = &shown.model;
    Model {
        name: model.name.clone(),
        table: model.table.clone(),
        entities: model
            .entities
            .iter()
            .map(|entity| Entity {
                name: entity.name.clone(),
                pk: entity.key.pk.to_string(),
                sk: entity.key.sk.to_string(),
            })
            .collect(),
        relations: model.relations.iter().map(|r| relation(model, r)).collect(),
        toml: model.to_toml(),
        firsts: shown
            .firsts
            .iter()
            .map(|first| EdgeRef {
                relation: first.relation.clone(),
                source: first.source.clone(),
                target: first.target.clone(),
            })
            .collect(),
    }
}

fn relation(model: &graph::Model, relation: &graph::model::Relation) -> Relation {
    let index = model
        .indexes
        .iter()
        .find(|index| index.name == relation.inverse.index);
    Relation {
        name: relation.name.clone(),
        source: relation.from.clone(),
        target: relation.to.clone(),
        out: relation.out_label.clone(),
        inward: relation.in_label.clone(),
        pk: relation.key.pk.to_string(),
        sk: relation.key.sk.to_string(),
        key_names: [model.keys.pk.clone(), model.keys.sk.clone()],
        index_key_names: index
            .map(|index| vec![index.keys.pk.clone(), index.keys.sk.clone()])
            .unwrap_or_default(),
        index: relation.inverse.index.clone(),
        index_pk: relation.inverse.keys.pk.to_string(),
        index_sk: relation.inverse.keys.sk.to_string(),
        attributes: relation.attributes.iter().map(|a| a.name.clone()).collect(),
        out_counter: relation.counters.out.clone(),
        in_counter: relation.counters.inward.clone(),
        undirected: relation.undirected,
    }
}

/// Proves a model's access patterns.
pub(crate) fn check(model: &graph::Model) -> Check {
    check_with(model, None)
}

/// The same, each finding with its place in the model's text.
pub(crate) fn check_with(model: &graph::Model, source: Option<&Source>) -> Check {
    let report = model.check(source);
    let errors = report.problems.iter().map(|p| finding("error", p));
    let warnings = report.warnings.iter().map(|p| finding("warning", p));
    Check {
        findings: errors.chain(warnings).collect(),
        patterns: model
            .patterns
            .iter()
            .zip(&report.proofs)
            .flat_map(|(pattern, proof)| {
                proof.plans.iter().map(|plan| proved(model, pattern, plan))
            })
            .collect(),
    }
}

fn proved(model: &graph::Model, pattern: &Pattern, plan: &graph::Plan) -> PatternProof {
    PatternProof {
        name: pattern.name.clone(),
        operation: plan.operation.name().to_owned(),
        index: plan.index.clone(),
        key: plan.key.clone(),
        consistency: plan.consistency.map_or("write", |c| c.as_str()).to_owned(),
        units: match (units_text(plan.read), units_text(plan.write)) {
            (read, write) if write == "0" => format!("{read} RCU"),
            (read, write) if read == "0" => format!("{write} WCU"),
            (read, write) => format!("{read} RCU, {write} WCU"),
        },
        read_units: units_text(plan.read),
        write_units: units_text(plan.write),
        items: pattern.items,
        ok: plan.operation != bothways_protocol::Operation::Scan,
        access: pattern.access.verb(),
        of: pattern.access.of().to_owned(),
        reading: reading(model, &pattern.access),
    }
}
