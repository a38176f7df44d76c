//! Rules of Othello for positions made in Python: sets of squares are whole numbers, a1 is bit 0.

use evoply_core::bitboard::{Bitboard, Board, MAX_SQUARES, Word};
use evoply_core::rules::othello::{self, Othello};
use evoply_core::rules::{Color, perft::perft as count_leaves};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::interrupt;

/// A position as Python gives it: Black's discs, White's discs, whether Black moves, plies played.
pub type Row = (u128, u128, bool, u32);

/// Run code generic over the board for a size or name known at run time.
macro_rules! with_board {
    ($size:expr, $board:ident => $body:expr) => {
        match $size {
            4 => {
                type $board = ::evoply_core::bitboard::Size4;
                $body
            }
            6 => {
                type $board = ::evoply_core::bitboard::Size6;
                $body
            }
            8 => {
                type $board = ::evoply_core::bitboard::Size8;
                $body
            }
            10 => {
                type $board = ::evoply_core::bitboard::Size10;
                $body
            }
            other => Err(PyValueError::new_err(format!("no board of size {other}: sizes are 4, 6, 8, 10"))),
        }
    };
}
pub(crate) use with_board;

/// The size of the board of a game.
pub fn size_of_game(game: &str) -> PyResult<u32> {
    match game {
        "othello-4" => Ok(4),
        "othello-6" => Ok(6),
        "othello" => Ok(8),
        "othello-10" => Ok(10),
        _ => Err(PyValueError::new_err(format!(
            "unknown game {game:?}: games are othello, othello-4, othello-6, othello-10"
        ))),
    }
}

fn set<B: Board>(bits: u128) -> PyResult<Bitboard<B>> {
    if bits & !B::FULL.to_u128() != 0 {
        return Err(PyValueError::new_err(format!("squares outside the {0}x{0} board: {bits:#x}", B::SIZE)));
    }
    Ok(Bitboard(B::Word::from_u128(bits)))
}

/// The position of a row, checked.
pub fn position<B: Board>((black, white, black_to_move, ply): Row) -> PyResult<Othello<B>> {
    let turn = if black_to_move { Color::Black } else { Color::White };
    Othello::new(set(black)?, set(white)?, turn, ply)
        .ok_or_else(|| PyValueError::new_err("a square holds a black and a white disc"))
}

/// Squares where the owner of `own` may place a disc.
#[pyfunction]
#[pyo3(signature = (size, own, opponent, /))]
pub fn othello_moves(size: u32, own: u128, opponent: u128) -> PyResult<u128> {
    with_board!(size, B => Ok(othello::moves::<B>(set(own)?, set(opponent)?).0.to_u128()))
}

/// Discs that turn when the owner of `own` places a disc on `square`.
#[pyfunction]
#[pyo3(signature = (size, own, opponent, square, /))]
pub fn othello_flips(size: u32, own: u128, opponent: u128, square: u32) -> PyResult<u128> {
    if square >= size.saturating_mul(size).min(MAX_SQUARES as u32) {
        return Err(PyValueError::new_err(format!("no square {square} on a {size}x{size} board")));
    }
    with_board!(size, B => Ok(othello::flips::<B>(set(own)?, set(opponent)?, square).0.to_u128()))
}

/// A set of squares under one of the eight symmetries (bit 2: exchange rows and columns, then bit 1: upside down, then bit
/// 0: left and right exchanged; 3 is the half turn).
#[pyfunction]
#[pyo3(signature = (size, squares, index, /))]
pub fn symmetry(size: u32, squares: u128, index: u8) -> PyResult<u128> {
    if index > 7 {
        return Err(PyValueError::new_err(format!("no symmetry {index}: symmetries are 0 to 7")));
    }
    with_board!(size, B => Ok(set::<B>(squares)?.symmetry(index).0.to_u128()))
}

/// Leaves of the tree of legal moves at `depth` plies; a pass is a ply and a finished game one leaf. 0 threads: all cores.
#[pyfunction]
#[pyo3(signature = (game, black, white, black_to_move, depth, threads = 0))]
pub fn perft(
    py: Python<'_>,
    game: &str,
    black: u128,
    white: u128,
    black_to_move: bool,
    depth: u32,
    threads: usize,
) -> PyResult<u64> {
    with_board!(size_of_game(game)?, B => {
        let position = position::<B>((black, white, black_to_move, 0))?;
        interrupt::run(py, |stop| count_leaves(position, depth, threads, stop), |_| Ok(()))
    })
}
