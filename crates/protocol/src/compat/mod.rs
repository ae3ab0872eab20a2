//! `COMPAT.md`, made from the operation list and the API model's.

use crate::{Operation, Service, Status};
use std::fmt::Write as _;

/// Operations and parameters of the API model that this project follows.
const MODEL: &str = include_str!("model.txt");
/// Where it comes from.
const MODEL_NAME: &str = "botocore 1.44.8 (`dynamodb` and `dynamodbstreams`, 2012-08-10)";
/// Where AWS's own answers differ, and which one is given here.
const ANSWERS: &str = include_str!("answers.md");

/// An operation of the API model.
struct Modelled {
    service: Service,
    name: &'static str,
    parameters: Vec<&'static str>,
}

fn model() -> impl Iterator<Item = Modelled> {
    MODEL
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let (operation, parameters) = line.split_once(':')?;
            let (service, name) = operation.split_once(' ')?;
            let service = if service == "Streams" {
                Service::Streams
            } else {
                Service::DynamoDb
            };
            Some(Modelled {
                service,
                name,
                parameters: parameters.split_whitespace().collect(),
            })
        })
}

/// The whole page.
#[must_use]
pub fn markdown() -> String {
    let mut out = String::from(
        "# Compatibility\n\n\
         Made from the operation list by `bothways_protocol::compat::markdown`; a test compares the two.\n\n",
    );
    let _ = writeln!(out, "The API model followed is that of {MODEL_NAME}.\n");
    out.push_str("An operation that is *not* served answers `UnknownOperationException`. A parameter that is not taken is ignored, as\nAWS ignores a member that it does not know. The client sends every operation and parameter through untouched.\n");
    for (service, title) in [
        (Service::DynamoDb, "DynamoDB"),
        (Service::Streams, "DynamoDB Streams"),
    ] {
        let _ = write!(
            out,
            "\n## {title}\n\n| Operation | Served | Parameters not taken | Remarks |\n|---|---|---|---|\n"
        );
        for modelled in model().filter(|modelled| modelled.service == service) {
            row(&modelled, &mut out);
        }
    }
    out.push('\n');
    out.push_str(ANSWERS);
    out
}

fn row(modelled: &Modelled, out: &mut String) {
    let operation = Operation::ALL.iter().find(|operation| {
        operation.service() == modelled.service && operation.name() == modelled.name
    });
    let (status, note) = operation.map_or((Status::Not, ""), |op| (op.status(), op.note()));
    let taken = operation.map_or(&[][..], |operation| operation.parameters());
    let lacking = modelled
        .parameters
        .iter()
        .filter(|name| !taken.contains(name));
    let lacking: Vec<String> = lacking.map(|name| format!("`{name}`")).collect();
    let served = match status {
        Status::Done if lacking.is_empty() => "yes",
        Status::Done | Status::Partly => "partly",
        Status::Not => "no",
    };
    let lacking = if status == Status::Not {
        String::new()
    } else {
        lacking.join(", ")
    };
    let _ = writeln!(out, "| {} | {served} | {lacking} | {note} |", modelled.name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_of_the_list_is_in_the_model() {
        for operation in Operation::ALL {
            assert!(
                model().any(|m| m.service == operation.service() && m.name == operation.name()),
                "the model has no {}",
                operation.name()
            );
        }
    }

    #[test]
    fn every_parameter_of_the_list_is_in_the_model() {
        for operation in Operation::ALL {
            let modelled = model()
                .find(|m| m.name == operation.name())
                .expect("it is there");
            for parameter in operation.parameters() {
                assert!(
                    modelled.parameters.contains(parameter),
                    "{} has no {parameter}",
                    operation.name()
                );
            }
        }
    }
}
