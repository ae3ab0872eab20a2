//! How far vectors are from another one.

use bothways_protocol::types::VectorDistanceFunction as Distance;

/// Numbers that are summed side by side, so that the compiler can use the processor's wide registers.
const LANES: usize = 8;

/// A vector to search for, with what of it every row needs.
pub(super) struct Wanted {
    numbers: Vec<f32>,
    distance: Distance,
    /// Its length, squared.
    square: f64,
}

impl Wanted {
    pub(super) fn new(numbers: Vec<f32>, distance: Distance) -> Self {
        let square = numbers.iter().map(|a| f64::from(*a) * f64::from(*a)).sum();
        Self {
            numbers,
            distance,
            square,
        }
    }

    /// How far a row's vector is, in the function's own measure, rounded to 32 bits as on AWS.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "scores have the precision of the vectors"
    )]
    pub(super) fn score(&self, row: &[u8]) -> f64 {
        let score: f64 = match self.distance {
            Distance::DotProduct => self.sums(row, |a, b| [a * b])[0],
            Distance::Euclidean => self.sums(row, |a, b| [(a - b) * (a - b)])[0].sqrt(),
            Distance::Cosine => {
                let [dot, other] = self.sums(row, |a, b| [a * b, b * b]);
                let lengths = (self.square * other).sqrt();
                // Without a direction it is like nothing and unlike nothing.
                let alike = if lengths > 0.0 { dot / lengths } else { 0.0 };
                (1.0 - alike).clamp(0.0, 2.0)
            }
        };
        f64::from(score as f32)
    }

    /// Sums over the pairs of numbers.
    fn sums<const N: usize>(&self, row: &[u8], of: impl Fn(f64, f64) -> [f64; N]) -> [f64; N] {
        let (wanted, wanted_rest) = self.numbers.as_chunks::<LANES>();
        let (row, _) = row.as_chunks::<4>();
        let (row, row_rest) = row.as_chunks::<LANES>();
        let mut lanes = [[0.0; LANES]; N];
        for (a, b) in wanted.iter().zip(row) {
            for lane in 0..LANES {
                let parts = of(f64::from(a[lane]), f64::from(f32::from_le_bytes(b[lane])));
                for (sum, part) in lanes.iter_mut().zip(parts) {
                    sum[lane] += part;
                }
            }
        }
        let mut sums = lanes.map(|lanes| lanes.iter().sum::<f64>());
        for (a, b) in wanted_rest.iter().zip(row_rest) {
            let parts = of(f64::from(*a), f64::from(f32::from_le_bytes(*b)));
            for (sum, part) in sums.iter_mut().zip(parts) {
                *sum += part;
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_functions() {
        let row: Vec<u8> = [0.0_f32, 2.0]
            .iter()
            .flat_map(|n| n.to_le_bytes())
            .collect();
        let scored =
            |distance, wanted: [f32; 2]| Wanted::new(wanted.to_vec(), distance).score(&row);
        let same = |got: f64, want: f64| assert!((got - want).abs() < 1e-6, "{got} {want}");
        same(scored(Distance::Cosine, [0.0, 1.0]), 0.0);
        same(scored(Distance::Cosine, [1.0, 0.0]), 1.0);
        same(scored(Distance::Cosine, [0.0, -3.0]), 2.0);
        same(scored(Distance::Cosine, [0.0, 0.0]), 1.0);
        same(scored(Distance::Euclidean, [0.0, 1.0]), 1.0);
        same(scored(Distance::Euclidean, [1.0, 2.0]), 1.0);
        same(scored(Distance::DotProduct, [5.0, 3.0]), 6.0);
    }

    #[test]
    fn numbers_beyond_whole_lanes_count_too() {
        for length in [1_u8, 7, 8, 9, 37, 48] {
            let numbers: Vec<f32> = (0..length).map(f32::from).collect();
            let row: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
            let dot: f64 = (0..length).map(|n| f64::from(n) * f64::from(n)).sum();
            let got = Wanted::new(numbers.clone(), Distance::DotProduct).score(&row);
            assert!((got - dot).abs() < 1e-3, "{length}: {got} {dot}");
            let own = Wanted::new(numbers, Distance::Euclidean).score(&row);
            assert!(own.abs() < 1e-9, "{length}: {own}");
        }
    }
}
