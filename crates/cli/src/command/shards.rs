//! `shards show | grow | shrink`.

use crate::args::{Global, Node, Shards};
use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::{Paint, Screen, Tint};
use crate::report::{Advice, Report};
use crate::session::Session;
use bothways_graph::{Done, Receipt, ShardMap};
use bothways_protocol::Context;
use serde_json::{Map, Value as Json, json};

/// `shards …`.
pub(crate) async fn shards(
    args: &Shards,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let node = match args {
        Shards::Show(node) => node,
        Shards::Grow(resize) | Shards::Shrink(resize) => &resize.node,
    };
    let session = Session::open(&node.model, global, screen)?;
    models::relation(session.graph.model(), &node.model, &node.relation)?;
    let (graph, relation, id) = (&session.graph, &node.relation, &node.id);
    // Nobody's patience ends while the old map runs out.
    let unhurried = Context::default();
    let map = match args {
        Shards::Show(_) => graph.shards(&session.cx, relation, id).await,
        Shards::Grow(resize) => graph.grow_shards(&unhurried, relation, id, resize.to).await,
        Shards::Shrink(resize) => {
            graph
                .shrink_shards(&unhurried, relation, id, resize.to)
                .await
        }
    };
    session.answer(map.map(|done| ShardsReport {
        node: node.clone(),
        done,
    }))
}

struct ShardsReport {
    node: Node,
    done: Done<ShardMap>,
}

/// `the plain key`, `the plain key and 16 shards`.
fn keys(shards: u32) -> String {
    if shards > 1 {
        format!("the plain key and {shards} shards")
    } else {
        "the plain key".to_owned()
    }
}

impl Report for ShardsReport {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let map = &self.done.value;
        let id = paint.paint(Tint::Strong, &self.node.id);
        let written = if map.write > 1 {
            format!("{} shards", map.write)
        } else {
            "the plain key".to_owned()
        };
        let mut lines = vec![
            format!("{id} is read from {}", keys(map.read)),
            format!("new edges go to {written}"),
            format!("counting: {}", map.counting.as_str()),
        ];
        if map.gated {
            lines.push("the way of counting is being changed: links wait".to_owned());
        }
        lines
    }

    fn members(&self) -> Map<String, Json> {
        let (node, map) = (&self.node, &self.done.value);
        let json = json!({
            "model": node.model,
            "relation": node.relation,
            "node": node.id,
            "read": map.read,
            "write": map.write,
            "epoch": map.epoch,
            "counting": map.counting.as_str(),
            "gated": map.gated,
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
        let (node, map) = (&self.node, &self.done.value);
        if map.read == map.write {
            return Vec::new();
        }
        // Cut off on the way, by whoever began it.
        let (read, write) = (map.read.to_string(), map.write.to_string());
        let words = |verb, to: &str| {
            let (model, relation, id) = (&node.model, &node.relation, &node.id);
            Advice::run("finish", &["shards", verb, model, relation, id, "--to", to])
        };
        vec![words("grow", &read), words("shrink", &write)]
    }
}
