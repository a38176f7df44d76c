//! American checkers on 8x8, the same with the result turned round, and the same on 10x10.
//!
//! Black moves first, down the board. Men step one square diagonally forward, kings in any direction; captures are short
//! jumps, compulsory, and go on as long as they can, any of them being allowed; what was jumped leaves the board when the
//! move ends. A man that reaches its last row becomes a king and its move ends there. A side that cannot move loses, and
//! wins in lose checkers. Pieces stand on the dark squares of the whole board: square 1 of the usual numbering is the second
//! square of the top row. Draws by repetition or quiet plies are the game loop's affair.

mod moves;
mod perft;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::hash::{Hash, Hasher};

use super::{Color, Outcome};
use crate::bitboard::{Bitboard, Board, Size8, Size10, Word};

pub use moves::{Move, Moves, Side};
pub use perft::perft;

/// What tells one game of this family from another.
pub trait Variant: Copy + Eq + Ord + Hash + Debug + Default + Send + Sync + 'static {
    /// The board.
    type Board: Board;
    /// Rows that each side's men fill at the start.
    const ROWS_OF_MEN: u32 = 3;
    /// Whether the side that cannot move wins.
    const LOSING: bool = false;
}

/// American checkers, also called English draughts: 8x8, 12 men a side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct American;

impl Variant for American {
    type Board = Size8;
}

/// Lose checkers: the moves of American checkers; the side that cannot move wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Losing;

impl Variant for Losing {
    type Board = Size8;
    const LOSING: bool = true;
}

/// American checkers on 10x10, 15 men a side (Benbassat and Sipper's; not international draughts).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct American10;

impl Variant for American10 {
    type Board = Size10;
}

/// The pieces that a side has at the start, and never more.
pub const fn pieces_at_start<V: Variant>() -> u32 {
    V::ROWS_OF_MEN * V::Board::SIZE / 2
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

/// A position: pieces of the side to move and of the other side, kings of both, who moves, and counters.
///
/// Equality and hash use the board and the side to move; the counters ride along.
#[derive(Clone, Copy, Debug)]
pub struct Checkers<V: Variant> {
    own: Bitboard<V::Board>,
    opponent: Bitboard<V::Board>,
    kings: Bitboard<V::Board>,
    turn: Color,
    ply: u32,
    quiet_plies: u32,
}

impl<V: Variant> Checkers<V> {
    /// A position from pieces and counters; `None` if a square holds two pieces or is light, a king is no piece, a man
    /// stands on its last row, or a side has more pieces than at the start.
    pub fn new(
        black: Bitboard<V::Board>,
        white: Bitboard<V::Board>,
        kings: Bitboard<V::Board>,
        turn: Color,
        (ply, quiet_plies): (u32, u32),
    ) -> Option<Self> {
        let uncrowned = (black & last_row(Color::Black)) | (white & last_row(Color::White));
        let wrong =
            (black & white) | ((black | white) - dark_squares()) | (kings - (black | white)) | (uncrowned - kings);
        if !wrong.is_empty() || black.len().max(white.len()) > pieces_at_start::<V>() {
            return None;
        }
        let (own, opponent) = if turn == Color::Black { (black, white) } else { (white, black) };
        Some(Self { own, opponent, kings, turn, ply, quiet_plies })
    }

    /// The position in which a game begins.
    pub fn start() -> Self {
        let rows: Bitboard<V::Board> = (0..V::ROWS_OF_MEN * V::Board::SIZE).collect();
        let own = rows & dark_squares();
        Self { own, opponent: own.symmetry(3), kings: Bitboard::EMPTY, turn: Color::Black, ply: 0, quiet_plies: 0 }
    }

    /// The side to move.
    #[inline(always)]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Plies played before this position.
    #[inline(always)]
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// Plies since the last capture or move of a man.
    #[inline(always)]
    pub fn quiet_plies(&self) -> u32 {
        self.quiet_plies
    }

    /// Pieces of the side to move.
    #[inline(always)]
    pub fn own(&self) -> Bitboard<V::Board> {
        self.own
    }

    /// Pieces of the other side.
    #[inline(always)]
    pub fn opponent(&self) -> Bitboard<V::Board> {
        self.opponent
    }

    /// Kings of both sides.
    #[inline(always)]
    pub fn kings(&self) -> Bitboard<V::Board> {
        self.kings
    }

    /// Pieces of a colour.
    #[inline(always)]
    pub fn pieces(&self, color: Color) -> Bitboard<V::Board> {
        if color == self.turn { self.own } else { self.opponent }
    }

    /// The board as the side to move sees it.
    #[inline(always)]
    pub fn side_to_move(&self) -> Side<V::Board> {
        Side::new(self.own, self.opponent, self.kings, self.turn == Color::Black)
    }

    /// All legal moves, sorted; none exactly when the game is over.
    #[inline(always)]
    pub fn legal_moves(&self) -> Moves {
        Moves::of(&self.side_to_move())
    }

    /// The position after `chosen`, checked.
    ///
    /// # Errors
    /// Gives the move back if it is not legal here.
    pub fn play(&self, chosen: Move) -> Result<Self, Move> {
        if self.legal_moves().any(|legal| legal == chosen) { Ok(self.play_unchecked(chosen)) } else { Err(chosen) }
    }

    /// The position after a legal move. An illegal move gives a meaningless position or a panic.
    #[inline(always)]
    #[must_use]
    pub fn play_unchecked(&self, chosen: Move) -> Self {
        let from = Bitboard::square(chosen.from());
        let (mut to, mut captured) = (chosen.from(), Bitboard::EMPTY);
        for (square, over) in chosen.path::<V::Board>() {
            to = square;
            if let Some(over) = over {
                captured = captured | Bitboard::square(over);
            }
        }
        let to = Bitboard::square(to);
        let was_king = !(self.kings & from).is_empty();
        let is_king = was_king || !(to & last_row(self.turn)).is_empty();
        let crown = if is_king { to } else { Bitboard::EMPTY };
        Self {
            own: self.opponent - captured,
            opponent: (self.own - from) | to,
            kings: (self.kings - from - captured) | crown,
            turn: self.turn.opposite(),
            ply: self.ply.wrapping_add(1),
            quiet_plies: if was_king && captured.is_empty() { self.quiet_plies.wrapping_add(1) } else { 0 },
        }
    }

    /// How the game ended as the board alone decides it, `None` while the side to move can.
    pub fn outcome(&self) -> Option<Outcome> {
        if self.side_to_move().can_move() {
            return None;
        }
        let difference = self.pieces(Color::Black).len() as i32 - self.pieces(Color::White).len() as i32;
        Some(Outcome { winner: Some(if V::LOSING { self.turn } else { self.turn.opposite() }), difference })
    }

    /// Clock from 0 with all pieces of the start towards 1 with none.
    pub fn clock(pieces: f64) -> f64 {
        let start = f64::from(2 * pieces_at_start::<V>());
        (start - pieces) / start
    }
}

impl<V: Variant> PartialEq for Checkers<V> {
    fn eq(&self, other: &Self) -> bool {
        (self.own, self.opponent, self.kings, self.turn) == (other.own, other.opponent, other.kings, other.turn)
    }
}

impl<V: Variant> Eq for Checkers<V> {}

impl<V: Variant> Hash for Checkers<V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.own, self.opponent, self.kings, self.turn).hash(state);
    }
}
