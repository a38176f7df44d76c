//! Who learns: weights, how fast they change, and what came of it.

use super::weights::Weights;

/// A weight beyond this has left the numbers that mean anything.
pub const LARGEST_WEIGHT: f64 = 1e6;

/// What is known of the changes that were recommended for every parameter: rates of their own come from it (temporal coherence;
/// Beal and Smith, "Temporal coherence and prediction decay in TD learning", 1999).
#[derive(Clone, PartialEq, Debug)]
pub struct Coherence {
    /// Their sums.
    pub sums: Vec<f64>,
    /// The sums of their sizes.
    pub sizes: Vec<f64>,
}

impl Coherence {
    /// The share of the common rate that parameter `place` learns with: 1 while all its changes went one way.
    #[inline]
    fn share(&self, place: usize) -> f64 {
        if self.sizes[place] == 0.0 { 1.0 } else { self.sums[place].abs() / self.sizes[place] }
    }

    #[inline]
    fn add(&mut self, place: usize, change: f64) {
        self.sums[place] += change;
        self.sizes[place] += change.abs();
    }
}

#[derive(Clone, Debug)]
pub(super) struct Learner {
    pub weights: Weights,
    /// Of weights and of time weights; what has rate 0 stays as it is.
    pub rates: [f64; 2],
    pub coherence: Option<Coherence>,
    /// How often it has learned something.
    pub updates: u32,
    pub squared_errors: f64,
    /// Whether a weight has left the numbers: nothing more can be learned.
    pub lost: bool,
}

impl Learner {
    /// Go along `direction`, as far as the error and the rates say.
    #[inline]
    pub fn change(&mut self, direction: &[f64], error: f64) {
        self.updates += 1;
        self.squared_errors += error * error;
        let width = self.weights.width;
        for (place, (parameter, slope)) in self.weights.rows.iter_mut().zip(direction).enumerate() {
            let mut rate = self.rates[usize::from(place % width > 0)];
            if rate == 0.0 {
                continue;
            }
            let change = error * slope;
            if let Some(coherence) = &mut self.coherence {
                rate *= coherence.share(place);
                coherence.add(place, change);
            }
            *parameter += rate * change;
            self.lost |= is_lost(*parameter);
        }
    }
}

/// Whether a weight has left the numbers.
#[inline]
pub(super) fn is_lost(weight: f64) -> bool {
    weight.is_nan() || weight.abs() > LARGEST_WEIGHT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learner(coherence: Option<Coherence>) -> Learner {
        let weights = Weights { rows: vec![1.0, 2.0, 3.0, 4.0], width: 2 };
        Learner { weights, rates: [0.5, 0.0], coherence, updates: 0, squared_errors: 0.0, lost: false }
    }

    #[test]
    fn rates_are_of_weights_and_time_weights() {
        let mut learner = learner(None);
        learner.change(&[1.0, 1.0, -1.0, 1.0], 2.0);
        assert_eq!(learner.weights.rows, [2.0, 2.0, 2.0, 4.0]);
        assert_eq!((learner.updates, learner.squared_errors, learner.lost), (1, 4.0, false));
        learner.change(&[1e7, 0.0, f64::NAN, 0.0], 1.0);
        assert!(learner.lost);
    }

    #[test]
    fn changes_that_contradict_each_other_become_small() {
        let nothing = Coherence { sums: vec![0.0; 4], sizes: vec![0.0; 4] };
        let mut learner = learner(Some(nothing));
        for (error, weight) in [(1.0, 1.5), (1.0, 2.0), (-1.0, 1.5), (-1.0, 1.5 - 0.5 / 3.0), (1.0, 1.5 - 0.5 / 3.0)] {
            learner.change(&[1.0, 1.0, 0.0, 0.0], error);
            assert_eq!(learner.weights.rows, [weight, 2.0, 3.0, 4.0]);
        }
        assert_eq!(
            learner.coherence,
            Some(Coherence { sums: vec![1.0, 0.0, 0.0, 0.0], sizes: vec![5.0, 0.0, 0.0, 0.0] })
        );
    }
}
