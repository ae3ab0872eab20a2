//! `model doctor`.

use crate::args::Global;
use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{Paint, Screen, Tint, plural, shell_word, visible};
use crate::report::{self, Report};
use crate::session::Session;
use bothways_graph::{Diagnosis, DoctorOptions, DoctorReport, Receipt};
use serde_json::{Map, Value as Json, json};

/// Looks at a model, and at its table where the model can be used.
pub(crate) async fn doctor(
    model: &str,
    sample: Option<u64>,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let loaded = models::load(model)?;
    if !loaded.model.check(Some(&loaded.source)).passed() {
        let report = Examined::new(model, DoctorReport::of_model(&loaded.model), Vec::new());
        return report::print(screen, &report);
    }
    let mut session = Session::open(model, global, screen)?;
    // A whole table may take its time; each of its pages is bounded by the layers below.
    session.cx.deadline = None;
    let options = DoctorOptions { sample };
    let examined = session.graph.doctor(&session.cx, &options).await;
    session.answer(examined.map(|done| Examined::new(model, done.value, done.receipts)))
}

struct Examined {
    model: String,
    report: DoctorReport,
    receipts: Vec<Receipt>,
}

impl Examined {
    fn new(model: &str, report: DoctorReport, receipts: Vec<Receipt>) -> Self {
        Self {
            model: model.to_owned(),
            report,
            receipts,
        }
    }

    /// A diagnosis's command with the model in its place.
    fn command(&self, diagnosis: &Diagnosis) -> Option<String> {
        let words = diagnosis.command.as_ref()?.iter();
        let named = words.map(|word| if word == "MODEL" { &self.model } else { word });
        let words: Vec<String> = named.map(|word| shell_word(word)).collect();
        Some(format!("bothways {}", words.join(" ")))
    }
}

impl Report for Examined {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let mut lines = Vec::new();
        for diagnosis in &self.report.diagnoses {
            let trap = paint.paint(Tint::Warn, diagnosis.trap.as_str());
            lines.push(format!("{trap}   {}", visible(&diagnosis.place)));
            lines.push(format!("  {}", visible(&diagnosis.evidence)));
            lines.push(format!("  {}", visible(&diagnosis.repair)));
            if let Some(command) = self.command(diagnosis) {
                lines.push(format!("  {}", paint.paint(Tint::Strong, &command)));
            }
            lines.push(String::new());
        }
        let looked = plural(self.report.sampled, "item", "items");
        let looked = match (self.report.table, self.report.whole) {
            (false, _) => "there is no table to look at".to_owned(),
            (true, true) => format!("looked at all of the table, {looked}"),
            (true, false) => format!("looked at {looked}; --all looks at every one"),
        };
        lines.push(if self.report.is_healthy() {
            format!("{}    {looked}", paint.paint(Tint::Good, "Healthy"))
        } else {
            looked
        });
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let diagnoses = self.report.diagnoses.iter().map(|diagnosis| {
            json!({
                "trap": diagnosis.trap.as_str(),
                "place": diagnosis.place,
                "evidence": diagnosis.evidence,
                "repair": diagnosis.repair,
                "command": self.command(diagnosis),
            })
        });
        Map::from_iter([
            ("model".to_owned(), json!(self.model)),
            ("healthy".to_owned(), json!(self.report.is_healthy())),
            ("sampled".to_owned(), json!(self.report.sampled)),
            ("whole".to_owned(), json!(self.report.whole)),
            ("table".to_owned(), json!(self.report.table)),
            ("diagnoses".to_owned(), diagnoses.collect()),
        ])
    }

    fn receipts(&self) -> &[Receipt] {
        &self.receipts
    }

    fn exit(&self) -> Exit {
        if self.report.is_healthy() {
            Exit::Done
        } else {
            Exit::No
        }
    }
}
