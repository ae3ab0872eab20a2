//! `patterns`: each access pattern of a model run on the table as it is, and held against its proof.

use crate::args::{Global, Patterns as PatternsArgs};
use crate::failure::{Exit, Failure};
use crate::print::{Paint, Screen, Table, Tint};
use crate::report::{Advice, Report};
use crate::session::Session;
use bothways_graph::{Asked, Done, PatternOptions, PatternRun, PatternsReport, Receipt};
use serde_json::{Map, Value as Json, json};

/// `patterns`.
pub(crate) async fn patterns(
    args: &PatternsArgs,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    if global.explain {
        return Err(Failure::usage(
            "patterns are run; the requests of their proofs are in: bothways model check",
        ));
    }
    let session = Session::open(&args.model, global, screen)?;
    let options = PatternOptions {
        source: args.source.clone(),
        target: args.target.clone(),
        write: args.write,
    };
    let done = session.graph.run_patterns(&session.cx, &options).await;
    session.answer(done.map(|done| Answer {
        done,
        model: args.model.clone(),
    }))
}

struct Answer {
    done: Done<PatternsReport>,
    /// The MODEL argument, for the advice.
    model: String,
}

impl Report for Answer {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let mut table = Table::new()
            .column("PATTERN")
            .column("REQUESTS")
            .numbers("PLANNED")
            .numbers("USED")
            .column("");
        for run in &self.done.value.patterns {
            let verdict = match (&run.skipped, run.differences.first()) {
                (Some(why), _) => format!("not run: {}", why.as_str()),
                (None, None) => paint.paint(Tint::Good, "as proved"),
                (None, Some(first)) => paint.paint(Tint::Bad, first),
            };
            table.row([
                Some(run.pattern.clone()),
                requests(run),
                units(&run.planned),
                units(&run.sent),
                Some(verdict),
            ]);
        }
        table.lines(0, paint)
    }

    fn members(&self) -> Map<String, Json> {
        let report = serde_json::to_value(&self.done.value).unwrap_or(Json::Null);
        let mut members = match report {
            Json::Object(members) => members,
            _ => Map::new(),
        };
        members.insert("holds".to_owned(), json!(self.done.value.holds()));
        members
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        if !self.done.value.lacks_example() {
            return Vec::new();
        }
        let named = [
            "patterns",
            &self.model,
            "--source",
            "SOURCE",
            "--target",
            "TARGET",
        ];
        vec![Advice::run("with ids of your own", &named)]
    }

    fn exit(&self) -> Exit {
        if self.done.value.holds() {
            Exit::Done
        } else {
            Exit::No
        }
    }
}

fn requests(run: &PatternRun) -> Option<String> {
    let one = |asked: &Asked| match &asked.index {
        Some(index) => format!("{} on {index}", asked.operation),
        None => asked.operation.to_owned(),
    };
    let all: Vec<String> = run.sent.iter().map(one).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

fn units(asked: &[Asked]) -> Option<String> {
    if asked.is_empty() {
        return None;
    }
    let read: f64 = asked.iter().map(|one| one.read_units).sum();
    let write: f64 = asked.iter().map(|one| one.write_units).sum();
    Some(if write > 0.0 {
        format!("{write} WCU")
    } else {
        format!("{read} RCU")
    })
}
