//! Fitting pattern tables to labelled boards: the least squares of the errors, and of how far entries move.
//!
//! A label says what a board is worth to the side to move. Among all tables those are best that make the sum of the squared
//! errors small, plus for each entry the square of its move times its pull: an entry that few boards have stays where earlier
//! boards put it. Tables of different stages share no boards, so each stage is a problem of its own, solved by conjugate
//! gradients with a diagonal preconditioner; an entry is seen by so few of the boards that a dozen rounds are enough. With the
//! boards met so far as pulls, one step after another comes close to fitting the boards of all steps together.
//!
//! Sources: Hestenes & Stiefel, "Methods of conjugate gradients for solving linear systems" (1952); Buro, "Improving heuristic
//! mini-max search by supervised learning" (2002), who fits such tables by least squares.
//!
//! Reasons: docs/design/learning.md.

use std::sync::atomic::{AtomicBool, Ordering};

use super::tables::{Part, parts_of, squashed, sum_of};
use crate::bitboard::Bitboard;
use crate::cpu::{Cpu, Task, dispatch};
use crate::expression::Expression;
use crate::expression::program::Program;
use crate::patterns::incremental::Carried;
use crate::rules::{Color, Game};
use crate::work::{Stopped, for_each_parallel};

/// How to fit.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Rounds of conjugate gradients.
    pub rounds: u32,
    /// Whether labels are from -1 to 1, and the sum is squashed to that; else it is compared as it is.
    pub squashes: bool,
    /// Threads, which do not change the answer; 0: one a core.
    pub threads: usize,
}

/// What came of boards.
#[derive(Clone, PartialEq, Debug)]
pub struct Fitted {
    /// The entries of all tables, in the order of [`Expression::parameters`].
    pub parameters: Vec<f64>,
    /// How often these boards had each entry.
    pub visits: Vec<f64>,
    /// For each board the label less what the tables said before.
    pub errors: Vec<f64>,
}

/// Boards to look at between two questions whether to stop.
const AT_ONCE: usize = 1024;
/// The share of the first error of the equations at which they count as solved.
const SOLVED: f64 = 1e-20;

/// Fit tables to labelled boards; `pulls` hold each entry where it is. The value is `expression`, which `program` was lowered
/// from.
///
/// # Errors
/// [`Stopped`] if `stop` was set before; else says in words what makes no sense.
pub fn fit_tables<G: Game>(
    boards: &[G],
    labels: &[f64],
    pulls: &[f64],
    plan: Plan,
    expression: &Expression,
    program: &Program<G::Board>,
    stop: &AtomicBool,
) -> Result<Result<Fitted, String>, Stopped> {
    let mut parameters = expression.parameters().unwrap_or_default();
    let checked = check(boards.len(), labels, parameters.len(), pulls);
    let parts = match checked.and_then(|()| parts_of::<G>(expression, program)) {
        Ok(parts) if parts.windows(2).all(|pair| pair[0].pattern.stages() == pair[1].pattern.stages()) => parts,
        Ok(_) => return Ok(Err("the patterns must have the same stages".into())),
        Err(message) => return Ok(Err(message)),
    };
    let mut stages: Vec<_> = (0..parts[0].pattern.tables()).map(|number| Stage::new(&parts, number, pulls)).collect();
    let mut carried = Carried::default();
    carried.load(program.plan());
    let reading =
        Reading { boards, labels, plan, parts: &parts, parameters: &parameters, carried, stages: &mut stages, stop };
    let errors = dispatch(reading)?;
    for_each_parallel(&mut stages, plan.threads, stop, |_, stage| stage.solve(plan.rounds, stop))?;
    let mut visits = vec![0.0; parameters.len()];
    for (number, stage) in stages.iter().enumerate() {
        for (part, table) in parts.iter().zip(&stage.tables) {
            let entries = part.pattern.entries();
            let (here, there) = (table.first..table.first + entries, part.offset + number * entries);
            for (index, entry) in here.enumerate() {
                parameters[there + index] += stage.moves[entry];
                visits[there + index] = stage.visits[entry];
            }
        }
    }
    Ok(Ok(Fitted { parameters, visits, errors }))
}

fn check(boards: usize, labels: &[f64], parameters: usize, pulls: &[f64]) -> Result<(), String> {
    let fine = |condition: bool, message: String| if condition { Ok(()) } else { Err(message) };
    fine(labels.len() == boards, format!("labels: {} for {boards} boards: give one each", labels.len()))?;
    fine(pulls.len() == parameters, format!("pulls: {} for {parameters} entries: give one each", pulls.len()))?;
    if let Some(board) = labels.iter().position(|label| !label.is_finite()) {
        return Err(format!("labels[{board}] is {}: give a finite number", labels[board]));
    }
    if let Some(entry) = pulls.iter().position(|&pull| !(pull > 0.0 && pull.is_finite())) {
        return Err(format!("pulls[{entry}] is {}: give a finite number above 0", pulls[entry]));
    }
    Ok(())
}

/// Reads boards in their order: what they say goes to their stages.
struct Reading<'a, G: Game> {
    boards: &'a [G],
    labels: &'a [f64],
    plan: Plan,
    parts: &'a [Part],
    parameters: &'a [f64],
    carried: Carried<G::Board>,
    stages: &'a mut [Stage],
    stop: &'a AtomicBool,
}

impl<G: Game> Task for Reading<'_, G> {
    type Output = Result<Vec<f64>, Stopped>;

    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let Self { boards, labels, plan, parts, parameters, mut carried, stages, stop } = self;
        let nothing = Bitboard::<G::Board>::EMPTY.0;
        let mut errors = Vec::with_capacity(boards.len());
        for (number, (board, &label)) in boards.iter().zip(labels).enumerate() {
            if number % AT_ONCE == 0 && stop.load(Ordering::Relaxed) {
                return Err(Stopped);
            }
            let (own, opponent) = (board.own(), board.opponent());
            let pieces = own.len() + opponent.len();
            let kings = G::HAS_KINGS.then(|| board.kings().0);
            // An empty board is known: what stands on this one is added to it.
            let empty = (nothing, nothing, kings.map(|_| nothing));
            carried.follow(cpu, board.turn() == Color::Black, empty, |_| (own.0, opponent.0, kings), 1);
            carried.take_ready();
            let indices = carried.lane(0);
            let sum = sum_of(parts, parameters, indices, pieces);
            let value = if plan.squashes { squashed(sum) } else { sum };
            let stage = &mut stages[parts[0].pattern.stage(pieces)];
            for part in parts {
                stage.indices.extend_from_slice(&indices[part.first..][..part.pattern.copies().len()]);
            }
            // A squashed sum moves its value by the slope at most; this bound on its curve keeps each step safe.
            let slope = if plan.squashes { 1.0 - value * value } else { 1.0 };
            errors.push(label - value);
            stage.errors.push((label - value) * slope);
        }
        Ok(errors)
    }
}

/// A table of a pattern among those of a stage.
struct Table {
    /// Where it begins.
    first: usize,
    entries: usize,
    /// How many indices of a board belong to it.
    copies: usize,
}

/// The equations of a stage.
struct Stage {
    tables: Vec<Table>,
    /// The indices of all boards, one after another, in the order of tables.
    indices: Vec<u16>,
    errors: Vec<f64>,
    pulls: Vec<f64>,
    visits: Vec<f64>,
    /// How far each entry moves: what is sought.
    moves: Vec<f64>,
}

impl Stage {
    fn new(parts: &[Part], number: usize, pulls: &[f64]) -> Self {
        let (mut tables, mut own_pulls) = (Vec::with_capacity(parts.len()), Vec::new());
        for part in parts {
            let (entries, copies) = (part.pattern.entries(), part.pattern.copies().len());
            tables.push(Table { first: own_pulls.len(), entries, copies });
            own_pulls.extend_from_slice(&pulls[part.offset + number * entries..][..entries]);
        }
        let zeros = vec![0.0; own_pulls.len()];
        Self { tables, indices: Vec::new(), errors: Vec::new(), pulls: own_pulls, visits: zeros.clone(), moves: zeros }
    }

    /// Conjugate gradients from moves of 0.
    fn solve(&mut self, rounds: u32, stop: &AtomicBool) {
        if self.errors.is_empty() {
            return;
        }
        let mut rest = vec![0.0; self.moves.len()];
        let mut visits = std::mem::take(&mut self.visits);
        self.each_board(|stage, board, indices| {
            stage.spread(indices, stage.errors[board], &mut rest);
            stage.spread(indices, 1.0, &mut visits);
        });
        self.visits = visits;
        let scaled = |rest: &[f64], stage: &Self| -> Vec<f64> {
            let diagonal = stage.visits.iter().zip(&stage.pulls).map(|(visits, pull)| visits + pull);
            rest.iter().zip(diagonal).map(|(rest, diagonal)| rest / diagonal).collect()
        };
        let mut direction = scaled(&rest, self);
        let mut left = product(&rest, &direction);
        let enough = left * SOLVED;
        for _ in 0..rounds {
            if left <= enough || stop.load(Ordering::Relaxed) {
                return;
            }
            let mut image: Vec<_> = direction.iter().zip(&self.pulls).map(|(along, pull)| along * pull).collect();
            self.each_board(|stage, _, indices| stage.spread(indices, stage.gathered(indices, &direction), &mut image));
            let step = left / product(&direction, &image);
            for (moved, along) in self.moves.iter_mut().zip(&direction) {
                *moved += step * along;
            }
            for (rest, image) in rest.iter_mut().zip(&image) {
                *rest -= step * image;
            }
            let next = scaled(&rest, self);
            let left_then = product(&rest, &next);
            let kept = left_then / left;
            for (along, next) in direction.iter_mut().zip(&next) {
                *along = next + kept * *along;
            }
            left = left_then;
        }
    }

    fn each_board(&self, mut action: impl FnMut(&Self, usize, &[u16])) {
        let width = self.tables.iter().map(|table| table.copies).sum();
        for (board, indices) in self.indices.chunks_exact(width).enumerate() {
            action(self, board, indices);
        }
    }

    /// The sum of the entries of a board.
    fn gathered(&self, mut indices: &[u16], values: &[f64]) -> f64 {
        let mut sum = 0.0;
        for &Table { first, entries, copies } in &self.tables {
            let (own, others) = indices.split_at(copies);
            let table = &values[first..][..entries];
            sum += own.iter().map(|&index| table[usize::from(index)]).sum::<f64>();
            indices = others;
        }
        sum
    }

    /// Add an amount to each entry of a board.
    fn spread(&self, mut indices: &[u16], amount: f64, values: &mut [f64]) {
        for &Table { first, entries, copies } in &self.tables {
            let (own, others) = indices.split_at(copies);
            let table = &mut values[first..][..entries];
            for &index in own {
                table[usize::from(index)] += amount;
            }
            indices = others;
        }
    }
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
