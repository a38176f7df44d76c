//! What the rules of learning have in common: a side comes to its turn, and it moves.

use super::learner::Learner;
use super::weights::Weights;

/// What a side thinks of a board: features of the side and the clock, which weights make a value of; or the outcome of a
/// finished game, which no weight changes.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Estimate {
    Board { features: Vec<f64>, clock: f64 },
    Outcome(f64),
}

impl Estimate {
    #[inline]
    pub fn value(&self, weights: &Weights) -> f64 {
        match self {
            Self::Board { features, clock } => weights.value(features, *clock),
            Self::Outcome(value) => *value,
        }
    }

    /// How much the value changes with every parameter.
    #[inline]
    pub fn gradient(&self, weights: &Weights) -> Vec<f64> {
        match self {
            Self::Board { features, clock } => weights.gradient(features, *clock),
            Self::Outcome(_) => vec![0.0; weights.rows.len()],
        }
    }

    /// What the other side thinks of it.
    #[inline]
    pub fn of_the_other_side(mut self) -> Self {
        match &mut self {
            Self::Board { features, .. } => features.iter_mut().for_each(|feature| *feature = -*feature),
            Self::Outcome(value) => *value = -*value,
        }
        self
    }
}

/// How one side learns in one game.
///
/// Values of an error, and slopes, are those of the weights as they are just before they change.
pub(super) trait Rule {
    /// The side has its turn again, or the game has ended: this is what it thinks now.
    fn arrive(&mut self, learner: &mut Learner, now: &Estimate);

    /// The side has moved: this is what it thinks of the board after it.
    fn depart(&mut self, after: Estimate);
}
