//! The data set: which id has how many links, to whom, and what is stored on them.

use super::random::{Permutation, Random, mix};

/// Types of links, each with half of an id's links.
pub const TYPES: u64 = 2;
/// Share of ids that have at most so many links (LinkBench's `Distribution.dat`, as the specification sums it up).
const DEGREES: [(f64, f64); 16] = [
    (0.0, 0.453_3),
    (1.0, 0.774_6),
    (2.0, 0.869_6),
    (3.0, 0.919_9),
    (4.0, 0.944_5),
    (5.0, 0.958_3),
    (10.0, 0.983_3),
    (15.0, 0.99),
    (20.0, 0.993_3),
    (50.0, 0.997_2),
    (264.0, 0.999),
    (979.0, 0.999_5),
    (6_051.0, 0.999_9),
    (24_000.0, 0.999_99),
    (64_914.0, 0.999_999),
    (961_963.0, 1.0),
];
/// Seed of the order that says which id has which degree (LinkBench).
const DEGREE_SEED: u64 = 20_343_988_438_726_021;
/// Links were made in the 2^32 ms before the loading.
pub const LOAD_SPAN_MILLIS: u64 = 1 << 32;
/// Median sizes of data, bytes, and the spread of both (LinkBench).
const LINK_BYTES: f64 = 8.0;
const NODE_BYTES: f64 = 128.0;
const SIGMA: f64 = 1.0;
/// Most bytes of a link's data (LinkBench).
const MOST_LINK_BYTES: f64 = 255.0;
/// Most bytes of a node's data: LinkBench allows 1 MiB, an item of DynamoDB has room for 400 KB.
const MOST_NODE_BYTES: f64 = 390_000.0;
/// What a byte repeats if it is not new comes from this many.
const MOTIF: u64 = 512;

/// The ids 1 to n and what was loaded for them.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// How many ids.
    pub ids: u64,
    degrees: Permutation,
}

impl Shape {
    /// The data set of so many ids.
    #[must_use]
    pub fn new(ids: u64) -> Self {
        Self {
            ids,
            degrees: Permutation::new(ids, DEGREE_SEED),
        }
    }

    /// The id with the place-th most links, counted from 0.
    #[must_use]
    pub fn by_degree(&self, place: u64) -> u64 {
        self.degrees.at(place) + 1
    }

    /// The most links of an id: LinkBench's, or as many as there are ids.
    #[must_use]
    pub fn cap(&self) -> u64 {
        (DEGREES[DEGREES.len() - 1].0 as u64).min(self.ids)
    }

    /// Links of an id that were loaded, both types together.
    #[must_use]
    pub fn degree(&self, id: u64) -> u64 {
        if !(1..=self.ids).contains(&id) {
            return 0;
        }
        let place = self.degrees.rank(id - 1) as f64;
        degree_at(1.0 - place / self.ids as f64).min(self.cap())
    }

    /// Links of an id and type that were loaded. The odd one goes to a type by the id.
    #[must_use]
    pub fn links(&self, id: u64, kind: u64) -> u64 {
        let degree = self.degree(id);
        degree / TYPES + u64::from(degree % TYPES == 1 && id % TYPES == kind)
    }

    /// The links of an id and type as they are loaded: the k-th goes to `id + k`.
    #[must_use]
    pub fn link(&self, id: u64, kind: u64, k: u64, now: u64) -> Link {
        let seed = mix(mix(id) ^ mix(k << 1 | kind) ^ DEGREE_SEED);
        let mut random = Random::new(seed);
        Link {
            id1: id,
            kind,
            id2: id + k,
            time: now - LOAD_SPAN_MILLIS + random.below(LOAD_SPAN_MILLIS),
            data: link_data(&mut random),
        }
    }

    /// A node's data as it is loaded.
    #[must_use]
    pub fn node(&self, id: u64) -> Vec<u8> {
        node_data(&mut Random::new(mix(id ^ DEGREE_SEED)))
    }
}

/// A link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// From.
    pub id1: u64,
    /// Type, below [`TYPES`].
    pub kind: u64,
    /// To.
    pub id2: u64,
    /// Milliseconds since 1970.
    pub time: u64,
    /// Payload.
    pub data: Vec<u8>,
}

/// The smallest degree that a share `u` of ids does not exceed. Between the known points the share left over is
/// interpolated on a double logarithmic scale, as such tails are straight there.
fn degree_at(u: f64) -> u64 {
    let Some(at) = DEGREES.iter().position(|(_, share)| *share >= u) else {
        return DEGREES[DEGREES.len() - 1].0 as u64;
    };
    let (high, share) = DEGREES[at];
    if at == 0 || high - DEGREES[at - 1].0 <= 1.0 || u >= 1.0 {
        return high as u64;
    }
    let (low, below) = DEGREES[at - 1];
    // The share above the last point is 0, which has no logarithm: one id of ten million is there.
    let rest = |share: f64| (1.0 - share).max(1e-7).ln();
    let part = (rest(u) - rest(below)) / (rest(share) - rest(below));
    (low.ln() + part * (high.ln() - low.ln())).exp().ceil() as u64
}

/// Bytes from a range; with probability `1 - uniqueness` a byte is one of a fixed text.
fn bytes(random: &mut Random, size: f64, from: u8, to: u8, uniqueness: f64) -> Vec<u8> {
    let span = u64::from(to - from);
    let byte = |bits: u64| from + u8::try_from(bits % span).unwrap_or(0);
    (0..size as u64)
        .map(|at| {
            let new = random.unit() < uniqueness;
            byte(if new { random.bits() } else { mix(at % MOTIF) })
        })
        .collect()
}

/// Payload of a link.
pub fn link_data(random: &mut Random) -> Vec<u8> {
    let size = random.log_normal(LINK_BYTES, SIGMA).min(MOST_LINK_BYTES);
    bytes(random, size, 32, 100, 0.225)
}

/// Payload of a node.
pub fn node_data(random: &mut Random) -> Vec<u8> {
    let size = random.log_normal(NODE_BYTES, SIGMA).min(MOST_NODE_BYTES);
    bytes(random, size, 50, 220, 0.63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_those_of_the_specification() {
        for (u, degree) in [
            (0.2, 0),
            (0.453, 0),
            (0.6, 1),
            (0.87, 3),
            (0.99, 15),
            (0.999, 264),
            (0.999_5, 979),
            (1.0, 961_963),
        ] {
            assert_eq!(degree_at(u), degree, "{u}");
        }
        let mut before = 0;
        for step in 0..100_000_u32 {
            let degree = degree_at(f64::from(step) / 100_000.0);
            assert!(degree >= before);
            before = degree;
        }
    }

    #[test]
    fn links_per_id_are_about_those_of_the_specification() {
        // The specification's means with the degree of one id not capped: 13.7 of 100,000 ids, 5.25 of a million. Capped
        // at the number of ids, 100,000 have 8.62 less.
        for (ids, expected) in [(100_000, 13.7 - 8.62), (1_000_000, 5.25)] {
            let all: u64 = (0..ids)
                .map(|place| degree_at(1.0 - place as f64 / ids as f64).min(ids))
                .sum();
            let mean = all as f64 / ids as f64;
            assert!((mean / expected - 1.0_f64).abs() < 0.1, "{ids}: {mean}");
        }
    }

    #[test]
    fn both_types_together_have_the_links_of_an_id() {
        let shape = Shape::new(1000);
        for id in 1..=1000 {
            let of_types: u64 = (0..TYPES).map(|kind| shape.links(id, kind)).sum();
            assert_eq!(of_types, shape.degree(id));
        }
        assert_eq!(shape.degree(shape.by_degree(0)), 1000);
        assert_eq!((shape.degree(0), shape.degree(1001)), (0, 0));
        let first: u64 = (1..=1000).map(|id| shape.links(id, 0)).sum();
        let second: u64 = (1..=1000).map(|id| shape.links(id, 1)).sum();
        assert!(first.abs_diff(second) < 100, "{first} and {second}");
    }

    #[test]
    fn a_link_is_the_same_each_time_it_is_made() {
        let shape = Shape::new(1000);
        let link = shape.link(5, 1, 3, 1 << 40);
        assert_eq!(link, shape.link(5, 1, 3, 1 << 40));
        assert_eq!(link.id2, 8);
        assert!(link.data.iter().all(|b| (32..100).contains(b)));
        assert!(shape.node(7).iter().all(|b| (50..220).contains(b)));
        assert_ne!(shape.node(7), shape.node(8));
    }
}
