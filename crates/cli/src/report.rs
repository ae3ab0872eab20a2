//! What a command answers, before anybody decides how to print it.

use crate::failure::{Exit, Failure};
use crate::print::{Paint, Screen, shell_word};
use bothways_graph::Receipt;
use serde_json::{Map, Value as Json, json};

/// Something that helps to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Advice {
    /// A remark.
    Say(String),
    /// The words of a command, without its program and its place, behind a word or two.
    Run(&'static str, Vec<String>),
}

impl Advice {
    /// A command of these words.
    pub(crate) fn run(what: &'static str, words: &[&str]) -> Self {
        Self::Run(what, words.iter().map(|&word| word.to_owned()).collect())
    }
}

/// The answer of one command.
pub(crate) trait Report {
    /// The lines of data.
    fn lines(&self, paint: Paint) -> Vec<String>;
    /// The members of the JSON document; `requests` is added to them.
    fn members(&self) -> Map<String, Json>;
    /// What was sent.
    fn receipts(&self) -> &[Receipt] {
        &[]
    }
    /// What one may want to do next.
    fn advice(&self) -> Vec<Advice> {
        Vec::new()
    }
    /// How the process ends.
    fn exit(&self) -> Exit {
        Exit::Done
    }
}

/// Prints a report in the form asked for.
pub(crate) fn print(screen: &Screen, report: &dyn Report) -> Result<Exit, Failure> {
    if screen.json() {
        let mut members = report.members();
        let requests = report.receipts().iter().map(receipt_json).collect();
        members.insert("requests".to_owned(), Json::Array(requests));
        screen.document(&Json::Object(members))?;
    } else {
        screen.lines(&report.lines(screen.paint()))?;
    }
    for receipt in report.receipts() {
        screen.receipt(&receipt.to_string());
    }
    for advice in report.advice() {
        match advice {
            Advice::Say(text) => screen.say(&format!("  {text}")),
            Advice::Run(what, command) => {
                let command: Vec<String> = command.iter().map(|word| shell_word(word)).collect();
                let (command, place) = (command.join(" "), screen.place());
                screen.say(&format!("  {what}: bothways {command}{place}"));
            }
        }
    }
    Ok(report.exit())
}

/// A receipt as JSON; units are text, because they have halves.
fn receipt_json(receipt: &Receipt) -> Json {
    let mut json = json!({
        "operation": receipt.operation.name(),
        "table": receipt.table,
        "index": receipt.index,
        "key": receipt.key,
        "consistency": receipt.consistency.map(bothways_graph::Consistency::as_str),
        "pages": receipt.requests,
        "count": receipt.count,
        "scanned": receipt.scanned,
        "read_units": bothways_graph::units_text(receipt.read),
        "write_units": bothways_graph::units_text(receipt.write),
        "retries": receipt.retries,
        "note": receipt.note,
        "milliseconds": receipt.elapsed.as_secs_f64() * 1000.0,
    });
    if let Json::Object(members) = &mut json {
        members.retain(|_, value| !value.is_null());
        if receipt.elapsed.is_zero() {
            members.remove("milliseconds");
        }
    }
    json
}
