//! Rules of checkers for positions made in Python: sets of squares are whole numbers, a1 is bit 0.

use evoply_core::bitboard::{Bitboard, Board, Word};
use evoply_core::rules::Color;
use evoply_core::rules::checkers::{self, Checkers, Move, Side, Variant};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::interrupt;

/// A position as Python gives it: Black's pieces, White's, kings of both, whether Black moves, plies, quiet plies.
pub type CheckersRow = (u128, u128, u128, bool, u32, u32);

/// Run code generic over the variant for a name known at run time.
macro_rules! with_variant {
    ($game:expr, $variant:ident => $body:expr) => {
        match $game {
            "checkers" => {
                type $variant = ::evoply_core::rules::checkers::American;
                $body
            }
            "lose-checkers" => {
                type $variant = ::evoply_core::rules::checkers::Losing;
                $body
            }
            "checkers-10" => {
                type $variant = ::evoply_core::rules::checkers::American10;
                $body
            }
            other => Err(PyValueError::new_err(format!(
                "unknown game {other:?}: games of this family are checkers, lose-checkers, checkers-10"
            ))),
        }
    };
}

fn set<B: Board>(bits: u128) -> PyResult<Bitboard<B>> {
    if bits & !B::FULL.to_u128() != 0 {
        return Err(PyValueError::new_err(format!("squares outside the {0}x{0} board: {bits:#x}", B::SIZE)));
    }
    Ok(Bitboard(B::Word::from_u128(bits)))
}

/// The position of a row, checked.
fn position<V: Variant>((black, white, kings, black_to_move, ply, quiet): CheckersRow) -> PyResult<Checkers<V>> {
    let turn = if black_to_move { Color::Black } else { Color::White };
    Checkers::new(set(black)?, set(white)?, set(kings)?, turn, (ply, quiet)).ok_or_else(|| {
        PyValueError::new_err(format!(
            "no position of checkers: pieces share a square or stand on light ones, a king is no piece, a man stands on \
             its last row, or a side has more than {} pieces",
            checkers::pieces_at_start::<V>()
        ))
    })
}

fn row<V: Variant>(position: &Checkers<V>) -> CheckersRow {
    let pieces = |color| position.pieces(color).0.to_u128();
    let kings = position.kings().0.to_u128();
    let is_black = position.turn() == Color::Black;
    (pieces(Color::Black), pieces(Color::White), kings, is_black, position.ply(), position.quiet_plies())
}

/// What Black or White has on the board of a position, whoever is to move.
fn side<V: Variant>(position: &Checkers<V>, is_black: bool) -> Side<V::Board> {
    let color = if is_black { Color::Black } else { Color::White };
    Side::new(position.pieces(color), position.pieces(color.opposite()), position.kings(), is_black)
}

/// Codes of the legal moves, in order.
#[pyfunction]
#[pyo3(signature = (game, row, /))]
pub fn checkers_moves(game: &str, row: CheckersRow) -> PyResult<Vec<u64>> {
    with_variant!(game, V => Ok(position::<V>(row)?.legal_moves().map(Move::code).collect()))
}

/// The position after the legal move `code`.
#[pyfunction]
#[pyo3(signature = (game, row, code, /))]
pub fn checkers_play(game: &str, row: CheckersRow, code: u64) -> PyResult<CheckersRow> {
    with_variant!(game, V => {
        let after = position::<V>(row)?.play(Move::from_code(code));
        let after = after.map_err(|_| PyValueError::new_err(format!("{code} is no legal move here")))?;
        Ok(self::row(&after))
    })
}

/// Number of legal moves that Black or White would have.
#[pyfunction]
#[pyo3(signature = (game, row, is_black, /))]
pub fn checkers_mobility(game: &str, row: CheckersRow, is_black: bool) -> PyResult<u32> {
    with_variant!(game, V => Ok(side(&position::<V>(row)?, is_black).number_of_moves()))
}

/// Squares where legal moves of Black or White would end.
#[pyfunction]
#[pyo3(signature = (game, row, is_black, /))]
pub fn checkers_destinations(game: &str, row: CheckersRow, is_black: bool) -> PyResult<u128> {
    with_variant!(game, V => Ok(side(&position::<V>(row)?, is_black).destinations().0.to_u128()))
}

/// Leaves of the tree of legal moves at `depth` plies; a game that ended earlier is no leaf. 0 threads: all cores.
#[pyfunction]
#[pyo3(signature = (game, row, depth, threads = 0))]
pub fn checkers_perft(py: Python<'_>, game: &str, row: CheckersRow, depth: u32, threads: usize) -> PyResult<u64> {
    with_variant!(game, V => {
        let position = position::<V>(row)?;
        interrupt::run(py, |stop| checkers::perft(position, depth, threads, stop), |_| Ok(()))
    })
}
