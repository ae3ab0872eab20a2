//! What a run has shown, as Markdown.

use super::chart::{Bar, Kind, Panel, chart};
use super::inside::Inside;
use super::load::Load;
use super::requests::Op;
use super::server::Server;
use crate::linkbench::{Times, median};
use std::fmt::Write as _;
use std::time::Duration;

/// What is compared with.
const OWN: &str = "bothways";
const LIMIT: &str = "bare hyper";

/// A stretch of load on one server.
#[derive(Debug)]
pub struct Stretch {
    /// Of what.
    pub op: Op,
    /// On whom.
    pub server: &'static str,
    /// Processor time that the server took meanwhile.
    pub processor: Duration,
    /// What the load showed.
    pub load: Load,
}

/// Everything of a run.
#[derive(Debug, Default)]
pub struct Report {
    stretches: Vec<Stretch>,
}

/// An operation on a server: medians over the rounds, times over all of them.
struct Line {
    processor: f64,
    rate: f64,
    times: Times,
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

impl Report {
    /// Adds a stretch.
    pub fn add(&mut self, stretch: Stretch) {
        self.stretches.push(stretch);
    }

    fn line(&self, op: Op, server: &str) -> Option<Line> {
        let mine = |s: &&Stretch| s.op == op && s.server == server && s.load.times.count() > 0;
        let stretches: Vec<&Stretch> = self.stretches.iter().filter(mine).collect();
        let of = |number: &dyn Fn(&Stretch) -> f64| {
            median(stretches.iter().map(|stretch| number(stretch)).collect())
        };
        let mut times = Times::default();
        for stretch in &stretches {
            times.absorb(&stretch.load.times);
        }
        (!stretches.is_empty()).then(|| Line {
            processor: of(&|s| s.processor.as_secs_f64() * 1e6 / s.load.times.count() as f64),
            rate: of(&|s| s.load.times.count() as f64 / s.load.took.as_secs_f64()),
            times,
        })
    }

    /// The table of operations.
    #[must_use]
    pub fn operations(&self, servers: &[Server]) -> String {
        let mut out = String::from(
            "| | server | processor an operation, µs | bothways takes of that | operations/s | median, 99 and 99.9 of 100 within, ms |\n| --- | --- | --- | --- | --- | --- |\n",
        );
        for op in Op::ALL {
            let own = self.line(op, OWN).map_or(0.0, |line| line.processor);
            for server in servers {
                let Some(line) = self.line(op, server.name) else {
                    continue;
                };
                let ratio = match server.name {
                    OWN => String::new(),
                    LIMIT => format!("{:.2} times", own / line.processor),
                    _ => format!("1/{:.1}", line.processor / own),
                };
                let _ = writeln!(
                    out,
                    "| {} | {} | {:.1} | {ratio} | {:.0} | {:.2}, {:.2}, {:.2} |",
                    op.label(),
                    server.name,
                    line.processor,
                    line.rate,
                    line.times.at(0.5),
                    line.times.at(0.99),
                    line.times.at(0.999),
                );
            }
        }
        out
    }

    /// Processor time of each operation, and memory, as an SVG.
    #[must_use]
    pub fn chart(&self, servers: &[Server]) -> String {
        let bars = |value: &dyn Fn(&Server) -> Option<f64>| -> Vec<Bar> {
            let bar = |server: &Server| {
                Some(Bar {
                    name: server.name,
                    value: value(server)?,
                    kind: match server.name {
                        OWN => Kind::Own,
                        LIMIT => Kind::Limit,
                        _ => Kind::Peer,
                    },
                })
            };
            servers.iter().filter_map(bar).collect()
        };
        let mut panels: Vec<Panel> = Op::ALL
            .map(|op| Panel {
                title: format!("{}, µs of processor", op.label()),
                bars: bars(&|server| Some(self.line(op, server.name)?.processor)),
            })
            .into_iter()
            .filter(|panel| !panel.bars.is_empty())
            .collect();
        panels.push(Panel {
            title: "Memory before the first request, MB".to_owned(),
            bars: bars(&|server| Some(megabytes(server.idle))),
        });
        chart(&panels)
    }

    /// What failed: by server and operation, with the first words.
    #[must_use]
    pub fn failures(&self) -> String {
        let mut out = String::new();
        for stretch in &self.stretches {
            let (op, load) = (stretch.op.label(), &stretch.load);
            if load.failed > 0 || load.broken > 0 {
                let words = load.words.as_deref().unwrap_or_default();
                let words: String = words.chars().take(300).collect();
                let _ = writeln!(
                    out,
                    "{}, {op}: {} refused, {} connections broken {words}",
                    stretch.server, load.failed, load.broken
                );
            }
        }
        out
    }

    /// The table of starts and memory.
    #[must_use]
    pub fn servers(servers: &[Server]) -> String {
        let mut out = String::from(
            "| server | start to first answer, ms | memory idle, MB | after the run, MB |\n| --- | --- | --- | --- |\n",
        );
        for server in servers {
            let _ = writeln!(
                out,
                "| {} | {:.0} | {:.1} | {:.1} |",
                server.name,
                server.start.as_secs_f64() * 1e3,
                megabytes(server.idle),
                megabytes(server.memory()),
            );
        }
        out
    }

    /// The table of what it costs without HTTP.
    #[must_use]
    pub fn inside(all: &[Inside]) -> String {
        let mut out = String::from(
            "| in this process, in memory | engine, µs | bare store, µs | engine / store |\n| --- | --- | --- | --- |\n",
        );
        for one in all {
            let _ = writeln!(
                out,
                "| {} | {:.2} | {:.2} | {:.1} |",
                one.op.label(),
                one.engine,
                one.store,
                one.engine / one.store
            );
        }
        out
    }
}
