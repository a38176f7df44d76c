//! What an exact solver of endgames is asked by whoever chooses a move, in games that have one.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::bitboard::Board;
use crate::choice::{Choice, Lines, Ties};
use crate::cpu::{Cpu, Task};
use crate::evaluator::Evaluator;
use crate::rules::Game;
use crate::rules::playout::Playouts;
use crate::stream::Stream;

/// Which move keeps the score, by a player's rule for ties.
#[derive(Debug)]
pub struct ExactChoice<'a, G: Game> {
    /// A position that is not over.
    pub position: &'a G,
    /// What the player looks ahead with: it knows something about the order of moves.
    pub evaluator: &'a Evaluator<G>,
    /// How many threads search (0: one a core); the answer is the same.
    pub threads: usize,
    /// Which of equally good moves is taken.
    pub ties: Ties,
    /// What random ties are drawn from, among the moves whose scores are equal.
    pub stream: Stream,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Set from outside to give up.
    pub stop: &'a AtomicBool,
}

/// What every legal move of a position is worth.
#[derive(Debug)]
pub struct ExactValues<'a, G: Game> {
    /// A position that is not over.
    pub position: &'a G,
    /// As in [`ExactChoice`].
    pub evaluator: &'a Evaluator<G>,
    /// As in [`ExactChoice`].
    pub threads: usize,
    /// Set from outside to give up.
    pub stop: &'a AtomicBool,
}

/// Whether at most so many squares are empty, 0 for never: that the solver is to choose.
#[inline(always)]
pub(crate) fn is_near_its_end<G: Game>(position: &G, most_empty: u32) -> bool {
    most_empty > 0 && (!(position.own() | position.opponent())).len() <= most_empty
}

/// A game whose endgames may have an exact solver. One that has none need not say anything.
pub trait Endgames: Playouts {
    /// The move that the solver chooses; `None` if it was given up, or there is no solver.
    #[inline(always)]
    fn choose_exactly<C: Cpu>(_: C, _: ExactChoice<'_, Self>) -> Option<Choice<Self>> {
        None
    }

    /// The score of every legal move, in their order, and what follows each under best play; `None` if it was given up, or there is no solver.
    #[inline(always)]
    fn value_exactly<C: Cpu>(_: C, _: ExactValues<'_, Self>) -> Option<(Vec<f64>, Lines<Self>)> {
        None
    }
}

/// A choice by the solver, as a task: for whoever is not inside a CPU path yet.
impl<G: Endgames> Task for ExactChoice<'_, G> {
    type Output = Option<Choice<G>>;
    const WORTH_AVX512: bool = G::Board::WORTH_AVX512;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        G::choose_exactly(cpu, self)
    }
}
