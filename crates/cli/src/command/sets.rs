//! `mutual`, `known`, `intersect`, `union`, `difference`.

use crate::args::{Combine, Global, Known, Mutual, SetPageArgs, Way};
use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{Paint, Screen, Tint, thousands, visible};
use crate::report::{Advice, Report};
use crate::session::Session;
use bothways_graph::{
    Direction, Done, Estimate, Model, Operand, Part, Receipt, SetOperation, SetOptions, SetPage,
};
use serde_json::{Map, Value as Json, json};

/// What is asked for, in the words of the command line.
struct Asked<'a> {
    model: &'a str,
    operation: SetOperation,
    operands: Vec<Operand>,
    page: &'a SetPageArgs,
    /// The command without its page.
    words: Vec<String>,
    title: Title,
}

/// How the heading begins.
enum Title {
    /// `alice and others both ways: 3`.
    Mutual(String),
    /// `Of those who … star, alice … 3`.
    Known { viewer: String, id: String },
    /// The lists.
    Combined,
}

/// `mutual`.
pub(crate) async fn mutual(
    args: &Mutual,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let node = &args.node;
    let operand = |direction| Operand::new(&node.relation, direction, &node.id);
    let asked = Asked {
        model: &node.model,
        operation: SetOperation::Intersect,
        operands: vec![operand(Direction::Out), operand(Direction::In)],
        page: &args.page,
        words: words(&["mutual", &node.model, &node.relation, &node.id]),
        title: Title::Mutual(node.id.clone()),
    };
    page(asked, global, screen).await
}

/// `known`.
pub(crate) async fn known(args: &Known, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    let asked = Asked {
        model: &args.model,
        operation: SetOperation::Intersect,
        operands: vec![
            Operand::new(&args.relation, Direction::Out, &args.viewer),
            Operand::new(&args.relation, Direction::In, &args.id),
        ],
        page: &args.page,
        words: words(&["known", &args.model, &args.relation, &args.viewer, &args.id]),
        title: Title::Known {
            viewer: args.viewer.clone(),
            id: args.id.clone(),
        },
    };
    page(asked, global, screen).await
}

/// `intersect`, `union` and `difference`.
pub(crate) async fn combine(
    args: &Combine,
    operation: SetOperation,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let operands: Vec<Operand> = args.lists.iter().map(|list| list.0.clone()).collect();
    let mut command = words(&[operation.as_str(), &args.model]);
    command.extend(operands.iter().map(operand_text));
    let asked = Asked {
        model: &args.model,
        operation,
        operands,
        page: &args.page,
        words: command,
        title: Title::Combined,
    };
    page(asked, global, screen).await
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn operand_text(operand: &Operand) -> String {
    let direction = operand.direction.as_str();
    format!("{}:{direction}:{}", operand.relation, operand.id)
}

async fn page(asked: Asked<'_>, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    let session = Session::open(asked.model, global, screen)?;
    for operand in &asked.operands {
        models::relation(session.graph.model(), asked.model, &operand.relation)?;
    }
    if asked.page.count {
        let count = session
            .graph
            .set_count(&session.cx, asked.operation, &asked.operands)
            .await;
        return session.answer(count.map(|done| CountReport {
            argument: asked.model.to_owned(),
            operation: asked.operation,
            lists: asked.operands.iter().map(operand_text).collect(),
            done,
        }));
    }
    let options = SetOptions {
        limit: asked.page.limit,
        after: asked.page.after.clone(),
        limits: asked.page.limits.limits(),
        part: asked.page.by.map(Way::part),
    };
    let model = session.graph.model().clone();
    let page = session
        .graph
        .set_page(&session.cx, asked.operation, &asked.operands, &options)
        .await;
    session.answer(page.map(|done| SetReport {
        model,
        argument: asked.model.to_owned(),
        operation: asked.operation,
        operands: asked.operands,
        words: asked.words,
        title: asked.title,
        goes_on: asked.page.after.is_some(),
        done,
    }))
}

struct CountReport {
    argument: String,
    operation: SetOperation,
    lists: Vec<String>,
    done: Done<Estimate>,
}

impl Report for CountReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let lists = visible(&self.lists.join(" "));
        let Estimate { least, most } = self.done.value;
        let bounds = match most {
            Some(most) if most == least => thousands(most),
            Some(most) => format!("{} to {}", thousands(least), thousands(most)),
            None => format!("{} or more", thousands(least)),
        };
        let bounds = paint.paint(Tint::Strong, &bounds);
        vec![format!("{} of {lists}: {bounds}", self.operation.as_str())]
    }

    fn members(&self) -> Map<String, Json> {
        let json = json!({
            "model": self.argument,
            "operation": self.operation.as_str(),
            "lists": self.lists,
            "least": self.done.value.least,
            "most": self.done.value.most,
        });
        if let Json::Object(members) = json {
            members
        } else {
            Map::new()
        }
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }
}

struct SetReport {
    model: Model,
    argument: String,
    operation: SetOperation,
    operands: Vec<Operand>,
    words: Vec<String>,
    title: Title,
    goes_on: bool,
    done: Done<SetPage>,
}

impl SetReport {
    fn label(&self, at: usize, direction: Direction) -> &str {
        let name = self.operands.get(at).map_or("", |o| o.relation.as_str());
        self.model
            .relation(name)
            .map_or(name, |relation| relation.label(direction))
    }

    fn heading(&self, paint: Paint) -> String {
        let page = &self.done.value;
        let n = thousands(page.ids.len() as u64);
        let count = match (self.goes_on, &page.next) {
            (true, _) => format!("{n} more"),
            (false, Some(_)) if page.cut.is_some() => format!("{n} so far"),
            (false, Some(_)) => format!("more than {n}"),
            (false, None) => n,
        };
        let strong = |id: &str| paint.paint(Tint::Strong, &visible(id));
        match &self.title {
            Title::Mutual(id) => {
                let (out, inward) = (self.label(0, Direction::Out), self.label(0, Direction::In));
                format!("{} {out} and {inward} {count}", strong(id))
            }
            Title::Known { viewer, id } => {
                let (inward, out) = (self.label(1, Direction::In), self.label(0, Direction::Out));
                let (viewer, id) = (strong(viewer), strong(id));
                format!("{id} {inward} {count} whom {viewer} {out}")
            }
            Title::Combined => {
                let lists: Vec<String> = self.operands.iter().map(operand_text).collect();
                let lists = visible(&lists.join(" "));
                format!("{} of {lists}: {count}", self.operation.as_str())
            }
        }
    }

    fn ways(&self) -> Json {
        let way = |part: &Part| match part {
            Part::Merged => "merge",
            Part::Probed => "probe",
        };
        self.done.value.parts.iter().map(way).collect()
    }
}

impl Report for SetReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let mut lines = vec![self.heading(paint)];
        if !self.done.value.ids.is_empty() {
            lines.push(String::new());
            let ids = self.done.value.ids.iter();
            lines.extend(ids.map(|id| format!("  {}", visible(id))));
            lines.push(String::new());
        }
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let page = &self.done.value;
        let lists: Vec<String> = self.operands.iter().map(operand_text).collect();
        let json = json!({
            "model": self.argument,
            "operation": self.operation.as_str(),
            "lists": lists,
            "by": self.ways(),
            "ids": page.ids,
            "next": page.next,
            "cut": page.cut.map(bothways_graph::Cut::as_str),
            "consistency": page.consistency.as_str(),
        });
        if let Json::Object(members) = json {
            members
        } else {
            Map::new()
        }
    }

    fn receipts(&self) -> &[Receipt] {
        &self.done.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        let page = &self.done.value;
        let mut advice = Vec::new();
        if let Some(cut) = page.cut {
            advice.push(Advice::Say(format!(
                "this page ended early, out of {}",
                cut.as_str()
            )));
        }
        if let Some(next) = &page.next {
            let mut command: Vec<&str> = self.words.iter().map(String::as_str).collect();
            command.extend(["--after", next]);
            advice.push(Advice::run("more", &command));
        }
        advice
    }
}
