//! Othello on 4x4, 6x6, 8x8 and 10x10 boards.
//!
//! Black moves first. A side that cannot move passes; the game ends when neither can. This module knows the rules on
//! bitboards; text forms live with the user-facing games. [`endgame`] is the exact solver.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod alone;
pub mod endgame;
mod lines;
mod side_by_side;
mod weighted_games;

use std::hash::{Hash, Hasher};

use evoply_core::bitboard::{Bitboard, Board, Word};
use evoply_core::cpu::Cpu;
use evoply_core::lanes::{LANES, Lanes};
use evoply_core::rules::{Children, Color, Game, LanesOf, Outcome, Rules, Seen, SeenLanes, Setup};
use lines::Runs;

/// A position: discs of the side to move and of the other side, who moves, and how many plies were played.
///
/// Equality and hash use the board and the side to move; the ply counter rides along.
#[derive(Clone, Copy, Debug)]
pub struct Othello<B: Board> {
    own: Bitboard<B>,
    opponent: Bitboard<B>,
    turn: Color,
    ply: u32,
}

/// A disc placed on a square, or a forced pass. Squares sort before the pass.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Move {
    /// Place a disc on this square.
    Place(u8),
    /// The side to move has no square to play and its opponent has.
    Pass,
}

impl Move {
    /// The move as a number: the square, or the number of squares for a pass.
    #[inline(always)]
    pub fn code<B: Board>(self) -> u64 {
        match self {
            Self::Place(square) => square.into(),
            Self::Pass => B::SQUARES.into(),
        }
    }
}

/// The legal moves of a position, lowest square first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moves<B: Board> {
    squares: Bitboard<B>,
    pass: bool,
}

impl<B: Board> Iterator for Moves<B> {
    type Item = Move;
    #[inline(always)]
    fn next(&mut self) -> Option<Move> {
        if !self.squares.is_empty() {
            let square = self.squares.first();
            self.squares = self.squares.without_first();
            return Some(Move::Place(square as u8));
        }
        std::mem::take(&mut self.pass).then_some(Move::Pass)
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.squares.len() as usize + usize::from(self.pass);
        (count, Some(count))
    }

    /// Skips squares without making moves of them.
    #[inline(always)]
    fn nth(&mut self, n: usize) -> Option<Move> {
        for _ in 0..n {
            if self.squares.is_empty() {
                self.pass = false;
                return None;
            }
            self.squares = self.squares.without_first();
        }
        self.next()
    }
}

impl<B: Board> ExactSizeIterator for Moves<B> {}

/// The moves that are still to be made, and the runs that they turn.
#[derive(Clone, Debug)]
pub struct Expansion<B: Board> {
    moves: Moves<B>,
    runs: Runs<B::Word>,
}

impl<B: Board> Expansion<B> {
    /// Squares where a disc may be placed, of those moves that are still to be made.
    #[inline(always)]
    pub(crate) fn squares(&self) -> Bitboard<B> {
        self.moves.squares
    }
}

/// Squares where the owner of `own` may place a disc.
#[inline(always)]
pub fn moves<B: Board>(own: Bitboard<B>, opponent: Bitboard<B>) -> Bitboard<B> {
    let spread = |mask| mask;
    Bitboard(Runs::of::<B>(own.0, opponent.0, spread).destinations::<B>(own.0, opponent.0, spread))
}

/// Squares where the owner of `own` may place a disc on each of eight boards.
#[inline(always)]
pub(crate) fn destinations_of_wide<B: Board, C: Cpu>(
    cpu: C,
    own: &Lanes<B::Word>,
    opponent: &Lanes<B::Word>,
) -> <B::Word as Word>::Eight<C> {
    let spread = |mask| B::Word::splat(cpu, mask);
    let (own, opponent) = (B::Word::load(cpu, own), B::Word::load(cpu, opponent));
    Runs::of::<B>(own, opponent, spread).destinations::<B>(own, opponent, spread)
}

/// Discs that turn when the owner of `own` places a disc on an empty `square`; none if the move is not legal. On a square that
/// is not empty the result means nothing.
///
/// # Panics
/// If there is no such square on any board.
#[inline(always)]
pub fn flips<B: Board>(own: Bitboard<B>, opponent: Bitboard<B>, square: u32) -> Bitboard<B> {
    let (own, opponent) = (own.0, opponent.0);
    let rays = &B::RAYS[square as usize];
    // Four lines at once each way, written as arrays so that they become vector instructions.
    let upward = |line: usize| {
        // Rays to higher bits: the carry runs through the opponent's discs to the first other square.
        let ray = rays[line];
        let closing = (opponent | !ray).wrapping_add(B::Word::ONE) & ray & own;
        closing.wrapping_sub(if closing == B::Word::ZERO { B::Word::ZERO } else { B::Word::ONE }) & ray
    };
    let downward = |line: usize| {
        // Rays to lower bits: the highest square that is not the opponent's.
        let ray = rays[line + 4];
        let others = (ray & !opponent) | B::Word::ONE;
        let closing = (B::Word::HIGHEST >> others.leading_zeros()) & ray & own;
        B::Word::ZERO.wrapping_sub(closing << 1) & ray
    };
    let upward = [upward(0), upward(1), upward(2), upward(3)];
    let downward = [downward(0), downward(1), downward(2), downward(3)];
    let flips = (0..4).fold(B::Word::ZERO, |flips, line| flips | upward[line] | downward[line]);
    Bitboard(flips)
}

impl<B: Board> Othello<B> {
    /// A position from discs and counters; `None` if the sets overlap or leave the board.
    pub fn new(black: Bitboard<B>, white: Bitboard<B>, turn: Color, ply: u32) -> Option<Self> {
        let on_board = (black | white) - Bitboard::FULL;
        if !(black & white).is_empty() || !on_board.is_empty() {
            return None;
        }
        let (own, opponent) = if turn == Color::Black { (black, white) } else { (white, black) };
        Some(Self { own, opponent, turn, ply })
    }

    /// A position of which only the board counts, as the side to move sees it; the sets are apart and on the board.
    #[inline(always)]
    pub(crate) fn seen_by_mover(own: Bitboard<B>, opponent: Bitboard<B>) -> Self {
        Self { own, opponent, turn: Color::Black, ply: 0 }
    }

    /// Discs of a colour.
    #[inline(always)]
    pub fn discs(&self, color: Color) -> Bitboard<B> {
        if color == self.turn { self.own } else { self.opponent }
    }
}

/// How much of the board is filled that is empty at the start.
#[inline(always)]
fn clock_from<B: Board>(discs: f64) -> f64 {
    (discs - 4.0) / f64::from(B::SQUARES - 4)
}

impl<B: Board> PartialEq for Othello<B> {
    fn eq(&self, other: &Self) -> bool {
        (self.own, self.opponent, self.turn) == (other.own, other.opponent, other.turn)
    }
}

impl<B: Board> Eq for Othello<B> {}

impl<B: Board> Hash for Othello<B> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.own, self.opponent, self.turn).hash(state);
    }
}

/// The rules of Othello: there is nothing to choose.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct OthelloRules;

impl Rules for OthelloRules {
    #[inline(always)]
    fn has_solver(self) -> bool {
        true
    }

    #[inline(always)]
    fn ended_leaves(self) -> u64 {
        1
    }
}

impl<B: Board> Game for Othello<B> {
    type Board = B;
    type Rules = OthelloRules;
    type Move = Move;
    type Moves = Moves<B>;
    type Expansion = Expansion<B>;

    fn start(_: OthelloRules) -> Self {
        let half = B::SIZE / 2;
        let at = |row: u32, column: u32| Bitboard::square(row * B::SIZE + column);
        Self {
            own: at(half - 1, half) | at(half, half - 1),
            opponent: at(half - 1, half - 1) | at(half, half),
            turn: Color::Black,
            ply: 0,
        }
    }

    fn from_setup(_: OthelloRules, setup: &Setup<B>) -> Result<Self, String> {
        let &Setup { black, white, kings, turn, ply, quiet_plies } = setup;
        if !kings.is_empty() || quiet_plies != 0 {
            return Err("Othello has neither kings nor quiet plies".into());
        }
        Self::new(black, white, turn, ply).ok_or_else(|| "a square holds a black and a white disc".into())
    }

    #[inline(always)]
    fn rules(&self) -> OthelloRules {
        OthelloRules
    }

    #[inline(always)]
    fn turn(&self) -> Color {
        self.turn
    }

    #[inline(always)]
    fn ply(&self) -> u32 {
        self.ply
    }

    #[inline(always)]
    fn own(&self) -> Bitboard<B> {
        self.own
    }

    #[inline(always)]
    fn opponent(&self) -> Bitboard<B> {
        self.opponent
    }

    #[inline(always)]
    fn legal_moves(&self) -> Moves<B> {
        let squares = moves(self.own, self.opponent);
        Moves { squares, pass: squares.is_empty() && !moves(self.opponent, self.own).is_empty() }
    }

    #[inline(always)]
    fn play_unchecked(&self, chosen: Move) -> Self {
        let (own, opponent) = match chosen {
            Move::Place(square) => {
                let flips = flips(self.own, self.opponent, square.into());
                (self.opponent - flips, self.own | flips | Bitboard::square(square.into()))
            }
            Move::Pass => (self.opponent, self.own),
        };
        Self { own, opponent, turn: self.turn.opposite(), ply: self.ply.wrapping_add(1) }
    }

    /// What turns no disc is no legal move: so moves need not be looked for.
    #[inline(always)]
    fn play_code(&self, code: u64) -> Option<Self> {
        if code == u64::from(B::SQUARES) {
            return self.legal_moves().pass.then(|| self.play_unchecked(Move::Pass));
        }
        let square = u32::try_from(code).ok().filter(|&square| square < B::SQUARES)?;
        let placed = Bitboard::square(square);
        if !((self.own | self.opponent) & placed).is_empty() {
            return None;
        }
        let flips = flips(self.own, self.opponent, square);
        let (own, opponent) = (self.opponent - flips, self.own | flips | placed);
        (!flips.is_empty()).then(|| Self { own, opponent, turn: self.turn.opposite(), ply: self.ply.wrapping_add(1) })
    }

    fn is_over(&self) -> bool {
        moves(self.own, self.opponent).is_empty() && moves(self.opponent, self.own).is_empty()
    }

    fn result(&self) -> Outcome {
        let difference = self.discs(Color::Black).len() as i32 - self.discs(Color::White).len() as i32;
        let winner = match difference.signum() {
            1 => Some(Color::Black),
            -1 => Some(Color::White),
            _ => None,
        };
        Outcome { winner, difference }
    }

    #[inline(always)]
    fn moved_to(_: OthelloRules, chosen: Move) -> Bitboard<B> {
        match chosen {
            Move::Place(square) => Bitboard::square(square.into()),
            Move::Pass => Bitboard::EMPTY,
        }
    }

    #[inline(always)]
    fn destinations(_: OthelloRules, seen: &Seen<B>) -> Bitboard<B> {
        moves(seen.own, seen.opponent)
    }

    #[inline(always)]
    fn mobility(_: OthelloRules, seen: &Seen<B>) -> u32 {
        moves(seen.own, seen.opponent).len()
    }

    #[inline(always)]
    fn expand(&self, cpu: impl Cpu) -> Expansion<B> {
        let runs = Runs::on::<B>(cpu, self.own, self.opponent);
        let squares = Bitboard(runs.destinations::<B>(self.own.0, self.opponent.0, |mask| mask));
        let pass = squares.is_empty() && !moves(self.opponent, self.own).is_empty();
        Expansion { moves: Moves { squares, pass }, runs }
    }

    #[inline(always)]
    fn next_children(&self, cpu: impl Cpu, expansion: &mut Expansion<B>) -> Children<Self> {
        let Expansion { moves: Moves { squares, pass }, runs } = expansion;
        let (own, opponent) = (B::Word::splat(cpu, self.own.0), B::Word::splat(cpu, self.opponent.0));
        let places = B::Word::first_squares(cpu, squares.0);
        let turned = runs.widen(cpu).flips::<B>(places);
        let moved_to = places.sets;
        let len = (squares.len() as usize).min(LANES);
        // No branch here: how many moves there are is hard to predict.
        for _ in 0..LANES {
            *squares = squares.without_first();
        }
        if len == 0 && std::mem::take(pass) {
            let (to_move, moved) = (Lanes::splat(self.opponent.0), Lanes::splat(self.own.0));
            return Children { to_move, moved, len: 1, ..Children::none() };
        }
        Children {
            to_move: B::Word::lanes(opponent & !turned),
            moved: B::Word::lanes(own | turned | moved_to),
            kings: None,
            moved_to: B::Word::lanes(moved_to),
            quiet: 0,
            len,
        }
    }

    #[inline(always)]
    fn remaining(_: OthelloRules, expansion: &Expansion<B>) -> Moves<B> {
        expansion.moves.clone()
    }

    #[inline(always)]
    fn child(&self, children: &Children<Self>, lane: usize) -> Self {
        let (own, opponent) = (Bitboard(children.to_move.0[lane]), Bitboard(children.moved.0[lane]));
        Self { own, opponent, turn: self.turn.opposite(), ply: self.ply.wrapping_add(1) }
    }

    #[inline(always)]
    fn stuck_lanes(cpu: impl Cpu, _: OthelloRules, seen: SeenLanes<'_, B>) -> u8 {
        !B::Word::not_zero(destinations_of_wide::<B, _>(cpu, seen.own, seen.opponent))
    }

    #[inline(always)]
    fn destinations_of_lanes(cpu: impl Cpu, _: OthelloRules, seen: SeenLanes<'_, B>) -> LanesOf<Self> {
        B::Word::lanes(destinations_of_wide::<B, _>(cpu, seen.own, seen.opponent))
    }

    #[inline(always)]
    fn mobility_of_lanes(cpu: impl Cpu, _: OthelloRules, seen: SeenLanes<'_, B>) -> Lanes<f64> {
        B::Word::counts(destinations_of_wide::<B, _>(cpu, seen.own, seen.opponent))
    }

    #[inline(always)]
    fn clock(_: OthelloRules, seen: &Seen<B>) -> f64 {
        clock_from::<B>(f64::from(seen.count()))
    }

    #[inline(always)]
    fn clock_of_lanes(_: impl Cpu, _: OthelloRules, seen: SeenLanes<'_, B>) -> Lanes<f64> {
        seen.counts().map(clock_from::<B>)
    }

    #[inline(always)]
    fn code(_: OthelloRules, chosen: Move) -> u64 {
        chosen.code::<B>()
    }
}
