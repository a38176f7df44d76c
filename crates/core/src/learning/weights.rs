//! A linear evaluator whose weights change with the clock: values, and how they change with every parameter.
//!
//! `V = sum of (w_i F_i) factor_i(T)`, `factor_i(T) = 2T + sum over k of O_ik (1 - 2T)^k`, `F_i` the features of a side and `T` the
//! game's clock, as in FIREBRAND, with polynomials of the clock in place of its one time weight. All sums go from left to right.

use crate::lanes::Lanes;

/// How the raw differences that a program gives become features.
#[derive(Clone, PartialEq, Debug)]
pub struct Scaling {
    /// What each difference is divided by, above 0.
    pub scales: Vec<f64>,
    /// Whether features are kept within plus and minus 1.
    pub clip: bool,
}

impl Scaling {
    /// Feature `index`; what is no finite number counts as 0.
    #[inline(always)]
    pub fn feature(&self, index: usize, raw: f64) -> f64 {
        let scaled = raw / self.scales[index];
        let above = if self.clip && scaled > 1.0 { 1.0 } else { scaled };
        let within = if self.clip && above < -1.0 { -1.0 } else { above };
        if within.is_finite() { within } else { 0.0 }
    }

    /// Whether a difference is beyond its scale.
    #[inline(always)]
    pub fn clips(&self, index: usize, raw: f64) -> bool {
        self.clip && (raw / self.scales[index]).abs() > 1.0
    }
}

/// The parameters: for every feature a row of its weight and its time weights.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// Row after row.
    pub rows: Vec<f64>,
    /// Length of a row: 1 and the degree of the polynomials.
    pub width: usize,
}

impl Weights {
    /// The values of eight boards from what the program says of them, and their clocks.
    #[inline(always)]
    pub fn values_of_lanes(&self, scaling: &Scaling, raw: &[Lanes<f64>], clocks: Lanes<f64>) -> Lanes<f64> {
        let (twice, slope) = (clocks.map(|clock| 2.0 * clock), clocks.map(|clock| 1.0 - 2.0 * clock));
        let mut sum = Lanes::splat(0.0);
        for (index, (row, raw)) in self.rows.chunks_exact(self.width).zip(raw).enumerate() {
            let (mut factor, mut power) = (twice, slope);
            for &time_weight in &row[1..] {
                factor = factor.zip(power, |factor, power| factor + time_weight * power);
                power = power.zip(slope, |power, slope| power * slope);
            }
            let weighted = raw.map(|raw| row[0] * scaling.feature(index, raw));
            sum = sum.zip(weighted.zip(factor, |weighted, factor| weighted * factor), |sum, term| sum + term);
        }
        sum
    }

    /// The value of one board from its features.
    #[inline]
    pub fn value(&self, features: &[f64], clock: f64) -> f64 {
        let mut sum = 0.0;
        for (row, feature) in self.rows.chunks_exact(self.width).zip(features) {
            sum += row[0] * feature * factor(&row[1..], clock);
        }
        sum
    }

    /// How much the value changes with every parameter, in their order.
    #[inline]
    pub fn gradient(&self, features: &[f64], clock: f64) -> Vec<f64> {
        let mut gradient = Vec::with_capacity(self.rows.len());
        for (row, feature) in self.rows.chunks_exact(self.width).zip(features) {
            gradient.push(feature * factor(&row[1..], clock));
            let (weighted, slope) = (row[0] * feature, 1.0 - 2.0 * clock);
            let mut power = slope;
            for _ in &row[1..] {
                gradient.push(weighted * power);
                power *= slope;
            }
        }
        gradient
    }
}

/// What the clock makes of a weight.
#[inline]
fn factor(time_weights: &[f64], clock: f64) -> f64 {
    let slope = 1.0 - 2.0 * clock;
    let (mut factor, mut power) = (2.0 * clock, slope);
    for time_weight in time_weights {
        factor += time_weight * power;
        power *= slope;
    }
    factor
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Key;

    #[test]
    fn lanes_value_as_one_board_does_and_gradients_are_slopes() {
        for round in 0..200 {
            let mut draws = Key::new(5).child(round).stream();
            let mut draw = || 2.0 * draws.random() - 1.0;
            let width = 2 + (round % 3) as usize;
            let weights = Weights { rows: (0..3 * width).map(|_| draw()).collect(), width };
            let scaling = Scaling { scales: vec![0.5, 1.0, 2.0], clip: round % 2 == 0 };
            let raw: Vec<_> = (0..3).map(|_| Lanes(std::array::from_fn(|_| draw()))).collect();
            let clocks = Lanes(std::array::from_fn(|_| draw().abs()));
            let values = weights.values_of_lanes(&scaling, &raw, clocks);
            for lane in 0..8 {
                let features: Vec<_> = (0..3).map(|i| scaling.feature(i, raw[i].0[lane])).collect();
                let clock = clocks.0[lane];
                assert_eq!(values.0[lane], weights.value(&features, clock));
                for (place, slope) in weights.gradient(&features, clock).into_iter().enumerate() {
                    let step = 1e-6;
                    let beside = |step: f64| {
                        let mut beside = weights.clone();
                        beside.rows[place] += step;
                        beside.value(&features, clock)
                    };
                    let measured = (beside(step) - beside(-step)) / (2.0 * step);
                    assert!((slope - measured).abs() < 1e-8, "{slope} {measured}");
                }
            }
        }
    }

    #[test]
    fn features_are_clipped_and_always_numbers() {
        let clipping = Scaling { scales: vec![4.0], clip: true };
        let open = Scaling { clip: false, ..clipping.clone() };
        let features = |raw| (clipping.feature(0, raw), open.feature(0, raw));
        assert_eq!(features(-2.0), (-0.5, -0.5));
        assert_eq!(features(6.0), (1.0, 1.5));
        assert_eq!(features(f64::NEG_INFINITY), (-1.0, 0.0));
        assert_eq!(features(f64::NAN), (0.0, 0.0));
        assert!(clipping.clips(0, -4.1) && !clipping.clips(0, 4.0) && !open.clips(0, 5.0));
    }
}
