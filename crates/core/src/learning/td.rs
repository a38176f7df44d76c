//! TD(0): what a side thought of the board after its move was wrong by as much as it thinks otherwise when it has its turn
//! again, or by what the game brought.

use super::learner::Learner;
use super::rule::{Estimate, Rule};

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
