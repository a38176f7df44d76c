//! TDLeaf(lambda): what the best line from one turn comes to was wrong by as much as the best line from the next turn comes to
//! something else; the boards at the ends of the lines learn (Baxter, Tridgell, Weaver, "`KnightCap`: a chess program that
//! learns by combining TD(lambda) with game-tree search", 1998).

use super::learner::Learner;
use super::rule::{Estimate, Rule};
use super::td_lambda::Trace;

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
