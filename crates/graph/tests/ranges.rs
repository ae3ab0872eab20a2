//! Parts of lists, either way, forth and back: pages equal a naive sorted model.

mod support;

use bothways_graph::model::Order;
use bothways_graph::{
    Changes, Direction, EdgePage, Error, Graph, ListOptions, MAX_OFFSET, Model, Span, escape,
};
use std::sync::Arc;
use std::time::Duration;
use support::{Seeded, cx, draw, engine, peers_of, wait};

/// Lists by time both ways, by id out.
const TIMED: &str = r#"
name = "timed"
upsert_entities = true
[[index]]
name = "GSI1"
pk = "GSI1PK"
sk = "GSI1SK"
[[index]]
name = "GSI2"
pk = "GSI2PK"
sk = "GSI2SK"
[[entity]]
name = "person"
key = { pk = "P#{id}", sk = "ME" }
[[relation]]
name = "likes"
from = "person"
to = "person"
out = "likes"
in = "is liked by"
key = { pk = "P#{src}", sk = "L#{dst}" }
inverse = { index = "GSI1", pk = "L#{dst}", sk = "{pos}#P#{src}" }
forward = { index = "GSI2", pk = "P#{src}", sk = "{pos}#L#{dst}" }
order = "time"
"#;

struct Case {
    graph: Graph,
    env: Arc<Seeded>,
}

fn timed(seed: u64) -> Case {
    let env = Seeded::new(seed);
    let model = Model::parse("timed.toml", TIMED).expect("a model").model;
    let graph = Graph::with_environment(engine(), model, Arc::<Seeded>::clone(&env)).expect("good");
    wait(graph.apply(&cx())).expect("a table");
    Case { graph, env }
}

fn millis(env: &Seeded) -> u64 {
    bothways_graph::Environment::epoch_millis(env)
}

fn page(graph: &Graph, direction: Direction, options: &ListOptions) -> EdgePage {
    wait(graph.list(&cx(), "likes", direction, "x", options))
        .expect("a page")
        .value
}

/// Pages forth to the end, then back to the beginning.
fn forth_and_back(
    graph: &Graph,
    direction: Direction,
    mut options: ListOptions,
) -> [Vec<String>; 2] {
    let (mut forth, mut back) = (Vec::new(), Vec::new());
    let mut last = page(graph, direction, &options);
    loop {
        forth.extend(peers_of(&last, direction));
        let Some(next) = last.next else { break };
        options.after = Some(next);
        last = page(graph, direction, &options);
    }
    let mut previous = last.previous.clone();
    back.extend(peers_of(&last, direction));
    while let Some(cursor) = previous {
        options.after = Some(cursor);
        let page = page(graph, direction, &options);
        let mut peers = peers_of(&page, direction);
        peers.extend(back);
        back = peers;
        previous = page.previous;
    }
    [forth, back]
}

fn case(seed: u64) {
    let Case { graph, env } = timed(seed);
    let mut state = seed;
    let alphabet = ["a", "b", "#", "%", "é", " ", "a#", "zz"];
    let mut likes: Vec<(u64, String)> = Vec::new();
    for _ in 0..draw(&mut state, 30) {
        let pick = |state: &mut u64| alphabet[usize::try_from(draw(state, 8)).expect("small")];
        let peer = format!("{}{}", pick(&mut state), pick(&mut state));
        if likes.iter().any(|(_, known)| *known == peer) {
            continue;
        }
        env.pass(Duration::from_millis(draw(&mut state, 3)));
        for (source, target) in [("x", peer.as_str()), (peer.as_str(), "x")] {
            wait(graph.link(&cx(), "likes", source, target, &Changes::new())).expect("a link");
        }
        likes.push((millis(&env), peer));
    }
    let start = likes.first().map_or(0, |(at, _)| *at);
    for _ in 0..12 {
        let by_time = draw(&mut state, 2) == 0;
        let direction = match (by_time, draw(&mut state, 2)) {
            (true, 0) => Direction::In,
            _ => Direction::Out,
        };
        let span = match (draw(&mut state, 4), by_time) {
            (0, _) => Span::All,
            (n, true) => Span::Time {
                from: (n != 1).then(|| start + draw(&mut state, 20)),
                to: (n != 2).then(|| start + draw(&mut state, 40)),
            },
            (1, false) => Span::Prefix(
                ["a", "#", "é", "q"][usize::try_from(draw(&mut state, 4)).expect("small")].into(),
            ),
            (n, false) => Span::Ids {
                from: (n != 2).then(|| "a#".into()),
                to: Some("b%".into()),
            },
        };
        let options = ListOptions {
            limit: (draw(&mut state, 4) > 0)
                .then(|| 1 + u32::try_from(draw(&mut state, 5)).expect("small")),
            reverse: draw(&mut state, 2) == 0,
            order: Some(if by_time { Order::Time } else { Order::Id }),
            skip: u32::try_from(draw(&mut state, 2) * draw(&mut state, 9)).expect("small"),
            span: span.clone(),
            ..ListOptions::default()
        };
        let key =
            |(at, peer): &(u64, String)| (if by_time { *at } else { 0 }, escape(peer).into_owned());
        let mut want: Vec<&(u64, String)> = likes
            .iter()
            .filter(|(at, peer)| match &span {
                Span::All => true,
                Span::Prefix(start) => peer.starts_with(start),
                Span::Ids { from, to } => {
                    from.as_ref().is_none_or(|f| escape(f) <= escape(peer))
                        && to.as_ref().is_none_or(|t| escape(peer) <= escape(t))
                }
                Span::Time { from, to } => {
                    from.is_none_or(|f| f <= *at) && to.is_none_or(|t| *at <= t)
                }
            })
            .collect();
        want.sort_by_key(|like| key(like));
        if options.reverse {
            want.reverse();
        }
        let all: Vec<String> = want.iter().map(|(_, peer)| peer.clone()).collect();
        let skipped = all
            .iter()
            .skip(options.skip as usize)
            .cloned()
            .collect::<Vec<_>>();
        let [forth, back] = forth_and_back(&graph, direction, options.clone());
        assert_eq!(forth, skipped, "seed {seed} {direction:?} {options:?}");
        if !forth.is_empty() {
            let whole = options.skip > 0 || options.after.is_some();
            let begun = if whole && !skipped.is_empty() {
                &all
            } else {
                &skipped
            };
            assert_eq!(&back, begun, "seed {seed} back {direction:?} {options:?}");
        }
    }
}

#[test]
fn pages_forth_and_back_equal_a_sorted_model() {
    for seed in 0..60 {
        case(seed);
    }
}

#[test]
fn an_order_that_a_list_does_not_have_is_refused() {
    let Case { graph, .. } = timed(1);
    let refused = |direction, options: ListOptions| {
        wait(graph.list(&cx(), "likes", direction, "x", &options)).expect_err("no such list")
    };
    let by_id = ListOptions {
        order: Some(Order::Id),
        ..ListOptions::default()
    };
    assert_eq!(
        refused(Direction::In, by_id).to_string(),
        "likes in has no list by id"
    );
    let since = ListOptions {
        span: Span::Time {
            from: Some(1),
            to: None,
        },
        ..ListOptions::default()
    };
    assert_eq!(
        refused(Direction::Out, since).to_string(),
        "likes out has no list by time"
    );
    let far = ListOptions {
        skip: MAX_OFFSET + 1,
        ..ListOptions::default()
    };
    assert!(matches!(
        refused(Direction::Out, far),
        Error::Offset { skip: 6001, .. }
    ));
}

#[test]
fn a_hydrated_page_has_the_peers_beside_its_edges() {
    let Case { graph, .. } = timed(1);
    let name = Changes::new().set("name", bothways_core::Value::S("Bo".into()));
    wait(graph.put_entity(&cx(), "person", "bo", &name)).expect("an entity");
    for peer in ["al", "bo"] {
        wait(graph.link(&cx(), "likes", "x", peer, &Changes::new())).expect("a link");
    }
    let options = ListOptions {
        hydrate: true,
        ..ListOptions::default()
    };
    let page = page(&graph, Direction::Out, &options);
    let named: Vec<bool> = page.peers.iter().map(Option::is_some).collect();
    assert_eq!(named, [false, true]);
    assert_eq!(peers_of(&page, Direction::Out), ["al", "bo"]);
}
