//! The rules of learning, and what they have in common: a side comes to its turn, and it moves.

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

/// TD(0): what a side thought of the board after its move was wrong by as much as it thinks otherwise when it has its turn
/// again, or by what the game brought.
#[derive(Default)]
pub(super) struct Td {
    before: Option<Estimate>,
}

impl Rule for Td {
    #[inline]
    fn arrive(&mut self, learner: &mut Learner, now: &Estimate) {
        let Some(before) = self.before.take() else { return };
        let error = now.value(&learner.weights) - before.value(&learner.weights);
        learner.change(&before.gradient(&learner.weights), error);
    }

    #[inline]
    fn depart(&mut self, after: Estimate) {
        self.before = Some(after);
    }
}

/// TD(lambda): as TD(0), and earlier boards of the side learn from the error too, each less by a factor than the one after it
/// (Sutton, "Learning to predict by the methods of temporal differences", 1988).
pub(super) struct TdLambda {
    trace: Trace,
    before: Option<Estimate>,
}

impl TdLambda {
    #[inline]
    pub fn new(decay: f64) -> Self {
        Self { trace: Trace::new(decay), before: None }
    }
}

impl Rule for TdLambda {
    #[inline]
    fn arrive(&mut self, learner: &mut Learner, now: &Estimate) {
        let Some(before) = self.before.take() else { return };
        let error = now.value(&learner.weights) - before.value(&learner.weights);
        learner.change(self.trace.extended(&before.gradient(&learner.weights)), error);
    }

    #[inline]
    fn depart(&mut self, after: Estimate) {
        self.before = Some(after);
    }
}

/// The sum of all slopes so far, each made smaller by the decay at every step since.
struct Trace {
    decay: f64,
    slopes: Vec<f64>,
}

impl Trace {
    #[inline]
    fn new(decay: f64) -> Self {
        Self { decay, slopes: Vec::new() }
    }

    /// The trace, one step on.
    #[inline]
    fn extended(&mut self, gradient: &[f64]) -> &[f64] {
        self.slopes.resize(gradient.len(), 0.0);
        for (slope, new) in self.slopes.iter_mut().zip(gradient) {
            *slope = self.decay * *slope + new;
        }
        &self.slopes
    }
}

/// TDLeaf(lambda): what the best line from one turn comes to was wrong by as much as the best line from the next turn comes to
/// something else; the boards at the ends of the lines learn (Baxter, Tridgell, Weaver, "`KnightCap`: a chess program that
/// learns by combining TD(lambda) with game-tree search", 1998).
pub(super) struct TdLeaf {
    trace: Trace,
    /// The end of the best line from the turn before.
    before: Option<Estimate>,
}

impl TdLeaf {
    #[inline]
    pub fn new(decay: f64) -> Self {
        Self { trace: Trace::new(decay), before: None }
    }
}

impl Rule for TdLeaf {
    #[inline]
    fn arrive(&mut self, learner: &mut Learner, now: &Estimate) {
        if let Some(before) = self.before.replace(now.clone()) {
            let error = now.value(&learner.weights) - before.value(&learner.weights);
            learner.change(self.trace.extended(&before.gradient(&learner.weights)), error);
        }
    }

    /// Which move was made, and what it led to, does not matter.
    #[inline]
    fn depart(&mut self, _: Estimate) {}
}
