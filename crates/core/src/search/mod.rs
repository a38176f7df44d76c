//! Looking ahead: what a search is asked, and how it answers.
//!
//! [`alphabeta`] is the plain search to a fixed depth; [`deepening`] looks one ply deeper at a time, with a [`table`], an
//! [`ordering`] and limits. Both give the value of plain [`minimax`] at the depth that they reach, and choose the same move.
//! [`every_move`] gives the values of all moves.

pub mod alphabeta;
pub mod deepening;
pub mod endgame;
mod endgame_ordering;
mod endgame_shallow;
mod endgame_table;
pub mod every_move;
mod horizon;
pub mod leaves;
pub mod minimax;
pub mod ordering;
mod root;
pub mod stability;
pub mod table;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::player::{Evaluator, Ties};
use crate::rules::{Color, Game, Outcome};
use leaves::{Leaves, Rule};
use ordering::Ordering;

/// The value of a won game; a lost one is minus this, a draw 0.
pub const WIN: f64 = 1e15;

/// How to look ahead, and what ends it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchOptions {
    /// Plies to look ahead at most, the root move included; at least 1.
    pub depth: u32,
    /// Nodes to count at most; one ply is always looked ahead, whatever it takes.
    pub nodes: Option<u64>,
    /// Time to take at most. What a search limited in time gives cannot be reproduced.
    pub time: Option<Duration>,
    /// Which moves are looked at first.
    pub ordering: Ordering,
    /// Entries of the transposition table, a power of two; 0 is no table.
    pub table: usize,
    /// Whether entries of greater depth than asked for are used too. The value is then not that of minimax.
    pub deeper: bool,
    /// What positions at the horizon are worth. What follows paths goes with no table.
    pub leaves: Leaves,
    /// Whether a position at the horizon whose side to move must capture is not valued: all its moves are looked at, and so
    /// on until no capture is pending. For games with captures.
    pub quiescence: bool,
}

impl SearchOptions {
    /// The plain search: a fixed depth, and nothing else.
    pub const fn to_depth(depth: u32) -> Self {
        Self {
            depth,
            nodes: None,
            time: None,
            ordering: Ordering::None,
            table: 0,
            deeper: false,
            leaves: Leaves::Plain,
            quiescence: false,
        }
    }

    /// Whether nothing but a depth is asked for, and how the horizon is valued, so that the plain search answers.
    pub fn is_plain(&self) -> bool {
        let Self { leaves, quiescence, .. } = *self;
        *self == Self { leaves, quiescence, ..Self::to_depth(self.depth) }
    }
}

/// What a search is asked.
#[derive(Debug)]
pub struct Search<'a, G: Game> {
    /// Values of positions at the horizon.
    pub evaluator: &'a Evaluator<G>,
    /// What orders moves by the boards after them; for [`Ordering::Program`] only.
    pub orderer: Option<&'a Evaluator<G>>,
    /// How to look ahead.
    pub options: SearchOptions,
    /// Which of equal root moves is taken.
    pub ties: Ties,
    /// How this choice values the positions at the horizon.
    pub rule: Rule,
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
