//! Rules of the games, behind one small trait. What search and arena need of a game is all here, and nothing else.

pub mod checkers;
pub mod othello;
pub mod perft;
pub mod playout;

use std::fmt::Debug;
use std::hash::Hash;

use crate::bitboard::{Bitboard, Board};
use crate::cpu::Cpu;
use crate::lanes::Lanes;
use playout::Playout;

/// A side. Black moves first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Color {
    /// The side that moves first.
    Black,
    /// The other side.
    White,
}

impl Color {
    /// The other side.
    #[inline(always)]
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

/// How a finished game ended, as the board alone decides it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// The winner; `None` is a draw.
    pub winner: Option<Color>,
    /// Black's pieces minus White's on the final board.
    pub difference: i32,
}

/// Sets of squares of eight boards.
pub type LanesOf<G> = Lanes<<<G as Game>::Board as Board>::Word>;

/// Up to eight positions after moves from one position: what the sides own then.
#[derive(Clone, Copy, Debug)]
pub struct Children<G: Game> {
    /// Pieces of the side to move after the move.
    pub to_move: LanesOf<G>,
    /// Pieces of the side that moved.
    pub moved: LanesOf<G>,
    /// Squares the moves landed on.
    pub moved_to: LanesOf<G>,
    /// How many there are, in the order of legal moves; the boards of the other lanes mean nothing.
    pub len: usize,
}

impl<G: Game> Children<G> {
    /// No position yet.
    #[inline(always)]
    pub fn none() -> Self {
        let nothing = Lanes::splat(Bitboard::<G::Board>::EMPTY.0);
        Self { to_move: nothing, moved: nothing, moved_to: nothing, len: 0 }
    }
}

/// A position of a deterministic two-player game with perfect information: board, side to move, counters.
///
/// Positions are small values; playing a move makes a new one.
pub trait Game: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// The board it is played on.
    type Board: Board;
    /// A legal move; a forced pass is one.
    type Move: Copy + Eq + Ord + Debug + Send + Sync;
    /// The legal moves, sorted.
    type Moves: ExactSizeIterator<Item = Self::Move> + Clone;
    /// The moves of a position, with what it takes to make the positions after them; see [`Self::expand`].
    type Expansion: Clone;

    /// The position in which a game begins.
    fn start() -> Self;
    /// The side to move.
    fn turn(&self) -> Color;
    /// Plies played before this position; a forced pass counts.
    fn ply(&self) -> u32;
    /// Pieces of the side to move.
    fn own(&self) -> Bitboard<Self::Board>;
    /// Pieces of the other side.
    fn opponent(&self) -> Bitboard<Self::Board>;
    /// All legal moves, sorted; none exactly when the game is over.
    fn legal_moves(&self) -> Self::Moves;
    /// The position after a legal move. An illegal move gives a meaningless position; a square that no
    /// board has is a panic.
    #[must_use]
    fn play_unchecked(&self, chosen: Self::Move) -> Self;
    /// How the game ended, `None` while it goes on.
    fn outcome(&self) -> Option<Outcome>;
    /// Squares a move lands on; empty for a pass.
    fn moved_to(chosen: Self::Move) -> Bitboard<Self::Board>;

    /// The move as one byte, for records and hashes.
    fn code(chosen: Self::Move) -> u8;

    /// Legal destinations of the side that owns `own`, whoever is to move, and a forced pass not among them.
    fn destinations(own: Bitboard<Self::Board>, opponent: Bitboard<Self::Board>) -> Bitboard<Self::Board>;
    /// Number of legal moves of the side that owns `own`, whoever is to move; a forced pass counts 0.
    fn mobility(own: Bitboard<Self::Board>, opponent: Bitboard<Self::Board>) -> u32;
    /// Get ready to make the positions after all moves.
    fn expand(&self, cpu: impl Cpu) -> Self::Expansion;
    /// The positions after the next moves, up to eight, in the order of legal moves; none after the last.
    fn next_children(&self, cpu: impl Cpu, expansion: &mut Self::Expansion) -> Children<Self>;
    /// The moves that are still to be made.
    fn remaining(expansion: &Self::Expansion) -> Self::Moves;
    /// One of the positions after the moves of this one.
    #[must_use]
    fn child(&self, children: &Children<Self>, lane: usize) -> Self;
    /// Bit i is set if the side to move has nowhere to go in lane i, so that the game may be over.
    fn stuck_lanes(cpu: impl Cpu, children: &Children<Self>) -> u8;
    /// [`Self::destinations`] of eight boards at once.
    fn destinations_of_lanes(cpu: impl Cpu, own: &LanesOf<Self>, opponent: &LanesOf<Self>) -> LanesOf<Self>;
    /// [`Self::mobility`] of eight boards at once.
    fn mobility_of_lanes(cpu: impl Cpu, own: &LanesOf<Self>, opponent: &LanesOf<Self>) -> Lanes<f64>;
    /// Play games of random moves to their end. As [`Playout::finish`] for each; a game may have a faster way.
    #[inline(always)]
    fn finish_playouts<C: Cpu>(_: C, games: &mut [Playout<Self>]) {
        games.iter_mut().for_each(Playout::finish);
    }
    /// Clock from 0 at the start to 1 on a full board (Othello), from the number of pieces.
    fn clock(pieces: f64) -> f64;
}
