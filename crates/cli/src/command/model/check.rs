//! `model check`.

use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{Paint, Screen, Table, Tint, plural, thousands};
use crate::report::{self, Report};
use bothways_graph::model::{Loaded, Problem};
use bothways_graph::{CheckReport, Consistency, Plan, units_text};
use serde_json::{Map, Value as Json, json};

/// Proves every pattern of a model. Any problem fails the check; a warning does not.
pub(crate) fn check(argument: &str, screen: &Screen) -> Result<Exit, Failure> {
    let loaded = models::load(argument)?;
    let found = loaded.model.check(Some(&loaded.source));
    let exit = report::print(
        screen,
        &Check {
            loaded: &loaded,
            found: &found,
        },
    )?;
    for warning in &found.warnings {
        screen.notice(Tint::Warn, "warning:", &models::of_problem(warning.clone()));
    }
    for problem in &found.problems {
        screen.notice(Tint::Bad, "error:", &models::of_problem(problem.clone()));
    }
    Ok(exit)
}

struct Check<'c> {
    loaded: &'c Loaded,
    found: &'c CheckReport,
}

/// `1 Query`, `5 Queries`.
fn requests(plan: &Plan) -> String {
    let name = plan.operation.name();
    match plan.requests {
        0 | 1 => name.to_owned(),
        pages => format!("{name}, {}", plural(pages, "page", "pages")),
    }
}

fn cost(plan: &Plan) -> String {
    let mut parts = Vec::new();
    if plan.read.0 > 0 {
        parts.push(format!("{} RCU", units_text(plan.read)));
    }
    if plan.write.0 > 0 {
        parts.push(format!("{} WCU", units_text(plan.write)));
    }
    parts.join(", ")
}

/// One row, and one more for each further action of a transaction.
fn plan_rows(table: &mut Table, named: &str, items: u64, plan: &Plan) {
    let mut keys = plan.key.split("; ");
    let items = if named.is_empty() {
        String::new()
    } else {
        thousands(items)
    };
    table.row([
        Some(named.to_owned()),
        Some(items),
        Some(requests(plan)),
        Some(plan.index.clone().unwrap_or_else(|| plan.table.clone())),
        keys.next().map(str::to_owned),
        plan.consistency.map(|c| c.as_str().to_owned()),
        Some(cost(plan)),
    ]);
    for key in keys {
        let blank = || Some(String::new());
        let key = Some(key.to_owned());
        table.row([blank(), blank(), blank(), blank(), key, blank(), blank()]);
    }
}

impl Check<'_> {
    fn table(&self) -> Table {
        let mut table = Table::new()
            .column("PATTERN")
            .numbers("ITEMS")
            .column("REQUEST")
            .column("ON")
            .column("KEY")
            .column("READ")
            .column("COST");
        for proof in &self.found.proofs {
            if proof.plans.is_empty() {
                let dash = || None;
                let scan = Some("no Query or GetItem serves it".to_owned());
                table.row([
                    Some(proof.pattern.clone()),
                    dash(),
                    scan,
                    dash(),
                    dash(),
                    dash(),
                    dash(),
                ]);
            }
            for (i, plan) in proof.plans.iter().enumerate() {
                let named = if i == 0 { proof.pattern.as_str() } else { "" };
                plan_rows(&mut table, named, proof.items, plan);
            }
        }
        table
    }

    fn verdict(&self) -> (Tint, String) {
        let problems = self.found.problems.len() as u64;
        let warnings = self.found.warnings.len() as u64;
        let patterns = plural(self.found.proofs.len() as u64, "pattern", "patterns");
        let warned = match warnings {
            0 => String::new(),
            n => format!(", {}", plural(n, "warning", "warnings")),
        };
        if problems == 0 {
            (
                Tint::Good,
                format!("{patterns} proved, none needs a Scan{warned}"),
            )
        } else {
            (
                Tint::Bad,
                format!("{}{warned}", plural(problems, "problem", "problems")),
            )
        }
    }
}

fn problem_json(problem: &Problem) -> Json {
    json!({
        "place": problem.place,
        "line": problem.spot.as_ref().map(|spot| spot.line),
        "message": problem.message,
        "hint": problem.hint,
    })
}

impl Report for Check<'_> {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let (tint, verdict) = self.verdict();
        let name = paint.paint(Tint::Strong, &self.loaded.model.name);
        let mut lines = vec![format!("{name}   {}", paint.paint(tint, &verdict))];
        let table = self.table();
        if !table.is_empty() {
            lines.push(String::new());
            lines.extend(table.lines(2, paint));
            lines.push(String::new());
        }
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let proofs: Vec<Json> = self
            .found
            .proofs
            .iter()
            .map(|proof| {
                let plans = proof.plans.iter().map(|plan| {
                    json!({
                        "operation": plan.operation.name(),
                        "table": plan.table,
                        "index": plan.index,
                        "key": plan.key,
                        "consistency": plan.consistency.map(Consistency::as_str),
                        "requests": plan.requests,
                        "read_units": units_text(plan.read),
                        "write_units": units_text(plan.write),
                    })
                });
                json!({
                    "pattern": proof.pattern,
                    "access": proof.access,
                    "items": proof.items,
                    "bytes": proof.bytes,
                    "plans": plans.collect::<Vec<_>>(),
                })
            })
            .collect();
        let problems = |list: &[Problem]| list.iter().map(problem_json).collect::<Vec<_>>();
        Map::from_iter([
            ("model".to_owned(), json!(self.loaded.model.name)),
            ("patterns".to_owned(), json!(proofs)),
            ("problems".to_owned(), json!(problems(&self.found.problems))),
            ("warnings".to_owned(), json!(problems(&self.found.warnings))),
        ])
    }

    fn exit(&self) -> Exit {
        if self.found.problems.is_empty() {
            Exit::Done
        } else {
            Exit::No
        }
    }
}
