//! What is asked: the operations, how often each, and of whom.

use super::random::{Permutation, Random, Zipf};
use super::shape::{Shape, TYPES, link_data, node_data};

/// Most links of one list (LinkBench).
pub const LIST_LIMIT: u32 = 10_000;
/// Most ids of one multi-get (LinkBench: below 128; a `BatchGetItem` takes 100).
const MOST_MULTIGET: u64 = 100;
/// Lists that were longer than their limit and are remembered to be read on (LinkBench).
const HISTORY: usize = 2048;
/// Share of list reads that go on in such a list.
const HISTORY_SHARE: f64 = 0.003;
/// Ids that a client can add in a round.
const ADDED: u64 = 1 << 32;

/// An operation of the benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// Makes a link or replaces it; usually it is new.
    AddLink,
    /// Takes a link away.
    DeleteLink,
    /// Makes a link or replaces it; usually it is there.
    UpdateLink,
    /// The counter of an id and type.
    CountLink,
    /// Links by their ends.
    MultigetLink,
    /// The newest links of an id and type.
    GetLinksList,
    /// A node.
    GetNode,
    /// A new node.
    AddNode,
    /// Replaces a node.
    UpdateNode,
    /// Takes a node away, not its links.
    DeleteNode,
}

impl Op {
    /// Every operation, in the order of reports.
    pub const ALL: [Self; 10] = [
        Self::GetLinksList,
        Self::MultigetLink,
        Self::CountLink,
        Self::GetNode,
        Self::AddLink,
        Self::UpdateLink,
        Self::DeleteLink,
        Self::AddNode,
        Self::UpdateNode,
        Self::DeleteNode,
    ];

    /// LinkBench's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AddLink => "ADD_LINK",
            Self::DeleteLink => "DELETE_LINK",
            Self::UpdateLink => "UPDATE_LINK",
            Self::CountLink => "COUNT_LINK",
            Self::MultigetLink => "MULTIGET_LINK",
            Self::GetLinksList => "GET_LINKS_LIST",
            Self::GetNode => "GET_NODE",
            Self::AddNode => "ADD_NODE",
            Self::UpdateNode => "UPDATE_NODE",
            Self::DeleteNode => "DELETE_NODE",
        }
    }

    /// The operation of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.name() == name)
    }
}

/// How often each operation comes, per cent.
#[derive(Debug, Clone, PartialEq)]
pub struct Mix {
    /// Its name in reports.
    pub name: String,
    shares: Vec<(Op, f64)>,
    limit: u32,
}

impl Mix {
    /// LinkBench's: 31 of 100 are writes.
    #[must_use]
    pub fn linkbench() -> Self {
        Self {
            name: "LinkBench".to_owned(),
            shares: vec![
                (Op::AddLink, 8.988_660_1),
                (Op::DeleteLink, 2.990_766_4),
                (Op::UpdateLink, 8.012_212_5),
                (Op::CountLink, 4.886_356_7),
                (Op::MultigetLink, 0.526_114_2),
                (Op::GetLinksList, 50.711_914_5),
                (Op::GetNode, 12.932_668_3),
                (Op::AddNode, 2.573_278_9),
                (Op::UpdateNode, 7.366_437),
                (Op::DeleteNode, 1.011_591_4),
            ],
            limit: LIST_LIMIT,
        }
    }

    /// TAO's: 2 of 1,000 are writes (Bronson and others, USENIX ATC 2013, figure 3). Ranges by time are lists here, what
    /// changes a type adds, and lists end after 1,000 links.
    #[must_use]
    pub fn tao() -> Self {
        let read = |share: f64| share * 0.998;
        let write = |share: f64| share * 0.002;
        Self {
            name: "TAO".to_owned(),
            shares: vec![
                (Op::GetLinksList, read(40.9 + 2.8)),
                (Op::MultigetLink, read(15.7)),
                (Op::CountLink, read(11.7)),
                (Op::GetNode, read(28.9)),
                (Op::AddLink, write(52.5 + 0.9)),
                (Op::DeleteLink, write(8.3)),
                (Op::AddNode, write(16.5)),
                (Op::UpdateNode, write(20.7)),
                (Op::DeleteNode, write(2.0)),
            ],
            limit: 1000,
        }
    }

    /// One operation alone.
    #[must_use]
    pub fn only(op: Op) -> Self {
        Self {
            name: op.name().to_owned(),
            shares: vec![(op, 100.0)],
            limit: LIST_LIMIT,
        }
    }

    fn draw(&self, random: &mut Random) -> Op {
        let all: f64 = self.shares.iter().map(|(_, share)| share).sum();
        let mut left = random.unit() * all;
        for (op, share) in &self.shares {
            left -= share;
            if left < 0.0 {
                return *op;
            }
        }
        self.shares[0].0
    }
}

/// A request with all that it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// `AddLink` and `UpdateLink`: the same upsert.
    PutLink {
        /// From.
        id1: u64,
        /// Type.
        kind: u64,
        /// To.
        id2: u64,
        /// Payload.
        data: Vec<u8>,
    },
    /// Takes a link away.
    DeleteLink {
        /// From.
        id1: u64,
        /// Type.
        kind: u64,
        /// To.
        id2: u64,
    },
    /// The counter of an id and type.
    CountLink {
        /// From.
        id1: u64,
        /// Type.
        kind: u64,
    },
    /// Links by their ends.
    MultigetLink {
        /// From.
        id1: u64,
        /// Type.
        kind: u64,
        /// To.
        id2s: Vec<u64>,
    },
    /// The newest links.
    GetLinksList {
        /// From.
        id1: u64,
        /// Type.
        kind: u64,
        /// Only links older than this, milliseconds since 1970.
        before: Option<u64>,
        /// Most links.
        limit: u32,
    },
    /// A node.
    GetNode(u64),
    /// `AddNode` and `UpdateNode`.
    PutNode {
        /// Its id.
        id: u64,
        /// It is a new one.
        new: bool,
        /// Payload.
        data: Vec<u8>,
    },
    /// Takes a node away.
    DeleteNode(u64),
}

/// A list that was longer than its limit.
#[derive(Debug, Clone, Copy)]
struct Tail {
    id1: u64,
    kind: u64,
    before: u64,
}

/// The requests of one client, from a seed.
#[derive(Debug, Clone)]
pub struct Requests {
    random: Random,
    shape: Shape,
    mix: Mix,
    reads: Zipf,
    writes: Zipf,
    node_reads: Zipf,
    node_updates: Zipf,
    /// An order that has nothing to do with degrees.
    others: Permutation,
    nodes: Permutation,
    next_id: u64,
    history: Vec<Tail>,
}

/// Seeds of orders (LinkBench).
const OTHERS_SEED: u64 = 53_238_253_823_453;
const NODES_SEED: u64 = 4_766_565_305_853_767_165;

impl Requests {
    /// The requests of a client. No two clients of a run may have the same number.
    #[must_use]
    pub fn new(shape: Shape, mix: Mix, seed: u64, client: u64) -> Self {
        let n = shape.ids;
        let mut random = Random::new(seed);
        let seed = random.bits() ^ Random::new(client).bits();
        Self {
            random: Random::new(seed),
            shape,
            mix,
            reads: Zipf::new(n, 0.8),
            writes: Zipf::new(n, 0.741),
            node_reads: Zipf::new(n, 0.625),
            node_updates: Zipf::new(n, 0.606),
            others: Permutation::new(n, OTHERS_SEED),
            nodes: Permutation::new(n, NODES_SEED),
            next_id: n + 1 + client * ADDED,
            history: Vec::new(),
        }
    }

    /// Whose links: most choices have nothing to do with how many links there are.
    fn id1(&mut self, write: bool) -> u64 {
        let (zipf, by_degree) = if write {
            (self.writes, 0.05)
        } else {
            (self.reads, 0.005)
        };
        let rank = zipf.draw(&mut self.random);
        if self.random.unit() < by_degree {
            self.shape.by_degree(rank)
        } else {
            self.others.at(rank) + 1
        }
    }

    fn kind(&mut self) -> u64 {
        self.random.below(TYPES)
    }

    /// To whom, so that the link was loaded with this probability.
    fn id2(&mut self, id1: u64, kind: u64, exists: f64) -> u64 {
        let loaded = self.shape.links(id1, kind) as f64;
        let range = (loaded / exists).ceil().max(1.0) as u64;
        id1 + self.random.below(range)
    }

    /// The next request.
    pub fn next_request(&mut self) -> (Op, Request) {
        let op = self.mix.draw(&mut self.random);
        (op, self.request(op))
    }

    fn request(&mut self, op: Op) -> Request {
        match op {
            Op::AddLink | Op::UpdateLink | Op::DeleteLink => {
                let (id1, kind) = (self.id1(true), self.kind());
                let exists = if op == Op::AddLink { 0.05 } else { 0.9 };
                let id2 = self.id2(id1, kind, exists);
                if op == Op::DeleteLink {
                    return Request::DeleteLink { id1, kind, id2 };
                }
                let data = link_data(&mut self.random);
                Request::PutLink {
                    id1,
                    kind,
                    id2,
                    data,
                }
            }
            Op::CountLink => Request::CountLink {
                id1: self.id1(false),
                kind: self.kind(),
            },
            Op::MultigetLink => {
                let (id1, kind) = (self.id1(false), self.kind());
                let size = self.random.geometric(0.382, MOST_MULTIGET);
                let id2s = (0..size).map(|_| self.id2(id1, kind, 0.5)).collect();
                Request::MultigetLink { id1, kind, id2s }
            }
            Op::GetLinksList => self.list(),
            Op::GetNode => {
                let rank = self.node_reads.draw(&mut self.random);
                Request::GetNode(self.nodes.at(rank) + 1)
            }
            Op::AddNode => {
                self.next_id += 1;
                Request::PutNode {
                    id: self.next_id,
                    new: true,
                    data: node_data(&mut self.random),
                }
            }
            Op::UpdateNode => {
                let rank = self.node_updates.draw(&mut self.random);
                Request::PutNode {
                    id: self.nodes.at(rank) + 1,
                    new: false,
                    data: node_data(&mut self.random),
                }
            }
            Op::DeleteNode => Request::DeleteNode(self.random.below(self.shape.ids) + 1),
        }
    }

    fn list(&mut self) -> Request {
        let limit = self.mix.limit;
        let on = self.random.unit() < HISTORY_SHARE;
        let lists = self.history.len() as u64;
        let at = usize::try_from(self.random.below(lists)).unwrap_or(0);
        if let Some(tail) = self.history.get(at).filter(|_| on) {
            return Request::GetLinksList {
                id1: tail.id1,
                kind: tail.kind,
                before: Some(tail.before),
                limit,
            };
        }
        Request::GetLinksList {
            id1: self.id1(false),
            kind: self.kind(),
            before: None,
            limit,
        }
    }

    /// Remembers a list that was as long as allowed, to be read on from `oldest`.
    pub fn longer(&mut self, request: &Request, oldest: u64) {
        let Request::GetLinksList { id1, kind, .. } = *request else {
            return;
        };
        let tail = Tail {
            id1,
            kind,
            before: oldest,
        };
        if self.history.len() < HISTORY {
            self.history.push(tail);
        } else {
            let at = self.random.below(HISTORY as u64);
            self.history[usize::try_from(at).unwrap_or(0)] = tail;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn drawn(mix: Mix, count: u32) -> HashMap<Op, Vec<Request>> {
        let mut requests = Requests::new(Shape::new(10_000), mix, 1, 3);
        let mut drawn: HashMap<Op, Vec<Request>> = HashMap::new();
        for _ in 0..count {
            let (op, request) = requests.next_request();
            drawn.entry(op).or_default().push(request);
        }
        drawn
    }

    #[test]
    fn a_mix_has_its_shares() {
        for (mix, writes) in [(Mix::linkbench(), 30.94), (Mix::tao(), 0.2)] {
            let sum: f64 = mix.shares.iter().map(|(_, share)| share).sum();
            assert!((sum - 100.0).abs() < 0.2, "{}: {sum}", mix.name);
            let reads = [
                Op::CountLink,
                Op::MultigetLink,
                Op::GetLinksList,
                Op::GetNode,
            ];
            let of_writes: f64 = mix
                .shares
                .iter()
                .filter(|(op, _)| !reads.contains(op))
                .map(|(_, share)| share)
                .sum();
            assert!((of_writes - writes).abs() < 0.01, "{}", mix.name);
            let drawn = drawn(mix.clone(), 50_000);
            for (op, share) in &mix.shares {
                let seen = drawn.get(op).map_or(0, Vec::len) as f64 / 500.0;
                assert!((seen - share).abs() < 1.0, "{op:?} {seen} for {share}");
            }
        }
    }

    #[test]
    fn links_are_there_as_often_as_they_should() {
        let shape = Shape::new(10_000);
        for (op, exists) in [
            (Op::AddLink, 0.05),
            (Op::UpdateLink, 0.9),
            (Op::DeleteLink, 0.9),
            (Op::MultigetLink, 0.5),
        ] {
            let (mut there, mut all) = (0.0, 0.0);
            for request in drawn(Mix::only(op), 50_000).remove(&op).unwrap() {
                let (id1, kind, id2s) = match request {
                    Request::PutLink { id1, kind, id2, .. }
                    | Request::DeleteLink { id1, kind, id2 } => (id1, kind, vec![id2]),
                    Request::MultigetLink { id1, kind, id2s } => (id1, kind, id2s),
                    other => panic!("{other:?}"),
                };
                // Where few links were loaded, rounding up the range changes the share.
                if shape.links(id1, kind) < 100 {
                    continue;
                }
                for id2 in id2s {
                    all += 1.0;
                    there += f64::from(u8::from(id2 - id1 < shape.links(id1, kind)));
                }
            }
            let share = there / all;
            assert!((share - exists).abs() < 0.03, "{op:?}: {share} of {all}");
        }
    }

    #[test]
    fn a_clients_requests_come_again_and_its_nodes_are_its_own() {
        let make = |client| Requests::new(Shape::new(100), Mix::linkbench(), 9, client);
        let (mut one, mut again, mut other) = (make(1), make(1), make(2));
        let mut added = std::collections::HashSet::new();
        let mut differs = false;
        for _ in 0..2000 {
            let request = one.next_request();
            assert_eq!(request, again.next_request());
            let another = other.next_request();
            differs |= request != another;
            for request in [request.1, another.1] {
                if let Request::PutNode { id, new: true, .. } = request {
                    assert!(id > 100 && added.insert(id));
                }
            }
        }
        assert!(differs);
    }

    #[test]
    fn few_lists_are_read_on() {
        let mut requests = Requests::new(Shape::new(1000), Mix::only(Op::GetLinksList), 5, 0);
        let (_, first) = requests.next_request();
        requests.longer(&first, 77);
        let on = (0..20_000)
            .filter(|_| {
                let (_, request) = requests.next_request();
                matches!(
                    request,
                    Request::GetLinksList {
                        before: Some(77),
                        ..
                    }
                )
            })
            .count();
        assert!((30..100).contains(&on), "{on}");
    }
}
