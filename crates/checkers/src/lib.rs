//! American checkers on 8x8 and 10x10, and the same with the result turned round.
//!
//! Black moves first, down the board. Men step one square diagonally forward, kings in any direction; captures are short
//! jumps, compulsory, and go on as long as they can, any of them being allowed; what was jumped leaves the board when the
//! move ends. A man that reaches its last row becomes a king and its move ends there. A side that cannot move loses, and
//! wins in lose checkers. Pieces stand on the dark squares of the whole board: square 1 of the usual numbering is the second
//! square of the top row. Draws by repetition or quiet plies are the game loop's affair.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod moves;
mod side;
mod side_by_side;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};

use evoply_core::bitboard::{Bitboard, Board, Word};
use evoply_core::cpu::Cpu;
use evoply_core::lanes::{LANES, Lanes};
use evoply_core::rules::playout::Playouts;
use evoply_core::rules::weighted_games::Duels;
use evoply_core::rules::{Children, Color, Game, LanesOf, Outcome, Rules, Seen, SeenLanes, Setup};
use evoply_core::search::exact::Endgames;

pub use moves::Move;
pub use side::{Moves, Side};

/// Rows that each side's men fill at the start.
const ROWS_OF_MEN: u32 = 3;

/// What tells games on one board from each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CheckersRules {
    /// Whether the side that cannot move wins.
    pub is_losing: bool,
}

impl CheckersRules {
    /// American checkers, also called English draughts. On 8x8 12 men a side, on 10x10 15 (Benbassat and Sipper's; not
    /// international draughts).
    pub const AMERICAN: Self = Self { is_losing: false };
    /// Lose checkers: the moves of American checkers; the side that cannot move wins.
    pub const LOSING: Self = Self { is_losing: true };
}

impl Rules for CheckersRules {
    #[inline(always)]
    fn has_captures(self) -> bool {
        true
    }

    #[inline(always)]
    fn moves_pieces(self) -> bool {
        true
    }

    #[inline(always)]
    fn ended_leaves(self) -> u64 {
        0
    }
}

/// The pieces that a side has at the start, and never more.
pub const fn pieces_at_start<B: Board>() -> u32 {
    ROWS_OF_MEN * B::SIZE / 2
}

/// The dark squares, on which all pieces stand.
pub fn dark_squares<B: Board>() -> Bitboard<B> {
    Bitboard(B::Word::from_u128(moves::dark(B::SIZE)))
}

/// The row where men of a colour become kings.
#[inline(always)]
fn last_row<B: Board>(color: Color) -> Bitboard<B> {
    let top = (B::Word::ONE << B::SIZE).wrapping_sub(B::Word::ONE);
    Bitboard(if color == Color::White { top } else { top << (B::SQUARES - B::SIZE) })
}

/// A position: pieces of the side to move and of the other side, kings of both, who moves, the rules, and counters.
///
/// Equality and hash use the board and the side to move; the rules and the counters ride along.
#[derive(Clone, Copy, Debug)]
pub struct Checkers<B: Board> {
    own: Bitboard<B>,
    opponent: Bitboard<B>,
    kings: Bitboard<B>,
    turn: Color,
    rules: CheckersRules,
    ply: u32,
    quiet_plies: u32,
}

impl<B: Board> Checkers<B> {
    /// A position from pieces and counters (plies, quiet plies); `None` if a square holds two pieces or is light, a king is
    /// no piece, a man stands on its last row, or a side has more pieces than at the start.
    pub fn new(
        rules: CheckersRules,
        black: Bitboard<B>,
        white: Bitboard<B>,
        kings: Bitboard<B>,
        turn: Color,
        (ply, quiet_plies): (u32, u32),
    ) -> Option<Self> {
        let uncrowned = (black & last_row(Color::Black)) | (white & last_row(Color::White));
        let wrong =
            (black & white) | ((black | white) - dark_squares()) | (kings - (black | white)) | (uncrowned - kings);
        if !wrong.is_empty() || black.len().max(white.len()) > pieces_at_start::<B>() {
            return None;
        }
        let (own, opponent) = if turn == Color::Black { (black, white) } else { (white, black) };
        Some(Self { own, opponent, kings, turn, rules, ply, quiet_plies })
    }

    /// The position after a move, and the square that it landed on.
    #[inline(always)]
    fn after(&self, chosen: Move) -> (Self, Bitboard<B>) {
        let from = Bitboard::square(chosen.from());
        let (to, captured) = chosen.effect::<B>();
        let to = Bitboard::square(to);
        let was_king = !(self.kings & from).is_empty();
        let is_king = was_king || !(to & last_row(self.turn)).is_empty();
        let crown = if is_king { to } else { Bitboard::EMPTY };
        let position = Self {
            own: self.opponent - captured,
            opponent: (self.own - from) | to,
            kings: (self.kings - from - captured) | crown,
            turn: self.turn.opposite(),
            rules: self.rules,
            ply: self.ply.wrapping_add(1),
            quiet_plies: if was_king && captured.is_empty() { self.quiet_plies.wrapping_add(1) } else { 0 },
        };
        (position, to)
    }

    /// The board as the side to move sees it.
    #[inline(always)]
    pub fn side_to_move(&self) -> Side<B> {
        Side::new(&self.seen())
    }
}

impl<B: Board> Game for Checkers<B> {
    type Board = B;
    type Rules = CheckersRules;
    type Move = Move;
    type Moves = Moves;
    type Expansion = Moves;

    const HAS_KINGS: bool = true;
    const MAY_CAPTURE: bool = true;
    const COUNTS_APART: bool = true;

    fn start(rules: CheckersRules) -> Self {
        let rows_of_men: Bitboard<B> = (0..ROWS_OF_MEN * B::SIZE).collect();
        let own = rows_of_men & dark_squares();
        Self {
            own,
            opponent: own.symmetry(3),
            kings: Bitboard::EMPTY,
            turn: Color::Black,
            rules,
            ply: 0,
            quiet_plies: 0,
        }
    }

    fn from_setup(rules: CheckersRules, setup: &Setup<B>) -> Result<Self, String> {
        let &Setup { black, white, kings, turn, ply, quiet_plies } = setup;
        Self::new(rules, black, white, kings, turn, (ply, quiet_plies)).ok_or_else(|| {
            format!(
                "no position of checkers: pieces share a square or stand on light ones, a king is no piece, a man stands \
                 on its last row, or a side has more than {} pieces",
                pieces_at_start::<B>()
            )
        })
    }

    #[inline(always)]
    fn rules(&self) -> CheckersRules {
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

    /// Plies since the last capture or move of a man.
    #[inline(always)]
    fn quiet_plies(&self) -> u32 {
        self.quiet_plies
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
    fn kings(&self) -> Bitboard<B> {
        self.kings
    }

    #[inline(always)]
    fn legal_moves(&self) -> Moves {
        Moves::of(&self.side_to_move())
    }

    #[inline(always)]
    fn play_unchecked(&self, chosen: Move) -> Self {
        self.after(chosen).0
    }

    fn is_over(&self) -> bool {
        !self.side_to_move().can_move()
    }

    fn result(&self) -> Outcome {
        let difference = self.pieces(Color::Black).len() as i32 - self.pieces(Color::White).len() as i32;
        Outcome { winner: Some(if self.rules.is_losing { self.turn } else { self.turn.opposite() }), difference }
    }

    #[inline(always)]
    fn moved_to(_: CheckersRules, chosen: Move) -> Bitboard<B> {
        Bitboard::square(chosen.to::<B>())
    }

    fn rows_to_go(&self, chosen: Move) -> u32 {
        let row = chosen.from() / B::SIZE;
        if self.turn == Color::Black { B::SIZE - 1 - row } else { row }
    }

    #[inline(always)]
    fn code(_: CheckersRules, chosen: Move) -> u64 {
        chosen.code()
    }

    #[inline(always)]
    fn destinations(_: CheckersRules, seen: &Seen<B>) -> Bitboard<B> {
        Side::new(seen).destinations()
    }

    #[inline(always)]
    fn mobility(_: CheckersRules, seen: &Seen<B>) -> u32 {
        Side::new(seen).number_of_moves()
    }

    #[inline(always)]
    fn expand(&self, _: impl Cpu) -> Moves {
        self.legal_moves()
    }

    #[inline(always)]
    fn next_children(&self, _: impl Cpu, expansion: &mut Moves) -> Children<Self> {
        let (mut children, mut kings) = (Children::none(), Lanes::splat(B::Word::ZERO));
        for (lane, chosen) in expansion.by_ref().take(LANES).enumerate() {
            let (child, to) = self.after(chosen);
            children.to_move.0[lane] = child.own.0;
            children.moved.0[lane] = child.opponent.0;
            children.moved_to.0[lane] = to.0;
            children.quiet |= u8::from(child.quiet_plies > 0) << lane;
            children.len = lane + 1;
            kings.0[lane] = child.kings.0;
        }
        children.kings = Some(kings);
        children
    }

    #[inline(always)]
    fn remaining(_: CheckersRules, expansion: &Moves) -> Moves {
        expansion.clone()
    }

    #[inline(always)]
    fn child(&self, children: &Children<Self>, lane: usize) -> Self {
        let seen = children.seen(self.turn).lane(lane);
        let quiet_plies = if children.quiet >> lane & 1 == 1 { self.quiet_plies.wrapping_add(1) } else { 0 };
        let (turn, ply) = (self.turn.opposite(), self.ply.wrapping_add(1));
        Self { own: seen.own, opponent: seen.opponent, kings: seen.kings, turn, rules: self.rules, ply, quiet_plies }
    }

    #[inline(always)]
    fn stuck_lanes(cpu: impl Cpu, _: CheckersRules, seen: SeenLanes<'_, B>) -> u8 {
        !side_by_side::can_move(cpu, seen)
    }

    #[inline(always)]
    fn capturing_lanes(cpu: impl Cpu, _: CheckersRules, seen: SeenLanes<'_, B>) -> u8 {
        side_by_side::can_capture(cpu, seen)
    }

    #[inline(always)]
    fn destinations_of_lanes(cpu: impl Cpu, _: CheckersRules, seen: SeenLanes<'_, B>) -> LanesOf<Self> {
        cpu.call_apart(side_by_side::Destinations(seen))
    }

    #[inline(always)]
    fn mobility_of_lanes(cpu: impl Cpu, _: CheckersRules, seen: SeenLanes<'_, B>) -> Lanes<f64> {
        cpu.call_apart(side_by_side::NumberOfMoves(seen))
    }

    /// Clock from 0 with all pieces of the start towards 1 with none.
    #[inline(always)]
    fn clock(_: CheckersRules, seen: &Seen<B>) -> f64 {
        clock_from::<B>(f64::from(seen.count()))
    }

    #[inline(always)]
    fn clock_of_lanes(_: impl Cpu, _: CheckersRules, seen: SeenLanes<'_, B>) -> Lanes<f64> {
        seen.counts().map(clock_from::<B>)
    }
}

/// How many of the pieces of the start are gone.
#[inline(always)]
fn clock_from<B: Board>(pieces: f64) -> f64 {
    let start = f64::from(2 * pieces_at_start::<B>());
    (start - pieces) / start
}

impl<B: Board> Playouts for Checkers<B> {}

impl<B: Board> Duels for Checkers<B> {}

impl<B: Board> Endgames for Checkers<B> {}

impl<B: Board> PartialEq for Checkers<B> {
    fn eq(&self, other: &Self) -> bool {
        (self.own, self.opponent, self.kings, self.turn) == (other.own, other.opponent, other.kings, other.turn)
    }
}

impl<B: Board> Eq for Checkers<B> {}

impl<B: Board> Hash for Checkers<B> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.own, self.opponent, self.kings, self.turn).hash(state);
    }
}
