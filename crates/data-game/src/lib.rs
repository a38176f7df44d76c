//! Games whose rules are data: sets and truths written as board expressions, read when the process runs.
//!
//! [`DataRules`] are such rules, lowered to straight code for both colours; a position carries them. A game ends where its rules
//! say so of the board after a move, or where the side to move has no move. Legal moves are sets of squares, made by one
//! piece of code; the boards after moves, and what they are worth knowing by, are made eight at a time by the same code.
//!
//! Reasons: docs/design/kernel.md.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod code;
mod lowering;
mod moves;
mod random_games;
mod registers;
mod rules;
mod side_by_side;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};

use evoply_core::bitboard::{Bitboard, Board, Word};
use evoply_core::cpu::Cpu;
use evoply_core::geometry::Geometry;
use evoply_core::lanes::Lanes;
use evoply_core::rules::weighted_games::Duels;
use evoply_core::rules::{Children, Color, Game, LanesOf, Outcome, Seen, SeenLanes, Setup};
use evoply_core::search::exact::Endgames;

use code::{Code, Found, One};
pub use moves::{Move, Moves};
use rules::{BothPass, Effect, Lowered, NoMove};
pub use rules::{DataRules, shape};

/// The JSON of some rules.
///
/// # Errors
/// It is no JSON.
pub fn read(written: &str) -> Result<serde_json::Value, String> {
    serde_json::from_str(written).map_err(|error| format!("not JSON: {error}"))
}

/// A position: pieces of the side to move and of the other side, who moves, the rules, and how many plies were played.
///
/// Equality and hash use the board and the side to move.
#[derive(Clone, Copy, Debug)]
pub struct DataGame<B: Board> {
    own: Bitboard<B>,
    opponent: Bitboard<B>,
    turn: Color,
    ply: u32,
    rules: DataRules<B>,
}

impl<B: Board> DataGame<B> {
    /// The legal moves of a side that sees the board so, but for passes.
    #[inline(always)]
    fn legal_of(rules: DataRules<B>, seen: &Seen<B>) -> Moves<B> {
        let color = if seen.own_is_black { Color::Black } else { Color::White };
        let (code, nothing) = (&rules.0.legal[color as usize], B::Word::ZERO);
        let mut found = Found::new(nothing);
        code.run_into(One, [seen.own.0, seen.opponent.0, nothing, nothing], &mut found, &mut []);
        Moves::new(rules, color, code, &found)
    }

    /// The legal moves of a side, whoever is to move: asked seldom, and compiled once.
    #[inline(never)]
    fn moves_of(rules: DataRules<B>, seen: &Seen<B>) -> Moves<B> {
        Self::legal_of(rules, seen)
    }

    /// Legal moves of the side to move.
    #[inline(always)]
    fn legal_here(&self) -> Moves<B> {
        let mut moves = Self::legal_of(self.rules, &self.seen());
        if moves.len() == 0
            && !moves.is_over
            && self.rules.0.no_move == NoMove::Passes
            && Self::moves_of(self.rules, &self.seen().from_the_other_side()).len() > 0
        {
            moves.pass();
        }
        moves
    }

    /// Own and the opponent's pieces after a move, as the side that moves sees them.
    #[inline(always)]
    fn after(&self, chosen: Move) -> [Bitboard<B>; 2] {
        let to = Self::moved_to(self.rules, chosen);
        if to.is_empty() {
            return [self.own, self.opponent];
        }
        let from = if chosen.from == 0 { Bitboard::EMPTY } else { Bitboard::square(u32::from(chosen.from - 1)) };
        match &self.rules.0.effects[usize::from(chosen.rule)] {
            Effect::Usual => [(self.own - from) | to, self.opponent - to],
            Effect::Code(codes) => {
                let code = &codes[self.turn as usize].whole;
                let found = code.run_once([self.own.0, self.opponent.0, from.0, to.0]);
                [Bitboard(found.set(code.outputs[0])), Bitboard(found.set(code.outputs[1]))]
            }
        }
    }
}

impl<B: Board> PartialEq for DataGame<B> {
    fn eq(&self, other: &Self) -> bool {
        (self.own, self.opponent, self.turn) == (other.own, other.opponent, other.turn)
    }
}

impl<B: Board> Eq for DataGame<B> {}

impl<B: Board> Hash for DataGame<B> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.own, self.opponent, self.turn).hash(state);
    }
}

impl<B: Board> Game for DataGame<B> {
    type Board = B;
    type Rules = DataRules<B>;
    type Move = Move;
    type Moves = Moves<B>;
    type Expansion = Moves<B>;

    const COUNTS_APART: bool = true;
    const SEES_BOTH: bool = true;
    const MAY_CAPTURE: bool = true;
    const MOST_RESTLESS: u32 = MOST_RESTLESS;

    fn start(rules: DataRules<B>) -> Self {
        Self { own: rules.0.black, opponent: rules.0.white, turn: Color::Black, ply: 0, rules }
    }

    fn from_setup(rules: DataRules<B>, setup: &Setup<B>) -> Result<Self, String> {
        let &Setup { black, white, kings, turn, ply, quiet_plies } = setup;
        let outside = (black | white) - rules.0.geometry.playable();
        if !(black & white).is_empty() || !outside.is_empty() || !kings.is_empty() || quiet_plies != 0 {
            return Err(
                "no position of this game: pieces share a square, or stand where none can, or there are kings".into()
            );
        }
        let (own, opponent) = if turn == Color::Black { (black, white) } else { (white, black) };
        Ok(Self { own, opponent, turn, ply, rules })
    }

    #[inline(always)]
    fn geometry(rules: DataRules<B>) -> Geometry<B> {
        rules.0.geometry
    }

    #[inline(always)]
    fn rules(&self) -> DataRules<B> {
        self.rules
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

    fn legal_moves(&self) -> Moves<B> {
        self.legal_here()
    }

    fn play_unchecked(&self, chosen: Move) -> Self {
        let [moved, other] = self.after(chosen);
        let (turn, ply) = (self.turn.opposite(), self.ply.wrapping_add(1));
        Self { own: other, opponent: moved, turn, ply, rules: self.rules }
    }

    fn is_over(&self) -> bool {
        self.legal_moves().len() == 0
    }

    fn result(&self) -> Outcome {
        let rules = self.rules.0;
        let difference = self.pieces(Color::Black).len() as i32 - self.pieces(Color::White).len() as i32;
        // Step 1. What the rules say of the side that has just moved.
        let mover = self.turn.opposite();
        let code = &rules.ends[mover as usize];
        let found = code.run_once([self.opponent.0, self.own.0, B::Word::ZERO, B::Word::ZERO]);
        let [wins, loses, draws] = [0, 1, 2].map(|place| found.truth(code.outputs[place]) & 1 == 1);
        if wins || loses || draws {
            let winner = if wins { Some(mover) } else { loses.then_some(self.turn) };
            return Outcome { winner, difference };
        }
        // Step 2. What having no move means.
        let most = match difference.signum() {
            1 => Some(Color::Black),
            -1 => Some(Color::White),
            _ => None,
        };
        let winner = match (rules.no_move, rules.both_pass) {
            (NoMove::Loses, _) => Some(mover),
            (NoMove::Wins, _) => Some(self.turn),
            (NoMove::Draws, _) | (NoMove::Passes, BothPass::Draw) => None,
            (NoMove::Passes, BothPass::Most) => most,
            (NoMove::Passes, BothPass::Fewest) => most.map(Color::opposite),
        };
        Outcome { winner, difference }
    }

    #[inline(always)]
    fn moved_to(rules: DataRules<B>, chosen: Move) -> Bitboard<B> {
        let to = u32::from(chosen.to);
        if to < rules.0.geometry.squares() { Bitboard::square(to) } else { Bitboard::EMPTY }
    }

    fn rows_to_go(&self, chosen: Move) -> u32 {
        let board = self.rules.0.geometry;
        if chosen.from == 0 {
            return 0;
        }
        let row = u32::from(chosen.from - 1) / board.columns();
        if self.turn == Color::Black { board.rows() - 1 - row } else { row }
    }

    #[inline(always)]
    fn code(rules: DataRules<B>, chosen: Move) -> u64 {
        chosen.code(rules.0.geometry.squares())
    }

    fn destinations(rules: DataRules<B>, seen: &Seen<B>) -> Bitboard<B> {
        let moves = Self::moves_of(rules, seen);
        moves.fold(Bitboard::EMPTY, |set, chosen| set | Self::moved_to(rules, chosen))
    }

    fn mobility(rules: DataRules<B>, seen: &Seen<B>) -> u32 {
        Self::moves_of(rules, seen).len() as u32
    }

    #[inline(always)]
    fn expand(&self, cpu: impl Cpu) -> Moves<B> {
        cpu.call(side_by_side::Expand(self))
    }

    #[inline(always)]
    fn next_children(&self, cpu: impl Cpu, expansion: &mut Moves<B>) -> Children<Self> {
        cpu.call(side_by_side::Make { position: self, expansion })
    }

    #[inline(always)]
    fn remaining(_: DataRules<B>, expansion: &Moves<B>) -> Moves<B> {
        expansion.clone()
    }

    #[inline(always)]
    fn child(&self, children: &Children<Self>, lane: usize) -> Self {
        let (own, opponent) = (Bitboard(children.to_move.0[lane]), Bitboard(children.moved.0[lane]));
        Self { own, opponent, turn: self.turn.opposite(), ply: self.ply.wrapping_add(1), rules: self.rules }
    }

    #[inline(always)]
    fn stuck_lanes(cpu: impl Cpu, rules: DataRules<B>, seen: SeenLanes<'_, B>) -> u8 {
        cpu.call(side_by_side::Look { rules, seen }).stuck
    }

    #[inline(always)]
    fn destinations_of_lanes(cpu: impl Cpu, rules: DataRules<B>, seen: SeenLanes<'_, B>) -> LanesOf<Self> {
        cpu.call(side_by_side::Look { rules, seen }).destinations
    }

    #[inline(always)]
    fn sight_of_lanes(
        cpu: impl Cpu,
        rules: DataRules<B>,
        seen: SeenLanes<'_, B>,
        destinations: &mut LanesOf<Self>,
        mobility: &mut Lanes<f64>,
    ) {
        let sight = cpu.call(side_by_side::Look { rules, seen });
        (*destinations, *mobility) = (sight.destinations, sight.mobility);
    }

    #[inline(always)]
    fn mobility_of_lanes(cpu: impl Cpu, rules: DataRules<B>, seen: SeenLanes<'_, B>) -> Lanes<f64> {
        cpu.call(side_by_side::Look { rules, seen }).mobility
    }

    fn is_restless(&self) -> bool {
        let Some(quiet) = &self.rules.0.quiet else { return false };
        let code = &quiet[self.turn as usize];
        let found = code.run_once([self.own.0, self.opponent.0, B::Word::ZERO, B::Word::ZERO]);
        found.truth(code.outputs[0]) & 1 == 0
    }

    #[inline(always)]
    fn capturing_lanes(cpu: impl Cpu, rules: DataRules<B>, seen: SeenLanes<'_, B>) -> u8 {
        let Some(quiet) = &rules.0.quiet else { return 0 };
        let code = &quiet[usize::from(!seen.own_is_black)];
        !cpu.call(side_by_side::Judge { code, boards: [seen.own, seen.opponent] }).0
    }

    #[inline(always)]
    fn clock(rules: DataRules<B>, seen: &Seen<B>) -> f64 {
        let Some(code) = &rules.0.clock else { return clock_from(rules, f64::from(seen.count())) };
        let (black, white) = if seen.own_is_black { (seen.own, seen.opponent) } else { (seen.opponent, seen.own) };
        clock_of(code, black, white)
    }

    #[inline(always)]
    fn clock_of_lanes(cpu: impl Cpu, rules: DataRules<B>, seen: SeenLanes<'_, B>) -> Lanes<f64> {
        if let Some(code) = &rules.0.clock {
            let boards = if seen.own_is_black { [seen.own, seen.opponent] } else { [seen.opponent, seen.own] };
            return cpu.call(side_by_side::Judge { code, boards }).1.map(within);
        }
        seen.counts().map(|pieces| clock_from(rules, pieces))
    }
}

/// How many plies a search goes on at most where boards are not quiet: rules may call none quiet.
const MOST_RESTLESS: u32 = 4;

/// The clock that rules say a board has.
#[inline(never)]
fn clock_of<B: Board>(code: &Code<B>, black: Bitboard<B>, white: Bitboard<B>) -> f64 {
    let found = code.run_once([black.0, white.0, B::Word::ZERO, B::Word::ZERO]);
    within(code.number(One, &found).0[0])
}

/// A clock that rules made, from 0 to 1.
#[inline(always)]
fn within(clock: f64) -> f64 {
    if clock > 0.0 { clock.min(1.0) } else { 0.0 } // 0 also for NaN
}

/// How much of the board is filled that is empty at the start; or, where pieces only move, how many pieces are gone.
#[inline(always)]
fn clock_from<B: Board>(rules: DataRules<B>, pieces: f64) -> f64 {
    let &Lowered { pieces: start, fills, geometry, .. } = rules.0;
    let least = if fills { f64::from(geometry.playable().len()) - start } else { start };
    let gone = if fills { pieces - start } else { start - pieces };
    if least > 0.0 { gone / least } else { 0.0 }
}

impl<B: Board> Duels for DataGame<B> {}

impl<B: Board> Endgames for DataGame<B> {}
