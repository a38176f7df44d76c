//! Fitting pattern tables to labelled boards: one pass over the boards, in their order.
//!
//! A label says what a board is worth to the side to move. The entries of the board share the difference between the label and
//! what they say; the more often an entry was met, the smaller its steps. The error is taken before the step, so it is that of a
//! board which was not learned from yet. Source of steps that shrink entry by entry: Duchi, Hazan & Singer, "Adaptive subgradient
//! methods for online learning and stochastic optimization" (2011); here an entry counts its boards instead of their errors.
//!
//! Reasons: docs/design/learning.md.

use std::sync::atomic::{AtomicBool, Ordering};

use super::learner::is_lost;
use super::tables::{Part, parts_of, squashed, sum_of};
use crate::bitboard::Bitboard;
use crate::cpu::{Cpu, Task, dispatch};
use crate::expression::Expression;
use crate::expression::program::Program;
use crate::patterns::incremental::Carried;
use crate::rules::{Color, Game};
use crate::work::Stopped;

/// How far entries move.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The share of an error that the entries of a board take off it together, while they are new.
    pub rate: f64,
    /// How often an entry is met until its steps are shorter by the root of two.
    pub calm: f64,
    /// Whether labels are from -1 to 1, and the sum is squashed to that; else it is compared as it is.
    pub squashes: bool,
}

/// What came of boards.
#[derive(Clone, PartialEq, Debug)]
pub struct Fitted {
    /// The entries of all tables after the last board, in the order of [`Expression::parameters`].
    pub parameters: Vec<f64>,
    /// How often each entry was met so far.
    pub visits: Vec<f64>,
    /// For each board the label less what the tables said before they learned from it.
    pub errors: Vec<f64>,
    /// The number of the board at which an entry left the numbers.
    pub failed: Option<usize>,
}

/// Boards to look at between two questions whether to stop.
const AT_ONCE: usize = 1024;

/// Learn from labelled boards; `visits` are those of earlier boards. The value is `expression`, which `program` was lowered
/// from.
///
/// # Errors
/// [`Stopped`] if `stop` was set before; else says in words what makes no sense.
pub fn fit_tables<G: Game>(
    boards: &[G],
    labels: &[f64],
    visits: Vec<f64>,
    plan: Plan,
    expression: &Expression,
    program: &Program<G::Board>,
    stop: &AtomicBool,
) -> Result<Result<Fitted, String>, Stopped> {
    let parameters = expression.parameters().unwrap_or_default();
    let checked = plan.check(boards.len(), labels, parameters.len(), &visits);
    let parts = match checked.and_then(|()| parts_of::<G>(expression, program)) {
        Ok(parts) => parts,
        Err(message) => return Ok(Err(message)),
    };
    let mut carried = Carried::default();
    carried.load(program.plan());
    let fitted = Fitted { parameters, visits, errors: Vec::with_capacity(boards.len()), failed: None };
    dispatch(Fit { boards, labels, plan, parts, carried, fitted, stop }).map(Ok)
}

impl Plan {
    fn check(&self, boards: usize, labels: &[f64], parameters: usize, visits: &[f64]) -> Result<(), String> {
        let fine = |condition: bool, message: String| if condition { Ok(()) } else { Err(message) };
        fine(labels.len() == boards, format!("labels: {} for {boards} boards: give one each", labels.len()))?;
        fine(visits.len() == parameters, format!("visits: {} for {parameters} entries: give one each", visits.len()))?;
        if let Some(board) = labels.iter().position(|label| !label.is_finite()) {
            return Err(format!("labels[{board}] is {}: give a finite number", labels[board]));
        }
        if let Some(entry) = visits.iter().position(|visits| !visits.is_finite() || *visits < 0.0) {
            return Err(format!("visits[{entry}] is {}: give a finite number from 0 on", visits[entry]));
        }
        fine((0.0..=1.0).contains(&self.rate), format!("rate is {}: give a number from 0 to 1", self.rate))?;
        let is_calm = self.calm.is_finite() && self.calm > 0.0;
        fine(is_calm, format!("calm is {}: give a finite number above 0", self.calm))
    }
}

struct Fit<'a, G: Game> {
    boards: &'a [G],
    labels: &'a [f64],
    plan: Plan,
    parts: Vec<Part>,
    carried: Carried<G::Board>,
    fitted: Fitted,
    stop: &'a AtomicBool,
}

impl<G: Game> Task for Fit<'_, G> {
    type Output = Result<Fitted, Stopped>;

    #[inline(always)]
    fn run<C: Cpu>(mut self, cpu: C) -> Self::Output {
        let copies: usize = self.parts.iter().map(|part| part.pattern.copies().len()).sum();
        let share = self.plan.rate / copies as f64;
        for (number, (board, &label)) in self.boards.iter().zip(self.labels).enumerate() {
            if number % AT_ONCE == 0 && self.stop.load(Ordering::Relaxed) {
                return Err(Stopped);
            }
            if self.learn(cpu, board, label, share) {
                self.fitted.failed = Some(number);
                break;
            }
        }
        Ok(self.fitted)
    }
}

impl<G: Game> Fit<'_, G> {
    /// Learn from one board; whether an entry left the numbers.
    #[inline(always)]
    fn learn(&mut self, cpu: impl Cpu, board: &G, label: f64, share: f64) -> bool {
        let Self { plan, parts, carried, fitted, .. } = self;
        let (own, opponent) = (board.own(), board.opponent());
        let pieces = own.len() + opponent.len();
        let nothing = Bitboard::<G::Board>::EMPTY.0;
        let kings = G::HAS_KINGS.then(|| board.kings().0);
        // An empty board is known: what stands on this one is added to it.
        let empty = (nothing, nothing, kings.map(|_| nothing));
        carried.follow(cpu, board.turn() == Color::Black, empty, |_| (own.0, opponent.0, kings), 1);
        carried.take_ready();
        let sum = sum_of(parts, &fitted.parameters, carried.lane(0), pieces);
        let value = if plan.squashes { squashed(sum) } else { sum };
        let slope = if plan.squashes { 1.0 - value * value } else { 1.0 };
        let error = label - value;
        fitted.errors.push(error);
        let (change, mut is_any_lost) = (share * (error * slope), false);
        for part in &*parts {
            let place = part.place(pieces);
            for &index in &carried.lane(0)[part.first..][..part.pattern.copies().len()] {
                let entry = place + usize::from(index);
                let visits = &mut fitted.visits[entry];
                fitted.parameters[entry] += change / (1.0 + *visits / plan.calm).sqrt();
                *visits += 1.0;
                is_any_lost |= is_lost(fitted.parameters[entry]);
            }
        }
        is_any_lost
    }
}
