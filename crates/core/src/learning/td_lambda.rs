//! TD(lambda): as TD(0), and earlier boards of the side learn from the error too, each less by a factor than the one after it
//! (Sutton, "Learning to predict by the methods of temporal differences", 1988).

use super::learner::Learner;
use super::rule::{Estimate, Rule};

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
pub(super) struct Trace {
    decay: f64,
    slopes: Vec<f64>,
}

impl Trace {
    #[inline]
    pub fn new(decay: f64) -> Self {
        Self { decay, slopes: Vec::new() }
    }

    /// The trace, one step on.
    #[inline]
    pub fn extended(&mut self, gradient: &[f64]) -> &[f64] {
        self.slopes.resize(gradient.len(), 0.0);
        for (slope, new) in self.slopes.iter_mut().zip(gradient) {
            *slope = self.decay * *slope + new;
        }
        &self.slopes
    }
}
