//! `import --skew`.

use crate::args::Import;
use crate::failure::{Exit, Failure};
use crate::print::{Paint, Table, plural, thousands, visible};
use crate::refusal;
use crate::report::{Advice, Report};
use crate::session::Session;
use bothways_graph::import::{ImportObserver, ImportOptions, ImportSource, SkewReport, Skewed};
use serde_json::{Map, Value as Json, json};

/// Ids shown of each side.
const SHOWN: usize = 10;

/// Reads the rows and shows how they are spread.
pub(super) fn skew(
    args: &Import,
    session: Session<'_>,
    source: ImportSource<'_>,
    options: &ImportOptions,
    observer: &mut dyn ImportObserver,
) -> Result<Exit, Failure> {
    let relation = &args.relation.relation;
    let report = session
        .graph
        .skew(relation, source, options, args.rate, SHOWN, observer);
    match report {
        Ok(report) => session.answer(Ok(Spread { args, report })),
        Err(error) => Err(refusal::of_graph(error, &session.subject)),
    }
}

struct Spread<'a> {
    args: &'a Import,
    report: SkewReport,
}

impl Spread<'_> {
    fn hot(&self) -> impl Iterator<Item = &Skewed> {
        self.report
            .targets
            .iter()
            .filter(|target| target.shards > 1)
    }
}

impl Report for Spread<'_> {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let report = &self.report;
        let mut lines = Vec::new();
        for (title, ids) in [("TARGET", &report.targets), ("SOURCE", &report.sources)] {
            let mut table = Table::new()
                .column(title)
                .numbers("EDGES")
                .numbers("SHARDS");
            for id in ids {
                table.row([
                    Some(visible(&id.id)),
                    Some(thousands(id.edges)),
                    (title == "TARGET").then(|| id.shards.to_string()),
                ]);
            }
            lines.extend(table.lines(0, paint));
            lines.push(String::new());
        }
        let rows = plural(report.rows, "row", "rows");
        let counts = if report.exact {
            ""
        } else {
            "; counts are a little low"
        };
        let rejected = match report.rejected {
            0 => String::new(),
            n => format!(" ({} rejected)", thousands(n)),
        };
        lines.push(format!(
            "{rows}{rejected}, for {} edges a second{counts}",
            thousands(report.rate.into())
        ));
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let report = &self.report;
        let ids = |ids: &[Skewed]| -> Json {
            let one = |id: &Skewed| json!({ "id": id.id, "edges": id.edges, "shards": id.shards });
            ids.iter().map(one).collect()
        };
        Map::from_iter([
            ("rows".to_owned(), json!(report.rows)),
            ("rejected".to_owned(), json!(report.rejected)),
            ("rate".to_owned(), json!(report.rate)),
            ("exact".to_owned(), json!(report.exact)),
            ("targets".to_owned(), ids(&report.targets)),
            ("sources".to_owned(), ids(&report.sources)),
        ])
    }

    fn advice(&self) -> Vec<Advice> {
        let of = &self.args.relation;
        let grow = self.hot().map(|target| {
            let shards = target.shards.to_string();
            let words = [
                "shards",
                "grow",
                &of.model,
                &of.relation,
                &target.id,
                "--to",
                &shards,
            ];
            Advice::run("before loading", &words)
        });
        let mut advice: Vec<Advice> = grow.collect();
        let cold = self
            .report
            .targets
            .first()
            .is_some_and(|t| t.edges >= 100_000);
        if advice.is_empty() && cold && !self.report.may_shard {
            advice.push(Advice::Say(
                "the relation has no shard rule: its busiest key takes what one partition gives"
                    .to_owned(),
            ));
        }
        advice
    }
}
