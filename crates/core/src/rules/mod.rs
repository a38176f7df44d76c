//! Rules of the games, behind one small trait. What a search needs of a game is all here, and
//! nothing else; [`playout::Playouts`] is what playing games of random moves needs.
//!
//! Reasons: docs/design/kernel.md.

pub mod draws;
pub mod perft;
pub mod perft_table;
pub mod playout;
pub mod weighted_games;

use std::fmt::Debug;
use std::hash::Hash;

use crate::bitboard::{Bitboard, Board, Word};
use crate::cpu::Cpu;
use crate::geometry::Geometry;
use crate::lanes::Lanes;

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

/// A board as one side sees it, whoever is to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen<B: Board> {
    /// Pieces of the side.
    pub own: Bitboard<B>,
    /// Pieces of the other side.
    pub opponent: Bitboard<B>,
    /// Kings of both.
    pub kings: Bitboard<B>,
    /// Whether the side is Black: colours may go different ways.
    pub own_is_black: bool,
}

impl<B: Board> Seen<B> {
    /// How many pieces there are.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        (self.own | self.opponent).len()
    }

    /// The same board as the other side sees it.
    #[inline(always)]
    #[must_use]
    pub fn from_the_other_side(self) -> Self {
        Self { own: self.opponent, opponent: self.own, kings: self.kings, own_is_black: !self.own_is_black }
    }
}

/// Eight boards as the same side sees them, whoever is to move.
#[derive(Clone, Copy, Debug)]
pub struct SeenLanes<'a, B: Board> {
    /// Pieces of the side.
    pub own: &'a Lanes<B::Word>,
    /// Pieces of the other side.
    pub opponent: &'a Lanes<B::Word>,
    /// Kings of both; `None` where the game has none, so that it pays nothing for them.
    pub kings: Option<&'a Lanes<B::Word>>,
    /// Whether the side is Black.
    pub own_is_black: bool,
}

impl<B: Board> SeenLanes<'_, B> {
    /// How many pieces there are on each board.
    #[inline(always)]
    pub fn counts(&self) -> Lanes<f64> {
        // Through i32: the conversion from small whole numbers is one vector instruction.
        self.own.zip(*self.opponent, |own, opponent| f64::from((own | opponent).count_ones() as i32))
    }

    /// The board of one lane.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> Seen<B> {
        Seen {
            own: Bitboard(self.own.0[lane]),
            opponent: Bitboard(self.opponent.0[lane]),
            kings: self.kings.map_or(Bitboard::EMPTY, |kings| Bitboard(kings.0[lane])),
            own_is_black: self.own_is_black,
        }
    }
}

/// All that a position is, colour by colour: what comes from outside and goes there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup<B: Board> {
    /// Black's pieces.
    pub black: Bitboard<B>,
    /// White's pieces.
    pub white: Bitboard<B>,
    /// Kings of both.
    pub kings: Bitboard<B>,
    /// The side to move.
    pub turn: Color,
    /// Plies played before.
    pub ply: u32,
    /// Plies since something irreversible happened.
    pub quiet_plies: u32,
}

/// Up to eight positions after moves from one position: what the sides own then.
#[derive(Clone, Copy, Debug)]
pub struct Children<G: Game> {
    /// Pieces of the side to move after the move.
    pub to_move: LanesOf<G>,
    /// Pieces of the side that moved.
    pub moved: LanesOf<G>,
    /// Kings of both; `None` where the game has none.
    pub kings: Option<LanesOf<G>>,
    /// Squares the moves landed on.
    pub moved_to: LanesOf<G>,
    /// Bit i is set if the move of lane i was quiet: it did nothing irreversible, in a game that counts such plies.
    pub quiet: u8,
    /// How many there are, in the order of legal moves; the boards of the other lanes mean nothing.
    pub len: usize,
}

impl<G: Game> Children<G> {
    /// No position yet.
    #[inline(always)]
    pub fn none() -> Self {
        let nothing = Lanes::splat(Bitboard::<G::Board>::EMPTY.0);
        Self { to_move: nothing, moved: nothing, kings: None, moved_to: nothing, quiet: 0, len: 0 }
    }

    /// The boards as the side to move sees them, after moves of `mover`.
    #[inline(always)]
    pub fn seen(&self, mover: Color) -> SeenLanes<'_, G::Board> {
        let kings = if G::HAS_KINGS { self.kings.as_ref() } else { None };
        SeenLanes { own: &self.to_move, opponent: &self.moved, kings, own_is_black: mover == Color::White }
    }
}

/// What the games of one family are played by, as a value: facts that hold in all positions of a game.
///
/// A position carries it. Of a game that is compiled for itself alone it is an empty type, and its facts are constants.
pub trait Rules: Copy + Eq + Debug + Send + Sync + 'static {
    /// Whether there are boards that quiescence looks beyond: captures that a side must make, or what rules that are data do
    /// not call quiet.
    #[inline(always)]
    fn has_captures(self) -> bool {
        false
    }
    /// Whether there is a solver for its endgames, those of Othello.
    #[inline(always)]
    fn has_solver(self) -> bool {
        false
    }
    /// Whether a move takes a piece from one square to another, rather than putting one on the board.
    #[inline(always)]
    fn moves_pieces(self) -> bool {
        false
    }
    /// Whether the symmetries of the board leave the game as it is: half a turn with colours exchanged where pieces move, else
    /// all eight.
    #[inline(always)]
    fn keeps_symmetries(self) -> bool {
        true
    }
    /// What perft counts for a game that ended before its depth: the convention of the game's published tables.
    fn ended_leaves(self) -> u64;
}

/// A position of a deterministic two-player game with perfect information: board, side to move, counters.
///
/// Positions are small values; playing a move makes a new one. Equality and hash use the board and the side to move.
pub trait Game: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// The board it is played on.
    type Board: Board;
    /// What it is played by.
    type Rules: Rules;
    /// A legal move; a forced pass is one.
    type Move: Copy + Eq + Ord + Debug + Send + Sync;
    /// The legal moves, sorted.
    type Moves: ExactSizeIterator<Item = Self::Move> + Clone;
    /// The moves of a position, with what it takes to make the positions after them; see [`Self::expand`].
    type Expansion: Clone;

    /// Whether pieces can be kings, and plies quiet.
    const HAS_KINGS: bool = false;
    /// Whether rules of this type may have captures: for others, what looks at captures is not compiled.
    const MAY_CAPTURE: bool = false;
    /// How many plies quiescence goes on for at most.
    const MOST_RESTLESS: u32 = u32::MAX;
    /// Whether [`Self::mobility_of_lanes`] and [`Self::clock_of_lanes`] are calls, rather than compiled into the code around
    /// them.
    const COUNTS_APART: bool = false;
    /// Whether [`Self::sight_of_lanes`] finds all it gives by one look at the boards.
    const SEES_BOTH: bool = false;

    /// The position in which a game begins.
    fn start(rules: Self::Rules) -> Self;
    /// The position that is set up so.
    ///
    /// # Errors
    /// Says in words why no such position can be.
    fn from_setup(rules: Self::Rules, setup: &Setup<Self::Board>) -> Result<Self, String>;
    /// The rows, columns and squares that the game is played on.
    #[inline(always)]
    fn geometry(_: Self::Rules) -> Geometry<Self::Board> {
        Geometry::WHOLE
    }
    /// The rules that the game is played by.
    fn rules(&self) -> Self::Rules;
    /// The side to move.
    fn turn(&self) -> Color;
    /// Plies played before this position; a forced pass counts.
    fn ply(&self) -> u32;
    /// Plies since something irreversible happened; 0 in games that do not count them.
    #[inline(always)]
    fn quiet_plies(&self) -> u32 {
        0
    }
    /// Pieces of the side to move.
    fn own(&self) -> Bitboard<Self::Board>;
    /// Pieces of the other side.
    fn opponent(&self) -> Bitboard<Self::Board>;
    /// Kings of both sides.
    #[inline(always)]
    fn kings(&self) -> Bitboard<Self::Board> {
        Bitboard::EMPTY
    }
    /// All legal moves, sorted; none exactly when the game is over.
    fn legal_moves(&self) -> Self::Moves;
    /// The position after a legal move. An illegal move gives a meaningless position; a square that no
    /// board has is a panic.
    #[must_use]
    fn play_unchecked(&self, chosen: Self::Move) -> Self;
    /// Whether nobody can move any more.
    fn is_over(&self) -> bool;
    /// How a game that is over ended; of one that goes on it means nothing.
    fn result(&self) -> Outcome;
    /// How the game ended, `None` while it goes on.
    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        self.is_over().then(|| self.result())
    }
    /// Squares a move lands on; empty for a pass.
    fn moved_to(rules: Self::Rules, chosen: Self::Move) -> Bitboard<Self::Board>;
    /// Rows between the piece that moves and the row farthest from its own side; 0 in games that put pieces on the board.
    fn rows_to_go(&self, _: Self::Move) -> u32 {
        0
    }

    /// The move as a number, for records and hashes.
    fn code(rules: Self::Rules, chosen: Self::Move) -> u64;

    /// Legal destinations of a side, a forced pass not among them.
    fn destinations(rules: Self::Rules, seen: &Seen<Self::Board>) -> Bitboard<Self::Board>;
    /// Number of legal moves of a side; a forced pass counts 0.
    fn mobility(rules: Self::Rules, seen: &Seen<Self::Board>) -> u32;
    /// Get ready to make the positions after all moves.
    fn expand(&self, cpu: impl Cpu) -> Self::Expansion;
    /// The positions after the next moves, up to eight, in the order of legal moves; none after the last.
    fn next_children(&self, cpu: impl Cpu, expansion: &mut Self::Expansion) -> Children<Self>;
    /// The moves that are still to be made.
    fn remaining(rules: Self::Rules, expansion: &Self::Expansion) -> Self::Moves;
    /// One of the positions after the moves of this one.
    #[must_use]
    fn child(&self, children: &Children<Self>, lane: usize) -> Self;
    /// Bit i is set if the side has nowhere to go in lane i: if it is to move there, the game may be over.
    fn stuck_lanes(cpu: impl Cpu, rules: Self::Rules, seen: SeenLanes<'_, Self::Board>) -> u8;
    /// Whether quiescence looks beyond the board, as it is: whether a move takes a piece, or what the rules say.
    fn is_restless(&self) -> bool {
        let pieces = |position: &Self| (position.own() | position.opponent()).len();
        self.legal_moves().any(|chosen| pieces(&self.play_unchecked(chosen)) < pieces(self))
    }
    /// Bit i is set if quiescence looks beyond the board of lane i, the side to move there: if it must capture, in games where it
    /// can. Where the game is over the bit means nothing.
    #[inline(always)]
    fn capturing_lanes(_: impl Cpu, _: Self::Rules, _: SeenLanes<'_, Self::Board>) -> u8 {
        0
    }
    /// [`Self::destinations`] of eight boards at once.
    fn destinations_of_lanes(cpu: impl Cpu, rules: Self::Rules, seen: SeenLanes<'_, Self::Board>) -> LanesOf<Self>;
    /// [`Self::mobility`] of eight boards at once.
    fn mobility_of_lanes(cpu: impl Cpu, rules: Self::Rules, seen: SeenLanes<'_, Self::Board>) -> Lanes<f64>;
    /// What [`Self::destinations_of_lanes`] and [`Self::mobility_of_lanes`] give.
    #[inline(always)]
    fn sight_of_lanes(
        cpu: impl Cpu,
        rules: Self::Rules,
        seen: SeenLanes<'_, Self::Board>,
        destinations: &mut LanesOf<Self>,
        mobility: &mut Lanes<f64>,
    ) {
        *destinations = Self::destinations_of_lanes(cpu, rules, seen);
        *mobility = Self::mobility_of_lanes(cpu, rules, seen);
    }
    /// Clock from 0 at the start to 1 at the game's farthest end, of a board whoever sees it.
    fn clock(rules: Self::Rules, seen: &Seen<Self::Board>) -> f64;
    /// [`Self::clock`] of eight boards at once.
    fn clock_of_lanes(cpu: impl Cpu, rules: Self::Rules, seen: SeenLanes<'_, Self::Board>) -> Lanes<f64>;

    /// Pieces of a colour.
    #[inline(always)]
    fn pieces(&self, color: Color) -> Bitboard<Self::Board> {
        if color == self.turn() { self.own() } else { self.opponent() }
    }

    /// The board as the side to move sees it.
    #[inline(always)]
    fn seen(&self) -> Seen<Self::Board> {
        let (own, opponent, kings) = (self.own(), self.opponent(), self.kings());
        Seen { own, opponent, kings, own_is_black: self.turn() == Color::Black }
    }

    /// [`Self::clock`] of the board.
    #[inline(always)]
    fn clock_here(&self) -> f64 {
        Self::clock(self.rules(), &self.seen())
    }

    /// All that the position is, beside its rules; [`Self::from_setup`] makes it again.
    fn setup(&self) -> Setup<Self::Board> {
        Setup {
            black: self.pieces(Color::Black),
            white: self.pieces(Color::White),
            kings: self.kings(),
            turn: self.turn(),
            ply: self.ply(),
            quiet_plies: self.quiet_plies(),
        }
    }

    /// The position after the legal move with a code, `None` if no legal move has it. A game may have a faster way.
    #[inline(always)]
    fn play_code(&self, code: u64) -> Option<Self> {
        let chosen = self.legal_moves().find(|&legal| Self::code(self.rules(), legal) == code)?;
        Some(self.play_unchecked(chosen))
    }

    /// The position after `chosen`, checked.
    ///
    /// # Errors
    /// Gives the move back if it is not legal here.
    fn play(&self, chosen: Self::Move) -> Result<Self, Self::Move> {
        if self.legal_moves().any(|legal| legal == chosen) { Ok(self.play_unchecked(chosen)) } else { Err(chosen) }
    }
}
