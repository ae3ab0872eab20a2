//! `counters show | switch | run`.

use crate::args::{Counters, CountingArg, Global, Node, RunCounters};
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::models;
use crate::print::{Paint, Screen, Tint, thousands, utc};
use crate::report::{Advice, Report};
use crate::session::Session;
use bothways_graph::{
    Consumed, ConsumerOptions, Counting, Direction, Done, Graph, Receipt, Result, ShardMap,
};
use bothways_protocol::Context;
use serde_json::{Map, Value as Json, json};

/// `counters …`.
pub(crate) async fn counters(
    args: &Counters,
    global: &Global,
    screen: &Screen,
) -> std::result::Result<Exit, Failure> {
    let (node, to) = match args {
        Counters::Run(args) => return run(args, global, screen).await,
        Counters::Show(node) => (node, None),
        Counters::Switch(switch) => (&switch.node, Some(switch.to)),
    };
    let session = Session::open(&node.model, global, screen)?;
    models::relation(session.graph.model(), &node.model, &node.relation)?;
    let read = read(&session.graph, &session.cx, node, to).await;
    session.answer(read)
}

async fn read(
    graph: &Graph,
    cx: &Context,
    node: &Node,
    to: Option<CountingArg>,
) -> Result<CountersReport> {
    let mut receipts = Vec::new();
    let map = match to {
        // Nobody's patience ends while the old way runs out.
        Some(way) => {
            let to = match way {
                CountingArg::Exact => Counting::Exact,
                CountingArg::Async => Counting::Async,
                CountingArg::Counted => Counting::Counted,
            };
            graph
                .switch_counting(&Context::default(), &node.relation, &node.id, to)
                .await?
        }
        None => graph.shards(cx, &node.relation, &node.id).await?,
    };
    receipts.extend(map.receipts);
    let unhurried = Context::default();
    let counts = graph
        .counts(&unhurried, &node.relation, &node.id, Some(Direction::In))
        .await?;
    receipts.extend(counts.receipts);
    Ok(CountersReport {
        node: node.clone(),
        map: map.value,
        count: counts.value.inward,
        at: counts.value.inward_at,
        receipts,
    })
}

struct CountersReport {
    node: Node,
    map: ShardMap,
    count: Option<i64>,
    at: Option<u64>,
    receipts: Vec<Receipt>,
}

impl Report for CountersReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let id = paint.paint(Tint::Strong, &self.node.id);
        let way = match self.map.counting {
            Counting::Exact if self.map.epoch == 0 => "exact, on its own item",
            Counting::Exact => "exact, by shard",
            Counting::Async => "async, from the stream",
            Counting::Counted => "counted, by reading the list",
        };
        let count = self.count.map_or("none".to_owned(), super::count::grouped);
        let at = self
            .at
            .and_then(|at| utc(i64::try_from(at / 1000).unwrap_or(i64::MAX)));
        let at = at.map_or_else(String::new, |at| format!("   as of {at}"));
        vec![format!("{id}   {count}{at}"), format!("counting: {way}")]
    }

    fn members(&self) -> Map<String, Json> {
        let json = json!({
            "model": self.node.model,
            "relation": self.node.relation,
            "node": self.node.id,
            "counting": self.map.counting.as_str(),
            "gated": self.map.gated,
            "in": self.count,
            "in_as_of": self.at,
        });
        if let Json::Object(members) = json {
            members
        } else {
            Map::new()
        }
    }

    fn receipts(&self) -> &[Receipt] {
        &self.receipts
    }

    fn advice(&self) -> Vec<Advice> {
        if self.map.counting == Counting::Async {
            return vec![Advice::run("count", &["counters", "run", &self.node.model])];
        }
        Vec::new()
    }
}

/// Consumes the stream.
async fn run(
    args: &RunCounters,
    global: &Global,
    screen: &Screen,
) -> std::result::Result<Exit, Failure> {
    let session = Session::open(&args.model, global, screen)?;
    let interrupt = Interrupt::watch();
    let options = ConsumerOptions {
        owner: args.owner.clone(),
        once: args.once,
        ..ConsumerOptions::default()
    };
    let consumed = session
        .graph
        .consume(&Context::default(), &options, |_| interrupt.asked())
        .await;
    session.answer(consumed.map(|consumed| {
        RunReport(Done {
            value: consumed,
            receipts: Vec::new(),
        })
    }))
}

struct RunReport(Done<Consumed>);

impl Report for RunReport {
    fn lines(&self, _: Paint) -> Vec<String> {
        let consumed = &self.0.value;
        let mut lines = vec![format!(
            "{} records read, counters moved by {} transactions",
            thousands(consumed.records),
            thousands(consumed.transactions)
        )];
        if consumed.recounted > 0 {
            lines.push(format!(
                "{} targets counted anew: records had gone before they were read",
                thousands(consumed.recounted)
            ));
        }
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let consumed = &self.0.value;
        let json = json!({
            "records": consumed.records,
            "transactions": consumed.transactions,
            "recounted": consumed.recounted,
            "lag_milliseconds": consumed.lag,
        });
        if let Json::Object(members) = json {
            members
        } else {
            Map::new()
        }
    }
}
