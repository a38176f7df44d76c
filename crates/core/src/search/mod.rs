//! Looking ahead: what a search is asked, and how it answers.

pub mod alphabeta;
pub mod endgame;
mod endgame_ordering;
mod endgame_shallow;
mod endgame_table;
pub mod minimax;
pub mod stability;

use std::sync::atomic::AtomicBool;

use crate::player::{Evaluator, Ties};
use crate::rules::{Color, Game, Outcome};

/// The value of a won game; a lost one is minus this, a draw 0.
pub const WIN: f64 = 1e15;

/// What a fixed-depth search is asked.
#[derive(Debug)]
pub struct Search<'a, G: Game> {
    /// Values of positions at the horizon.
    pub evaluator: &'a Evaluator<G>,
    /// Plies to look ahead, the root move included; at least 1.
    pub depth: u32,
    /// Which of equal root moves is taken.
    pub ties: Ties,
    /// Set from outside to give the search up.
    pub stop: &'a AtomicBool,
}

/// The exact value of a finished game for a side.
#[inline(always)]
pub fn outcome_value(outcome: Outcome, side: Color) -> f64 {
    match outcome.winner {
        None => 0.0,
        Some(winner) if winner == side => WIN,
        Some(_) => -WIN,
    }
}
